/* roast-follow: records a synthetic run, and follows it while it is still being written. Prints as JSON what opening
 * and summarising it costs, and what doing so again costs after 1,000 more chunks: CPU time, both in this process. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "synth.h"

enum { NEW_CHUNKS = 1000, REFRESHES = 7 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

static int64_t longest_ns(const synth_job *job)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < job->n_attempts; i++)
        longest = job->attempts[i].duration_ns > longest ? job->attempts[i].duration_ns : longest;
    return longest;
}

/* More chunks as the job has them, after its end: files are read again, in another round. */
static roast_code record_more(const synth_job *job, roast_recorder *recorder, int64_t round)
{
    roast_code code = ROAST_OK;
    int64_t per_worker = NEW_CHUNKS / job->options.workers + 1, apart_ns = 2 * longest_ns(job);
    for (uint32_t i = 0; i < NEW_CHUNKS && !code; i++) {
        const synth_attempt *attempt = &job->attempts[(i * 7919U + (uint32_t)round) % job->n_attempts];
        const synth_chunk *planned = &job->chunks[attempt->chunk];
        const synth_file *file = &job->files[planned->file];
        const synth_worker *worker = &job->workers[i % job->options.workers];
        roast_chunk chunk = roast_chunk_none();
        chunk.dataset = text(job->datasets[file->dataset].name);
        chunk.file = text(file->url);
        chunk.treename = text("Events");
        chunk.worker = text(worker->address);
        chunk.entry_start = planned->entry_start;
        chunk.entry_stop = planned->entry_start + planned->events;
        chunk.events = planned->events;
        chunk.round = round;
        chunk.t_start_ns = job->t_end_ns + (round * per_worker + i / job->options.workers) * apart_ns;
        chunk.duration_ns = attempt->duration_ns;
        chunk.cpu_ns = attempt->cpu_ns;
        chunk.open_ns = attempt->open_ns;
        code = roast_record_chunk(recorder, &chunk);
    }
    return code ? code : roast_recorder_flush(recorder);
}

static roast_code summarise(roast_analysis *analysis, roast_error *err)
{
    roast_summary *summary;
    roast_code code = roast_analysis_summary(&summary, analysis, err);
    if (!code)
        roast_summary_free(summary);
    return code;
}

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static roast_code follow(const synth_job *job, roast_recorder *recorder, const char *path, roast_error *err)
{
    roast_run *run = NULL;
    roast_analysis *analysis = NULL;
    double refreshes[REFRESHES], begun = cpu_seconds();
    roast_code code = roast_run_open(&run, path, NULL, err);
    if (!code)
        code = roast_analysis_open(&analysis, run, err);
    if (!code)
        code = summarise(analysis, err);
    double opened = cpu_seconds() - begun;
    for (int i = 0; i < REFRESHES && !code; i++) {
        code = record_more(job, recorder, i + 1);
        begun = cpu_seconds();
        if (!code)
            code = roast_run_refresh(run, err);
        if (!code)
            code = summarise(analysis, err);
        refreshes[i] = cpu_seconds() - begun;
    }
    roast_analysis_close(analysis);
    roast_run_close(run);
    if (code)
        return code;
    qsort(refreshes, REFRESHES, sizeof *refreshes, compare_numbers);
    printf("{\"open_seconds\": %.6f, \"refresh_seconds\": %.6f}\n", opened, refreshes[REFRESHES / 2]);
    return ROAST_OK;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: roast-follow CHUNKS WORKERS RUN\n", stderr);
        return 2;
    }
    synth_options options = synth_defaults();
    options.seed = 5;
    options.chunks = (uint32_t)strtoul(argv[1], NULL, 10);
    options.workers = (uint32_t)strtoul(argv[2], NULL, 10);
    options.samples = 3600;
    options.files = 1000;
    roast_error err = {0};
    roast_recorder *recorder = NULL;
    synth_job *job = synth_simulate(&options, &err);
    roast_code code = job ? roast_recorder_open(&recorder, argv[3], NULL, &err) : err.code;
    if (!code && !(code = synth_record(job, recorder)) && !(code = roast_recorder_flush(recorder)))
        code = follow(job, recorder, argv[3], &err);
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    synth_free(job);
    if (code)
        fprintf(stderr, "roast-follow: %s\n", err.code ? err.message : roast_code_text(code));
    return code ? 1 : 0;
}
