/* A chunk attempt on one thread.
 *
 * Each thread has a stack of chunks (usually one), each chunk a stack of open sections and a table of what they sum up
 * to. Sections touch only their own thread's chunk, without a lock. Chunks that are inside process() are also in one
 * list of the process, because the peak of the memory is the process's: who shares it must know of the others. */
#include "probe/chunk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/sized.h"
#include "base/str.h"
#include "model/record.h"
#include "probe/readings.h"

enum { MOST_ROWS = 256, SLOTS = 512, MOST_FRAMES = 64, LONGEST_NAME = 512, KINDS = 3 };

/* A section and what it sums up to. Time, memory and bytes of one name in one place are one row. */
typedef struct section_row {
    roast_section sum;
    uint32_t parent; /* row + 1; 0 at the top */
    int64_t entries[KINDS];
} section_row;

/* An entry that has not ended. */
typedef struct section_frame {
    const void *token;
    uint32_t row;
    uint8_t kind;
    bool repeats; /* the same section is open further out: it counts, but its time is in there already */
    bool closed;  /* ended before one that is further in */
    int64_t start_ns, start_value;
} section_frame;

typedef struct probe_thread {
    roast_probe *innermost;
} probe_thread;

struct roast_probe {
    roast_probe *outer;             /* on the same thread */
    probe_thread *thread;           /* NULL: ended, or its thread has */
    void *owner;                    /* the caller's */
    atomic_bool abandoned;          /* freed by another thread; its own thread must take it off its stack */
    roast_probe *next, **back_link; /* among those in process(); back_link NULL: not in the list */
    roast_phase phase;
    int64_t phase_start_ns, phase_ns[ROAST_PHASE_COUNT];
    bool seen[ROAST_PHASE_COUNT];
    int64_t t_start_ns, rss_before, rss_after, peak, sampled_peak;
    bool shares_peak, peak_reset;
    thread_readings start, sum; /* over process() */
    int64_t thread_id, pid;
    size_t n_rows, rows_capacity, n_frames;
    section_row *rows;
    roast_section *sections; /* as given out */
    arena names;
    uint16_t slots[SLOTS]; /* row + 1, by hash */
    section_frame frames[MOST_FRAMES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of every stack and of the list */
static roast_probe *in_process;

static _Thread_local probe_thread *this_thread;
static pthread_key_t thread_key;
static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;

/* ---- Threads and forks --------------------------------------------------------------------------------------- */

static void release(roast_probe *chunk)
{
    arena_release(&chunk->names);
    free(chunk->rows);
    free(chunk->sections);
    free(chunk);
}

static void leave_list(roast_probe *chunk)
{
    if (!chunk->back_link)
        return;
    *chunk->back_link = chunk->next;
    if (chunk->next)
        chunk->next->back_link = chunk->back_link;
    chunk->back_link = NULL;
    chunk->next = NULL;
}

/* With the lock held. Chunks that their owners have given up go, the others live on without a thread. */
static void leave_stack(roast_probe *chunk)
{
    roast_probe **link = &chunk->thread->innermost;
    while (*link && *link != chunk)
        link = &(*link)->outer;
    if (*link)
        *link = chunk->outer;
    chunk->thread = NULL;
    chunk->outer = NULL;
}

static void thread_ends(void *argument)
{
    probe_thread *thread = argument;
    pthread_mutex_lock(&lock);
    while (thread->innermost) {
        roast_probe *chunk = thread->innermost;
        leave_list(chunk);
        leave_stack(chunk);
        if (atomic_load(&chunk->abandoned))
            release(chunk);
    }
    pthread_mutex_unlock(&lock);
    probe_thread_ends();
    this_thread = NULL;
    free(thread);
}

/* The other threads do not exist in the child, nor do the chunks that they worked on; the lock may have been held. */
static void in_forked_child(void)
{
    pthread_mutex_init(&lock, NULL);
    for (roast_probe *chunk = in_process, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk->next = NULL;
        chunk->back_link = NULL;
        if (chunk->thread != this_thread) {
            chunk->thread = NULL;
            chunk->outer = NULL;
        }
    }
    in_process = NULL;
}

static void set_up(void)
{
    pthread_key_create(&thread_key, thread_ends);
    probe_after_fork(in_forked_child);
}

static probe_thread *own_thread(void)
{
    if (this_thread)
        return this_thread;
    pthread_once(&set_up_once, set_up);
    probe_thread *thread = calloc(1, sizeof *thread);
    if (!thread || pthread_setspecific(thread_key, thread)) {
        free(thread);
        return NULL;
    }
    this_thread = thread;
    return thread;
}

/* ---- The peak of the memory ---------------------------------------------------------------------------------- */

static void raise_to(int64_t *highest, int64_t value)
{
    if (value > *highest) /* absent is smaller than any */
        *highest = value;
}

/* The system keeps one peak per process. A chunk that starts takes it back to the present; those that are running
 * get what it was until then, so that each has the peak of its own time. */
static void peak_begins(roast_probe *chunk)
{
    pthread_mutex_lock(&lock);
    int64_t until_now = in_process ? probe_read_peak(ROAST_ABSENT) : ROAST_ABSENT;
    chunk->shares_peak = chunk->shares_peak || in_process;
    for (roast_probe *other = in_process; other; other = other->next) {
        other->shares_peak = true;
        if (other->peak_reset)
            raise_to(&other->peak, until_now);
    }
    chunk->peak_reset = probe_reset_peak();
    chunk->next = in_process;
    chunk->back_link = &in_process;
    if (in_process)
        in_process->back_link = &chunk->next;
    in_process = chunk;
    pthread_mutex_unlock(&lock);
}

static void peak_ends(roast_probe *chunk)
{
    int64_t peak = chunk->peak_reset ? probe_read_peak(chunk->rss_after) : ROAST_ABSENT;
    pthread_mutex_lock(&lock);
    leave_list(chunk);
    raise_to(&chunk->peak, peak == ROAST_ABSENT ? chunk->sampled_peak : peak);
    pthread_mutex_unlock(&lock);
    if (chunk->peak != ROAST_ABSENT) { /* the system's counters lag behind each other a little */
        raise_to(&chunk->peak, chunk->rss_before);
        raise_to(&chunk->peak, chunk->rss_after);
    }
}

void probe_chunks_update_peak(int64_t rss)
{
    pthread_mutex_lock(&lock);
    for (roast_probe *chunk = in_process; chunk; chunk = chunk->next)
        raise_to(&chunk->sampled_peak, rss);
    pthread_mutex_unlock(&lock);
}

/* ---- Phases -------------------------------------------------------------------------------------------------- */

static void add_difference(int64_t *sum, int64_t now, int64_t before)
{
    if (now != ROAST_ABSENT && before != ROAST_ABSENT)
        *sum = (*sum == ROAST_ABSENT ? 0 : *sum) + (now - before);
}

/* The clocks are read last at the start and first at the end, the CPU's inside the other: our own looks are outside,
 * and the CPU time is never more than the duration. */
static void process_begins(roast_probe *chunk)
{
    peak_begins(chunk);
    int64_t rss = probe_read_rss();
    if (!chunk->seen[ROAST_PHASE_PROCESS]) {
        chunk->rss_before = rss;
        chunk->t_start_ns = clock_wall_ns();
    }
    chunk->start = probe_read_thread();
}

static void process_ends(roast_probe *chunk, int64_t cpu_ns)
{
    thread_readings now = probe_read_thread();
    add_difference(&chunk->sum.cpu_ns, cpu_ns, chunk->start.cpu_ns);
    add_difference(&chunk->sum.run_delay_ns, now.run_delay_ns, chunk->start.run_delay_ns);
    add_difference(&chunk->sum.voluntary_switches, now.voluntary_switches, chunk->start.voluntary_switches);
    add_difference(&chunk->sum.involuntary_switches, now.involuntary_switches, chunk->start.involuntary_switches);
    add_difference(&chunk->sum.page_faults, now.page_faults, chunk->start.page_faults);
    add_difference(&chunk->sum.major_faults, now.major_faults, chunk->start.major_faults);
    add_difference(&chunk->sum.storage_bytes_read, now.storage_bytes_read, chunk->start.storage_bytes_read);
    chunk->rss_after = probe_read_rss();
    peak_ends(chunk);
}

static void enter_phase(roast_probe *chunk, roast_phase phase)
{
    int64_t cpu_ns = chunk->phase == ROAST_PHASE_PROCESS ? probe_read_cpu_ns() : ROAST_ABSENT;
    chunk->phase_ns[chunk->phase] += clock_monotonic_ns() - chunk->phase_start_ns;
    if (chunk->phase == ROAST_PHASE_PROCESS)
        process_ends(chunk, cpu_ns);
    chunk->phase = phase;
    if (phase == ROAST_PHASE_PROCESS)
        process_begins(chunk);
    chunk->seen[phase] = true;
    chunk->phase_start_ns = clock_monotonic_ns();
    if (phase == ROAST_PHASE_PROCESS)
        chunk->start.cpu_ns = probe_read_cpu_ns();
}

static bool on_own_thread(const roast_probe *chunk)
{
    return chunk->thread && chunk->thread == this_thread;
}

void roast_probe_phase(roast_probe *chunk, roast_phase phase)
{
    if (on_own_thread(chunk) && phase != chunk->phase && (unsigned)phase < ROAST_PHASE_COUNT)
        enter_phase(chunk, phase);
}

/* ---- Chunks -------------------------------------------------------------------------------------------------- */

/* Takes off the stack what other threads have freed meanwhile. */
static void drop_abandoned(probe_thread *thread)
{
    while (thread->innermost && atomic_load(&thread->innermost->abandoned)) {
        roast_probe *chunk = thread->innermost;
        pthread_mutex_lock(&lock);
        leave_stack(chunk);
        pthread_mutex_unlock(&lock);
        release(chunk);
    }
}

roast_probe *roast_probe_current(void)
{
    probe_thread *thread = this_thread;
    if (!thread || !thread->innermost)
        return NULL;
    if (atomic_load_explicit(&thread->innermost->abandoned, memory_order_relaxed))
        drop_abandoned(thread);
    return thread->innermost;
}

void *roast_probe_owner(const roast_probe *chunk)
{
    return chunk->owner;
}

roast_probe *roast_probe_begin(void *owner)
{
    probe_thread *thread = own_thread();
    roast_probe *chunk = thread ? calloc(1, sizeof *chunk) : NULL;
    if (!chunk)
        return NULL;
    drop_abandoned(thread);
    chunk->owner = owner;
    chunk->thread = thread;
    chunk->t_start_ns = clock_wall_ns(); /* until process() begins, if it does */
    chunk->rss_before = chunk->rss_after = chunk->peak = chunk->sampled_peak = ROAST_ABSENT;
    chunk->sum = probe_nothing_read;
    chunk->thread_id = (int64_t)(uintptr_t)pthread_self(); /* as Python's threading.get_ident() */
    chunk->pid = getpid();
    chunk->phase_start_ns = clock_monotonic_ns();
    pthread_mutex_lock(&lock);
    chunk->outer = thread->innermost;
    thread->innermost = chunk;
    pthread_mutex_unlock(&lock);
    return chunk;
}

static void close_frame(roast_probe *chunk, size_t place, int64_t now_ns, int64_t value);

void roast_probe_end(roast_probe *chunk)
{
    if (on_own_thread(chunk)) {
        int64_t now = clock_monotonic_ns();
        while (chunk->n_frames)
            close_frame(chunk, chunk->n_frames - 1, now, ROAST_ABSENT);
        enter_phase(chunk, ROAST_PHASE_NONE);
    }
    pthread_mutex_lock(&lock);
    leave_list(chunk);
    if (on_own_thread(chunk))
        leave_stack(chunk);
    pthread_mutex_unlock(&lock);
}

void roast_probe_free(roast_probe *chunk)
{
    if (!chunk)
        return;
    pthread_mutex_lock(&lock);
    leave_list(chunk);
    chunk->owner = NULL;
    bool elsewhere = chunk->thread && chunk->thread != this_thread;
    if (elsewhere)
        atomic_store(&chunk->abandoned, true);
    else if (chunk->thread)
        leave_stack(chunk);
    pthread_mutex_unlock(&lock);
    if (!elsewhere)
        release(chunk);
}

/* ---- Sections ------------------------------------------------------------------------------------------------ */

static roast_str shortened(roast_str name)
{
    if (name.len > LONGEST_NAME) {
        name.len = LONGEST_NAME;
        while (name.len && ((unsigned char)name.ptr[name.len] & 0xC0) == 0x80) /* not inside a character */
            name.len--;
    }
    return name;
}

/* A new row; MOST_ROWS if memory is out. */
static uint32_t add_row(roast_probe *chunk, roast_str name, uint32_t parent)
{
    if (chunk->n_rows == chunk->rows_capacity) {
        size_t capacity = chunk->rows_capacity ? chunk->rows_capacity * 2 : 8;
        section_row *rows = realloc(chunk->rows, capacity * sizeof *rows);
        if (!rows)
            return MOST_ROWS;
        chunk->rows = rows;
        chunk->rows_capacity = capacity;
    }
    roast_section sum = roast_section_none();
    sum.name = arena_str(&chunk->names, name);
    if (str_absent(sum.name))
        return MOST_ROWS;
    if (parent)
        sum.depth = chunk->rows[parent - 1].sum.depth + 1;
    chunk->rows[chunk->n_rows] = (section_row){.sum = sum, .parent = parent};
    return (uint32_t)chunk->n_rows++;
}

/* The row of a section, made when it is new; the last one is for all that do not fit. MOST_ROWS if memory is out. */
static uint32_t find_row(roast_probe *chunk, roast_str name, uint32_t parent)
{
    size_t slot = XXH3_64bits_withSeed(name.ptr, name.len, parent) % SLOTS;
    for (; chunk->slots[slot]; slot = (slot + 1) % SLOTS) {
        const section_row *row = &chunk->rows[chunk->slots[slot] - 1];
        if (row->parent == parent && str_equal(row->sum.name, name))
            return chunk->slots[slot] - 1u;
    }
    if (chunk->n_rows == MOST_ROWS)
        return MOST_ROWS - 1;
    bool last = chunk->n_rows == MOST_ROWS - 1;
    uint32_t row = last ? add_row(chunk, STR("(further sections)"), 0) : add_row(chunk, name, parent);
    if (row < MOST_ROWS && !last)
        chunk->slots[slot] = (uint16_t)(row + 1);
    return row;
}

/* The innermost frame that is open, of this name and kind if a name is given; NULL if there is none. */
static const section_frame *innermost_frame(const roast_probe *chunk, roast_str name, roast_section_kind kind)
{
    for (size_t i = chunk->n_frames; i-- > 0;) {
        const section_frame *frame = &chunk->frames[i];
        if (frame->closed)
            continue;
        if (str_absent(name) || (frame->kind == kind && str_equal(chunk->rows[frame->row].sum.name, name)))
            return frame;
    }
    return NULL;
}

/* Where a section of this name and kind goes: inside the innermost open one. Another kind of the same name right
 * around it (time and memory of one block) is the same section. One that is open already further out repeats. */
static uint32_t place_row(roast_probe *chunk, roast_section_kind kind, roast_str name, bool *repeats)
{
    const section_frame *same = innermost_frame(chunk, name, kind);
    *repeats = same != NULL;
    if (same)
        return same->row;
    const section_frame *around = innermost_frame(chunk, str_none(), kind);
    if (around && str_equal(chunk->rows[around->row].sum.name, name))
        return around->row;
    return find_row(chunk, name, around ? around->row + 1 : 0);
}

static void add(int64_t *sum, int64_t value)
{
    if (value != ROAST_ABSENT)
        *sum = (*sum == ROAST_ABSENT ? 0 : *sum) + value;
}

static int64_t difference(int64_t now, int64_t before)
{
    return now == ROAST_ABSENT || before == ROAST_ABSENT ? ROAST_ABSENT : now - before;
}

/* value: CPU time, resident memory or bytes read, whichever the frame is about. */
static void close_frame(roast_probe *chunk, size_t place, int64_t now_ns, int64_t value)
{
    section_frame *frame = &chunk->frames[place];
    section_row *row = &chunk->rows[frame->row];
    row->entries[frame->kind]++;
    int64_t grown = difference(value, frame->start_value);
    if (!frame->repeats) {
        switch ((roast_section_kind)frame->kind) {
        case ROAST_SECTION_TIME:
            add(&row->sum.duration_ns, now_ns - frame->start_ns);
            add(&row->sum.cpu_ns, grown);
            break;
        case ROAST_SECTION_MEMORY:
            add(&row->sum.rss_delta, grown);
            row->sum.rss_after = value;
            break;
        case ROAST_SECTION_BYTES:
            add(&row->sum.bytes, grown);
            break;
        }
    }
    frame->closed = true;
    while (chunk->n_frames && chunk->frames[chunk->n_frames - 1].closed)
        chunk->n_frames--;
}

void roast_section_enter(roast_section_kind kind, roast_str name, const void *token, int64_t bytes)
{
    roast_probe *chunk = roast_probe_current();
    if (!chunk || chunk->n_frames == MOST_FRAMES || (unsigned)kind >= KINDS)
        return;
    bool repeats = false;
    uint32_t row = place_row(chunk, kind, shortened(name), &repeats);
    if (row >= MOST_ROWS)
        return;
    section_frame *frame = &chunk->frames[chunk->n_frames++];
    *frame = (section_frame){.token = token, .row = row, .kind = (uint8_t)kind, .repeats = repeats};
    roast_section *sum = &chunk->rows[row].sum;
    switch (kind) {
    case ROAST_SECTION_TIME:
        frame->start_ns = clock_monotonic_ns();
        frame->start_value = probe_read_cpu_ns();
        break;
    case ROAST_SECTION_MEMORY:
        frame->start_value = probe_read_rss();
        if (sum->rss_before == ROAST_ABSENT)
            sum->rss_before = frame->start_value;
        break;
    case ROAST_SECTION_BYTES:
        frame->start_value = bytes;
        break;
    }
}

/* Finds the last open entry of a token, further out too: a chunk may have begun inside the section. */
static section_frame *find_frame(roast_probe *chunk, const void *token, size_t *place)
{
    for (size_t i = chunk->n_frames; i-- > 0;)
        if (chunk->frames[i].token == token && !chunk->frames[i].closed) {
            *place = i;
            return &chunk->frames[i];
        }
    return NULL;
}

void roast_section_exit(const void *token, int64_t bytes)
{
    roast_probe *chunk = roast_probe_current();
    if (!chunk)
        return;
    section_frame *frame = NULL;
    size_t place = 0;
    while (chunk && !(frame = find_frame(chunk, token, &place)))
        chunk = chunk->outer;
    if (!frame)
        return;
    int64_t value = bytes;
    if (frame->kind == ROAST_SECTION_TIME)
        value = probe_read_cpu_ns();
    else if (frame->kind == ROAST_SECTION_MEMORY)
        value = probe_read_rss();
    close_frame(chunk, place, clock_monotonic_ns(), value);
}

void roast_section_add(roast_probe *chunk, roast_str name, int64_t duration_ns, int64_t rss_delta, int64_t bytes)
{
    uint32_t row = find_row(chunk, shortened(name), 0);
    if (row >= MOST_ROWS)
        return;
    section_row *target = &chunk->rows[row];
    const int64_t values[KINDS] = {duration_ns, rss_delta, bytes};
    for (size_t kind = 0; kind < KINDS; kind++)
        target->entries[kind] += values[kind] != ROAST_ABSENT;
    add(&target->sum.duration_ns, duration_ns);
    add(&target->sum.rss_delta, rss_delta);
    add(&target->sum.bytes, bytes);
}

/* ---- What was measured --------------------------------------------------------------------------------------- */

static bool fill_sections(roast_probe *chunk, roast_chunk *record)
{
    free(chunk->sections);
    chunk->sections = chunk->n_rows ? calloc(chunk->n_rows, sizeof *chunk->sections) : NULL;
    if (chunk->n_rows && !chunk->sections)
        return false;
    size_t filled = 0;
    for (size_t i = 0; i < chunk->n_rows; i++) {
        const section_row *row = &chunk->rows[i];
        roast_section section = row->sum;
        section.count = 0;
        for (size_t kind = 0; kind < KINDS && !section.count; kind++)
            section.count = row->entries[kind];
        if (row->parent)
            section.parent = chunk->rows[row->parent - 1].sum.name;
        if (section.count) /* entered and never left is no section yet */
            chunk->sections[filled++] = section;
    }
    record->sections = chunk->sections;
    record->n_sections = filled;
    return true;
}

static bool fill_record(roast_probe *chunk, roast_chunk *record)
{
    int64_t *const durations[] = {NULL, &record->open_ns, &record->events_ns, &record->duration_ns, &record->return_ns};
    for (roast_phase phase = ROAST_PHASE_OPEN; phase <= ROAST_PHASE_RETURN; phase++)
        if (chunk->seen[phase])
            *durations[phase] = chunk->phase_ns[phase];
    record->thread = chunk->thread_id;
    record->pid = chunk->pid;
    record->t_start_ns = chunk->t_start_ns;
    record->cpu_ns = chunk->sum.cpu_ns;
    record->run_delay_ns = chunk->sum.run_delay_ns;
    record->voluntary_switches = chunk->sum.voluntary_switches;
    record->involuntary_switches = chunk->sum.involuntary_switches;
    record->page_faults = chunk->sum.page_faults;
    record->major_faults = chunk->sum.major_faults;
    record->storage_bytes_read = chunk->sum.storage_bytes_read;
    record->rss_before = chunk->rss_before;
    record->rss_after = chunk->rss_after;
    record->rss_peak = chunk->peak;
    record->peak_shared = chunk->shares_peak && chunk->peak != ROAST_ABSENT;
    return fill_sections(chunk, record);
}

bool roast_probe_fill(roast_probe *chunk, roast_chunk *record)
{
    roast_chunk ours;
    record_take(&record_specs[RECORD_chunk], &ours, record);
    bool filled = fill_record(chunk, &ours);
    sized_copy(record, record->size, &ours, ours.size);
    return filled;
}
