/* A run that is only in memory, from data that a script holds. */
#ifndef RECORD_LOAD_H
#define RECORD_LOAD_H

#include <roast.h>

/* metrics: JSON in the shape of metrics.json of 0.1.x, or parts of it: tracking_data, raw_chunk_metrics,
 * raw_span_metrics, metrics. */
roast_code run_of_metrics(roast_run **out, roast_str metrics, roast_error *err);

#endif
