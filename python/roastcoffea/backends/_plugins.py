"""What runs inside Dask: a plugin of the scheduler that tells of workers and tasks, and one of each worker.

Both send what they see to an event topic that only their collector listens to, and take themselves out when their
client goes away.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
from collections.abc import Sequence
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin
from distributed.metrics import time
from tornado.ioloop import PeriodicCallback

from roastcoffea import messages, sampling, shipping
from roastcoffea.guard import Guard, counted
from roastcoffea.outbox import Outbox
from roastcoffea.route import topic_of
from roastcoffea.surroundings import machine_in_words, site_named

__all__ = ["SchedulerTracker", "WorkerProbe", "load_probe"]

_MOST_ROWS = 1000  # a message is sent early when it has as many tasks
_DRAIN_MS = 2000  # between looks at what the sampler of a worker saw


class SchedulerTracker(SchedulerPlugin):
    """Arrivals and departures as they happen, a sample of a worker when its heartbeat moved, every attempt at a task.

    It is there before the probes of the workers and leaves after them: so it can take all of us off the cluster should
    the client vanish.

    Parameters
    ----------
    identity : str
        Of the collector.
    client : str
        Id of the client that listens. Its tasks are of interest, and those of ``clients``.
    """

    def __init__(self, identity: str, client: str) -> None:
        self.identity = identity
        self.name = topic_of(identity)
        self.client = client
        self.clients = {client}  # whose tasks are of interest
        self.guard = Guard()
        self.probes: set[str] = set()  # addresses of the workers that may send us something
        self.silent: set[str] = set()  # those that have said goodbye or have gone
        self.no_probes = asyncio.Event()
        self.tracking = False
        self.interval = messages.USUAL_INTERVAL
        self.leaving = False
        self.keys: set[Any] = set()
        self.failures: dict[Any, int] = {}
        self.looked = float("-inf")  # at the workers, when
        self.looks = messages.Looks()
        self.killed: set[Any] = set()
        self.out_of_memory: dict[str, int] = {}
        self.tasks: list[messages.Task] = []
        self.number = 0  # of messages sent
        self.callback: PeriodicCallback | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return SchedulerTracker, (self.identity, self.client)

    async def start(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.broker: Any = getattr(scheduler, "_broker", None)

    def track(self, interval: float) -> bytes:
        """Look at the workers every so many seconds from now on. Gives those that are there, as a message."""
        self.tracking, self.interval = True, interval
        self.callback = PeriodicCallback(self.tick, interval * 1000)
        self.callback.start()
        return messages.pack("scheduler", 0, [_joined(worker, None) for worker in self.scheduler.workers.values()])

    def send(self, records: Sequence[messages.Record], *, last: bool = False) -> None:
        if records or last:
            self.number += 1
            message = messages.pack("scheduler", self.number, records)
            self.scheduler.log_event(self.name, messages.event_of(message, last=last))

    # ---- workers

    def add_worker(self, scheduler: Any, worker: str) -> None:
        if self.tracking:
            with self.guard("arrivals of workers"):
                self.send([_joined(scheduler.workers[worker], time())])

    def log_event(self, topic: str, msg: Any) -> None:
        # The scheduler tells its plugins that a worker left, but only its log whether that was expected.
        if topic == self.name:
            self.probe_spoke(msg)
        elif topic == "all":
            if isinstance(msg, dict) and msg.get("action") == "remove-worker":
                with self.guard("departures of workers"):
                    self.removed(msg)
        elif topic == "worker-restart-memory":
            with self.guard("departures of workers"):
                self.out_of_memory[msg["worker"]] = msg["rss"]

    def probe_spoke(self, msg: dict[str, Any]) -> None:
        address: Any = msg.get("worker")  # added by the scheduler
        if messages.message_in(msg)[1]:
            self.probe_left(address)
        elif address in self.scheduler.workers:  # not one that has left and says its last words
            self.probes.add(address)

    def removed(self, event: dict[str, Any]) -> None:
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
        self.send([messages.Left(address, now, not expected, reason)])

    def tick(self) -> None:
        seen: list[messages.Heartbeat] = []
        with self.guard("the timeline of workers"):
            seen = self.heartbeats()
        with self.guard("tasks"):
            self.flush(seen)
        with contextlib.suppress(AttributeError):  # it keeps events for those who ask later: nobody does
            self.broker.truncate(self.name)

    def heartbeats(self) -> list[messages.Heartbeat]:
        # What a worker says of itself changes with its heartbeats, whose times are of this clock; its tasks in between, too.
        before, self.looked = self.looked, time()
        workers = self.scheduler.workers.values()
        if self.interval < messages.USUAL_INTERVAL:
            return [self.looks.at(_heartbeat(worker), self.looked) for worker in workers]
        return [_heartbeat(worker) for worker in workers if worker.last_seen > before]

    # ---- tasks

    def update_graph(self, scheduler: Any, *, client: str, tasks: list[Any], **kwargs: Any) -> None:
        if client in self.clients and self.tracking:
            self.keys.update(tasks)

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if start == "processing":
            if key in self.keys:
                with self.guard("tasks"):
                    self.left_processing(key, finish, kwargs)
        elif finish == "forgotten":
            self.keys.discard(key)
            self.failures.pop(key, None)

    def left_processing(self, key: Any, finish: str, kwargs: dict[str, Any]) -> None:
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
        self.tasks.append(messages.Task(str(key), prefix, worker, thread, start, stop, nbytes, attempt, state))
        if len(self.tasks) >= _MOST_ROWS:
            self.flush()

    def flush(self, seen: Sequence[messages.Heartbeat] = ()) -> None:
        ended, self.tasks = self.tasks, []
        self.send([*seen, *ended])

    # ---- the end

    def remove_client(self, scheduler: Any, client: str) -> None:
        if client == self.client:  # killed, or it did not have the time to say goodbye
            scheduler.loop.add_callback(self.leave)

    def probe_left(self, address: Any) -> None:
        self.probes.discard(address)
        self.silent.add(address)
        if not self.probes:
            self.no_probes.set()

    def stop(self) -> None:
        """Look no more, and send what is left."""
        if self.callback is not None:
            self.callback.stop()
            self.callback = None
            self.tick()
        self.tracking = False

    async def leave(self, seconds: float = 60) -> None:
        """Take everything of ours off the cluster. The client is told after so many seconds at the latest; what does not
        answer until then is waited for here, alone.

        An event that came after its topic was forgotten would bring it back. A worker's last one is its goodbye.
        """
        if self.leaving:
            return
        self.leaving = True
        with self.guard("leaving the scheduler"):
            self.stop()
            removal = asyncio.ensure_future(self.remove_probes())
            await self.goodbyes(seconds)
            self.send([], last=True)
            self.scheduler.unsubscribe_topic(self.name, self.client)
            await removal
            await self.goodbyes(None)
        self.scheduler.plugins.pop(self.name, None)
        self.scheduler.task_metadata.pop(self.name, None)
        getattr(self.broker, "_topics", {}).pop(self.name, None)

    async def remove_probes(self) -> None:
        with self.guard("leaving the workers"):
            if self.name not in self.scheduler.worker_plugins:
                return
            had_none = self.removed_from(await self.scheduler.unregister_worker_plugin(comm=None, name=self.name))
            if had_none:  # a worker that was stopped may take up the removal before what it removes
                message = {"op": "plugin-remove", "name": self.name}
                self.removed_from(await self.scheduler.broadcast(msg=message, workers=had_none))

    def removed_from(self, answers: dict[str, Any]) -> list[str]:
        """Workers that had a probe say goodbye, also if it never spoke. Gives those that had none."""
        had_one = {address for address, answer in answers.items() if answer.get("status") == "OK"}
        self.probes |= had_one - self.silent
        return list(answers.keys() - had_one)

    async def goodbyes(self, seconds: float | None) -> None:
        """Wait until every worker that spoke has sent its last; those that have not in time are noted."""
        self.no_probes.clear()
        if self.probes:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.no_probes.wait(), seconds)
        if self.probes:
            who = ", ".join(sorted(self.probes)[:3])
            workers = counted(len(self.probes), "worker")
            text = f"{workers} did not answer at the end ({who}): what they had not sent yet is missing"
            self.send([messages.Note(text)])


def _joined(worker: Any, when: float | None) -> messages.Joined:
    return messages.Joined(worker.address, str(worker.name), worker.host, worker.nthreads, worker.memory_limit, when)


def _heartbeat(worker: Any) -> messages.Heartbeat:
    metrics, last_seen = worker.metrics, worker.last_seen
    network, disk = metrics.get("host_net_io") or {}, metrics.get("host_disk_io") or {}
    spilled = metrics.get("spilled_bytes") or {}
    return messages.Heartbeat(
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
    )


_SOONEST, _LATEST = 0.5, 1.0  # seconds between the messages of a worker

def load_probe(state: dict[str, Any]) -> WorkerPlugin:
    """Make the probe that a client wants on this worker: see ``landing``."""
    return WorkerProbe(state["identity"], state["hz"])


class WorkerProbe(WorkerPlugin):
    """Announces its worker, and sends what happens there: chunks, and what the sampler of its process sees.

    Parameters
    ----------
    identity : str
        Of the collector.
    hz : float
        How often the sampler looks; 0: it does not run.
    carry : bool
        Whether the scheduler has this package for workers that have not got it.
    """

    def __init__(self, identity: str, hz: float, carry: bool = False) -> None:
        self.identity = identity
        self.hz = hz
        self.carry = carry
        self.name = topic_of(identity)
        self.guard = Guard(lambda text: self.outbox.put(messages.Note(text, os.getpid())))
        self.callback: PeriodicCallback | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Dask stops a worker that cannot load a plugin: so the pickle is one that loads everywhere.
        state = {"identity": self.identity, "hz": self.hz, "name": self.name, "carry": self.carry}
        return shipping.ship_worker_plugin(state | {"wanted": shipping.wanted()})

    def setup(self, worker: Any) -> None:
        self.worker = worker
        self.outbox = Outbox(worker.address, worker.loop, self.publish, self.interval)
        with self.guard("the worker's own account"):
            self.outbox.put(self.describe())
            self.outbox.flush()
        if self.hz > 0:
            with self.guard("the fine timeline of memory"):
                sampling.start(self.name, self.take, self.hz)
                self.callback = PeriodicCallback(self.drain, _DRAIN_MS)
                self.callback.start()

    def describe(self) -> messages.Hello:
        """Who the worker is, how its clock differs from the scheduler's, and on what machine it is."""
        worker = self.worker
        return messages.Hello(
            worker.address, os.getpid(), socket.gethostname(), worker.scheduler_delay, worker.latency,
            machine_in_words(), site_named(os.environ),
        )  # fmt: skip

    def interval(self) -> float:
        """Seconds between messages: as many as between heartbeats, which Dask makes rarer in a large cluster; but what dies
        with a worker is bounded."""
        between: float = self.worker.periodic_callbacks["heartbeat"].callback_time / 1000
        return min(max(between, _SOONEST), _LATEST)

    def publish(self, message: bytes, *, last: bool = False) -> None:
        with self.guard("records of chunks"):
            self.worker.log_event(self.name, messages.event_of(message, last=last))

    def last_words(self) -> tuple[bytes, int]:
        """Send what there is. Gives the worker's account of itself, and the number of messages until now."""
        self.drain()
        self.outbox.flush()
        return messages.pack(self.worker.address, 0, [self.describe()]), self.outbox.number

    def drain(self) -> None:
        with self.guard("the fine timeline of memory"):
            sampling.flush()

    def take(self, packed: bytes) -> None:
        self.outbox.put(messages.Samples(packed))

    def teardown(self, worker: Any) -> None:
        with self.guard("the fine timeline of memory"):
            if self.callback is not None:
                self.callback.stop()
                sampling.flush()
                sampling.stop(self.name)
        with self.guard("leaving the worker"):
            self.outbox.close()
            self.publish(messages.pack(worker.address, self.outbox.number + 1, []), last=True)
