/* The parts that a 0.1.x measurement is read in, and what they share. First the parts that know times are surveyed,
 * then the window of the run is placed on the calendar, then records go to the sink. */
#ifndef SOURCE_LEGACY_PARTS_H
#define SOURCE_LEGACY_PARTS_H

#include "model/sink.h"
#include "source/legacy/json_input.h"
#include "source/legacy/legacy.h"

/* From the earliest to the latest of some times; first is ROAST_ABSENT if there were none. */
typedef struct time_range {
    int64_t first_ns, last_ns;
} time_range;

typedef struct legacy_reader {
    const legacy_texts *texts;
    bool loose; /* parts from a script: nothing says when the run was but they */
    /* Readings of a clock with a date are larger than this, those of a clock without one smaller. */
    double first_dated_second;
    const record_sink *sink;
    roast_error *err;
    json_place metrics_file, metadata_file;
    json_t *metrics;  /* metrics.json */
    json_t *metadata; /* NULL if there is none */

    /* What the survey found. */
    time_range tracked;      /* worker samples */
    time_range chunks;       /* chunks, by the wall clock */
    int64_t heartbeat_lag;   /* smallest sample time - last_seen: the zone, and less than a heartbeat; or absent */
    bool zone_missing;       /* timestamps of the samples are local time of an unknown zone */
    bool chunks_not_on_wall; /* chunk times are of another clock, without a date */
    bool bytes_measured;     /* some chunk read bytes: 0 is then a number, and else "not measured" */

    /* What the window says. */
    int64_t zone_ns; /* to be subtracted from a timestamp without a zone */
} legacy_reader;

void range_add(time_range *range, int64_t ns);

/* A time as text (ISO) or as epoch seconds, in UTC. */
roast_code legacy_read_time(legacy_reader *r, const json_place *at, const json_t *value, int64_t *ns);
roast_code legacy_read_time_text(legacy_reader *r, const json_place *at, roast_str text, int64_t *ns);
roast_code legacy_note(legacy_reader *r, const char *level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Room for one more item; false if memory is out. */
bool legacy_grow(void **items, size_t *capacity, size_t count, size_t item_size);

/* The list of chunk records, NULL if there is none, and its place. */
roast_code legacy_chunk_list(legacy_reader *r, json_place *place, json_t **list);

roast_code tracking_survey(legacy_reader *r);
roast_code tracking_read(legacy_reader *r);
roast_code chunks_survey(legacy_reader *r);
roast_code chunks_read(legacy_reader *r);
roast_code files_read(legacy_reader *r);
roast_code spans_read(legacy_reader *r);
roast_code totals_read(legacy_reader *r);
/* Sets the zone, and gives the facts that place the run in time. */
roast_code window_place(legacy_reader *r);

#endif
