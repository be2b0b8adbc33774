/* From what the reader found to the record of a file. */
#include "source/root/facts.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* No experiment has names as long as this; the record has a limit and a file could be made to exceed it. */
enum { LONGEST_NAME = 4096 };

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

/* names has those of the branches before this one. Absent if memory is out, or the name is too long. */
static roast_str full_name(arena *memory, const root_tree *tree, const root_branch *branch, const roast_branch *before)
{
    if (branch->parent < 0)
        return branch->name;
    roast_str parent = before[branch->parent].name;
    if (parent.len + 1 + branch->name.len > LONGEST_NAME)
        return str_none();
    char *name = arena_bytes(memory, parent.len + branch->name.len + 2);
    if (!name)
        return str_none();
    memcpy(name, parent.ptr, parent.len);
    name[parent.len] = tree->kind == ROOT_TTREE ? '/' : '.';
    if (branch->name.len)
        memcpy(name + parent.len + 1, branch->name.ptr, branch->name.len);
    return (roast_str){name, parent.len + 1 + branch->name.len};
}

static roast_code fill_branches(roast_file *facts, arena *memory, const root_tree *tree, roast_error *err)
{
    roast_branch *branches = arena_alloc(memory, tree->n_branches, sizeof *branches);
    if (!branches)
        return fail_memory(err);
    for (size_t i = 0; i < tree->n_branches; i++) {
        const root_branch *branch = &tree->branches[i];
        roast_str name = full_name(memory, tree, branch, branches);
        if (str_absent(name) || name.len > LONGEST_NAME)
            return fail(err, ROAST_LIMIT, "a branch has a name of more than %d letters", LONGEST_NAME);
        branches[i] = (roast_branch){name, branch->compressed, branch->uncompressed, branch->baskets};
    }
    facts->branches = branches;
    facts->n_branches = tree->n_branches;
    return ROAST_OK;
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
    facts->total_branches = (int64_t)tree->n_branches;
    facts->compressed = tree->compressed;
    facts->uncompressed = tree->uncompressed;
    facts->clusters = tree->clusters;
    if (tree->compression.algorithm != ROOT_ALGORITHM_UNKNOWN)
        facts->algorithm = str_from(root_algorithm_name(tree->compression.algorithm));
    if (tree->compression.level >= 0)
        facts->level = tree->compression.level;
    return fill_branches(facts, memory, tree, err);
}
