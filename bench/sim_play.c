/* Plays a plan: events in the order of time, until the last merge has ended. */
#include <stdlib.h>

#include "sim_playing.h"

/* ---- The rest of the world ------------------------------------------------------------------------------------------
 */

static void set_pace(sim *s, double storage, double others)
{
    for (uint32_t i = 0; i < s->plan->n_servers; i++) {
        sim_share_advance(&s->servers[i], s->now);
        s->servers[i].total = s->plan->servers[i].bandwidth / storage;
        s->servers[i].each = s->plan->servers[i].stream / storage;
    }
    for (uint32_t h = 0; h < s->plan->n_hosts; h++) {
        const sim_host *host = &s->plan->hosts[h];
        sim_share_advance(&s->hosts[h], s->now);
        s->hosts[h].total = host->cores * host->speed;
        s->hosts[h].each = host->speed;
        s->hosts[h].strangers = host->others + others * host->cores;
    }
}

static void add_thread(const sim *s, const slot *on, sim_sample *sample)
{
    const sim_share *host = &s->hosts[sim_worker_of(s, on->life)->host];
    if (on->on_core)
        sample->cpu += 100 * sim_share_rate(host) / host->each;
    if (on->reading)
        sample->net_read += sim_share_rate(&s->servers[on->server]);
}

static void take_sample(sim *s, uint32_t life)
{
    sim_log *log = s->log;
    process *p = &s->processes[life];
    sim_sample sample = {life, p->assigned, p->executing, .t = s->now, .memory = sim_memory_of(s, life)};
    sample.managed = p->managed + p->spilled;
    sample.spilled = p->spilled;
    sample.disk_write = (p->spilled - p->spilled_before) / s->sample_every;
    p->spilled_before = p->spilled;
    for (uint32_t i = 0; i < p->threads; i++)
        add_thread(s, &s->slots[p->first_slot + i], &sample);
    log->samples = sim_room(log->samples, log->n_samples, &log->sample_capacity, sizeof *log->samples);
    log->samples[log->n_samples++] = sample;
}

static void take_samples(sim *s)
{
    for (uint32_t life = 0; life < s->log->n_lives; life++)
        if (s->processes[life].alive)
            take_sample(s, life);
    sim_at(s, s->now + s->sample_every, SAMPLE, 0, 0);
}

/* ---- The job as tasks -----------------------------------------------------------------------------------------------
 */

/* Each level of merges takes the results of the one below, until one is left. */
static void plan_merges(sim *s)
{
    uint32_t from = s->first_chunk, until = s->first_merge, next = until;
    do {
        for (uint32_t i = from; i < until; i++) {
            uint32_t parent = next + (i - from) / s->plan->fan_in;
            s->tasks[i].parent = parent;
            s->tasks[parent].kind = SIM_MERGE;
            s->tasks[parent].index = parent - s->first_merge;
            s->tasks[parent].inputs = ++s->tasks[parent].missing;
        }
        uint32_t made = (until - from + s->plan->fan_in - 1) / s->plan->fan_in;
        from = next;
        until = next += made;
    } while (until - from > 1);
    s->n_tasks = next;
}

static void plan_tasks(sim *s)
{
    uint32_t files = s->plan->preprocesses ? s->plan->n_files : 0;
    s->tasks = sim_rows((size_t)files + 2 * (size_t)s->plan->n_chunks + 2, sizeof *s->tasks);
    s->first_chunk = s->files_left = files;
    s->first_merge = files + s->plan->n_chunks;
    for (uint32_t i = 0; i < s->first_merge; i++) {
        bool chunk = i >= files;
        s->tasks[i] = (task){.kind = chunk ? SIM_CHUNK : SIM_PREPROCESS, .index = chunk ? i - files : i};
    }
    plan_merges(s);
    for (uint32_t i = 0; i < s->n_tasks; i++)
        s->tasks[i].home = SIM_NOBODY;
}

static void submit(sim *s, uint32_t from, uint32_t until)
{
    for (uint32_t i = from; i < until; i++)
        sim_make_ready(s, i);
    sim_feed_all(s);
}

/* ---- The loop -------------------------------------------------------------------------------------------------------
 */

static void on_timer(sim *s, uint64_t value)
{
    notice what = (notice)(value >> 56);
    uint32_t a = (uint32_t)(value >> 28 & 0xfffffff), b = (uint32_t)(value & 0xfffffff);
    switch (what) {
    case WAIT_ENDS:
        if (s->slots[b].busy && s->slots[b].epoch == a)
            sim_end_step(s, b);
        break;
    case ARRIVES:
        sim_arrive(s, a, b);
        break;
    case SCHEDULER_DONE: {
        uint64_t message = sim_heap_pop(&s->inbox).value;
        s->scheduler_busy = false;
        sim_on_message(s, (notice)(message >> 56), (uint32_t)(message >> 28 & 0xfffffff),
                       (uint32_t)(message & 0xfffffff));
        sim_serve_next(s);
        break;
    }
    case JOINS:
        sim_join(s, a);
        break;
    case HOST_GOES:
        sim_kill_host(s, a);
        break;
    case HOST_BACK:
        sim_bring_back(s, a);
        break;
    case DISK_DONE:
        sim_work(s, a);
        break;
    case RESULT_KEPT:
        if (s->processes[a].alive)
            sim_tell_scheduler(s, FINISHED, a, b);
        break;
    case SAMPLE:
        take_samples(s);
        break;
    case BALANCE:
        sim_balance(s);
        break;
    case PERIOD_BEGINS:
        set_pace(s, s->plan->slow_period.storage, s->plan->slow_period.others);
        break;
    case PERIOD_ENDS:
        set_pace(s, 1, 0);
        break;
    case SUBMIT:
        submit(s, s->first_chunk, s->first_merge);
        break;
    case NANNY_KILLS:
        sim_kill_by_nanny(s, a);
        break;
    default:
        break;
    }
}

/* The share in which something ends next; NULL: a timer comes first. */
static sim_share *first_share(sim *s, double *when)
{
    sim_share *first = NULL;
    *when = s->timers.entries[0].key; /* there is always one: samples go on */
    for (uint32_t i = 0; i < s->plan->n_servers + s->plan->n_hosts; i++) {
        sim_share *share = i < s->plan->n_servers ? &s->servers[i] : &s->hosts[i - s->plan->n_servers];
        double next = sim_share_next(share);
        if (next < *when) {
            first = share;
            *when = next;
        }
    }
    return first;
}

static void begin_job(sim *s)
{
    const sim_plan *plan = s->plan;
    plan_tasks(s);
    set_pace(s, 1, 0);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        if (plan->workers[w].joins > 0)
            sim_at(s, plan->workers[w].joins, JOINS, w, 0);
        else
            sim_join(s, w);
    for (uint32_t h = 0; h < plan->n_hosts; h++) {
        sim_at(s, plan->hosts[h].gone, HOST_GOES, h, 0);
        sim_at(s, plan->hosts[h].back, HOST_BACK, h, 0);
    }
    if (plan->slow_period.until > 0) {
        sim_at(s, plan->slow_period.from, PERIOD_BEGINS, 0, 0);
        sim_at(s, plan->slow_period.until, PERIOD_ENDS, 0, 0);
    }
    double heartbeat = plan->n_workers <= 10 ? 0.5 : plan->n_workers < 50 ? 1 : 2;
    s->sample_every = fmax(heartbeat, plan->job_seconds / 150);
    sim_at(s, s->sample_every, SAMPLE, 0, 0);
    sim_balance(s);
    if (plan->preprocesses)
        submit(s, 0, s->first_chunk);
    else
        sim_at(s, plan->dead_time, SUBMIT, 0, 0);
}

static void release(sim *s)
{
    for (size_t i = 0; i < s->log->n_lives; i++) {
        sim_heap_release(&s->processes[i].queue);
        sim_heap_release(&s->processes[i].lock_queue);
    }
    for (uint32_t i = 0; i < s->plan->n_servers; i++)
        sim_heap_release(&s->servers[i].ours);
    for (uint32_t i = 0; i < s->plan->n_hosts; i++)
        sim_heap_release(&s->hosts[i].ours);
    sim_heap_release(&s->timers);
    sim_heap_release(&s->inbox);
    sim_heap_release(&s->ready);
    free(s->hosts);
    free(s->tasks);
    free(s->slots);
    free(s->processes);
    free(s->generations);
}

void sim_play(const sim_plan *plan, sim_log *log)
{
    *log = (sim_log){0};
    sim s = {.plan = plan, .log = log};
    s.hosts = sim_rows(plan->n_hosts, sizeof *s.hosts);
    s.generations = sim_rows(plan->n_workers, sizeof *s.generations);
    begin_job(&s);
    double too_long = 100 * plan->job_seconds + 1000;
    while (!s.finished && s.now < too_long) {
        sim_share *share = first_share(&s, &s.now);
        if (share)
            sim_end_step(&s, (uint32_t)sim_share_finish(share, s.now));
        else
            on_timer(&s, sim_heap_pop(&s.timers).value);
    }
    log->wall = s.finished ? s.now + 0.05 : (double)NAN;
    release(&s);
}

void sim_log_release(sim_log *log)
{
    free(log->attempts);
    free(log->lives);
    free(log->samples);
    *log = (sim_log){0};
}
