/* Following a run: fed in pieces equals fed at once, to the last bit; a reader follows a writer, in this process and in
 * another; sources write through the recorder's sink from threads of their own. */
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "analysis/explain.h"
#include "analysis/summary.h"
#include "record/recorder.h"
#include "run/reader.h"
#include "unit.h"

/* ---- A seeded stream of records ------------------------------------------------------------------------------- */

typedef struct stream {
    uint64_t state;
    int64_t now_ns, chunks;
    uint32_t workers;
    bool late_facts; /* what a worker is becomes known after its rows */
    bool in_parts;   /* files tell of some of their branches, and of the others later */
} stream;

static uint64_t draw(stream *s, uint64_t below)
{
    s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (s->state >> 33) % below;
}

static const char *numbered(char *text, const char *before, uint64_t number)
{
    snprintf(text, 64, "%s%llu", before, (unsigned long long)number);
    return text;
}

static int64_t offset_of(uint64_t worker)
{
    return worker % 3 == 2 ? ROAST_ABSENT : ((int64_t)worker % 5 - 2) * INT64_C(300000000000);
}

static void record_worker(stream *s, roast_recorder *recorder, uint64_t number, bool known)
{
    char address[64], host[64];
    roast_worker worker = roast_worker_none();
    worker.address = str_from(numbered(address, "tcp://10.0.0.1:", number));
    if (known && number % 4)
        worker.host = str_from(numbered(host, "host", number / 2));
    if (known)
        worker.cores = (int64_t)(number % 4) + 1;
    worker.memory_limit = INT64_C(4) << 30;
    worker.joined_ns = s->now_ns;
    if (known)
        worker.clock_offset_ns = offset_of(number);
    if (known && draw(s, 6) == 0) {
        worker.left_ns = s->now_ns + 1000000000;
        worker.lost = draw(s, 2);
    }
    assert_int_equal(roast_record_worker(recorder, &worker), ROAST_OK);
}

static void record_chunk(stream *s, roast_recorder *recorder)
{
    char dataset[64], file[64], address[64];
    static const roast_str names[] = {{"Jet_pt", 6}, {"nJet", 4}, {"Muon_pt", 7}, {"MET_pt", 6}};
    uint64_t worker = draw(s, s->workers), number = draw(s, 400);
    roast_section sections[2] = {roast_section_none(), roast_section_none()};
    roast_chunk chunk = roast_chunk_none();
    chunk.uid = (uint64_t)++s->chunks;
    if (draw(s, 20))
        chunk.dataset = str_from(numbered(dataset, "dataset", number % 3));
    chunk.file = str_from(numbered(file, "root://site//file", number / 10));
    chunk.treename = STR("Events");
    chunk.entry_start = (int64_t)(number % 10) * 1000;
    chunk.entry_stop = chunk.entry_start + 1000;
    if (draw(s, 25))
        chunk.worker = str_from(numbered(address, "tcp://10.0.0.1:", worker));
    int64_t offset = offset_of(worker) == ROAST_ABSENT || str_absent(chunk.worker) ? 0 : offset_of(worker);
    chunk.events = draw(s, 15) ? (int64_t)draw(s, 1000) : ROAST_ABSENT;
    chunk.duration_ns = draw(s, 15) ? (int64_t)draw(s, 4000000000) : ROAST_ABSENT;
    chunk.t_start_ns = s->now_ns + offset - 4000000000;
    chunk.open_ns = (int64_t)draw(s, 300000000);
    chunk.events_ns = (int64_t)draw(s, 200000000);
    chunk.return_ns = (int64_t)draw(s, 100000000);
    chunk.cpu_ns = draw(s, 8) ? (int64_t)draw(s, 3000000000) : ROAST_ABSENT;
    chunk.run_delay_ns = (int64_t)draw(s, 10000000);
    chunk.rss_before = (int64_t)draw(s, 1 << 30);
    chunk.rss_after = chunk.rss_before + (int64_t)draw(s, 1 << 24);
    chunk.rss_peak = chunk.rss_after;
    chunk.bytes_read = (int64_t)draw(s, 1 << 20);
    chunk.read_requests = (int64_t)draw(s, 9);
    if (draw(s, 8) == 0) {
        chunk.error_type = draw(s, 2) ? STR("OSError") : STR("MemoryError");
        chunk.error = STR("it went wrong");
    }
    for (size_t i = 0; i < 2; i++) {
        sections[i].name = i ? STR("jets") : STR("muons");
        sections[i].count = 1;
        sections[i].depth = 0;
        sections[i].duration_ns = (int64_t)draw(s, 1000000000);
        sections[i].rss_delta = (int64_t)draw(s, 1 << 20);
    }
    chunk.sections = sections;
    chunk.n_sections = draw(s, 3);
    chunk.branches = draw(s, 6) ? &names[draw(s, 3)] : NULL;
    chunk.n_branches = chunk.branches ? 1 + draw(s, 2) : 0;
    if (!chunk.branches && draw(s, 2))
        chunk.branch_set = 1 + draw(s, 3); /* names that never come */
    roast_custom preload = {.name = STR("preload_unused_bytes"), .msgpack = STR("\x07")};
    chunk.custom = &preload;
    chunk.n_custom = draw(s, 2);
    assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
}

static void record_sample(stream *s, roast_recorder *recorder)
{
    char address[64];
    uint64_t worker = draw(s, s->workers);
    roast_sample sample = roast_sample_none();
    sample.worker = str_from(numbered(address, "tcp://10.0.0.1:", worker));
    sample.t_ns =
        s->now_ns + (offset_of(worker) == ROAST_ABSENT ? 0 : offset_of(worker)) - (int64_t)draw(s, 2000000000);
    sample.memory = (int64_t)draw(s, INT64_C(3) << 30);
    sample.cpu = (double)draw(s, 400) / 3;
    sample.spilled = (int64_t)draw(s, 1 << 20);
    if (draw(s, 2))
        sample.last_seen_ns = sample.t_ns;
    sample.net_read = (double)draw(s, 1000) / 7;
    assert_int_equal(roast_record_sample(recorder, &sample), ROAST_OK);
}

static void record_task(stream *s, roast_recorder *recorder)
{
    char address[64], key[64];
    static const char *const prefixes[] = {"Analysis", "automatic_retries", "merge"};
    roast_task task = roast_task_none();
    task.key = str_from(numbered(key, "task-", draw(s, 100000)));
    task.prefix = str_from(prefixes[draw(s, 3)]);
    task.worker = str_from(numbered(address, "tcp://10.0.0.1:", draw(s, s->workers)));
    task.start_ns = s->now_ns - (int64_t)draw(s, 3000000000);
    task.stop_ns = task.start_ns + (int64_t)draw(s, 1500000000);
    task.state = draw(s, 9) ? STR("memory") : STR("erred");
    task.attempt = 1 + (int64_t)draw(s, 2);
    assert_int_equal(roast_record_task(recorder, &task), ROAST_OK);
}

static void record_file(stream *s, roast_recorder *recorder)
{
    char url[64];
    roast_branch branches[3];
    static const char *const names[] = {"Jet_pt", "nJet", "Tau_pt"};
    roast_file file = roast_file_none();
    file.url = str_from(numbered(url, "root://site//file", draw(s, 12)));
    file.tree = STR("Events");
    file.entries = draw(s, 4) ? 10000 : 9000;
    file.compressed = 3000000;
    file.uncompressed = 9000000;
    for (size_t i = 0; i < 3; i++) {
        branches[i] = roast_branch_none();
        branches[i].name = str_from(names[i]);
        branches[i].compressed = (int64_t)draw(s, 100000);
        branches[i].uncompressed = branches[i].compressed * 3;
    }
    size_t first = s->in_parts ? draw(s, 3) : 0;
    file.branches = branches + first;
    file.n_branches = s->in_parts ? 1 + draw(s, 3 - first) : 3;
    if (!s->in_parts || draw(s, 2))
        file.total_branches = 3;
    assert_int_equal(roast_record_file(recorder, &file), ROAST_OK);
}

static void record_something(stream *s, roast_recorder *recorder)
{
    s->now_ns += (int64_t)draw(s, 300000000);
    uint64_t kind = draw(s, 40);
    if (kind == 0 && s->workers < 9) {
        record_worker(s, recorder, s->workers, !s->late_facts || draw(s, 2));
        s->workers++;
    } else if (kind == 1 && s->late_facts) {
        record_worker(s, recorder, draw(s, s->workers), true);
    } else if (kind == 2) {
        record_file(s, recorder);
    } else if (kind == 3) {
        roast_record_activity(recorder, &(roast_activity){.size = sizeof(roast_activity),
                                                          .context = STR("execute"),
                                                          .prefix = STR("Analysis"),
                                                          .activity = STR("thread-cpu"),
                                                          .unit = STR("seconds"),
                                                          .value = (double)draw(s, 1000) / 9});
    } else if (kind < 10) {
        record_task(s, recorder);
    } else if (kind < 20) {
        record_sample(s, recorder);
    } else {
        record_chunk(s, recorder);
    }
}

static roast_recorder *start(stream *s, const char *path)
{
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, path, NULL, NULL), ROAST_OK);
    s->now_ns = INT64_C(1700000000000000000);
    if (draw(s, 2))
        roast_record_fact_int(recorder, "t_start_ns", s->now_ns);
    if (draw(s, 2))
        roast_record_fact(recorder, "processor", STR("Analysis"));
    record_worker(s, recorder, s->workers++, true);
    return recorder;
}

/* ---- Two summaries of one thing ------------------------------------------------------------------------------- */

static void assert_same_value(roast_value a, roast_value b, const char *what, size_t row)
{
    bool same = a.kind == b.kind;
    if (same && a.kind == ROAST_TEXT)
        same = str_equal(a.as.text, b.as.text);
    else if (same && a.kind == ROAST_REAL)
        same = memcmp(&a.as.real, &b.as.real, sizeof a.as.real) == 0;
    else if (same && a.kind == ROAST_INT)
        same = a.as.integer == b.as.integer;
    if (!same)
        fail_msg("%s, row %zu: %.17g and %.17g", what, row, a.kind == ROAST_REAL ? a.as.real : (double)a.as.integer,
                 b.kind == ROAST_REAL ? b.as.real : (double)b.as.integer);
}

static void assert_same_findings(const explanation *a, const explanation *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->n_gaps, b->n_gaps);
    assert_memory_equal(a->gaps, b->gaps, a->n_gaps * sizeof *a->gaps);
    assert_memory_equal(&a->replay_seconds, &b->replay_seconds, sizeof a->replay_seconds);
    for (size_t i = 0; i < a->count; i++) {
        const finding *x = &a->findings[i], *y = &b->findings[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->confidence, y->confidence);
        assert_memory_equal(&x->saving_seconds, &y->saving_seconds, sizeof x->saving_seconds);
        assert_memory_equal(&x->core_seconds, &y->core_seconds, sizeof x->core_seconds);
        assert_int_equal(x->n_evidence, y->n_evidence);
        for (size_t k = 0; k < x->n_evidence; k++) {
            assert_memory_equal(&x->evidence[k].value, &y->evidence[k].value, sizeof(double));
            assert_true(str_equal(x->evidence[k].name, y->evidence[k].name));
        }
    }
}

static void assert_same(const roast_summary *a, const roast_summary *b)
{
    assert_true(a->t_start_ns == b->t_start_ns && a->t_end_ns == b->t_end_ns);
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        assert_same_value(a->values[id], b->values[id], metric_info(id)->name, 0);
        assert_true(!a->why[id] == !b->why[id] && (!a->why[id] || strcmp(a->why[id], b->why[id]) == 0));
    }
    for (roast_scope scope = 0; scope < ROAST_SCOPE_COUNT; scope++) {
        const summary_rows *x = &a->rows[scope], *y = &b->rows[scope];
        assert_int_equal(x->count, y->count);
        for (size_t i = 0; i < x->count * x->columns; i++)
            assert_same_value(x->cells[i], y->cells[i], metric_info(x->first + i % x->columns)->name, i / x->columns);
    }
    assert_int_equal(a->n_notes, b->n_notes);
    assert_same_findings(a->explanation, b->explanation);
}

static void assert_equals_fed_at_once(roast_analysis *followed, const char *path)
{
    roast_run *run;
    roast_summary *in_pieces, *at_once;
    roast_error err = {0};
    if (roast_run_open(&run, path, NULL, &err) || roast_summarize(&at_once, run, &err))
        fail_msg("%s", err.message);
    assert_int_equal(roast_analysis_summary(&in_pieces, followed, &err), ROAST_OK);
    assert_same(in_pieces, at_once);
    roast_summary_free(in_pieces);
    roast_summary_free(at_once);
    roast_run_close(run);
}

static void follow_seed(uint64_t seed)
{
    stream s = {.state = seed * 2 + 1, .late_facts = seed % 3 == 0, .in_parts = seed % 4 < 2};
    char name[64];
    const char *path = in_scratch(numbered(name, "run", seed));
    roast_recorder *recorder = start(&s, path);
    roast_recorder_flush(recorder);
    roast_run *run;
    roast_analysis *analysis;
    assert_int_equal(roast_run_open(&run, path, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_analysis_open(&analysis, run, NULL), ROAST_OK);
    for (int slice = 0; slice < 12; slice++) {
        for (uint64_t left = draw(&s, draw(&s, 3) ? 12 : 250); left; left--)
            record_something(&s, recorder);
        roast_recorder_flush(recorder);
        assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
        assert_int_equal(roast_analysis_feed(analysis, NULL), ROAST_OK);
        if (slice % 4 == 3 || seed % 2)
            assert_equals_fed_at_once(analysis, path);
    }
    roast_run_pause(run); /* the writer seals the file, and gives up on sets of branches without names */
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    assert_equals_fed_at_once(analysis, path);
    roast_analysis_close(analysis);
    roast_run_close(run);
}

static void fed_in_random_pieces_is_the_same_to_the_bit_as_fed_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++)
        follow_seed(seed);
}

/* ---- Following ------------------------------------------------------------------------------------------------- */

static int64_t chunks_of(roast_analysis *analysis)
{
    roast_summary *summary;
    assert_int_equal(roast_analysis_summary(&summary, analysis, NULL), ROAST_OK);
    roast_value value = roast_summary_get(summary, "num_chunk_records", NULL);
    roast_summary_free(summary);
    return value.kind == ROAST_INT ? value.as.integer : 0;
}

/* Each step of the child is asked for and answered, so nothing waits for a time. */
static void a_writer_in_another_process_is_followed_until_it_has_finished(void **state)
{
    (void)state;
    const char *path = in_scratch("live.roast");
    int ask[2], answer[2];
    assert_int_equal(pipe(ask) | pipe(answer), 0);
    pid_t child = fork();
    if (child == 0) {
        stream s = {.state = 5};
        roast_recorder *recorder = start(&s, path);
        char step;
        while (read(ask[0], &step, 1) == 1 && step == 'c') {
            for (int i = 0; i < 100; i++)
                record_chunk(&s, recorder);
            roast_recorder_flush(recorder);
            (void)!write(answer[1], "d", 1);
        }
        int failed = roast_recorder_close(recorder, ROAST_FINISHED, NULL);
        (void)!write(answer[1], "d", 1);
        _exit(failed);
    }
    char done;
    roast_run *run = NULL;
    roast_analysis *analysis = NULL;
    for (int64_t step = 1; step <= 5; step++) {
        assert_int_equal(write(ask[1], "c", 1), 1);
        assert_int_equal(read(answer[0], &done, 1), 1);
        if (!run) {
            assert_int_equal(roast_run_open(&run, path, NULL, NULL), ROAST_OK);
            assert_int_equal(roast_analysis_open(&analysis, run, NULL), ROAST_OK);
        }
        assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
        assert_int_equal(roast_run_outcome(run), ROAST_RUNNING);
        assert_int_equal(chunks_of(analysis), step * 100);
    }
    roast_run_pause(run);
    roast_error err = {0};
    assert_int_equal(run_each_chunk(run, RUN_MEASURES, NULL, NULL, &err), ROAST_USAGE);
    assert_int_equal(write(ask[1], "q", 1), 1);
    assert_int_equal(read(answer[0], &done, 1), 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
    assert_int_equal(roast_run_outcome(run), ROAST_FINISHED);
    assert_int_equal(chunks_of(analysis), 500);
    char wal[300];
    snprintf(wal, sizeof wal, "%s-wal", path);
    assert_int_not_equal(access(wal, F_OK), 0); /* a paused reader does not keep it from being put into one file */
    roast_analysis_close(analysis);
    roast_run_close(run);
}

static bool is_too_large(const roast_summary *summary)
{
    const explanation *e = summary->explanation;
    return e->n_gaps && e->gaps[0] == GAP_SIZE;
}

/* What a summary that follows the run says where the verdict would stand; the summary that is made once explains it. */
static void assert_explained(roast_analysis *analysis, roast_run *run, bool when_followed)
{
    roast_summary *followed, *once;
    assert_int_equal(roast_analysis_summary(&followed, analysis, NULL), ROAST_OK);
    assert_int_equal(roast_summarize(&once, run, NULL), ROAST_OK);
    assert_false(is_too_large(once));
    assert_non_null(roast_summary_explanation(once));
    assert_int_equal(is_too_large(followed), !when_followed);
    assert_int_equal(roast_summary_explanation(followed) != NULL, when_followed);
    roast_text shown = {0};
    roast_look look = {.size = sizeof look, .only = "findings"};
    assert_int_equal(roast_summary_render(&shown, followed, ROAST_TERMINAL, &look, NULL), ROAST_OK);
    assert_int_equal(strstr(shown.data, "not determined: what held it back") != NULL, !when_followed);
    roast_text_release(&shown);
    roast_summary_free(followed);
    roast_summary_free(once);
}

static void a_run_of_any_size_is_explained_while_it_goes_on_unless_it_is_followed(void **state)
{
    (void)state;
    const char *path = in_scratch("large.roast");
    stream s = {.state = 7};
    roast_recorder *recorder = start(&s, path);
    for (int i = 0; i < 50001; i++)
        record_chunk(&s, recorder);
    roast_recorder_flush(recorder);
    roast_run *run;
    roast_analysis *analysis;
    assert_int_equal(roast_run_open(&run, path, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_analysis_open(&analysis, run, NULL), ROAST_OK);
    assert_int_equal(roast_run_outcome(run), ROAST_RUNNING);
    assert_explained(analysis, run, false);
    roast_run_pause(run);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
    assert_explained(analysis, run, true);
    roast_analysis_close(analysis);
    roast_run_close(run);
}

enum { SINK_CHUNKS = 3000 };

typedef struct sink_thread {
    record_sink sink;
    uint64_t first_uid;
    roast_code code;
} sink_thread;

static void *write_through_sink(void *argument)
{
    sink_thread *thread = argument;
    for (uint64_t i = 0; i < SINK_CHUNKS && !thread->code; i++) {
        roast_chunk chunk = roast_chunk_none();
        chunk.uid = thread->first_uid + i;
        chunk.file = STR("a.root");
        chunk.events = 10;
        chunk.duration_ns = 1000;
        chunk.t_start_ns = INT64_C(1700000000000000000);
        roast_error err;
        thread->code = thread->sink.chunk(thread->sink.context, &chunk, &err);
    }
    return NULL;
}

static void two_threads_write_through_the_sink_while_a_third_follows(void **state)
{
    (void)state;
    const char *path = in_scratch("threads.roast");
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, path, NULL, NULL), ROAST_OK);
    sink_thread threads[2] = {{recorder_sink(recorder), 1, ROAST_OK}, {recorder_sink(recorder), 1000000, ROAST_OK}};
    pthread_t ids[2];
    roast_run *run;
    roast_analysis *analysis;
    assert_int_equal(roast_run_open(&run, path, NULL, NULL), ROAST_OK);
    assert_int_equal(roast_analysis_open(&analysis, run, NULL), ROAST_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, write_through_sink, &threads[i]), 0);
    for (int64_t before = 0, now = 0; now < 2 * SINK_CHUNKS; before = now) {
        roast_recorder_flush(recorder);
        assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
        now = chunks_of(analysis);
        assert_true(now >= before);
        if (threads[0].code || threads[1].code)
            break;
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(ids[i], NULL);
        assert_int_equal(threads[i].code, ROAST_OK);
    }
    assert_int_equal(chunks_of(analysis), 2 * SINK_CHUNKS);
    roast_run_pause(run);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
    assert_int_equal(chunks_of(analysis), 2 * SINK_CHUNKS);
    roast_analysis_close(analysis);
    roast_run_close(run);
}

static void what_a_source_puts_into_the_sink_is_in_the_run(void **state)
{
    (void)state;
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, in_scratch("sink.roast"), NULL, NULL), ROAST_OK);
    record_sink sink = recorder_sink(recorder);
    roast_error err = {0};
    assert_int_equal(sink.fact(sink.context, "host", STR("here"), &err), ROAST_OK);
    assert_int_equal(sink.document(sink.context, "config", STR("{}"), &err), ROAST_OK);
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    roast_run *run;
    assert_int_equal(roast_run_open(&run, in_scratch("sink.roast"), NULL, NULL), ROAST_OK);
    assert_str(roast_run_fact(run, "host"), "here");
    assert_str(roast_run_document(run, "config"), "{}");
    roast_run_close(run);
}

static void zero_the_page_in_the_middle(const char *path)
{
    char zeros[4096] = {0};
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    fseek(file, ftell(file) / 2 / 4096 * 4096, SEEK_SET);
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
    fclose(file);
}

/* Damaged in the middle, and beside it a journal that cannot be copied: opened anew by each refresh. */
static void rows_of_a_run_that_is_salvaged_count_once_however_often_it_is_refreshed(void **state)
{
    (void)state;
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, in_scratch("a.roast"), NULL, NULL), ROAST_OK);
    for (int64_t i = 0; i < 3000; i++) {
        roast_chunk chunk = roast_chunk_none();
        chunk.uid = (uint64_t)i + 1;
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    zero_the_page_in_the_middle(in_scratch("a.roast"));
    assert_int_equal(mkdir(in_scratch("a.roast-journal"), 0700), 0);
    roast_run *run;
    roast_analysis *analysis;
    roast_open_options options = {.salvage = true, .scratch_dir = scratch};
    assert_int_equal(roast_run_open(&run, in_scratch("a.roast"), &options, NULL), ROAST_OK);
    assert_int_equal(roast_analysis_open(&analysis, run, NULL), ROAST_OK);
    int64_t chunks = chunks_of(analysis);
    assert_in_range(chunks, 1, 2999);
    assert_int_equal(roast_run_refresh(run, NULL), ROAST_OK);
    assert_int_equal(chunks_of(analysis), chunks);
    roast_analysis_close(analysis);
    roast_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_scratch(fed_in_random_pieces_is_the_same_to_the_bit_as_fed_at_once),
        test_in_scratch(a_writer_in_another_process_is_followed_until_it_has_finished),
        test_in_scratch(a_run_of_any_size_is_explained_while_it_goes_on_unless_it_is_followed),
        test_in_scratch(two_threads_write_through_the_sink_while_a_third_follows),
        test_in_scratch(what_a_source_puts_into_the_sink_is_in_the_run),
        test_in_scratch(rows_of_a_run_that_is_salvaged_count_once_however_often_it_is_refreshed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
