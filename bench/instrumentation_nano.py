"""Runs inside a Python that has a roastcoffea, ours or 0.1.2: what @track_metrics costs on a real NanoAOD tree.

    instrumentation_nano.py FILE

Prints one line of JSON: milliseconds per chunk, of a process() that does nothing."""

from __future__ import annotations

import json
import sys
import time

import awkward
import nano_file
from coffea import processor
from roastcoffea import track_metrics

CHUNKS, ROUNDS = 10, 5

try:
    from roastcoffea import work
except ImportError:  # 0.1.2 puts everything into the output
    pass
else:
    work.listeners["bench"] = lambda sender, record: None  # a collector of ours in this process


class Decorated:
    _roastcoffea_collect_metrics = True

    @track_metrics
    def process(self, events):
        return {}


def seconds_per_chunk(events) -> float:
    """With a new processor for each chunk, as they come out of the pickle that Dask sends. The quickest of some rounds."""
    rounds = []
    for _ in range(ROUNDS):
        processors = [Decorated() for _ in range(CHUNKS)]
        begun = time.perf_counter()
        for one in processors:
            one.process(events)
        rounds.append((time.perf_counter() - begun) / CHUNKS)
    return min(rounds)


class Measure(processor.ProcessorABC):
    """Has events as coffea makes them, with their file still open, of which something was read."""

    def process(self, events):
        awkward.sum(events.Jet.pt)
        return {"track_metrics_ms": seconds_per_chunk(events) * 1e3}

    def postprocess(self, accumulator):
        return accumulator


def main(path: str) -> None:
    runner = processor.Runner(
        processor.IterativeExecutor(status=False), schema=nano_file.Schema, chunksize=10**9, savemetrics=False
    )
    out = runner({"nano": {"files": [path], "treename": "Events"}}, processor_instance=Measure())
    print(json.dumps(out))


main(sys.argv[1])
