/* CSV. Chunks are many, so they go from the run to the sink in parts and are never all in memory. */
#include "view/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/access.h"
#include "base/str.h"
#include "model/facts.h"
#include "run/reader.h"
#include "view/number.h"
#include "view/text.h"

enum { PART_BYTES = 1 << 16 };

/* ---- Fields -------------------------------------------------------------------------------------------------- */

static bool needs_quotes(roast_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(",\"\r\n", text.ptr[i]) && text.ptr[i])
            return true;
    return text.len > 0 && (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ');
}

static bool reads_as_formula(roast_str text)
{
    return text.len > 0 && text.ptr[0] && strchr("=+-@\t\r", text.ptr[0]);
}

static void put_text(buf *out, roast_str text)
{
    bool quotes = needs_quotes(text);
    if (quotes)
        buf_char(out, '"');
    if (reads_as_formula(text))
        buf_char(out, '\'');
    while (text.len) {
        uint32_t c = text_next(&text);
        if (c == 0)
            c = TEXT_REPLACEMENT; /* readers of CSV stop at it */
        if (c == '"')
            buf_char(out, '"');
        text_put(out, c);
    }
    if (quotes)
        buf_char(out, '"');
}

static void put_value(buf *out, roast_value value)
{
    switch (value.kind) {
    case ROAST_NOTHING:
        break;
    case ROAST_INT:
        buf_format(out, "%" PRId64, value.as.integer);
        break;
    case ROAST_REAL:
        if (isfinite(value.as.real))
            number_put(out, value.as.real);
        break;
    case ROAST_TEXT:
        put_text(out, value.as.text);
        break;
    }
}

static void end_row(buf *out)
{
    buf_text(out, "\r\n");
}

/* ---- Scopes -------------------------------------------------------------------------------------------------- */

static void put_run(buf *out, const roast_summary *summary)
{
    buf_text(out, "name,value,unit");
    end_row(out);
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        const roast_metric *metric = metric_info(id);
        if (metric->scope != ROAST_SCOPE_RUN || !metric_has_column(id))
            continue;
        put_text(out, str_from(metric->name));
        buf_char(out, ',');
        put_value(out, summary_value(summary, id));
        buf_char(out, ',');
        put_text(out, str_from(metric->unit));
        end_row(out);
    }
}

static bool is_column(metric_id id, roast_scope scope)
{
    return id < METRIC_COUNT && metric_info(id)->scope == scope;
}

void csv_scope(buf *out, const roast_summary *summary, roast_scope scope)
{
    if (scope == ROAST_SCOPE_RUN) {
        put_run(out, summary);
        return;
    }
    metric_id first = metric_first(scope);
    for (metric_id id = first; is_column(id, scope); id++)
        if (metric_has_column(id))
            buf_format(out, "%s%s", id == first ? "" : ",", metric_info(id)->name);
    end_row(out);
    for (size_t row = 0; row < summary->rows[scope].count; row++) {
        for (metric_id id = first; is_column(id, scope); id++) {
            if (!metric_has_column(id))
                continue;
            if (id != first)
                buf_char(out, ',');
            put_value(out, summary_cell(summary, id, row));
        }
        end_row(out);
    }
}

/* ---- Chunks -------------------------------------------------------------------------------------------------- */

typedef enum field_kind { FIELD_INT, FIELD_TEXT, FIELD_SECONDS, FIELD_MIB, FIELD_COMPUTED } field_kind;

/* Columns that are one field of a record, in another unit at most. The others are computed in computed_field. */
static const struct chunk_field {
    metric_id metric;
    field_kind kind;
    size_t offset;
} CHUNK_FIELDS[] = {
    {M_chunk_chunk_id, FIELD_COMPUTED, 0},
    {M_chunk_uid, FIELD_COMPUTED, 0},
    {M_chunk_dataset, FIELD_TEXT, offsetof(roast_chunk, dataset)},
    {M_chunk_file, FIELD_TEXT, offsetof(roast_chunk, file)},
    {M_chunk_treename, FIELD_TEXT, offsetof(roast_chunk, treename)},
    {M_chunk_uuid, FIELD_TEXT, offsetof(roast_chunk, uuid)},
    {M_chunk_entry_start, FIELD_INT, offsetof(roast_chunk, entry_start)},
    {M_chunk_entry_stop, FIELD_INT, offsetof(roast_chunk, entry_stop)},
    {M_chunk_num_events, FIELD_INT, offsetof(roast_chunk, events)},
    {M_chunk_attempt, FIELD_INT, offsetof(roast_chunk, attempt)},
    {M_chunk_worker, FIELD_TEXT, offsetof(roast_chunk, worker)},
    {M_chunk_host, FIELD_COMPUTED, 0},
    {M_chunk_pid, FIELD_INT, offsetof(roast_chunk, pid)},
    {M_chunk_thread, FIELD_INT, offsetof(roast_chunk, thread)},
    {M_chunk_t_start, FIELD_SECONDS, offsetof(roast_chunk, t_start_ns)},
    {M_chunk_t_end, FIELD_COMPUTED, 0},
    {M_chunk_duration, FIELD_SECONDS, offsetof(roast_chunk, duration_ns)},
    {M_chunk_open_seconds, FIELD_SECONDS, offsetof(roast_chunk, open_ns)},
    {M_chunk_events_seconds, FIELD_SECONDS, offsetof(roast_chunk, events_ns)},
    {M_chunk_return_seconds, FIELD_SECONDS, offsetof(roast_chunk, return_ns)},
    {M_chunk_cpu_seconds, FIELD_SECONDS, offsetof(roast_chunk, cpu_ns)},
    {M_chunk_noncpu_seconds, FIELD_COMPUTED, 0},
    {M_chunk_run_delay_seconds, FIELD_SECONDS, offsetof(roast_chunk, run_delay_ns)},
    {M_chunk_mem_before_mb, FIELD_MIB, offsetof(roast_chunk, rss_before)},
    {M_chunk_mem_after_mb, FIELD_MIB, offsetof(roast_chunk, rss_after)},
    {M_chunk_mem_delta_mb, FIELD_COMPUTED, 0},
    {M_chunk_mem_peak_mb, FIELD_MIB, offsetof(roast_chunk, rss_peak)},
    {M_chunk_mem_peak_shared, FIELD_COMPUTED, 0},
    {M_chunk_bytes_read, FIELD_INT, offsetof(roast_chunk, bytes_read)},
    {M_chunk_read_requests, FIELD_INT, offsetof(roast_chunk, read_requests)},
    {M_chunk_voluntary_switches, FIELD_INT, offsetof(roast_chunk, voluntary_switches)},
    {M_chunk_involuntary_switches, FIELD_INT, offsetof(roast_chunk, involuntary_switches)},
    {M_chunk_page_faults, FIELD_INT, offsetof(roast_chunk, page_faults)},
    {M_chunk_num_branches_accessed, FIELD_COMPUTED, 0},
    {M_chunk_accessed_bytes, FIELD_COMPUTED, 0},
    {M_chunk_accessed_uncompressed_bytes, FIELD_COMPUTED, 0},
    {M_chunk_branches_read_percent, FIELD_COMPUTED, 0},
    {M_chunk_bytes_read_percent, FIELD_COMPUTED, 0},
    {M_chunk_error_type, FIELD_TEXT, offsetof(roast_chunk, error_type)},
    {M_chunk_error, FIELD_TEXT, offsetof(roast_chunk, error)},
};

enum { CHUNK_FIELD_COUNT = sizeof CHUNK_FIELDS / sizeof CHUNK_FIELDS[0] };

typedef struct chunk_export {
    roast_run *run;
    roast_write sink;
    void *context;
    buf part;
    access_table accesses;
    branch_access access; /* of the chunk in hand */
} chunk_export;

static void put_int(buf *out, int64_t value)
{
    if (value != ROAST_ABSENT)
        buf_format(out, "%" PRId64, value);
}

/* Exactly, digit by digit: a double of seconds since 1970 has no nanoseconds left. */
static void put_nanoseconds(buf *out, int64_t ns)
{
    if (ns == ROAST_ABSENT)
        return;
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    buf_format(out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", size / 1000000000, size % 1000000000);
}

static int64_t combined(int64_t a, int64_t b, bool add)
{
    int64_t result;
    if (a == ROAST_ABSENT || b == ROAST_ABSENT)
        return ROAST_ABSENT;
    bool overflow = add ? __builtin_add_overflow(a, b, &result) : __builtin_sub_overflow(a, b, &result);
    return overflow ? ROAST_ABSENT : result;
}

static void put_scaled(buf *out, int64_t value, double unit)
{
    if (value != ROAST_ABSENT)
        number_put(out, (double)value / unit);
}

static void put_percent(buf *out, double percent)
{
    if (isfinite(percent))
        number_put(out, percent);
}

static void put_computed(chunk_export *e, const run_chunk *row, metric_id metric)
{
    const roast_chunk *chunk = &row->record;
    const roast_worker *worker = row->worker == RUN_UNKNOWN ? NULL : run_worker(e->run, row->worker);
    switch ((int)metric) {
    case M_chunk_chunk_id:
        put_int(&e->part, row->id);
        break;
    case M_chunk_uid:
        buf_format(&e->part, "%016" PRIx64, chunk->uid);
        break;
    case M_chunk_host:
        if (worker)
            put_text(&e->part, worker_host(worker));
        break;
    case M_chunk_t_end:
        put_nanoseconds(&e->part, combined(chunk->t_start_ns, chunk->duration_ns, true));
        break;
    case M_chunk_noncpu_seconds:
        put_nanoseconds(&e->part, combined(chunk->duration_ns, chunk->cpu_ns, false));
        break;
    case M_chunk_mem_delta_mb:
        put_scaled(&e->part, combined(chunk->rss_after, chunk->rss_before, false), 1048576);
        break;
    case M_chunk_mem_peak_shared:
        if (chunk->rss_peak != ROAST_ABSENT)
            buf_char(&e->part, chunk->peak_shared ? '1' : '0');
        break;
    case M_chunk_num_branches_accessed:
        put_int(&e->part, e->access.branches);
        break;
    case M_chunk_accessed_bytes:
        put_int(&e->part, e->access.compressed);
        break;
    case M_chunk_accessed_uncompressed_bytes:
        put_int(&e->part, e->access.uncompressed);
        break;
    case M_chunk_branches_read_percent:
        put_percent(&e->part, e->access.branches_percent);
        break;
    case M_chunk_bytes_read_percent:
        put_percent(&e->part, e->access.bytes_percent);
        break;
    }
}

static void put_field(chunk_export *e, const run_chunk *row, const struct chunk_field *field)
{
    const char *at = (const char *)&row->record + field->offset;
    int64_t integer = ROAST_ABSENT;
    if (field->kind != FIELD_TEXT && field->kind != FIELD_COMPUTED)
        memcpy(&integer, at, sizeof integer);
    switch (field->kind) {
    case FIELD_INT:
        put_int(&e->part, integer);
        break;
    case FIELD_TEXT:
        put_text(&e->part, *(const roast_str *)(const void *)at);
        break;
    case FIELD_SECONDS:
        put_nanoseconds(&e->part, integer);
        break;
    case FIELD_MIB:
        put_scaled(&e->part, integer, 1048576);
        break;
    case FIELD_COMPUTED:
        put_computed(e, row, field->metric);
        break;
    }
}

static roast_code pass_on(chunk_export *e)
{
    roast_code code = e->part.code ? e->part.code : e->sink(e->context, buf_view(&e->part));
    buf_clear(&e->part);
    return code;
}

static roast_code put_chunk(void *context, const run_chunk *row)
{
    chunk_export *e = context;
    e->access = access_of(&e->accesses, e->run, row);
    for (size_t i = 0; i < CHUNK_FIELD_COUNT; i++) {
        if (i > 0)
            buf_char(&e->part, ',');
        put_field(e, row, &CHUNK_FIELDS[i]);
    }
    end_row(&e->part);
    return e->part.len < PART_BYTES && !e->part.code ? ROAST_OK : pass_on(e);
}

roast_code roast_run_write_chunks(roast_run *run, roast_write sink, void *context, roast_error *err)
{
    chunk_export e = {.run = run, .sink = sink, .context = context};
    for (size_t i = 0; i < CHUNK_FIELD_COUNT; i++)
        buf_format(&e.part, "%s%s", i ? "," : "", metric_info(CHUNK_FIELDS[i].metric)->name);
    end_row(&e.part);
    roast_code code = access_read(&e.accesses, run, err);
    if (!code)
        code = run_each_chunk(run, RUN_EVERYTHING, put_chunk, &e, err);
    if (!code)
        code = pass_on(&e);
    access_release(&e.accesses);
    buf_release(&e.part);
    return code;
}
