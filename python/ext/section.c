/* Sections: track_time, track_memory and track_bytes. What a section measures is in the probe, per thread; the object
 * here only names it. So one object serves every use of a name, in any number of threads, nested in itself or not, and
 * entering one allocates nothing. Only where the user has made a dict for the values, as 0.1.2's own scripts do, there
 * is an object for each use, which writes there too, with a chunk or without. */
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "core.h"
#include "probe/chunk.h"
#include "probe/readings.h"

enum { MOST_CACHED = 4096 };

typedef struct section_object {
    PyObject_HEAD
    roast_section_kind kind;
    roast_str text; /* of name */
    PyObject *name;
    PyObject *source; /* for bytes: what counts them, or NULL */
    PyObject *state;  /* the module, for its interned names */
    PyObject *into;   /* what the user made for the values, or NULL */
    size_t entered;   /* this object, for into */
    int64_t start;
} section_object;

/* ---- Counting bytes ------------------------------------------------------------------------------------------ */

static int64_t bytes_so_far(const section_object *section)
{
    int64_t bytes = ROAST_ABSENT;
    if (!section->source)
        return bytes;
    PyObject *value = PyObject_GetAttr(section->source, core_state_of(section->state)->num_requested_bytes);
    if (!value || int_from_python(value, &bytes))
        PyErr_Clear(); /* not measured; the user's code goes on */
    Py_XDECREF(value);
    return bytes;
}

/* Follows a chain of attributes; NULL without an exception if one is missing. */
static PyObject *follow(PyObject *object, const char *const *names)
{
    Py_INCREF(object);
    for (; object && *names; names++) {
        PyObject *next = PyObject_GetAttrString(object, *names);
        Py_DECREF(object);
        object = next;
    }
    if (!object)
        PyErr_Clear();
    return object;
}

/* The file source behind an events object: what coffea attaches to it, or the source itself. NULL if there is none. */
static PyObject *find_source(core_state *state, PyObject *events)
{
    static const char *const to_attrs[] = {"attrs", NULL};
    static const char *const to_source[] = {"file_handle", "file", "source", NULL};
    if (events == Py_None)
        return NULL;
    PyObject *count = PyObject_GetAttr(events, state->num_requested_bytes);
    if (count) {
        Py_DECREF(count);
        return Py_NewRef(events);
    }
    PyErr_Clear();
    PyObject *attrs = follow(events, to_attrs);
    PyObject *factory = attrs ? PyObject_CallMethod(attrs, "get", "s", "@events_factory") : NULL;
    if (!factory)
        PyErr_Clear();
    PyObject *source = factory && factory != Py_None ? follow(factory, to_source) : NULL;
    Py_XDECREF(factory);
    Py_XDECREF(attrs);
    if (source && !PyObject_HasAttrString(source, "num_requested_bytes"))
        Py_CLEAR(source);
    return source;
}

/* ---- What the user made -------------------------------------------------------------------------------------- */

/* Of the object itself: what its class has under this name is ours. Borrowed. */
static PyObject *values_made_for(core_state *state, PyObject *owner)
{
    PyObject *own = owner == Py_None ? NULL : PyObject_GenericGetDict(owner, NULL);
    PyObject *made = own ? PyDict_GetItemWithError(own, state->current_chunk) : NULL;
    Py_XDECREF(own); /* the owner has it */
    PyErr_Clear();   /* it has none */
    return made;
}

static int64_t reading(const section_object *section)
{
    switch (section->kind) {
    case ROAST_SECTION_TIME:
        return clock_monotonic_ns();
    case ROAST_SECTION_MEMORY:
        return probe_read_rss();
    default:
        return bytes_so_far(section);
    }
}

/* What was not counted is 0 here, as it was in 0.1.2. */
static PyObject *grown_since_start(const section_object *section)
{
    int64_t now = reading(section);
    int64_t grown = now == ROAST_ABSENT || section->start == ROAST_ABSENT ? 0 : now - section->start;
    return section->kind == ROAST_SECTION_TIME     ? scaled_to_python(grown, 1e9)
           : section->kind == ROAST_SECTION_MEMORY ? scaled_to_python(grown, 1048576.0)
                                                   : int_to_python(grown);
}

/* into["timing"][name] = value; what the user made may be of any kind, and then takes nothing. */
static void write_into(const section_object *section)
{
    PyObject *field = core_state_of(section->state)->section_fields[section->kind];
    PyObject *value = grown_since_start(section), *place = PyObject_GetItem(section->into, field);
    if (!place) {
        PyErr_Clear();
        place = PyDict_New();
        if (place && PyObject_SetItem(section->into, field, place))
            Py_CLEAR(place);
    }
    if (value && place)
        PyObject_SetItem(place, section->name, value);
    PyErr_Clear();
    Py_XDECREF(value);
    Py_XDECREF(place);
}

/* ---- The object ---------------------------------------------------------------------------------------------- */

static int section_traverse(PyObject *self, visitproc visit, void *arg)
{
    section_object *section = (section_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(section->source);
    Py_VISIT(section->state);
    Py_VISIT(section->into);
    return 0;
}

static int section_clear(PyObject *self)
{
    section_object *section = (section_object *)self;
    Py_CLEAR(section->source);
    Py_CLEAR(section->state);
    Py_CLEAR(section->into);
    return 0;
}

static void section_dealloc(PyObject *self)
{
    section_object *section = (section_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    section_clear(self);
    Py_CLEAR(section->name);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *section_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    section_object *section = (section_object *)self;
    if (section->into && section->entered++ == 0)
        section->start = reading(section);
    /* without a chunk nothing happens, and nothing need be asked for that */
    int64_t bytes =
        section->kind == ROAST_SECTION_BYTES && roast_probe_current() ? bytes_so_far(section) : ROAST_ABSENT;
    roast_section_enter(section->kind, section->text, section, bytes);
    return Py_NewRef(self);
}

static PyObject *section_exit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)args;
    (void)nargs;
    section_object *section = (section_object *)self;
    int64_t bytes =
        section->kind == ROAST_SECTION_BYTES && roast_probe_current() ? bytes_so_far(section) : ROAST_ABSENT;
    roast_section_exit(section, bytes);
    chunk_section_ended();
    if (section->into && section->entered && --section->entered == 0)
        write_into(section);
    Py_RETURN_NONE;
}

/* As a decorator: the function, with every call of it inside this section. */
static PyObject *section_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *function;
    if (kwargs && PyDict_Size(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "a section decorates one function");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O:section", &function))
        return NULL;
    PyObject *module = PyImport_ImportModule("roastcoffea._decorate");
    PyObject *decorated = module ? PyObject_CallMethod(module, "inside", "OO", self, function) : NULL;
    Py_XDECREF(module);
    return decorated;
}

static const char *const function_names[] = {"track_time", "track_memory", "track_bytes"};

static PyObject *section_repr(PyObject *self)
{
    const section_object *section = (section_object *)self;
    return PyUnicode_FromFormat("<%s %R>", function_names[section->kind], section->name);
}

/* As the call that made it; a source of bytes belongs to the process that it is in. */
static PyObject *section_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    const section_object *section = (section_object *)self;
    PyObject *function = PyObject_GetAttrString(section->state, function_names[section->kind]);
    if (!function)
        return NULL;
    return section->kind == ROAST_SECTION_BYTES ? Py_BuildValue("N(OOO)", function, Py_None, Py_None, section->name)
                                                : Py_BuildValue("N(OO)", function, Py_None, section->name);
}

static PyObject *section_name(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((section_object *)self)->name);
}

static PyMethodDef section_methods[] = {
    {"__enter__", section_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))section_exit, METH_FASTCALL, NULL},
    {"__reduce__", section_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef section_attributes[] = {
    {"name", section_name, NULL, "Name of the section.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot section_slots[] = {
    {Py_tp_doc, "A named part of a chunk, measured: a context manager and a decorator."},
    {Py_tp_traverse, section_traverse},
    {Py_tp_clear, section_clear},
    {Py_tp_dealloc, section_dealloc},
    {Py_tp_call, section_call},
    {Py_tp_repr, section_repr},
    {Py_tp_methods, section_methods},
    {Py_tp_getset, section_attributes},
    {0, NULL},
};

static PyType_Spec section_spec = {
    .name = "roastcoffea._core.Section",
    .basicsize = sizeof(section_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = section_slots,
};

static PyObject *section_new(PyObject *module, core_state *state, roast_section_kind kind, PyObject *name,
                             PyObject *events, PyObject *into)
{
    section_object *section = PyObject_GC_New(section_object, state->section);
    if (!section)
        return NULL;
    section->kind = kind;
    section->source = NULL;
    section->state = Py_NewRef(module);
    section->into = into ? Py_NewRef(into) : NULL;
    section->entered = 0;
    if (text_from_python(name, &section->text, &section->name)) {
        section->name = NULL;
        PyObject_GC_Track(section);
        Py_DECREF(section);
        return NULL;
    }
    if (!section->name) { /* None */
        section->name = PyUnicode_FromString("None");
        section->text = STR("None");
    }
    if (kind == ROAST_SECTION_BYTES && (into || roast_probe_current()))
        section->source = find_source(state, events);
    PyObject_GC_Track(section);
    return (PyObject *)section;
}

/* ---- The functions ------------------------------------------------------------------------------------------- */

/* Finds an argument by its place or by one of its two names. Borrowed; NULL if it is missing. */
static PyObject *argument(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, Py_ssize_t place,
                          const char *name, const char *other_name)
{
    if (place < nargs)
        return args[place];
    Py_ssize_t keywords = kwnames ? PyTuple_Size(kwnames) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++) {
        PyObject *keyword = PyTuple_GetItem(kwnames, i);
        if (PyUnicode_CompareWithASCIIString(keyword, name) == 0 ||
            PyUnicode_CompareWithASCIIString(keyword, other_name) == 0)
            return args[nargs + i];
    }
    return NULL;
}

static PyObject *complain(const char *usage)
{
    PyErr_Format(PyExc_TypeError, "used as %s", usage);
    return NULL;
}

static PyObject *cached_section(PyObject *module, roast_section_kind kind, PyObject *name)
{
    core_state *state = core_state_of(module);
    if (!PyUnicode_Check(name))
        return section_new(module, state, kind, name, Py_None, NULL);
    PyObject *cache = state->sections[kind];
    PyObject *section = PyDict_GetItemWithError(cache, name);
    if (section)
        return Py_NewRef(section);
    if (PyErr_Occurred())
        return NULL;
    section = section_new(module, state, kind, name, Py_None, NULL);
    if (section && PyDict_Size(cache) < MOST_CACHED && PyDict_SetItem(cache, name, section))
        Py_CLEAR(section);
    return section;
}

static PyObject *named_section(PyObject *module, roast_section_kind kind, PyObject *owner, PyObject *name)
{
    core_state *state = core_state_of(module);
    PyObject *into = values_made_for(state, owner);
    return into ? section_new(module, state, kind, name, Py_None, into) : cached_section(module, kind, name);
}

static PyObject *track_named(PyObject *module, roast_section_kind kind, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames, const char *usage)
{
    if (nargs == 2 && !kwnames)
        return named_section(module, kind, args[0], args[1]);
    PyObject *owner = argument(args, nargs, kwnames, 0, "owner", "processor_self");
    PyObject *name = argument(args, nargs, kwnames, 1, "name", "section_name");
    Py_ssize_t given = nargs + (kwnames ? PyTuple_Size(kwnames) : 0);
    if (given != 2 || !name || !owner)
        return complain(usage);
    return named_section(module, kind, owner, name);
}

/* The functions are methods of one object, and not of the module, because of how they are pickled: as an attribute of
 * that object, which decides itself what becomes of it where this package is missing. */
static PyObject *track_time(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *module = PyType_GetModule(Py_TYPE(self));
    return track_named(module, ROAST_SECTION_TIME, args, nargs, kwnames, "track_time(owner, name)");
}

static PyObject *track_memory(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *module = PyType_GetModule(Py_TYPE(self));
    return track_named(module, ROAST_SECTION_MEMORY, args, nargs, kwnames, "track_memory(owner, name)");
}

static PyObject *track_bytes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *events = argument(args, nargs, kwnames, 1, "events", "source");
    PyObject *name = argument(args, nargs, kwnames, 2, "name", "section_name");
    PyObject *owner = argument(args, nargs, kwnames, 0, "owner", "processor_self");
    Py_ssize_t given = nargs + (kwnames ? PyTuple_Size(kwnames) : 0);
    if (given != 3 || !events || !name || !owner)
        return complain("track_bytes(owner, events, name)");
    PyObject *module = PyType_GetModule(Py_TYPE(self));
    core_state *state = core_state_of(module);
    return section_new(module, state, ROAST_SECTION_BYTES, name, events, values_made_for(state, owner));
}

static PyObject *trackers_reduce(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyObject *module = PyImport_ImportModule("roastcoffea.shipping");
    PyObject *reduced = module ? PyObject_CallMethod(module, "trackers", NULL) : NULL;
    Py_XDECREF(module);
    return reduced;
}

static PyMethodDef tracker_methods[] = {
    {"track_time", (PyCFunction)(void (*)(void))track_time, METH_FASTCALL | METH_KEYWORDS,
     "track_time(owner, name)\n--\n\nMeasure wall time and CPU time of a named part of a chunk."},
    {"track_memory", (PyCFunction)(void (*)(void))track_memory, METH_FASTCALL | METH_KEYWORDS,
     "track_memory(owner, name)\n--\n\nMeasure how the resident memory grows over a named part of a chunk."},
    {"track_bytes", (PyCFunction)(void (*)(void))track_bytes, METH_FASTCALL | METH_KEYWORDS,
     "track_bytes(owner, events, name)\n--\n\nCount the bytes that the file source reads in a named part of a chunk."},
    {"__reduce__", trackers_reduce, METH_NOARGS, NULL}, /* the last: the others are functions of the module, too */
    {NULL, NULL, 0, NULL},
};

static PyType_Slot trackers_slots[] = {
    {Py_tp_doc, "What track_time, track_memory and track_bytes are methods of."},
    {Py_tp_methods, tracker_methods},
    {0, NULL},
};

static PyType_Spec trackers_spec = {
    .name = "roastcoffea._core.Trackers",
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = trackers_slots,
};

static int trackers_add(PyObject *module)
{
    PyObject *type = (PyObject *)core_add_type(module, &trackers_spec);
    PyObject *trackers = type ? PyObject_CallNoArgs(type) : NULL;
    int failed = !trackers || PyModule_AddObjectRef(module, "trackers", trackers);
    for (const PyMethodDef *method = tracker_methods; !failed && strcmp(method->ml_name, "__reduce__"); method++) {
        PyObject *bound = PyObject_GetAttrString(trackers, method->ml_name);
        failed = !bound || PyModule_AddObjectRef(module, method->ml_name, bound);
        Py_XDECREF(bound);
    }
    Py_XDECREF(trackers);
    Py_XDECREF(type);
    return failed ? -1 : 0;
}

int section_type_add(PyObject *module, core_state *state)
{
    state->section = core_add_type(module, &section_spec);
    state->sections[ROAST_SECTION_TIME] = PyDict_New();
    state->sections[ROAST_SECTION_MEMORY] = PyDict_New();
    state->num_requested_bytes = PyUnicode_InternFromString("num_requested_bytes");
    if (!state->section || !state->sections[0] || !state->sections[1] || !state->num_requested_bytes)
        return -1;
    return trackers_add(module);
}
