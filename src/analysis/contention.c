/* What waiting in process() goes with: a least-squares fit of the waiting of ordinary attempts by what it may grow
 * with. Each cause has to show beside the harmless term that is most like it (the bytes alone, the CPU alone): chunks
 * that wait more because they are larger, or because each of their events calls a service, are not contention. */
#include "analysis/contention.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

/* Standard errors: with some thousand attempts three are found in noise, and what waits for a lock is far beyond. */
static const double LEAST_SIGNIFICANCE = 5;
static const double LEAST_OF_BOTH = 3;      /* the same where another test has to agree */
static const double LEAST_OF_WAITING = 0.2; /* for a lock, against what is waited for bytes */
/* Seconds that are waited for a lock, for each second of CPU and other thread: while one waits, another one computes.
 */
static const double MOST_PER_WORK = 2;
enum { MOST_TERMS = 3, ROUNDS = 5, FEWEST = 30, MOST_FITTED = 100000 };

/* ---- How many others there were --------------------------------------------------------------------------------- */

/* An attempt begins or ends to be part of the load of its group. */
typedef struct change_of_load {
    int64_t t_ns;
    uint32_t group, attempt;
    float by;
} change_of_load;

static int compare_changes(const void *left, const void *right)
{
    const change_of_load *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

static int64_t process_start(const trace_attempt *a)
{
    return a->start_ns + clock_ns_from_seconds((double)(a->open + a->events_s));
}

static int64_t process_end(const trace_attempt *a)
{
    return a->end_ns - clock_ns_from_seconds((double)a->return_s);
}

/* By attempt: the load of its group, integrated over its time. The integral up to its start is kept until its end. */
static void integrate(const change_of_load *changes, size_t count, double *met)
{
    double level = 0, integral = 0;
    for (size_t i = 0; i < count; i++) {
        const change_of_load *now = &changes[i], *before = i ? now - 1 : NULL;
        bool same = before && before->group == now->group;
        integral = same ? integral + level * clock_seconds(now->t_ns - before->t_ns) : 0;
        level = (same ? level : 0) + (double)now->by;
        met[now->attempt] = integral - met[now->attempt];
    }
}

typedef struct load_question {
    uint32_t (*group)(const stragglers *s, const trace_attempt *a);
    double (*weight)(const trace_attempt *a); /* while it is in process() */
} load_question;

static bool in_process(const trace_attempt *a, uint32_t group)
{
    return group != TRACE_NONE && process_end(a) > process_start(a);
}

/* By attempt: the load that the others of its group were, averaged over its time in process(). */
static bool measure_load(float *out, const trace *t, const stragglers *s, load_question q)
{
    change_of_load *changes = malloc((2 * t->count + 1) * sizeof *changes);
    double *met = calloc(t->count + 1, sizeof *met);
    bool done = changes && met;
    size_t count = 0;
    for (uint32_t i = 0; done && i < t->count; i++) {
        const trace_attempt *a = &t->attempts[i];
        uint32_t group = q.group(s, a);
        if (!in_process(a, group))
            continue;
        float weight = (float)q.weight(a);
        changes[count++] = (change_of_load){process_start(a), group, i, weight};
        changes[count++] = (change_of_load){process_end(a), group, i, -weight};
    }
    if (done) {
        qsort(changes, count, sizeof *changes, compare_changes);
        integrate(changes, count, met);
    }
    for (size_t i = 0; done && i < t->count; i++) {
        const trace_attempt *a = &t->attempts[i];
        bool known = in_process(a, q.group(s, a));
        double seconds = known ? clock_seconds(process_end(a) - process_start(a)) : 1;
        out[i] = known ? (float)fmax(met[i] / seconds - q.weight(a), 0) : 0;
    }
    free(changes);
    free(met);
    return done;
}

static uint32_t worker_of(const stragglers *s, const trace_attempt *a)
{
    return straggler_group(s, STRAGGLER_WORKER, a);
}

static uint32_t dataset_of(const stragglers *s, const trace_attempt *a)
{
    (void)s;
    return a->dataset;
}

static uint32_t site_of(const stragglers *s, const trace_attempt *a)
{
    return straggler_group(s, STRAGGLER_SITE, a);
}

static double one(const trace_attempt *a)
{
    (void)a;
    return 1;
}

static double waiting_share(const trace_attempt *a)
{
    double process = (double)(a->cpu + a->wait + a->core);
    return process > 0 ? (double)a->wait / process : 0;
}

/* ---- The fit ---------------------------------------------------------------------------------------------------- */

/* Terms of the waiting of an attempt; false if it has none to tell. */
typedef bool (*terms_of)(const contention *c, size_t attempt, double *terms);

/* What an attempt waits by its own size, whoever runs beside it: a number of its dataset, or of the site of its file.
 */
typedef struct own_waiting {
    double per_amount;             /* seconds for each unit of its size */
    double zz, zy, zx[MOST_TERMS]; /* sums of products of that with itself, its waiting, the terms */
} own_waiting;

typedef struct own_kind {
    uint32_t (*group)(const stragglers *s, const trace_attempt *a);
    double (*amount)(const contention *c, size_t attempt);
    size_t groups;
} own_kind;

typedef struct waiting_fit {
    double slope[MOST_TERMS], error[MOST_TERMS];
    own_waiting *own; /* by group; NULL: nothing is waited for by the size alone */
    own_kind by;
    size_t count;
} waiting_fit;

/* Solves a symmetric system in place; the inverse is left in its stead. False if it is singular. */
static bool invert(double m[MOST_TERMS][MOST_TERMS], int n)
{
    for (int k = 0; k < n; k++) {
        if (!(fabs(m[k][k]) > 1e-300))
            return false;
        double pivot = 1 / m[k][k];
        m[k][k] = 1;
        for (int j = 0; j < n; j++)
            m[k][j] *= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = m[i][k];
            m[i][k] = 0;
            for (int j = 0; j < n; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    return true;
}

static bool is_ordinary(const contention *c, size_t i)
{
    const trace_attempt *a = &c->trace->attempts[i];
    if (a->failed || !a->cpu_known || !(a->cpu + a->wait + a->core > 0))
        return false;
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (straggler_in_slow(c->stragglers, (straggler_kind)kind, a))
            return false;
    return straggler_outlier(c->stragglers, STRAGGLER_IO, i) <= 0;
}

static double predicted(const waiting_fit *fit, const own_waiting *own, double amount, const double *terms, int n)
{
    double sum = own ? own->per_amount * amount : 0;
    for (int k = 0; k < n; k++)
        sum += fit->slope[k] * terms[k];
    return sum;
}

typedef struct normal_equations {
    double m[MOST_TERMS][MOST_TERMS], v[MOST_TERMS], squares;
    size_t count;
} normal_equations;

static own_waiting *own_of(const contention *c, const waiting_fit *fit, const trace_attempt *a)
{
    if (!fit->own)
        return NULL;
    uint32_t group = fit->by.group(c->stragglers, a);
    return &fit->own[group < fit->by.groups ? group : fit->by.groups];
}

/* What an attempt should have taken. By what it did take, those that waited long would count less than the others. */
static double expected_seconds(const contention *c, size_t i)
{
    return (double)(c->stragglers->expected[STRAGGLER_COMPUTE][i] + c->stragglers->expected[STRAGGLER_IO][i]);
}

/* Sums over the attempts whose distance from the fit before is within limit; each counts by the share of its time. */
static void add_up(normal_equations *sums, const contention *c, terms_of get, int n, double limit, waiting_fit *fit)
{
    size_t step = c->trace->count / MOST_FITTED + 1; /* more of them would not change what is significant */
    for (size_t i = 0; i < c->trace->count; i += step) {
        const trace_attempt *a = &c->trace->attempts[i];
        double terms[MOST_TERMS], weight = 1 / expected_seconds(c, i);
        own_waiting *own = own_of(c, fit, a);
        double amount = own ? fit->by.amount(c, i) : 0;
        if (!c->ordinary[i] || !(weight > 0) || !isfinite(weight) || !get(c, i, terms) ||
            fabs((double)a->wait - predicted(fit, own, amount, terms, n)) * weight > limit)
            continue;
        double waited = (double)a->wait * weight;
        amount *= weight;
        sums->count++;
        sums->squares += waited * waited;
        for (int k = 0; k < n; k++)
            terms[k] *= weight;
        for (int k = 0; k < n; k++) {
            sums->v[k] += terms[k] * waited;
            for (int j = 0; j < n; j++)
                sums->m[k][j] += terms[k] * terms[j];
        }
        if (!own)
            continue;
        own->zz += amount * amount;
        own->zy += amount * waited;
        for (int k = 0; k < n; k++)
            own->zx[k] += amount * terms[k];
    }
}

/* What the size explains in each group is taken out of all sums. */
static void take_own_out(normal_equations *sums, const waiting_fit *fit, int n)
{
    for (size_t g = 0; fit->own && g <= fit->by.groups; g++) {
        const own_waiting *own = &fit->own[g];
        if (!(own->zz > 0))
            continue;
        sums->squares -= own->zy * own->zy / own->zz;
        for (int k = 0; k < n; k++) {
            sums->v[k] -= own->zx[k] * own->zy / own->zz;
            for (int j = 0; j < n; j++)
                sums->m[k][j] -= own->zx[k] * own->zx[j] / own->zz;
        }
    }
}

static void set_own(waiting_fit *fit, int n)
{
    for (size_t g = 0; fit->own && g <= fit->by.groups; g++) {
        own_waiting *own = &fit->own[g];
        double rest = own->zy;
        for (int k = 0; k < n; k++)
            rest -= fit->slope[k] * own->zx[k];
        *own = (own_waiting){.per_amount = own->zz > 0 ? rest / own->zz : 0};
    }
}

/* distance: the root of the mean square afterwards. False if there is too little to fit. */
static bool fit_once(const contention *c, terms_of get, int n, double limit, waiting_fit *fit, double *distance)
{
    normal_equations sums = {0};
    size_t groups = fit->own ? fit->by.groups + 1 : 0;
    add_up(&sums, c, get, n, limit, fit);
    take_own_out(&sums, fit, n);
    double scale[MOST_TERMS], explained = 0;
    for (int k = 0; k < n; k++) /* bytes are billions of CPU seconds */
        scale[k] = sums.m[k][k] > 0 ? 1 / sqrt(sums.m[k][k]) : 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            sums.m[k][j] *= scale[k] * scale[j];
    if (sums.count < FEWEST + groups || !invert(sums.m, n))
        return false;
    for (int k = 0; k < n; k++) {
        fit->slope[k] = 0;
        for (int j = 0; j < n; j++)
            fit->slope[k] += sums.m[k][j] * scale[k] * scale[j] * sums.v[j];
        explained += fit->slope[k] * sums.v[k];
    }
    double freedom = (double)(sums.count - (size_t)n - groups);
    double variance = fmax(sums.squares - explained, 0) / freedom;
    for (int k = 0; k < n; k++)
        fit->error[k] = sqrt(fmax(sums.m[k][k], 0) * variance) * scale[k];
    set_own(fit, n);
    fit->count = sums.count;
    *distance = sqrt(variance);
    return true;
}

/* What is far from the fit is left out and it is made again: single attempts wait for other reasons, too. A fit that
 * cannot be made has a count of 0. */
static void fit_waiting(waiting_fit *fit, const contention *c, terms_of get, int n)
{
    double limit = HUGE_VAL, distance;
    for (int round = 0; round < ROUNDS; round++) {
        if (!fit_once(c, get, n, limit, fit, &distance)) {
            fit->count = 0;
            return;
        }
        limit = 3 * distance;
    }
}

/* False if memory is out. */
static bool fit_init(waiting_fit *fit, own_kind by)
{
    *fit = (waiting_fit){.own = calloc(by.groups + 1, sizeof *fit->own), .by = by};
    return fit->own != NULL;
}

static bool significant(const waiting_fit *fit, int term, double errors)
{
    return fit->count && fit->slope[term] > errors * fit->error[term];
}

/* ---- Locks ------------------------------------------------------------------------------------------------------ */

/* What storage makes it wait for: bytes, or events where bytes are not known. */
static double amount_read(const trace_attempt *a)
{
    return a->bytes >= 0 ? (double)a->bytes : (double)a->events;
}

/* What is computed while others want to compute in the same process: who computes longer waits for the lock longer. */
static double lock_work(const contention *c, size_t i)
{
    return (double)c->trace->attempts[i].cpu * (double)c->threads[i];
}

static double cpu_of(const contention *c, size_t i)
{
    return (double)c->trace->attempts[i].cpu;
}

static bool lock_terms(const contention *c, size_t i, double *terms)
{
    terms[0] = lock_work(c, i);
    terms[1] = amount_read(&c->trace->attempts[i]);
    return isfinite(terms[1]);
}

static bool workers_have_threads(const contention *c)
{
    for (uint32_t w = 0; w < run_workers(c->stragglers->run); w++)
        if (run_worker(c->stragglers->run, w)->cores > 1)
            return true;
    return false;
}

/* Of what ordinary attempts wait by a fit of lock_terms: for the lock, against the bytes. */
static double lock_against_bytes(const contention *c, const waiting_fit *fit)
{
    double lock = 0, bytes = 0, terms[MOST_TERMS];
    for (size_t i = 0; i < c->trace->count; i++) {
        if (!c->ordinary[i] || !lock_terms(c, i, terms))
            continue;
        lock += fit->slope[0] * terms[0];
        bytes += fit->slope[1] * terms[1];
    }
    return bytes > 0 ? lock / bytes : HUGE_VAL;
}

/* Seconds waited for a second of work and each other thread. It has to show in two ways. Beside the bytes: storage is
 * waited for by the byte, whatever a chunk computes. And beside the CPU time alone, within each dataset: chunks that
 * have more in them may compute and wait longer, but not the longer the more threads are at work; where their number
 * does not vary, nothing tells. With enough attempts the smallest effect is significant: it must not be small. And who
 * waits longer than the others compute does not wait for them. */
static bool find_lock_slope(contention *c)
{
    waiting_fit by_bytes = {.own = NULL}, by_cpu;
    if (!fit_init(&by_cpu, (own_kind){dataset_of, cpu_of, c->stragglers->trace->n_datasets}))
        return false;
    fit_waiting(&by_cpu, c, lock_terms, 1);
    fit_waiting(&by_bytes, c, lock_terms, 2);
    if (significant(&by_cpu, 0, LEAST_OF_BOTH) && significant(&by_bytes, 0, LEAST_SIGNIFICANCE) &&
        by_bytes.slope[0] < MOST_PER_WORK && lock_against_bytes(c, &by_bytes) > LEAST_OF_WAITING)
        c->lock_per_work = by_bytes.slope[0];
    free(by_cpu.own);
    return true;
}

static roast_code find_locks(contention *c, roast_error *err)
{
    if (!workers_have_threads(c))
        return ROAST_OK;
    c->threads = arena_alloc(&c->memory, c->trace->count, sizeof *c->threads);
    if (!c->threads || !measure_load(c->threads, c->trace, c->stragglers, (load_question){worker_of, one}))
        return fail_memory(err);
    if (!find_lock_slope(c))
        return fail_memory(err);
    for (size_t i = 0; i < c->trace->count && c->lock_per_work > 0; i++)
        c->locked += contention_locked(c, i);
    return ROAST_OK;
}

/* ---- Crowded storage -------------------------------------------------------------------------------------------- */

/* Sites differ in what a byte takes, and who is slower has more readers at a time: the crowd has to show within a site.
 * What is begun when the run begins is read by all at once, which happens once in every run, whatever storage can do.
 */
static bool crowd_terms(const contention *c, size_t i, double *terms)
{
    const trace_attempt *a = &c->trace->attempts[i];
    if (straggler_group(c->stragglers, STRAGGLER_WARM_UP, a) == 1)
        return false;
    terms[0] = (double)a->bytes * (double)c->readers[i];
    terms[1] = c->threads ? lock_work(c, i) : 0;
    return a->bytes > 0;
}

static double bytes_of(const contention *c, size_t i)
{
    return (double)c->trace->attempts[i].bytes;
}

static roast_code find_crowds(contention *c, roast_error *err)
{
    c->readers = arena_alloc(&c->memory, c->trace->count, sizeof *c->readers);
    if (!c->readers || !measure_load(c->readers, c->trace, c->stragglers, (load_question){site_of, waiting_share}))
        return fail_memory(err);
    waiting_fit fit;
    if (!fit_init(&fit, (own_kind){site_of, bytes_of, c->stragglers->sites.count}))
        return fail_memory(err);
    fit_waiting(&fit, c, crowd_terms, c->lock_per_work > 0 ? 2 : 1);
    if (significant(&fit, 0, LEAST_SIGNIFICANCE))
        c->crowd_per_byte = fit.slope[0];
    free(fit.own);
    for (size_t i = 0; i < c->trace->count && c->crowd_per_byte > 0; i++)
        c->crowded += contention_crowded(c, i);
    return ROAST_OK;
}

/* ---- Cores ------------------------------------------------------------------------------------------------------ */

static uint32_t host_of(const stragglers *s, const trace_attempt *a)
{
    return straggler_group(s, STRAGGLER_HOST, a);
}

static double runnable_share(const trace_attempt *a)
{
    double process = (double)(a->cpu + a->wait + a->core);
    return process > 0 ? (double)(a->cpu + a->core) / process : 0;
}

/* Where n threads share c cores, each takes n / c times as long. A line through what was seen goes through 0 if all n
 * are ours, and starts above if others are there, too. Where threads are fewer than cores nobody waits, which puts the
 * line of our own below 0. Both are in units of their means, on each machine by itself: machines differ in their cores.
 */
static bool all_threads_are_ours(const line_fit *fit)
{
    static const double NEAR_ZERO = 0.15;
    double start = line_fit_intercept(fit) + 2 * line_fit_intercept_error(fit);
    return fit->count >= FEWEST && line_fit_slope(fit) > 0 && start < NEAR_ZERO;
}

static const double UNSTRETCHED = 1.1; /* times as long as alone: nobody waits for a core */

/* Of an attempt: threads that wanted to run on its machine, and how many times longer it took for that. */
typedef struct crowding {
    double threads, stretched;
} crowding;

static crowding crowding_of(const contention *c, const float *runnable, size_t i)
{
    const trace_attempt *a = &c->trace->attempts[i];
    bool known = c->ordinary[i] && a->cpu > 0;
    return known ? (crowding){(double)runnable[i] + 1, (double)(a->cpu + a->core) / (double)a->cpu} : (crowding){0};
}

/* Whether machines served as many threads as they usually have, without anyone waiting: then ours are not too many,
 * whoever it is that takes their cores at other times. */
static bool cores_are_enough(double crowds, double served)
{
    static const double OFTEN_ENOUGH = 0.2;
    return served > OFTEN_ENOUGH * crowds;
}

/* By host: means over its attempts. */
static void average_by_host(const contention *c, const float *runnable, crowding *means, double *counts)
{
    for (size_t i = 0; i < c->trace->count; i++) {
        uint32_t host = host_of(c->stragglers, &c->trace->attempts[i]);
        crowding here = crowding_of(c, runnable, i);
        if (host == TRACE_NONE || !(here.threads > 0))
            continue;
        counts[host]++;
        means[host].threads += (here.threads - means[host].threads) / counts[host];
        means[host].stretched += (here.stretched - means[host].stretched) / counts[host];
    }
}

roast_code contention_cores(const contention *c, bool *own, double *cores, roast_error *err)
{
    size_t hosts = c->stragglers->hosts.count;
    float *runnable = malloc((c->trace->count + 1) * sizeof *runnable);
    crowding *means = calloc(hosts + 1, sizeof *means);
    double *counts = calloc(hosts + 1, sizeof *counts), per_core = 0;
    bool done = runnable && means && counts &&
                measure_load(runnable, c->trace, c->stragglers, (load_question){host_of, runnable_share});
    double crowds = 0, served = 0;
    line_fit fit = {0};
    if (done)
        average_by_host(c, runnable, means, counts);
    for (size_t i = 0; done && i < c->trace->count; i++) {
        uint32_t host = host_of(c->stragglers, &c->trace->attempts[i]);
        crowding here = crowding_of(c, runnable, i);
        if (host == TRACE_NONE || !(here.threads > 0) || counts[host] < 2)
            continue;
        line_fit_add(&fit, here.threads / means[host].threads, here.stretched / means[host].stretched);
        crowds += here.threads >= means[host].threads;
        served += here.threads >= means[host].threads && here.stretched < UNSTRETCHED;
        per_core += here.threads / here.stretched;
    }
    *own = all_threads_are_ours(&fit) && !cores_are_enough(crowds, served);
    *cores = fit.count ? per_core / (double)fit.count : 0;
    free(runnable);
    free(means);
    free(counts);
    return done ? ROAST_OK : fail_memory(err);
}

roast_code contention_find(contention *c, const trace *t, const stragglers *s, roast_error *err)
{
    *c = (contention){.trace = t, .stragglers = s};
    c->ordinary = arena_alloc(&c->memory, t->count, sizeof *c->ordinary);
    for (size_t i = 0; c->ordinary && i < t->count; i++)
        c->ordinary[i] = is_ordinary(c, i);
    roast_code code = c->ordinary ? find_locks(c, err) : fail_memory(err);
    return code ? code : find_crowds(c, err);
}

void contention_release(contention *c)
{
    arena_release(&c->memory);
}

double contention_locked(const contention *c, size_t i)
{
    const trace_attempt *a = &c->trace->attempts[i];
    if (!(c->lock_per_work > 0) || a->failed || !a->cpu_known)
        return 0;
    return fmin(c->lock_per_work * lock_work(c, i), (double)a->wait);
}

double contention_crowded(const contention *c, size_t i)
{
    const trace_attempt *a = &c->trace->attempts[i];
    if (!(c->crowd_per_byte > 0) || a->failed || !a->cpu_known || !(a->bytes > 0))
        return 0;
    double left = (double)a->wait - contention_locked(c, i);
    return fmin(c->crowd_per_byte * (double)a->bytes * (double)c->readers[i], left);
}
