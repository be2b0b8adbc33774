/* Analysis in steps: opened on a run, fed with the rows that are new, asked for a summary at any time.
 *
 * Fed in pieces or at once, a summary is the same to the last bit: rows are added in the order of the table, and what
 * depends on all of them is computed when a summary is made. What a row means may depend on a small table that changes
 * later (a worker's clock or cores, the names of a set of branches): that is noticed, and everything is read again. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/room.h"
#include "base/str.h"
#include "model/facts.h"

static const chunk_tally NO_CHUNKS = {
    .cpu_ns = ROAST_ABSENT, .open_ns = ROAST_ABSENT, .bytes_read = ROAST_ABSENT, .read_requests = ROAST_ABSENT};

static void start(analysis *a, roast_run *run)
{
    a->run = run;
    a->all = NO_CHUNKS;
    a->chunks.run_delay_ns = a->chunks.events_ns = a->chunks.noncpu_ns = ROAST_ABSENT;
    a->window = (time_window){ROAST_ABSENT, ROAST_ABSENT};
    a->preload_bytes = ROAST_ABSENT;
    a->ledger = ledger_new();
    a->created_ns = run_fact_int(run, "created_ns");
}

static void release(analysis *a)
{
    chunk_sums_release(&a->chunks);
    worker_sums_release(&a->worker);
    task_sums_release(&a->tasks);
    read_set_release(&a->read_sets);
    branch_sums_release(&a->branches);
    storage_release(&a->storage);
    completeness_release(&a->completeness);
    ledger_release(&a->ledger);
    trace_release(&a->trace);
    free(a->datasets);
    free(a->files);
    free(a->workers);
    free(a->sections);
    arena_release(&a->memory);
}

static bool fit_tallies(chunk_tally **tallies, size_t before, size_t count)
{
    chunk_tally *grown = grow_before_last(*tallies, before, count, sizeof *grown, &NO_CHUNKS);
    if (grown)
        *tallies = grown;
    return grown;
}

/* Makes room for what the small tables have by now. */
static bool fit(analysis *a)
{
    const roast_run *run = a->run;
    section_tally *sections =
        grow_before_last(a->sections, a->n_names, run_names(run), sizeof *sections, &(section_tally){0});
    a->sections = sections ? sections : a->sections;
    bool done = sections && fit_tallies(&a->datasets, a->n_datasets, run_datasets(run)) &&
                fit_tallies(&a->files, a->n_files, run_files(run)) &&
                fit_tallies(&a->workers, a->n_workers, run_workers(run)) && fit_workers(a) && fit_branches(a) &&
                fit_tasks(a) && storage_fit(&a->storage, run) && ledger_fit(&a->ledger, run) &&
                trace_fit(&a->trace, run);
    a->n_names = run_names(run);
    a->n_datasets = run_datasets(run);
    a->n_files = run_files(run);
    a->n_workers = run_workers(run);
    return done;
}

/* A set of branches got its names, or was given up when the run was closed. */
static bool branch_sets_changed(const analysis *a)
{
    return a->nameless && (run_branch_sets(a->run) != a->n_branch_sets || roast_run_outcome(a->run) != a->outcome);
}

static bool must_start_over(const analysis *a)
{
    const roast_run *run = a->run;
    bool another = a->created_ns != run_fact_int(run, "created_ns") || run_names(run) < a->n_names ||
                   run_datasets(run) < a->n_datasets || run_files(run) < a->n_files;
    bool processor = !str_equal(a->tasks.processor, roast_run_fact(run, "processor")) && a->seen.task;
    return a->broken || another || processor || workers_changed(a) || ledger_changed(&a->ledger, run) ||
           branch_sets_changed(a) || run_salvages(run);
}

/* The values that chunks carry are many, and only this one is looked for. */
static bool has_preload(const roast_run *run)
{
    for (uint32_t i = 0; i < run_names(run); i++)
        if (str_equal(run_name(run, i), STR("preload_unused_bytes")))
            return true;
    return false;
}

static bool has_unmeasured_worker(const roast_run *run)
{
    for (uint32_t i = 0; i < run_workers(run); i++)
        if (worker_not_measured(run_worker(run, i)))
            return true;
    return false;
}

/* What is read of the large tables. In brief: heartbeats only where the run does not say when it began and ended, tasks
 * only where they have to tell of chunks that nobody measured. */
static run_visitors visitors_of(const analysis *a)
{
    const roast_run *run = a->run;
    if (!a->brief)
        return (run_visitors){feed_chunk, feed_section, feed_sample, has_preload(run) ? feed_preload : NULL,
                              feed_task,  feed_work};
    bool dated = run_fact_int(run, "t_start_ns") != ROAST_ABSENT && run_fact_int(run, "t_end_ns") != ROAST_ABSENT;
    return (run_visitors){.chunk = feed_chunk,
                          .sample = dated ? NULL : feed_sample,
                          .task = has_unmeasured_worker(run) ? feed_task : NULL,
                          .work = feed_work};
}

roast_code roast_analysis_open(roast_analysis **out, roast_run *run, roast_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return fail_memory(err);
    start(*out, run);
    return ROAST_OK;
}

roast_code roast_analysis_feed(roast_analysis *a, roast_error *err)
{
    roast_run *run = a->run;
    if (a->generation == run_generation(run) && !a->broken)
        return ROAST_OK;
    if (a->generation && must_start_over(a)) {
        bool once = a->once, brief = a->brief;
        release(a);
        *a = (analysis){.once = once, .brief = brief};
        start(a, run);
    }
    run_visitors visitors = visitors_of(a);
    roast_code code = fit(a) ? run_each_new(run, RUN_MEASURES, &a->seen, &visitors, a, err) : ROAST_MEMORY;
    a->generation = run_generation(run);
    a->n_branch_sets = run_branch_sets(run);
    a->outcome = roast_run_outcome(run);
    a->broken = code != ROAST_OK;
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

void roast_analysis_close(roast_analysis *a)
{
    if (!a)
        return;
    release(a);
    free(a);
}
