/* The module roastcoffea._core: its functions, and how its types come together. State is per interpreter, so that
 * subinterpreters do not share objects. */
#include "base/secrets.h"
#include "base/str.h"
#include "core.h"
#include "inspect.h"
#include "probe/pack.h"
#include "probe/readings.h"
#include "probe/sampler.h"

static int core_exec(PyObject *module);
static int core_traverse(PyObject *module, visitproc visit, void *arg);
static int core_clear(PyObject *module);
static void core_free(void *module);

/* ---- The sampler and looks ----------------------------------------------------------------------------------- */

static PyObject *core_sampler_start(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"hz", NULL};
    double hz = 10;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|d:sampler_start", names, &hz))
        return NULL;
    roast_error err = {0};
    if (roast_sampler_start(hz, &err))
        return core_raise(core_state_of(module), &err);
    Py_RETURN_NONE;
}

static PyObject *core_sampler_stop(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS
    roast_sampler_stop();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *core_sampler_drain(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    buf packed = {0};
    Py_BEGIN_ALLOW_THREADS
    roast_sampler_drain(&packed);
    Py_END_ALLOW_THREADS
    PyObject *bytes = packed.code ? PyErr_NoMemory() : PyBytes_FromStringAndSize(packed.data, (Py_ssize_t)packed.len);
    buf_release(&packed);
    return bytes;
}

static PyObject *core_process_memory(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    int64_t rss = probe_read_rss();
    return PyFloat_FromDouble(rss == ROAST_ABSENT ? 0.0 : (double)rss / 1048576.0);
}

/* Looks once at everything; resetting the peak is not harmless, so it is told from the peak being readable. */
static PyObject *core_probe_capabilities(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    thread_readings look = probe_read_thread();
    PyObject *dict = PyDict_New();
    if (dict && (put(dict, "cpu_time", PyBool_FromLong(probe_read_cpu_ns() != ROAST_ABSENT)) ||
                 put(dict, "run_delay", PyBool_FromLong(look.run_delay_ns != ROAST_ABSENT)) ||
                 put(dict, "switches", PyBool_FromLong(look.voluntary_switches != ROAST_ABSENT)) ||
                 put(dict, "page_faults", PyBool_FromLong(look.page_faults != ROAST_ABSENT)) ||
                 put(dict, "memory", PyBool_FromLong(probe_read_rss() != ROAST_ABSENT)) ||
                 put(dict, "memory_peak",
                     PyBool_FromLong(probe_read_peak(ROAST_ABSENT) != ROAST_ABSENT && probe_reset_peak()))))
        Py_CLEAR(dict);
    return dict;
}

/* ---- The catalogue ------------------------------------------------------------------------------------------- */

static PyObject *metric_to_python(const roast_metric *metric)
{
    PyObject *dict = PyDict_New();
    if (dict && (put(dict, "scope", PyUnicode_FromString(roast_scope_name(metric->scope))) ||
                 put(dict, "name", PyUnicode_FromString(metric->name)) ||
                 put(dict, "kind", PyUnicode_FromString(metric->kind)) ||
                 put(dict, "unit", PyUnicode_FromString(metric->unit)) ||
                 put(dict, "aliases", PyUnicode_FromString(metric->aliases)) ||
                 put(dict, "formula", PyUnicode_FromString(metric->formula)) ||
                 put(dict, "help", PyUnicode_FromString(metric->help))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *core_catalogue(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < roast_metric_count(); i++) {
        PyObject *dict = metric_to_python(roast_metric_at(i));
        if (!dict || PyList_Append(list, dict))
            Py_CLEAR(list);
        Py_XDECREF(dict);
    }
    return list;
}

/* ---- Secrets -------------------------------------------------------------------------------------------------- */

static PyObject *core_strip_secrets(PyObject *module, PyObject *given)
{
    (void)module;
    roast_str text;
    PyObject *keep = NULL;
    arena memory = {0};
    if (text_from_python(given, &text, &keep))
        return NULL;
    PyObject *kept = strip_secrets(&text, &memory) ? PyUnicode_DecodeUTF8(text.ptr, (Py_ssize_t)text.len, "replace")
                                                   : PyErr_NoMemory();
    arena_release(&memory);
    Py_XDECREF(keep);
    return kept;
}

/* ---- The module ---------------------------------------------------------------------------------------------- */

static PyObject *core_forget_branches(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    pack_forget_branches();
    Py_RETURN_NONE;
}

static PyMethodDef core_functions[] = {
    {"charts", core_charts, METH_NOARGS, "charts()\n--\n\nThe charts of a run: {id: title}."},
    {"current_chunk", core_current_chunk, METH_NOARGS,
     "current_chunk()\n--\n\nThe innermost Chunk that is being measured on this thread, or None."},
    {"current_values", core_current_values, METH_NOARGS,
     "current_values()\n--\n\nIts fields, with its sections as they are and will be; None if there is no chunk."},
    {"forget_branches", core_forget_branches, METH_NOARGS,
     "forget_branches()\n--\n\nSend the names of branches again: the records have a new reader from now on."},
    {"sampler_start", (PyCFunction)(void (*)(void))core_sampler_start, METH_VARARGS | METH_KEYWORDS,
     "sampler_start(hz=10)\n--\n\nSample memory and CPU of this process, in a thread without the interpreter."},
    {"sampler_stop", core_sampler_stop, METH_NOARGS, "sampler_stop()\n--\n\nEnd what sampler_start began."},
    {"sampler_drain", core_sampler_drain, METH_NOARGS,
     "sampler_drain()\n--\n\nThe samples since the last time, packed for Recorder.samples; b'' if there are none."},
    {"strip_secrets", core_strip_secrets, METH_O,
     "strip_secrets(text)\n--\n\nThe text as it may be kept: addresses without logins and queries, no tokens or "
     "passwords."},
    {"process_memory", core_process_memory, METH_NOARGS,
     "process_memory()\n--\n\nResident memory of this process in MiB; 0.0 where it cannot be read."},
    {"probe_capabilities", core_probe_capabilities, METH_NOARGS,
     "probe_capabilities()\n--\n\nWhat can be measured on this machine."},
    {"file_facts", core_file_facts, METH_VARARGS,
     "file_facts(path, tree, url)\n--\n\nWhat a ROOT file says of a tree, packed for Recorder.file under its url."},
    {"pack_file", core_pack_file, METH_O, "pack_file(fields)\n--\n\nThe fields of a file, packed for Recorder.file."},
    {"moments", core_moments, METH_O,
     "moments(values)\n--\n\nMean and standard deviation (n - 1; 0 for one value); NaN for none."},
    {"time_average", core_time_average, METH_O,
     "time_average(points)\n--\n\nThe time-weighted mean of (nanoseconds, value) in the order of time; NaN for none."},
    {"shown", core_shown, METH_VARARGS,
     "shown(value, unit, form='unit')\n--\n\nA number as tables show it; form: 'unit', 'memory', 'percent', 'times'."},
    {"pack", core_pack, METH_O, "pack(value)\n--\n\nA value as msgpack."},
    {"unpack", core_unpack, METH_O, "unpack(bytes)\n--\n\nThe value that pack packed."},
    {"libraries", core_libraries, METH_NOARGS,
     "libraries()\n--\n\nThe files of the libraries that this module needs beyond the C library, as they can be "
     "loaded."},
    {"catalogue", core_catalogue, METH_NOARGS, "catalogue()\n--\n\nEvery metric: its names, unit and meaning."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, core_exec},
    {0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,        .m_name = "roastcoffea._core", .m_doc = "The C library of roastcoffea, for Python.",
    .m_size = sizeof(core_state), .m_methods = core_functions,   .m_slots = core_slots,
    .m_traverse = core_traverse,  .m_clear = core_clear,         .m_free = core_free,
};

core_state *core_state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

core_state *core_state_of_type(PyTypeObject *type)
{
    return PyType_GetModuleState(type);
}

PyTypeObject *core_add_type(PyObject *module, PyType_Spec *spec)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, type))
        Py_CLEAR(type);
    return type;
}

static int core_exec(PyObject *module)
{
    core_state *state = core_state_of(module);
    state->error = PyErr_NewExceptionWithDoc("roastcoffea.RoastError", "A run, or what a worker sent, cannot be used.",
                                             PyExc_ValueError, NULL);
    if (!state->error || PyModule_AddObjectRef(module, "RoastError", state->error) ||
        PyModule_AddStringConstant(module, "__version__", roast_version()))
        return -1;
    return block_type_add(module) || chunk_type_add(module, state) || section_type_add(module, state) ||
                   recorder_type_add(module, state) || run_type_add(module, state) || summary_type_add(module, state) ||
                   table_type_add(module, state) || records_type_add(module, state) || inspection_type_add(module)
               ? -1
               : 0;
}

/* Every object that the state holds. */
#define STATE_OBJECTS(X)                                                                                               \
    X(error)                                                                                                           \
    X(chunk)                                                                                                           \
    X(section)                                                                                                         \
    X(recorder)                                                                                                        \
    X(run)                                                                                                             \
    X(summary)                                                                                                         \
    X(table)                                                                                                           \
    X(column)                                                                                                          \
    X(records)                                                                                                         \
    X(sections[0])                                                                                                     \
    X(sections[1])                                                                                                     \
    X(current_chunk)                                                                                                   \
    X(num_requested_bytes)                                                                                             \
    X(section_fields[0])                                                                                               \
    X(section_fields[1])                                                                                               \
    X(section_fields[2])                                                                                               \
    X(epoch)                                                                                                           \
    X(timedelta)

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = core_state_of(module);
#define X(member) Py_VISIT(state->member);
    STATE_OBJECTS(X)
#undef X
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = core_state_of(module);
#define X(member) Py_CLEAR(state->member);
    STATE_OBJECTS(X)
#undef X
    return 0;
}

static void core_free(void *module)
{
    core_clear(module);
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
