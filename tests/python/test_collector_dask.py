"""Dask: what the scheduler and the workers tell, and that nothing of ours stays behind."""

from __future__ import annotations

import datetime
import itertools
import sqlite3
import threading
import time

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
distributed = pytest.importorskip("distributed", reason="needs distributed")
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector  # noqa: E402
from roastcoffea.backends.dask import DaskMetricsBackend  # noqa: E402
from traces import traces  # noqa: E402


def rows(collector, query):
    """What the run file says, by SQL."""
    with sqlite3.connect(f"file:{collector.run.path}?immutable=1", uri=True) as database:
        return database.execute(query).fetchall()


def executor(client, **options):
    return processor.DaskExecutor(client=client, status=False, **options)


def run(client, fileset, instance=None, **options):
    instance = instance or nano.Plain()
    return nano.runner(executor(client, **options))(fileset, processor_instance=instance)


def test_nothing_of_ours_stays_on_the_cluster(client, fileset):
    with MetricsCollector(client):
        assert traces(client)
        run(client, fileset)
    assert traces(client) == []


def test_every_task_is_listed_with_its_worker_and_times(client, fileset):
    with MetricsCollector(client) as collector:
        run(client, fileset)
    counts = dict(rows(collector, "select prefix, count(*) from tasks where state = 'memory' group by 1"))
    assert counts["Plain"] == 12  # one per chunk
    assert counts["automatic_retries"] == 3  # one per file, for its metadata
    assert rows(collector, "select count(*) from tasks where duration_s is null or worker is null")[0][0] == 0


def test_chunks_lie_within_the_tasks_that_ran_them(client, fileset):
    with MetricsCollector(client) as collector:
        run(client, fileset)
    inside = rows(
        collector,
        """select count(*) from attempts c join tasks t on t.worker = c.worker and t.prefix = 'Plain'
           where c.t_start >= t.start - 0.25 and c.t_start + c.duration_s <= t.start + t.duration_s + 0.25""",
    )  # Dask moves tasks by how its last heartbeat saw the clocks differ: on a busy machine a tenth of a second off
    assert inside[0][0] >= 12
    tasks = rows(collector, "select sum(duration_s) from tasks where prefix = 'Plain'")[0][0]
    parts = rows(collector, "select sum(open_s + schema_s + duration_s + return_s) from attempts")[0][0]
    assert 0.5 * tasks < parts <= tasks * 1.01


@pytest.mark.parametrize("compression", [1, None])
@pytest.mark.parametrize("instance", [nano.Plain(), nano.function_processor], ids=["class", "function"])
def test_the_processors_tasks_are_told_from_the_rest(client, fileset, compression, instance):
    with MetricsCollector(client, processor_instance=instance) as collector:
        run(client, fileset, instance, compression=compression)
    metrics = collector.metrics
    chunk_cpu = metrics["chunk_cpu_seconds_total"]
    assert metrics["processor_cpu_time_seconds"] > chunk_cpu  # the tasks open files, too
    assert 0 < metrics["overhead_cpu_time_seconds"] < metrics["processor_cpu_time_seconds"]
    name = collector.processor_name
    assert ("execute", name, "thread-cpu", "seconds") in collector.span_metrics
    assert ("execute", "preprocess", "thread-cpu", "seconds") in collector.span_metrics


def test_fine_metrics_are_complete(client, fileset):
    with MetricsCollector(client, processor_instance=nano.Plain()) as collector:
        run(client, fileset)
    spans = sum(v for k, v in collector.span_metrics.items() if k[2] in ("thread-cpu", "thread-noncpu"))
    tasks = rows(collector, "select sum(duration_s) from tasks")[0][0]
    assert spans == pytest.approx(tasks, rel=0.05, abs=0.05)


def test_workers_that_come_and_go_are_seen_exactly(fileset):
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        with MetricsCollector(client, worker_tracking_interval=0.2) as collector:
            run(client, fileset)
            cluster.scale(2)
            client.wait_for_workers(2)
            run(client, fileset)
            first = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
            client.retire_workers([first])
            run(client, fileset)
    metrics = collector.metrics
    assert (metrics["peak_workers"], metrics["workers_joined"]) == (2, 1)
    assert (metrics["workers_left"], metrics["workers_lost"]) == (1, 0)
    assert metrics["num_chunk_records"] == 36
    assert metrics["peak_cores"] == 2
    assert 1 < metrics["total_cores"] < 2


def test_nested_collectors_see_the_same_chunks(client, fileset):
    with MetricsCollector(client, name="outer") as outer:
        run(client, fileset)
        with MetricsCollector(client, name="inner") as inner:
            run(client, fileset)
        run(client, fileset)
    assert inner.metrics["num_chunk_records"] == 12
    assert outer.metrics["num_chunk_records"] == 36
    assert outer.metrics["num_recomputed_chunks"] == 0  # three runs, not one with lost results
    assert outer.metrics["total_events_from_chunks"] == 3 * 1200
    assert outer.metrics["elapsed_time_seconds"] > inner.metrics["elapsed_time_seconds"]
    assert rows(outer, "select count(*) from tasks where prefix = 'Plain'")[0][0] == 36
    assert traces(client) == []


def test_a_collector_may_be_used_again(client, fileset):
    collector = MetricsCollector(client, worker_tracking_interval=0.1)
    for _ in range(2):
        with collector:
            run(client, fileset)
        assert collector.metrics["num_chunk_records"] == 12


def test_another_client_is_not_measured_and_not_disturbed(cluster, fileset):
    results = {}
    with distributed.Client(cluster, set_as_default=False) as mine, distributed.Client(cluster, set_as_default=False) as other:

        def work_of_the_other():
            with MetricsCollector(other, name="other") as collector:
                results["other"] = (run(other, fileset, nano.Number())[0], collector)

        with MetricsCollector(mine, name="mine") as collector:
            thread = threading.Thread(target=work_of_the_other)
            thread.start()
            out, _ = run(mine, fileset)
            thread.join()
    assert out["signal"]["events"] == 800
    assert results["other"][1].metrics["num_chunk_records"] == 12
    assert collector.metrics["num_chunk_records"] == 12
    assert {r["dataset"] for r in collector.chunk_metrics} == {"signal", "background"}
    assert rows(collector, "select count(*) from tasks where prefix = 'Number'")[0][0] == 0


def test_two_clients_with_one_processor_class_have_fine_metrics_of_their_own(cluster, fileset):
    both_run = threading.Barrier(2)
    collectors = {}

    def analyse(name):
        with distributed.Client(cluster, set_as_default=False) as mine, MetricsCollector(mine, name=name) as collector:
            both_run.wait(60)
            run(mine, fileset)
            assert "map" not in vars(mine)
            both_run.wait(60)  # the tasks of both are on the scheduler until both have been computed
        collectors[name] = collector

    threads = [threading.Thread(target=analyse, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for collector in collectors.values():
        own = [v for k, v in collector.span_metrics.items() if k[1] == "Plain" and k[2] in ("thread-cpu", "thread-noncpu")]
        tasks = rows(collector, "select sum(duration_s), count(*) from tasks where prefix = 'Plain'")[0]
        assert tasks[1] == 12
        assert sum(own) == pytest.approx(tasks[0], rel=0.05, abs=0.05)
    assert set(collectors) == {"one", "two"}


def test_threads_that_share_a_processor_do_not_mix_chunks(fileset):
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=4, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        with MetricsCollector(client) as collector:
            runner = nano.runner(executor(client), processor_compression=None, chunksize=50)
            out, _ = runner(fileset, processor_instance=nano.Tracked())
    assert out["signal"]["events"] == 800
    records = collector.chunk_metrics
    assert len(records) == 24 and {r["num_events"] for r in records} == {50}
    assert all({s["section_name"]: s["count"] for s in r["sections"]}["again"] == 3 for r in records)


@pytest.mark.parametrize("target", ["address", "executor", "nothing", "late"])
def test_the_cluster_is_found(cluster, client, fileset, target):
    """By its address, by an executor, by the client of the context, and when coffea makes one for the run."""
    if target == "late":
        client.close()
    first = {"address": cluster.scheduler_address, "executor": executor(client)}.get(target)
    with MetricsCollector(first) as collector:
        if target == "late":
            nano.runner(processor.DaskExecutor(status=False))(fileset, processor_instance=nano.Plain())
        else:
            run(client, fileset)
    assert collector.metrics["num_chunk_records"] == 12
    assert collector.metrics["peak_workers"] >= 2
    assert collector.metrics["processor_cpu_time_seconds"] > 0


def test_without_a_timeline_there_are_still_chunks(client, fileset):
    with MetricsCollector(client, track_workers=False) as collector:
        run(client, fileset)
    assert collector.metrics["num_chunk_records"] == 12
    assert collector.tracking_data is None


def test_below_a_second_the_scheduler_is_asked_between_heartbeats(client):
    held = distributed.Event("held", client=client)
    with MetricsCollector(client, worker_tracking_interval=0.05) as collector:
        busy = client.submit(lambda: distributed.Event("held").wait(60), key="busy")
        while len(collector.run.samples) < 60:
            time.sleep(0.05)
        held.set()
        busy.result()
    data = collector.tracking_data
    for worker, points in data["worker_active_tasks"].items():
        heartbeats = {seen for _, seen in data["worker_last_seen"][worker]}
        assert len(points) > 2 * len(heartbeats)
        assert all(earlier <= later for (earlier, _), (later, _) in itertools.pairwise(points))
    assert max(tasks for points in data["worker_active_tasks"].values() for _, tasks in points) == 1


def test_times_of_tracking_data_are_utc_wherever_the_client_is(client, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        with MetricsCollector(client) as collector:
            client.submit(lambda: 1).result()
        now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
        times = collector.tracking_data["worker_counts"]
        assert times and all(abs(when - now) < datetime.timedelta(minutes=10) for when in times)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_backend_works_by_itself(client):
    backend = DaskMetricsBackend(client)
    backend.start_tracking(interval=0.1)
    span = backend.create_span("mine")
    assert backend.get_span_metrics(span) == {}  # it has no id until it is entered
    with span["context"] as identity:
        client.gather(client.map(lambda x: sum(range(x)), range(1000, 1020)))
    assert span["id"] == identity
    sums = backend.get_span_metrics(span)
    data = backend.stop_tracking()
    assert any(key[2] == "thread-cpu" for key in sums)
    assert max(data["worker_counts"].values()) == 2
    assert traces(client) == []
