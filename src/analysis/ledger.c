/* The ledger. What chunks did comes from their own records. The rest is idle time, told apart by when it was: before a
 * worker's first chunk, while chunks waited to be started, or after the last had been started. The engine's tasks that
 * are not chunks (preprocessing, merging) and its sums of packing are taken out of the idle time in which they ran.
 * What is left over is the residual: the categories sum to the core time by construction. */
#include "analysis/ledger.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/coverage.h"
#include "analysis/idle.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "model/facts.h"

/* ---- One attempt --------------------------------------------------------------------------------------------- */

static const int64_t LONGEST_NS = INT64_C(1) << 56; /* two years: anything longer is damage */

ledger ledger_new(void)
{
    return (ledger){.first_start_ns = ROAST_ABSENT, .last_first_start_ns = ROAST_ABSENT};
}

static int64_t count_cores(const roast_run *run)
{
    int64_t cores = 0;
    for (uint32_t i = 0; i < run_workers(run); i++) {
        int64_t more = run_worker(run, i)->cores;
        cores += more > 0 && more < 4096 && cores < 4096 ? more : 0;
    }
    return cores;
}

bool ledger_fit(ledger *l, const roast_run *run)
{
    const ledger_sums none = {0};
    size_t groups = l->slots.n_groups ? l->slots.n_groups - 1 : 0;
    ledger_sums *workers = grow_before_last(l->workers, groups, run_workers(run), sizeof *workers, &none);
    l->workers = workers ? workers : l->workers;
    ledger_sums *datasets = grow_before_last(l->datasets, l->n_datasets, run_datasets(run), sizeof *datasets, &none);
    l->datasets = datasets ? datasets : l->datasets;
    l->n_datasets = run_datasets(run);
    l->cores = count_cores(run);
    return workers && datasets && slot_table_fit(&l->slots, run, l->cores, &l->memory);
}

bool ledger_changed(const ledger *l, const roast_run *run)
{
    const slot_table *slots = &l->slots;
    return slots->n_groups && slot_group_used(&slots->groups[slots->n_groups - 1]) && l->cores != count_cores(run);
}

void ledger_release(ledger *l)
{
    u64map_release(&l->chunks);
    slot_table_release(&l->slots);
    free(l->workers);
    free(l->datasets);
    arena_release(&l->memory);
}

/* A copy that a summary may change, all of it in its arena. */
static bool copy_ledger(ledger *copy, const ledger *l)
{
    *copy = *l;
    copy->memory = (arena){0};
    copy->chunks = (u64map){0};
    size_t workers = l->slots.n_groups, datasets = l->n_datasets + 1;
    copy->workers = arena_grow(&copy->memory, l->workers, workers, workers, sizeof *copy->workers);
    copy->datasets = arena_grow(&copy->memory, l->datasets, datasets, datasets, sizeof *copy->datasets);
    return copy->workers && copy->datasets && slot_table_copy(&copy->slots, &l->slots, &copy->memory);
}

/* A part of an attempt: absent counts as nothing, absurd as damage. */
static bool part_ns(int64_t value, int64_t *out)
{
    *out = value == ROAST_ABSENT ? 0 : value;
    return *out >= 0 && *out < LONGEST_NS;
}

static void split_process(const roast_chunk *chunk, int64_t process_ns, double *seconds)
{
    double process = clock_seconds(process_ns);
    if (chunk->cpu_ns == ROAST_ABSENT) {
        seconds[LEDGER_PROCESS_UNSPLIT] = process;
        return;
    }
    double cpu = fmin(fmax(clock_seconds(chunk->cpu_ns), 0), process);
    double delay = chunk->run_delay_ns == ROAST_ABSENT ? 0 : fmax(clock_seconds(chunk->run_delay_ns), 0);
    seconds[LEDGER_PROCESS_CPU] = cpu;
    seconds[LEDGER_PROCESS_CORE] = fmin(delay, process - cpu);
    seconds[LEDGER_PROCESS_IO] = process - cpu - seconds[LEDGER_PROCESS_CORE];
}

uint64_t chunk_key(const run_chunk *row)
{
    return chunk_identity_across_runs(&row->record, row->file, row->dataset);
}

enum { CHUNK_DONE = 1, CHUNK_FAILURE = 2, MOST_FAILURES = INT32_MAX }; /* what is kept of a chunk: done, and failures */

/* Whether a success is a second one: the chunk has succeeded before, and there were fewer failures than attempts before
 * this one. A first attempt begins a round of its own, in which nothing has failed. Chunks whose file is not known are
 * not known to be the same. */
static bool succeeded_before(ledger *l, const run_chunk *row, bool failed, bool *memory_out)
{
    const roast_chunk *chunk = &row->record;
    bool first = chunk->attempt == ROAST_ABSENT || chunk->attempt < 2;
    if (row->file == RUN_UNKNOWN)
        return false;
    uint32_t *seen = u64map_at(&l->chunks, chunk_key(row));
    if (!seen) {
        *memory_out = true;
        return false;
    }
    uint32_t done = *seen & CHUNK_DONE, failures = first ? 0 : *seen / CHUNK_FAILURE;
    *seen = (failures + (failed && failures < MOST_FAILURES)) * CHUNK_FAILURE + (failed ? done : CHUNK_DONE);
    return !failed && !first && done && failures < (uint64_t)chunk->attempt - 1;
}

/* When it began and ended; false if that is missing or absurd. */
static bool read_times(const run_chunk *row, ledger_attempt *out)
{
    const roast_chunk *chunk = &row->record;
    int64_t open = 0, events = 0, process = 0, returning = 0, begun = chunk->t_start_ns;
    bool sound = part_ns(chunk->open_ns, &open) && part_ns(chunk->events_ns, &events) &&
                 part_ns(chunk->duration_ns, &process) && part_ns(chunk->return_ns, &returning);
    if (!sound || begun < LONGEST_NS / 2 || begun > INT64_MAX - 4 * LONGEST_NS)
        return false;
    out->start_ns = begun - open - events;
    out->end_ns = begun + process + returning;
    return true;
}

bool ledger_read(ledger *l, const run_chunk *row, ledger_attempt *out, bool *memory_out)
{
    const roast_chunk *chunk = &row->record;
    bool failed = chunk_failed(chunk);
    *out = (ledger_attempt){.failed = failed, .recomputed = succeeded_before(l, row, failed, memory_out)};
    if (!read_times(row, out))
        return false;
    split_process(chunk, or_zero(chunk->duration_ns), out->process);
    if (out->failed)
        return true;
    if (out->recomputed) {
        out->seconds[LEDGER_LOST] = clock_seconds(out->end_ns - out->start_ns);
        return true;
    }
    for (int i = 0; i < LEDGER_OPEN; i++)
        out->seconds[i] = out->process[i];
    out->seconds[LEDGER_OPEN] = clock_seconds(or_zero(chunk->open_ns));
    out->seconds[LEDGER_EVENTS] = clock_seconds(or_zero(chunk->events_ns));
    out->seconds[LEDGER_RETURN] = clock_seconds(or_zero(chunk->return_ns));
    return true;
}

static void saw_start(ledger *l, int64_t start_ns, bool retry)
{
    if (l->first_start_ns == ROAST_ABSENT || start_ns < l->first_start_ns)
        l->first_start_ns = start_ns;
    if (!retry && start_ns > l->last_first_start_ns) /* absent is smaller than any */
        l->last_first_start_ns = start_ns;
}

void ledger_add(ledger *l, const run_chunk *row, const ledger_attempt *attempt)
{
    size_t nowhere = l->slots.n_groups - 1;
    ledger_sums *worker = &l->workers[row->worker < nowhere ? row->worker : nowhere];
    l->attempts++;
    saw_start(l, attempt->start_ns, is_retry(row->record.attempt));
    slot_table_add(&l->slots, row->worker, attempt->start_ns, attempt->end_ns, NULL);
    l->recorded_seconds += clock_seconds(attempt->end_ns - attempt->start_ns);
    ledger_sums *dataset = &l->datasets[row->dataset < l->n_datasets ? row->dataset : l->n_datasets];
    for (int i = 0; i < LEDGER_OF_CHUNKS; i++) {
        worker->seconds[i] += attempt->seconds[i];
        dataset->seconds[i] += attempt->seconds[i];
    }
}

/* Whether it is known of any work when it was begun: else nobody can say what was idle. */
static bool ledger_knows_work(const ledger *l)
{
    return l->first_start_ns != ROAST_ABSENT;
}

int64_t ledger_last_start(const ledger *l)
{
    return l->last_first_start_ns != ROAST_ABSENT ? l->last_first_start_ns : l->first_start_ns;
}

/* ---- Records that did not come in the order of their ends ---------------------------------------------------- */

typedef struct attempt_times {
    int64_t start_ns, end_ns;
    uint32_t worker;
} attempt_times;

typedef struct attempt_list {
    attempt_times *items;
    size_t count, capacity;
} attempt_list;

static roast_code keep_interval(void *context, const run_chunk *row)
{
    attempt_list *list = context;
    ledger_attempt attempt = {0};
    if (list->count == list->capacity || !read_times(row, &attempt))
        return ROAST_OK;
    list->items[list->count++] = (attempt_times){attempt.start_ns, attempt.end_ns, row->worker};
    return ROAST_OK;
}

static int compare_intervals(const void *left, const void *right)
{
    const attempt_times *a = left, *b = right;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Outputs that were merged as a tree bring their records in any order. */
static roast_code lay_in_order(ledger *l, roast_run *run, roast_error *err)
{
    attempt_list list = {.capacity = (size_t)l->attempts};
    list.items = malloc(list.capacity * sizeof *list.items);
    if (!list.items)
        return fail_memory(err);
    roast_code code = run_each_chunk(run, RUN_MEASURES, keep_interval, &list, err);
    qsort(list.items, list.count, sizeof *list.items, compare_intervals);
    slot_table_clear(&l->slots);
    for (size_t i = 0; i < list.count; i++)
        slot_table_add(&l->slots, list.items[i].worker, list.items[i].start_ns, list.items[i].end_ns, NULL);
    free(list.items);
    return code;
}

/* ---- The engine's tasks -------------------------------------------------------------------------------------- */

static int64_t first_start_of(const slot_group *group)
{
    int64_t first = ROAST_ABSENT;
    for (uint32_t i = 0; i < group->count; i++) {
        int64_t start = group->slots[i].first_start_ns;
        if (start != ROAST_ABSENT && (first == ROAST_ABSENT || start < first))
            first = start;
    }
    return first;
}

/* There are no chunk records: the processor's tasks stand for them. */
static void take_for_chunk(ledger *l, const kept_task *task)
{
    double seconds = clock_seconds(task->stop_ns - task->start_ns);
    ledger_category category = task->done ? LEDGER_PROCESS_UNSPLIT : task->killed ? LEDGER_LOST : LEDGER_FAILED;
    l->workers[task->worker].seconds[category] += seconds;
    l->attempts++;
    l->recorded_seconds += seconds;
    saw_start(l, task->start_ns, task->retry);
    slot_table_add(&l->slots, task->worker, task->start_ns, task->stop_ns, NULL);
}

/* Tasks are the work. shares: of their time on the CPU, by kind. */
static void take_for_work(ledger *l, const kept_task *task, const double *shares)
{
    double seconds = clock_seconds(task->stop_ns - task->start_ns), cpu = shares[task->kind];
    double *sums = l->workers[task->worker].seconds;
    if (task->recomputed || task->killed)
        sums[LEDGER_LOST] += seconds;
    else if (!task->done)
        sums[LEDGER_FAILED] += seconds;
    else if (isnan(cpu))
        sums[LEDGER_TASK_UNSPLIT] += seconds;
    else {
        sums[LEDGER_TASK_CPU] += seconds * cpu;
        sums[LEDGER_TASK_WAIT] += seconds * (1 - cpu);
    }
    l->attempts++;
    l->recorded_seconds += seconds;
    saw_start(l, task->start_ns, true);
    slot_table_add(&l->slots, task->worker, task->start_ns, task->stop_ns, NULL);
}

/* ---- Idle time ----------------------------------------------------------------------------------------------- */

/* What a worker did, by when it was: nanoseconds of chunks, and of tasks that are none. */
typedef struct worker_time {
    idle_bounds bounds;
    int64_t chunks[IDLE_PHASES], merging[IDLE_PHASES], killed_tasks[IDLE_PHASES];
    int64_t preprocessing; /* before the first chunk */
    int64_t chunk_tasks;   /* as the engine measured them */
} worker_time;

/* Attempts that came to nothing, of a worker or a dataset. */
typedef struct wasted_time {
    int64_t failed, killed; /* killed: with their workers */
} wasted_time;

static double seconds_between(int64_t from, int64_t to)
{
    return to > from ? clock_seconds(to - from) : 0;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Less than nothing where records overlap: that is the residual's. */
static void find_idle(double *idle, const worker_time *time, double cores)
{
    for (int phase = 0; phase < IDLE_PHASES; phase++)
        idle[phase] = fmax(cores * idle_phase_seconds(&time->bounds, phase) - clock_seconds(time->chunks[phase]), 0);
}

/* Moves as much as there is. */
static double take(double *from, double wanted)
{
    double taken = fmin(fmax(wanted, 0), *from);
    *from -= taken;
    return taken;
}

/* Tasks that are not chunks ran in time that looked idle. */
static void take_tasks(ledger_sums *sums, double *idle, const worker_time *time)
{
    sums->seconds[LEDGER_PREPROCESSING] += take(&idle[IDLE_BEFORE_FIRST], clock_seconds(time->preprocessing));
    for (int phase = 0; phase < IDLE_PHASES; phase++) {
        sums->seconds[LEDGER_MERGING] += take(&idle[phase], clock_seconds(time->merging[phase]));
        sums->seconds[LEDGER_LOST] += take(&idle[phase], clock_seconds(time->killed_tasks[phase]));
    }
    double chunks = clock_seconds(time->chunk_tasks), chunk_seconds = 0;
    for (int i = 0; i < LEDGER_OF_CHUNKS; i++)
        chunk_seconds += sums->seconds[i];
    if (chunks > chunk_seconds && chunk_seconds > 0)
        sums->seconds[LEDGER_RETURN] += take(&idle[IDLE_CHUNKS_LEFT], chunks - chunk_seconds);
}

static bool death_is_recorded(const wasted_time *wasted, const worker_time *time)
{
    int64_t tasks = 0;
    for (int phase = 0; phase < IDLE_PHASES; phase++)
        saturated_add(&tasks, time->killed_tasks[phase]);
    return wasted->killed > 0 || tasks > 0;
}

/* A worker that died took along what its cores had been at since their last records, if nobody recorded that. */
static double since_last_records(const slot_group *group, const idle_bounds *bounds)
{
    double seconds = 0;
    for (uint32_t i = 0; i < group->count; i++)
        if (group->slots[i].first_start_ns != ROAST_ABSENT)
            seconds += seconds_between(group->slots[i].last_end_ns, bounds->at[IDLE_NOTHING_LEFT]);
    return seconds;
}

static int64_t busy_ns(const slot_group *group)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < group->count; i++)
        saturated_add(&sum, group->slots[i].busy_ns);
    return sum;
}

/* ---- The engine's sums, where there are no tasks --------------------------------------------------------------- */

typedef struct engine_sums {
    double merging, packing;
} engine_sums;

static engine_sums sum_engine(const roast_run *run, bool tasks_known)
{
    static const char *const packing[] = {"compress",    "decompress", "serialize",
                                          "deserialize", "disk-read",  "disk-write"};
    engine_sums sums = {0};
    roast_str processor = roast_run_fact(run, "processor");
    for (size_t i = 0; i < run_activities(run); i++) {
        const roast_activity *a = roast_run_activity(run, i);
        bool counts = str_equal(a->context, STR("execute")) && str_equal(a->unit, STR("seconds")) && a->value > 0;
        if (!counts || str_absent(processor))
            continue;
        bool on_thread = str_starts_with(a->activity, STR("thread-"));
        if (on_thread && !tasks_known && !str_equal(a->prefix, processor))
            sums.merging += a->value;
        for (size_t k = 0; k < sizeof packing / sizeof *packing; k++)
            if (str_equal(a->activity, str_from(packing[k])))
                sums.packing += a->value;
    }
    return sums;
}

/* Shares a sum of the run out to the workers, by the idle time that each has for it. Gives how much there was. */
static double share_out(double wanted, ledger *l, ledger_category from, ledger_category to)
{
    double there = 0;
    for (size_t i = 0; i < l->slots.n_groups; i++)
        there += l->workers[i].seconds[from];
    double share = there > 0 ? fmin(fmax(wanted, 0) / there, 1) : 0;
    for (size_t i = 0; i < l->slots.n_groups; i++) {
        double moved = l->workers[i].seconds[from] * share;
        l->workers[i].seconds[from] -= moved;
        l->workers[i].seconds[to] += moved;
    }
    return there * share;
}

/* Moves a sum of the run out of the idle time between tasks, and what is left of it out of that at the end. */
static void take_of_idle(ledger *l, double wanted, ledger_category to)
{
    wanted -= share_out(wanted, l, LEDGER_IDLE_QUEUE, to);
    share_out(wanted, l, LEDGER_IDLE_TAIL, to);
}

/* What the engine did around tasks that are the work. It has the time of failed attempts only as a sum, and those that
 * are not made again as tasks, too. */
static void take_engine_sums_of_tasks(ledger *l, const roast_run *run)
{
    static const struct {
        activity_kind kind;
        ledger_category category;
    } around[] = {{ACTIVITY_SPILLING, LEDGER_SPILLING},
                  {ACTIVITY_PACKING, LEDGER_RETURN},
                  {ACTIVITY_FAILED, LEDGER_FAILED},
                  {ACTIVITY_OVERHEAD, LEDGER_OVERHEAD}};
    for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
        double sum = 0;
        for (size_t i = 0; i < run_activities(run); i++) {
            const roast_activity *a = roast_run_activity(run, i);
            sum += activity_kind_of(a) == around[k].kind && a->value > 0 ? a->value : 0;
        }
        for (size_t i = 0; i < l->slots.n_groups; i++)
            sum -= l->workers[i].seconds[around[k].category];
        take_of_idle(l, sum, around[k].category);
    }
}

/* total: core-seconds that there were. The engine's sums are of all workers: those that were not measured have their
 * share of them. Results are packed when chunks end: late is the share of chunks that ended in the tail. */
static void take_engine_sums(ledger *l, const roast_run *run, bool tasks_known, double total, double late)
{
    engine_sums engine = sum_engine(run, tasks_known);
    double not_measured = 0;
    for (size_t i = 0; i < l->slots.n_groups; i++)
        not_measured += l->workers[i].seconds[LEDGER_NOT_MEASURED];
    double measured = fmax(1 - not_measured / total, 0);
    engine.packing *= measured;
    engine.merging *= measured;
    engine.packing -= share_out((1 - late) * engine.packing, l, LEDGER_IDLE_QUEUE, LEDGER_RETURN);
    share_out(engine.packing, l, LEDGER_IDLE_TAIL, LEDGER_RETURN);
    engine.merging -= share_out(engine.merging, l, LEDGER_IDLE_QUEUE, LEDGER_MERGING);
    share_out(engine.merging, l, LEDGER_IDLE_TAIL, LEDGER_MERGING);
}

/* ---- From the pass to the summary ---------------------------------------------------------------------------- */

typedef struct ledger_build {
    analysis *a;
    ledger *l;
    double total;                        /* core-seconds that there were */
    double *offered;                     /* by worker */
    worker_time *times;                  /* by worker, and one more */
    wasted_time *by_worker, *by_dataset; /* and one more of each */
    bool open_unmeasured;   /* opening files was not measured: it hides between the chunks, so that is not idle time */
    bool of_tasks;          /* tasks are the work: the engine measures them on every worker */
    bool beside_chunks;     /* no Runner ran: tasks that are no chunks are work, too */
    bool has[LEDGER_COUNT]; /* some worker has something of it */
    bool pooled;            /* the records do not say where they ran, or the engine not who was there when */
    bool partly;            /* some workers were not measured */
} ledger_build;

static bool lacks_probe(const ledger_build *b, uint32_t worker)
{
    return !b->of_tasks && worker_not_measured(run_worker(b->a->run, worker));
}

static double work_seconds(const ledger_sums *sums)
{
    double seconds = 0;
    for (int i = 0; i < LEDGER_OF_WORK; i++)
        seconds += sums->seconds[i];
    return seconds;
}

static void set_idle(ledger_sums *sums, const double *idle)
{
    sums->seconds[LEDGER_IDLE_START] = idle[IDLE_BEFORE_FIRST];
    sums->seconds[LEDGER_IDLE_QUEUE] = idle[IDLE_CHUNKS_LEFT];
    sums->seconds[LEDGER_IDLE_TAIL] = idle[IDLE_NOTHING_LEFT];
}

static bool is_running(const ledger_build *b)
{
    return b->a->summary->outcome == ROAST_RUNNING;
}

/* Chunks are recorded when they end: until then nobody knows of a core that it is at one, and the last that was
 * started will not be the last. since: seconds of cores since what they did last. */
static void keep_unfinished(ledger_sums *sums, double since)
{
    double *seconds = sums->seconds;
    seconds[LEDGER_NOT_MEASURED] += take(&seconds[LEDGER_IDLE_QUEUE], since);
    seconds[LEDGER_NOT_MEASURED] += take(&seconds[LEDGER_IDLE_TAIL], seconds[LEDGER_IDLE_TAIL]);
}

/* Cores that were there and waited for coffea's preprocessing. */
static double waited_for_preprocessing(const ledger_build *b, int64_t from, int64_t to, double cores)
{
    int64_t length = run_fact_int(b->a->run, "preprocess_ns"), begun = run_fact_int(b->a->run, "preprocess_start_ns");
    if (length == ROAST_ABSENT || length <= 0 || length > LONGEST_NS)
        return 0;
    if (begun == ROAST_ABSENT || begun < b->a->summary->t_start_ns || begun > b->a->summary->t_end_ns)
        begun = b->a->summary->t_start_ns;
    return cores * seconds_between(later(from, begun), earlier(to, begun + length));
}

/* What a worker without a probe did is known only as far as there are records of it. */
static void set_not_measured(ledger_sums *sums, double offered)
{
    sums->seconds[LEDGER_NOT_MEASURED] = fmax(offered - work_seconds(sums), 0);
}

static void account_worker(ledger_build *b, uint32_t w)
{
    const roast_worker *worker = run_worker(b->a->run, w);
    const roast_summary *window = b->a->summary;
    int64_t from, to;
    if (!worker_presence(worker, window->t_start_ns, window->t_end_ns, &from, &to))
        return;
    double cores = worker->cores > 0 ? (double)worker->cores : 0;
    b->offered[w] = cores * clock_seconds(to - from);
    if (lacks_probe(b, w)) {
        set_not_measured(&b->l->workers[w], b->offered[w]);
        return;
    }
    if (!ledger_knows_work(b->l))
        return;
    bool died = worker->lost && worker->left_ns != ROAST_ABSENT && worker->left_ns <= window->t_end_ns;
    ledger_sums *sums = &b->l->workers[w];
    const worker_time *time = &b->times[w];
    double idle[IDLE_PHASES];
    find_idle(idle, time, cores);
    take_tasks(sums, idle, time);
    double waited =
        waited_for_preprocessing(b, from, to, cores) - clock_seconds(time->preprocessing); /* that is taken already */
    sums->seconds[LEDGER_PREPROCESSING] += take(&idle[IDLE_BEFORE_FIRST], waited);
    if (died && !death_is_recorded(&b->by_worker[w], time))
        sums->seconds[LEDGER_LOST] +=
            take(&idle[IDLE_CHUNKS_LEFT], since_last_records(&b->l->slots.groups[w], &time->bounds));
    set_idle(sums, idle);
    if (is_running(b))
        keep_unfinished(sums, since_last_records(&b->l->slots.groups[w], &time->bounds));
}

/* Nobody knows who was there when: what is idle in all is told apart as if the cores had been one worker's. */
static void account_pool(ledger_build *b)
{
    ledger *l = b->l;
    const roast_summary *window = b->a->summary;
    size_t pool = l->slots.n_groups - 1;
    double idle[IDLE_PHASES] = {0}, found = 0, busy = 0;
    for (size_t i = 0; i <= pool; i++) {
        const slot_group *group = &l->slots.groups[i];
        double part[IDLE_PHASES];
        busy += work_seconds(&l->workers[i]);
        find_idle(part, &b->times[i], slot_group_used(group) ? group->count : 0);
        for (int phase = 0; phase < IDLE_PHASES; phase++) {
            idle[phase] += part[phase];
            found += part[phase];
        }
    }
    double seconds = seconds_between(window->t_start_ns, window->t_end_ns);
    double not_measured = fmin(not_measured_cores(b->a->run, window) * seconds, fmax(b->total - busy, 0));
    double left = b->total - busy - not_measured;
    for (int phase = 0; phase < IDLE_PHASES; phase++)
        idle[phase] *= found > 0 && left > 0 ? left / found : 0;
    double waited = waited_for_preprocessing(b, window->t_start_ns, window->t_end_ns, b->total / seconds);
    l->workers[pool].seconds[LEDGER_NOT_MEASURED] = not_measured;
    l->workers[pool].seconds[LEDGER_PREPROCESSING] += take(&idle[IDLE_BEFORE_FIRST], waited);
    set_idle(&l->workers[pool], idle);
    if (is_running(b))
        keep_unfinished(&l->workers[pool], 0);
}

/* What is told of tasks is not told of chunks, and the other way round: that is absent, not 0. */
static bool can_have(const ledger_build *b, ledger_category category)
{
    bool if_any = category == LEDGER_TASK_UNSPLIT || category == LEDGER_SPILLING || category == LEDGER_OVERHEAD;
    if (if_any && !b->has[category])
        return false;
    bool of_tasks = category >= LEDGER_OF_CHUNKS && category < LEDGER_OF_WORK;
    bool of_chunks = (category < LEDGER_OF_CHUNKS && category != LEDGER_RETURN && category != LEDGER_FAILED &&
                      category != LEDGER_LOST) ||
                     category == LEDGER_MERGING || category == LEDGER_PREPROCESSING ||
                     (category == LEDGER_NOT_MEASURED && !b->has[category]);
    return b->of_tasks ? !of_chunks : b->beside_chunks || !of_tasks;
}

/* Categories that the run cannot have are left out; the residual is always there. */
static roast_code fill_run_rows(ledger_build *b, const ledger_sums *run, roast_error *err)
{
    roast_summary *summary = b->a->summary;
    size_t rows = 0;
    for (int i = 0; i < LEDGER_COUNT; i++)
        rows += run->seconds[i] != 0 || i == LEDGER_RESIDUAL;
    if (!summary_add_rows(summary, ROAST_SCOPE_LEDGER, rows))
        return fail_memory(err);
    bool delay_known = summary_value(summary, M_run_chunk_run_delay_seconds_total).kind != ROAST_NOTHING;
    size_t row = 0;
    for (int i = 0; i < LEDGER_COUNT; i++) {
        if (run->seconds[i] == 0 && i != LEDGER_RESIDUAL)
            continue;
        bool unfinished = i == LEDGER_NOT_MEASURED && is_running(b) && !partly_measured(summary);
        const char *title = i == LEDGER_PROCESS_IO && !delay_known                        ? TITLE_WAITING
                            : i == LEDGER_IDLE_QUEUE && (b->of_tasks || b->beside_chunks) ? TITLE_BETWEEN
                            : unfinished && b->of_tasks                                   ? TITLE_UNFINISHED_TASKS
                            : unfinished                                                  ? TITLE_UNFINISHED
                                                                                          : CATEGORIES[i].title;
        summary_cell_text(summary, M_ledger_category, row, str_from(CATEGORIES[i].key));
        summary_cell_text(summary, M_ledger_title, row, str_from(title));
        summary_cell_real(summary, M_ledger_core_seconds, row, run->seconds[i]);
        summary_cell_real(summary, M_ledger_share_percent, row, ratio(run->seconds[i] * 100, b->total));
        bool named = summary_cell(summary, M_ledger_category, row).kind == ROAST_TEXT &&
                     summary_cell(summary, M_ledger_title, row).kind == ROAST_TEXT;
        if (!named)
            return fail_memory(err);
        row++;
    }
    return ROAST_OK;
}

static roast_code fill_worker_rows(ledger_build *b, roast_error *err)
{
    roast_summary *summary = b->a->summary;
    size_t workers = b->pooled ? 0 : run_workers(b->a->run);
    if (!summary_add_rows(summary, ROAST_SCOPE_WORKER_LEDGER, workers))
        return fail_memory(err);
    for (uint32_t w = 0; w < workers; w++) {
        roast_str address = run_worker(b->a->run, w)->address;
        summary_cell_text(summary, M_worker_ledger_worker, w, address);
        if (summary_cell(summary, M_worker_ledger_worker, w).kind != ROAST_TEXT && !str_absent(address))
            return fail_memory(err);
        summary_cell_real(summary, M_worker_ledger_core_seconds, w, b->offered[w]);
        for (int i = 0; i < LEDGER_COUNT; i++)
            if (can_have(b, (ledger_category)i))
                summary_cell_real(summary, (metric_id)((int)M_worker_ledger_process_cpu + i), w,
                                  b->l->workers[w].seconds[i]);
    }
    return ROAST_OK;
}

static roast_code fill_dataset_rows(ledger_build *b, roast_error *err)
{
    roast_summary *summary = b->a->summary;
    size_t datasets = run_datasets(b->a->run);
    if (!summary_add_rows(summary, ROAST_SCOPE_DATASET_LEDGER, datasets))
        return fail_memory(err);
    for (uint32_t d = 0; d < datasets; d++) {
        const ledger_sums *sums = &b->l->datasets[d];
        summary_cell_text(summary, M_dataset_ledger_dataset, d, run_dataset(b->a->run, d));
        if (summary_cell(summary, M_dataset_ledger_dataset, d).kind != ROAST_TEXT)
            return fail_memory(err);
        summary_cell_real(summary, M_dataset_ledger_core_seconds, d, work_seconds(sums));
        for (int i = 0; i < LEDGER_OF_CHUNKS; i++)
            summary_cell_real(summary, (metric_id)((int)M_dataset_ledger_process_cpu + i), d, sums->seconds[i]);
    }
    return ROAST_OK;
}

/* What is left of a whole after its categories. Clocks differ by milliseconds: what is less than this share of the
 * whole tells of them and not of the run. */
static const double DUST = 2e-5;

static void set_residual(ledger_sums *sums, double whole)
{
    double rest = whole;
    for (int i = 0; i < LEDGER_RESIDUAL; i++) {
        if (fabs(sums->seconds[i]) < DUST * whole)
            sums->seconds[i] = 0;
        rest -= sums->seconds[i];
    }
    sums->seconds[LEDGER_RESIDUAL] = fabs(rest) < 1e-9 * fabs(whole) ? 0 : rest;
}

static roast_code fill_rows(ledger_build *b, roast_error *err)
{
    ledger *l = b->l;
    ledger_sums run = {0};
    for (size_t w = 0; w < l->slots.n_groups; w++) {
        if (b->open_unmeasured)
            l->workers[w].seconds[LEDGER_IDLE_QUEUE] = 0;
        if (!b->pooled)
            set_residual(&l->workers[w], w + 1 < l->slots.n_groups ? b->offered[w] : 0);
        for (int i = 0; i < LEDGER_RESIDUAL; i++) {
            run.seconds[i] += l->workers[w].seconds[i];
            b->has[i] |= l->workers[w].seconds[i] > 0;
        }
    }
    set_residual(&run, b->total);
    roast_code code = fill_run_rows(b, &run, err);
    if (!code)
        code = fill_worker_rows(b, err);
    return code ? code : fill_dataset_rows(b, err);
}

/* Chunks of a worker without a probe tell when there was something to do, and no more. */
static void see_starts(ledger *l, const chunk_tasks *chunks)
{
    if (chunks->first_start_ns != ROAST_ABSENT)
        saw_start(l, chunks->first_start_ns, true);
    if (chunks->last_start_ns != ROAST_ABSENT)
        saw_start(l, chunks->last_start_ns, false);
}

/* What tasks tell of chunks of which there are no records. */
static void see_chunk_tasks(ledger_build *b, bool instead)
{
    const task_sums *tasks = &b->a->tasks;
    for (uint32_t w = 0; w < b->a->n_workers; w++)
        if (lacks_probe(b, w))
            see_starts(b->l, &tasks->chunks[w]);
    for (size_t i = 0; i < tasks->count && instead; i++) {
        const kept_task *task = &tasks->kept[i];
        if ((task->of_processor || task->of_retries) && !lacks_probe(b, task->worker))
            take_for_chunk(b->l, task);
    }
}

/* False if memory is out. */
static bool see_work(ledger_build *b)
{
    task_sums *tasks = &b->a->tasks;
    const double *shares = task_cpu_shares(tasks, b->a->run, &b->l->memory);
    if (!shares || !tasks_find_recomputed(tasks, b->a->run))
        return false;
    int64_t last = tasks_last_start(tasks, b->l->cores);
    if (last != ROAST_ABSENT)
        saw_start(b->l, last, false);
    for (size_t i = 0; i < tasks->count; i++)
        if (!tasks->kept[i].holds_chunk)
            take_for_work(b->l, &tasks->kept[i], shares);
    return true;
}

static void place_work(ledger_build *b)
{
    const task_sums *tasks = &b->a->tasks;
    for (size_t i = 0; i < tasks->count; i++) {
        const kept_task *task = &tasks->kept[i];
        worker_time *time = &b->times[task->worker];
        if (task->holds_chunk)
            saturated_add(&time->chunk_tasks, task->stop_ns - task->start_ns);
        else
            idle_add_chunk(time->chunks, &time->bounds, task->start_ns, task->stop_ns);
    }
}

static void set_bounds(ledger_build *b)
{
    const roast_summary *window = b->a->summary;
    for (uint32_t i = 0; i < b->l->slots.n_groups; i++) {
        int64_t from = window->t_start_ns, to = window->t_end_ns, first = first_start_of(&b->l->slots.groups[i]);
        const roast_worker *worker = b->pooled ? NULL : run_worker(b->a->run, i);
        if (worker && !worker_presence(worker, window->t_start_ns, window->t_end_ns, &from, &to))
            to = from;
        if (first == ROAST_ABSENT)
            first = b->l->first_start_ns;
        b->times[i].bounds = idle_bounds_of(first, ledger_last_start(b->l), from, to);
    }
}

static void add_attempts(ledger_build *b)
{
    const trace *t = &b->a->trace;
    size_t nowhere = b->l->slots.n_groups - 1, no_dataset = b->l->n_datasets;
    for (size_t i = 0; i < t->count; i++) {
        const trace_attempt *attempt = &t->attempts[i];
        size_t w = attempt->worker < nowhere ? attempt->worker : nowhere;
        idle_add_chunk(b->times[w].chunks, &b->times[w].bounds, attempt->start_ns, attempt->end_ns);
        if (!attempt->failed)
            continue;
        wasted_time *dataset = &b->by_dataset[attempt->dataset < no_dataset ? attempt->dataset : no_dataset];
        wasted_time *worker = &b->by_worker[w];
        bool died = attempt_died(attempt, b->a->run);
        saturated_add(died ? &worker->killed : &worker->failed, attempt->end_ns - attempt->start_ns);
        saturated_add(died ? &dataset->killed : &dataset->failed, attempt->end_ns - attempt->start_ns);
    }
}

static void add_wasted(ledger_sums *sums, const wasted_time *wasted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[i].seconds[LEDGER_FAILED] += clock_seconds(wasted[i].failed);
        sums[i].seconds[LEDGER_LOST] += clock_seconds(wasted[i].killed);
    }
}

/* A task of the engine; whether it is something else than a chunk. */
static bool add_task(ledger_build *b, const kept_task *task, bool instead)
{
    worker_time *time = &b->times[task->worker];
    int64_t length = task->stop_ns - task->start_ns;
    bool chunk = instead ? task->of_processor || task->of_retries : is_chunk_task(b->l, task);
    if (chunk)
        saturated_add(&time->chunk_tasks, length);
    if (chunk && instead)
        idle_add_chunk(time->chunks, &time->bounds, task->start_ns, task->stop_ns);
    if (chunk || instead)
        return false;
    if (task->stop_ns <= b->l->first_start_ns)
        saturated_add(&time->preprocessing, length);
    else
        idle_add(task->killed ? time->killed_tasks : time->merging, &time->bounds, task->start_ns, task->stop_ns);
    return true;
}

static bool add_tasks(ledger_build *b, bool instead)
{
    const task_sums *tasks = &b->a->tasks;
    bool others = false;
    for (uint32_t w = 0; w < b->a->n_workers; w++)
        b->times[w].chunk_tasks = tasks->chunks[w].ns;
    for (size_t i = 0; i < tasks->count; i++)
        if (!lacks_probe(b, tasks->kept[i].worker))
            others |= add_task(b, &tasks->kept[i], instead);
    return others;
}

/* The records do not say where they ran, or the engine not who was there when. */
static bool is_pooled(const ledger_build *b)
{
    const slot_group *nowhere = &b->l->slots.groups[b->l->slots.n_groups - 1];
    return run_counts(b->a->run) > 0 || clock_seconds(busy_ns(nowhere)) * 2 > b->l->recorded_seconds;
}

/* The share of chunks that ended when all had been started. */
static double ended_in_tail(const ledger_build *b)
{
    const trace *t = &b->a->trace;
    size_t done = 0, late = 0;
    for (size_t i = 0; i < t->count; i++) {
        done += !t->attempts[i].failed;
        late += !t->attempts[i].failed && t->attempts[i].end_ns > ledger_last_start(b->l);
    }
    return done ? (double)late / (double)done : 0;
}

static bool make_build(ledger_build *b)
{
    ledger *l = b->l;
    b->offered = arena_alloc(&l->memory, l->slots.n_groups, sizeof *b->offered);
    b->times = arena_alloc(&l->memory, l->slots.n_groups, sizeof *b->times);
    b->by_worker = arena_alloc(&l->memory, l->slots.n_groups, sizeof *b->by_worker);
    b->by_dataset = arena_alloc(&l->memory, l->n_datasets + 1, sizeof *b->by_dataset);
    return b->offered && b->times && b->by_worker && b->by_dataset;
}

static roast_code account(ledger_build *b, roast_error *err)
{
    analysis *a = b->a;
    ledger *l = b->l;
    roast_code code = make_build(b) ? ROAST_OK : fail_memory(err);
    if (!code && l->slots.misfits * 100 > l->slots.intervals)
        code = lay_in_order(l, a->run, err);
    bool without_runner = tasks_without_runner(&a->tasks, l, a->run);
    b->of_tasks = without_runner && l->attempts == 0;
    b->beside_chunks = without_runner && !b->of_tasks;
    bool instead = l->attempts == 0, tasks_known = tasks_name_workers(&b->a->tasks, b->a->n_workers),
         other_tasks = false;
    if (!code && without_runner)
        code = trace_find_chunk_tasks(&a->trace, a->run, l, &a->tasks) && see_work(b) ? ROAST_OK : fail_memory(err);
    else if (!code && tasks_known)
        see_chunk_tasks(b, instead);
    if (code || (l->attempts == 0 && !b->partly))
        return code;
    size_t nowhere = l->slots.n_groups - 1;
    b->open_unmeasured =
        !without_runner && summary_value(a->summary, M_run_chunk_open_seconds_total).kind == ROAST_NOTHING;
    b->pooled = is_pooled(b);
    set_bounds(b);
    add_attempts(b);
    add_wasted(l->workers, b->by_worker, nowhere + 1);
    add_wasted(l->datasets, b->by_dataset, l->n_datasets + 1);
    if (without_runner)
        place_work(b);
    else if (tasks_known)
        other_tasks = add_tasks(b, instead);
    if (b->pooled)
        account_pool(b);
    for (uint32_t w = 0; !b->pooled && w < nowhere; w++)
        account_worker(b, w);
    if (without_runner)
        take_engine_sums_of_tasks(l, a->run);
    else
        take_engine_sums(l, a->run, other_tasks, b->total, ended_in_tail(b));
    return fill_rows(b, err);
}

roast_code analyse_ledger(analysis *a, roast_error *err)
{
    const roast_summary *summary = a->summary;
    double cores = summary_real(summary, M_run_total_cores);
    if (!(cores > 0) || summary->t_start_ns == ROAST_ABSENT || summary->t_end_ns <= summary->t_start_ns)
        return ROAST_OK;
    ledger work;
    ledger_build b = {.a = a, .l = &work, .partly = partly_measured(summary)};
    b.total = cores * clock_seconds(summary->t_end_ns - summary->t_start_ns);
    roast_code code = copy_ledger(&work, &a->ledger) ? account(&b, err) : fail_memory(err);
    arena_release(&work.memory);
    return code;
}
