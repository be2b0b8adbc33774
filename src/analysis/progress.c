/* How long a run will take that goes on: the chunks that are left, at the pace at which the last of them were done. The
 * pace of the last minutes is that of the cluster as it is now; where they saw too few chunks, all of the run is asked.
 */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"

static const double LEAST_SECONDS = 60, MOST_SECONDS = 900, SHARE = 0.2; /* of the run, for what is recent */
enum { LEAST_CHUNKS = 20 };                                              /* of which a pace can be told */

/* Chunks that were done since then. */
static double done_since(const trace *t, int64_t since_ns)
{
    double done = 0;
    for (size_t i = 0; i < t->count; i++)
        done += !t->attempts[i].failed && !t->attempts[i].recomputed && t->attempts[i].end_ns > since_ns;
    return done;
}

static double seconds_until_now(const analysis *a, int64_t since_ns)
{
    return clock_seconds(a->summary->t_end_ns - since_ns);
}

roast_code analyse_progress(analysis *a, roast_error *err)
{
    (void)err;
    roast_summary *s = a->summary;
    double done = summary_real(s, M_run_num_successful_chunks), asked = summary_real(s, M_run_chunks_expected);
    if (s->outcome != ROAST_RUNNING || !(done > 0 && asked > done) || a->ledger.first_start_ns == ROAST_ABSENT)
        return ROAST_OK;
    double whole = seconds_until_now(a, a->ledger.first_start_ns);
    double recent = fmin(fmax(SHARE * whole, LEAST_SECONDS), MOST_SECONDS);
    double lately = recent < whole ? done_since(&a->trace, s->t_end_ns - (int64_t)(recent * 1e9)) : 0;
    bool enough = lately >= fmax(LEAST_CHUNKS, summary_real(s, M_run_total_cores));
    double pace = enough ? lately / recent : done / whole;
    s->progress = (run_progress){.seconds_left = (asked - done) / pace, .pace_seconds = enough ? recent : 0};
    return ROAST_OK;
}
