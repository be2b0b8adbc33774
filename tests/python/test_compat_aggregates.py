"""The functions on dicts of roastcoffea 0.1: by formula, and, where 0.1.2 is to be had, against it on random input.

ROAST_BENCH_PYTHON names a Python that has roastcoffea 0.1.2; without one, the comparison is left out."""

from __future__ import annotations

import datetime
import os
import pathlib
import pickle
import random
import subprocess
import sys

import pytest
from roastcoffea.aggregation.backends import get_parser
from roastcoffea.aggregation.backends.dask import calculate_time_averaged_workers
from roastcoffea.aggregation.branch_coverage import parse_accessed_branches
from roastcoffea.aggregation.chunk import aggregate_chunk_metrics
from roastcoffea.aggregation.core import MetricsAggregator
from roastcoffea.aggregation.fine_metrics import parse_fine_metrics
from roastcoffea.aggregation.workflow import aggregate_workflow_metrics

START = datetime.datetime(2026, 11, 16, 12)


def at(seconds):
    return START + datetime.timedelta(seconds=seconds)


# ---- Random input of the kinds that 0.1.2 makes -------------------------------------------------------------------


def random_report(r):
    report = {"entries": r.randrange(10**7), "processtime": r.uniform(0, 1e4), "chunks": r.randrange(50),
              "bytesread": r.randrange(10**12), "columns": ["Jet_pt-data", "nJet-offsets"]}
    return {key: value for key, value in report.items() if r.random() < 0.9}


def random_custom(r):
    return {f"d{i}": {"entries": r.randrange(10**6), "duration": r.uniform(0, 100),
                      "performance_counters": {"num_requested_bytes": r.randrange(10**9)}} for i in range(r.randrange(4))}


def random_tracking(r):
    """Every worker is there all the time: where they come and go, 0.1.2 is wrong about the cores."""
    times = sorted(r.uniform(0, 600) for _ in range(r.randrange(2, 30)))
    workers = [f"tcp://w{i}" for i in range(r.randrange(1, 6))]
    return {
        "worker_counts": {at(t): r.randrange(20) for t in times},
        "worker_memory": {w: [(at(t), r.randrange(10**10)) for t in times] for w in workers},
        "worker_cores": {w: [(at(t), cores) for t in times] for w in workers for cores in [r.randrange(1, 9)]},
    }


def random_chunks(r):
    chunks = []
    for i in range(r.randrange(12)):
        chunk = {"duration": r.uniform(0, 50), "mem_delta_mb": r.uniform(-100, 900), "num_events": r.randrange(10**5),
                 "dataset": f"d{r.randrange(3)}", "file": f"f{r.randrange(3)}", "entry_start": i, "entry_stop": i + 1,
                 "t_start": float(i), "t_end": i + 0.5, "bytes_read": r.randrange(10**6),
                 "accessed_branches": r.sample(["a", "b", "c", "d"], r.randrange(4)), "accessed_bytes": r.randrange(1000),
                 "bytes_read_percent": r.uniform(0, 100), "branches_read_percent": r.uniform(0, 100),
                 "num_branches_accessed": 3}
        chunk = {key: value for key, value in chunk.items() if key == "duration" or r.random() < 0.9}
        if r.random() < 0.1:
            chunk["error"] = "boom"
        if r.random() < 0.5:
            chunk["file_metadata"] = {"filename": f"f{r.randrange(4)}", "compression_ratio": r.choice([0.0, 0.3]),
                                      "total_branches": r.randrange(100), "total_tree_bytes": r.randrange(10**6)}
        chunks.append(chunk)
    return chunks


def random_sections(r):
    kinds = [{"name": "s", "duration": r.uniform(0, 5)}, {"duration": 1.0},
             {"name": "m", "type": "memory", "mem_delta_mb": r.uniform(-5, 50), "duration": 0.5},
             {"name": "t", "type": "time", "duration": r.uniform(0, 5)}]
    return [r.choice(kinds) for _ in range(r.randrange(6))]


def random_spans(r):
    activities = [("thread-cpu", "seconds"), ("thread-noncpu", "seconds"), ("disk-read", "bytes"), ("disk-read", "count"),
                  ("disk-write", "bytes"), ("memory-read", "bytes"), ("compress", "seconds"), ("decompress", "seconds"),
                  ("serialize", "seconds"), ("deserialize", "seconds"), ("other", "seconds")]
    spans = {("execute", prefix, *activity): r.randrange(10**6) if activity[1] != "seconds" else r.uniform(0, 1e3)
             for prefix in ("Analysis", "reduce") for activity in activities if r.random() < 0.8}
    return spans | {("short", "key"): 5, ("get-data", "memory-read", "bytes"): 7}


def random_calls(r):
    report, tracking, chunks, sections, spans = (
        random_report(r), random_tracking(r), random_chunks(r), random_sections(r), random_spans(r))
    name = r.choice([None, "Analysis"])
    workflow = {"elapsed_time_seconds": r.choice([0, r.uniform(0, 100)]), "total_cpu_time": r.uniform(0, 900),
                "total_events": r.randrange(10**6)}
    return [
        ("workflow", "aggregate_workflow_metrics", (report, 10.0, r.choice([10.0, 95.5]), r.choice([None, random_custom(r)]))),
        ("efficiency", "calculate_efficiency_metrics", (workflow, r.choice([{}, {"total_cores": None}, {"total_cores": 8.0}]))),
        ("fine_metrics", "parse_fine_metrics", (spans, name)),
        ("chunk", "aggregate_chunk_metrics", (chunks, sections)),
        ("chunk", "build_chunk_info", (chunks,)),
        ("branch_coverage", "aggregate_branch_coverage", (chunks, report)),
        ("branch_coverage", "parse_accessed_branches", (["a-data", "b-offsets", "-data", "c-data-data", ""],)),
        ("backends.dask", "calculate_time_averaged_workers", (tracking["worker_counts"],)),
        ("backends.dask", "calculate_peak_memory", (tracking["worker_memory"],)),
        ("backends.dask", "calculate_average_memory_per_worker", (tracking["worker_memory"],)),
        ("core", "MetricsAggregator", (report, r.choice([None, tracking]), 5.0, 60.0, None, spans, name, chunks, sections)),
    ]  # fmt: skip


def answers(python, calls):
    script = pathlib.Path(__file__).with_name("reference_aggregates.py")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} if python == sys.executable else {
        key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, str(script)], input=pickle.dumps(calls), capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def assert_same(ours, theirs, path=""):
    if isinstance(theirs, dict):
        assert isinstance(ours, dict) and list(map(str, sorted(ours, key=str))) == list(map(str, sorted(theirs, key=str))), path
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}[{key!r}]")
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), path
        for i, pair in enumerate(zip(ours, theirs)):
            assert_same(*pair, f"{path}[{i}]")
    elif isinstance(theirs, (int, float)) and not isinstance(theirs, bool):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12), path
    else:
        assert ours == theirs, path


def test_on_random_input_they_give_what_0_1_2_gives():
    python = os.environ.get("ROAST_BENCH_PYTHON")
    if not python:
        pytest.skip("ROAST_BENCH_PYTHON is not set: no roastcoffea 0.1.2 to compare with")
    calls = [call for seed in range(150) for call in random_calls(random.Random(seed))]
    for call, ours, theirs in zip(calls, answers(sys.executable, calls), answers(python, calls), strict=True):
        if call[1] == "MetricsAggregator":  # 0.1.2 overwrites the report's number of chunks by that of the records
            records = ours.pop("num_chunk_records", None)
            if records is not None:
                assert theirs.pop("num_chunks") == records
                assert ours.pop("num_chunks") == (call[2][0].get("chunks") or records)
        assert_same(ours, theirs, f"{call[1]}{call[2]!r:.2000}")


# ---- By hand ------------------------------------------------------------------------------------------------------


def test_rates_are_what_the_formulas_say():
    metrics = aggregate_workflow_metrics({"entries": 1000, "bytesread": 5 * 10**9, "processtime": 40.0, "chunks": 8}, 0, 20)
    assert metrics["data_rate_gbps"] == 2.0
    assert metrics["event_rate_elapsed_khz"] == 0.05
    assert metrics["event_rate_cpu_total_khz"] == 0.025
    assert metrics["avg_cpu_time_per_chunk"] == 5.0
    assert metrics["total_events"] == 1000 and isinstance(metrics["total_events"], int)


def test_the_report_keeps_its_number_of_chunks():
    chunks = [{"duration": 1.0}] * 4
    report = {"chunks": 10, "processtime": 20.0, "bytesread": 1}
    metrics = MetricsAggregator("dask").aggregate(report, None, 0, 1, chunk_metrics=chunks)
    assert metrics["num_chunks"] == 10 and metrics["avg_cpu_time_per_chunk"] == 2.0
    assert metrics["num_chunk_records"] == 4


def test_cores_of_workers_that_left_do_not_count_after_they_left():
    stays = [(at(t), 1) for t in (0, 5, 10)]
    data = {"worker_cores": {"a": stays, "b": stays, "gone": [(at(0), 1), (at(5), 1)]}}
    metrics = get_parser("dask").parse_tracking_data(data)
    assert metrics["total_cores"] == 2.5
    assert metrics["cores_per_worker"] == 1.0


def test_records_of_ours_have_none_where_those_of_0_1_have_nothing():
    chunks = [{"duration": 2.0, "error": None, "num_events": None, "mem_delta_mb": None, "dataset": "d"},
              {"duration": None, "error": "boom", "dataset": "d"}]
    metrics = aggregate_chunk_metrics(chunks)
    assert metrics["num_successful_chunks"] == metrics["num_failed_chunks"] == 1
    assert metrics["per_dataset"] == {"d": {"num_chunks": 1, "total_duration": 2.0, "total_events": 0, "mean_duration": 2.0}}
    assert "chunk_events_mean" not in metrics


def test_nothing_gives_what_0_1_gives_for_nothing():
    assert aggregate_chunk_metrics(None) == aggregate_chunk_metrics([]) == {"num_chunks": 0}
    assert calculate_time_averaged_workers({}) == 0.0
    assert calculate_time_averaged_workers({at(0): 3}) == 3.0
    assert parse_accessed_branches([]) == set()
    assert parse_fine_metrics({})["processor_cpu_percent"] == 0.0
    with pytest.raises(ValueError, match="nonsense"):
        get_parser("nonsense")


def test_what_is_no_number_is_an_error_and_not_a_crash():
    for wrong in ("many", [1], {}):
        with pytest.raises(TypeError):
            aggregate_workflow_metrics({"chunks": wrong}, 0, 1)
    for call in (aggregate_chunk_metrics, parse_fine_metrics):
        with pytest.raises((TypeError, AttributeError)):
            call(5)
