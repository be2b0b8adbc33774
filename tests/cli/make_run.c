/* make_run KIND FILE: small runs for the tests of the command, the same at every call.
 *   small        two datasets, three files, three workers of which one is lost, a failed attempt and its retry
 *   hostile      the same with names that try to do harm
 *   failed, interrupted, empty   by their ending, or without anything in them */
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

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: make_run small|hostile|failed|interrupted|empty FILE\n");
        return 2;
    }
    const char *kind = arguments[1];
    const names *n = strcmp(kind, "hostile") == 0 ? &HOSTILE : &USUAL;
    roast_recorder *recorder;
    roast_error err = {0};
    roast_recorder_options options = {.name = n->run};
    if (roast_recorder_open(&recorder, arguments[2], &options, &err)) {
        fprintf(stderr, "make_run: %s\n", err.message);
        return 1;
    }
    if (strcmp(kind, "empty") != 0)
        record_all(recorder, n);
    roast_outcome outcome = strcmp(kind, "failed") == 0        ? ROAST_FAILED
                            : strcmp(kind, "interrupted") == 0 ? ROAST_INTERRUPTED
                                                               : ROAST_FINISHED;
    check(roast_recorder_close(recorder, outcome, &err), "close");
    return 0;
}
