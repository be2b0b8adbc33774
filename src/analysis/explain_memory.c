/* Rules about memory: workers that keep what they should not, that are near their limit, that spill to disk. */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain_parts.h"
#include "base/error.h"

typedef struct growth {
    double per_chunk, highest_share;       /* MiB, medians over the workers that grow; of the limit, at most */
    double chunks_left;                    /* until the first reaches its limit, if it goes on */
    size_t growing, serious, judged, died; /* workers */
} growth;

/* Memory that was gained steadily over a worker's chunks. A fifth of its limit is serious; half of what it began with,
 * chunk by chunk the same, is worth a note. */
typedef enum growing { GROWS_NOT, GROWS_NOTABLY, GROWS_SERIOUSLY } growing;

/* Fewest chunks of a worker that tell whether it grows; of workers that all live short, fewer do if they agree. */
enum { FEWEST_CHUNKS = 6, FEWEST_TOGETHER = 3 };
static const double AGREEMENT = 0.8; /* r2 of one slope for all workers */

/* Of the memory that all workers gained and lost, what one slope for all explains. */
static double common_r2(const trace *t)
{
    double xx = 0, xy = 0, yy = 0;
    for (size_t w = 0; w < t->n_workers; w++) {
        xx += t->workers[w].growth.xx;
        xy += t->workers[w].growth.xy;
        yy += t->workers[w].growth.yy;
    }
    return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

static growing how_it_grows(const trace_memory *memory, double limit, int64_t fewest)
{
    double slope = line_fit_slope(&memory->growth), gained = slope * (double)(memory->growth.count - 1);
    double r2 = line_fit_r2(&memory->growth);
    if (memory->growth.count < fewest || !(r2 > 0.5))
        return GROWS_NOT;
    if (gained > (limit > 0 ? 0.2 * limit : 0.5 * memory->first))
        return GROWS_SERIOUSLY;
    return r2 > 0.9 && gained > 0.5 * memory->first && gained > 100 ? GROWS_NOTABLY : GROWS_NOT;
}

/* The highest memory of a worker, of its limit; NAN if either is not known. */
static double highest_share(const explaining *e, uint32_t w)
{
    const roast_worker *worker = run_worker(e->run, w);
    double limit = worker->memory_limit > 0 ? (double)worker->memory_limit / 1048576.0 : (double)NAN;
    double sampled = summary_cell_number(e->summary, M_worker_peak_memory_bytes, w) / 1048576.0;
    double seen = e->trace->workers[w].highest > 0 ? e->trace->workers[w].highest : (double)NAN;
    return fmax(seen, sampled) / limit; /* fmax passes over what is absent */
}

static bool spills(const explaining *e)
{
    return real_of(e, M_run_spilled_bytes_peak) > 0;
}

static bool died_of_memory(const explaining *e, uint32_t w)
{
    return run_worker(e->run, w)->lost && highest_share(e, w) > 0.75;
}

static growth measure_growth(explaining *e)
{
    growth g = {.chunks_left = (double)NAN};
    int64_t fewest = common_r2(e->trace) > AGREEMENT ? FEWEST_TOGETHER : FEWEST_CHUNKS;
    double *slopes = malloc((e->trace->n_workers + 1) * sizeof *slopes);
    if (!slopes) {
        e->code = fail_memory(e->err);
        return g;
    }
    for (uint32_t w = 0; w < e->trace->n_workers; w++) {
        const trace_memory *memory = &e->trace->workers[w];
        const roast_worker *worker = run_worker(e->run, w);
        double limit = worker->memory_limit > 0 ? (double)worker->memory_limit / 1048576.0 : (double)NAN;
        g.judged += memory->growth.count >= fewest;
        growing how = how_it_grows(memory, limit, fewest);
        if (how == GROWS_NOT)
            continue;
        g.serious += how == GROWS_SERIOUSLY;
        g.chunks_left = fmin(g.chunks_left, (limit - memory->highest) / line_fit_slope(&memory->growth));
        slopes[g.growing++] = line_fit_slope(&memory->growth);
        g.highest_share = fmax(g.highest_share, highest_share(e, w));
        g.died += died_of_memory(e, w);
    }
    g.per_chunk = percentile(slopes, g.growing, 50);
    free(slopes);
    return g;
}

/* Time of attempts that were killed or done again. */
double cost_of_losses(const explaining *e)
{
    return e->ledger[LEDGER_LOST];
}

/* Core-seconds of workers that started nothing because their memory was short. */
static double cost_of_pauses(const explaining *e)
{
    double cost = 0;
    for (size_t i = 0; i < e->trace->count; i++)
        cost += (double)e->trace->attempts[i].gap_pause;
    return cost;
}

/* What it would save if memory had not been short: no worker dies of it, none is paused. */
static saving saving_of_memory(explaining *e, bool died, double cost)
{
    return cost > 0 ? saving_of(e, &(replay_change){.no_losses = died, .no_pausing = true}, cost) : saving_exactly(0);
}

static void explain_growth(explaining *e)
{
    growth g = measure_growth(e);
    if (g.judged < 1 || g.growing * 2 < g.judged)
        return;
    double cost = (g.died ? cost_of_losses(e) : 0) + cost_of_pauses(e);
    saving saves = saving_of_memory(e, g.died > 0, cost);
    finding *f = add_finding(e, FINDING_MEMORY_GROWTH, FINDING_LIKELY, cost, saves);
    if (f) /* it ends a longer run, whatever it cost this one */
        f->confidence = g.serious * 2 >= g.judged ? FINDING_LIKELY : FINDING_NOTE;
    add_evidence(f, "growth per chunk", NOBODY, g.per_chunk, "MiB");
    add_evidence(f, "workers that grow", NOBODY, (double)g.growing, "count");
    if (g.highest_share > 0)
        add_evidence(f, "highest memory in a chunk or heartbeat, of the limit", NOBODY, 100 * g.highest_share, "%");
    if (g.chunks_left > 0)
        add_evidence(f, "chunks until a worker reaches it, at this pace", NOBODY, floor(g.chunks_left), "count");
    if (g.died)
        add_evidence(f, "workers lost near their limit", NOBODY, (double)g.died, "count");
}

/* Workers that died or were paused near their limit without growing: their chunks need more than there is. */
static void explain_limit(explaining *e)
{
    double highest = real_of(e, M_run_memory_utilization_percent_max), lost = 0, died = 0;
    for (uint32_t w = 0; w < run_workers(e->run); w++) {
        lost += run_worker(e->run, w)->lost;
        died += died_of_memory(e, w);
    }
    if (!(highest > 80) || find_finding(e, FINDING_MEMORY_GROWTH))
        return;
    bool killed = died > 0 && died * 2 >= lost;
    double paused = spills(e) ? 0 : cost_of_pauses(e), cost = paused + (killed ? cost_of_losses(e) : 0);
    saving saves = saving_of_memory(e, killed, cost);
    finding *f = add_finding(e, FINDING_MEMORY_LIMIT, FINDING_LIKELY, cost, saves);
    if (f && highest > 90)
        f->confidence = FINDING_LIKELY;
    add_evidence(f, "highest memory, of the limit", NOBODY, highest, "%");
    if (killed)
        add_evidence(f, "workers lost near their limit", NOBODY, died, "count");
    if (paused > 0)
        add_evidence(f, "cores idle on workers above 80 %", NOBODY, paused, "s");
}

/* A worker that spills hands out nothing meanwhile: cores that are idle then wait for the disk. If it is paused as
 * well, that is the same lack of memory. */
static void explain_spilling(explaining *e)
{
    double spilled = real_of(e, M_run_spilled_bytes_peak), written = real_of(e, M_run_disk_write_bytes);
    double limit = (double)NAN, waited = find_finding(e, FINDING_MEMORY_GROWTH) ? 0 : cost_of_pauses(e);
    if (!spills(e))
        return;
    for (uint32_t w = 0; w < run_workers(e->run); w++)
        limit = fmax(limit, (double)run_worker(e->run, w)->memory_limit);
    for (size_t i = 0; i < e->trace->count; i++)
        waited += (double)e->trace->attempts[i].gap_spill;
    waited = fmax(waited, e->ledger[LEDGER_SPILLING]);
    saving saves = waited > 0 ? saving_of(e, &(replay_change){.no_spilling = true, .no_pausing = true}, waited)
                              : saving_exactly(0);
    finding *f = add_finding(e, FINDING_SPILLING, FINDING_LIKELY, waited, saves);
    if (f && spilled > 0.1 * limit)
        f->confidence = FINDING_LIKELY;
    add_evidence(f, "most spilled by one worker", NOBODY, spilled / 1048576.0, "MiB");
    if (written > 0)
        add_evidence(f, "written to disk in all", NOBODY, written, "B");
}

void explain_memory(explaining *e)
{
    explain_growth(e);
    explain_limit(e);
    explain_spilling(e);
}
