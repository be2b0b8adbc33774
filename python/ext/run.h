/* The open run, for the types that read from it. */
#ifndef EXT_RUN_H
#define EXT_RUN_H

#include <pthread.h>

#include "core.h"

typedef struct run_object {
    PyObject_HEAD
    roast_run *run;       /* NULL once it is closed */
    pthread_mutex_t lock; /* a run is read by one thread at a time */
    PyObject *path;       /* bytes */
} run_object;

/* Locks and unlocks the handle; between them the interpreter may be free. NULL with an exception if it is closed. */
roast_run *run_lock(run_object *self);
void run_unlock(run_object *self);

PyObject *summary_new(core_state *state, roast_summary *summary); /* takes the summary */
PyObject *table_new(core_state *state, run_object *run, const char *name);
PyObject *records_new(core_state *state, run_object *run);
PyObject *tracking_data(core_state *state, run_object *run);
const roast_summary *summary_of(PyObject *object); /* of a Summary, which it belongs to */
PyObject *run_chart(PyObject *object, PyObject *args, PyObject *kwargs);

#endif
