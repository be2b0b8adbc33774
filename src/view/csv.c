/* CSV. Chunks are many, so they go from the run to the sink in parts and are never all in memory. */
#include "view/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "model/chunk_value.h"
#include "run/reader.h"
#include "view/columns.h"
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

/* The spellings of 0.1.x in gigabytes say nothing that others do not. */
static bool is_chunk_column(metric_id id)
{
    return metric_has_column(id) && strcmp(metric_info(id)->unit, "GB") != 0;
}

typedef struct chunk_export {
    roast_run *run;
    roast_write sink;
    void *context;
    buf part;
    access_table accesses;
} chunk_export;

/* Exactly, digit by digit: a double of seconds since 1970 has no nanoseconds left. */
static void put_nanoseconds(buf *out, int64_t ns)
{
    if (ns == ROAST_ABSENT)
        return;
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    buf_format(out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", size / 1000000000, size % 1000000000);
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
    branch_access access = access_of(&e->accesses, e->run, row);
    metric_id first = metric_first(ROAST_SCOPE_CHUNK);
    for (metric_id id = first; is_column(id, ROAST_SCOPE_CHUNK); id++) {
        char uid[17];
        int64_t ns;
        if (!is_chunk_column(id))
            continue;
        if (id != first)
            buf_char(&e->part, ',');
        if (chunk_nanoseconds(&row->record, id, &ns))
            put_nanoseconds(&e->part, ns);
        else
            put_value(&e->part, columns_chunk_value(e->run, row, &access, id, uid));
    }
    end_row(&e->part);
    return e->part.len < PART_BYTES && !e->part.code ? ROAST_OK : pass_on(e);
}

roast_code roast_run_write_chunks(roast_run *run, roast_write sink, void *context, roast_error *err)
{
    chunk_export e = {.run = run, .sink = sink, .context = context};
    metric_id first = metric_first(ROAST_SCOPE_CHUNK);
    for (metric_id id = first; is_column(id, ROAST_SCOPE_CHUNK); id++)
        if (is_chunk_column(id))
            buf_format(&e.part, "%s%s", id == first ? "" : ",", metric_info(id)->name);
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
