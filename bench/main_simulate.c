/* roast-simulate KIND SEED OUT.roast: plays a job with a fault of this kind and writes its run; what was planted, what
 * it really cost and where the core time really went is printed as JSON. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

typedef struct settings {
    const char *kind, *output;
    uint64_t seed;
    bool healthy;
} settings;

static void print_help(FILE *out)
{
    fputs("usage: roast-simulate KIND SEED OUT.roast [--healthy]    --healthy: the same job without its fault\nkinds:",
          out);
    for (size_t i = 0; sim_kind_at(i); i++)
        fprintf(out, " %s", sim_kind_at(i));
    fputc('\n', out);
}

static bool parse(settings *s, int argc, char **argv)
{
    s->healthy = argc == 5 && strcmp(argv[4], "--healthy") == 0;
    if (argc != 4 + s->healthy)
        return false;
    char *end;
    errno = 0;
    s->kind = argv[1];
    s->seed = strtoull(argv[2], &end, 10);
    s->output = argv[3];
    return !errno && *argv[2] && !*end;
}

/* The same job with its fault or without. */
static bool play(const settings *s, bool with_fault, sim_plan *plan, sim_log *log)
{
    if (!sim_plan_draw(plan, s->kind, s->seed, with_fault))
        return false;
    sim_play(plan, log);
    return true;
}

static roast_code write_run(const settings *s, const sim_plan *plan, const sim_log *log, roast_error *err)
{
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "simulated_" SIM_PROCESSOR, .overwrite = true};
    roast_code code = roast_recorder_open(&recorder, s->output, &options, err);
    if (code)
        return code;
    sim_record(plan, log, recorder);
    return roast_recorder_close(recorder, ROAST_FINISHED, err);
}

static void print_truth(const settings *s, const sim_plan *plan, const sim_log *log, double cured)
{
    const char *cause = s->healthy ? NULL : sim_kind_finding(s->kind), *quote = cause ? "\"" : "";
    double threads = 0, saving = s->healthy ? 0 : log->wall - cured;
    sim_ledger ledger;
    sim_ledger_compute(plan, log, &ledger);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        threads += plan->workers[w].threads;
    printf("{\"kind\": \"%s\", \"seed\": %llu, \"cause\": %s%s%s,\n", s->kind, (unsigned long long)s->seed, quote,
           cause ? cause : "null", quote);
    printf(" \"cores\": %.0f, \"threads_per_worker\": %u, \"workers\": %u, \"hosts\": %u, \"chunks\": %u,\n", threads,
           plan->workers[0].threads, plan->n_workers, plan->n_hosts, plan->n_chunks);
    printf(" \"attempts\": %zu, \"lives\": %zu, \"stealing\": %s, \"skewed\": %s,\n", log->n_attempts, log->n_lives,
           plan->stealing ? "true" : "false", plan->workers[0].clock_offset != 0 ? "true" : "false");
    printf(" \"wall_seconds\": %.6f, \"saving_seconds\": %.6f, \"saving_percent\": %.4f,\n", log->wall, saving,
           100 * saving / log->wall);
    printf(" \"core_seconds\": %.6f, \"ledger_percent\": {", ledger.whole);
    for (sim_category c = 0; c < SIM_CATEGORIES; c++)
        printf("%s\"%s\": %.4f", c ? ", " : "", sim_category_name(c), 100 * ledger.core_seconds[c] / ledger.whole);
    puts("}}");
}

int main(int argc, char **argv)
{
    settings s = {0};
    sim_plan plan, cure = {0};
    sim_log log, cured = {0};
    if (!parse(&s, argc, argv) || !play(&s, !s.healthy, &plan, &log)) {
        print_help(stderr);
        return 2;
    }
    if (!s.healthy)
        play(&s, false, &cure, &cured);
    roast_error err = {0};
    roast_code code = isnan(log.wall) ? ROAST_LIMIT : write_run(&s, &plan, &log, &err);
    if (code)
        fprintf(stderr, "roast-simulate: %s\n", err.message[0] ? err.message : "the job never ends");
    else
        print_truth(&s, &plan, &log, cured.wall);
    sim_log_release(&log);
    sim_log_release(&cured);
    sim_plan_release(&plan);
    sim_plan_release(&cure);
    return code ? 1 : 0;
}
