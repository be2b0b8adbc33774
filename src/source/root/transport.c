/* Reading pieces of a file wherever it is: retries, counting and the bytes kept from the beginning are common to all
 * drivers and done here. Local files are read with pread: a map would be no faster for a few pieces, and a file that
 * shrinks under a map kills the process, which may be a user's analysis. */
#include "source/root/transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

enum { DEFAULT_TIMEOUT_MS = 30000, DEFAULT_RETRIES = 3, FIRST_PAUSE_MS = 200, LONGEST_PAUSE_MS = 5000 };

/* ---- Local files -------------------------------------------------------------------------------------------- */

static roast_code local_open(root_transport *t, roast_error *err)
{
    /* Not blocking: a named pipe in place of a file must not hang. */
    int fd = open(t->address, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(err, errno == ENOENT ? ROAST_MISSING : ROAST_IO, "%s", strerror(errno));
    struct stat facts;
    roast_code code = ROAST_OK;
    if (fstat(fd, &facts) != 0)
        code = fail(err, ROAST_IO, "%s", strerror(errno));
    else if (S_ISDIR(facts.st_mode))
        code = fail(err, ROAST_FORMAT, "this is a directory; name its files, for example with '*.root'");
    else if (!S_ISREG(facts.st_mode))
        code = fail(err, ROAST_FORMAT, "this is not a regular file");
    if (code) {
        close(fd);
        return code;
    }
    t->size = facts.st_size;
    t->state = (void *)(intptr_t)(fd + 1); /* so that NULL means none */
    return ROAST_OK;
}

static roast_code local_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    int fd = (int)(intptr_t)t->state - 1;
    char *at = into;
    while (len > 0) {
        ssize_t got = pread(fd, at, len, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(err, ROAST_IO, "%s", strerror(errno));
        if (got == 0)
            return fail(err, ROAST_IO, "the file became shorter while it was read");
        at += got;
        offset += got;
        len -= (size_t)got;
    }
    return ROAST_OK;
}

static void local_close(root_transport *t)
{
    if (t->state)
        close((int)(intptr_t)t->state - 1);
}

static const root_driver local_driver = {local_open, local_read, local_close};

/* ---- Memory ------------------------------------------------------------------------------------------------- */

static roast_code memory_open(root_transport *t, roast_error *err)
{
    (void)t, (void)err;
    return ROAST_OK;
}

static roast_code memory_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    (void)err;
    memcpy(into, (const char *)t->bytes + offset, len);
    return ROAST_OK;
}

static void memory_close(root_transport *t)
{
    (void)t;
}

static const root_driver memory_driver = {memory_open, memory_read, memory_close};

/* ---- All of them -------------------------------------------------------------------------------------------- */

static const struct {
    const char *prefix;
    const root_driver *driver;
    bool strip; /* the driver wants what follows the prefix */
} schemes[] = {
    {"file://", &local_driver, true},         {"http://", &root_driver_http, false},
    {"https://", &root_driver_http, false},   {"root://", &root_driver_xrootd, false},
    {"roots://", &root_driver_xrootd, false}, {"xroot://", &root_driver_xrootd, false},
};

/* file://localhost/path and file:///path are the same file. */
static const char *after_host(const char *rest)
{
    return strncmp(rest, "localhost/", 10) == 0 ? rest + 9 : rest;
}

static roast_code choose_driver(root_transport *t, const char *address, roast_error *err)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t len = strlen(schemes[i].prefix);
        if (strncmp(address, schemes[i].prefix, len) != 0)
            continue;
        t->driver = schemes[i].driver;
        t->address = schemes[i].strip ? after_host(address + len) : address;
        return ROAST_OK;
    }
    const char *colon = strstr(address, "://");
    const char *slash = strchr(address, '/');
    if (colon && slash == colon + 1)
        return fail(err, ROAST_USAGE, "%.*s:// is not an address that can be read; use a path, http(s):// or root://",
                    (int)(colon - address), address);
    t->driver = &local_driver;
    t->address = address;
    return ROAST_OK;
}

static void pause_before_retry(int32_t attempt)
{
    int64_t ms = FIRST_PAUSE_MS;
    for (int32_t i = 0; i < attempt && ms < LONGEST_PAUSE_MS; i++)
        ms *= 4;
    if (ms > LONGEST_PAUSE_MS)
        ms = LONGEST_PAUSE_MS;
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
}

static roast_code read_with_retries(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    roast_error last = {0};
    for (int32_t attempt = 0;; attempt++) {
        t->passing = false;
        t->traffic.requests++;
        roast_code code = t->driver->read(t, into, offset, len, &last);
        if (!code)
            return ROAST_OK;
        if (!t->passing || attempt >= t->retries)
            return attempt ? fail(err, code, "%s (tried %d times)", last.message, attempt + 1)
                           : fail(err, code, "%s", last.message);
        pause_before_retry(attempt);
    }
}

/* dlsym gives object pointers; this is POSIX's way to make functions of them. */
bool root_load_symbol(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

roast_code root_transport_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    if (offset < 0 || offset > t->size || (uint64_t)len > (uint64_t)(t->size - offset))
        return fail(err, ROAST_CORRUPT, "it refers to bytes beyond its end; was it cut off?");
    if ((uint64_t)offset + len <= t->head_len) {
        if (len > 0)
            memcpy(into, t->head + offset, len);
        return ROAST_OK;
    }
    roast_code code = read_with_retries(t, into, offset, len, err);
    if (!code)
        t->traffic.bytes += (int64_t)len;
    return code;
}

/* A driver may learn the size only now. */
static roast_code read_head(root_transport *t, roast_error *err)
{
    size_t len = t->size < ROOT_HEAD_BYTES ? (size_t)t->size : ROOT_HEAD_BYTES;
    roast_code code = read_with_retries(t, t->head, 0, len, err);
    if (code)
        return code;
    t->head_len = t->size < (int64_t)len ? (size_t)t->size : len;
    t->traffic.bytes += (int64_t)t->head_len;
    return ROAST_OK;
}

static roast_code open_with(root_transport **out, root_transport *t, roast_code code, roast_error *err)
{
    if (!code)
        code = t->driver->open(t, err);
    if (!code)
        code = read_head(t, err);
    if (code) {
        root_transport_close(t);
        t = NULL;
    }
    *out = t;
    return code;
}

roast_code root_transport_open(root_transport **out, const char *address, const root_options *options, roast_error *err)
{
    *out = NULL;
    root_transport *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(err);
    t->timeout_ms = options && options->timeout_ms > 0 ? options->timeout_ms : DEFAULT_TIMEOUT_MS;
    t->retries = options && options->retries ? options->retries : DEFAULT_RETRIES;
    return open_with(out, t, choose_driver(t, address, err), err);
}

roast_code root_transport_open_memory(root_transport **out, const void *bytes, size_t len, roast_error *err)
{
    *out = NULL;
    root_transport *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(err);
    t->driver = &memory_driver;
    t->bytes = bytes;
    t->size = (int64_t)len;
    return open_with(out, t, ROAST_OK, err);
}

void root_transport_close(root_transport *t)
{
    if (t && t->driver)
        t->driver->close(t);
    free(t);
}
