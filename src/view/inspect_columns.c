/* What ROOT files hold, by columns: each table is a list of columns and a function that pushes its rows. */
#include "view/inspect_columns.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static roast_value text(roast_str s)
{
    return str_absent(s) ? (roast_value){.kind = ROAST_NOTHING} : (roast_value){.kind = ROAST_TEXT, .as.text = s};
}

static roast_value integer(int64_t value)
{
    return value == ROAST_ABSENT ? (roast_value){.kind = ROAST_NOTHING}
                                 : (roast_value){.kind = ROAST_INT, .as.integer = value};
}

static roast_value quotient(int64_t a, int64_t b)
{
    bool known = a != ROAST_ABSENT && b != ROAST_ABSENT && b != 0;
    return (roast_value){.kind = ROAST_REAL, .as.real = known ? (double)a / (double)b : (double)NAN};
}

static roast_value algorithm(root_compression compression)
{
    return text(str_from(root_algorithm_name(compression.algorithm)));
}

static roast_value level(root_compression compression)
{
    return integer(compression.level < 0 ? ROAST_ABSENT : compression.level);
}

static roast_code push_files(column_table *table, const survey *s)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < s->n_files; i++) {
        const survey_file *f = &s->files[i];
        bool read = str_absent(f->error);
        const roast_value values[] = {
            text(f->url),
            text(f->uuid),
            integer(read ? f->size : ROAST_ABSENT),
            integer(read ? f->data_bytes : ROAST_ABSENT),
            integer(read ? f->metadata_bytes : ROAST_ABSENT),
            integer(read ? f->traffic.requests : ROAST_ABSENT),
            integer(read ? f->traffic.bytes : ROAST_ABSENT),
            text(f->error),
        };
        code = columns_push(table, values);
    }
    return code;
}

static roast_code push_trees(column_table *table, const survey *s)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < s->n_trees; i++) {
        const survey_tree *t = &s->trees[i];
        const roast_value values[] = {
            text(t->path),
            text(t->class_name),
            integer((int64_t)t->n_parts),
            integer(t->entries),
            integer((int64_t)t->n_branches),
            integer(t->compressed),
            integer(t->uncompressed),
            quotient(t->compressed, t->uncompressed),
            quotient(t->compressed, t->entries),
            integer(t->baskets),
            integer(t->clusters),
            algorithm(t->compression),
            level(t->compression),
        };
        code = columns_push(table, values);
    }
    return code;
}

static roast_code push_collections(column_table *table, const survey *s)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < s->n_trees; i++)
        for (size_t k = 0; !code && k < s->trees[i].n_collections; k++) {
            const survey_tree *t = &s->trees[i];
            const survey_collection *c = &t->collections[k];
            const roast_value values[] = {
                text(t->path),
                text(c->name),
                integer(c->branches),
                integer(c->compressed),
                integer(c->uncompressed),
                quotient(c->compressed, c->uncompressed),
                quotient(c->compressed, t->entries),
                quotient(c->compressed, t->compressed),
                integer(c->baskets),
            };
            code = columns_push(table, values);
        }
    return code;
}

static roast_code push_branches(column_table *table, const survey *s)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < s->n_trees; i++)
        for (size_t k = 0; !code && k < s->trees[i].n_branches; k++) {
            const survey_tree *t = &s->trees[i];
            const survey_branch *b = &t->branches[k];
            const roast_value values[] = {
                text(t->path),
                text(b->name),
                text(t->collections[b->collection].name),
                text(b->type),
                text(b->counter),
                integer(b->compressed),
                integer(b->uncompressed),
                quotient(b->compressed, b->uncompressed),
                quotient(b->compressed, t->entries),
                quotient(b->compressed, t->compressed),
                integer(b->baskets),
                integer(b->files),
            };
            code = columns_push(table, values);
        }
    return code;
}

#define T COLUMN_TEXT
#define I COLUMN_INT
#define R COLUMN_REAL

static const char *const file_names[] = {"file",           "uuid",     "size",          "data_bytes",
                                         "metadata_bytes", "requests", "bytes_fetched", "error"};
static const column_kind file_kinds[] = {T, T, I, I, I, I, I, T};
static const char *const tree_names[] = {"tree",
                                         "class",
                                         "files",
                                         "entries",
                                         "branches",
                                         "compressed_bytes",
                                         "uncompressed_bytes",
                                         "compression_ratio",
                                         "bytes_per_event",
                                         "baskets",
                                         "clusters",
                                         "algorithm",
                                         "level"};
static const column_kind tree_kinds[] = {T, T, I, I, I, I, I, R, R, I, I, T, I};
static const char *const collection_names[] = {
    "tree",  "collection", "branches", "compressed_bytes", "uncompressed_bytes", "compression_ratio", "bytes_per_event",
    "share", "baskets"};
static const column_kind collection_kinds[] = {T, T, I, I, I, R, R, R, I};
static const char *const branch_names[] = {"tree",
                                           "branch",
                                           "collection",
                                           "type",
                                           "counter",
                                           "compressed_bytes",
                                           "uncompressed_bytes",
                                           "compression_ratio",
                                           "bytes_per_event",
                                           "share",
                                           "baskets",
                                           "files"};
static const column_kind branch_kinds[] = {T, T, T, T, T, I, I, R, R, R, I, I};

static const struct {
    const char *name;
    const char *const *names;
    const column_kind *kinds;
    size_t count;
    roast_code (*push)(column_table *table, const survey *s);
} tables[] = {
    {"files", file_names, file_kinds, COUNT_OF(file_names), push_files},
    {"trees", tree_names, tree_kinds, COUNT_OF(tree_names), push_trees},
    {"collections", collection_names, collection_kinds, COUNT_OF(collection_names), push_collections},
    {"branches", branch_names, branch_kinds, COUNT_OF(branch_names), push_branches},
};

roast_code inspect_columns(column_table *out, const survey *s, const char *table, roast_error *err)
{
    *out = (column_table){0};
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        if (strcmp(tables[i].name, table) != 0)
            continue;
        roast_code code = columns_begin(out, tables[i].name, tables[i].names, tables[i].kinds, tables[i].count, err);
        if (!code)
            code = tables[i].push(out, s);
        return code == ROAST_MEMORY ? fail_memory(err) : code;
    }
    return fail(err, ROAST_USAGE, "there is no table '%s'; there are files, trees, collections and branches", table);
}
