"""Runs without a Runner on real clusters: what Dask's tasks tell, and the faults that are found in it."""

from __future__ import annotations

import functools
import time

import dask
import planted_tasks as planted
import pytest
from roastcoffea import MetricsCollector


def findings(collector):
    return {finding["id"]: finding for finding in collector.run.explain()["findings"]}


def ledger(collector):
    """Core-seconds by category, which sum to what there was."""
    metrics = collector.run.metrics
    rows = {category: row["core_seconds"] for category, row in metrics["ledger"].items()}
    whole = metrics["total_cores"] * metrics["elapsed_time_seconds"]
    assert sum(rows.values()) == pytest.approx(whole, rel=1e-3)
    assert abs(rows["residual"]) < 0.05 * whole
    return rows


@pytest.fixture
def three_workers():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("way", ["map", "submit", "delayed"])
def test_tasks_are_the_work_however_they_are_submitted(own_client, way):
    with MetricsCollector(own_client) as collector:
        if way == "map":
            results = own_client.gather(own_client.map(planted.usual, range(20)))
        elif way == "submit":
            results = [future.result() for future in [own_client.submit(planted.usual, n) for n in range(20)]]
        else:
            results = list(dask.compute(*[dask.delayed(planted.usual)(n) for n in range(20)]))
    assert results == list(range(20))
    metrics, rows = collector.run.metrics, ledger(collector)
    assert metrics["num_tasks"] == 20
    assert metrics["task_seconds_total"] >= 20 * planted.USUAL
    assert rows["task_cpu"] + rows["task_wait"] == pytest.approx(metrics["task_seconds_total"], rel=1e-3)
    assert not {"process_cpu", "process_io", "process_unsplit", "merging"} & set(rows)
    assert rows["task_wait"] >= 0.9 * 20 * planted.USUAL  # they sleep
    (kind,) = metrics["activities"]  # Dask's idle time is no kind of task
    assert (kind["prefix"], kind["num_tasks"]) == ("usual", 20)


def test_what_is_decorated_is_told_by_its_chunks_and_the_rest_by_its_tasks(own_client):
    with MetricsCollector(own_client) as collector:
        sizes = own_client.map(planted.decorated, [[n] * 10 for n in range(20)])
        assert own_client.submit(sum, sizes).result() == 200
        own_client.gather(own_client.map(planted.usual, range(20)))
    rows = ledger(collector)
    assert rows["process_io"] + rows.get("process_core", 0) >= 0.9 * 20 * 4 * planted.USUAL
    assert 0.9 * 20 * planted.USUAL <= rows["task_wait"] < 20 * 4 * planted.USUAL
    assert not {"merging", "preprocessing"} & set(rows)


def test_a_slow_worker_is_found(three_workers):
    slow = sorted(three_workers.scheduler_info()["workers"])[0]
    with MetricsCollector(three_workers) as collector:
        three_workers.gather(three_workers.map(functools.partial(planted.slow_on, slow), range(120)))
    found = findings(collector)["slow_worker"]
    assert found["values"]["worker"] == slow
    (evidence,) = (seen for seen in found["evidence"] if seen["what"] == "slow worker")
    assert evidence["value"] == pytest.approx(5, rel=0.3)


def test_a_long_task_at_the_end_is_found(own_client):
    with MetricsCollector(own_client) as collector:
        own_client.gather(own_client.map(functools.partial(planted.long_if, 59), range(60)))
    first = collector.run.explain()["findings"][0]
    assert first["id"] in {"tail", "stragglers"}
    assert "task" in first["title"]
    assert "chunk" not in " ".join([first["title"], first["advice"], *(seen["text"] for seen in first["evidence"])])


def test_tiny_tasks_are_told_to_be_too_small(own_client):
    with MetricsCollector(own_client) as collector:
        own_client.gather(own_client.map(planted.nothing, range(3000)))
    found = findings(collector)["small_tasks"]
    assert found["saving_seconds"] > 0.3 * collector.run.metrics["elapsed_time_seconds"]
    assert found["values"]["together"] > 10
    assert collector.run.metrics["num_tasks"] == 3000
    assert "scheduler" not in findings(collector)


def test_a_script_that_waits_between_two_graphs_leaves_workers_without_tasks(own_client):
    with MetricsCollector(own_client) as collector:
        own_client.gather(own_client.map(planted.usual, range(20)))
        time.sleep(4)  # the heartbeats that see it come every half second
        own_client.gather(own_client.map(planted.usual, range(20, 40)))
    found = findings(collector)
    assert found["no_tasks"]["core_seconds"] == pytest.approx(2 * 4, rel=0.2)
    assert "scheduler" not in found or found["scheduler"]["confidence"] == "note"


def test_the_time_before_the_first_task_is_found(own_client):
    with MetricsCollector(own_client) as collector:
        time.sleep(3)  # a graph is made
        own_client.gather(own_client.map(planted.usual, range(40)))
    assert findings(collector)["start_up"]["saving_seconds"] == pytest.approx(
        collector.run.metrics["first_task_seconds"], rel=0.2
    )
    assert ledger(collector)["idle_start"] >= 2 * 3


def test_attempts_that_failed_are_counted_and_their_time_is_lost(own_client, marks):
    with MetricsCollector(own_client) as collector:
        function = functools.partial(planted.fails_once, str(marks))
        assert own_client.gather(own_client.map(function, range(40), retries=2)) == list(range(40))
    metrics, rows = collector.run.metrics, ledger(collector)
    assert (metrics["num_tasks"], metrics["num_failed_tasks"]) == (40, 10)
    assert rows["failed"] >= 0.9 * 10 * 2 * planted.USUAL  # as much as there was no other task in
    found = findings(collector)["failures"]
    assert found["core_seconds"] == pytest.approx(rows["failed"])


def test_a_worker_that_dies_takes_its_results_along(own_client, marks):
    with MetricsCollector(own_client) as collector:
        function = functools.partial(planted.dies_once, str(marks), 30)
        assert own_client.gather(own_client.map(function, range(60))) == list(range(60))
    metrics, rows = collector.run.metrics, ledger(collector)
    assert metrics["workers_lost"] == 1
    assert metrics["num_killed_tasks"] >= 1
    assert metrics["num_tasks"] == 60 + metrics["num_recomputed_tasks"]
    assert rows["lost"] >= metrics["num_recomputed_tasks"] * planted.USUAL
    assert "workers_lost" in findings(collector)


def test_a_worker_that_spills_is_found():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, memory_limit="400MB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
        MetricsCollector(client) as collector,
    ):
        arrays = client.map(planted.large, range(20))  # 400 MB
        means = client.gather(client.map(planted.mean_of, arrays))
    assert means == [pytest.approx(0.5, abs=0.01)] * 20
    metrics = collector.run.metrics
    assert metrics["spilled_bytes_peak"] > 20e6
    ledger(collector)
    (large,) = (row for row in metrics["activities"] if row["prefix"] == "large")
    assert large["result_bytes"] == pytest.approx(20 * 20e6, rel=0.01)
    assert "spilling" in findings(collector)
