/* roast-root-bench: reads the metadata of ROOT files and says how long it took.
 *
 *     roast-root-bench REPEAT JOBS FILE…
 *
 * Prints the seconds per file (the median over all readings with one job, the mean with more) and the peak of memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "source/root/many.h"

typedef struct readings {
    double *seconds;
    size_t count, branches;
    int64_t last_ns;
} readings;

static roast_code note(void *context, const char *path, const root_file *file, const roast_error *why, roast_error *err)
{
    (void)path;
    readings *r = context;
    if (!file) {
        *err = *why;
        return why->code;
    }
    int64_t now = clock_monotonic_ns();
    r->seconds[r->count++] = clock_seconds(now - r->last_ns);
    r->last_ns = now;
    r->branches = file->n_trees ? file->trees[0].n_branches : 0;
    return ROAST_OK;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The most memory in use since the program began, in kilobytes. (What getrusage says includes the parent's.) */
static long peak_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return kilobytes;
}

static int measure(const root_paths *paths, size_t repeat, size_t jobs)
{
    readings r = {.seconds = calloc(paths->count * repeat + 1, sizeof(double))};
    roast_error err = {0};
    int64_t begin = clock_monotonic_ns();
    for (size_t i = 0; i < repeat && r.seconds && !err.code; i++) {
        r.last_ns = clock_monotonic_ns();
        (void)root_read_many(paths, NULL, jobs, note, &r, &err);
    }
    if (err.code || r.count == 0) {
        fprintf(stderr, "roast-root-bench: %s\n", err.message);
        free(r.seconds);
        return 1;
    }
    double all = clock_seconds(clock_monotonic_ns() - begin) / (double)r.count;
    qsort(r.seconds, r.count, sizeof *r.seconds, compare);
    printf("{\"seconds\": %.9f, \"best\": %.9f, \"branches\": %zu, \"rss\": %ld}\n",
           jobs == 1 ? r.seconds[r.count / 2] : all, r.seconds[0], r.branches, peak_memory() * 1024);
    free(r.seconds);
    return 0;
}

int main(int argc, char **argv)
{
    root_paths paths = {0};
    int failed = argc < 4;
    for (int i = 3; i < argc && !failed; i++)
        failed = root_paths_add(&paths, argv[i], NULL) != ROAST_OK;
    if (failed)
        fprintf(stderr, "usage: roast-root-bench REPEAT JOBS FILE...\n");
    else
        failed = measure(&paths, (size_t)atol(argv[1]), (size_t)atol(argv[2]));
    root_paths_release(&paths);
    return failed;
}
