/* Memory runs out at every possible moment: the n-th allocation fails, for n = 1, 2, 3, …, while a run is opened,
 * summarised and drawn. Each time there is a clean error that says so, or the very same output as ever; nothing
 * crashes and nothing is leaked. The allocator is interposed here, for this program and the libraries it uses.
 *
 * Measurements of 0.1.x are left out, and so are numbers of more than 15 characters in coffea's report: jansson, which
 * reads both, ends the program with an assertion of its own when it cannot grow the buffer for such a number. */
#include <errno.h>

#include "base/buf.h"
#include "source/root/survey.h"
#include "synth.h"
#include "unit.h"
#include "view/chart.h"
#include "view/chart_runs.h"
#include "view/comparison.h"
#include "view/gate_view.h"
#include "view/html_tables.h"
#include "view/inspect.h"
#include "view/json.h"
#include "view/markdown.h"
#include "view/openmetrics.h"
#include "view/scaling_view.h"
#include "view/table.h"
#include "view/terminal.h"

/* ---- The allocator ----------------------------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

typedef enum shortage {
    ONE_FAILS,     /* then there is memory again */
    ALL_FAIL_AFTER /* there is none from then on */
} shortage;

static struct {
    bool counting;
    shortage shortage;
    size_t fails_at; /* 0: none does */
    size_t seen;     /* allocations asked for */
    bool failed;     /* one was refused */
    long alive;      /* given out and not yet given back */
} heap;

static bool refused(void)
{
    if (!heap.counting)
        return false;
    heap.seen++;
    bool now = heap.fails_at && (heap.shortage == ONE_FAILS ? heap.seen == heap.fails_at : heap.seen >= heap.fails_at);
    if (now) {
        heap.failed = true;
        errno = ENOMEM;
    }
    return now;
}

static void *given_out(void *memory)
{
    heap.alive += heap.counting && memory;
    return memory;
}

void *malloc(size_t size)
{
    return refused() ? NULL : given_out(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : given_out(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    if (refused())
        return NULL;
    return old ? __libc_realloc(old, size) : given_out(__libc_realloc(old, size));
}

void free(void *old)
{
    heap.alive -= heap.counting && old;
    __libc_free(old);
}

static void count_from_here(shortage kind, size_t fails_at)
{
    memset(&heap, 0, sizeof heap);
    heap.shortage = kind;
    heap.fails_at = fails_at;
    heap.counting = true;
}

/* Not under a memory checker, which has an allocator of its own. */
static bool is_interposed(void)
{
    count_from_here(ONE_FAILS, 1);
    void *volatile memory = malloc(10);
    heap.counting = false;
    free(memory);
    return memory == NULL;
}

/* ---- What is done with little memory ------------------------------------------------------------------------------
 */

static roast_code draw_summary(const roast_summary *summary, buf *out, roast_error *err)
{
    static const terminal_options options = {.width = 100, .colour = true, .utf8 = true};
    table_set tables;
    roast_code code = tables_build(&tables, summary, NULL, 0, err);
    if (code)
        return code;
    terminal_tables(out, &tables, &options);
    tables_release(&tables);
    json_summary(out, summary);
    return out->code ? out->code : roast_summary_render(out, summary, ROAST_SCREEN, NULL, err);
}

static roast_code report(const char *path, buf *out, roast_error *err)
{
    roast_run *run;
    roast_summary *summary = NULL;
    roast_code code = roast_run_open(&run, path, NULL, err);
    if (!code)
        code = roast_summarize(&summary, run, err);
    if (!code)
        code = roast_run_report(out, run, summary, err);
    roast_summary_free(summary);
    roast_run_close(run);
    return code;
}

static roast_code show(const char *path, buf *out, roast_error *err)
{
    roast_run *run;
    roast_summary *summary = NULL;
    roast_code code = roast_run_open(&run, path, NULL, err);
    if (!code)
        code = roast_summarize(&summary, run, err);
    roast_run_close(run);
    if (!code)
        code = draw_summary(summary, out, err);
    roast_summary_free(summary);
    return code;
}

/* Every chart in both its forms, and both exports. */
static roast_code collect(void *context, roast_str part)
{
    buf *out = context;
    buf_str(out, part);
    return out->code;
}

static roast_code plot(const char *path, buf *out, roast_error *err)
{
    roast_run *run;
    roast_summary *summary = NULL;
    chart_set set = {0};
    roast_code code = roast_run_open(&run, path, NULL, err);
    if (!code)
        code = roast_summarize(&summary, run, err);
    if (!code)
        code = charts_build(&set, run, summary, NULL, NULL, err);
    for (size_t i = 0; i < set.count && !code; i++) {
        chart_svg(out, &set.charts[i], NULL);
        chart_json(out, &set.charts[i], false);
        code = out->code;
    }
    if (!code)
        code = roast_run_write_trace(run, summary, collect, out, err);
    if (!code) {
        openmetrics_summary(out, summary);
        code = out->code;
    }
    charts_release(&set);
    roast_summary_free(summary);
    roast_run_close(run);
    return code;
}

/* The same file several times, so that it is also compared with itself. */
static roast_code inspect(const char *path, buf *out, roast_error *err)
{
    static const inspect_options options = {.branches = true};
    survey s = {0};
    table_set tables = {0};
    root_file *file;
    roast_code code = root_open(&file, path, NULL, err);
    for (int i = 0; i < 5 && !code; i++)
        code = survey_add(&s, file, err);
    root_close(file);
    if (!code)
        code = survey_finish(&s, 1000, err);
    if (!code)
        code = inspect_tables(&tables, &s, &options, err);
    if (!code) {
        html_tables(out, &tables, NULL, STR("a page"));
        inspect_json(out, &s, &options);
        code = out->code;
    }
    tables_release(&tables);
    survey_release(&s);
    return code;
}

/* Runs that are open and summarised already, for what is done with several of them. */
enum { OPEN_RUNS = 8 };
static roast_subject open_runs[OPEN_RUNS];
static char open_paths[OPEN_RUNS][128];

static roast_code draw_tables(roast_code (*build)(table_set *set, const void *of, roast_error *err), const void *of,
                              buf *out, roast_error *err)
{
    table_set tables;
    roast_code code = build(&tables, of, err);
    if (!code)
        markdown_tables(out, &tables);
    tables_release(&tables);
    return code ? code : out->code;
}

static roast_code draw_charts(chart_set *charts, roast_code code, buf *out)
{
    for (size_t i = 0; !code && i < charts->count; i++)
        chart_svg(out, &charts->charts[i], NULL);
    charts_release(charts);
    return code ? code : out->code;
}

static roast_code build_comparison(table_set *set, const void *of, roast_error *err)
{
    return comparison_tables(set, of, 3, err);
}

static roast_code build_gate(table_set *set, const void *of, roast_error *err)
{
    return gate_tables(set, of, err);
}

static roast_code build_scaling(table_set *set, const void *of, roast_error *err)
{
    return scaling_tables(set, of, err);
}

static roast_code compare_open(roast_subject *inputs, size_t n_a, buf *out, roast_error *err)
{
    bootstrap_options bootstrap = bootstrap_defaults();
    bootstrap.replicates = 19;
    comparison *c;
    roast_code code = compare_runs(&c, inputs, n_a, inputs + n_a, 1, &bootstrap, err);
    if (!code)
        code = draw_tables(build_comparison, c, out, err);
    chart_set charts = {0};
    if (!code)
        code = draw_charts(&charts, comparison_charts(&charts, c, err), out);
    if (!code)
        comparison_json(out, c);
    roast_comparison_free(c);
    return code ? code : out->code;
}

/* Allocations of opening and summarising, which showing a run tries already. */
static size_t tried_elsewhere;

/* What SQLite keeps after a failure is given back when a run is closed, so they are opened here. */
static roast_code compare(const char *how, buf *out, roast_error *err)
{
    size_t n_a = strcmp(how, "groups") == 0 ? 2 : 1;
    roast_subject inputs[3] = {0};
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < n_a + 1 && !code; i++) {
        inputs[i].label = open_runs[i].label;
        code = roast_run_open(&inputs[i].run, open_runs[i].label, NULL, err);
        if (!code)
            code = roast_summarize(&inputs[i].summary, inputs[i].run, err);
    }
    if (!heap.failed)
        tried_elsewhere = heap.seen;
    if (!code)
        code = compare_open(inputs, n_a, out, err);
    for (size_t i = 0; i < 3; i++) {
        roast_summary_free(inputs[i].summary);
        roast_run_close(inputs[i].run);
    }
    return code;
}

static roast_code gate_and_scale(const char *unused, buf *out, roast_error *err)
{
    (void)unused;
    roast_gate *gate;
    scaling *s = NULL;
    roast_gate_options options = roast_gate_defaults();
    options.metrics = "elapsed_time_seconds,peak_memory_bytes";
    roast_code code =
        roast_gate_runs(&gate, open_runs, OPEN_RUNS / 2, open_runs + OPEN_RUNS / 2, OPEN_RUNS / 2, &options, err);
    if (!code)
        code = draw_tables(build_gate, gate, out, err);
    if (!code)
        gate_json(out, gate);
    if (!code)
        code = roast_scale(&s, open_runs, OPEN_RUNS, NULL, err);
    if (!code)
        code = draw_tables(build_scaling, s, out, err);
    chart_set charts = {0};
    if (!code)
        code = draw_charts(&charts, scaling_charts(&charts, s, err), out);
    if (!code)
        scaling_json(out, s);
    roast_gate_free(gate);
    roast_scaling_free(s);
    return code ? code : out->code;
}

/* What is stripped needs memory of its own; without it nothing is kept. */
static roast_code record_secrets(roast_recorder *recorder, buf *packed)
{
    static const roast_str names[] = {{"https://me:pw@host/branch", 25}};
    static const roast_custom custom = {{"password", 8}, {"\xa2pw", 3}};
    roast_section section = roast_section_none();
    section.name = STR("https://me:pw@host/section?sig=abc");
    roast_chunk chunk = roast_chunk_none();
    chunk.file = STR("https://me:pw@host/f.root?sig=abc");
    chunk.sections = &section;
    chunk.branches = names;
    chunk.custom = &custom;
    chunk.n_sections = chunk.n_branches = chunk.n_custom = 1;
    roast_pack_chunk(packed, &chunk);
    roast_code code = packed->code ? packed->code : roast_record_chunk(recorder, &chunk);
    if (!code)
        code = roast_record_fact(recorder, "fact", STR("token=abc"));
    return code ? code : roast_record_report(recorder, STR("{\"files\": [{\"https://me:pw@host\": \"token=abc\"}]}"));
}

static roast_code record(const char *path, const synth_job *job, bool secrets, roast_error *err)
{
    roast_recorder *recorder;
    roast_recorder_options options = {.name = "short of memory", .overwrite = true};
    roast_code code = roast_recorder_open(&recorder, path, &options, err);
    if (code)
        return code;
    buf packed = {0};
    roast_code recorded = synth_record(job, recorder);
    if (!recorded && secrets)
        recorded = record_secrets(recorder, &packed);
    buf_release(&packed);
    code = roast_recorder_close(recorder, ROAST_FINISHED, err);
    return recorded ? recorded : code;
}

/* ---- The facts ------------------------------------------------------------------------------------------------------
 */

static synth_options small_options(void)
{
    synth_options options = synth_defaults();
    options.datasets = 2;
    options.files = 2;
    options.chunks = 6;
    options.workers = 3;
    options.samples = 3;
    options.sections = 2;
    options.branches = 4;
    options.retry_rate = 0.3;
    return options;
}

static synth_job *small_job(void)
{
    synth_options options = small_options();
    synth_job *job = synth_simulate(&options, NULL);
    assert_non_null(job);
    return job;
}

/* Does the work with one allocation after the other refused, and compares what it wrote with what it writes else. */
static void assert_survives(roast_code (*work)(const char *path, buf *out, roast_error *err), const char *path)
{
    buf expected = {0};
    tried_elsewhere = 0;
    count_from_here(ONE_FAILS, 0);
    assert_int_equal(work(path, &expected, NULL), ROAST_OK);
    heap.counting = false;
    assert_true(expected.len > 1000);
    for (shortage kind = ONE_FAILS; kind <= ALL_FAIL_AFTER; kind++) {
        size_t refusals = 0, survived = 0;
        for (size_t n = tried_elsewhere + 1;; n++) {
            buf out = {0};
            roast_error err = {0};
            count_from_here(kind, n);
            roast_code code = work(path, &out, &err);
            bool same = !code && out.len == expected.len && memcmp(out.data, expected.data, out.len) == 0;
            buf_release(&out);
            heap.counting = false;
            if (code ? code != ROAST_MEMORY : !same)
                fail_msg("allocation %zu: code %d, %s", n, code, code ? err.message : "the output is not the same");
            if (heap.alive)
                fail_msg("allocation %zu: %ld not given back (code %d)", n, heap.alive, code);
            if (!heap.failed)
                break;
            refusals += code != ROAST_OK;
            survived += code == ROAST_OK;
        }
        print_message("# %zu allocations refused in turn, %zu did without\n", refusals + survived, survived);
        assert_true(refusals > 20);
    }
    buf_release(&expected);
}

static void showing_a_run_survives_any_failed_allocation(void **state)
{
    (void)state;
    const char *path = in_scratch("run.roast");
    synth_job *job = small_job();
    assert_int_equal(record(path, job, false, NULL), ROAST_OK);
    synth_free(job);
    assert_survives(show, path);
}

static void drawing_charts_survives_any_failed_allocation(void **state)
{
    (void)state;
    const char *path = in_scratch("run.roast");
    synth_job *job = small_job();
    assert_int_equal(record(path, job, false, NULL), ROAST_OK);
    synth_free(job);
    assert_survives(plot, path);
}

static void open_a_run(uint32_t day)
{
    roast_subject *input = &open_runs[day];
    synth_options options = small_options();
    options.luck = day;
    options.workers = day + 1;
    options.chunks = 24; /* so many, and shorter with more workers, that there is a law of scaling */
    options.duration_s = 800.0 / (day + 1);
    options.branches += day % 2;
    synth_job *job = synth_simulate(&options, NULL);
    assert_non_null(job);
    snprintf(open_paths[day], sizeof open_paths[day], "%s/day-%u.roast", scratch, day);
    input->label = open_paths[day];
    assert_int_equal(record(input->label, job, false, NULL), ROAST_OK);
    synth_free(job);
    assert_int_equal(roast_run_open(&input->run, input->label, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_summarize(&input->summary, input->run, NULL), ROAST_OK);
}

static void comparing_runs_survives_any_failed_allocation(void **state)
{
    (void)state;
    for (uint32_t day = 0; day < OPEN_RUNS; day++)
        open_a_run(day);
    assert_survives(compare, "two");
    assert_survives(compare, "groups");
    assert_survives(gate_and_scale, NULL);
    for (size_t i = 0; i < OPEN_RUNS; i++) {
        roast_summary_free(open_runs[i].summary);
        roast_run_close(open_runs[i].run);
    }
}

static void reporting_a_run_survives_any_failed_allocation(void **state)
{
    (void)state;
    const char *path = in_scratch("run.roast");
    synth_job *job = small_job();
    assert_int_equal(record(path, job, false, NULL), ROAST_OK);
    synth_free(job);
    assert_survives(report, path);
}

static void inspecting_a_root_file_survives_any_failed_allocation(void **state)
{
    (void)state;
    assert_survives(inspect, ROAST_SOURCE_DIR "/tests/fuzz/root/tree-zlib.root");
    assert_survives(inspect, ROAST_SOURCE_DIR "/tests/fuzz/root/tree-lzma.root");
    assert_survives(inspect, ROAST_SOURCE_DIR "/tests/fuzz/root/tree-other-version.root");
    assert_survives(inspect, ROAST_SOURCE_DIR "/tests/fuzz/root/ntuple-zstd.root");
}

/* A run is written thousands of times over, so in memory if there is such a file system: a disk would take minutes. */
static void recording_a_run_survives_any_failed_allocation(void **state)
{
    (void)state;
    char in_memory[64], file[80];
    snprintf(in_memory, sizeof in_memory, "/dev/shm/roast-torture-%d", (int)getpid());
    const char *path = access("/dev/shm", W_OK) == 0 ? in_memory : in_scratch("run.roast");
    synth_job *job = small_job();
    assert_int_equal(record(path, job, false, NULL), ROAST_OK);
    size_t refusals = 0;
    for (size_t n = 1;; n++) {
        roast_error err = {0};
        count_from_here(ONE_FAILS, n);
        roast_code code = record(path, job, true, &err);
        heap.counting = false;
        if (code && code != ROAST_MEMORY && code != ROAST_IO)
            fail_msg("allocation %zu: code %d, %s", n, code, err.message);
        if (!heap.failed)
            break;
        refusals += code != ROAST_OK;
    }
    assert_true(refusals > 50);
    synth_free(job);
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(file, sizeof file, "%s%s", in_memory, endings[i]);
        unlink(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_scratch(showing_a_run_survives_any_failed_allocation),
        test_in_scratch(drawing_charts_survives_any_failed_allocation),
        test_in_scratch(comparing_runs_survives_any_failed_allocation),
        test_in_scratch(reporting_a_run_survives_any_failed_allocation),
        test_in_scratch(inspecting_a_root_file_survives_any_failed_allocation),
        test_in_scratch(recording_a_run_survives_any_failed_allocation),
    };
    if (is_interposed())
        return cmocka_run_group_tests(tests, NULL, NULL);
    puts("1..0 # SKIP a memory checker has its own allocator");
    return 0;
}
