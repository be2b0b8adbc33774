"""Analyses with something wrong in them, for runs that are to be explained. Workers import this module too."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import awkward as ak
import fsspec
import nano
import numpy as np
import uproot
from coffea.processor import AccumulatorABC
from fsspec.implementations.local import LocalFileSystem


def compute(seconds: float) -> None:
    """Use the CPU for so long, however long that takes."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


class Busy(nano.Plain):
    """Computes for each event."""

    def __init__(self, seconds_per_event: float) -> None:
        self.seconds_per_event = seconds_per_event

    def process(self, events):
        compute(self.seconds_per_event * len(events))
        return nano.measure(events)


class Unlocked(Busy):
    """Computes as long, without Python's lock."""

    def process(self, events):
        end = time.thread_time() + self.seconds_per_event * len(events)
        while time.thread_time() < end:
            hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10_000)
        return nano.measure(events)


class Waiting(Busy):
    """Waits for each event, as for a service or for storage."""

    def process(self, events):
        time.sleep(self.seconds_per_event * len(events))
        return nano.measure(events)


class Reading(nano.Plain):
    """Uses all numbers of all jets and leptons of a wide file: see write_wide."""

    def process(self, events):
        out = super().process(events)
        out["sum"] = float(sum(ak.sum(events[name].value) for name in events.fields if name.startswith("Wide")))
        return out


IMPORTED = threading.Event()


class Importing(Busy):
    """What each worker needs before its first chunk takes a while."""

    def __init__(self, seconds_per_event: float, first: float) -> None:
        super().__init__(seconds_per_event)
        self.first = first

    def process(self, events):
        if self.first and not IMPORTED.is_set():
            compute(self.first)
            IMPORTED.set()
        return super().process(events)


class Returning(Busy):
    """Returns many numbers of each chunk."""

    def __init__(self, seconds_per_event: float, size: int) -> None:
        super().__init__(seconds_per_event)
        self.size = size

    def process(self, events):
        out = super().process(events)
        out["kept"] = np.random.default_rng(0).random(self.size // 8)
        return out


class Sum(AccumulatorABC):
    """A number that takes its time to be added."""

    def __init__(self, value: float = 0, seconds: float = 0) -> None:
        self.value, self.seconds = value, seconds

    def identity(self):
        return Sum(0, self.seconds)

    def add(self, other):
        compute(self.seconds)
        self.value += other.value


class Merging(Busy):
    """Its results are slow to add."""

    def __init__(self, seconds_per_event: float, seconds: float) -> None:
        super().__init__(seconds_per_event)
        self.seconds = seconds

    def process(self, events):
        return {**super().process(events), "slow": Sum(1, self.seconds)}


class Hogging(Busy):
    """Holds much memory, which is given back a while after the chunk, as caches and allocators do."""

    def __init__(self, seconds_per_event: float, size: int, seconds: float) -> None:
        super().__init__(seconds_per_event)
        self.size, self.seconds = size, seconds

    def process(self, events):
        held = bytearray(self.size)
        held[::4096] = b"x" * len(held[::4096])  # it is there only if it is used
        threading.Timer(self.seconds, held.clear).start()
        return super().process(events)


def write_wide(path: Path, events: int, collections: int, compression, cluster: int | None = None) -> Path:
    """Many numbers for each event, in clusters."""
    random = np.random.default_rng(5)

    def columns(count):
        jets = ak.unflatten(random.uniform(20, 200, 2 * count).astype("f4"), np.full(count, 2))
        numbers = {f"Wide{i}_value": random.integers(0, 4000, count).astype("f4") / 16 for i in range(collections)}
        return {"Jet": ak.zip({"pt": jets}), "MET_pt": random.exponential(30, count).astype("f4"), **numbers}

    types = {name: c.dtype if isinstance(c, np.ndarray) else c.type.content for name, c in columns(1).items()}
    with uproot.recreate(path, compression=compression) as file:
        tree = file.mktree("Events", types)
        for start in range(0, events, cluster or events):
            tree.extend(columns(min(cluster or events, events - start)))
    return path


LEAKED = []


def forget() -> None:
    """Give back what an earlier run kept."""
    LEAKED.clear()
    IMPORTED.clear()


class Leaking(Busy):
    """Keeps something of every chunk."""

    BYTES = 32_000_000

    def process(self, events):
        LEAKED.append(b"x" * self.BYTES)
        return super().process(events)


class Killed(Busy):
    """Ends its worker, and all it has done, in one of the chunks."""

    def __init__(self, seconds_per_event: float, folder: str, heard: str, at: int) -> None:
        super().__init__(seconds_per_event)
        self.folder, self.heard, self.at = folder, heard, at

    def process(self, events):
        Path(self.folder, str(time.time_ns())).touch()
        if len(os.listdir(self.folder)) == self.at:
            nano.die_when_heard(self.heard, events)
        return super().process(events)


class SlowStorage(LocalFileSystem):
    """Local files, each request for which takes a while: slow://PATH."""

    protocol = "slow"
    seconds = 0.1

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(str(path).removeprefix("slow://"))

    def cat_file(self, path, start=None, end=None, **options):
        time.sleep(self.seconds)
        return super().cat_file(path, start=start, end=end, **options)


fsspec.register_implementation("slow", SlowStorage, clobber=True)


class Hindered:
    """Stops a process for most of the time."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.hinder, daemon=True)

    def hinder(self) -> None:
        while not self.over.is_set():
            os.kill(self.pid, signal.SIGSTOP)
            self.over.wait(0.06)
            os.kill(self.pid, signal.SIGCONT)
            self.over.wait(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused) -> None:
        self.over.set()
        self.thread.join()
        os.kill(self.pid, signal.SIGCONT)


class OthersBusy:
    """Other programs that compute on the same machine."""

    def __init__(self, programs: int) -> None:
        self.programs = programs

    def __enter__(self):
        self.running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.programs)]
        return self

    def __exit__(self, *unused) -> None:
        for program in self.running:
            program.kill()
            program.wait()
