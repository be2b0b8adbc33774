"""Analyses with something wrong in them, for runs that are to be explained. Workers import this module too."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import fsspec
import nano
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


LEAKED = []


def forget() -> None:
    """Give back what an earlier run kept."""
    LEAKED.clear()


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
