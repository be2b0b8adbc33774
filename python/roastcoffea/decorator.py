"""``@track_metrics``: on the processor's ``process``, or on a function that is the processor.

Inside a collection the work function already measures the chunk (see ``work``), and the decorator only adds what it
alone can give: the place for the user's own values. Where ``process`` is called without coffea's Runner it measures the
chunk itself.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from roastcoffea import _core, messages, work
from roastcoffea.guard import Guard
from roastcoffea.route import Route

__all__ = ["track_metrics"]

_guard = Guard()


class _CurrentChunk(MutableMapping[str, Any]):
    """``self._roastcoffea_current_chunk``: the values of the chunk that the calling thread is at.

    One object, an attribute of the processor's class, serves all threads and all processors: so a processor that is
    shared between threads does not mix them up, and nothing is added to the user's object. Outside a chunk it is empty
    and forgets what is put in.
    """

    def _fields(self) -> MutableMapping[str, Any]:
        chunk = _core.current_chunk()
        return {} if chunk is None else chunk.fields

    def __getitem__(self, name: str) -> Any:
        return self._fields()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._fields()[name] = value

    def __delitem__(self, name: str) -> None:
        del self._fields()[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def __reduce__(self) -> str:
        return "current_chunk"


current_chunk = _CurrentChunk()


class _Tracked:
    """A ``process`` with our measurement around it.

    An object, not a closure: a processor of a notebook or script is shipped to the workers by value, and this way only
    the user's own function is.
    """

    def __init__(self, process: Callable[..., Any]) -> None:
        functools.update_wrapper(self, process)
        self.process = process
        parameters = list(inspect.signature(process).parameters)
        self.is_method = len(parameters) > 1 or parameters[:1] == ["self"]

    def __reduce__(self) -> tuple[Any, ...]:
        return track_metrics, (self.process,)

    def __set_name__(self, owner: type, name: str) -> None:
        owner._roastcoffea_current_chunk = current_chunk  # type: ignore[attr-defined]

    def __get__(self, owner: Any, kind: type | None = None) -> Callable[..., Any]:
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:  # a guard as a context would cost as much as half of what it guards
            own = _OwnChunk.begin(self.is_method, args, kwargs)
        except Exception as ours:
            _guard.failed("@track_metrics", ours)
            own = None
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


class _OwnChunk:
    """A chunk that nobody outside measures: ``process`` was called without coffea's Runner."""

    def __init__(self, events: Any) -> None:
        work.tell_readers(tuple(work.listeners))
        self.events = events
        self.before = work.source_counters(events)
        self.chunk = _core.Chunk(_describe(events))
        self.chunk.phase("process")

    @classmethod
    def begin(cls, is_method: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _OwnChunk | None:
        owner = args[0] if is_method and args else None
        if _core.current_chunk() is not None:
            return None
        wanted = bool(work.listeners) if owner is None else getattr(owner, work.FLAG, False)
        if not wanted:
            return None
        return cls(kwargs.get("events", args[is_method] if len(args) > is_method else None))

    def fail(self, error: BaseException) -> None:
        self.chunk.set(error_type=type(error).__name__, error=str(error)[:1000])
        _hand_over(self.chunk.finish(), None)

    def finish(self, out: Any) -> Any:
        self.chunk.phase("return")
        work.note_reads(self.chunk, self.events, self.before)
        return _hand_over(self.chunk.finish(), out)


#: What coffea calls the parts of a chunk, and what a record does.
_NAMES = (
    ("dataset", "dataset"),
    ("filename", "file"),
    ("treename", "treename"),
    ("fileuuid", "uuid"),
    ("entrystart", "entry_start"),
    ("entrystop", "entry_stop"),
)


def _describe(events: Any) -> dict[str, Any]:
    """What coffea says about the chunk, in the names of a record."""
    described: dict[str, Any] = {"worker": _route().worker()}
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


def _hand_over(packed: bytes, out: Any) -> Any:
    """Give the record to the collectors of this process, or else let the output carry it."""
    route, record = _route(), messages.Chunk(packed)
    if route.ids:
        route.send(record)
    elif isinstance(out, dict):
        out.setdefault(work.KEY, []).append(messages.pack(route.worker(), 0, [record]))
    return out


def _route() -> Route:
    return Route(tuple(work.listeners))
