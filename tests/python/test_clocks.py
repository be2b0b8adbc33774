"""A worker's clock is wrong, and known to be: everything that has a time is shown on the client's clock, in every view."""

from __future__ import annotations

import csv
import json

import embedded
import pytest
from roastcoffea import _core, messages, open_run
from roastcoffea.recording import Recording

S = 1_000_000_000
START = 1_700_000_000 * S
AHEAD = 300  # seconds
GIB = 1 << 30


@pytest.fixture(scope="module", params=["finished", "interrupted"])
def skewed(request, tmp_path_factory):
    """200 s, two workers. One is 300 s ahead: from 100 s to 199 s it has a chunk, whose memory peaks at 150 s."""
    path = tmp_path_factory.mktemp("clocks") / "skewed.roast"
    with _core.Recorder(path) as r:
        r.fact("t_start_ns", START)
        if request.param == "finished":
            r.fact("t_end_ns", START + 200 * S)
        for worker, offset in ("tcp://exact:1", 0), ("tcp://ahead:1", AHEAD):
            now = START + offset * S
            r.worker({"address": worker, "cores": 1, "memory_limit": 4 * GIB, "joined_ns": START - S,
                      "clock_offset_ns": offset * S, "clock_error_ns": 1000})
            r.chunk({"dataset": "d", "file": worker, "treename": "t", "entry_start": 0, "entry_stop": 10, "num_events": 10,
                     "worker": worker, "thread": 1, "t_start_ns": now + 100 * S, "duration_ns": 99 * S, "bytes_read": 1000})
            r.task({"key": f"TopAnalysis-{offset}", "prefix": "TopAnalysis", "worker": worker, "thread": 1,
                    "start_ns": now + 99 * S, "stop_ns": now + 200 * S, "state": "memory"})
            for first in 0, 10:  # what the probe measured comes later than the heartbeats in between
                for second in range(first, 200, 20):
                    heartbeat = {} if first else {"last_seen_ns": START + second * S}
                    r.sample({"worker": worker, "t_ns": now + second * S, "cpu": 50.0,
                              "memory": 3 * GIB if second == 150 else GIB, **heartbeat})
        r.close(request.param)
    return path


def test_the_run_is_as_long_as_it_was(skewed):
    summary = open_run(skewed).summary
    assert summary.metrics()["elapsed_time_seconds"] == pytest.approx(200, abs=2)


def test_the_columns_of_chunks_samples_and_tasks_are_on_one_clock(skewed):
    run = open_run(skewed)
    start = START / S
    assert [t - start for t in run.chunks["t_start"]] == [100, 100]
    assert [t - start for t in run.chunks["t_end"]] == [199, 199]
    assert [t - start for t in run.samples["t"]] == [*range(0, 200, 20), *range(10, 200, 20)] * 2
    assert [t - start for t in run.tasks["start"]] == [99, 99]
    assert [t - start for t in run.tasks["stop"]] == [200, 200]


def test_a_record_and_its_row_of_csv_are_on_that_clock(skewed, roast):
    records = open_run(skewed).chunk_records()
    assert [record["t_start"] for record in records] == [START / S + 100] * 2
    rows = list(csv.DictReader(roast("export", skewed, "--to", "csv", "--only", "chunks").stdout.splitlines()))
    assert [row["t_start"] for row in rows] == [f"{START // S + 100}.000000000"] * 2
    assert [row["t_end"] for row in rows] == [f"{START // S + 199}.000000000"] * 2


def points(skewed, chart):
    model = json.loads(open_run(skewed)._run.chart(open_run(skewed).summary, chart, "json"))
    return [(x, y) for series in model["series"] for x, y in zip(series.get("x", ()), series.get("y", ())) if y]


def test_a_chart_of_memory_has_every_heartbeat_and_the_peak_inside_the_chunk(skewed):
    for chart, scale in ("memory_utilization_per_worker_timeline", 25), ("cpu_utilization_per_worker_timeline", 50):
        drawn = points(skewed, chart)
        assert len(drawn) == 40
        assert sorted({round(x) for x, _ in drawn}) == [*range(0, 200, 10)]
        assert {round(x) for x, y in drawn if y > scale} <= {150}


def test_the_trace_has_counters_and_tasks_around_their_chunks(skewed, roast):
    events = json.loads(roast("export", skewed, "--to", "perfetto").stdout)["traceEvents"]
    for worker in 1, 2:
        own = [event for event in events if event["pid"] == worker]
        (chunk,) = [e for e in own if e.get("cat") == "chunk"]
        (task,) = [e for e in own if e.get("cat") == "task"]
        assert task["ts"] < chunk["ts"] and chunk["ts"] + chunk["dur"] <= task["ts"] + task["dur"]
        memory = [e for e in own if e["ph"] == "C" and e["name"] == "memory"]
        (peak,) = [e["ts"] for e in memory if e["args"]["bytes"] == 3 * GIB]
        assert len(memory) == 20 and peak - chunk["ts"] == pytest.approx(50e6)


def test_the_page_has_the_peak_inside_the_chunk(skewed, tmp_path):
    page = open_run(skewed).report(tmp_path / "page.html")
    about, series = embedded.about(page), embedded.columns(page, "series")
    length = about["length"] * about["tick"]
    assert length == pytest.approx(200, abs=2)
    samples = [(i * length / about["columns"], percent / 100) for i, percent in enumerate(series["memory_most"]) if percent]
    assert len(samples) >= 19
    assert [round(when) for when, percent in samples if percent > 25] == [150]
    chunks = embedded.columns(page, "chunks")
    assert [round(begin * about["tick"]) for begin in chunks["begin"]] == [100, 100]


@pytest.mark.parametrize("lost", [True, False], ids=["lost", "asked to go"])
@pytest.mark.parametrize("offset", [AHEAD, -AHEAD, 0])
def test_a_chunk_that_died_with_its_worker_took_as_long_as_it_ran(tmp_path, offset, lost):
    recording = Recording(tmp_path / "run.roast")
    recording.worker("tcp://dies:1", clock_offset_ns=offset * S, clock_error_ns=1000)
    begin = messages.Begin(b"item", START + (offset + 10) * S)
    recording.take(messages.pack("tcp://dies:1", 1, [begin]))
    recording.worker_left("tcp://dies:1", START + 17 * S, lost=lost, reason="its time had come")
    recording.close("finished")
    (record,) = open_run(tmp_path / "run.roast").chunk_records()
    assert record["error_type"] == "KilledWorker"
    assert record["duration"] == pytest.approx(7)
    assert record["t_start"] == pytest.approx((START + 10 * S) / S)
