/* The time series of the workers in the shape of roastcoffea 0.1: {series: {worker: [(datetime, value), …]}}, and
 * worker_counts as {datetime: number}. The datetimes have no zone and are UTC. */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "run.h"
#include "run/reader.h"

typedef enum series {
    MEMORY,
    MEMORY_LIMIT,
    ACTIVE_TASKS,
    EXECUTING,
    CORES,
    NBYTES,
    OCCUPANCY,
    LAST_SEEN,
    CPU,
    SPILLED,
    NET_READ,
    NET_WRITE,
    DISK_READ,
    DISK_WRITE,
    SERIES_COUNT
} series;

static const char *const series_names[SERIES_COUNT] = {
    "worker_memory",   "worker_memory_limit", "worker_active_tasks", "worker_executing",  "worker_cores",
    "worker_nbytes",   "worker_occupancy",    "worker_last_seen",    "worker_cpu",        "worker_spilled",
    "worker_net_read", "worker_net_write",    "worker_disk_read",    "worker_disk_write",
};

typedef struct tracking {
    core_state *state;
    const roast_run *run;
    PyObject *series[SERIES_COUNT]; /* dicts, borrowed from the result */
} tracking;

/* ---- Times --------------------------------------------------------------------------------------------------- */

static int find_datetime(core_state *state)
{
    if (state->epoch)
        return 0;
    PyObject *module = PyImport_ImportModule("datetime");
    state->timedelta = module ? PyObject_GetAttrString(module, "timedelta") : NULL;
    state->epoch = state->timedelta ? PyObject_CallMethod(module, "datetime", "iii", 1970, 1, 1) : NULL;
    Py_XDECREF(module);
    return state->epoch ? 0 : -1;
}

static PyObject *datetime_of(core_state *state, int64_t ns)
{
    PyObject *since = PyObject_CallFunction(state->timedelta, "iLL", 0, (long long)(ns / 1000000000),
                                            (long long)(ns % 1000000000 / 1000));
    PyObject *time = since ? PyNumber_Add(state->epoch, since) : NULL;
    Py_XDECREF(since);
    return time;
}

/* ---- Samples ------------------------------------------------------------------------------------------------- */

static PyObject *number(int64_t value)
{
    return value == ROAST_ABSENT ? NULL : PyLong_FromLongLong(value);
}

static PyObject *real(double value)
{
    return isnan(value) ? NULL : PyFloat_FromDouble(value);
}

/* Appends (time, value) to the worker's list of a series; takes value, which may be NULL: absent is left out. */
static int add_point(PyObject *by_worker, PyObject *worker, PyObject *time, PyObject *value)
{
    if (!value)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *list = PyDict_GetItemWithError(by_worker, worker);
    if (!list && !PyErr_Occurred()) {
        PyObject *fresh = PyList_New(0);
        if (fresh && PyDict_SetItem(by_worker, worker, fresh) == 0)
            list = fresh; /* the dict holds it */
        Py_XDECREF(fresh);
    }
    PyObject *point = list ? PyTuple_Pack(2, time, value) : NULL;
    int code = point ? PyList_Append(list, point) : -1;
    Py_XDECREF(point);
    Py_DECREF(value);
    return code;
}

static int add_sample(tracking *t, const run_sample *row, PyObject *worker, PyObject *time)
{
    const roast_sample *s = &row->record;
    const roast_worker *about = run_worker(t->run, row->worker);
    PyObject *values[SERIES_COUNT] = {
        [MEMORY] = number(s->memory),
        [MEMORY_LIMIT] = number(about ? about->memory_limit : ROAST_ABSENT),
        [ACTIVE_TASKS] = number(s->processing),
        [EXECUTING] = number(s->executing),
        [CORES] = number(about ? about->cores : ROAST_ABSENT),
        [NBYTES] = number(s->managed),
        [OCCUPANCY] = real(s->occupancy),
        [LAST_SEEN] = real(s->last_seen_ns == ROAST_ABSENT ? (double)NAN : (double)s->last_seen_ns / 1e9),
        [CPU] = real(s->cpu),
        [SPILLED] = number(s->spilled),
        [NET_READ] = real(s->net_read),
        [NET_WRITE] = real(s->net_write),
        [DISK_READ] = real(s->disk_read),
        [DISK_WRITE] = real(s->disk_write),
    };
    int code = 0;
    for (size_t i = 0; i < SERIES_COUNT; i++) {
        if (code)
            Py_XDECREF(values[i]);
        else
            code = add_point(t->series[i], worker, time, values[i]);
    }
    return code;
}

static roast_code see_sample(void *context, const run_sample *row)
{
    tracking *t = context;
    PyObject *worker = text_to_python(row->record.worker.ptr ? row->record.worker : STR("unknown"));
    PyObject *time = worker ? datetime_of(t->state, row->record.t_ns) : NULL;
    int code = time ? add_sample(t, row, worker, time) : -1;
    Py_XDECREF(worker);
    Py_XDECREF(time);
    return code ? ROAST_LIMIT : ROAST_OK; /* the exception says more */
}

/* ---- Counts -------------------------------------------------------------------------------------------------- */

/* A change of the number of workers. */
typedef struct change {
    int64_t t_ns;
    int step;
} change;

static int compare_changes(const void *a, const void *b)
{
    const change *x = a, *y = b;
    return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static int put_count(tracking *t, PyObject *counts, int64_t t_ns, int64_t workers)
{
    PyObject *time = datetime_of(t->state, t_ns), *value = time ? PyLong_FromLongLong(workers) : NULL;
    int code = value ? PyDict_SetItem(counts, time, value) : -1;
    Py_XDECREF(time);
    Py_XDECREF(value);
    return code;
}

/* A dict has one value for a time, and what is drawn through the points should be a step: so a change is preceded by
 * the number before it, a microsecond earlier. */
static int put_changes(tracking *t, PyObject *counts, const change *changes, size_t count)
{
    int64_t workers = 0;
    int code = 0;
    for (size_t i = 0; !code && i < count;) {
        int64_t now = changes[i].t_ns, before = workers;
        for (; i < count && changes[i].t_ns == now; i++)
            workers += changes[i].step;
        if (before)
            code = put_count(t, counts, now - 1000, before);
        if (!code)
            code = put_count(t, counts, now, workers);
    }
    int64_t end = run_fact_int(t->run, "t_end_ns");
    if (!code && count && end != ROAST_ABSENT && end > changes[count - 1].t_ns)
        code = put_count(t, counts, end, workers);
    return code;
}

static int put_arrivals(tracking *t, PyObject *counts)
{
    change *changes = malloc((run_workers(t->run) * 2 + 1) * sizeof *changes);
    size_t count = 0;
    if (!changes) {
        PyErr_NoMemory();
        return -1;
    }
    int64_t start = run_fact_int(t->run, "t_start_ns");
    for (size_t i = 0; i < run_workers(t->run); i++) {
        const roast_worker *w = run_worker(t->run, (uint32_t)i);
        /* who was there before the run began counts from its beginning */
        int64_t joined = w->joined_ns < start ? start : w->joined_ns;
        if (joined != ROAST_ABSENT)
            changes[count++] = (change){joined, 1};
        if (joined != ROAST_ABSENT && w->left_ns != ROAST_ABSENT)
            changes[count++] = (change){w->left_ns, -1};
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    int code = put_changes(t, counts, changes, count);
    free(changes);
    return code;
}

static int put_counts(tracking *t, PyObject *counts)
{
    if (!run_counts(t->run))
        return put_arrivals(t, counts);
    for (size_t i = 0; i < run_counts(t->run); i++) {
        const roast_worker_count *point = roast_run_worker_count(t->run, i);
        if (put_count(t, counts, point->t_ns, point->workers))
            return -1;
    }
    return 0;
}

/* ---- All of it ----------------------------------------------------------------------------------------------- */

static PyObject *new_dicts(tracking *t, PyObject **counts)
{
    PyObject *result = PyDict_New();
    if (!result || put(result, "worker_counts", *counts = PyDict_New()))
        Py_CLEAR(result);
    for (size_t i = 0; result && i < SERIES_COUNT; i++)
        if (put(result, series_names[i], t->series[i] = PyDict_New()))
            Py_CLEAR(result);
    return result;
}

PyObject *tracking_data(core_state *state, run_object *object)
{
    tracking t = {.state = state};
    PyObject *counts = NULL, *result = find_datetime(state) ? NULL : new_dicts(&t, &counts);
    roast_run *run = result ? run_lock(object) : NULL;
    if (!run) {
        Py_XDECREF(result);
        return NULL;
    }
    t.run = run;
    roast_error err = {0};
    roast_code code = run_each_sample(run, RUN_EVERYTHING, see_sample, &t, &err);
    int failed = code || put_counts(&t, counts);
    run_unlock(object);
    if (!failed)
        return result;
    Py_DECREF(result);
    return PyErr_Occurred() ? NULL : core_raise(state, &err);
}
