/* Locks beside those of SQLite. */
#include "run/hold.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes that SQLite locks, part of its file format. */
enum {
    SHARED_BYTE =
        0x40000002,    /* of the database: read-locked by all who use it, write-locked by who wants to be alone */
    MEMBER_BYTE = 128, /* of the shared memory: who finds it unlocked is the first one, and starts anew */
};

static int lock_byte(int descriptor, short kind, off_t byte)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

static int open_locked(const char *path, off_t byte)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0)
        lock_byte(descriptor, F_RDLCK, byte);
    return descriptor + 1;
}

void hold_take(run_hold *hold, const char *path)
{
    char *shared_memory;
    if (asprintf(&shared_memory, "%s-shm", path) < 0)
        return;
    hold->database = open_locked(path, SHARED_BYTE);
    hold->shared_memory = open_locked(shared_memory, MEMBER_BYTE);
    free(shared_memory);
}

void hold_release(run_hold *hold)
{
    if (hold->database)
        lock_byte(hold->database - 1, F_UNLCK, SHARED_BYTE);
    if (hold->shared_memory)
        lock_byte(hold->shared_memory - 1, F_UNLCK, MEMBER_BYTE);
}

void hold_close(run_hold *hold)
{
    if (hold->database)
        close(hold->database - 1);
    if (hold->shared_memory)
        close(hold->shared_memory - 1);
    *hold = (run_hold){0};
}
