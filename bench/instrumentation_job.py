"""Runs inside a Python that has our roastcoffea: what monitoring adds to the CPU time of a whole job.

    instrumentation_job.py FILE PAIRS

A LocalCluster runs the same job with and without a collector, in turns and in changing order. Chunks read a file and then
sleep for the rest of a second: so the CPU time of all processes, client and scheduler among them, is what the job and
the monitoring need besides the physics, and its difference is not lost in the noise of computing. Prints one line of JSON:
the mean of the differences in per cent of the time in chunks, and the half width of its 95 % interval."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time

import awkward
import nano_file
from coffea import processor
from distributed import Client, LocalCluster
from roastcoffea import MetricsCollector

WORKERS, THREADS, CHUNKS, EVENTS = 4, 16, 256, 25
TICKS = os.sysconf("SC_CLK_TCK")
#: Student's t for a two-sided 95 % interval, by the number of pairs.
STUDENT = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 12: 2.201}


class Second(processor.ProcessorABC):
    def process(self, events):
        begun = time.monotonic()
        jets = float(awkward.sum(events.Jet.pt))
        time.sleep(max(0.0, 1 - (time.monotonic() - begun)))
        return {"jets": jets, "events": len(events)}

    def postprocess(self, accumulator):
        return accumulator


def cpu_seconds(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            after_name = file.read().rpartition(")")[2].split()
        total += int(after_name[11]) + int(after_name[12])
    return total / TICKS


def job(client: Client, path: str, folder: str, monitored: bool, pids: list[int]) -> float:
    """CPU seconds of one job, from before the collector to after it."""
    executor = processor.DaskExecutor(client=client, status=False)
    runner = processor.Runner(
        executor, schema=nano_file.Schema, chunksize=EVENTS, savemetrics=True, metadata_cache={}
    )
    fileset = {"nano": {"files": [path], "treename": "Events"}}
    before = cpu_seconds(pids)
    if monitored:
        with MetricsCollector(client, run_file=os.path.join(folder, f"{time.time_ns()}.roast")) as collector:
            out, _ = runner(fileset, processor_instance=Second())
    else:
        out, _ = runner(fileset, processor_instance=Second())
    spent = cpu_seconds(pids) - before
    assert out["events"] == CHUNKS * EVENTS
    assert not monitored or collector.metrics["num_chunk_records"] == CHUNKS
    return spent


def main(path: str, pairs: int) -> None:
    folder = os.path.dirname(path)
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=THREADS, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        pids = [os.getpid(), *client.run(os.getpid).values()]
        for monitored in (False, True):  # imports, first connections
            job(client, path, folder, monitored, pids)
        spent = {False: [], True: []}
        for pair in range(pairs):
            for monitored in (pair % 2 == 0, pair % 2 == 1):
                spent[monitored].append(job(client, path, folder, monitored, pids))
    differences = [(with_us - without) / CHUNKS * 100 for with_us, without in zip(spent[True], spent[False])]
    width = STUDENT[pairs] * statistics.stdev(differences) / pairs**0.5
    print(json.dumps({"percent": statistics.mean(differences), "width": width, "without": statistics.mean(spent[False])}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
