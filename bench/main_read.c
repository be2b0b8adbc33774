/* roast-read: opens a run and summarises it, and prints how long these two took, as JSON. For benchmarks: what is
 * compared with it is a call inside a Python that runs already, so starting a program and drawing are left out here. */
#include <roast.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: roast-read RUN\n", stderr);
        return 2;
    }
    roast_run *run;
    roast_summary *summary = NULL;
    roast_error err = {0};
    double begun = now();
    roast_code code = roast_run_open(&run, argv[1], NULL, &err);
    double opened = now();
    if (!code)
        code = roast_summarize(&summary, run, &err);
    double done = now();
    if (code)
        fprintf(stderr, "roast-read: %s\n", err.message);
    else
        printf("{\"open_seconds\": %.6f, \"summarise_seconds\": %.6f, \"read_seconds\": %.6f}\n", opened - begun,
               done - opened, done - begun);
    roast_summary_free(summary);
    roast_run_close(run);
    return code ? 1 : 0;
}
