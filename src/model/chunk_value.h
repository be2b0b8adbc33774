/* A chunk record under the names and in the units of the catalogue. */
#ifndef MODEL_CHUNK_VALUE_H
#define MODEL_CHUNK_VALUE_H

#include "model/metric.h"
#include "model/record.h"

/* The field that a metric of scope chunk shows; NULL for what is computed, or no part of the record. */
const record_field *chunk_field(metric_id metric);
/* What one record says of a metric of scope chunk. Nothing for what a record alone does not tell (chunk_id, host, bytes
 * of branches) and for lists and maps. The text of a value is borrowed from the record. */
roast_value chunk_value(const roast_chunk *chunk, metric_id metric);
/* The same in nanoseconds, for metrics that are times: a double of seconds since 1970 has none left. False for others.
 */
bool chunk_nanoseconds(const roast_chunk *chunk, metric_id metric, int64_t *ns);

#endif
