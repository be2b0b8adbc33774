/* Files and branches: which branches of each file the chunks read, and how much of the file that is. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

typedef struct file_tally {
    int64_t branches_read; /* ROAST_ABSENT if no chunk of it carried an access log */
    int64_t bytes_read;    /* compressed size of these branches */
} file_tally;

typedef struct branch_pass {
    analysis *a;
    read_set *pairs; /* sorted by file */
    size_t count;
    file_tally *files;
    unsigned char *read; /* by name: read from the file in hand, or from any file */
    uint32_t file_in_hand;
    size_t next_pair;
} branch_pass;

/* ---- Which sets of branches were read from which file ---------------------------------------------------------- */

bool read_set_add(read_set_list *list, uint32_t file, uint32_t set)
{
    if (set == RUN_UNKNOWN || file == RUN_UNKNOWN)
        return true;
    uint32_t *seen = u64map_at(&list->seen, (uint64_t)file << 32 | set);
    if (!seen)
        return false;
    if (*seen)
        return true;
    *seen = 1;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        read_set *pairs = realloc(list->pairs, capacity * sizeof *pairs);
        if (!pairs)
            return false;
        list->pairs = pairs;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = (read_set){file, set};
    return true;
}

static int compare_pairs(const void *left, const void *right)
{
    const read_set *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->set > b->set) - (a->set < b->set);
}

/* ---- Marking names: one array, marked for a file and unmarked again ------------------------------------------- */

static size_t mark_set(branch_pass *pass, uint32_t set, unsigned char mark)
{
    size_t count, changed = 0;
    const uint32_t *names = run_branch_set(pass->a->run, set, &count);
    for (size_t i = 0; i < count; i++) {
        if (names[i] == RUN_UNKNOWN || pass->read[names[i]] == mark)
            continue;
        pass->read[names[i]] = mark;
        changed++;
    }
    return changed;
}

/* Marks all sets of the file whose pairs begin at first; gives the end of its pairs. */
static size_t mark_file(branch_pass *pass, size_t first, unsigned char mark, size_t *changed)
{
    size_t i = first;
    for (*changed = 0; i < pass->count && pass->pairs[i].file == pass->pairs[first].file; i++)
        *changed += mark_set(pass, pass->pairs[i].set, mark);
    return i;
}

static void count_branches_per_file(branch_pass *pass)
{
    for (size_t first = 0, next; first < pass->count; first = next) {
        size_t branches, unmarked;
        next = mark_file(pass, first, 1, &branches);
        mark_file(pass, first, 0, &unmarked);
        pass->files[pass->pairs[first].file].branches_read = (int64_t)branches;
    }
}

static size_t count_branches_of_run(branch_pass *pass)
{
    size_t total = 0;
    for (uint32_t set = 0; set < run_branch_sets(pass->a->run); set++)
        total += mark_set(pass, set, 1);
    for (uint32_t set = 0; set < run_branch_sets(pass->a->run); set++)
        mark_set(pass, set, 0);
    return total;
}

/* Rows come file by file, as pairs do: both are walked together. */
static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    branch_pass *pass = context;
    size_t changed;
    if (file == RUN_UNKNOWN || name == RUN_UNKNOWN)
        return ROAST_OK;
    if (file != pass->file_in_hand) {
        if (pass->next_pair < pass->count && pass->pairs[pass->next_pair].file == pass->file_in_hand)
            pass->next_pair = mark_file(pass, pass->next_pair, 0, &changed);
        while (pass->next_pair < pass->count && pass->pairs[pass->next_pair].file < file)
            pass->next_pair++;
        if (pass->next_pair < pass->count && pass->pairs[pass->next_pair].file == file)
            mark_file(pass, pass->next_pair, 1, &changed);
        pass->file_in_hand = file;
    }
    if (pass->read[name])
        add_measured(&pass->files[file].bytes_read, branch->compressed);
    return ROAST_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

static double count_of(int64_t value)
{
    return value == ROAST_ABSENT ? (double)NAN : (double)value;
}

static void fill_row(branch_pass *pass, uint32_t i, roast_summary *summary)
{
    const roast_file *file = run_file(pass->a->run, i);
    const chunk_tally *chunks = &pass->a->files[i];
    file_tally *tally = &pass->files[i];
    if (tally->bytes_read == ROAST_ABSENT)
        tally->bytes_read = file->bytes_read;
    double seconds = clock_seconds(chunks->process_ns);
    double compressed = count_of(file->compressed), uncompressed = count_of(file->uncompressed);
    summary_cell_text(summary, M_file_file, i, file->url);
    summary_cell_int(summary, M_file_num_chunks, i, chunks->chunks);
    summary_cell_int(summary, M_file_failed, i, chunks->failed);
    summary_cell_int(summary, M_file_total_events, i, chunks->events);
    summary_cell_real(summary, M_file_total_duration, i, seconds);
    summary_cell_real(summary, M_file_open_seconds, i, clock_seconds(chunks->open_ns));
    summary_cell_real(summary, M_file_rate_khz, i, ratio((double)chunks->events, seconds * 1000));
    summary_cell_real(summary, M_file_compression_ratio, i, ratio(compressed, uncompressed));
    summary_cell_real(summary, M_file_times_smaller, i, ratio(uncompressed, compressed));
    summary_cell_int(summary, M_file_total_branches, i, file->total_branches);
    summary_cell_int(summary, M_file_branches_read, i, tally->branches_read);
    summary_cell_real(summary, M_file_branches_read_percent, i,
                      ratio(100 * count_of(tally->branches_read), count_of(file->total_branches)));
    summary_cell_int(summary, M_file_total_tree_bytes, i, file->compressed);
    summary_cell_int(summary, M_file_tree_uncompressed_bytes, i, file->uncompressed);
    summary_cell_int(summary, M_file_bytes_read, i, tally->bytes_read);
    summary_cell_real(summary, M_file_bytes_read_percent, i, ratio(100 * count_of(tally->bytes_read), compressed));
    summary_cell_text(summary, M_file_algorithm, i, file->algorithm);
    summary_cell_int(summary, M_file_level, i, file->level);
    summary_cell_int(summary, M_file_clusters, i, file->clusters);
}

static double mean_of_column(const roast_summary *summary, metric_id column)
{
    moments m = {0};
    for (size_t i = 0; i < summary->rows[ROAST_SCOPE_file].count; i++) {
        roast_value value = summary_cell(summary, column, i);
        if (value.kind == ROAST_REAL)
            moments_add(&m, value.as.real);
    }
    return moments_mean(&m);
}

/* The report's columns serve where no chunk carried an access log. */
static roast_code count_branches_read(branch_pass *pass, int64_t *count, roast_error *err)
{
    if (!run_branch_sets(pass->a->run))
        return run_document_count(pass->a->run, "report", "$.columns", "-data", count, err);
    *count = (int64_t)count_branches_of_run(pass);
    return ROAST_OK;
}

static void set_run_metrics(branch_pass *pass, int64_t branches_read, roast_summary *summary)
{
    size_t files = run_files(pass->a->run);
    if (files)
        summary_set_int(summary, M_run_num_files, (int64_t)files);
    summary_set_int(summary, M_run_total_branches_read, branches_read);
    summary_set_real(summary, M_run_avg_branches_read_percent, mean_of_column(summary, M_file_branches_read_percent));
    summary_set_real(summary, M_run_avg_bytes_read_percent, mean_of_column(summary, M_file_bytes_read_percent));
    summary_set_real(summary, M_run_avg_compression_ratio, mean_of_column(summary, M_file_compression_ratio));
    summary_set_why(summary, M_run_num_files, "no record names a file");
    summary_set_why(summary, M_run_total_branches_read, "no chunk carried an access log");
    for (metric_id id = M_run_avg_branches_read_percent; id <= M_run_avg_compression_ratio; id++)
        summary_set_why(summary, id, "no file metadata");
}

static roast_code pass_over_branches(branch_pass *pass, arena *scratch, roast_error *err)
{
    analysis *a = pass->a;
    size_t files = run_files(a->run);
    pass->files = arena_alloc(scratch, files, sizeof *pass->files);
    pass->read = arena_alloc(scratch, run_names(a->run), 1);
    if (!pass->files || !pass->read)
        return fail_memory(err);
    for (size_t i = 0; i < files; i++)
        pass->files[i] = (file_tally){ROAST_ABSENT, ROAST_ABSENT};
    if (pass->count)
        qsort(pass->pairs, pass->count, sizeof *pass->pairs, compare_pairs);
    count_branches_per_file(pass);
    roast_code code = run_each_branch(a->run, see_branch, pass, err);
    for (size_t i = 0; i < run_names(a->run); i++)
        pass->read[i] = 0;
    return code;
}

roast_code analyse_branches(analysis *a, roast_error *err)
{
    arena scratch = {0};
    branch_pass pass = {.a = a, .pairs = a->read_sets.pairs, .count = a->read_sets.count, .file_in_hand = RUN_UNKNOWN};
    roast_code code = pass_over_branches(&pass, &scratch, err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_file, run_files(a->run)))
        code = fail_memory(err);
    for (uint32_t i = 0; !code && i < run_files(a->run); i++)
        fill_row(&pass, i, a->summary);
    int64_t branches_read;
    if (!code)
        code = count_branches_read(&pass, &branches_read, err);
    if (!code)
        set_run_metrics(&pass, branches_read, a->summary);
    arena_release(&scratch);
    return code;
}
