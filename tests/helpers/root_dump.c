/* Prints what source/root reads of each file named, as one JSON object per line, for tests that compare with uproot. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "source/root/root.h"

static json_t *text(roast_str s)
{
    return str_absent(s) ? json_null() : json_stringn_nocheck(s.ptr, s.len);
}

static json_t *number(int64_t value)
{
    return value == ROAST_ABSENT ? json_null() : json_integer(value);
}

static json_t *branch_json(const root_branch *b)
{
    return json_pack("{so so so so si si sI sI sI sI sI sI si si}", "name", text(b->name), "title", text(b->title),
                     "type", text(b->type), "counter", text(b->counter), "parent", (int)b->parent, "depth",
                     (int)b->depth, "entries", (json_int_t)b->entries, "compressed", (json_int_t)b->compressed,
                     "uncompressed", (json_int_t)b->uncompressed, "baskets", (json_int_t)b->baskets, "indexed_bytes",
                     (json_int_t)b->indexed_bytes, "embedded_bytes", (json_int_t)b->embedded_bytes, "setting",
                     (int)b->setting, "columns", (int)b->columns);
}

static json_t *tree_json(const root_tree *t)
{
    json_t *branches = json_array();
    for (size_t i = 0; i < t->n_branches; i++)
        json_array_append_new(branches, branch_json(&t->branches[i]));
    return json_pack("{so so si sb so sI sI sI sI sI so sI sb sI sI ss si si so}", "path", text(t->path), "class",
                     text(t->class_name), "cycle", (int)t->cycle, "superseded", (int)t->superseded, "problem",
                     text(t->problem), "entries", (json_int_t)t->entries, "compressed", (json_int_t)t->compressed,
                     "uncompressed", (json_int_t)t->uncompressed, "baskets", (json_int_t)t->baskets, "metadata_bytes",
                     (json_int_t)t->metadata_bytes, "clusters", number(t->clusters), "largest_cluster",
                     (json_int_t)t->largest_cluster, "clusters_declared", (int)t->clusters_declared, "columns",
                     (json_int_t)t->columns, "cluster_groups", (json_int_t)t->cluster_groups, "algorithm",
                     root_algorithm_name(t->compression.algorithm), "level", (int)t->compression.level, "sampled",
                     (int)t->sampled, "branches", branches);
}

static json_t *file_json(const root_file *f)
{
    json_t *trees = json_array();
    for (size_t i = 0; i < f->n_trees; i++)
        json_array_append_new(trees, tree_json(&f->trees[i]));
    return json_pack("{so so sI si sb sb si sI sI sI sI so}", "url", text(f->url), "uuid", text(f->uuid), "size",
                     (json_int_t)f->size, "version", (int)f->version, "large", (int)f->large, "closed", (int)f->closed,
                     "setting", (int)f->setting, "data_bytes", (json_int_t)f->data_bytes, "metadata_bytes",
                     (json_int_t)f->metadata_bytes, "requests", (json_int_t)f->traffic.requests, "bytes",
                     (json_int_t)f->traffic.bytes, "trees", trees);
}

static int dump(const char *url, const root_options *options)
{
    root_file *file;
    roast_error err = {0};
    json_t *json;
    if (root_open(&file, url, options, &err) != ROAST_OK)
        json = json_pack("{ss ss si}", "url", url, "error", err.message, "code", (int)err.code);
    else
        json = file_json(file);
    root_close(file);
    if (!json) {
        fprintf(stderr, "%s: out of memory\n", url);
        return 1;
    }
    json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
    putchar('\n');
    json_decref(json);
    return 0;
}

int main(int argc, char **argv)
{
    root_options options = {0};
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        long long value;
        if (sscanf(argv[i], "--timeout-ms=%lld", &value) == 1)
            options.timeout_ms = value;
        else if (sscanf(argv[i], "--retries=%lld", &value) == 1)
            options.retries = (int32_t)value;
        else
            failed |= dump(argv[i], &options);
    }
    return failed;
}
