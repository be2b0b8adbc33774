/* The time series of the workers in the shape of roastcoffea 0.1: {series: {worker: [(datetime, value), …]}}, and
 * worker_counts as {datetime: number}. The datetimes have no zone and are UTC. */
#include "analysis/presence.h"
#include "base/str.h"
#include "run.h"
#include "run/reader.h"
#include "source/legacy/tracking_series.h"

typedef struct tracking_builder {
    core_state *state;
    const roast_run *run;
    PyObject *series[SERIES_COUNT]; /* dicts, borrowed from the result */
} tracking_builder;

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

/* Appends (time, value) to the worker's list of a series; takes value, which may be NULL: an error already set. */
static int add_point(PyObject *by_worker, PyObject *worker, PyObject *time, PyObject *value)
{
    if (!value)
        return -1;
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

static int add_sample(tracking_builder *t, const run_sample *row, PyObject *worker, PyObject *time)
{
    const roast_worker *about = run_worker(t->run, row->worker);
    int code = 0;
    for (series_id i = 0; !code && i < SERIES_COUNT; i++) {
        roast_value value = legacy_series_value(i, &row->record, about);
        if (value.kind != ROAST_NOTHING)
            code = add_point(t->series[i], worker, time, value_to_python(value));
    }
    return code;
}

static roast_code see_sample(void *context, const run_sample *row)
{
    tracking_builder *t = context;
    PyObject *worker = text_to_python(row->record.worker.ptr ? row->record.worker : STR("unknown"));
    PyObject *time = worker ? datetime_of(t->state, row->record.t_ns) : NULL;
    int code = time ? add_sample(t, row, worker, time) : -1;
    Py_XDECREF(worker);
    Py_XDECREF(time);
    return code ? ROAST_LIMIT : ROAST_OK; /* the exception says more */
}

/* ---- Counts -------------------------------------------------------------------------------------------------- */

static int put_count(tracking_builder *t, PyObject *counts, int64_t t_ns, int64_t workers)
{
    PyObject *time = datetime_of(t->state, t_ns), *value = time ? PyLong_FromLongLong(workers) : NULL;
    int code = value ? PyDict_SetItem(counts, time, value) : -1;
    Py_XDECREF(time);
    Py_XDECREF(value);
    return code;
}

/* A dict has one value for a time, and what is drawn through the points should be a step: so what was before a step is
 * a microsecond earlier. What has no end, in a run that goes on, is not drawn to one. */
static int put_counts(tracking_builder *t, PyObject *counts, roast_error *err)
{
    arena scratch = {0};
    presence_points presence;
    int64_t start = run_fact_int(t->run, "t_start_ns"), end = run_fact_int(t->run, "t_end_ns");
    bool has_end = end != ROAST_ABSENT;
    int failed = presence_read(&presence, t->run, start, has_end ? end : INT64_MAX, &scratch, err) ? -1 : 0;
    for (size_t i = 0; !failed && i < presence.count; i++) {
        const roast_worker_count *point = &presence.points[i];
        bool steps = presence.exact && i + 1 < presence.count && point[1].t_ns == point->t_ns;
        bool nothing_yet = presence.exact && steps && point->workers == 0;
        if (!nothing_yet && (has_end || point->t_ns != INT64_MAX))
            failed = put_count(t, counts, point->t_ns - (steps ? 1000 : 0), point->workers);
    }
    arena_release(&scratch);
    return failed;
}

/* ---- All of it ----------------------------------------------------------------------------------------------- */

static PyObject *new_dicts(tracking_builder *t, PyObject **counts)
{
    PyObject *result = PyDict_New();
    if (!result || put(result, "worker_counts", *counts = PyDict_New()))
        Py_CLEAR(result);
    for (series_id i = 0; result && i < SERIES_COUNT; i++)
        if (put(result, legacy_series_names[i], t->series[i] = PyDict_New()))
            Py_CLEAR(result);
    return result;
}

PyObject *tracking_data(core_state *state, run_object *object)
{
    tracking_builder t = {.state = state};
    PyObject *counts = NULL, *result = find_datetime(state) ? NULL : new_dicts(&t, &counts);
    roast_run *run = result ? run_lock(object) : NULL;
    if (!run) {
        Py_XDECREF(result);
        return NULL;
    }
    t.run = run;
    roast_error err = {0};
    roast_code code = run_each_sample(run, RUN_EVERYTHING, see_sample, &t, &err);
    int failed = code || put_counts(&t, counts, &err);
    run_unlock(object);
    if (!failed)
        return result;
    Py_DECREF(result);
    return PyErr_Occurred() ? NULL : core_raise(state, &err);
}
