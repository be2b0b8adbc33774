/* Rules about what chunks do: opening files, waiting for storage, for locks and for cores, computing. */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain_parts.h"
#include "base/error.h"

typedef struct busy_sums {
    /* Core-seconds of what succeeded; told: with CPU times; locked, crowded: of wait. */
    double all, open, wait, cpu, core, chunks, told, locked, crowded;
} busy_sums;

/* Over the attempts that nothing specific explains, or over all. */
static busy_sums sum_busy(const explaining *e, bool ordinary)
{
    busy_sums sums = {0};
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || (ordinary && !e->contention.ordinary[i]))
            continue;
        sums.all += trace_seconds(a);
        sums.open += (double)(a->open + a->events_s);
        sums.wait += (double)a->wait;
        sums.cpu += (double)a->cpu;
        sums.core += (double)a->core;
        sums.locked += contention_locked(&e->contention, i);
        sums.crowded += contention_crowded(&e->contention, i);
        sums.told += a->cpu_known ? trace_seconds(a) : 0;
        sums.chunks++;
    }
    return sums;
}

/* Of what chunks take to open and to build, the part that nothing specific explains: a slow server, first chunks. */
static double usual_opening(const explaining *e)
{
    double open = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        bool explained = a->failed;
        for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
            explained = explained || straggler_in_slow(&e->stragglers, (straggler_kind)kind, a);
        open += explained ? 0 : (double)(a->open + a->events_s);
    }
    return open;
}

/* Chunks so much larger that opening takes no more than this of what follows it, as far as files have so many chunks
 * and every core still gets six. */
static const double TOLERABLE_OPENING = 0.05;
static const double USUAL_OPENING = 0.1;  /* of the time of chunks */
static const double QUICK_OPENING = 0.05; /* seconds: files on the same machine take as long */

/* Waiting for a file to open is the storage's, and storage that answers at once takes it away; what is built for each
 * chunk is computed, and only larger chunks take that away. */
static void explain_opening(explaining *e, const busy_sums *sums)
{
    double share = sums->open / sums->all, files = real_of(e, M_run_num_files), usual = usual_opening(e);
    if (!worth_a_look(e, usual))
        return;
    double most = sums->chunks / fmax(files, 1), factor = 1;
    if (e->cores > 1) /* one core does them all, however few they are */
        most = fmin(most, sums->chunks / (6 * e->cores));
    double wanted = ceil(sums->open / (sums->all - sums->open) / TOLERABLE_OPENING);
    if (most >= 2)
        factor = fmin(wanted, floor(most));
    replay_change change = {.chunk_size = factor, .quick_open = true, .no_open = factor == 1};
    saving saves = saving_part(saving_of(e, &change, sums->open), usual / sums->open);
    if (!worth_telling(e, saves.about))
        return;
    finding *f = add_finding(e, FINDING_OPENING, confidence_of_replay(e), usual, saves);
    if (f && factor > 1)
        f->factor = factor;
    if (f && share < USUAL_OPENING && sums->open / sums->chunks < QUICK_OPENING)
        f->confidence = FINDING_NOTE;
    add_evidence(f, "of the time of a chunk, opening and building events", NOBODY, 100 * share, "%");
    add_evidence(f, "both, per chunk", NOBODY, sums->open / sums->chunks, "s");
    add_evidence(f, "events per chunk", NOBODY, real_of(e, M_run_chunk_events_mean), "count");
    if (factor > 1)
        add_evidence(f, "chunks to make of it, larger by", NOBODY, factor, "times");
}

static const char *cpu_of_core_time(const explaining *e)
{
    return e->trace->of_tasks ? "CPU of tasks, of the core time"
           : e->partly        ? "CPU in process(), of the measured core time"
                              : "CPU in process(), of the core time";
}

/* Waiting that grows with what the other threads of a worker compute: the interpreter's lock, or another one. */
static void explain_locks(explaining *e, const busy_sums *all)
{
    double cost = all->locked;
    if (!worth_a_look(e, cost))
        return;
    saving saves = saving_of(e, &(replay_change){.no_locks = true}, cost);
    if (!worth_telling(e, saves.about))
        return;
    double threads = 0;
    for (uint32_t w = 0; w < run_workers(e->run); w++)
        threads = fmax(threads, (double)run_worker(e->run, w)->cores);
    finding *f = add_finding(e, FINDING_LOCKS, FINDING_LIKELY, cost, saves);
    add_evidence(f, "of the time of a chunk, waiting for other threads of its worker", NOBODY, 100 * cost / all->all,
                 "%");
    add_evidence(f, "threads of a worker", NOBODY, threads, "count");
    add_evidence(f, "waited for each second of CPU and other thread", NOBODY, e->contention.lock_per_work, "s");
}

/* Storage that is asked by too many at once would be fast enough for one: what it would save is the crowd. Where
 * nothing tells how fast it could be, it is all the waiting at most. What is waited for bytes that nobody used is not
 * the storage's. */
static void explain_io(explaining *e, const busy_sums *all)
{
    static const double WAITS_MOSTLY = 0.35, WAITS = 0.2, CROWDED = 0.15; /* of the time of ordinary chunks */
    busy_sums ordinary = sum_busy(e, true);
    double used = 1 - e->unread, share = ordinary.all > 0 ? used * (ordinary.wait - ordinary.locked) / ordinary.all : 0;
    bool crowded = ordinary.crowded > 0.5 * (ordinary.wait - ordinary.locked);
    if (all->told < 0.5 * all->all || (share < WAITS && !crowded))
        return;
    double cost = used * (crowded ? all->crowded : all->wait - all->locked);
    replay_change change = {.no_wait = !crowded, .no_crowding = crowded};
    saving saves = saving_part(saving_of(e, &change, cost / used), used);
    if (crowded && !worth_telling(e, saves.about))
        return;
    finding *f = add_finding(e, FINDING_IO_BOUND, confidence_of_replay(e), cost, saves);
    if (f && share < WAITS_MOSTLY && !(crowded && used * ordinary.crowded > CROWDED * ordinary.all))
        f->confidence = FINDING_NOTE;
    if (f && !crowded)
        f->saving_low = 0; /* no storage is so fast that nobody waits */
    add_evidence(f, "of the time of a chunk, waiting in process()", NOBODY, 100 * share, "%");
    if (crowded)
        add_evidence(f, "of it, because others read from the same storage", NOBODY,
                     100 * ordinary.crowded / (ordinary.wait - ordinary.locked), "%");
    double bytes = real_of(e, M_run_total_bytes_read);
    if (bytes > 0 && !e->partly) /* that is of all chunks */
        add_evidence(f, "read per core and second", NOBODY, bytes / all->all, "B");
    add_evidence(f, cpu_of_core_time(e), NOBODY, 100 * all->cpu / e->total, "%");
}

/* By host: core-seconds of ordinary chunks, and of them those without a core. A slow machine or time is a cause of its
 * own. */
typedef struct host_cores {
    double all, core;
} host_cores;

/* Linux tells how long a thread waits for a core, so no other machine is needed to see that one is full: the sum is
 * over those on which it is a twentieth of the time of chunks. */
static host_cores sum_full_hosts(explaining *e, double *on_hosts)
{
    static const double FULL = 0.05;
    host_cores sums = {0}, *hosts = calloc(e->stragglers.hosts.count + 1, sizeof *hosts);
    if (!hosts)
        e->code = fail_memory(e->err);
    for (size_t i = 0; hosts && i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        uint32_t host = straggler_group(&e->stragglers, STRAGGLER_HOST, a);
        if (host == TRACE_NONE || !e->contention.ordinary[i])
            continue;
        hosts[host].all += trace_seconds(a);
        hosts[host].core += (double)a->core;
    }
    for (uint32_t h = 0; hosts && h < e->stragglers.hosts.count; h++) {
        bool full = hosts[h].core > FULL * hosts[h].all;
        sums.all += full ? hosts[h].all : 0;
        sums.core += full ? hosts[h].core : 0;
        *on_hosts += full;
    }
    free(hosts);
    return sums;
}

/* Threads that are ready and have no core: because there are more of our own than cores, which no core that exists
 * would help, or because others use the machines. */
static void explain_cores(explaining *e)
{
    double cores = 0, hosts = 0;
    bool own = false;
    host_cores full = sum_full_hosts(e, &hosts);
    if (e->code || !worth_a_look(e, full.core))
        return;
    e->code = contention_cores(&e->contention, &own, &cores, e->err);
    if (e->code)
        return;
    saving saves = own ? saving_exactly(0) : saving_of(e, &(replay_change){.free_cores = true}, full.core);
    finding *f =
        add_finding(e, own ? FINDING_OVERSUBSCRIBED : FINDING_NO_CORE_FREE, confidence_of_replay(e), full.core, saves);
    if (f && own)
        f->confidence = FINDING_LIKELY; /* whoever asks for more cores should know */
    add_evidence(f, "of the time of a chunk, ready to run without a core", NOBODY, 100 * full.core / full.all, "%");
    if (hosts < e->stragglers.hosts.count)
        add_evidence(f, "machines on which it is so", NOBODY, hosts, "count");
    if (own && cores > 0)
        add_evidence(f, "cores that each machine seems to have for them", NOBODY, cores, "count");
}

static void explain_cpu(explaining *e, const busy_sums *all)
{
    double cpu = cpu_of_ledger(e) / e->total;
    if (cpu < 0.6)
        return;
    replay_result twice = {.wall_seconds = (double)NAN};
    if (e->out->replay_answers)
        twice = replay_of(e, &(replay_change){.workers = 2});
    double saves = e->as_it_was.wall_seconds - fmax(twice.wall_seconds, e->replay.least_dispatch);
    finding *f = add_finding(e, FINDING_CPU_BOUND, FINDING_NOTE, cpu_of_ledger(e),
                             saving_exactly(isfinite(twice.wall_seconds) ? fmax(saves, 0) : (double)NAN));
    if (f) {
        f->confidence = FINDING_NOTE;
        f->of_any_run = true;
    }
    add_evidence(f, cpu_of_core_time(e), NOBODY, 100 * cpu, "%");
    if (!e->trace->of_tasks && all->wait > 0.1 * all->all)
        add_evidence(f, "of the time of a chunk, waiting in process()", NOBODY, 100 * all->wait / all->all, "%");
}

void explain_process(explaining *e)
{
    busy_sums all = sum_busy(e, false);
    if (!(all.all > 0))
        return;
    explain_opening(e, &all);
    explain_locks(e, &all);
    explain_io(e, &all);
    explain_cores(e);
    if (!e->code)
        explain_cpu(e, &all);
}
