/* The words that metrics stand under on the screen, as the specs of the tables have them. */
#ifndef VIEW_LABELS_H
#define VIEW_LABELS_H

#include "base/buf.h"
#include "model/metric.h"

/* "Event processing: event rate, per core; Scaling: …", wherever a table shows it; nothing if none does. */
void labels_put(buf *out, metric_id id);
/* The lines of tables, one by one; NULL after the last. */
const char *labels_line(size_t index);

#endif
