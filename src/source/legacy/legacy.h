/* Measurements of roastcoffea 0.1.x: a directory with metrics.json and its companions, read into records. */
#ifndef SOURCE_LEGACY_H
#define SOURCE_LEGACY_H

#include "model/sink.h"

/* The files of a measurement, as text; an absent one was not there. */
typedef struct legacy_texts {
    const char *directory; /* names the files in errors, and the run; NULL: parts of a measurement, from a script */
    roast_str metrics;     /* metrics.json */
    roast_str timing;      /* start_end_time.txt */
    roast_str metadata;    /* metadata.json */
    roast_str config;      /* config.json */
} legacy_texts;

/* True for a directory with something called metrics.json in it. */
bool legacy_is_measurement(const char *path);
/* Reads the measurement into the sink. Nothing is written to the directory. After a failure the sink has got a part
 * of the records. */
roast_code legacy_read(const char *directory, const record_sink *sink, roast_error *err);
/* The same from memory. Parts from a script may be on any clock, and the run is from the first to the last of them. */
roast_code legacy_read_texts(const legacy_texts *texts, const record_sink *sink, roast_error *err);

#endif
