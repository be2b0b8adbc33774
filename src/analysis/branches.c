/* Files and branches: which branches of each file the chunks read, and how much of the file that is.
 *
 * The rows of branches come file by file, in the same order as the places (a dataset in a file) are sorted, so that
 * both are walked together. While a file is in hand, its places own the names of the branches that they read: a file
 * may serve many datasets. */
#include "analysis/branches.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/name_readers.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/msgpack_read.h"
#include "base/room.h"
#include "base/str.h"
#include "model/facts.h"

typedef struct file_tally {
    int64_t branches_read; /* ROAST_ABSENT if no chunk of it carried an access log */
    int64_t bytes_read;    /* compressed size of these branches */
    int64_t baskets;
    double least; /* bytes of these branches for the entries that were processed */
} file_tally;

/* The places of the file in hand: their pairs are [first, end). */
typedef struct file_in_hand {
    uint32_t file;
    size_t first, end;
} file_in_hand;

typedef struct branch_pass {
    analysis *a;
    const dataset_in_file *places;
    read_set *pairs; /* sorted by file, dataset */
    size_t count;
    file_tally *files;
    dataset_bytes *datasets;
    branch_list branches;
    name_readers read; /* of the file in hand: places */
    file_in_hand now;
} branch_pass;

/* ---- Which sets of branches were read where -------------------------------------------------------------------- */

bool read_set_add(read_set_list *list, uint32_t file, uint32_t dataset, uint32_t set, int64_t events)
{
    if (file == RUN_UNKNOWN)
        return true;
    dataset_in_file *places = with_room(list->places, list->n_places, &list->places_capacity, sizeof *places);
    list->places = places ? places : list->places;
    read_set *pairs = with_room(list->pairs, list->count, &list->capacity, sizeof *pairs);
    list->pairs = pairs ? pairs : list->pairs;
    if (!places || !pairs)
        return false;
    uint32_t *number = u64map_at(&list->place_numbers, (uint64_t)file << 32 | dataset);
    if (!number)
        return false;
    if (!*number) {
        list->places[list->n_places++] = (dataset_in_file){file, dataset, 0};
        *number = (uint32_t)list->n_places;
    }
    uint32_t place = *number - 1;
    add_measured(&list->places[place].events, events);
    uint32_t *seen = u64map_at(&list->seen, (uint64_t)place << 32 | set);
    if (seen && !*seen) {
        *seen = 1;
        list->pairs[list->count++] = (read_set){place, set};
    }
    return seen != NULL;
}

void read_set_release(read_set_list *list)
{
    u64map_release(&list->place_numbers);
    u64map_release(&list->seen);
    free(list->places);
    free(list->pairs);
    *list = (read_set_list){0};
}

static int compare_pairs(const void *left, const void *right, void *context)
{
    const read_set *a = left, *b = right;
    const dataset_in_file *places = context, *x = &places[a->place], *y = &places[b->place];
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->dataset != y->dataset)
        return x->dataset < y->dataset ? -1 : 1;
    return (a->set > b->set) - (a->set < b->set);
}

branch_tally *branch_list_at(branch_list *list, uint32_t dataset, uint32_t name)
{
    branch_tally *tallies = with_room(list->tallies, list->count, &list->capacity, sizeof *tallies);
    if (!tallies)
        return NULL;
    list->tallies = tallies;
    uint32_t *number = u64map_at(&list->numbers, (uint64_t)dataset << 32 | name);
    if (!number || list->count >= UINT32_MAX)
        return NULL;
    if (!*number) {
        list->tallies[list->count++] = (branch_tally){
            .dataset = dataset,
            .name = name,
            .compressed = ROAST_ABSENT,
            .uncompressed = ROAST_ABSENT,
            .baskets = ROAST_ABSENT,
        };
        *number = (uint32_t)list->count;
    }
    return &list->tallies[*number - 1];
}

void branch_list_release(branch_list *list)
{
    u64map_release(&list->numbers);
    free(list->tallies);
    *list = (branch_list){0};
}

/* ---- The file in hand ------------------------------------------------------------------------------------------ */

/* Places of the file in hand are told apart by where their pairs begin. */
static bool is_first_of_place(const branch_pass *pass, size_t pair)
{
    return pair == pass->now.first || pass->pairs[pair].place != pass->pairs[pair - 1].place;
}

/* Makes the places of the file in hand the readers of what they read. */
static bool own_names(branch_pass *pass)
{
    name_readers_clear(&pass->read);
    for (size_t i = pass->now.first; i < pass->now.end; i++)
        if (pass->pairs[i].set != RUN_UNKNOWN &&
            !name_readers_add(&pass->read, pass->a->run, pass->pairs[i].set, pass->pairs[i].place))
            return false;
    return true;
}

static uint32_t file_of(const branch_pass *pass, size_t pair)
{
    return pass->places[pass->pairs[pair].place].file;
}

/* The pairs of the next file from there on. */
static file_in_hand take_file(const branch_pass *pass, size_t from)
{
    file_in_hand next = {file_of(pass, from), from, from};
    while (next.end < pass->count && file_of(pass, next.end) == next.file)
        next.end++;
    return next;
}

static bool reads_are_known(const branch_pass *pass)
{
    for (size_t i = pass->now.first; i < pass->now.end; i++)
        if (pass->pairs[i].set != RUN_UNKNOWN)
            return true;
    return false;
}

/* What is known of the places without the sizes of branches: also for files that nothing is known of. */
static bool see_places(branch_pass *pass)
{
    const roast_run *run = pass->a->run;
    for (size_t from = 0; from < pass->count; from = pass->now.end) {
        pass->now = take_file(pass, from);
        if (!own_names(pass))
            return false;
        if (reads_are_known(pass))
            pass->files[pass->now.file].branches_read = (int64_t)pass->read.n_names;
        for (size_t i = pass->now.first; i < pass->now.end; i++) {
            uint32_t dataset = pass->places[pass->pairs[i].place].dataset;
            if (is_first_of_place(pass, i))
                add_measured(&pass->datasets[dataset].tree, run_file(run, pass->now.file)->compressed);
            size_t count;
            const uint32_t *names = run_branch_set(run, pass->pairs[i].set, &count);
            for (size_t k = 0; k < count; k++) {
                branch_tally *tally =
                    names[k] == RUN_UNKNOWN ? NULL : branch_list_at(&pass->branches, dataset, names[k]);
                if (names[k] != RUN_UNKNOWN && !tally)
                    return false;
                if (tally)
                    tally->read = true;
            }
        }
    }
    return true;
}

/* False if memory is out. */
static bool count_branches_of_run(branch_pass *pass, int64_t *count)
{
    name_readers_clear(&pass->read);
    for (uint32_t set = 0; set < run_branch_sets(pass->a->run); set++)
        if (!name_readers_add(&pass->read, pass->a->run, set, 0))
            return false;
    *count = (int64_t)pass->read.n_names;
    return true;
}

/* ---- Rows of branches: their sizes ----------------------------------------------------------------------------- */

/* Of a file's entries, those that chunks of this place have processed. */
static double processed_share(const roast_file *file, const dataset_in_file *place)
{
    double share = ratio((double)place->events, as_real(file->entries));
    return share > 1 ? 1 : share;
}

static void add_least(double *sum, double bytes)
{
    if (isfinite(bytes))
        *sum = isnan(*sum) ? bytes : *sum + bytes;
}

static bool add_to_place(branch_pass *pass, const dataset_in_file *place, uint32_t name, const roast_branch *branch,
                         bool read)
{
    const roast_file *file = run_file(pass->a->run, place->file);
    branch_tally *tally = branch_list_at(&pass->branches, place->dataset, name);
    if (!tally)
        return false;
    add_measured(&tally->compressed, branch->compressed);
    add_measured(&tally->uncompressed, branch->uncompressed);
    add_measured(&tally->baskets, branch->baskets);
    add_measured(&tally->entries, file->entries);
    tally->files++;
    tally->files_read += read;
    if (!read)
        return true;
    double least = as_real(branch->compressed) * processed_share(file, place);
    add_measured(&pass->datasets[place->dataset].read, branch->compressed);
    add_least(&pass->datasets[place->dataset].least, least);
    add_least(&pass->files[place->file].least, least);
    return true;
}

static bool change_file(branch_pass *pass, uint32_t file)
{
    size_t next = pass->now.end;
    while (next < pass->count && file_of(pass, next) < file)
        next++;
    pass->now =
        next < pass->count && file_of(pass, next) == file ? take_file(pass, next) : (file_in_hand){file, next, next};
    return own_names(pass);
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    branch_pass *pass = context;
    if (file == RUN_UNKNOWN || name == RUN_UNKNOWN)
        return ROAST_OK;
    if (file != pass->now.file && !change_file(pass, file))
        return ROAST_MEMORY;
    add_measured(&pass->files[file].baskets, branch->baskets);
    uint32_t reader = pass->read.first[name];
    if (reader)
        add_measured(&pass->files[file].bytes_read, branch->compressed);
    for (size_t i = pass->now.end; i-- > pass->now.first;) { /* backwards, as name_readers are listed */
        if (!is_first_of_place(pass, i))
            continue;
        uint32_t place = pass->pairs[i].place;
        bool read = reader && pass->read.entries[reader].owner == place;
        if (read)
            reader = pass->read.entries[reader].next;
        if (!add_to_place(pass, &pass->places[place], name, branch, read))
            return ROAST_MEMORY;
    }
    return ROAST_OK;
}

/* ---- Rows of files --------------------------------------------------------------------------------------------- */

static void fill_row(branch_pass *pass, uint32_t i, roast_summary *summary)
{
    const roast_file *file = run_file(pass->a->run, i);
    const chunk_tally *chunks = &pass->a->files[i];
    file_tally *tally = &pass->files[i];
    if (tally->bytes_read == ROAST_ABSENT)
        tally->bytes_read = file->bytes_read;
    double seconds = clock_seconds(chunks->process_ns);
    double compressed = as_real(file->compressed), uncompressed = as_real(file->uncompressed);
    summary_cell_text(summary, M_file_file, i, file->url);
    summary_cell_int(summary, M_file_num_chunks, i, chunks->chunks);
    summary_cell_int(summary, M_file_failed, i, chunks->failed);
    summary_cell_int(summary, M_file_total_events, i, chunks->events);
    summary_cell_real(summary, M_file_total_duration, i, seconds);
    summary_cell_real(summary, M_file_open_seconds, i, clock_seconds(chunks->open_ns));
    summary_cell_real(summary, M_file_rate_khz, i, ratio(as_real(chunks->events), seconds * 1000));
    summary_cell_real(summary, M_file_compression_ratio, i, ratio(compressed, uncompressed));
    summary_cell_real(summary, M_file_times_smaller, i, ratio(uncompressed, compressed));
    summary_cell_int(summary, M_file_total_branches, i, file->total_branches);
    summary_cell_int(summary, M_file_branches_read, i, tally->branches_read);
    summary_cell_real(summary, M_file_branches_read_percent, i,
                      ratio(100 * as_real(tally->branches_read), as_real(file->total_branches)));
    summary_cell_int(summary, M_file_total_tree_bytes, i, file->compressed);
    summary_cell_int(summary, M_file_tree_uncompressed_bytes, i, file->uncompressed);
    summary_cell_int(summary, M_file_bytes_read, i, tally->bytes_read);
    summary_cell_real(summary, M_file_bytes_read_percent, i, ratio(100 * as_real(tally->bytes_read), compressed));
    summary_cell_text(summary, M_file_algorithm, i, file->algorithm);
    summary_cell_int(summary, M_file_level, i, file->level);
    summary_cell_int(summary, M_file_clusters, i, file->clusters);
    summary_cell_int(summary, M_file_baskets, i, tally->baskets);
    summary_cell_int(summary, M_file_least_bytes_to_read, i, whole_number(tally->least));
    summary_cell_int(summary, M_file_source_bytes_read, i, chunks->bytes_read);
    summary_cell_real(summary, M_file_requests_per_chunk, i,
                      ratio(as_real(chunks->read_requests), (double)chunks->chunks));
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

static double mean_of_column(const roast_summary *summary, metric_id column)
{
    moments m = {0};
    for (size_t i = 0; i < summary->rows[ROAST_SCOPE_FILE].count; i++) {
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
    return count_branches_of_run(pass, count) ? ROAST_OK : fail_memory(err);
}

static void set_bytes(branch_pass *pass, roast_summary *summary)
{
    int64_t tree = ROAST_ABSENT, read = ROAST_ABSENT, unread = ROAST_ABSENT;
    double least = (double)NAN;
    for (uint32_t i = 0; i < run_files(pass->a->run); i++) {
        const roast_file *file = run_file(pass->a->run, i);
        const file_tally *tally = &pass->files[i];
        int64_t rest;
        add_measured(&tree, file->compressed);
        add_measured(&read, tally->bytes_read);
        add_least(&least, tally->least);
        if (file->compressed != ROAST_ABSENT && tally->bytes_read != ROAST_ABSENT &&
            !__builtin_sub_overflow(file->compressed, tally->bytes_read, &rest))
            add_measured(&unread, rest);
    }
    const chunk_tally *all = &pass->a->all;
    summary_set_int(summary, M_run_tree_bytes_available, tree);
    summary_set_int(summary, M_run_branch_bytes_read, read);
    summary_set_int(summary, M_run_branch_bytes_unread, unread);
    summary_set_int(summary, M_run_least_bytes_to_read, whole_number(least));
    summary_set_real(summary, M_run_read_amplification, ratio(as_real(all->bytes_read), least));
    summary_set_real(summary, M_run_requests_per_chunk, ratio(as_real(all->read_requests), (double)all->chunks));
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
    set_bytes(pass, summary);
}

/* ---- Preloading: a number that workers attach to chunks ---------------------------------------------------------- */

roast_code feed_preload(void *context, int64_t chunk, uint32_t name, roast_str msgpack)
{
    (void)chunk;
    analysis *a = context;
    if (!str_equal(run_name(a->run, name), STR("preload_unused_bytes")))
        return ROAST_OK;
    cursor c = cursor_over(msgpack.ptr, msgpack.len);
    int64_t bytes = mp_int(&c);
    if (!c.failed && bytes >= 0) /* a user may have a value of this name */
        add_measured(&a->preload_bytes, bytes);
    return ROAST_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* The places, with a row for chunks that name no dataset: after the others. */
static dataset_in_file *number_datasets(const analysis *a, arena *scratch)
{
    size_t count = a->read_sets.n_places;
    dataset_in_file *places = arena_grow(scratch, a->read_sets.places, count, count, sizeof *places);
    for (size_t i = 0; places && i < count; i++)
        if (places[i].dataset == RUN_UNKNOWN)
            places[i].dataset = (uint32_t)run_datasets(a->run);
    return places;
}

static roast_code pass_over_branches(branch_pass *pass, arena *scratch, roast_error *err)
{
    analysis *a = pass->a;
    size_t files = run_files(a->run), datasets = run_datasets(a->run) + 1;
    pass->places = number_datasets(a, scratch);
    pass->files = arena_alloc(scratch, files, sizeof *pass->files);
    pass->datasets = arena_alloc(scratch, datasets, sizeof *pass->datasets);
    if (!name_readers_init(&pass->read, a->run) || !pass->places || !pass->files || !pass->datasets)
        return fail_memory(err);
    for (size_t i = 0; i < files; i++)
        pass->files[i] = (file_tally){ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT, (double)NAN};
    for (size_t i = 0; i < datasets; i++)
        pass->datasets[i] = (dataset_bytes){ROAST_ABSENT, ROAST_ABSENT, (double)NAN};
    if (pass->count)
        qsort_r(pass->pairs, pass->count, sizeof *pass->pairs, compare_pairs, (void *)pass->places);
    if (!see_places(pass))
        return fail_memory(err);
    pass->now = (file_in_hand){RUN_UNKNOWN, 0, 0};
    roast_code code = run_each_branch(a->run, see_branch, pass, err);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

roast_code analyse_branches(analysis *a, roast_error *err)
{
    arena scratch = {0};
    branch_pass pass = {.a = a, .pairs = a->read_sets.pairs, .count = a->read_sets.count};
    roast_code code = pass_over_branches(&pass, &scratch, err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_FILE, run_files(a->run)))
        code = fail_memory(err);
    for (uint32_t i = 0; !code && i < run_files(a->run); i++)
        fill_row(&pass, i, a->summary);
    if (!code)
        code = fill_branch_rows(a, &pass.branches, pass.datasets, err);
    summary_set_int(a->summary, M_run_preload_unused_bytes, a->preload_bytes);
    int64_t branches_read;
    if (!code)
        code = count_branches_read(&pass, &branches_read, err);
    if (!code)
        set_run_metrics(&pass, branches_read, a->summary);
    name_readers_release(&pass.read);
    branch_list_release(&pass.branches);
    arena_release(&scratch);
    return code;
}
