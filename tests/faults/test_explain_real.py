"""Real runs with one thing wrong in each: roast explain names it first, with its evidence. What is wrong is in the table of
faults.py; the same runs without it, and so what it really costs, are measured by bench/real.py."""

from __future__ import annotations

import sys

import faults
import nano
import planted
import pytest
from coffea import processor
from helpers import first_worker, rows

#: Of the time of chunks, spent waiting while other programs had the cores: above it, these may be what held a run back.
BUSY, TRIES = 0.08, 3
pytestmark = pytest.mark.alone
QUICK = [fault for fault in faults.FAULTS if fault.quick]


@pytest.fixture(scope="module")
def clusters():
    with faults.Clusters() as clusters:
        yield clusters


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    with faults.Scene(tmp_path_factory.mktemp("planted")) as scene:
        yield scene


def when_quiet(measure, right) -> faults.Explained:
    """The first run that is right, or that other programs did not disturb: a wrong one of these is wrong."""
    for _ in range(TRIES):
        run = measure()
        print(run.line(), file=sys.stderr)
        if right(run) or run.waited_for_a_core < BUSY:
            return run
    pytest.skip(f"other programs had the cores for {run.waited_for_a_core:.0%} of the time: that held the run back")


def test_a_healthy_run_gives_nothing_above_a_note(scene, clusters):
    run = when_quiet(lambda: faults.measure(faults.healthy(scene, False), clusters), lambda run: not run.loud)
    assert run.loud == []


@pytest.mark.parametrize("fault", QUICK, ids=lambda fault: fault.name)
def test_what_is_planted_is_said_first(fault, scene, clusters):
    job = None

    def measure():
        nonlocal job
        job = fault.plant(scene, True)
        return faults.measure(job, clusters)

    run = when_quiet(measure, fault.is_said)
    assert fault.is_said(run), run.line()
    if fault.name in EVIDENCE:
        EVIDENCE[fault.name](run, job, clusters)


# ---- What is said of it


def check_two_storages(run, job, clusters):
    assert run.evidence("slow_storage", "slow storage")["name"] == "slow://"


def check_slow_storage(run, job, clusters):
    ((waited, all_),) = rows(
        run.path,
        "select sum(duration_ns - cpu_ns - run_delay_ns),"
        " sum(open_ns + events_ns + duration_ns + return_ns) from chunk",
    )
    share = run.evidence("io_bound", "of the time of a chunk, waiting in process()")["value"]
    assert share == pytest.approx(100 * waited / all_, rel=0.1)


def check_stopped_worker(run, job, clusters):
    with clusters.client(job.cluster) as client:
        address, _ = first_worker(client)
    slow = run.evidence("slow_worker", "slow worker")
    assert slow["name"] == address
    assert slow["value"] > 2  # it runs for a quarter of the time


def check_huge_chunk(run, job, clusters):
    ((longest,),) = rows(run.path, "select max(open_ns + events_ns + duration_ns + return_ns) / 1e9 from chunk")
    assert run.evidence("tail", "the longest chunk took")["value"] == pytest.approx(longest)


def check_small_chunks(run, job, clusters):
    first = run.first()
    assert run.evidence("opening", "events per chunk")["value"] == 50
    ((opening, chunks),) = rows(run.path, "select sum(open_ns + events_ns) / 1e9, count(*) from chunk")
    assert run.evidence("opening", "both, per chunk")["value"] == pytest.approx(opening / chunks, rel=1e-3)
    advised = {"runner": nano.runner(processor.IterativeExecutor(status=False), chunksize=50)}
    exec(first["code"], advised)  # what is advised gives the chunks that it says
    made = list(advised["runner"].preprocess(job.fileset))
    assert len(made) == first["values"]["chunks"] < chunks
    assert len(made) == first["values"]["per_file"] * len(job.files)


def check_leaking(run, job, clusters):
    growth = run.evidence("memory_growth", "growth per chunk")["value"]
    assert growth == pytest.approx(planted.Leaking.BYTES / 2**20, rel=0.2)


def check_killed(run, job, clusters):
    assert run.evidence("workers_lost", "workers lost")["value"] == 1
    assert run.said["replay"]["error_percent"] < 15


EVIDENCE = {name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")}
