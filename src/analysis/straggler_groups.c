/* What attempts have in common: hosts, workers, sites, files, first chunks, times; and what slow ones cost. */
#include "analysis/straggler_parts.h"

#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

static uint32_t period_at(const stragglers *s, int64_t t_ns)
{
    uint32_t period = 0;
    while (period < s->n_bounds && t_ns >= s->bounds_ns[period])
        period++;
    return period;
}

/* By its middle: it is slow for as long as it runs in a slow time, whenever it began. At the end of a run only the long
 * ones are left, which makes that no slow time: there they count as they began. */
int64_t straggler_time(const stragglers *s, const trace_attempt *attempt)
{
    int64_t middle = attempt->start_ns + (attempt->end_ns - attempt->start_ns) / 2;
    return middle > s->last_start_ns ? attempt->start_ns : middle;
}

uint32_t straggler_group(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    bool on_worker = attempt->worker < run_workers(s->run), of_file = attempt->file < run_files(s->run);
    switch (kind) {
    case STRAGGLER_HOST:
        return on_worker ? s->host_of[attempt->worker] : TRACE_NONE;
    case STRAGGLER_WORKER:
        return on_worker ? attempt->worker : TRACE_NONE;
    case STRAGGLER_SITE:
        return of_file ? s->site_of[attempt->file] : TRACE_NONE;
    case STRAGGLER_FILE:
        return of_file ? attempt->file : TRACE_NONE;
    case STRAGGLER_WARM_UP:
        return on_worker ? attempt->start_ns < s->first_end_ns[attempt->worker] : TRACE_NONE;
    case STRAGGLER_PERIOD:
    case STRAGGLER_KINDS: /* is none */
        break;
    }
    return period_at(s, straggler_time(s, attempt));
}

/* First chunks are not alike: one compiles while the others wait for it. Each is compared with what it should take. */
static double own_slowdown(const stragglers *s, straggler_part part, const trace_attempt *attempt)
{
    size_t i = (size_t)(attempt - s->trace->attempts);
    double expected = (double)s->expected[part][i], slack = straggler_indifferent(s, i);
    double took = straggler_compared(s, attempt, part), ratio = (took + slack) / (expected + slack);
    return expected > 0 && ratio > LEAST_SLOWDOWN ? took / expected : 1;
}

/* What only begins or ends in a slow time is slow for a part of its own time: for what it took longer, at most. */
static double slowdown_at_edge(const stragglers *s, straggler_part part, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[STRAGGLER_PERIOD];
    uint32_t first = period_at(s, attempt->start_ns), last = period_at(s, attempt->end_ns);
    double most = 1;
    if (attempt->end_ns > s->last_start_ns) /* the end of a run is no slow time */
        last = first;
    for (uint32_t g = first; g <= last; g++)
        most = groups->slow[g] ? fmax(most, (double)groups->slowdown[part][g]) : most;
    return most > 1 ? fmin(most, own_slowdown(s, part, attempt)) : 1;
}

double straggler_slowdown(const stragglers *s, straggler_kind kind, straggler_part part, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[kind];
    if (!groups->n_slow) /* the usual case, asked often */
        return 1;
    uint32_t group = straggler_group(s, kind, attempt);
    if (group < groups->count && groups->slow[group])
        return kind == STRAGGLER_WARM_UP ? own_slowdown(s, part, attempt) : (double)groups->slowdown[part][group];
    return kind == STRAGGLER_PERIOD && straggler_comparable(attempt) ? slowdown_at_edge(s, part, attempt) : 1;
}

bool straggler_in_slow(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[kind];
    uint32_t group = groups->n_slow ? straggler_group(s, kind, attempt) : TRACE_NONE;
    return group < groups->count && groups->slow[group];
}

double straggler_excess(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    double excess = 0;
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        double slowdown = straggler_slowdown(s, kind, (straggler_part)part, attempt);
        excess += straggler_part_seconds(attempt, (straggler_part)part) * (1 - 1 / slowdown);
    }
    return excess;
}

roast_str straggler_name(const stragglers *s, straggler_kind kind, uint32_t group)
{
    if (kind == STRAGGLER_HOST)
        return group < s->hosts.count ? s->hosts.strings[group] : str_none();
    if (kind == STRAGGLER_SITE)
        return group < s->sites.count ? s->sites.strings[group] : str_none();
    const roast_worker *worker = kind == STRAGGLER_WORKER ? run_worker(s->run, group) : NULL;
    const roast_file *file = kind == STRAGGLER_FILE ? run_file(s->run, group) : NULL;
    return worker ? worker->address : file ? file->url : str_none();
}

/* "tcp://HOST:PORT" names the host; anything else is a host of its own. */
static roast_str host_name(const roast_worker *worker)
{
    return worker_host(worker);
}

static bool make_groups(stragglers *s, straggler_groups *groups, uint32_t count)
{
    groups->count = count;
    groups->attempts = arena_alloc(&s->memory, count, sizeof *groups->attempts);
    groups->slow = arena_alloc(&s->memory, count, sizeof *groups->slow);
    bool done = groups->attempts && groups->slow;
    for (int part = 0; part < STRAGGLER_PARTS && done; part++) {
        groups->slowdown[part] = arena_alloc(&s->memory, count, sizeof **groups->slowdown);
        groups->typical[part] = arena_alloc(&s->memory, count, sizeof **groups->typical);
        done = groups->slowdown[part] && groups->typical[part];
        for (uint32_t g = 0; done && g < count; g++)
            groups->slowdown[part][g] = 1;
    }
    return done;
}

/* What a worker begins before it has done any chunk finds nothing loaded, compiled or connected. */
static bool find_first_ends(stragglers *s)
{
    size_t workers = run_workers(s->run);
    s->first_end_ns = arena_alloc(&s->memory, workers, sizeof *s->first_end_ns);
    for (size_t w = 0; s->first_end_ns && w < workers; w++)
        s->first_end_ns[w] = ROAST_ABSENT;
    for (size_t i = 0; s->first_end_ns && i < s->trace->count; i++) {
        const trace_attempt *a = &s->trace->attempts[i];
        int64_t end_ns = a->end_ns - (a->end_ns - a->start_ns) / 50; /* what begins in its last moments follows it */
        if (a->worker < workers && !a->failed &&
            (s->first_end_ns[a->worker] == ROAST_ABSENT || end_ns < s->first_end_ns[a->worker]))
            s->first_end_ns[a->worker] = end_ns;
    }
    return s->first_end_ns;
}

roast_code straggler_number_groups(stragglers *s, roast_error *err)
{
    uint32_t workers = (uint32_t)run_workers(s->run), files = (uint32_t)run_files(s->run);
    s->host_of = arena_alloc(&s->memory, workers, sizeof *s->host_of);
    s->site_of = arena_alloc(&s->memory, files, sizeof *s->site_of);
    bool done = s->host_of && s->site_of;
    for (uint32_t i = 0; done && i < workers; i++)
        done = (s->host_of[i] = intern_add(&s->hosts, host_name(run_worker(s->run, i)), NULL)) != INTERN_NONE;
    for (uint32_t i = 0; done && i < files; i++)
        done = (s->site_of[i] = intern_add(&s->sites, file_server(run_file(s->run, i)->url), NULL)) != INTERN_NONE;
    const uint32_t counts[] = {s->hosts.count, workers, s->sites.count, files, 2, STRAGGLER_PERIODS};
    for (int kind = 0; done && kind < STRAGGLER_KINDS; kind++)
        done = make_groups(s, &s->kinds[kind], counts[kind]);
    done = done && find_first_ends(s);
    return done ? ROAST_OK : fail_memory(err);
}

void straggler_acquit(straggler_groups *groups)
{
    groups->excess = 0;
    groups->n_slow = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        groups->slow[g] = false;
        for (int part = 0; part < STRAGGLER_PARTS; part++)
            groups->slowdown[part][g] = 1;
    }
}
