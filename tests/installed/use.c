/* Uses what the other programs leave out of the interface, once each, on a run of which everything is known: two
 * workers with a core each and 40 chunks of 100 events and one second, of which half is CPU time. use RUN ROOT-FILE */
#include <math.h>
#include <roast.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define BEGIN  (INT64_C(1700000000) * SECOND)

static int wrong;

#define EXPECT(fact) ((fact) ? (void)0 : (void)(wrong += fprintf(stderr, "line %d: not so: %s\n", __LINE__, #fact) > 0))

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

static bool is(roast_str a, const char *b)
{
    return a.ptr && a.len == strlen(b) && !memcmp(a.ptr, b, a.len);
}

/* ---- Recording ------------------------------------------------------------------------------------------------- */

static void record_workers(roast_recorder *recorder)
{
    for (int i = 0; i < 2; i++) {
        roast_worker worker = roast_worker_none();
        roast_sample sample = roast_sample_none();
        worker.address = sample.worker = text(i ? "w1" : "w0");
        worker.cores = 1;
        worker.joined_ns = BEGIN;
        sample.t_ns = BEGIN + SECOND;
        sample.memory = 1000 + i;
        EXPECT(!roast_record_worker(recorder, &worker) && !roast_record_sample(recorder, &sample));
    }
    roast_worker_count count = roast_worker_count_none();
    count.t_ns = BEGIN;
    count.workers = 2;
    EXPECT(!roast_record_worker_count(recorder, &count));
    roast_branch branch = roast_branch_none();
    roast_file file = roast_file_none();
    branch.name = text("Jet_pt");
    branch.compressed = 77;
    file.url = text("events.root");
    file.branches = &branch;
    file.n_branches = 1;
    EXPECT(!roast_record_file(recorder, &file));
    roast_activity activity = roast_activity_none();
    activity.context = activity.prefix = activity.activity = activity.unit = text("a");
    activity.value = 3;
    EXPECT(!roast_record_activity(recorder, &activity));
    roast_work work = roast_work_none();
    work.dataset = text("d");
    work.chunks = 4;
    EXPECT(!roast_record_work(recorder, &work));
    EXPECT(!roast_record_note(recorder, "info", text("a note")));
    EXPECT(!roast_record_report(recorder, text("{}")));
    EXPECT(!roast_record_fact(recorder, "colour", text("green")));
    EXPECT(!roast_record_custom_metrics(recorder, text("{\"d\": {}}")));
    EXPECT(!roast_record_fact_int(recorder, "t_start_ns", BEGIN));
    EXPECT(!roast_record_fact_int(recorder, "t_end_ns", BEGIN + 20 * SECOND));
}

/* One section is measured, another comes from elsewhere. */
static void record_chunk(roast_recorder *recorder, int i)
{
    roast_chunk chunk = roast_chunk_none();
    roast_custom custom = {text("number"), {"\x07", 1}};
    roast_probe *probe = roast_probe_begin(&chunk);
    EXPECT(roast_probe_current() == probe && roast_probe_owner(probe) == &chunk);
    roast_section_enter(ROAST_SECTION_TIME, text("muons"), probe, ROAST_ABSENT);
    roast_section_exit(probe, ROAST_ABSENT);
    roast_section_add(probe, text("jets"), SECOND / 4, ROAST_ABSENT, ROAST_ABSENT);
    roast_probe_end(probe);
    EXPECT(roast_probe_fill(probe, &chunk));
    chunk.uid = (uint64_t)i + 1;
    chunk.dataset = text("d");
    chunk.file = text("events.root");
    chunk.worker = text(i % 2 ? "w1" : "w0");
    chunk.entry_start = i * 100;
    chunk.entry_stop = chunk.entry_start + 100;
    chunk.events = 100;
    chunk.thread = 1;
    chunk.t_start_ns = BEGIN + i / 2 * SECOND;
    chunk.duration_ns = SECOND;
    chunk.cpu_ns = SECOND / 2;
    chunk.custom = &custom;
    chunk.n_custom = 1;
    EXPECT(!roast_record_chunk(recorder, &chunk));
    roast_probe_free(probe);
}

/* ---- Following ------------------------------------------------------------------------------------------------- */

static int64_t chunks_of(roast_analysis *analysis)
{
    roast_summary *summary = NULL;
    EXPECT(!roast_analysis_feed(analysis, NULL) && !roast_analysis_summary(&summary, analysis, NULL));
    roast_value chunks = roast_summary_get(summary, "num_chunks", NULL);
    roast_summary_free(summary);
    return chunks.kind == ROAST_INT ? chunks.as.integer : -1;
}

static void record_and_follow(const char *path)
{
    roast_recorder *recorder;
    roast_run *run;
    roast_analysis *analysis;
    roast_recorder_options options = {.size = sizeof options, .name = "followed"};
    EXPECT(!roast_recorder_open(&recorder, path, &options, NULL));
    record_workers(recorder);
    for (int i = 0; i < 30; i++)
        record_chunk(recorder, i);
    EXPECT(!roast_recorder_flush(recorder));
    EXPECT(!roast_run_open(&run, path, NULL, NULL) && !roast_analysis_open(&analysis, run, NULL));
    EXPECT(strcmp(roast_outcome_name(roast_run_outcome(run)), "running") == 0 && chunks_of(analysis) == 30);
    for (int i = 30; i < 40; i++)
        record_chunk(recorder, i);
    EXPECT(!roast_recorder_flush(recorder) && chunks_of(analysis) == 30);
    EXPECT(!roast_run_refresh(run, NULL) && chunks_of(analysis) == 40);
    roast_run_pause(run);
    EXPECT(!roast_recorder_finish(recorder, ROAST_FINISHED, NULL));
    EXPECT(!roast_recorder_status(recorder, NULL) && !roast_recorder_close(recorder, ROAST_FINISHED, NULL));
    EXPECT(!roast_run_refresh(run, NULL) && roast_run_outcome(run) == ROAST_FINISHED && chunks_of(analysis) == 40);
    roast_analysis_close(analysis);
    roast_run_close(run);
}

/* ---- Visiting -------------------------------------------------------------------------------------------------- */

static roast_code see_section(void *count, int64_t chunk, const roast_section *section)
{
    bool added = is(section->name, "jets");
    EXPECT(chunk > 0 && section->count == 1 && (added || is(section->name, "muons")));
    EXPECT(added ? section->duration_ns == SECOND / 4 : section->duration_ns >= 0);
    ++*(int *)count;
    return ROAST_OK;
}

static roast_code see_custom(void *count, int64_t chunk, const roast_custom *custom)
{
    EXPECT(chunk > 0 && is(custom->name, "number") && is(custom->msgpack, "\x07"));
    return ++*(int *)count == 40 ? ROAST_LIMIT : ROAST_OK; /* a visitor may end the visit */
}

static roast_code see_sample(void *count, const roast_sample *sample)
{
    EXPECT(sample->memory == (is(sample->worker, "w1") ? 1001 : 1000));
    ++*(int *)count;
    return ROAST_OK;
}

static roast_code see_branch(void *count, const roast_file *file, const roast_branch *branch)
{
    EXPECT(is(file->url, "events.root") && is(branch->name, "Jet_pt") && branch->compressed == 77);
    ++*(int *)count;
    return ROAST_OK;
}

static void visit(roast_run *run)
{
    int sections = 0, customs = 0, samples = 0, branches = 0;
    roast_str level, value;
    EXPECT(!roast_run_visit_sections(run, see_section, &sections, NULL) && sections == 80);
    EXPECT(roast_run_visit_custom(run, see_custom, &customs, NULL) == ROAST_LIMIT && customs == 40);
    EXPECT(!roast_run_visit_samples(run, see_sample, &samples, NULL) && samples == 2);
    EXPECT(!roast_run_visit_branches(run, see_branch, &branches, NULL) && branches == 1);
    EXPECT(is(roast_run_worker(run, 1)->address, "w1") && !roast_run_worker(run, 2));
    EXPECT(is(roast_run_file(run, 0)->url, "events.root") && !roast_run_file(run, 1));
    EXPECT(roast_run_worker_count(run, 0)->workers == 2 && !roast_run_worker_count(run, 1));
    EXPECT(roast_run_activity(run, 0)->value == 3 && !roast_run_activity(run, 1));
    EXPECT(is(roast_run_fact(run, "colour"), "green") && !roast_run_fact(run, "smell").ptr);
    EXPECT(is(roast_run_note(run, 0, &level), "a note") && is(level, "info"));
    EXPECT(roast_run_fact_at(run, 0, &value).ptr && value.ptr && !roast_run_fact_at(run, 1000, &value).ptr);
    EXPECT(is(roast_run_document(run, "custom_metrics"), "{\"d\": {}}"));
}

/* ---- Explaining, comparing and showing -----------------------------------------------------------------------------
 */

/* Whether a text was made, and says so; it is released. */
static bool says(roast_code code, roast_text *made, const char *what)
{
    bool found = !code && !made->code && made->data && strstr(made->data, what);
    roast_text_release(made);
    return found;
}

static void explain(roast_run *run, const roast_summary *summary)
{
    roast_explanation *why;
    roast_text made = {0};
    roast_finding finding = {.size = sizeof finding};
    roast_evidence evidence = {.size = sizeof evidence};
    double seconds = -1;
    size_t findings = 0, what_ifs = 0;
    EXPECT(!roast_explain(&why, run, summary, true, NULL));
    for (; roast_explanation_finding(why, findings, &finding); findings++) {
        for (size_t i = 0; i < finding.n_evidence; i++)
            EXPECT(roast_explanation_evidence(why, findings, i, &evidence) && evidence.what[0]);
        EXPECT(!roast_explanation_evidence(why, findings, finding.n_evidence, &evidence));
    }
    for (; roast_explanation_what_if(why, what_ifs, &seconds); what_ifs++)
        EXPECT(isnan(seconds) || seconds > 0);
    EXPECT(findings > 0 && what_ifs > 0);
    EXPECT(says(roast_explanation_render(&made, why, summary, ROAST_JSON, NULL, NULL), &made, "what_if"));
    roast_explanation_free(why);
}

static void compare(roast_run *run, roast_summary *summary)
{
    const roast_subject runs[] = {{run, summary, "before"}, {run, summary, "after"}};
    roast_gate_options options = roast_gate_defaults();
    roast_comparison *comparison;
    roast_gate *gate;
    roast_scaling *scaling;
    roast_text made = {0};
    EXPECT(!roast_compare(&comparison, &runs[0], 1, &runs[1], 1, NULL));
    EXPECT(says(roast_comparison_render(&made, comparison, ROAST_MARKDOWN, NULL, NULL), &made, "after"));
    roast_comparison_free(comparison);
    EXPECT(!roast_gate_runs(&gate, &runs[0], 1, &runs[1], 1, &options, NULL));
    EXPECT(roast_gate_verdict(gate) == ROAST_UNDECIDED); /* one run on either side cannot tell */
    roast_gate_line(&made, gate);
    EXPECT(says(ROAST_OK, &made, "wall time"));
    EXPECT(says(roast_gate_render(&made, gate, ROAST_JSON, NULL, NULL), &made, "\"verdict\""));
    roast_gate_free(gate);
    EXPECT(!roast_scale(&scaling, runs, 2, NULL, NULL));
    EXPECT(says(roast_scaling_render(&made, scaling, ROAST_JSON, NULL, NULL), &made, "cores"));
    roast_scaling_free(scaling);
}

static void draw(roast_run *run, const roast_summary *summary)
{
    const char *id = roast_chart_id(0), *word = "num_chunks";
    roast_charts *charts;
    roast_text made = {0};
    EXPECT(id && roast_chart_title(id) && !roast_chart_title("no such chart") && roast_table_id(0));
    EXPECT(!roast_charts_build(&charts, run, summary, id, NULL, NULL) && roast_charts_count(charts) == 1);
    EXPECT(!strcmp(roast_charts_id(charts, 0), id));
    EXPECT(says(roast_charts_render(&made, charts, 0, ROAST_SVG, NULL, NULL), &made, "<svg"));
    roast_charts_free(charts);
    EXPECT(says(roast_catalogue_render(&made, &word, 1, ROAST_TERMINAL, NULL, NULL), &made, word));
}

static void list(roast_run *run, const char *path)
{
    roast_summary *brief;
    roast_text made = {0};
    EXPECT(!strcmp(roast_list_column(0), "when") && !roast_list_column(100));
    EXPECT(!roast_summarize_briefly(&brief, run, NULL));
    const roast_listed runs[] = {{1, path, brief, NULL}, {2, "gone.roast", NULL, "it is not there"}};
    EXPECT(says(roast_list_render(&made, runs, 2, "rate", true, ROAST_TERMINAL, NULL, NULL), &made, "it is not there"));
    EXPECT(says(roast_list_render(&made, runs, 2, NULL, false, ROAST_JSON, NULL, NULL), &made, path));
    EXPECT(roast_list_render(&made, runs, 2, "no such column", false, ROAST_JSON, NULL, NULL) == ROAST_USAGE);
    roast_summary_free(brief);
}

static roast_code count_lines(void *lines, roast_str part)
{
    for (size_t i = 0; i < part.len; i++)
        *(size_t *)lines += part.ptr[i] == '\n';
    return ROAST_OK;
}

static void write_out(roast_run *run, const roast_summary *summary)
{
    roast_text made = {0};
    size_t lines = 0, events = 0;
    EXPECT(says(roast_run_report(&made, run, summary, NULL), &made, "</html>"));
    EXPECT(!roast_run_write_chunks(run, count_lines, &lines, NULL) && lines == 1 + 40);
    EXPECT(!roast_run_write_trace(run, summary, count_lines, &events, NULL) && events > 40);
}

/* This process, at least once in a while. */
static void sample(void)
{
    roast_text packed = {0};
    EXPECT(!roast_sampler_start(1000, NULL));
    for (int i = 0; i < 5000 && !packed.len; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        roast_sampler_drain(&packed);
    }
    roast_sampler_stop();
    EXPECT(packed.len > 0 && !packed.code);
    roast_text_release(&packed);
}

static void look_up(void)
{
    roast_error err;
    const roast_metric *last = roast_metric_at(roast_metric_count() - 1);
    EXPECT(last && roast_metric_find(last->scope, last->name) == last && !roast_metric_at(roast_metric_count()));
    EXPECT(roast_metric_find(ROAST_SCOPE_RUN, "num_chunks") && !roast_metric_find(ROAST_SCOPE_RUN, "no such metric"));
    EXPECT(!strcmp(roast_scope_name(ROAST_SCOPE_DATASET), "dataset") && roast_version()[0]);
    EXPECT(!strcmp(roast_code_text(ROAST_OK), "success"));
    EXPECT(roast_import("/no/such/folder", "/no/such/file", NULL, &err) && strstr(err.message, "/no/such/folder"));
}

static void inspect(const char *path)
{
    roast_inspection *inspection;
    roast_inspect_options options = {.size = sizeof options, .tree = "no_such_tree"};
    roast_text made = {0};
    EXPECT(!roast_inspect(&inspection, &path, 1, NULL, NULL));
    EXPECT(says(roast_inspection_render(&made, inspection, false, NULL, ROAST_TERMINAL, NULL, NULL), &made, "Jet"));
    EXPECT(!says(roast_inspection_render(&made, inspection, true, "n*", ROAST_TERMINAL, NULL, NULL), &made, "flag"));
    EXPECT(roast_inspection_render(&made, inspection, true, NULL, ROAST_SVG, NULL, NULL) == ROAST_USAGE);
    roast_inspection_free(inspection);
    EXPECT(!roast_inspect(&inspection, &path, 1, &options, NULL));
    EXPECT(!says(roast_inspection_render(&made, inspection, false, NULL, ROAST_JSON, NULL, NULL), &made, "Jet"));
    roast_inspection_free(inspection);
}

int main(int argc, char **argv)
{
    roast_run *run;
    roast_summary *summary;
    int64_t begin, end;
    if (argc != 3)
        return 2;
    record_and_follow(argv[1]);
    if (roast_run_open(&run, argv[1], NULL, NULL) || roast_summarize(&summary, run, NULL))
        return 3;
    roast_summary_window(summary, &begin, &end);
    EXPECT(begin == BEGIN && end == BEGIN + 20 * SECOND);
    look_up();
    visit(run);
    explain(run, summary);
    compare(run, summary);
    draw(run, summary);
    list(run, argv[1]);
    write_out(run, summary);
    sample();
    inspect(argv[2]);
    roast_summary_free(summary);
    roast_run_close(run);
    return wrong ? 1 : 0;
}
