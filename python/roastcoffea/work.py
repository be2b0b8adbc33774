"""What runs where the chunks run: coffea's work function, measured from the outside in.

``WorkFunction`` stands in for ``Runner._work_function`` while a collector is open. It calls the original with the
original arguments, two of which it wraps, because coffea calls them exactly at the borders that we want to see:

    WorkFunction called                → open:     the file is opened
    ``cache_function()``               → events:   the events are built
    ``processor_instance.process(…)``  → process:  the user's code
    … returns                          → return:   the result is handed back

So nothing is patched in a worker, every executor is measured the same way, and where this package is not installed the
very same pickle loads as what calls the original function (see ``shipping``). What a release does not pass is not wrapped;
where one has no ``cache_function``, the question whether the schema is a schema is the border (see ``_SchemaAtBorder``). If
coffea cannot work with what we put in, the original function runs with the original arguments.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import inspect
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from roastcoffea import messages, shipping
from roastcoffea.guard import Guard, text_of, type_of
from roastcoffea.route import Route, listeners

__all__ = [
    "FLAG",
    "KEY",
    "MetadataFetcher",
    "NamedTask",
    "WorkFunction",
    "describe",
    "facts_of_chunk",
    "file_key",
    "item_key",
    "listeners",
    "load",
    "load_fetcher",
    "note_reads",
    "source_counters",
    "tell_readers",
]

#: Set on a processor: False switches collection off for it.
FLAG = "_roastcoffea_collect_metrics"
#: Where messages travel in an output when there is no other way: a list, because those of chunks are added up.
KEY = "__roastcoffea_metrics__"


def load(original: Callable[..., Any], state: dict[str, Any]) -> Callable[..., Any]:
    """Rebuild a ``WorkFunction`` from its pickle; the original function if the pickle is of a version unknown to us."""
    route = Route(tuple(state.get("ids", ())), state.get("spool"), state.get("naming"))
    with route.guard("chunks"):
        return WorkFunction(original, route, state["remote"], state["round"])
    return original


def load_fetcher(original: Callable[..., Any], state: dict[str, Any]) -> Callable[..., Any]:
    """Rebuild a ``MetadataFetcher`` from its pickle; the original function if the pickle is of a version unknown to us."""
    route = Route(tuple(state.get("ids", ())), state.get("spool"), state.get("naming"))
    return MetadataFetcher(original, route)


def item_key(item: Any) -> bytes:
    """Eight bytes that name a work item, the same on the client and on a worker."""
    return _digest(item.dataset, item.filename, item.treename, item.entrystart, item.entrystop)


def file_key(file: Any) -> bytes:
    """The same for a file of a dataset."""
    return _digest(file.dataset, file.filename, file.treename)


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()


class WorkFunction:
    """coffea's work function, with a record of each attempt sent to the collectors.

    Parameters
    ----------
    original : callable
        ``Runner._work_function``.
    route : Route
        The way to the collectors.
    remote : bool
        Whether facts about a file that is far away may cost requests to its server.
    round : int, optional
        Which run of a Runner this is, those that try it again included: what succeeds twice in one was computed again.
    """

    run: int | None = None  #: the number of this very run; in the client only, as is the thread that it began in
    thread: int | None = None

    def __init__(
        self, original: Callable[..., Any], route: Route, remote: bool = False, round: int | None = None
    ) -> None:
        self.original = original
        self.route = route
        self.remote = remote
        self.round = round
        self.guard = route.guard

    def __reduce__(self) -> tuple[Any, ...]:
        state = {**self.route._asdict(), "remote": self.remote, "round": self.round}
        return shipping.ship_function("roastcoffea.work:load", self.original, state)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        attempt = None
        with self.guard("chunks"):
            attempt = _Attempt.begin(self, args, kwargs)
        if attempt is None:
            return self.original(*args, **kwargs)
        try:
            out = self.original(*attempt.bound.args, **attempt.bound.kwargs)
        except BaseException as error:
            if not attempt.may_be_refused(error):
                with self.guard("failed chunks"):
                    attempt.fail(error)
                raise
        else:
            with self.guard("chunks"):
                out = attempt.finish(out)
            return out
        return self._call_as_given(attempt, args, kwargs)

    def _call_as_given(self, attempt: _Attempt, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Find out who is to blame: what fails without us, too, is the user's."""
        try:
            out = self.original(*args, **kwargs)
        except BaseException as error:
            with self.guard("failed chunks"):
                attempt.fail(error)
            raise
        attempt.refuse()
        return out


class MetadataFetcher:
    """The function with which coffea's preprocessing looks into a file; that it fails is told to the collectors."""

    def __init__(self, original: Callable[..., Any], route: Route) -> None:
        self.original = original
        self.route = route

    def __reduce__(self) -> tuple[Any, ...]:
        return shipping.ship_function("roastcoffea.work:load_fetcher", self.original, self.route._asdict())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.original(*args, **kwargs)
        except Exception as error:
            with self.route.guard("files that preprocessing cannot open"):
                file = next(each for each in (*args, *kwargs.values()) if hasattr(each, "filename"))
                cause = _cause_of(error)
                failure = messages.Unopened(file_key(file), type_of(cause), text_of(cause))
                if not self.route.send(failure):
                    _waiting.append(failure)
            raise


class NamedTask:
    """A function under a name for Dask's task stream; a worker gets the function itself.

    Without compression coffea calls the tasks of the chunks and those that fetch metadata the same, and Dask then adds
    up their fine metrics.
    """

    def __init__(self, owner: type, function: str, name: str) -> None:
        self.owner, self.function = owner, function
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.owner, self.function)(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.owner, self.function)


class _Attempt:
    """One attempt at a chunk, from the call of the work function until it returns or raises."""

    refused: tuple[str, ...] | None = None  # whose work coffea refused in this process: it cannot be measured here

    def __init__(self, function: WorkFunction, bound: inspect.BoundArguments, item: Any, processor: Any) -> None:
        from roastcoffea import _core

        self.function = function
        self.guard = function.guard
        self.bound = bound
        self.item = item
        self.processor = processor
        self.ran = False
        self.key = item_key(item)
        tell_readers(function.route.ids)
        self.send(messages.Begin(self.key, time.time_ns(), function.round))
        self.chunk = _core.Chunk(describe(item) | {"round": function.round})
        self.chunk.phase("open")

    @classmethod
    def begin(cls, function: WorkFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Attempt | None:
        if cls.refused == function.route.ids:
            return None
        bound = _signature(function.original).bind(*args, **kwargs)
        if not {"item", "processor_instance"} <= bound.arguments.keys():
            raise TypeError(f"coffea {_coffea_version()} has a work function with other arguments than are known here")
        item, processor = _unwrap(bound.arguments, function.guard)
        if getattr(processor, FLAG, True) is False:
            return None
        attempt = cls(function, bound, item, processor)
        if processor is not None:
            try:
                attempt.wrap()
            except Exception:
                attempt.abandon()
                raise
        return attempt

    def wrap(self) -> None:
        """Put ourselves at the borders of the phases."""
        given = self.bound.arguments
        ours = {"item": self.item, "processor_instance": _stand_in(self), **self.events_border(given)}
        if given.get("checkpointer") is not None:
            ours["checkpointer"] = _real_processor_for(given["checkpointer"], self.processor)
        given.update(ours)

    def events_border(self, given: dict[str, Any]) -> dict[str, Any]:
        """What to hand over instead of an argument that coffea uses when the file is open."""

        def at_border() -> None:
            with self.guard("time to open files"):
                if not self.ran:  # coffea asks about the schema again for its report
                    self.chunk.phase("events")

        if "cache_function" in given:
            return {"cache_function": _Before(at_border, given["cache_function"])}
        if isinstance(given.get("schema"), type):
            return {"schema": _SchemaAtBorder(at_border, given["schema"])}
        return {}  # building the events is part of opening the file, then

    def process(self, events: Any) -> Any:
        """What coffea calls as the processor."""
        process = self.processor.process if _is_class_processor(self.processor) else self.processor
        before = None
        with self.guard("chunks"):
            before = self.enter(events)
        try:
            return process(events)
        finally:
            with self.guard("chunks"):
                self.leave(events, before)

    def enter(self, events: Any) -> tuple[int, int | None] | None:
        self.ran = True
        self.chunk.set(num_events=len(events))
        before = source_counters(events)
        self.chunk.phase("process")
        return before

    def leave(self, events: Any, before: tuple[Any, ...] | None) -> None:
        self.chunk.phase("return")
        branches = note_reads(self.chunk, events, before)
        with self.guard("facts about files"):
            facts = _file_facts(events, self.item, self.function.remote)
            if facts:
                self.send_or_wait(messages.File(facts))
        with self.guard("branches that were loaded for nothing"):
            _note_preload(self.chunk, events, self.item, branches)

    def may_be_refused(self, error: BaseException) -> bool:
        """Whether coffea may have stumbled over what we put in: it did not get as far as the processor."""
        return not self.ran and isinstance(_cause_of(error), (AttributeError, TypeError))

    def refuse(self) -> None:
        """coffea can work with its own arguments, and not with ours: leave it alone from now on."""
        _Attempt.refused = self.function.route.ids
        with self.guard("chunks"):
            self.abandon()
            why = f"coffea {_coffea_version()} cannot work with another object in the place of the processor"
            self.guard.say("chunks", f"chunks: not measured, because {why}")

    def abandon(self) -> None:
        """Forget the attempt: nothing was computed, or nothing could be measured."""
        self.chunk.finish()
        self.send(messages.End(self.key))

    def fail(self, error: BaseException) -> None:
        cause = _cause_of(error)
        self.chunk.set(error_type=type_of(cause), error=text_of(cause))
        self.send_or_wait(messages.Chunk(self.chunk.finish(), self.key, failed=True))

    def finish(self, out: Any) -> Any:
        if self.ran:
            return self.deliver(messages.Chunk(self.chunk.finish(), self.key), out)
        self.abandon()  # it came from a checkpoint
        return out

    def deliver(self, record: messages.Record, out: Any) -> Any:
        """Send the record; in the output, if there is no other way."""
        if not self.send(record) and isinstance(out, dict):  # coffea's own dict around the user's output
            records = [*_take_waiting(), record]
            out = {**out, KEY: [messages.pack(self.function.route.worker(), 0, records)]}
        return out

    def send(self, record: messages.Record) -> bool:
        return self.function.route.send(record)

    def send_or_wait(self, record: messages.Record) -> None:
        if not self.send(record):
            _waiting.append(record)


def _take_waiting() -> Iterator[messages.Record]:
    """One by one: other threads add to them."""
    with contextlib.suppress(IndexError):
        while True:
            yield _waiting.pop(0)


_waiting: list[messages.Record] = []  # for an output to ride in: of failed attempts, of files
_signatures: dict[Callable[..., Any], inspect.Signature] = {}
_seen_files: set[tuple[str, str]] = set()  # whose facts were sent
_readers: tuple[str, ...] = ()


def _after_fork() -> None:
    """What waits for an output waits in the parent."""
    _waiting.clear()


os.register_at_fork(after_in_child=_after_fork)


def tell_readers(ids: tuple[str, ...]) -> None:
    """Names and sizes of branches are not sent with every record; a new reader has to get them again."""
    global _readers
    if ids != _readers or not ids:
        from roastcoffea import _core

        _readers = ids
        _seen_files.clear()
        _core.forget_branches()


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if function not in _signatures:
        _signatures[function] = inspect.signature(function)
    return _signatures[function]


def _coffea_version() -> str:
    return importlib.metadata.version("coffea")


def _cause_of(error: BaseException) -> BaseException:
    """What was raised: coffea wraps it, maybe twice."""
    while type(error) is Exception and error.__cause__ is not None:
        error = error.__cause__
    return error


def _is_class_processor(processor: Any) -> bool:
    from coffea.processor import ProcessorABC

    return isinstance(processor, ProcessorABC)


class _Before:
    """A function with a call of ours before each call of it; otherwise it is what it is."""

    def __init__(self, first: Callable[[], None], function: Callable[..., Any]) -> None:
        self._first, self._function = first, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._first()
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class _SchemaAtBorder(_Before):
    """A schema that notices when coffea asks whether it is one, which it does as soon as the file is open.

    ``issubclass(schema, BaseSchema)`` asks what is no class for its ``__bases__``. Called, it gives an object of the
    user's schema.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    @property
    def __bases__(self) -> tuple[Any, ...]:
        self._first()
        return (self._function,)


def _stand_in(attempt: _Attempt) -> Any:
    """A processor for coffea, which some releases take for a packed one if it is not a ``ProcessorABC`` that is callable.

    The user's own ``process`` is called on the user's own object; whoever looks at this one sees that.
    """
    return _stand_in_class()(attempt)


@functools.cache
def _stand_in_class() -> Callable[[_Attempt], Any]:
    from coffea.processor import ProcessorABC

    class StandIn(ProcessorABC):
        def __init__(self, attempt: _Attempt) -> None:
            self._roastcoffea_attempt = attempt

        def process(self, events: Any) -> Any:
            return self._roastcoffea_attempt.process(events)

        __call__ = process

        def postprocess(self, accumulator: Any) -> Any:
            return self._roastcoffea_attempt.processor.postprocess(accumulator)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.__dict__["_roastcoffea_attempt"].processor, name)

    return StandIn


def _unwrap(arguments: dict[str, Any], guard: Guard) -> tuple[Any, Any]:
    """The work item and the processor, unpacked as coffea does; None for a processor that does not unpack."""
    item, processor = arguments["item"], arguments["processor_instance"]
    if isinstance(processor, str) and processor == "heavy":
        item, processor = item
    if not callable(processor) and not _is_class_processor(processor):
        import cloudpickle
        import lz4.frame

        packed, processor = processor, None
        with guard("phases of chunks whose processor does not unpack"):  # coffea tries again and raises what is the user's
            processor = cloudpickle.loads(lz4.frame.decompress(packed))
    return item, processor


def describe(item: Any) -> dict[str, Any]:
    """A work item, in the words of a record."""
    import uuid

    described = {
        "dataset": item.dataset,
        "file": item.filename,
        "treename": item.treename,
        "entry_start": item.entrystart,
        "entry_stop": item.entrystop,
    }
    if isinstance(item.fileuuid, bytes) and len(item.fileuuid) == 16:
        described["uuid"] = str(uuid.UUID(bytes=item.fileuuid))
    return described


def _real_processor_for(checkpointer: Any, processor: Any) -> Any:
    """A checkpointer that is given the user's processor, not our stand-in."""
    from coffea.processor.checkpointer import CheckpointerABC

    if not isinstance(checkpointer, CheckpointerABC):
        return checkpointer

    class Checkpointer(CheckpointerABC):
        def load(self, metadata: Any, _: Any) -> Any:
            return checkpointer.load(metadata, processor)

        def save(self, output: Any, metadata: Any, _: Any) -> Any:
            return checkpointer.save(output, metadata, processor)

    return Checkpointer()


def _factory(events: Any) -> Any:
    """coffea's factory of the events; None if they have another origin."""
    for place, name in (("attrs", "@events_factory"), ("behavior", "__events_factory__")):  # the second in 0.7
        here = getattr(events, place, None)
        if isinstance(here, (dict, Mapping)) and name in here:  # dict first: asking an abstract class takes longer
            return here[name]
    return None


def _mapping(factory: Any) -> Any:
    """What loads the columns of events."""
    mapping = getattr(factory, "_mapping", None)
    return getattr(mapping, "base", mapping)  # one with a cache around it


def _open_file(events: Any) -> Any:
    """uproot's file behind events, and that is all that old releases keep of it: None if there is no such thing."""
    factory = _factory(events)
    if factory is None:  # looking further costs exceptions, and these more than all the rest of a small chunk
        return None
    handle = getattr(factory, "file_handle", None)
    return getattr(_old_tree(factory) if handle is None else handle, "file", None)


def _tree(events: Any, name: str) -> Any:
    """uproot's tree behind events: cached by uproot, because it was opened to make them."""
    factory = _factory(events)
    handle = getattr(factory, "file_handle", None)
    return _old_tree(factory) if handle is None else handle[name]


def _old_tree(factory: Any) -> Any:
    """Until 2025.11 the file is known to the tree alone, which is in the cache of what loads the columns."""
    trees = getattr(_mapping(factory), "_cache", None)
    return next(iter(trees.values()), None) if isinstance(trees, dict) else None


def source_counters(events: Any) -> tuple[int, int | None] | None:
    """Bytes and requests asked of the file so far; None if its source does not count."""
    file = _open_file(events)
    if file is None:
        return None
    source: Any = getattr(file, "source", None)
    try:
        return source.num_requested_bytes, getattr(source, "num_requests", None)
    except AttributeError:
        return None


def note_reads(chunk: Any, events: Any, before: tuple[int, int | None] | None) -> list[str] | None:
    """Add to a chunk what was read since ``before``: bytes, requests, branches."""
    after = source_counters(events) if before else None
    if before and after:
        chunk.set(bytes_read=after[0] - before[0])
        if before[1] is not None and after[1] is not None:
            chunk.set(read_requests=after[1] - before[1])
    factory = _factory(events)
    log = getattr(_mapping(factory), "_access_log", None) if factory is not None else None
    if log is None:
        return None
    branches = sorted({getattr(access, "branch", access) for access in log})  # names, in older releases
    chunk.set(branches=branches)
    return branches


def _note_preload(chunk: Any, events: Any, item: Any, branches: list[str] | None) -> None:
    """Add to a chunk how many bytes coffea loaded ahead of branches that were then not used: its share of the file."""
    loaded = getattr(_mapping(_factory(events)), "preloaded_arrays", None)
    if not loaded or branches is None:
        return
    tree = _tree(events, item.treename)
    used = set(branches)
    unused = sum(int(tree[name].compressed_bytes) for name in loaded if name not in used)
    share = (item.entrystop - item.entrystart) / max(int(tree.num_entries), 1)
    chunk.fields["preload_unused_bytes"] = int(unused * share)


def _file_facts(events: Any, item: Any, remote: bool) -> bytes | None:
    """What is known about a file, packed: once per file and process. None if it was sent before, or nothing is known.

    A local file is read by the C reader, in milliseconds and without the interpreter's lock. Of others, the tree that
    uproot has in memory tells the same, unless the user wants the C reader to fetch it.
    """
    place = (item.filename, item.treename)
    if place in _seen_files:
        return None
    _seen_files.add(place)  # also if it fails: then it would fail again
    path = _local_path(item.filename)
    if path is not None or remote:
        from roastcoffea import _core

        try:
            return _core.file_facts(path or item.filename, item.treename, item.filename)
        except (_core.RoastError, OSError):
            pass  # uproot reads more than we do
    return _facts_in_memory(events, item)


def _local_path(name: str) -> str | None:
    path = str(name).removeprefix("file://")  # it may be a Path
    return path if "://" not in path and os.path.isfile(path) else None


def _facts_in_memory(events: Any, item: Any) -> bytes | None:
    from roastcoffea import _core

    file = _open_file(events)
    if file is None:
        return None
    tree = _tree(events, item.treename)
    if not hasattr(tree, "branches"):
        return None
    branches: list[dict[str, Any]] = []
    _walk(tree.branches, "", branches)
    compression = getattr(file, "compression", None)
    facts = {
        "url": item.filename,
        "tree": item.treename,
        "uuid": str(file.uuid),
        "entries": int(tree.num_entries),
        "total_branches": len(branches),
        "compressed": int(tree.compressed_bytes) or sum(branch["compressed"] for branch in branches),
        "uncompressed": int(tree.uncompressed_bytes) or sum(branch["uncompressed"] for branch in branches),
        "branches": branches,
    }
    if compression is not None:
        facts |= {"algorithm": type(compression).__name__, "level": int(compression.level)}
    return _core.pack_file(facts)


_totals: dict[tuple[str, str], tuple[int, int, int]] = {}  # of trees: branches, bytes in the file, bytes in memory


def facts_of_chunk(events: Any, record: dict[str, Any]) -> dict[str, Any]:
    """What a chunk read of its file, for a record that travels in an output: else the run file has the branches' sizes.

    In the shape of 0.1.2, with 0 where nothing is known.
    """
    url, name, branches = record["file"], record["treename"] or "Events", record["accessed_branches"]
    nothing = ("num_branches_accessed", "accessed_bytes", "accessed_uncompressed_bytes")
    facts = {**dict.fromkeys(nothing, 0), "branches_read_percent": 0.0, "bytes_read_percent": 0.0}
    tree: Any = _tree(events, name) if _open_file(events) is not None else None
    if not hasattr(tree, "branches"):
        return facts | {"num_branches_accessed": len(branches)}
    if (url, name) not in _totals:
        _totals[url, name] = len(tree.keys()), int(tree.compressed_bytes), int(tree.uncompressed_bytes)
    total, compressed, uncompressed = _totals[url, name]
    read = [tree[branch] for branch in branches if branch in tree]
    read_bytes = sum(int(branch.compressed_bytes) for branch in read)
    return {
        "num_branches_accessed": len(branches),
        "accessed_bytes": read_bytes,
        "accessed_uncompressed_bytes": sum(int(branch.uncompressed_bytes) for branch in read),
        "branches_read_percent": 100 * len(branches) / total if total else 0.0,
        "bytes_read_percent": 100 * read_bytes / compressed if compressed else 0.0,
        "file_metadata": {
            "filename": url,
            "compression_ratio": compressed / uncompressed if uncompressed else 0.0,
            "total_branches": total,
            "total_tree_bytes": compressed,
        },
    }


def _walk(branches: Any, above: str, found: list[dict[str, Any]]) -> None:
    for branch in branches:
        sizes = branch.compressed_bytes, branch.uncompressed_bytes, branch.num_baskets
        compressed, uncompressed, baskets = map(int, sizes)
        name = above + branch.name
        found.append({"name": name, "compressed": compressed, "uncompressed": uncompressed, "baskets": baskets})
        _walk(branch.branches, name + "/", found)
