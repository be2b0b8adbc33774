/* What is advised, in words and as code; what became of advice; and a comparison in one sentence. */
#include <math.h>

#include "analysis/explain_parts.h"
#include "analysis/since_last.h"
#include "summaries.h"
#include "view/advice_words.h"
#include "view/since_words.h"
#include "view/verdict.h"

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static finding finding_with(finding_kind kind)
{
    return (finding){.kind = kind, .factor = (double)NAN};
}

static void assert_says(void (*say)(buf *, const finding *), const finding *f, const char *expected)
{
    buf out = {0};
    say(&out, f);
    assert_int_equal(out.code, ROAST_OK);
    assert_string_equal(out.len ? out.data : "", expected);
    buf_release(&out);
}

static void a_value_that_is_known_is_named_and_is_code(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_OPENING);
    f.advice.values[ADVICE_CHUNKSIZE].number = 20000;
    f.advice.values[ADVICE_NOW].number = 5000;
    f.advice.values[ADVICE_PER_FILE].number = 1;
    f.advice.values[ADVICE_CHUNKS].number = 40;
    assert_says(advice_text, &f,
                "Each chunk pays for opening its file and building its events. Make chunks larger: "
                "Runner(chunksize=20_000) (now 5 000) makes one chunk per file, 40 in total.");
    assert_says(advice_code, &f, "runner.chunksize = 20_000\n");
    f.advice.values[ADVICE_CHUNKSIZE].number = 1234567;
    assert_says(advice_code, &f, "runner.chunksize = 1_234_567\n");
}

static void without_a_value_other_words_are_said_and_no_code(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_OPENING);
    f.advice.values[ADVICE_NOW].number = 5000; /* is not enough */
    assert_says(advice_text, &f,
                "Each chunk pays for opening its file and building its events. Larger chunks would leave cores "
                "without work or not fit into memory, or files have no more events: merge small files.");
    assert_says(advice_code, &f, "");
}

static void words_for_several_cases_are_chosen_by_what_is_known(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_WORKERS_LOST);
    assert_says(advice_text, &f, "Find out why they died (memory, time limits, the network): their logs say.");
    f.advice.values[ADVICE_HOST].name = STR("node7");
    assert_says(advice_text, &f, "Most were on node7: look at that machine.");
    f.advice.values[ADVICE_LIFETIME].number = 7200;
    assert_says(advice_text, &f,
                "Each lived 2 h 0 min: that is a time limit of the batch system; ask for more, or for more and "
                "shorter chunks.");
}

static finding asking_for(finding_kind kind, double chunksize)
{
    finding f = finding_with(kind);
    f.advice.values[ADVICE_NOW].number = 1000;
    f.advice.values[ADVICE_CHUNKSIZE].number = chunksize;
    f.advice.values[ADVICE_PER_FILE].number = 4;
    f.advice.values[ADVICE_CHUNKS].number = 40000 / chunksize;
    return f;
}

static void all_findings_ask_for_the_size_of_chunks_that_the_first_needs(void **state)
{
    (void)state;
    explanation out = {.count = 4};
    out.findings[0] = finding_with(FINDING_IO_BOUND);
    out.findings[1] = asking_for(FINDING_OPENING, 10000);
    out.findings[2] = asking_for(FINDING_SCHEDULER, 2000);
    out.findings[3] = asking_for(FINDING_SPILLING, 500);
    agree_on_chunksize(&out);
    assert_says(advice_code, &out.findings[0], "");
    assert_says(advice_code, &out.findings[1], "runner.chunksize = 10_000\n");
    assert_says(
        advice_text, &out.findings[2],
        "The scheduler is busy with small chunks: Runner(chunksize=10_000) (now 1 000) makes 4 chunks per file, "
        "4 in total.");
    assert_says(advice_code, &out.findings[2], "runner.chunksize = 10_000\n");
    assert_says(advice_text, &out.findings[3],
                "Return less from process(), make chunks smaller, or give workers more memory.");
    assert_says(advice_code, &out.findings[3], "");
}

static void without_a_scheduler_none_is_blamed(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_SCHEDULER);
    f.advice.local = true;
    assert_says(advice_text, &f,
                "Between chunks the executor merges results in the process of the script: return less from process().");
}

static void names_in_code_are_strings_of_python_whatever_is_in_them(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_SLOW_FILE);
    f.advice.values[ADVICE_FILE].name = STR("root://\"\\\n\033[31m");
    assert_says(advice_code, &f, "import roastcoffea\nprint(roastcoffea.inspect(\"root://\\\"\\\\\\n\\u001b[31m\"))\n");
}

static void where_there_is_no_cluster_no_code_names_one(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_TOO_MANY_WORKERS), g = finding_with(FINDING_OPENING);
    f.advice.values[ADVICE_WORKERS].number = 2;
    g.advice.values[ADVICE_CHUNKSIZE].number = 100;
    assert_says(advice_code, &f, "cluster.scale(2)\n");
    f.advice.no_cluster = g.advice.no_cluster = true;
    assert_says(advice_code, &f, "");
    assert_says(advice_code, &g, "runner.chunksize = 100\n");
}

static void every_finding_has_advice(void **state)
{
    (void)state;
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        finding f = finding_with((finding_kind)kind);
        buf out = {0};
        advice_text(&out, &f);
        if (!out.len || strpbrk(out.data, "{}[]|"))
            fail_msg("%s: %s", finding_id((finding_kind)kind), out.len ? out.data : "nothing");
        buf_release(&out);
    }
}

static void what_is_ruled_out_is_said_with_its_number(void **state)
{
    (void)state;
    finding f = finding_with(FINDING_WORKERS_LOST);
    f.advice.ruled_out[0] = (acquittal){SUSPECT_MEMORY, 32};
    f.advice.ruled_out[1] = (acquittal){SUSPECT_SPILLING, 0};
    f.advice.ruled_out[2] = (acquittal){SUSPECT_ONE_HOST, 7};
    f.advice.n_ruled_out = 3;
    assert_says(advice_ruled_out, &f, "memory: at most 32.0 % of the limit; spilling: none; a single machine: 7 hosts");
}

/* ---- Predicted, and seen --------------------------------------------------------------------------------------- */

typedef struct fact {
    const char *key, *value;
} fact;

/* What a run of 79 s and 1 000 events says of the last one; facts end with an empty one. */
static void assert_since(const fact *facts, const char *expected)
{
    roast_summary *summary = empty_summary();
    summary_set_real(summary, M_run_elapsed_time_seconds, 79);
    summary_set_int(summary, M_run_total_events, 1000);
    summary_set_real(summary, M_run_total_cores, 8);
    while (facts[summary->n_facts].key)
        summary->n_facts++;
    summary->facts = calloc(summary->n_facts + 1, sizeof *summary->facts);
    for (size_t i = 0; i < summary->n_facts; i++) {
        summary->facts[i].key = str_from(facts[i].key);
        summary->facts[i].value = str_from(facts[i].value);
    }
    buf out = {0};
    since_last_text(&out, summary);
    assert_string_equal(out.len ? out.data : "", expected);
    buf_release(&out);
    free(summary->facts);
    summary->facts = NULL;
    roast_summary_free(summary);
}

#define LAST_RUN                                                                                                       \
    {"last_elapsed_ns", "100000000000"}, {"last_events", "1000"},                                                      \
    {                                                                                                                  \
        "last_cores", "8"                                                                                              \
    }
#define LAST_CHUNKS                                                                                                    \
    {                                                                                                                  \
        "last_chunksize", "5000"                                                                                       \
    }
#define ADVISED                                                                                                        \
    {"advised", "opening"}, {"advised_chunksize", "20000"},                                                            \
    {                                                                                                                  \
        "advised_percent", "23.2"                                                                                      \
    }

static void advice_that_was_followed_is_compared_with_what_it_promised(void **state)
{
    (void)state;
    assert_since((fact[]){LAST_RUN, LAST_CHUNKS, ADVISED, {"chunksize", "20000"}, {NULL, NULL}},
                 "since the last run: chunksize 5 000 → 20 000, 21 % faster; predicted 23 %");
    assert_since((fact[]){LAST_RUN, LAST_CHUNKS, ADVISED, {"chunksize", "12000"}, {NULL, NULL}},
                 "since the last run: chunksize 5 000 → 12 000, 21 % faster; predicted 23 %");
}

static void advice_that_was_not_followed_promised_nothing(void **state)
{
    (void)state;
    assert_since((fact[]){LAST_RUN, LAST_CHUNKS, ADVISED, {"chunksize", "5000"}, {NULL, NULL}},
                 "since the last run: 21 % faster; advised: chunksize 20 000, about 23 % faster");
    assert_since(
        (fact[]){LAST_RUN, LAST_CHUNKS, ADVISED, {"chunksize", "2000"}, {NULL, NULL}},
        "since the last run: chunksize 5 000 → 2 000, 21 % faster; advised: chunksize 20 000, about 23 % faster");
    assert_since((fact[]){LAST_RUN, {NULL, NULL}}, "since the last run: 21 % faster");
}

static void a_run_on_another_engine_says_so_and_was_not_predicted(void **state)
{
    (void)state;
    assert_since((fact[]){LAST_RUN,
                          LAST_CHUNKS,
                          ADVISED,
                          {"chunksize", "20000"},
                          {"last_engine", "local"},
                          {"engine", "dask"},
                          {NULL, NULL}},
                 "since the last run: chunksize 5 000 → 20 000, engine local → dask, 21 % faster");
    assert_since((fact[]){{"last_elapsed_ns", "5000000000"}, {"last_events", "1000"}, {NULL, NULL}},
                 "since the last run: 16 times as long");
}

static void chunks_that_were_kept_are_preprocessing_once(void **state)
{
    (void)state;
    const fact once[] = {LAST_RUN,
                         {"last_preprocess_ns", "30000000000"},
                         {"advised", "preprocessing"},
                         {"advised_percent", "20"},
                         {NULL, NULL}};
    assert_since(once, "since the last run: 21 % faster; predicted 20 %");
}

static void nothing_is_said_without_a_last_run_or_of_other_work(void **state)
{
    (void)state;
    assert_since((fact[]){{"chunksize", "5000"}, {NULL, NULL}}, "");
    assert_since((fact[]){{"last_elapsed_ns", "100000000000"}, {"last_events", "900"}, {NULL, NULL}}, "");
    assert_since((fact[]){{"last_elapsed_ns", "no number"}, {"last_events", "1000"}, {NULL, NULL}}, "");
}

/* ---- A comparison in one sentence ------------------------------------------------------------------------------ */

static compared_timing timing_with(const char *id, double times, double p)
{
    compared_timing timing = {.id = id, .what = id, .basis = BASIS_RUNS, .p = p, .p_verdict = p};
    timing.log_ratio = (interval){log(times), (double)NAN, (double)NAN, (double)NAN};
    timing.log_sums = (interval){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    timing.share = (double)NAN;
    return timing;
}

static void assert_verdict(const comparison *c, const char *expected)
{
    buf out = {0};
    verdict_text(&out, c);
    assert_string_equal(out.len ? out.data : "", expected);
    buf_release(&out);
}

static void a_verdict_says_what_chance_allows(void **state)
{
    (void)state;
    compared_timing timings[] = {timing_with("elapsed_time_seconds", 1.13, 0.22),
                                 timing_with("chunk_cpu_seconds_total", 1.13, 0.0079)};
    comparison c = {.timings = timings, .n_timings = 2, .level = 0.95, .sides = {{.runs = 5}, {.runs = 5}}};
    assert_verdict(&c, "B is 13 % slower in the median, but 5+5 runs cannot rule out chance (p 0.22); CPU in process() "
                       "rose by 13 %, that is not chance (p 0.008)");
    timings[0] = timing_with("elapsed_time_seconds", 0.8, 0.016);
    c.n_timings = 1;
    assert_verdict(&c, "B is 20 % faster in the median, and that is not chance (p 0.016)");
    timings[0] = timing_with("elapsed_time_seconds", 1, 1);
    assert_verdict(&c, "B is as fast as A in the median (5+5 runs, p 1)");
    timings[0] = timing_with("elapsed_time_seconds", 4, 0.016);
    timings[1] = timing_with("chunk_cpu_seconds_total", 4, 0.016);
    c.n_timings = 2;
    assert_verdict(&c,
                   "B took 4.0 times the time of A in the median, and that is not chance (p 0.016); CPU in process() "
                   "rose to 4.0 times, that is not chance (p 0.016)");
}

static void sides_that_did_other_work_are_not_called_faster(void **state)
{
    (void)state;
    compared_timing wall = timing_with("elapsed_time_seconds", 0.5, 0.008);
    compared_count events = {.id = "events", .sides = {{200000, 200000}, {180000, 180000}}};
    comparison c = {.timings = &wall, .n_timings = 1, .counts = &events, .n_counts = 1, .level = 0.95};
    assert_verdict(
        &c, "A and B did not process the same number of events (200 000 and 180 000): their times do not compare");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_is_known_is_named_and_is_code),
        cmocka_unit_test(without_a_value_other_words_are_said_and_no_code),
        cmocka_unit_test(words_for_several_cases_are_chosen_by_what_is_known),
        cmocka_unit_test(where_there_is_no_cluster_no_code_names_one),
        cmocka_unit_test(all_findings_ask_for_the_size_of_chunks_that_the_first_needs),
        cmocka_unit_test(without_a_scheduler_none_is_blamed),
        cmocka_unit_test(names_in_code_are_strings_of_python_whatever_is_in_them),
        cmocka_unit_test(every_finding_has_advice),
        cmocka_unit_test(what_is_ruled_out_is_said_with_its_number),
        cmocka_unit_test(advice_that_was_followed_is_compared_with_what_it_promised),
        cmocka_unit_test(advice_that_was_not_followed_promised_nothing),
        cmocka_unit_test(a_run_on_another_engine_says_so_and_was_not_predicted),
        cmocka_unit_test(chunks_that_were_kept_are_preprocessing_once),
        cmocka_unit_test(nothing_is_said_without_a_last_run_or_of_other_work),
        cmocka_unit_test(a_verdict_says_what_chance_allows),
        cmocka_unit_test(sides_that_did_other_work_are_not_called_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
