/* root:// through the POSIX interface of the XRootD client. The library is loaded when the first such address is
 * opened, so that roast neither needs it to build nor carries it: it also replaces open, read and friends of whoever
 * links it.
 *
 * Its calls block for as long as the client's own settings allow, which can be many minutes. They are made in a thread
 * of their own, and whoever waits for it stops waiting after the time-out: the thread then cleans up when the call
 * returns at last. */
#include "source/root/transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

typedef struct posix_calls {
    int (*open)(const char *path, int flags, ...);
    ssize_t (*pread)(int fd, void *into, size_t len, off_t offset);
    int (*fstat)(int fd, struct stat *out);
    int (*close)(int fd);
} posix_calls;

typedef enum call { NO_CALL, CALL_OPEN, CALL_READ, CALL_QUIT } call;

/* Shared by the caller and the thread; the last of the two frees it. */
typedef struct xrootd {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int owners;
    posix_calls posix;
    char *address;
    int fd;
    call asked; /* NO_CALL once it is answered */
    int64_t offset;
    size_t len;
    void *bytes; /* the thread's own: the caller's may be gone when they arrive */
    int64_t answer;
    int error;
} xrootd;

static roast_code load_calls(posix_calls *out, roast_error *err)
{
    static const char *const names[] = {"libXrdPosixPreload.so.2", "libXrdPosixPreload.so.3", "libXrdPosixPreload.so"};
    void *library = NULL;
    /* Never unloaded: it has threads. Loading it again only counts. */
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return fail(err, ROAST_USAGE,
                    "root:// needs the XRootD client library (libXrdPosixPreload); install xrootd's client libraries, "
                    "or read the file over http:// or from a mounted path");
    if (!root_load_symbol(library, "XrdPosix_Open", &out->open) ||
        !root_load_symbol(library, "XrdPosix_Pread", &out->pread) ||
        !root_load_symbol(library, "XrdPosix_Fstat", &out->fstat) ||
        !root_load_symbol(library, "XrdPosix_Close", &out->close))
        return fail(err, ROAST_USAGE, "the XRootD client library that is installed lacks its POSIX interface");
    return ROAST_OK;
}

static void drop(xrootd *x)
{
    pthread_mutex_lock(&x->lock);
    int left = --x->owners;
    pthread_mutex_unlock(&x->lock);
    if (left > 0)
        return;
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->changed);
    free(x->address);
    free(x->bytes);
    free(x);
}

/* ---- In the thread ------------------------------------------------------------------------------------------ */

static void do_open(xrootd *x)
{
    struct stat facts;
    x->fd = x->posix.open(x->address, O_RDONLY);
    if (x->fd < 0 || x->posix.fstat(x->fd, &facts) != 0) {
        x->error = errno;
        x->answer = -1;
        return;
    }
    x->answer = facts.st_size;
}

static void do_read(xrootd *x)
{
    size_t got = 0;
    x->bytes = malloc(x->len ? x->len : 1);
    x->error = x->bytes ? 0 : ENOMEM;
    while (!x->error && got < x->len) {
        ssize_t more = x->posix.pread(x->fd, (char *)x->bytes + got, x->len - got, x->offset + (off_t)got);
        if (more < 0)
            x->error = errno ? errno : EIO;
        if (more <= 0)
            break;
        got += (size_t)more;
    }
    x->answer = x->error ? -1 : (int64_t)got;
}

static void *serve(void *context)
{
    xrootd *x = context;
    pthread_mutex_lock(&x->lock);
    while (x->asked != CALL_QUIT) {
        call asked = x->asked;
        if (asked == NO_CALL) {
            pthread_cond_wait(&x->changed, &x->lock);
            continue;
        }
        pthread_mutex_unlock(&x->lock);
        asked == CALL_OPEN ? do_open(x) : do_read(x);
        pthread_mutex_lock(&x->lock);
        if (x->asked == asked)
            x->asked = NO_CALL;
        pthread_cond_broadcast(&x->changed);
    }
    pthread_mutex_unlock(&x->lock);
    if (x->fd >= 0)
        x->posix.close(x->fd);
    drop(x);
    return NULL;
}

/* ---- In the caller ------------------------------------------------------------------------------------------ */

/* Asks the thread and waits for the answer. After a time-out the thread is on its own. */
static roast_code ask(root_transport *t, call what, roast_error *err)
{
    xrootd *x = t->state;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(t->timeout_ms / 1000);
    until.tv_nsec += (long)(t->timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    int waited = 0;
    pthread_mutex_lock(&x->lock);
    x->asked = what;
    pthread_cond_broadcast(&x->changed);
    while (x->asked == what && waited == 0)
        waited = pthread_cond_timedwait(&x->changed, &x->lock, &until);
    bool answered = x->asked == NO_CALL;
    int error = x->error;
    int64_t answer = x->answer;
    pthread_mutex_unlock(&x->lock);
    if (!answered)
        return fail(err, ROAST_IO, "no answer from the server within %lld s", (long long)(t->timeout_ms + 999) / 1000);
    if (answer < 0)
        return fail(err, error == ENOENT ? ROAST_MISSING : ROAST_IO, "%s", error ? strerror(error) : "it failed");
    return ROAST_OK;
}

static roast_code start_thread(xrootd *x, roast_error *err)
{
    pthread_condattr_t monotonic;
    pthread_attr_t detached;
    pthread_t thread;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    x->owners = 2;
    int failed = pthread_create(&thread, &detached, serve, x);
    pthread_attr_destroy(&detached);
    if (!failed)
        return ROAST_OK;
    x->owners = 1;
    return fail(err, ROAST_IO, "no thread for reading: %s", strerror(failed));
}

static roast_code xrootd_open(root_transport *t, roast_error *err)
{
    posix_calls posix;
    roast_code code = load_calls(&posix, err);
    if (code)
        return code;
    xrootd *x = calloc(1, sizeof *x);
    if (!x)
        return fail_memory(err);
    x->posix = posix;
    x->fd = -1;
    x->address = strdup(t->address);
    if (!x->address) {
        free(x);
        return fail_memory(err);
    }
    code = start_thread(x, err);
    t->state = x;
    if (!code)
        code = ask(t, CALL_OPEN, err);
    if (!code)
        t->size = x->answer;
    t->traffic.requests++;
    return code;
}

static roast_code xrootd_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    xrootd *x = t->state;
    pthread_mutex_lock(&x->lock);
    bool busy = x->asked != NO_CALL; /* with a call that timed out */
    if (!busy) {
        free(x->bytes);
        x->bytes = NULL;
        x->offset = offset;
        x->len = len;
    }
    pthread_mutex_unlock(&x->lock);
    if (busy)
        return fail(err, ROAST_IO, "the server did not answer");
    roast_code code = ask(t, CALL_READ, err);
    if (code)
        return code;
    if (x->answer != (int64_t)len)
        return fail(err, ROAST_IO, "the server sent %lld of %zu bytes", (long long)x->answer, len);
    if (len > 0)
        memcpy(into, x->bytes, len);
    return ROAST_OK;
}

static void xrootd_close(root_transport *t)
{
    xrootd *x = t->state;
    if (!x)
        return;
    pthread_mutex_lock(&x->lock);
    x->asked = CALL_QUIT;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
    drop(x);
}

const root_driver root_driver_xrootd = {xrootd_open, xrootd_read, xrootd_close};
