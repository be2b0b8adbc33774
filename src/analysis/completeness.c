/* Completeness. */
#include "analysis/completeness.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "analysis/analysis.h"
#include "analysis/coverage.h"
#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "model/facts.h"

/* ---- Taking in ----------------------------------------------------------------------------------------------- */

static failed_chunk *new_failed_chunk(completeness *c, const run_chunk *row)
{
    failed_chunk *failed = with_room(c->failed, c->n_failed, &c->failed_capacity, sizeof *failed);
    if (!failed)
        return NULL;
    c->failed = failed;
    failed[c->n_failed] = (failed_chunk){
        .dataset = row->dataset, .file = row->file, .start = row->record.entry_start, .stop = row->record.entry_stop};
    return &failed[c->n_failed++];
}

/* A first attempt begins a round of its own: what failed in the one before stays missing. A later one that fewer
 * failures came before than attempts follows a success. */
bool completeness_saw_failure(completeness *c, const run_chunk *row, uint32_t failure)
{
    if (!chunk_is_named(&row->record))
        return true;
    bool later = is_retry(row->record.attempt);
    uint64_t key = chunk_key(row);
    uint32_t *place = later ? u64map_find(&c->places, key) : u64map_at(&c->places, key);
    if (!place)
        return later;
    failed_chunk *chunk = later ? &c->failed[*place - 1] : new_failed_chunk(c, row);
    if (!chunk)
        return false;
    *place = (uint32_t)(chunk - c->failed) + 1;
    chunk->done |= later && chunk->failures < row->record.attempt - 1;
    chunk->failures++;
    chunk->failure = failure;
    return true;
}

static bool add_part(missing_list *list, missing_part part)
{
    missing_part *parts = with_room(list->parts, list->count, &list->capacity, sizeof *parts);
    if (!parts)
        return false;
    list->parts = parts;
    parts[list->count++] = part;
    return true;
}

static int64_t events_between(int64_t start, int64_t stop)
{
    return start != ROAST_ABSENT && stop != ROAST_ABSENT && stop >= start ? stop - start : ROAST_ABSENT;
}

/* The file may have become shorter than coffea remembers it. */
static bool keep_shortened(completeness *c, const run_chunk *row)
{
    const roast_chunk *chunk = &row->record;
    int64_t range = events_between(chunk->entry_start, chunk->entry_stop);
    if (range == ROAST_ABSENT || chunk->events == ROAST_ABSENT || chunk->events >= range)
        return true;
    return add_part(&c->shortened, (missing_part){.dataset = row->dataset,
                                                  .file = row->file,
                                                  .start = chunk->entry_start + chunk->events,
                                                  .stop = chunk->entry_stop,
                                                  .events = range - chunk->events,
                                                  .attempts = ROAST_ABSENT,
                                                  .shortened = true});
}

bool completeness_saw_success(completeness *c, const run_chunk *row, bool recomputed)
{
    if (!chunk_is_named(&row->record))
        return true;
    uint32_t *place = is_retry(row->record.attempt) ? u64map_find(&c->places, chunk_key(row)) : NULL;
    if (place)
        c->failed[*place - 1].done = true;
    return recomputed || keep_shortened(c, row);
}

static bool add_requested(completeness *c, const run_work *row)
{
    c->raised |= row->record.raised;
    requested_dataset *requested = with_room(c->requested, c->n_requested, &c->requested_capacity, sizeof *requested);
    if (!requested)
        return false;
    c->requested = requested;
    requested[c->n_requested++] = (requested_dataset){.dataset = row->dataset,
                                                      .files = or_zero(row->record.files),
                                                      .chunks = or_zero(row->record.chunks),
                                                      .events = or_zero(row->record.events)};
    return true;
}

roast_code feed_work(void *context, const run_work *row)
{
    analysis *a = context;
    const roast_work *work = &row->record;
    if (row->file == RUN_UNKNOWN)
        return add_requested(&a->completeness, row) ? ROAST_OK : ROAST_MEMORY;
    missing_part part = {.dataset = row->dataset,
                         .file = row->file,
                         .start = work->entry_start,
                         .stop = work->entry_stop,
                         .events = work->events == ROAST_ABSENT ? events_between(work->entry_start, work->entry_stop)
                                                                : work->events,
                         .chunks = work->chunks == ROAST_ABSENT ? 1 : work->chunks,
                         .attempts = work->attempts,
                         .whole = work->whole,
                         .raised = work->raised,
                         .error_type = arena_str(&a->memory, work->error_type),
                         .error = arena_str(&a->memory, work->error)};
    bool kept = !arena_str_failed(part.error_type, work->error_type) && !arena_str_failed(part.error, work->error);
    return kept && add_part(&a->completeness.stated, part) ? ROAST_OK : ROAST_MEMORY;
}

void completeness_release(completeness *c)
{
    u64map_release(&c->places);
    free(c->failed);
    free(c->requested);
    free(c->stated.parts);
    free(c->shortened.parts);
}

/* ---- Whether trying again may help --------------------------------------------------------------------------- */

enum {
    FAILURES_THAT_TELL = 3
}; /* after so many, an error that may pass does not, and it is the chunk that kills workers */

/* What became of the attempts at a file that failed with one kind of error. */
typedef struct error_tally {
    int64_t attempts, of_one_chunk; /* all of them; those of the chunk that failed most often */
    int64_t chunks, recovered;      /* of which the last failure was this one; that succeeded later */
} error_tally;

typedef struct error_tallies {
    u64map places; /* from 1 */
    error_tally *tallies;
    size_t count;
} error_tallies;

static uint64_t error_key(const failure_group *group)
{
    return XXH3_64bits_withSeed(group->error_type.ptr, group->error_type.len, group->file);
}

static error_tally *tally_at(error_tallies *t, const failure_group *group)
{
    uint32_t *place = u64map_at(&t->places, error_key(group));
    if (!place)
        return NULL;
    if (!*place)
        *place = (uint32_t)++t->count;
    return &t->tallies[*place - 1];
}

static bool tally_errors(error_tallies *t, const analysis *a, arena *memory)
{
    const failure_list *failures = &a->chunks.failures;
    t->tallies = arena_alloc(memory, failures->keys.count + 1, sizeof *t->tallies);
    if (!t->tallies)
        return false;
    for (size_t i = 0; i < failures->keys.count; i++) {
        error_tally *tally = tally_at(t, &failures->groups[i]);
        if (!tally)
            return false;
        tally->attempts += failures->groups[i].count;
    }
    for (size_t i = 0; i < a->completeness.n_failed; i++) {
        const failed_chunk *chunk = &a->completeness.failed[i];
        error_tally *tally = tally_at(t, &failures->groups[chunk->failure]);
        if (!tally)
            return false;
        tally->chunks++;
        tally->recovered += chunk->done;
        tally->of_one_chunk = chunk->failures > tally->of_one_chunk ? chunk->failures : tally->of_one_chunk;
    }
    return true;
}

static bool may_pass(roast_str error_type, roast_str error)
{
    return error_is_death(error_type) || error_is_transient(error_type, error);
}

/* attempts: at the same chunk, or at a file of which no chunk ever succeeded. A chunk that kills one worker after the
 * other does so again; storage that does not answer may, an hour later, however often it was asked. */
static const char *nature_of(roast_str error_type, roast_str error, int64_t attempts)
{
    if (error_is_death(error_type))
        return attempts < FAILURES_THAT_TELL ? "transient" : "permanent";
    if (error_is_transient(error_type, error))
        return "transient";
    return attempts > 1 ? "permanent" : "unclear";
}

/* Of an error that a chunk met so many times. If others got over the same error at this file, it may pass. Others that
 * fail only show that it is the file if none succeeds, and not where the error may pass. */
static const char *nature_of_error(const analysis *a, error_tallies *t, const failure_group *group, int64_t failures)
{
    const error_tally *tally = tally_at(t, group);
    bool passes = may_pass(group->error_type, group->error);
    if (passes && tally && tally->recovered && !error_is_death(group->error_type))
        return "transient";
    bool of_file = group->file != RUN_UNKNOWN && a->files[group->file].chunks == 0 && !passes;
    return nature_of(group->error_type, group->error, tally && of_file ? tally->attempts : failures);
}

/* It passes if every chunk that met it succeeded later. */
static const char *nature_of_group(const analysis *a, error_tallies *t, const failure_group *group)
{
    const error_tally *tally = tally_at(t, group);
    if (tally && tally->chunks && tally->recovered == tally->chunks)
        return "transient";
    return nature_of_error(a, t, group, tally ? tally->of_one_chunk : 0);
}

static void set_natures(const analysis *a, error_tallies *t)
{
    for (size_t i = 0; i < a->chunks.failures.keys.count; i++)
        summary_cell_text(a->summary, M_failure_nature, i,
                          str_from(nature_of_group(a, t, &a->chunks.failures.groups[i])));
}

/* ---- What is missing ----------------------------------------------------------------------------------------- */

static bool runner_told(const analysis *a)
{
    return a->completeness.n_requested > 0;
}

static void take_failure(const analysis *a, error_tallies *t, missing_part *part, const failed_chunk *chunk)
{
    const failure_group *group = &a->chunks.failures.groups[chunk->failure];
    part->attempts = chunk->failures;
    part->error_type = group->error_type;
    part->error = group->error;
    part->nature = nature_of_error(a, t, group, chunk->failures);
}

/* A part as the Runner stated it, with what the attempts at it say. */
static missing_part completed_part(analysis *a, error_tallies *t, missing_part part)
{
    completeness *c = &a->completeness;
    const roast_file *file = run_file(a->run, part.file);
    run_chunk row = {
        .dataset = part.dataset, .file = part.file, .record = {.entry_start = part.start, .entry_stop = part.stop}};
    const uint32_t *place = part.start == ROAST_ABSENT ? NULL : u64map_find(&c->places, chunk_key(&row));
    if (place && !c->failed[*place - 1].done)
        take_failure(a, t, &part, &c->failed[*place - 1]);
    else if (!str_absent(part.error_type) || !str_absent(part.error))
        part.nature = nature_of(part.error_type, part.error, or_zero(part.attempts));
    else if (part.shortened)
        part.nature = "permanent";
    if (part.start == ROAST_ABSENT && file)
        part.events = file->entries;
    return part;
}

static int compare_parts(const void *left, const void *right)
{
    const missing_part *a = left, *b = right;
    if (a->dataset != b->dataset)
        return a->dataset < b->dataset ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* The stated part, of a list in order, that the place of another one is in; NULL. */
static missing_part *part_around(const missing_list *stated, const missing_part *place)
{
    size_t first = 0, end = stated->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (compare_parts(&stated->parts[middle], place) <= 0)
            first = middle + 1;
        else
            end = middle;
    }
    missing_part *part = first ? &stated->parts[first - 1] : NULL;
    bool same = part && part->dataset == place->dataset && part->file == place->file;
    return same && part->stop != ROAST_ABSENT && place->stop <= part->stop ? part : NULL;
}

/* A part may be of several chunks, each of which may have failed. */
static void take_failures_within(const analysis *a, error_tallies *t, const missing_list *stated)
{
    for (size_t i = 0; i < a->completeness.n_failed; i++) {
        const failed_chunk *chunk = &a->completeness.failed[i];
        missing_part place = {
            .dataset = chunk->dataset, .file = chunk->file, .start = chunk->start, .stop = chunk->stop};
        missing_part *part = chunk->done ? NULL : part_around(stated, &place);
        if (part && !part->nature)
            take_failure(a, t, part, chunk);
    }
}

/* Chunks that were tried again after a Runner raised have the same events as before. */
static bool is_told(const completeness *c, size_t shortened)
{
    const missing_part *part = &c->shortened.parts[shortened];
    return c->raised && shortened && compare_parts(part - 1, part) == 0;
}

static bool collect_stated(analysis *a, error_tallies *t, missing_list *out)
{
    completeness *c = &a->completeness;
    for (size_t i = 0; i < c->stated.count; i++)
        if (!add_part(out, completed_part(a, t, c->stated.parts[i])))
            return false;
    if (out->count)
        qsort(out->parts, out->count, sizeof *out->parts, compare_parts);
    if (c->shortened.count)
        qsort(c->shortened.parts, c->shortened.count, sizeof *c->shortened.parts, compare_parts);
    take_failures_within(a, t, out);
    missing_list stated = *out; /* without what is added */
    for (size_t i = 0; i < c->shortened.count; i++) {
        stated.parts = out->parts;
        if (!is_told(c, i) && !part_around(&stated, &c->shortened.parts[i]) &&
            !add_part(out, completed_part(a, t, c->shortened.parts[i])))
            return false;
    }
    return true;
}

static bool collect_failed(analysis *a, error_tallies *t, missing_list *out)
{
    bool kept = true;
    for (size_t i = 0; kept && i < a->completeness.n_failed; i++) {
        const failed_chunk *chunk = &a->completeness.failed[i];
        if (chunk->done)
            continue;
        missing_part part = {.dataset = chunk->dataset,
                             .file = chunk->file,
                             .start = chunk->start,
                             .stop = chunk->stop,
                             .events = events_between(chunk->start, chunk->stop),
                             .chunks = 1,
                             .raised = roast_run_outcome(a->run) != ROAST_FINISHED};
        take_failure(a, t, &part, chunk);
        kept = add_part(out, part);
    }
    return kept;
}

static bool add_missing_rows(const analysis *a, const missing_list *missing)
{
    roast_summary *s = a->summary;
    if (!summary_add_rows(s, ROAST_SCOPE_MISSING, missing->count))
        return false;
    for (size_t i = 0; i < missing->count; i++) {
        const missing_part *part = &missing->parts[i];
        const roast_file *file = run_file(a->run, part->file);
        summary_cell_text(s, M_missing_dataset, i, run_dataset(a->run, part->dataset));
        summary_cell_text(s, M_missing_file, i, file ? file->url : str_none());
        summary_cell_text(s, M_missing_treename, i, file ? file->tree : str_none());
        summary_cell_int(s, M_missing_entry_start, i, part->start);
        summary_cell_int(s, M_missing_entry_stop, i, part->stop);
        summary_cell_int(s, M_missing_events, i, part->events);
        summary_cell_text(s, M_missing_whole_file, i, part->whole ? STR("yes") : STR("no"));
        summary_cell_int(s, M_missing_attempts, i, part->attempts);
        summary_cell_text(s, M_missing_nature, i, part->nature ? str_from(part->nature) : str_none());
        summary_cell_text(s, M_missing_error_type, i, part->error_type);
        summary_cell_text(s, M_missing_error, i,
                          part->shortened ? STR("the chunk had fewer events than its range: the file was shortened")
                                          : part->error);
        summary_cell_text(s, M_missing_raised, i, part->raised ? STR("yes") : STR("no"));
    }
    return true;
}

bool missing_from_a_result(const roast_summary *s)
{
    for (size_t i = 0; i < s->rows[ROAST_SCOPE_MISSING].count; i++)
        if (str_equal(summary_cell(s, M_missing_raised, i).as.text, STR("no")))
            return true;
    return false;
}

/* ---- Numbers ------------------------------------------------------------------------------------------------- */

typedef struct missing_tally {
    int64_t expected;        /* events, without those of files that were never opened; ROAST_ABSENT: not known */
    int64_t expected_chunks; /* ROAST_ABSENT: not known */
    int64_t chunks, events, files, unopened;
    bool events_unknown; /* of some of it */
} missing_tally;

static void tally_part(missing_tally *t, const missing_part *part, bool new_file)
{
    if (part->start != ROAST_ABSENT)
        saturated_add(&t->chunks, part->chunks); /* none, of what was only shortened */
    t->files += new_file;
    t->unopened += part->start == ROAST_ABSENT;
    t->events_unknown |= part->events == ROAST_ABSENT;
    saturated_add(&t->events, or_zero(part->events));
    if (part->start == ROAST_ABSENT && t->expected != ROAST_ABSENT)
        saturated_add(&t->expected, or_zero(part->events));
}

/* A file may be in several datasets: of the run it is one. seen: by file, and one more. */
static void tally_parts(missing_tally *all, missing_tally *datasets, size_t n_datasets, const missing_list *missing,
                        bool *seen, size_t n_files)
{
    for (size_t i = 0; i < missing->count; i++) {
        const missing_part *part = &missing->parts[i];
        bool same = i && part[-1].file == part->file && part[-1].dataset == part->dataset;
        bool *known = &seen[part->file == RUN_UNKNOWN ? n_files : part->file];
        tally_part(all, part, !*known);
        tally_part(&datasets[part->dataset == RUN_UNKNOWN ? n_datasets : part->dataset], part, !same);
        *known = true;
    }
}

/* What was asked for, where the Runner told. */
static void expect_requested(const analysis *a, missing_tally *all, missing_tally *datasets, size_t n_datasets)
{
    for (size_t i = 0; i < a->completeness.n_requested; i++) {
        const requested_dataset *r = &a->completeness.requested[i];
        saturated_add(&all->expected, r->events);
        saturated_add(&all->expected_chunks, r->chunks);
        saturated_add(&datasets[r->dataset == RUN_UNKNOWN ? n_datasets : r->dataset].expected, r->events);
    }
}

static int64_t sum_of(int64_t done, int64_t missing)
{
    if (done != ROAST_ABSENT)
        saturated_add(&done, missing);
    return done;
}

/* Where it did not: coffea's report says how many chunks it submitted. If each of them was recorded, as done or as
 * failed, it is known what they were. */
static void expect_recorded(const analysis *a, missing_tally *all, missing_tally *datasets, size_t n_datasets)
{
    bool known = a->from_report && !a->chunks_missing && !all->events_unknown && a->all.events != ROAST_ABSENT &&
                 summary_real(a->summary, M_run_num_chunks) == (double)(a->all.chunks + all->chunks);
    all->expected = known ? sum_of(a->all.events, all->events) : ROAST_ABSENT;
    all->expected_chunks = known ? a->all.chunks + all->chunks : ROAST_ABSENT;
    for (size_t i = 0; i <= n_datasets; i++)
        datasets[i].expected = known ? sum_of(a->datasets[i].events, datasets[i].events) : ROAST_ABSENT;
}

/* asked: it is known what was asked for, all of it, so that nothing missing is 0 and not absent. */
static void set_numbers(const analysis *a, const missing_tally *all, const missing_tally *datasets, bool asked)
{
    roast_summary *s = a->summary;
    bool chunks_known = asked || all->expected != ROAST_ABSENT, any = all->chunks + all->files > 0;
    if (!all->events_unknown)
        summary_set_int(s, M_run_events_expected, all->expected);
    summary_set_int(s, M_run_chunks_expected, all->expected_chunks);
    if (any || chunks_known)
        summary_set_int(s, M_run_missing_chunks, all->chunks);
    if ((any || chunks_known) && !all->events_unknown)
        summary_set_int(s, M_run_missing_events, all->events);
    if (any || asked)
        summary_set_int(s, M_run_missing_files, all->files);
    for (size_t i = 0; i < s->rows[ROAST_SCOPE_DATASET].count; i++) {
        const missing_tally *t = &datasets[i];
        if (!t->events_unknown)
            summary_cell_int(s, M_dataset_events_expected, i, t->expected);
        if (any || chunks_known)
            summary_cell_int(s, M_dataset_missing_chunks, i, t->chunks);
        if ((any || chunks_known) && !t->events_unknown)
            summary_cell_int(s, M_dataset_missing_events, i, t->events);
        if (any || asked)
            summary_cell_int(s, M_dataset_missing_files, i, t->files);
    }
}

static bool set_completeness(analysis *a, const missing_list *missing, arena *memory)
{
    size_t n_datasets = run_datasets(a->run), n_files = run_files(a->run);
    missing_tally all = {0}, *datasets = arena_alloc(memory, n_datasets + 1, sizeof *datasets);
    bool *seen = arena_alloc(memory, n_files + 1, sizeof *seen);
    if (!datasets || !seen)
        return false;
    bool all_told = str_absent(roast_run_fact(a->run, "no_completeness"));
    if (runner_told(a))
        expect_requested(a, &all, datasets, n_datasets);
    if (!all_told) { /* of another run of a Runner */
        all.events_unknown = true;
        all.expected = all.expected_chunks = ROAST_ABSENT;
    }
    tally_parts(&all, datasets, n_datasets, missing, seen, n_files);
    if (!runner_told(a))
        expect_recorded(a, &all, datasets, n_datasets);
    a->completeness.unopened = (size_t)all.unopened;
    set_numbers(a, &all, datasets, runner_told(a) && all_told);
    return add_missing_rows(a, missing);
}

/* Whether the records of attempts can tell what failed for good: not while it goes on, nor after a crash, nor where
 * another attempt may have succeeded on a worker that nobody measured. */
static bool attempts_tell(const analysis *a)
{
    roast_outcome outcome = roast_run_outcome(a->run);
    return (outcome == ROAST_FINISHED || outcome == ROAST_FAILED) && !a->chunks_missing &&
           str_absent(roast_run_fact(a->run, "no_completeness"));
}

const char *why_completeness_is_unknown(const analysis *a)
{
    roast_outcome outcome = roast_run_outcome(a->run);
    if (a->completeness.unopened)
        return "a file was never opened: how many events it has is not known";
    if (outcome == ROAST_RUNNING)
        return "the run is not over";
    if (outcome == ROAST_INTERRUPTED)
        return "the run was interrupted before it was known what is missing";
    return "it was not recorded what was asked for";
}

roast_code analyse_completeness(analysis *a, roast_error *err)
{
    arena memory = {0};
    error_tallies errors = {0};
    missing_list missing = {0};
    a->completeness.unopened = 0;
    bool done = tally_errors(&errors, a, &memory);
    if (done) {
        set_natures(a, &errors);
        if (runner_told(a))
            done = collect_stated(a, &errors, &missing);
        else if (attempts_tell(a))
            done = collect_failed(a, &errors, &missing);
    }
    if (done && missing.count)
        qsort(missing.parts, missing.count, sizeof *missing.parts, compare_parts);
    if (done && (runner_told(a) || attempts_tell(a)))
        done = set_completeness(a, &missing, &memory);
    else if (roast_run_outcome(a->run) == ROAST_RUNNING) /* what is not there yet is not missing */
        summary_set_int(a->summary, M_run_chunks_expected, run_fact_int(a->run, "chunks_asked"));
    u64map_release(&errors.places);
    free(missing.parts);
    arena_release(&memory);
    return done ? ROAST_OK : fail_memory(err);
}
