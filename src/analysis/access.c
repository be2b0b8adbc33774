/* Chunks of one file mostly read one set of branches, so each pair of a file and a set is summed up once: the pairs are
 * collected from the chunks, then branches are visited file by file, where the pairs of the file in hand own the names
 * of their sets. */
#include "analysis/access.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/name_readers.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/msgpack_read.h"
#include "base/room.h"
#include "base/str.h"

typedef struct access_sums {
    uint32_t file, set;
    int64_t compressed, uncompressed;
} access_sums;

/* ---- Summed up ----------------------------------------------------------------------------------------------- */

static uint64_t pair_key(const run_chunk *row)
{
    return (uint64_t)row->file << 32 | row->branch_set;
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    access_table *table = context;
    if (row->file == RUN_UNKNOWN || row->branch_set == RUN_UNKNOWN)
        return ROAST_OK;
    uint32_t *place = u64map_at(&table->pairs, pair_key(row));
    if (!place || *place)
        return place ? ROAST_OK : ROAST_MEMORY;
    *place = (uint32_t)table->n_sums + 1;
    access_sums *sums = with_room(table->sums, table->n_sums, &table->sums_capacity, sizeof *sums);
    if (!sums)
        return ROAST_MEMORY;
    table->sums = sums;
    sums[table->n_sums++] = (access_sums){row->file, row->branch_set, ROAST_ABSENT, ROAST_ABSENT};
    return ROAST_OK;
}

typedef struct access_pass {
    const roast_run *run;
    access_sums **by_file;
    size_t count, next_pair;
    uint32_t file_in_hand;
    name_readers readers; /* places in by_file */
} access_pass;

static int compare_files(const void *left, const void *right)
{
    const access_sums *a = *(access_sums *const *)left, *b = *(access_sums *const *)right;
    return (a->file > b->file) - (a->file < b->file);
}

static bool take_file(access_pass *pass, uint32_t file)
{
    name_readers_clear(&pass->readers);
    pass->file_in_hand = file;
    while (pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file < file)
        pass->next_pair++;
    for (; pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file == file; pass->next_pair++)
        if (!name_readers_add(&pass->readers, pass->run, pass->by_file[pass->next_pair]->set,
                              (uint32_t)pass->next_pair))
            return false;
    return true;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    access_pass *pass = context;
    if (file == RUN_UNKNOWN || name == RUN_UNKNOWN)
        return ROAST_OK;
    if (file != pass->file_in_hand && !take_file(pass, file))
        return ROAST_MEMORY;
    for (uint32_t i = pass->readers.first[name]; i; i = pass->readers.entries[i].next) {
        access_sums *pair = pass->by_file[pass->readers.entries[i].owner];
        add_measured(&pair->compressed, branch->compressed);
        add_measured(&pair->uncompressed, branch->uncompressed);
    }
    return ROAST_OK;
}

static roast_code sum_up(access_table *table, roast_run *run, roast_error *err)
{
    arena scratch = {0};
    access_pass pass = {.run = run, .count = table->n_sums, .file_in_hand = RUN_UNKNOWN};
    pass.by_file = arena_alloc(&scratch, table->n_sums, sizeof *pass.by_file);
    roast_code code = name_readers_init(&pass.readers, run) && pass.by_file ? ROAST_OK : ROAST_MEMORY;
    for (size_t i = 0; !code && i < table->n_sums; i++)
        pass.by_file[i] = &table->sums[i];
    if (!code) {
        qsort(pass.by_file, table->n_sums, sizeof *pass.by_file, compare_files);
        code = run_each_branch(run, see_branch, &pass, err);
    }
    name_readers_release(&pass.readers);
    arena_release(&scratch);
    return code;
}

/* ---- Stated -------------------------------------------------------------------------------------------------- */

enum { STATED_BRANCHES, STATED_COMPRESSED, STATED_UNCOMPRESSED, STATED_BRANCHES_PERCENT, STATED_BYTES_PERCENT, STATED };

static const char *const STATED_NAMES[STATED] = {"num_branches_accessed", "accessed_bytes",
                                                 "accessed_uncompressed_bytes", "branches_read_percent",
                                                 "bytes_read_percent"};

typedef struct access_statement {
    double values[STATED]; /* NAN: none */
} access_statement;

typedef struct statement_pass {
    access_table *table;
    uint32_t names[STATED];
} statement_pass;

static access_statement *statement_about(access_table *table, int64_t chunk)
{
    uint32_t *place = u64map_at(&table->stated, (uint64_t)chunk);
    access_statement *all = with_room(table->statements, table->n_statements, &table->statements_capacity, sizeof *all);
    if (!place || !all)
        return NULL;
    table->statements = all;
    if (!*place) {
        *place = (uint32_t)table->n_statements + 1;
        all[table->n_statements++] =
            (access_statement){{(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN}};
    }
    return &all[*place - 1];
}

/* A user may have a value of this name that is something else. */
static roast_code see_custom(void *context, int64_t chunk, uint32_t name, roast_str msgpack)
{
    statement_pass *pass = context;
    cursor c = cursor_over(msgpack.ptr, msgpack.len);
    mp_value stated = mp_read(&c);
    double value = stated.kind == MP_INT ? (double)stated.as.integer : stated.kind == MP_REAL ? stated.as.real : -1;
    if (!(value >= 0 && value < 9e18))
        return ROAST_OK;
    for (size_t i = 0; i < STATED; i++)
        if (pass->names[i] == name) {
            access_statement *about = statement_about(pass->table, chunk);
            if (!about)
                return ROAST_MEMORY;
            about->values[i] = value;
        }
    return ROAST_OK;
}

static roast_code read_statements(access_table *table, roast_run *run, roast_error *err)
{
    statement_pass pass = {.table = table};
    bool any = false;
    for (size_t i = 0; i < STATED; i++)
        pass.names[i] = RUN_UNKNOWN;
    for (uint32_t name = 0; name < run_names(run); name++)
        for (size_t i = 0; i < STATED; i++)
            if (str_equal(run_name(run, name), str_from(STATED_NAMES[i]))) {
                pass.names[i] = name;
                any = true;
            }
    return any ? run_each_custom(run, see_custom, &pass, err) : ROAST_OK;
}

/* ---- Asked --------------------------------------------------------------------------------------------------- */

roast_code access_read(access_table *out, roast_run *run, roast_error *err)
{
    *out = (access_table){0};
    roast_code code = run_each_chunk(run, RUN_MEASURES, see_chunk, out, err);
    if (!code)
        code = sum_up(out, run, err);
    if (!code)
        code = read_statements(out, run, err);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

static double percent(int64_t part, int64_t whole)
{
    return part == ROAST_ABSENT || whole <= 0 ? (double)NAN : 100.0 * (double)part / (double)whole;
}

static void take_statement(branch_access *access, const access_statement *stated)
{
    int64_t *const counts[] = {&access->branches, &access->compressed, &access->uncompressed};
    double *const percents[] = {&access->branches_percent, &access->bytes_percent};
    for (size_t i = 0; i < 3; i++)
        if (*counts[i] == ROAST_ABSENT && isfinite(stated->values[i]))
            *counts[i] = llround(stated->values[i]);
    for (size_t i = 0; i < 2; i++)
        if (!isfinite(*percents[i]))
            *percents[i] = stated->values[STATED_BRANCHES_PERCENT + i];
}

branch_access access_of(access_table *table, const roast_run *run, const run_chunk *row)
{
    branch_access access = {ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT, (double)NAN, (double)NAN};
    uint32_t *pair = u64map_find(&table->pairs, pair_key(row));
    uint32_t *stated = u64map_find(&table->stated, (uint64_t)row->id);
    const roast_file *file = run_file(run, row->file);
    size_t count;
    if (run_branch_set(run, row->branch_set, &count))
        access.branches = (int64_t)count;
    if (pair) {
        access.compressed = table->sums[*pair - 1].compressed;
        access.uncompressed = table->sums[*pair - 1].uncompressed;
    }
    if (file) {
        access.branches_percent = percent(access.branches, file->total_branches);
        access.bytes_percent = percent(access.compressed, file->compressed);
    }
    if (stated)
        take_statement(&access, &table->statements[*stated - 1]);
    return access;
}

void access_release(access_table *table)
{
    u64map_release(&table->pairs);
    u64map_release(&table->stated);
    free(table->sums);
    free(table->statements);
    *table = (access_table){0};
}
