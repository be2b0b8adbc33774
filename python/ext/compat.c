/* The functions that scripts for roastcoffea 0.1 call on dicts of their own. For the same input they give what 0.1.2
 * gives, where that is not wrong: zeros, too, where our own metrics would be absent. */
#include "compat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* ---- Numbers: whole ones stay whole --------------------------------------------------------------------------- */

typedef struct number {
    bool is_real;
    int64_t whole;
    double real;
} number;

static double value_of(number n)
{
    return n.is_real ? n.real : (double)n.whole;
}

static void add_to(number *sum, number term)
{
    if (!sum->is_real && !term.is_real && !__builtin_add_overflow(sum->whole, term.whole, &sum->whole))
        return;
    *sum = (number){true, 0, value_of(*sum) + value_of(term)};
}

static PyObject *number_to_python(number n)
{
    return n.is_real ? PyFloat_FromDouble(n.real) : PyLong_FromLongLong(n.whole);
}

/* 0, or -1 with an exception set. */
static int number_from_python(PyObject *object, number *out)
{
    *out = (number){0};
    if (PyLong_Check(object) || (!PyFloat_Check(object) && PyIndex_Check(object))) {
        PyObject *index = PyNumber_Index(object);
        int overflow = 0;
        out->whole = index ? PyLong_AsLongLongAndOverflow(index, &overflow) : -1;
        if (overflow)
            *out = (number){true, 0, PyLong_AsDouble(index)};
        Py_XDECREF(index);
    } else {
        *out = (number){true, 0, PyFloat_AsDouble(object)};
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* A new reference to mapping[key]; NULL without an exception if it is missing or None. */
static PyObject *item_of(PyObject *mapping, const char *key)
{
    PyObject *item;
    if (PyDict_Check(mapping)) {
        item = PyDict_GetItemString(mapping, key);
        Py_XINCREF(item);
    } else {
        item = PyMapping_GetItemString(mapping, key);
        if (!item)
            PyErr_Clear();
    }
    if (item == Py_None)
        Py_CLEAR(item);
    return item;
}

/* 1 if it is there, 0 if not (out is then 0), -1 with an exception set. */
static int number_of(PyObject *mapping, const char *key, number *out)
{
    *out = (number){0};
    PyObject *item = item_of(mapping, key);
    if (!item)
        return 0;
    int code = number_from_python(item, out);
    Py_DECREF(item);
    return code ? -1 : 1;
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static int put_real(PyObject *dict, const char *key, double value)
{
    return put(dict, key, PyFloat_FromDouble(value));
}

static int put_number(PyObject *dict, const char *key, number value)
{
    return put(dict, key, number_to_python(value));
}

/* dict if nothing went wrong, else NULL; for the last line of a function that fills one. */
static PyObject *dict_unless(int failed, PyObject *dict)
{
    if (failed)
        Py_CLEAR(dict);
    return dict;
}

/* ---- Workflow ------------------------------------------------------------------------------------------------- */

typedef struct totals {
    number events, bytes, duration;
} totals;

static int add_dataset(PyObject *dataset, totals *sum)
{
    number events = {0}, duration = {0}, bytes = {0};
    PyObject *counters = item_of(dataset, "performance_counters");
    int code = number_of(dataset, "entries", &events) < 0 || number_of(dataset, "duration", &duration) < 0 ||
                       (counters && number_of(counters, "num_requested_bytes", &bytes) < 0)
                   ? -1
                   : 0;
    Py_XDECREF(counters);
    add_to(&sum->events, events);
    add_to(&sum->duration, duration);
    add_to(&sum->bytes, bytes);
    return code;
}

static int add_datasets(PyObject *by_dataset, totals *sum)
{
    PyObject *values = PyMapping_Values(by_dataset);
    int code = values ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < PyList_Size(values); i++) {
        PyObject *dataset = PyList_GetItem(values, i);
        if (PyDict_Check(dataset))
            code = add_dataset(dataset, sum);
    }
    Py_XDECREF(values);
    return code;
}

static int add_report(PyObject *report, double elapsed, totals *sum)
{
    int has_bytes = number_of(report, "bytesread", &sum->bytes);
    if (has_bytes <= 0)
        return has_bytes;
    int has_time = number_of(report, "processtime", &sum->duration);
    if (!has_time)
        sum->duration = (number){true, 0, elapsed};
    return has_time < 0 || number_of(report, "entries", &sum->events) < 0 ? -1 : 0;
}

static PyObject *aggregate_workflow(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *report, *custom = Py_None;
    double t_start, t_end;
    if (!PyArg_ParseTuple(args, "Odd|O:aggregate_workflow_metrics", &report, &t_start, &t_end, &custom))
        return NULL;
    double elapsed = t_end - t_start;
    number chunks;
    totals sum = {0};
    int is_custom = custom == Py_None ? 0 : PyObject_IsTrue(custom);
    if (is_custom < 0 || number_of(report, "chunks", &chunks) < 0 ||
        (is_custom ? add_datasets(custom, &sum) : add_report(report, elapsed, &sum)))
        return NULL;
    double events = value_of(sum.events), busy = value_of(sum.duration);
    PyObject *dict = PyDict_New();
    return dict_unless(!dict || put_real(dict, "data_rate_gbps", quotient(value_of(sum.bytes) * 8 / 1e9, elapsed)) ||
                           put_number(dict, "total_events", sum.events) ||
                           put_real(dict, "event_rate_elapsed_khz", quotient(events, elapsed) / 1000) ||
                           put_real(dict, "event_rate_cpu_total_khz", quotient(events, busy) / 1000) ||
                           put_real(dict, "elapsed_time_seconds", elapsed) ||
                           put_number(dict, "total_cpu_time", sum.duration) || put_number(dict, "num_chunks", chunks) ||
                           put_real(dict, "avg_cpu_time_per_chunk", quotient(busy, value_of(chunks))) ||
                           put_number(dict, "total_bytes_read", sum.bytes),
                       dict);
}

/* ---- Efficiency ----------------------------------------------------------------------------------------------- */

static PyObject *calculate_efficiency(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *workflow, *workers;
    number elapsed, busy, events, cores;
    if (!PyArg_ParseTuple(args, "OO:calculate_efficiency_metrics", &workflow, &workers))
        return NULL;
    int has_cores = number_of(workers, "total_cores", &cores);
    if (has_cores < 0 || number_of(workflow, "elapsed_time_seconds", &elapsed) < 0 ||
        number_of(workflow, "total_cpu_time", &busy) < 0 || number_of(workflow, "total_events", &events) < 0)
        return NULL;
    double available = value_of(elapsed) > 0 ? value_of(elapsed) * value_of(cores) : 0;
    PyObject *dict = PyDict_New();
    int failed = !dict || put_real(dict, "speedup_factor", quotient(value_of(busy), value_of(elapsed)));
    if (!failed && has_cores)
        failed = put_real(dict, "core_efficiency", quotient(value_of(busy), available)) ||
                 put_real(dict, "event_rate_core_khz", quotient(value_of(events), available) / 1000);
    else if (!failed)
        failed =
            put(dict, "core_efficiency", Py_NewRef(Py_None)) || put(dict, "event_rate_core_khz", Py_NewRef(Py_None));
    return dict_unless(failed, dict);
}

/* ---- Fine metrics --------------------------------------------------------------------------------------------- */

enum fine {
    CPU,
    NONCPU,
    OVERHEAD_CPU,
    OVERHEAD_NONCPU,
    MEMORY_READ,
    DISK_READ,
    DISK_WRITE,
    DECOMPRESS,
    COMPRESS,
    DESERIALIZE,
    SERIALIZE,
    FINE_COUNT
};

static const struct {
    const char *activity, *unit; /* NULL: any */
    enum fine target;
} activities[] = {
    {"thread-cpu", NULL, CPU},           {"thread-noncpu", NULL, NONCPU},       {"disk-read", "bytes", DISK_READ},
    {"disk-write", "bytes", DISK_WRITE}, {"memory-read", "bytes", MEMORY_READ}, {"decompress", NULL, DECOMPRESS},
    {"compress", NULL, COMPRESS},        {"deserialize", NULL, DESERIALIZE},    {"serialize", NULL, SERIALIZE},
};

static bool is_text(PyObject *object, const char *text)
{
    return object && PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, text) == 0;
}

/* key: (context, prefix, activity, unit). 0, or -1 with an exception set. */
static int add_activity(number *sums, PyObject *key, PyObject *value, PyObject *processor)
{
    Py_ssize_t parts = PyTuple_Check(key) ? PyTuple_Size(key) : 0;
    if (parts < 3)
        return 0;
    PyObject *prefix = PyTuple_GetItem(key, 1), *activity = PyTuple_GetItem(key, 2);
    PyObject *unit = parts > 3 ? PyTuple_GetItem(key, 3) : NULL;
    int is_processor = processor == Py_None ? 1 : PyObject_RichCompareBool(prefix, processor, Py_EQ);
    number term;
    for (size_t i = 0; i < COUNT_OF(activities) && is_processor >= 0; i++) {
        if (!is_text(activity, activities[i].activity) || (activities[i].unit && !is_text(unit, activities[i].unit)))
            continue;
        if (number_from_python(value, &term))
            return -1;
        size_t target = activities[i].target;
        add_to(&sums[target <= NONCPU && !is_processor ? target + OVERHEAD_CPU : target], term);
    }
    return is_processor < 0 ? -1 : 0;
}

static PyObject *fine_to_python(const number *sums)
{
    double cpu = value_of(sums[CPU]), noncpu = value_of(sums[NONCPU]);
    double compression = value_of(sums[COMPRESS]) + value_of(sums[DECOMPRESS]);
    double serialization = value_of(sums[SERIALIZE]) + value_of(sums[DESERIALIZE]);
    PyObject *dict = PyDict_New();
    return dict_unless(!dict || put_real(dict, "processor_cpu_time_seconds", cpu) ||
                           put_real(dict, "processor_io_wait_time_seconds", noncpu) ||
                           put_real(dict, "processor_cpu_percent", quotient(cpu, cpu + noncpu) * 100) ||
                           put_real(dict, "processor_io_wait_percent", quotient(noncpu, cpu + noncpu) * 100) ||
                           put_real(dict, "overhead_cpu_time_seconds", value_of(sums[OVERHEAD_CPU])) ||
                           put_real(dict, "overhead_io_wait_time_seconds", value_of(sums[OVERHEAD_NONCPU])) ||
                           put_number(dict, "total_bytes_memory_read", sums[MEMORY_READ]) ||
                           put_number(dict, "disk_read_bytes", sums[DISK_READ]) ||
                           put_number(dict, "disk_write_bytes", sums[DISK_WRITE]) ||
                           put_real(dict, "decompression_time_seconds", value_of(sums[DECOMPRESS])) ||
                           put_real(dict, "compression_time_seconds", value_of(sums[COMPRESS])) ||
                           put_real(dict, "total_compression_overhead_seconds", compression) ||
                           put_real(dict, "deserialization_time_seconds", value_of(sums[DESERIALIZE])) ||
                           put_real(dict, "serialization_time_seconds", value_of(sums[SERIALIZE])) ||
                           put_real(dict, "total_serialization_overhead_seconds", serialization),
                       dict);
}

static PyObject *parse_fine(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *metrics, *processor = Py_None;
    if (!PyArg_ParseTuple(args, "O|O:parse_fine_metrics", &metrics, &processor))
        return NULL;
    PyObject *items = PyMapping_Items(metrics);
    number sums[FINE_COUNT] = {0};
    int code = items ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        code = add_activity(sums, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), processor);
    }
    Py_XDECREF(items);
    return code ? NULL : fine_to_python(sums);
}

/* ---- Chunks --------------------------------------------------------------------------------------------------- */

/* Values of one kind, to be summed up. */
typedef struct values {
    double *all;
    size_t count, capacity;
    number sum, smallest, largest;
} values;

static int values_add(values *v, number n)
{
    if (v->count == v->capacity) {
        size_t capacity = v->capacity ? v->capacity * 2 : 256;
        double *all = realloc(v->all, capacity * sizeof *all);
        if (!all) {
            PyErr_NoMemory();
            return -1;
        }
        v->all = all;
        v->capacity = capacity;
    }
    if (!v->count || value_of(n) < value_of(v->smallest))
        v->smallest = n;
    if (!v->count || value_of(n) > value_of(v->largest))
        v->largest = n;
    add_to(&v->sum, n);
    v->all[v->count++] = value_of(n);
    return 0;
}

static double values_mean(const values *v)
{
    return value_of(v->sum) / (double)v->count;
}

/* Of a sample (n - 1); 0 for one value. */
static double values_std(const values *v)
{
    double mean = values_mean(v), squares = 0;
    for (size_t i = 0; i < v->count; i++)
        squares += (v->all[i] - mean) * (v->all[i] - mean);
    return v->count > 1 ? sqrt(squares / (double)(v->count - 1)) : 0;
}

/* dict[name] += term, where the dict holds numbers. */
static int add_under(PyObject *dict, const char *name, number term)
{
    number sum;
    if (number_of(dict, name, &sum) < 0)
        return -1;
    add_to(&sum, term);
    return put_number(dict, name, sum);
}

/* The dict of a name in a dict of dicts, new ones empty. Borrowed. */
static PyObject *dict_under(PyObject *dicts, PyObject *name)
{
    PyObject *dict = PyDict_GetItemWithError(dicts, name);
    if (dict || PyErr_Occurred())
        return dict;
    PyObject *fresh = PyDict_New();
    int code = fresh ? PyDict_SetItem(dicts, name, fresh) : -1;
    Py_XDECREF(fresh);
    return code ? NULL : fresh; /* the outer dict holds it */
}

static int add_to_dataset(PyObject *datasets, PyObject *chunk, number duration, number events)
{
    PyObject *name = PyDict_Check(chunk) ? PyDict_GetItemString(chunk, "dataset") : NULL;
    PyObject *unknown = name ? Py_NewRef(name) : item_of(chunk, "dataset");
    if (!unknown)
        unknown = PyUnicode_FromString("unknown");
    PyObject *dict = unknown ? dict_under(datasets, unknown) : NULL;
    Py_XDECREF(unknown);
    return dict && !add_under(dict, "num_chunks", (number){.whole = 1}) &&
                   !add_under(dict, "total_duration", (number){true, 0, value_of(duration)}) &&
                   !add_under(dict, "total_events", events)
               ? 0
               : -1;
}

static int finish_datasets(PyObject *datasets)
{
    PyObject *name, *dict;
    Py_ssize_t at = 0;
    while (PyDict_Next(datasets, &at, &name, &dict)) {
        number chunks, duration, events;
        if (number_of(dict, "num_chunks", &chunks) < 0 || number_of(dict, "total_duration", &duration) < 0 ||
            number_of(dict, "total_events", &events) < 0 ||
            put_real(dict, "mean_duration", value_of(duration) / value_of(chunks)))
            return -1;
        if (value_of(events) > 0 && put_real(dict, "mean_events_per_chunk", value_of(events) / value_of(chunks)))
            return -1;
    }
    return 0;
}

typedef struct chunk_sums {
    values durations, memory, events;
    PyObject *datasets;
    Py_ssize_t failed, successful;
} chunk_sums;

static int add_chunk(chunk_sums *sums, PyObject *chunk)
{
    PyObject *error = item_of(chunk, "error");
    if (error) {
        Py_DECREF(error);
        sums->failed++;
        return 0;
    }
    sums->successful++;
    number duration, memory, events;
    int has_duration = number_of(chunk, "duration", &duration);
    int has_memory = number_of(chunk, "mem_delta_mb", &memory), has_events = number_of(chunk, "num_events", &events);
    if (has_duration < 0 || has_memory < 0 || has_events < 0)
        return -1;
    if ((has_duration && values_add(&sums->durations, duration)) || (has_memory && values_add(&sums->memory, memory)) ||
        (has_events && values_add(&sums->events, events)))
        return -1;
    return add_to_dataset(sums->datasets, chunk, duration, events);
}

static int put_chunk_statistics(PyObject *dict, const chunk_sums *sums)
{
    const values *d = &sums->durations, *m = &sums->memory, *e = &sums->events;
    if (d->count &&
        (put_real(dict, "chunk_duration_mean", values_mean(d)) || put_number(dict, "chunk_duration_min", d->smallest) ||
         put_number(dict, "chunk_duration_max", d->largest) || put_real(dict, "chunk_duration_std", values_std(d))))
        return -1;
    if (m->count && (put_real(dict, "chunk_mem_delta_mean_mb", values_mean(m)) ||
                     put_number(dict, "chunk_mem_delta_min_mb", m->smallest) ||
                     put_number(dict, "chunk_mem_delta_max_mb", m->largest) ||
                     put_real(dict, "chunk_mem_delta_std_mb", values_std(m))))
        return -1;
    if (e->count &&
        (put_number(dict, "total_events_from_chunks", e->sum) || put_real(dict, "chunk_events_mean", values_mean(e)) ||
         put_number(dict, "chunk_events_min", e->smallest) || put_number(dict, "chunk_events_max", e->largest)))
        return -1;
    return 0;
}

/* ---- Sections ------------------------------------------------------------------------------------------------- */

static int add_section_memory(PyObject *dict, number delta)
{
    number smallest, largest;
    int there = number_of(dict, "min_mem_delta_mb", &smallest);
    if (there < 0 || number_of(dict, "max_mem_delta_mb", &largest) < 0)
        return -1;
    smallest = !there || value_of(delta) < value_of(smallest) ? delta : smallest;
    largest = !there || value_of(delta) > value_of(largest) ? delta : largest;
    return put_number(dict, "min_mem_delta_mb", smallest) || put_number(dict, "max_mem_delta_mb", largest) ||
                   add_under(dict, "mean_mem_delta_mb", delta) || add_under(dict, "measured", (number){.whole = 1})
               ? -1
               : 0;
}

static int add_section(PyObject *sections, PyObject *section)
{
    PyObject *name = item_of(section, "name"), *type = item_of(section, "type");
    name = name ? name : PyUnicode_FromString("unknown");
    type = type ? type : PyUnicode_FromString("section");
    PyObject *dict = name && type ? dict_under(sections, name) : NULL;
    number duration, delta;
    int code = dict && number_of(section, "duration", &duration) >= 0 ? 0 : -1;
    if (!code && !PyDict_GetItemString(dict, "type"))
        code = PyDict_SetItemString(dict, "type", type);
    if (!code)
        code = add_under(dict, "count", (number){.whole = 1}) ||
                       add_under(dict, "total_duration", (number){true, 0, value_of(duration)})
                   ? -1
                   : 0;
    int has_delta = !code && is_text(type, "memory") ? number_of(section, "mem_delta_mb", &delta) : 0;
    if (has_delta < 0 || (has_delta && add_section_memory(dict, delta)))
        code = -1;
    Py_XDECREF(name);
    Py_XDECREF(type);
    return code;
}

static int finish_section(PyObject *dict)
{
    number count, duration, measured, memory;
    if (number_of(dict, "count", &count) < 0 || number_of(dict, "total_duration", &duration) < 0 ||
        number_of(dict, "measured", &measured) < 0 || number_of(dict, "mean_mem_delta_mb", &memory) < 0 ||
        put_real(dict, "mean_duration", value_of(duration) / value_of(count)))
        return -1;
    if (!measured.whole)
        return 0;
    return put_real(dict, "mean_mem_delta_mb", value_of(memory) / value_of(measured)) ||
                   PyDict_DelItemString(dict, "measured")
               ? -1
               : 0;
}

/* Every item of a sequence, or iterable, through f. */
static int for_each(PyObject *iterable, int (*f)(void *, PyObject *), void *context)
{
    PyObject *iterator = PyObject_GetIter(iterable), *item;
    int code = iterator ? 0 : -1;
    while (!code && (item = PyIter_Next(iterator))) {
        code = f(context, item);
        Py_DECREF(item);
    }
    Py_XDECREF(iterator);
    return code || PyErr_Occurred() ? -1 : 0;
}

static int see_section(void *sections, PyObject *section)
{
    return add_section(sections, section);
}

static int put_sections(PyObject *dict, PyObject *list)
{
    PyObject *sections = PyDict_New(), *name, *section;
    int code = sections ? for_each(list, see_section, sections) : -1;
    for (Py_ssize_t at = 0; !code && PyDict_Next(sections, &at, &name, &section);)
        code = finish_section(section);
    if (!code)
        return put(dict, "sections", sections);
    Py_XDECREF(sections);
    return -1;
}

static int see_chunk(void *sums, PyObject *chunk)
{
    return add_chunk(sums, chunk);
}

static int is_filled(PyObject *list)
{
    return list == Py_None ? 0 : PyObject_IsTrue(list);
}

static int fill_chunks(PyObject *dict, PyObject *chunks, PyObject *sections, chunk_sums *sums)
{
    int filled = is_filled(chunks), has_sections = is_filled(sections);
    if (filled < 0 || has_sections < 0 || (filled && for_each(chunks, see_chunk, sums)))
        return -1;
    if (put(dict, "num_chunks", PyLong_FromSsize_t(sums->failed + sums->successful)) || !filled)
        return filled ? -1 : 0;
    if (put(dict, "num_successful_chunks", PyLong_FromSsize_t(sums->successful)) ||
        put(dict, "num_failed_chunks", PyLong_FromSsize_t(sums->failed)))
        return -1;
    if (!sums->successful)
        return 0;
    if (put_chunk_statistics(dict, sums) || finish_datasets(sums->datasets) ||
        PyDict_SetItemString(dict, "per_dataset", sums->datasets))
        return -1;
    return has_sections ? put_sections(dict, sections) : 0;
}

static PyObject *aggregate_chunks(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *chunks, *sections = Py_None;
    if (!PyArg_ParseTuple(args, "O|O:aggregate_chunk_metrics", &chunks, &sections))
        return NULL;
    chunk_sums sums = {.datasets = PyDict_New()};
    PyObject *dict = PyDict_New();
    int failed = !dict || !sums.datasets || fill_chunks(dict, chunks, sections, &sums);
    free(sums.durations.all);
    free(sums.memory.all);
    free(sums.events.all);
    Py_XDECREF(sums.datasets);
    return dict_unless(failed, dict);
}

/* {(file, start, stop): (t_start, t_end, bytes)} of the chunks that say all of that. */
static int see_chunk_info(void *dict, PyObject *chunk)
{
    static const char *const names[] = {"file", "entry_start", "entry_stop", "t_start", "t_end"};
    PyObject *parts[COUNT_OF(names)] = {NULL}, *bytes = item_of(chunk, "bytes_read"), *key = NULL, *value = NULL;
    bool complete = true;
    for (size_t i = 0; i < COUNT_OF(names) && complete; i++)
        complete = (parts[i] = item_of(chunk, names[i])) != NULL;
    bytes = bytes ? bytes : PyLong_FromLong(0);
    int code = bytes ? 0 : -1;
    if (complete && bytes) {
        key = PyTuple_Pack(3, parts[0], parts[1], parts[2]);
        value = PyTuple_Pack(3, parts[3], parts[4], bytes);
        code = key && value ? PyDict_SetItem(dict, key, value) : -1;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++)
        Py_XDECREF(parts[i]);
    Py_XDECREF(bytes);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return code;
}

static PyObject *build_chunk_info(PyObject *module, PyObject *chunks)
{
    (void)module;
    PyObject *dict = PyDict_New();
    return dict_unless(!dict || for_each(chunks, see_chunk_info, dict), dict);
}

/* ---- Branches ------------------------------------------------------------------------------------------------- */

static int see_column(void *set, PyObject *column)
{
    static const char suffix[] = "-data";
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(column, &length);
    if (!text)
        return -1;
    Py_ssize_t without = length - (Py_ssize_t)(sizeof suffix - 1);
    if (without < 0 || strcmp(text + without, suffix) != 0)
        return 0;
    PyObject *name = PyUnicode_FromStringAndSize(text, without);
    int code = name ? PySet_Add(set, name) : -1;
    Py_XDECREF(name);
    return code;
}

static PyObject *parse_accessed_branches(PyObject *module, PyObject *columns)
{
    (void)module;
    PyObject *set = PySet_New(NULL);
    return dict_unless(!set || for_each(columns, see_column, set), set);
}

typedef struct coverage {
    PyObject *metadata; /* file: what its first chunk says of the file */
    PyObject *first;    /* file: its first chunk */
    PyObject *branches; /* set */
} coverage;

static int keep_first(PyObject *dict, PyObject *name, PyObject *value)
{
    int known = name ? PyDict_Contains(dict, name) : 1;
    return known < 0 ? -1 : known ? 0 : PyDict_SetItem(dict, name, value);
}

static int see_branch(void *set, PyObject *name)
{
    return PySet_Add(set, name);
}

static int see_chunk_access(void *context, PyObject *chunk)
{
    coverage *c = context;
    PyObject *metadata = item_of(chunk, "file_metadata"), *file = item_of(chunk, "file");
    PyObject *branches = item_of(chunk, "accessed_branches");
    PyObject *name = metadata ? item_of(metadata, "filename") : NULL;
    int code = keep_first(c->metadata, name, metadata) || keep_first(c->first, file, chunk) ||
                       (branches && for_each(branches, see_branch, c->branches))
                   ? -1
                   : 0;
    Py_XDECREF(metadata);
    Py_XDECREF(file);
    Py_XDECREF(branches);
    Py_XDECREF(name);
    return code;
}

typedef struct file_lists {
    PyObject *ratios, *percents, *files;
    double branches_percent, bytes_percent;
} file_lists;

static int append_positive(PyObject *list, number n)
{
    if (value_of(n) <= 0)
        return 0;
    PyObject *value = number_to_python(n);
    int code = value ? PyList_Append(list, value) : -1;
    Py_XDECREF(value);
    return code;
}

static int add_file(file_lists *lists, PyObject *name, PyObject *metadata, PyObject *chunk)
{
    number branches, tree, ratio, bytes = {0}, branches_percent = {0}, bytes_percent = {0};
    PyObject *dict = PyDict_New();
    int failed =
        !dict || number_of(metadata, "total_branches", &branches) < 0 ||
        number_of(metadata, "total_tree_bytes", &tree) < 0 || number_of(metadata, "compression_ratio", &ratio) < 0 ||
        (chunk && (number_of(chunk, "accessed_bytes", &bytes) < 0 ||
                   number_of(chunk, "branches_read_percent", &branches_percent) < 0 ||
                   number_of(chunk, "bytes_read_percent", &bytes_percent) < 0)) ||
        put_number(dict, "total_branches", branches) || put_number(dict, "branches_read_percent", branches_percent) ||
        put_number(dict, "total_tree_bytes", tree) || put_number(dict, "bytes_read", bytes) ||
        put_number(dict, "bytes_read_percent", bytes_percent) || append_positive(lists->ratios, ratio) ||
        append_positive(lists->percents, bytes_percent) || PyDict_SetItem(lists->files, name, dict);
    lists->branches_percent += value_of(branches_percent);
    lists->bytes_percent += value_of(bytes_percent);
    Py_XDECREF(dict);
    return failed ? -1 : 0;
}

static int put_coverage(PyObject *dict, const coverage *c)
{
    file_lists lists = {PyList_New(0), PyList_New(0), PyDict_New(), 0, 0};
    int failed = !lists.ratios || !lists.percents || !lists.files;
    PyObject *name, *metadata;
    for (Py_ssize_t at = 0; !failed && PyDict_Next(c->metadata, &at, &name, &metadata);) {
        PyObject *chunk = PyDict_GetItemWithError(c->first, name);
        failed = PyErr_Occurred() || add_file(&lists, name, metadata, chunk);
    }
    double files = failed ? 0 : (double)PyDict_Size(lists.files);
    /* put takes the lists, also when it fails */
    failed |= put(dict, "compression_ratios", lists.ratios);
    failed |= put(dict, "bytes_read_percent_per_file", lists.percents);
    failed |= put(dict, "file_read_metrics", lists.files);
    return failed || put_real(dict, "avg_branches_read_percent", quotient(lists.branches_percent, files)) ||
                   put_real(dict, "avg_bytes_read_percent", quotient(lists.bytes_percent, files)) ||
                   PyDict_SetItemString(dict, "file_metadata", c->metadata) ||
                   put(dict, "total_branches_read", PyLong_FromSsize_t(PySet_Size(c->branches)))
               ? -1
               : 0;
}

static PyObject *aggregate_coverage(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *chunks, *report = Py_None; /* the report is not needed: chunks know better */
    if (!PyArg_ParseTuple(args, "O|O:aggregate_branch_coverage", &chunks, &report))
        return NULL;
    int filled = is_filled(chunks);
    PyObject *dict = filled < 0 ? NULL : PyDict_New();
    coverage c = {PyDict_New(), PyDict_New(), PySet_New(NULL)};
    int failed = !dict || !c.metadata || !c.first || !c.branches ||
                 (filled && (for_each(chunks, see_chunk_access, &c) || put_coverage(dict, &c)));
    Py_XDECREF(c.metadata);
    Py_XDECREF(c.first);
    Py_XDECREF(c.branches);
    return dict_unless(failed, dict);
}

/* ---- The timeline of the workers -------------------------------------------------------------------------------- */

typedef struct point {
    double t; /* seconds after the first one that was seen */
    double value;
    size_t order;
} point;

typedef struct timeline {
    point *points;
    size_t count;
} timeline;

static int compare_points(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int seconds_between(PyObject *later, PyObject *earlier, double *seconds)
{
    PyObject *difference = PyNumber_Subtract(later, earlier);
    PyObject *total = difference ? PyObject_CallMethod(difference, "total_seconds", NULL) : NULL;
    if (!total && difference && PyErr_ExceptionMatches(PyExc_AttributeError)) { /* plain numbers are seconds */
        PyErr_Clear();
        total = Py_NewRef(difference);
    }
    *seconds = total ? PyFloat_AsDouble(total) : 0;
    Py_XDECREF(difference);
    Py_XDECREF(total);
    return PyErr_Occurred() ? -1 : 0;
}

/* The points of a list of (datetime, value), sorted by time. origin is borrowed, and the first time seen if NULL. */
static int timeline_read(timeline *out, PyObject *pairs, PyObject **origin)
{
    PyObject *list = PySequence_List(pairs);
    *out = (timeline){0};
    if (!list)
        return -1;
    size_t length = (size_t)PyList_Size(list);
    out->points = malloc((length + 1) * sizeof *out->points);
    int code = 0;
    if (!out->points) {
        PyErr_NoMemory();
        code = -1;
    }
    for (size_t i = 0; !code && i < length; i++) {
        PyObject *t = PySequence_GetItem(PyList_GetItem(list, (Py_ssize_t)i), 0);
        PyObject *value = t ? PySequence_GetItem(PyList_GetItem(list, (Py_ssize_t)i), 1) : NULL;
        point *p = &out->points[out->count++];
        p->order = i;
        if (t && !*origin)
            *origin = Py_NewRef(t);
        code = value ? seconds_between(t, *origin, &p->t) : -1;
        p->value = code ? 0 : PyFloat_AsDouble(value);
        if (PyErr_Occurred())
            code = -1;
        Py_XDECREF(t);
        Py_XDECREF(value);
    }
    Py_DECREF(list);
    if (!code)
        qsort(out->points, out->count, sizeof *out->points, compare_points);
    return code;
}

/* The time-weighted mean; of one point its value, of none 0, and the plain mean of several at one time. */
static double timeline_mean(const timeline *line)
{
    double area = 0, sum = 0;
    for (size_t i = 0; i < line->count; i++) {
        const point *p = &line->points[i];
        sum += p->value;
        if (i)
            area += (p[-1].value + p->value) / 2 * (p->t - p[-1].t);
    }
    double length = line->count ? line->points[line->count - 1].t - line->points[0].t : 0;
    if (length > 0)
        return area / length;
    return line->count ? sum / (double)line->count : 0;
}

static PyObject *averaged_workers(PyObject *module, PyObject *counts)
{
    (void)module;
    PyObject *items = PyMapping_Items(counts), *origin = NULL;
    timeline line = {0};
    int code = items ? timeline_read(&line, items, &origin) : -1;
    double mean = timeline_mean(&line);
    free(line.points);
    Py_XDECREF(items);
    Py_XDECREF(origin);
    return code ? NULL : PyFloat_FromDouble(mean);
}

/* What is asked of the lists of all workers. */
typedef struct worker_lists {
    PyObject *peak; /* the largest value, as it is; NULL if there is none */
    double largest, sum_of_means;
    double weighted, last_sum; /* by how long each was there; the last value of each */
    size_t workers;
    double first_t, last_t;
} worker_lists;

typedef struct presence {
    double first, last, value;
} presence;

static int see_peak(worker_lists *w, PyObject *list)
{
    PyObject *points = PySequence_List(list);
    int code = points ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < PyList_Size(points); i++) {
        PyObject *value = PySequence_GetItem(PyList_GetItem(points, i), 1);
        double real = value ? PyFloat_AsDouble(value) : 0;
        code = PyErr_Occurred() ? -1 : 0;
        if (!code && (!w->peak || real > w->largest)) {
            PyObject *before = w->peak;
            w->peak = Py_NewRef(value);
            w->largest = real;
            Py_XDECREF(before);
        }
        Py_XDECREF(value);
    }
    Py_XDECREF(points);
    return code;
}

/* Weighs each worker's last value by the share of the timeline that it was there. */
static void weigh(worker_lists *w, const presence *all)
{
    for (size_t i = 0; i < w->workers; i++) {
        w->first_t = i == 0 || all[i].first < w->first_t ? all[i].first : w->first_t;
        w->last_t = i == 0 || all[i].last > w->last_t ? all[i].last : w->last_t;
    }
    double length = w->last_t - w->first_t;
    for (size_t i = 0; i < w->workers; i++)
        w->weighted += all[i].value * (length > 0 ? (all[i].last - all[i].first) / length : 1);
}

static int read_workers(PyObject *by_worker, worker_lists *w)
{
    PyObject *lists = PyMapping_Values(by_worker), *origin = NULL;
    Py_ssize_t length = lists ? PyList_Size(lists) : 0;
    presence *all = calloc((size_t)length + 1, sizeof *all);
    int code = lists && all ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < length; i++) {
        timeline line;
        code =
            timeline_read(&line, PyList_GetItem(lists, i), &origin) || see_peak(w, PyList_GetItem(lists, i)) ? -1 : 0;
        if (!code && line.count) {
            const point *last = &line.points[line.count - 1];
            all[w->workers++] = (presence){line.points[0].t, last->t, last->value};
            w->sum_of_means += timeline_mean(&line);
            w->last_sum += last->value;
        }
        free(line.points);
    }
    if (!code)
        weigh(w, all);
    if (lists && !all)
        PyErr_NoMemory();
    free(all);
    Py_XDECREF(lists);
    Py_XDECREF(origin);
    return code;
}

static PyObject *peak_memory(PyObject *module, PyObject *by_worker)
{
    (void)module;
    worker_lists w = {0};
    if (read_workers(by_worker, &w)) {
        Py_XDECREF(w.peak);
        return NULL;
    }
    return w.peak ? w.peak : PyFloat_FromDouble(0);
}

static PyObject *average_memory(PyObject *module, PyObject *by_worker)
{
    (void)module;
    worker_lists w = {0};
    int code = read_workers(by_worker, &w);
    Py_XDECREF(w.peak);
    return code ? NULL : PyFloat_FromDouble(w.workers ? w.sum_of_means / (double)w.workers : 0);
}

/* A new reference to data[key], an empty dict if it is missing. */
static PyObject *dict_of(PyObject *data, const char *key)
{
    PyObject *item = item_of(data, key);
    return item ? item : PyDict_New();
}

static PyObject *largest_count(PyObject *counts)
{
    PyObject *all = PyMapping_Values(counts);
    number largest = {0}, n;
    int code = all ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < PyList_Size(all); i++) {
        code = number_from_python(PyList_GetItem(all, i), &n);
        if (!code && value_of(n) > value_of(largest))
            largest = n;
    }
    Py_XDECREF(all);
    return code ? NULL : number_to_python(largest);
}

/* 0.1.2 adds up the cores of all workers that ever were; these are the cores that were there on average. */
static int put_cores(PyObject *dict, PyObject *cores)
{
    worker_lists w = {0};
    int code = read_workers(cores, &w);
    Py_XDECREF(w.peak);
    if (code)
        return -1;
    if (!w.workers || w.last_sum <= 0)
        return put(dict, "total_cores", Py_NewRef(Py_None)) || put(dict, "cores_per_worker", Py_NewRef(Py_None));
    return put_real(dict, "total_cores", w.weighted) ||
           put_real(dict, "cores_per_worker", w.last_sum / (double)w.workers);
}

static PyObject *parse_tracking(PyObject *module, PyObject *data)
{
    PyObject *counts = dict_of(data, "worker_counts"), *memory = dict_of(data, "worker_memory");
    PyObject *cores = dict_of(data, "worker_cores"), *dict = PyDict_New();
    int failed = !counts || !memory || !cores || !dict || put(dict, "avg_workers", averaged_workers(module, counts)) ||
                 put(dict, "peak_workers", largest_count(counts)) || put_cores(dict, cores) ||
                 put(dict, "peak_memory_bytes", peak_memory(module, memory)) ||
                 put(dict, "avg_memory_per_worker_bytes", average_memory(module, memory));
    Py_XDECREF(counts);
    Py_XDECREF(memory);
    Py_XDECREF(cores);
    return dict_unless(failed, dict);
}

/* ---- Fine metrics by kind of task ------------------------------------------------------------------------------ */

/* One activity may come in several units, bytes and a count of them: the count is not what it is about. */
static int add_to_task(PyObject *tasks, PyObject *key, PyObject *value)
{
    Py_ssize_t parts = PyTuple_Check(key) ? PyTuple_Size(key) : 0;
    if (parts < 3 || !is_text(PyTuple_GetItem(key, 0), "execute"))
        return 0;
    PyObject *task = dict_under(tasks, PyTuple_GetItem(key, 1)), *activity = PyTuple_GetItem(key, 2);
    PyObject *unit = parts > 3 ? PyTuple_GetItem(key, 3) : NULL;
    int there = task ? PyDict_Contains(task, activity) : -1;
    if (there < 0)
        return -1;
    return there && is_text(unit, "count") ? 0 : PyDict_SetItem(task, activity, value);
}

static PyObject *per_task(PyObject *module, PyObject *metrics)
{
    (void)module;
    PyObject *items = PyMapping_Items(metrics), *tasks = items ? PyDict_New() : NULL;
    int code = tasks ? 0 : -1;
    for (Py_ssize_t i = 0; !code && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        code = add_to_task(tasks, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1));
    }
    Py_XDECREF(items);
    return dict_unless(code, tasks);
}

/* ---- The functions -------------------------------------------------------------------------------------------- */

static PyMethodDef compat_functions[] = {
    {"aggregate_workflow_metrics", aggregate_workflow, METH_VARARGS,
     "aggregate_workflow_metrics(report, t_start, t_end, custom_metrics=None, /)\n--\n\n"},
    {"calculate_efficiency_metrics", calculate_efficiency, METH_VARARGS,
     "calculate_efficiency_metrics(workflow, workers, /)\n--\n\n"},
    {"parse_fine_metrics", parse_fine, METH_VARARGS, "parse_fine_metrics(metrics, processor_name=None, /)\n--\n\n"},
    {"aggregate_chunk_metrics", aggregate_chunks, METH_VARARGS,
     "aggregate_chunk_metrics(chunks, sections=None, /)\n--\n\n"},
    {"extract_per_task_metrics", per_task, METH_O, "extract_per_task_metrics(metrics, /)\n--\n\n"},
    {"build_chunk_info", build_chunk_info, METH_O, "build_chunk_info(chunks, /)\n--\n\n"},
    {"parse_accessed_branches", parse_accessed_branches, METH_O, "parse_accessed_branches(columns, /)\n--\n\n"},
    {"aggregate_branch_coverage", aggregate_coverage, METH_VARARGS,
     "aggregate_branch_coverage(chunks, report=None, /)\n--\n\n"},
    {"parse_tracking_data", parse_tracking, METH_O, "parse_tracking_data(data, /)\n--\n\n"},
    {"calculate_time_averaged_workers", averaged_workers, METH_O, "calculate_time_averaged_workers(counts, /)\n--\n\n"},
    {"calculate_peak_memory", peak_memory, METH_O, "calculate_peak_memory(by_worker, /)\n--\n\n"},
    {"calculate_average_memory_per_worker", average_memory, METH_O,
     "calculate_average_memory_per_worker(by_worker, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

int compat_add(PyObject *module)
{
    return PyModule_AddFunctions(module, compat_functions);
}
