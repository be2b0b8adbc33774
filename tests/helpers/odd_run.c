/* odd_run KIND FILE: runs that a page must cope with, for the tests of the report.
 *   markup       names that would be code, close an element, end a comment, or paint over the page
 *   nothing      no record at all          one_chunk    a single chunk, without a worker
 *   no_chunks    workers, but no chunk     no_workers   chunks that do not say where they ran
 *   no_time      chunks without times      instant      everything happens in one nanosecond
 *   one_sample   a worker with one heartbeat
 *   clock_jump   a worker whose clock is a year off, and one that runs backwards */
#include <roast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const int64_t START_NS = INT64_C(1794751331000000000), SECOND = INT64_C(1000000000), MEBIBYTE = 1048576;

enum { LONG_NAME = 10000 };
static char long_name[LONG_NAME + 1];

static const char *const MARKUP[] = {
    "<script>window.harmed = 1</script>",
    "\"><img src=x onerror=\"window.harmed = 1\">",
    "</script><script>window.harmed = 1</script>",
    "]]>--></style></title><svg onload=window.harmed=1>",
    "javascript:window.harmed=1",
    "${window.harmed = 1}`{{script}}&lt;b&gt;",
    "emoji 🎉 日本語 é",
    "right \342\200\256to left\342\200\254 \327\251\327\234\327\225\327\235",
    "broken \377\376 bytes \300\257",
    long_name,
};

enum { NAMES = sizeof MARKUP / sizeof MARKUP[0] };

static void check(roast_code code, const char *what)
{
    if (code == ROAST_OK)
        return;
    fprintf(stderr, "odd_run: %s: %s\n", what, roast_code_text(code));
    exit(1);
}

static void record_worker(roast_recorder *recorder, const char *address, int64_t samples)
{
    roast_worker worker = roast_worker_none();
    worker.address = worker.host = str_from(address);
    worker.cores = 2;
    worker.memory_limit = 1024 * MEBIBYTE;
    worker.joined_ns = START_NS;
    check(roast_record_worker(recorder, &worker), "worker");
    for (int64_t i = 0; i < samples; i++) {
        roast_sample sample = roast_sample_none();
        sample.worker = worker.address;
        sample.t_ns = START_NS + (5 + i) * SECOND;
        sample.memory = 512 * MEBIBYTE;
        sample.cpu = 150;
        check(roast_record_sample(recorder, &sample), "sample");
    }
}

static roast_chunk chunk_of(int64_t number)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = STR("data");
    chunk.file = STR("/data/file.root");
    chunk.entry_start = number * 1000;
    chunk.entry_stop = chunk.entry_start + 1000;
    chunk.events = 1000;
    chunk.bytes_read = 1000000;
    chunk.t_start_ns = START_NS + number * SECOND;
    chunk.duration_ns = 2 * SECOND;
    chunk.cpu_ns = SECOND;
    return chunk;
}

static void record(roast_recorder *recorder, const roast_chunk *chunk)
{
    check(roast_record_chunk(recorder, chunk), "chunk");
}

static void record_markup(roast_recorder *recorder)
{
    memset(long_name, 'x', LONG_NAME);
    for (int64_t i = 0; i < NAMES; i++) {
        const char *name = MARKUP[i];
        record_worker(recorder, name, 3);
        roast_section section = roast_section_none();
        section.name = str_from(name);
        section.duration_ns = SECOND;
        roast_chunk chunk = chunk_of(i);
        chunk.dataset = chunk.file = chunk.worker = str_from(name);
        chunk.sections = &section;
        chunk.n_sections = 1;
        record(recorder, &chunk);
        chunk.t_start_ns += 3 * SECOND;
        chunk.entry_start += 1000;
        chunk.entry_stop += 1000;
        chunk.error_type = chunk.error = str_from(name);
        record(recorder, &chunk);
        check(roast_record_note(recorder, "warning", str_from(name)), "note");
        check(roast_record_fact(recorder, i ? "host" : "engine", str_from(name)), "fact");
    }
}

static void record_chunks(roast_recorder *recorder, int64_t count, int64_t start_ns, int64_t duration_ns,
                          roast_str worker)
{
    for (int64_t i = 0; i < count; i++) {
        roast_chunk chunk = chunk_of(i);
        chunk.t_start_ns = start_ns == ROAST_ABSENT ? ROAST_ABSENT : start_ns + i * duration_ns / 2;
        chunk.duration_ns = duration_ns;
        chunk.worker = worker;
        record(recorder, &chunk);
    }
}

static void record_kind(roast_recorder *recorder, const char *kind)
{
    static const int64_t YEAR = INT64_C(31557600000000000);
    if (strcmp(kind, "markup") == 0) {
        record_markup(recorder);
    } else if (strcmp(kind, "one_chunk") == 0) {
        record_chunks(recorder, 1, START_NS, 2 * SECOND, str_none());
    } else if (strcmp(kind, "no_chunks") == 0) {
        record_worker(recorder, "tcp://10.0.0.1:1", 5);
    } else if (strcmp(kind, "no_workers") == 0) {
        record_chunks(recorder, 8, START_NS, 2 * SECOND, str_none());
    } else if (strcmp(kind, "no_time") == 0) {
        record_chunks(recorder, 8, ROAST_ABSENT, 2 * SECOND, str_none());
    } else if (strcmp(kind, "instant") == 0) {
        record_chunks(recorder, 3, START_NS, 0, str_none());
        check(roast_record_fact_int(recorder, "t_start_ns", START_NS), "fact");
        check(roast_record_fact_int(recorder, "t_end_ns", START_NS), "fact");
    } else if (strcmp(kind, "one_sample") == 0) {
        record_worker(recorder, "tcp://10.0.0.1:1", 1);
        record_chunks(recorder, 4, START_NS, 4 * SECOND, STR("tcp://10.0.0.1:1"));
    } else if (strcmp(kind, "clock_jump") == 0) {
        check(roast_record_fact_int(recorder, "t_start_ns", START_NS), "fact");
        check(roast_record_fact_int(recorder, "t_end_ns", START_NS + 20 * SECOND), "fact");
        record_worker(recorder, "tcp://10.0.0.1:1", 5);
        record_chunks(recorder, 4, START_NS, 4 * SECOND, STR("tcp://10.0.0.1:1"));
        record_chunks(recorder, 3, START_NS + YEAR, 5 * SECOND, STR("tcp://10.0.0.2:1"));
        record_chunks(recorder, 2, START_NS + 4 * SECOND, -3 * SECOND, STR("tcp://10.0.0.3:1"));
    } else if (strcmp(kind, "nothing") != 0) {
        fprintf(stderr, "odd_run: there is no kind %s\n", kind);
        exit(2);
    }
}

int main(int count, char **arguments)
{
    roast_recorder *recorder;
    roast_error err = {0};
    if (count != 3) {
        fprintf(stderr, "usage: odd_run KIND FILE\n");
        return 2;
    }
    bool markup = strcmp(arguments[1], "markup") == 0;
    roast_recorder_options options = {.name = markup ? MARKUP[0] : arguments[1], .overwrite = true};
    if (roast_recorder_open(&recorder, arguments[2], &options, &err)) {
        fprintf(stderr, "odd_run: %s\n", err.message);
        return 1;
    }
    record_kind(recorder, arguments[1]);
    check(roast_recorder_close(recorder, ROAST_FINISHED, &err), "close");
    return 0;
}
