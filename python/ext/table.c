/* ColumnTable and Column: a table of a run, by columns. A column of numbers is a buffer that NumPy reads in place. */
#include <math.h>
#include <stdlib.h>

#include "arrow.h"
#include "base/str.h"
#include "inspect.h"
#include "model/facts.h"
#include "run.h"

typedef struct table_object {
    PyObject_HEAD
    column_table table;
} table_object;

/* Numbers of a table. An integer column in which something is absent is given as floating point, with NAN there. */
typedef struct column_object {
    PyObject_HEAD
    table_object *table;
    const column *column;
    double *converted; /* or NULL */
    Py_ssize_t rows, row_bytes;
} column_object;

/* ---- Columns ------------------------------------------------------------------------------------------------- */

static bool convert_column(column_object *self)
{
    const column *c = self->column;
    if (c->kind != COLUMN_INT || !c->absent)
        return true;
    self->converted = malloc((size_t)self->rows * sizeof *self->converted + 1);
    for (Py_ssize_t i = 0; self->converted && i < self->rows; i++)
        self->converted[i] = c->as.ints[i] == ROAST_ABSENT ? (double)NAN : (double)c->as.ints[i];
    return self->converted != NULL;
}

static PyObject *column_new(core_state *state, table_object *table, const column *c)
{
    column_object *self = PyObject_New(column_object, state->column);
    if (!self)
        return NULL;
    self->table = (table_object *)Py_NewRef((PyObject *)table);
    self->column = c;
    self->converted = NULL;
    self->rows = (Py_ssize_t)table->table.n_rows;
    self->row_bytes = sizeof(int64_t);
    if (!convert_column(self)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void column_dealloc(PyObject *object)
{
    column_object *self = (column_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->converted);
    Py_DECREF((PyObject *)self->table);
    PyObject_Free(object);
    Py_DECREF(type);
}

static bool is_integer(const column_object *self)
{
    return self->column->kind == COLUMN_INT && !self->converted;
}

static int column_buffer(PyObject *object, Py_buffer *view, int flags)
{
    column_object *self = (column_object *)object;
    static double nothing; /* a buffer without rows needs an address too */
    void *rows = self->converted ? (void *)self->converted : self->column->as.rows;
    if (PyBuffer_FillInfo(view, object, rows ? rows : &nothing, self->rows * self->row_bytes, 1, flags))
        return -1;
    view->itemsize = self->row_bytes;
    view->format = flags & PyBUF_FORMAT ? (is_integer(self) ? "q" : "d") : NULL;
    view->shape = flags & PyBUF_ND ? &self->rows : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &self->row_bytes : NULL;
    return 0;
}

static Py_ssize_t column_length(PyObject *object)
{
    return ((column_object *)object)->rows;
}

static PyObject *column_item(PyObject *object, Py_ssize_t row)
{
    const column_object *self = (column_object *)object;
    if (row < 0 || row >= self->rows) {
        PyErr_SetString(PyExc_IndexError, "there is no such row");
        return NULL;
    }
    if (self->column->kind == COLUMN_INT)
        return int_to_python(self->column->as.ints[row]);
    double value = self->column->as.reals[row];
    return isnan(value) ? Py_NewRef(Py_None) : PyFloat_FromDouble(value);
}

/* The interval that the numbers are in; none if there are none. */
static bool find_range(const column_object *self, double *least, double *most)
{
    const column *c = self->column;
    *least = (double)INFINITY;
    *most = -(double)INFINITY;
    for (Py_ssize_t i = 0; i < self->rows; i++) {
        double value = c->kind == COLUMN_INT ? as_real(c->as.ints[i]) : c->as.reals[i];
        *least = fmin(*least, value); /* fmin and fmax pass over what is absent */
        *most = fmax(*most, value);
    }
    return *least <= *most;
}

static PyObject *column_repr(PyObject *object)
{
    const column_object *self = (column_object *)object;
    buf text = {0};
    double least, most;
    buf_format(&text, "<column %s of %s: %zd rows", self->column->name, self->table->table.name, self->rows);
    if (find_range(self, &least, &most))
        buf_format(&text, ", %.6g to %.6g", least, most);
    if (self->column->absent)
        buf_format(&text, ", %zu absent", self->column->absent);
    buf_char(&text, '>');
    return core_text(core_state_of_type(Py_TYPE(object)), text.code, &text, &(roast_error){.code = text.code});
}

static PyType_Slot column_slots[] = {
    {Py_tp_doc, "A column of numbers: a sequence in which absent values are None, and a buffer in which they are NaN."},
    {Py_tp_dealloc, column_dealloc},
    {Py_tp_repr, column_repr},
    {Py_sq_length, column_length},
    {Py_sq_item, column_item},
    {Py_bf_getbuffer, column_buffer},
    {0, NULL},
};

static PyType_Spec column_spec = {
    .name = "roastcoffea._core.Column",
    .basicsize = sizeof(column_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = column_slots,
};

/* ---- Tables -------------------------------------------------------------------------------------------------- */

PyObject *table_from(core_state *state, column_table *table)
{
    table_object *self = PyObject_New(table_object, state->table);
    if (self)
        self->table = *table;
    else
        columns_release(table);
    return (PyObject *)self;
}

PyObject *table_new(core_state *state, run_object *run, const char *name)
{
    roast_run *handle = run_lock(run);
    if (!handle)
        return NULL;
    column_table table;
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = columns_read(&table, handle, name, &err);
    Py_END_ALLOW_THREADS
    run_unlock(run);
    if (!code)
        return table_from(state, &table);
    columns_release(&table);
    return core_raise(state, &err);
}

static void table_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    columns_release(&((table_object *)object)->table);
    PyObject_Free(object);
    Py_DECREF(type);
}

static Py_ssize_t table_length(PyObject *object)
{
    return (Py_ssize_t)((table_object *)object)->table.n_rows;
}

/* Equal texts become one object. */
static PyObject *text_column(const column_table *table, const column *c)
{
    PyObject *list = PyList_New((Py_ssize_t)table->n_rows);
    roast_str before = str_none();
    PyObject *same = NULL;
    for (size_t row = 0; list && row < table->n_rows; row++) {
        roast_str now = c->as.texts[row];
        PyObject *text = same && now.ptr == before.ptr ? Py_NewRef(same) : text_to_python(now);
        if (!text || PyList_SetItem(list, (Py_ssize_t)row, text)) {
            Py_CLEAR(list);
            break;
        }
        before = now;
        same = text; /* the list holds it */
    }
    return list;
}

static PyObject *table_column(PyObject *object, PyObject *name)
{
    table_object *self = (table_object *)object;
    roast_str text;
    PyObject *keep;
    if (text_from_python(name, &text, &keep))
        return NULL;
    const column *c = columns_find(&self->table, text);
    Py_XDECREF(keep);
    if (!c)
        return PyErr_Format(PyExc_KeyError, "the table of %s has no column %R", self->table.name, name);
    if (c->kind == COLUMN_TEXT)
        return text_column(&self->table, c);
    return column_new(core_state_of_type(Py_TYPE(object)), self, c);
}

static PyObject *table_arrow(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"requested_schema", NULL};
    PyObject *requested = Py_None; /* a wish that the protocol lets us leave open */
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:__arrow_c_stream__", names, &requested))
        return NULL;
    return arrow_stream(&((table_object *)object)->table);
}

static PyObject *table_column_names(PyObject *object, void *unused)
{
    (void)unused;
    const column_table *table = &((table_object *)object)->table;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < table->n_columns; i++) {
        PyObject *name = PyUnicode_FromString(table->columns[i].name);
        if (!name || PyList_Append(list, name))
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *table_name(PyObject *object, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(((table_object *)object)->table.name);
}

static PyMethodDef table_methods[] = {
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))table_arrow, METH_VARARGS | METH_KEYWORDS,
     "__arrow_c_stream__(requested_schema=None)\n--\n\nThe table for Arrow."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef table_attributes[] = {
    {"column_names", table_column_names, NULL, "Names of the columns.", NULL},
    {"name", table_name, NULL, "Name of the table.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot table_slots[] = {
    {Py_tp_doc, "A table of a run: table['column'] is a Column of numbers, or a list of str."},
    {Py_tp_dealloc, table_dealloc},
    {Py_mp_length, table_length},
    {Py_mp_subscript, table_column},
    {Py_tp_methods, table_methods},
    {Py_tp_getset, table_attributes},
    {0, NULL},
};

static PyType_Spec table_spec = {
    .name = "roastcoffea._core.ColumnTable",
    .basicsize = sizeof(table_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = table_slots,
};

int table_type_add(PyObject *module, core_state *state)
{
    state->column = core_add_type(module, &column_spec);
    state->table = core_add_type(module, &table_spec);
    return state->column && state->table ? 0 : -1;
}
