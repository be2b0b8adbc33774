/* tracking_data: what the scheduler told of its workers, as ten series per worker. The series are merged by time
 * into samples; what never changes (cores, the memory limit) becomes part of the worker.
 *
 *   0.1.2       worker_counts {time: n}                        worker_memory {worker: [[time, value], …]}
 *   documented  worker_counts [{timestamp, worker_count}, …]   worker_memory {worker: [{timestamp, memory_bytes}, …]}
 */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "model/facts.h"
#include "model/record.h"
#include "source/legacy/parts.h"
#include "source/legacy/tracking_series.h"

const char *const legacy_series_names[SERIES_COUNT] = {
#define X(id, name, record, field) #name,
    LEGACY_SERIES(X)
#undef X
};

/* Which field of which record a series is. */
static const struct {
    record_id record;
    size_t offset;
} PLACES[SERIES_COUNT] = {
#define X(id, name, record, field) {RECORD_##record, offsetof(roast_##record, field)},
    LEGACY_SERIES(X)
#undef X
};

static bool is_of_worker(series_id series)
{
    return PLACES[series].record == RECORD_worker;
}

static const record_field *field_of(series_id series)
{
    const record_field *field = record_specs[PLACES[series].record].fields;
    while (field->offset != PLACES[series].offset)
        field++;
    return field;
}

roast_value legacy_series_value(series_id series, const roast_sample *sample, const roast_worker *worker)
{
    const void *record = is_of_worker(series) ? (const void *)worker : sample;
    const record_field *field = field_of(series);
    if (!record)
        return (roast_value){0};
    int64_t whole = field_is_int(field) ? *field_int(field, record) : ROAST_ABSENT;
    double real = field_is_int(field) ? clock_seconds(whole) : *(double *)field_at(field, record);
    if (field_is_int(field) && field->kind != KIND_TIME)
        return whole == ROAST_ABSENT ? (roast_value){0} : (roast_value){.kind = ROAST_INT, .as.integer = whole};
    return isnan(real) ? (roast_value){0} : (roast_value){.kind = ROAST_REAL, .as.real = real};
}

typedef struct series_point {
    int64_t t_ns;
    series_id series;
    double value; /* NAN: absent */
} series_point;

typedef struct points {
    series_point *items;
    size_t count, capacity;
} points;

typedef struct tracking_reader {
    legacy_reader *r;
    json_place place;
    json_t *data; /* NULL: there is none */
    json_t *series[SERIES_COUNT];
    intern workers;
    double cores_per_worker; /* what older versions say of all workers */
    points of_worker;        /* all series of one worker */
    points counts;           /* workers at a time */
    points cores;            /* cores of each worker at each time, to be summed */
} tracking_reader;

static roast_code add_point(points *list, series_point p, roast_error *err)
{
    if (!legacy_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items))
        return fail_memory(err);
    list->items[list->count++] = p;
    return ROAST_OK;
}

static int by_time_then_series(const void *left, const void *right)
{
    const series_point *a = left, *b = right;
    if (a->t_ns != b->t_ns)
        return a->t_ns < b->t_ns ? -1 : 1;
    return (a->series > b->series) - (a->series < b->series);
}

static void sort_points(points *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_time_then_series);
}

/* One point, [time, value] or {timestamp, any other name: value}. */
static roast_code read_point(legacy_reader *r, const json_place *at, json_t *item, series_point *p)
{
    json_t *time = NULL, *value = NULL;
    json_place value_place = place_item(at, 1);
    if (json_is_array(item) && json_array_size(item) == 2) {
        time = json_array_get(item, 0);
        value = json_array_get(item, 1);
    } else if (json_is_object(item) && json_object_size(item) == 2) {
        const char *key;
        json_t *member;
        json_object_foreach(item, key, member)
        {
            if (strcmp(key, "timestamp") == 0) {
                time = member;
                continue;
            }
            value = member;
            value_place = place_member(at, key);
        }
    }
    if (!time || !value)
        return json_fail(at, r->err, "is not a pair of a time and a value");
    json_place time_place = place_item(at, 0);
    roast_code code = legacy_read_time(r, &time_place, time, &p->t_ns);
    return code ? code : json_read_real(&value_place, value, &p->value, r->err);
}

static roast_code read_points(legacy_reader *r, const json_place *at, json_t *value, series_id series, points *list)
{
    json_t *array, *item;
    size_t index;
    roast_code code = json_read_array(at, value, &array, r->err);
    if (code)
        return code;
    json_array_foreach(array, index, item)
    {
        json_place place = place_item(at, index);
        series_point p = {.series = series};
        code = read_point(r, &place, item, &p);
        if (!code && p.t_ns != ROAST_ABSENT && !isnan(p.value))
            code = add_point(list, p, r->err);
        if (code)
            return code;
    }
    return ROAST_OK;
}

/* {time: n}, or a list of points. */
static roast_code read_counts(tracking_reader *t, points *list)
{
    json_place at = place_member(&t->place, "worker_counts");
    json_t *value = json_object_get(t->data, "worker_counts");
    if (!json_is_object(value))
        return read_points(t->r, &at, value, SERIES_COUNT, list);
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        json_place place = place_member(&at, key);
        series_point p = {.series = SERIES_COUNT};
        roast_code code = legacy_read_time_text(t->r, &place, str_from(key), &p.t_ns);
        if (!code)
            code = json_read_real(&place, member, &p.value, t->r->err);
        if (!code && !isnan(p.value))
            code = add_point(list, p, t->r->err);
        if (code)
            return code;
    }
    return ROAST_OK;
}

static void tracking_close(tracking_reader *t)
{
    intern_release(&t->workers);
    free(t->of_worker.items);
    free(t->counts.items);
    free(t->cores.items);
}

/* Finds the series and every worker that one of them names. */
static roast_code tracking_open(legacy_reader *r, tracking_reader *t)
{
    *t = (tracking_reader){.r = r, .place = place_member(&r->metrics_file, "tracking_data")};
    roast_code code = json_read_object(&t->place, json_object_get(r->metrics, "tracking_data"), &t->data, r->err);
    json_place cores_place = place_member(&t->place, "cores_per_worker");
    if (!code)
        code = json_read_real(&cores_place, json_object_get(t->data, "cores_per_worker"), &t->cores_per_worker, r->err);
    for (series_id s = 0; !code && s < SERIES_COUNT; s++) {
        json_place at = place_member(&t->place, legacy_series_names[s]);
        code = json_read_object(&at, json_object_get(t->data, legacy_series_names[s]), &t->series[s], r->err);
        const char *worker;
        json_t *value;
        json_object_foreach(t->series[s], worker, value)
        {
            if (!code && intern_add(&t->workers, str_from(worker), NULL) == INTERN_NONE)
                code = fail_memory(r->err);
        }
    }
    return code;
}

static roast_code read_series_of(tracking_reader *t, const char *worker, series_id series, points *list)
{
    json_place series_place = place_member(&t->place, legacy_series_names[series]);
    json_place at = place_member(&series_place, worker);
    return read_points(t->r, &at, json_object_get(t->series[series], worker), series, list);
}

/* ---- From points to records -------------------------------------------------------------------------------------- */

static int64_t whole(double value)
{
    return fabs(value) < 9e18 ? (int64_t)llround(value) : ROAST_ABSENT;
}

static void set_field(roast_sample *sample, const record_field *field, double value)
{
    if (field->kind == KIND_TIME) /* 0 is what the scheduler says before the first heartbeat */
        *field_int(field, sample) = value > 0 ? clock_ns_from_seconds(value) : ROAST_ABSENT;
    else if (field_is_int(field))
        *field_int(field, sample) = whole(value);
    else
        *(double *)field_at(field, sample) = value;
}

/* The first time the number of workers was taken after this one; absent if there is none. */
static int64_t next_count_after(const tracking_reader *t, int64_t t_ns)
{
    size_t low = 0, high = t->counts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->counts.items[middle].t_ns > t_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low < t->counts.count ? t->counts.items[low].t_ns : ROAST_ABSENT;
}

/* A worker that was there at the first look may have been there long before; one that is missing at a later look
 * had gone by then, why is not told. */
static roast_code give_worker(tracking_reader *t, roast_str address)
{
    const points *own = &t->of_worker;
    roast_worker worker = roast_worker_none();
    worker.address = address;
    worker.host = address_host(address);
    worker.cores = isnan(t->cores_per_worker) ? ROAST_ABSENT : whole(t->cores_per_worker);
    for (size_t i = 0; i < own->count; i++) {
        if (own->items[i].series == SERIES_CORES)
            worker.cores = whole(own->items[i].value);
        if (own->items[i].series == SERIES_LIMIT && own->items[i].value > 0)
            worker.memory_limit = whole(own->items[i].value);
    }
    if (own->count && t->counts.count) {
        if (own->items[0].t_ns > t->counts.items[0].t_ns)
            worker.joined_ns = own->items[0].t_ns;
        worker.left_ns = next_count_after(t, own->items[own->count - 1].t_ns);
        if (worker.left_ns != ROAST_ABSENT)
            worker.reason = STR("not told by roastcoffea 0.1.x");
    }
    return t->r->sink->worker(t->r->sink->context, &worker, t->r->err);
}

static roast_code give_samples(tracking_reader *t, roast_str address)
{
    const points *own = &t->of_worker;
    for (size_t i = 0; i < own->count;) {
        roast_sample sample = roast_sample_none();
        sample.worker = address;
        sample.t_ns = own->items[i].t_ns;
        bool measured = false;
        for (; i < own->count && own->items[i].t_ns == sample.t_ns; i++) {
            const series_point *p = &own->items[i];
            if (is_of_worker(p->series))
                continue;
            set_field(&sample, field_of(p->series), p->value);
            measured = true;
        }
        roast_code code = measured ? t->r->sink->sample(t->r->sink->context, &sample, t->r->err) : ROAST_OK;
        if (code)
            return code;
    }
    return ROAST_OK;
}

static roast_code read_worker(tracking_reader *t, roast_str address)
{
    roast_code code = ROAST_OK;
    t->of_worker.count = 0;
    for (series_id s = 0; !code && s < SERIES_COUNT; s++)
        code = read_series_of(t, address.ptr, s, &t->of_worker);
    sort_points(&t->of_worker);
    for (size_t i = 0; !code && i < t->of_worker.count; i++)
        if (t->of_worker.items[i].series == SERIES_CORES)
            code = add_point(&t->cores, t->of_worker.items[i], t->r->err);
    if (!code)
        code = give_worker(t, address);
    return code ? code : give_samples(t, address);
}

/* Each count with the cores of the workers that were looked at then. */
static roast_code give_counts(tracking_reader *t)
{
    sort_points(&t->cores);
    size_t core = 0;
    for (size_t i = 0; i < t->counts.count; i++) {
        const series_point *p = &t->counts.items[i];
        roast_worker_count count = roast_worker_count_none();
        count.t_ns = p->t_ns;
        count.workers = whole(p->value);
        if (count.workers == ROAST_ABSENT)
            continue;
        if (!isnan(t->cores_per_worker))
            count.cores = whole(p->value * t->cores_per_worker);
        while (core < t->cores.count && t->cores.items[core].t_ns < p->t_ns)
            core++;
        double sum = 0;
        bool known = count.workers == 0;
        for (; core < t->cores.count && t->cores.items[core].t_ns == p->t_ns; core++, known = true)
            sum += t->cores.items[core].value;
        if (known)
            count.cores = whole(sum);
        roast_code code = t->r->sink->count(t->r->sink->context, &count, t->r->err);
        if (code)
            return code;
    }
    return ROAST_OK;
}

roast_code tracking_read(legacy_reader *r)
{
    tracking_reader t;
    roast_code code = tracking_open(r, &t);
    if (!code)
        code = read_counts(&t, &t.counts);
    sort_points(&t.counts);
    for (uint32_t i = 0; !code && i < t.workers.count; i++)
        code = read_worker(&t, t.workers.strings[i]);
    if (!code)
        code = give_counts(&t);
    tracking_close(&t);
    return code;
}

/* ---- The survey -----------------------------------------------------------------------------------------------------
 */

static void survey_heartbeats(legacy_reader *r, const points *list)
{
    for (size_t i = 0; i < list->count; i++) {
        int64_t seen = list->items[i].value > 0 ? clock_ns_from_seconds(list->items[i].value) : ROAST_ABSENT;
        if (list->items[i].series != SERIES_LAST_SEEN || seen == ROAST_ABSENT)
            continue;
        int64_t lag = list->items[i].t_ns - seen;
        if (r->heartbeat_lag == ROAST_ABSENT || lag < r->heartbeat_lag)
            r->heartbeat_lag = lag;
    }
}

roast_code tracking_survey(legacy_reader *r)
{
    tracking_reader t;
    roast_code code = tracking_open(r, &t);
    if (!code)
        code = read_counts(&t, &t.counts);
    for (uint32_t i = 0; !code && i < t.workers.count; i++) {
        /* In a measurement all series have the same times; a script may give any of them. */
        for (series_id s = 0; !code && s < SERIES_COUNT; s++)
            if (r->loose || s == SERIES_MEMORY || s == SERIES_LAST_SEEN)
                code = read_series_of(&t, t.workers.strings[i].ptr, s, &t.of_worker);
        survey_heartbeats(r, &t.of_worker);
        for (size_t p = 0; p < t.of_worker.count; p++)
            range_add(&r->tracked, t.of_worker.items[p].t_ns);
        t.of_worker.count = 0;
    }
    for (size_t i = 0; i < t.counts.count; i++)
        range_add(&r->tracked, t.counts.items[i].t_ns);
    tracking_close(&t);
    return code;
}
