/* Rows of branches, and what the datasets and the run say of branches and of the collections they belong to. They
 * are sorted so that the branches of a dataset stand together, those that were read first, the largest first. */
#include <math.h>
#include <stdlib.h>

#include "analysis/branches.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/str.h"
#include "model/branch_set.h"
#include "model/facts.h"

enum { COLLECTIONS_NAMED = 3 };

/* Branches of a dataset that belong together. */
typedef struct collection_tally {
    int64_t columns, columns_read; /* its counter is none of them */
    int64_t unread_bytes;
    uint32_t read_name; /* of the column that was read last */
    bool jagged;        /* its length differs from event to event */
} collection_tally;

typedef struct row_pass {
    analysis *a;
    branch_tally *branches; /* sorted */
    size_t count;
    const dataset_bytes *datasets;
    intern collections; /* of the dataset in hand; the number is the index */
    collection_tally *tallies;
    intern one_column; /* of any dataset */
    buf text;
} row_pass;

/* ---- Order ----------------------------------------------------------------------------------------------------- */

static int compare_tallies(const void *left, const void *right, void *context)
{
    const branch_tally *a = left, *b = right;
    if (a->dataset != b->dataset)
        return a->dataset < b->dataset ? -1 : 1;
    if (a->read != b->read)
        return a->read ? -1 : 1;
    if (a->compressed != b->compressed)
        return a->compressed > b->compressed ? -1 : 1;
    return str_compare(run_name(context, a->name), run_name(context, b->name));
}

/* ---- Collections ----------------------------------------------------------------------------------------------- */

/* nJet or Jet_size counts Jet, if there is a collection of that name. */
static uint32_t counted_collection(const row_pass *pass, roast_str name)
{
    roast_str ending = STR("_size");
    if (name.len > 1 && name.ptr[0] == 'n')
        return intern_find(&pass->collections, (roast_str){name.ptr + 1, name.len - 1});
    if (name.len > ending.len && str_ends_with(name, ending))
        return intern_find(&pass->collections, (roast_str){name.ptr, name.len - ending.len});
    return INTERN_NONE;
}

static void add_to_collection(row_pass *pass, const branch_tally *branch)
{
    roast_str name = run_name(pass->a->run, branch->name);
    uint32_t counted = counted_collection(pass, name);
    bool counter = counted != INTERN_NONE;
    collection_tally *tally =
        &pass->tallies[counter ? counted : intern_find(&pass->collections, branch_collection(name))];
    tally->jagged |= counter || memchr(name.ptr, '.', name.len) != NULL;
    if (!branch->read)
        add_measured(&tally->unread_bytes, branch->compressed);
    if (counter)
        return;
    tally->columns++;
    if (branch->read) {
        tally->columns_read++;
        tally->read_name = branch->name;
    }
}

static bool collect(row_pass *pass, const branch_tally *branches, size_t count)
{
    intern_release(&pass->collections);
    free(pass->tallies);
    pass->collections = (intern){0};
    pass->tallies = calloc(count + 1, sizeof *pass->tallies);
    for (size_t i = 0; i < count; i++) {
        roast_str name = run_name(pass->a->run, branches[i].name);
        if (intern_add(&pass->collections, branch_collection(name), NULL) == INTERN_NONE)
            return false;
    }
    for (size_t i = 0; pass->tallies && i < count; i++)
        add_to_collection(pass, &branches[i]);
    return pass->tallies != NULL;
}

/* The one with most unread bytes of those that are not named yet; INTERN_NONE if none has any. */
static uint32_t next_unread(const row_pass *pass, const uint32_t *named, size_t count)
{
    uint32_t largest = INTERN_NONE;
    for (uint32_t i = 0; i < pass->collections.count; i++) {
        bool taken = pass->tallies[i].unread_bytes <= 0;
        for (size_t k = 0; k < count; k++)
            taken |= named[k] == i;
        if (!taken && (largest == INTERN_NONE || pass->tallies[i].unread_bytes > pass->tallies[largest].unread_bytes))
            largest = i;
    }
    return largest;
}

static void write_mostly_unread(row_pass *pass, size_t row, int64_t tree_bytes)
{
    uint32_t named[COLLECTIONS_NAMED];
    buf_clear(&pass->text);
    for (size_t i = 0; i < COLLECTIONS_NAMED; i++) {
        named[i] = next_unread(pass, named, i);
        if (named[i] == INTERN_NONE)
            break;
        buf_text(&pass->text, i ? ", " : "");
        buf_str(&pass->text, pass->collections.strings[named[i]]);
        double share = ratio(100 * (double)pass->tallies[named[i]].unread_bytes, as_real(tree_bytes));
        if (isfinite(share))
            buf_format(&pass->text, " %.0f %%", share);
    }
    if (pass->text.len)
        summary_cell_text(pass->a->summary, M_dataset_mostly_unread, row, buf_view(&pass->text));
}

/* A collection whose columns come with a length of their own, of which only one column was of use. */
static bool is_one_column(const collection_tally *tally)
{
    return tally->jagged && tally->columns > 1 && tally->columns_read == 1;
}

static bool write_one_column(row_pass *pass, size_t row)
{
    size_t found = 0;
    buf_clear(&pass->text);
    for (uint32_t i = 0; i < pass->collections.count; i++) {
        if (!is_one_column(&pass->tallies[i]))
            continue;
        if (intern_add(&pass->one_column, pass->collections.strings[i], NULL) == INTERN_NONE)
            return false;
        if (found++ >= COLLECTIONS_NAMED)
            continue;
        buf_text(&pass->text, found > 1 ? ", " : "");
        buf_str(&pass->text, run_name(pass->a->run, pass->tallies[i].read_name));
    }
    if (found > COLLECTIONS_NAMED)
        buf_format(&pass->text, " and %zu more", found - COLLECTIONS_NAMED);
    if (found)
        summary_cell_text(pass->a->summary, M_dataset_one_column_collections, row, buf_view(&pass->text));
    return pass->text.code == ROAST_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

static void fill_row(row_pass *pass, size_t row, const branch_tally *tally)
{
    roast_summary *summary = pass->a->summary;
    roast_str dataset = run_dataset(pass->a->run, tally->dataset);
    double compressed = as_real(tally->compressed);
    summary_cell_text(summary, M_branch_dataset, row, str_absent(dataset) ? STR("unknown") : dataset);
    summary_cell_text(summary, M_branch_branch, row, run_name(pass->a->run, tally->name));
    summary_cell_text(summary, M_branch_access, row, tally->read ? STR("read") : STR("not read"));
    summary_cell_real(summary, M_branch_bytes_per_event, row, ratio(compressed, as_real(tally->entries)));
    summary_cell_real(summary, M_branch_share_percent, row,
                      ratio(100 * compressed, as_real(pass->datasets[tally->dataset].tree)));
    summary_cell_int(summary, M_branch_compressed_bytes, row, tally->compressed);
    summary_cell_int(summary, M_branch_uncompressed_bytes, row, tally->uncompressed);
    summary_cell_real(summary, M_branch_times_smaller, row, ratio(as_real(tally->uncompressed), compressed));
    summary_cell_int(summary, M_branch_baskets, row, tally->baskets);
    if (tally->files == 0) /* nothing is known of the files it is in */
        return;
    summary_cell_int(summary, M_branch_files, row, tally->files);
    summary_cell_int(summary, M_branch_files_read, row, tally->files_read);
}

/* The branches of one dataset, which stand together. */
static bool fill_dataset(row_pass *pass, const branch_tally *branches, size_t count)
{
    roast_summary *summary = pass->a->summary;
    size_t row = branches->dataset, read = 0, known = 0;
    const dataset_bytes *bytes = &pass->datasets[row];
    for (size_t i = 0; i < count; i++) {
        read += branches[i].read;
        known += branches[i].files > 0;
    }
    summary_cell_int(summary, M_dataset_branches_read, row, (int64_t)read);
    if (known == 0)
        return true;
    summary_cell_int(summary, M_dataset_total_branches, row, (int64_t)count);
    summary_cell_real(summary, M_dataset_branches_read_percent, row, 100 * (double)read / (double)count);
    summary_cell_int(summary, M_dataset_tree_bytes, row, bytes->tree);
    summary_cell_int(summary, M_dataset_branch_bytes_read, row, bytes->read);
    summary_cell_real(summary, M_dataset_bytes_read_percent, row,
                      ratio(100 * as_real(bytes->read), as_real(bytes->tree)));
    summary_cell_int(summary, M_dataset_least_bytes_to_read, row, whole_number(bytes->least));
    summary_cell_real(summary, M_dataset_read_amplification, row,
                      ratio(as_real(pass->a->datasets[row].bytes_read), bytes->least));
    if (!collect(pass, branches, count) || !write_one_column(pass, row))
        return false;
    write_mostly_unread(pass, row, bytes->tree);
    return pass->text.code == ROAST_OK;
}

static bool fill_datasets(row_pass *pass)
{
    for (size_t first = 0, end; first < pass->count; first = end) {
        end = first;
        while (end < pass->count && pass->branches[end].dataset == pass->branches[first].dataset)
            end++;
        if (!fill_dataset(pass, &pass->branches[first], end - first))
            return false;
    }
    return true;
}

/* Distinct names of branches that a file has; ROAST_ABSENT if no file tells. */
static int64_t count_available(const row_pass *pass, arena *scratch, bool *failed)
{
    unsigned char *seen = arena_alloc(scratch, run_names(pass->a->run), 1);
    int64_t count = 0;
    *failed = !seen;
    for (size_t i = 0; seen && i < pass->count; i++) {
        const branch_tally *tally = &pass->branches[i];
        if (tally->files == 0 || seen[tally->name])
            continue;
        seen[tally->name] = 1;
        count++;
    }
    return count ? count : ROAST_ABSENT;
}

static bool fill_all(row_pass *pass, arena *scratch)
{
    bool failed;
    roast_summary *summary = pass->a->summary;
    int64_t available = count_available(pass, scratch, &failed);
    if (failed || !summary_add_rows(summary, ROAST_SCOPE_BRANCH, pass->count) || !fill_datasets(pass))
        return false;
    for (size_t i = 0; i < pass->count; i++)
        fill_row(pass, i, &pass->branches[i]);
    summary_set_int(summary, M_run_total_branches_available, available);
    if (available != ROAST_ABSENT)
        summary_set_int(summary, M_run_one_column_collections, (int64_t)pass->one_column.count);
    return true;
}

/* The tallies in order, with a row for chunks that name no dataset: after the others. */
static bool sort_branches(row_pass *pass, arena *scratch)
{
    const branch_list *list = &pass->a->branches.branches;
    pass->count = list->count;
    pass->branches = arena_grow(scratch, list->tallies, list->count, list->count, sizeof *pass->branches);
    for (size_t i = 0; pass->branches && i < pass->count; i++)
        if (pass->branches[i].dataset == RUN_UNKNOWN)
            pass->branches[i].dataset = (uint32_t)run_datasets(pass->a->run);
    if (pass->branches)
        qsort_r(pass->branches, pass->count, sizeof *pass->branches, compare_tallies, pass->a->run);
    return pass->branches;
}

roast_code fill_branch_rows(analysis *a, const dataset_bytes *datasets, roast_error *err)
{
    arena scratch = {0};
    row_pass pass = {.a = a, .datasets = datasets};
    bool filled = sort_branches(&pass, &scratch) && fill_all(&pass, &scratch);
    arena_release(&scratch);
    intern_release(&pass.collections);
    intern_release(&pass.one_column);
    free(pass.tallies);
    buf_release(&pass.text);
    return filled ? ROAST_OK : fail_memory(err);
}
