/* Adding files up. The branches of the next file are mostly those of the last one in the same order, so each is first
 * looked for where it was before and only then by name. */
#include "source/root/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/secrets.h"
#include "base/str.h"
#include "source/root/survey_parts.h"

/* ---- Branches ----------------------------------------------------------------------------------------------- */

/* "Jets.pt" for pt in Jets; "Jets.pt" also for Jets.pt in Jets; "Jets.pt" for pt in "Jets." */
static bool write_name(buf *out, const survey_tree *tree, const root_branch *branch, const survey_branch *parent)
{
    buf_clear(out);
    if (parent && !str_starts_with(branch->name, parent->name)) {
        buf_str(out, parent->name);
        if (!str_ends_with(parent->name, STR(".")))
            buf_char(out, tree->kind == ROOT_TTREE ? '/' : '.');
    }
    buf_str(out, branch->name);
    return out->code == ROAST_OK;
}

typedef struct adding {
    survey *s;
    survey_tree *tree;
    const root_tree *from;
    uint32_t *number; /* in the survey, by branch of the file */
    bool *taken;      /* by branch of the survey: this file has it */
    buf name;
} adding;

/* The number of the name that was written. A name that this file has had already gets its place in the file behind it;
 * there are not as many names as it would take to go on for ever. */
static uint32_t number_name(adding *a, size_t place, bool *added)
{
    while (true) {
        uint32_t number = a->name.code ? INTERN_NONE : intern_add(&a->tree->names, buf_view(&a->name), added);
        if (number == INTERN_NONE || *added || !a->taken[number])
            return number;
        buf_format(&a->name, "#%zu", place);
    }
}

static bool is_where_it_was(const adding *a, size_t i, int32_t parent)
{
    const survey_tree *tree = a->tree;
    if (i >= tree->n_branches || a->taken[i] || tree->branches[i].parent != parent)
        return false;
    roast_str name = a->from->branches[i].name, known = tree->branches[i].name;
    return str_ends_with(known, name) && (parent < 0 ? known.len == name.len : true);
}

static bool describe_branch(adding *a, survey_branch *out, const root_branch *branch, uint32_t number, int32_t parent)
{
    arena *memory = &a->s->memory;
    out->name = a->tree->names.strings[number];
    out->type = arena_str(memory, branch->type);
    out->counter = arena_str(memory, branch->counter);
    out->parent = parent;
    out->depth = branch->depth;
    return !arena_str_failed(out->type, branch->type) && !arena_str_failed(out->counter, branch->counter);
}

static bool add_branch(adding *a, size_t i)
{
    survey_tree *tree = a->tree;
    const root_branch *branch = &a->from->branches[i];
    int32_t parent = branch->parent < 0 ? -1 : (int32_t)a->number[branch->parent];
    uint32_t number = (uint32_t)i;
    if (!is_where_it_was(a, i, parent)) {
        bool added = false;
        if (!write_name(&a->name, tree, branch, parent < 0 ? NULL : &tree->branches[parent]))
            return false;
        number = number_name(a, i, &added);
        if (number == INTERN_NONE)
            return false;
        if (added) {
            tree->branches = arena_with_room(&a->s->memory, tree->branches, tree->n_branches, &tree->branch_capacity,
                                             sizeof *tree->branches);
            if (!tree->branches || !describe_branch(a, &tree->branches[tree->n_branches++], branch, number, parent))
                return false;
        }
    }
    survey_branch *out = &tree->branches[number];
    a->number[i] = number;
    a->taken[number] = true;
    saturated_add(&out->compressed, branch->compressed);
    saturated_add(&out->uncompressed, branch->uncompressed);
    saturated_add(&out->baskets, branch->baskets);
    saturated_add(&tree->embedded_bytes, branch->embedded_bytes);
    out->files++;
    return true;
}

static bool add_branches(survey *s, survey_tree *tree, const root_tree *from)
{
    adding a = {.s = s, .tree = tree, .from = from};
    a.number = calloc(from->n_branches + 1, sizeof *a.number);
    a.taken = calloc(tree->n_branches + from->n_branches + 1, sizeof *a.taken);
    bool good = a.number && a.taken;
    for (size_t i = 0; i < from->n_branches && good; i++)
        good = add_branch(&a, i);
    free(a.number);
    free(a.taken);
    buf_release(&a.name);
    return good;
}

/* ---- Trees -------------------------------------------------------------------------------------------------- */

static uint32_t number_tree(survey *s, const root_tree *from)
{
    buf name = {0};
    buf_char(&name, from->kind == ROOT_TTREE ? 'T' : 'R');
    buf_str(&name, from->path);
    uint32_t number = name.code ? INTERN_NONE : intern_add(&s->paths, buf_view(&name), NULL);
    buf_release(&name);
    return number;
}

static survey_tree *find_tree(survey *s, const root_tree *from)
{
    uint32_t number = number_tree(s, from);
    if (number == INTERN_NONE)
        return NULL;
    if (number < s->n_trees)
        return &s->trees[number];
    s->trees = arena_with_room(&s->memory, s->trees, s->n_trees, &s->tree_capacity, sizeof *s->trees);
    if (!s->trees)
        return NULL;
    survey_tree *tree = &s->trees[s->n_trees];
    *tree = (survey_tree){.kind = from->kind, .compression = from->compression};
    tree->path = arena_str(&s->memory, from->path);
    tree->class_name = arena_str(&s->memory, from->class_name);
    if (arena_str_failed(tree->path, from->path) || arena_str_failed(tree->class_name, from->class_name))
        return NULL;
    s->n_trees++;
    return tree;
}

static bool add_part(survey *s, survey_tree *tree, const root_tree *from)
{
    tree->parts = arena_with_room(&s->memory, tree->parts, tree->n_parts, &tree->part_capacity, sizeof *tree->parts);
    if (!tree->parts)
        return false;
    tree->parts[tree->n_parts++] = (survey_part){
        .file = (uint32_t)(s->n_files - 1),
        .entries = from->entries,
        .compressed = from->compressed,
        .uncompressed = from->uncompressed,
        .baskets = from->baskets,
        .branches = (int64_t)from->n_branches,
        .clusters = from->clusters,
        .largest_cluster = from->largest_cluster,
        .compression = from->compression,
    };
    return true;
}

static bool add_tree(survey *s, const root_tree *from)
{
    survey_tree *tree = find_tree(s, from);
    if (!tree || !add_part(s, tree, from) || !add_branches(s, tree, from))
        return false;
    saturated_add(&tree->entries, from->entries);
    saturated_add(&tree->compressed, from->compressed);
    saturated_add(&tree->uncompressed, from->uncompressed);
    saturated_add(&tree->baskets, from->baskets);
    saturated_add(&tree->metadata_bytes, from->metadata_bytes);
    if (from->columns > tree->columns)
        tree->columns = from->columns;
    if (from->clusters == ROAST_ABSENT || tree->clusters == ROAST_ABSENT)
        tree->clusters = ROAST_ABSENT;
    else
        saturated_add(&tree->clusters, from->clusters);
    if (from->largest_cluster > tree->largest_cluster)
        tree->largest_cluster = from->largest_cluster;
    /* A tree without data to look at says nothing about compression. */
    if (tree->compression.algorithm == ROOT_ALGORITHM_UNKNOWN)
        tree->compression = from->compression;
    tree->compression_files += from->compression.algorithm == tree->compression.algorithm &&
                               from->compression.level == tree->compression.level;
    return true;
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static survey_file *add_file(survey *s, roast_str url)
{
    s->files = arena_with_room(&s->memory, s->files, s->n_files, &s->file_capacity, sizeof *s->files);
    if (!s->files)
        return NULL;
    survey_file *file = &s->files[s->n_files++];
    *file = (survey_file){.url = arena_str(&s->memory, url)};
    return arena_str_failed(file->url, url) || !strip_secrets(&file->url, &s->memory) ? NULL : file;
}

bool survey_say(survey *s, survey_weight weight, roast_str subject, roast_str text)
{
    s->hints = arena_with_room(&s->memory, s->hints, s->n_hints, &s->hint_capacity, sizeof *s->hints);
    roast_str kept = arena_str(&s->memory, text), about = arena_str(&s->memory, subject);
    if (!s->hints || arena_str_failed(kept, text) || arena_str_failed(about, subject))
        return false;
    s->hints[s->n_hints++] = (survey_hint){weight, about, kept};
    return true;
}

static bool say_problem(survey *s, roast_str url, const root_tree *tree)
{
    buf text = {0};
    buf_str(&text, tree->path);
    buf_format(&text, ";%d: ", (int)tree->cycle);
    buf_str(&text, tree->problem);
    bool good = !text.code && survey_say(s, SURVEY_TROUBLE, url, buf_view(&text));
    buf_release(&text);
    return good;
}

roast_code survey_add(survey *s, const root_file *file, roast_error *err)
{
    survey_file *out = add_file(s, file->url);
    if (!out)
        return fail_memory(err);
    out->uuid = arena_str(&s->memory, file->uuid);
    out->size = file->size;
    out->metadata_bytes = file->metadata_bytes;
    out->data_bytes = file->data_bytes;
    out->version = file->version;
    out->setting = file->setting;
    out->closed = file->closed;
    out->traffic = file->traffic;
    saturated_add(&s->size, file->size);
    saturated_add(&s->data_bytes, file->data_bytes);
    for (size_t i = 0; i < file->n_trees; i++) {
        const root_tree *tree = &file->trees[i];
        if (tree->superseded)
            continue;
        if (!(str_absent(tree->problem) ? add_tree(s, tree) : say_problem(s, file->url, tree)))
            return fail_memory(err);
    }
    return ROAST_OK;
}

roast_code survey_add_failure(survey *s, const char *url, const roast_error *why, roast_error *err)
{
    survey_file *out = add_file(s, str_from(url));
    if (!out)
        return fail_memory(err);
    out->error = arena_str(&s->memory, str_from(why->message));
    s->failed++;
    return str_absent(out->error) ? fail_memory(err) : ROAST_OK;
}

roast_code survey_finish(survey *s, int64_t chunk, roast_error *err)
{
    for (size_t i = 0; i < s->n_trees; i++) {
        survey_tree *tree = &s->trees[i];
        if (!survey_collect(s, tree) || !survey_compare_files(s, tree) || !survey_give_hints(s, tree, chunk))
            return fail_memory(err);
    }
    return ROAST_OK;
}

/* ---- Picking ------------------------------------------------------------------------------------------------ */

static int compare_sizes(const void *left, const void *right)
{
    const survey_branch *a = *(survey_branch *const *)left, *b = *(survey_branch *const *)right;
    if (a->compressed != b->compressed)
        return a->compressed > b->compressed ? -1 : 1;
    return str_compare(a->name, b->name);
}

/* The counter of a branch, if it is a branch and not picked yet. */
static survey_branch *missing_counter(survey_tree *tree, const survey_branch *branch)
{
    uint32_t number = str_absent(branch->counter) ? INTERN_NONE : intern_find(&tree->names, branch->counter);
    return number == INTERN_NONE || tree->branches[number].picked ? NULL : &tree->branches[number];
}

static void pick_one(survey_tree *tree, survey_branch *branch)
{
    branch->picked = true;
    tree->picked++;
    saturated_add(&tree->picked_compressed, branch->compressed);
    saturated_add(&tree->picked_uncompressed, branch->uncompressed);
}

static void pick_from(survey_tree *tree, double share)
{
    survey_branch **order = calloc(tree->n_branches + 1, sizeof *order);
    double room = share * (double)tree->compressed;
    for (size_t i = 0; i < tree->n_branches && order; i++)
        order[i] = &tree->branches[i];
    if (order)
        qsort(order, tree->n_branches, sizeof *order, compare_sizes);
    for (size_t i = 0; i < tree->n_branches && order; i++) {
        survey_branch *counter = missing_counter(tree, order[i]);
        double wanted = (double)order[i]->compressed + (counter ? (double)counter->compressed : 0);
        if (order[i]->picked || order[i]->compressed == 0 || (double)tree->picked_compressed + wanted > room)
            continue;
        pick_one(tree, order[i]);
        if (counter && counter != order[i])
            pick_one(tree, counter);
    }
    free(order);
}

void survey_pick(survey *s, double share)
{
    for (size_t i = 0; i < s->n_trees; i++)
        pick_from(&s->trees[i], share);
}

void survey_release(survey *s)
{
    for (size_t i = 0; i < s->n_trees; i++)
        intern_release(&s->trees[i].names);
    intern_release(&s->paths);
    arena_release(&s->memory);
    *s = (survey){0};
}
