/* Tables of what ROOT files hold: a list of facts per tree, its collections or branches, the files beside each other,
 * and hints. Every text lives in the set's arena; the builder remembers the first allocation that failed. */
#include "view/inspect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "view/format.h"

enum { FACTS = 8, TABLES_PER_TREE = 4, SMALL_BASKET = 2000 };

typedef struct builder {
    table_set *set;
    const survey *s;
    const inspect_options *options;
    bool failed;
    buf text; /* of the cell being written */
} builder;

/* ---- Small things ------------------------------------------------------------------------------------------- */

static void *allocate(builder *b, size_t count, size_t size)
{
    void *memory = arena_alloc(&b->set->memory, count, size);
    b->failed |= !memory;
    return memory;
}

static roast_str keep(builder *b)
{
    roast_str kept = b->text.code ? str_none() : arena_str(&b->set->memory, buf_view(&b->text));
    b->failed |= str_absent(kept);
    buf_clear(&b->text);
    return kept.ptr ? kept : STR("");
}

static table_cell text_cell(builder *b, roast_str text)
{
    buf_str(&b->text, text);
    return (table_cell){.text = keep(b), .share = (double)NAN};
}

static table_cell number_cell(builder *b, double value)
{
    table_cell cell = {.text = keep(b), .share = (double)NAN};
    cell.value = (roast_value){.kind = ROAST_REAL, .as.real = value};
    return cell;
}

static table_cell count_cell(builder *b, int64_t count)
{
    format_count(&b->text, count);
    return number_cell(b, (double)count);
}

static table_cell data_cell(builder *b, double bytes)
{
    if (isfinite(bytes))
        format_data(&b->text, bytes);
    return number_cell(b, bytes);
}

static void write_times(buf *out, double ratio)
{
    if (isfinite(ratio))
        format_value(out, (roast_value){.kind = ROAST_REAL, .as.real = ratio}, "", FORM_TIMES);
}

static table_cell ratio_cell(builder *b, double ratio)
{
    write_times(&b->text, ratio);
    return number_cell(b, ratio);
}

static table_cell share_cell(builder *b, int64_t part, int64_t whole)
{
    double share = inspect_divide(part, whole);
    if (isfinite(share))
        format_percent(&b->text, 100 * share);
    table_cell cell = number_cell(b, 100 * share);
    cell.share = isfinite(share) ? fmin(fmax(share, 0), 1) : (double)NAN;
    return cell;
}

static table_cell basket_cell(builder *b, int64_t bytes, int64_t baskets)
{
    table_cell cell = data_cell(b, inspect_divide(bytes, baskets));
    if (inspect_divide(bytes, baskets) < SMALL_BASKET)
        cell.tone = TONE_QUIET;
    return cell;
}

void inspect_compression(buf *out, root_compression compression)
{
    buf_text(out, root_algorithm_name(compression.algorithm));
    if (compression.level > 0)
        buf_format(out, "(%d)", (int)compression.level);
}

static const char *base_name(roast_str url)
{
    const char *slash = memrchr(url.ptr, '/', url.len);
    return slash && slash[1] ? slash + 1 : url.ptr;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- The headings ------------------------------------------------------------------------------------------- */

static void add_phrase(builder *b, table_heading *heading, table_tone tone)
{
    if (b->text.len > 0 && heading->count < TABLE_PHRASES)
        heading->phrases[heading->count++] = (table_phrase){keep(b), tone};
}

static const survey_file *only_file(const survey *s)
{
    return s->n_files == 1 ? &s->files[0] : NULL;
}

static void write_count(builder *b, int64_t count, const char *what)
{
    format_count(&b->text, count);
    buf_format(&b->text, " %s%s", what, plural(count));
}

static void build_headings(builder *b)
{
    table_heading *heading = &b->set->headline;
    const survey *s = b->s;
    const survey_file *file = only_file(s);
    if (file)
        buf_text(&b->text, base_name(file->url));
    else
        write_count(b, (int64_t)(s->n_files - s->failed), "file");
    add_phrase(b, heading, TONE_STRONG);
    format_data(&b->text, (double)s->size);
    add_phrase(b, heading, TONE_PLAIN);
    write_count(b, (int64_t)s->n_trees, "tree");
    add_phrase(b, heading, TONE_PLAIN);
    if (file && file->version > 0)
        buf_format(&b->text, "ROOT %d.%02d/%02d", (int)file->version / 10000, (int)file->version / 100 % 100,
                   (int)file->version % 100);
    add_phrase(b, heading, TONE_QUIET);
    if (s->size > 0 && s->data_bytes > 0 && s->data_bytes <= s->size) {
        format_percent(&b->text, 100 * inspect_divide(s->size - s->data_bytes, s->size));
        buf_text(&b->text, " not data");
    }
    add_phrase(b, heading, TONE_QUIET);
    if (s->failed)
        buf_format(&b->text, "%zu could not be read", s->failed);
    add_phrase(b, heading, TONE_BAD);
    if (file && !file->closed)
        buf_text(&b->text, "not closed: still being written, or its writer died");
    add_phrase(b, heading, TONE_BAD);
}

/* ---- The facts of a tree ------------------------------------------------------------------------------------ */

static void add_fact(builder *b, table *t, const char *name)
{
    if (b->text.len == 0 || t->n_rows == FACTS)
        return;
    table_cell *cells = &t->cells[2 * t->n_rows++];
    cells[0] = (table_cell){.text = str_from(name), .share = (double)NAN};
    cells[1] = (table_cell){.text = keep(b), .share = (double)NAN};
}

static void write_compression(builder *b, const survey_tree *tree)
{
    const survey_file *file = only_file(b->s);
    if (tree->compression.algorithm == ROOT_ALGORITHM_UNKNOWN)
        return;
    inspect_compression(&b->text, tree->compression);
    if (tree->compression_files < (int64_t)tree->n_parts)
        buf_format(&b->text, " in %lld of %zu files", (long long)tree->compression_files, tree->n_parts);
    root_compression wish = file ? root_compression_from_setting(file->setting) : tree->compression;
    if (wish.algorithm != tree->compression.algorithm ||
        (tree->compression.level >= 0 && wish.level != tree->compression.level)) {
        buf_text(&b->text, " (file says ");
        inspect_compression(&b->text, wish);
        buf_char(&b->text, ')');
    }
}

static void write_clusters(builder *b, const survey_tree *tree)
{
    if (tree->clusters == ROAST_ABSENT)
        buf_text(&b->text, "none that all branches share");
    else if (tree->clusters > 0) {
        format_count(&b->text, tree->clusters);
        buf_text(&b->text, tree->clusters == 1 ? " of " : " of up to ");
        write_count(b, tree->largest_cluster, "event");
    }
}

static void write_sizes(builder *b, int64_t compressed, int64_t uncompressed)
{
    format_data(&b->text, (double)compressed);
    buf_text(&b->text, " → ");
    format_data(&b->text, (double)uncompressed);
    if (compressed > 0) {
        buf_text(&b->text, " (");
        write_times(&b->text, inspect_divide(uncompressed, compressed));
        buf_char(&b->text, ')');
    }
}

static void write_overhead(builder *b, const survey_tree *tree)
{
    format_data(&b->text, (double)tree->metadata_bytes);
    buf_text(&b->text, " describe it");
    if (tree->compressed > 0) {
        buf_text(&b->text, ", ");
        format_percent(&b->text, 100 * inspect_divide(tree->metadata_bytes, tree->compressed));
        buf_text(&b->text, " of the data");
    }
}

static void write_spread(builder *b, const survey_tree *tree)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < tree->n_parts; i++) {
        least = tree->parts[i].entries < least ? tree->parts[i].entries : least;
        most = tree->parts[i].entries > most ? tree->parts[i].entries : most;
    }
    if (tree->n_parts < 2)
        return;
    format_count(&b->text, (int64_t)tree->n_parts);
    buf_text(&b->text, " files of ");
    format_count(&b->text, least);
    if (most > least) {
        buf_text(&b->text, " to ");
        format_count(&b->text, most);
    }
    buf_text(&b->text, " events");
}

static void build_facts(builder *b, const survey_tree *tree)
{
    table *t = &b->set->tables[b->set->count];
    *t = (table){.id = "tree", .title = tree->path, .n_columns = 2, .pairs = true};
    t->columns = allocate(b, 2, sizeof *t->columns);
    t->cells = allocate(b, 2 * FACTS, sizeof *t->cells);
    if (b->failed)
        return;
    format_count(&b->text, tree->entries);
    if (!str_equal(tree->class_name, STR("TTree"))) {
        buf_text(&b->text, ", ");
        buf_str(&b->text, tree->class_name);
    }
    add_fact(b, t, "events");
    write_spread(b, tree);
    add_fact(b, t, "in");
    format_count(&b->text, (int64_t)tree->n_branches);
    if (tree->kind == ROOT_RNTUPLE) {
        buf_text(&b->text, " in ");
        write_count(b, tree->columns, "column");
    }
    add_fact(b, t, tree->kind == ROOT_RNTUPLE ? "fields" : "branches");
    write_sizes(b, tree->compressed, tree->uncompressed);
    add_fact(b, t, "data");
    if (tree->entries > 0)
        format_data(&b->text, inspect_divide(tree->compressed, tree->entries));
    add_fact(b, t, "per event");
    write_clusters(b, tree);
    add_fact(b, t, "clusters");
    write_compression(b, tree);
    add_fact(b, t, "compression");
    write_overhead(b, tree);
    add_fact(b, t, "overhead");
    b->set->count++;
}

/* ---- Collections, branches ---------------------------------------------------------------------------------- */

/* What a row of either has. */
typedef struct sizes {
    int64_t compressed, uncompressed, baskets;
} sizes;

enum { NAME, SECOND, PER_EVENT, SHARE, RATIO, BASKETS, BASKET, COLUMNS };

static const table_column COLUMN_SPECS[COLUMNS] = {
    [NAME] = {.title = STR(""), .shortens = true},
    [SECOND] = {.title = STR(""), .align = TABLE_RIGHT, .priority = 2},
    [PER_EVENT] = {.title = STR("per event"), .align = TABLE_RIGHT},
    [SHARE] = {.title = STR("share"), .align = TABLE_RIGHT, .bar = true},
    [RATIO] = {.title = STR("ratio"), .align = TABLE_RIGHT, .priority = 1},
    [BASKETS] = {.title = STR("baskets"), .align = TABLE_RIGHT, .priority = 3},
    [BASKET] = {.title = STR("mean basket"), .align = TABLE_RIGHT, .priority = 2},
};

static void fill_sizes(builder *b, const survey_tree *tree, table_cell *cells, const sizes *z)
{
    cells[PER_EVENT] = data_cell(b, inspect_divide(z->compressed, tree->entries));
    cells[SHARE] = share_cell(b, z->compressed, tree->compressed);
    cells[RATIO] = ratio_cell(b, inspect_divide(z->uncompressed, z->compressed));
    cells[BASKETS] = count_cell(b, z->baskets);
    cells[BASKET] = basket_cell(b, z->compressed, z->baskets);
}

static table *begin_table(builder *b, const survey_tree *tree, const char *id, const char *second, size_t rows)
{
    table *t = &b->set->tables[b->set->count];
    *t = (table){.id = id, .n_columns = COLUMNS};
    t->columns = allocate(b, COLUMNS, sizeof *t->columns);
    t->cells = allocate(b, rows * COLUMNS, sizeof *t->cells);
    if (b->failed)
        return NULL;
    memcpy(t->columns, COLUMN_SPECS, sizeof COLUMN_SPECS);
    t->columns[SECOND].title = str_from(second);
    if (tree->kind == ROOT_RNTUPLE) {
        t->columns[BASKETS].title = STR("pages");
        t->columns[BASKET].title = STR("mean page");
    }
    buf_str(&b->text, tree->path);
    buf_format(&b->text, ": %s", id);
    t->title = keep(b);
    b->set->count++;
    return t;
}

static void say_how_many_more(builder *b, table *t, size_t total)
{
    if (total == 0)
        buf_text(&b->text, "none");
    if (total > t->n_rows)
        buf_format(&b->text, "and %zu more", total - t->n_rows);
    if (b->text.len)
        t->more = keep(b);
}

static size_t limited(const builder *b, size_t count)
{
    return b->options->limit && b->options->limit < count ? b->options->limit : count;
}

static void build_collections(builder *b, const survey_tree *tree)
{
    size_t rows = limited(b, tree->n_collections);
    table *t = begin_table(b, tree, "collections", tree->kind == ROOT_RNTUPLE ? "fields" : "branches", rows);
    for (size_t i = 0; i < rows && t && !b->failed; i++) {
        const survey_collection *c = &tree->collections[i];
        table_cell *cells = &t->cells[COLUMNS * t->n_rows++];
        cells[NAME] = text_cell(b, c->name.len                  ? c->name
                                   : tree->kind == ROOT_RNTUPLE ? STR("(single fields)")
                                                                : STR("(single branches)"));
        cells[SECOND] = count_cell(b, c->branches);
        fill_sizes(b, tree, cells, &(sizes){c->compressed, c->uncompressed, c->baskets});
    }
    if (t)
        say_how_many_more(b, t, tree->n_collections);
}

static void build_branches(builder *b, const survey_tree *tree, bool picked)
{
    size_t count;
    const uint32_t *order = inspect_order(&b->set->memory, tree, b->options, picked, &count);
    b->failed |= !order;
    if (!order)
        return;
    size_t rows = limited(b, count);
    table *t = begin_table(b, tree, tree->kind == ROOT_RNTUPLE ? "fields" : "branches", "type", rows);
    for (size_t i = 0; i < rows && t && !b->failed; i++) {
        const survey_branch *branch = &tree->branches[order[i]];
        table_cell *cells = &t->cells[COLUMNS * t->n_rows++];
        cells[NAME] = text_cell(b, branch->name);
        cells[SECOND] = text_cell(b, branch->type);
        fill_sizes(b, tree, cells, &(sizes){branch->compressed, branch->uncompressed, branch->baskets});
    }
    if (!t)
        return;
    t->columns[SECOND].align = TABLE_LEFT;
    t->columns[SECOND].shortens = true;
    if (picked) {
        buf_str(&b->text, tree->path);
        buf_format(&b->text, ": %lld branches picked, ", (long long)tree->picked);
        format_percent(&b->text, 100 * inspect_divide(tree->picked_compressed, tree->compressed));
        buf_text(&b->text, " of the bytes");
        t->title = keep(b);
    }
    say_how_many_more(b, t, count);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

enum { FILE_NAME, FILE_EVENTS, FILE_DATA, FILE_PER_EVENT, FILE_RATIO, FILE_COMPRESSION, FILE_ODD, FILE_COLUMNS };

static const table_column FILE_SPECS[FILE_COLUMNS] = {
    [FILE_NAME] = {.title = STR("file"), .shortens = true},
    [FILE_EVENTS] = {.title = STR("events"), .align = TABLE_RIGHT},
    [FILE_DATA] = {.title = STR("data"), .align = TABLE_RIGHT, .priority = 1},
    [FILE_PER_EVENT] = {.title = STR("per event"), .align = TABLE_RIGHT, .priority = 1},
    [FILE_RATIO] = {.title = STR("ratio"), .align = TABLE_RIGHT, .priority = 2},
    [FILE_COMPRESSION] = {.title = STR("compression"), .priority = 2},
    [FILE_ODD] = {.title = STR("unlike the others"), .most_lines = 3},
};

static void fill_file(builder *b, table_cell *cells, const survey_part *part)
{
    cells[FILE_NAME] = text_cell(b, str_from(base_name(b->s->files[part->file].url)));
    cells[FILE_EVENTS] = count_cell(b, part->entries);
    cells[FILE_DATA] = data_cell(b, (double)part->compressed);
    cells[FILE_PER_EVENT] = data_cell(b, inspect_divide(part->compressed, part->entries));
    cells[FILE_RATIO] = ratio_cell(b, inspect_divide(part->uncompressed, part->compressed));
    inspect_compression(&b->text, part->compression);
    cells[FILE_COMPRESSION] = text_cell(b, str_none());
    cells[FILE_ODD] = text_cell(b, part->outlier);
    cells[FILE_ODD].tone = TONE_WARN;
}

/* The odd ones first, then the others in order, as far as the limit allows. */
static void build_files(builder *b, const survey_tree *tree)
{
    if (tree->n_parts < 2)
        return;
    size_t rows = limited(b, tree->n_parts);
    table *t = begin_table(b, tree, "files", "", rows);
    if (!t)
        return;
    t->n_columns = FILE_COLUMNS;
    t->columns = allocate(b, FILE_COLUMNS, sizeof *t->columns);
    if (b->failed)
        return;
    memcpy(t->columns, FILE_SPECS, sizeof FILE_SPECS);
    for (int outlier = 1; outlier >= 0; outlier--)
        for (size_t i = 0; i < tree->n_parts && t->n_rows < rows && !b->failed; i++)
            if (!str_absent(tree->parts[i].outlier) == outlier)
                fill_file(b, &t->cells[FILE_COLUMNS * t->n_rows++], &tree->parts[i]);
    say_how_many_more(b, t, tree->n_parts);
}

/* ---- Hints -------------------------------------------------------------------------------------------------- */

static void build_hints(builder *b)
{
    const survey *s = b->s;
    table *t = &b->set->tables[b->set->count];
    *t = (table){.id = "hints", .title = STR("Hints"), .n_columns = 2};
    t->columns = allocate(b, 2, sizeof *t->columns);
    t->cells = allocate(b, 2 * s->n_hints, sizeof *t->cells);
    if (b->failed || s->n_hints == 0)
        return;
    t->columns[0] = (table_column){.title = STR(""), .shortens = true};
    t->columns[1] = (table_column){.title = STR(""), .most_lines = 6};
    for (size_t i = 0; i < s->n_hints && !b->failed; i++) {
        table_cell *cells = &t->cells[2 * t->n_rows++];
        bool trouble = s->hints[i].weight == SURVEY_TROUBLE;
        cells[0] = text_cell(b, trouble ? str_from(base_name(s->hints[i].subject)) : s->hints[i].subject);
        cells[0].tone = trouble ? TONE_BAD : TONE_STRONG;
        cells[1] = text_cell(b, s->hints[i].text);
    }
    b->set->count++;
}

roast_code inspect_tables(table_set *out, const survey *s, const inspect_options *options, roast_error *err)
{
    builder b = {.set = out, .s = s, .options = options};
    *out = (table_set){0};
    out->tables = allocate(&b, s->n_trees * TABLES_PER_TREE + 1, sizeof *out->tables);
    if (!b.failed)
        build_headings(&b);
    for (size_t i = 0; i < s->n_trees && !b.failed; i++) {
        const survey_tree *tree = &s->trees[i];
        build_facts(&b, tree);
        if (options->pick > 0)
            build_branches(&b, tree, true);
        else if (options->branches || options->filter)
            build_branches(&b, tree, false);
        else
            build_collections(&b, tree);
        build_files(&b, tree);
    }
    if (!b.failed)
        build_hints(&b);
    buf_release(&b.text);
    return b.failed ? fail_memory(err) : ROAST_OK;
}
