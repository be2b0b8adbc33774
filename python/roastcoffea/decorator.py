"""``@track_metrics``: on the processor's ``process``, or on a function that is the processor.

Inside a collection the work function already measures the chunk (see ``work``), and the decorator only adds what it
alone can give: the place for the user's own values. Where ``process`` is called without coffea's Runner it measures the
chunk itself.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Callable
from typing import Any

from roastcoffea import _core, messages, shipping, work
from roastcoffea.guard import Guard, text_of, type_of
from roastcoffea.route import Route, ids_of_task, open_route

__all__ = ["track_metrics"]

_guard = Guard()


class _CurrentChunk:
    """``self._roastcoffea_current_chunk``: the values of the chunk that the calling thread is at, a dict.

    One object, an attribute of the processor's class, serves all threads and all processors: so a processor that is
    shared between threads does not mix them up, and nothing is added to the user's object. Outside a chunk there is no
    such attribute, unless the user has made one.
    """

    name = "_roastcoffea_current_chunk"
    _instead = threading.local()

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        values = _core.current_values()
        if values is None:
            values = getattr(self._instead, "values", None)
        if values is not None:
            return values
        try:
            return vars(owner)[self.name]
        except (KeyError, TypeError):
            raise AttributeError(f"{self.name} is there while a chunk is measured: ask with hasattr") from None

    def without(self, process: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call what we failed to measure: what it says of its chunk is taken, and goes nowhere."""
        self._instead.values = {"timing": {}, "memory": {}, "bytes": {}}
        try:
            return process(*args, **kwargs)
        finally:
            del self._instead.values

    def __set__(self, owner: Any, values: Any) -> None:
        vars(owner)[self.name] = values

    def __delete__(self, owner: Any) -> None:
        if vars(owner).pop(self.name, None) is None:
            raise AttributeError(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return shipping.ship_object("roastcoffea.decorator:current_chunk")


current_chunk = _CurrentChunk()


class _Tracked:
    """A ``process`` with our measurement around it.

    An object, not a closure: a processor of a notebook or script is shipped to the workers by value, and this way only
    the user's own function is.
    """

    def __init__(self, process: Callable[..., Any], shipped: Route | None = None) -> None:
        functools.update_wrapper(self, process)
        self.process = process
        self.shipped = shipped  # the way to the collectors that were open where this was pickled
        parameters = list(inspect.signature(process).parameters)
        self.is_method = len(parameters) > 1 or parameters[:1] == ["self"]

    def __reduce__(self) -> tuple[Any, ...]:
        route = _route(self.shipped)
        return shipping.ship_function("roastcoffea.decorator:load", self.process, {"ids": route.ids, "spool": route.spool})

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, current_chunk.name, current_chunk)
        if not hasattr(owner, "_chunk_metrics"):
            # For set_chunk_metrics(processor._chunk_metrics), as the documents have it: records come by themselves.
            owner._chunk_metrics = []  # type: ignore[attr-defined]

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Any]:
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:  # a guard as a context would cost as much as half of what it guards
            own = _OwnChunk.begin(self, args, kwargs)
        except Exception as ours:
            _guard.failed("@track_metrics", ours)
            return current_chunk.without(self.process, *args, **kwargs)
        if own is None:
            return self.process(*args, **kwargs)
        try:
            out = self.process(*args, **kwargs)
        except BaseException as error:
            with _guard("@track_metrics"):
                own.fail(error)
            raise
        try:
            return own.finish(out)
        except Exception as ours:
            _guard.failed("@track_metrics", ours)
            return out


def track_metrics(process: Callable[..., Any]) -> Callable[..., Any]:
    """Measure each call of a processor's ``process`` method, or of a function processor.

    Parameters
    ----------
    process : callable
        ``process(self, events)`` or ``process(events)``.

    Returns
    -------
    callable
        Gives what ``process`` gives and raises what it raises.
    """
    return _Tracked(process)


def load(process: Callable[..., Any], state: dict[str, Any]) -> _Tracked:
    """Rebuild what was decorated from its pickle."""
    return _Tracked(process, Route(tuple(state["ids"]), state["spool"]))


class _OwnChunk:
    """A chunk that nobody outside measures: ``process`` was called without coffea's Runner."""

    def __init__(self, route: Route, events: Any) -> None:
        work.tell_readers(route.ids)
        self.route = route
        self.events = events
        self.before = work.source_counters(events)
        self.chunk = _core.Chunk(_extract_chunk_metadata(events))
        self.chunk.phase("process")

    @classmethod
    def begin(cls, tracked: _Tracked, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _OwnChunk | None:
        if _core.current_chunk() is not None:
            return None
        first = int(tracked.is_method)
        flag = getattr(args[0], work.FLAG, None) if first and args else None
        route = _route(tracked.shipped)
        if flag is False or not (flag or route.ids):
            return None
        return cls(route, kwargs.get("events", args[first] if len(args) > first else None))

    def fail(self, error: BaseException) -> None:
        self.chunk.set(error_type=type_of(error), error=text_of(error))
        self.hand_over(None)

    def finish(self, out: Any) -> Any:
        self.chunk.phase("return")
        work.note_reads(self.chunk, self.events, self.before)
        return self.hand_over(out)

    def hand_over(self, out: Any) -> Any:
        """Give the record to the collectors. Where there are none the output carries it, as 0.1.2 has it."""
        record = messages.Chunk(self.chunk.finish())
        if self.route.ids:
            self.route.send(record)
        elif isinstance(out, dict):
            out.setdefault(work.KEY, []).append(self.as_dict())
        return out

    def as_dict(self) -> dict[str, Any]:
        """The record in the documented shape, which has 0 for bytes that nobody counts."""
        record = self.chunk.record()
        record["bytes_read"] = record["bytes_read"] or 0
        with _guard("facts about files"):
            record |= work.facts_of_chunk(self.events, record)
        return record


#: What coffea calls the parts of a chunk, and what a record does.
_NAMES = (
    ("dataset", "dataset"),
    ("filename", "file"),
    ("treename", "treename"),
    ("uuid", "uuid"),
    ("fileuuid", "uuid"),
    ("entrystart", "entry_start"),
    ("entrystop", "entry_stop"),
)


def _extract_chunk_metadata(events: Any) -> dict[str, Any]:
    """What coffea says about the chunk, in the names of a record."""
    described: dict[str, Any] = {}
    metadata = getattr(events, "metadata", None)
    if metadata:
        for theirs, ours in _NAMES:
            value = metadata.get(theirs)
            if value is not None:
                described[ours] = value
    try:
        described["num_events"] = len(events)
    except TypeError:
        pass
    return described


def _route(shipped: Route | None) -> Route:
    """The way to whoever wants to know: collectors of the Dask task that this is, of this process, or of the pickle."""
    ids = ids_of_task()
    if ids:
        return Route(ids)
    here = open_route()
    return here if here.ids or shipped is None else shipped
