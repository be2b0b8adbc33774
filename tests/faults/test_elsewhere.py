"""Clusters where this package is missing, damaged, or of another release: it is carried there, or said not to be."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time

import awkward as ak
import cloudpickle
import pytest
from coffea import processor
from coffea.nanoevents import NanoAODSchema
from distributed import Client
from elsewhere import Environments, cluster
from helpers import eventually, rows, runner
from roastcoffea import MetricsCollector, track_bytes, track_memory, track_metrics, track_time
from traces import traces

pytestmark = pytest.mark.filterwarnings("ignore:Missing cross-reference index")
KINDS = ("without", "with", "other")


class Plain(processor.ProcessorABC):
    """Knows nothing of us."""

    def process(self, events):
        return measure(events)

    def postprocess(self, accumulator):
        return accumulator


class Decorated(processor.ProcessorABC):
    """Uses everything that travels with a processor."""

    @track_metrics
    def process(self, events):
        with track_time(self, "time"), track_memory(self, "memory"), track_bytes(self, events, "bytes"):
            out = measure(events)
        self._roastcoffea_current_chunk["mine"] = 1
        self._roastcoffea_current_chunk["timing"]["mine"] = 1.5
        return out

    def postprocess(self, accumulator):
        return accumulator


def measure(events):
    return {"events": len(events), "jets": float(ak.sum(events.Jet.pt))}


@pytest.fixture(autouse=True)
def _by_value():
    """As a processor of a script or notebook is shipped."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def environments(tmp_path):
    folder = tmp_path / "environments"
    folder.mkdir()
    return Environments(folder)


@pytest.fixture(scope="module")
def truth(fileset):
    """What each processor gives without us, in this process."""
    from helpers import nano

    run = nano.runner(processor.IterativeExecutor(status=False), schema=NanoAODSchema)
    return run(fileset, processor_instance=Plain())[0]


@contextlib.contextmanager
def started(environments, scheduler, worker):
    """A cluster with one worker, and a client of it."""
    with cluster(environments) as made:
        made.scheduler(scheduler)
        made.worker(worker)
        with Client(made.address, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            yield made, client


def analyse(client, fileset, instance, **options):
    with MetricsCollector(client, worker_tracking_interval=0.2, **options) as collector:
        out, _ = runner(client, schema=NanoAODSchema)(fileset, processor_instance=instance)
    return out, collector


@pytest.mark.parametrize("scheduler, worker", list(itertools.product(KINDS, KINDS)))
def test_every_chunk_is_measured_whatever_the_cluster_has_installed(fileset, truth, environments, scheduler, worker):
    with started(environments, scheduler, worker) as (made, client):
        for instance in (Plain(), Decorated()):
            out, collector = analyse(client, fileset, instance)
            assert out == truth
            assert collector.metrics["num_chunk_records"] == 12, made.logs()
            ledger = collector.run.metrics["ledger"]
            assert ledger["process_cpu"]["core_seconds"] > 0 or ledger["process_wait"]["core_seconds"] > 0
            tasks = rows(collector.run.path, "select count(*) from tasks where state = 'memory'")[0][0]
            assert tasks >= 12
            assert traces(client) == []
        for record in collector.chunk_metrics:
            assert record["timing"].keys() == {"time", "mine"} and record["timing"]["mine"] == 1.5
            assert "memory" in record["memory"] and "bytes" in record["bytes"] and record["mine"] == 1


@pytest.mark.parametrize("scheduler, worker", [("without", "without"), ("with", "other"), ("other", "with")])
def test_without_carrying_the_job_is_the_same_and_the_run_says_why_nothing_was_measured(
    fileset, truth, environments, scheduler, worker, caplog
):
    with started(environments, scheduler, worker) as (made, client):
        for instance in (Plain(), Decorated()):
            out, collector = analyse(client, fileset, instance, carry=False)
            assert out == truth
            measured = worker == "with"
            assert len(collector.chunk_metrics) == (12 if measured else 0), made.logs()
            if not measured:
                assert "1 of 1 worker could not be measured: roastcoffea" in caplog.text
                assert "roastcoffea" in collector.run.facts["no_chunks"]
            assert collector.metrics["peak_workers"] == 1
            assert collector.metrics["total_cores"] == sum(client.nthreads().values())  # who was there before was there all the time
        assert traces(client) == []


@pytest.mark.parametrize("carry", [True, False])
def test_a_late_worker_whose_extension_is_damaged_does_not_stop_the_job(fileset, truth, environments, carry):
    class Slow(Plain):
        def process(self, events):
            time.sleep(0.3)
            return measure(events)

    with started(environments, "with", "with") as (made, client):
        with MetricsCollector(client, carry=carry) as collector:
            late = made.worker("broken")
            client.wait_for_workers(2, timeout=60)
            out, _ = runner(client, schema=NanoAODSchema)(fileset, processor_instance=Slow())
            assert late.poll() is None
        assert traces(client) == []
    assert out == truth
    by_worker = {record["worker"] for record in collector.chunk_metrics}
    assert len(by_worker) == (2 if carry else 1)
    assert len(collector.chunk_metrics) == 12 or not carry
    probes = rows(collector.run.path, "select probe from worker order by 1")
    assert probes == ([(1,), (1,)] if carry else [(0,), (1,)])


def test_what_was_carried_goes_with_the_worker(fileset, environments):
    with started(environments, "without", "without") as (made, client):
        analyse(client, fileset, Plain())
        (path,) = client.run(lambda: sys.modules["roastcoffea"].__file__).values()
        assert os.path.exists(path)
        worker = made.processes[-1]
        worker.terminate()
        worker.wait(60)
        eventually(lambda: not os.path.exists(path))
