/* Runs that are small enough to be worked out by hand: workers, tasks and chunks at given seconds. */
#ifndef TESTS_PLANNED_H
#define TESTS_PLANNED_H

#include <math.h>

#include "analysis/explain.h"
#include "analysis/summary.h"
#include "base/clock.h"
#include "unit.h"

static const int64_t START_NS = INT64_C(1794751331000000000);

static inline void assert_near(double found, double expected, double distance)
{
    if (!(fabs(found - expected) <= distance))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

/* A run in a file of its own, with workers of two cores and chunks at given seconds. */
typedef struct planned {
    char path[64];
    roast_recorder *recorder;
    int64_t next_entry;
} planned;

static inline void begin(planned *p, double until)
{
    snprintf(p->path, sizeof p->path, "/tmp/roast-explain-XXXXXX");
    int fd = mkstemp(p->path);
    assert_true(fd >= 0);
    close(fd);
    p->next_entry = 0;
    roast_recorder_options options = {.name = "planned", .overwrite = true};
    assert_int_equal(roast_recorder_open(&p->recorder, p->path, &options, NULL), ROAST_OK);
    assert_int_equal(roast_record_fact_int(p->recorder, "t_start_ns", START_NS), ROAST_OK);
    assert_int_equal(roast_record_fact_int(p->recorder, "t_end_ns", START_NS + (int64_t)(until * 1e9)), ROAST_OK);
}

static inline void add_worker(planned *p, const char *address, int64_t cores, double joined, double left, bool lost)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.host = str_from(address);
    worker.cores = cores;
    worker.joined_ns = START_NS + (int64_t)(joined * 1e9);
    if (left > 0)
        worker.left_ns = START_NS + (int64_t)(left * 1e9);
    worker.lost = lost;
    assert_int_equal(roast_record_worker(p->recorder, &worker), ROAST_OK);
}

/* Whether a probe is on a worker that has been added. */
static inline void set_probe(planned *p, const char *address, int64_t probe)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.probe = probe;
    assert_int_equal(roast_record_worker(p->recorder, &worker), ROAST_OK);
}

/* What the engine says of a task. */
static inline void add_task(planned *p, const char *worker, const char *prefix, double start, double stop,
                            const char *state)
{
    roast_task task = roast_task_none();
    task.worker = str_from(worker);
    task.prefix = str_from(prefix);
    task.state = str_from(state);
    task.attempt = 1;
    task.start_ns = START_NS + (int64_t)(start * 1e9);
    task.stop_ns = START_NS + (int64_t)(stop * 1e9);
    assert_int_equal(roast_record_task(p->recorder, &task), ROAST_OK);
}

typedef struct explained {
    roast_run *run;
    roast_summary *summary;
    explanation why;
} explained;

static inline explained explain(planned *p, bool what_ifs)
{
    explained e;
    roast_error err = {0};
    assert_int_equal(roast_recorder_close(p->recorder, ROAST_FINISHED, &err), ROAST_OK);
    assert_int_equal(roast_run_open(&e.run, p->path, NULL, &err), ROAST_OK);
    assert_int_equal(roast_summarize(&e.summary, e.run, &err), ROAST_OK);
    assert_int_equal(explain_run(&e.why, e.run, e.summary, what_ifs, &err), ROAST_OK);
    unlink(p->path);
    return e;
}

static inline void release(explained *e)
{
    explanation_release(&e->why);
    roast_summary_free(e->summary);
    roast_run_close(e->run);
}

/* Core-seconds of a category of the run; 0 if it has none. */
static inline double in_ledger(const explained *e, const char *category)
{
    for (size_t row = 0; row < roast_summary_rows(e->summary, ROAST_SCOPE_LEDGER); row++)
        if (str_equal(summary_cell(e->summary, M_ledger_category, row).as.text, str_from(category)))
            return summary_cell(e->summary, M_ledger_core_seconds, row).as.real;
    return 0;
}

static inline const finding *finding_of(const explained *e, finding_kind kind)
{
    for (size_t i = 0; i < e->why.count; i++)
        if (e->why.findings[i].kind == kind)
            return &e->why.findings[i];
    return NULL;
}

static inline double metric(const explained *e, metric_id id)
{
    return summary_real(e->summary, id);
}

#endif
