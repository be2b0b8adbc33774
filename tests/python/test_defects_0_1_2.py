"""What roastcoffea 0.1.2 got wrong, row by row: each of these holds for ours."""

from __future__ import annotations

import concurrent.futures
import datetime
import sqlite3
import sys
import threading
import time

import numpy as np
import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
distributed = pytest.importorskip("distributed", reason="needs distributed")
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, open_run, track_metrics, track_time, work  # noqa: E402


def iterative():
    return processor.IterativeExecutor(status=False)


def on_dask(client, **options):
    return processor.DaskExecutor(client=client, status=False, **options)


def measure(executor, fileset, instance, target=None, **options):
    with MetricsCollector(target or executor, processor_instance=instance) as collector:
        result = nano.runner(executor, **options)(fileset, processor_instance=instance)
    return result, collector


def rows(collector, query):
    with sqlite3.connect(f"file:{collector.run.path}?immutable=1", uri=True) as database:
        return database.execute(query).fetchall()


def test_01_cores_of_workers_that_left_do_not_count(fileset):
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
        MetricsCollector(client) as collector,
    ):
        client.retire_workers([sorted(client.scheduler_info(n_workers=-1)["workers"])[0]])
        cluster.scale(3)  # as many as there have been: one more than there are
        client.wait_for_workers(2)
        nano.runner(on_dask(client))(fileset, processor_instance=nano.Plain())
    assert len(collector.run.workers) == 3
    assert collector.metrics["peak_cores"] == 2
    assert collector.metrics["total_cores"] <= 2


def test_02_the_number_of_chunks_is_that_of_the_report_and_the_average_goes_with_it():
    with MetricsCollector() as collector:
        collector.set_coffea_report({"bytesread": 100, "entries": 40, "processtime": 5.0, "chunks": 10})
        for start in range(4):
            collector.record_chunk_metrics({"dataset": "a", "file": "f", "entry_start": start, "duration": 0.5})
    metrics = collector.metrics
    assert (metrics["num_chunks"], metrics["num_chunk_records"]) == (10, 4)
    assert metrics["avg_cpu_time_per_chunk"] == pytest.approx(5.0 / 10)


class Sections(nano.Plain):
    @track_metrics
    def process(self, events):
        for _ in range(3):
            with track_time(self, "three times"):
                time.sleep(0.02)
        return nano.measure(events)


def test_03_sections_are_filled_and_add_up(fileset):
    _, collector = measure(iterative(), fileset, Sections())
    section = collector.metrics["sections"]["three times"]
    assert section["count"] == 36
    assert section["total_duration"] >= 36 * 0.02
    assert all(record["timing"]["three times"] >= 0.06 for record in collector.chunk_metrics)


def test_04_a_saved_measurement_has_everything_and_its_times_are_of_the_clock_on_the_wall(client, fileset, tmp_path):
    before = time.time()
    _, collector = measure(on_dask(client), fileset, nano.Plain(), target=client)
    folder = collector.save_measurement(tmp_path)
    run = open_run(folder)
    data = run.tracking_data()
    assert data == collector.tracking_data
    assert data["worker_cpu"] and data["worker_memory"]
    assert all(isinstance(when, datetime.datetime) for when in data["worker_counts"])
    assert len(run.chunks) == 12
    t0, t1 = run.times
    assert before <= t0 <= t1 <= time.time()
    assert collector.t_start == pytest.approx(t0)


def test_05_chunks_are_there_without_being_asked_for_and_nothing_is_left_in_the_output(client, fileset):
    (output, _), collector = measure(on_dask(client), fileset, nano.Tracked(), target=client)
    assert set(output) == {"signal", "background", "met"}
    assert collector.metrics["num_chunk_records"] == 12


def test_05_records_may_be_taken_out_of_an_output_after_the_block():
    class Instance:
        _roastcoffea_collect_metrics = True

        @track_metrics
        def process(self, events):
            return {"n": len(events)}

    output = Instance().process([1, 2])
    with MetricsCollector() as collector:
        pass
    collector.extract_metrics_from_output(output)
    assert output == {"n": 2}
    assert collector.metrics["num_chunk_records"] == 1


class Peak(nano.Plain):
    def process(self, events):
        np.ones(40_000_000).sum()  # 320 MB for some milliseconds
        return nano.measure(events)


def test_06_a_peak_of_milliseconds_is_caught(client, fileset):
    _, collector = measure(on_dask(client), fileset, Peak(), target=client)
    peaks = [record["mem_peak_mb"] - record["mem_before_mb"] for record in collector.chunk_metrics]
    assert min(peaks) > 250


def test_07_skipped_and_retried_chunks_leave_a_trace(client, fileset, tmp_path, capsys):
    skipped = nano.Failing(str(tmp_path), "background", times=100, error=OSError)
    _, collector = measure(on_dask(client), fileset, skipped, target=client, skipbadfiles=True)
    assert collector.metrics["num_failed_chunks"] == 4
    (tmp_path / "retried").mkdir()
    retried = nano.Failing(str(tmp_path / "retried"), "background", times=1)
    _, collector = measure(on_dask(client, retries=2), fileset, retried, target=client)
    assert collector.metrics["num_failed_chunks"] == 4
    assert collector.metrics["num_retried_chunks"] == 4


def test_07_a_failed_run_has_a_summary_and_its_samples(client, fileset, tmp_path):
    failing = nano.Failing(str(tmp_path), "background", times=100)
    collector = MetricsCollector(client, worker_tracking_interval=0.1)
    with pytest.raises(Exception, match="made to fail"), collector:
        nano.runner(on_dask(client, retries=0))(fileset, processor_instance=failing)
    collector.print_summary()
    assert collector.tracking_data["worker_memory"]


def test_08_what_is_documented_is_there():
    import coffea_metrics
    from roastcoffea import track_section

    assert coffea_metrics.MetricsCollector is MetricsCollector
    assert track_section is track_time
    assert callable(MetricsCollector.set_chunk_metrics)


@pytest.mark.parametrize("kind", ["futures", "dask"])
def test_09_threads_may_share_a_processor(fileset, kind):
    with contextlib_cluster(kind) as executor:
        (output, _), collector = measure(executor, fileset, nano.Tracked(), processor_compression=None, chunksize=50)
    assert output["signal"]["events"] == 800
    assert sorted(r["num_events"] for r in collector.chunk_metrics) == [50] * 24
    assert all(set(r["timing"]) == {"jets", "again"} for r in collector.chunk_metrics)


def contextlib_cluster(kind):
    import contextlib

    @contextlib.contextmanager
    def make():
        if kind == "futures":
            yield processor.FuturesExecutor(workers=4, status=False, pool=concurrent.futures.ThreadPoolExecutor)
        else:
            with (
                distributed.LocalCluster(n_workers=1, threads_per_worker=4, dashboard_address=":0") as cluster,
                distributed.Client(cluster) as client,
            ):
                yield on_dask(client)

    return make()


def test_10_there_is_one_sampler_at_a_time_and_an_outer_collector_keeps_on(client, fileset):
    with MetricsCollector(client, worker_tracking_interval=0.1) as outer:
        for _ in range(3):
            with MetricsCollector(client, worker_tracking_interval=30):
                pass
        nano.runner(on_dask(client))(fileset, processor_instance=nano.Plain())
    assert outer.metrics["num_chunk_records"] == 12
    times = [when for (when,) in rows(outer, "select t_ns from sample where last_seen_ns is not null order by t_ns")]
    assert len(times) == len(set(times))  # a heartbeat is seen once
    assert not [thread for thread in threading.enumerate() if thread.name == "roastcoffea"]
    with MetricsCollector(iterative(), worker_tracking_interval=60):
        pass
    assert not [thread for thread in threading.enumerate() if thread.name == "roastcoffea"]


def test_11_without_compression_the_processor_has_its_time(client, fileset):
    _, collector = measure(on_dask(client, compression=None), fileset, nano.Plain(), target=client)
    metrics = collector.metrics
    assert metrics["processor_cpu_time_seconds"] > metrics["chunk_cpu_seconds_total"]
    assert metrics["processor_cpu_time_seconds"] > metrics["overhead_cpu_time_seconds"]


def test_12_with_twelve_workers_no_fine_metric_is_lost():
    with (
        distributed.LocalCluster(
            n_workers=12, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with MetricsCollector(client) as collector:
            client.gather(client.map(lambda x: time.sleep(0.05), range(120), pure=False))
    spans = sum(v for k, v in collector.span_metrics.items() if k[2] in ("thread-cpu", "thread-noncpu"))
    tasks = rows(collector, "select sum(duration_s) from tasks")[0][0]
    assert rows(collector, "select count(*) from tasks")[0][0] == 120
    assert spans == pytest.approx(tasks, rel=0.02)


class Sleeper(nano.Plain):
    def process(self, events):
        time.sleep(0.25)
        return nano.measure(events)


def test_13_cpu_time_is_cpu_time(client, fileset):
    nano.runner(on_dask(client))(fileset, processor_instance=nano.Plain())  # what is imported and compiled at first
    _, collector = measure(on_dask(client), fileset, Sleeper(), target=client)
    metrics = collector.metrics
    assert metrics["chunk_noncpu_seconds_total"] >= 12 * 0.25
    assert metrics["chunk_cpu_seconds_total"] < 12 * 0.25 / 2
    assert all(record["cpu_seconds"] <= record["duration"] for record in collector.chunk_metrics)


def test_14_a_chunk_says_what_it_read_and_its_whole_time_is_visible(client, fileset, monkeypatch):
    from roastcoffea import messages
    from roastcoffea.recording import Recording

    sent, receive = [], Recording.receive
    monkeypatch.setattr(
        Recording, "receive", lambda self, sender, record: (sent.append(record), receive(self, sender, record))
    )
    _, collector = measure(on_dask(client), fileset, nano.Plain(), target=client)
    assert all(record["uuid"] for record in collector.chunk_metrics)
    facts = [record for record in sent if isinstance(record, messages.File)]
    assert 3 <= len(facts) <= 6  # once per file and process
    assert len(collector.run.files) == 3
    tasks = rows(collector, "select sum(duration_s) from tasks where prefix = 'Plain'")[0][0]
    seen = rows(collector, "select sum(open_s + schema_s + duration_s + return_s) from attempts")[0][0]
    assert seen > 0.5 * tasks


def test_15_any_output_any_processor_and_no_cluster(fileset):
    (number, _), collector = measure(iterative(), fileset, nano.Number())
    assert isinstance(number, float) and collector.metrics["num_chunk_records"] == 12
    _, collector = measure(iterative(), fileset, nano.function_processor)
    assert collector.metrics["num_chunk_records"] == 12
    with MetricsCollector() as collector:
        nano.runner(iterative())(fileset, processor_instance=nano.Plain())
    assert collector.metrics["num_chunk_records"] == 12


def calls_of_ours(path):
    """How many functions, of Python and of C, are called for each chunk outside the user's code."""
    calls = {}

    def counted(name):
        original = getattr(work._Attempt, name)

        def call(self, *args):
            def count(frame, event, arg):
                calls[self] = calls.get(self, 0) + event.endswith("call")

            sys.setprofile(count)
            try:
                return original(self, *args)
            finally:
                sys.setprofile(None)

        patch.setattr(work._Attempt, name, call)

    fileset = {"one": {"files": [str(path)], "treename": "Events"}}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("enter", "leave", "finish"):
            counted(name)
        _, collector = measure(iterative(), fileset, nano.Tracked(), chunksize=40)
    assert collector.metrics["num_chunk_records"] == len(calls) == 10
    return list(calls.values())


def test_16_a_chunk_costs_the_same_whether_its_tree_has_thirty_branches_or_fifteen_hundred(tmp_path):
    few = calls_of_ours(nano.write_file(tmp_path / "narrow.root", events=400, branches=30))
    many = calls_of_ours(nano.write_file(tmp_path / "wide.root", events=400, branches=1500))
    assert many == few
