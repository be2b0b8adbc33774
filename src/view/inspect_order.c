/* Which branches are shown, in which order: the same in tables and in JSON. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "view/inspect.h"

typedef struct branch_order {
    const survey_tree *tree;
    inspect_sort by;
} branch_order;

double inspect_divide(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : (double)NAN;
}

static double branch_key(const survey_branch *b, inspect_sort by)
{
    double key = by == INSPECT_BY_RATIO    ? inspect_divide(b->uncompressed, b->compressed)
                 : by == INSPECT_BY_BASKET ? inspect_divide(b->compressed, b->baskets)
                                           : (double)b->compressed;
    return isnan(key) ? -1 : key;
}

static int compare_branches(const void *left, const void *right, void *context)
{
    const branch_order *order = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    const survey_branch *a = &order->tree->branches[i], *b = &order->tree->branches[k];
    double x = branch_key(a, order->by), y = branch_key(b, order->by);
    if (order->by == INSPECT_BY_NAME)
        return str_compare(a->name, b->name);
    if (order->by != INSPECT_BY_FILE && x != y)
        return x > y ? -1 : 1;
    return (i > k) - (i < k);
}

uint32_t *inspect_order(arena *memory, const survey_tree *tree, const inspect_options *options, bool picked,
                        size_t *count)
{
    uint32_t *order = arena_alloc(memory, tree->n_branches, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < tree->n_branches && order; i++) {
        const survey_branch *branch = &tree->branches[i];
        bool matches = !options->filter || fnmatch(options->filter, branch->name.ptr, 0) == 0;
        if (matches && (!picked || branch->picked))
            order[(*count)++] = (uint32_t)i;
    }
    branch_order by = {tree, options->sort};
    if (order)
        qsort_r(order, *count, sizeof *order, compare_branches, &by);
    return order;
}
