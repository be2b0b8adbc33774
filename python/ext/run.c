/* Run: a run file, or a measurement directory of either generation, open for reading. */
#include "run.h"

#include "base/str.h"
#include "record/load.h"
#include "run/reader.h"
#include "view/table.h"

roast_run *run_lock(run_object *self)
{
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&self->lock);
    Py_END_ALLOW_THREADS
    if (self->run)
        return self->run;
    pthread_mutex_unlock(&self->lock);
    PyErr_SetString(PyExc_ValueError, "the run is closed");
    return NULL;
}

void run_unlock(run_object *self)
{
    pthread_mutex_unlock(&self->lock);
}

/* Takes the path; NULL with an exception if memory is out. */
static run_object *run_allocate(PyTypeObject *type, PyObject *path)
{
    run_object *self = (run_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        Py_XDECREF(path);
        return NULL;
    }
    self->path = path;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", "salvage", NULL};
    PyObject *path;
    int salvage = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|p:Run", names, PyUnicode_FSConverter, &path, &salvage))
        return NULL;
    run_object *self = run_allocate(type, path);
    if (!self)
        return NULL;
    roast_open_options options = {.salvage = salvage != 0};
    roast_error err = {0};
    const char *file = PyBytes_AsString(path);
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_run_load(&self->run, file, &options, &err);
    Py_END_ALLOW_THREADS
    if (code) {
        Py_DECREF(self);
        return core_raise(core_state_of_type(type), &err);
    }
    return (PyObject *)self;
}

/* A run in memory, from data that a script holds. */
static PyObject *run_from_metrics(PyObject *type, PyObject *json)
{
    roast_str text;
    PyObject *keep, *nowhere = PyBytes_FromString("");
    if (!nowhere || text_from_python(json, &text, &keep)) {
        Py_XDECREF(nowhere);
        return NULL;
    }
    run_object *self = run_allocate((PyTypeObject *)type, nowhere);
    roast_error err = {0};
    roast_code code = ROAST_OK;
    if (self) {
        Py_BEGIN_ALLOW_THREADS
        code = run_of_metrics(&self->run, text, &err);
        Py_END_ALLOW_THREADS
    }
    Py_XDECREF(keep);
    if (!code)
        return (PyObject *)self;
    Py_DECREF(self);
    return core_raise(core_state_of_type((PyTypeObject *)type), &err);
}

static void run_dealloc(PyObject *object)
{
    run_object *self = (run_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    roast_run_close(self->run);
    pthread_mutex_destroy(&self->lock);
    Py_CLEAR(self->path);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *run_summary(PyObject *object, PyObject *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    core_state *state = core_state_of_type(Py_TYPE(object));
    roast_run *run = run_lock(self);
    if (!run)
        return NULL;
    roast_summary *summary;
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_summarize(&summary, run, &err);
    Py_END_ALLOW_THREADS
    run_unlock(self);
    return code ? core_raise(state, &err) : summary_new(state, summary);
}

/* What was found: for programs, for people, and for notebooks. */
enum { FORMS = 3 };
static const roast_form FORM_OF[FORMS] = {ROAST_JSON, ROAST_TERMINAL, ROAST_FRAGMENT};
static const roast_look LOOK = {.size = sizeof LOOK, .columns = 100, .limit = 10};

/* Releases the texts. */
static PyObject *forms_to_python(core_state *state, roast_code code, buf texts[FORMS], const roast_error *err)
{
    PyObject *forms = PyTuple_New(FORMS);
    for (size_t i = 0; i < FORMS; i++) {
        PyObject *text = PyErr_Occurred() ? NULL : core_text(state, code, &texts[i], err);
        buf_release(&texts[i]);
        if (!text || !forms || PyTuple_SetItem(forms, (Py_ssize_t)i, text))
            Py_CLEAR(forms);
    }
    return forms;
}

static roast_code explain_in_forms(buf texts[FORMS], roast_run *run, bool what_ifs, roast_error *err)
{
    roast_summary *summary;
    roast_explanation *own = NULL;
    roast_code code = roast_summarize(&summary, run, err);
    const roast_explanation *why = code || what_ifs ? NULL : roast_summary_explanation(summary);
    if (!code && !why) {
        code = roast_explain(&own, run, summary, what_ifs, err);
        why = own;
    }
    if (!code)
        summary->for_python = true;
    for (size_t i = 0; !code && i < FORMS; i++)
        code = roast_explanation_render(&texts[i], why, summary, FORM_OF[i], &LOOK, err);
    roast_explanation_free(own);
    roast_summary_free(summary);
    return code;
}

static roast_code write_report(buf *page, roast_run *run, roast_error *err)
{
    roast_summary *summary;
    roast_code code = roast_summarize(&summary, run, err);
    if (!code)
        code = roast_run_report(page, run, summary, err);
    roast_summary_free(summary);
    return code;
}

static PyObject *run_explain(PyObject *object, PyObject *args)
{
    run_object *self = (run_object *)object;
    core_state *state = core_state_of_type(Py_TYPE(object));
    int what_ifs = 0;
    roast_run *run;
    if (!PyArg_ParseTuple(args, "|p:explain", &what_ifs) || !(run = run_lock(self)))
        return NULL;
    buf texts[FORMS] = {{0}};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = explain_in_forms(texts, run, what_ifs != 0, &err);
    Py_END_ALLOW_THREADS
    run_unlock(self);
    return forms_to_python(state, code, texts, &err);
}

static roast_code compare_in_forms(buf texts[FORMS], roast_subject *a, roast_subject *b, roast_error *err)
{
    roast_comparison *c = NULL;
    roast_code code = roast_summarize(&a->summary, a->run, err);
    if (!code)
        code = roast_summarize(&b->summary, b->run, err);
    if (!code)
        code = roast_compare(&c, a, 1, b, 1, err);
    for (size_t i = 0; !code && i < FORMS; i++)
        code = roast_comparison_render(&texts[i], c, FORM_OF[i], &LOOK, err);
    roast_comparison_free(c);
    roast_summary_free(a->summary);
    roast_summary_free(b->summary);
    return code;
}

/* Opens both again: two runs that are locked in turn by two threads would wait for each other. */
static PyObject *run_compare(PyObject *object, PyObject *path)
{
    run_object *self = (run_object *)object;
    PyObject *other;
    if (!PyUnicode_FSConverter(path, &other))
        return NULL;
    roast_subject a = {.label = PyBytes_AsString(self->path)}, b = {.label = PyBytes_AsString(other)};
    buf texts[FORMS] = {{0}};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_run_load(&a.run, a.label, NULL, &err);
    if (!code)
        code = roast_run_load(&b.run, b.label, NULL, &err);
    if (!code)
        code = compare_in_forms(texts, &a, &b, &err);
    roast_run_close(a.run);
    roast_run_close(b.run);
    Py_END_ALLOW_THREADS
    Py_DECREF(other);
    return forms_to_python(core_state_of_type(Py_TYPE(object)), code, texts, &err);
}

static PyObject *run_report(PyObject *object, PyObject *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    roast_run *run = run_lock(self);
    if (!run)
        return NULL;
    buf page = {0};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = write_report(&page, run, &err);
    Py_END_ALLOW_THREADS
    run_unlock(self);
    PyObject *bytes = code ? core_raise(core_state_of_type(Py_TYPE(object)), &err)
                           : PyBytes_FromStringAndSize(page.data, (Py_ssize_t)page.len);
    buf_release(&page);
    return bytes;
}

static PyObject *run_columns(PyObject *object, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "Run.columns: the name of a table is needed");
        return NULL;
    }
    return table_new(core_state_of_type(Py_TYPE(object)), (run_object *)object, text);
}

static PyObject *run_chunk_records(PyObject *object, PyObject *unused)
{
    (void)unused;
    return records_new(core_state_of_type(Py_TYPE(object)), (run_object *)object);
}

static PyObject *run_tracking_data(PyObject *object, PyObject *unused)
{
    (void)unused;
    return tracking_data(core_state_of_type(Py_TYPE(object)), (run_object *)object);
}

static PyObject *run_document_text(PyObject *object, PyObject *args)
{
    const char *kind;
    run_object *self = (run_object *)object;
    roast_run *run;
    if (!PyArg_ParseTuple(args, "s:document", &kind) || !(run = run_lock(self)))
        return NULL;
    PyObject *text = text_to_python(roast_run_document(run, kind));
    run_unlock(self);
    return text;
}

static PyObject *activity_tuple(const roast_activity *activity)
{
    PyObject *context = text_to_python(activity->context), *prefix = text_to_python(activity->prefix);
    PyObject *name = text_to_python(activity->activity), *unit = text_to_python(activity->unit);
    PyObject *tuple = context && prefix && name && unit
                          ? Py_BuildValue("(OOOOd)", context, prefix, name, unit, activity->value)
                          : NULL;
    Py_XDECREF(context);
    Py_XDECREF(prefix);
    Py_XDECREF(name);
    Py_XDECREF(unit);
    return tuple;
}

static PyObject *run_activity_list(PyObject *object, PyObject *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    roast_run *run = run_lock(self);
    PyObject *list = run ? PyList_New(0) : NULL;
    for (size_t i = 0; list && i < run_activities(run); i++) {
        PyObject *tuple = activity_tuple(roast_run_activity(run, i));
        if (!tuple || PyList_Append(list, tuple))
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    if (run)
        run_unlock(self);
    return list;
}

static PyObject *run_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&self->lock);
    roast_run_close(self->run);
    self->run = NULL;
    pthread_mutex_unlock(&self->lock);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *run_get_facts(PyObject *object, void *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    roast_run *run = run_lock(self);
    PyObject *dict = run ? PyDict_New() : NULL;
    for (size_t i = 0; dict && i < run_facts(run); i++) {
        roast_str value;
        PyObject *key = text_to_python(roast_run_fact_at(run, i, &value)), *text = key ? text_to_python(value) : NULL;
        if (!text || PyDict_SetItem(dict, key, text))
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(text);
    }
    if (run)
        run_unlock(self);
    return dict;
}

static PyObject *run_get_name(PyObject *object, void *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    roast_run *run = run_lock(self);
    if (!run)
        return NULL;
    PyObject *name = text_to_python(roast_run_name(run));
    run_unlock(self);
    return name;
}

static PyObject *run_get_outcome(PyObject *object, void *unused)
{
    (void)unused;
    run_object *self = (run_object *)object;
    roast_run *run = run_lock(self);
    if (!run)
        return NULL;
    roast_outcome outcome = roast_run_outcome(run);
    run_unlock(self);
    return PyUnicode_FromString(roast_outcome_name(outcome));
}

static PyObject *run_get_path(PyObject *object, void *unused)
{
    (void)unused;
    PyObject *path = ((run_object *)object)->path;
    return PyUnicode_DecodeFSDefaultAndSize(PyBytes_AsString(path), PyBytes_Size(path));
}

static PyMethodDef run_methods[] = {
    {"summary", run_summary, METH_NOARGS, "summary()\n--\n\nEvery metric that can be derived from the run."},
    {"of_metrics", run_from_metrics, METH_O | METH_CLASS,
     "of_metrics(json)\n--\n\nA run in memory, of JSON text in the shape of metrics.json of 0.1, or of parts of it."},
    {"chart", (PyCFunction)(void (*)(void))run_chart, METH_VARARGS | METH_KEYWORDS,
     "chart(summary, id, form, *, bins=0, legend_entries=0, clock=False, width=0, height=0, values=None)\n--\n\n"
     "A chart as text, form: 'svg' or 'json'."},
    {"explain", run_explain, METH_VARARGS,
     "explain(what_if=False)\n--\n\nWhat held the run back: findings, not_determined, replay, what_if; as JSON, as "
     "text\n"
     "and as HTML for a notebook."},
    {"compare", run_compare, METH_O, "compare(path)\n--\n\nWhat changed from this run to another, in the same forms."},
    {"columns", run_columns, METH_O,
     "columns(table)\n--\n\nA table of the run by columns: 'chunks', 'workers', 'samples', 'sections', 'files',\n"
     "'branches' or 'tasks'."},
    {"chunk_records", run_chunk_records, METH_NOARGS,
     "chunk_records()\n--\n\nThe chunks as a sequence of dicts in the documented shape, made when asked for."},
    {"tracking_data", run_tracking_data, METH_NOARGS,
     "tracking_data()\n--\n\nThe time series of the workers, as roastcoffea 0.1 has them."},
    {"report", run_report, METH_NOARGS, "report()\n--\n\nThe run as one HTML page that needs nothing else, in UTF-8."},
    {"document", run_document_text, METH_VARARGS,
     "document(kind)\n--\n\nJSON text that came with the run: 'report', 'custom_metrics', 'config', "
     "'raw_section_metrics'; or None."},
    {"activities", run_activity_list, METH_NOARGS,
     "activities()\n--\n\nThe engine's fine metrics: a list of (context, prefix, activity, unit, value)."},
    {"close", run_close, METH_NOARGS, "close()\n--\n\nClose the file. What was read from it stays."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef run_attributes[] = {
    {"facts", run_get_facts, NULL, "What is known of the run as a whole, as text.", NULL},
    {"name", run_get_name, NULL, "Name of the run, or None.", NULL},
    {"outcome", run_get_outcome, NULL, "'running', 'interrupted', 'finished' or 'failed'.", NULL},
    {"path", run_get_path, NULL, "Where it was read from.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot run_slots[] = {
    {Py_tp_doc, "Run(path, salvage=False)\n--\n\nA run that was recorded."},
    {Py_tp_new, run_new},
    {Py_tp_dealloc, run_dealloc},
    {Py_tp_methods, run_methods},
    {Py_tp_getset, run_attributes},
    {0, NULL},
};

static PyType_Spec run_spec = {
    .name = "roastcoffea._core.Run",
    .basicsize = sizeof(run_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = run_slots,
};

int run_type_add(PyObject *module, core_state *state)
{
    state->run = core_add_type(module, &run_spec);
    return state->run ? 0 : -1;
}
