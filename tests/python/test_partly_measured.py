"""Partly measured is a state: workers without a probe are "not measured", never idle, and whatever counts says so.

The expected numbers are sums over the lists that the run was recorded from."""

from __future__ import annotations

import json
import re

import pytest
from roastcoffea import _core, open_run

START, S = 1794751331 * 10**9, 10**9
LENGTH = 200  # seconds
CORES = 2
SEEN, OTHER = "tcp://10.0.0.1:4001", "tcp://10.0.0.2:4002"
CHUNK = {"open": 1.0, "process": 9.0, "cpu": 4.5, "events": 1000, "bytes": 10**7}
SENTENCE = "the Runner used another client than the collector was given; pass its client to <MetricsCollector>"


def record(path, probes, chunks=36, tasks=44, report=None, stated=None):
    """Two workers of two cores: chunks of 10 s on the first, tasks of 9 s on the second, which leave no record."""
    with _core.Recorder(path, name="Analysis") as run:
        for key, value in {"t_start_ns": START, "t_end_ns": START + LENGTH * S, "elapsed_ns": LENGTH * S}.items():
            run.fact(key, value)
        run.fact("processor", "Analysis")
        if stated:
            run.fact("no_chunks", stated)
        for address, probe in probes.items():
            run.worker({"address": address, "cores": CORES, "joined_ns": START})
            if probe is not None:
                run.worker({"address": address, "probe": probe})
        for i in range(chunks):
            begun = START + i // CORES * 10 * S
            run.chunk({"dataset": "d", "file": "f.root", "entry_start": i * 1000, "num_events": CHUNK["events"], "attempt": 1,
                       "worker": SEEN, "open_seconds": CHUNK["open"], "t_start_ns": begun + S, "duration": CHUNK["process"],
                       "cpu_seconds": CHUNK["cpu"], "bytes_read": CHUNK["bytes"], "thread": i % CORES})  # fmt: skip
            run.task(task(SEEN, f"seen-{i}", begun, 10))
        for i in range(tasks):
            run.task(task(OTHER, f"other-{i}", START + i // CORES * 9 * S, 9))
        if report:
            run.report(json.dumps(report))
    return path


def task(worker, key, begun, seconds):
    return {"key": key, "prefix": "Analysis", "worker": worker, "start_ns": begun, "stop_ns": begun + seconds * S,
            "state": "memory", "attempt": 1}  # fmt: skip


@pytest.fixture
def partly(tmp_path):
    return record(tmp_path / "partly.roast", {SEEN: 1, OTHER: 0})


def metrics_of(roast, path):
    return json.loads(roast("show", path, "--json").stdout)


def test_core_time_without_a_probe_is_its_own_category(partly, roast):
    found = metrics_of(roast, partly)
    seconds = {name: row["core_seconds"] for name, row in found["ledger"].items()}
    assert seconds.pop("not_measured") == pytest.approx(CORES * LENGTH)
    assert seconds.pop("process_cpu") == pytest.approx(36 * CHUNK["cpu"])
    assert seconds.pop("process_io") == pytest.approx(36 * (CHUNK["process"] - CHUNK["cpu"]))
    assert seconds.pop("open") == pytest.approx(36 * CHUNK["open"])
    # The last chunk of all began on the other worker: until then the first, done after 18 rounds of 10 s, had to wait.
    last = (44 // CORES - 1) * 9
    assert seconds.pop("idle_queue") == pytest.approx(CORES * (last - 180))
    assert seconds.pop("idle_tail") == pytest.approx(CORES * (LENGTH - last))
    assert sum(seconds.values()) == pytest.approx(0, abs=1e-6)
    of_other = found["ledger_per_worker"][OTHER]
    assert {name: value for name, value in of_other.items() if value and name != "worker"} == {
        "core_seconds": CORES * LENGTH, "not_measured": CORES * LENGTH}  # fmt: skip


@pytest.mark.parametrize("width", [80, 100])
def test_the_heading_counts_what_the_engine_did(partly, roast, width):
    shown = roast("show", partly, "--all", "--width", str(width)).stdout.replace("\u202f", " ")
    head = shown.split("What held it back")[0]
    assert "36 of 80 chunks measured" in head and "1 of 2 workers not measured" in head
    assert re.search(r"not measured +44\n", shown)  # in Chunks
    assert "Workers were not measured" in shown.split("What held it back")[1].split("Where the core time went")[0]
    assert all(len(line) <= width for line in shown.splitlines())


def test_every_export_says_how_much_was_not_measured(partly, roast, tmp_path):
    found = metrics_of(roast, partly)
    assert (found["workers_not_measured"], found["chunks_not_measured"]) == (1, 44)
    told = roast("export", partly, "--to", "openmetrics").stdout
    assert "\nroast_workers_not_measured 1\n" in told and "\nroast_chunks_not_measured_total 44\n" in told
    lines = roast("export", partly, "--to", "csv", "--only", "workers").stdout.splitlines()
    workers = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    assert [(row["worker"], row["measured"], row["chunks"]) for row in workers] == [(SEEN, "yes", "36"), (OTHER, "no", "")]
    page = open_run(partly).report(tmp_path / "page.html").read_text()
    assert "36 of 80 chunks measured" in page and "1 of 2 workers not measured" in page
    assert "1 of 2 workers was not measured: chunks that ran there are not drawn." in page
    chart = json.loads(open_run(partly)._run.chart(open_run(partly).summary, "chunk_lanes", "json"))
    assert "1 of 2 workers was not measured" in json.dumps(chart)


def test_the_workers_of_a_run_say_whether_they_had_a_probe(partly):
    assert list(open_run(partly).workers["probe"]) == [1, 0]


def test_rates_are_of_the_measured_cores_or_absent(partly, roast):
    found = metrics_of(roast, partly)
    process, events, core_time = 36 * CHUNK["process"], 36 * CHUNK["events"], CORES * LENGTH
    assert found["core_efficiency"] == pytest.approx(process / core_time)
    assert found["event_rate_core_hz"] == pytest.approx(events / core_time)
    assert found["event_rate_cpu_total_khz"] == pytest.approx(events / process / 1000)
    assert found["bytes_per_event"] == pytest.approx(CHUNK["bytes"] / CHUNK["events"])
    for name in ("total_events", "total_bytes_read", "total_cpu_time", "num_chunks", "event_rate_elapsed_khz",
                 "data_rate_mbps", "speedup_factor", "efficiency_ratio_percent"):  # fmt: skip
        assert found[name] is None
        assert found["why_absent"][name] == "1 of 2 workers was not measured"
    assert not any("sums over the chunk records" in note["text"] for note in found["notes"])


def test_with_a_report_totals_and_rates_are_of_all_workers(tmp_path, roast):
    report = {"entries": 80_000, "processtime": 700.0, "chunks": 80}
    found = metrics_of(roast, record(tmp_path / "a.roast", {SEEN: 1, OTHER: 0}, report=report))
    assert found["total_events"] == 80_000
    assert found["core_efficiency"] == pytest.approx(700 / (2 * CORES * LENGTH))
    assert found["event_rate_core_hz"] == pytest.approx(80_000 / (2 * CORES * LENGTH))
    assert found["total_bytes_read"] is None  # of which the report says nothing
    assert found["bytes_per_event"] is None  # bytes of some chunks, events of all


def test_nothing_is_replayed_and_no_idle_time_is_blamed(partly, roast):
    found = json.loads(roast("explain", partly, "--what-if", "--json").stdout)
    kinds = [finding["id"] for finding in found["findings"]]
    assert kinds[0] == "not_measured"
    assert not set(kinds) & {"scheduler", "tail", "too_few_chunks", "ramp_up", "start_up", "too_many_workers", "merging"}
    assert found["replay"]["wall_seconds"] is None and "what_if" not in found
    assert any("cannot be replayed" in gap for gap in found["not_determined"])
    waiting = next(f for f in found["findings"] if f["id"] == "io_bound")
    cost = 36 * (CHUNK["process"] - CHUNK["cpu"])
    assert waiting["saving_seconds"] == pytest.approx(cost / CORES)
    assert waiting["share_percent"] == pytest.approx(100 * cost / (2 * CORES * LENGTH))


def test_scaling_takes_no_bounds_from_a_run_that_was_partly_measured(partly, roast, tmp_path):
    whole = record(tmp_path / "whole.roast", {SEEN: 1}, tasks=0)  # whose replay answers: no worker is idle all the time
    assert json.loads(roast("scale", whole, "--json").stdout)["bounds"]
    found = roast("scale", partly, "--json")
    assert found.returncode or not json.loads(found.stdout)["bounds"]


def test_a_run_that_does_not_know_its_probes_is_as_before(tmp_path, roast):
    found = metrics_of(roast, record(tmp_path / "a.roast", {SEEN: None, OTHER: None}))
    assert "not_measured" not in found["ledger"]
    idle = sum(found["ledger"][name]["core_seconds"] for name in ("idle_queue", "idle_tail") if name in found["ledger"])
    assert idle == pytest.approx(2 * CORES * LENGTH - 36 * 10)
    for name in ("workers_not_measured", "chunks_not_measured"):
        assert found[name] is None and found["why_absent"][name] == "it is not known which workers were measured"
    shown = roast("show", tmp_path / "a.roast").stdout
    assert "measured\n" not in shown.split("What held")[0] and "not measured" not in shown


def test_a_run_of_measured_workers_says_nothing_of_it(tmp_path, roast):
    path = record(tmp_path / "a.roast", {SEEN: 1, OTHER: 1}, tasks=0)
    found = metrics_of(roast, path)
    assert (found["workers_not_measured"], found["chunks_not_measured"]) == (0, 0)
    assert found["ledger_per_worker"][OTHER]["not_measured"] == 0
    for table in ("workers", "ledger_workers", "chunks", "resources"):
        assert not re.search("not measured(?! by)", roast("show", path, "--only", table).stdout)
    assert "measured" not in roast("show", path, "--only", "workers").stdout


@pytest.mark.parametrize("probe", [0, 1])
def test_a_run_without_chunks_says_why_in_its_own_words(tmp_path, roast, probe):
    path = record(tmp_path / "a.roast", {SEEN: probe, OTHER: probe}, chunks=0, stated=SENTENCE)
    found = metrics_of(roast, path)
    for name in ("num_chunk_records", "chunk_duration_mean", "total_events", "data_rate_mbps", "num_files", "requests_per_chunk"):
        assert found["why_absent"][name] == SENTENCE, name
    assert any(SENTENCE in gap for gap in json.loads(roast("explain", path, "--json").stdout)["not_determined"])
    shown = re.sub(r"\s+", " ", roast("show", path, "--width", "80", "--only", "findings,throughput,events,timing").stdout)
    assert "0 of 44 chunks measured" in shown
    assert shown.count(SENTENCE) == 2  # under "What held it back", and where the first number is absent
    assert "wrap the run" not in shown + roast("explain", path).stdout
    page = open_run(path).report(tmp_path / "page.html").read_text()
    assert page.count(f"No chunk was measured: {SENTENCE.replace('<', '&lt;').replace('>', '&gt;')}") == 2
    assert "<MetricsCollector>" not in page
    chart = json.loads(open_run(path)._run.chart(open_run(path).summary, "runtime_distribution", "json"))
    assert SENTENCE in json.dumps(chart)


def test_a_run_of_which_nothing_was_measured_has_no_idle_time(tmp_path, roast):
    found = metrics_of(roast, record(tmp_path / "a.roast", {SEEN: 0, OTHER: 0}, chunks=0))
    assert {name: row["share_percent"] for name, row in found["ledger"].items()} == {
        "not_measured": pytest.approx(100), "residual": pytest.approx(0)}  # fmt: skip
    assert found["why_absent"]["core_efficiency"] == "2 of 2 workers were not measured"
    assert "wrap the run" not in roast("explain", tmp_path / "a.roast").stdout


def test_a_live_run_counts_no_chunk_as_not_measured_before_its_record_could_come(tmp_path):
    with _core.Recorder(tmp_path / "a.roast") as run:
        run.fact("t_start_ns", START)
        run.fact("processor", "Analysis")
        run.worker({"address": SEEN, "cores": 1, "joined_ns": START, "probe": 1})
        run.task(task(SEEN, "a", START, 9))
        run.flush()
        assert open_run(tmp_path / "a.roast").summary.metrics()["chunks_not_measured"] == 0
    assert open_run(tmp_path / "a.roast").summary.metrics()["chunks_not_measured"] == 1
