"""Seeing coffea's Runner at work, in the client process.

While a collector is open, ``Runner.run`` and ``Runner.preprocess`` are wrapped. For the length of one ``run`` the runner
object gets an attribute ``_work_function`` (an object of ``work.WorkFunction``) that hides the class's own; coffea then
ships it with any executor. (Without compression also ``automatic_retries``, to give the tasks of the chunks a name.) After
the last collector has closed, the class is as it was.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

from roastcoffea.guard import Guard
from roastcoffea.route import Route
from roastcoffea.settings import settings
from roastcoffea.work import KEY, NamedTask, WorkFunction

__all__ = ["Listener", "attach", "detach"]


class Listener(Protocol):
    """What a collector offers to the hooks. Each call is guarded."""

    identity: str
    guard: Guard

    @property
    def spool(self) -> str | None: ...

    def wants(self, runner: Any) -> bool: ...

    def running(self, runner: Any, processor: Any, client: Any) -> contextlib.AbstractContextManager[Any]: ...

    def preprocessing(self, runner: Any) -> contextlib.AbstractContextManager[Any]: ...

    def raised(self, error: BaseException) -> None: ...

    def item(self, item: Any) -> None: ...

    def naming(self, runner: Any) -> str | None: ...

    def carried(self, packed: list[bytes]) -> None: ...

    def report(self, report: dict[str, Any]) -> None: ...


_open: list[Listener] = []
_originals: dict[str, Any] = {}
_lock = threading.Lock()
_rounds = itertools.count(1)


def _after_fork() -> None:
    """A Runner in a forked child is none of the parent's collectors' business."""
    global _lock
    _lock = threading.Lock()
    _open.clear()
    _unwrap_runner()


os.register_at_fork(after_in_child=_after_fork)


def attach(listener: Listener) -> None:
    """Tell a listener about every Runner of this process from now on."""
    with _lock:
        _open.append(listener)
        if not _originals:
            _wrap_runner()


def detach(listener: Listener) -> None:
    """The opposite; leaves coffea as it was when nobody listens any more."""
    with _lock:
        if listener in _open:
            _open.remove(listener)
        if not _open:
            _unwrap_runner()


def _wrap_runner() -> None:
    from coffea.processor.executor import Runner

    for name, make in {"run": _measured_run, "preprocess": _measured_preprocess}.items():
        original = getattr(Runner, name)
        _originals[name] = original
        setattr(Runner, name, functools.wraps(original)(make(original)))


def _unwrap_runner() -> None:
    if not _originals:
        return
    from coffea.processor.executor import Runner

    for name, original in _originals.items():
        setattr(Runner, name, original)
    _originals.clear()


def _listeners(runner: Any) -> list[Listener]:
    wanting = []
    for listener in list(_open):
        with listener.guard("coffea's Runner"):
            if listener.wants(runner):
                wanting.append(listener)
    return wanting


def _measured_run(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(runner: Any, *args: Any, **kwargs: Any) -> Any:
        return _run(original, runner, *args, **kwargs)

    return run


def _run(original: Callable[..., Any], runner: Any, *args: Any, **kwargs: Any) -> Any:
    listeners = [] if "_work_function" in vars(runner) else _listeners(runner)
    if not listeners:
        return original(runner, *args, **kwargs)
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(_client_of(runner))
        processor = kwargs.get("processor_instance", args[1] if len(args) > 1 else None)
        fileset = kwargs.get("fileset", args[0] if args else None)
        for listener in listeners:
            with listener.guard("coffea's Runner"):
                stack.enter_context(_quiet(listener, listener.running(runner, processor, client)))
                if isinstance(fileset, list):
                    for item in fileset:
                        listener.item(item)
        stack.enter_context(_measured_work(runner, listeners, processor))
        try:
            result = original(runner, *args, **kwargs)
        except BaseException as error:
            for listener in listeners:
                with listener.guard("coffea's Runner"):
                    listener.raised(error)
            raise
    for listener in listeners:
        with listener.guard("coffea's report"):
            _look_at(result, listener)
    with listeners[0].guard("the output"):
        _take_out(result)
    return result


@contextlib.contextmanager
def _client_of(runner: Any) -> Iterator[Any]:
    """The Dask client of a runner; one that coffea makes for the length of a run is made now, so that we can use it."""
    make = getattr(runner, "_auto_dask_client", None) or functools.partial(_new_client, runner)
    with make() as made:
        yield made or getattr(runner.executor, "client", None)


@contextlib.contextmanager
def _new_client(runner: Any) -> Iterator[Any]:
    """The client that releases before 2026.9 make inside a ``DaskExecutor`` without one, where nobody sees it."""
    executors: list[Any] = [runner.executor, getattr(runner, "pre_executor", None)]
    without = [executor for executor in executors if type(executor).__name__ == "DaskExecutor" and not executor.client]
    if not without or getattr(runner, "use_dataframes", False):  # what is lazy outlives the run and needs its client
        yield None
        return
    from distributed import Client

    with Client(threads_per_worker=1) as client:
        for executor in without:
            executor.client = client
        try:
            yield client
        finally:
            for executor in without:
                executor.client = None


@contextlib.contextmanager
def _measured_work(runner: Any, listeners: list[Listener], processor: Any) -> Iterator[None]:
    with listeners[0].guard("chunks"):
        ids = tuple(listener.identity for listener in listeners)
        spool = next((listener.spool for listener in listeners if listener.spool), None)
        route = Route(ids, spool, listeners[0].naming(runner))
        kind = type(runner)
        remote = settings.file_metadata == "remote"
        runner._work_function = WorkFunction(kind._work_function, route, remote, next(_rounds))
        if getattr(runner.executor, "client", None) is not None and runner.executor.compression is None:
            name = getattr(processor, "__name__", None) or type(processor).__name__
            runner.automatic_retries = NamedTask(kind, "automatic_retries", name)
    try:
        yield
    finally:
        for name in ("_work_function", "automatic_retries"):
            vars(runner).pop(name, None)


@contextlib.contextmanager
def _quiet(listener: Listener, context: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """Enter and leave a context of ours: its failures are ours, and exceptions of the block are none of its business."""
    entered = False
    with listener.guard("coffea's Runner"):
        context.__enter__()
        entered = True
    try:
        yield
    finally:
        if entered:
            with listener.guard("coffea's Runner"):
                context.__exit__(None, None, None)


def _measured_preprocess(original: Callable[..., Any]) -> Callable[..., Any]:
    def preprocess(runner: Any, *args: Any, **kwargs: Any) -> Any:
        return _preprocess(original, runner, *args, **kwargs)

    return preprocess


def _preprocess(original: Callable[..., Any], runner: Any, *args: Any, **kwargs: Any) -> Any:
    listeners = _listeners(runner)
    if not listeners:
        return original(runner, *args, **kwargs)
    with contextlib.ExitStack() as stack:
        for listener in listeners:
            with listener.guard("coffea's preprocessing"):
                stack.enter_context(_quiet(listener, listener.preprocessing(runner)))
        stack.enter_context(_without(runner, "automatic_retries"))
        chunks = original(runner, *args, **kwargs)
    return _watched(chunks, listeners) if isinstance(chunks, Generator) else chunks


@contextlib.contextmanager
def _without(runner: Any, attribute: str) -> Iterator[None]:
    ours = vars(runner).pop(attribute, None)
    try:
        yield
    finally:
        if ours is not None:
            setattr(runner, attribute, ours)


def _watched(chunks: Generator[Any, Any, Any], listeners: list[Listener]) -> Generator[Any, Any, Any]:
    """The same generator (coffea sends into it), with each work item told to the listeners."""
    sent = None
    while True:
        try:
            item = chunks.send(sent)
        except StopIteration as end:
            return end.value
        for listener in listeners:
            with listener.guard("work items"):
                listener.item(item)
        sent = yield item


def _wrapped_out(result: Any) -> dict[str, Any] | None:
    """coffea's dict around the output: as it is, or in an ``Ok``."""
    if not isinstance(result, dict):
        result = getattr(result, "value", None)
    return result if isinstance(result, dict) and "out" in result else None


def _look_at(result: Any, listener: Listener) -> None:
    out = _wrapped_out(result)
    if out is None:
        return
    listener.carried(out.get(KEY, []))
    if isinstance(out.get("metrics"), dict):
        listener.report(out["metrics"])


def _take_out(result: Any) -> None:
    out = _wrapped_out(result)
    if out is not None:
        out.pop(KEY, None)
