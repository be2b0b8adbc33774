/* RNTuple 1.0, the successor of TTree. */
#ifndef SOURCE_ROOT_RNTUPLE_H
#define SOURCE_ROOT_RNTUPLE_H

#include "source/root/tfile.h"

/* Fills in a tree from the record of its anchor, reading header, footer and page lists. */
roast_code root_rntuple_read(root_tfile *file, const root_record *anchor, root_tree *tree, roast_error *err);

#endif
