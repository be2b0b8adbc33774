"""A run file in the making: takes messages of workers and backends, from any thread, and records them."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
import tempfile
import threading
import time
import uuid
from pathlib import Path
from typing import Any

from roastcoffea.guard import Guard, logger
from roastcoffea.settings import settings
from roastcoffea.work import FILE, item_key, topic_of

__all__ = ["Recording", "cache_folder"]


def cache_folder() -> Path:
    """Where run files go that the user gave no place for."""
    if settings.run_folder is not None:
        return settings.run_folder
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "roastcoffea" / "runs"


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

    def __init__(self, path: str | os.PathLike | None = None, name: str | None = None) -> None:
        self.identity = uuid.uuid4().hex[:12]
        self.name = name or "run"
        self.path: Path | None = None
        self.guard = Guard(self._note)
        self.recorder: Any = _NoRecorder()
        self.lock = threading.Lock()
        self.items: dict[bytes, Any] = {}
        self.running: dict[tuple[str, bytes], tuple[int, int | None]] = {}  # since when, in which round
        self.chunks = 0
        self.spool: str | None = None
        self._open(path)

    @property
    def topic(self) -> str:
        return topic_of(self.identity)

    def _open(self, path: str | os.PathLike | None) -> None:
        from roastcoffea import _core

        stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
        word = re.sub(r"[^\w.-]+", "-", self.name)[:60]
        default = f"{stamp}-{word}-{self.identity[:6]}.roast"
        candidates = [Path(path)] if path else []
        candidates += [cache_folder() / default, Path(tempfile.gettempdir()) / default]
        problem = None
        for candidate in candidates:
            try:
                candidate.parent.mkdir(parents=True, exist_ok=True)
                self.recorder = _core.Recorder(str(candidate), name=self.name)
                self.path = candidate
                break
            except Exception as error:
                problem = problem or error
        if problem is not None:
            where = f"the run is recorded in {self.path}" if self.path else "nothing is recorded"
            self.guard.say("the run file", f"{problem}: {where}")

    def _note(self, text: str) -> None:
        self.recorder.note("warning", text)

    def fact(self, key: str, value: str | int | None) -> None:
        if value is not None:
            self.recorder.fact(key, value)

    # ---- what workers say

    def receive(self, message: dict) -> None:
        """Take a message of a worker; see ``work`` for their kinds."""
        with self.guard("records of chunks"):
            if "c" in message:
                self.chunk(message["c"])
                self.running.pop((message.get("w"), message.get("h")), None)
            elif "b" in message:
                self.running[message["w"], message["b"]] = message["t"], message.get("r")
            elif "e" in message:
                self.running.pop((message["w"], message["e"]), None)
            elif "f" in message:
                self.recorder.file(message["f"])
            elif "n" in message:
                self.guard.say(message["n"], message["n"], log=message["p"] != os.getpid())

    def chunk(self, record: bytes | dict) -> None:
        self.chunks += 1
        self.recorder.chunk(record)

    def packed(self, record: bytes) -> None:
        """Take what rode in an output: a chunk, or the facts about a file."""
        if record[1:2] == FILE:
            self.recorder.file(record)
        else:
            self.chunk(record)

    def item(self, item: Any) -> None:
        """Remember a work item, to name it should its worker die with it."""
        self.items[item_key(item)] = item

    # ---- what engines say

    def worker(self, address: str, **known: Any) -> None:
        self.recorder.worker({"address": address, **{name: v for name, v in known.items() if v is not None}})

    def worker_left(self, address: str, t_ns: int, *, lost: bool, reason: str) -> None:
        self.recorder.worker({"address": address, "left_ns": t_ns, "lost": lost, "reason": reason})
        with self.lock:
            gone = [key for key in self.running if key[0] == address]
            begun = [(key[1], *self.running.pop(key)) for key in gone]
        for key, start_ns, round_ in begun:
            self.chunk_killed(key, address, start_ns, t_ns, reason, round_)

    def chunk_killed(
        self, key: bytes, worker: str, start_ns: int, end_ns: int, reason: str, round_: int | None = None
    ) -> None:
        """An attempt that ended with its worker. Nobody could measure it; what is known is what it was at."""
        record = {
            "worker": worker,
            "t_start_ns": start_ns,
            "duration_ns": max(end_ns - start_ns, 0),
            "error_type": "KilledWorker",
            "error": reason,
        }
        if round_ is not None:
            record["round"] = round_
        item = self.items.get(key)
        if item is not None:
            record |= {
                "dataset": item.dataset,
                "file": item.filename,
                "treename": item.treename,
                "entry_start": item.entrystart,
                "entry_stop": item.entrystop,
            }
        self.chunk(record)

    # ---- the end

    def make_spool(self) -> str | None:
        """A folder of this machine where other processes may leave messages."""
        if self.spool is None:
            self.spool = tempfile.mkdtemp(prefix="roastcoffea-")
        return self.spool

    def close(self, outcome: str) -> None:
        """End the run file. What could not be written is said, not raised."""
        problem = None
        try:
            problem = self.recorder.status()
            self.recorder.close(outcome)
        except Exception as error:
            problem = problem or str(error)
        if problem:
            logger.warning("%s: the run file is incomplete: %s", self.path, problem)
        if self.spool is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self.spool)

    def end_as_tracking_data(self) -> dict[str, Any]:
        """For a backend that was used without a collector: the run was only the means, and goes."""
        from roastcoffea import _core

        self.fact("t_end_ns", time.time_ns())
        self.close("finished")
        if self.path is None:
            return {}
        data = _core.Run(str(self.path)).tracking_data()
        self.path.unlink(missing_ok=True)
        return data
