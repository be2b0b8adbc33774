"""The job of ``make matrix``, run by the Python of one release of coffea: with a collector and without, by one executor.

It prints a line of JSON per case: how often ``process`` was called (counted by the job itself), how many attempts the
collector has, and whether the results are the same.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import multiprocessing
import os
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nano
from coffea import processor
from roastcoffea import MetricsCollector, track_metrics


class Counting(processor.ProcessorABC):
    """Writes a line for each call, tells what it sees, and fails where it is told to."""

    def __init__(self, calls: str, failing: bool = False) -> None:
        self.calls, self.failing = calls, failing

    def process(self, events):
        place = f"{events.metadata['dataset']} {events.metadata['entrystart']}"
        fails = self.failing and place == "background 100"
        with open(self.calls, "a") as file:
            file.write(f"{place} {'failed' if fails else 'ok'}\n")
        if fails:
            raise OSError("made to fail")
        sees = f"{type(self).__name__}({sorted(vars(self))}) {type(events).__name__} {sorted(events.metadata)}"
        return {**nano.measure(events), "sees": {sees}}

    def postprocess(self, accumulator):
        return accumulator


class CountingTracked(Counting):
    """The same, decorated."""

    @track_metrics
    def process(self, events):
        return super().process(events)


@contextlib.contextmanager
def executors(name: str):
    """A function that gives an executor of this kind, new for each run; and what it wants to be measured by."""
    if name == "iterative":
        yield lambda: processor.IterativeExecutor(status=False), None
    elif name == "futures":
        yield lambda: processor.FuturesExecutor(workers=2, status=False), None
    elif name == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
            yield lambda: processor.DaskExecutor(client=client, status=False), client
    else:
        with contextlib.ExitStack() as stack:

            def new_pool():
                return stack.enter_context(ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(name)))

            # Processes are forked inside the block of a collector; those that are spawned take seconds to come, and stay.
            pools = itertools.repeat(new_pool()) if name == "spawn" else iter(new_pool, None)
            yield lambda: processor.FuturesExecutor(pool=next(pools), workers=2, status=False), None


def run(executor, fileset: dict, instance, **options) -> dict:
    """What the user gets: the output, or the exception."""
    try:
        runner = nano.runner(executor, **options)
        if sys.modules["coffea"].__version__.startswith("0."):
            out, report = runner(fileset, "Events", instance)
        else:
            out, report = runner(fileset, instance)
        return {"out": out, "entries": report["entries"]}
    except Exception as error:
        while error.__cause__ is not None:
            error = error.__cause__
        return {"raised": f"{type(error).__name__}: {error}"}


def same(one, other) -> bool:
    """Equal, with sums of floating-point numbers that may have been added in another order."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return math.isclose(one, other, rel_tol=1e-6) if isinstance(one, float) else one == other


def case(make, target, fileset: dict, kind: type, failing: bool, **options) -> dict:
    """One job, without us and with us."""
    with tempfile.TemporaryDirectory() as folder:
        without, calls = (Path(folder, name) for name in ("without", "calls"))
        alone = run(make(), fileset, kind(str(without), failing), **options)
        executor = make()
        with MetricsCollector(target if target is not None else executor) as collector:
            measured = run(executor, fileset, kind(str(calls), failing), **options)
        lines = calls.read_text().splitlines()
        records = list(collector.chunk_metrics)
        return {
            "calls": len(lines),
            "failed_calls": sum(line.endswith("failed") for line in lines),
            "measured": int(collector.metrics["num_chunk_records"] or 0),
            "failed": int(collector.metrics["num_failed_chunks"] or 0),
            "raised": "raised" in measured,
            "same": same(alone, measured),
            **({} if same(alone, measured) else {"alone": repr(alone)[:300], "with_us": repr(measured)[:300]}),
            "phases": all(record.get("open_seconds") and record.get("events_seconds") for record in records),
            "reads": all(record.get("bytes_read") and record.get("accessed_branches") for record in records),
        }


CASES = {
    "plain": lambda *where: case(*where, Counting, False),
    "tracked": lambda *where: case(*where, CountingTracked, False),
    "raises": lambda *where: case(*where, Counting, True),
    "skipped": lambda *where: case(*where, Counting, True, skipbadfiles=True),
}


def main(name: str, files: list[str]) -> None:
    fileset = {
        "signal": {"files": files[:-1], "treename": "Events"},
        "background": {"files": files[-1:], "treename": "Events"},
    }
    warnings.simplefilter("ignore")
    with executors(name) as (make, target):
        for title, job in CASES.items():
            print(json.dumps({"case": title, **job(make, target, fileset)}), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).parent))
    main(sys.argv[1], sys.argv[2:])
