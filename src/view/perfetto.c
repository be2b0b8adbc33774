/* The trace is written as the run is read. Tasks and sections are kept in memory, some forty bytes each, because they
 * are written between chunks, which are recorded in another table.
 *
 * A track is a thread, and what does not fit on it (records that overlap, which a thread cannot do) gets a track of its
 * own beside it. A slice goes on a track only if it begins after all that was put there has ended, or lies inside the
 * task in hand: so order and nesting hold by construction. Processes are workers; slices are tasks, in them chunks with
 * their phases, in process() the sections, one after the other because they are measured without their times; counters
 * are memory and CPU. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slots.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/str.h"
#include "model/core_time.h"
#include "model/facts.h"
#include "run/reader.h"
#include "view/json.h"
#include "view/number.h"

enum { PART_BYTES = 1 << 16, MOST_SECTIONS = 512, NO_TRACK = 0 };

static const int64_t SNAP_NS = 20 * INT64_C(1000000); /* by how much two clock readings of one moment may differ */

typedef struct trace_task {
    int64_t start_ns, stop_ns, nbytes;
    uint32_t thread; /* number in trace_writer.threads */
    roast_str key, prefix, state;
} trace_task;

typedef struct trace_section {
    int64_t chunk, duration_ns, count;
    uint32_t name, parent;
    int32_t depth;
    bool placed;
} trace_section;

/* Tracks and threads count from 1; 0 is none. */
typedef struct track {
    uint32_t next; /* of the same thread */
    uint32_t tid;
    int64_t task_end_ns, slice_end_ns;
} track;

typedef struct trace_thread {
    uint32_t worker, first_track, n_tracks;
    size_t first_task, next_task, end_task; /* its tasks; those before next are written */
    int64_t thread;
} trace_thread;

typedef struct trace_writer {
    roast_run *run;
    roast_write sink;
    void *context;
    buf out;
    bool any; /* an event was written */
    int64_t zero_ns;
    int64_t earliest_ns, latest_ns; /* what lies outside had a wrong clock, and would make the rest invisible */
    size_t left_out;
    arena memory;
    intern thread_names; /* worker and thread as bytes */
    trace_thread *threads;
    size_t thread_capacity;
    track *tracks;
    size_t n_tracks, track_capacity;
    uint32_t *tids; /* by worker: given out so far; the last for those that are not known */
    trace_task *tasks;
    size_t n_tasks, task_capacity;
    trace_section *sections;
    size_t n_sections, section_capacity, next_section;
} trace_writer;

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static roast_code pass_on(trace_writer *t, size_t least)
{
    if (!t->out.code && t->out.len < least)
        return ROAST_OK;
    roast_code code = t->out.code ? t->out.code : t->sink(t->context, buf_view(&t->out));
    buf_clear(&t->out);
    return code;
}

/* Microseconds from the start of the trace. */
static void put_time(trace_writer *t, const char *key, int64_t ns)
{
    buf_format(&t->out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void begin_event(trace_writer *t, char phase, const char *category, roast_str name, uint32_t worker,
                        uint32_t tid)
{
    buf_text(&t->out, t->any ? ",\n" : "\n");
    t->any = true;
    buf_format(&t->out, "{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, phase,
               worker == RUN_UNKNOWN ? 0 : worker + 1, tid);
    if (category)
        buf_format(&t->out, ",\"cat\":\"%s\"", category);
    buf_text(&t->out, ",\"name\":");
    json_put_quoted(&t->out, str_absent(name) ? STR("(no name)") : name);
}

static void begin_slice(trace_writer *t, const char *category, roast_str name, uint32_t worker, uint32_t tid,
                        int64_t from_ns, int64_t to_ns)
{
    begin_event(t, 'X', category, name, worker, tid);
    put_time(t, "ts", from_ns - t->zero_ns);
    put_time(t, "dur", to_ns - from_ns);
}

static void put_name_of(trace_writer *t, const char *kind, uint32_t worker, uint32_t tid, roast_str name)
{
    begin_event(t, 'M', NULL, str_from(kind), worker, tid);
    buf_text(&t->out, ",\"args\":{\"name\":");
    json_put_quoted(&t->out, name);
    buf_text(&t->out, "}}");
}

static void put_text_argument(trace_writer *t, bool *any, const char *key, roast_str text)
{
    if (str_absent(text))
        return;
    buf_format(&t->out, "%s\"%s\":", *any ? "," : "", key);
    json_put_quoted(&t->out, text);
    *any = true;
}

static void put_int_argument(trace_writer *t, bool *any, const char *key, int64_t value)
{
    if (value == ROAST_ABSENT)
        return;
    buf_format(&t->out, "%s\"%s\":%" PRId64, *any ? "," : "", key, value);
    *any = true;
}

/* ---- Threads and tracks --------------------------------------------------------------------------------------------
 */

/* 0 if memory is out. */
static uint32_t thread_number(trace_writer *t, uint32_t worker, int64_t thread)
{
    char key[12];
    bool added;
    memcpy(key, &worker, 4);
    memcpy(key + 4, &thread, 8);
    uint32_t number = intern_add(&t->thread_names, (roast_str){key, sizeof key}, &added);
    if (number == INTERN_NONE)
        return 0;
    trace_thread *threads = with_room(t->threads, number, &t->thread_capacity, sizeof *threads);
    if (!threads)
        return 0;
    t->threads = threads;
    if (added)
        threads[number] = (trace_thread){.worker = worker, .thread = thread};
    return number + 1;
}

static uint32_t new_track(trace_writer *t, trace_thread *thread)
{
    track *tracks = with_room(t->tracks, t->n_tracks + 1, &t->track_capacity, sizeof *tracks);
    if (!tracks)
        return NO_TRACK;
    t->tracks = tracks;
    size_t worker = thread->worker < run_workers(t->run) ? thread->worker : run_workers(t->run);
    uint32_t number = (uint32_t)++t->n_tracks, *last = &thread->first_track;
    while (*last)
        last = &tracks[*last].next;
    *last = number;
    tracks[number] = (track){.tid = ++t->tids[worker], .task_end_ns = INT64_MIN, .slice_end_ns = INT64_MIN};
    thread->n_tracks++;
    char name[80];
    int length = thread->thread == ROAST_ABSENT ? snprintf(name, sizeof name, "chunks %" PRIu32, thread->n_tracks)
                 : thread->n_tracks == 1        ? snprintf(name, sizeof name, "thread %" PRId64, thread->thread)
                                         : snprintf(name, sizeof name, "thread %" PRId64 ", overlapping %" PRIu32,
                                                    thread->thread, thread->n_tracks);
    if (thread->worker == RUN_UNKNOWN && tracks[number].tid == 1)
        put_name_of(t, "process_name", RUN_UNKNOWN, 0, STR("unknown worker"));
    put_name_of(t, "thread_name", thread->worker, tracks[number].tid, (roast_str){name, (size_t)length});
    return number;
}

/* The first track of the thread that the slice fits on. */
static track *track_for(trace_writer *t, trace_thread *thread, int64_t from_ns, int64_t to_ns, bool task)
{
    uint32_t found = thread->first_track;
    for (; found; found = t->tracks[found].next) {
        const track *one = &t->tracks[found];
        bool after = from_ns >= one->task_end_ns, inside = !task && to_ns <= one->task_end_ns;
        if (from_ns >= one->slice_end_ns && (after || inside))
            break;
    }
    if (!found)
        found = new_track(t, thread);
    return found ? &t->tracks[found] : NULL;
}

/* ---- Tasks ---------------------------------------------------------------------------------------------------------
 */

static bool is_near(const trace_writer *t, int64_t from_ns, int64_t to_ns)
{
    return from_ns >= t->earliest_ns && to_ns <= t->latest_ns;
}

typedef struct task_reader {
    trace_writer *t;
    intern addresses; /* number is that of the worker */
    uint32_t *workers;
} task_reader;

static roast_code see_task(void *context, const roast_task *row)
{
    task_reader *reader = context;
    trace_writer *t = reader->t;
    uint32_t address = str_absent(row->worker) ? INTERN_NONE : intern_find(&reader->addresses, row->worker);
    uint32_t worker = address == INTERN_NONE ? RUN_UNKNOWN : reader->workers[address];
    int64_t start = row->start_ns, stop = row->stop_ns;
    if (start == ROAST_ABSENT || stop == ROAST_ABSENT || stop < start)
        return ROAST_OK;
    if (!is_near(t, start, stop)) {
        t->left_out++;
        return ROAST_OK;
    }
    uint32_t thread = thread_number(t, worker, row->thread);
    trace_task *tasks = thread ? with_room(t->tasks, t->n_tasks, &t->task_capacity, sizeof *tasks) : NULL;
    if (!tasks)
        return ROAST_MEMORY;
    t->tasks = tasks;
    roast_str key = arena_str(&t->memory, row->key);
    if (arena_str_failed(key, row->key))
        return ROAST_MEMORY;
    t->zero_ns = start < t->zero_ns ? start : t->zero_ns;
    tasks[t->n_tasks++] = (trace_task){start, stop, row->nbytes, thread - 1, key, row->prefix, row->state};
    return ROAST_OK;
}

static int compare_tasks(const void *left, const void *right)
{
    const trace_task *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->stop_ns < b->stop_ns) - (a->stop_ns > b->stop_ns);
}

static roast_code read_tasks(trace_writer *t, roast_error *err)
{
    task_reader reader = {.t = t, .workers = arena_alloc(&t->memory, run_workers(t->run), sizeof(uint32_t))};
    roast_code code = reader.workers ? ROAST_OK : ROAST_MEMORY;
    for (uint32_t i = 0; !code && i < run_workers(t->run); i++) {
        uint32_t number = intern_add(&reader.addresses, run_worker(t->run, i)->address, NULL);
        if (number == INTERN_NONE)
            code = ROAST_MEMORY;
        else
            reader.workers[number] = i;
    }
    if (!code)
        code = roast_run_visit_tasks(t->run, see_task, &reader, err);
    intern_release(&reader.addresses);
    if (t->n_tasks)
        qsort(t->tasks, t->n_tasks, sizeof *t->tasks, compare_tasks);
    for (size_t i = 0; i < t->n_tasks; i++) {
        trace_thread *thread = &t->threads[t->tasks[i].thread];
        if (thread->end_task == 0)
            thread->first_task = thread->next_task = i;
        thread->end_task = i + 1;
    }
    return code;
}

static bool put_task(trace_writer *t, trace_thread *thread, const trace_task *task)
{
    track *place = track_for(t, thread, task->start_ns, task->stop_ns, true);
    if (!place)
        return false;
    place->task_end_ns = task->stop_ns;
    begin_slice(t, "task", task->prefix, thread->worker, place->tid, task->start_ns, task->stop_ns);
    bool any = false;
    buf_text(&t->out, ",\"args\":{");
    put_text_argument(t, &any, "key", task->key);
    put_text_argument(t, &any, "state", task->state);
    put_int_argument(t, &any, "nbytes", task->nbytes);
    buf_text(&t->out, "}}");
    return true;
}

static bool put_tasks_until(trace_writer *t, trace_thread *thread, int64_t t_ns)
{
    bool fine = true;
    while (fine && thread->next_task < thread->end_task && t->tasks[thread->next_task].start_ns <= t_ns)
        fine = put_task(t, thread, &t->tasks[thread->next_task++]);
    return fine;
}

/* ---- Sections ------------------------------------------------------------------------------------------------------
 */

static roast_code see_section(void *context, const run_section *row)
{
    trace_writer *t = context;
    trace_section *sections = with_room(t->sections, t->n_sections, &t->section_capacity, sizeof *sections);
    if (!sections)
        return ROAST_MEMORY;
    t->sections = sections;
    int64_t depth = row->record.depth;
    if (row->record.duration_ns < 0) /* not measured, too */
        return ROAST_OK;
    sections[t->n_sections++] = (trace_section){
        .chunk = row->chunk,
        .duration_ns = row->record.duration_ns,
        .count = row->record.count,
        .name = row->name,
        .parent = row->parent,
        .depth = depth > 0 && depth < INT32_MAX ? (int32_t)depth : 0,
    };
    return ROAST_OK;
}

static int compare_sections(const void *left, const void *right)
{
    const trace_section *a = left, *b = right;
    return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

/* Almost always they come in the order of the chunks; then there is nothing to sort. */
static void order_sections(trace_writer *t)
{
    for (size_t i = 1; i < t->n_sections; i++)
        if (t->sections[i].chunk < t->sections[i - 1].chunk) {
            qsort(t->sections, t->n_sections, sizeof *t->sections, compare_sections);
            return;
        }
}

typedef struct section_group {
    trace_section *sections;
    size_t count;
    uint32_t worker, tid;
} section_group;

/* Those of one depth within one parent, one after the other from from_ns, cut off at to_ns; in each, those it contains.
 */
static void put_sections(trace_writer *t, const section_group *group, uint32_t parent, int32_t depth, int64_t from_ns,
                         int64_t to_ns)
{
    for (size_t i = 0; i < group->count && from_ns < to_ns; i++) {
        trace_section *section = &group->sections[i];
        if (section->placed || section->depth != depth || (depth > 0 && section->parent != parent))
            continue;
        section->placed = true;
        int64_t end = section->duration_ns < to_ns - from_ns ? from_ns + section->duration_ns : to_ns;
        begin_slice(t, "section", run_name(t->run, section->name), group->worker, group->tid, from_ns, end);
        buf_format(&t->out, ",\"args\":{\"entered\":%" PRId64 "}}",
                   section->count == ROAST_ABSENT ? 1 : section->count);
        put_sections(t, group, section->name, depth + 1, from_ns, end);
        from_ns = end;
    }
}

static section_group sections_of(trace_writer *t, int64_t chunk, uint32_t worker, uint32_t tid)
{
    while (t->next_section < t->n_sections && t->sections[t->next_section].chunk < chunk)
        t->next_section++;
    section_group group = {t->sections + t->next_section, 0, worker, tid};
    while (t->next_section < t->n_sections && t->sections[t->next_section].chunk == chunk) {
        t->next_section++;
        group.count++;
    }
    group.count = group.count < MOST_SECTIONS ? group.count : MOST_SECTIONS;
    return group;
}

/* ---- Chunks --------------------------------------------------------------------------------------------------------
 */

/* The moments between which the phases of a chunk lie, in order. */
typedef struct slice_times {
    int64_t begun, opened, start, end, done;
} slice_times;

static bool times_of(const trace_writer *t, const run_chunk *row, slice_times *out)
{
    const roast_chunk *chunk = &row->record;
    int64_t start = chunk->t_start_ns;
    if (start == ROAST_ABSENT)
        return false;
    out->start = start;
    return !__builtin_sub_overflow(start, or_zero(chunk->events_ns), &out->opened) &&
           !__builtin_sub_overflow(out->opened, or_zero(chunk->open_ns), &out->begun) &&
           !__builtin_add_overflow(start, or_zero(chunk->duration_ns), &out->end) &&
           !__builtin_add_overflow(out->end, or_zero(chunk->return_ns), &out->done) &&
           is_near(t, out->begun, out->done);
}

/* The task that a chunk ran in: the last one that began before it, or one that by its clock began a little later. */
static const trace_task *task_of(const trace_writer *t, const trace_thread *thread, const slice_times *times)
{
    for (size_t i = thread->next_task + 1; i-- > thread->first_task;) {
        if (i >= thread->end_task)
            continue;
        const trace_task *task = &t->tasks[i];
        int64_t middle = times->begun + (times->done - times->begun) / 2;
        if (task->start_ns <= middle && middle <= task->stop_ns)
            return task;
        if (i < thread->next_task)
            break;
    }
    return NULL;
}

/* Into its task, if it sticks out by no more than clocks differ. */
static void snap(slice_times *times, const trace_task *task)
{
    if (!task || times->begun < task->start_ns - SNAP_NS || times->done > task->stop_ns + SNAP_NS)
        return;
    int64_t *all[] = {&times->begun, &times->opened, &times->start, &times->end, &times->done};
    for (size_t i = 0; i < 5; i++) {
        *all[i] = *all[i] < task->start_ns ? task->start_ns : *all[i];
        *all[i] = *all[i] > task->stop_ns ? task->stop_ns : *all[i];
    }
}

static void put_phase(trace_writer *t, roast_phase phase, uint32_t worker, uint32_t tid, int64_t from_ns, int64_t to_ns)
{
    if (to_ns <= from_ns)
        return;
    begin_slice(t, "phase", str_from(PHASES[phase].key), worker, tid, from_ns, to_ns);
    buf_char(&t->out, '}');
}

static void put_chunk_slice(trace_writer *t, const run_chunk *row, uint32_t tid, const slice_times *times)
{
    const roast_chunk *chunk = &row->record;
    bool failed = chunk_failed(chunk), any = false;
    begin_slice(t, failed ? "chunk,failed" : "chunk", chunk->dataset, row->worker, tid, times->begun, times->done);
    if (failed)
        buf_text(&t->out, ",\"cname\":\"terrible\"");
    buf_text(&t->out, ",\"args\":{");
    put_text_argument(t, &any, "file", chunk->file);
    put_int_argument(t, &any, "entry_start", chunk->entry_start);
    put_int_argument(t, &any, "entry_stop", chunk->entry_stop);
    put_int_argument(t, &any, "events", chunk->events);
    put_int_argument(t, &any, "attempt", chunk->attempt);
    put_int_argument(t, &any, "bytes_read", chunk->bytes_read);
    put_int_argument(t, &any, "cpu_ns", chunk->cpu_ns);
    put_int_argument(t, &any, "rss_peak", chunk->rss_peak);
    put_text_argument(t, &any, "error_type", chunk->error_type);
    put_text_argument(t, &any, "error", chunk->error);
    buf_text(&t->out, "}}");
}

static roast_code put_chunk(void *context, const run_chunk *row)
{
    trace_writer *t = context;
    slice_times times;
    if (!times_of(t, row, &times)) {
        t->left_out++;
        return ROAST_OK;
    }
    uint32_t number = thread_number(t, row->worker, row->record.thread);
    if (!number)
        return ROAST_MEMORY;
    trace_thread *thread = &t->threads[number - 1];
    bool fine = put_tasks_until(t, thread, times.begun);
    snap(&times, task_of(t, thread, &times));
    fine = fine && put_tasks_until(t, thread, times.begun);
    track *place = fine ? track_for(t, thread, times.begun, times.done, false) : NULL;
    if (!place)
        return ROAST_MEMORY;
    place->slice_end_ns = times.done;
    uint32_t tid = place->tid;
    put_chunk_slice(t, row, tid, &times);
    put_phase(t, ROAST_PHASE_OPEN, row->worker, tid, times.begun, times.opened);
    put_phase(t, ROAST_PHASE_EVENTS, row->worker, tid, times.opened, times.start);
    put_phase(t, ROAST_PHASE_PROCESS, row->worker, tid, times.start, times.end);
    section_group group = sections_of(t, row->id, row->worker, tid);
    put_sections(t, &group, RUN_UNKNOWN, 0, times.start, times.end);
    put_phase(t, ROAST_PHASE_RETURN, row->worker, tid, times.end, times.done);
    return pass_on(t, PART_BYTES);
}

/* ---- Counters ------------------------------------------------------------------------------------------------------
 */

static roast_code put_sample(void *context, const run_sample *row)
{
    trace_writer *t = context;
    const roast_sample *sample = &row->record;
    if (row->worker >= run_workers(t->run) || sample->t_ns == ROAST_ABSENT || sample->t_ns < t->zero_ns ||
        sample->t_ns > t->latest_ns)
        return ROAST_OK;
    if (sample->memory != ROAST_ABSENT) {
        begin_event(t, 'C', NULL, STR("memory"), row->worker, 0);
        put_time(t, "ts", sample->t_ns - t->zero_ns);
        buf_format(&t->out, ",\"args\":{\"bytes\":%" PRId64 "}}", sample->memory);
    }
    if (isfinite(sample->cpu)) {
        begin_event(t, 'C', NULL, STR("CPU"), row->worker, 0);
        put_time(t, "ts", sample->t_ns - t->zero_ns);
        buf_text(&t->out, ",\"args\":{\"percent\":");
        number_put(&t->out, sample->cpu);
        buf_text(&t->out, "}}");
    }
    return pass_on(t, PART_BYTES);
}

/* ---- The whole -----------------------------------------------------------------------------------------------------
 */

/* The trace starts with the earliest thing in it: its times are not negative. */
static roast_code see_start(void *context, const run_chunk *row)
{
    trace_writer *t = context;
    slice_times times;
    if (times_of(t, row, &times) && times.begun < t->zero_ns)
        t->zero_ns = times.begun;
    return ROAST_OK;
}

/* As far as the run is long, and at least an hour, to both sides. */
static void set_window(trace_writer *t, const roast_summary *summary)
{
    int64_t start = summary->t_start_ns == ROAST_ABSENT ? 0 : summary->t_start_ns;
    int64_t end = summary->t_end_ns == ROAST_ABSENT ? start : summary->t_end_ns, length;
    if (__builtin_sub_overflow(end, start, &length) || length < 3600 * NS_PER_S)
        length = 3600 * NS_PER_S;
    t->zero_ns = start;
    if (__builtin_sub_overflow(start, length, &t->earliest_ns))
        t->earliest_ns = 0;
    if (__builtin_add_overflow(end, length, &t->latest_ns))
        t->latest_ns = INT64_MAX;
}

static void put_workers(trace_writer *t)
{
    for (uint32_t i = 0; i < run_workers(t->run); i++)
        put_name_of(t, "process_name", i, 0, run_worker(t->run, i)->address);
}

static roast_code write_trace(trace_writer *t, roast_error *err)
{
    t->tids = arena_alloc(&t->memory, run_workers(t->run) + 1, sizeof *t->tids);
    roast_code code = t->tids ? ROAST_OK : ROAST_MEMORY;
    if (!code)
        code = run_each_chunk(t->run, RUN_MEASURES, see_start, t, err);
    if (!code)
        code = read_tasks(t, err);
    if (!code)
        code = run_each_section(t->run, RUN_EVERYTHING, see_section, t, err);
    if (code)
        return code;
    order_sections(t);
    buf_text(&t->out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    put_workers(t);
    code = run_each_chunk(t->run, RUN_EVERYTHING, put_chunk, t, err);
    for (size_t i = 0; !code && i < t->thread_names.count; i++)
        code = put_tasks_until(t, &t->threads[i], INT64_MAX) ? pass_on(t, PART_BYTES) : ROAST_MEMORY;
    if (!code)
        code = run_each_sample(t->run, RUN_EVERYTHING, put_sample, t, err);
    return code;
}

static void put_end(trace_writer *t, const roast_summary *summary)
{
    bool any = false;
    buf_text(&t->out, "\n],\"otherData\":{");
    put_text_argument(t, &any, "run", summary->run_name);
    put_int_argument(t, &any, "zero_ns", t->zero_ns);
    put_int_argument(t, &any, "left_out", (int64_t)t->left_out);
    put_text_argument(t, &any, "sections",
                      STR("one after the other, in the order of the records: their times are not known"));
    put_text_argument(t, &any, "written_by", STR("roast " ROAST_VERSION_TEXT));
    buf_text(&t->out, "}}\n");
}

roast_code roast_run_write_trace(roast_run *run, const roast_summary *summary, roast_write sink, void *context,
                                 roast_error *err)
{
    trace_writer t = {.run = run, .sink = sink, .context = context};
    set_window(&t, summary);
    roast_code code = write_trace(&t, err);
    put_end(&t, summary);
    if (!code)
        code = pass_on(&t, 0);
    if (code == ROAST_MEMORY)
        fail_memory(err);
    buf_release(&t.out);
    arena_release(&t.memory);
    intern_release(&t.thread_names);
    free(t.threads);
    free(t.tracks);
    free(t.tasks);
    free(t.sections);
    return code;
}
