/* Workers come and go. A process (a "life" of its worker) can be killed at any time: what it was at goes back to the
 * scheduler, and results that only it held are computed again. */
#include "sim_playing.h"

void sim_join(sim *s, uint32_t worker)
{
    sim_log *log = s->log;
    uint32_t life = (uint32_t)log->n_lives, threads = s->plan->workers[worker].threads;
    log->lives = sim_room(log->lives, log->n_lives, &log->life_capacity, sizeof *log->lives);
    s->processes = sim_room(s->processes, log->n_lives, &s->process_capacity, sizeof *s->processes);
    log->lives[log->n_lives++] = (sim_life){worker, s->generations[worker]++, s->now, (double)INFINITY};
    s->processes[life] =
        (process){.first_slot = (uint32_t)s->n_slots, .threads = threads, .alive = true, .lock_holder = SIM_NOBODY};
    for (uint32_t i = 0; i < threads; i++) {
        s->slots = sim_room(s->slots, s->n_slots, &s->slot_capacity, sizeof *s->slots);
        s->slots[s->n_slots++] = (slot){.life = life};
    }
    sim_tell_scheduler(s, JOINED, life, 0);
}

static void interrupt(sim *s, uint32_t number)
{
    slot *on = &s->slots[number];
    if (!on->busy)
        return;
    if (on->reading)
        sim_share_leave(&s->servers[on->server], s->now, number);
    if (on->on_core)
        sim_share_leave(sim_host_of(s, on->life), s->now, number);
    on->reading = on->on_core = false;
    sim_make_ready(s, on->task);
    sim_write_down(s, on, SIM_KILLED);
}

/* What only this process held has to be computed again, unless it has been fetched for a merge. */
static void lose_results(sim *s, uint32_t life)
{
    for (uint32_t i = s->first_chunk; i + 1 < s->n_tasks; i++) {
        task *lost = &s->tasks[i];
        task *parent = &s->tasks[lost->parent];
        if (lost->home != life || lost->state != COMPLETE)
            continue;
        lost->home = SIM_NOBODY;
        if (parent->missing == 0)
            continue;
        parent->missing++;
        sim_make_ready(s, i);
    }
}

/* Results on their way to the scheduler are lost with the process: they were never counted. */
static void lose_unheard(sim *s, uint32_t life)
{
    sim_heap *queues[] = {&s->timers, &s->inbox};
    for (size_t q = 0; q < 2; q++)
        for (size_t i = 0; i < queues[q]->count; i++) {
            uint64_t value = queues[q]->entries[i].value;
            notice what = (notice)(value >> 56);
            uint32_t number = (uint32_t)(value & 0xfffffff);
            bool mine = (value >> 28 & 0xfffffff) == life;
            if (mine && (what == RESULT_KEPT || what == FINISHED)) {
                s->tasks[number].home = SIM_NOBODY;
                sim_make_ready(s, number);
            }
        }
}

static void kill_life(sim *s, uint32_t life)
{
    process *p = &s->processes[life];
    if (!p->alive)
        return;
    p->alive = false;
    s->log->lives[life].left = s->now;
    for (uint32_t i = 0; i < p->threads; i++)
        interrupt(s, p->first_slot + i);
    while (p->queue.count)
        sim_make_ready(s, (uint32_t)sim_heap_pop(&p->queue).value);
    lose_unheard(s, life);
    lose_results(s, life);
    sim_feed_all(s);
}

void sim_kill_host(sim *s, uint32_t host)
{
    for (uint32_t life = 0; life < s->log->n_lives; life++)
        if (sim_worker_of(s, life)->host == host)
            kill_life(s, life);
}

void sim_bring_back(sim *s, uint32_t host)
{
    for (uint32_t w = 0; w < s->plan->n_workers; w++)
        if (s->plan->workers[w].host == host)
            sim_join(s, w);
}

void sim_kill_by_nanny(sim *s, uint32_t life)
{
    if (!s->processes[life].alive)
        return;
    kill_life(s, life);
    uint32_t worker = s->log->lives[life].worker;
    if (s->now < s->plan->hosts[s->plan->workers[worker].host].gone)
        sim_at(s, s->now + s->plan->restart, JOINS, worker, 0);
}
