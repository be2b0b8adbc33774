/* Tables by columns. A reader of a table makes one row of values and pushes it; the columns are listed beside it, in
 * the same order. Units are those of the catalogue: seconds, MiB where the name says so, bytes otherwise. */
#include "view/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/access.h"
#include "base/error.h"
#include "base/str.h"
#include "model/chunk_value.h"
#include "model/facts.h"

typedef struct column_spec {
    const char *name;
    column_kind kind;
} column_spec;

enum { MOST_COLUMNS = 64 };

/* ---- Pushing rows -------------------------------------------------------------------------------------------- */

static size_t row_size(column_kind kind)
{
    return kind == COLUMN_TEXT ? sizeof(roast_str) : sizeof(int64_t);
}

static bool grow(column_table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 256;
    for (size_t i = 0; i < table->n_columns; i++) {
        void *rows = realloc(table->columns[i].as.rows, capacity * row_size(table->columns[i].kind));
        if (!rows)
            return false;
        table->columns[i].as.rows = rows;
    }
    table->capacity = capacity;
    return true;
}

static bool set_text(column_table *table, column *c, roast_value value)
{
    roast_str text = value.kind == ROAST_TEXT ? value.as.text : str_none();
    if (!str_absent(text)) {
        uint32_t number = intern_add(&table->strings, text, NULL);
        if (number == INTERN_NONE)
            return false;
        text = table->strings.strings[number];
    }
    c->absent += str_absent(text);
    c->as.texts[table->n_rows] = text;
    return true;
}

static void set_int(column_table *table, column *c, roast_value value)
{
    int64_t integer = value.kind == ROAST_INT ? value.as.integer : ROAST_ABSENT;
    c->absent += integer == ROAST_ABSENT;
    c->as.ints[table->n_rows] = integer;
}

static void set_real(column_table *table, column *c, roast_value value)
{
    double real = value.kind == ROAST_REAL ? value.as.real : (double)NAN;
    if (value.kind == ROAST_INT)
        real = (double)value.as.integer;
    c->absent += isnan(real) ? 1 : 0;
    c->as.reals[table->n_rows] = real;
}

/* values has one for each column. */
static roast_code push(column_table *table, const roast_value *values)
{
    if (table->n_rows == table->capacity && !grow(table))
        return ROAST_MEMORY;
    for (size_t i = 0; i < table->n_columns; i++) {
        column *c = &table->columns[i];
        if (c->kind == COLUMN_TEXT && !set_text(table, c, values[i]))
            return ROAST_MEMORY;
        if (c->kind == COLUMN_INT)
            set_int(table, c, values[i]);
        if (c->kind == COLUMN_REAL)
            set_real(table, c, values[i]);
    }
    table->n_rows++;
    return ROAST_OK;
}

static roast_code add_columns(column_table *table, const column_spec *specs, size_t count, roast_error *err)
{
    table->columns = calloc(count, sizeof *table->columns);
    if (!table->columns)
        return fail_memory(err);
    table->n_columns = count;
    for (size_t i = 0; i < count; i++)
        table->columns[i] = (column){.name = specs[i].name, .kind = specs[i].kind};
    return ROAST_OK;
}

/* ---- Values -------------------------------------------------------------------------------------------------- */

static roast_value text(roast_str s)
{
    return str_absent(s) ? (roast_value){.kind = ROAST_NOTHING} : (roast_value){.kind = ROAST_TEXT, .as.text = s};
}

static roast_value integer(int64_t value)
{
    return value == ROAST_ABSENT ? (roast_value){.kind = ROAST_NOTHING}
                                 : (roast_value){.kind = ROAST_INT, .as.integer = value};
}

static roast_value real(double value)
{
    return (roast_value){.kind = ROAST_REAL, .as.real = value};
}

static roast_value seconds(int64_t ns)
{
    return real(ns == ROAST_ABSENT ? (double)NAN : (double)ns / 1e9);
}

static roast_value mebibytes(int64_t bytes)
{
    return real(bytes == ROAST_ABSENT ? (double)NAN : (double)bytes / 1048576.0);
}

static roast_value quotient(int64_t a, int64_t b)
{
    return real(a == ROAST_ABSENT || b == ROAST_ABSENT || b == 0 ? (double)NAN : (double)a / (double)b);
}

static roast_value duration(int64_t start_ns, int64_t stop_ns)
{
    int64_t ns = 0;
    bool known = start_ns != ROAST_ABSENT && stop_ns != ROAST_ABSENT && !__builtin_sub_overflow(stop_ns, start_ns, &ns);
    return seconds(known ? ns : ROAST_ABSENT);
}

/* ---- Chunks: the metrics of the catalogue that have a column --------------------------------------------------- */

typedef struct chunk_columns {
    column_table *table;
    roast_run *run;
    access_table accesses;
    metric_id metrics[MOST_COLUMNS];
} chunk_columns;

static column_kind kind_of(metric_id id)
{
    const char *kind = metric_info(id)->kind;
    return strcmp(kind, "text") == 0 ? COLUMN_TEXT : strcmp(kind, "integer") == 0 ? COLUMN_INT : COLUMN_REAL;
}

static roast_code add_chunk_columns(chunk_columns *reader, roast_error *err)
{
    column_spec specs[MOST_COLUMNS];
    size_t count = 0;
    metric_id first = metric_first(ROAST_SCOPE_CHUNK);
    for (size_t i = 0; i < metric_count(ROAST_SCOPE_CHUNK) && count < MOST_COLUMNS; i++) {
        metric_id id = first + (metric_id)i;
        if (!metric_has_column(id))
            continue;
        reader->metrics[count] = id;
        specs[count++] = (column_spec){metric_info(id)->name, kind_of(id)};
    }
    return add_columns(reader->table, specs, count, err);
}

roast_value columns_chunk_value(const roast_run *run, const run_chunk *row, const branch_access *access,
                                metric_id metric, char uid[static 17])
{
    const roast_worker *worker = run_worker(run, row->worker);
    switch ((int)metric) {
    case M_chunk_chunk_id:
        return integer(row->id);
    case M_chunk_uid:
        snprintf(uid, 17, "%016" PRIx64, row->record.uid);
        return text((roast_str){uid, 16});
    case M_chunk_host:
        return text(worker ? worker_host(worker) : str_none());
    case M_chunk_num_branches_accessed:
        return integer(access->branches);
    case M_chunk_accessed_bytes:
        return integer(access->compressed);
    case M_chunk_accessed_uncompressed_bytes:
        return integer(access->uncompressed);
    case M_chunk_branches_read_percent:
        return real(access->branches_percent);
    case M_chunk_bytes_read_percent:
        return real(access->bytes_percent);
    default:
        return chunk_value(&row->record, metric);
    }
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    chunk_columns *reader = context;
    roast_value values[MOST_COLUMNS];
    char uid[17];
    branch_access access = access_of(&reader->accesses, reader->run, row);
    for (size_t i = 0; i < reader->table->n_columns; i++)
        values[i] = columns_chunk_value(reader->run, row, &access, reader->metrics[i], uid);
    return push(reader->table, values);
}

static roast_code read_chunks(column_table *table, roast_run *run, roast_error *err)
{
    chunk_columns reader = {.table = table, .run = run};
    roast_code code = add_chunk_columns(&reader, err);
    if (!code)
        code = access_read(&reader.accesses, run, err);
    if (!code)
        code = run_each_chunk(run, RUN_EVERYTHING, see_chunk, &reader, err);
    access_release(&reader.accesses);
    return code;
}

/* ---- The other tables ---------------------------------------------------------------------------------------- */

#define COLUMNS(table, specs) add_columns(table, specs, sizeof(specs) / sizeof *(specs), err)

static roast_code read_workers(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"worker", COLUMN_TEXT},
        {"name", COLUMN_TEXT},
        {"host", COLUMN_TEXT},
        {"pid", COLUMN_INT},
        {"cores", COLUMN_INT},
        {"memory_limit", COLUMN_INT},
        {"joined", COLUMN_REAL},
        {"left", COLUMN_REAL},
        {"lost", COLUMN_INT},
        {"reason", COLUMN_TEXT},
        {"clock_offset_seconds", COLUMN_REAL},
        {"clock_error_seconds", COLUMN_REAL},
    };
    roast_code code = COLUMNS(table, specs);
    for (size_t i = 0; !code && i < run_workers(run); i++) {
        const roast_worker *w = run_worker(run, (uint32_t)i);
        const roast_value values[] = {
            text(w->address),
            text(w->name),
            text(worker_host(w)),
            integer(w->pid),
            integer(w->cores),
            integer(w->memory_limit),
            seconds(w->joined_ns),
            seconds(w->left_ns),
            integer(w->lost),
            text(w->reason),
            seconds(w->clock_offset_ns),
            seconds(w->clock_error_ns),
        };
        code = push(table, values);
    }
    return code;
}

static roast_code see_sample(void *context, const run_sample *row)
{
    const roast_sample *s = &row->record;
    const roast_value values[] = {
        text(s->worker),       seconds(s->t_ns),    integer(s->memory),  real(s->cpu),        integer(s->processing),
        integer(s->executing), integer(s->managed), integer(s->spilled), real(s->occupancy),  seconds(s->last_seen_ns),
        real(s->net_read),     real(s->net_write),  real(s->disk_read),  real(s->disk_write),
    };
    return push(context, values);
}

static roast_code read_samples(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"worker", COLUMN_TEXT},    {"t", COLUMN_REAL},          {"memory", COLUMN_INT},    {"cpu", COLUMN_REAL},
        {"processing", COLUMN_INT}, {"executing", COLUMN_INT},   {"managed", COLUMN_INT},   {"spilled", COLUMN_INT},
        {"occupancy", COLUMN_REAL}, {"last_seen", COLUMN_REAL},  {"net_read", COLUMN_REAL}, {"net_write", COLUMN_REAL},
        {"disk_read", COLUMN_REAL}, {"disk_write", COLUMN_REAL},
    };
    roast_code code = COLUMNS(table, specs);
    return code ? code : run_each_sample(run, RUN_EVERYTHING, see_sample, table, err);
}

static roast_code see_section(void *context, const run_section *row)
{
    const roast_section *s = &row->record;
    const roast_value values[] = {
        integer(row->chunk),     text(s->name),           text(s->parent),    integer(s->depth),
        integer(s->count),       seconds(s->duration_ns), seconds(s->cpu_ns), mebibytes(s->rss_before),
        mebibytes(s->rss_after), mebibytes(s->rss_delta), integer(s->bytes),
    };
    return push(context, values);
}

static roast_code read_sections(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"chunk_id", COLUMN_INT},      {"section", COLUMN_TEXT},       {"parent", COLUMN_TEXT},
        {"depth", COLUMN_INT},         {"count", COLUMN_INT},          {"duration", COLUMN_REAL},
        {"cpu_seconds", COLUMN_REAL},  {"mem_before_mb", COLUMN_REAL}, {"mem_after_mb", COLUMN_REAL},
        {"mem_delta_mb", COLUMN_REAL}, {"bytes", COLUMN_INT},
    };
    roast_code code = COLUMNS(table, specs);
    return code ? code : run_each_section(run, RUN_EVERYTHING, see_section, table, err);
}

static roast_code read_files(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"file", COLUMN_TEXT},
        {"treename", COLUMN_TEXT},
        {"uuid", COLUMN_TEXT},
        {"entries", COLUMN_INT},
        {"total_branches", COLUMN_INT},
        {"compressed_bytes", COLUMN_INT},
        {"uncompressed_bytes", COLUMN_INT},
        {"compression_ratio", COLUMN_REAL},
        {"clusters", COLUMN_INT},
        {"algorithm", COLUMN_TEXT},
        {"level", COLUMN_INT},
    };
    roast_code code = COLUMNS(table, specs);
    for (size_t i = 0; !code && i < run_files(run); i++) {
        const roast_file *f = run_file(run, (uint32_t)i);
        const roast_value values[] = {
            text(f->url),
            text(f->tree),
            text(f->uuid),
            integer(f->entries),
            integer(f->total_branches),
            integer(f->compressed),
            integer(f->uncompressed),
            quotient(f->compressed, f->uncompressed),
            integer(f->clusters),
            text(f->algorithm),
            integer(f->level),
        };
        code = push(table, values);
    }
    return code;
}

typedef struct branch_reader {
    column_table *table;
    const roast_run *run;
} branch_reader;

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *row)
{
    (void)name;
    branch_reader *reader = context;
    const roast_file *f = run_file(reader->run, file);
    const roast_value values[] = {
        text(f ? f->url : str_none()), text(row->name),       integer(row->compressed),
        integer(row->uncompressed),    integer(row->baskets), quotient(row->compressed, row->uncompressed),
    };
    return push(reader->table, values);
}

static roast_code read_branches(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"file", COLUMN_TEXT},
        {"branch", COLUMN_TEXT},
        {"compressed_bytes", COLUMN_INT},
        {"uncompressed_bytes", COLUMN_INT},
        {"baskets", COLUMN_INT},
        {"compression_ratio", COLUMN_REAL},
    };
    branch_reader reader = {table, run};
    roast_code code = COLUMNS(table, specs);
    return code ? code : run_each_branch(run, see_branch, &reader, err);
}

static roast_code see_task(void *context, const roast_task *t)
{
    const roast_value values[] = {
        text(t->key),
        text(t->prefix),
        text(t->worker),
        integer(t->thread),
        seconds(t->start_ns),
        seconds(t->stop_ns),
        duration(t->start_ns, t->stop_ns),
        integer(t->nbytes),
        text(t->state),
        integer(t->attempt),
        text(t->span),
    };
    return push(context, values);
}

static roast_code read_tasks(column_table *table, roast_run *run, roast_error *err)
{
    static const column_spec specs[] = {
        {"key", COLUMN_TEXT},   {"prefix", COLUMN_TEXT}, {"worker", COLUMN_TEXT},   {"thread", COLUMN_INT},
        {"start", COLUMN_REAL}, {"stop", COLUMN_REAL},   {"duration", COLUMN_REAL}, {"nbytes", COLUMN_INT},
        {"state", COLUMN_TEXT}, {"attempt", COLUMN_INT}, {"span", COLUMN_TEXT},
    };
    roast_code code = COLUMNS(table, specs);
    return code ? code : roast_run_visit_tasks(run, see_task, table, err);
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    roast_code (*read)(column_table *table, roast_run *run, roast_error *err);
} tables[] = {
    {"chunks", read_chunks}, {"workers", read_workers},   {"samples", read_samples}, {"sections", read_sections},
    {"files", read_files},   {"branches", read_branches}, {"tasks", read_tasks},
};

roast_code columns_read(column_table *out, roast_run *run, const char *table, roast_error *err)
{
    *out = (column_table){0};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, table) != 0)
            continue;
        out->name = tables[i].name;
        roast_code code = tables[i].read(out, run, err);
        return code == ROAST_MEMORY ? fail_memory(err) : code;
    }
    return fail(err, ROAST_USAGE,
                "there is no table '%s'; there are chunks, workers, samples, sections, files, branches and tasks",
                table);
}

void columns_release(column_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        free(table->columns[i].as.rows);
    free(table->columns);
    intern_release(&table->strings);
    *table = (column_table){0};
}

const column *columns_find(const column_table *table, roast_str name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (str_equal(str_from(table->columns[i].name), name))
            return &table->columns[i];
    return NULL;
}

roast_code columns_begin(column_table *out, const char *name, const char *const *names, const column_kind *kinds,
                         size_t count, roast_error *err)
{
    column_spec specs[MOST_COLUMNS];
    *out = (column_table){.name = name};
    for (size_t i = 0; i < count && i < MOST_COLUMNS; i++)
        specs[i] = (column_spec){names[i], kinds[i]};
    return add_columns(out, specs, count < MOST_COLUMNS ? count : MOST_COLUMNS, err);
}

roast_code columns_push(column_table *table, const roast_value *values)
{
    return push(table, values);
}
