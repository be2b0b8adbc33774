"""Backends by name: ours, those of the entry-point group ``roastcoffea.backends``, and those registered by hand."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from roastcoffea.backends.base import AbstractMetricsBackend
from roastcoffea.guard import Guard

__all__ = ["AbstractMetricsBackend", "backend_class", "backend_for", "check_backend", "parser_of", "register_backend"]

_GROUP = "roastcoffea.backends"

#: Ours. A backend is chosen by name, or else as the first that accepts the collector's first argument.
_OURS = {
    "dask": "roastcoffea.backends.dask:DaskMetricsBackend",
    "local": "roastcoffea.backends.local:LocalMetricsBackend",
}
_registered: dict[str, tuple[type[AbstractMetricsBackend], Any]] = {}


def register_backend(name: str, backend_class: type[AbstractMetricsBackend], parser: Any = None) -> None:
    """Make ``MetricsCollector(x, backend=name)`` use a backend; and ``MetricsCollector(x)``, if it accepts ``x``.

    Parameters
    ----------
    name : str
        What users call it.
    backend_class : type
        A subclass of ``AbstractMetricsBackend``; made with the collector's first argument.
    parser : optional
        An ``AbstractTrackingDataParser``, for ``tracking_data`` of a shape of its own.
    """
    _registered[name] = (backend_class, parser)


def _table() -> dict[str, Callable[[], type[AbstractMetricsBackend]]]:
    """Every backend by name, those of others first, with what loads its class."""
    table: dict[str, Callable[[], type[AbstractMetricsBackend]]] = {
        name: functools.partial(operator.itemgetter(0), entry) for name, entry in _registered.items()
    }
    ours = [EntryPoint(name, place, _GROUP) for name, place in _OURS.items()]
    for entry in [*entry_points(group=_GROUP), *ours]:
        table.setdefault(entry.name, entry.load)
    return table


def backend_class(name: str) -> type[AbstractMetricsBackend]:
    """The class behind a name; ValueError with the known names if there is none."""
    table = _table()
    if name not in table:
        known = ", ".join(sorted(table))
        raise ValueError(f"Unsupported backend: {name}; there are {known}, and register_backend() adds others")
    return table[name]()


def check_backend(name: str | None, target: Any) -> None:
    """ValueError, in one line, for a name that is unknown, or is one of ours and does not fit the target."""
    if name is not None:
        chosen = backend_class(name)
        if name in _OURS and name not in _registered and target is not None and not chosen.accepts(target):
            raise ValueError(
                f"backend={name!r} cannot look at a {type(target).__name__}; leave backend out to have one chosen"
            )


def backend_for(target: Any, name: str | None, guard: Guard) -> AbstractMetricsBackend:
    """The backend of this name; without one, the first that accepts the target. One that cannot be asked is said.

    "dask" was the default of 0.1.2 and means "what there is" where there is no client.
    """
    if name is not None:
        chosen = backend_class(name)
        if target is not None or name != "dask" or chosen.accepts(None):
            return chosen.of_target(target)
    for candidate, load in _table().items():
        with guard(f"the backend {candidate!r}"):
            chosen = load()
            if hasattr(chosen, "accepts") and chosen.accepts(target):
                return chosen.of_target(target)
    raise LookupError("no backend accepts the collector's first argument")


def parser_of(name: str) -> Any:
    """The parser that was registered with a backend, or None."""
    return _registered.get(name, (None, None))[1]
