/* What the parts of the playing simulator share: the state of a job that is being played.
 *
 *   sim_steps.c       what a task does on a worker, and what it waits for: storage, cores, locks, memory, disks
 *   sim_scheduler.c   who is given which task, and what becomes of results
 *   sim_workers.c     processes that come, die and come back
 *   sim_play.c        the loop: the job as tasks, samples, and what is due next */
#ifndef BENCH_SIM_PLAYING_H
#define BENCH_SIM_PLAYING_H

#include <math.h>

#include "sim.h"

enum { SIM_ROUNDS = 6, SIM_MOST_STEPS = 5 * SIM_ROUNDS + 8 };
static const double SIM_NETWORK = 0.0005; /* seconds of a message */

typedef enum step_kind { WAIT, READ, COMPUTE, LOCKED } step_kind;

typedef struct step {
    step_kind kind;
    roast_phase phase;
    double amount; /* seconds, bytes, CPU seconds of a usual host */
} step;

typedef struct slot {
    uint32_t life, task, server, epoch; /* epoch: waits of before a task was killed are void */
    bool busy, on_core, reading, raises;
    step steps[SIM_MOST_STEPS];
    uint32_t n_steps, at, grows_at;
    double began, on_core_since, turn, left, working_set; /* turn, left: of a step on a core, now and after it */
    sim_attempt attempt;
} slot;

typedef enum task_state { PENDING, GIVEN, RAISED, COMPLETE } task_state;

typedef struct task {
    sim_task_kind kind;
    task_state state;
    uint32_t index, attempts, failures, successes;
    uint32_t parent, missing, inputs; /* of a merge: inputs that are not there yet; all of them */
    uint32_t home;                    /* the life that holds the result */
} task;

typedef struct process {
    uint32_t first_slot, threads, assigned, executing;
    bool alive, warmed;
    double leaked, managed, spilled, spilled_before, loop_free; /* loop_free: until then it writes to disk */
    sim_heap queue, lock_queue;
    uint32_t lock_holder;
} process;

typedef struct sim {
    const sim_plan *plan;
    sim_log *log;
    double now;
    bool finished, scheduler_busy;
    sim_heap timers, inbox, ready; /* ready: tasks by priority, not yet given to a worker */
    double messages;               /* so far: their order */
    sim_share servers[SIM_MOST_SERVERS], *hosts;
    task *tasks;
    uint32_t n_tasks, first_chunk, first_merge, files_left;
    slot *slots;
    size_t n_slots, slot_capacity;
    process *processes; /* beside log->lives */
    size_t process_capacity;
    uint32_t *generations; /* of each worker */
    double sample_every;
} sim;

/* ---- Timers and messages: what, and two numbers -------------------------------------------------------------------
 */

typedef enum notice {
    WAIT_ENDS,
    ARRIVES,
    SCHEDULER_DONE,
    JOINS,
    HOST_GOES,
    HOST_BACK,
    DISK_DONE,
    RESULT_KEPT,
    SAMPLE,
    BALANCE,
    PERIOD_BEGINS,
    PERIOD_ENDS,
    SUBMIT,
    NANNY_KILLS,
    FINISHED,
    JOINED,
    DISPATCH
} notice;

static inline uint64_t sim_note(notice what, uint32_t a, uint32_t b)
{
    return (uint64_t)what << 56 | (uint64_t)(a & 0xfffffff) << 28 | (b & 0xfffffff);
}

static inline void sim_at(sim *s, double when, notice what, uint32_t a, uint32_t b)
{
    if (isfinite(when))
        sim_heap_push(&s->timers, when, sim_note(what, a, b));
}

static inline const sim_worker *sim_worker_of(const sim *s, uint32_t life)
{
    return &s->plan->workers[s->log->lives[life].worker];
}

/* sim_steps.c */
double sim_memory_of(const sim *s, uint32_t life);
sim_share *sim_host_of(sim *s, uint32_t life);
void sim_end_step(sim *s, uint32_t slot_number);
void sim_write_down(sim *s, slot *on, sim_fate fate);
void sim_work(sim *s, uint32_t life); /* starts what is queued on a worker */

/* sim_scheduler.c */
void sim_tell_scheduler(sim *s, notice what, uint32_t life, uint32_t task_number);
void sim_serve_next(sim *s);
void sim_on_message(sim *s, notice what, uint32_t life, uint32_t task_number);
void sim_make_ready(sim *s, uint32_t task_number);
void sim_feed_all(sim *s);
void sim_balance(sim *s);
void sim_arrive(sim *s, uint32_t life, uint32_t task_number); /* a task at its worker */

/* sim_workers.c */
void sim_join(sim *s, uint32_t worker);
void sim_kill_host(sim *s, uint32_t host);
void sim_bring_back(sim *s, uint32_t host);
void sim_kill_by_nanny(sim *s, uint32_t life);

#endif
