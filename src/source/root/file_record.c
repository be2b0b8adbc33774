/* From what the reader found to the record of a file. */
#include "source/root/file_record.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "base/str.h"

static const root_tree *choose_tree(const root_file *file)
{
    for (size_t i = 0; i < file->n_trees; i++)
        if (str_absent(file->trees[i].problem) && !file->trees[i].superseded)
            return &file->trees[i];
    for (size_t i = 0; i < file->n_trees; i++) /* asked for by an older cycle */
        if (str_absent(file->trees[i].problem))
            return &file->trees[i];
    return NULL;
}

/* What RNTuple calls the elements of a collection. uproot does not name them, and reads them with what they are in. */
static bool is_element(const root_tree *tree, const root_branch *branch)
{
    size_t digits = 0;
    if (tree->kind != ROOT_RNTUPLE || branch->parent < 0 || branch->name.len < 2 || branch->name.ptr[0] != '_')
        return false;
    while (1 + digits < branch->name.len && isdigit((unsigned char)branch->name.ptr[1 + digits]))
        digits++;
    return 1 + digits == branch->name.len;
}

/* Absent if memory is out. */
static roast_str full_name(arena *memory, const root_tree *tree, const root_branch *branch, roast_str parent)
{
    if (branch->parent < 0)
        return branch->name;
    char *name = arena_bytes(memory, parent.len + branch->name.len + 2);
    if (!name)
        return str_none();
    memcpy(name, parent.ptr, parent.len);
    name[parent.len] = tree->kind == ROOT_TTREE ? '/' : '.';
    if (branch->name.len)
        memcpy(name + parent.len + 1, branch->name.ptr, branch->name.len);
    return (roast_str){name, parent.len + 1 + branch->name.len};
}

static void add_sizes(roast_branch *to, const root_branch *branch)
{
    saturated_add(&to->compressed, branch->compressed);
    saturated_add(&to->uncompressed, branch->uncompressed);
    saturated_add(&to->baskets, branch->baskets);
}

static roast_code fill_branches(roast_file *facts, arena *memory, const root_tree *tree, roast_error *err)
{
    roast_branch *branches = arena_alloc(memory, tree->n_branches, sizeof *branches);
    size_t *places = arena_alloc(memory, tree->n_branches, sizeof *places), count = 0; /* by branch of the tree */
    if (!branches || !places)
        return fail_memory(err);
    for (size_t i = 0; i < tree->n_branches; i++) {
        const root_branch *branch = &tree->branches[i];
        size_t above = branch->parent < 0 ? 0 : places[branch->parent];
        if (is_element(tree, branch)) {
            places[i] = above;
            add_sizes(&branches[above], branch);
            continue;
        }
        roast_str parent = branch->parent < 0 ? str_none() : branches[above].name;
        places[i] = count++;
        branches[places[i]].size = sizeof *branches;
        branches[places[i]].name = full_name(memory, tree, branch, parent);
        if (str_absent(branches[places[i]].name))
            return fail_memory(err);
        add_sizes(&branches[places[i]], branch);
    }
    facts->branches = branches;
    facts->n_branches = count;
    facts->total_branches = (int64_t)count;
    return ROAST_OK;
}

/* Some writers leave the totals of the tree at 0. */
static void total_from_branches(roast_file *facts)
{
    if (facts->compressed > 0)
        return;
    facts->compressed = facts->uncompressed = 0;
    for (size_t i = 0; i < facts->n_branches; i++) {
        saturated_add(&facts->compressed, facts->branches[i].compressed);
        saturated_add(&facts->uncompressed, facts->branches[i].uncompressed);
    }
}

roast_code root_facts(roast_file *facts, arena *memory, const root_file *file, const char *name, roast_error *err)
{
    *facts = roast_file_none();
    const root_tree *tree = choose_tree(file);
    if (!tree)
        return fail(err, ROAST_MISSING, "%.*s: there is no tree %s that can be read", (int)file->url.len, file->url.ptr,
                    name);
    facts->url = file->url;
    facts->uuid = file->uuid;
    facts->tree = str_from(name);
    facts->entries = tree->entries;
    facts->compressed = tree->compressed;
    facts->uncompressed = tree->uncompressed;
    facts->clusters = tree->clusters;
    if (tree->compression.algorithm != ROOT_ALGORITHM_UNKNOWN)
        facts->algorithm = str_from(root_algorithm_name(tree->compression.algorithm));
    if (tree->compression.level >= 0)
        facts->level = tree->compression.level;
    roast_code code = fill_branches(facts, memory, tree, err);
    if (!code)
        total_from_branches(facts);
    return code;
}
