/* make_run KIND FILE: small runs for the tests of the command, the same at every call.
 *   small        two datasets, three files, three workers of which one is lost, a failed attempt and its retry
 *   hostile      the same with names that try to do harm
 *   markup       the same with names that would be code in a page
 *   failed, interrupted, empty   by their ending, or without anything in them
 *   one          one chunk, one worker, one heartbeat
 *   instant      everything at one moment
 *   jumps        chunks whose clocks were years and hours off
 *   bare         chunks that say nothing but that they were there
 *   running      the same as small, until something is read from standard input; says "recording" when it is there */
#include <roast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const int64_t START_NS = INT64_C(1794751331000000000); /* 2026-11-15 14:02:11 UTC */
static const int64_t SECOND = INT64_C(1000000000), MEBIBYTE = 1048576;

typedef struct names {
    const char *run, *datasets[2], *files[3], *workers[3], *sections[2], *error;
} names;

static const names USUAL = {
    "ttbar_analysis",
    {"TTToSemiLeptonic", "WJetsToLNu"},
    {"root://xcache-1.example.org//store/mc/RunIISummer20UL18NanoAODv9/TTToSemiLeptonic/0A1B2C3D.root",
     "root://xcache-2.example.org//store/mc/RunIISummer20UL18NanoAODv9/TTToSemiLeptonic/4E5F6071.root",
     "/data/wjets.root"},
    {"tcp://10.0.3.7:41022", "tcp://10.0.3.8:40117", "tcp://10.0.3.9:39001"},
    {"jets", "muons"},
    "[ERROR] Operation expired",
};

static const names HOSTILE = {
    "\033]0;owned\007run",
    {"\033[2Jdata", "=cmd|' /C calc'!A0"},
    {"evil\342\200\256toor.root", "new\nline\ttab.root", "\377\376broken\302\233.root"},
    {"\033[31mred", "日本語のとても長い名前のワーカーがここにいます日本語のとても長い名前",
     "e\314\201\314\201\314\201\314\201\314\201"},
    {"\r\033[Kgone", "a,b\"c"},
    "\033[8mhidden",
};

#define HUNDRED(text) text text text text text text text text text text

static const names MARKUP = {
    "<script>alert(1)</script>",
    {"<img src=x onerror=alert(1)>", "]]>&amp;\"'</text></svg>"},
    {"root://a//\u202e\u05d0\u05d1.root?x=1&y=<b>", "😀😀.root\xff\xfe\xed\xa0\x80",
     HUNDRED(HUNDRED(HUNDRED("0123456789"))) ".root"},
    {"tcp://<worker>&1", "\"quoted\"", "\xef\xbf\xbe\xef\xbf\xbf\x01\x1f"},
    {"</title><script>", "{{}}%n%s"},
    "<!-- ]]> -->",
};

static void check(roast_code code, const char *what)
{
    if (code == ROAST_OK)
        return;
    fprintf(stderr, "make_run: %s: %s\n", what, roast_code_text(code));
    exit(1);
}

static void record_workers(roast_recorder *recorder, const names *n)
{
    for (int64_t i = 0; i < 3; i++) {
        roast_worker worker = roast_worker_none();
        worker.address = str_from(n->workers[i]);
        worker.host = STR("node1.example.org");
        worker.cores = 4;
        worker.memory_limit = 4096 * MEBIBYTE;
        worker.joined_ns = START_NS + i * SECOND;
        worker.lost = i == 2;
        if (worker.lost) {
            worker.left_ns = START_NS + 60 * SECOND;
            worker.reason = STR("heartbeat stopped");
        }
        check(roast_record_worker(recorder, &worker), "worker");
        for (int64_t t = i; t <= (worker.lost ? 60 : 100); t += 10) {
            roast_sample sample = roast_sample_none();
            sample.worker = worker.address;
            sample.t_ns = START_NS + t * SECOND;
            sample.memory = (512 + 8 * t) * MEBIBYTE;
            sample.cpu = 300;
            check(roast_record_sample(recorder, &sample), "sample");
        }
    }
}

static void record_chunk(roast_recorder *recorder, const names *n, int64_t i, bool fails)
{
    roast_section sections[2] = {roast_section_none(), roast_section_none()};
    for (int64_t s = 0; s < 2; s++) {
        sections[s].name = str_from(n->sections[s]);
        sections[s].duration_ns = (6 - 4 * s) * SECOND;
        sections[s].cpu_ns = (3 - 2 * s) * SECOND;
    }
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = str_from(n->datasets[i % 3 == 2]);
    chunk.file = str_from(n->files[i % 3]);
    chunk.worker = str_from(n->workers[i % 3]);
    chunk.entry_start = i * 50000;
    chunk.entry_stop = i * 50000 + 50000;
    chunk.events = 50000;
    chunk.attempt = fails ? 1 : i == 4 ? 2 : 1;
    chunk.t_start_ns = START_NS + (2 + i * 8) * SECOND;
    chunk.duration_ns = (10 + i) * SECOND;
    chunk.cpu_ns = 5 * SECOND;
    chunk.open_ns = SECOND / 2;
    chunk.bytes_read = 40000000;
    chunk.rss_before = 600 * MEBIBYTE;
    chunk.rss_after = (600 + i) * MEBIBYTE;
    chunk.sections = sections;
    chunk.n_sections = 2;
    if (fails) {
        chunk.error_type = STR("OSError");
        chunk.error = str_from(n->error);
    }
    check(roast_record_chunk(recorder, &chunk), "chunk");
}

static void record_all(roast_recorder *recorder, const names *n)
{
    check(roast_record_fact(recorder, "coffea", STR("2026.9.0")), "fact");
    check(roast_record_fact(recorder, "distributed", STR("2026.8.0")), "fact");
    check(roast_record_fact(recorder, "engine", STR("Dask")), "fact");
    check(roast_record_fact_int(recorder, "t_start_ns", START_NS), "fact");
    check(roast_record_fact_int(recorder, "t_end_ns", START_NS + 100 * SECOND), "fact");
    check(roast_record_fact_int(recorder, "elapsed_ns", 100 * SECOND), "fact");
    record_workers(recorder, n);
    for (int64_t i = 0; i < 9; i++) {
        if (i == 4)
            record_chunk(recorder, n, i, true);
        record_chunk(recorder, n, i, false);
    }
    check(roast_record_report(
              recorder, STR("{\"bytesread\": 400000000, \"entries\": 450000, \"processtime\": 126.0, \"chunks\": 9}")),
          "report");
    check(roast_record_note(recorder, "warning", STR("The clock of a worker is 3.2 s ahead.")), "note");
}

/* A chunk of the odd runs: of this dataset at this time, on a worker or nowhere. */
static void record_odd(roast_recorder *recorder, const char *worker, int64_t start_ns, int64_t duration_ns)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.file = STR("odd.root");
    chunk.entry_start = start_ns % 1000000;
    chunk.worker = str_from(worker);
    chunk.dataset = STR("odd");
    chunk.t_start_ns = start_ns;
    chunk.duration_ns = duration_ns;
    chunk.events = 100;
    chunk.bytes_read = 1000000;
    chunk.rss_peak = 100 * MEBIBYTE;
    check(roast_record_chunk(recorder, &chunk), "chunk");
}

static void record_one_worker(roast_recorder *recorder, int64_t t_ns)
{
    roast_worker worker = roast_worker_none();
    worker.address = STR("tcp://10.0.3.7:41022");
    worker.joined_ns = t_ns;
    worker.cores = 1;
    worker.memory_limit = 1024 * MEBIBYTE;
    check(roast_record_worker(recorder, &worker), "worker");
    roast_sample sample = roast_sample_none();
    sample.worker = worker.address;
    sample.t_ns = t_ns;
    sample.memory = 512 * MEBIBYTE;
    sample.cpu = 50;
    sample.executing = sample.processing = 1;
    sample.occupancy = 0.5;
    check(roast_record_sample(recorder, &sample), "sample");
}

static void record_window(roast_recorder *recorder, int64_t length_ns)
{
    check(roast_record_fact_int(recorder, "t_start_ns", START_NS), "fact");
    check(roast_record_fact_int(recorder, "t_end_ns", START_NS + length_ns), "fact");
}

static void record_one(roast_recorder *recorder)
{
    record_window(recorder, 10 * SECOND);
    record_one_worker(recorder, START_NS + SECOND);
    record_odd(recorder, "tcp://10.0.3.7:41022", START_NS + 2 * SECOND, 4 * SECOND);
}

static void record_instant(roast_recorder *recorder)
{
    record_window(recorder, 0);
    record_one_worker(recorder, START_NS);
    record_odd(recorder, "tcp://10.0.3.7:41022", START_NS, 0);
}

static void record_jumps(roast_recorder *recorder)
{
    const char *worker = "tcp://10.0.3.7:41022";
    record_window(recorder, 100 * SECOND);
    record_one_worker(recorder, START_NS);
    record_odd(recorder, worker, START_NS + 10 * SECOND, 20 * SECOND);
    record_odd(recorder, worker, START_NS - 5 * 365 * 86400 * SECOND, 20 * SECOND);
    record_odd(recorder, worker, START_NS + 3 * 3600 * SECOND, 20 * SECOND);
    record_odd(recorder, worker, INT64_MAX - 5, 20 * SECOND);
    record_odd(recorder, worker, -INT64_MAX, 20 * SECOND);
    record_odd(recorder, worker, START_NS + 20 * SECOND, -20 * SECOND);
    record_odd(recorder, worker, START_NS + 25 * SECOND, INT64_MAX);
}

static void record_bare(roast_recorder *recorder)
{
    for (int64_t i = 0; i < 3; i++) {
        roast_chunk chunk = roast_chunk_none();
        chunk.uid = (uint64_t)i + 1;
        check(roast_record_chunk(recorder, &chunk), "chunk");
    }
}

static void record_usual(roast_recorder *recorder)
{
    record_all(recorder, &USUAL);
}

static void record_hostile(roast_recorder *recorder)
{
    record_all(recorder, &HOSTILE);
}

static void record_markup(roast_recorder *recorder)
{
    record_all(recorder, &MARKUP);
}

static void record_running(roast_recorder *recorder)
{
    record_usual(recorder);
    check(roast_recorder_flush(recorder), "flush");
    puts("recording");
    fflush(stdout);
    getchar();
}

/* ---- Runs to compare: make_run day FILE NUMBER, make_run scaled FILE NUMBER ----------------------------------------
 */

static int64_t number; /* the argument after the file */

static void record_cluster(roast_recorder *recorder, int64_t workers, int64_t elapsed_ns)
{
    check(roast_record_fact_int(recorder, "t_start_ns", START_NS), "fact");
    check(roast_record_fact_int(recorder, "t_end_ns", START_NS + elapsed_ns), "fact");
    for (int64_t i = 0; i < workers; i++) {
        char address[32];
        snprintf(address, sizeof address, "tcp://10.0.3.%d:4000", (int)i);
        roast_worker worker = roast_worker_none();
        worker.address = str_from(address);
        worker.host = i % 2 ? STR("node2") : STR("node1");
        worker.cores = 2;
        worker.joined_ns = START_NS;
        check(roast_record_worker(recorder, &worker), "worker");
    }
    check(roast_record_report(recorder, STR("{\"bytesread\": 8000000, \"entries\": 240000, \"chunks\": 24}")),
          "report");
}

/* The same 24 chunks every day; from day 10 on they wait half as long again, and uproot is a newer one. */
static void record_day(roast_recorder *recorder)
{
    bool later = number >= 10;
    check(roast_record_fact(recorder, "uproot", later ? STR("5.7.7") : STR("5.7.6")), "fact");
    record_cluster(recorder, 4, (later ? 45 : 38) * SECOND + number * 3 % 5 * SECOND / 5);
    for (int64_t i = 0; i < 24; i++) {
        int64_t worker = (i + number) % 4, jitter = (i * 7 + number * 3) % 5 * SECOND / 20;
        char address[32], file[32];
        snprintf(address, sizeof address, "tcp://10.0.3.%d:4000", (int)worker);
        snprintf(file, sizeof file, "/data/file%d.root", (int)(i / 4));
        roast_section section = roast_section_none();
        section.name = STR("jets");
        section.duration_ns = 5 * SECOND;
        roast_chunk chunk = roast_chunk_none();
        chunk.dataset = i < 12 ? STR("ttbar") : STR("wjets");
        chunk.file = str_from(file);
        chunk.worker = str_from(address);
        chunk.entry_start = i % 4 * 10000;
        chunk.entry_stop = chunk.entry_start + 10000;
        chunk.events = 10000;
        chunk.t_start_ns = START_NS + i * SECOND;
        chunk.cpu_ns = 5 * SECOND;
        chunk.duration_ns = chunk.cpu_ns + (later ? 6 : 4) * SECOND + jitter;
        chunk.open_ns = SECOND / 2 + jitter;
        chunk.bytes_read = 8000000 / 24;
        chunk.sections = &section;
        chunk.n_sections = 1;
        check(roast_record_chunk(recorder, &chunk), "chunk");
    }
}

/* So many workers, and a law by which they get in each other's way. */
static void record_scaled(roast_recorder *recorder)
{
    int64_t n = 2 * number, slowed = 100000 + 2000 * (n - 1) + 20 * n * (n - 1);
    record_cluster(recorder, number, 1000 * SECOND / 100000 * slowed / n);
}

static const struct kind {
    const char *name;
    const names *names;
    void (*record)(roast_recorder *recorder); /* NULL: nothing */
    roast_outcome outcome;
} KINDS[] = {
    {"small", &USUAL, record_usual, ROAST_FINISHED},
    {"hostile", &HOSTILE, record_hostile, ROAST_FINISHED},
    {"markup", &MARKUP, record_markup, ROAST_FINISHED},
    {"failed", &USUAL, record_usual, ROAST_FAILED},
    {"interrupted", &USUAL, record_usual, ROAST_INTERRUPTED},
    {"empty", &USUAL, NULL, ROAST_FINISHED},
    {"one", &USUAL, record_one, ROAST_FINISHED},
    {"instant", &USUAL, record_instant, ROAST_FINISHED},
    {"jumps", &USUAL, record_jumps, ROAST_FINISHED},
    {"bare", &USUAL, record_bare, ROAST_FINISHED},
    {"running", &USUAL, record_running, ROAST_FINISHED},
    {"day", &USUAL, record_day, ROAST_FINISHED},
    {"scaled", &USUAL, record_scaled, ROAST_FINISHED},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    return NULL;
}

int main(int count, char **arguments)
{
    const struct kind *kind = count == 3 || count == 4 ? find_kind(arguments[1]) : NULL;
    if (!kind || (count == 4 && !str_to_int(str_from(arguments[3]), &number))) {
        fprintf(stderr,
                "usage: make_run KIND FILE [NUMBER]; KIND is small, hostile, markup, failed, interrupted, empty, "
                "one, instant, jumps, bare, running, day or scaled\n");
        return 2;
    }
    roast_recorder *recorder;
    roast_error err = {0};
    roast_recorder_options options = {.name = kind->names->run};
    if (roast_recorder_open(&recorder, arguments[2], &options, &err)) {
        fprintf(stderr, "make_run: %s\n", err.message);
        return 1;
    }
    if (kind->record)
        kind->record(recorder);
    check(roast_recorder_close(recorder, kind->outcome, &err), "close");
    return 0;
}
