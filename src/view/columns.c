/* Tables by columns. A reader of a table makes one row of values and pushes it: chunks from the catalogue of metrics,
 * the others from the list of records. Units are those of the catalogue: seconds, MiB where the name says so, bytes
 * otherwise. */
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
#include "model/record.h"

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

static roast_value quotient(int64_t a, int64_t b)
{
    return real(a == ROAST_ABSENT || b == ROAST_ABSENT || b == 0 ? (double)NAN : (double)a / (double)b);
}

static roast_value duration(int64_t start_ns, int64_t stop_ns)
{
    int64_t ns = 0;
    bool known = start_ns != ROAST_ABSENT && stop_ns != ROAST_ABSENT && !__builtin_sub_overflow(stop_ns, start_ns, &ns);
    return in_shown_unit(KIND_SPAN, known ? ns : ROAST_ABSENT);
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

/* ---- The other tables: the fields of a record that are shown, and what is made of several ---------------------- */

/* The columns of a table of records, and the field that each shows; NULL: the next of those that are made. */
typedef struct record_columns {
    column_table *table;
    roast_run *run;
    const record_field *fields[MOST_COLUMNS];
} record_columns;

/* A column that is no field, and the field it comes before. */
typedef struct made_column {
    column_spec spec;
    size_t before;
} made_column;

enum { MOST_MADE = 2 };

static column_kind kind_of_field(const record_field *field)
{
    field_kind kind = field->kind;
    if (kind_is_time(kind) || kind == KIND_MEMORY || kind == KIND_REAL || kind == KIND_RATE)
        return COLUMN_REAL;
    return field_is_text(field) ? COLUMN_TEXT : COLUMN_INT;
}

static roast_code add_record_columns(record_columns *rows, record_id record, const made_column made[MOST_MADE],
                                     roast_error *err)
{
    const record_spec *spec = &record_specs[record];
    column_spec specs[MOST_COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i <= spec->count && count + MOST_MADE < MOST_COLUMNS; i++) {
        for (size_t k = 0; k < MOST_MADE; k++)
            if (made[k].spec.name && made[k].before == i)
                specs[count++] = made[k].spec;
        if (i == spec->count || !*spec->fields[i].shown)
            continue;
        rows->fields[count] = &spec->fields[i];
        specs[count++] = (column_spec){spec->fields[i].shown, kind_of_field(&spec->fields[i])};
    }
    return add_columns(rows->table, specs, count, err);
}

static roast_code push_record(record_columns *rows, const void *record, const roast_value *made)
{
    roast_value values[MOST_COLUMNS];
    for (size_t i = 0; i < rows->table->n_columns; i++)
        values[i] = rows->fields[i] ? field_value(rows->fields[i], record) : *made++;
    return push(rows->table, values);
}

static roast_code read_workers(record_columns *rows, roast_error *err)
{
    (void)err;
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < run_workers(rows->run); i++) {
        roast_worker worker = *run_worker(rows->run, (uint32_t)i);
        worker.host = worker_host(&worker);
        code = push_record(rows, &worker, NULL);
    }
    return code;
}

static roast_code see_sample(void *context, const run_sample *row)
{
    return push_record(context, &row->record, NULL);
}

static roast_code read_samples(record_columns *rows, roast_error *err)
{
    return run_each_sample(rows->run, RUN_EVERYTHING, see_sample, rows, err);
}

static roast_code see_section(void *context, const run_section *row)
{
    return push_record(context, &row->record, (roast_value[]){integer(row->chunk)});
}

static roast_code read_sections(record_columns *rows, roast_error *err)
{
    return run_each_section(rows->run, RUN_EVERYTHING, see_section, rows, err);
}

static roast_code read_files(record_columns *rows, roast_error *err)
{
    (void)err;
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < run_files(rows->run); i++) {
        const roast_file *file = run_file(rows->run, (uint32_t)i);
        code = push_record(rows, file, (roast_value[]){quotient(file->compressed, file->uncompressed)});
    }
    return code;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    (void)name;
    record_columns *rows = context;
    const roast_file *f = run_file(rows->run, file);
    return push_record(
        rows, branch,
        (roast_value[]){text(f ? f->url : str_none()), quotient(branch->compressed, branch->uncompressed)});
}

static roast_code read_branches(record_columns *rows, roast_error *err)
{
    return run_each_branch(rows->run, see_branch, rows, err);
}

static roast_code see_task(void *context, const roast_task *task)
{
    return push_record(context, task, (roast_value[]){duration(task->start_ns, task->stop_ns)});
}

static roast_code read_tasks(record_columns *rows, roast_error *err)
{
    return roast_run_visit_tasks(rows->run, see_task, rows, err);
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    roast_code (*read)(record_columns *rows, roast_error *err);
    record_id record;
    made_column made[MOST_MADE];
} tables[] = {
    {"workers", read_workers, RECORD_worker, {{{0}, 0}}},
    {"samples", read_samples, RECORD_sample, {{{0}, 0}}},
    {"sections", read_sections, RECORD_section, {{{"chunk_id", COLUMN_INT}, FIELD_section_name}}},
    {"files", read_files, RECORD_file, {{{"compression_ratio", COLUMN_REAL}, FIELD_file_clusters}}},
    {"branches",
     read_branches,
     RECORD_branch,
     {{{"file", COLUMN_TEXT}, FIELD_branch_name}, {{"compression_ratio", COLUMN_REAL}, FIELDS_OF_branch}}},
    {"tasks", read_tasks, RECORD_task, {{{"duration", COLUMN_REAL}, FIELD_task_nbytes}}},
};

static roast_code read_table(column_table *table, roast_run *run, const char *name, roast_error *err)
{
    if (strcmp(name, "chunks") == 0) {
        table->name = "chunks";
        return read_chunks(table, run, err);
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, name) != 0)
            continue;
        table->name = tables[i].name;
        record_columns rows = {.table = table, .run = run};
        roast_code code = add_record_columns(&rows, tables[i].record, tables[i].made, err);
        return code ? code : tables[i].read(&rows, err);
    }
    return fail(err, ROAST_USAGE,
                "there is no table '%s'; there are chunks, workers, samples, sections, files, branches and tasks",
                name);
}

roast_code columns_read(column_table *out, roast_run *run, const char *table, roast_error *err)
{
    *out = (column_table){0};
    roast_code code = read_table(out, run, table, err);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
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
