"""Small NanoAOD-like files and processors for the tests. Workers import this module too."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import awkward as ak
import numpy as np
import uproot
from coffea import processor
from coffea.nanoevents import NanoAODSchema
from roastcoffea import track_bytes, track_memory, track_metrics, track_time
from roastcoffea.work import item_key


class Schema(NanoAODSchema):
    """NanoAOD, without a warning for each index that our small files have not got."""

    warn_missing_crossrefs = False


READ = ["Jet_pt", "MET_pt", "nJet"]  # what every processor here reads


def write_file(path: Path, events: int = 400, branches: int = 20, seed: int = 0) -> Path:
    """A TTree with jets, missing energy and a number of trigger bits."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 6, events)

    def jagged(low: float, high: float) -> ak.Array:
        return ak.unflatten(random.uniform(low, high, counts.sum()).astype("f4"), counts)

    columns = {
        "Jet": ak.zip({"pt": jagged(20, 200), "eta": jagged(-4, 4), "phi": jagged(-3, 3), "mass": jagged(1, 9)}),
        "MET_pt": random.exponential(30, events).astype("f4"),
        "MET_phi": random.uniform(-3, 3, events).astype("f4"),
        "run": np.ones(events, "u4"),
        "luminosityBlock": np.ones(events, "u4"),
        "event": np.arange(events, dtype="u8"),
    }
    columns |= {f"HLT_Path{i}": random.random(events) < 0.1 for i in range(branches)}
    types = {name: c.dtype if isinstance(c, np.ndarray) else c.type.content for name, c in columns.items()}
    with uproot.recreate(path) as file:
        file.mktree("Events", types)
        file["Events"].extend(columns)
    return path


def measure(events: ak.Array) -> dict:
    """The physics: what the output of every processor here is made of."""
    return {
        events.metadata["dataset"]: {"events": len(events), "jets": float(ak.sum(events.Jet.pt > 50))},
        "met": float(ak.sum(events.MET.pt)),
    }


class Plain(processor.ProcessorABC):
    """A processor that knows nothing of us."""

    def process(self, events):
        return measure(events)

    def postprocess(self, accumulator):
        return accumulator


class Tracked(processor.ProcessorABC):
    """A processor with all that the documentation shows."""

    @track_metrics
    def process(self, events):
        with track_time(self, "jets"):
            ak.sum(events.Jet.pt)
        for _ in range(3):
            with track_time(self, "again"):
                pass
        with track_memory(self, "memory"):
            pass
        with track_bytes(self, events, "met"):
            ak.sum(events.MET.pt)
        if hasattr(self, "_roastcoffea_current_chunk"):
            self._roastcoffea_current_chunk["jets_seen"] = int(ak.count(events.Jet.pt))
        return measure(events)

    def postprocess(self, accumulator):
        return accumulator


class Number(processor.ProcessorABC):
    """Its output is not a dict."""

    @track_metrics
    def process(self, events):
        return float(ak.sum(events.MET.pt) + 0 * ak.sum(events.Jet.pt))

    def postprocess(self, accumulator):
        return accumulator


def function_processor(events):
    return measure(events)


class Failing(processor.ProcessorABC):
    """Fails for the chunks of a dataset, so many times (counted by files in a folder)."""

    def __init__(self, folder: str, dataset: str, times: int, error: type = ValueError) -> None:
        self.folder, self.dataset, self.times, self.error = folder, dataset, times, error

    @track_metrics
    def process(self, events):
        if events.metadata["dataset"] == self.dataset:
            name = f"{events.metadata['entrystart']}-{len(os.listdir(self.folder))}"
            mine = [f for f in os.listdir(self.folder) if f.startswith(f"{events.metadata['entrystart']}-")]
            if len(mine) < self.times:
                Path(self.folder, f"{name}-{time.time_ns()}").touch()
                raise self.error("made to fail")
        return measure(events)

    def postprocess(self, accumulator):
        return accumulator


def begun_mark(heard: str | Path, worker: str, item: bytes) -> Path:
    """The file that says that a collector has heard of the beginning of a chunk on a worker."""
    return Path(heard, f"{worker.rpartition(':')[2]}-{item.hex()}")


def wait_until_heard(heard: str, events: ak.Array) -> None:
    """Wait until the collector knows of the chunk that this worker is at, and so of all that it did before."""
    from distributed import get_worker

    mark = begun_mark(heard, get_worker().address, item_key(SimpleNamespace(**events.metadata)))
    deadline = time.monotonic() + 60
    while not mark.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nobody heard of {mark.name}")
        time.sleep(0.01)


def die_when_heard(heard: str, events: ak.Array) -> None:
    """Kill this worker as soon as the collector knows what it is at."""
    wait_until_heard(heard, events)
    os.kill(os.getpid(), signal.SIGKILL)


class Deadly(processor.ProcessorABC):
    """Kills the worker that runs a chunk of a dataset, so many times."""

    def __init__(self, folder: str, heard: str, dataset: str, times: int) -> None:
        self.folder, self.heard, self.dataset, self.times = folder, heard, dataset, times

    def process(self, events):
        if events.metadata["dataset"] == self.dataset and len(os.listdir(self.folder)) < self.times:
            Path(self.folder, str(time.time_ns())).touch()
            die_when_heard(self.heard, events)
        return measure(events)

    def postprocess(self, accumulator):
        return accumulator


def runner(executor, **options) -> processor.Runner:
    """A Runner with small chunks and no memory of earlier runs."""
    defaults = {"chunksize": 100, "savemetrics": True, "metadata_cache": {}, "schema": Schema}
    return processor.Runner(executor, **(defaults | options))
