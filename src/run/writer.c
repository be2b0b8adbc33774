/* Writing a run file. Strings become numbers on the way in: each is stored once and referred to by id. Ids count
 * from 1 in order of appearance, so that a reader can use them as indices. */
#include "run/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/secrets.h"
#include "base/sized.h"
#include "base/str.h"
#include "base/u64map.h"
#include "model/branch_set.h"
#include "model/facts.h"
#include "model/record.h"
#include "model/record_secrets.h"
#include "run/database.h"
#include "run/hold.h"
#include "run/reader.h"
#include "run/record_sql.h"
#include "run/seal.h"

enum { LONGEST_WAIT_FOR_READERS_MS = 2000 };

#define STATEMENTS(X)                                                                                                  \
    X(FACT, "INSERT OR REPLACE INTO run VALUES (?,?)")                                                                 \
    X(GIVEN, "INSERT OR REPLACE INTO given VALUES (?,?)")                                                              \
    X(NAME, "INSERT INTO name VALUES (?,?)")                                                                           \
    X(DATASET, "INSERT INTO dataset VALUES (?,?)")                                                                     \
    X(WORKER, "INSERT INTO worker (id, address) VALUES (?,?)")                                                         \
    X(FILE, "INSERT INTO file (id, url, tree, uuid) VALUES (?,?,?,?)")                                                 \
    X(BRANCH_SET, "INSERT OR IGNORE INTO branch_set VALUES (?,?)")                                                     \
    X(NAMELESS_SETS, "UPDATE chunk SET branch_set = NULL"                                                              \
                     " WHERE branch_set NOT IN (SELECT id FROM branch_set) AND branch_set IS NOT ?")                   \
    X(CUSTOM, "INSERT INTO custom VALUES (?,?,?)")                                                                     \
    X(DOCUMENT, "INSERT OR REPLACE INTO document VALUES (?,?)")                                                        \
    X(NOTE, "INSERT INTO note VALUES (NULL,?,?,?)")

enum statement {
#define STATEMENT_ENUM(name, sql) INSERT_##name,
    STATEMENTS(STATEMENT_ENUM)
#undef STATEMENT_ENUM
        STATEMENT_COUNT
};

/* How a record of each kind is written. What describes a worker or a file is added to the row that it has already. */
static const struct {
    const char *owner;    /* the column before the fields */
    const char *if_there; /* what is done if a row of the same key is there */
    size_t key_fields;    /* of a row that is there already */
} record_ways[RECORD_COUNT] = {
    [RECORD_worker] = {.owner = "id", .key_fields = 1},
    [RECORD_file] = {.owner = "id", .key_fields = 2},
    [RECORD_branch] = {.owner = "file", .if_there = "OR IGNORE "}, /* readers count on it that branches do not change */
    [RECORD_chunk] = {.owner = "id"},
    [RECORD_section] = {.owner = "chunk"},
    [RECORD_activity] = {.if_there = "OR REPLACE "},
};

/* Sections are most of the rows: those of a chunk go in together, up to this many at a time. */
enum { SECTIONS_AT_ONCE = 8 };

static const char *const statement_sql[STATEMENT_COUNT] = {
#define STATEMENT_SQL(name, sql) sql,
    STATEMENTS(STATEMENT_SQL)
#undef STATEMENT_SQL
};

typedef struct known_worker {
    int64_t id;
    bool left; /* if it comes again under the same address, it is another one */
} known_worker;

struct run_writer {
    char *path;
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    sqlite3_stmt *records[RECORD_COUNT];
    sqlite3_stmt *sections[SECTIONS_AT_ONCE]; /* for 1, 2, … of them */
    intern names, datasets, files;            /* number + 1 is the id */
    intern addresses;                         /* number is the index into workers */
    known_worker *workers;
    size_t workers_capacity;
    int64_t n_workers, n_chunks;
    u64map chunk_uids, chunk_attempts;
    u64map complete_files; /* by id: those whose branches have all been written */
    u64map branch_set_ids; /* by hash */
    bool *branch_set_named;
    size_t n_branch_sets, branch_sets_capacity;
    int64_t empty_branch_set; /* the one that has names, but none: ROAST_ABSENT if it never came */
    arena stripped;           /* texts of the record that is being written, where they had secrets */
    bool in_transaction, in_memory;
    run_hold hold;
};

/* ---- Binding: one call per column, absent becomes NULL ------------------------------------------------------- */

typedef struct new_row {
    run_writer *writer;
    sqlite3_stmt *statement;
    int column;
    bool failed;
    roast_code code; /* of a string that could not be given a number; ROAST_OK: SQLite knows what failed */
} new_row;

static new_row row_begin_with(run_writer *w, sqlite3_stmt **statement, const char *sql)
{
    new_row r = {.writer = w};
    if (!w->in_transaction) {
        r.failed = sqlite3_exec(w->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK;
        w->in_transaction = !r.failed;
    }
    if (!*statement && !r.failed)
        r.failed = sqlite3_prepare_v3(w->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) != SQLITE_OK;
    r.statement = *statement;
    return r;
}

static new_row row_begin(run_writer *w, enum statement which)
{
    return row_begin_with(w, &w->statements[which], statement_sql[which]);
}

/* A statement for so many records of a kind. */
static new_row row_begin_record(run_writer *w, record_id record, size_t rows, roast_error *err)
{
    sqlite3_stmt **statement = record == RECORD_section ? &w->sections[rows - 1] : &w->records[record];
    buf sql = {0};
    if (!*statement && record_ways[record].key_fields)
        sql_update(&sql, record, record_ways[record].key_fields);
    else if (!*statement)
        sql_insert(&sql, record, record_ways[record].owner, record_ways[record].if_there, rows);
    new_row r = sql.code ? (new_row){.writer = w, .failed = true, .code = fail_memory(err)}
                         : row_begin_with(w, statement, sql.data);
    buf_release(&sql);
    return r;
}

static void row_int(new_row *r, int64_t value)
{
    r->column++;
    if (r->failed)
        return;
    int code = value == ROAST_ABSENT ? sqlite3_bind_null(r->statement, r->column)
                                     : sqlite3_bind_int64(r->statement, r->column, value);
    r->failed = code != SQLITE_OK;
}

/* Any bits are a hash, those of ROAST_ABSENT too. */
static void row_hash(new_row *r, uint64_t value)
{
    r->column++;
    if (!r->failed)
        r->failed = sqlite3_bind_int64(r->statement, r->column, (int64_t)value) != SQLITE_OK;
}

static void row_real(new_row *r, double value)
{
    r->column++;
    if (!r->failed) /* SQLite stores a NAN as NULL */
        r->failed = sqlite3_bind_double(r->statement, r->column, value) != SQLITE_OK;
}

static void row_str(new_row *r, roast_str value)
{
    r->column++;
    if (!r->failed) /* a NULL pointer binds NULL; the text is only needed until the row is stepped */
        r->failed =
            sqlite3_bind_text64(r->statement, r->column, value.ptr, value.len, SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK;
}

static void row_blob(new_row *r, roast_str value)
{
    r->column++;
    if (!r->failed)
        r->failed = sqlite3_bind_blob64(r->statement, r->column, value.ptr ? value.ptr : "", value.len,
                                        SQLITE_STATIC) != SQLITE_OK;
}

static roast_code row_end(new_row *r, roast_error *err)
{
    if (!r->failed)
        r->failed = sqlite3_step(r->statement) != SQLITE_DONE;
    roast_code code = r->code;
    if (r->failed && !code)
        code = database_fail(r->writer->db, r->writer->path, "writing", err);
    if (r->statement)
        sqlite3_reset(r->statement);
    return code;
}

/* ---- Strings to ids ------------------------------------------------------------------------------------------ */

/* The id of a string in a table of (id, text), added to the file when it is new. Absent gives an absent id. */
static roast_code string_id(run_writer *w, intern *table, enum statement insert, roast_str text, int64_t *id,
                            roast_error *err)
{
    *id = ROAST_ABSENT;
    if (str_absent(text))
        return ROAST_OK;
    bool added;
    uint32_t number = intern_add(table, text, &added);
    if (number == INTERN_NONE)
        return fail_memory(err);
    *id = (int64_t)number + 1;
    if (!added)
        return ROAST_OK;
    new_row r = row_begin(w, insert);
    row_int(&r, *id);
    row_str(&r, text);
    return row_end(&r, err);
}

static roast_code name_id(run_writer *w, roast_str text, int64_t *id, roast_error *err)
{
    return string_id(w, &w->names, INSERT_NAME, text, id, err);
}

static roast_code add_worker(run_writer *w, uint32_t address, roast_error *err)
{
    w->workers[address] = (known_worker){.id = ++w->n_workers};
    new_row r = row_begin(w, INSERT_WORKER);
    row_int(&r, w->n_workers);
    row_str(&r, w->addresses.strings[address]);
    return row_end(&r, err);
}

/* Finds the worker at an address; a record that names an unknown one introduces it. */
static roast_code worker_at(run_writer *w, roast_str address, known_worker **out, roast_error *err)
{
    bool added;
    *out = NULL;
    uint32_t number = intern_add(&w->addresses, address, &added);
    if (number == INTERN_NONE)
        return fail_memory(err);
    if (number >= w->workers_capacity) {
        size_t capacity = w->workers_capacity ? w->workers_capacity * 2 : 64;
        known_worker *workers = realloc(w->workers, capacity * sizeof *workers);
        if (!workers)
            return fail_memory(err);
        w->workers = workers;
        w->workers_capacity = capacity;
    }
    *out = &w->workers[number];
    return added ? add_worker(w, number, err) : ROAST_OK;
}

static roast_code worker_id(run_writer *w, roast_str address, int64_t *id, roast_error *err)
{
    *id = ROAST_ABSENT;
    if (str_absent(address))
        return ROAST_OK;
    known_worker *worker;
    roast_code code = worker_at(w, address, &worker, err);
    if (!code)
        *id = worker->id;
    return code;
}

/* A file is an address and a tree in it: one file may serve two trees. */
static roast_code file_id(run_writer *w, roast_str url, roast_str tree, roast_str uuid, int64_t *id, roast_error *err)
{
    *id = ROAST_ABSENT;
    if (str_absent(url))
        return ROAST_OK;
    buf key = {0};
    buf_str(&key, url);
    buf_char(&key, '\0');
    buf_str(&key, tree);
    bool added = false;
    uint32_t number = key.code ? INTERN_NONE : intern_add(&w->files, buf_view(&key), &added);
    buf_release(&key);
    if (number == INTERN_NONE)
        return fail_memory(err);
    *id = (int64_t)number + 1;
    if (!added)
        return ROAST_OK;
    new_row r = row_begin(w, INSERT_FILE);
    row_int(&r, *id);
    row_str(&r, url);
    row_str(&r, tree);
    row_str(&r, uuid);
    return row_end(&r, err);
}

static roast_code write_set_members(run_writer *w, int64_t set, const roast_str *names, size_t count, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < count; i++) {
        int64_t name = ROAST_ABSENT;
        code = name_id(w, names[i], &name, err);
        if (code)
            break;
        new_row r = row_begin(w, INSERT_BRANCH_SET);
        row_int(&r, set);
        row_int(&r, name);
        code = row_end(&r, err);
    }
    return code;
}

/* Makes room for one more set. */
static bool reserve_branch_set(run_writer *w)
{
    if (w->n_branch_sets < w->branch_sets_capacity)
        return true;
    size_t capacity = w->branch_sets_capacity ? w->branch_sets_capacity * 2 : 64;
    bool *named = realloc(w->branch_set_named, capacity * sizeof *named);
    if (!named)
        return false;
    w->branch_set_named = named;
    w->branch_sets_capacity = capacity;
    return true;
}

/* The id of the set with a hash, a new one if there is none. */
static roast_code find_branch_set(run_writer *w, uint64_t hash, uint32_t *set, roast_error *err)
{
    if (!reserve_branch_set(w))
        return fail_memory(err);
    uint32_t *id = u64map_at(&w->branch_set_ids, hash);
    if (!id)
        return fail_memory(err);
    if (!*id) {
        w->branch_set_named[w->n_branch_sets] = false;
        *id = (uint32_t)++w->n_branch_sets;
    }
    *set = *id;
    return ROAST_OK;
}

/* Writes the names of a set that had none yet. */
static roast_code name_branch_set(run_writer *w, const roast_chunk *chunk, uint32_t set, roast_error *err)
{
    roast_str *names = malloc((chunk->n_branches + 1) * sizeof *names);
    if (!names)
        return fail_memory(err);
    if (chunk->n_branches)
        memcpy(names, chunk->branches, chunk->n_branches * sizeof *names);
    size_t count = branch_set_sort(names, chunk->n_branches);
    w->branch_set_named[set - 1] = true;
    if (count == 0)
        w->empty_branch_set = set;
    roast_code code = write_set_members(w, set, names, count, err);
    free(names);
    return code;
}

/* Sets are told apart by the hash of their names, whatever order they come in. A record may have the hash alone: then
 * another one brings the names, before or after. With the names, the sender's hash is not needed, nor believed. */
static roast_code branch_set_id(run_writer *w, const roast_chunk *chunk, int64_t *id, roast_error *err)
{
    *id = ROAST_ABSENT;
    if (!chunk->branches && !chunk->branch_set)
        return ROAST_OK;
    uint32_t set = 0;
    uint64_t hash = chunk->branches ? branch_set_hash(chunk->branches, chunk->n_branches) : chunk->branch_set;
    roast_code code = find_branch_set(w, hash, &set, err);
    if (code)
        return code;
    *id = set;
    return chunk->branches && !w->branch_set_named[set - 1] ? name_branch_set(w, chunk, set, err) : ROAST_OK;
}

/* Sets whose names never came: what their chunks read is not known. */
static roast_code forget_nameless_sets(run_writer *w, roast_error *err)
{
    size_t lost = 0;
    for (size_t i = 0; i < w->n_branch_sets; i++)
        lost += !w->branch_set_named[i];
    if (!lost)
        return ROAST_OK;
    new_row r = row_begin(w, INSERT_NAMELESS_SETS);
    row_int(&r, w->empty_branch_set);
    roast_code code = row_end(&r, err);
    if (code)
        return code;
    char note[160];
    snprintf(note, sizeof note,
             "The names of %zu %s of branches were lost on the way: what their chunks read is not known.", lost,
             lost == 1 ? "set" : "sets");
    return run_write_note(w, "warning", str_from(note), err);
}

/* ---- Fields -------------------------------------------------------------------------------------------------- */

/* A file is known by its address and its tree: in every record that names one, the three texts follow each other. */
#define FILE_TEXTS_FOLLOW(record)                                                                                      \
    _Static_assert(offsetof(record, treename) == offsetof(record, file) + sizeof(roast_str) &&                         \
                       offsetof(record, uuid) == offsetof(record, file) + 2 * sizeof(roast_str),                       \
                   "file, treename and uuid follow each other")
FILE_TEXTS_FOLLOW(roast_chunk);
FILE_TEXTS_FOLLOW(roast_work);

/* The number under which a text of a record is stored. Sets of branches are of chunks alone. */
static roast_code reference_id(run_writer *w, const record_field *field, const void *record, int64_t *id,
                               roast_error *err)
{
    const roast_chunk *chunk = record;
    const roast_str *file;
    roast_str text = field_is_text(field) ? *field_text(field, record) : str_none();
    if (str_absent(text) && field->column == COLUMN_MUST)
        text = STR("");
    switch (field->kind) {
    case KIND_DATASET:
        return string_id(w, &w->datasets, INSERT_DATASET, text, id, err);
    case KIND_WORKER:
        return worker_id(w, text, id, err);
    case KIND_FILE:
        file = field_text(field, record);
        return file_id(w, file[0], file[1], file[2], id, err);
    case KIND_BRANCHES:
        return branch_set_id(w, chunk, id, err);
    default:
        return string_id(w, &w->names, INSERT_NAME, text, id, err);
    }
}

/* What must be there and was said to be absent is what an empty record has. */
static int64_t stored_int(const record_field *field, int64_t value)
{
    if (value != ROAST_ABSENT)
        return value;
    return field->kind == KIND_TIMES ? 1 : field->kind == KIND_DEPTH ? 0 : value;
}

static int64_t stored_flag(const record_field *field, bool value)
{
    return value || field->column == COLUMN_MUST ? value : ROAST_ABSENT;
}

static void row_field(new_row *r, const record_field *field, const void *record, roast_error *err)
{
    int64_t id;
    switch (field->kind) {
    case KIND_REAL:
        row_real(r, *(const double *)field_at(field, record));
        break;
    case KIND_RATE: /* SQLite keeps a real without a fraction as a small integer */
        row_real(r, round(*(const double *)field_at(field, record)));
        break;
    case KIND_FLAG:
        row_int(r, stored_flag(field, *(const bool *)field_at(field, record)));
        break;
    case KIND_HASH:
        row_hash(r, *(const uint64_t *)field_at(field, record));
        break;
    case KIND_TEXT:
    case KIND_UUID:
        row_str(r, *field_text(field, record));
        break;
    case KIND_BRANCHES:
    case KIND_NAME:
    case KIND_DATASET:
    case KIND_WORKER:
    case KIND_FILE:
        if (!r->code && (r->code = reference_id(r->writer, field, record, &id, err)))
            r->failed = true;
        row_int(r, r->code ? ROAST_ABSENT : id);
        break;
    default:
        row_int(r, stored_int(field, *field_int(field, record)));
    }
}

/* The fields of a record that have a column, from the given one on. */
static void row_record(new_row *r, record_id record, size_t first, const void *fields, roast_error *err)
{
    const record_spec *spec = &record_specs[record];
    for (size_t i = first; i < spec->count; i++)
        if (spec->fields[i].column != COLUMN_ELSEWHERE)
            row_field(r, &spec->fields[i], fields, err);
}

static roast_code write_record(run_writer *w, record_id record, int64_t owner, const void *fields, roast_error *err)
{
    new_row r = row_begin_record(w, record, 1, err);
    if (record_ways[record].owner)
        row_int(&r, owner);
    row_record(&r, record, record_ways[record].key_fields, fields, err);
    return row_end(&r, err);
}

/* ---- Records ------------------------------------------------------------------------------------------------- */

/* A record that has no room for its first field says nothing: its size was forgotten. */
static roast_code check_size(record_id record, const void *given, roast_error *err)
{
    const record_spec *spec = &record_specs[record];
    if (*(const size_t *)given > spec->fields[0].offset)
        return ROAST_OK;
    return fail(err, ROAST_USAGE, "a %s without its size; make it with roast_%s_none()", spec->name, spec->name);
}

/* What a file or a chunk brings along says its size as well. */
static roast_code check_sizes(record_id record, const void *given, const void *own, roast_error *err)
{
    const roast_chunk *chunk = own;
    const roast_file *file = own;
    roast_code code = check_size(record, given, err);
    if (!code && record == RECORD_chunk && chunk->n_sections)
        code = check_size(RECORD_section, chunk->sections, err);
    if (!code && record == RECORD_file && file->n_branches)
        code = check_size(RECORD_branch, file->branches, err);
    return code;
}

/* The names of a set that has been written need not be looked at again: most chunks of a job read the same branches. */
static void leave_known_names(run_writer *w, roast_chunk *chunk)
{
    uint64_t hash = chunk->branches ? branch_set_hash(chunk->branches, chunk->n_branches) : 0;
    const uint32_t *set = hash ? u64map_find(&w->branch_set_ids, hash) : NULL;
    if (!set || !w->branch_set_named[*set - 1])
        return;
    chunk->branch_set = hash;
    chunk->branches = NULL;
    chunk->n_branches = 0;
}

/* The record as it may be kept. */
static roast_code take_record(run_writer *w, record_id record, void *own, const void *given, roast_error *err)
{
    record_take(&record_specs[record], own, given);
    roast_code code = check_sizes(record, given, own, err);
    arena_release(&w->stripped);
    if (!code && record == RECORD_chunk)
        leave_known_names(w, own);
    if (!code && !record_strip_secrets(record, own, &w->stripped))
        code = fail_memory(err);
    return code;
}

static roast_code write_key(run_writer *w, enum statement which, roast_str key, roast_value value, roast_error *err)
{
    arena_release(&w->stripped);
    bool is_text = value.kind == ROAST_TEXT;
    if ((is_text && !strip_secrets_of(key, &value.as.text, &w->stripped)) || !strip_secrets(&key, &w->stripped))
        return fail_memory(err);
    new_row r = row_begin(w, which);
    row_str(&r, key);
    switch (value.kind) {
    case ROAST_INT:
        row_int(&r, value.as.integer);
        break;
    case ROAST_REAL:
        row_real(&r, value.as.real);
        break;
    case ROAST_TEXT:
        row_str(&r, value.as.text);
        break;
    case ROAST_NOTHING:
        row_int(&r, ROAST_ABSENT);
        break;
    }
    return row_end(&r, err);
}

roast_code run_write_fact(run_writer *w, const char *key, roast_str value, roast_error *err)
{
    return write_key(w, INSERT_FACT, str_from(key), (roast_value){.kind = ROAST_TEXT, .as.text = value}, err);
}

roast_code run_write_fact_int(run_writer *w, const char *key, int64_t value, roast_error *err)
{
    return write_key(w, INSERT_FACT, str_from(key), (roast_value){.kind = ROAST_INT, .as.integer = value}, err);
}

roast_code run_write_given(run_writer *w, roast_str metric, roast_value value, roast_error *err)
{
    return write_key(w, INSERT_GIVEN, metric, value, err);
}

roast_code run_write_worker(run_writer *w, const roast_worker *given, roast_error *err)
{
    roast_worker worker;
    roast_code code = take_record(w, RECORD_worker, &worker, given, err);
    if (code)
        return code;
    if (str_absent(worker.address))
        return fail(err, ROAST_USAGE, "%s: a worker needs an address", w->path);
    known_worker *known;
    code = worker_at(w, worker.address, &known, err);
    if (!code && known->left && worker.joined_ns != ROAST_ABSENT && worker.left_ns == ROAST_ABSENT)
        code = add_worker(w, (uint32_t)(known - w->workers), err);
    if (code)
        return code;
    known->left = known->left || worker.left_ns != ROAST_ABSENT;
    return write_record(w, RECORD_worker, known->id, &worker, err);
}

roast_code run_write_sample(run_writer *w, const roast_sample *given, roast_error *err)
{
    roast_sample sample;
    roast_code code = take_record(w, RECORD_sample, &sample, given, err);
    if (code)
        return code;
    if (str_absent(sample.worker) || sample.t_ns == ROAST_ABSENT)
        return fail(err, ROAST_USAGE, "%s: a sample needs a worker and a time", w->path);
    return write_record(w, RECORD_sample, 0, &sample, err);
}

roast_code run_write_count(run_writer *w, const roast_worker_count *given, roast_error *err)
{
    roast_worker_count count;
    roast_code code = take_record(w, RECORD_worker_count, &count, given, err);
    if (code)
        return code;
    if (count.t_ns == ROAST_ABSENT || count.workers == ROAST_ABSENT)
        return fail(err, ROAST_USAGE, "%s: a worker count needs a time and a number", w->path);
    return write_record(w, RECORD_worker_count, 0, &count, err);
}

/* Entered once, a section ends where it began plus what it grew by: then that need not be stored. */
static int64_t rss_after_unless_derivable(const roast_section *section)
{
    int64_t grown;
    bool derivable = section->rss_before != ROAST_ABSENT && section->rss_delta != ROAST_ABSENT &&
                     section->rss_after != ROAST_ABSENT &&
                     !__builtin_sub_overflow(section->rss_after, section->rss_before, &grown) &&
                     grown == section->rss_delta;
    return derivable ? ROAST_ABSENT : section->rss_after;
}

static roast_code write_sections(run_writer *w, int64_t chunk, const roast_section *sections, size_t first,
                                 size_t count, roast_error *err)
{
    new_row r = row_begin_record(w, RECORD_section, count, err);
    for (size_t i = 0; i < count; i++) {
        roast_section section;
        record_item(&record_specs[RECORD_section], &section, sections, first + i);
        section.rss_after = rss_after_unless_derivable(&section);
        row_int(&r, chunk);
        row_record(&r, RECORD_section, 0, &section, err);
    }
    return row_end(&r, err);
}

static size_t at_most(size_t count, size_t limit)
{
    return count < limit ? count : limit;
}

static roast_code write_custom(run_writer *w, int64_t chunk, const roast_custom *custom, roast_error *err)
{
    int64_t name;
    roast_code code = name_id(w, custom->name.ptr ? custom->name : STR(""), &name, err);
    if (code)
        return code;
    new_row r = row_begin(w, INSERT_CUSTOM);
    row_int(&r, chunk);
    row_int(&r, name);
    row_blob(&r, custom->msgpack);
    return row_end(&r, err);
}

static uint64_t hash_attempt(const roast_chunk *chunk)
{
    int64_t when[] = {chunk->attempt, chunk->t_start_ns, chunk->thread};
    return XXH3_64bits_withSeed(chunk->worker.ptr, chunk->worker.len,
                                XXH3_64bits_withSeed(when, sizeof when, chunk_identity(chunk)));
}

/* The number of an attempt, by arrival. Where nothing tells the rounds apart, a success ends one. */
static roast_code number_attempt(run_writer *w, roast_chunk *chunk, roast_error *err)
{
    chunk->attempt = 1;
    if (!chunk_is_named(chunk))
        return ROAST_OK;
    uint32_t *next = u64map_at(&w->chunk_attempts, chunk_identity(chunk));
    if (!next)
        return fail_memory(err);
    bool failed = chunk_failed(chunk);
    chunk->attempt = *next ? *next : 1;
    *next = chunk->round == ROAST_ABSENT && !failed ? 1 : (uint32_t)chunk->attempt + 1;
    return ROAST_OK;
}

/* Says whether the record is new, and completes its uid and attempt. Records that say neither where nor when they
 * ran cannot be told apart; each of them counts. */
static roast_code identify_chunk(run_writer *w, roast_chunk *chunk, bool *known, roast_error *err)
{
    bool nameless = !chunk->uid && str_absent(chunk->file) && chunk->t_start_ns == ROAST_ABSENT;
    if (!chunk->uid)
        chunk->uid = nameless ? (uint64_t)w->n_chunks + 1 : hash_attempt(chunk);
    uint32_t *seen = u64map_at(&w->chunk_uids, chunk->uid);
    if (!seen)
        return fail_memory(err);
    *known = *seen && !nameless;
    *seen = 1;
    return *known || chunk->attempt != ROAST_ABSENT ? ROAST_OK : number_attempt(w, chunk, err);
}

roast_code run_write_chunk(run_writer *w, const roast_chunk *given, roast_error *err)
{
    roast_chunk chunk;
    bool known = false;
    roast_code code = take_record(w, RECORD_chunk, &chunk, given, err);
    if (!code)
        code = identify_chunk(w, &chunk, &known, err);
    if (code || known)
        return code;
    w->n_chunks++;
    code = write_record(w, RECORD_chunk, w->n_chunks, &chunk, err);
    for (size_t i = 0, count; !code && i < chunk.n_sections; i += count) {
        count = at_most(chunk.n_sections - i, SECTIONS_AT_ONCE);
        code = write_sections(w, w->n_chunks, chunk.sections, i, count, err);
    }
    for (size_t i = 0; !code && i < chunk.n_custom; i++)
        code = write_custom(w, w->n_chunks, &chunk.custom[i], err);
    return code;
}

/* Every worker that opens a file tells of all its branches: they are written once. */
static roast_code write_branches(run_writer *w, int64_t id, const roast_file *file, roast_error *err)
{
    roast_code code = ROAST_OK;
    if (file->n_branches && file->total_branches == (int64_t)file->n_branches) {
        uint32_t *complete = u64map_at(&w->complete_files, (uint64_t)id);
        if (!complete)
            return fail_memory(err);
        if (*complete)
            return ROAST_OK;
        *complete = 1;
    }
    roast_branch own;
    for (size_t i = 0; !code && i < file->n_branches; i++)
        code =
            write_record(w, RECORD_branch, id, record_item(&record_specs[RECORD_branch], &own, file->branches, i), err);
    return code;
}

roast_code run_write_file(run_writer *w, const roast_file *given, roast_error *err)
{
    roast_file file;
    roast_code code = take_record(w, RECORD_file, &file, given, err);
    if (code)
        return code;
    if (str_absent(file.url))
        return fail(err, ROAST_USAGE, "%s: a file needs an address", w->path);
    int64_t id;
    code = file_id(w, file.url, file.tree, file.uuid, &id, err);
    if (code)
        return code;
    code = write_record(w, RECORD_file, id, &file, err);
    return code ? code : write_branches(w, id, &file, err);
}

roast_code run_write_task(run_writer *w, const roast_task *given, roast_error *err)
{
    roast_task task;
    roast_code code = take_record(w, RECORD_task, &task, given, err);
    if (code)
        return code;
    return write_record(w, RECORD_task, 0, &task, err);
}

roast_code run_write_activity(run_writer *w, const roast_activity *given, roast_error *err)
{
    roast_activity activity;
    roast_code code = take_record(w, RECORD_activity, &activity, given, err);
    if (code)
        return code;
    return isfinite(activity.value) ? write_record(w, RECORD_activity, 0, &activity, err) : ROAST_OK;
}

roast_code run_write_work(run_writer *w, const roast_work *given, roast_error *err)
{
    roast_work work;
    roast_code code = take_record(w, RECORD_work, &work, given, err);
    return code ? code : write_record(w, RECORD_work, 0, &work, err);
}

roast_code run_write_document(run_writer *w, const char *kind, roast_str json, roast_error *err)
{
    arena_release(&w->stripped);
    if (!strip_secrets_in_json(&json, &w->stripped))
        return fail_memory(err);
    new_row r = row_begin(w, INSERT_DOCUMENT);
    row_str(&r, str_from(kind));
    row_str(&r, json.ptr ? json : STR("null"));
    return row_end(&r, err);
}

roast_code run_write_note(run_writer *w, const char *level, roast_str text, roast_error *err)
{
    roast_str kept_level = str_from(level);
    arena_release(&w->stripped);
    if (!strip_secrets(&text, &w->stripped) || !strip_secrets(&kept_level, &w->stripped))
        return fail_memory(err);
    new_row r = row_begin(w, INSERT_NOTE);
    row_int(&r, clock_wall_ns());
    row_str(&r, kept_level);
    row_str(&r, text.ptr ? text : STR(""));
    return row_end(&r, err);
}

/* ---- Opening and closing ------------------------------------------------------------------------------------- */

static void finalize(sqlite3_stmt **statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sqlite3_finalize(statements[i]);
        statements[i] = NULL;
    }
}

static void finalize_statements(run_writer *w)
{
    finalize(w->statements, STATEMENT_COUNT);
    finalize(w->records, RECORD_COUNT);
    finalize(w->sections, SECTIONS_AT_ONCE);
}

static void writer_free(run_writer *w)
{
    if (!w)
        return;
    finalize_statements(w);
    hold_release(&w->hold);
    sqlite3_close(w->db);
    hold_close(&w->hold);
    intern_release(&w->names);
    intern_release(&w->datasets);
    intern_release(&w->files);
    intern_release(&w->addresses);
    u64map_release(&w->chunk_uids);
    u64map_release(&w->chunk_attempts);
    u64map_release(&w->complete_files);
    u64map_release(&w->branch_set_ids);
    arena_release(&w->stripped);
    free(w->branch_set_named);
    free(w->workers);
    free(w->path);
    free(w);
}

/* What may be replaced: a run file, or nothing yet. */
static bool is_run_or_empty(const char *path)
{
    unsigned char head[72];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t length = read(fd, head, sizeof head);
    close(fd);
    uint32_t application = 0;
    for (size_t i = 68; length == (ssize_t)sizeof head && i < sizeof head; i++)
        application = application << 8 | head[i];
    return length == 0 || application == RUN_APPLICATION_ID;
}

roast_code run_check_replaceable(const char *path, roast_error *err)
{
    return is_run_or_empty(path)
               ? ROAST_OK
               : fail(err, ROAST_USAGE, "%s: is no run file, so it is not replaced; choose another name", path);
}

/* Claims the name, so that two writers cannot take the same file and an existing one is not lost. */
static roast_code claim_file(const char *path, const roast_recorder_options *options, roast_error *err)
{
    bool overwrite = options->overwrite;
    mode_t mode = options->mode ? (mode_t)options->mode : 0666; /* SQLite gives the files beside it the same */
    roast_code code = overwrite ? run_check_replaceable(path, err) : ROAST_OK;
    if (code)
        return code;
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), mode);
    if (fd < 0 && errno == EEXIST)
        return fail(err, ROAST_USAGE, "%s: exists already; choose another name or remove it first", path);
    if (fd < 0)
        return fail(err, ROAST_IO, "%s: cannot be created: %s", path, strerror(errno));
    close(fd);
    static const char *const companions[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 3; i++) {
        char *companion;
        if (asprintf(&companion, "%s%s", path, companions[i]) < 0)
            return fail_memory(err);
        unlink(companion);
        free(companion);
    }
    return ROAST_OK;
}

static roast_code make_tables(run_writer *w, roast_error *err)
{
    buf schema = {0};
    sql_schema(&schema);
    roast_code code = schema.code ? fail_memory(err) : database_exec(w->db, w->path, schema.data, err);
    buf_release(&schema);
    return code;
}

static roast_code open_database(run_writer *w, bool network, roast_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(w->path, &w->db, flags, network ? "unix-none" : NULL) != SQLITE_OK)
        return database_fail(w->db, w->path, "opening", err);
    sqlite3_busy_timeout(w->db, LONGEST_WAIT_FOR_READERS_MS); /* who waits for the file may look at it already */
    int reserve = RUN_SEAL_BYTES;
    sqlite3_file_control(w->db, NULL, SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas, "PRAGMA page_size=4096; PRAGMA application_id=%d; PRAGMA user_version=%d;",
             RUN_APPLICATION_ID, RUN_VERSION);
    roast_code code = database_exec(w->db, w->path, pragmas, err);
    if (!code)
        code = database_exec(w->db, w->path, "BEGIN", err);
    if (!code)
        code = make_tables(w, err);
    if (!code)
        code = database_exec(w->db, w->path, "COMMIT", err);
    return code;
}

/* On a local disk a write-ahead log lets others read while we write. On a network file system locks and shared
 * memory cannot be relied on: there a rollback journal that stays for the length of the run tells readers that the
 * run is not finished. */
static roast_code choose_journal(run_writer *w, bool network, roast_error *err)
{
    if (w->in_memory)
        return ROAST_OK;
    if (!network)
        return database_exec(w->db, w->path,
                             "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000", err);
    roast_code code = database_exec(w->db, w->path, "PRAGMA journal_mode=PERSIST; PRAGMA synchronous=NORMAL", err);
    if (!code)
        code = run_write_note(w, "info",
                              STR("The run file is on a network file system: written without locks, with a "
                                  "rollback journal."),
                              err);
    return code;
}

static roast_code write_first_facts(run_writer *w, const char *name, roast_error *err)
{
    buf identity = {0};
    database_process_identity(&identity, getpid());
    roast_code code = run_write_fact(w, "state", STR("recording"), err);
    if (!code)
        code = run_write_fact_int(w, "created_ns", clock_wall_ns(), err);
    if (!code)
        code = run_write_fact(w, "roastcoffea", str_from(roast_version()), err);
    if (!code && identity.len)
        code = run_write_fact(w, "writer_process", buf_view(&identity), err);
    if (!code && name)
        code = run_write_fact(w, "name", str_from(name), err);
    buf_release(&identity);
    return code ? code : run_writer_commit(w, err);
}

roast_code run_writer_open(run_writer **out, const char *path, const roast_recorder_options *given, roast_error *err)
{
    *out = NULL;
    roast_recorder_options options = {.size = sizeof options};
    SIZED_OPTIONS(&options, given, overwrite);
    run_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->path = strdup(path))) {
        writer_free(w);
        return fail_memory(err);
    }
    w->empty_branch_set = ROAST_ABSENT;
    w->in_memory = strcmp(path, ":memory:") == 0;
    bool network = !w->in_memory && database_on_network(path);
    roast_code code = w->in_memory ? ROAST_OK : claim_file(path, &options, err);
    bool claimed = !code && !w->in_memory;
    if (!code)
        code = open_database(w, network, err);
    if (!code)
        code = choose_journal(w, network, err);
    if (!code)
        code = write_first_facts(w, options.name, err);
    if (!code)
        sqlite3_busy_timeout(w->db, 0);
    if (!code && !w->in_memory && !network)
        hold_take(&w->hold, path);
    if (code) {
        writer_free(w);
        if (claimed)
            unlink(path); /* an empty file is of no use to anyone */
        return code;
    }
    *out = w;
    return ROAST_OK;
}

roast_code run_writer_commit(run_writer *w, roast_error *err)
{
    if (!w->in_transaction)
        return ROAST_OK;
    roast_code code = database_exec(w->db, w->path, "COMMIT", err);
    w->in_transaction = sqlite3_get_autocommit(w->db) == 0;
    return code;
}

static roast_code write_outcome(run_writer *w, roast_outcome outcome, roast_error *err)
{
    roast_code code = forget_nameless_sets(w, err);
    if (!code)
        code = run_write_fact(w, "state", str_from(roast_outcome_name(outcome)), err);
    if (!code)
        code = run_write_fact_int(w, "closed_ns", clock_wall_ns(), err);
    return code ? code : run_writer_commit(w, err);
}

roast_code run_writer_finish(run_writer *w, roast_outcome outcome, roast_error *err)
{
    roast_code code = run_write_fact(w, "state", str_from(roast_outcome_name(outcome)), err);
    if (!code)
        code = run_writer_commit(w, err);
    if (!code && !w->in_memory)
        sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return code;
}

/* Puts a run that has ended into one file, to be sealed. Somebody who is reading it at this moment may keep us from
 * that; it is complete all the same, and the last one to leave puts it together. */
static roast_code put_into_one_file(run_writer *w, bool *in_one_file, roast_error *err)
{
    *in_one_file = false;
    if (w->in_memory)
        return ROAST_OK;
    finalize_statements(w);
    hold_release(&w->hold);
    sqlite3_busy_timeout(w->db, LONGEST_WAIT_FOR_READERS_MS);
    int code = sqlite3_exec(w->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    if ((code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED)
        return ROAST_OK;
    *in_one_file = code == SQLITE_OK;
    return *in_one_file ? ROAST_OK : database_fail(w->db, w->path, "writing", err);
}

roast_code run_writer_close(run_writer *w, roast_outcome outcome, roast_error *err)
{
    if (!w)
        return ROAST_OK;
    roast_code code = write_outcome(w, outcome, err);
    bool in_one_file = false;
    if (!code)
        code = put_into_one_file(w, &in_one_file, err);
    char *path = w->path;
    w->path = NULL;
    writer_free(w);
    if (!code && in_one_file)
        code = seal_write(path, err);
    free(path);
    return code;
}

roast_code run_writer_into_run(run_writer *w, roast_outcome outcome, roast_run **out, roast_error *err)
{
    *out = NULL;
    roast_code code = write_outcome(w, outcome, err);
    if (!code) {
        finalize_statements(w);
        code = run_adopt(out, w->db, err);
        w->db = NULL;
    }
    writer_free(w);
    return code;
}
