/* Slow times: stretches of the run, as long as they were, in which most was slow. */
#include "analysis/straggler_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { SLOW_TIMES = (STRAGGLER_PERIODS - 1) / 2 / STRAGGLER_PARTS };

typedef struct timed {
    int64_t t_ns;
    uint32_t attempt;
} timed;

static int compare_timed(const void *left, const void *right)
{
    const timed *a = left, *b = right;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

/* Items from first to last - 1, and by how many the slow ones among them outnumber the others. */
typedef struct stretch {
    size_t first, last, slow;
    int64_t score;
} stretch;

/* The stretch in which slow attempts outnumber the others the most. What was taken before is in none. */
static stretch slowest_stretch(const timed *items, size_t count, const float *of, const bool *taken)
{
    stretch best = {0}, now = {0};
    for (size_t i = 0; i < count; i++) {
        double by = (double)of[items[i].attempt];
        if (taken[i]) {
            now = (stretch){.first = i + 1};
            continue;
        }
        if (!isfinite(by))
            continue;
        if (now.score <= 0)
            now = (stretch){.first = i};
        now.score += straggler_stands_out(by) ? 1 : -1;
        now.slow += straggler_stands_out(by);
        now.last = i + 1;
        if (now.score > best.score)
            best = now;
    }
    return best;
}

/* Whether most of what cores were at in a time was slow. Single stragglers have their middles where few others have. */
static bool most_is_slow(const stragglers *s, const float *of, int64_t from_ns, int64_t until_ns)
{
    double slow = 0, all = 0;
    for (size_t i = 0; i < s->trace->count; i++) {
        const trace_attempt *a = &s->trace->attempts[i];
        int64_t from = a->start_ns > from_ns ? a->start_ns : from_ns;
        int64_t until = a->end_ns < until_ns ? a->end_ns : until_ns;
        if (until < from || !isfinite(of[i]))
            continue;
        all += clock_seconds(until - from + 1);
        slow += straggler_stands_out((double)of[i]) ? clock_seconds(until - from + 1) : 0;
    }
    return 2 * slow > all;
}

/* Whether chance would make as many attempts of a stretch slow, wherever in the run it may be. */
static bool by_chance(const deviations *d, int part, stretch in)
{
    size_t length = in.last - in.first, all = d->known[part];
    size_t slow = d->above[part][deviations_level(log(LEAST_SLOWDOWN))];
    return length <= MOST_BY_CHANCE && hypergeometric_tail(in.slow, length, slow, all) * (double)all > LARGEST_CHANCE;
}

static void add_bound(stragglers *s, const timed *items, size_t count, size_t at)
{
    if (at == 0 || at >= count)
        return;
    int64_t bound_ns = items[at].t_ns;
    size_t place = s->n_bounds;
    for (size_t i = 0; i < s->n_bounds; i++)
        if (s->bounds_ns[i] == bound_ns)
            return;
    for (; place > 0 && s->bounds_ns[place - 1] > bound_ns; place--)
        s->bounds_ns[place] = s->bounds_ns[place - 1];
    s->bounds_ns[place] = bound_ns;
    s->n_bounds++;
}

/* Cuts the run where slow times begin and end: a stretch of which chance would not make as many slow. */
static void cut_by(stragglers *s, const timed *items, size_t count, const deviations *d, int part, bool *taken)
{
    memset(taken, 0, count * sizeof *taken);
    for (int i = 0; i < SLOW_TIMES; i++) {
        stretch slow = slowest_stretch(items, count, d->of[part], taken);
        if (slow.score < FEWEST_TO_BLAME || by_chance(d, part, slow))
            return;
        memset(taken + slow.first, true, (slow.last - slow.first) * sizeof *taken);
        if (!most_is_slow(s, d->of[part], items[slow.first].t_ns, items[slow.last - 1].t_ns))
            continue;
        add_bound(s, items, count, slow.first);
        add_bound(s, items, count, slow.last);
    }
}

bool straggler_cut_times(stragglers *s, const deviations *d)
{
    size_t count = 0;
    timed *items = malloc((s->trace->count + 1) * sizeof *items);
    bool *taken = malloc((s->trace->count + 1) * sizeof *taken), done = items && taken;
    for (size_t i = 0; done && i < s->trace->count; i++)
        if (straggler_comparable(&s->trace->attempts[i]))
            items[count++] = (timed){straggler_time(s, &s->trace->attempts[i]), (uint32_t)i};
    s->n_bounds = 0;
    if (done)
        qsort(items, count, sizeof *items, compare_timed);
    for (int part = 0; done && part < STRAGGLER_PARTS; part++)
        cut_by(s, items, count, d, part, taken);
    free(items);
    free(taken);
    return done;
}
