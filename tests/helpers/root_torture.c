/* Damages ROOT files in memory and reads them: whatever comes back is fine, as long as something comes back.
 *
 *     root_torture CUTS FLIPS FILE…
 *
 * reads each file cut at CUTS lengths and with FLIPS single bytes changed, one at a time. Run under the sanitizers, and
 * ended by SIGALRM if one reading takes more than ten seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "source/root/root.h"

enum { LONGEST_SECONDS = 10, MOST_KILOBYTES = 1 << 20 };

static size_t answers, errors;

/* In memory of exactly that size, so that the sanitizer sees a byte too many. */
static int read_copy(const unsigned char *bytes, size_t len, size_t flip_at, unsigned char flip)
{
    unsigned char *copy = malloc(len ? len : 1);
    if (!copy)
        return 1;
    memcpy(copy, bytes, len);
    if (flip_at < len)
        copy[flip_at] ^= flip;
    root_file *file;
    alarm(LONGEST_SECONDS);
    if (root_open_memory(&file, copy, len, NULL, NULL) == ROAST_OK)
        answers++;
    else
        errors++;
    alarm(0);
    root_close(file);
    free(copy);
    return 0;
}

static unsigned char *read_whole(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return NULL;
    long size = ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(size > 0 ? (size_t)size : 1);
    *len = bytes ? fread(bytes, 1, (size_t)size, f) : 0;
    fclose(f);
    return bytes;
}

/* The same numbers every time: a finding can be repeated. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Half of the flips hit the first and last 64 KiB, where metadata is. */
static size_t choose_position(uint64_t *state, size_t len)
{
    uint64_t r = next_random(state);
    size_t edge = len < 65536 ? len : 65536;
    switch (r % 4) {
    case 0:
        return (size_t)(next_random(state) % edge);
    case 1:
        return len - 1 - (size_t)(next_random(state) % edge);
    default:
        return (size_t)(next_random(state) % len);
    }
}

static int torture(const char *path, size_t cuts, size_t flips)
{
    size_t len = 0;
    uint64_t state = 88172645463325252u;
    unsigned char *bytes = read_whole(path, &len);
    if (!bytes || len == 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(bytes);
        return 1;
    }
    int failed = 0;
    for (size_t i = 0; i < cuts && !failed; i++)
        failed = read_copy(bytes, len * i / cuts, SIZE_MAX, 0);
    for (size_t i = 0; i < flips && !failed; i++)
        failed = read_copy(bytes, len, choose_position(&state, len), (unsigned char)(next_random(&state) % 255 + 1));
    free(bytes);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = argc < 4;
    for (int i = 3; i < argc && !failed; i++)
        failed = torture(argv[i], (size_t)atol(argv[1]), (size_t)atol(argv[2]));
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%zu answers, %zu errors, %ld MB\n", answers, errors, use.ru_maxrss / 1024);
    return failed || use.ru_maxrss > MOST_KILOBYTES;
}
