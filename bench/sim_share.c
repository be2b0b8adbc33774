/* Processor sharing. All that are served get the same, so one clock that runs at that rate (`given`) tells of each how
 * far it is: who wants an amount is done when the clock has gone on by it, however often the rate changes meanwhile. */
#include <math.h>

#include "sim.h"

double sim_share_rate(const sim_share *share)
{
    double readers = (double)share->ours.count + share->strangers;
    return readers > 0 ? fmin(share->each, share->total / readers) : share->each;
}

void sim_share_advance(sim_share *share, double now)
{
    if (share->ours.count)
        share->given += (now - share->now) * sim_share_rate(share);
    share->now = now;
}

void sim_share_enter(sim_share *share, double now, uint64_t who, double amount)
{
    sim_share_advance(share, now);
    if (!share->ours.count)
        share->given = 0; /* small numbers are exact numbers */
    sim_heap_push(&share->ours, share->given + amount, who);
}

void sim_share_leave(sim_share *share, double now, uint64_t who)
{
    sim_share_advance(share, now);
    sim_heap_remove(&share->ours, who);
}

double sim_share_next(const sim_share *share)
{
    if (!share->ours.count)
        return (double)INFINITY;
    return share->now + fmax(share->ours.entries[0].key - share->given, 0) / sim_share_rate(share);
}

uint64_t sim_share_finish(sim_share *share, double now)
{
    sim_share_advance(share, now);
    return sim_heap_pop(&share->ours).value;
}
