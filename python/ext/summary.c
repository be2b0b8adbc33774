/* Summary: the metrics of a run, and the tables and text that show them. The dict is read from the same JSON that the
 * command writes, so the two cannot disagree. */
#include "base/str.h"
#include "run.h"
#include "view/card.h"
#include "view/json.h"
#include "view/table.h"
#include "view/terminal.h"

typedef struct summary_object {
    PyObject_HEAD
    roast_summary *summary;
} summary_object;

PyObject *summary_new(core_state *state, roast_summary *summary)
{
    summary_object *self = PyObject_New(summary_object, state->summary);
    if (!self) {
        roast_summary_free(summary);
        return NULL;
    }
    self->summary = summary;
    return (PyObject *)self;
}

const roast_summary *summary_of(PyObject *object)
{
    return ((summary_object *)object)->summary;
}

static void summary_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    roast_summary_free(((summary_object *)object)->summary);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* ---- Metrics ------------------------------------------------------------------------------------------------- */

static PyObject *buf_to_python(buf *text)
{
    PyObject *result = text->code ? PyErr_NoMemory() : text_to_python(buf_view(text));
    buf_release(text);
    return result;
}

static PyObject *summary_json(PyObject *object, PyObject *unused)
{
    (void)unused;
    const roast_summary *summary = ((summary_object *)object)->summary;
    buf text = {0};
    Py_BEGIN_ALLOW_THREADS
    json_summary(&text, summary);
    Py_END_ALLOW_THREADS
    return buf_to_python(&text);
}

static PyObject *summary_card(PyObject *object, PyObject *unused)
{
    (void)unused;
    buf text = {0};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_summary_render(&text, ((summary_object *)object)->summary, ROAST_FRAGMENT, NULL, &err);
    Py_END_ALLOW_THREADS
    return core_text(core_state_of_type(Py_TYPE(object)), code, &text, &err);
}

static PyObject *summary_line(PyObject *object, PyObject *unused)
{
    (void)unused;
    buf text = {0};
    roast_error err = {0};
    roast_code code = card_line(&text, ((summary_object *)object)->summary, &err);
    return core_text(core_state_of_type(Py_TYPE(object)), code, &text, &err);
}

static PyObject *summary_explanation(PyObject *object, PyObject *unused)
{
    (void)unused;
    const roast_summary *summary = ((summary_object *)object)->summary;
    const roast_explanation *why = roast_summary_explanation(summary);
    if (!why)
        Py_RETURN_NONE;
    buf text = {0};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_explanation_render(&text, why, summary, ROAST_JSON, NULL, &err);
    Py_END_ALLOW_THREADS
    return core_text(core_state_of_type(Py_TYPE(object)), code, &text, &err);
}

static PyObject *summary_metrics(PyObject *object, PyObject *unused)
{
    PyObject *text = summary_json(object, unused);
    PyObject *json = text ? PyImport_ImportModule("json") : NULL;
    PyObject *metrics = json ? PyObject_CallMethod(json, "loads", "O", text) : NULL;
    Py_XDECREF(json);
    Py_XDECREF(text);
    return metrics;
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static PyObject *heading_to_python(const table_heading *heading)
{
    static const char *const tones[] = {"plain", "strong", "quiet", "good", "warn", "bad"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < heading->count; i++) {
        PyObject *text = text_to_python(heading->phrases[i].text);
        PyObject *pair = text ? Py_BuildValue("(Os)", text, tones[heading->phrases[i].tone]) : NULL;
        if (!pair || PyList_Append(list, pair))
            Py_CLEAR(list);
        Py_XDECREF(pair);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *column_to_python(const table_column *column)
{
    PyObject *dict = PyDict_New();
    if (dict &&
        (put(dict, "title", PyUnicode_FromString(column->title)) ||
         put(dict, "align", PyUnicode_FromString(column->align == TABLE_RIGHT ? "right" : "left")) ||
         put(dict, "shortens", PyBool_FromLong(column->shortens)) || put(dict, "bar", PyBool_FromLong(column->bar)) ||
         put(dict, "priority", PyLong_FromLong(column->priority))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *cell_to_python(const table_cell *cell)
{
    static const char *const tones[] = {"plain", "strong", "quiet", "good", "warn", "bad"};
    PyObject *dict = PyDict_New();
    bool has_share = cell->share == cell->share; /* not NAN */
    if (dict && (put(dict, "text", text_to_python(cell->text)) || put(dict, "value", value_to_python(cell->value)) ||
                 put(dict, "tone", PyUnicode_FromString(tones[cell->tone])) ||
                 put(dict, "share", has_share ? PyFloat_FromDouble(cell->share) : Py_NewRef(Py_None))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *columns_to_python(const table *t)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < t->n_columns; i++) {
        PyObject *column = column_to_python(&t->columns[i]);
        if (!column || PyList_Append(list, column))
            Py_CLEAR(list);
        Py_XDECREF(column);
    }
    return list;
}

static PyObject *row_to_python(const table *t, size_t row)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < t->n_columns; i++) {
        PyObject *cell = cell_to_python(table_cell_at(t, row, i));
        if (!cell || PyList_Append(list, cell))
            Py_CLEAR(list);
        Py_XDECREF(cell);
    }
    return list;
}

static PyObject *rows_to_python(const table *t)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < t->n_rows; i++) {
        PyObject *row = row_to_python(t, i);
        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *table_to_python(const table *t)
{
    PyObject *dict = PyDict_New();
    if (dict &&
        (put(dict, "id", PyUnicode_FromString(t->id)) || put(dict, "title", text_to_python(t->title)) ||
         put(dict, "columns", columns_to_python(t)) || put(dict, "rows", rows_to_python(t)) ||
         put(dict, "more", text_to_python(t->more)) || put(dict, "pairs", PyBool_FromLong(t->layout != TABLE_GRID))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *tables_to_python(const table_set *set)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < set->count; i++) {
        PyObject *dict = table_to_python(&set->tables[i]);
        if (!dict || PyList_Append(list, dict))
            Py_CLEAR(list);
        Py_XDECREF(dict);
    }
    return list;
}

/* The summary as this reader wants it: what it points to is shared. python: hints are lines of Python. */
static roast_summary seen_by(PyObject *object, int python)
{
    roast_summary seen = *((summary_object *)object)->summary;
    seen.for_python = python;
    return seen;
}

/* Builds the tables and gives them to f. */
static PyObject *with_tables(PyObject *object, const char *only, Py_ssize_t limit, int python,
                             PyObject *(*f)(const table_set *, const void *), const void *context)
{
    roast_summary seen = seen_by(object, python);
    table_set set = {0};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = tables_build(&set, &seen, only, limit > 0 ? (size_t)limit : 0, &err);
    Py_END_ALLOW_THREADS
    PyObject *result = code ? core_raise(core_state_of_type(Py_TYPE(object)), &err) : f(&set, context);
    tables_release(&set);
    return result;
}

static PyObject *as_list(const table_set *set, const void *unused)
{
    (void)unused;
    return tables_to_python(set);
}

static PyObject *as_headings(const table_set *set, const void *unused)
{
    (void)unused;
    const table_heading *const headings[] = {&set->alarm, &set->headline, &set->subline};
    PyObject *list = PyList_New(0);
    for (size_t i = set->alarm.count ? 0 : 1; list && i < 3; i++) {
        PyObject *heading = heading_to_python(headings[i]);
        if (!heading || PyList_Append(list, heading))
            Py_CLEAR(list);
        Py_XDECREF(heading);
    }
    return list;
}

static PyObject *as_text(const table_set *set, const void *options)
{
    buf text = {0};
    terminal_tables(&text, set, options);
    return buf_to_python(&text);
}

static PyObject *summary_tables(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"only", "limit", "python", NULL};
    const char *only = NULL;
    Py_ssize_t limit = 0;
    int python = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|znp:tables", names, &only, &limit, &python))
        return NULL;
    return with_tables(object, only, limit, python, as_list, NULL);
}

static PyObject *summary_headings(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"python", NULL};
    int python = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:headings", names, &python))
        return NULL;
    return with_tables(object, NULL, 1, python, as_headings, NULL);
}

static PyObject *summary_text(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"width", "colour", "utf8", "only", "limit", "python", NULL};
    Py_ssize_t width = 100, limit = 10;
    int colour = 0, utf8 = 1, python = 0;
    const char *only = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|nppznp:text", names, &width, &colour, &utf8, &only, &limit,
                                     &python))
        return NULL;
    terminal_options options = {.width = width > 0 ? (size_t)width : 100, .colour = colour, .utf8 = utf8};
    return with_tables(object, only, limit, python, as_text, &options);
}

static PyObject *summary_screen(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"width", "colour", "utf8", "python", NULL};
    Py_ssize_t width = 100;
    int colour = 0, utf8 = 1, python = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|nppp:screen", names, &width, &colour, &utf8, &python))
        return NULL;
    roast_look look = {.size = sizeof look,
                       .columns = width > 0 ? (size_t)width : 100,
                       .colour = colour,
                       .ascii = !utf8,
                       .colours = 256};
    roast_summary seen = seen_by(object, python);
    buf text = {0};
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_summary_render(&text, &seen, ROAST_SCREEN, &look, &err);
    Py_END_ALLOW_THREADS
    return core_text(core_state_of_type(Py_TYPE(object)), code, &text, &err);
}

static PyObject *summary_why(PyObject *object, PyObject *args)
{
    const char *name, *why;
    if (!PyArg_ParseTuple(args, "s:why", &name))
        return NULL;
    roast_summary_get(((summary_object *)object)->summary, name, &why);
    return text_to_python(str_from(why));
}

/* ---- The type ------------------------------------------------------------------------------------------------ */

static PyMethodDef summary_methods[] = {
    {"metrics", summary_metrics, METH_NOARGS,
     "metrics()\n--\n\nA dict of every metric under each of its names, and the rows of datasets, sections, files,\n"
     "servers, workers, failures and activities: what 'roast export --to json' writes."},
    {"card", summary_card, METH_NOARGS, "card()\n--\n\nA card for notebooks, as HTML without a script."},
    {"line", summary_line, METH_NOARGS, "line()\n--\n\nThe run in a line: its name, how it ended, chunks, events/s."},
    {"explanation", summary_explanation, METH_NOARGS,
     "explanation()\n--\n\nWhat held the run back, as JSON; None if that was not looked for. See Run.explain."},
    {"json", summary_json, METH_NOARGS, "json()\n--\n\nThe same as JSON text."},
    {"why", summary_why, METH_VARARGS, "why(name)\n--\n\nWhy a metric is absent, or None."},
    {"tables", (PyCFunction)(void (*)(void))summary_tables, METH_VARARGS | METH_KEYWORDS,
     "tables(only=None, limit=0, python=False)\n--\n\nThe tables as dicts: id, title, columns, rows of cells, more,\n"
     "pairs. python: hints are lines of Python, not commands."},
    {"headings", (PyCFunction)(void (*)(void))summary_headings, METH_VARARGS | METH_KEYWORDS,
     "headings(python=False)\n--\n\nThe lines over the tables, each a list of (text, tone): what is\n"
     "missing, if anything is; what ran; how it ended."},
    {"text", (PyCFunction)(void (*)(void))summary_text, METH_VARARGS | METH_KEYWORDS,
     "text(width=100, colour=False, utf8=True, only=None, limit=10, python=False)\n--\n\nThe tables as the command\n"
     "shows them with --all or --only."},
    {"screen", (PyCFunction)(void (*)(void))summary_screen, METH_VARARGS | METH_KEYWORDS,
     "screen(width=100, colour=False, utf8=True, python=False)\n--\n\nWhat matters most on one screen, as the command "
     "shows\n"
     "it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot summary_slots[] = {
    {Py_tp_doc, "What analysis says of a run."},
    {Py_tp_dealloc, summary_dealloc},
    {Py_tp_methods, summary_methods},
    {0, NULL},
};

static PyType_Spec summary_spec = {
    .name = "roastcoffea._core.Summary",
    .basicsize = sizeof(summary_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = summary_slots,
};

int summary_type_add(PyObject *module, core_state *state)
{
    state->summary = core_add_type(module, &summary_spec);
    return state->summary ? 0 : -1;
}
