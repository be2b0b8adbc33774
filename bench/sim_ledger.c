/* Where the core time really went: every thread's time from its worker's coming to its leaving, cut into what it did
 * and what it waited for. */
#include <math.h>
#include <stdlib.h>

#include "sim.h"

const char *sim_category_name(sim_category category)
{
    static const char *const names[] = {
#define SIM_CATEGORY_NAME(name) #name,
        SIM_LEDGER(SIM_CATEGORY_NAME)
#undef SIM_CATEGORY_NAME
    };
    return names[category];
}

typedef struct bookkeeping {
    const sim_log *log;
    sim_ledger *ledger;
    double *first_start; /* of a chunk, by life; of all of them where a life had none */
    double last_start;
} bookkeeping;

static void add(const bookkeeping *books, sim_category category, double seconds)
{
    books->ledger->core_seconds[category] += seconds;
}

/* How much of from to until lies between low and high. */
static double overlap(double from, double until, double low, double high)
{
    return fmax(fmin(until, high) - fmax(from, low), 0);
}

/* A worker is starting up until one of its threads has a chunk. One that is never given any is so until there are some.
 */
static void add_idle(const bookkeeping *books, size_t life, double from, double until)
{
    double tail = fmax(books->last_start, books->log->preprocessed);
    double first = fmin(fmax(books->first_start[life], books->log->preprocessed), tail);
    add(books, SIM_preprocessing, overlap(from, until, 0, books->log->preprocessed));
    add(books, SIM_idle_start, overlap(from, until, books->log->preprocessed, first));
    add(books, SIM_idle_queue, overlap(from, until, first, tail));
    add(books, SIM_idle_tail, overlap(from, until, tail, (double)INFINITY));
}

static void add_chunk(const bookkeeping *books, const sim_attempt *attempt)
{
    double process = attempt->wall[ROAST_PHASE_PROCESS];
    add(books, SIM_open, attempt->wall[ROAST_PHASE_OPEN]);
    add(books, SIM_events, attempt->wall[ROAST_PHASE_EVENTS]);
    add(books, SIM_return, attempt->wall[ROAST_PHASE_RETURN]);
    add(books, SIM_process_cpu, attempt->process_cpu);
    add(books, SIM_process_core, attempt->process_delay);
    add(books, SIM_process_io, process - attempt->process_cpu - attempt->process_delay);
}

static void add_attempt(const bookkeeping *books, const sim_attempt *attempt)
{
    double seconds = attempt->stop - attempt->start;
    if (attempt->kind == SIM_PREPROCESS)
        add(books, SIM_preprocessing, seconds);
    else if (attempt->fate == SIM_KILLED || attempt->recomputed)
        add(books, SIM_lost, seconds);
    else if (attempt->kind == SIM_MERGE)
        add(books, SIM_merging, seconds);
    else if (attempt->fate == SIM_RAISED)
        add(books, SIM_failed, seconds);
    else
        add_chunk(books, attempt);
}

/* accounted: up to which time of the thread. */
static void follow(const bookkeeping *books, double *accounted, const sim_attempt *attempt)
{
    const sim_life *life = &books->log->lives[attempt->life];
    add_idle(books, attempt->life, *accounted, attempt->start);
    add_attempt(books, attempt);
    double until = fmin(life->left, books->log->wall), written = attempt->stop + attempt->spilling;
    double begins = fmin(written - attempt->writing, until);
    add_idle(books, attempt->life, attempt->stop, begins);
    *accounted = fmin(written, until);
    add(books, SIM_return, *accounted - begins);
}

/* When every chunk had been begun: what is begun again later is no queue that anybody waits in. */
static double last_chunk_start(const sim_log *log)
{
    double last = 0;
    for (size_t i = 0; i < log->n_attempts; i++)
        if (log->attempts[i].kind == SIM_CHUNK && log->attempts[i].number == 1)
            last = fmax(last, log->attempts[i].start);
    return last;
}

static void find_first_starts(const sim_log *log, double *first)
{
    double of_all = (double)INFINITY;
    for (size_t life = 0; life < log->n_lives; life++)
        first[life] = (double)INFINITY;
    for (size_t i = 0; i < log->n_attempts; i++) {
        const sim_attempt *attempt = &log->attempts[i];
        if (attempt->kind != SIM_CHUNK)
            continue;
        first[attempt->life] = fmin(first[attempt->life], attempt->start);
        of_all = fmin(of_all, attempt->start);
    }
    for (size_t life = 0; life < log->n_lives; life++)
        first[life] = isinf(first[life]) ? of_all : first[life];
}

void sim_ledger_compute(const sim_plan *plan, const sim_log *log, sim_ledger *ledger)
{
    *ledger = (sim_ledger){0};
    bookkeeping books = {log, ledger, sim_rows(log->n_lives, sizeof(double)), last_chunk_start(log)};
    find_first_starts(log, books.first_start);
    size_t *first = sim_rows(log->n_lives, sizeof *first), threads = 0; /* of each life's threads */
    for (size_t life = 0; life < log->n_lives; life++) {
        first[life] = threads;
        threads += plan->workers[log->lives[life].worker].threads;
    }
    first[log->n_lives] = threads;
    double *accounted = sim_rows(threads, sizeof *accounted);
    for (size_t life = 0; life < log->n_lives; life++)
        for (size_t t = first[life]; t < first[life + 1]; t++)
            accounted[t] = log->lives[life].joined;
    for (size_t i = 0; i < log->n_attempts; i++)
        follow(&books, &accounted[first[log->attempts[i].life] + log->attempts[i].thread], &log->attempts[i]);
    for (size_t life = 0; life < log->n_lives; life++)
        for (size_t t = first[life]; t < first[life + 1]; t++) {
            double until = fmin(log->lives[life].left, log->wall);
            add_idle(&books, life, accounted[t], until);
            ledger->whole += until - log->lives[life].joined;
        }
    free(books.first_start);
    free(accounted);
    free(first);
}
