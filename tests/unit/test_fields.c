/* Every field of every record, spelled here a second time with a value of its own: where it is stored, packed, read and
 * shown. Two fields that are exchanged anywhere on the way, or one that is dropped, are found. */
#include <math.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "base/buf.h"
#include "model/record.h"
#include "record/unpack.h"
#include "run/reader.h"
#include "run/upgrade.h"
#include "run/writer.h"
#include "unit.h"
#include "view/columns.h"

enum kind { INT, REAL, FLAG, TEXT, NAME, DATASET, WORKER, FILE_, UID };

typedef struct expected {
    const char *table, *column;
    enum kind kind;
    int key, base;     /* packed; what the packed number is the difference to, a value */
    int64_t value;     /* of a text: the number that it ends in */
    const char *shown; /* as a column; NULL: it is none */
    double unit;
    size_t offset;
} expected;

#define F(table, column, kind, key, base, value, shown, unit)                                                          \
    {                                                                                                                  \
#table, #column, kind, key, base, value, shown, unit, offsetof(roast_##table, column)                          \
    }

static const expected FIELDS[] = {
    F(worker, address, TEXT, 0, 0, 1, "worker", 1),
    F(worker, name, TEXT, 0, 0, 2, "name", 1),
    F(worker, host, TEXT, 0, 0, 3, "host", 1),
    F(worker, pid, INT, 0, 0, 11, "pid", 1),
    F(worker, cores, INT, 0, 0, 12, "cores", 1),
    F(worker, memory_limit, INT, 0, 0, 13, "memory_limit", 1),
    F(worker, joined_ns, INT, 0, 0, 14, "joined", 1e9),
    F(worker, left_ns, INT, 0, 0, 15, "left", 1e9),
    F(worker, lost, FLAG, 0, 0, 1, "lost", 1),
    F(worker, reason, TEXT, 0, 0, 4, "reason", 1),
    F(worker, clock_offset_ns, INT, 0, 0, 0, "clock_offset_seconds", 1e9),
    F(worker, clock_error_ns, INT, 0, 0, 17, "clock_error_seconds", 1e9),
    F(worker, probe, INT, 0, 0, 18, "probe", 1),

    F(sample, worker, WORKER, 0, 0, 1, "worker", 1),
    F(sample, t_ns, INT, 0, 0, 21, "t", 1e9),
    F(sample, memory, INT, 0, 0, 22, "memory", 1),
    F(sample, cpu, REAL, 0, 0, 23, "cpu", 1),
    F(sample, processing, INT, 0, 0, 24, "processing", 1),
    F(sample, executing, INT, 0, 0, 25, "executing", 1),
    F(sample, managed, INT, 0, 0, 26, "managed", 1),
    F(sample, spilled, INT, 0, 0, 27, "spilled", 1),
    F(sample, occupancy, REAL, 0, 0, 28, "occupancy", 1),
    F(sample, last_seen_ns, INT, 0, 0, 29, "last_seen", 1e9),
    F(sample, net_read, REAL, 0, 0, 30, "net_read", 1),
    F(sample, net_write, REAL, 0, 0, 31, "net_write", 1),
    F(sample, disk_read, REAL, 0, 0, 32, "disk_read", 1),
    F(sample, disk_write, REAL, 0, 0, 33, "disk_write", 1),

    F(worker_count, t_ns, INT, 0, 0, 41, NULL, 1),
    F(worker_count, workers, INT, 0, 0, 42, NULL, 1),
    F(worker_count, cores, INT, 0, 0, 43, NULL, 1),

    F(file, url, TEXT, 32, 0, 51, "file", 1),
    F(file, tree, TEXT, 33, 0, 52, "treename", 1),
    F(file, uuid, TEXT, 34, 0, 53, "uuid", 1),
    F(file, entries, INT, 1, 0, 54, "entries", 1),
    F(file, total_branches, INT, 2, 0, 1, "total_branches", 1),
    F(file, compressed, INT, 3, 0, 55, "compressed_bytes", 1),
    F(file, uncompressed, INT, 4, 0, 56, "uncompressed_bytes", 1),
    F(file, clusters, INT, 5, 0, 57, "clusters", 1),
    F(file, algorithm, TEXT, 35, 0, 58, "algorithm", 1),
    F(file, level, INT, 6, 0, 59, "level", 1),
    F(file, bytes_read, INT, 0, 0, 60, NULL, 1),

    F(branch, name, NAME, 0, 0, 61, "branch", 1),
    F(branch, compressed, INT, 0, 0, 62, "compressed_bytes", 1),
    F(branch, uncompressed, INT, 0, 0, 63, "uncompressed_bytes", 1),
    F(branch, baskets, INT, 0, 0, 64, "baskets", 1),

    F(chunk, uid, UID, 48, 0, 70, "uid", 1),
    F(chunk, dataset, DATASET, 32, 0, 71, "dataset", 1),
    F(chunk, file, FILE_, 33, 0, 51, "file", 1),
    F(chunk, treename, TEXT, 34, 0, 52, "treename", 1),
    F(chunk, uuid, TEXT, 35, 0, 53, "uuid", 1),
    F(chunk, entry_start, INT, 1, 0, 72, "entry_start", 1),
    F(chunk, entry_stop, INT, 2, 72, 73, "entry_stop", 1),
    F(chunk, events, INT, 3, 0, 74, "num_events", 1),
    F(chunk, attempt, INT, 4, 0, 75, "attempt", 1),
    F(chunk, round, INT, 22, 0, 76, NULL, 1),
    F(chunk, worker, WORKER, 36, 0, 1, "worker", 1),
    F(chunk, thread, INT, 5, 0, 77, "thread", 1),
    F(chunk, pid, INT, 6, 0, 78, "pid", 1),
    F(chunk, t_start_ns, INT, 7, 0, 79, "t_start", 1e9),
    F(chunk, duration_ns, INT, 8, 0, 80, "duration", 1e9),
    F(chunk, open_ns, INT, 9, 0, 81, "open_seconds", 1e9),
    F(chunk, events_ns, INT, 10, 0, 82, "events_seconds", 1e9),
    F(chunk, return_ns, INT, 11, 0, 83, "return_seconds", 1e9),
    F(chunk, cpu_ns, INT, 12, 80, 84, "cpu_seconds", 1e9),
    F(chunk, run_delay_ns, INT, 13, 0, 85, "run_delay_seconds", 1e9),
    F(chunk, rss_before, INT, 14, 0, 86, "mem_before_mb", 1048576),
    F(chunk, rss_after, INT, 15, 86, 87, "mem_after_mb", 1048576),
    F(chunk, rss_peak, INT, 16, 86, 88, "mem_peak_mb", 1048576),
    F(chunk, peak_shared, FLAG, 49, 0, 1, "mem_peak_shared", 1),
    F(chunk, bytes_read, INT, 17, 0, 89, "bytes_read", 1),
    F(chunk, read_requests, INT, 18, 0, 90, "read_requests", 1),
    F(chunk, voluntary_switches, INT, 19, 0, 91, "voluntary_switches", 1),
    F(chunk, involuntary_switches, INT, 20, 0, 92, "involuntary_switches", 1),
    F(chunk, page_faults, INT, 21, 0, 93, "page_faults", 1),
    F(chunk, error_type, TEXT, 37, 0, 94, "error_type", 1),
    F(chunk, error, TEXT, 38, 0, 95, "error", 1),
    F(chunk, major_faults, INT, 23, 0, 96, "major_faults", 1),
    F(chunk, storage_bytes_read, INT, 24, 0, 97, "storage_bytes_read", 1),

    F(section, name, NAME, 0, 0, 101, "section", 1),
    F(section, parent, NAME, 0, 0, 102, "parent", 1),
    F(section, depth, INT, 8, 0, 103, "depth", 1),
    F(section, count, INT, 1, 0, 104, "count", 1),
    F(section, duration_ns, INT, 2, 0, 105, "duration", 1e9),
    F(section, cpu_ns, INT, 3, 105, 106, "cpu_seconds", 1e9),
    F(section, rss_before, INT, 4, 0, 107, "mem_before_mb", 1048576),
    F(section, rss_after, INT, 5, 107, 108, "mem_after_mb", 1048576),
    F(section, rss_delta, INT, 6, 0, 109, "mem_delta_mb", 1048576),
    F(section, bytes, INT, 7, 0, 110, "bytes", 1),

    F(task, key, TEXT, 0, 0, 121, "key", 1),
    F(task, prefix, NAME, 0, 0, 122, "prefix", 1),
    F(task, worker, WORKER, 0, 0, 1, "worker", 1),
    F(task, thread, INT, 0, 0, 123, "thread", 1),
    F(task, start_ns, INT, 0, 0, 124, "start", 1e9),
    F(task, stop_ns, INT, 0, 0, 125, "stop", 1e9),
    F(task, nbytes, INT, 0, 0, 126, "nbytes", 1),
    F(task, state, NAME, 0, 0, 127, "state", 1),
    F(task, attempt, INT, 0, 0, 128, "attempt", 1),
    F(task, span, NAME, 0, 0, 129, "span", 1),

    F(activity, context, NAME, 0, 0, 131, NULL, 1),
    F(activity, prefix, NAME, 0, 0, 132, NULL, 1),
    F(activity, activity, NAME, 0, 0, 133, NULL, 1),
    F(activity, unit, NAME, 0, 0, 134, NULL, 1),
    F(activity, value, REAL, 0, 0, 135, NULL, 1),

    F(work, round, INT, 0, 0, 141, NULL, 1),
    F(work, dataset, DATASET, 0, 0, 71, NULL, 1),
    F(work, file, FILE_, 0, 0, 51, NULL, 1),
    F(work, treename, TEXT, 0, 0, 52, NULL, 1),
    F(work, uuid, TEXT, 0, 0, 53, NULL, 1),
    F(work, entry_start, INT, 0, 0, 142, NULL, 1),
    F(work, entry_stop, INT, 0, 0, 143, NULL, 1),
    F(work, files, INT, 0, 0, 144, NULL, 1),
    F(work, chunks, INT, 0, 0, 145, NULL, 1),
    F(work, events, INT, 0, 0, 146, NULL, 1),
    F(work, attempts, INT, 0, 0, 147, NULL, 1),
    F(work, whole, FLAG, 0, 0, 1, NULL, 1),
    F(work, error_type, TEXT, 0, 0, 148, NULL, 1),
    F(work, error, TEXT, 0, 0, 149, NULL, 1),
    F(work, raised, FLAG, 0, 0, 1, NULL, 1),
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

#define FOR_EACH(f, of)                                                                                                \
    for (const expected *f = FIELDS; f < FIELDS + FIELD_COUNT; f++)                                                    \
        if (strcmp(f->table, of) == 0)

static bool is_text(const expected *f)
{
    return f->kind >= TEXT && f->kind != UID;
}

static roast_str text_of(int64_t number)
{
    static char texts[200][16];
    snprintf(texts[number], sizeof texts[number], "text %d", (int)number);
    return str_from(texts[number]);
}

static void fill(const char *table, void *record)
{
    FOR_EACH(f, table)
    {
        void *at = (char *)record + f->offset;
        if (is_text(f))
            *(roast_str *)at = text_of(f->value);
        else if (f->kind == REAL)
            *(double *)at = (double)f->value;
        else if (f->kind == FLAG)
            *(bool *)at = f->value != 0;
        else
            *(int64_t *)at = f->value;
    }
}

static void assert_field(const expected *f, const void *record)
{
    const void *at = (const char *)record + f->offset;
    bool same = is_text(f)        ? str_equal(*(const roast_str *)at, text_of(f->value))
                : f->kind == REAL ? *(const double *)at == (double)f->value
                : f->kind == FLAG ? *(const bool *)at == (f->value != 0)
                                  : *(const int64_t *)at == f->value;
    if (!same)
        fail_msg("%s.%s is another one", f->table, f->column);
}

static void assert_filled(const char *table, const void *record, const char *except)
{
    FOR_EACH(f, table) if (!except || strcmp(f->column, except) != 0) assert_field(f, record);
}

/* The run in which every field has its value. */
static void write_everything(const char *path)
{
    run_writer *w;
    assert_int_equal(run_writer_open(&w, path, NULL, NULL), ROAST_OK);
    roast_worker worker = roast_worker_none();
    roast_sample sample = roast_sample_none();
    roast_worker_count count = roast_worker_count_none();
    roast_branch branch = roast_branch_none();
    roast_file file = roast_file_none();
    roast_section section = roast_section_none();
    roast_chunk chunk = roast_chunk_none();
    roast_task task = roast_task_none();
    roast_activity activity = roast_activity_none();
    roast_work work = roast_work_none();
    fill("worker", &worker), fill("sample", &sample), fill("worker_count", &count), fill("branch", &branch);
    fill("file", &file), fill("section", &section), fill("chunk", &chunk), fill("task", &task);
    fill("activity", &activity), fill("work", &work);
    file.branches = &branch;
    file.n_branches = 1;
    chunk.sections = &section;
    chunk.n_sections = 1;
    roast_str branches[] = {text_of(61)};
    chunk.branches = branches;
    chunk.n_branches = 1;
    assert_int_equal(run_write_worker(w, &worker, NULL), ROAST_OK);
    assert_int_equal(run_write_sample(w, &sample, NULL), ROAST_OK);
    assert_int_equal(run_write_count(w, &count, NULL), ROAST_OK);
    assert_int_equal(run_write_file(w, &file, NULL), ROAST_OK);
    assert_int_equal(run_write_chunk(w, &chunk, NULL), ROAST_OK);
    assert_int_equal(run_write_task(w, &task, NULL), ROAST_OK);
    assert_int_equal(run_write_activity(w, &activity, NULL), ROAST_OK);
    assert_int_equal(run_write_work(w, &work, NULL), ROAST_OK);
    assert_int_equal(run_writer_close(w, ROAST_FINISHED, NULL), ROAST_OK);
}

/* ---- The file, asked in SQL ---------------------------------------------------------------------------------- */

static void assert_column(sqlite3 *db, const expected *f)
{
    static const char *const references[] = {
        [NAME] = "name.text", [DATASET] = "dataset.name", [WORKER] = "worker.address", [FILE_] = "file.url"};
    char sql[300], want[40];
    const char *reference = f->kind >= NAME && f->kind <= FILE_ ? references[f->kind] : NULL;
    int table = reference ? (int)strcspn(reference, ".") : 0;
    if (reference)
        snprintf(sql, sizeof sql, "SELECT (SELECT %s FROM %.*s WHERE id = %s.%s) FROM %s", reference, table, reference,
                 f->table, f->column, f->table);
    else
        snprintf(sql, sizeof sql, "SELECT %s FROM %s", f->column, f->table);
    snprintf(want, sizeof want, f->kind == REAL ? "%d.0" : "%d", (int)f->value);
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) || sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const char *found = (const char *)sqlite3_column_text(statement, 0);
    if (!found || strcmp(found, is_text(f) ? text_of(f->value).ptr : want) != 0)
        fail_msg("%s: %s", sql, found ? found : "NULL");
    sqlite3_finalize(statement);
}

static void assert_stored(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (const expected *f = FIELDS; f < FIELDS + FIELD_COUNT; f++) {
        bool of_file = strcmp(f->column, "treename") == 0 || (strcmp(f->column, "uuid") == 0 && f->table[0] != 'f');
        bool elsewhere = of_file || (strcmp(f->table, "chunk") == 0 && strcmp(f->column, "round") == 0);
        if (!elsewhere)
            assert_column(db, f);
    }
    sqlite3_close(db);
}

static void every_field_is_in_its_column(void **state)
{
    (void)state;
    write_everything(in_scratch("a.roast"));
    assert_stored(in_scratch("a.roast"));
}

static void this_test_knows_every_field(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < RECORD_COUNT; i++)
        count += record_specs[i].count;
    assert_int_equal(count, FIELD_COUNT + 1); /* branch_set is a hash of the names */
}

static const expected *expected_of(const record_spec *spec, const record_field *field)
{
    FOR_EACH(f, spec->name) if (strcmp(f->column, field->name) == 0) return f;
    return NULL;
}

static void the_list_says_under_which_name_a_field_is_shown(void **state)
{
    (void)state;
    for (const record_spec *spec = record_specs; spec < record_specs + RECORD_COUNT; spec++)
        for (size_t i = 0; i < spec->count; i++) {
            const expected *f = expected_of(spec, &spec->fields[i]);
            if (strcmp(spec->fields[i].shown, f && f->shown ? f->shown : "") != 0)
                fail_msg("%s.%s is not shown as %s", spec->name, spec->fields[i].name, spec->fields[i].shown);
        }
}

/* ---- The run, read ------------------------------------------------------------------------------------------- */

static roast_code see_chunk(void *context, const run_chunk *row)
{
    (void)context;
    assert_filled("chunk", &row->record, "round"); /* which is not stored */
    return ROAST_OK;
}

static roast_code see_section(void *context, const run_section *row)
{
    (void)context;
    assert_filled("section", &row->record, NULL);
    return ROAST_OK;
}

static roast_code see_sample(void *context, const run_sample *row)
{
    (void)context;
    assert_filled("sample", &row->record, NULL);
    return ROAST_OK;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *row)
{
    (void)context, (void)file, (void)name;
    assert_filled("branch", row, NULL);
    return ROAST_OK;
}

static roast_code see_task(void *context, const roast_task *row)
{
    (void)context;
    assert_filled("task", row, NULL);
    return ROAST_OK;
}

static roast_code see_work(void *context, const run_work *row)
{
    (void)context;
    assert_filled("work", &row->record, NULL);
    assert_int_equal(row->dataset, 0);
    assert_int_equal(row->file, 0);
    return ROAST_OK;
}

static void assert_shown(roast_run *run, const char *name, const char *record)
{
    column_table table;
    assert_int_equal(columns_read(&table, run, name, NULL), ROAST_OK);
    assert_int_equal(table.n_rows, 1);
    FOR_EACH(f, record)
    {
        const column *c = f->shown ? columns_find(&table, str_from(f->shown)) : NULL;
        if (f->shown && !c)
            fail_msg("%s has no column %s", name, f->shown);
        if (c && f->kind == UID)
            assert_str(c->as.texts[0], "0000000000000046");
        else if (c && is_text(f))
            assert_true(str_equal(c->as.texts[0], text_of(f->value)));
        else if (c && c->kind == COLUMN_INT)
            assert_int_equal(c->as.ints[0], f->value);
        else if (c && fabs(c->as.reals[0] - (double)f->value / f->unit) > 1e-15)
            fail_msg("%s.%s is %g", name, f->shown, c->as.reals[0]);
    }
    columns_release(&table);
}

static void assert_read(const char *path)
{
    roast_run *run;
    roast_error err = {0};
    if (roast_run_open(&run, path, NULL, &err))
        fail_msg("%s", err.message);
    assert_filled("worker", run_worker(run, 0), NULL);
    assert_filled("file", run_file(run, 0), NULL);
    assert_filled("worker_count", roast_run_worker_count(run, 0), NULL);
    assert_filled("activity", roast_run_activity(run, 0), NULL);
    assert_int_equal(run_each_chunk(run, RUN_EVERYTHING, see_chunk, NULL, NULL), ROAST_OK);
    assert_int_equal(run_each_section(run, RUN_EVERYTHING, see_section, NULL, NULL), ROAST_OK);
    assert_int_equal(run_each_sample(run, RUN_EVERYTHING, see_sample, NULL, NULL), ROAST_OK);
    assert_int_equal(run_each_branch(run, see_branch, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_run_visit_tasks(run, see_task, NULL, NULL), ROAST_OK);
    assert_int_equal(run_each_work(run, see_work, NULL, NULL), ROAST_OK);
    assert_shown(run, "chunks", "chunk");
    assert_shown(run, "workers", "worker");
    assert_shown(run, "samples", "sample");
    assert_shown(run, "sections", "section");
    assert_shown(run, "files", "file");
    assert_shown(run, "branches", "branch");
    assert_shown(run, "tasks", "task");
    roast_run_close(run);
}

static void every_field_is_read_and_shown_under_its_name(void **state)
{
    (void)state;
    write_everything(in_scratch("a.roast"));
    assert_read(in_scratch("a.roast"));
}

static void every_field_of_the_golden_file_is_read(void **state)
{
    (void)state;
    const char *path = ROAST_SOURCE_DIR "/tests/golden/run-v4.roast";
    assert_stored(path);
    assert_read(path);
}

/* ---- Packed -------------------------------------------------------------------------------------------------- */

static void put_key(buf *out, int key)
{
    buf_char(out, (char)key);
}

/* A map of all packed fields of a record, byte by byte as msgpack has them. */
static void put_fields(buf *out, const char *table)
{
    size_t count = 0;
    FOR_EACH(f, table) count += f->key != 0;
    const char map[] = {(char)0xde, 0, (char)count};
    buf_bytes(out, map, sizeof map);
    FOR_EACH(f, table)
    {
        if (!f->key)
            continue;
        put_key(out, f->key);
        roast_str text = is_text(f) ? text_of(f->value) : str_none();
        const char number[] = {(char)0xd1, 0, (char)(f->value - f->base)};
        if (is_text(f))
            buf_char(out, (char)(0xa0 | text.len)), buf_str(out, text);
        else if (f->kind == FLAG)
            buf_char(out, (char)0xc3);
        else
            buf_bytes(out, number, sizeof number);
    }
}

static void assert_unpacks(int kind, const char *table)
{
    buf bytes = {0};
    const char head[] = {(char)0x93, (char)kind, 1};
    buf_bytes(&bytes, head, sizeof head);
    put_fields(&bytes, table);
    arena memory = {0};
    unpacked record;
    roast_error err = {0};
    if (unpack_record(&record, &memory, buf_view(&bytes), &err))
        fail_msg("%s", err.message);
    FOR_EACH(f, table) if (f->key) assert_field(f, kind == 1 ? (void *)&record.chunk : (void *)&record.file);
    buf_release(&bytes);
    arena_release(&memory);
}

static void every_packed_field_has_its_key(void **state)
{
    (void)state;
    assert_unpacks(1, "chunk");
    assert_unpacks(3, "file");
}

static void every_packed_field_of_a_section_has_its_key(void **state)
{
    (void)state;
    buf bytes = {0};
    const char head[] = {(char)0x93, 1, 1, (char)0x81, 52, (char)0x93, (char)0xa1, 'a', 0};
    buf_bytes(&bytes, head, sizeof head);
    put_fields(&bytes, "section");
    arena memory = {0};
    unpacked record;
    assert_int_equal(unpack_record(&record, &memory, buf_view(&bytes), NULL), ROAST_OK);
    assert_int_equal(record.chunk.n_sections, 1);
    FOR_EACH(f, "section") if (f->key) assert_field(f, &record.chunk.sections[0]);
    buf_release(&bytes);
    arena_release(&memory);
}

static void what_is_packed_comes_out_as_it_went_in(void **state)
{
    (void)state;
    roast_section section = roast_section_none();
    roast_chunk chunk = roast_chunk_none();
    fill("section", &section), fill("chunk", &chunk);
    chunk.sections = &section;
    chunk.n_sections = 1;
    buf packed = {0};
    arena memory = {0};
    unpacked record;
    roast_pack_chunk(&packed, &chunk);
    assert_int_equal(unpack_record(&record, &memory, buf_view(&packed), NULL), ROAST_OK);
    assert_filled("chunk", &record.chunk, NULL);
    assert_filled("section", &record.chunk.sections[0], NULL);
    buf_release(&packed);
    arena_release(&memory);
}

/* ---- Sizes --------------------------------------------------------------------------------------------------- */

static void a_record_of_another_size_is_understood(void **state)
{
    (void)state;
    roast_chunk old, own;
    roast_chunk_init(&old, offsetof(roast_chunk, major_faults)); /* as it was before that field */
    fill("chunk", &old);
    old.size = offsetof(roast_chunk, major_faults);
    record_take(&record_specs[RECORD_chunk], &own, &old);
    assert_true(own.size == sizeof own && own.error.len && own.page_faults == 93);
    assert_true(own.major_faults == ROAST_ABSENT && own.storage_bytes_read == ROAST_ABSENT);
    struct {
        roast_task task;
        int64_t added;
    } newer;
    roast_task_init(&newer.task, sizeof newer);
    fill("task", &newer.task);
    assert_true(newer.task.size == sizeof newer && newer.added == 0);
    roast_task task;
    record_take(&record_specs[RECORD_task], &task, &newer.task);
    assert_filled("task", &task, NULL);
    assert_int_equal(task.size, sizeof task);
}

/* ---- Versions ------------------------------------------------------------------------------------------------ */

static void a_run_of_version_1_is_upgraded(void **state)
{
    (void)state;
    sqlite3 *db;
    sqlite3_stmt *statement;
    char command[1000];
    snprintf(command, sizeof command, "cp '%s/tests/golden/run-v1.roast' '%s'", ROAST_SOURCE_DIR,
             in_scratch("old.roast"));
    assert_int_equal(system(command), 0);
    assert_int_equal(sqlite3_open(in_scratch("old.roast"), &db), SQLITE_OK);
    assert_int_equal(upgrade_database(db, "old.roast", NULL), ROAST_OK);
    const char *sql =
        "SELECT count(*), count(major_faults), count(schema_s), count(events_s), "
        "(SELECT user_version FROM pragma_user_version), "
        "(SELECT count(*) FROM workers), (SELECT count(probe) FROM workers), (SELECT count(*) FROM work), "
        "(SELECT count(*) FROM missing) FROM attempts";
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int wanted[] = {31, 0, 31, 31, 4, 3, 0, 0, 0};
    for (int i = 0; i < 9; i++)
        assert_int_equal(sqlite3_column_int(statement, i), wanted[i]);
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

int main(int argc, char **argv)
{
    if (argc == 2) { /* writes the golden file of the present version */
        write_everything(argv[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_test_knows_every_field),
        cmocka_unit_test(the_list_says_under_which_name_a_field_is_shown),
        test_in_scratch(every_field_is_in_its_column),
        test_in_scratch(every_field_is_read_and_shown_under_its_name),
        cmocka_unit_test(every_field_of_the_golden_file_is_read),
        cmocka_unit_test(every_packed_field_has_its_key),
        cmocka_unit_test(every_packed_field_of_a_section_has_its_key),
        cmocka_unit_test(what_is_packed_comes_out_as_it_went_in),
        cmocka_unit_test(a_record_of_another_size_is_understood),
        test_in_scratch(a_run_of_version_1_is_upgraded),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
