/* Predict, then verify. */
#include "analysis/since_last.h"

#include <math.h>

#include "base/clock.h"
#include "base/str.h"

static double fact_number(const roast_summary *summary, const char *key)
{
    double number;
    return str_to_real(summary_fact(summary, key), &number) ? number : (double)NAN;
}

/* Whether the chunks went at least half of the way that was advised, and not much beyond it. */
static bool followed_chunksize(const since_last *s)
{
    double way = log(s->chunksize[SINCE] / s->chunksize[THEN]) / log(s->advised_chunksize / s->chunksize[THEN]);
    return way >= 0.5 && way <= 1.5;
}

/* Preprocessing had been most of what the advice was about, and is gone. */
static bool kept_chunks(const roast_summary *summary)
{
    double then = fact_number(summary, "last_preprocess_ns") / (double)NS_PER_S;
    double since = summary_real(summary, M_run_preprocess_time_seconds);
    return then > 0 && !(since > 0.1 * then);
}

bool since_last_changed(const double numbers[TIMES])
{
    return isfinite(numbers[THEN]) && isfinite(numbers[SINCE]) &&
           fabs(numbers[SINCE] - numbers[THEN]) > 0.02 * fabs(numbers[THEN]);
}

bool since_last_other_engine(const since_last *s)
{
    return !str_absent(s->engine[THEN]) && !str_absent(s->engine[SINCE]) &&
           !str_equal(s->engine[THEN], s->engine[SINCE]);
}

bool since_last_read(since_last *out, const roast_summary *summary)
{
    double then = fact_number(summary, "last_elapsed_ns") / (double)NS_PER_S;
    double since = summary_real(summary, M_run_elapsed_time_seconds);
    double events = fact_number(summary, "last_events"), now = summary_real(summary, M_run_total_events);
    *out = (since_last){
        .chunksize = {fact_number(summary, "last_chunksize"), fact_number(summary, "chunksize")},
        .cores = {fact_number(summary, "last_cores"), summary_real(summary, M_run_total_cores)},
        .engine = {summary_fact(summary, "last_engine"), summary_fact(summary, "engine")},
        .faster_percent = 100 * (1 - since / then),
        .predicted_percent = (double)NAN,
        .advised_chunksize = fact_number(summary, "advised_chunksize"),
        .advised_percent = fact_number(summary, "advised_percent"),
        .advised_keeping_chunks = str_equal(summary_fact(summary, "advised"), STR("preprocessing")),
    };
    out->followed = out->advised_keeping_chunks ? kept_chunks(summary) : followed_chunksize(out);
    if (out->followed && !since_last_changed(out->cores) &&
        !since_last_other_engine(out)) /* it was predicted for those */
        out->predicted_percent = out->advised_percent;
    bool same_work = fabs(now - events) <= 0.001 * events;
    return summary->outcome == ROAST_FINISHED && then > 0 && isfinite(out->faster_percent) && same_work;
}
