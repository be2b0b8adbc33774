/* ChunkRecords: the chunks of a run as a sequence of dicts. They are kept in C and become dicts one at a time: a
 * hundred thousand of them as dicts would take a gigabyte. */
#include <math.h>

#include "run.h"
#include "view/chunk_list.h"

typedef struct records_object {
    PyObject_HEAD
    chunk_list list;
} records_object;

PyObject *records_new(core_state *state, run_object *run)
{
    roast_run *handle = run_lock(run);
    if (!handle)
        return NULL;
    chunk_list list;
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = chunk_list_read(&list, handle, &err);
    Py_END_ALLOW_THREADS
    run_unlock(run);
    records_object *self = code ? NULL : PyObject_New(records_object, state->records);
    if (!self) {
        chunk_list_release(&list);
        return code ? core_raise(state, &err) : NULL;
    }
    self->list = list;
    return (PyObject *)self;
}

static void records_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    chunk_list_release(&((records_object *)object)->list);
    PyObject_Free(object);
    Py_DECREF(type);
}

static Py_ssize_t records_length(PyObject *object)
{
    return (Py_ssize_t)((records_object *)object)->list.count;
}

static PyObject *real_to_python(double value)
{
    return isnan(value) ? Py_NewRef(Py_None) : PyFloat_FromDouble(value);
}

/* What is known of the chunk's file, where anything is. */
static int put_file_metadata(PyObject *dict, const listed_chunk *chunk)
{
    if (chunk->file_branches == ROAST_ABSENT && chunk->file_compressed == ROAST_ABSENT)
        return 0;
    double ratio = chunk->file_compressed == ROAST_ABSENT || chunk->file_uncompressed <= 0
                       ? (double)NAN
                       : (double)chunk->file_compressed / (double)chunk->file_uncompressed;
    PyObject *about = PyDict_New();
    if (about && (put(about, "filename", text_to_python(chunk->record.file)) ||
                  put(about, "compression_ratio", real_to_python(ratio)) ||
                  put(about, "total_branches", int_to_python(chunk->file_branches)) ||
                  put(about, "total_tree_bytes", int_to_python(chunk->file_compressed))))
        Py_CLEAR(about);
    return put(dict, "file_metadata", about);
}

static PyObject *records_item(PyObject *object, Py_ssize_t place)
{
    const chunk_list *list = &((records_object *)object)->list;
    if (place < 0 || (size_t)place >= list->count) {
        PyErr_SetString(PyExc_IndexError, "there is no such chunk");
        return NULL;
    }
    const listed_chunk *chunk = &list->chunks[place];
    const branch_access *access = &chunk->access;
    PyObject *dict = chunk_to_dict(&chunk->record);
    if (dict &&
        (put(dict, "chunk_id", int_to_python(chunk->id)) || put(dict, "host", text_to_python(chunk->host)) ||
         put(dict, "num_branches_accessed", int_to_python(access->branches)) ||
         put(dict, "accessed_bytes", int_to_python(access->compressed)) ||
         put(dict, "accessed_uncompressed_bytes", int_to_python(access->uncompressed)) ||
         put(dict, "branches_read_percent", real_to_python(access->branches_percent)) ||
         put(dict, "bytes_read_percent", real_to_python(access->bytes_percent)) || put_file_metadata(dict, chunk)))
        Py_CLEAR(dict);
    return dict;
}

/* A place, from the end if it is negative, or a slice. */
static PyObject *records_subscript(PyObject *object, PyObject *key)
{
    Py_ssize_t length = records_length(object);
    if (!PySlice_Check(key)) {
        Py_ssize_t place = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (place == -1 && PyErr_Occurred())
            return NULL;
        return records_item(object, place < 0 ? place + length : place);
    }
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step))
        return NULL;
    Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *dict = records_item(object, start + i * step);
        if (!dict || PyList_Append(list, dict))
            Py_CLEAR(list);
        Py_XDECREF(dict);
    }
    return list;
}

static PyType_Slot records_slots[] = {
    {Py_tp_doc, "Chunks of a run: a sequence of dicts in the documented shape."},
    {Py_tp_dealloc, records_dealloc},
    {Py_sq_length, records_length},
    {Py_sq_item, records_item},
    {Py_mp_length, records_length},
    {Py_mp_subscript, records_subscript},
    {0, NULL},
};

static PyType_Spec records_spec = {
    .name = "roastcoffea._core.ChunkRecords",
    .basicsize = sizeof(records_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = records_slots,
};

int records_type_add(PyObject *module, core_state *state)
{
    state->records = core_add_type(module, &records_spec);
    return state->records ? 0 : -1;
}
