/* Files and branches: which branches of each file the chunks read, and how much of the file that is.
 *
 * The branches of a file are counted for its places (a dataset in the file) and for what was read there. What comes
 * later is added: places that are new, and branches that had not been read. The rows of branches come file by file, in
 * the same order as the pairs of places and sets are sorted, so that both are walked together. While a file is in hand,
 * its places own the names of the branches that they read: a file may serve many datasets. */
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

/* The places of the file in hand: their pairs are [first, end). */
typedef struct file_in_hand {
    uint32_t file;
    size_t first, end;
} file_in_hand;

typedef struct branch_pass {
    analysis *a;
    branch_sums *sums;
    dataset_in_file *places;
    read_set *pairs; /* sorted by file, dataset */
    size_t count;
    bool *changed;       /* by file: its branches are to be looked at */
    name_readers read;   /* of the file in hand: places */
    name_readers before; /* the same of what has been counted */
    file_in_hand now;
    double *least; /* by file: bytes of the branches read, for the entries that were processed */
    dataset_bytes *datasets;
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
        list->places[list->n_places++] = (dataset_in_file){file, dataset, 0, ROAST_ABSENT, false};
        *number = (uint32_t)list->n_places;
    }
    uint32_t place = *number - 1;
    add_measured(&list->places[place].events, events);
    uint32_t *seen = u64map_at(&list->seen, (uint64_t)place << 32 | set);
    if (seen && !*seen) {
        *seen = 1;
        list->pairs[list->count++] = (read_set){place, set, false};
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

/* ---- What is kept between summaries ---------------------------------------------------------------------------- */

static const file_tally NO_BRANCHES = {
    .branches_read = ROAST_ABSENT, .bytes_read = ROAST_ABSENT, .baskets = ROAST_ABSENT, .entries = ROAST_ABSENT};

/* The tally of a branch, made now if it is new. NULL if memory is out. Valid until the next call. */
static branch_tally *branch_list_at(branch_list *list, uint32_t dataset, uint32_t name)
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

static void branch_list_release(branch_list *list)
{
    u64map_release(&list->numbers);
    free(list->tallies);
    *list = (branch_list){0};
}

bool fit_branches(analysis *a)
{
    file_tally *files = grow_before_last(a->branches.files, a->n_files, run_files(a->run), sizeof *files, &NO_BRANCHES);
    a->branches.files = files ? files : a->branches.files;
    return files;
}

void branch_sums_release(branch_sums *sums)
{
    branch_list_release(&sums->branches);
    free(sums->files);
}

static bool must_count_anew(const analysis *a)
{
    bool anew = a->branches.broken;
    for (uint32_t i = 0; i < a->n_files && !anew; i++)
        anew = a->branches.files[i].counted && a->branches.files[i].entries != run_file(a->run, i)->entries;
    return anew;
}

static void forget_branches(analysis *a)
{
    branch_list_release(&a->branches.branches);
    for (size_t i = 0; i < a->n_files; i++)
        a->branches.files[i] = NO_BRANCHES;
    for (size_t i = 0; i < a->read_sets.n_places; i++) {
        a->read_sets.places[i].read_bytes = ROAST_ABSENT;
        a->read_sets.places[i].counted = false;
    }
    for (size_t i = 0; i < a->read_sets.count; i++)
        a->read_sets.pairs[i].counted = false;
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
    bool counted = pass->sums->files[pass->now.file].counted, done = true;
    name_readers_clear(&pass->read);
    name_readers_clear(&pass->before);
    for (size_t i = pass->now.first; i < pass->now.end && done; i++) {
        const read_set *pair = &pass->pairs[i];
        if (pair->set == RUN_UNKNOWN)
            continue;
        done = name_readers_add(&pass->read, pass->a->run, pair->set, pair->place) &&
               (!counted || !pair->counted || name_readers_add(&pass->before, pass->a->run, pair->set, pair->place));
    }
    return done;
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

static bool has_new_pairs(const branch_pass *pass)
{
    for (size_t i = pass->now.first; i < pass->now.end; i++)
        if (!pass->pairs[i].counted)
            return true;
    return false;
}

static bool mark_read(branch_pass *pass, const read_set *pair)
{
    size_t count;
    const uint32_t *names = run_branch_set(pass->a->run, pair->set, &count);
    for (size_t i = 0; i < count; i++) {
        if (names[i] == RUN_UNKNOWN)
            continue;
        branch_tally *tally = branch_list_at(&pass->sums->branches, pass->places[pair->place].dataset, names[i]);
        if (!tally)
            return false;
        tally->read = true;
    }
    return true;
}

/* What new pairs tell without the sizes of branches: also of files that nothing is known of. */
static bool see_places(branch_pass *pass)
{
    for (size_t from = 0; from < pass->count; from = pass->now.end) {
        pass->now = take_file(pass, from);
        if (!has_new_pairs(pass))
            continue;
        pass->changed[pass->now.file] = true;
        if (!own_names(pass))
            return false;
        if (reads_are_known(pass))
            pass->sums->files[pass->now.file].branches_read = (int64_t)pass->read.n_names;
        for (size_t i = pass->now.first; i < pass->now.end; i++)
            if (!pass->pairs[i].counted && !mark_read(pass, &pass->pairs[i]))
                return false;
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

/* newly_read: that it was read has not been counted. */
static bool add_to_place(branch_pass *pass, dataset_in_file *place, uint32_t name, const roast_branch *branch,
                         bool newly_read)
{
    if (place->counted && !newly_read)
        return true;
    branch_tally *tally = branch_list_at(&pass->sums->branches, place->dataset, name);
    if (!tally)
        return false;
    if (!place->counted) {
        add_measured(&tally->compressed, branch->compressed);
        add_measured(&tally->uncompressed, branch->uncompressed);
        add_measured(&tally->baskets, branch->baskets);
        add_measured(&tally->entries, run_file(pass->a->run, place->file)->entries);
        tally->files++;
    }
    if (newly_read) {
        tally->files_read++;
        add_measured(&place->read_bytes, branch->compressed);
    }
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

/* Whether the place is the next reader of a name; then goes on to the one after it. */
static bool is_next_reader(const name_readers *readers, uint32_t *next, uint32_t place)
{
    bool is = *next && readers->entries[*next].owner == place;
    if (is)
        *next = readers->entries[*next].next;
    return is;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    branch_pass *pass = context;
    if (file == RUN_UNKNOWN || name == RUN_UNKNOWN)
        return ROAST_OK;
    if (file != pass->now.file && !change_file(pass, file))
        return ROAST_MEMORY;
    file_tally *tally = &pass->sums->files[file];
    if (!tally->counted) {
        tally->branches++;
        add_measured(&tally->baskets, branch->baskets);
    }
    uint32_t reader = pass->read.first[name], reader_before = pass->before.first[name];
    if (reader && !reader_before)
        add_measured(&tally->bytes_read, branch->compressed);
    for (size_t i = pass->now.end; i-- > pass->now.first;) { /* backwards, as name_readers are listed */
        if (!is_first_of_place(pass, i))
            continue;
        uint32_t place = pass->pairs[i].place;
        bool read = is_next_reader(&pass->read, &reader, place);
        bool read_before = is_next_reader(&pass->before, &reader_before, place);
        if (!add_to_place(pass, &pass->places[place], name, branch, read && !read_before))
            return ROAST_MEMORY;
    }
    return ROAST_OK;
}

/* Reads the branches of the files that have changed, those that stand together at once. */
static roast_code see_branches(branch_pass *pass, roast_error *err)
{
    roast_code code = ROAST_OK;
    pass->now = (file_in_hand){RUN_UNKNOWN, 0, 0};
    for (uint32_t first = 0, end, files = (uint32_t)pass->a->n_files; first < files && !code; first = end) {
        for (end = first; end < files && pass->changed[end];)
            end++;
        if (end == first)
            end++;
        else
            code = run_each_branch_of(pass->a->run, first, end - 1, see_branch, pass, err);
    }
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

static void note_what_was_counted(branch_pass *pass)
{
    for (uint32_t i = 0; i < pass->a->n_files; i++) {
        file_tally *tally = &pass->sums->files[i];
        tally->entries = run_file(pass->a->run, i)->entries;
        tally->counted = tally->branches > 0;
    }
    for (size_t i = 0; i < pass->count; i++) {
        dataset_in_file *place = &pass->places[pass->pairs[i].place];
        place->counted = pass->sums->files[place->file].counted;
        pass->pairs[i].counted = true;
    }
}

static roast_code count_what_is_new(branch_pass *pass, roast_error *err)
{
    for (size_t i = 0; i < pass->a->n_files; i++)
        pass->changed[i] = !pass->sums->files[i].counted;
    roast_code code = see_places(pass) ? see_branches(pass, err) : fail_memory(err);
    if (!code)
        note_what_was_counted(pass);
    return code;
}

/* Branches stay as they are once they have come, and most files tell of all of theirs at once. Of a file that has not,
 * more may come later. */
static bool some_are_partial(const analysis *a)
{
    bool partial = false;
    for (uint32_t i = 0; i < a->n_files && !partial; i++) {
        const file_tally *tally = &a->branches.files[i];
        partial = tally->counted && tally->branches != run_file(a->run, i)->total_branches;
    }
    return partial;
}

/* Whether the run has other branches than those that were counted. */
static roast_code find_more_branches(const analysis *a, bool *more, roast_error *err)
{
    size_t counted = 0, rows = 0;
    for (size_t i = 0; i < a->n_files; i++)
        counted += (size_t)a->branches.files[i].branches;
    roast_code code = run_count_branches(a->run, &rows, err);
    *more = rows != counted;
    return code;
}

static roast_code count_branches(branch_pass *pass, arena *scratch, roast_error *err)
{
    analysis *a = pass->a;
    read_set_list *list = &a->read_sets;
    if (must_count_anew(a))
        forget_branches(a);
    if (list->count != list->n_sorted)
        qsort_r(list->pairs, list->count, sizeof *list->pairs, compare_pairs, list->places);
    list->n_sorted = list->count;
    pass->changed = arena_alloc(scratch, a->n_files, sizeof *pass->changed);
    if (!pass->changed || !name_readers_init(&pass->read, a->run) || !name_readers_init(&pass->before, a->run))
        return fail_memory(err);
    a->branches.broken = true;
    bool partial = some_are_partial(a), more = false;
    roast_code code = count_what_is_new(pass, err);
    if (!code && partial)
        code = find_more_branches(a, &more, err);
    if (!code && more) {
        forget_branches(a);
        code = count_what_is_new(pass, err);
    }
    a->branches.broken = code != ROAST_OK;
    return code;
}

/* ---- Bytes of files and datasets --------------------------------------------------------------------------------- */

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

static void add_place(branch_pass *pass, const dataset_in_file *place)
{
    size_t datasets = run_datasets(pass->a->run);
    const roast_file *file = run_file(pass->a->run, place->file);
    dataset_bytes *dataset = &pass->datasets[place->dataset < datasets ? place->dataset : datasets];
    double least = as_real(place->read_bytes) * processed_share(file, place);
    add_measured(&dataset->tree, file->compressed);
    add_measured(&dataset->read, place->read_bytes);
    add_least(&dataset->least, least);
    add_least(&pass->least[place->file], least);
}

static roast_code sum_up_places(branch_pass *pass, arena *scratch, roast_error *err)
{
    size_t files = pass->a->n_files, datasets = run_datasets(pass->a->run) + 1;
    pass->least = arena_alloc(scratch, files, sizeof *pass->least);
    pass->datasets = arena_alloc(scratch, datasets, sizeof *pass->datasets);
    if (!pass->least || !pass->datasets)
        return fail_memory(err);
    for (size_t i = 0; i < files; i++)
        pass->least[i] = (double)NAN;
    for (size_t i = 0; i < datasets; i++)
        pass->datasets[i] = (dataset_bytes){ROAST_ABSENT, ROAST_ABSENT, (double)NAN};
    for (size_t i = 0; i < pass->count; i++)
        if (i == 0 || pass->pairs[i].place != pass->pairs[i - 1].place)
            add_place(pass, &pass->places[pass->pairs[i].place]);
    return ROAST_OK;
}

/* ---- Rows of files --------------------------------------------------------------------------------------------- */

/* Of the branches that were read, or as the source states it without their sizes. */
static int64_t bytes_read_of(const branch_pass *pass, uint32_t file)
{
    int64_t counted = pass->sums->files[file].bytes_read;
    return counted != ROAST_ABSENT ? counted : run_file(pass->a->run, file)->bytes_read;
}

static void fill_row(const branch_pass *pass, uint32_t i, roast_summary *summary)
{
    const roast_file *file = run_file(pass->a->run, i);
    const chunk_tally *chunks = &pass->a->files[i];
    const file_tally *tally = &pass->sums->files[i];
    int64_t bytes_read = bytes_read_of(pass, i);
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
    summary_cell_int(summary, M_file_bytes_read, i, bytes_read);
    summary_cell_real(summary, M_file_bytes_read_percent, i, ratio(100 * as_real(bytes_read), compressed));
    summary_cell_text(summary, M_file_algorithm, i, file->algorithm);
    summary_cell_int(summary, M_file_level, i, file->level);
    summary_cell_int(summary, M_file_clusters, i, file->clusters);
    summary_cell_int(summary, M_file_baskets, i, tally->baskets);
    summary_cell_int(summary, M_file_least_bytes_to_read, i, whole_number(pass->least[i]));
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

static void set_bytes(const branch_pass *pass, roast_summary *summary)
{
    int64_t tree = ROAST_ABSENT, read = ROAST_ABSENT, unread = ROAST_ABSENT;
    double least = (double)NAN;
    for (uint32_t i = 0; i < run_files(pass->a->run); i++) {
        const roast_file *file = run_file(pass->a->run, i);
        int64_t bytes_read = bytes_read_of(pass, i), rest;
        add_measured(&tree, file->compressed);
        add_measured(&read, bytes_read);
        add_least(&least, pass->least[i]);
        if (file->compressed != ROAST_ABSENT && bytes_read != ROAST_ABSENT &&
            !__builtin_sub_overflow(file->compressed, bytes_read, &rest))
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

static void set_run_metrics(const branch_pass *pass, int64_t branches_read, roast_summary *summary)
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

roast_code analyse_branches(analysis *a, roast_error *err)
{
    arena scratch = {0};
    branch_pass pass = {.a = a,
                        .sums = &a->branches,
                        .places = a->read_sets.places,
                        .pairs = a->read_sets.pairs,
                        .count = a->read_sets.count};
    roast_code code = count_branches(&pass, &scratch, err);
    if (!code)
        code = sum_up_places(&pass, &scratch, err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_FILE, run_files(a->run)))
        code = fail_memory(err);
    for (uint32_t i = 0; !code && i < run_files(a->run); i++)
        fill_row(&pass, i, a->summary);
    if (!code)
        code = fill_branch_rows(a, pass.datasets, err);
    summary_set_int(a->summary, M_run_preload_unused_bytes, a->preload_bytes);
    int64_t branches_read;
    if (!code)
        code = count_branches_read(&pass, &branches_read, err);
    if (!code)
        set_run_metrics(&pass, branches_read, a->summary);
    name_readers_release(&pass.read);
    name_readers_release(&pass.before);
    arena_release(&scratch);
    return code;
}
