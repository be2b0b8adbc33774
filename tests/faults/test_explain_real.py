"""Real runs with one thing wrong in each: roast explain names it first, with its evidence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import nano
import planted
import pytest
from built import program
from coffea import processor
from distributed import Client, LocalCluster
from helpers import rows
from roastcoffea import MetricsCollector

#: Of the time of chunks, spent waiting while other programs had the cores: above it, these may be what held a run back.
BUSY, TRIES = 0.2, 3
ORDINARY = [1600] * 6


@pytest.fixture(scope="module")
def calm_client():
    """For the faults that leave a cluster as it was."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def write_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")

    def write(sizes):
        paths = [folder / f"{i}-{size}.root" for i, size in enumerate(sizes)]
        for i, (path, size) in enumerate(zip(paths, sizes, strict=True)):
            if not path.exists():
                nano.write_file(path, events=size, seed=i)
        return [str(path) for path in paths]

    return write


def fileset_of(files):
    return {"data": {"files": files, "treename": "Events"}}


def pid_of_first_worker(client):
    return min(client.run(os.getpid).items())


class Explained:
    """A run and what the command says of it."""

    def __init__(self, run) -> None:
        self.path = run.path
        asked = [str(program("roast")), "explain", str(run.path), "--json"]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        self.said = json.loads(done.stdout)
        assert run.explain()["findings"] == self.said["findings"]
        for finding in self.said["findings"]:
            print(f"{finding['id']}, {finding['confidence']}, saves {finding['saving_seconds']:.2f} s", file=sys.stderr)

    @property
    def waited_for_a_core(self) -> float:
        """Of the time of chunks, by what the kernel says."""
        ((delay, all_),) = rows(self.path, "select sum(run_delay_ns), sum(duration_ns) from chunk")
        return delay / all_

    @property
    def told(self):
        """The findings about this run; that no core was free is about other programs."""
        told = [finding for finding in self.said["findings"] if finding["id"] != "no_core_free"]
        assert len(told) == len(self.said["findings"]) or self.waited_for_a_core > 0.05
        return told

    @property
    def first(self):
        return self.told[0] if self.told else {"id": None}

    @property
    def loud(self):
        return [finding["id"] for finding in self.told if finding["confidence"] != "note"]

    def evidence(self, what):
        (found,) = [e for e in self.first["evidence"] if e["what"] == what]
        return found


def explain(client, files, analysis, hindered=None, chunksize=400) -> Explained:
    """Measures a run on workers that are warm, of files that coffea knows."""
    fileset, known = fileset_of(files), {}

    def runner(**options):
        executor = processor.DaskExecutor(client=client, status=False, retries=3)
        return nano.runner(executor, chunksize=chunksize, metadata_cache=known, **options)

    client.run(planted.forget)
    expected, _ = runner(maxchunks=2)(fileset, processor_instance=nano.Plain())
    assert expected["data"]["events"] > 0
    with MetricsCollector(client, processor_instance=analysis) as collector:
        if hindered is None:
            out, _ = runner()(fileset, processor_instance=analysis)
        else:
            with planted.Hindered(hindered):
                out, _ = runner()(fileset, processor_instance=analysis)
    ((events,),) = rows(collector.run.path, "select sum(entries) from files")
    assert out["data"]["events"] == events
    return Explained(collector.run)


def when_quiet(measure, right) -> Explained:
    """The first run that is right, or that other programs did not disturb: a wrong one of these is wrong."""
    for _ in range(TRIES):
        run = measure()
        if right(run) or run.waited_for_a_core < BUSY:
            return run
    pytest.skip(f"other programs had the cores for {run.waited_for_a_core:.0%} of the time: that held the run back")


def expect(cause, measure) -> Explained:
    run = when_quiet(measure, lambda run: run.first["id"] == cause)
    assert run.first["id"] == cause
    return run


def test_a_healthy_run_gives_nothing_above_a_note(calm_client, write_files):
    files = write_files(ORDINARY)
    run = when_quiet(lambda: explain(calm_client, files, planted.Busy(0.0005)), lambda run: not run.loud)
    assert run.loud == []


def test_slow_file_access_is_waiting_for_storage(calm_client, write_files):
    files = [f"slow://{path}" for path in write_files(ORDINARY)]
    run = expect("io_bound", lambda: explain(calm_client, files, planted.Busy(0.0001)))
    ((waited, all_),) = rows(
        run.path,
        "select sum(duration_ns - cpu_ns - run_delay_ns),"
        " sum(open_ns + events_ns + duration_ns + return_ns) from chunk",
    )
    share = run.evidence("of the time of a chunk, waiting in process()")["value"]
    assert share == pytest.approx(100 * waited / all_, rel=0.1)


def test_of_two_storages_the_slow_one_is_named(calm_client, write_files):
    files = write_files(ORDINARY)
    mixed = files[:4] + [f"slow://{path}" for path in files[4:]]
    run = expect("slow_storage", lambda: explain(calm_client, mixed, planted.Busy(0.0002), chunksize=200))
    assert run.evidence("slow storage")["name"] == "slow://"


def test_a_worker_that_is_stopped_again_and_again_is_named(calm_client, write_files):
    address, pid = pid_of_first_worker(calm_client)
    files = write_files(ORDINARY)
    run = expect("slow_worker", lambda: explain(calm_client, files, planted.Busy(0.0005), hindered=pid))
    assert run.evidence("slow worker")["name"] == address
    assert run.evidence("slow worker")["value"] > 2  # it runs for a quarter of the time


def test_one_huge_chunk_at_the_end_is_a_tail(calm_client, write_files):
    files = write_files([400] * 20 + [10000])
    run = expect("tail", lambda: explain(calm_client, files, planted.Busy(0.0003), chunksize=10000))
    ((longest,),) = rows(run.path, "select max(open_ns + events_ns + duration_ns + return_ns) / 1e9 from chunk")
    assert run.evidence("the longest chunk took")["value"] == pytest.approx(longest)


def test_tiny_chunks_spend_their_time_opening_files(calm_client, write_files):
    files = write_files([1600] * 4)
    run = expect("opening", lambda: explain(calm_client, files, planted.Busy(0.0001), chunksize=50))
    assert run.evidence("events per chunk")["value"] == 50
    ((opening, chunks),) = rows(run.path, "select sum(open_ns + events_ns) / 1e9, count(*) from chunk")
    assert run.evidence("per chunk")["value"] == pytest.approx(opening / chunks, rel=1e-3)


def test_a_leaking_processor_grows_chunk_by_chunk(write_files):
    files = write_files(ORDINARY)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        run = expect("memory_growth", lambda: explain(client, files, planted.Leaking(0.0004)))
    assert run.evidence("growth per chunk")["value"] == pytest.approx(planted.Leaking.BYTES / 2**20, rel=0.2)


def test_a_killed_worker_is_what_held_the_run_back(own_client, write_files, marks, heard):
    files = write_files(ORDINARY)

    def measure():
        folder = marks / str(len(list(marks.iterdir())))
        folder.mkdir()
        return explain(own_client, files, planted.Killed(0.0005, str(folder), heard, at=14))

    run = expect("workers_lost", measure)
    assert run.evidence("workers lost")["value"] == 1
    assert run.said["replay"]["error_percent"] < 15
