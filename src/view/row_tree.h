/* Rows as a tree: each below the one that it names. */
#ifndef VIEW_ROW_TREE_H
#define VIEW_ROW_TREE_H

#include "analysis/summary.h"

/* Puts rows, in the order in which siblings shall stand, behind their parents; depths: of each, by its new place. False
 * if memory is out. */
bool row_tree_order(size_t *rows, size_t count, int *depths, const roast_summary *summary, metric_id name,
                    metric_id parent);

#endif
