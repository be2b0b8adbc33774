/* A chunk record as a dict in the documented shape, and back. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "core.h"
#include "model/chunk_value.h"
#include "model/facts.h"

/* ---- To a dict ----------------------------------------------------------------------------------------------- */

/* Adds to a number in a dict under a name that may be there already: sections of one name in different places. */
static int add_under(PyObject *dict, roast_str name, double value)
{
    PyObject *key = text_to_python(name);
    PyObject *before = key ? PyDict_GetItemWithError(dict, key) : NULL;
    PyObject *sum = key ? PyFloat_FromDouble(value + (before ? PyFloat_AsDouble(before) : 0)) : NULL;
    int code = sum && !PyErr_Occurred() ? PyDict_SetItem(dict, key, sum) : -1;
    Py_XDECREF(key);
    Py_XDECREF(sum);
    return code;
}

static int add_bytes_under(PyObject *dict, roast_str name, int64_t value)
{
    PyObject *key = text_to_python(name);
    PyObject *before = key ? PyDict_GetItemWithError(dict, key) : NULL;
    PyObject *sum = key ? PyLong_FromLongLong(value + (before ? PyLong_AsLongLong(before) : 0)) : NULL;
    int code = sum && !PyErr_Occurred() ? PyDict_SetItem(dict, key, sum) : -1;
    Py_XDECREF(key);
    Py_XDECREF(sum);
    return code;
}

static int append(PyObject *list, PyObject *item)
{
    int code = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return code;
}

static PyObject *time_section(const roast_section *section)
{
    PyObject *dict = PyDict_New();
    if (dict &&
        (put(dict, "section_name", text_to_python(section->name)) ||
         put(dict, "time_delta", scaled_to_python(section->duration_ns, 1e9)) ||
         put(dict, "cpu_delta", scaled_to_python(section->cpu_ns, 1e9)) ||
         put(dict, "count", int_to_python(section->count)) || put(dict, "depth", int_to_python(section->depth)) ||
         put(dict, "parent", text_to_python(section->parent))))
        Py_CLEAR(dict);
    return dict;
}

/* Gigabytes are 1e9 bytes, as seconds are 1e9 nanoseconds. */
static PyObject *memory_section(const roast_section *section)
{
    PyObject *dict = PyDict_New();
    if (dict && (put(dict, "section_name", text_to_python(section->name)) ||
                 put(dict, "memory_start_gb", scaled_to_python(section->rss_before, 1e9)) ||
                 put(dict, "memory_end_gb", scaled_to_python(section->rss_after, 1e9)) ||
                 put(dict, "memory_delta_gb", scaled_to_python(section->rss_delta, 1e9))))
        Py_CLEAR(dict);
    return dict;
}

typedef struct section_dicts {
    PyObject *timing, *memory, *bytes, *sections, *memory_sections;
} section_dicts;

static int add_section(const section_dicts *d, const roast_section *section)
{
    if (section->duration_ns != ROAST_ABSENT &&
        (add_under(d->timing, section->name, (double)section->duration_ns / 1e9) ||
         append(d->sections, time_section(section))))
        return -1;
    if (section->rss_delta != ROAST_ABSENT &&
        (add_under(d->memory, section->name, (double)section->rss_delta / 1048576.0) ||
         append(d->memory_sections, memory_section(section))))
        return -1;
    if (section->bytes != ROAST_ABSENT && add_bytes_under(d->bytes, section->name, section->bytes))
        return -1;
    return 0;
}

int sections_to_dict(PyObject *dict, const roast_chunk *chunk)
{
    section_dicts d = {PyDict_New(), PyDict_New(), PyDict_New(), PyList_New(0), PyList_New(0)};
    int code = d.timing && d.memory && d.bytes && d.sections && d.memory_sections ? 0 : -1;
    for (size_t i = 0; !code && i < chunk->n_sections; i++)
        code = add_section(&d, &chunk->sections[i]);
    /* put takes the references, also when it fails; after a failure the others are released with it. */
    int failed = put(dict, "timing", d.timing);
    failed |= put(dict, "memory", d.memory);
    failed |= put(dict, "bytes", d.bytes);
    failed |= put(dict, "sections", d.sections);
    failed |= put(dict, "memory_sections", d.memory_sections);
    return code || failed ? -1 : 0;
}

static int put_branches(PyObject *dict, const roast_chunk *chunk)
{
    PyObject *list = PyList_New(0);
    int code = list ? 0 : -1;
    for (size_t i = 0; !code && i < chunk->n_branches; i++)
        code = append(list, text_to_python(chunk->branches[i]));
    if (!code)
        code = PyList_Sort(list); /* a set has no order, but a reader likes one */
    if (!code)
        return put(dict, "accessed_branches", list);
    Py_XDECREF(list);
    return -1;
}

/* Custom values stand under their own names; a record's own fields are not overwritten by them. */
static int put_custom(PyObject *dict, const roast_chunk *chunk)
{
    if (put(dict, "custom_metrics", PyDict_New()))
        return -1;
    for (size_t i = 0; i < chunk->n_custom; i++) {
        PyObject *name = text_to_python(chunk->custom[i].name), *value = value_unpack(chunk->custom[i].msgpack);
        int code = name && value ? 0 : -1;
        bool taken =
            !code && PyDict_GetItemWithError(dict, name) && !str_equal(chunk->custom[i].name, STR("custom_metrics"));
        if (!code && !taken)
            code = PyDict_SetItem(dict, name, value);
        Py_XDECREF(name);
        Py_XDECREF(value);
        if (code)
            return -1;
    }
    return 0;
}

static int put_uid(PyObject *dict, const roast_chunk *chunk)
{
    char text[24];
    if (!chunk->uid)
        return put(dict, "uid", Py_NewRef(Py_None));
    snprintf(text, sizeof text, "%016" PRIx64, chunk->uid);
    return put(dict, "uid", PyUnicode_FromString(text));
}

PyObject *chunk_to_dict(const roast_chunk *chunk)
{
    PyObject *dict = PyDict_New();
    int code = dict ? 0 : -1;
    metric_id first = metric_first(ROAST_SCOPE_CHUNK);
    metric_id end = (metric_id)((size_t)first + metric_count(ROAST_SCOPE_CHUNK));
    for (metric_id id = first; !code && id < end; id++)
        if (metric_has_column(id) &&
            (id != M_chunk_error || chunk_failed(chunk))) /* older scripts ask: "error" in it */
            code = put(dict, metric_info(id)->name, value_to_python(chunk_value(chunk, id)));
    if (!code) /* two under their documented names, too: events_seconds, and t_end as the time of the record */
        code = put(dict, "schema_seconds", scaled_to_python(chunk->events_ns, 1e9)) ||
               put(dict, "timestamp", value_to_python(chunk_value(chunk, M_chunk_t_end))) || put_uid(dict, chunk) ||
               put_branches(dict, chunk) || sections_to_dict(dict, chunk) || put_custom(dict, chunk);
    if (code)
        Py_CLEAR(dict);
    return dict;
}

/* ---- From a dict --------------------------------------------------------------------------------------------- */

/* The field that a name of the documented shape stands for, or a name of our own; shown says which. not_custom: whether
 * the name is one of ours, field or not. */
static const record_field *field_of(PyObject *name, bool *shown, bool *not_custom)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text)
        PyErr_Clear();
    const record_field *field = field_named(RECORD_chunk, name);
    metric_id metric = text ? metric_find(ROAST_SCOPE_CHUNK, str_from(text)) : METRIC_COUNT;
    *shown = !field;
    *not_custom = field || (metric != METRIC_COUNT && metric != M_chunk_custom_metrics) ||
                  (text && (strcmp(text, "timestamp") == 0 || strcmp(text, "branches") == 0));
    if (!field && metric != METRIC_COUNT && metric != M_chunk_uid)
        field = chunk_field(metric);
    return field;
}

static int no_memory(void)
{
    PyErr_NoMemory();
    return -1;
}

static int take_branches(roast_chunk *chunk, PyObject *value, PyObject *keep, arena *scratch)
{
    if (!value || value == Py_None)
        return 0;
    PyObject *set = PyFrozenSet_New(value), *list = set ? PySequence_List(set) : NULL;
    Py_XDECREF(set);
    if (!list || PyList_Append(keep, list)) {
        Py_XDECREF(list);
        return -1;
    }
    Py_DECREF(list); /* kept */
    Py_ssize_t count = PyList_Size(list);
    roast_str *names = arena_alloc(scratch, (size_t)count, sizeof *names);
    if (!names)
        return no_memory();
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text;
        if (text_from_python(PyList_GetItem(list, i), &names[i], &text))
            return -1;
        int code = text ? PyList_Append(keep, text) : 0;
        Py_XDECREF(text);
        if (code)
            return -1;
    }
    chunk->branches = names;
    chunk->n_branches = (size_t)count;
    return 0;
}

/* The section of a name, made when it is new. The array has room for all of them. */
static roast_section *section_named(roast_chunk *chunk, roast_section *sections, roast_str name)
{
    for (size_t i = 0; i < chunk->n_sections; i++)
        if (str_equal(sections[i].name, name))
            return &sections[i];
    roast_section *section = &sections[chunk->n_sections++];
    *section = roast_section_none();
    section->name = name;
    return section;
}

static int take_section_map(roast_chunk *chunk, roast_section *sections, PyObject *by_name, const record_field *f,
                            PyObject *keep)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (by_name && PyDict_Check(by_name) && PyDict_Next(by_name, &at, &key, &value)) {
        roast_str name;
        PyObject *text;
        if (text_from_python(key, &name, &text))
            return -1;
        int code = text ? PyList_Append(keep, text) : 0;
        Py_XDECREF(text);
        if (code || field_fill(f, true, section_named(chunk, sections, name.ptr ? name : STR("None")), value, keep))
            return -1;
    }
    return 0;
}

static int take_sections(roast_chunk *chunk, PyObject *dict, PyObject *keep, arena *scratch)
{
    static const struct {
        const char *name;
        int field;
    } kinds[] = {
        {"timing", FIELD_section_duration_ns}, {"memory", FIELD_section_rss_delta}, {"bytes", FIELD_section_bytes}};
    size_t most = 0;
    PyObject *maps[COUNT_OF(kinds)];
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        maps[i] = PyDict_GetItemString(dict, kinds[i].name);
        if (maps[i] && PyDict_Check(maps[i]))
            most += (size_t)PyDict_Size(maps[i]);
    }
    if (!most)
        return 0;
    roast_section *sections = arena_alloc(scratch, most, sizeof *sections);
    if (!sections)
        return no_memory();
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (take_section_map(chunk, sections, maps[i], &record_specs[RECORD_section].fields[kinds[i].field], keep))
            return -1;
    chunk->sections = sections;
    return 0;
}

static int take_custom(roast_chunk *chunk, roast_custom *custom, PyObject *name, PyObject *value, PyObject *keep,
                       arena *scratch)
{
    roast_custom *target = &custom[chunk->n_custom];
    PyObject *text;
    if (text_from_python(name, &target->name, &text))
        return -1;
    int code = text ? PyList_Append(keep, text) : 0;
    Py_XDECREF(text);
    buf packed = {0};
    if (!code)
        code = value_pack(&packed, value);
    if (!code)
        target->msgpack = arena_str(scratch, buf_view(&packed));
    buf_release(&packed);
    if (!code && str_absent(target->msgpack))
        return no_memory();
    chunk->n_custom++;
    return code;
}

static int take_uid(roast_chunk *chunk, PyObject *value)
{
    if (!value || value == Py_None)
        return 0;
    PyObject *number = PyUnicode_Check(value) ? PyLong_FromString(PyUnicode_AsUTF8AndSize(value, NULL), NULL, 16)
                                              : PyNumber_Index(value);
    if (!number)
        return -1;
    chunk->uid = PyLong_AsUnsignedLongLongMask(number);
    Py_DECREF(number);
    return 0;
}

int chunk_from_dict(roast_chunk *chunk, PyObject *dict, PyObject *keep, arena *scratch)
{
    *chunk = roast_chunk_none();
    PyObject *items = PyDict_Items(dict);
    Py_ssize_t count = items ? PyList_Size(items) : 0;
    roast_custom *custom = arena_alloc(scratch, (size_t)count, sizeof *custom);
    int code = items && !PyList_Append(keep, items) ? 0 : -1;
    Py_XDECREF(items); /* kept */
    if (!code && !custom)
        code = no_memory();
    for (Py_ssize_t i = 0; !code && i < count; i++) {
        PyObject *name = PyTuple_GetItem(PyList_GetItem(items, i), 0),
                 *value = PyTuple_GetItem(PyList_GetItem(items, i), 1);
        bool shown, not_custom;
        const record_field *f = field_of(name, &shown, &not_custom);
        if (f)
            code = value == Py_None ? 0 : field_fill(f, shown, chunk, value, keep);
        else if (!not_custom)
            code = take_custom(chunk, custom, name, value, keep, scratch);
    }
    chunk->custom = custom;
    if (code || take_uid(chunk, PyDict_GetItemString(dict, "uid")) || take_sections(chunk, dict, keep, scratch))
        return -1;
    PyObject *branches = PyDict_GetItemString(dict, "accessed_branches");
    return take_branches(chunk, branches ? branches : PyDict_GetItemString(dict, "branches"), keep, scratch);
}
