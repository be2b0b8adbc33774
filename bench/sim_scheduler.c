/* The scheduler: serial, it takes messages one by one. With queueing it keeps tasks until a worker has room for them,
 * else it gives them out at once; idle workers steal in both cases. */
#include "sim_playing.h"

enum { RETRIES = 3 };
static const double LINK = 1e9; /* bytes per second of a transfer */

void sim_serve_next(sim *s)
{
    if (s->scheduler_busy || !s->inbox.count)
        return;
    s->scheduler_busy = true;
    sim_at(s, s->now + s->plan->dispatch, SCHEDULER_DONE, 0, 0);
}

void sim_tell_scheduler(sim *s, notice what, uint32_t life, uint32_t task_number)
{
    sim_heap_push(&s->inbox, s->messages++, sim_note(what, life, task_number));
    sim_serve_next(s);
}

/* Merges come first: they free memory. */
static double priority_of(const sim *s, uint32_t number)
{
    return s->tasks[number].kind == SIM_MERGE ? -1.0 : (double)number;
}

void sim_make_ready(sim *s, uint32_t number)
{
    s->tasks[number].state = PENDING;
    sim_heap_push(&s->ready, priority_of(s, number), number);
}

static void give(sim *s, uint32_t life, uint32_t number)
{
    s->tasks[number].state = GIVEN;
    s->processes[life].assigned++;
    sim_tell_scheduler(s, DISPATCH, life, number);
}

/* With queueing a worker has a tenth more tasks than threads; else it is given all that there are. */
static bool feed(sim *s, uint32_t life)
{
    process *p = &s->processes[life];
    if (!p->alive || !s->ready.count || (!s->plan->stealing && p->assigned >= ceil(1.1 * p->threads)))
        return false;
    give(s, life, (uint32_t)sim_heap_pop(&s->ready).value);
    return true;
}

void sim_feed_all(sim *s)
{
    bool any = true;
    while (any) {
        any = false;
        for (uint32_t life = 0; life < s->log->n_lives; life++)
            any |= feed(s, life);
    }
}

/* A worker with an idle thread gets the last task of the longest queue, once the scheduler has none to give. */
static void steal(sim *s, uint32_t thief)
{
    process *p = &s->processes[thief];
    while (!s->ready.count && p->alive && p->assigned < p->threads) {
        process *victim = NULL;
        for (uint32_t life = 0; life < s->log->n_lives; life++) {
            process *other = &s->processes[life];
            if (other->alive && other->queue.count && (!victim || other->queue.count > victim->queue.count))
                victim = other;
        }
        if (!victim || victim == p)
            return;
        uint32_t number = (uint32_t)victim->queue.entries[victim->queue.count - 1].value;
        victim->queue.count--;
        victim->assigned--;
        give(s, thief, number);
    }
}

/* Now and then idle workers look for work, as they may have found none when they became idle. */
void sim_balance(sim *s)
{
    for (uint32_t life = 0; life < s->log->n_lives; life++)
        steal(s, life);
    sim_at(s, s->now + s->sample_every / 5, BALANCE, 0, 0);
}

static void tell_parent(sim *s, const task *done)
{
    task *parent = &s->tasks[done->parent];
    if (--parent->missing == 0)
        give(s, done->home, done->parent);
}

/* Results that were merged are not needed any more. */
static void forget_inputs(sim *s, uint32_t merge)
{
    for (uint32_t i = s->first_chunk; i < merge; i++)
        if (s->tasks[i].parent == merge && s->tasks[i].home != SIM_NOBODY) {
            process *p = &s->processes[s->tasks[i].home];
            p->managed = fmax(p->managed - s->plan->result, 0);
            s->tasks[i].home = SIM_NOBODY;
        }
}

static void complete(sim *s, uint32_t number)
{
    task *done = &s->tasks[number];
    if (done->kind == SIM_PREPROCESS) {
        if (--s->files_left == 0) {
            s->log->preprocessed = s->now;
            sim_at(s, s->now + s->plan->dead_time, SUBMIT, 0, 0);
        }
        return;
    }
    if (done->kind == SIM_MERGE)
        forget_inputs(s, number);
    if (number + 1 == s->n_tasks)
        s->finished = true;
    else
        tell_parent(s, done);
}

static void on_finished(sim *s, uint32_t life, uint32_t number)
{
    task *mine = &s->tasks[number];
    if (!s->processes[life].alive) /* it is dealt with already */
        return;
    s->processes[life].assigned--;
    if (mine->state == RAISED && mine->failures++ < RETRIES)
        sim_make_ready(s, number);
    else
        complete(s, number);
    while (feed(s, life))
        ;
    steal(s, life);
}

void sim_on_message(sim *s, notice what, uint32_t life, uint32_t number)
{
    if (what == FINISHED) {
        on_finished(s, life, number);
    } else if (what == JOINED) {
        while (feed(s, life))
            ;
        steal(s, life);
    } else {
        double transfer = s->tasks[number].inputs * s->plan->result / LINK;
        sim_at(s, s->now + SIM_NETWORK + transfer, ARRIVES, life, number);
    }
}

void sim_arrive(sim *s, uint32_t life, uint32_t number)
{
    if (!s->processes[life].alive) {
        sim_make_ready(s, number);
        sim_feed_all(s);
        return;
    }
    sim_heap_push(&s->processes[life].queue, priority_of(s, number), number);
    sim_work(s, life);
}
