/* The sampler. It sees memory peaks that no heartbeat sees, and serves as the peak of a chunk where the system does
 * not keep one. A tick costs a few microseconds. */
#include "probe/sampler.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "probe/chunk.h"
#include "probe/pack.h"
#include "probe/readings.h"

enum { RING = 8192, SLOWEST_HZ_INVERSE = 3600, FASTEST_HZ = 1000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t stopping;
    pthread_t thread;
    bool running, stop;
    size_t users;
    int64_t interval_ns;
    packed_sample *ring;
    size_t first, count;
} sampler = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Held through a start or a stop, so that one thread has ended before the next begins. */
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

static void keep(packed_sample sample)
{
    sampler.ring[(sampler.first + sampler.count) % RING] = sample;
    if (sampler.count < RING)
        sampler.count++;
    else
        sampler.first = (sampler.first + 1) % RING;
}

/* Waits for the next tick; false when it is time to stop. With the lock held. */
static bool wait_until(int64_t monotonic_ns)
{
    struct timespec deadline = {(time_t)(monotonic_ns / NS_PER_S), (long)(monotonic_ns % NS_PER_S)};
    int code = 0;
    while (!sampler.stop && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&sampler.stopping, &sampler.lock, &deadline);
    return !sampler.stop;
}

static void *sample_until_stopped(void *unused)
{
    (void)unused;
    int64_t before_ns = clock_monotonic_ns(), before_cpu = probe_read_process_cpu_ns(), next_ns = before_ns;
    pthread_mutex_lock(&sampler.lock);
    for (;;) {
        next_ns += sampler.interval_ns;
        if (!wait_until(next_ns))
            break;
        pthread_mutex_unlock(&sampler.lock);
        int64_t now_ns = clock_monotonic_ns(), cpu = probe_read_process_cpu_ns();
        packed_sample sample = {clock_wall_ns(), probe_read_rss(), (double)NAN};
        if (cpu != ROAST_ABSENT && now_ns > before_ns)
            sample.cpu = (double)(cpu - before_cpu) / (double)(now_ns - before_ns) * 100;
        before_ns = now_ns;
        before_cpu = cpu;
        probe_chunks_update_peak(sample.rss);
        pthread_mutex_lock(&sampler.lock);
        keep(sample);
        if (next_ns < now_ns - sampler.interval_ns) /* we were asleep: go on from here */
            next_ns = now_ns;
    }
    pthread_mutex_unlock(&sampler.lock);
    return NULL;
}

/* The thread is gone in the child; what it saw is the parent's. */
static void in_forked_child(void)
{
    pthread_mutex_init(&sampler.lock, NULL);
    pthread_mutex_init(&control, NULL);
    sampler.running = sampler.stop = false;
    sampler.first = sampler.count = 0;
}

static void install_fork_handler(void)
{
    probe_after_fork(in_forked_child);
}

/* With the lock held. The thread takes no signals: those are for the program. */
static bool start_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_once(&once, install_fork_handler);
    if (!sampler.ring && !(sampler.ring = calloc(RING, sizeof *sampler.ring)))
        return false;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&sampler.stopping, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sampler.stop = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sampler.running = pthread_create(&sampler.thread, NULL, sample_until_stopped, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return sampler.running;
}

roast_code roast_sampler_start(double hz, roast_error *err)
{
    if (!(hz >= 1.0 / SLOWEST_HZ_INVERSE && hz <= FASTEST_HZ))
        return fail(err, ROAST_USAGE, "the sampler takes between one look per hour and %d per second", FASTEST_HZ);
    pthread_mutex_lock(&control);
    pthread_mutex_lock(&sampler.lock);
    int64_t interval = (int64_t)(1e9 / hz);
    bool faster = !sampler.users || interval < sampler.interval_ns;
    if (faster)
        sampler.interval_ns = interval;
    roast_code code = ROAST_OK;
    if (!sampler.running && !start_thread())
        code = fail(err, ROAST_LIMIT, "no thread can be started to sample the memory");
    else
        sampler.users++;
    pthread_mutex_unlock(&sampler.lock);
    pthread_mutex_unlock(&control);
    return code;
}

void roast_sampler_stop(void)
{
    pthread_mutex_lock(&control);
    pthread_mutex_lock(&sampler.lock);
    if (sampler.users)
        sampler.users--;
    bool ends = sampler.running && !sampler.users;
    pthread_t thread = sampler.thread;
    if (ends) {
        sampler.stop = true;
        sampler.running = false;
        pthread_cond_signal(&sampler.stopping);
    }
    pthread_mutex_unlock(&sampler.lock);
    if (ends)
        pthread_join(thread, NULL);
    pthread_mutex_unlock(&control);
}

void sampler_resume(void)
{
    if (!probe_generation()) /* never forked: the common case costs nothing */
        return;
    pthread_mutex_lock(&control);
    pthread_mutex_lock(&sampler.lock);
    if (sampler.users && !sampler.running)
        start_thread();
    pthread_mutex_unlock(&sampler.lock);
    pthread_mutex_unlock(&control);
}

void roast_sampler_drain(buf *out)
{
    pthread_mutex_lock(&sampler.lock);
    size_t count = sampler.count, first = sampler.first;
    packed_sample *copy = count ? malloc(count * sizeof *copy) : NULL;
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = sampler.ring[(first + i) % RING];
    if (copy)
        sampler.first = sampler.count = 0;
    pthread_mutex_unlock(&sampler.lock);
    if (copy)
        pack_samples(out, copy, count);
    else if (count)
        out->code = ROAST_MEMORY;
    free(copy);
}
