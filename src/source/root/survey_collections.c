/* Which branches belong together. There is no such thing in a file: the names tell, in the habits of the experiments.
 *
 *     NanoAOD, Delphes     Jet_pt, Jet_eta            Jet      and nJet or Jet_size, if it counts them
 *     PHYSLITE             AnalysisJetsAuxDyn.pt      AnalysisJets
 *     FCC, EDM4hep         Particles.mass, _Particles_daughters
 *     RNTuple              parts of a field belong to what the field belongs to                                     */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/str.h"
#include "model/branch_set.h"
#include "source/root/survey_parts.h"

/* A name that the format made up: _0, _collection12. */
static bool is_anonymous(roast_str name)
{
    static const roast_str prefixes[] = {STR("_collection"), STR("_")};
    for (size_t p = 0; p < 2; p++) {
        if (!str_starts_with(name, prefixes[p]) || name.len == prefixes[p].len)
            continue;
        size_t i = prefixes[p].len;
        while (i < name.len && isdigit((unsigned char)name.ptr[i]))
            i++;
        if (i == name.len)
            return true;
    }
    return false;
}

/* The last part of "Jets/pt" or "_collection0._0.Jet_pt". */
static roast_str own_name(const survey_tree *tree, const survey_branch *branch)
{
    if (branch->parent < 0)
        return branch->name;
    roast_str above = tree->branches[branch->parent].name;
    size_t skip = above.len + !str_ends_with(above, STR("."));
    if (!str_starts_with(branch->name, above) || branch->name.len <= skip)
        return branch->name;
    return (roast_str){branch->name.ptr + skip, branch->name.len - skip};
}

enum { UNDECIDED = UINT32_MAX };

/* From the top down, then for the anonymous from what is in them. */
static bool name_collections(survey_tree *tree, intern *names)
{
    for (size_t i = 0; i < tree->n_branches; i++) {
        survey_branch *branch = &tree->branches[i];
        uint32_t above = branch->parent < 0 ? UNDECIDED : tree->branches[branch->parent].collection;
        roast_str own = own_name(tree, branch);
        branch->collection = above;
        if (above == UNDECIDED && !is_anonymous(own)) {
            branch->collection = intern_add(names, branch_collection(own), NULL);
            if (branch->collection == INTERN_NONE)
                return false;
        }
    }
    for (size_t i = tree->n_branches; i-- > 0;) {
        survey_branch *branch = &tree->branches[i];
        survey_branch *parent = branch->parent < 0 ? NULL : &tree->branches[branch->parent];
        if (parent && parent->collection == UNDECIDED)
            parent->collection = branch->collection;
    }
    return true;
}

/* A counter belongs to what it counts. */
static void move_counters(survey_tree *tree)
{
    for (size_t i = 0; i < tree->n_branches; i++) {
        const survey_branch *branch = &tree->branches[i];
        uint32_t counter = str_absent(branch->counter) ? INTERN_NONE : intern_find(&tree->names, branch->counter);
        if (counter != INTERN_NONE && branch->collection != UNDECIDED && tree->branches[counter].parent < 0)
            tree->branches[counter].collection = branch->collection;
    }
}

/* "nElectron" that counts a collection by its name only, as in NanoAOD written as RNTuple. */
static void move_named_counters(survey_tree *tree, const intern *names)
{
    for (size_t i = 0; i < tree->n_branches; i++) {
        survey_branch *branch = &tree->branches[i];
        if (branch->parent >= 0 || branch->name.len < 2 || branch->name.ptr[0] != 'n')
            continue;
        uint32_t counted = intern_find(names, (roast_str){branch->name.ptr + 1, branch->name.len - 1});
        if (counted != INTERN_NONE)
            branch->collection = counted;
    }
}

static int compare_collections(const void *left, const void *right, void *context)
{
    const survey_collection *all = context;
    const survey_collection *a = &all[*(const uint32_t *)left], *b = &all[*(const uint32_t *)right];
    if (a->compressed != b->compressed)
        return a->compressed > b->compressed ? -1 : 1;
    return str_compare(a->name, b->name);
}

/* Branches that share a name with nobody go together: a collection of one is not one. */
static void merge_single(survey_tree *tree, survey_collection *all, size_t count)
{
    survey_collection *alone = &all[count];
    for (size_t i = 0; i < tree->n_branches; i++) {
        survey_branch *branch = &tree->branches[i];
        if (branch->collection == UNDECIDED || all[branch->collection].branches == 1)
            branch->collection = (uint32_t)count;
        survey_collection *c = &all[branch->collection];
        if (c == alone)
            c->branches++;
        saturated_add(&c->compressed, branch->compressed);
        saturated_add(&c->uncompressed, branch->uncompressed);
        saturated_add(&c->baskets, branch->baskets);
    }
}

/* Sorts the collections and makes the branches follow. */
static bool order_collections(survey_tree *tree, survey_collection *all, size_t count)
{
    uint32_t *order = calloc(count + 1, sizeof *order), *place = calloc(count + 1, sizeof *place);
    size_t used = 0;
    for (size_t i = 0; i < count && order; i++)
        if (all[i].branches > 0)
            order[used++] = (uint32_t)i;
    if (order && place) {
        qsort_r(order, used, sizeof *order, compare_collections, all);
        for (size_t k = 0; k < used; k++) {
            tree->collections[k] = all[order[k]];
            place[order[k]] = (uint32_t)k;
        }
        for (size_t i = 0; i < tree->n_branches; i++)
            tree->branches[i].collection = place[tree->branches[i].collection];
        tree->n_collections = used;
    }
    bool good = order && place;
    free(order);
    free(place);
    return good;
}

static bool sum_collections(survey *s, survey_tree *tree, const intern *names)
{
    size_t count = names->count;
    survey_collection *all = arena_alloc(&s->memory, count + 1, sizeof *all);
    tree->collections = arena_alloc(&s->memory, count + 1, sizeof *tree->collections);
    if (!all || !tree->collections)
        return false;
    for (size_t i = 0; i < count; i++) {
        all[i].name = arena_str(&s->memory, names->strings[i]);
        if (str_absent(all[i].name))
            return false;
    }
    all[count].name = STR("");
    for (size_t i = 0; i < tree->n_branches; i++)
        if (tree->branches[i].collection != UNDECIDED)
            all[tree->branches[i].collection].branches++;
    merge_single(tree, all, count);
    for (size_t i = 0; i < count; i++)
        if (all[i].branches == 1)
            all[i].branches = 0;
    return order_collections(tree, all, count + 1);
}

bool survey_collect(survey *s, survey_tree *tree)
{
    intern names = {0};
    bool good = name_collections(tree, &names);
    if (good) {
        move_counters(tree);
        move_named_counters(tree, &names);
        good = sum_collections(s, tree, &names);
    }
    intern_release(&names);
    return good;
}
