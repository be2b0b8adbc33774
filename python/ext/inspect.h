/* ROOT files in the extension. */
#ifndef EXT_INSPECT_H
#define EXT_INSPECT_H

#include "core.h"
#include "view/columns.h"

struct arena;

PyObject *core_file_facts(PyObject *module, PyObject *args);
PyObject *core_pack_file(PyObject *module, PyObject *dict);
int inspection_type_add(PyObject *module);
/* recorder.c: a file's record from a dict with the names of its fields; memory is kept by keep (a list) and scratch. 0,
 * or -1 with an exception set. */
int file_from_dict(roast_file *file, PyObject *dict, PyObject *keep, struct arena *scratch);
/* table.c: a ColumnTable that takes the table over; even if it fails. */
PyObject *table_from(core_state *state, column_table *table);

#endif
