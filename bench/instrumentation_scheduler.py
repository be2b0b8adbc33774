"""Runs inside a Python that has our roastcoffea: what a chunk costs the scheduler, with a collector and without.

    instrumentation_scheduler.py FILE PAIRS

Scheduler and workers are processes of their own. The same job runs with and without a collector, in turns and in changing
order; the CPU time of the scheduler's process is taken from before the collector to after it. What does not grow with the
number of chunks (coming, going, looking at the workers) is measured with the same job of one chunk and taken off. Prints
one line of JSON: milliseconds per chunk of the scheduler's CPU without us, and what we add: the median of the pairs."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import nano_file
from coffea import processor
from distributed import Client
from roastcoffea import MetricsCollector

WORKERS, CHUNKS, EVENTS = 2, 800, 8


class Count(processor.ProcessorABC):
    def process(self, events):
        return {"events": len(events)}

    def postprocess(self, accumulator):
        return accumulator


def cpu_seconds(pid: int) -> float:
    """Of all threads of a process, to the nanosecond; threads that have ended do not count."""
    total = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


def job(client: Client, scheduler: int, path: str, monitored: bool, chunks: int) -> tuple[float, float]:
    """Seconds of the scheduler's CPU for one job, and of the clock."""
    runner = processor.Runner(
        processor.DaskExecutor(client=client, status=False), schema=nano_file.Schema, chunksize=EVENTS, maxchunks=chunks,
        metadata_cache={},
    )  # fmt: skip
    fileset = {"nano": {"files": [path], "treename": "Events"}}
    begun, before = time.monotonic(), cpu_seconds(scheduler)
    with contextlib.ExitStack() as stack:
        if monitored:
            run_file = f"{path}.{time.time_ns()}.roast"
            collector = stack.enter_context(MetricsCollector(client, run_file=run_file))
        out = runner(fileset, processor_instance=Count())
    spent = cpu_seconds(scheduler) - before, time.monotonic() - begun
    assert out["events"] == chunks * EVENTS
    assert not monitored or collector.metrics["num_chunk_records"] == chunks
    return spent


def added(client: Client, scheduler: int, path: str, turn: int, chunks: int) -> tuple[float, float, float]:
    """What a job costs the scheduler without us, what we add, and how long it took with us."""
    spent = {}
    for monitored in (turn % 2 == 0, turn % 2 == 1):
        spent[monitored] = job(client, scheduler, path, monitored, chunks)
    return spent[False][0], spent[True][0] - spent[False][0], spent[True][1]


def measure(client: Client, path: str, pairs: int) -> dict[str, float]:
    scheduler = client.run_on_scheduler(os.getpid)
    added(client, scheduler, path, 0, 1)  # imports, first connections
    few = [added(client, scheduler, path, turn, 1) for turn in range(pairs)]
    many = [added(client, scheduler, path, turn, CHUNKS) for turn in range(pairs)]
    base, fixed, short = (statistics.median(column) for column in zip(*few))
    plain, ours, wall = (statistics.median(column) for column in zip(*many))
    per_chunk = 1e3 / (CHUNKS - 1)
    return {
        "dask_ms": (plain - base) * per_chunk,
        "scheduler_ms": (ours - fixed) * per_chunk,
        "fixed_ms": fixed * 1e3,
        "chunks_per_second": CHUNKS / (wall - short),
    }


def main(path: str, pairs: int) -> None:
    places = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")])
    options = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": os.path.dirname(path),
        "env": {**os.environ, "PYTHONPATH": places},
    }
    file = f"{path}.scheduler.json"
    dask = [sys.executable, "-W", "ignore", "-m"]
    with contextlib.ExitStack() as stack:
        for command in (
            ["distributed.cli.dask_scheduler", "--port", "0"],
            ["distributed.cli.dask_worker", "--nworkers", str(WORKERS), "--nthreads", "1"],
        ):
            command += ["--scheduler-file", file, "--no-dashboard"]
            process = stack.enter_context(subprocess.Popen([*dask, *command], **options))
            stack.callback(process.terminate)
        with Client(scheduler_file=file, timeout=60) as client:
            client.wait_for_workers(WORKERS, timeout=60)
            print(json.dumps(measure(client, path, pairs)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
