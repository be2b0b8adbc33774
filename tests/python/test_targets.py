"""What a collector is given: each kind of target is measured, or it is said at once what to give instead."""

from __future__ import annotations

import asyncio

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
distributed = pytest.importorskip("distributed", reason="needs distributed")
import dask  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, track_metrics  # noqa: E402
from roastcoffea.work import KEY  # noqa: E402
from traces import traces  # noqa: E402


def run(client, fileset, instance=None):
    executor = processor.DaskExecutor(client=client, status=False)
    return nano.runner(executor)(fileset, processor_instance=instance or nano.Plain())


def test_a_cluster_is_measured(cluster, client, fileset):
    with MetricsCollector(cluster) as collector:
        run(client, fileset)
    assert collector.metrics["num_chunk_records"] == 12
    assert collector.metrics["peak_workers"] == 2
    assert traces(client) == []


def test_another_client_of_the_same_cluster_is_measured_with_its_tasks(cluster, client, fileset):
    with distributed.Client(cluster, set_as_default=False) as other:
        with MetricsCollector(other) as collector:
            run(client, fileset)
    assert collector.metrics["num_chunk_records"] == 12
    tasks = [prefix for prefix in collector.run.tasks["prefix"] if prefix == "Plain"]
    assert len(tasks) == 12


def test_a_runner_on_another_cluster_is_said_at_once_with_what_to_give(client, fileset, caplog, roast):
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as elsewhere,
        distributed.Client(elsewhere, set_as_default=False) as other,
        MetricsCollector(other) as collector,
    ):
        run(client, fileset)
        said = caplog.text
    assert "give its client to MetricsCollector" in said and client.scheduler.address in said
    assert "give its client to MetricsCollector" in collector.run.facts["no_chunks"]
    assert "give its client to MetricsCollector" in " ".join(roast("show", collector.run.path).stdout.split())


def test_an_executor_without_a_cluster_does_not_hide_one_with(client, fileset):
    with MetricsCollector(processor.IterativeExecutor(status=False)) as collector:
        run(client, fileset)
    assert collector.metrics["num_chunk_records"] == 12


def test_a_block_without_a_runner_says_so(client):
    with MetricsCollector(client) as collector:
        pass
    assert collector.run.facts["no_chunks"].startswith("no coffea Runner ran inside the with block")


def test_a_runner_that_raises_before_its_first_chunk_is_named_as_the_reason(client, tmp_path):
    with MetricsCollector(client) as collector, pytest.raises(Exception) as raised:
        run(client, {"d": {"files": [str(tmp_path / "missing.root")], "treename": "Events"}})
    name = type(raised.value).__name__
    assert collector.run.facts["no_chunks"] == f"the Runner raised {name} before a chunk was done"


def test_a_processor_that_is_switched_off_says_so(client, fileset):
    instance = nano.Plain()
    instance._roastcoffea_collect_metrics = False
    with MetricsCollector(client, processor_instance=instance) as collector:
        run(client, fileset, instance)
    assert "switched off for Plain" in collector.run.facts["no_chunks"]


@track_metrics
def decorated(events):
    return {"events": len(events)}


class Decorated:
    @track_metrics
    def process(self, events):
        return {"events": len(events)}


@pytest.mark.parametrize("function", [decorated, Decorated().process], ids=["function", "method"])
@pytest.mark.parametrize("way", ["map", "submit", "delayed"])
def test_outputs_stay_the_users_and_what_is_decorated_is_measured_without_a_runner(client, function, way):
    items = [list(range(n)) for n in range(1, 5)]
    with MetricsCollector(client, processor_instance=getattr(function, "__self__", None)) as collector:
        if way == "map":
            results = client.gather(client.map(function, items, pure=False))
        elif way == "submit":
            results = [client.submit(function, item, pure=False).result() for item in items]
        else:
            results = list(dask.compute(*[dask.delayed(function, pure=False)(item) for item in items]))
    assert results == [{"events": n} for n in range(1, 5)]
    assert sorted(record["num_events"] for record in collector.chunk_metrics) == [1, 2, 3, 4]
    assert not any(KEY in result for result in results)


def test_what_is_decorated_tells_the_collector_of_its_own_client_alone(cluster):
    with (
        distributed.Client(cluster, set_as_default=False) as mine,
        distributed.Client(cluster, set_as_default=False) as other,
        MetricsCollector(mine) as collector,
    ):
        others = MetricsCollector(other)
        with others:
            pass
        mine.submit(decorated, [1, 2, 3], pure=False).result()
    assert [record["num_events"] for record in collector.chunk_metrics] == [3]
    assert others.chunk_metrics == []


def test_an_asynchronous_client_is_measured():
    async def analyse():
        async with (
            distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            async with MetricsCollector(client) as collector:
                results = await client.gather(client.map(decorated, [[1], [1, 2]], pure=False))
            return results, collector

    results, collector = asyncio.run(analyse())
    assert results == [{"events": 1}, {"events": 2}]
    assert sorted(record["num_events"] for record in collector.chunk_metrics) == [1, 2]


def test_cells_of_a_notebook_that_await_may_enter_and_leave_a_collector(caplog):
    """Each such cell is a task of its own: what one has set in its context, another cannot undo."""

    async def analyse():
        async with (
            distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            collector = MetricsCollector(client)
            await asyncio.create_task(collector.__aenter__())
            await client.submit(decorated, [1], pure=False)
            await asyncio.create_task(collector.__aexit__(None, None, None))
            return collector

    collector = asyncio.run(analyse())
    assert [record["num_events"] for record in collector.chunk_metrics] == [1]
    assert "fine metrics" not in caplog.text


def test_an_asynchronous_client_in_a_plain_with_is_told_what_to_write(caplog):
    async def analyse():
        async with (
            distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            with MetricsCollector(client):
                return await client.submit(decorated, [1], pure=False)

    assert asyncio.run(analyse()) == {"events": 1}
    assert "async with MetricsCollector(client)" in caplog.text


@pytest.mark.parametrize("target", ["cluster", "nothing"])
def test_a_plain_with_in_the_event_loop_of_a_cluster_ends_at_once(target, caplog):
    async def analyse():
        async with (
            distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            with MetricsCollector(cluster if target == "cluster" else None):
                return await client.submit(sum, [1, 2])

    assert asyncio.run(asyncio.wait_for(analyse(), 60)) == 3
    assert "async with MetricsCollector(client)" in caplog.text


@pytest.mark.parametrize("seconds", [0.003, 0.02, 0.04, 0.1])
def test_a_beginning_that_is_cancelled_leaves_nothing_behind(seconds):
    from roastcoffea import hooks
    from roastcoffea.route import listeners

    async def enter(client):
        async with MetricsCollector(client):
            await asyncio.sleep(60)

    async def analyse():
        async with (
            distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(enter(client), seconds)
            for _ in range(600):
                scheduler = cluster.scheduler
                spaces = [*scheduler.plugins, *scheduler.worker_plugins, *scheduler._broker._topics, *scheduler.task_metadata]
                left = [name for name in spaces if "roastcoffea" in str(name)]
                if not left and not listeners and not hooks._open:
                    return
                await asyncio.sleep(0.05)
            raise AssertionError(f"left behind: {left} {listeners} {hooks._open}")

    asyncio.run(analyse())
