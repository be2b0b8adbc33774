"""A run file in the making: takes messages of workers and backends, from any thread, and records them."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
import re
import shutil
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from roastcoffea import messages
from roastcoffea.completeness import Requests
from roastcoffea.guard import Guard, counted, logger, text_of, without_secrets
from roastcoffea.route import topic_of
from roastcoffea.settings import settings
from roastcoffea.work import describe

__all__ = ["Recording", "cache_folder"]


def cache_folder() -> Path:
    """Where run files go that the user gave no place for."""
    if settings.run_folder is not None:
        return settings.run_folder
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "roastcoffea" / "runs"


def _beside(path: Path) -> Iterator[Path]:
    """A path, and those that a run may have instead if a file is there: run.roast, run-2.roast, run-3.roast, …"""
    yield path
    for number in range(2, 10_000):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")


def _public(path: Path, name: str) -> tuple[Path, Any]:
    """A run file where the user wants it, or beside what is there. The recorder takes a name only if it is free."""
    from roastcoffea import _core

    path.parent.mkdir(parents=True, exist_ok=True)
    for candidate in _beside(path):
        if not candidate.exists():
            try:
                return candidate, _core.Recorder(str(candidate), name=name)
            except ValueError:
                if not candidate.exists():  # else another process was faster
                    raise
    raise FileExistsError(f"{path} and thousands of files beside it exist already")


def _private(path: Path, name: str) -> tuple[Path, Any]:
    """A run file that is its owner's alone."""
    from roastcoffea import _core

    return path, _core.Recorder(str(path), name=name, private=True)


def _cached(path: Path, name: str) -> tuple[Path, Any]:
    """The same in a folder of ours, which is as private; it may be of a version that did not care."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        path.parent.chmod(0o700)
    return _private(path, name)


class _NoRecorder:
    """Stands in when no run file can be written anywhere."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


class Recording:
    """One run being recorded.

    Parameters
    ----------
    path : str or Path, optional
        The run file; default: a new one in the cache folder.
    name : str, optional
        What the run is called.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, name: str | None = None) -> None:
        self.identity = uuid.uuid4().hex[:12]
        self._pid = os.getpid()
        self.name = name or "run"
        self.path: Path | None = None
        self.problem: str | None = None  # why it is not where it should be
        self.guard = Guard(self._note)
        self.recorder: Any = _NoRecorder()
        self.lock = threading.RLock()  # a run may be forgotten, and closed, wherever memory is asked for: also under this lock
        self.requests = Requests()
        self.running: dict[tuple[str, bytes], messages.Begin] = {}
        self._left: dict[str, tuple[int, str]] = {}  # when and why workers went that are not back
        self._leaving: dict[tuple[str, bytes], Callable[[], None]] = {}  # what to record unless the worker tells its end
        self.chunks = 0
        self.deadline = float("inf")  # of the monotonic clock: when the end of the block has to be over
        self._clock_offsets: dict[str, int] = {}  # of workers, in nanoseconds
        self._machines: dict[str, str] = {}  # by host, in words
        self._sites: dict[str, str] = {}
        self.takers: dict[type, Callable[[str, Any], None]] = {
            messages.Begin: self._on_begin,
            messages.End: self._on_end,
            messages.Chunk: self._on_chunk,
            messages.File: lambda sender, file: self.recorder.file(file.packed),
            messages.Unopened: lambda sender, failure: self.requests.failed_to_open(failure),
            messages.Samples: lambda sender, samples: self.recorder.packed(sender, samples.packed),
            messages.Note: self._on_note,
        }
        self._arrived: dict[str, int] = {}  # the number of each sender's last message
        self._arrival = threading.Condition()
        self.spool: str | None = None
        self._open(path)

    @property
    def topic(self) -> str:
        return topic_of(self.identity)

    def _open(self, path: str | os.PathLike[str] | None) -> None:
        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        word = re.sub(r"[^\w.-]+", "-", self.name)[:60]
        default = f"{stamp}-{word}-{self.identity[:6]}.roast"
        given = [Path(path)] if path else []
        places = [(place / default if os.path.isdir(place) else place, _public) for place in given]
        places.append((cache_folder() / default, _cached if settings.run_folder is None else _public))
        places.append((Path(tempfile.gettempdir()) / default, _private))
        for place, make in places:
            try:
                self.path, self.recorder = make(place, self.name)
                if self.path != place:
                    self.problem = self.problem or f"{place} exists already"
                break
            except Exception as error:
                self.problem = self.problem or text_of(error)
        if self.problem is not None:
            where = f"the run is recorded in {self.path}" if self.path else "nothing is recorded"
            self.guard.say("the run file", f"{self.problem}: {where}")

    def _note(self, text: str) -> None:
        self.recorder.note("warning", text)

    def fact(self, key: str, value: str | int | None) -> None:
        if value is not None:
            self.recorder.fact(key, value)

    # ---- what workers say

    def take(self, packed: bytes) -> messages.Message:
        """Record what a message says. What is in it that we do not know is skipped, and noted once."""
        message = messages.unpack(packed)
        for what in message.skipped:
            self.guard.say(what, f"{what} were skipped: a worker or the scheduler has another roastcoffea")
        for record in message.records:
            self.receive(message.sender, record)
        with self._arrival:
            self._arrived[message.sender] = max(message.number, self._arrived.get(message.sender, 0))
            self._arrival.notify_all()
        return message

    def receive(self, sender: str, record: messages.Record) -> None:
        """Record what one of ``messages`` says."""
        with self.guard("records of chunks"):
            self.takers[type(record)](sender, record)

    def seconds_left(self, most: float) -> float:
        """How long something may take: so many seconds, or what is left of them at the end of the block."""
        return max(min(most, self.deadline - time.monotonic()), 0.01)

    def wait_for(self, numbers: dict[str, int], seconds: float) -> bool:
        """Wait until the messages of these senders have come, up to these numbers. False: not all of them did."""
        with self._arrival:
            return self._arrival.wait_for(
                lambda: all(self._arrived.get(sender, 0) >= number for sender, number in numbers.items()), seconds
            )

    def _on_begin(self, sender: str, begin: messages.Begin) -> None:
        with self.lock:
            left = self._left.get(sender)
            if left is None:
                self.running[sender, begin.item] = begin
            else:  # it was under way when its worker went
                self._leaving[sender, begin.item] = functools.partial(self._chunk_killed, begin, sender, *left)

    def _on_end(self, sender: str, end: messages.End | messages.Chunk) -> None:
        if end.item is not None:
            with self.lock:
                self.running.pop((sender, end.item), None)
                self._leaving.pop((sender, end.item), None)

    def _on_chunk(self, sender: str, chunk: messages.Chunk) -> None:
        self.chunks += 1
        self.recorder.packed(sender, chunk.packed)
        self._on_end(sender, chunk)

    def _on_note(self, sender: str, note: messages.Note) -> None:
        self.guard.say(note.text, note.text, log=note.pid != os.getpid())

    def chunk(self, record: dict[str, Any]) -> None:
        self.chunks += 1
        self.recorder.chunk(record)

    # ---- what engines say

    def worker(self, address: str, **known: Any) -> None:
        if known.get("clock_offset_ns") is not None:
            self._clock_offsets[address] = known["clock_offset_ns"]
        if known.get("joined_ns") is not None or known.get("pid") is not None:  # it is there, perhaps again
            with self.lock:
                self._left.pop(address, None)
        self.recorder.worker({"address": address, **{name: v for name, v in known.items() if v is not None}})

    def machine(self, host: str, machine: str | None, site: str | None) -> None:
        """What a worker says of the machine that it is on. Facts of the run are the different ones, with their number."""
        for fact, by_host, said in (("worker_machines", self._machines, machine), ("worker_sites", self._sites, site)):
            if said and by_host.get(host) != said:
                by_host[host] = without_secrets(said)
                counts = Counter(by_host.values()).most_common()
                self.fact(fact, "; ".join(f"{kind} ({counted(count, 'host')})" for kind, count in counts))

    def to_worker_clock(self, t_ns: int, worker: str | None) -> int:
        """A time of our clock, by the worker's: the one in which its records are kept."""
        return t_ns + self._clock_offsets.get(worker or "", 0)

    def worker_left(self, address: str, t_ns: int, *, lost: bool, reason: str) -> None:
        """A worker went, and what it was at ended with it. One that was asked to go may still tell how that ended."""
        self.recorder.worker({"address": address, "left_ns": t_ns, "lost": lost, "reason": reason})
        with self.lock:
            self._left[address] = (t_ns, reason)
            begun = {key: self.running.pop(key) for key in list(self.running) if key[0] == address}
            ends = {
                key: functools.partial(self._chunk_killed, begin, address, t_ns, reason) for key, begin in begun.items()
            }
            if not lost:
                self._leaving |= ends
        for end in ends.values() if lost else ():
            end()

    def _chunk_killed(self, begin: messages.Begin, worker: str, end_ns: int, reason: str) -> None:
        """An attempt that ended with its worker. Nobody could measure it; what is known is what it was at."""
        record = {
            "worker": worker,
            "t_start_ns": begin.t_ns,
            "duration_ns": max(self.to_worker_clock(end_ns, worker) - begin.t_ns, 0),
            "error_type": "KilledWorker",
            "error": reason,
        }
        if begin.round is not None:
            record["round"] = begin.round
        item = self.requests.find(begin.item)
        if item is not None:
            record |= describe(item)
        self.chunk(record)

    # ---- the end

    def make_spool(self) -> str | None:
        """A folder of this machine where other processes may leave messages."""
        if self.spool is None:
            self.spool = tempfile.mkdtemp(prefix="roastcoffea-")
        return self.spool

    def finish(self, outcome: str) -> None:
        """The run has ended: readers see that from now on. What belongs to it may still be added until it is closed."""
        if os.getpid() != self._pid:
            return  # a forked child: the run goes on in the parent
        self._end_attempts()
        with self.guard("the end of the run"):
            self.recorder.finish(outcome)
        spool, self.spool = self.spool, None
        if spool is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(spool)

    def _end_attempts(self) -> None:
        """Those of workers that went and did not tell."""
        with self.lock:
            ends, self._leaving = list(self._leaving.values()), {}
        for end in ends:
            with self.guard("attempts that ended with their workers"):
                end()

    def close(self, outcome: str) -> None:
        """Close the run file. What could not be written is said, not raised."""
        if os.getpid() != self._pid:
            return
        self._end_attempts()
        problem = None
        try:
            problem = self.recorder.status()
            self.recorder.close(outcome)
        except Exception as error:
            problem = problem or str(error)
        if problem:
            logger.warning("%s: the run file is incomplete: %s", self.path, problem)

    def end_as_tracking_data(self) -> dict[str, Any]:
        """For a backend that was used without a collector: the run was only the means, and goes."""
        from roastcoffea import _core

        self.fact("t_end_ns", time.time_ns())
        self.finish("finished")
        self.close("finished")
        if self.path is None:
            return {}
        data = _core.Run(str(self.path)).tracking_data()
        self.path.unlink(missing_ok=True)
        return data
