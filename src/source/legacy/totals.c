/* The single numbers of metrics.json. Those that came from coffea's report become a report again; every one that the
 * catalogue knows is handed on as stated by the measurement, for where the records cannot give it. */
#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/metric.h"
#include "source/legacy/parts.h"

/* roastcoffea 0.1.x writes 0 for these where it measured nothing. */
static const metric_id ZERO_IS_ABSENT[] = {
    M_run_avg_workers,
    M_run_peak_workers,
    M_run_total_cores,
    M_run_cores_per_worker,
    M_run_peak_memory_bytes,
    M_run_avg_memory_per_worker_bytes,
    M_run_data_rate_gbps,
    M_run_event_rate_elapsed_khz,
    M_run_event_rate_cpu_total_khz,
    M_run_event_rate_core_khz,
    M_run_avg_cpu_time_per_chunk,
    M_run_core_efficiency,
    M_run_speedup_factor,
    M_run_avg_branches_read_percent,
    M_run_avg_bytes_read_percent,
    M_run_total_branches_read,
    M_run_num_chunks,
};

typedef struct legacy_totals {
    legacy_reader *r;
    roast_value values[METRIC_COUNT];
} legacy_totals;

static double real_of(const legacy_totals *t, metric_id id)
{
    roast_value value = t->values[id];
    return value.kind == ROAST_INT ? (double)value.as.integer : value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

static roast_code read_value(const json_place *at, metric_id id, const json_t *value, roast_value *out,
                             roast_error *err)
{
    double real;
    roast_code code = json_read_real(at, value, &real, err);
    if (code || isnan(real))
        return code;
    if (strcmp(metric_info(id)->kind, "integer") != 0 || real != floor(real)) {
        *out = (roast_value){.kind = ROAST_REAL, .as.real = real};
        return ROAST_OK;
    }
    out->kind = ROAST_INT;
    return json_read_int(at, value, &out->as.integer, err);
}

/* Under its own name a metric is taken rather than under one of its aliases. */
static roast_code collect(legacy_totals *t)
{
    const char *key;
    json_t *member;
    json_object_foreach(t->r->metrics, key, member)
    {
        metric_id id = metric_find(ROAST_SCOPE_RUN, str_from(key));
        if (id == METRIC_COUNT || !metric_has_column(id))
            continue;
        bool canonical = strcmp(key, metric_info(id)->name) == 0;
        roast_value value = {0};
        json_place at = place_member(&t->r->metrics_file, key);
        roast_code code = read_value(&at, id, member, &value, t->r->err);
        if (code)
            return code;
        if (value.kind != ROAST_NOTHING && (canonical || t->values[id].kind == ROAST_NOTHING))
            t->values[id] = value;
    }
    return ROAST_OK;
}

/* num_chunks of the report was overwritten by the number of chunk records, but the mean over the report's chunks was
 * not: it still tells how many they were. */
static roast_code recover_num_chunks(legacy_totals *t)
{
    double stated = real_of(t, M_run_num_chunks);
    double ratio = real_of(t, M_run_total_cpu_time) / real_of(t, M_run_avg_cpu_time_per_chunk);
    if (!isfinite(ratio) || ratio > 1e15)
        return ROAST_OK;
    double recovered = round(ratio);
    if (recovered < 1 || fabs(ratio - recovered) > 1e-6 * recovered || recovered == stated)
        return ROAST_OK;
    t->values[M_run_num_chunks] = (roast_value){.kind = ROAST_INT, .as.integer = (int64_t)recovered};
    return isnan(stated) ? ROAST_OK
                         : legacy_note(t->r, "info",
                                       "num_chunks: %.0f %s submitted, as avg_cpu_time_per_chunk tells; the %.0f "
                                       "in metrics.json counts chunk records.",
                                       recovered, recovered == 1 ? "chunk was" : "chunks were", stated);
}

static void drop_zeros(legacy_totals *t)
{
    for (size_t i = 0; i < sizeof ZERO_IS_ABSENT / sizeof *ZERO_IS_ABSENT; i++)
        if (real_of(t, ZERO_IS_ABSENT[i]) == 0)
            t->values[ZERO_IS_ABSENT[i]] = (roast_value){0};
}

/* A collector without a report writes 0 for all of its totals. */
static bool report_was_there(const legacy_totals *t)
{
    return real_of(t, M_run_total_events) > 0 || real_of(t, M_run_total_bytes_read) > 0 ||
           real_of(t, M_run_total_cpu_time) > 0;
}

static void write_total(buf *json, const char *name, roast_value value)
{
    const char *comma = json->len > 1 ? ", " : "";
    if (value.kind == ROAST_INT)
        buf_format(json, "%s\"%s\": %lld", comma, name, (long long)value.as.integer);
    else if (value.kind == ROAST_REAL)
        buf_format(json, "%s\"%s\": %.17g", comma, name, value.as.real);
}

static roast_code give_report(legacy_totals *t)
{
    if (!report_was_there(t)) {
        static const metric_id of_report[] = {M_run_total_events, M_run_total_bytes_read, M_run_total_cpu_time};
        for (size_t i = 0; i < sizeof of_report / sizeof *of_report; i++)
            t->values[of_report[i]] = (roast_value){0};
        return ROAST_OK;
    }
    buf json = {0};
    buf_char(&json, '{');
    write_total(&json, "entries", t->values[M_run_total_events]);
    write_total(&json, "bytesread", t->values[M_run_total_bytes_read]);
    write_total(&json, "processtime", t->values[M_run_total_cpu_time]);
    write_total(&json, "chunks", t->values[M_run_num_chunks]);
    buf_char(&json, '}');
    roast_code code = json.code ? fail_memory(t->r->err)
                                : t->r->sink->document(t->r->sink->context, "report", buf_view(&json), t->r->err);
    buf_release(&json);
    return code;
}

static roast_code give_all(legacy_totals *t)
{
    roast_code code = ROAST_OK;
    metric_id first = metric_first(ROAST_SCOPE_RUN), end = first + (metric_id)metric_count(ROAST_SCOPE_RUN);
    for (metric_id id = first; !code && id < end; id++)
        if (t->values[id].kind != ROAST_NOTHING)
            code = t->r->sink->given(t->r->sink->context, str_from(metric_info(id)->name), t->values[id], t->r->err);
    return code;
}

roast_code totals_read(legacy_reader *r)
{
    legacy_totals t = {.r = r};
    roast_code code = collect(&t);
    if (!code)
        code = recover_num_chunks(&t);
    drop_zeros(&t);
    if (!code)
        code = give_report(&t);
    return code ? code : give_all(&t);
}
