"""Seeing coffea's Runner at work, in the client process.

While a collector is open, ``Runner.run`` and ``Runner.preprocess`` are wrapped. For the length of one ``run`` the runner
object gets an attribute ``_work_function`` (an object of ``work.WorkFunction``) that hides the class's own; coffea then
ships it with any executor. (Without compression also ``automatic_retries``, to give the tasks of the chunks a name.) After
the last collector has closed, the class is as it was.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Protocol

from roastcoffea.entries import File, file_of
from roastcoffea.guard import Guard
from roastcoffea.route import Route
from roastcoffea.settings import settings
from roastcoffea.tries import Tries, Try
from roastcoffea.work import KEY, MetadataFetcher, NamedTask, WorkFunction

__all__ = ["Listener", "attach", "detach", "not_opened"]


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

    def asked(self, this: Try) -> None: ...

    def prepared(self, number: int) -> None: ...

    def item(self, item: Any, number: int | None) -> None: ...

    def given(self, number: int, may_lack_files: bool) -> None: ...

    def doubt(self, number: int, why: str) -> None: ...

    def lacks(self, number: int) -> bool: ...

    def dropped(self, files: list[Any], number: int | None) -> None: ...

    def sizes(self, ends: dict[File, int]) -> None: ...

    def returned(self, number: int, processed: Any, lazy: bool) -> None: ...

    def naming(self, runner: Any) -> str | None: ...

    def carried(self, packed: list[bytes]) -> None: ...

    def report(self, report: dict[str, Any]) -> None: ...


_open: list[Listener] = []
_originals: dict[str, Any] = {}
_lock = threading.Lock()
_tries = Tries()
_FETCHERS = ("metadata_fetcher_root", "metadata_fetcher_parquet", "metadata_fetcher")


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
            _tries.forget()


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
    if _number_of(runner) is not None:  # a run calls itself
        return original(runner, *args, **kwargs)
    listeners = _listeners(runner)
    if not listeners or _is_elsewhere(runner, listeners):
        return original(runner, *args, **kwargs)
    processor = kwargs.get("processor_instance", args[1] if len(args) > 1 else None)
    fileset = kwargs.get("fileset", args[0] if args else None)
    this = _begin(processor, fileset, listeners[0].guard)
    try:
        result = _measured(original, runner, args, kwargs, fileset, listeners, this)
    except BaseException as error:
        with listeners[0].guard("what is missing"):
            _tries.raised(this)
        for listener in listeners:
            with listener.guard("coffea's Runner"):
                listener.raised(error)
        raise
    for listener in listeners:
        with listener.guard("coffea's report"):
            _look_at(result, listener)
        with listener.guard("what is missing"):
            _tell_processed(result, listener, this.number, lazy=getattr(runner, "use_dataframes", False))
    with listeners[0].guard("what is missing"):
        _tries.returned(this, any(listener.lacks(this.number) for listener in listeners))
    with listeners[0].guard("the output"):
        _take_out(result)
    return result


def _measured(
    original: Callable[..., Any],
    runner: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    fileset: Any,
    listeners: list[Listener],
    this: Try,
) -> Any:
    """A run as it is, with all that listens to it in place."""
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(_client_of(runner))
        for listener in listeners:
            with listener.guard("coffea's Runner"):
                stack.enter_context(_quiet(listener, listener.running(runner, this.processor, client)))
                listener.asked(this)
                listener.prepared(this.number)
        _tell_empty_datasets(fileset, listeners, this.number)
        stack.enter_context(_measured_work(runner, listeners, this))
        args, kwargs = _with_items_told(args, kwargs, fileset, runner, listeners, this.number)
        return original(runner, *args, **kwargs)


def _number_of(runner: Any) -> int | None:
    """The number of the run that a runner is at in this thread."""
    work = vars(runner).get("_work_function")
    return work.run if work is not None and work.thread == threading.get_ident() else None


def _is_elsewhere(runner: Any, listeners: list[Listener]) -> bool:
    """Whether a runner is at a run in another thread: two runs of one runner at once cannot be told apart."""
    work = vars(runner).get("_work_function")
    for listener in listeners if work is not None else ():
        with listener.guard("what is missing"):
            listener.doubt(work.run, "two threads used one Runner at the same time: give each its own")
    return work is not None


def _tell_empty_datasets(fileset: Any, listeners: list[Listener], number: int) -> None:
    """As those are for which a pattern of names has found no files."""
    with listeners[0].guard("datasets without files"):
        for dataset, entry in fileset.items() if isinstance(fileset, Mapping) else ():
            files = entry.get("files") if isinstance(entry, Mapping) else entry
            if isinstance(files, list | tuple | Mapping) and not files:
                for listener in listeners:
                    listener.doubt(number, f"dataset {dataset} has no files in the fileset")


def _begin(processor: Any, fileset: Any, guard: Guard) -> Try:
    datasets: set[str] = set()
    with guard("the datasets of a run"):
        datasets = _datasets_of(fileset)
    return _tries.begin(processor, datasets)


def _datasets_of(fileset: Any) -> set[str]:
    """The names of the datasets in what a Runner is given; none if it does not tell without being used up."""
    if isinstance(fileset, Mapping):
        return set(map(str, fileset))
    return {str(item.dataset) for item in fileset} if isinstance(fileset, list) else set()


def _with_items_told(
    args: tuple[Any, ...], kwargs: dict[str, Any], fileset: Any, runner: Any, listeners: list[Listener], number: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments, with work items told that the user made before: they are in a list, or come one by one."""
    may_lack_files = bool(runner.skipbadfiles)  # what was made elsewhere
    if isinstance(fileset, list):
        for item in fileset:
            _tell_item(item, listeners, number)
        _tell_given(listeners, number, may_lack_files)
    if not isinstance(fileset, Generator):
        return args, kwargs
    watched = _watched_items(fileset, listeners, number, may_lack_files)
    return ((watched, *args[1:]), kwargs) if "fileset" not in kwargs else (args, {**kwargs, "fileset": watched})


def _watched_items(
    items: Generator[Any, Any, Any], listeners: list[Listener], number: int, may_lack_files: bool
) -> Generator[Any, Any, Any]:
    """The same; it may be preprocessing, which tells only at its end what it dropped."""
    end = yield from _watched(items, listeners, number)
    for listener in listeners:
        with listener.guard("files that preprocessing dropped"):
            listener.prepared(number)
    _tell_given(listeners, number, may_lack_files)
    return end


def _tell_given(listeners: list[Listener], number: int, may_lack_files: bool) -> None:
    for listener in listeners:
        with listener.guard("work items"):
            listener.given(number, may_lack_files)


def _tell_item(item: Any, listeners: list[Listener], number: int | None) -> None:
    for listener in listeners:
        with listener.guard("work items"):
            listener.item(item, number)


def _tell_processed(result: Any, listener: Listener, number: int, *, lazy: bool) -> None:
    out = _wrapped_out(result)
    if lazy or out is not None:
        listener.returned(number, out.get("processed") if out is not None else None, lazy)


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
def _measured_work(runner: Any, listeners: list[Listener], this: Try) -> Iterator[None]:
    with listeners[0].guard("chunks"):
        kind = type(runner)
        remote = settings.file_metadata == "remote"
        runner._work_function = WorkFunction(kind._work_function, _route_to(listeners, runner), remote, this.round)
        runner._work_function.run, runner._work_function.thread = this.number, threading.get_ident()
        if getattr(runner.executor, "client", None) is not None and runner.executor.compression is None:
            name = getattr(this.processor, "__name__", None) or type(this.processor).__name__
            runner.automatic_retries = NamedTask(kind, "automatic_retries", name)
    try:
        yield
    finally:
        for name in ("_work_function", "automatic_retries"):
            vars(runner).pop(name, None)


def _route_to(listeners: list[Listener], runner: Any) -> Route:
    ids = tuple(listener.identity for listener in listeners)
    spool = next((listener.spool for listener in listeners if listener.spool), None)
    return Route(ids, spool, listeners[0].naming(runner))


@contextlib.contextmanager
def _watched_fetching(runner: Any, listeners: list[Listener]) -> Iterator[None]:
    """Have told which files preprocessing cannot open. The names are those of coffea since 0.7."""
    names = [name for name in _FETCHERS if hasattr(type(runner), name) and name not in vars(runner)]
    with listeners[0].guard("files that preprocessing cannot open"):
        for name in names:
            setattr(runner, name, MetadataFetcher(getattr(type(runner), name), _route_to(listeners, runner)))
    try:
        yield
    finally:
        for name in names:
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
        stack.enter_context(_watched_fetching(runner, listeners))
        number = _number_of(runner)  # of the run that this is a part of
        try:
            chunks = original(runner, *args, **kwargs)
        except BaseException as error:
            if number is None:
                number = _raised_alone(kwargs.get("fileset", args[0] if args else None), error, listeners)
            _tell_all_files(listeners, number, runner, *args, **kwargs)
            raise
    files: list[Any] = []
    with listeners[0].guard("files that preprocessing dropped"):
        files = list(not_opened(runner, *args, **kwargs))
    return _watched_files(chunks, runner, files, listeners, number) if isinstance(chunks, Generator) else chunks


def _raised_alone(fileset: Any, error: BaseException, listeners: list[Listener]) -> int:
    """Preprocessing that is no part of a run has raised: it is a run that did, until its files are asked for again."""
    this = _begin(None, fileset, listeners[0].guard)
    for listener in listeners:
        with listener.guard("coffea's preprocessing"):
            listener.asked(this)
            listener.raised(error)
    _tries.raised(this)
    return this.number


def _tell_all_files(
    listeners: list[Listener], number: int, runner: Any, fileset: Any, treename: str | None = None, **_: Any
) -> None:
    """A run has ended before its files were cut into chunks: it did not get to any of them."""
    for listener in listeners:
        with listener.guard("files that were not opened"):
            listener.dropped(list(runner._normalize_fileset(fileset, treename)), number)


def not_opened(runner: Any, fileset: Any, treename: str | None = None, **_: Any) -> Iterator[Any]:
    """The files of which coffea does not know what is in them: dropped, or not needed, or of an old cache."""
    for file in runner._normalize_fileset(fileset, treename):
        file.maybe_populate(runner.metadata_cache)
        if not file.populated(clusters=runner.align_clusters):
            yield file


def _watched_files(
    chunks: Generator[Any, Any, Any], runner: Any, unknown: list[Any], listeners: list[Listener], number: int | None
) -> Generator[Any, Any, Any]:
    """The chunks of preprocessing; after the last, the files are told that there should have been some of."""
    ends: dict[File, int] = {}
    per_dataset: Counter[str] = Counter()

    def count(item: Any) -> None:
        per_dataset[item.dataset] += 1
        file = file_of(item)
        ends[file] = max(ends.get(file, 0), item.entrystop)

    whole = False
    try:
        end = yield from _watched(chunks, listeners, number, count)
        whole = runner.maxchunks is None
    finally:  # whoever takes the first few lets go of the others
        dropped: list[Any] = []
        with listeners[0].guard("files that preprocessing dropped"):
            most = runner.maxchunks if runner.maxchunks is not None else math.inf
            dropped = [file for file in unknown if file_of(file) not in ends and per_dataset[file.dataset] < most]
        for listener in listeners:
            with listener.guard("files that preprocessing dropped"):
                listener.dropped(dropped, number)
                if whole:
                    listener.sizes(ends)
    return end


@contextlib.contextmanager
def _without(runner: Any, attribute: str) -> Iterator[None]:
    ours = vars(runner).pop(attribute, None)
    try:
        yield
    finally:
        if ours is not None:
            setattr(runner, attribute, ours)


def _watched(
    chunks: Generator[Any, Any, Any],
    listeners: list[Listener],
    number: int | None,
    also: Callable[[Any], None] = lambda item: None,
) -> Generator[Any, Any, Any]:
    """The same generator (coffea sends into it), with each work item told to the listeners."""
    sent = None
    while True:
        try:
            item = chunks.send(sent)
        except StopIteration as end:
            return end.value
        _tell_item(item, listeners, number)
        with listeners[0].guard("work items"):
            also(item)
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
