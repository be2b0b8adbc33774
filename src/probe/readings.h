/* Looking at oneself: what the system knows of this thread and this process, as cheaply as it can be had. What cannot
 * be read here (another platform, a masked /proc) is ROAST_ABSENT. */
#ifndef PROBE_READINGS_H
#define PROBE_READINGS_H

#include <roast.h>

/* Counters of the calling thread; differences of two looks are of interest. */
typedef struct thread_readings {
    int64_t cpu_ns;       /* time on a CPU: left to probe_read_cpu_ns, which goes closest to what is measured */
    int64_t run_delay_ns; /* time runnable, waiting for a CPU */
    int64_t voluntary_switches, involuntary_switches, page_faults, major_faults;
    int64_t storage_bytes_read; /* that the kernel had to fetch for it */
} thread_readings;

extern const thread_readings probe_nothing_read;

int64_t probe_read_cpu_ns(void); /* of the calling thread */
thread_readings probe_read_thread(void);
int64_t probe_read_process_cpu_ns(void);
int64_t probe_read_rss(void); /* resident bytes of the process */
/* Their highest value since the process began, or since the peak was reset. resident: what probe_read_rss just said,
 * which makes it cheaper; or ROAST_ABSENT. */
int64_t probe_read_peak(int64_t resident);
/* False if that cannot be done here. By one thread at a time. */
bool probe_reset_peak(void);

/* How often this process was forked off another one that had looked: what was remembered before is another's. */
uint32_t probe_generation(void);
/* Calls a function in each child after a fork, before anything else of ours runs there. For those who keep threads
 * or locks; at most four. */
void probe_after_fork(void (*in_child)(void));
/* Closes what the calling thread had opened for itself. */
void probe_thread_ends(void);

#endif
