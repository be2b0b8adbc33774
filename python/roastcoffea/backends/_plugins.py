"""What runs inside Dask: a plugin of the scheduler that tells of workers and tasks, and one of each worker.

Both send what they see to an event topic that only their collector listens to, and take themselves out when their
client goes away.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin
from distributed.metrics import time
from tornado.ioloop import PeriodicCallback

from roastcoffea import sampling
from roastcoffea.guard import Guard
from roastcoffea.work import topic_of

__all__ = ["SchedulerTracker", "WorkerProbe", "load_probe"]

_MOST_ROWS = 1000  # a message is sent early when it has as many tasks
_FLUSH_MS = 2000  # between messages with what the sampler of a worker saw


class SchedulerTracker(SchedulerPlugin):
    """Arrivals and departures as they happen, a sample of a worker when its heartbeat moved, every attempt at a task.

    It is there before the probes of the workers and leaves after them: so it can take all of us off the cluster should
    the client vanish.

    Parameters
    ----------
    identity : str
        Of the collector.
    client : str
        Id of the client whose tasks are of interest.
    """

    def __init__(self, identity: str, client: str) -> None:
        self.identity = identity
        self.name = topic_of(identity)
        self.client = client
        self.guard = Guard()
        self.probes: set[str] = set()  # addresses of the workers that may send us something
        self.no_probes = asyncio.Event()
        self.tracking = False
        self.keys: set = set()
        self.failures: dict[Any, int] = {}
        self.looked = float("-inf")  # at the workers, when
        self.killed: set = set()
        self.out_of_memory: dict[str, int] = {}
        self.tasks: list[list] = []
        self.callback: PeriodicCallback | None = None

    def __reduce__(self) -> tuple:
        return SchedulerTracker, (self.identity, self.client)

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler

    def track(self, interval: float) -> list[list]:
        """Look at the workers every so many seconds from now on. Gives those that are there."""
        self.tracking = True
        self.callback = PeriodicCallback(self.tick, interval * 1000)
        self.callback.start()
        return [self.describe(worker) for worker in self.scheduler.workers.values()]

    def describe(self, worker: Any) -> list:
        return [worker.address, str(worker.name), worker.host, worker.nthreads, worker.memory_limit, time()]

    def send(self, kind: str, rows: list) -> None:
        if rows:
            self.scheduler.log_event(self.name, {kind: rows})

    # ---- workers

    def add_worker(self, scheduler: Any, worker: str) -> None:
        if self.tracking:
            with self.guard("arrivals of workers"):
                self.send("workers", [self.describe(scheduler.workers[worker])])

    def log_event(self, topic: str, msg: Any) -> None:
        # The scheduler tells its plugins that a worker left, but only its log whether that was expected.
        if topic == self.name:
            if "hello" in msg:
                self.probes.add(msg["hello"]["address"])
            elif "bye" in msg:
                self.probe_left(msg["bye"])
        elif topic == "all":
            if isinstance(msg, dict) and msg.get("action") == "remove-worker":
                with self.guard("departures of workers"):
                    self.removed(msg)
        elif topic == "worker-restart-memory":
            with self.guard("departures of workers"):
                self.out_of_memory[msg["worker"]] = msg["rss"]

    def removed(self, event: dict) -> None:
        address, expected = event["worker"], bool(event["expected"])
        self.probe_left(address)
        if not self.tracking:
            return
        reason = re.sub(r"-[\d.]+$", "", event["stimulus_id"])
        if address in self.out_of_memory:
            size = self.out_of_memory.pop(address)
            reason = f"out of memory: {size / 2**20:.0f} MiB resident, restarted by its nanny"
        now = time()
        if not expected:
            for key in event["processing-tasks"]:
                if key in self.keys:
                    self.killed.add(key)
                    self.ended(key, "killed", worker=address, now=now)
        self.send("gone", [[address, now, not expected, reason]])

    def tick(self) -> None:
        with self.guard("the timeline of workers"):
            self.send("samples", self.samples())
        with self.guard("tasks"):
            self.flush()

    def samples(self) -> list[list]:
        # Nothing of a worker changes between its heartbeats, whose times are of this clock.
        before, self.looked = self.looked, time()
        return [_sample(worker) for worker in self.scheduler.workers.values() if worker.last_seen > before]

    # ---- tasks

    def update_graph(self, scheduler: Any, *, client: str, tasks: list, **kwargs: Any) -> None:
        if client == self.client and self.tracking:
            self.keys.update(tasks)

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if start == "processing":
            if key in self.keys:
                with self.guard("tasks"):
                    self.left_processing(key, finish, kwargs)
        elif finish == "forgotten":
            self.keys.discard(key)
            self.failures.pop(key, None)

    def left_processing(self, key: Any, finish: str, kwargs: dict) -> None:
        if key in self.killed:  # told when its worker went
            self.killed.discard(key)
            return
        if finish == "memory":
            self.ended(key, "memory", **kwargs)
        elif str(kwargs.get("stimulus_id", "")).startswith("task-erred"):  # else: cancelled, moved, or its worker died
            self.ended(key, "erred", **kwargs)

    def ended(
        self, key: Any, state: str, *, worker: Any = None, thread: Any = None, startstops: Any = None,
        nbytes: int | None = None, now: float | None = None, **_: Any
    ) -> None:  # fmt: skip
        task = self.scheduler.tasks.get(key)
        compute = [period for period in startstops or () if period["action"] == "compute"]
        start = compute[0]["start"] if compute else None
        stop = compute[-1]["stop"] if compute else now
        attempt = self.failures.get(key, 0) + 1
        if state != "memory":
            self.failures[key] = attempt
        prefix = task.prefix.name if task is not None else None
        self.tasks.append([str(key), prefix, worker, thread, start, stop, nbytes, attempt, state])
        if len(self.tasks) >= _MOST_ROWS:
            self.flush()

    def flush(self) -> None:
        rows, self.tasks = self.tasks, []
        self.send("tasks", rows)

    # ---- the end

    def remove_client(self, scheduler: Any, client: str) -> None:
        if client == self.client:  # killed, or it did not have the time to say goodbye
            scheduler.loop.add_callback(self.leave)

    def probe_left(self, address: str) -> None:
        self.probes.discard(address)
        if not self.probes:
            self.no_probes.set()

    def stop(self) -> None:
        """Look no more, and send what is left."""
        if self.callback is not None:
            self.callback.stop()
            self.callback = None
            self.tick()
        self.tracking = False

    async def leave(self) -> None:
        """Take everything of ours off the cluster.

        An event that came after its topic was forgotten would bring it back. A worker's last one is its goodbye.
        """
        with self.guard("leaving the scheduler"):
            self.stop()
            if self.name in self.scheduler.worker_plugins:
                await self.scheduler.unregister_worker_plugin(comm=None, name=self.name)
            self.no_probes.clear()
            if self.probes:
                await self.no_probes.wait()
            self.scheduler.log_event(self.name, {"end": True})
        self.scheduler.plugins.pop(self.name, None)
        topics = getattr(getattr(self.scheduler, "_broker", None), "_topics", {})
        topics.pop(self.name, None)


def _sample(worker: Any) -> list:
    metrics, last_seen = worker.metrics, worker.last_seen
    network, disk = metrics.get("host_net_io") or {}, metrics.get("host_disk_io") or {}
    spilled = metrics.get("spilled_bytes") or {}
    return [
        worker.address,
        metrics.get("time", last_seen),
        last_seen,
        metrics.get("memory"),
        metrics.get("cpu"),
        len(worker.processing),
        len(worker.executing),
        metrics.get("managed_bytes"),
        spilled.get("memory"),
        worker.occupancy,
        network.get("read_bps"),
        network.get("write_bps"),
        disk.get("read_bps"),
        disk.get("write_bps"),
    ]


_LOADER = (
    "(lambda find: __import__('roastcoffea.backends._plugins', fromlist=['load_probe']).load_probe(state) "
    "if find('roastcoffea') and find('roastcoffea.work') and find('distributed') "
    "else __import__('distributed').WorkerPlugin())"
    "(__import__('importlib.util', fromlist=['find_spec']).find_spec)"
)


def load_probe(state: dict) -> WorkerPlugin:
    """Rebuild a ``WorkerProbe`` from its pickle."""
    return WorkerProbe(state["identity"], state["hz"])


class WorkerProbe(WorkerPlugin):
    """Announces its worker, and streams what the sampler of its process sees.

    Parameters
    ----------
    identity : str
        Of the collector.
    hz : float
        How often the sampler looks; 0: it does not run.
    """

    def __init__(self, identity: str, hz: float) -> None:
        self.identity = identity
        self.hz = hz
        self.name = topic_of(identity)
        self.guard = Guard()
        self.callback: PeriodicCallback | None = None

    def __reduce__(self) -> tuple:
        # Dask closes a worker that cannot load a plugin: where this package is missing, the pickle is an empty plugin.
        return eval, (_LOADER, {"state": {"identity": self.identity, "hz": self.hz}})

    def setup(self, worker: Any) -> None:
        self.worker = worker
        with self.guard("the worker's own account"):
            worker.log_event(self.name, {"hello": self.describe()})
        if self.hz > 0:
            with self.guard("the fine timeline of memory"):
                sampling.start(self.name, self.take, self.hz)
                self.callback = PeriodicCallback(self.flush, _FLUSH_MS)
                self.callback.start()

    def describe(self) -> dict[str, Any]:
        """Who the worker is, and how its clock differs from the scheduler's."""
        worker = self.worker
        return {
            "address": worker.address,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "delay": worker.scheduler_delay,
            "latency": worker.latency,
        }

    def flush(self) -> None:
        with self.guard("the fine timeline of memory"):
            sampling.flush()

    def take(self, packed: bytes) -> None:
        self.worker.log_event(self.name, {"s": packed})

    def teardown(self, worker: Any) -> None:
        with self.guard("the fine timeline of memory"):
            if self.callback is not None:
                self.callback.stop()
                sampling.flush()
                sampling.stop(self.name)
        with self.guard("leaving the worker"):
            worker.log_event(self.name, {"bye": worker.address})
