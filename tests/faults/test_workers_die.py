"""Workers that die: killed in a chunk, out of memory, again and again until Dask gives up."""

from __future__ import annotations

import dask
import nano
import pytest
from distributed import Client, LocalCluster
from helpers import failures, rows, runner
from roastcoffea import MetricsCollector
from traces import traces


def test_a_worker_killed_in_a_chunk_is_seen_with_what_it_was_at(own_client, fileset, marks, heard):
    expected, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
    with MetricsCollector(own_client) as collector:
        out, _ = runner(own_client)(fileset, processor_instance=nano.Deadly(str(marks), heard, "background", times=1))
    assert out["signal"] == expected["signal"] and out["background"] == expected["background"]
    (failure,) = [f for f in failures(collector) if f[1] == "background"]
    assert failure[0] == "KilledWorker" and failure[2] == fileset["background"]["files"][0]
    metrics = collector.metrics
    assert metrics["workers_lost"] == 1
    assert metrics["num_successful_chunks"] == 12
    killed = rows(collector.run.path, "select sum(duration_ns) / 1e9 from chunk where error_type = 'KilledWorker'")[0][0]
    assert metrics["ledger"]["lost"]["core_seconds"] >= killed * (1 - 1e-9) > 0 and "failed" not in metrics["ledger"]
    done = rows(collector.run.path, "select distinct file, entry_start from attempts where error_type is null")
    assert len(done) == 12
    (lost,) = rows(collector.run.path, "select address, reason from worker where lost")
    assert lost[0] == failure[3] and lost[1]
    assert rows(collector.run.path, "select count(*) from tasks where state = 'killed'")[0][0] >= 1
    assert traces(own_client) == []


class DiesWithResults(nano.Plain):
    """The first worker that has done two chunks dies in its third: Dask has to compute the two again."""

    def __init__(self, folder, heard):
        self.folder, self.heard = folder, heard

    def process(self, events):
        import os
        import pathlib
        import time

        folder, me = pathlib.Path(self.folder), os.getpid()
        if len(list(folder.glob(f"done-{me}-*"))) == 2:
            try:
                (folder / "died").touch(exist_ok=False)
            except FileExistsError:
                pass  # the other one did
            else:
                nano.die_when_heard(self.heard, events)
        (folder / f"done-{me}-{time.time_ns()}").touch()
        return nano.measure(events)


def test_chunks_that_are_computed_again_count_once(own_client, fileset, marks, heard):
    with MetricsCollector(own_client) as collector:
        out = runner(own_client, savemetrics=False)(fileset, processor_instance=DiesWithResults(str(marks), heard))
    assert out["signal"]["events"] + out["background"]["events"] == 1200
    assert collector.coffea_report is None
    (dead,) = rows(collector.run.path, "select pid from worker where lost")
    again = len(list(marks.glob(f"done-{dead[0]}-*")))
    assert again == 2
    metrics = collector.metrics
    assert metrics["num_recomputed_chunks"] == again
    assert metrics["num_successful_chunks"] == 12
    assert (metrics["num_chunks"], metrics["total_events"]) == (12, 1200)
    assert {name: row["total_events"] for name, row in metrics["per_dataset"].items()} == {
        "signal": 800,
        "background": 400,
    }


def test_when_dask_gives_up_the_same_exception_arrives_and_all_attempts_are_listed(fileset, marks, heard):
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        collector = MetricsCollector(client)
        with pytest.raises(RuntimeError, match="KilledWorker"), collector:
            runner(client)(fileset, processor_instance=nano.Deadly(str(marks), heard, "background", times=100))
    killed = [f for f in failures(collector) if f[0] == "KilledWorker" and f[1] == "background"]
    assert len(killed) >= 2
    assert collector.run.outcome == "failed"
    assert collector.metrics["workers_lost"] >= 2
    collector.print_summary()


class Hungry(nano.Plain):
    """Takes memory without end in the first chunk it gets of a dataset."""

    def __init__(self, folder, heard):
        self.folder, self.heard = folder, heard

    def process(self, events):
        import os
        import time

        if events.metadata["dataset"] == "background" and not os.listdir(self.folder):
            open(os.path.join(self.folder, "eaten"), "w").close()
            nano.wait_until_heard(self.heard, events)
            eaten = []
            while True:  # until the nanny ends it
                eaten.append(bytearray(20_000_000))
                time.sleep(0.005)
        return nano.measure(events)


def test_a_worker_out_of_memory_is_named_as_such(fileset, marks, heard):
    fractions = {"target": False, "spill": False, "pause": False, "terminate": 0.95}
    with (
        dask.config.set({f"distributed.worker.memory.{name}": value for name, value in fractions.items()}),
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="700MB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        with MetricsCollector(client) as collector:
            out, _ = runner(client)(fileset, processor_instance=Hungry(str(marks), heard))
    assert out["background"]["events"] == 400
    reasons = rows(collector.run.path, "select reason from worker where lost")
    assert any("out of memory" in reason for (reason,) in reasons)
    assert [f[1] for f in failures(collector) if f[0] == "KilledWorker" and f[1] == "background"]
