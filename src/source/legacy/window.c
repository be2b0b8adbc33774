/* When the run was. start_end_time.txt holds two readings of a clock without a date (Python's perf_counter), so it
 * gives the length of the run and nothing more; and the samples carry local time without its zone. Both are found
 * by comparing with times that are known: heartbeats and chunks carry epoch seconds. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/legacy/parts.h"

#define QUARTER_HOUR (900 * NS_PER_S)

typedef struct window {
    double started, ended;    /* as start_end_time.txt says; NAN without it */
    int64_t elapsed_ns;       /* or absent */
    int64_t start_ns, end_ns; /* or absent */
} window;

/* ---- The zone ---------------------------------------------------------------------------------------------------- */

static int64_t nearest_quarter(int64_t ns)
{
    return llround((double)ns / (double)QUARTER_HOUR) * QUARTER_HOUR;
}

static bool is_zone(int64_t ns)
{
    return llabs(ns) <= 14 * 3600 * NS_PER_S;
}

/* Shifted by the zone, every chunk must lie between the first and the last sample. The smallest shift that does is
 * taken: a long run leaves several. */
static bool zone_from_chunks(const legacy_reader *r, int64_t *zone)
{
    const int64_t slack = 60 * NS_PER_S;
    for (int64_t quarters = 0; quarters <= 56; quarters++)
        for (int64_t sign = 1; sign >= -1; sign -= 2) {
            *zone = sign * quarters * QUARTER_HOUR;
            if (r->tracked.first_ns - *zone <= r->chunks.first_ns + slack &&
                r->chunks.last_ns <= r->tracked.last_ns - *zone + slack)
                return true;
        }
    return false;
}

static roast_code find_zone(legacy_reader *r)
{
    int64_t zone = 0;
    if (!r->zone_missing)
        return ROAST_OK;
    if (r->heartbeat_lag != ROAST_ABSENT && is_zone(zone = nearest_quarter(r->heartbeat_lag)))
        r->zone_ns = zone;
    else if (r->chunks.first_ns != ROAST_ABSENT && zone_from_chunks(r, &zone))
        r->zone_ns = zone;
    else
        return legacy_note(r, "info", "The times of the worker samples carry no zone; they were taken as UTC.");
    r->tracked.first_ns -= r->zone_ns;
    r->tracked.last_ns -= r->zone_ns;
    if (r->zone_ns == 0)
        return ROAST_OK;
    return legacy_note(r, "info", "The times of the worker samples carry no zone; %s tell that it was UTC%+.2f h.",
                       r->heartbeat_lag != ROAST_ABSENT ? "heartbeats" : "chunks", (double)r->zone_ns / 3.6e12);
}

/* ---- How long ------------------------------------------------------------------------------------------------------
 */

/* "t0,t1" */
static roast_code read_timing(legacy_reader *r, window *w)
{
    if (str_absent(r->texts->timing))
        return ROAST_OK;
    roast_str rest = str_trim(r->texts->timing), second;
    roast_str first = str_trim(str_split(&rest, ','));
    second = str_trim(rest);
    if (!str_to_real(first, &w->started) || !str_to_real(second, &w->ended))
        return fail(r->err, ROAST_CORRUPT, "%s/start_end_time.txt: expected two times in seconds, \"start,end\"",
                    r->texts->directory);
    if (w->ended < w->started)
        return fail(r->err, ROAST_CORRUPT, "%s/start_end_time.txt: the end comes before the start",
                    r->texts->directory);
    w->elapsed_ns = clock_ns_from_seconds(w->ended - w->started);
    if (w->elapsed_ns == ROAST_ABSENT)
        return fail(r->err, ROAST_CORRUPT, "%s/start_end_time.txt: the times are too large", r->texts->directory);
    return ROAST_OK;
}

static roast_code read_seconds(legacy_reader *r, const json_place *file, json_t *object, const char *key, int64_t *ns)
{
    json_place at = place_member(file, key);
    double seconds;
    roast_code code = json_read_real(&at, json_object_get(object, key), &seconds, r->err);
    if (!code && !isnan(seconds) && seconds >= 0)
        *ns = clock_ns_from_seconds(seconds);
    return code;
}

/* Without start_end_time.txt the length stands in the metrics, under the names of two generations. */
static roast_code find_elapsed(legacy_reader *r, window *w)
{
    roast_code code = read_timing(r, w);
    if (code || w->elapsed_ns != ROAST_ABSENT)
        return code;
    static const char *const names[] = {"elapsed_time_seconds", "wall_time", "wall_time_seconds"};
    for (size_t i = 0; !code && w->elapsed_ns == ROAST_ABSENT && i < sizeof names / sizeof *names; i++)
        code = read_seconds(r, &r->metrics_file, r->metrics, names[i], &w->elapsed_ns);
    if (!code && w->elapsed_ns == ROAST_ABSENT)
        code = read_seconds(r, &r->metadata_file, r->metadata, "elapsed_time_seconds", &w->elapsed_ns);
    if (code)
        return code;
    return legacy_note(r, "warning", "start_end_time.txt is missing; %s",
                       w->elapsed_ns == ROAST_ABSENT ? "how long the run took is not known."
                                                     : "how long the run took is from elapsed_time_seconds.");
}

/* ---- When
 * ------------------------------------------------------------------------------------------------------------ */

static roast_code read_saving_time(legacy_reader *r, int64_t *ns)
{
    json_place at = place_member(&r->metadata_file, "timestamp");
    return legacy_read_time(r, &at, json_object_get(r->metadata, "timestamp"), ns);
}

static void set_window(window *w, int64_t start_ns)
{
    w->start_ns = start_ns;
    w->end_ns = start_ns + w->elapsed_ns;
}

/* roastcoffea 0.1.x reads its clock, then starts to sample, and at the end reads its clock, then stops sampling. So
 * the first sample marks the start, to some milliseconds, and samples go on after the end. */
static roast_code find_window(legacy_reader *r, window *w)
{
    if (w->started >= r->first_dated_second) {
        set_window(w, clock_ns_from_seconds(w->started));
        return w->start_ns == ROAST_ABSENT
                   ? fail(r->err, ROAST_CORRUPT, "%s/start_end_time.txt: the times are too large", r->texts->directory)
                   : ROAST_OK;
    }
    if (w->elapsed_ns == ROAST_ABSENT)
        return ROAST_OK;
    if (r->tracked.first_ns != ROAST_ABSENT) {
        set_window(w, r->tracked.first_ns);
        if (r->chunks.last_ns > w->end_ns && r->chunks.first_ns != ROAST_ABSENT)
            set_window(w, r->chunks.last_ns - w->elapsed_ns);
        return legacy_note(r, "info",
                           "Start and end have no date in this format; the first worker sample was taken as "
                           "the start.");
    }
    if (r->chunks.first_ns != ROAST_ABSENT) {
        set_window(w, r->chunks.last_ns - w->elapsed_ns);
        return legacy_note(r, "info",
                           "Start and end have no date in this format; the end of the last chunk was taken as "
                           "the end.");
    }
    int64_t saved = ROAST_ABSENT;
    roast_code code = read_saving_time(r, &saved);
    if (code || saved == ROAST_ABSENT)
        return code;
    set_window(w, saved - w->elapsed_ns);
    return legacy_note(r, "info",
                       "Start and end have no date in this format; the time at which the measurement was saved "
                       "was taken as the end, and as UTC.");
}

/* From the first to the last of what there is. */
static void span_parts(const legacy_reader *r, window *w)
{
    time_range all = {ROAST_ABSENT, ROAST_ABSENT};
    range_add(&all, r->tracked.first_ns);
    range_add(&all, r->tracked.last_ns);
    range_add(&all, r->chunks.first_ns);
    range_add(&all, r->chunks.last_ns);
    w->start_ns = all.first_ns;
    w->end_ns = all.last_ns;
}

static roast_code give_fact(legacy_reader *r, const char *key, int64_t value)
{
    return value == ROAST_ABSENT ? ROAST_OK : r->sink->fact_int(r->sink->context, key, value, r->err);
}

roast_code window_place(legacy_reader *r)
{
    window w = {(double)NAN, (double)NAN, ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT};
    roast_code code = find_zone(r);
    if (r->loose)
        span_parts(r, &w);
    if (!code && !r->loose)
        code = find_elapsed(r, &w);
    if (!code && !r->loose)
        code = find_window(r, &w);
    if (!code)
        code = give_fact(r, "t_start_ns", w.start_ns);
    if (!code)
        code = give_fact(r, "t_end_ns", w.end_ns);
    return code ? code : give_fact(r, "elapsed_ns", w.elapsed_ns);
}
