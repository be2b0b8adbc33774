/* Opening a ROOT file: finds its trees and reads what each says about itself. */
#include "source/root/root.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/secrets.h"
#include "base/str.h"
#include "source/root/layout.h"
#include "source/root/rntuple.h"
#include "source/root/sample.h"
#include "source/root/ttree.h"

enum { DEFAULT_SAMPLES = 3, FIRST_TREES = 8 };

typedef struct opening {
    root_tfile file;
    root_layouts layouts;
    const root_options *options;
    size_t capacity;
} opening;

/* ---- Which keys are trees ----------------------------------------------------------------------------------- */

typedef enum tree_class { NOT_A_TREE, IS_TTREE, IS_RNTUPLE, IS_OLD_RNTUPLE } tree_class;

static tree_class classify(roast_str class_name)
{
    static const struct {
        roast_str name;
        tree_class kind;
    } classes[] = {
        {STR("TTree"), IS_TTREE},
        {STR("TNtuple"), IS_TTREE},
        {STR("TNtupleD"), IS_TTREE},
        {STR("ROOT::RNTuple"), IS_RNTUPLE},
        {STR("ROOT::Experimental::RNTuple"), IS_OLD_RNTUPLE},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_equal(classes[i].name, class_name))
            return classes[i].kind;
    return NOT_A_TREE;
}

/* True if a tree is what the user asked for: its name or its path, with or without the cycle. */
static bool is_wanted(const root_options *options, const root_tree *tree)
{
    if (!options || !options->tree)
        return true;
    roast_str wanted = str_from(options->tree);
    int64_t cycle = tree->cycle;
    for (size_t i = wanted.len; i-- > 0;)
        if (wanted.ptr[i] == ';') {
            roast_str digits = {wanted.ptr + i + 1, wanted.len - i - 1};
            if (!str_to_int(digits, &cycle))
                cycle = tree->cycle;
            wanted.len = i;
            break;
        }
    return cycle == tree->cycle && (str_equal(wanted, tree->name) || str_equal(wanted, tree->path));
}

/* ---- One tree ----------------------------------------------------------------------------------------------- */

/* A branch is called by all that it belongs to, and names its counter: a long name could be repeated without end. */
static roast_code check_names(opening *o, const root_tree *tree, roast_error *err)
{
    uint16_t *lengths = calloc(tree->n_branches + 1, sizeof *lengths);
    size_t total = 0;
    bool too_long = false;
    for (size_t i = 0; lengths && i < tree->n_branches && !too_long; i++) {
        const root_branch *branch = &tree->branches[i];
        size_t len = branch->name.len + (branch->parent < 0 ? 0 : 1u + lengths[branch->parent]);
        too_long = len > ROOT_LONGEST_NAME || branch->counter.len > ROOT_LONGEST_NAME;
        lengths[i] = (uint16_t)len;
        total += len + branch->counter.len;
    }
    bool checked = lengths != NULL;
    free(lengths);
    if (!checked)
        return fail_memory(err);
    if (too_long)
        return fail(err, ROAST_LIMIT, "a branch has a name of more than %d letters", ROOT_LONGEST_NAME);
    (void)root_tfile_spend(&o->file, total, 1); /* read_tree sees whether it was too much */
    return ROAST_OK;
}

static roast_code read_content(opening *o, const root_key *key, tree_class kind, root_tree *tree, roast_error *err)
{
    root_record record;
    if (kind == IS_OLD_RNTUPLE)
        return fail(err, ROAST_VERSION,
                    "it is an RNTuple from before version 1.0 of the format, which ROOT itself no "
                    "longer reads");
    roast_code code = root_tfile_record(&o->file, &record, key, err);
    if (code)
        return code;
    tree->metadata_bytes = key->nbytes;
    tree->metadata_uncompressed = key->objlen;
    code = kind == IS_TTREE ? root_ttree_read(&o->layouts, &record, tree, err)
                            : root_rntuple_read(&o->file, &record, tree, err);
    return code ? code : check_names(o, tree, err);
}

static roast_code read_tree(opening *o, const root_key *key, tree_class kind, root_tree *tree, roast_error *err)
{
    o->file.refused_memory = false;
    roast_code code = read_content(o, key, kind, tree, err);
    if (code != ROAST_MEMORY && o->file.refused_memory)
        return fail(err, ROAST_LIMIT, "its description is larger than is read of one file");
    return code;
}

static root_tree *add_tree(opening *o)
{
    root_file *result = o->file.result;
    if (result->n_trees == o->capacity) {
        size_t capacity = o->capacity ? o->capacity * 2 : FIRST_TREES;
        root_tree *more = arena_grow(&result->memory, result->trees, result->n_trees, capacity, sizeof *more);
        if (!more)
            return NULL;
        result->trees = more;
        o->capacity = capacity;
    }
    return &result->trees[result->n_trees];
}

/* Keeps what identifies a tree that could not be read, and why. */
static roast_code give_up_on(opening *o, root_tree *tree, const roast_error *why, roast_error *err)
{
    root_tree failed = {.kind = tree->kind,
                        .class_name = tree->class_name,
                        .path = tree->path,
                        .name = tree->name,
                        .cycle = tree->cycle,
                        .clusters = ROAST_ABSENT,
                        .compression = {ROOT_ALGORITHM_UNKNOWN, -1}};
    failed.problem = arena_str(&o->file.result->memory, str_from(why->message));
    *tree = failed;
    return str_absent(failed.problem) ? fail_memory(err) : ROAST_OK;
}

static roast_code visit_key(void *context, const root_key *key, roast_str directory, roast_error *err)
{
    opening *o = context;
    tree_class kind = classify(key->class_name);
    if (kind == NOT_A_TREE)
        return ROAST_OK;
    root_tree *tree = add_tree(o);
    if (!tree)
        return fail_memory(err);
    *tree = (root_tree){.kind = kind == IS_TTREE ? ROOT_TTREE : ROOT_RNTUPLE,
                        .class_name = key->class_name,
                        .name = key->name,
                        .cycle = key->cycle,
                        .compression = {ROOT_ALGORITHM_UNKNOWN, -1}};
    roast_code code = root_path_join(&o->file, directory, key->name, &tree->path, err);
    if (code)
        return code;
    if (!is_wanted(o->options, tree))
        return ROAST_OK;
    o->file.result->n_trees++;
    roast_error why = {0};
    code = read_tree(o, key, kind, tree, &why);
    if (code == ROAST_MEMORY)
        return fail_memory(err);
    if (code)
        return give_up_on(o, tree, &why, err);
    int32_t samples = o->options && o->options->samples ? o->options->samples : DEFAULT_SAMPLES;
    if (samples > 0)
        root_sample(&o->file, tree, samples);
    return ROAST_OK;
}

/* ---- The file ----------------------------------------------------------------------------------------------- */

/* Of several cycles of a tree, the highest counts: the others are what earlier saves left. */
static int compare_cycles(const void *left, const void *right)
{
    const root_tree *a = *(root_tree *const *)left, *b = *(root_tree *const *)right;
    int by_path = str_compare(a->path, b->path);
    return by_path ? by_path : (a->cycle > b->cycle) - (a->cycle < b->cycle);
}

static bool find_superseded(root_file *file)
{
    root_tree **order = calloc(file->n_trees + 1, sizeof(root_tree *));
    if (!order)
        return false;
    for (size_t i = 0; i < file->n_trees; i++)
        order[i] = &file->trees[i];
    qsort(order, file->n_trees, sizeof *order, compare_cycles);
    for (size_t i = file->n_trees; i-- > 1;) /* from the highest down: an equal one shares its fate */
        if (str_equal(order[i - 1]->path, order[i]->path))
            order[i - 1]->superseded = order[i]->superseded || order[i - 1]->cycle < order[i]->cycle;
    free(order);
    return true;
}

static void sum_up(root_file *file)
{
    for (size_t i = 0; i < file->n_trees; i++) {
        const root_tree *tree = &file->trees[i];
        file->metadata_bytes += tree->metadata_bytes;
        for (size_t k = 0; k < tree->n_branches && !tree->superseded; k++)
            if (str_absent(tree->branches[k].file))
                saturated_add(&file->data_bytes, tree->branches[k].indexed_bytes);
    }
}

static roast_code read_file(root_file *file, root_transport *transport, const root_options *options, roast_error *err)
{
    opening o = {.file = {.transport = transport, .result = file}, .options = options};
    o.layouts.file = &o.file;
    roast_code code = root_tfile_open(&o.file, err);
    if (!code)
        code = root_tfile_walk(&o.file, visit_key, &o, err);
    if (code)
        return code;
    if (!find_superseded(file))
        return fail_memory(err);
    sum_up(file);
    file->traffic = transport->traffic;
    return ROAST_OK;
}

/* The address as it may be shown; the transport has the real one. */
static roast_code name_file(root_file *file, const char *url, roast_error *err)
{
    file->url = arena_str(&file->memory, str_from(url));
    bool named = !arena_str_failed(file->url, str_from(url)) && strip_secrets(&file->url, &file->memory);
    return named ? ROAST_OK : fail_memory(err);
}

static roast_code fail_with_address(roast_error *err, roast_code code, const root_file *file, roast_str why)
{
    arena memory = {0};
    if (!strip_secrets(&why, &memory)) /* servers may say the address again */
        why = STR("out of memory");
    if (str_absent(file->url))
        fail(err, code, "%.*s", (int)why.len, why.ptr);
    else
        fail(err, code, "%.*s: %.*s", (int)file->url.len, file->url.ptr, (int)why.len, why.ptr);
    arena_release(&memory);
    return code;
}

static roast_code open_from(root_file **out, const char *url, const void *bytes, size_t len,
                            const root_options *options, roast_error *err)
{
    *out = NULL;
    root_transport *transport = NULL;
    roast_error why = {0};
    root_file *file = calloc(1, sizeof *file);
    if (!file)
        return fail_memory(err);
    roast_code code = name_file(file, url, &why);
    if (!code)
        code = bytes ? root_transport_open_memory(&transport, bytes, len, &why)
                     : root_transport_open(&transport, url, options, &why);
    if (!code)
        code = read_file(file, transport, options, &why);
    root_transport_close(transport);
    if (code) {
        fail_with_address(err, code, file, str_from(why.message));
        root_close(file);
        return code;
    }
    *out = file;
    return ROAST_OK;
}

roast_code root_open(root_file **out, const char *url, const root_options *options, roast_error *err)
{
    return open_from(out, url, NULL, 0, options, err);
}

roast_code root_open_memory(root_file **out, const void *bytes, size_t len, const root_options *options,
                            roast_error *err)
{
    return open_from(out, "memory", bytes ? bytes : "", len, options, err);
}

void root_close(root_file *file)
{
    if (!file)
        return;
    arena_release(&file->memory);
    free(file);
}
