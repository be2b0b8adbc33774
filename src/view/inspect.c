/* Tables of what ROOT files hold: a list of facts per tree, its collections or branches, the files beside each other,
 * and hints. */
#include "view/inspect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "view/format.h"
#include "view/table_writer.h"

enum { FACTS = 8, TABLES_PER_TREE = 4, SMALL_BASKET = 2000 };

typedef struct inspect_writer {
    table_writer w;
    const survey *s;
    const inspect_options *options;
} inspect_writer;

/* ---- Cells: what cannot be said is left empty ----------------------------------------------------------------- */

static void write_number(table_writer *w, double value, const char *unit, format_form form, table_tone tone)
{
    if (isfinite(value))
        writer_toned(w, real_value(value), unit, form, tone);
    else
        writer_cell(w, tone, NOTHING);
}

static void write_bytes(table_writer *w, double bytes)
{
    write_number(w, bytes, "B", FORM_UNIT, TONE_PLAIN);
}

static void write_ratio(table_writer *w, double ratio)
{
    write_number(w, ratio, "ratio", FORM_TIMES, TONE_PLAIN);
}

static void write_count(table_writer *w, int64_t count)
{
    writer_toned(w, real_value((double)count), "count", FORM_UNIT, TONE_PLAIN);
}

/* "ZSTD(5)" */
static void put_algorithm(buf *out, root_compression compression)
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

/* ---- The headings ------------------------------------------------------------------------------------------- */

static const survey_file *only_file(const survey *s)
{
    return s->n_files == 1 ? &s->files[0] : NULL;
}

static void write_headings(table_writer *w, const survey *s)
{
    table_heading *heading = &w->set->headline;
    const survey_file *file = only_file(s);
    if (file)
        buf_text(&w->text, base_name(file->url));
    else
        format_things(&w->text, (int64_t)(s->n_files - s->failed), "file", "files");
    writer_phrase(w, heading, TONE_STRONG);
    format_data(&w->text, (double)s->size);
    writer_phrase(w, heading, TONE_PLAIN);
    format_things(&w->text, (int64_t)s->n_trees, "tree", "trees");
    writer_phrase(w, heading, TONE_PLAIN);
    if (file && file->version > 0)
        buf_format(&w->text, "ROOT %d.%02d/%02d", (int)file->version / 10000, (int)file->version / 100 % 100,
                   (int)file->version % 100);
    writer_phrase(w, heading, TONE_QUIET);
    if (s->size > 0 && s->data_bytes > 0 && s->data_bytes <= s->size) {
        format_percent(&w->text, 100 * inspect_divide(s->size - s->data_bytes, s->size));
        buf_text(&w->text, " not data");
    }
    writer_phrase(w, heading, TONE_QUIET);
    if (s->failed)
        buf_format(&w->text, "%zu could not be read", s->failed);
    writer_phrase(w, heading, TONE_BAD);
    if (file && !file->closed)
        buf_text(&w->text, "not closed: still being written, or its writer died");
    writer_phrase(w, heading, TONE_BAD);
}

/* ---- The facts of a tree ------------------------------------------------------------------------------------ */

static void put_compression(buf *out, const survey_file *file, const survey_tree *tree)
{
    if (tree->compression.algorithm == ROOT_ALGORITHM_UNKNOWN)
        return;
    put_algorithm(out, tree->compression);
    if (tree->compression_files < (int64_t)tree->n_parts)
        buf_format(out, " in %lld of %zu files", (long long)tree->compression_files, tree->n_parts);
    root_compression wish = file ? root_compression_from_setting(file->setting) : tree->compression;
    if (wish.algorithm != tree->compression.algorithm ||
        (tree->compression.level >= 0 && wish.level != tree->compression.level)) {
        buf_text(out, " (file says ");
        put_algorithm(out, wish);
        buf_char(out, ')');
    }
}

static void put_clusters(buf *out, const survey_tree *tree)
{
    if (tree->clusters == ROAST_ABSENT)
        buf_text(out, "none that all branches share");
    else if (tree->clusters > 0) {
        format_count(out, tree->clusters);
        buf_text(out, tree->clusters == 1 ? " of " : " of up to ");
        format_things(out, tree->largest_cluster, "event", "events");
    }
}

static void put_sizes(buf *out, int64_t compressed, int64_t uncompressed)
{
    format_data(out, (double)compressed);
    buf_text(out, " → ");
    format_data(out, (double)uncompressed);
    if (compressed > 0) {
        buf_text(out, " (");
        format_value(out, real_value(inspect_divide(uncompressed, compressed)), "ratio", FORM_TIMES);
        buf_char(out, ')');
    }
}

static void put_metadata(buf *out, const survey_tree *tree)
{
    format_data(out, (double)tree->metadata_bytes);
    if (tree->compressed > 0) {
        buf_text(out, ", ");
        format_percent(out, 100 * inspect_divide(tree->metadata_bytes, tree->compressed));
        buf_text(out, " of the data");
    }
}

static void put_spread(buf *out, const survey_tree *tree)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < tree->n_parts; i++) {
        least = tree->parts[i].entries < least ? tree->parts[i].entries : least;
        most = tree->parts[i].entries > most ? tree->parts[i].entries : most;
    }
    if (tree->n_parts < 2)
        return;
    format_count(out, (int64_t)tree->n_parts);
    buf_text(out, ", ");
    if (most > least) {
        format_count(out, least);
        buf_text(out, " to ");
    }
    format_things(out, most, "event each", "events each");
}

static void write_facts(inspect_writer *in, const survey_tree *tree)
{
    table_writer *w = &in->w;
    buf *text = &w->text;
    bool ntuple = tree->kind == ROOT_RNTUPLE;
    buf_str(text, tree->path);
    writer_begin_pairs(w, "tree", NULL, TABLE_PAIRS, FACTS);
    format_count(text, tree->entries);
    if (!str_equal(tree->class_name, STR("TTree"))) {
        buf_text(text, ", ");
        buf_str(text, tree->class_name);
    }
    writer_pair(w, "events", TONE_PLAIN);
    put_spread(text, tree);
    writer_pair(w, "files", TONE_PLAIN);
    format_count(text, (int64_t)tree->n_branches);
    if (ntuple) {
        buf_text(text, " in ");
        format_things(text, tree->columns, "column", "columns");
    }
    writer_pair(w, ntuple ? "fields" : "branches", TONE_PLAIN);
    put_sizes(text, tree->compressed, tree->uncompressed);
    writer_pair(w, "data", TONE_PLAIN);
    if (tree->entries > 0)
        format_data(text, inspect_divide(tree->compressed, tree->entries));
    writer_pair(w, "per event", TONE_PLAIN);
    put_clusters(text, tree);
    writer_pair(w, "clusters", TONE_PLAIN);
    put_compression(text, only_file(in->s), tree);
    writer_pair(w, "codec", TONE_PLAIN);
    put_metadata(text, tree);
    writer_pair(w, "metadata", TONE_PLAIN);
}

/* ---- Collections, branches ---------------------------------------------------------------------------------- */

/* Of a collection or a branch. */
typedef struct sizes {
    int64_t compressed, uncompressed, baskets;
} sizes;

enum { NAME, SECOND, PER_EVENT, SHARE, RATIO, BASKETS, BASKET, COLUMNS };

static const table_column COLUMN_SPECS[COLUMNS] = {
    [NAME] = {"", .shortens = true},
    [SECOND] = {"", .align = TABLE_RIGHT, .priority = 2},
    [PER_EVENT] = {"per event", .align = TABLE_RIGHT},
    [SHARE] = {"share", .align = TABLE_RIGHT, .bar = true},
    [RATIO] = {"ratio", .align = TABLE_RIGHT, .priority = 1},
    [BASKETS] = {"baskets", .align = TABLE_RIGHT, .priority = 3},
    [BASKET] = {"mean basket", .align = TABLE_RIGHT, .priority = 2},
};

static void write_sizes(table_writer *w, const survey_tree *tree, const sizes *z)
{
    double share = inspect_divide(z->compressed, tree->compressed);
    double basket = inspect_divide(z->compressed, z->baskets);
    write_bytes(w, inspect_divide(z->compressed, tree->entries));
    write_number(w, 100 * share, "%", FORM_UNIT, TONE_PLAIN);
    writer_share(w, isfinite(share) ? fmin(fmax(share, 0), 1) : (double)NAN);
    write_ratio(w, inspect_divide(z->uncompressed, z->compressed));
    write_count(w, z->baskets);
    write_number(w, basket, "B", FORM_UNIT, basket < SMALL_BASKET ? TONE_QUIET : TONE_PLAIN);
}

/* "Events: collections", unless another title was written. */
static void put_title(buf *out, const survey_tree *tree, const char *id)
{
    if (out->len)
        return;
    buf_str(out, tree->path);
    buf_format(out, ": %s", id);
}

static void begin_table(table_writer *w, const survey_tree *tree, const char *id, const table_column *second,
                        size_t rows)
{
    table_column columns[COLUMNS];
    memcpy(columns, COLUMN_SPECS, sizeof columns);
    columns[SECOND] = *second;
    if (tree->kind == ROOT_RNTUPLE) {
        columns[BASKETS].title = "pages";
        columns[BASKET].title = "mean page";
    }
    put_title(&w->text, tree, id);
    writer_begin(w, id, NULL, columns, COLUMNS, rows);
}

static size_t limited(const inspect_writer *in, size_t count)
{
    return in->options->limit && in->options->limit < count ? in->options->limit : count;
}

static void write_collections(inspect_writer *in, const survey_tree *tree)
{
    table_writer *w = &in->w;
    bool ntuple = tree->kind == ROOT_RNTUPLE;
    size_t rows = limited(in, tree->n_collections);
    table_column second = {ntuple ? "fields" : "branches", .align = TABLE_RIGHT, .priority = 2};
    begin_table(w, tree, "collections", &second, rows);
    for (size_t i = 0; i < rows; i++) {
        const survey_collection *c = &tree->collections[i];
        roast_str single = ntuple ? STR("(single fields)") : STR("(single branches)");
        writer_text(w, c->name.len ? c->name : single, TONE_PLAIN);
        write_count(w, c->branches);
        write_sizes(w, tree, &(sizes){c->compressed, c->uncompressed, c->baskets});
    }
    writer_rest(w, tree->n_collections);
}

static void write_branches(inspect_writer *in, const survey_tree *tree, bool picked)
{
    static const table_column type = {"type", .shortens = true, .priority = 2};
    table_writer *w = &in->w;
    size_t count;
    const uint32_t *order = inspect_order(&w->set->memory, tree, in->options, picked, &count);
    w->failed |= !order;
    if (!order)
        return;
    size_t rows = limited(in, count);
    if (picked) {
        buf_str(&w->text, tree->path);
        buf_text(&w->text, ": ");
        format_things(&w->text, tree->picked, "branch picked, ", "branches picked, ");
        format_percent(&w->text, 100 * inspect_divide(tree->picked_compressed, tree->compressed));
        buf_text(&w->text, " of the bytes");
    }
    begin_table(w, tree, tree->kind == ROOT_RNTUPLE ? "fields" : "branches", &type, rows);
    for (size_t i = 0; i < rows; i++) {
        const survey_branch *branch = &tree->branches[order[i]];
        writer_text(w, branch->name, TONE_PLAIN);
        writer_text(w, branch->type, TONE_PLAIN);
        write_sizes(w, tree, &(sizes){branch->compressed, branch->uncompressed, branch->baskets});
    }
    writer_rest(w, count);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static const table_column FILE_COLUMNS[] = {
    {"file", .shortens = true, .place = true},      {"events", .align = TABLE_RIGHT},
    {"data", .align = TABLE_RIGHT, .priority = 1},  {"per event", .align = TABLE_RIGHT, .priority = 1},
    {"ratio", .align = TABLE_RIGHT, .priority = 2}, {"codec", .priority = 2},
    {"unlike the others", .most_lines = 3},
};

static void write_file(table_writer *w, const survey *s, const survey_part *part)
{
    writer_text(w, str_from(base_name(s->files[part->file].url)), TONE_PLAIN);
    write_count(w, part->entries);
    write_bytes(w, (double)part->compressed);
    write_bytes(w, inspect_divide(part->compressed, part->entries));
    write_ratio(w, inspect_divide(part->uncompressed, part->compressed));
    put_algorithm(&w->text, part->compression);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, part->outlier, TONE_WARN);
}

/* Those unlike the others first, then the others in order, as far as the limit allows. */
static void write_files(inspect_writer *in, const survey_tree *tree)
{
    if (tree->n_parts < 2)
        return;
    put_title(&in->w.text, tree, "files");
    writer_begin(&in->w, "files", NULL, FILE_COLUMNS, sizeof FILE_COLUMNS / sizeof FILE_COLUMNS[0],
                 limited(in, tree->n_parts));
    for (int outlier = 1; outlier >= 0; outlier--)
        for (size_t i = 0; i < tree->n_parts; i++)
            if (!str_absent(tree->parts[i].outlier) == outlier)
                write_file(&in->w, in->s, &tree->parts[i]);
    writer_rest(&in->w, tree->n_parts);
}

/* ---- Hints -------------------------------------------------------------------------------------------------- */

static void write_hints(table_writer *w, const survey *s)
{
    static const table_column columns[] = {{"", .shortens = true}, {"", .most_lines = 6}};
    if (s->n_hints)
        writer_begin(w, "hints", "Hints", columns, 2, s->n_hints);
    for (size_t i = 0; i < s->n_hints; i++) {
        bool trouble = s->hints[i].weight == SURVEY_TROUBLE;
        writer_text(w, trouble ? str_from(base_name(s->hints[i].subject)) : s->hints[i].subject,
                    trouble ? TONE_BAD : TONE_STRONG);
        writer_text(w, s->hints[i].text, TONE_PLAIN);
    }
}

roast_code inspect_tables(table_set *out, const survey *s, const inspect_options *options, roast_error *err)
{
    inspect_writer in = {.s = s, .options = options};
    writer_init(&in.w, out, s->n_trees * TABLES_PER_TREE + 1);
    write_headings(&in.w, s);
    for (size_t i = 0; i < s->n_trees; i++) {
        const survey_tree *tree = &s->trees[i];
        write_facts(&in, tree);
        if (options->pick > 0)
            write_branches(&in, tree, true);
        else if (options->branches || options->filter)
            write_branches(&in, tree, false);
        else
            write_collections(&in, tree);
        write_files(&in, tree);
    }
    write_hints(&in.w, s);
    return writer_finish(&in.w, err);
}
