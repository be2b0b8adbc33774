"""Executors without a cluster: the workers are processes of this machine, and a thread of ours looks at them.

Chunks in this process tell the recording directly. Those in other processes leave their messages in a spool folder,
which is read here while they run; so a process that is killed has lost nothing of what it had finished.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from roastcoffea import messages, sampling
from roastcoffea.backends.base import AbstractMetricsBackend
from roastcoffea.recording import Recording
from roastcoffea.settings import settings
from roastcoffea.spool import SpoolReader

__all__ = ["LocalMetricsBackend"]


class LocalMetricsBackend(AbstractMetricsBackend):
    """Looks at this process and at the processes of a pool.

    Parameters
    ----------
    target : optional
        A coffea executor, or anything; what matters is the executor of each run.
    """

    engine = "local"

    @classmethod
    def accepts(cls, target: Any) -> bool:
        """Everything that no other backend wants."""
        return True

    def __init__(self, target: Any = None) -> None:
        self.target = target
        self._own: Recording | None = None
        self._tracking = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._spool = SpoolReader()
        self._pids: dict[int, tuple[float, float] | None] = {}
        self._runs = 0
        self._pool_size = 0
        self._pool_since_ns: int | None = None  # None: since before the run began
        self._ended: dict[int, int] = {}  # processes of pools that have ended, and when
        self._lock = threading.Lock()
        self._pid = os.getpid()

    # ---- coming and going

    def open(self) -> None:
        with self.recording.guard("chunks in other processes"):
            self.recording.make_spool()
        with self.recording.guard("the fine timeline of memory"):
            if settings.sampler_hz > 0:
                sampling.start(self.recording.identity, self._take, settings.sampler_hz)

    def start_tracking(self, interval: float = 1.0) -> None:
        if self.recording is None:  # used without a collector
            self.recording = self._own = Recording(name="tracking")
            self.recording.fact("t_start_ns", time.time_ns())
            self.open()
            self._joined(os.getpid(), os.cpu_count() or 1)
        self._tracking = True
        self._thread = threading.Thread(target=self._watch, args=(interval,), name="roastcoffea", daemon=True)
        self._thread.start()

    def stop_tracking(self) -> dict[str, Any]:
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
            self._thread = None
        if self._own is None:
            return {}
        self.close()
        own, self._own = self._own, None
        del self.recording
        return own.end_as_tracking_data()

    def flush(self) -> None:
        if os.getpid() != self._pid:
            return
        with self._lock, self.recording.guard("chunks in other processes"):
            self._read_spool()

    def close(self) -> None:
        self._look()
        with self.recording.guard("the fine timeline of memory"):
            sampling.stop(self.recording.identity)

    def _watch(self, interval: float) -> None:
        while not self._stop.wait(interval):
            self._look()

    def _look(self, *, at_the_end: bool = False) -> None:
        recording = self.recording
        if recording is None or os.getpid() != self._pid:  # or in a forked child, which may have inherited a held lock
            return
        with self._lock:
            with recording.guard("chunks in other processes"):
                self._read_spool()
            with recording.guard("the fine timeline of memory"):
                sampling.flush()
            for pid in list(self._pids) if self._tracking else ():
                if at_the_end and pid != os.getpid():
                    continue  # its pool is gone: that is not a departure
                with recording.guard("the timeline of processes"):
                    self._sample(pid)

    def _take(self, packed: bytes) -> None:
        if self._tracking and os.getpid() in self._pids:
            self.recording.recorder.packed(_address(os.getpid()), packed)

    def _read_spool(self) -> None:
        if self.recording.spool is None:
            return
        for pid, packed in self._spool.new(self.recording.spool):
            if pid not in self._pids:
                self._joined(pid, 1, self._arrival(packed))
            self.recording.take(packed)

    def _arrival(self, packed: bytes) -> int | None:
        """A pool offers its processes from the start, whenever they get their first chunk; others come in their place."""
        if len(self._pids) < self._pool_size:  # one of the first
            return self._pool_since_ns
        begun = [record.t_ns for record in messages.unpack(packed).records if isinstance(record, messages.Begin)]
        return begun[0] if begun else time.time_ns()

    def _joined(self, pid: int, cores: int, when_ns: int | None = None) -> None:
        if pid not in self._pids:
            self._pids[pid] = None
            self.recording.worker(
                _address(pid), name=f"process {pid}", host=socket.gethostname(), pid=pid, cores=cores,
                memory_limit=_memory_limit(), joined_ns=when_ns, clock_offset_ns=0, clock_error_ns=0,
            )  # fmt: skip

    def _left(self, pid: int, reason: str, *, lost: bool = False) -> None:
        self._pids.pop(pid, None)
        self._pool_size = max(0, self._pool_size - 1)  # who comes now comes for it
        self.recording.worker_left(_address(pid), time.time_ns(), lost=lost, reason=reason)

    def _sample(self, pid: int) -> None:
        look = _look_at_process(pid)
        if look is None:
            if pid != os.getpid() and os.path.isdir("/proc/self"):
                self._left(pid, "the process is gone")
            return
        memory, cpu_seconds = look
        now = time.time()
        before, self._pids[pid] = self._pids[pid], (now, cpu_seconds)
        busy = sum(1 for worker, _ in list(self.recording.running) if worker == _address(pid))
        sample = {"worker": _address(pid), "t_ns": int(now * 1e9), "memory": memory, "last_seen_ns": int(now * 1e9)}
        sample |= {"processing": busy, "executing": busy}
        if before is not None and now > before[0]:
            sample["cpu"] = 100 * (cpu_seconds - before[1]) / (now - before[0])
        self.recording.recorder.sample(sample)

    # ---- around coffea

    @contextlib.contextmanager
    def running(self, runner: Any, processor: Any) -> Iterator[None]:
        here = _threads_here(runner.executor)
        with self._lock:
            self._pool_size = 0 if here else getattr(runner.executor, "workers", 0)
            self._pool_since_ns = time.time_ns() if self._runs else None
            self._runs += 1
            for pid, when_ns in self._ended.items():  # another run follows theirs: they were not there to the end
                self.recording.worker_left(_address(pid), when_ns, lost=False, reason="its pool ended")
            self._ended.clear()
            if here:
                self._joined(os.getpid(), here)
                self._sample(os.getpid())
        try:
            yield
        finally:
            self._look(at_the_end=True)
            with self._lock:
                for pid in [pid for pid in self._pids if pid != os.getpid()]:
                    if any(worker == _address(pid) for worker, _ in list(self.recording.running)):
                        self._left(pid, "the run ended")  # in the middle of a chunk
                    else:
                        del self._pids[pid]
                        self._ended[pid] = time.time_ns()

    # ---- no spans

    def create_span(self, name: str) -> None:
        return None

    def get_span_metrics(self, span_info: Any) -> dict[tuple[str, ...], float]:
        return {}

    def supports_fine_metrics(self) -> bool:
        return False


def _address(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}"


def _threads_here(executor: Any) -> int:
    """How many threads of this process an executor uses for chunks; 0 if it uses other processes."""
    kind = type(executor).__name__
    if kind == "IterativeExecutor":
        return 1
    if kind == "FuturesExecutor":
        from concurrent.futures import ThreadPoolExecutor

        pool = executor.pool
        if isinstance(pool, ThreadPoolExecutor):
            return pool._max_workers
        return executor.workers if isinstance(pool, type) and issubclass(pool, ThreadPoolExecutor) else 0
    if kind == "ParslExecutor":
        return _parsl_threads(executor)
    return 0


def _parsl_threads(executor: Any) -> int:
    import parsl

    try:
        config = parsl.dfk().config
    except parsl.errors.NoDataFlowKernelError:  # it is started by the executor
        config = executor.config
    return sum(getattr(each, "max_threads", 0) for each in getattr(config, "executors", []))


def _look_at_process(pid: int) -> tuple[int, float] | None:
    """Resident bytes and CPU seconds of a process; None if they cannot be had."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{pid}/stat") as file:
            after_name = file.read().rpartition(")")[2].split()
        return resident, (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return _look_from_inside() if pid == os.getpid() else None


def _look_from_inside() -> tuple[int, float] | None:
    """The same for this process, where there is no /proc."""
    from roastcoffea import _core

    memory = _core.process_memory()
    return None if memory is None else (int(memory * 2**20), time.process_time())


def _memory_limit() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
