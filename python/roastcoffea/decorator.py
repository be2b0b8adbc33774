"""``@track_metrics``: on the processor's ``process``, or on a function that is the processor.

Inside a collection the work function already measures the chunk (see ``work``), and the decorator only adds what it
alone can give: the place for the user's own values. Where ``process`` is called without coffea's Runner it measures the
chunk itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from roastcoffea import work
from roastcoffea.guard import Guard

__all__ = ["track_metrics"]

_guard = Guard()


class _CurrentChunk(MutableMapping):
    """``self._roastcoffea_current_chunk``: the values of the chunk that the calling thread is at.

    One object serves all threads and all processors, so a processor that is shared between threads does not mix them
    up. Outside a chunk it is empty and forgets what is put in.
    """

    def _fields(self) -> MutableMapping:
        from roastcoffea import _core

        chunk = _core.current_chunk()
        return {} if chunk is None else chunk.fields

    def __getitem__(self, name: str) -> Any:
        return self._fields()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._fields()[name] = value

    def __delitem__(self, name: str) -> None:
        del self._fields()[name]

    def __iter__(self) -> Iterator:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def __reduce__(self) -> str:
        return "current_chunk"


current_chunk = _CurrentChunk()


def track_metrics(process: Callable) -> Callable:
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
    parameters = list(inspect.signature(process).parameters)
    is_method = len(parameters) > 1 or parameters[:1] == ["self"]

    @functools.wraps(process)
    def measured(*args: Any, **kwargs: Any) -> Any:
        owner = args[0] if is_method and args else None
        chunk = None
        with _guard("@track_metrics"):
            chunk = _begin(owner, args, kwargs, is_method)
        if chunk is None:
            return process(*args, **kwargs)
        try:
            out = process(*args, **kwargs)
        except BaseException as error:
            with _guard("@track_metrics"):
                chunk.set(error_type=type(error).__name__, error=str(error)[:1000])
                _hand_over(chunk.finish(), None)
            raise
        with _guard("@track_metrics"):
            chunk.phase("return")
            out = _hand_over(chunk.finish(), out)
        return out

    return measured


def _begin(owner: Any, args: tuple, kwargs: dict, is_method: bool) -> Any:
    """A chunk of our own, if nobody outside measures this one and somebody wants it measured."""
    from roastcoffea import _core

    if _core.current_chunk() is not None:
        if owner is not None:
            owner._roastcoffea_current_chunk = current_chunk
        return None
    if not getattr(owner, work.FLAG, bool(work.listeners) if owner is None else False):
        return None
    if owner is not None:
        owner._roastcoffea_current_chunk = current_chunk
    events = kwargs.get("events", args[1 if is_method else 0] if len(args) > is_method else None)
    chunk = _core.Chunk(_describe(events))
    chunk.phase("process")
    return chunk


def _describe(events: Any) -> dict[str, Any]:
    """What coffea says about the chunk, in the names of a record."""
    names = {
        "dataset": "dataset",
        "filename": "file",
        "treename": "treename",
        "fileuuid": "uuid",
        "entrystart": "entry_start",
        "entrystop": "entry_stop",
    }
    metadata = getattr(events, "metadata", None) or {}
    described = {ours: metadata[theirs] for theirs, ours in names.items() if metadata.get(theirs) is not None}
    try:
        described["num_events"] = len(events)
    except TypeError:
        pass
    return described | {"worker": work._worker_name()}


def _hand_over(packed: bytes, out: Any) -> Any:
    """Give the record to the collectors of this process, or else let the output carry it."""
    listeners = list(work.listeners.values())
    for listener in listeners:
        listener({"c": packed})
    if not listeners and isinstance(out, dict):
        out.setdefault(work.KEY, []).append(packed)
    return out
