/* Looking at oneself. On Linux the files of /proc/self stay open and are read with pread: one system call per look.
 *
 * Two things can take such a descriptor away. A fork: the child inherits it, and it still tells about the parent; so a
 * handler closes it in the child and it is opened again when needed. And a program that closes descriptors it does not
 * know: then the number may name any other file. Reading that does no harm (nothing in it parses, and it is opened
 * again), but before the one write we check that the descriptor is still ours. */
#include "probe/readings.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { NOT_OPENED = -2, NOT_THERE = -1 };

/* A file of /proc that is opened when it is first read. */
typedef struct proc_file {
    const char *path;
    int flags;
    atomic_int fd;
} proc_file;

static proc_file statm = {"/proc/self/statm", O_RDONLY, NOT_OPENED};
static proc_file status = {"/proc/self/status", O_RDONLY, NOT_OPENED};
static proc_file clear_refs = {"/proc/self/clear_refs", O_WRONLY, NOT_OPENED};
static _Thread_local proc_file schedstat = {"/proc/thread-self/schedstat", O_RDONLY, NOT_OPENED};

/* Device and inode of the open clear_refs. */
static _Atomic uint64_t clear_refs_device, clear_refs_inode;

/* An upper bound of the memory that the process had before it became this program. */
static _Atomic int64_t peak_before_exec = INT64_MAX;
enum { PEAK_SLACK = 1 << 19 }; /* how far the system's counters of memory lag behind each other */

enum { MOST_FORK_HANDLERS = 4 };
static void (*fork_handlers[MOST_FORK_HANDLERS])(void);
static atomic_uint fork_handler_count;
static atomic_uint generation;
static pthread_once_t fork_handler_once = PTHREAD_ONCE_INIT;

/* ---- Forks --------------------------------------------------------------------------------------------------- */

static void forget(proc_file *file)
{
    int fd = atomic_exchange(&file->fd, NOT_OPENED);
    if (fd >= 0)
        close(fd);
}

/* The child has one thread, the one that forked. */
static void in_forked_child(void)
{
    forget(&statm);
    forget(&status);
    forget(&clear_refs);
    forget(&schedstat);
    atomic_store(&peak_before_exec, INT64_MAX);
    atomic_fetch_add(&generation, 1);
    for (unsigned i = 0; i < atomic_load(&fork_handler_count); i++)
        fork_handlers[i]();
}

static void install_fork_handler(void)
{
    pthread_atfork(NULL, NULL, in_forked_child);
}

void probe_after_fork(void (*in_child)(void))
{
    pthread_once(&fork_handler_once, install_fork_handler);
    unsigned place = atomic_load(&fork_handler_count);
    if (place < MOST_FORK_HANDLERS) {
        fork_handlers[place] = in_child;
        atomic_store(&fork_handler_count, place + 1);
    }
}

uint32_t probe_generation(void)
{
    return atomic_load(&generation);
}

/* ---- Files that stay open ------------------------------------------------------------------------------------ */

static int open_proc_file(proc_file *file)
{
    pthread_once(&fork_handler_once, install_fork_handler);
    int fd = open(file->path, file->flags | O_CLOEXEC);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        return NOT_THERE; /* there may be room for it later */
    int expected = NOT_OPENED;
    if (!atomic_compare_exchange_strong(&file->fd, &expected, fd < 0 ? NOT_THERE : fd)) {
        if (fd >= 0) /* another thread was faster */
            close(fd);
        return expected;
    }
    return fd;
}

static inline int proc_fd(proc_file *file)
{
    int fd = atomic_load_explicit(&file->fd, memory_order_acquire);
    return fd == NOT_OPENED ? open_proc_file(file) : fd;
}

/* The text of a file, ended by a NUL; its length, 0 if it cannot be read. */
static size_t read_proc_file(proc_file *file, char *text, size_t size)
{
    int fd = proc_fd(file);
    if (fd < 0)
        return 0;
    ssize_t length = pread(fd, text, size - 1, 0);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return (size_t)length;
}

/* Takes a number off the front of text; ROAST_ABSENT if there is none. */
static int64_t take_number(const char **text)
{
    const char *at = *text;
    int64_t number = 0;
    while (*at == ' ' || *at == '\t')
        at++;
    if (*at < '0' || *at > '9')
        return ROAST_ABSENT;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *at - '0', &number))
            return ROAST_ABSENT;
    *text = at;
    return number;
}

/* ---- Clocks and counters ------------------------------------------------------------------------------------- */

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    return clock_gettime(id, &now) ? ROAST_ABSENT : (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t probe_read_cpu_ns(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
#else
    return ROAST_ABSENT;
#endif
}

int64_t probe_read_process_cpu_ns(void)
{
#ifdef CLOCK_PROCESS_CPUTIME_ID
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
#else
    return ROAST_ABSENT;
#endif
}

/* The file has "time on a CPU, time waiting for one, time slices". */
static int64_t read_run_delay(void)
{
    char text[96];
    if (!read_proc_file(&schedstat, text, sizeof text))
        return ROAST_ABSENT;
    const char *at = text;
    return take_number(&at) == ROAST_ABSENT ? ROAST_ABSENT : take_number(&at);
}

/* getrusage counts what was fetched for a thread in blocks of 512 bytes. A kernel that keeps no such account says 0
 * there; it has no file of it, either. */
static bool storage_is_counted(void)
{
    enum { NOT_ASKED, NO, YES };
    static atomic_int counted;
    if (atomic_load_explicit(&counted, memory_order_relaxed) == NOT_ASKED)
        atomic_store(&counted, access("/proc/self/io", F_OK) ? NO : YES);
    return atomic_load_explicit(&counted, memory_order_relaxed) == YES;
}

const thread_readings probe_nothing_read = {ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT,
                                            ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT};

thread_readings probe_read_thread(void)
{
    thread_readings look = probe_nothing_read;
    look.run_delay_ns = read_run_delay();
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        look.voluntary_switches = usage.ru_nvcsw;
        look.involuntary_switches = usage.ru_nivcsw;
        look.page_faults = (int64_t)usage.ru_minflt + usage.ru_majflt;
        look.major_faults = usage.ru_majflt;
        if (storage_is_counted())
            look.storage_bytes_read = (int64_t)usage.ru_inblock * 512;
    }
#endif
    return look;
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

/* The file has seven numbers, in pages; the second is what is resident. */
static int64_t parse_resident(const char *text)
{
    int64_t bytes;
    if (take_number(&text) == ROAST_ABSENT)
        return ROAST_ABSENT;
    int64_t pages = take_number(&text);
    if (pages == ROAST_ABSENT || *text != ' ' || __builtin_mul_overflow(pages, (int64_t)sysconf(_SC_PAGESIZE), &bytes))
        return ROAST_ABSENT;
    return bytes;
}

int64_t probe_read_rss(void)
{
    char text[128];
    for (int attempt = 0; attempt < 2; attempt++) {
        int64_t bytes = read_proc_file(&statm, text, sizeof text) ? parse_resident(text) : ROAST_ABSENT;
        if (bytes != ROAST_ABSENT || atomic_load(&statm.fd) == NOT_THERE)
            return bytes;
        atomic_store(&statm.fd, NOT_OPENED); /* not ours any more: leave it to whom it belongs */
    }
    return ROAST_ABSENT;
}

static int64_t read_status_peak(void)
{
    char text[4096];
    if (!read_proc_file(&status, text, sizeof text))
        return ROAST_ABSENT;
    const char *line = strstr(text, "\nVmHWM:");
    if (!line) {
        atomic_store(&status.fd, NOT_OPENED);
        return ROAST_ABSENT;
    }
    line += strlen("\nVmHWM:");
    int64_t kibibytes = take_number(&line), bytes;
    bool fits = kibibytes != ROAST_ABSENT && !__builtin_mul_overflow(kibibytes, 1024, &bytes);
    return fits ? bytes : ROAST_ABSENT;
}

/* getrusage tells the same ten times faster, with one catch: it gives at least what the process had before it became
 * this program (exec). What it says right after a reset is an upper bound of that. */
static int64_t read_usage_peak(void)
{
#if defined(__linux__)
    struct rusage usage;
    int64_t bytes;
    if (getrusage(RUSAGE_SELF, &usage) == 0 && !__builtin_mul_overflow((int64_t)usage.ru_maxrss, 1024, &bytes))
        return bytes;
#endif
    return ROAST_ABSENT;
}

int64_t probe_read_peak(int64_t resident)
{
    int64_t peak = read_usage_peak();
    bool of_this_program = peak > atomic_load(&peak_before_exec);
    bool no_more_than_now = resident != ROAST_ABSENT && peak <= resident + PEAK_SLACK;
    return peak != ROAST_ABSENT && (of_this_program || no_more_than_now) ? peak : read_status_peak();
}

/* Whether the descriptor is still the file that we opened; notes which one that is when it is new. */
static bool is_clear_refs(int fd, bool just_opened)
{
    struct stat now;
    if (fstat(fd, &now))
        return false;
    if (just_opened) {
        atomic_store(&clear_refs_device, (uint64_t)now.st_dev);
        atomic_store(&clear_refs_inode, (uint64_t)now.st_ino);
    }
    return atomic_load(&clear_refs_device) == (uint64_t)now.st_dev &&
           atomic_load(&clear_refs_inode) == (uint64_t)now.st_ino;
}

bool probe_reset_peak(void)
{
    bool just_opened = atomic_load(&clear_refs.fd) == NOT_OPENED;
    int fd = proc_fd(&clear_refs);
    if (fd < 0)
        return false;
    if (!is_clear_refs(fd, just_opened)) {
        atomic_store(&clear_refs.fd, NOT_OPENED);
        return false;
    }
    if (pwrite(fd, "5", 1, 0) == 1) {
        int64_t usage = read_usage_peak();
        if (usage < atomic_load(&peak_before_exec))
            atomic_store(&peak_before_exec, usage);
        return true;
    }
    forget(&clear_refs); /* the kernel cannot, and will not be asked again */
    atomic_store(&clear_refs.fd, NOT_THERE);
    return false;
}

void probe_thread_ends(void)
{
    forget(&schedstat);
}
