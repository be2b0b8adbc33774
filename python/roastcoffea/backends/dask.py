"""Dask: plugins on the scheduler and the workers, events that stream to the client, and a span around the run.

This package need not be installed on the cluster: it is carried there (``landing``). Where it cannot be used, the client asks
the scheduler for the state of the workers instead, and chunks run unmeasured; both are said. Nobody is waited for who does
not answer: a probe says hello when it is there, and what leaves the cluster does so by itself.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import sys
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, overload

from roastcoffea import messages, shipping
from roastcoffea.backends.base import AbstractMetricsBackend
from roastcoffea.guard import counted
from roastcoffea.recording import Recording
from roastcoffea.route import ANNOTATION
from roastcoffea.settings import settings

__all__ = ["DaskBackend", "DaskMetricsBackend", "is_in_event_loop_of"]

_FINE_WORKERS = 100  # in a larger cluster the heartbeats are timeline enough
_PATIENCE = 5.0  # seconds to wait for an answer of the scheduler before going on without it
_HELLO_SECONDS = 2.0  # that the first workers have for their hello before the block begins without them
_GOODBYE_SECONDS = 1.0  # that workers have for their last message, where the client has to wait for it
_GOODBYE_SHARE = 0.8  # of the time that is left at the end: the rest is for telling the client


class DaskMetricsBackend(AbstractMetricsBackend):
    """Looks at a Dask cluster through a client.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    any_client : bool
        Whether to measure what other clients of this process run on the cluster, too, also those of other collectors.
    """

    engine = "dask"

    def __init__(self, client: Any, any_client: bool = False) -> None:
        self.client = client
        self._place: Any = None  # a cluster or an address, for a client of our own
        self.any_client = any_client
        self.processor_prefixes: set[str] = set()
        self.processor_name: str | None = None
        self._own: Recording | None = None
        self._usable = client is not None
        self._tracker = False
        self._probes = False
        self._sending_cargo = False
        self._polling = False
        self._workers: set[str] = set()  # that were there
        self._measured: set[str] = set()  # that said hello
        self._unable: dict[str, str] = {}  # that cannot use this package, and why
        self._speaking: set[str] = set()  # that have sent something, and not their last
        self._heard = threading.Condition()
        self._last = asyncio.Event()  # the tracker has sent its last
        self._leaving: concurrent.futures.Future[None] | None = None
        self._versions: dict[str, Any] = {}
        self._scheduler_offset = self._scheduler_error = 0.0
        self._span: dict[str, Any] | None = None

    # ---- whose it is

    @classmethod
    def accepts(cls, target: Any) -> bool:
        """A client, a coffea executor that has one, a cluster, the address of a scheduler; nothing, if there is a client."""
        return isinstance(target, str) or _is_cluster(target) or _client_of(target) is not None

    @classmethod
    def of_target(cls, target: Any) -> DaskMetricsBackend:
        client = None if isinstance(target, str) else _client_of(target)
        if client is not None:
            return cls(client)
        backend = cls(None, any_client=True)
        backend._place = target
        return backend

    # ---- coming and going

    def open(self) -> None:
        recording = self.recording
        if self.blocks_client:
            recording.guard.say("asynchronous", self._why_asynchronous)
            self._usable = False
            return
        if self._place is not None:
            from distributed import Client

            self.client = Client(self._place, set_as_default=False, timeout=_PATIENCE)
            self._usable = True
        recording.takers |= {
            messages.Hello: self._on_hello,
            messages.Joined: self._on_joined,
            messages.Left: self._on_left,
            messages.Heartbeat: self._on_heartbeat,
            messages.Task: self._on_task,
        }
        _looking.append(self)
        self._versions = self._handshake()
        recording.fact("distributed", self._versions.get("distributed"))
        self.client.subscribe_topic(recording.topic, self._event)
        with recording.guard("the scheduler's own account"):
            self._install_tracker()
        with recording.guard("chunks on Dask workers"):
            self._install_probes()

    _why_asynchronous = (
        "the cluster is not measured: this client is asynchronous, so write 'async with MetricsCollector(client) as collector:'"
    )

    def start_tracking(self, interval: float = 1.0) -> None:
        if self.recording is None:  # used without a collector
            self.recording = self._own = Recording(name="tracking")
            self.recording.fact("t_start_ns", time.time_ns())
            self.open()
        if not self._usable:
            return
        if self._tracker:
            with self.recording.guard("the scheduler's own account"):
                self.recording.take(self._on_scheduler(_track(), name=self.recording.topic, interval=interval))
        else:
            self._polling = True
            self.client.loop.add_callback(self._poll, interval)

    def stop_tracking(self) -> dict[str, Any]:
        self._polling = False
        if self.recording is None:
            return {}
        with self.recording.guard("the end of the timeline"):
            if self._tracker and self._connected():
                self._on_scheduler(_stop_tracker(), name=self.recording.topic)
        return self._end_of_own() if self._own is not None else {}

    def flush(self) -> None:
        if self._probes and self._connected() and not self.client.asynchronous:  # else its loop is what would wait
            with self.recording.guard("records that are under way"):
                self._ask_probes()

    def close(self) -> None:
        if self in _looking:
            _looking.remove(self)
        try:
            if self._connected():
                with self.recording.guard("leaving the cluster"):
                    self._leave()
                self._say_unmeasured(self._workers)
        finally:
            if self._place is not None and self.client is not None:
                self.client.close(timeout=self._seconds_left(_PATIENCE))

    def _leave(self) -> None:
        """Take everything of ours off the cluster. What is slow goes on after us: nothing of it depends on this thread."""
        if self._leaving is None:
            seconds = self._seconds_left(_PATIENCE)
            self._leaving = self._soon(self._leave_cluster(seconds))
        with contextlib.suppress(concurrent.futures.TimeoutError):
            self._leaving.result(self._seconds_left(_PATIENCE) + 0.2)
            return
        self.recording.guard.say("leaving", "the cluster did not say goodbye in time: what it had not sent yet is missing")

    async def _leave_cluster(self, seconds: float) -> None:
        topic = self.recording.topic
        try:
            if not self._tracker:
                await asyncio.wait_for(self._leave_from_here(topic), seconds)
            elif await self.client._run_on_scheduler(_leave(), name=topic, seconds=seconds * _GOODBYE_SHARE):
                await asyncio.wait_for(self._last.wait(), seconds)
            else:  # the scheduler was started anew, or never had it
                self._say_lost()
                await asyncio.wait_for(self._leave_from_here(topic), seconds)
        finally:
            self.client._event_handlers.pop(topic, None)

    async def _leave_from_here(self, topic: str) -> None:
        """Where nobody on the scheduler does it for us."""
        try:
            if self._probes:
                with contextlib.suppress(ValueError, OSError):  # it may not be there any more
                    await self.client._unregister_worker_plugin(topic)
            until = time.monotonic() + _GOODBYE_SECONDS
            while self._speaking and time.monotonic() < until:  # later events would bring the topic back
                await asyncio.sleep(0.02)
        finally:
            await self.client._run_on_scheduler(_forget_topic(), name=topic)

    def _connected(self) -> bool:
        if not self._usable or self.client.status == "running":
            return self._usable
        self._say_lost()
        return False

    def _say_lost(self) -> None:
        self.recording.guard.say("connection", "the connection to the scheduler was lost: what came after is missing")

    def _end_of_own(self) -> dict[str, Any]:
        self.close()
        own, self._own = self.recording, None
        del self.recording
        return own.end_as_tracking_data()

    # ---- asking the cluster

    def _seconds_left(self, most: float) -> float:
        return most if self.recording is None else self.recording.seconds_left(most)

    def _soon(self, call: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        """Have something done by the client's own thread, which an interrupt of this one does not reach."""
        return asyncio.run_coroutine_threadsafe(call, self.client.loop.asyncio_loop)

    def _ask(self, call: Coroutine[Any, Any, Any]) -> Any:
        return self._soon(call).result(self._seconds_left(_PATIENCE))

    def _on_scheduler(self, function: Callable[..., Any], **kwargs: Any) -> Any:
        return self._ask(self.client._run_on_scheduler(function, **kwargs))

    def _handshake(self) -> dict[str, Any]:
        """Ask the scheduler for versions and its clock; the quickest of three answers gives the best clock."""
        best: tuple[float, float, dict[str, Any]] | None = None
        for _ in range(3):
            before = time.time()
            answer = self._on_scheduler(_describe_scheduler())
            after = time.time()
            if best is None or after - before < best[0]:
                best = (after - before, answer["time"] - (before + after) / 2, answer)
        assert best is not None
        self._scheduler_error, self._scheduler_offset = best[0] / 2, best[1]
        return best[2]

    def _install_tracker(self) -> None:
        from roastcoffea.backends._plugins import SchedulerTracker

        topic = self.recording.topic
        why = self._on_scheduler(_land(), step="settle", wanted=shipping.wanted(), carry=self.carry)
        if why and self.carry:
            why = self._ask(self._send_cargo())
        if why:
            self.recording.guard.say(
                "scheduler", f"the scheduler is asked from the client, and tasks are not listed: {why}"
            )
            return
        tracker = SchedulerTracker(self.recording.identity, self.client.id)
        self._tracker = True
        self._ask(self.client._register_scheduler_plugin(tracker, name=topic, idempotent=False))

    async def _send_cargo(self) -> str:
        """Bring this package to the scheduler, once: workers get it there. Gives why the scheduler cannot use it itself."""
        if self._sending_cargo:
            return ""
        self._sending_cargo = True  # for now: a restart of the cluster forgets it
        try:
            cargo = await asyncio.to_thread(shipping.cargo)
            if self._leaving is not None:
                return "the block has ended"
            why: str = await self.client._run_on_scheduler(
                _land(), step="settle_carried", wanted=shipping.wanted(), cargo=cargo, key=self.recording.topic
            )
            if self._leaving is not None:  # it came after we had gone
                await self.client._run_on_scheduler(_forget_topic(), name=self.recording.topic)
            return why
        finally:
            self._sending_cargo = False

    def _install_probes(self) -> None:
        from roastcoffea.backends._plugins import WorkerProbe

        workers = set(self._ask(_identity(self.client))["workers"])
        hz = settings.sampler_hz if len(workers) <= _FINE_WORKERS else 0
        self._probes = True
        self._soon(self._register(WorkerProbe(self.recording.identity, hz, self.carry)))
        with self._heard:
            self._heard.wait_for(lambda: workers <= self._measured | self._unable.keys(), _HELLO_SECONDS)
        self._workers |= workers
        self._say_unmeasured(self._unable.keys())

    async def _register(self, probe: Any) -> None:
        """The scheduler answers when all workers have: some may never."""
        with self.recording.guard("chunks on Dask workers"):
            try:
                await self.client._register_worker_plugin(probe, name=probe.name, idempotent=False)
            except Exception:  # Dask keeps a plugin that it could not register
                await self.client._unregister_worker_plugin(probe.name)
                raise

    def _say_unmeasured(self, workers: Any) -> None:
        """Say how many of these are without a probe, and why. Those that never answered are told from the rest."""
        unmeasured = set(workers) - self._measured
        for address in unmeasured:
            self.recording.worker(address, probe=0)
        if unmeasured:
            counts = f"{len(unmeasured)} of {counted(len(self._workers), 'worker')}"
            text = f"{counts} could not be measured: {self._why_unmeasured(unmeasured)}"
            self.recording.guard.say(text, text)

    def _why_unmeasured(self, workers: set[str]) -> str:
        reasons = sorted({self._unable.get(address, "no answer came") for address in workers})
        return "; ".join(reasons[:3])

    def why_no_chunks(self) -> str | None:
        if self.blocks_client:
            return self._why_asynchronous
        if self._workers and not self._measured:
            none = f"none of the {len(self._workers)} workers could" if len(self._workers) > 1 else "the worker could not"
            return f"{none} be measured: {self._why_unmeasured(self._workers)}"
        return None

    def _ask_probes(self) -> None:
        """Have each worker send what it has, and wait until that is here."""
        answers = self._ask(self.client._run(_ask_probe(), on_error="return", name=self.recording.topic))
        sent = {}
        for address, answer in answers.items():
            if isinstance(answer, (list, tuple)):  # else an exception: it has gone meanwhile
                account, number = answer
                if self.recording.take(account).sender == address:  # else it speaks another version, which is said
                    sent[address] = number
        if not self.recording.wait_for(sent, _PATIENCE):
            self.recording.guard.say(
                "records that are under way", f"the last records of some workers did not come within {_PATIENCE:g} s"
            )

    # ---- what comes in on the topic

    def _event(self, event: tuple[float, Any]) -> None:
        recording = self.recording
        if recording is None:
            return
        with recording.guard("events of the cluster"):
            unable = messages.unable_in(event[1])
            if unable is not None:
                self._on_unable(*unable)
            if messages.wants_cargo(event[1]):
                self.client.loop.add_callback(self._send_cargo)
            packed, last = messages.message_in(event[1])
            self._note_speaker(event[1].get("worker"), last)
            if packed and recording.take(packed).sender == "scheduler" and last:
                self._last.set()

    def _note_speaker(self, worker: str | None, last: bool) -> None:
        if last:
            self._speaking.discard(worker or "")
        elif worker:
            self._speaking.add(worker)

    def _on_unable(self, worker: str, why: str) -> None:
        with self._heard:
            self._unable[worker] = why
            self._heard.notify_all()

    @overload
    def _to_client_clock(self, when: float) -> int: ...

    @overload
    def _to_client_clock(self, when: None) -> None: ...

    def _to_client_clock(self, when: float | None) -> int | None:
        """A time of the scheduler's clock, by ours."""
        return None if when is None else int((when - self._scheduler_offset) * 1e9)

    def _to_worker_clock(self, when: float | None, worker: str | None) -> int | None:
        """A time of the scheduler's clock, by the worker's."""
        return None if when is None else self.recording.to_worker_clock(self._to_client_clock(when), worker)

    def _on_joined(self, _: str, joined: messages.Joined) -> None:
        self._workers.add(joined.worker)
        self.recording.worker(
            joined.worker,
            name=joined.name,
            host=joined.host,
            cores=joined.cores,
            memory_limit=joined.memory_limit or None,
            joined_ns=self._to_client_clock(joined.joined),
        )

    def _on_left(self, _: str, left: messages.Left) -> None:
        self.recording.worker_left(left.worker, self._to_client_clock(left.left), lost=left.lost, reason=left.reason)

    def _on_hello(self, _: str, hello: messages.Hello) -> None:
        offset = self._scheduler_offset - hello.delay
        error = self._scheduler_error + hello.latency / 2
        self.recording.worker(
            hello.worker,
            pid=hello.pid,
            host=hello.host,
            clock_offset_ns=int(offset * 1e9),
            clock_error_ns=int(error * 1e9),
            probe=1,
        )
        self.recording.machine(hello.host, hello.machine, hello.site)
        with self._heard:
            self._measured.add(hello.worker)
            self._workers.add(hello.worker)
            self._heard.notify_all()

    def _on_heartbeat(self, _: str, heartbeat: messages.Heartbeat) -> None:
        sample = heartbeat._asdict()
        sample["t_ns"] = int(sample.pop("sent") * 1e9)
        sample["last_seen_ns"] = self._to_client_clock(sample.pop("last_seen"))
        self.recording.recorder.sample({name: value for name, value in sample.items() if value is not None})

    def _on_task(self, _: str, ended: messages.Task) -> None:
        task = ended._asdict()
        task["start_ns"] = self._to_worker_clock(task.pop("start"), ended.worker)
        task["stop_ns"] = self._to_worker_clock(task.pop("stop"), ended.worker)
        task["span"] = self._span["id"] if self._span else None
        self.recording.recorder.task({name: value for name, value in task.items() if value is not None})

    # ---- asking the scheduler from outside

    async def _poll(self, interval: float) -> None:
        seen: dict[str, float] = {}
        looks = messages.Looks() if interval < messages.USUAL_INTERVAL else None
        joined = None  # who is in the first answer was there before
        while self._polling and self.client.status == "running":
            with self.recording.guard("the timeline of workers"):
                self._compare(await _identity(self.client), seen, joined, looks)
            await asyncio.sleep(interval)
            joined = time.time() + self._scheduler_offset

    def _compare(
        self, identity: dict[str, Any], seen: dict[str, float], joined: float | None, looks: messages.Looks | None
    ) -> None:
        """What has changed since the last answer; with looks between heartbeats also what has not."""
        workers, now = identity["workers"], time.time() + self._scheduler_offset
        for address, facts in workers.items():
            if address not in seen:
                name, host, cores, limit = str(facts["name"]), facts["host"], facts["nthreads"], facts["memory_limit"]
                self.recording.receive("scheduler", messages.Joined(address, name, host, cores, limit, joined))
            heartbeat = _heartbeat_of(address, facts)
            if looks is not None:
                self.recording.receive("scheduler", looks.at(heartbeat, now))
            elif seen.get(address) != heartbeat.last_seen:
                self.recording.receive("scheduler", heartbeat)
            seen[address] = heartbeat.last_seen
        for address in seen.keys() - workers.keys():
            del seen[address]
            self.recording.worker_left(address, time.time_ns(), lost=False, reason="not there any more")

    # ---- spans

    def supports_fine_metrics(self) -> bool:
        try:
            from distributed import span  # noqa: F401
        except ImportError:
            return False
        return True

    def create_span(self, name: str) -> dict[str, Any] | None:
        if not self._usable or not self.supports_fine_metrics():
            return None
        info: dict[str, Any] = {"name": name}
        info["context"] = self._new_span(info)
        return info

    @contextlib.contextmanager
    def _new_span(self, info: dict[str, Any]) -> Iterator[str]:
        """Around what belongs to a span; gives its id."""
        import dask

        around = dask.get_annotations()
        outer = around.get("span") or {"name": (), "ids": ()}
        identity = str(uuid.uuid4())
        own = (self.recording.identity,) if self.recording is not None else ()
        info |= {"id": identity, "names": (*outer["name"], info["name"]), "ids": (*outer["ids"], identity)}
        info["collectors"] = (*around.get(ANNOTATION, ()), *own)
        self._span = info
        with self.in_span(info):
            yield identity

    def close_span(self, span_info: dict[str, Any] | None) -> None:
        if span_info is None or "id" not in span_info:  # it was never entered
            return
        with contextlib.suppress(ValueError):  # begun in another context (a cell that awaits): it is not undone in this one
            super().close_span(span_info)

    @contextlib.contextmanager
    def in_span(self, info: dict[str, Any] | None) -> Iterator[None]:
        """What the calling thread submits belongs to the span."""
        import dask

        if info is None:
            yield
        else:
            span = {"name": info["names"], "ids": info["ids"]}
            with dask.annotate(**{"span": span, ANNOTATION: info["collectors"]}):
                yield

    def get_span_metrics(
        self, span_info: dict[str, Any] | None, max_retries: int = 3, retry_delay: float = 0.5, delay: float | None = None
    ) -> dict[tuple[str, ...], float]:
        """Read the sums of a span until every worker has sent its last.

        Parameters
        ----------
        span_info : dict
            What ``create_span`` gave.
        max_retries, retry_delay : int, float
            At least so often, at least so long (in seconds, growing) is asked for activity that is not there yet. A
            large cluster, whose heartbeats are slow, is asked for longer.
        delay : float, optional
            Wait before asking first.
        """
        if not span_info or span_info.get("id") is None:
            return {}
        if delay:
            time.sleep(delay)
        lost = self.recording is not None and not self._connected()
        answer = None if lost else self._on_scheduler(_read_span(), span_id=span_info["id"])
        if answer is None:
            return {}
        ended, unchanged_since, total = answer["now"], answer["now"], _total(answer)
        deadline = ended + max(retry_delay * (2**max_retries - 1), 2 * answer["interval"] + 1)
        pause = retry_delay / 5
        while not _settled(answer, ended, unchanged_since) and answer["now"] < deadline:
            if self._seconds_left(pause) < pause:
                self.recording.guard.say("fine metrics", "fine metrics are of what had come when the time for them was up")
                break
            time.sleep(pause)
            pause = min(pause * 1.5, max(answer["interval"], retry_delay))
            answer = self._on_scheduler(_read_span(), span_id=span_info["id"])
            if _total(answer) != total:
                total, unchanged_since = _total(answer), answer["now"]
        return self._named(answer["rows"])

    def _named(self, rows: list[tuple[Any, ...]]) -> dict[tuple[str, ...], float]:
        """Sums by (context, prefix, activity, unit), with coffea's task names as a physicist would call them."""
        sums: dict[tuple[str, ...], float] = {}
        for key, value in rows:
            context, prefix, *activity, unit = key if len(key) >= 4 else (*key, "", "", "")[:4]
            if prefix == "automatic_retries":
                prefix = "preprocess"
            elif prefix in self.processor_prefixes and self.processor_name:
                prefix = self.processor_name
            name = (str(context), str(prefix), "/".join(map(str, activity)), str(unit))
            sums[name] = sums.get(name, 0.0) + value
        return sums

    # ---- around coffea

    def wants(self, runner: Any) -> bool:
        client = getattr(runner.executor, "client", None)
        if client is None or not hasattr(client, "scheduler"):
            return type(runner.executor).__name__ != "DaskExecutor"
        if client is self.client:
            return True
        return _address(client) == _address(self.client) is not None and (self.any_client or not _claimed(client))

    def why_not(self, runner: Any) -> str | None:
        client = getattr(runner.executor, "client", None)
        if client is None or not hasattr(client, "scheduler") or _claimed(client):
            return None
        return (
            f"a Runner computes on the cluster {_address(client)}, but this collector looks at {_address(self.client)}: "
            "give its client to MetricsCollector to have it measured"
        )

    @contextlib.contextmanager
    def running(self, runner: Any, processor: Any) -> Iterator[None]:
        import dask

        names = type(processor).__name__, getattr(processor, "__name__", None)
        self.processor_prefixes.update(name for name in names if name)
        client = getattr(runner.executor, "client", None)
        if self._tracker and client is not None and client is not self.client:
            with self.recording.guard("tasks of another client"):
                self._on_scheduler(_track_client(), name=self.recording.topic, client=client.id)

        inside = self._span and self._span["id"] in (dask.get_annotations().get("span") or {"ids": ()})["ids"]
        with contextlib.nullcontext() if inside else self.in_span(self._span), _groups_by_span(client):
            yield


_looking: list[DaskMetricsBackend] = []  # those that are open in this process


def _claimed(client: Any) -> bool:
    """Whether a collector was opened for this very client."""
    return any(backend.client is client for backend in _looking)


def _address(client: Any) -> str | None:
    """Where its scheduler is; None if it is closed, or there is none."""
    return getattr(getattr(client, "scheduler", None), "address", None)


def is_in_event_loop_of(target: Any) -> bool:
    """Whether the calling thread is the event loop of this asynchronous client or cluster, or of that of the context."""
    found = target if _is_cluster(target) else None if isinstance(target, str) else _client_of(target)
    return getattr(found, "asynchronous", False) is True


def _is_cluster(target: Any) -> bool:
    return hasattr(target, "scheduler_address") and hasattr(target, "close") and not hasattr(target, "register_plugin")


DaskBackend = DaskMetricsBackend


def _client_of(target: Any) -> Any:
    """The Dask client that a collector was given, by itself or in a coffea executor; or that of the context, or None."""
    if target is None:
        client_module = sys.modules.get("distributed.client")
        client = client_module._get_global_client() if client_module is not None else None
        return client if getattr(client, "status", None) in ("running", "connecting") else None
    client = target if hasattr(target, "scheduler") else getattr(target, "client", None)
    return client if hasattr(client, "register_plugin") else None


_grouped: dict[int, int] = {}  # how many runs of a client (by its id) need groups of their own
_grouped_lock = threading.Lock()


@contextlib.contextmanager
def _groups_by_span(client: Any) -> Iterator[None]:
    """What a client maps belongs to a task group of the span that it is mapped in.

    Dask puts all tasks of a group into the span of the group's first, and a group is all that has the name of one
    function: two runs of a processor class at once would share their fine metrics.
    """
    if client is None:
        yield
        return
    with _grouped_lock:
        _grouped[id(client)] = _grouped.get(id(client), 0) + 1
        if _grouped[id(client)] == 1:
            client.map = _map_by_span(client.map)
    try:
        yield
    finally:
        with _grouped_lock:
            _grouped[id(client)] -= 1
            if not _grouped[id(client)]:
                del _grouped[id(client)], client.map


def _map_by_span(original: Callable[..., Any]) -> Callable[..., Any]:
    def map_by_span(func: Callable[..., Any], *iterables: Any, key: Any = None, **kwargs: Any) -> Any:
        import dask
        from dask.utils import funcname

        ids = (dask.get_annotations().get("span") or {}).get("ids")
        if key is None and ids:
            # The way Dask once wrote ("name-token", number) as text: "name" stays the prefix, "name-token" is the group.
            key = f"('{funcname(func)}-{ids[-1][:8]}',"
        return original(func, *iterables, key=key, **kwargs)

    return map_by_span


def _total(answer: dict[str, Any]) -> float:
    return float(sum(value for _, value in answer["rows"]))


def _settled(answer: dict[str, Any], ended: float, unchanged_since: float) -> bool:
    """Whether nothing can be missing: each worker has spoken since the end, or the sum stood still for a heartbeat."""
    executed = any(key[0] == "execute" and "thread-cpu" in key for key, _ in answer["rows"])
    all_spoke = answer["oldest"] is None or answer["oldest"] > ended + 0.05
    still = answer["now"] - unchanged_since >= answer["interval"]
    return all_spoke or (executed and still)


async def _identity(client: Any) -> dict[str, Any]:
    """The scheduler and all its workers: without an argument, which older schedulers would log as an error."""
    identity: dict[str, Any] = await client.scheduler.identity()
    return identity


def _heartbeat_of(address: str, facts: dict[str, Any]) -> messages.Heartbeat:
    """What the scheduler's description of itself says about a worker."""
    metrics = facts["metrics"]
    network, disk = metrics.get("host_net_io") or {}, metrics.get("host_disk_io") or {}
    return messages.Heartbeat(
        address,
        metrics.get("time", facts["last_seen"]),
        facts["last_seen"],
        memory=metrics.get("memory"),
        cpu=metrics.get("cpu"),
        executing=(metrics.get("task_counts") or {}).get("executing"),
        managed=metrics.get("managed_bytes"),
        spilled=(metrics.get("spilled_bytes") or {}).get("memory"),
        net_read=network.get("read_bps"),
        net_write=network.get("write_bps"),
        disk_read=disk.get("read_bps"),
        disk_write=disk.get("write_bps"),
    )


# Functions that run on the scheduler and the workers. Each is made inside another, so that it is shipped as it is and not
# as a name: it has to work where this package is not installed.


def _describe_scheduler() -> Callable[..., Any]:
    def describe(dask_scheduler: Any = None) -> dict[str, Any]:
        import time

        import distributed

        return {"time": time.time(), "distributed": distributed.__version__}

    return describe


def _land() -> Callable[..., Any]:
    text = shipping.text_of("landing")

    def land(step: str, dask_scheduler: Any = None, **arguments: Any) -> Any:
        scope: dict[str, Any] = {"__name__": "roastcoffea_landing"}
        exec(text, scope)
        return scope[step](**arguments, **({"scheduler": dask_scheduler} if "cargo" in arguments else {}))

    return land


def _stop_tracker() -> Callable[..., Any]:
    def stop(name: str, dask_scheduler: Any = None) -> None:
        tracker = dask_scheduler.plugins.get(name)
        if tracker is not None:
            tracker.stop()

    return stop


def _forget_topic() -> Callable[..., Any]:
    def forget(name: str, dask_scheduler: Any = None) -> None:
        getattr(getattr(dask_scheduler, "_broker", None), "_topics", {}).pop(name, None)
        dask_scheduler.task_metadata.pop(name, None)

    return forget


def _track() -> Callable[..., Any]:
    def track(name: str, interval: float, dask_scheduler: Any = None) -> bytes:
        answer: bytes = dask_scheduler.plugins[name].track(interval)
        return answer

    return track


def _track_client() -> Callable[..., Any]:
    def track_client(name: str, client: str, dask_scheduler: Any = None) -> None:
        dask_scheduler.plugins[name].clients.add(client)

    return track_client


def _leave() -> Callable[..., Any]:
    def leave(name: str, seconds: float, dask_scheduler: Any = None) -> bool:
        tracker = dask_scheduler.plugins.get(name)
        if tracker is not None:
            dask_scheduler.loop.add_callback(tracker.leave, seconds)
        return tracker is not None

    return leave


def _ask_probe() -> Callable[..., Any]:
    def ask(name: str, dask_worker: Any = None) -> tuple[bytes, int] | None:
        probe = dask_worker.plugins.get(name)
        return probe.last_words() if hasattr(probe, "last_words") else None

    return ask


def _read_span() -> Callable[..., Any]:
    def read(span_id: str, dask_scheduler: Any = None) -> dict[str, Any] | None:
        from distributed.metrics import time
        from distributed.scheduler import heartbeat_interval

        extension = dask_scheduler.extensions.get("spans")
        span = extension.spans.get(span_id) if extension is not None else None
        if span is None:
            return None
        workers = dask_scheduler.workers.values()
        return {
            "rows": list(span.cumulative_worker_metrics.items()),
            "now": time(),
            "oldest": min((worker.last_seen for worker in workers), default=None),
            "interval": heartbeat_interval(len(workers)),
        }

    return read
