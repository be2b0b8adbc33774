"""Every executor is measured, the same way, and the user's result is as if we had not been there."""

from __future__ import annotations

import concurrent.futures
import json
import os

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import executors  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, hooks, work  # noqa: E402


@pytest.fixture(params=executors.NAMES)
def executor(request):
    """An executor of each kind that coffea has for one machine."""
    with executors.executor(request) as made:
        yield made


@pytest.fixture(autouse=True)
def _in_a_folder_of_the_test(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def expected_chunks(fileset):
    """What coffea cuts 400 events per file into, with chunks of 100."""
    return sorted(
        (dataset, file, start, start + 100, 100)
        for dataset, files in fileset.items()
        for file in files["files"]
        for start in (0, 100, 200, 300)
    )


def seen_chunks(collector):
    names = ("dataset", "file", "entry_start", "entry_stop", "num_events")
    return sorted(tuple(record[name] for name in names) for record in collector.chunk_metrics)


def measure(executor, fileset, instance, **options):
    with MetricsCollector(executor, processor_instance=instance, worker_tracking_interval=0.2) as collector:
        result = nano.runner(executor, **options)(fileset, processor_instance=instance)
    return result, collector


def test_every_executor_gives_the_same_chunks_events_and_branches(executor, fileset):
    (out, report), collector = measure(executor, fileset, nano.Tracked())
    assert seen_chunks(collector) == expected_chunks(fileset)
    assert {tuple(record["accessed_branches"]) for record in collector.chunk_metrics} == {tuple(nano.READ)}
    assert collector.metrics["total_events"] == report["entries"] == 1200
    assert collector.metrics["num_chunks"] == collector.metrics["num_chunk_records"] == 12
    assert collector.metrics["num_failed_chunks"] == 0


def test_every_phase_of_a_chunk_is_timed(executor, fileset):
    _, collector = measure(executor, fileset, nano.Plain())
    for record in collector.chunk_metrics:
        assert record["open_seconds"] > 0
        assert record["events_seconds"] > 0
        assert record["duration"] > 0
        assert 0 <= record["cpu_seconds"] <= record["duration"] * 1.1 + 0.01
        assert record["bytes_read"] > 0
        assert record["uuid"]


def test_the_output_is_the_same_as_without_us(executor, fileset):
    for instance in (nano.Plain(), nano.Tracked(), nano.Number()):
        plain, _ = nano.runner(executor)(fileset, processor_instance=instance)
        (measured, _), collector = measure(executor, fileset, instance)
        assert measured == pytest.approx(plain) if isinstance(plain, float) else same(measured, plain)
        assert seen_chunks(collector) == expected_chunks(fileset)


def same(one, other):
    """Equal, with sums of floating-point numbers that may have been added in another order."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return one == pytest.approx(other)


def test_function_processors_are_measured(executor, fileset):
    (out, _), collector = measure(executor, fileset, nano.function_processor)
    assert out["signal"]["events"] == 800
    assert seen_chunks(collector) == expected_chunks(fileset)
    assert collector.processor_name == "function_processor"


def test_sections_and_custom_values_arrive(executor, fileset):
    _, collector = measure(executor, fileset, nano.Tracked())
    for record in collector.chunk_metrics:
        assert set(record["timing"]) >= {"jets", "again"}
        assert "memory" in record["memory"]
        assert record["bytes"]["met"] > 0
        assert record["jets_seen"] > 0
        assert {s["section_name"]: s["count"] for s in record["sections"]}["again"] == 3
    assert collector.metrics["sections"]["again"]["count"] == 36


def test_a_skipped_chunk_is_seen(executor, fileset, tmp_path):
    bad = {**fileset, "bad": {"files": [str(tmp_path / "absent.root")], "treename": "Events"}}
    good_items = list(nano.runner(processor.IterativeExecutor(status=False)).preprocess(fileset))
    item = processor.executor.WorkItem("bad", str(tmp_path / "absent.root"), "Events", 0, 100, b"\0" * 16)
    executor.retries = 0
    with MetricsCollector(executor) as collector:
        out, report = nano.runner(executor, skipbadfiles=True)([*good_items, item], processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800 and set(bad) >= set(out) - {"met"}
    failed = [record for record in collector.chunk_metrics if record["error_type"]]
    assert [(f["dataset"], f["file"], f["error_type"]) for f in failed] == [
        ("bad", str(tmp_path / "absent.root"), "FileNotFoundError")
    ]
    assert collector.metrics["num_failed_chunks"] == 1
    assert collector.metrics["num_successful_chunks"] == 12


def test_without_a_report_the_chunks_tell(executor, fileset):
    out, collector = measure(executor, fileset, nano.Plain(), savemetrics=False)
    assert out["signal"]["events"] == 800
    assert collector.coffea_report is None
    assert collector.metrics["total_events"] == 1200
    assert collector.metrics["num_chunk_records"] == 12


def test_coffea_and_the_process_are_left_as_they_were(executor, fileset):
    before = {name: vars(processor.Runner)[name] for name in ("run", "preprocess", "_work_function")}
    instance = nano.Plain()
    runner = nano.runner(executor)
    with MetricsCollector(executor):
        runner(fileset, processor_instance=instance)
    assert {name: vars(processor.Runner)[name] for name in before} == before
    assert "_work_function" not in vars(runner)
    assert vars(instance) == {}
    assert not work.listeners and not hooks._open


def test_workers_are_known(executor, fileset):
    _, collector = measure(executor, fileset, nano.Plain())
    metrics = collector.metrics
    assert metrics["peak_workers"] >= 1
    assert metrics["peak_memory_bytes"] > 50e6
    kinds = {"IterativeExecutor": 1, "ParslExecutor": 2}
    if type(executor).__name__ in kinds:
        assert metrics["peak_cores"] == kinds[type(executor).__name__]


def test_the_command_finds_the_run_that_a_collector_recorded_last(fileset, roast):
    runner = processor.Runner(processor.IterativeExecutor(status=False), schema=nano.Schema, chunksize=100)
    with MetricsCollector() as collector:
        runner(fileset, nano.Plain())
    done = roast("show", "latest", "--json", env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["num_chunks"] == len(collector.chunk_metrics) == 12


@pytest.mark.parametrize("kind", ["iterative", "futures", "threads"])
def test_the_cores_of_a_local_executor_are_there_for_the_whole_run(kind, fileset):
    pool = {"pool": concurrent.futures.ThreadPoolExecutor} if kind == "threads" else {}
    local = processor.FuturesExecutor(workers=2, status=False, **pool)
    cores = 1 if kind == "iterative" else 2
    with MetricsCollector() as collector:
        nano.runner(processor.IterativeExecutor(status=False) if cores == 1 else local)(fileset, nano.Plain())
    metrics = collector.metrics
    assert metrics["total_cores"] == pytest.approx(cores)
    assert metrics["event_rate_core_khz"] == pytest.approx(metrics["event_rate_elapsed_khz"] / cores)
    assert [metrics[f"workers_{how}"] for how in ("joined", "left", "lost")] == [0, 0, 0]


def test_processes_of_an_earlier_run_in_the_same_block_do_not_count_in_the_later_one(fileset):
    with MetricsCollector() as collector:
        for _ in range(2):
            nano.runner(processor.FuturesExecutor(workers=2, status=False))(fileset, nano.Plain())
    assert collector.metrics["peak_cores"] == 2
    assert len(collector.run.workers) == 4
