/* The sign of life is a thread that sleeps for a second at a time; quick commands never see it wake. */
#include "busy.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t watcher;
static bool running, over;
static const char *activity, *subject;

static void *watch(void *unused)
{
    (void)unused;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&lock);
    for (int seconds = 1; !over; seconds++) {
        until.tv_sec++;
        while (!over && pthread_cond_timedwait(&ended, &lock, &until) != ETIMEDOUT)
            continue;
        if (!over)
            fprintf(stderr, "\r%s %.200s ... %d s", activity, subject, seconds);
        else if (seconds > 1)
            fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void busy_begin(const char *doing, const char *what)
{
    activity = doing;
    subject = what;
    over = false;
    running = isatty(STDERR_FILENO) && pthread_create(&watcher, NULL, watch, NULL) == 0;
}

void busy_end(void)
{
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    over = true;
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    pthread_join(watcher, NULL);
    running = false;
}
