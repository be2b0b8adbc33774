/* roast-synth: writes a synthetic run, and what it planted beside it (run.truth.json). For tests and benchmarks; it is
 * not installed. With --measure-write it says how long recording took, apart from making the records up. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "synth.h"

typedef enum kind { COUNT, NUMBER, FLAG, TEXT } kind;

typedef struct settings {
    synth_options job;
    synth_planted planted;
    char *output, *scenario, *variant;
    bool measure_write, no_truth, no_report, unfinished;
} settings;

typedef struct option_row {
    const char *name;
    kind kind;
    size_t offset;
    const char *help;
} option_row;

#define JOB(field)     offsetof(settings, job.field)
#define SETTING(field) offsetof(settings, field)

static const option_row rows[] = {
    {"seed", COUNT, JOB(seed), "what everything is drawn from"},
    {"datasets", COUNT, JOB(datasets), "datasets"},
    {"files", COUNT, JOB(files), "files, spread over the datasets"},
    {"chunks", COUNT, JOB(chunks), "chunks, spread over the files"},
    {"workers", COUNT, JOB(workers), "workers; 0: the job runs in one local process"},
    {"samples", COUNT, JOB(samples), "heartbeats of each worker"},
    {"sections", COUNT, JOB(sections), "sections in each chunk"},
    {"branches", COUNT, JOB(branches), "branches that each chunk reads"},
    {"cores", COUNT, JOB(cores), "cores of each worker; 0: unequal, from 1 to 8"},
    {"workers-per-host", COUNT, JOB(workers_per_host), "workers on each host"},
    {"retry-rate", NUMBER, JOB(retry_rate), "share of the chunks whose first attempt fails"},
    {"failure-rate", NUMBER, JOB(failure_rate), "share of the chunks that never succeed"},
    {"join", NUMBER, JOB(join), "share of the workers that arrive late"},
    {"leave", NUMBER, JOB(leave), "share of the workers that leave when told to"},
    {"die", NUMBER, JOB(die), "share of the workers that die"},
    {"duration", NUMBER, JOB(duration_s), "seconds that the job should take, roughly"},
    {"clock-skew", NUMBER, JOB(clock_skew_s), "seconds by which clocks of workers are wrong, at most"},
    {"luck", COUNT, JOB(luck), "another number: the same files and chunks, on another day"},
    {"slow-open", NUMBER, JOB(slow_open), "factor on the time that opening a file takes"},
    {"slow-cpu", NUMBER, JOB(slow_cpu), "factor on the CPU time of chunks"},
    {"slow-wait", NUMBER, JOB(slow_wait), "factor on the time that chunks wait"},
    {"scenario", TEXT, SETTING(scenario),
     "a job of random size with a fault planted in it: slow_storage, tail, …; an unknown one lists them"},
    {"variant", TEXT, SETTING(variant), "of a scenario, unlike usual ones in something: noisy, few_chunks, …"},
    {"tasks", FLAG, JOB(tasks), "record a task for each attempt"},
    {"no-hosts", FLAG, JOB(no_hosts), "workers do not name their hosts"},
    {"blind", COUNT, JOB(blind), "every so many workers one has no probe and leaves no records; the truth is of all"},
    {"plain", FLAG, JOB(plain), "record only what roastcoffea 0.1.x measures"},
    {"only-tasks", FLAG, JOB(only_tasks), "no Runner ran: record tasks, and nothing of chunks"},
    {"no-report", FLAG, SETTING(no_report), "leave out coffea's report"},
    {"opening-bytes", COUNT, JOB(opening_bytes),
     "bytes that coffea's report has more per chunk: read before process()"},
    {"no-truth", FLAG, SETTING(no_truth), "write no truth beside the run"},
    {"unfinished", FLAG, SETTING(unfinished), "leave the run as a crash of its writer would"},
    {"measure-write", FLAG, SETTING(measure_write), "print the seconds that recording took, as JSON"},
    {"output", TEXT, SETTING(output), "the run file to write (also -o)"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void print_help(void)
{
    puts("usage: roast-synth [options] -o run.roast\n");
    for (size_t i = 0; i < ROWS; i++)
        printf("  --%-18s %s\n", rows[i].name, rows[i].help);
    puts("\nexample: roast-synth --seed 7 --chunks 5000 --workers 20 -o run.roast && roast show run.roast");
}

/* A count fits its field: 64 bits for the seed, 32 for the rest. */
static bool set_count(settings *s, const option_row *row, unsigned long long value)
{
    char *field = (char *)s + row->offset;
    if (row->offset == JOB(seed)) {
        s->job.seed = value;
        return true;
    }
    uint32_t narrow = (uint32_t)value;
    memcpy(field, &narrow, sizeof narrow);
    return value <= INT32_MAX;
}

static bool set_option(settings *s, const option_row *row, char *text)
{
    char *field = (char *)s + row->offset, *end = text;
    bool flag = true, fits = true;
    errno = 0;
    switch (row->kind) {
    case FLAG:
        memcpy(field, &flag, sizeof flag);
        return true;
    case TEXT:
        memcpy(field, &text, sizeof text);
        return true;
    case COUNT:
        fits = *text >= '0' && *text <= '9' && set_count(s, row, strtoull(text, &end, 10));
        break;
    case NUMBER: {
        double number = strtod(text, &end);
        fits = number >= 0 && number <= 1e9;
        memcpy(field, &number, sizeof number);
        break;
    }
    }
    if (fits && !errno && end != text && !*end)
        return true;
    fprintf(stderr, "roast-synth: --%s %s: not a number that it takes\n", row->name, text);
    return false;
}

static bool parse(settings *s, int argc, char **argv)
{
    struct option options[ROWS + 2] = {0};
    for (size_t i = 0; i < ROWS; i++)
        options[i] =
            (struct option){rows[i].name, rows[i].kind == FLAG ? no_argument : required_argument, NULL, (int)i};
    options[ROWS] = (struct option){"help", no_argument, NULL, 'h'};
    int found;
    while ((found = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        if (found == 'h') {
            print_help();
            exit(0);
        }
        if (found == '?')
            return false;
        if (found == 'o')
            s->output = optarg;
        else if (!set_option(s, &rows[found], optarg))
            return false;
    }
    s->job.report = !s->no_report;
    const synth_options *job = &s->job;
    bool sound = job->datasets && job->files && job->workers_per_host && s->output && optind == argc;
    if (!sound)
        fputs("roast-synth: give -o run.roast, and at least one dataset, one file, one worker per host\n", stderr);
    return sound;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static roast_code write_run(const settings *s, const synth_job *job, roast_error *err)
{
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "synthetic_" SYNTH_PROCESSOR, .overwrite = true};
    roast_code code = roast_recorder_open(&recorder, s->output, &options, err);
    if (code)
        return code;
    roast_code recorded = synth_record(job, recorder);
    code = s->unfinished ? roast_recorder_flush(recorder) : roast_recorder_close(recorder, ROAST_FINISHED, err);
    if (recorded && !code && err)
        *err = (roast_error){recorded, "a record was refused"};
    return code ? code : recorded;
}

/* run.roast → run.truth.json */
static roast_code write_truth(const settings *s, const synth_job *job, roast_error *err)
{
    size_t length = strlen(s->output);
    const char *ending = ".roast";
    if (length > strlen(ending) && strcmp(s->output + length - strlen(ending), ending) == 0)
        length -= strlen(ending);
    char *path = NULL;
    if (asprintf(&path, "%.*s.truth.json", (int)length, s->output) < 0)
        return ROAST_MEMORY;
    roast_code code = ROAST_OK;
    FILE *out = fopen(path, "w");
    if (out)
        code = synth_truth(job, s->scenario ? &s->planted : NULL, out, err);
    if (!out || fclose(out)) {
        code = err->code = ROAST_IO;
        snprintf(err->message, sizeof err->message, "%s: %s", path, strerror(errno));
    }
    free(path);
    return code;
}

int main(int argc, char **argv)
{
    settings s = {.job = synth_defaults()};
    if (!parse(&s, argc, argv))
        return 2;
    roast_error err = {0};
    s.job.variant = s.variant;
    size_t known = 0;
    while (s.variant && synth_variant_at(known) && strcmp(synth_variant_at(known), s.variant) != 0)
        known++;
    if (s.variant && !synth_variant_at(known)) {
        fprintf(stderr, "roast-synth: there is no variant \"%s\"; there are", s.variant);
        for (size_t i = 0; synth_variant_at(i); i++)
            fprintf(stderr, " %s", synth_variant_at(i));
        fputc('\n', stderr);
        return 2;
    }
    if (s.scenario && !synth_scenario(&s.job, s.scenario, &s.planted, &err)) {
        fprintf(stderr, "roast-synth: there is no scenario \"%s\"; there are", s.scenario);
        for (size_t i = 0; synth_scenario_at(i); i++)
            fprintf(stderr, " %s", synth_scenario_at(i));
        fputc('\n', stderr);
        return 2;
    }
    double begun = now();
    synth_job *job = synth_simulate(&s.job, &err);
    double simulated = now();
    roast_code code = job ? write_run(&s, job, &err) : err.code;
    double written = now();
    if (!code && !s.no_truth)
        code = write_truth(&s, job, &err);
    if (!code && s.measure_write)
        printf("{\"simulate_seconds\": %.6f, \"write_seconds\": %.6f, \"attempts\": %u, \"samples\": %llu}\n",
               simulated - begun, written - simulated, job->n_attempts,
               (unsigned long long)s.job.workers * s.job.samples);
    synth_free(job);
    if (code)
        fprintf(stderr, "roast-synth: %s\n", err.message[0] ? err.message : roast_code_text(code));
    fflush(stdout);
    if (s.unfinished) /* nobody closes what crashes */
        _exit(code ? 1 : 0);
    return code ? 1 : 0;
}
