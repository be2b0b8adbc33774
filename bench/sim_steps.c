/* What tasks do on workers. A task runs on a slot, a thread of a worker's process, as a list of steps: waiting, reading
 * from a server, computing with or without the interpreter's lock. What a step takes is up to who else wants the same.
 */
#include "sim_playing.h"

/* The interpreter hands its lock on every 5 ms (sys.getswitchinterval), so that all who want it advance alike. In long
 * chunks longer turns do the same in fewer events. */
static const double SWITCH_INTERVAL = 0.005, TURNS_OF_A_CHUNK = 200;
static const double SPILL_ABOVE = 0.6, PAUSE_ABOVE = 0.8, KILL_ABOVE = 0.95; /* of the memory limit, as Dask has them */

/* ---- Memory ---------------------------------------------------------------------------------------------------------
 */

double sim_memory_of(const sim *s, uint32_t life)
{
    const process *p = &s->processes[life];
    double sum = s->plan->base_memory + p->leaked + p->managed;
    for (uint32_t i = 0; i < p->threads; i++)
        sum += s->slots[p->first_slot + i].working_set;
    return sum;
}

static bool above(const sim *s, uint32_t life, double share)
{
    return sim_memory_of(s, life) > share * sim_worker_of(s, life)->memory_limit;
}

static void grow(sim *s, slot *grown)
{
    process *p = &s->processes[grown->life];
    grown->working_set = s->plan->chunks[s->tasks[grown->task].index].working_set;
    double memory = sim_memory_of(s, grown->life);
    for (uint32_t i = 0; i < p->threads; i++) {
        sim_attempt *attempt = &s->slots[p->first_slot + i].attempt;
        attempt->rss_peak = fmax(attempt->rss_peak, memory);
    }
    if (above(s, grown->life, KILL_ABOVE))
        sim_at(s, s->now + 0.1, NANNY_KILLS, grown->life, 0);
}

/* Keeps a result, on disk if memory is short; the worker does nothing else meanwhile. */
static void keep_result(sim *s, sim_attempt *attempt, double bytes)
{
    uint32_t life = attempt->life;
    process *p = &s->processes[life];
    double held = s->plan->base_memory + p->leaked + p->managed + bytes;
    if (held <= SPILL_ABOVE * sim_worker_of(s, life)->memory_limit || s->plan->kept <= 0) {
        p->managed += bytes;
        return;
    }
    double seconds = bytes / s->plan->disk, free_at = fmax(p->loop_free, s->now) + seconds;
    p->spilled += bytes;
    p->loop_free = free_at;
    s->log->spilled_bytes += bytes;
    s->log->spill_seconds += seconds;
    s->log->spills++;
    sim_at(s, free_at, DISK_DONE, life, 0);
    attempt->spilling = free_at - s->now;
    attempt->writing = seconds;
}

/* ---- Steps of a task ------------------------------------------------------------------------------------------------
 */

static void add_step(slot *on, step_kind kind, roast_phase phase, double amount)
{
    if (amount > 0)
        on->steps[on->n_steps++] = (step){kind, phase, amount};
}

/* A worker's first chunk imports what the analysis needs; chunks beside it wait for the lock. */
static void add_warm_up(sim *s, slot *on, roast_phase phase, double share, bool cold)
{
    double drag = sim_worker_of(s, on->life)->drag, seconds = cold ? share * s->plan->warm_up : 0;
    add_step(on, WAIT, phase, 0.2 * seconds);
    add_step(on, LOCKED, phase, 0.8 * seconds * drag);
}

static void add_rounds(sim *s, slot *on, const sim_chunk *chunk)
{
    const sim_file *file = &s->plan->files[chunk->file];
    const sim_server *server = &s->plan->servers[file->server];
    double waiting = chunk->requests * server->request + (file->drag - 1) * chunk->bytes / server->stream;
    double cpu = chunk->cpu * sim_worker_of(s, on->life)->drag / SIM_ROUNDS;
    for (int round = 0; round < SIM_ROUNDS; round++) {
        if (round == SIM_ROUNDS / 2) {
            on->grows_at = on->n_steps;
            add_step(on, WAIT, ROAST_PHASE_PROCESS, chunk->stall);
        }
        add_step(on, WAIT, ROAST_PHASE_PROCESS, waiting / SIM_ROUNDS);
        add_step(on, READ, ROAST_PHASE_PROCESS, chunk->bytes / SIM_ROUNDS);
        add_step(on, LOCKED, ROAST_PHASE_PROCESS, cpu * s->plan->locked);
        add_step(on, COMPUTE, ROAST_PHASE_PROCESS, cpu * (1 - s->plan->locked));
    }
}

static void plan_chunk(sim *s, slot *on)
{
    const task *mine = &s->tasks[on->task];
    const sim_chunk *chunk = &s->plan->chunks[mine->index];
    process *p = &s->processes[on->life];
    bool cold = !p->warmed;
    p->warmed = true;
    on->server = s->plan->files[chunk->file].server;
    sim_dice dice = sim_dice_of(s->plan->seed, (uint64_t)(mine->index * 64 + mine->attempts) << 20);
    add_step(on, WAIT, ROAST_PHASE_OPEN, sim_log_normal(&dice, s->plan->servers[on->server].open, 0.3));
    add_step(on, READ, ROAST_PHASE_EVENTS, s->plan->metadata);
    add_warm_up(s, on, ROAST_PHASE_EVENTS, 0.35, cold);
    add_step(on, LOCKED, ROAST_PHASE_EVENTS, s->plan->build * sim_worker_of(s, on->life)->drag);
    add_warm_up(s, on, ROAST_PHASE_PROCESS, 0.65, cold);
    add_rounds(s, on, chunk);
    add_step(on, LOCKED, ROAST_PHASE_RETURN, s->plan->pack);
    on->raises = chunk->doomed || mine->failures < chunk->failures;
    if (on->raises)
        on->n_steps = (uint32_t)fmax(ceil(chunk->fails_at * on->n_steps), 1);
    on->attempt.requests = on->raises ? 0 : chunk->requests;
}

static void plan_steps(sim *s, slot *on)
{
    const task *mine = &s->tasks[on->task];
    on->n_steps = on->at = 0;
    on->grows_at = UINT32_MAX;
    on->raises = false;
    if (mine->kind == SIM_CHUNK) {
        plan_chunk(s, on);
    } else if (mine->kind == SIM_PREPROCESS) {
        on->server = s->plan->files[mine->index].server;
        add_step(on, WAIT, ROAST_PHASE_OPEN, s->plan->preprocess_open);
        add_step(on, READ, ROAST_PHASE_EVENTS, s->plan->metadata);
        add_step(on, COMPUTE, ROAST_PHASE_EVENTS, 0.01);
    } else {
        add_step(on, COMPUTE, ROAST_PHASE_PROCESS, mine->inputs * s->plan->result / s->plan->merge_rate);
    }
}

/* ---- Running steps --------------------------------------------------------------------------------------------------
 */

sim_share *sim_host_of(sim *s, uint32_t life)
{
    return &s->hosts[sim_worker_of(s, life)->host];
}

static void take_core(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    on->on_core = true;
    on->on_core_since = s->now;
    double turn = fmax(SWITCH_INTERVAL, s->plan->chunk_seconds / TURNS_OF_A_CHUNK);
    on->turn = on->steps[on->at].kind == LOCKED ? fmin(turn, on->left) : on->left;
    on->left -= on->turn;
    sim_share_enter(sim_host_of(s, on->life), s->now, number, on->turn);
}

static void ask_for_lock(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    process *p = &s->processes[on->life];
    if (p->lock_holder == SIM_NOBODY) {
        p->lock_holder = number;
        take_core(s, number);
    } else {
        on->attempt.locks++;
        sim_heap_push(&p->lock_queue, s->now, number);
    }
}

/* A turn is over; who is not done waits for the next. */
static void release_lock(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    process *p = &s->processes[on->life];
    p->lock_holder = SIM_NOBODY;
    if (on->left > 0)
        sim_heap_push(&p->lock_queue, s->now, number);
    if (p->lock_queue.count) {
        p->lock_holder = (uint32_t)sim_heap_pop(&p->lock_queue).value;
        take_core(s, p->lock_holder);
    }
}

static void begin_step(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    const step *next = &on->steps[on->at];
    on->began = s->now;
    on->left = next->amount;
    if (next->phase == ROAST_PHASE_PROCESS && isnan(on->attempt.process_start))
        on->attempt.process_start = s->now;
    if (on->at == on->grows_at)
        grow(s, on);
    switch (next->kind) {
    case WAIT:
        sim_at(s, s->now + next->amount, WAIT_ENDS, on->epoch, number);
        break;
    case READ:
        on->reading = true;
        sim_share_enter(&s->servers[on->server], s->now, number, next->amount);
        break;
    case COMPUTE:
        take_core(s, number);
        break;
    case LOCKED:
        ask_for_lock(s, number);
        break;
    }
}

static void account_step(sim *s, slot *on)
{
    const step *done = &on->steps[on->at];
    sim_attempt *attempt = &on->attempt;
    attempt->wall[done->phase] += s->now - on->began;
    if (done->kind == READ && done->phase == ROAST_PHASE_PROCESS)
        attempt->bytes += done->amount;
    if (!on->on_core)
        return;
    double cpu = on->turn / s->plan->hosts[sim_worker_of(s, on->life)->host].speed;
    attempt->cpu += cpu;
    if (done->phase == ROAST_PHASE_PROCESS) {
        attempt->process_cpu += cpu;
        attempt->process_delay += fmax(s->now - on->on_core_since - cpu, 0);
    }
}

static void end_task(sim *s, uint32_t number);

void sim_end_step(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    account_step(s, on);
    on->began = s->now;
    on->on_core = on->reading = false;
    if (on->steps[on->at].kind == LOCKED) {
        bool more = on->left > 0;
        release_lock(s, number);
        if (more)
            return;
    }
    if (++on->at < on->n_steps)
        begin_step(s, number);
    else
        end_task(s, number);
}

/* ---- Tasks on workers -----------------------------------------------------------------------------------------------
 */

void sim_write_down(sim *s, slot *on, sim_fate fate)
{
    sim_log *log = s->log;
    log->attempts = sim_room(log->attempts, log->n_attempts, &log->attempt_capacity, sizeof *log->attempts);
    on->attempt.fate = fate;
    on->attempt.stop = s->now;
    log->attempts[log->n_attempts++] = on->attempt;
    on->busy = false;
    on->epoch++;
    on->working_set = 0;
    s->processes[on->life].executing--;
}

static void begin_task(sim *s, uint32_t number, uint32_t task_number)
{
    slot *on = &s->slots[number];
    task *mine = &s->tasks[task_number];
    on->busy = true;
    on->task = task_number;
    on->attempt = (sim_attempt){.kind = mine->kind,
                                .index = mine->index,
                                .number = ++mine->attempts,
                                .life = on->life,
                                .thread = number - s->processes[on->life].first_slot,
                                .recomputed = mine->successes > 0,
                                .start = s->now,
                                .process_start = (double)NAN};
    on->attempt.rss_before = on->attempt.rss_peak = sim_memory_of(s, on->life);
    s->processes[on->life].executing++;
    plan_steps(s, on);
    begin_step(s, number);
}

static uint32_t free_slot(const sim *s, const process *p)
{
    for (uint32_t i = p->first_slot; i < p->first_slot + p->threads; i++)
        if (!s->slots[i].busy)
            return i;
    return SIM_NOBODY;
}

/* Starts what is queued on a worker. One that is short of memory waits until it has less to do. */
void sim_work(sim *s, uint32_t life)
{
    process *p = &s->processes[life];
    while (p->alive && p->queue.count && s->now >= p->loop_free) {
        uint32_t number = free_slot(s, p);
        if (number == SIM_NOBODY || (p->executing && above(s, life, PAUSE_ABOVE)))
            return;
        begin_task(s, number, (uint32_t)sim_heap_pop(&p->queue).value);
    }
}

static void end_task(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    task *mine = &s->tasks[on->task];
    uint32_t life = on->life;
    process *p = &s->processes[life];
    bool chunk = mine->kind == SIM_CHUNK;
    mine->state = on->raises ? RAISED : COMPLETE;
    mine->home = life;
    p->leaked += chunk ? s->plan->leak : 0;
    on->working_set = 0;
    on->attempt.rss_after = sim_memory_of(s, life);
    if (chunk && !on->raises)
        keep_result(s, &on->attempt, s->plan->result + s->plan->kept);
    mine->successes += !on->raises;
    double told = s->now + on->attempt.spilling + SIM_NETWORK;
    sim_write_down(s, on, on->raises ? SIM_RAISED : SIM_DONE);
    sim_at(s, told, RESULT_KEPT, life, (uint32_t)(mine - s->tasks));
    sim_work(s, life);
}
