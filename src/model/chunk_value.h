/* A chunk record under the names and in the units of the catalogue. */
#ifndef MODEL_CHUNK_VALUE_H
#define MODEL_CHUNK_VALUE_H

#include "model/metric.h"

/* What one record says of a metric of scope chunk. Nothing for what a record alone does not tell (chunk_id, host, bytes
 * of branches) and for lists and maps. The text of a value is borrowed from the record. */
roast_value chunk_value(const roast_chunk *chunk, metric_id metric);

#endif
