/* Reading a run. The small tables (names, datasets, files, workers) are loaded when it is opened, so that a row of a
 * large table needs no join: its ids are indices. */
#include "run/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"
#include "model/facts.h"
#include "model/record.h"
#include "run/database.h"
#include "run/locate.h"

typedef struct keyed_text {
    roast_str key, text;
} keyed_text;

typedef struct given_value {
    roast_str metric;
    roast_value value;
} given_value;

typedef struct id_list {
    const uint32_t *ids;
    size_t count;
} id_list;

/* A small table in memory: rows of one size, indexed by id - 1 or in order. */
typedef struct small_table {
    void *rows;
    size_t count;
} small_table;

struct roast_run {
    arena memory;
    located_run located;
    char *path, *scratch_dir;
    bool salvage;
    struct scan *scanning; /* the visit that is under way */
    int64_t *from;         /* the next visit begins after this row, and moves it on; NULL: at the first */
    uint64_t generation;   /* how often it was read, from 1 */
    roast_outcome outcome;
    small_table facts, documents; /* keyed_text */
    small_table names, datasets;  /* roast_str */
    small_table workers;          /* roast_worker */
    small_table files;            /* roast_file */
    small_table branch_sets;      /* id_list */
    small_table counts;           /* roast_worker_count */
    small_table activities;       /* roast_activity */
    small_table givens;           /* given_value */
    small_table notes;            /* run_note */
    small_table findings;         /* run_note: what reading found wrong with the file */
};

/* ---- Columns ------------------------------------------------------------------------------------------------- */

/* A row as SQLite hands it over: its first column is the rowid. */
typedef sqlite3_value *const *row;

/* No time, size or count comes near these bounds; within them, sums and differences of two cannot overflow. */
static int64_t plausible(int64_t value)
{
    return value > INT64_MIN / 2 && value < INT64_MAX / 2 ? value : ROAST_ABSENT;
}

static int64_t column_int(sqlite3_value *column)
{
    return sqlite3_value_type(column) == SQLITE_INTEGER ? plausible(sqlite3_value_int64(column)) : ROAST_ABSENT;
}

/* A duration: one that is negative was not measured. */
static int64_t column_span(sqlite3_value *column)
{
    int64_t ns = column_int(column);
    return ns < 0 ? ROAST_ABSENT : ns;
}

static double column_real(sqlite3_value *column)
{
    int type = sqlite3_value_type(column);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(column) : (double)NAN;
}

/* Borrowed until the next row. */
static roast_str column_str(sqlite3_value *column)
{
    if (sqlite3_value_type(column) == SQLITE_NULL)
        return str_none();
    const char *text = (const char *)sqlite3_value_text(column);
    return text ? (roast_str){text, (size_t)sqlite3_value_bytes(column)} : str_none();
}

static roast_str column_blob(sqlite3_value *column)
{
    const char *bytes = sqlite3_value_blob(column);
    return (roast_str){bytes ? bytes : "", (size_t)sqlite3_value_bytes(column)};
}

/* An id as an index into a small table. */
static uint32_t column_index(sqlite3_value *column, const small_table *table)
{
    int64_t id = column_int(column);
    return id >= 1 && (uint64_t)id <= table->count ? (uint32_t)(id - 1) : RUN_UNKNOWN;
}

static roast_str kept_str(roast_run *run, sqlite3_value *column, bool *failed)
{
    roast_str text = column_str(column);
    roast_str kept = arena_str(&run->memory, text);
    *failed = *failed || arena_str_failed(kept, text);
    return kept;
}

static roast_value column_value(roast_run *run, sqlite3_value *column, bool *failed)
{
    switch (sqlite3_value_type(column)) {
    case SQLITE_INTEGER:
        return (roast_value){.kind = ROAST_INT, .as.integer = sqlite3_value_int64(column)};
    case SQLITE_FLOAT:
        return (roast_value){.kind = ROAST_REAL, .as.real = sqlite3_value_double(column)};
    case SQLITE_TEXT:
        return (roast_value){.kind = ROAST_TEXT, .as.text = kept_str(run, column, failed)};
    default:
        return (roast_value){.kind = ROAST_NOTHING};
    }
}

/* ---- Visiting rows ------------------------------------------------------------------------------------------- */

static void add_note(roast_run *run, const char *level, const char *text)
{
    small_table *found = &run->findings;
    const run_note *known = found->rows;
    for (size_t i = 0; i < found->count; i++)
        if (str_equal(known[i].text, str_from(text)))
            return; /* found again by another visit */
    run_note *notes = arena_alloc(&run->memory, found->count + 1, sizeof *notes);
    roast_str kept = arena_str(&run->memory, str_from(text));
    if (!notes || str_absent(kept))
        return; /* the caller goes on without the note rather than without the data */
    if (found->count)
        memcpy(notes, found->rows, found->count * sizeof *notes);
    notes[found->count] = (run_note){.t_ns = ROAST_ABSENT, .level = str_from(level), .text = kept};
    found->rows = notes;
    found->count++;
}

/* What is done with a row; ROAST_OK to go on. */
typedef roast_code (*row_function)(void *context, row r);

typedef struct scan {
    roast_run *run;
    const char *table, *columns;
    bool keyed;        /* the table has no rowid */
    const char *where; /* of a table that is keyed: the rows to visit; NULL: all */
    row_function each;
    void *context;
    int64_t rows, last_rowid;
    int64_t from_rowid;  /* begins after it; ROAST_ABSENT: at the first */
    int64_t until_rowid; /* ends a backward scan where the forward one had ended */
    bool ended;
    roast_code code; /* of the row function */
} scan;

/* The aggregate function "visit": SQLite's own loop over a table calls us with each row. That is nearly twice as fast
 * as stepping through a result and fetching its columns. */
static void visit_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    roast_run *run = sqlite3_user_data(context);
    scan *s = run->scanning;
    int64_t rowid = sqlite3_value_int64(values[0]);
    s->ended = s->until_rowid != ROAST_ABSENT && rowid <= s->until_rowid;
    if (!s->ended) {
        s->last_rowid = rowid;
        s->rows++;
        s->code = s->each(s->context, values);
    }
    if (s->ended || s->code)
        sqlite3_result_error_code(context, SQLITE_ABORT);
}

static void visit_end(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

static roast_code scan_rows(scan *s, const char *sql, int *sqlite_code, roast_error *err)
{
    sqlite3_stmt *statement = NULL;
    if (!s->run->located.db) {
        *sqlite_code = SQLITE_OK;
        return fail(err, ROAST_USAGE, "%s: paused; refresh it first", s->run->path);
    }
    scan *outer = s->run->scanning; /* a row function may visit another table */
    s->run->scanning = s;
    *sqlite_code = sqlite3_prepare_v2(s->run->located.db, sql, -1, &statement, NULL);
    if (*sqlite_code == SQLITE_OK)
        *sqlite_code = sqlite3_step(statement);
    roast_code code = s->code;
    if (!code && !s->ended && *sqlite_code != SQLITE_ROW && *sqlite_code != SQLITE_DONE)
        code = database_fail(s->run->located.db, s->run->path, "reading", err);
    sqlite3_finalize(statement);
    s->run->scanning = outer;
    return code;
}

static bool is_damage(int sqlite_code)
{
    int primary = sqlite_code & 0xFF;
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_IOERR || primary == SQLITE_ERROR;
}

static void note_damage(const scan *s)
{
    char note[200];
    snprintf(note, sizeof note, "Table %s is damaged: %lld %s could be read.", s->table, (long long)s->rows,
             s->rows == 1 ? "row" : "rows");
    add_note(s->run, "warning", note);
}

static roast_code scan_columns(scan *s, bool backward, int *sqlite_code, roast_error *err)
{
    buf sql = {0};
    buf_format(&sql, "SELECT visit(%s, %s) FROM ", s->keyed ? "0" : "rowid", s->columns);
    buf_format(&sql, backward ? "(SELECT rowid, * FROM %s ORDER BY rowid DESC LIMIT -1)" : "%s", s->table);
    if (s->where)
        buf_format(&sql, " WHERE %s", s->where);
    if (!backward && s->from_rowid != ROAST_ABSENT)
        buf_format(&sql, " WHERE rowid > %lld", (long long)s->from_rowid);
    roast_code code = sql.code ? fail_memory(err) : scan_rows(s, sql.data, sqlite_code, err);
    buf_release(&sql);
    return code;
}

/* Visits a table. If it is damaged and we salvage: forward up to the damage, then backward down to it; tables that are
 * keyed are small and have no order to come back from. */
static roast_code scan_table(scan s, roast_error *err)
{
    roast_run *run = s.run;
    int64_t *from = run->from;
    run->from = NULL;
    s.from_rowid = from ? *from : ROAST_ABSENT;
    s.until_rowid = ROAST_ABSENT;
    int sqlite_code = SQLITE_OK;
    roast_code code = scan_columns(&s, false, &sqlite_code, err);
    if (!code && from && s.rows)
        *from = s.last_rowid;
    if (!code || s.code || !run->salvage || !is_damage(sqlite_code))
        return code;
    s.until_rowid = s.rows ? s.last_rowid : from ? *from : 0;
    code = s.keyed ? ROAST_OK : scan_columns(&s, true, &sqlite_code, err);
    if (code && (s.code || !is_damage(sqlite_code)))
        return code;
    note_damage(&s);
    return ROAST_OK;
}

/* ---- Records, by the names of their columns ------------------------------------------------------------------ */

enum { MOST_FIELDS = 64 };

/* The columns of a table that are read, and where in a record each goes. */
typedef struct record_reader {
    roast_run *run;
    struct {
        const record_field *field;
        uint32_t *index; /* gets the place in a small table of what the field refers to; may be NULL */
    } columns[MOST_FIELDS];
    size_t count;
    const roast_worker *worker; /* of the row read last, whose clock gave its times; NULL: not known */
    int64_t local_ns;           /* the time read last, by that clock */
    bool keep;                  /* texts outlive the row */
    bool failed;                /* out of memory */
    bool has_set;               /* the row read last names a set of branches */
    buf names;                  /* of the columns, for SELECT */
} record_reader;

/* Whether the file's table has a column: one that an older version did not write is absent. */
static bool has_column(record_reader *reader, const char *table, const char *column)
{
    sqlite3 *db = reader->run->located.db; /* NULL while it is paused */
    int code = db ? sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL) : SQLITE_ERROR;
    if ((code & 0xFF) == SQLITE_NOMEM)
        reader->names.code = ROAST_MEMORY;
    return code == SQLITE_OK;
}

/* owner: a column before those of the record, or NULL. */
static void reader_plan(record_reader *reader, roast_run *run, record_id record, const char *owner, run_detail detail)
{
    const record_spec *spec = &record_specs[record];
    *reader = (record_reader){.run = run};
    if (owner)
        buf_text(&reader->names, owner);
    for (size_t i = 0; i < spec->count && reader->count < MOST_FIELDS; i++) {
        const record_field *field = &spec->fields[i];
        if (field->column == COLUMN_ELSEWHERE || (detail == RUN_MEASURES && field->detail == DETAIL_SINGLE) ||
            (field->column == COLUMN_MAY && !has_column(reader, spec->name, field->name)))
            continue;
        buf_format(&reader->names, "%s%s", reader->names.len ? ", " : "", field->name);
        reader->columns[reader->count++].field = field;
    }
}

/* Where the index goes that a field of the record refers to. */
static void reader_index(record_reader *reader, size_t field_offset, uint32_t *index)
{
    *index = RUN_UNKNOWN;
    for (size_t i = 0; i < reader->count; i++)
        if (reader->columns[i].field->offset == field_offset)
            reader->columns[i].index = index;
}

static void read_field(record_reader *reader, const record_field *field, sqlite3_value *column, uint32_t *index,
                       void *record)
{
    const roast_run *run = reader->run;
    const roast_file *file;
    uint32_t unused;
    index = index ? index : &unused;
    void *target = field_at(field, record);
    switch (field->kind) {
    case KIND_LOCAL:
        reader->local_ns = column_int(column);
        *(int64_t *)target = plausible(to_client_clock(reader->worker, reader->local_ns));
        break;
    case KIND_SPAN:
        *(int64_t *)target = column_span(column);
        break;
    case KIND_REAL:
    case KIND_RATE:
        *(double *)target = column_real(column);
        break;
    case KIND_FLAG:
        *(bool *)target = sqlite3_value_int(column) != 0;
        break;
    case KIND_HASH:
        *(uint64_t *)target = (uint64_t)sqlite3_value_int64(column);
        break;
    case KIND_BRANCHES: /* the hash is not stored */
        reader->has_set = sqlite3_value_type(column) != SQLITE_NULL;
        *index = column_index(column, &run->branch_sets);
        break;
    case KIND_TEXT:
    case KIND_UUID:
        *(roast_str *)target = reader->keep ? kept_str(reader->run, column, &reader->failed) : column_str(column);
        break;
    case KIND_NAME:
        *index = column_index(column, &run->names);
        *(roast_str *)target = run_name(run, *index);
        break;
    case KIND_DATASET:
        *index = column_index(column, &run->datasets);
        *(roast_str *)target = run_dataset(run, *index);
        break;
    case KIND_WORKER:
        *index = column_index(column, &run->workers);
        reader->worker = run_worker(run, *index);
        *(roast_str *)target = reader->worker ? reader->worker->address : str_none();
        break;
    case KIND_FILE:
        *index = column_index(column, &run->files);
        file = run_file(run, *index);
        *(roast_str *)target = file ? file->url : str_none();
        break;
    default:
        *(int64_t *)target = column_int(column);
    }
}

/* Overwrites the fields that are read, and leaves the others as they are. */
static void reader_read(record_reader *reader, row columns, void *record)
{
    for (size_t i = 0; i < reader->count; i++)
        read_field(reader, reader->columns[i].field, columns[i], reader->columns[i].index, record);
}

/* ---- Loading the small tables -------------------------------------------------------------------------------- */

/* Loads one table: how many rows it has, and how a row of it is read. */
typedef struct loader {
    roast_run *run;
    small_table *table;
    size_t row_size, filled, capacity;
    bool indexed; /* placed by id, not in order */
    bool failed;
    record_reader records;
    void (*read)(struct loader *loader, row r, void *target);
} loader;

static roast_code load_row(void *context, row r)
{
    loader *l = context;
    int64_t id = sqlite3_value_int64(r[0]);
    size_t place = l->indexed && id > 0 ? (size_t)id - 1 : l->filled;
    if (place >= l->capacity || (l->indexed && id <= 0))
        return l->indexed ? ROAST_CORRUPT : ROAST_OK; /* more rows than were counted: the run is being written */
    void *target = (char *)l->table->rows + place * l->row_size;
    if (l->read) {
        l->read(l, r, target);
    } else {
        reader_read(&l->records, r + 1, target);
        l->failed = l->records.failed;
    }
    l->filled++;
    if (place >= l->table->count)
        l->table->count = place + 1;
    return l->failed ? ROAST_MEMORY : ROAST_OK;
}

/* As many rows as the file has room for: none takes less than this many bytes. */
enum { SMALLEST_ROW = 8 };

static roast_code most_rows(roast_run *run, size_t *count, roast_error *err)
{
    sqlite3_stmt *statement;
    int code =
        sqlite3_prepare_v2(run->located.db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                           -1, &statement, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        *count = (size_t)sqlite3_column_int64(statement, 0) / SMALLEST_ROW;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? ROAST_OK : database_fail(run->located.db, run->path, "reading", err);
}

/* The number of rows to make room for. Ids are given out densely: more ids than rows means damage. */
static roast_code count_rows(roast_run *run, const char *table, bool indexed, size_t *count, roast_error *err)
{
    char sql[128];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT count(*)%s FROM %s", indexed ? ", coalesce(max(rowid), 0)" : "", table);
    *count = 0;
    int code = sqlite3_prepare_v2(run->located.db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t rows = sqlite3_column_int64(statement, 0), highest = sqlite3_column_int64(statement, 1);
        bool dense = !indexed || highest == rows;
        *count = (size_t)(dense || !run->salvage ? rows : highest);
        if (!dense && (!run->salvage || highest < rows || highest > rows * 1000 + 100000)) {
            sqlite3_finalize(statement);
            return fail(err, ROAST_CORRUPT, "%s: damaged: table %s has gaps; what can be read: --salvage", run->path,
                        table);
        }
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_ROW)
        return ROAST_OK;
    if (run->salvage && is_damage(code))
        return most_rows(run, count, err);
    return database_fail(run->located.db, run->path, "reading", err);
}

typedef struct small_table_spec {
    const char *name, *columns; /* of a record: NULL, as the list of its fields says */
    size_t offset, row_size;    /* of the small_table in roast_run; of a row */
    bool indexed;               /* rows have ids that others refer to */
    bool has_rowid;
    void (*read)(loader *loader, row r, void *target);
    record_id record;
} small_table_spec;

static void read_keyed_text(loader *l, row r, void *target)
{
    *(keyed_text *)target = (keyed_text){kept_str(l->run, r[1], &l->failed), kept_str(l->run, r[2], &l->failed)};
}

static void read_text(loader *l, row r, void *target)
{
    *(roast_str *)target = kept_str(l->run, r[1], &l->failed);
}

static void read_given(loader *l, row r, void *target)
{
    *(given_value *)target = (given_value){kept_str(l->run, r[1], &l->failed), column_value(l->run, r[2], &l->failed)};
}

static void read_note(loader *l, row r, void *target)
{
    *(run_note *)target = (run_note){
        .t_ns = column_int(r[1]),
        .level = kept_str(l->run, r[2], &l->failed),
        .text = kept_str(l->run, r[3], &l->failed),
    };
}

#define TABLE(member, type) offsetof(roast_run, member), sizeof(type)
#define RECORDS(record, member, indexed, has_rowid)                                                                    \
    {                                                                                                                  \
#record, NULL, TABLE(member, roast_##record), indexed, has_rowid, NULL, RECORD_##record                        \
    }

/* In the order of loading: activities use names. */
static const small_table_spec small_tables[] = {
    {"run", "key, value", TABLE(facts, keyed_text), false, false, read_keyed_text},
    {"document", "kind, json", TABLE(documents, keyed_text), false, false, read_keyed_text},
    {"name", "text", TABLE(names, roast_str), true, true, read_text},
    {"dataset", "name", TABLE(datasets, roast_str), true, true, read_text},
    RECORDS(worker, workers, true, true),
    RECORDS(file, files, true, true),
    RECORDS(worker_count, counts, false, true),
    RECORDS(activity, activities, false, false),
    {"given", "metric, value", TABLE(givens, given_value), false, false, read_given},
    {"note", "t_ns, level, text", TABLE(notes, run_note), false, true, read_note},
};

/* A row that is lost is an empty record. */
static void clear_records(small_table *table, const small_table_spec *spec, size_t capacity)
{
    for (size_t i = 0; !spec->read && i < capacity; i++)
        memcpy((char *)table->rows + i * spec->row_size, record_specs[spec->record].none, spec->row_size);
}

static roast_code load_rows(loader *l, const small_table_spec *spec, roast_error *err)
{
    const char *columns = spec->columns;
    if (!spec->read) {
        reader_plan(&l->records, l->run, spec->record, NULL, RUN_EVERYTHING);
        l->records.keep = true;
        columns = l->records.names.data;
    }
    scan s = {.run = l->run, .table = spec->name, .columns = columns, .each = load_row, .context = l};
    s.keyed = !spec->has_rowid;
    roast_code code = l->records.names.code ? fail_memory(err) : scan_table(s, err);
    buf_release(&l->records.names);
    return code;
}

static roast_code load_table(roast_run *run, const small_table_spec *spec, roast_error *err)
{
    loader l = {.run = run, .row_size = spec->row_size, .indexed = spec->indexed, .read = spec->read};
    small_table *table = (small_table *)((char *)run + spec->offset);
    l.table = table;
    roast_code code = count_rows(run, spec->name, spec->indexed, &l.capacity, err);
    if (code)
        return code;
    table->rows = arena_alloc(&run->memory, l.capacity, l.row_size);
    if (!table->rows)
        return fail_memory(err);
    clear_records(table, spec, l.capacity);
    code = load_rows(&l, spec, err);
    if (code == ROAST_CORRUPT && spec->indexed && err && !err->code)
        fail(err, code, "%s: damaged: table %s has gaps", run->path, spec->name);
    if (l.failed)
        code = fail_memory(err);
    return code;
}

typedef struct set_loader {
    roast_run *run;
    uint32_t *ids;
    size_t filled, capacity, set, set_start;
    size_t sets_capacity;
} set_loader;

static roast_code load_set_member(void *context, row r)
{
    set_loader *l = context;
    int64_t set = sqlite3_value_int64(r[1]);
    uint32_t name = column_index(r[2], &l->run->names);
    if (set < 1 || (size_t)set > l->sets_capacity || l->filled >= l->capacity)
        return ROAST_OK;
    id_list *sets = l->run->branch_sets.rows;
    if ((size_t)set != l->set) {
        l->set = (size_t)set;
        sets[set - 1] = (id_list){l->ids + l->filled, 0};
        if (l->set > l->run->branch_sets.count)
            l->run->branch_sets.count = l->set;
    }
    l->ids[l->filled++] = name;
    sets[set - 1].count++;
    return ROAST_OK;
}

/* Sets to make room for. One without members has a number too, so there may be more sets than members. */
static roast_code count_sets(roast_run *run, size_t members, size_t *sets, roast_error *err)
{
    sqlite3_stmt *statement;
    int64_t highest = 0, most = (int64_t)members * 1000 + 100000;
    int code = sqlite3_prepare_v2(run->located.db, "SELECT max(id) FROM branch_set", -1, &statement, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        highest = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    *sets = highest > 0 && highest <= most ? (size_t)highest : members;
    return code == SQLITE_ROW || (run->salvage && is_damage(code))
               ? ROAST_OK
               : database_fail(run->located.db, run->path, "reading", err);
}

static roast_code load_branch_sets(roast_run *run, roast_error *err)
{
    set_loader l = {.run = run};
    roast_code code = count_rows(run, "branch_set", false, &l.capacity, err);
    if (!code)
        code = count_sets(run, l.capacity, &l.sets_capacity, err);
    if (code)
        return code;
    l.ids = arena_alloc(&run->memory, l.capacity, sizeof *l.ids);
    run->branch_sets.rows = arena_alloc(&run->memory, l.sets_capacity, sizeof(id_list));
    if (!l.ids || !run->branch_sets.rows)
        return fail_memory(err);
    return scan_table((scan){.run = run,
                             .table = "branch_set",
                             .columns = "id, name",
                             .keyed = true,
                             .each = load_set_member,
                             .context = &l},
                      err);
}

/* ---- Opening ------------------------------------------------------------------------------------------------- */

static roast_outcome outcome_of(const roast_run *run)
{
    roast_str state = roast_run_fact(run, "state");
    static const roast_outcome ends[] = {ROAST_FINISHED, ROAST_FAILED, ROAST_INTERRUPTED};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (str_equal(state, str_from(roast_outcome_name(ends[i]))))
            return ends[i];
    roast_str writer = roast_run_fact(run, "writer_process");
    roast_str rest = writer;
    str_split(&rest, ' ');
    str_split(&rest, ' ');
    int64_t pid;
    if (!str_to_int(str_split(&rest, ' '), &pid))
        return ROAST_INTERRUPTED;
    buf now = {0};
    database_process_identity(&now, pid);
    bool alive = now.len && str_equal(buf_view(&now), writer);
    buf_release(&now);
    return alive ? ROAST_RUNNING : ROAST_INTERRUPTED;
}

/* Rows that SQLite visits in this run's database come to the receiver. */
static roast_code send_rows_to(roast_run *run, roast_run *receiver, roast_error *err)
{
    int code = sqlite3_create_function_v2(run->located.db, "visit", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, receiver, NULL,
                                          visit_step, visit_end, NULL);
    return code == SQLITE_OK ? ROAST_OK : database_fail(run->located.db, run->path, "opening", err);
}

static roast_code load_run(roast_run *run, roast_error *err)
{
    /* One transaction: a run that is being written is seen as it was at one moment. */
    roast_code code = send_rows_to(run, run, err);
    if (!code)
        code = database_exec(run->located.db, run->path, "BEGIN", err);
    for (size_t i = 0; !code && i < sizeof small_tables / sizeof *small_tables; i++)
        code = load_table(run, &small_tables[i], err);
    if (!code)
        code = load_branch_sets(run, err);
    if (!code)
        run->outcome = outcome_of(run);
    return code;
}

static const char IN_MEMORY[] = "(in memory)";

static roast_run *run_new(const char *path)
{
    roast_run *run = calloc(1, sizeof *run);
    if (run)
        run->generation = 1;
    if (run && !(run->path = strdup(path))) {
        free(run);
        return NULL;
    }
    return run;
}

roast_code roast_run_open(roast_run **out, const char *path, const roast_open_options *given, roast_error *err)
{
    roast_open_options options = {.size = sizeof options};
    SIZED_OPTIONS(&options, given, scratch_dir);
    roast_error unused;
    err = err ? err : &unused;
    *err = (roast_error){0};
    *out = NULL;
    roast_run *run = run_new(path);
    if (!run)
        return fail_memory(err);
    run->salvage = options.salvage;
    if (options.scratch_dir && !(run->scratch_dir = strdup(options.scratch_dir))) {
        roast_run_close(run);
        return fail_memory(err);
    }
    roast_code code = locate_run(&run->located, path, &options, err);
    if (!code && run->located.damaged)
        add_note(run, "warning", run->located.what.message);
    if (!code)
        code = load_run(run, err);
    if (code) {
        roast_run_close(run);
        return code;
    }
    *out = run;
    return ROAST_OK;
}

roast_code run_adopt(roast_run **out, sqlite3 *db, roast_error *err)
{
    roast_run *run = run_new(IN_MEMORY);
    *out = NULL;
    if (!run) {
        sqlite3_close(db);
        return fail_memory(err);
    }
    run->located.db = db;
    run->located.final = true;
    roast_code code = load_run(run, err);
    if (code)
        roast_run_close(run);
    else
        *out = run;
    return code;
}

void roast_run_close(roast_run *run)
{
    if (!run)
        return;
    locate_release(&run->located);
    arena_release(&run->memory);
    free(run->path);
    free(run->scratch_dir);
    free(run);
}

/* A run that may still grow is opened anew. That is right whatever became of it: still being written, put into one
 * file, or copied because it cannot be read in place. Small tables are small; rows stay where they are. */
roast_code roast_run_refresh(roast_run *run, roast_error *err)
{
    if (run->located.final)
        return ROAST_OK;
    roast_run *fresh;
    roast_open_options options = {.salvage = run->salvage, .scratch_dir = run->scratch_dir};
    roast_code code = roast_run_open(&fresh, run->path, &options, err);
    if (!code && (code = send_rows_to(fresh, run, err)))
        roast_run_close(fresh);
    if (code)
        return code;
    roast_run before = *run;
    *run = *fresh;
    *fresh = before;
    run->generation = before.generation + 1;
    roast_run_close(fresh);
    return ROAST_OK;
}

void roast_run_pause(roast_run *run)
{
    if (!run->located.final)
        locate_release(&run->located);
}

/* ---- Small tables -------------------------------------------------------------------------------------------- */

static const void *row_at(const small_table *table, size_t index, size_t size)
{
    return index < table->count ? (const char *)table->rows + index * size : NULL;
}

static roast_str text_at(const small_table *table, size_t index)
{
    const roast_str *text = row_at(table, index, sizeof *text);
    return text ? *text : str_none();
}

static roast_str text_of_key(const small_table *table, const char *key)
{
    const keyed_text *rows = table->rows;
    for (size_t i = 0; i < table->count; i++)
        if (str_equal(rows[i].key, str_from(key)))
            return rows[i].text;
    return str_none();
}

size_t run_datasets(const roast_run *run)
{
    return run->datasets.count;
}

roast_str run_dataset(const roast_run *run, uint32_t dataset)
{
    return text_at(&run->datasets, dataset);
}

const char *run_path(const roast_run *run)
{
    return strcmp(run->path, IN_MEMORY) == 0 ? NULL : run->path;
}

roast_code run_came_from(roast_run *run, const char *path, roast_error *err)
{
    char *copy = strdup(path);
    if (!copy)
        return fail_memory(err);
    free(run->path);
    run->path = copy;
    return ROAST_OK;
}

size_t run_names(const roast_run *run)
{
    return run->names.count;
}

roast_str run_name(const roast_run *run, uint32_t name)
{
    return text_at(&run->names, name);
}

size_t run_workers(const roast_run *run)
{
    return run->workers.count;
}

const roast_worker *run_worker(const roast_run *run, uint32_t worker)
{
    return row_at(&run->workers, worker, sizeof(roast_worker));
}

size_t run_files(const roast_run *run)
{
    return run->files.count;
}

const roast_file *run_file(const roast_run *run, uint32_t file)
{
    return row_at(&run->files, file, sizeof(roast_file));
}

size_t run_branch_sets(const roast_run *run)
{
    return run->branch_sets.count;
}

const uint32_t *run_branch_set(const roast_run *run, uint32_t set, size_t *count)
{
    const id_list *list = row_at(&run->branch_sets, set, sizeof *list);
    *count = list ? list->count : 0;
    return list ? list->ids : NULL;
}

size_t run_counts(const roast_run *run)
{
    return run->counts.count;
}

const roast_worker_count *roast_run_worker_count(const roast_run *run, size_t index)
{
    return row_at(&run->counts, index, sizeof(roast_worker_count));
}

size_t run_activities(const roast_run *run)
{
    return run->activities.count;
}

const roast_activity *roast_run_activity(const roast_run *run, size_t index)
{
    return row_at(&run->activities, index, sizeof(roast_activity));
}

size_t run_givens(const roast_run *run)
{
    return run->givens.count;
}

roast_str run_given(const roast_run *run, size_t index, roast_value *value)
{
    const given_value *given = row_at(&run->givens, index, sizeof *given);
    if (given)
        *value = given->value;
    return given ? given->metric : str_none();
}

size_t run_notes(const roast_run *run)
{
    return run->findings.count + run->notes.count;
}

const run_note *run_note_at(const roast_run *run, size_t index)
{
    size_t found = run->findings.count;
    return index < found ? row_at(&run->findings, index, sizeof(run_note))
                         : row_at(&run->notes, index - found, sizeof(run_note));
}

size_t run_facts(const roast_run *run)
{
    return run->facts.count;
}

roast_str roast_run_fact_at(const roast_run *run, size_t index, roast_str *value)
{
    const keyed_text *fact = row_at(&run->facts, index, sizeof *fact);
    *value = fact ? fact->text : str_none();
    return fact ? fact->key : str_none();
}

roast_str roast_run_fact(const roast_run *run, const char *key)
{
    return text_of_key(&run->facts, key);
}

int64_t run_fact_int(const roast_run *run, const char *key)
{
    int64_t value;
    return str_to_int(roast_run_fact(run, key), &value) ? plausible(value) : ROAST_ABSENT;
}

roast_str roast_run_document(const roast_run *run, const char *kind)
{
    return text_of_key(&run->documents, kind);
}

/* Asks SQLite for one number out of a document: it reads JSON, and fails cleanly when memory is out. A document that is
 * not JSON, or has no such number, gives none. */
static roast_code ask_document(roast_run *run, const char *sql, const char *const arguments[3], double *out,
                               roast_error *err)
{
    *out = (double)NAN;
    sqlite3_stmt *statement = NULL;
    if (!run->located.db)
        return fail(err, ROAST_USAGE, "%s: paused; refresh it first", run->path);
    int code = sqlite3_prepare_v2(run->located.db, sql, -1, &statement, NULL);
    for (int i = 0; i < 3 && code == SQLITE_OK; i++)
        if (arguments[i])
            code = sqlite3_bind_text(statement, i + 1, arguments[i], -1, SQLITE_STATIC);
    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        int type = sqlite3_column_type(statement, 0);
        if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
            *out = sqlite3_column_double(statement, 0);
    }
    sqlite3_finalize(statement);
    return (code & 0xFF) == SQLITE_NOMEM ? fail_memory(err) : ROAST_OK;
}

roast_code run_document_number(roast_run *run, const char *kind, const char *path, double *out, roast_error *err)
{
    return ask_document(run, "SELECT json_extract(json, ?2) FROM document WHERE kind = ?1",
                        (const char *[]){kind, path, NULL}, out, err);
}

roast_code run_document_sum(roast_run *run, const char *kind, const char *path, double *out, roast_error *err)
{
    return ask_document(run,
                        "SELECT sum(json_extract(member.value, ?2)) FROM document, json_each(document.json) AS member"
                        " WHERE kind = ?1 AND member.type = 'object'"
                        " AND json_type(member.value, ?2) IN ('integer', 'real')",
                        (const char *[]){kind, path, NULL}, out, err);
}

roast_code run_document_count(roast_run *run, const char *kind, const char *path, const char *suffix, int64_t *out,
                              roast_error *err)
{
    double count;
    roast_code code = ask_document(run,
                                   "SELECT count(DISTINCT member.value) FILTER (WHERE member.type = 'text'"
                                   " AND substr(member.value, -length(?3)) = ?3)"
                                   " FROM document, json_each(document.json, ?2) AS member"
                                   " WHERE kind = ?1 AND json_type(document.json, ?2) = 'array' HAVING count(*) > 0",
                                   (const char *[]){kind, path, suffix}, &count, err);
    *out = isnan(count) ? ROAST_ABSENT : (int64_t)count;
    return code;
}

roast_str roast_run_name(const roast_run *run)
{
    return roast_run_fact(run, "name");
}

roast_outcome roast_run_outcome(const roast_run *run)
{
    return run->outcome;
}

/* ---- Visits -------------------------------------------------------------------------------------------------- */

/* A visit: how rows are read, the row in hand, the visitor (in the member that fits the table), and its context. */
typedef struct visit {
    roast_run *run;
    record_reader reader;
    union {
        run_chunk chunk;
        run_section section;
        run_sample sample;
        roast_branch branch;
        roast_task task;
        run_work work;
    } row;
    uint32_t reference; /* the name of a branch */
    const char *where;  /* branches of some files; NULL: all rows */
    void *context;
    union {
        run_chunk_visit chunk;
        run_section_visit section;
        run_sample_visit sample;
        run_branch_visit branch;
        run_custom_visit custom;
        roast_task_visit task;
        run_work_visit work;
    } each;
} visit;

/* Visits the rows of a record's table with what was planned. */
static roast_code visit_records(visit *v, record_id record, row_function each, roast_error *err)
{
    const buf *columns = &v->reader.names;
    scan s = {.run = v->run, .table = record_specs[record].name, .columns = columns->data, .each = each, .context = v};
    s.keyed = record == RECORD_branch;
    s.where = v->where;
    roast_code code = columns->code ? fail_memory(err) : scan_table(s, err);
    buf_release(&v->reader.names);
    return code;
}

static roast_code visit_chunk(void *context, row r)
{
    visit *v = context;
    run_chunk *chunk = &v->row.chunk;
    chunk->id = sqlite3_value_int64(r[0]);
    reader_read(&v->reader, r + 1, &chunk->record);
    size_t names;
    run_branch_set(v->run, chunk->branch_set, &names);
    chunk->nameless_set = v->reader.has_set && !names;
    const roast_file *file = run_file(v->run, chunk->file);
    chunk->record.treename = file ? file->tree : str_none();
    chunk->record.uuid = file ? file->uuid : str_none();
    return v->each.chunk(v->context, chunk);
}

roast_code run_each_chunk(roast_run *run, run_detail detail, run_chunk_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.chunk = each, .row.chunk.record = roast_chunk_none()};
    reader_plan(&v.reader, run, RECORD_chunk, NULL, detail);
    reader_index(&v.reader, offsetof(roast_chunk, dataset), &v.row.chunk.dataset);
    reader_index(&v.reader, offsetof(roast_chunk, file), &v.row.chunk.file);
    reader_index(&v.reader, offsetof(roast_chunk, worker), &v.row.chunk.worker);
    reader_index(&v.reader, offsetof(roast_chunk, branch_set), &v.row.chunk.branch_set);
    return visit_records(&v, RECORD_chunk, visit_chunk, err);
}

static roast_code visit_section(void *context, row r)
{
    visit *v = context;
    roast_section *section = &v->row.section.record;
    v->row.section.chunk = sqlite3_value_int64(r[1]);
    reader_read(&v->reader, r + 2, section);
    if (section->rss_after == ROAST_ABSENT && section->rss_before != ROAST_ABSENT && section->rss_delta != ROAST_ABSENT)
        section->rss_after = section->rss_before + section->rss_delta;
    return v->each.section(v->context, &v->row.section);
}

roast_code run_each_section(roast_run *run, run_detail detail, run_section_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.section = each, .row.section.record = roast_section_none()};
    reader_plan(&v.reader, run, RECORD_section, detail == RUN_MEASURES ? "NULL" : "chunk", detail);
    reader_index(&v.reader, offsetof(roast_section, name), &v.row.section.name);
    reader_index(&v.reader, offsetof(roast_section, parent), &v.row.section.parent);
    return visit_records(&v, RECORD_section, visit_section, err);
}

static roast_code visit_sample(void *context, row r)
{
    visit *v = context;
    run_sample *sample = &v->row.sample;
    reader_read(&v->reader, r + 1, &sample->record);
    sample->host_ns = v->reader.local_ns;
    return v->each.sample(v->context, sample);
}

roast_code run_each_sample(roast_run *run, run_detail detail, run_sample_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.sample = each, .row.sample.record = roast_sample_none()};
    reader_plan(&v.reader, run, RECORD_sample, NULL, detail);
    reader_index(&v.reader, offsetof(roast_sample, worker), &v.row.sample.worker);
    return visit_records(&v, RECORD_sample, visit_sample, err);
}

static roast_code visit_branch(void *context, row r)
{
    visit *v = context;
    reader_read(&v->reader, r + 2, &v->row.branch);
    return v->each.branch(v->context, column_index(r[1], &v->run->files), v->reference, &v->row.branch);
}

static roast_code visit_branches(roast_run *run, const char *where, run_branch_visit each, void *context,
                                 roast_error *err)
{
    visit v = {.run = run, .where = where, .context = context, .each.branch = each, .row.branch = roast_branch_none()};
    reader_plan(&v.reader, run, RECORD_branch, "file", RUN_EVERYTHING);
    reader_index(&v.reader, offsetof(roast_branch, name), &v.reference);
    return visit_records(&v, RECORD_branch, visit_branch, err);
}

roast_code run_each_branch(roast_run *run, run_branch_visit each, void *context, roast_error *err)
{
    return visit_branches(run, NULL, each, context, err);
}

roast_code run_count_branches(roast_run *run, size_t *count, roast_error *err)
{
    return count_rows(run, record_specs[RECORD_branch].name, false, count, err);
}

roast_code run_each_branch_of(roast_run *run, uint32_t first_file, uint32_t last_file, run_branch_visit each,
                              void *context, roast_error *err)
{
    char where[80];
    snprintf(where, sizeof where, "file BETWEEN %lld AND %lld", first_file + 1LL, last_file + 1LL);
    bool all = first_file == 0 && last_file + 1ULL >= run_files(run);
    return visit_branches(run, all ? NULL : where, each, context, err);
}

static roast_code visit_custom(void *context, row r)
{
    visit *v = context;
    return v->each.custom(v->context, sqlite3_value_int64(r[1]), column_index(r[2], &v->run->names), column_blob(r[3]));
}

roast_code run_each_custom(roast_run *run, run_custom_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.custom = each};
    scan s = {.run = run, .table = "custom", .columns = "chunk, name, value", .each = visit_custom, .context = &v};
    return scan_table(s, err);
}

static roast_code visit_work(void *context, row r)
{
    visit *v = context;
    run_work *work = &v->row.work;
    reader_read(&v->reader, r + 1, &work->record);
    const roast_file *file = run_file(v->run, work->file);
    work->record.treename = file ? file->tree : str_none();
    work->record.uuid = file ? file->uuid : str_none();
    return v->each.work(v->context, work);
}

/* Files before version 4 have no such table. */
roast_code run_each_work(roast_run *run, run_work_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.work = each, .row.work.record = roast_work_none()};
    reader_plan(&v.reader, run, RECORD_work, NULL, RUN_EVERYTHING);
    reader_index(&v.reader, offsetof(roast_work, dataset), &v.row.work.dataset);
    reader_index(&v.reader, offsetof(roast_work, file), &v.row.work.file);
    return v.reader.count ? visit_records(&v, RECORD_work, visit_work, err) : ROAST_OK;
}

static roast_code visit_task(void *context, row r)
{
    visit *v = context;
    reader_read(&v->reader, r + 1, &v->row.task);
    return v->each.task(v->context, &v->row.task);
}

roast_code roast_run_visit_tasks(roast_run *run, roast_task_visit each, void *context, roast_error *err)
{
    visit v = {.run = run, .context = context, .each.task = each, .row.task = roast_task_none()};
    reader_plan(&v.reader, run, RECORD_task, NULL, RUN_EVERYTHING);
    return visit_records(&v, RECORD_task, visit_task, err);
}

roast_code run_each_new(roast_run *run, run_detail detail, run_position *position, const run_visitors *visitors,
                        void *context, roast_error *err)
{
    roast_code code = ROAST_OK;
    run->from = &position->chunk;
    if (visitors->chunk)
        code = run_each_chunk(run, detail, visitors->chunk, context, err);
    run->from = &position->section;
    if (!code && visitors->section)
        code = run_each_section(run, detail, visitors->section, context, err);
    run->from = &position->sample;
    if (!code && visitors->sample)
        code = run_each_sample(run, detail, visitors->sample, context, err);
    run->from = &position->custom;
    if (!code && visitors->custom)
        code = run_each_custom(run, visitors->custom, context, err);
    run->from = &position->task;
    if (!code && visitors->task)
        code = roast_run_visit_tasks(run, visitors->task, context, err);
    run->from = &position->work;
    if (!code && visitors->work)
        code = run_each_work(run, visitors->work, context, err);
    run->from = NULL;
    return code;
}

bool run_salvages(const roast_run *run)
{
    return run->salvage;
}

uint64_t run_generation(const roast_run *run)
{
    return run->generation;
}
