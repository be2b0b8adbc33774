"""The dict of metrics of 0.1.2: its records are in it, what was not measured is not, and it is saved and loaded as it is."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
import subprocess

import numpy
import pytest
import roastcoffea
from built import program
from roastcoffea import load_measurement, save_measurement
from roastcoffea.aggregation import MetricsAggregator
from roastcoffea.export import measurements
from roastcoffea.legacy.metrics import Metrics, metrics_of_run

NOON = datetime.datetime(2026, 1, 1, 12, 0, 0)
LATER = datetime.datetime(2026, 1, 1, 12, 0, 10, 250)
RECORDS = ("tracking_data", "raw_chunk_metrics", "raw_span_metrics", "chunk_info")


@pytest.fixture(scope="module")
def run(synthesize):
    return roastcoffea.open_run(synthesize(seed=3, chunks=20, files=3, workers=2, samples=5)[0])


def loaded_again(metrics, folder, t0=1.0, t1=2.0):
    return load_measurement(save_measurement(metrics, t0, t1, folder, "m"))


# ---- What is in it


def test_the_records_are_among_the_metrics(run):
    metrics = metrics_of_run(run)
    assert all(name in metrics for name in RECORDS)
    assert metrics["raw_chunk_metrics"] == run.chunk_records()
    assert metrics["tracking_data"] == run.tracking_data()
    assert metrics["raw_span_metrics"][("execute", "TopAnalysis", "thread-cpu", "seconds")] > 0
    first = run.chunk_records()[0]
    where = (first["file"], first["entry_start"], first["entry_stop"])
    assert metrics["chunk_info"][where] == (first["t_start"], first["t_end"], first["bytes_read"])


def test_plots_take_the_records_of_the_metrics(run):
    metrics = metrics_of_run(run)
    _, axes = roastcoffea.plot_throughput_timeline(metrics["chunk_info"], metrics["tracking_data"])
    assert axes.lines
    _, axes = roastcoffea.plot_per_task_cpu_io(metrics["raw_span_metrics"])
    assert axes.patches


def test_what_was_not_measured_is_left_out_where_0_1_2_leaves_it_out_and_none_where_it_has_none():
    with roastcoffea.MetricsCollector(track_workers=False) as collector:
        pass
    metrics = collector.get_metrics()
    assert collector.run.metrics["processor_cpu_time_seconds"] is None  # the catalogue is complete
    for name in ("processor_cpu_time_seconds", "chunk_duration_mean", "peak_memory_bytes", "raw_chunk_metrics", "chunk_info"):
        assert name not in metrics
    for name in ("tracking_data", "total_bytes_read", "data_rate_gbps"):
        assert name in metrics and metrics[name] is None
    assert metrics["elapsed_time_seconds"] > 0


# ---- A dict


@pytest.fixture
def lazy():
    asked = []

    def make(name):
        asked.append(name)
        return [name]

    return Metrics({"a": 1}, {"b": lambda: make("b"), "c": lambda: make("c")}), asked


def test_a_large_value_is_made_once_and_when_it_is_asked_for(lazy):
    metrics, asked = lazy
    assert (len(metrics), list(metrics), "b" in metrics, asked) == (3, ["a", "b", "c"], True, [])
    assert metrics["b"] is metrics["b"] is metrics.get("b")
    assert asked == ["b"]
    metrics["c"] = 7  # given: nothing has to be made
    assert (metrics, asked) == ({"a": 1, "b": ["b"], "c": 7}, ["b"])
    assert Metrics({}, {"x": dict}) == Metrics({"x": {}}, {}) != Metrics({"x": None}, {})


@pytest.mark.parametrize("copied", [
    dict, lambda m: {**m}, copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.copy(),
    lambda m: json.loads(json.dumps(m)), lambda m: m | {}, lambda m: {} | m, lambda m: dict(m.items()),
    lambda m: dict(zip(m.keys(), m.values())), lambda m: dict(**m), lambda m: eval(repr(m)),
])  # fmt: skip
def test_whoever_copies_it_gets_all_of_it(lazy, copied):
    assert copied(lazy[0]) == {"a": 1, "b": ["b"], "c": ["c"]}


def test_it_is_changed_as_a_dict_is(lazy):
    metrics, asked = lazy
    assert metrics.pop("b") == ["b"] and metrics.pop("b", None) is None and metrics.setdefault("c", 0) == ["c"]
    metrics.update({"d": 4}, e=5)
    metrics |= {"f": 6}
    del metrics["a"]
    assert metrics == {"c": ["c"], "d": 4, "e": 5, "f": 6} and metrics != {"c": ["c"]}
    with pytest.raises(KeyError):
        metrics["a"]


# ---- Saved and loaded


def test_any_dict_comes_back_with_its_keys(tmp_path):
    metrics = {
        "mine": 42, "nested": {("a", 1, None): [1, {"b": {NOON: 2}}], "(not a tuple": 1, "2026": 2, "1, 2": 3},
        "counts": {NOON: 2, LATER: 4}, "list": [{("x", 0): 1}], "none": None, "text": "2026-01-01T12:00:00",
        "tracking_data": {"worker_counts": {NOON: 2, LATER: 4}, "worker_cpu": {"w": [(NOON, 1.5), (LATER, 2.5)]},
                          "cores_per_worker": 4},
    }  # fmt: skip
    assert loaded_again(metrics, tmp_path, 123.45, 678.9) == (metrics, 123.45, 678.9)


def test_values_without_a_form_in_json_come_back_as_what_is_nearest(tmp_path):
    metrics = {"set": {2, 1}, "tuple": (1, 2), "number": numpy.float32(1.5), "when": NOON}
    loaded, _, _ = loaded_again(metrics, tmp_path)
    assert loaded == {"set": [1, 2], "tuple": [1, 2], "number": 1.5, "when": "2026-01-01T12:00:00"}


def test_large_values_are_read_when_they_are_asked_for_and_come_back(tmp_path, monkeypatch):
    values = {'a": [1,\n{"': list(range(100_000)), "many": {"x": ["y,\n"] * 100_000}, "few": [1, 2]}
    folder = save_measurement(values, 0, 1, tmp_path, "m")
    parsed, parse = [], measurements._parse
    monkeypatch.setattr(measurements, "_parse", lambda path, text: parsed.append(len(text)) or parse(path, text))
    loaded, _, _ = load_measurement(folder)
    assert loaded["few"] == [1, 2] and max(parsed) < 1000
    assert loaded["many"] == values["many"] and len(parsed) == 2
    assert loaded == values
    (folder / "metrics.json").write_text(json.dumps(values, indent=2))  # as 0.1.2 writes it
    assert load_measurement(folder)[0] == values


def test_what_the_aggregator_gives_comes_back(tmp_path):
    chunk = {"file": "f", "entry_start": 0, "entry_stop": 9, "t_start": 1.0, "t_end": 2.0, "bytes_read": 5, "duration": 1.0}
    metrics = MetricsAggregator("dask").aggregate(
        {"bytesread": 5, "entries": 9, "processtime": 1.0, "chunks": 1},
        {"worker_counts": {NOON: 2, LATER: 2}, "worker_memory": {"w": [(NOON, 5)]}}, 0.0, 2.0,
        span_metrics={("execute", "P", "thread-cpu", "seconds"): 1.0}, chunk_metrics=[chunk],
    )  # fmt: skip
    assert metrics["chunk_info"] == {("f", 0, 9): (1.0, 2.0, 5)}
    assert loaded_again(metrics, tmp_path) == (metrics, 1.0, 2.0)


def test_what_a_user_puts_into_the_metrics_is_saved_and_wins(tmp_path):
    with roastcoffea.MetricsCollector() as collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
    collector.metrics["mine"] = {("a", 1): 42}
    collector.metrics["total_events"] = 11
    folder = collector.save_measurement(tmp_path, "m")
    assert (folder / "run.roast").exists()
    metrics, _, _ = load_measurement(folder)
    assert (metrics["mine"], metrics["total_events"]) == ({("a", 1): 42}, 11)
    assert len(metrics["raw_chunk_metrics"]) == 1
    assert roastcoffea.open_run(folder).metrics["total_events"] == 10


def test_the_run_file_alone_is_loaded_with_its_records(run, tmp_path):
    metrics, t0, t1 = load_measurement(run.path)
    assert (t0, t1) == run.times and len(metrics["raw_chunk_metrics"]) == len(run.chunk_records())
    (tmp_path / "run.roast").write_bytes(run.path.read_bytes())
    assert load_measurement(tmp_path) == (metrics, t0, t1)


def test_a_directory_without_the_run_file_is_still_shown(run, tmp_path):
    folder = save_measurement(metrics_of_run(run), *run.times, tmp_path, "m")
    shown = subprocess.run([program("roast"), "show", folder, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(shown.stdout)["total_events"] == run.metrics["total_events"]


def test_what_is_missing_is_a_file_that_is_not_found(run, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_measurement(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        roastcoffea.open_run(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"metrics\.json"):
        load_measurement(tmp_path)
    (tmp_path / "metrics.json").write_text("{}")
    with pytest.raises(FileNotFoundError, match=r"start_end_time\.txt"):
        load_measurement(tmp_path)
    (tmp_path / "start_end_time.txt").write_text("0,1\n")
    assert load_measurement(tmp_path) == ({}, 0.0, 1.0)


@pytest.mark.parametrize(("name", "text", "message"), [
    ("start_end_time.txt", "soon,later", "Invalid timing format"), ("start_end_time.txt", "1", "Invalid timing format"),
    ("metrics.json", "{", r"metrics\.json"), ("metrics.json", "[1]", "an object was expected"),
])  # fmt: skip
def test_what_cannot_be_read_is_a_value_error(tmp_path, name, text, message):
    folder = save_measurement({"total_events": 5}, 0.0, 1.0, tmp_path, "m")
    (folder / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        load_measurement(folder)


def test_our_error_for_what_cannot_be_read_is_a_value_error(tmp_path):
    (tmp_path / "x.roast").write_text("nothing of ours")
    with pytest.raises(ValueError) as caught:
        roastcoffea.open_run(tmp_path / "x.roast")
    assert isinstance(caught.value, roastcoffea.RoastError)
