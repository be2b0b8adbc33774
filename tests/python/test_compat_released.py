"""One run, measured by the released roastcoffea 0.1.2 and by ours at once: what each metric is in both.

0.1.2 is taken from the package index and imported under another name (``scripts/compat --package``).
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from built import ROOT

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector  # noqa: E402
from roastcoffea.aggregation.backends import DaskTrackingDataParser  # noqa: E402
from roastcoffea.aggregation.fine_metrics import parse_fine_metrics  # noqa: E402

NO_SOURCE_DISTRIBUTION = 3
NAMES_OF_A_CHUNK = ("file", "entry_start", "entry_stop")

#: Shares of the time between the beginnings and ends of the blocks, and ours is around theirs.
OF_THE_WINDOW = {"data_rate_gbps", "event_rate_elapsed_khz", "event_rate_core_khz", "core_efficiency", "speedup_factor"}
#: How far two readings of a thing may be apart that cannot be at one moment: ours are outside of theirs, or at heartbeats.
READ_TWICE = {
    "chunk_duration_": {"abs": 0.5},  # seconds
    "chunk_mem_delta_": {"abs": 8},  # MiB
    "peak_memory_bytes": {"rel": 0.5},
}
#: Fields of a chunk that are otherwise in ours, because they are wrong there.
DEFECTS = {
    "uuid": "always None there: events have it under another name",
}
#: 0.1.2 asks the scheduler for its spans once, half a second after the end: what workers tell later is lost. So these are at
#: least as large in ours, and the same from the same spans.
LOST_AT_THE_END = set(parse_fine_metrics({}))
#: Tasks that have a name of their own in ours: coffea's preprocessing was not told from what else is tried again.
OTHER_NAMES = {"automatic_retries": "preprocess"}
#: What 0.1.2 has of a chunk that its own sections fill, which ours does not see; and what is compared elsewhere.
OF_ITS_SECTIONS = {"timing", "memory", "bytes"}
TIMES_AND_MEMORY = {"t_start", "t_end", "duration", "mem_before_mb", "mem_after_mb", "mem_delta_mb", "timestamp"}


@pytest.fixture(scope="module")
def released():
    """The package of 0.1.2, importable here and in workers."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "compat", "--package"], capture_output=True, text=True)
    if done.returncode == NO_SOURCE_DISTRIBUTION:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    paths = [done.stdout.strip(), str(ROOT / "tests" / "compat"), str(ROOT / "tests")]
    sys.path[:0] = paths
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*paths, *([before] if before else [])])
    yield importlib.import_module("roastcoffea_released")
    for path in paths:
        sys.path.remove(path)
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def metrics(released, tmp_path_factory):
    """The metrics of 0.1.2 and ours, of one run of nine chunks."""
    from both import Both
    from distributed import Client, LocalCluster

    folder = tmp_path_factory.mktemp("both")
    files = [str(nano.write_file(folder / f"file{i}.root", events=300, seed=i)) for i in range(3)]
    fileset = {"signal": {"files": dict.fromkeys(files[:2], "Events")}, "other": {"files": {files[2]: "Events"}}}
    instance = Both()
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        runner = nano.runner(processor.DaskExecutor(client=client, status=False))
        with MetricsCollector(client, processor_instance=instance, run_file=folder / "run.roast") as ours:
            with released.MetricsCollector(client, processor_instance=instance) as theirs:
                output, report = runner(fileset, processor_instance=instance)
                theirs.extract_metrics_from_output(output)
                theirs.set_coffea_report(report)
    assert output["signal"]["events"] == 600
    return theirs.get_metrics(), ours.get_metrics()


def numbers_in(values: Mapping) -> dict:
    return {name: value for name, value in values.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}


def by_chunk(chunks) -> dict:
    return {tuple(chunk[name] for name in NAMES_OF_A_CHUNK): chunk for chunk in chunks}


def test_every_metric_of_0_1_2_is_in_ours(metrics):
    theirs, ours = metrics
    assert set(theirs) - set(ours) == set()
    assert len(numbers_in(theirs)) > 45


def test_each_number_is_the_same(metrics):
    theirs, ours = metrics
    assert 0 < theirs["elapsed_time_seconds"] <= ours["elapsed_time_seconds"]
    wrong = []
    for name, value in numbers_in(theirs).items():
        if name in {"elapsed_time_seconds", "avg_memory_per_worker_bytes"} or name in LOST_AT_THE_END:
            continue
        mine = ours[name]
        if name in OF_THE_WINDOW:
            value, mine = value * theirs["elapsed_time_seconds"], mine * ours["elapsed_time_seconds"]
        apart = next((apart for start, apart in READ_TWICE.items() if name.startswith(start)), {"rel": 1e-9, "abs": 1e-12})
        if mine != pytest.approx(value, **apart):
            wrong.append((name, value, mine))
    assert wrong == []


def test_the_mean_memory_is_one_that_0_1_2_saw(metrics):
    """It looks once a second while memory doubles, so that its mean is coarse: ours lies within what it saw."""
    theirs, ours = metrics
    seen = [value for samples in theirs["tracking_data"]["worker_memory"].values() for _, value in samples]
    assert min(seen) < ours["avg_memory_per_worker_bytes"] < max(seen)
    looks = {worker: len(samples) for worker, samples in ours["tracking_data"]["worker_memory"].items()}
    assert all(looks[worker] > len(samples) for worker, samples in theirs["tracking_data"]["worker_memory"].items())


def test_ours_measures_chunks_around_what_0_1_2_measures(metrics):
    theirs, ours = (by_chunk(each["raw_chunk_metrics"]) for each in metrics)
    assert set(theirs) == set(ours) and len(ours) == 9
    for where, chunk in theirs.items():
        assert ours[where]["duration"] >= chunk["duration"]


def test_each_field_of_each_chunk_is_the_same(metrics):
    theirs, ours = (by_chunk(each["raw_chunk_metrics"]) for each in metrics)
    other = set()
    for where, chunk in theirs.items():
        for name in set(chunk) - OF_ITS_SECTIONS - TIMES_AND_MEMORY - {"file_metadata"}:
            value, mine = chunk[name], ours[where][name]
            if name == "accessed_branches":
                value, mine = set(value), set(mine)
            if mine != (pytest.approx(value) if isinstance(value, float) else value):
                other.add(name)
    assert other == set(DEFECTS)


def test_the_spans_are_those_of_0_1_2_or_came_later(metrics):
    theirs, ours = metrics
    earlier = {(key[0], OTHER_NAMES.get(key[1], key[1]), *key[2:]): value for key, value in theirs["raw_span_metrics"].items()}
    all_of_it = ours["raw_span_metrics"]
    assert set(earlier) <= set(all_of_it) and len(earlier) > 5
    for key, value in earlier.items():
        assert all_of_it[key] >= value * (1 - 1e-12), key
    for name in LOST_AT_THE_END:
        assert "percent" in name or ours[name] >= theirs[name] * (1 - 1e-12), name


def test_the_same_spans_give_the_same_numbers(metrics):
    theirs, _ = metrics
    mine = parse_fine_metrics(theirs["raw_span_metrics"], "Both")
    assert mine == {name: pytest.approx(theirs[name]) for name in LOST_AT_THE_END}


def test_the_same_timeline_gives_the_same_numbers(metrics):
    theirs, _ = metrics
    mine = DaskTrackingDataParser().parse_tracking_data(theirs["tracking_data"])
    assert len(mine) == 6 and mine == {name: pytest.approx(theirs[name]) for name in mine}


def test_chunk_info_has_the_same_chunks_and_bytes(metrics):
    theirs, ours = (each["chunk_info"] for each in metrics)
    assert {where: size for where, (_, _, size) in ours.items()} == {where: size for where, (_, _, size) in theirs.items()}


@pytest.mark.parametrize("name", ["per_dataset", "file_metadata", "file_read_metrics"])
def test_each_number_of_a_dataset_and_of_a_file_is_the_same(metrics, name):
    theirs, ours = (each[name] for each in metrics)
    assert set(ours) == set(theirs)
    for key, values in theirs.items():
        for field, value in numbers_in(values).items():
            apart = {"abs": 0.5} if "duration" in field else {"rel": 1e-9}
            assert ours[key][field] == pytest.approx(value, **apart), (key, field)


@pytest.mark.parametrize("name", ["compression_ratios", "bytes_read_percent_per_file"])
def test_each_number_of_a_list_is_the_same(metrics, name):
    theirs, ours = (sorted(each[name]) for each in metrics)
    assert ours == pytest.approx(theirs)


def test_the_workers_are_the_same_and_have_every_series(metrics):
    theirs, ours = (each["tracking_data"] for each in metrics)
    assert set(theirs) <= set(ours)
    assert max(theirs["worker_counts"].values()) == max(ours["worker_counts"].values()) == 2
    for name in set(theirs) - {"worker_counts"}:
        assert set(ours[name]) == set(theirs[name]), name


def test_0_1_2_loads_what_we_save(metrics, released, tmp_path):
    from roastcoffea import save_measurement
    from roastcoffea_released.export.measurements import load_measurement

    _, ours = metrics
    loaded, t0, t1 = load_measurement(save_measurement(ours, 1.0, 2.0, tmp_path, "m"))
    assert (t0, t1, loaded["total_events"]) == (1.0, 2.0, ours["total_events"])
    assert loaded["tracking_data"]["worker_counts"] == ours["tracking_data"]["worker_counts"]


def test_we_load_what_0_1_2_saves_with_its_keys(metrics, released, tmp_path):
    from roastcoffea import load_measurement
    from roastcoffea_released.export.measurements import save_measurement

    theirs, _ = metrics
    folder = Path(save_measurement(theirs, 1.0, 2.0, tmp_path, "m"))
    loaded, _, _ = load_measurement(folder)
    assert loaded["chunk_info"] == theirs["chunk_info"]
    assert loaded["raw_span_metrics"] == theirs["raw_span_metrics"]
    assert loaded["tracking_data"] == theirs["tracking_data"]  # 0.1.2 loses worker_cpu when it loads
