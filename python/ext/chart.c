/* Charts of a run: as SVG, or as JSON for renderers in Python. */
#include "view/chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "run.h"

typedef struct chart_call {
    PyObject *summary;
    const char *id;
    bool svg;
    chart_options options;
    svg_options picture;
    double *values;
} chart_call;

/* A list of numbers as an array, which is to be freed; None is none. 0, or -1 with an exception set. */
static int values_from_python(PyObject *object, double **values, size_t *count)
{
    *values = NULL;
    *count = 0;
    if (object == Py_None)
        return 0;
    PyObject *list = PySequence_List(object);
    if (!list)
        return -1;
    *count = (size_t)PyList_Size(list);
    *values = calloc(*count + 1, sizeof **values);
    int code = *values ? 0 : -1;
    for (size_t i = 0; !code && i < *count; i++)
        code = real_from_python(PyList_GetItem(list, (Py_ssize_t)i), &(*values)[i]);
    if (!*values)
        PyErr_NoMemory();
    Py_DECREF(list);
    return code;
}

static int parse_call(chart_call *call, core_state *state, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"summary", "id",    "form",   "bins",   "legend_entries",
                            "clock",   "width", "height", "values", NULL};
    const char *form;
    Py_ssize_t bins = 0, legend_entries = 0;
    int clock = 0;
    PyObject *values = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!ss|$nnpddO:chart", names, state->summary, &call->summary,
                                     &call->id, &form, &bins, &legend_entries, &clock, &call->picture.width,
                                     &call->picture.height, &values))
        return -1;
    call->svg = strcmp(form, "svg") == 0;
    if (!call->svg && strcmp(form, "json") != 0) {
        PyErr_Format(PyExc_ValueError, "chart: '%s' is neither 'svg' nor 'json'", form);
        return -1;
    }
    if (bins < 0 || legend_entries < 0) {
        PyErr_SetString(PyExc_ValueError, "chart: bins and legend entries are not negative");
        return -1;
    }
    call->options.bins = (size_t)bins;
    call->options.legend_entries = (size_t)legend_entries;
    call->options.time = clock ? CHART_CLOCK : CHART_ELAPSED;
    if (values_from_python(values, &call->values, &call->options.n_values))
        return -1;
    call->options.values = call->values;
    return 0;
}

static roast_code draw(buf *out, roast_run *run, const chart_call *call, roast_error *err)
{
    chart_set set;
    roast_code code = charts_build(&set, run, summary_of(call->summary), call->id, &call->options, err);
    if (!code && call->svg)
        chart_svg(out, &set.charts[0], &call->picture);
    else if (!code)
        chart_json(out, &set.charts[0], false);
    charts_release(&set);
    return code;
}

PyObject *run_chart(PyObject *object, PyObject *args, PyObject *kwargs)
{
    run_object *self = (run_object *)object;
    core_state *state = core_state_of_type(Py_TYPE(object));
    chart_call call = {0};
    buf text = {0};
    roast_error err = {0};
    roast_run *run = parse_call(&call, state, args, kwargs) ? NULL : run_lock(self);
    if (!run) {
        free(call.values);
        return NULL;
    }
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = draw(&text, run, &call, &err);
    Py_END_ALLOW_THREADS
    run_unlock(self);
    free(call.values);
    return core_text(state, code, &text, &err);
}

PyObject *core_charts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && roast_chart_id(i); i++)
        if (put(dict, roast_chart_id(i), PyUnicode_FromString(roast_chart_title(roast_chart_id(i)))))
            Py_CLEAR(dict);
    return dict;
}
