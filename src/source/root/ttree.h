/* TTree and what derives from it. */
#ifndef SOURCE_ROOT_TTREE_H
#define SOURCE_ROOT_TTREE_H

#include "source/root/layout.h"

/* Fills in a tree from its record. */
roast_code root_ttree_read(root_layouts *layouts, const root_record *record, root_tree *tree, roast_error *err);

#endif
