"""The way of a record from where a chunk runs to the collectors: the shortest that there is."""

from __future__ import annotations

import functools
import importlib
import operator
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from roastcoffea import messages, spool
from roastcoffea.guard import Guard, logger

__all__ = ["ANNOTATION", "Route", "dask_worker", "ids_of_task", "listeners", "open_route", "spools", "topic_of", "worker_name"]

#: Collectors that live in this process: identity → what takes a sender and its record.
listeners: dict[str, Callable[[str, Any], None]] = {}
#: Their folders for records of other processes, which a forked child may use.
spools: dict[str, str] = {}
#: Dask's tasks say under this name which collectors want to know of them.
ANNOTATION = "roastcoffea"
_forked = False


def _after_fork() -> None:
    """Listeners, and the connections of a Dask worker, are the parent's: a child's records must travel."""
    global _forked
    _forked = True
    listeners.clear()
    _guard_of.cache_clear()
    _process_name.cache_clear()


os.register_at_fork(after_in_child=_after_fork)


def topic_of(identity: str) -> str:
    """The event topic on which a collector listens."""
    return f"roastcoffea-{identity}"


class Route(NamedTuple):
    """Where records go, and how their worker is called. Plain values, for it travels with the work."""

    ids: tuple[str, ...]  # of the collectors that want the records
    spool: str | None = None  # a folder of this machine, for processes without a better way
    naming: str | None = None  # "module:function" that names the worker: text, because it may not be installed there

    @property
    def guard(self) -> Guard:
        """What fails in this process is said once to each set of collectors, and becomes a note of their runs."""
        return _guard_of(self)

    def worker(self) -> str:
        """The name of the worker that this is."""
        return _naming(self.naming)()

    def send(self, record: messages.Record) -> bool:
        """Send a record. False: only an output can carry it."""
        here = [listeners[identity] for identity in self.ids if identity in listeners]
        if len(here) == len(self.ids):
            for listener in here:
                listener(self.worker(), record)
            return True
        worker = dask_worker()
        if worker is not None:
            for outbox in _outboxes(worker, self.ids):
                outbox.put(record)
            return True
        return self.spool is not None and spool.write(self.spool, self.worker(), record)


def open_route() -> Route:
    """To the collectors that are open in this process, or were when it was forked."""
    return Route(tuple(listeners or spools), next(iter(spools.values()), None))


def ids_of_task() -> tuple[str, ...]:
    """The collectors that want to know of the Dask task that the calling thread is at."""
    worker = dask_worker()
    if worker is None:
        return ()
    key = worker.active_threads.get(threading.get_ident())  # of a coroutine, or of a thread that a task made, none
    task = getattr(worker, "state", worker).tasks.get(key)
    return tuple((getattr(task, "annotations", None) or {}).get(ANNOTATION, ()))


@functools.lru_cache(maxsize=16)
def _guard_of(route: Route) -> Guard:
    def note(text: str) -> None:
        route.send(messages.Note(text, os.getpid()))

    return Guard(note)


@functools.lru_cache(maxsize=16)
def _naming(naming: str | None) -> Callable[[], str]:
    if naming is not None:
        try:
            module, _, name = naming.partition(":")
            found: Callable[[], str] = operator.attrgetter(name)(importlib.import_module(module))
            return found
        except Exception as error:
            logger.warning("%s: not found (%s): workers have their usual names", naming, error)
    return worker_name


def _outboxes(worker: Any, ids: tuple[str, ...]) -> list[Any]:
    """Our plugin is there as long as somebody listens; a task that outlives its run leaves nothing behind."""
    plugins = [worker.plugins.get(topic_of(identity)) for identity in ids]
    return [plugin.outbox for plugin in plugins if hasattr(plugin, "outbox")]


def dask_worker() -> Any:
    """The Dask worker whose task the calling thread is at, or None."""
    worker_module = sys.modules.get("distributed.worker")
    if worker_module is None or _forked:
        return None
    try:
        return worker_module.get_worker()
    except ValueError:
        return None


def worker_name() -> str:
    """What this worker is called: by Dask, or else after its process."""
    worker = dask_worker()
    return worker.address if worker is not None else _process_name()


@functools.cache
def _process_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
