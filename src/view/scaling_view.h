/* How runs scale, for people and for programs. */
#ifndef VIEW_SCALING_VIEW_H
#define VIEW_SCALING_VIEW_H

#include "analysis/scaling.h"
#include "view/table.h"

/* After a failure the set is empty. */
roast_code scaling_tables(table_set *out, const scaling *s, roast_error *err);
void scaling_json(buf *out, const scaling *s);

#endif
