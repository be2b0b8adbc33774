/* Chunk: one attempt at a chunk, measured on the thread that made it. A chunk that is made inside another one adds to
 * that one: there is one record for each attempt, whoever looks at it. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/str.h"
#include "core.h"
#include "model/record_secrets.h"
#include "probe/chunk.h"
#include "probe/pack.h"
#include "probe/sampler.h"

enum { LONGEST_ERROR = 2000, LARGEST_CUSTOM = 1 << 20 };

typedef struct chunk_object {
    PyObject_HEAD
    roast_probe *probe;               /* NULL in a nested one */
    struct chunk_object *outer;       /* of a nested one: where its numbers go */
    roast_chunk given;                /* what was set, apart from texts */
    PyObject *texts[FIELDS_OF_chunk]; /* by field; NULL for what is none */
    PyObject *branches;               /* a set of str, or NULL */
    PyObject *fields;                 /* the user's dict */
    PyObject *shown;                  /* what of its sections is in there, because somebody looks; else NULL */
    bool finished;
} chunk_object;

/* Numbers that are not measured, but said by the caller. */
static bool may_be_set(const record_field *field)
{
    switch (field - record_specs[RECORD_chunk].fields) {
    case FIELD_chunk_entry_start:
    case FIELD_chunk_entry_stop:
    case FIELD_chunk_events:
    case FIELD_chunk_attempt:
    case FIELD_chunk_round:
    case FIELD_chunk_bytes_read:
    case FIELD_chunk_read_requests:
        return true;
    default:
        return false;
    }
}

/* ---- Life ---------------------------------------------------------------------------------------------------- */

/* The chunk that holds the numbers: itself, or the one that it is nested in. */
static chunk_object *target_of(chunk_object *chunk)
{
    return chunk->outer ? chunk->outer : chunk;
}

static int set_field(chunk_object *chunk, PyObject *name, PyObject *value);

static int set_all(chunk_object *chunk, PyObject *meta)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(meta, &at, &name, &value))
        if (set_field(chunk, name, value))
            return -1;
    return 0;
}

static PyObject *new_fields(core_state *state)
{
    PyObject *fields = PyDict_New();
    for (size_t i = 0; fields && i < COUNT_OF(state->section_fields); i++) {
        PyObject *empty = PyDict_New();
        if (!empty || PyDict_SetItem(fields, state->section_fields[i], empty))
            Py_CLEAR(fields);
        Py_XDECREF(empty);
    }
    return fields;
}

static PyObject *chunk_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"meta", NULL};
    PyObject *meta = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Chunk", names, &meta))
        return NULL;
    if (meta != Py_None && !PyDict_Check(meta)) {
        PyErr_SetString(PyExc_TypeError, "Chunk: meta is a dict or None");
        return NULL;
    }
    chunk_object *chunk = (chunk_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!chunk)
        return NULL;
    chunk->given = roast_chunk_none();
    roast_probe *around = roast_probe_current();
    PyObject *outer = around ? roast_probe_owner(around) : NULL;
    if (outer) {
        chunk->outer = (chunk_object *)Py_NewRef(outer);
    } else {
        sampler_resume();
        chunk->probe = roast_probe_begin(chunk);
        chunk->fields = new_fields(core_state_of_type(type));
        if (!chunk->probe || !chunk->fields) {
            Py_DECREF(chunk);
            return PyErr_Occurred() ? NULL : PyErr_NoMemory();
        }
    }
    if (meta != Py_None && set_all(chunk, meta)) {
        Py_DECREF(chunk);
        return NULL;
    }
    return (PyObject *)chunk;
}

static int chunk_traverse(PyObject *self, visitproc visit, void *arg)
{
    chunk_object *chunk = (chunk_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(chunk->outer);
    Py_VISIT(chunk->fields);
    Py_VISIT(chunk->shown);
    Py_VISIT(chunk->branches);
    return 0;
}

static int chunk_clear(PyObject *self)
{
    chunk_object *chunk = (chunk_object *)self;
    Py_CLEAR(chunk->outer);
    Py_CLEAR(chunk->fields);
    Py_CLEAR(chunk->shown);
    Py_CLEAR(chunk->branches);
    for (size_t i = 0; i < FIELDS_OF_chunk; i++)
        Py_CLEAR(chunk->texts[i]);
    return 0;
}

static void chunk_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    roast_probe_free(((chunk_object *)self)->probe);
    chunk_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- What is known of it ------------------------------------------------------------------------------------- */

static void replace(PyObject **place, PyObject *value)
{
    PyObject *before = *place;
    *place = value;
    Py_XDECREF(before);
}

static int set_text(chunk_object *chunk, size_t place, PyObject *value)
{
    PyObject *text = value == Py_None ? NULL : PyUnicode_Check(value) ? Py_NewRef(value) : PyObject_Str(value);
    if (!text && value != Py_None)
        return -1;
    replace(&chunk->texts[place], text);
    return 0;
}

static int set_branches(chunk_object *chunk, PyObject *value)
{
    PyObject *set = value == Py_None ? NULL : PyFrozenSet_New(value);
    if (!set && value != Py_None)
        return -1;
    replace(&chunk->branches, set);
    return 0;
}

static int set_field(chunk_object *chunk, PyObject *name, PyObject *value)
{
    chunk = target_of(chunk);
    bool is_events = PyUnicode_CompareWithASCIIString(name, "num_events") == 0; /* as coffea says it */
    const record_field *all = record_specs[RECORD_chunk].fields;
    const record_field *field = is_events ? &all[FIELD_chunk_events] : field_named(RECORD_chunk, name);
    if (field && field_is_text(field))
        return set_text(chunk, (size_t)(field - all), value);
    if (field && may_be_set(field))
        return field_fill(field, false, &chunk->given, value, NULL);
    if (PyUnicode_CompareWithASCIIString(name, "branches") == 0)
        return set_branches(chunk, value);
    PyErr_Format(PyExc_TypeError, "Chunk.set: there is no field %R", name);
    return -1;
}

static PyObject *chunk_set(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs) {
        PyErr_SetString(PyExc_TypeError, "Chunk.set takes names and values: set(dataset=…, num_events=…)");
        return NULL;
    }
    Py_ssize_t count = kwnames ? PyTuple_Size(kwnames) : 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (set_field((chunk_object *)self, PyTuple_GetItem(kwnames, i), args[i]))
            return NULL;
    Py_RETURN_NONE;
}

static PyObject *chunk_enter_phase(PyObject *self, PyObject *name)
{
    chunk_object *chunk = target_of((chunk_object *)self);
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "Chunk.phase: the name of a phase is needed");
        return NULL;
    }
    for (roast_phase phase = ROAST_PHASE_OPEN; phase < ROAST_PHASE_COUNT; phase++)
        if (PyUnicode_CompareWithASCIIString(name, PHASES[phase].key) == 0) {
            if (chunk->probe && !chunk->finished)
                roast_probe_phase(chunk->probe, phase);
            Py_RETURN_NONE;
        }
    PyErr_Format(PyExc_ValueError, "Chunk.phase: %R is none of 'open', 'events', 'process', 'return'", name);
    return NULL;
}

/* ---- What the user sees -------------------------------------------------------------------------------------- */

/* The dict of a kind of sections among the user's values; made anew if it is gone. Borrowed. */
static PyObject *shown_place(chunk_object *chunk, PyObject *name)
{
    PyObject *place = PyDict_GetItemWithError(chunk->fields, name);
    if ((place && PyDict_Check(place)) || PyErr_Occurred())
        return PyErr_Occurred() ? NULL : place;
    place = PyDict_New();
    int code = place ? PyDict_SetItem(chunk->fields, name, place) : -1;
    Py_XDECREF(place); /* the dict has it */
    return code ? NULL : place;
}

/* Puts there what has changed since it was shown last: the user may have changed the rest. */
static int show_kind(chunk_object *chunk, PyObject *name, PyObject *now)
{
    PyObject *before = chunk->shown ? PyDict_GetItemWithError(chunk->shown, name) : NULL;
    PyObject *place = PyErr_Occurred() ? NULL : shown_place(chunk, name);
    PyObject *section, *value;
    Py_ssize_t at = 0;
    while (place && PyDict_Next(now, &at, &section, &value)) {
        PyObject *old = before ? PyDict_GetItemWithError(before, section) : NULL;
        int same = old ? PyObject_RichCompareBool(old, value, Py_EQ) : 0;
        if (same < 0 || PyErr_Occurred() || (!same && PyDict_SetItem(place, section, value)))
            return -1;
    }
    return place ? 0 : -1;
}

static int show_sections(chunk_object *chunk)
{
    core_state *state = core_state_of_type(Py_TYPE((PyObject *)chunk));
    roast_chunk measured = roast_chunk_none();
    PyObject *now = PyDict_New();
    int code = now && roast_probe_fill(chunk->probe, &measured) ? sections_to_dict(now, &measured) : -1;
    for (size_t kind = 0; !code && kind < COUNT_OF(state->section_fields); kind++)
        code = show_kind(chunk, state->section_fields[kind], PyDict_GetItem(now, state->section_fields[kind]));
    if (code && !PyErr_Occurred())
        PyErr_NoMemory();
    if (!code)
        replace(&chunk->shown, Py_NewRef(now));
    Py_XDECREF(now);
    return code;
}

/* The chunk that the calling thread is at, borrowed; NULL if it is at none. */
static chunk_object *current_chunk(void)
{
    roast_probe *chunk = roast_probe_current();
    return chunk ? roast_probe_owner(chunk) : NULL;
}

void chunk_section_ended(void)
{
    chunk_object *chunk = current_chunk();
    if (chunk && chunk->shown && show_sections(chunk))
        PyErr_Clear(); /* not shown; it is in the record all the same */
}

PyObject *core_current_values(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    chunk_object *chunk = current_chunk();
    if (!chunk)
        Py_RETURN_NONE;
    return show_sections(chunk) ? NULL : Py_NewRef(chunk->fields);
}

/* ---- The record ---------------------------------------------------------------------------------------------- */

/* What a record borrows from, while it is used. */
typedef struct chunk_parts {
    PyObject *keep; /* list */
    arena memory;
    buf packed; /* the custom values, one after the other */
} chunk_parts;

static void parts_release(chunk_parts *parts)
{
    Py_CLEAR(parts->keep);
    arena_release(&parts->memory);
    buf_release(&parts->packed);
}

/* What a number says beyond what is shown there of the section itself. NAN with no exception if it is no number. */
static double beyond_shown(PyObject *shown, PyObject *name, PyObject *value)
{
    PyObject *own = shown ? PyDict_GetItemWithError(shown, name) : NULL;
    double real = PyFloat_AsDouble(value);
    if (own && !PyErr_Occurred())
        real -= PyFloat_AsDouble(own);
    if (!PyErr_Occurred())
        return own && real == 0 ? (double)NAN : real;
    PyErr_Clear(); /* it stays in the dict, where the user sees it */
    return (double)NAN;
}

/* What users have put into the dict the way older scripts do: {"timing": {name: seconds}, …}. */
static int add_user_sections(chunk_object *chunk, PyObject *kind_name, PyObject *by_name, size_t kind)
{
    PyObject *shown = chunk->shown ? PyDict_GetItemWithError(chunk->shown, kind_name) : NULL;
    static const double units[] = {1e9, 1048576.0, 1.0};
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(by_name, &at, &name, &value)) {
        int64_t values[3] = {ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT};
        roast_str text;
        PyObject *keep;
        double real = beyond_shown(shown, name, value);
        if (isnan(real))
            continue;
        if (text_from_python(name, &text, &keep))
            return -1;
        values[kind] = clock_ns_from_seconds(real * units[kind] / 1e9);
        roast_section_add(chunk->probe, text, values[0], values[1], values[2]);
        Py_XDECREF(keep);
    }
    PyDict_Clear(by_name); /* a second look must not add them again */
    return 0;
}

static bool is_section_field(core_state *state, PyObject *name, size_t *kind)
{
    for (*kind = 0; *kind < COUNT_OF(state->section_fields); (*kind)++)
        if (PyUnicode_Check(name) && PyUnicode_Compare(name, state->section_fields[*kind]) == 0)
            return true;
    return false;
}

static int add_custom(chunk_parts *parts, PyObject *name, PyObject *value, roast_custom *custom)
{
    PyObject *keep;
    if (text_from_python(name, &custom->name, &keep) || (keep && PyList_Append(parts->keep, keep)))
        return -1;
    Py_XDECREF(keep);
    buf one = {0};
    int code = value_pack(&one, value);
    if (!code && one.len > LARGEST_CUSTOM) {
        buf_clear(&one);
        PyObject *note = PyUnicode_FromFormat("(left out: larger than %d bytes)", LARGEST_CUSTOM);
        code = note ? value_pack(&one, note) : -1;
        Py_XDECREF(note);
    }
    if (!code) {
        custom->msgpack = arena_str(&parts->memory, buf_view(&one));
        if (str_absent(custom->msgpack)) {
            PyErr_NoMemory();
            code = -1;
        }
    }
    buf_release(&one);
    return code;
}

static int fill_custom(chunk_object *chunk, core_state *state, roast_chunk *record, chunk_parts *parts)
{
    PyObject *items = PyDict_Items(chunk->fields); /* a copy: packing a value may run anything */
    Py_ssize_t count = items ? PyList_Size(items) : -1;
    roast_custom *custom = count >= 0 ? arena_alloc(&parts->memory, (size_t)count, sizeof *custom) : NULL;
    if (items && !custom)
        PyErr_NoMemory();
    int code = custom ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < count; i++) {
        PyObject *name = PyTuple_GetItem(PyList_GetItem(items, i), 0),
                 *value = PyTuple_GetItem(PyList_GetItem(items, i), 1);
        size_t kind;
        if (is_section_field(state, name, &kind) && PyDict_Check(value))
            code = add_user_sections(chunk, name, value, kind);
        else
            code = add_custom(parts, name, value, &custom[record->n_custom++]);
    }
    Py_XDECREF(items);
    Py_CLEAR(chunk->shown); /* with the dicts that were emptied */
    record->custom = record->n_custom ? custom : NULL;
    return code;
}

static int fill_texts(const chunk_object *chunk, roast_chunk *record, chunk_parts *parts)
{
    for (size_t i = 0; i < FIELDS_OF_chunk; i++) {
        PyObject *keep = NULL;
        roast_str *text = field_text(&record_specs[RECORD_chunk].fields[i], record);
        if (!chunk->texts[i])
            continue;
        if (text_from_python(chunk->texts[i], text, &keep) || PyList_Append(parts->keep, keep)) {
            Py_XDECREF(keep);
            return -1;
        }
        Py_DECREF(keep);
    }
    if (record->error.len > LONGEST_ERROR)
        record->error.len = LONGEST_ERROR;
    return 0;
}

static int fill_branches(const chunk_object *chunk, roast_chunk *record, chunk_parts *parts)
{
    if (!chunk->branches)
        return 0;
    Py_ssize_t count = PySet_Size(chunk->branches);
    roast_str *names = arena_alloc(&parts->memory, (size_t)count, sizeof *names);
    PyObject *iterator = names ? PyObject_GetIter(chunk->branches) : PyErr_NoMemory();
    PyObject *name;
    int code = iterator ? 0 : -1;
    while (!code && (name = PyIter_Next(iterator))) {
        PyObject *keep = NULL;
        code = text_from_python(name, &names[record->n_branches++], &keep);
        if (!code && keep != name && keep) /* a str of the set lives as long as the set does */
            code = PyList_Append(parts->keep, keep);
        Py_XDECREF(keep);
        Py_DECREF(name);
    }
    Py_XDECREF(iterator);
    record->branches = names;
    return code || PyErr_Occurred() ? -1 : 0;
}

static int fill_record(chunk_object *chunk, roast_chunk *record, chunk_parts *parts)
{
    core_state *state = core_state_of_type(Py_TYPE((PyObject *)chunk));
    *record = chunk->given;
    parts->keep = PyList_New(0);
    if (!parts->keep || fill_texts(chunk, record, parts) || fill_branches(chunk, record, parts) ||
        fill_custom(chunk, state, record, parts))
        return -1;
    if (!roast_probe_fill(chunk->probe, record)) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void end_measurement(chunk_object *chunk)
{
    if (!chunk->finished) {
        chunk->finished = true;
        roast_probe_end(chunk->probe);
        chunk->given.uid = pack_new_uid();
    }
}

static PyObject *chunk_finish(PyObject *self, PyObject *unused)
{
    (void)unused;
    chunk_object *chunk = (chunk_object *)self;
    if (chunk->outer) { /* what is left to do is to hand back the result */
        if (chunk->outer->probe && !chunk->outer->finished && !chunk->finished)
            roast_probe_phase(chunk->outer->probe, ROAST_PHASE_RETURN);
        chunk->finished = true;
        return PyBytes_FromStringAndSize(NULL, 0);
    }
    end_measurement(chunk);
    roast_chunk record;
    chunk_parts parts = {0};
    PyObject *packed = NULL;
    if (fill_record(chunk, &record, &parts) == 0) {
        roast_pack_chunk(&parts.packed, &record);
        packed = parts.packed.code ? PyErr_NoMemory()
                                   : PyBytes_FromStringAndSize(parts.packed.data, (Py_ssize_t)parts.packed.len);
    }
    parts_release(&parts);
    return packed;
}

static PyObject *chunk_record(PyObject *self, PyObject *unused)
{
    (void)unused;
    chunk_object *chunk = target_of((chunk_object *)self);
    roast_chunk record;
    chunk_parts parts = {0};
    PyObject *dict = NULL;
    if (fill_record(chunk, &record, &parts) == 0)
        dict = record_strip_secrets(RECORD_chunk, &record, &parts.memory) ? chunk_to_dict(&record) : PyErr_NoMemory();
    parts_release(&parts);
    return dict;
}

/* ---- The type ------------------------------------------------------------------------------------------------ */

static PyObject *chunk_get_fields(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *fields = target_of((chunk_object *)self)->fields;
    return Py_NewRef(fields ? fields : Py_None);
}

static PyObject *chunk_get_nested(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((chunk_object *)self)->outer != NULL);
}

static PyMethodDef chunk_methods[] = {
    {"phase", chunk_enter_phase, METH_O,
     "phase(name)\n--\n\nEnd the phase the chunk is in and start 'open', 'events', 'process' or 'return'."},
    {"set", (PyCFunction)(void (*)(void))chunk_set, METH_FASTCALL | METH_KEYWORDS,
     "set(**fields)\n--\n\nSay what is known of the chunk: dataset, file, treename, uuid, entry_start, entry_stop,\n"
     "num_events, attempt, round, worker, bytes_read, read_requests, branches, error_type, error."},
    {"finish", chunk_finish, METH_NOARGS,
     "finish()\n--\n\nEnd the measurement and pack the record; b'' for a chunk inside another one, which has it all."},
    {"record", chunk_record, METH_NOARGS, "record()\n--\n\nThe record so far as a dict, in the documented shape."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef chunk_attributes[] = {
    {"fields", chunk_get_fields, NULL, "The user's own values, kept under their names.", NULL},
    {"nested", chunk_get_nested, NULL, "Whether it adds to a chunk that was there before.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot chunk_slots[] = {
    {Py_tp_doc, "Chunk(meta=None)\n--\n\nOne attempt at a chunk, measured on the calling thread."},
    {Py_tp_new, chunk_new},
    {Py_tp_traverse, chunk_traverse},
    {Py_tp_clear, chunk_clear},
    {Py_tp_dealloc, chunk_dealloc},
    {Py_tp_methods, chunk_methods},
    {Py_tp_getset, chunk_attributes},
    {0, NULL},
};

static PyType_Spec chunk_spec = {
    .name = "roastcoffea._core.Chunk",
    .basicsize = sizeof(chunk_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = chunk_slots,
};

PyObject *core_current_chunk(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    chunk_object *chunk = current_chunk();
    return Py_NewRef(chunk ? (PyObject *)chunk : Py_None);
}

int chunk_type_add(PyObject *module, core_state *state)
{
    static const char *const names[] = {"timing", "memory", "bytes"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!(state->section_fields[i] = PyUnicode_InternFromString(names[i])))
            return -1;
    state->current_chunk = PyUnicode_InternFromString("_roastcoffea_current_chunk");
    state->chunk = state->current_chunk ? core_add_type(module, &chunk_spec) : NULL;
    return state->chunk ? 0 : -1;
}
