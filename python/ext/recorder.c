/* Recorder: writes a run file. Threads may share it; the interpreter is free while a record is written. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "core.h"
#include "inspect.h"

typedef struct recorder_object {
    PyObject_HEAD
    roast_recorder *recorder; /* NULL once it is closed */
    pthread_mutex_t lock;     /* of users */
    pthread_cond_t unused;
    size_t users; /* calls that are inside the library now; closing waits for them */
    pid_t owner; /* a forked child has the handle, too, but neither the thread that commits nor the right to the file */
    PyObject *path;
} recorder_object;

/* ---- Life ---------------------------------------------------------------------------------------------------- */

static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", "name", "overwrite", "private", NULL};
    PyObject *path;
    const char *name = NULL;
    int overwrite = 0, private = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|zpp:Recorder", names, PyUnicode_FSConverter, &path, &name,
                                     &overwrite, &private))
        return NULL;
    recorder_object *self = (recorder_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) {
        Py_DECREF(path);
        return NULL;
    }
    self->path = path;
    self->owner = getpid();
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->unused, NULL);
    roast_recorder_options options = {
        .size = sizeof options, .name = name, .overwrite = overwrite != 0, .mode = private ? 0600 : 0};
    roast_error err = {0};
    roast_recorder *recorder;
    const char *file = PyBytes_AsString(path);
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_recorder_open(&recorder, file, &options, &err);
    Py_END_ALLOW_THREADS
    if (code) {
        Py_DECREF(self);
        return core_raise(core_state_of_type(type), &err);
    }
    self->recorder = recorder;
    return (PyObject *)self;
}

static bool is_inherited(const recorder_object *recorder)
{
    return recorder->owner != getpid();
}

/* One that was never closed was interrupted: what was recorded is there. */
static void recorder_dealloc(PyObject *self)
{
    recorder_object *recorder = (recorder_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (!is_inherited(recorder))
        roast_recorder_close(recorder->recorder, ROAST_INTERRUPTED, NULL);
    Py_CLEAR(recorder->path);
    pthread_cond_destroy(&recorder->unused);
    pthread_mutex_destroy(&recorder->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* A call that is inside the library, without the interpreter. */
typedef struct library_call {
    recorder_object *object;
    roast_recorder *recorder; /* NULL with an exception if it is closed: then the call is not made */
    PyThreadState *thread;
} library_call;

static library_call enter(PyObject *self)
{
    recorder_object *object = (recorder_object *)self;
    library_call call = {object, object->recorder, NULL};
    if (!call.recorder) {
        PyErr_SetString(PyExc_ValueError, "the recorder is closed");
    } else if (is_inherited(object)) {
        call.recorder = NULL;
        PyErr_SetString(PyExc_ValueError, "the recorder belongs to the process that this one was forked from");
    } else {
        pthread_mutex_lock(&object->lock);
        object->users++;
        pthread_mutex_unlock(&object->lock);
        call.thread = PyEval_SaveThread();
    }
    return call;
}

static void leave(const library_call *call)
{
    PyEval_RestoreThread(call->thread);
    pthread_mutex_lock(&call->object->lock);
    call->object->users--;
    pthread_cond_signal(&call->object->unused);
    pthread_mutex_unlock(&call->object->lock);
}

static void wait_for_users(recorder_object *recorder)
{
    pthread_mutex_lock(&recorder->lock);
    while (recorder->users)
        pthread_cond_wait(&recorder->unused, &recorder->lock);
    pthread_mutex_unlock(&recorder->lock);
}

/* What a call ends with: None, or the exception. A recorder that cannot write drops records and does not complain
 * again and again: status() says what happened. */
static PyObject *finish_call(const library_call *call, roast_code code, const roast_error *err)
{
    leave(call);
    if (code == ROAST_USAGE || code == ROAST_CORRUPT || code == ROAST_VERSION || code == ROAST_LIMIT) {
        roast_error unnamed = {.code = code};
        return core_raise(core_state_of_type(Py_TYPE((PyObject *)call->object)), err && err->code ? err : &unnamed);
    }
    Py_RETURN_NONE;
}

/* ---- Records ------------------------------------------------------------------------------------------------- */

/* Records one dict: fills the fields, then writes without the interpreter. */
#define RECORD_DICT(kind)                                                                                              \
    do {                                                                                                               \
        roast_##kind record = roast_##kind##_none();                                                                   \
        PyObject *keep = PyList_New(0), *done = NULL;                                                                  \
        library_call call;                                                                                             \
        if (keep && !record_fill(RECORD_##kind, &record, dict, keep) && (call = enter(self)).recorder)                 \
            done = finish_call(&call, roast_record_##kind(call.recorder, &record), NULL);                              \
        Py_XDECREF(keep);                                                                                              \
        return done;                                                                                                   \
    } while (0)

static PyObject *recorder_worker(PyObject *self, PyObject *dict)
{
    RECORD_DICT(worker);
}

static PyObject *record_sample(PyObject *self, PyObject *dict)
{
    RECORD_DICT(sample);
}

static PyObject *recorder_task(PyObject *self, PyObject *dict)
{
    RECORD_DICT(task);
}

static PyObject *record_work(PyObject *self, PyObject *dict)
{
    RECORD_DICT(work);
}

/* Calls f for the thing itself, or for each of a list of them. */
static PyObject *for_each(PyObject *self, PyObject *one_or_many, PyObject *(*f)(PyObject *, PyObject *))
{
    if (!PyList_Check(one_or_many) && !PyTuple_Check(one_or_many))
        return f(self, one_or_many);
    PyObject *list = PySequence_List(one_or_many);
    PyObject *done = list ? Py_NewRef(Py_None) : NULL;
    for (Py_ssize_t i = 0; done && i < PyList_Size(list); i++) {
        Py_DECREF(done);
        done = f(self, PyList_GetItem(list, i));
    }
    Py_XDECREF(list);
    return done;
}

static PyObject *recorder_sample(PyObject *self, PyObject *sample)
{
    return for_each(self, sample, record_sample);
}

static PyObject *recorder_work(PyObject *self, PyObject *work)
{
    return for_each(self, work, record_work);
}

static PyObject *recorder_tasks(PyObject *self, PyObject *task)
{
    return for_each(self, task, recorder_task);
}

static PyObject *record_packed(PyObject *self, PyObject *packed, roast_str worker)
{
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(packed, &bytes, &length))
        return NULL;
    if (length == 0) /* a nested chunk: its record is the outer one's */
        Py_RETURN_NONE;
    roast_str record = {bytes, (size_t)length};
    roast_error err = {0};
    library_call call = enter(self);
    return call.recorder ? finish_call(&call, roast_record_packed(call.recorder, record, worker, &err), &err) : NULL;
}

static PyObject *record_chunk_dict(PyObject *self, PyObject *dict)
{
    roast_chunk chunk;
    arena scratch = {0};
    PyObject *keep = PyList_New(0), *done = NULL;
    library_call call;
    if (keep && chunk_from_dict(&chunk, dict, keep, &scratch) == 0 && (call = enter(self)).recorder)
        done = finish_call(&call, roast_record_chunk(call.recorder, &chunk), NULL);
    arena_release(&scratch);
    Py_XDECREF(keep);
    return done;
}

static PyObject *record_chunk(PyObject *self, PyObject *chunk)
{
    if (PyDict_Check(chunk))
        return record_chunk_dict(self, chunk);
    if (PyBytes_Check(chunk))
        return record_packed(self, chunk, str_none());
    PyErr_Format(PyExc_TypeError, "Recorder.chunk: packed bytes, a dict, or a list of them, not %R", Py_TYPE(chunk));
    return NULL;
}

static PyObject *recorder_chunk(PyObject *self, PyObject *chunk)
{
    return for_each(self, chunk, record_chunk);
}

static PyObject *recorder_packed(PyObject *self, PyObject *args)
{
    PyObject *worker, *packed, *keep;
    roast_str text;
    if (!PyArg_ParseTuple(args, "UO!:packed", &worker, &PyBytes_Type, &packed) ||
        text_from_python(worker, &text, &keep))
        return NULL;
    PyObject *done = record_packed(self, packed, text);
    Py_XDECREF(keep);
    return done;
}

static PyObject *recorder_count(PyObject *self, PyObject *args)
{
    PyObject *t, *workers, *cores = Py_None;
    roast_worker_count count = roast_worker_count_none();
    if (!PyArg_ParseTuple(args, "OO|O:count", &t, &workers, &cores) || int_from_python(t, &count.t_ns) ||
        int_from_python(workers, &count.workers) || int_from_python(cores, &count.cores))
        return NULL;
    library_call call = enter(self);
    return call.recorder ? finish_call(&call, roast_record_worker_count(call.recorder, &count), NULL) : NULL;
}

/* {"name": …, "compressed": …, "uncompressed": …, "baskets": …} each. */
static int fill_branches(roast_file *file, PyObject *list, PyObject *keep, arena *scratch)
{
    PyObject *copy = PySequence_List(list);
    if (!copy || PyList_Append(keep, copy)) {
        Py_XDECREF(copy);
        return -1;
    }
    Py_DECREF(copy); /* kept */
    file->n_branches = (size_t)PyList_Size(copy);
    roast_branch *branches = arena_alloc(scratch, file->n_branches, sizeof *branches);
    if (!branches) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < file->n_branches; i++) {
        branches[i] = roast_branch_none();
        if (record_fill(RECORD_branch, &branches[i], PyList_GetItem(copy, (Py_ssize_t)i), keep))
            return -1;
    }
    file->branches = branches;
    return 0;
}

int file_from_dict(roast_file *file, PyObject *dict, PyObject *keep, arena *scratch)
{
    *file = roast_file_none();
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "file: a dict is needed");
        return -1;
    }
    PyObject *plain = PyDict_Copy(dict);
    PyObject *branches = plain ? PyDict_GetItemString(plain, "branches") : NULL;
    int code = plain ? 0 : -1;
    if (branches) {
        code = fill_branches(file, branches, keep, scratch);
        if (!code)
            code = PyDict_DelItemString(plain, "branches");
    }
    if (!code)
        code = record_fill(RECORD_file, file, plain, keep);
    Py_XDECREF(plain);
    return code;
}

static PyObject *recorder_file(PyObject *self, PyObject *dict)
{
    if (PyBytes_Check(dict))
        return record_packed(self, dict, str_none());
    roast_file file;
    arena scratch = {0};
    PyObject *keep = PyList_New(0), *done = NULL;
    library_call call;
    if (keep && file_from_dict(&file, dict, keep, &scratch) == 0 && (call = enter(self)).recorder)
        done = finish_call(&call, roast_record_file(call.recorder, &file), NULL);
    arena_release(&scratch);
    Py_XDECREF(keep);
    return done;
}

static PyObject *recorder_activity(PyObject *self, PyObject *args)
{
    PyObject *texts[4], *keep[4] = {NULL};
    roast_activity activity = roast_activity_none();
    roast_str *const targets[] = {&activity.context, &activity.prefix, &activity.activity, &activity.unit};
    if (!PyArg_ParseTuple(args, "OOOOd:activity", &texts[0], &texts[1], &texts[2], &texts[3], &activity.value))
        return NULL;
    PyObject *done = NULL;
    int failed = 0;
    for (size_t i = 0; !failed && i < 4; i++)
        failed = text_from_python(texts[i], targets[i], &keep[i]);
    library_call call;
    if (!failed && (call = enter(self)).recorder)
        done = finish_call(&call, roast_record_activity(call.recorder, &activity), NULL);
    for (size_t i = 0; i < 4; i++)
        Py_XDECREF(keep[i]);
    return done;
}

/* ---- Facts, documents, notes --------------------------------------------------------------------------------- */

static PyObject *recorder_fact(PyObject *self, PyObject *args)
{
    const char *key;
    PyObject *value, *keep = NULL;
    if (!PyArg_ParseTuple(args, "sO:fact", &key, &value))
        return NULL;
    roast_str text = str_none();
    int64_t number = ROAST_ABSENT;
    bool is_number = PyLong_Check(value) && !PyBool_Check(value);
    if (is_number ? int_from_python(value, &number) : text_from_python(value, &text, &keep))
        return NULL;
    PyObject *done = NULL;
    library_call call = enter(self);
    if (call.recorder)
        done = finish_call(&call,
                           is_number ? roast_record_fact_int(call.recorder, key, number)
                                     : roast_record_fact(call.recorder, key, text),
                           NULL);
    Py_XDECREF(keep);
    return done;
}

static PyObject *record_text(PyObject *self, PyObject *json, roast_code (*record)(roast_recorder *, roast_str))
{
    roast_str text;
    PyObject *keep, *done = NULL;
    if (text_from_python(json, &text, &keep))
        return NULL;
    library_call call = enter(self);
    if (call.recorder)
        done = finish_call(&call, record(call.recorder, text), NULL);
    Py_XDECREF(keep);
    return done;
}

static PyObject *recorder_report(PyObject *self, PyObject *json)
{
    return record_text(self, json, roast_record_report);
}

static PyObject *recorder_custom_metrics(PyObject *self, PyObject *json)
{
    return record_text(self, json, roast_record_custom_metrics);
}

static PyObject *recorder_note(PyObject *self, PyObject *args)
{
    const char *level;
    PyObject *value, *keep, *done = NULL;
    roast_str text;
    if (!PyArg_ParseTuple(args, "sO:note", &level, &value) || text_from_python(value, &text, &keep))
        return NULL;
    library_call call = enter(self);
    if (call.recorder)
        done = finish_call(&call, roast_record_note(call.recorder, level, text), NULL);
    Py_XDECREF(keep);
    return done;
}

/* ---- The end ------------------------------------------------------------------------------------------------- */

static PyObject *recorder_flush(PyObject *self, PyObject *unused)
{
    (void)unused;
    library_call call = enter(self);
    return call.recorder ? finish_call(&call, roast_recorder_flush(call.recorder), NULL) : NULL;
}

static PyObject *recorder_status(PyObject *self, PyObject *unused)
{
    (void)unused;
    library_call call = enter(self);
    if (!call.recorder)
        return NULL;
    roast_error err;
    roast_code code = roast_recorder_status(call.recorder, &err);
    leave(&call);
    return code ? PyUnicode_FromString(err.message) : Py_NewRef(Py_None);
}

static int outcome_from(const char *name, roast_outcome *outcome)
{
    static const roast_outcome outcomes[] = {ROAST_FINISHED, ROAST_FAILED, ROAST_INTERRUPTED};
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        if (strcmp(roast_outcome_name(outcomes[i]), name) == 0) {
            *outcome = outcomes[i];
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "Recorder: the outcome '%s' is none of 'finished', 'failed', 'interrupted'", name);
    return -1;
}

static PyObject *recorder_finish(PyObject *self, PyObject *args)
{
    const char *name;
    roast_outcome outcome;
    if (!PyArg_ParseTuple(args, "s:finish", &name) || outcome_from(name, &outcome))
        return NULL;
    roast_error err = {0};
    library_call call = enter(self);
    return call.recorder ? finish_call(&call, roast_recorder_finish(call.recorder, outcome, &err), &err) : NULL;
}

static PyObject *recorder_close(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"outcome", NULL};
    recorder_object *object = (recorder_object *)self;
    const char *name = "finished";
    roast_outcome outcome;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|s:close", names, &name) || outcome_from(name, &outcome))
        return NULL;
    if (is_inherited(object))
        Py_RETURN_NONE;
    roast_recorder *recorder = object->recorder;
    object->recorder = NULL; /* nobody enters any more */
    roast_error err = {0};
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    wait_for_users(object);
    code = roast_recorder_close(recorder, outcome, &err);
    Py_END_ALLOW_THREADS
    if (code)
        return core_raise(core_state_of_type(Py_TYPE(self)), &err);
    Py_RETURN_NONE;
}

static PyObject *recorder_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *recorder_exit(PyObject *self, PyObject *args)
{
    PyObject *type = PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : Py_None;
    if (!((recorder_object *)self)->recorder)
        Py_RETURN_NONE;
    PyObject *outcome = Py_BuildValue("(s)", type == Py_None ? "finished" : "failed");
    PyObject *done = outcome ? recorder_close(self, outcome, NULL) : NULL;
    Py_XDECREF(outcome);
    return done;
}

/* ---- The type ------------------------------------------------------------------------------------------------ */

static PyObject *recorder_get_path(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *path = ((recorder_object *)self)->path;
    return PyUnicode_DecodeFSDefaultAndSize(PyBytes_AsString(path), PyBytes_Size(path));
}

static PyObject *recorder_get_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((recorder_object *)self)->recorder == NULL);
}

static PyMethodDef recorder_methods[] = {
    {"fact", recorder_fact, METH_VARARGS, "fact(key, value)\n--\n\nA fact of the run: text or a whole number."},
    {"worker", recorder_worker, METH_O, "worker(fields)\n--\n\nA worker, or what else is known of one."},
    {"sample", recorder_sample, METH_O, "sample(fields)\n--\n\nA sample of a worker, or a list of them."},
    {"packed", recorder_packed, METH_VARARGS,
     "packed(worker, record)\n--\n\nWhat finish() of a chunk, or sampler_drain(), gave there."},
    {"count", recorder_count, METH_VARARGS, "count(t_ns, workers, cores=None)\n--\n\nHow many workers there were."},
    {"chunk", recorder_chunk, METH_O, "chunk(record)\n--\n\nA chunk: packed, as a dict, or a list of these."},
    {"file", recorder_file, METH_O,
     "file(fields)\n--\n\nA file: packed, or a dict in which branches is a list of dicts."},
    {"task", recorder_tasks, METH_O, "task(fields)\n--\n\nA task of the engine, or a list of them."},
    {"work", recorder_work, METH_O, "work(fields)\n--\n\nWhat a Runner was asked for, or a list of it."},
    {"activity", recorder_activity, METH_VARARGS,
     "activity(context, prefix, activity, unit, value)\n--\n\nA sum of the engine's fine metrics."},
    {"report", recorder_report, METH_O, "report(json)\n--\n\ncoffea's report, as JSON text."},
    {"custom_metrics", recorder_custom_metrics, METH_O, "custom_metrics(json)\n--\n\nPer dataset, as JSON text."},
    {"note", recorder_note, METH_VARARGS, "note(level, text)\n--\n\nSomething the reader of the run should know."},
    {"flush", recorder_flush, METH_NOARGS, "flush()\n--\n\nCommit now."},
    {"status", recorder_status, METH_NOARGS, "status()\n--\n\nThe first thing that went wrong, or None."},
    {"finish", recorder_finish, METH_VARARGS,
     "finish(outcome)\n--\n\nSay how the run ended; what belongs to it may still be recorded until close()."},
    {"close", (PyCFunction)(void (*)(void))recorder_close, METH_VARARGS | METH_KEYWORDS,
     "close(outcome='finished')\n--\n\nEnd the run: 'finished', 'failed' or 'interrupted'."},
    {"__enter__", recorder_enter, METH_NOARGS, NULL},
    {"__exit__", recorder_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef recorder_attributes[] = {
    {"path", recorder_get_path, NULL, "Where the run file is.", NULL},
    {"closed", recorder_get_closed, NULL, "Whether it has been closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_doc, "Recorder(path, name=None, overwrite=False, private=False)\n--\n\n"
                "Writes a run file while the run goes on. A private one is its owner's alone to read."},
    {Py_tp_new, recorder_new},
    {Py_tp_dealloc, recorder_dealloc},
    {Py_tp_methods, recorder_methods},
    {Py_tp_getset, recorder_attributes},
    {0, NULL},
};

static PyType_Spec recorder_spec = {
    .name = "roastcoffea._core.Recorder",
    .basicsize = sizeof(recorder_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = recorder_slots,
};

int recorder_type_add(PyObject *module, core_state *state)
{
    state->recorder = core_add_type(module, &recorder_spec);
    return state->recorder ? 0 : -1;
}
