/* Block: the base of what is used in a with statement and must clean up behind itself whatever happens.
 *
 * An interrupt (Ctrl-C) can hit between any two steps of Python, also before the first line of __enter__ or __exit__
 * and where a lock is about to be released: no try is of help there. But it only ever hits the main thread. So what
 * opens and closes runs in a thread of its own, while this one waits in C, and is told of the interrupt when all is
 * done:
 *
 *   with block:      _prepare() here, _open() in the thread, _begin() here; _close() in the thread should one of them
 * raise … end of it      _finish() here, and once more should that be interrupted; _close(kind, error, trace) in the
 * thread */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "core.h"

typedef struct job {
    PyObject *method, *args, *result;
    PyObject *kind, *error, *trace; /* what it raised */
    sem_t done;
} job;

static void *run_job(void *argument)
{
    job *work = argument;
    PyGILState_STATE state = PyGILState_Ensure();
    work->result = PyObject_Call(work->method, work->args, NULL);
    if (!work->result)
        PyErr_Fetch(&work->kind, &work->error, &work->trace);
    PyGILState_Release(state);
    sem_post(&work->done);
    return NULL;
}

/* Waits a tenth of a second; true if the job is done. */
static bool is_done(job *work)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    int failed;
    Py_BEGIN_ALLOW_THREADS
    do
        failed = sem_timedwait(&work->done, &until);
    while (failed && errno == EINTR);
    Py_END_ALLOW_THREADS
    return !failed;
}

/* Waits for the end of a job. What signals raise meanwhile takes the place of what it raised. */
static void wait_for(job *work)
{
    while (!is_done(work))
        if (PyErr_CheckSignals()) {
            PyObject *kind, *error, *trace;
            PyErr_Fetch(&kind, &error, &trace);
            while (!is_done(work))
                ;
            PyErr_Restore(kind, error, trace);
            return;
        }
    if (!work->result)
        PyErr_Restore(work->kind, work->error, work->trace);
    work->kind = work->error = work->trace = NULL;
}

static PyObject *call_in_thread(PyObject *self, const char *name, PyObject *args)
{
    job work = {.method = PyObject_GetAttrString(self, name), .args = args};
    pthread_t thread;
    if (!work.method)
        return NULL;
    sem_init(&work.done, 0, 0);
    if (pthread_create(&thread, NULL, run_job, &work)) { /* no more threads: then here */
        work.result = PyObject_Call(work.method, args, NULL);
    } else {
        wait_for(&work);
        pthread_join(thread, NULL);
    }
    sem_destroy(&work.done);
    Py_DECREF(work.method);
    Py_XDECREF(work.kind);
    Py_XDECREF(work.error);
    Py_XDECREF(work.trace);
    if (PyErr_Occurred())
        Py_CLEAR(work.result);
    return work.result;
}

static PyObject *call_here(PyObject *self, const char *name)
{
    return PyObject_CallMethod(self, name, NULL);
}

/* Closes while an exception is set, which stays the one that is set. */
static PyObject *give_up(PyObject *self)
{
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyObject *args = Py_BuildValue("(OOO)", Py_None, Py_None, Py_None);
    PyObject *finished = call_here(self, "_finish");
    PyErr_Clear();
    PyObject *closed = args ? call_in_thread(self, "_close", args) : NULL;
    PyErr_Clear();
    Py_XDECREF(args);
    Py_XDECREF(finished);
    Py_XDECREF(closed);
    PyErr_Restore(kind, error, trace);
    return NULL;
}

static PyObject *block_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *nothing = PyTuple_New(0);
    PyObject *prepared = nothing ? call_here(self, "_prepare") : NULL;
    PyObject *opened = prepared ? call_in_thread(self, "_open", nothing) : NULL;
    PyObject *begun = opened ? call_here(self, "_begin") : NULL;
    bool failed = !begun;
    Py_XDECREF(nothing);
    Py_XDECREF(prepared);
    Py_XDECREF(opened);
    Py_XDECREF(begun);
    return failed ? give_up(self) : Py_NewRef(self);
}

static PyObject *block_exit(PyObject *self, PyObject *args)
{
    PyObject *kind = NULL, *error = NULL, *trace = NULL;
    PyObject *finished = call_here(self, "_finish");
    if (!finished) { /* interrupted: this is said when all is done */
        PyErr_Fetch(&kind, &error, &trace);
        finished = call_here(self, "_finish");
        PyErr_Clear();
    }
    Py_XDECREF(finished);
    PyObject *closed = call_in_thread(self, "_close", args);
    if (kind) {
        PyErr_Restore(kind, error, trace);
        Py_CLEAR(closed);
    }
    return closed;
}

static PyMethodDef block_methods[] = {
    {"__enter__", block_enter, METH_NOARGS, NULL},
    {"__exit__", block_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "A with statement that an interrupt does not leave half open or half closed."},
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
