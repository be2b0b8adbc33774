/* What the files of the extension share: the module's state, its types, and conversions between Python and C. */
#ifndef EXT_CORE_H
#define EXT_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <roast.h>

#include "base/buf.h"
#include "model/record.h"

/* The headers of 3.12 and some later ones return these without counting, as is right for a Python where they are
 * immortal. The extension is for 3.11, too, whatever it is compiled with: there None would be freed in the end. */
#undef Py_RETURN_NONE
#undef Py_RETURN_TRUE
#undef Py_RETURN_FALSE
#define Py_RETURN_NONE  return Py_NewRef(Py_None)
#define Py_RETURN_TRUE  return Py_NewRef(Py_True)
#define Py_RETURN_FALSE return Py_NewRef(Py_False)

typedef struct core_state {
    PyObject *error; /* RoastError */
    PyTypeObject *chunk, *section, *recorder, *run, *summary, *table, *column, *records;
    PyObject *sections[2]; /* {name: Section} of track_time and track_memory, which have no state of their own */
    PyObject *num_requested_bytes; /* the names that are asked for again and again */
    PyObject *section_fields[3];   /* "timing", "memory", "bytes": in the order of roast_section_kind */
    PyObject *current_chunk;       /* "_roastcoffea_current_chunk" */
    PyObject *epoch, *timedelta;   /* to make datetimes, when they were first needed */
} core_state;

core_state *core_state_of(PyObject *module);
core_state *core_state_of_type(PyTypeObject *type);

/* Each makes its type and adds it to the module; -1 with an exception set. */
int block_type_add(PyObject *module);
int chunk_type_add(PyObject *module, core_state *state);
int section_type_add(PyObject *module, core_state *state);
int recorder_type_add(PyObject *module, core_state *state);
int run_type_add(PyObject *module, core_state *state);
int summary_type_add(PyObject *module, core_state *state);
int table_type_add(PyObject *module, core_state *state);
int records_type_add(PyObject *module, core_state *state);
PyTypeObject *core_add_type(PyObject *module, PyType_Spec *spec);

/* Functions of the module that belong to a type. */
PyObject *core_current_chunk(PyObject *module, PyObject *unused);
PyObject *core_current_values(PyObject *module, PyObject *unused);
PyObject *core_libraries(PyObject *module, PyObject *unused);
PyObject *core_charts(PyObject *module, PyObject *unused);
PyObject *core_moments(PyObject *module, PyObject *values);
PyObject *core_time_average(PyObject *module, PyObject *points);
PyObject *core_shown(PyObject *module, PyObject *args);

/* Call when a section has ended: who looks at the values of the chunk sees it there. */
void chunk_section_ended(void);

/* ---- errors.c: the one place that turns an error into an exception ------------------------------------------- */

/* Sets the exception that fits the code, with the message; returns NULL. */
PyObject *core_raise(core_state *state, const roast_error *err);
/* A text that was made, as str, or the exception for why it was not. Releases the text. */
PyObject *core_text(core_state *state, roast_code code, buf *text, const roast_error *err);

/* ---- convert.c ----------------------------------------------------------------------------------------------- */

PyObject *text_to_python(roast_str text); /* absent is None; invalid UTF-8 is replaced */
PyObject *value_to_python(roast_value value);
PyObject *int_to_python(int64_t value);                 /* absent is None */
PyObject *scaled_to_python(int64_t value, double unit); /* absent is None */
/* dict[key] = value, and takes the reference to value; value NULL is an error already set. -1 on failure. */
int put(PyObject *dict, const char *key, PyObject *value);

/* The UTF-8 of any object's text; None is absent. *keep gets a reference that the text lives as long as. 0, or -1 with
 * an exception set. */
int text_from_python(PyObject *object, roast_str *text, PyObject **keep);
int int_from_python(PyObject *object, int64_t *value); /* None is absent; floats are rounded */
int real_from_python(PyObject *object, double *value); /* None is NAN */

/* Any value as msgpack, in a form that comes back as plain Python: what has no counterpart goes as its text. 0, or -1
 * with an exception set. */
int value_pack(buf *out, PyObject *value);
PyObject *value_unpack(roast_str msgpack);
/* Both for Python: functions of the module. Bytes that are not one value are a ValueError. */
PyObject *core_pack(PyObject *module, PyObject *value);
PyObject *core_unpack(PyObject *module, PyObject *bytes);

/* A field of a record by its own name, or NULL. */
const record_field *field_named(record_id record, PyObject *name);
/* Fills one; the text it points to is kept alive by the list keep. shown: times come in seconds and memory in MiB. 0,
 * or -1 with an exception set. */
int field_fill(const record_field *field, bool shown, void *record, PyObject *value, PyObject *keep);
/* All of a dict; a name that is no field is a TypeError that says so. */
int record_fill(record_id id, void *record, PyObject *dict, PyObject *keep);

/* ---- chunk_dict.c: a record in the documented shape ---------------------------------------------------------- */

/* Every metric of a chunk as a dict: absent ones are None (a chunk without an error has none), sections and custom
 * values in all their spellings. */
PyObject *chunk_to_dict(const roast_chunk *chunk);
/* Its sections alone, in all their spellings. 0, or -1 with an exception set. */
int sections_to_dict(PyObject *dict, const roast_chunk *chunk);
/* A record from a dict in that shape, or with the field names of roast_chunk, or both. What is no field is a custom
 * value. Memory is kept by keep (a list) and scratch. 0, or -1 with an exception set. */
struct arena;
int chunk_from_dict(roast_chunk *chunk, PyObject *dict, PyObject *keep, struct arena *scratch);

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
