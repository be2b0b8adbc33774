/* Block: the base of what is used in a with statement and must clean up behind itself whatever happens.
 *
 * An interrupt (Ctrl-C) can hit between any two steps of Python, also before the first line of __enter__ or __exit__,
 * where no try is of help. Here, in C, there is no such moment:
 *
 *   with block:      calls _open(), and _close() of what was opened so far should that raise anything
 *   … end of it      calls _close(kind, error, trace), and once more should that be interrupted
 *
 * So _close has to go on where it was when it is called again. */
#include "core.h"

/* Calls _close while an exception is set, which stays the one that is set. */
static void close_again(PyObject *self, PyObject *args)
{
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyObject *close = PyObject_GetAttrString(self, "_close");
    PyObject *result = close ? PyObject_Call(close, args, NULL) : NULL;
    Py_XDECREF(result);
    Py_XDECREF(close);
    PyErr_Restore(kind, error, trace); /* drops what came up meanwhile */
}

static PyObject *block_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *result = PyObject_CallMethod(self, "_open", NULL);
    if (result)
        return result;
    PyObject *nothing = Py_BuildValue("(OOO)", Py_None, Py_None, Py_None);
    if (nothing)
        close_again(self, nothing);
    Py_XDECREF(nothing);
    return NULL;
}

static PyObject *block_exit(PyObject *self, PyObject *args)
{
    PyObject *close = PyObject_GetAttrString(self, "_close");
    PyObject *result = close ? PyObject_Call(close, args, NULL) : NULL;
    Py_XDECREF(close);
    if (!result)
        close_again(self, args);
    return result;
}

static PyMethodDef block_methods[] = {
    {"__enter__", block_enter, METH_NOARGS, NULL},
    {"__exit__", block_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "A with statement that is closed also when it is interrupted: subclasses have _open and _close."},
    {Py_tp_methods, block_methods},
    {0, NULL},
};

static PyType_Spec block_spec = {
    .name = "roastcoffea._core.Block",
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = block_slots,
};

int block_type_add(PyObject *module)
{
    PyObject *type = (PyObject *)core_add_type(module, &block_spec);
    Py_XDECREF(type);
    return type ? 0 : -1;
}
