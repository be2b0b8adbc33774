/* What ROOT files hold as JSON: every number as it is in the files, sums over them per tree. */
#include <math.h>

#include "base/str.h"
#include "view/inspect.h"
#include "view/json.h"

static void put_compression(json_writer *w, root_compression compression)
{
    json_put_text(w, "algorithm", str_from(root_algorithm_name(compression.algorithm)));
    json_put_int(w, "level", compression.level < 0 ? ROAST_ABSENT : compression.level);
}

static void put_sizes(json_writer *w, int64_t compressed, int64_t uncompressed, int64_t baskets)
{
    json_put_int(w, "compressed", compressed);
    json_put_int(w, "uncompressed", uncompressed);
    json_put_int(w, "baskets", baskets);
}

static void put_file(json_writer *w, const survey_file *file)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "url", file->url);
    json_put_text(w, "error", file->error);
    if (str_absent(file->error)) {
        json_put_text(w, "uuid", file->uuid);
        json_put_int(w, "size", file->size);
        json_put_int(w, "root_version", file->version);
        json_put_int(w, "compression_setting", file->setting);
        json_put_value(w, "closed", (roast_value){.kind = ROAST_INT, .as.integer = file->closed});
        json_put_int(w, "data_bytes", file->data_bytes);
        json_put_int(w, "metadata_bytes", file->metadata_bytes);
        json_put_int(w, "requests", file->traffic.requests);
        json_put_int(w, "bytes_fetched", file->traffic.bytes);
    }
    json_put_close(w, '}');
}

static void put_part(json_writer *w, const survey *s, const survey_part *part)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "url", s->files[part->file].url);
    json_put_int(w, "entries", part->entries);
    json_put_int(w, "branches", part->branches);
    put_sizes(w, part->compressed, part->uncompressed, part->baskets);
    json_put_int(w, "clusters", part->clusters);
    json_put_int(w, "largest_cluster", part->largest_cluster);
    put_compression(w, part->compression);
    json_put_text(w, "odd", part->outlier);
    json_put_close(w, '}');
}

static void put_collection(json_writer *w, const survey_collection *collection)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "name", collection->name);
    json_put_int(w, "branches", collection->branches);
    put_sizes(w, collection->compressed, collection->uncompressed, collection->baskets);
    json_put_close(w, '}');
}

static void put_branch(json_writer *w, const survey_tree *tree, const survey_branch *branch)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "name", branch->name);
    json_put_text(w, "type", branch->type);
    json_put_text(w, "counter", branch->counter);
    json_put_text(w, "parent", branch->parent < 0 ? str_none() : tree->branches[branch->parent].name);
    json_put_text(w, "collection", tree->collections[branch->collection].name);
    put_sizes(w, branch->compressed, branch->uncompressed, branch->baskets);
    json_put_int(w, "files", branch->files);
    json_put_close(w, '}');
}

static void put_branches(json_writer *w, const survey_tree *tree, const inspect_options *options)
{
    arena memory = {0};
    size_t count;
    const uint32_t *order = inspect_order(&memory, tree, options, false, &count);
    if (!order)
        w->out->code = ROAST_MEMORY;
    json_put_open(w, "branches", '[');
    for (size_t i = 0; i < count; i++)
        put_branch(w, tree, &tree->branches[order[i]]);
    json_put_close(w, ']');
    arena_release(&memory);
}

static void put_pick(json_writer *w, const survey_tree *tree)
{
    json_put_open(w, "picked", '{');
    json_put_int(w, "compressed", tree->picked_compressed);
    json_put_int(w, "uncompressed", tree->picked_uncompressed);
    json_put_real(w, "share",
                  tree->compressed > 0 ? (double)tree->picked_compressed / (double)tree->compressed : (double)NAN);
    json_put_open(w, "branches", '[');
    for (size_t i = 0; i < tree->n_branches; i++)
        if (tree->branches[i].picked)
            json_put_text(w, NULL, tree->branches[i].name);
    json_put_close(w, ']');
    json_put_close(w, '}');
}

static void put_tree(json_writer *w, const survey *s, const survey_tree *tree, const inspect_options *options)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "path", tree->path);
    json_put_text(w, "class", tree->class_name);
    json_put_int(w, "entries", tree->entries);
    json_put_int(w, "columns", tree->kind == ROOT_RNTUPLE ? tree->columns : ROAST_ABSENT);
    put_sizes(w, tree->compressed, tree->uncompressed, tree->baskets);
    json_put_int(w, "embedded_bytes", tree->embedded_bytes);
    json_put_int(w, "metadata_bytes", tree->metadata_bytes);
    json_put_int(w, "clusters", tree->clusters);
    json_put_int(w, "largest_cluster", tree->largest_cluster);
    put_compression(w, tree->compression);
    if (options->pick > 0)
        put_pick(w, tree);
    json_put_open(w, "files", '[');
    for (size_t i = 0; i < tree->n_parts; i++)
        put_part(w, s, &tree->parts[i]);
    json_put_close(w, ']');
    json_put_open(w, "collections", '[');
    for (size_t i = 0; i < tree->n_collections; i++)
        put_collection(w, &tree->collections[i]);
    json_put_close(w, ']');
    put_branches(w, tree, options);
    json_put_close(w, '}');
}

void inspect_json(buf *out, const survey *s, const inspect_options *options)
{
    static const char *const weights[] = {"note", "advice", "trouble"};
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_open(&w, "files", '[');
    for (size_t i = 0; i < s->n_files; i++)
        put_file(&w, &s->files[i]);
    json_put_close(&w, ']');
    json_put_open(&w, "trees", '[');
    for (size_t i = 0; i < s->n_trees; i++)
        put_tree(&w, s, &s->trees[i], options);
    json_put_close(&w, ']');
    json_put_open(&w, "hints", '[');
    for (size_t i = 0; i < s->n_hints; i++) {
        json_put_open(&w, NULL, '{');
        json_put_text(&w, "weight", str_from(weights[s->hints[i].weight]));
        json_put_text(&w, "subject", s->hints[i].subject);
        json_put_text(&w, "text", s->hints[i].text);
        json_put_close(&w, '}');
    }
    json_put_close(&w, ']');
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
