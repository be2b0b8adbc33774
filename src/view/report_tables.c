/* Tables that only the report has. */
#include "view/report_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "model/core_time.h"
#include "model/facts.h"
#include "view/table_writer.h"

/* ---- The slowest chunks -------------------------------------------------------------------------------------- */

static const table_column SLOWEST[] = {
    {"chunk", M_chunk_chunk_id, .align = TABLE_RIGHT},
    {"in process()", M_chunk_duration, .align = TABLE_RIGHT, .bar = true},
    {"on the CPU", M_chunk_cpu_seconds, .align = TABLE_RIGHT},
    {COLUMN_OPEN, M_chunk_open_seconds, .align = TABLE_RIGHT},
    {"events", M_chunk_num_events, .align = TABLE_RIGHT},
    {"peak memory", M_chunk_mem_peak_mb, .align = TABLE_RIGHT},
    {"began after", M_chunk_t_start, .align = TABLE_RIGHT},
    {"dataset", M_chunk_dataset, .shortens = true},
    {"file", M_chunk_file, .shortens = true},
    {"entries", M_chunk_entry_start, .align = TABLE_RIGHT},
    {"worker", M_chunk_worker, .shortens = true},
    {"failed with", M_chunk_error_type, .shortens = true},
};

static int compare_duration(const void *left, const void *right, void *context)
{
    const report_data *data = context;
    const report_chunk *a = &data->chunks[*(const uint32_t *)left], *b = &data->chunks[*(const uint32_t *)right];
    if (a->process_time != b->process_time)
        return a->process_time > b->process_time ? -1 : 1;
    return (a > b) - (a < b);
}

static roast_value int_value(int64_t number)
{
    return number == ROAST_ABSENT ? NOTHING : (roast_value){.kind = ROAST_INT, .as.integer = number};
}

static roast_value text_value(roast_str text)
{
    return str_absent(text) ? NOTHING : (roast_value){.kind = ROAST_TEXT, .as.text = text};
}

static double in_seconds(const report_data *data, int64_t ticks)
{
    return ticks == ROAST_ABSENT ? (double)NAN : (double)ticks * (double)data->tick_ns / (double)NS_PER_S;
}

static void write_text(table_writer *w, roast_str text)
{
    writer_text(w, text.len ? text : STR("n/a"), text.len ? TONE_PLAIN : TONE_QUIET);
}

static void write_entries(table_writer *w, const report_chunk *chunk)
{
    bool known = chunk->entry_start != ROAST_ABSENT && chunk->entries != ROAST_ABSENT;
    if (known) {
        format_count(&w->text, chunk->entry_start);
        buf_text(&w->text, " – ");
        format_count(&w->text, (int64_t)((uint64_t)chunk->entry_start + (uint64_t)chunk->entries));
    } else {
        buf_text(&w->text, "n/a");
    }
    writer_cell(w, known ? TONE_PLAIN : TONE_QUIET, int_value(chunk->entry_start));
}

static void write_slow_chunk(table_writer *w, const report_data *data, uint32_t index, double most)
{
    const report_chunk *chunk = &data->chunks[index];
    double process = in_seconds(data, chunk->process_time);
    double cpu_share = chunk->process_time > 0 ? 100 * in_seconds(data, chunk->cpu_time) / process : (double)NAN;
    const roast_worker *worker = run_worker(data->run, chunk->worker);
    const roast_file *file = run_file(data->run, chunk->file);
    writer_value(w, int_value(data->series.chunks[index].id), "id", FORM_UNIT);
    writer_number(w, process, "s", FORM_UNIT);
    writer_share(w, most > 0 ? process / most : (double)NAN);
    writer_number(w, cpu_share, "%", FORM_UNIT);
    writer_number(w, in_seconds(data, chunk->open_time), "s", FORM_UNIT);
    writer_value(w, int_value(chunk->events), "count", FORM_UNIT);
    writer_number(w, as_real(chunk->memory_kib) * 1024, "B", FORM_MEMORY);
    writer_number(w, in_seconds(data, chunk->begin), "s", FORM_UNIT);
    write_text(w, run_dataset(data->run, chunk->dataset));
    write_text(w, file ? file->url : str_none());
    write_entries(w, chunk);
    writer_value(w, text_value(worker ? worker->address : str_none()), "", FORM_WORKER);
    writer_text(w, chunk->error ? data->errors[chunk->error - 1] : STR(""), chunk->error ? TONE_BAD : TONE_PLAIN);
}

static void write_slowest(table_writer *w, const report_data *data, size_t limit)
{
    size_t count = data->series.n_chunks, rows = count < limit ? count : limit;
    uint32_t *order = calloc(count + 1, sizeof *order);
    w->failed |= !order;
    if (!order)
        return;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_duration, (void *)data);
    double most = rows ? in_seconds(data, data->chunks[order[0]].process_time) : 0;
    writer_begin(w, "slowest", "Slowest chunks", SLOWEST, sizeof SLOWEST / sizeof SLOWEST[0], rows);
    for (size_t row = 0; row < rows; row++)
        write_slow_chunk(w, data, order[row], most);
    free(order);
}

/* ---- What was not measured ----------------------------------------------------------------------------------- */

static bool is_absent_for(const roast_summary *summary, metric_id id, const char *why)
{
    return summary->why[id] && summary_value(summary, id).kind == ROAST_NOTHING &&
           (!why || strcmp(summary->why[id], why) == 0);
}

static bool was_said(const roast_summary *summary, metric_id id)
{
    for (metric_id before = 0; before < id; before++)
        if (is_absent_for(summary, before, summary->why[id]))
            return true;
    return false;
}

static void write_absent(table_writer *w, const roast_summary *summary)
{
    size_t reasons = 0;
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        reasons += is_absent_for(summary, id, NULL) && !was_said(summary, id);
    writer_begin_pairs(w, "absent", "Not measured", TABLE_PAIRS, reasons);
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        if (!is_absent_for(summary, id, NULL) || was_said(summary, id))
            continue;
        for (metric_id other = id; other < METRIC_COUNT; other++)
            if (is_absent_for(summary, other, summary->why[id]))
                buf_format(&w->text, "%s%s", w->text.len ? ", " : "", metric_info(other)->name);
        writer_pair(w, summary->why[id], TONE_PLAIN);
    }
}

const table *report_table_find(const report_table_sets *sets, roast_str id)
{
    const table_set *const all[] = {&sets->usual, &sets->asked, &sets->own};
    for (size_t set = 0; set < sizeof all / sizeof all[0]; set++)
        for (size_t i = 0; i < all[set]->count; i++)
            if (str_equal(str_from(all[set]->tables[i].id), id))
                return &all[set]->tables[i];
    return NULL;
}

void report_table_sets_release(report_table_sets *sets)
{
    tables_release(&sets->usual);
    tables_release(&sets->asked);
    tables_release(&sets->own);
}

roast_code report_tables(table_set *out, const report_data *data, const roast_summary *summary, size_t slowest,
                         roast_error *err)
{
    table_writer w;
    writer_init(&w, out, 2);
    write_slowest(&w, data, slowest);
    write_absent(&w, summary);
    return writer_finish(&w, err);
}
