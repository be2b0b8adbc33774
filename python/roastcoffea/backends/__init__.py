"""Backends by name: ours, those of the entry-point group ``roastcoffea.backends``, and those registered by hand."""

from __future__ import annotations

from typing import Any

from roastcoffea.backends.base import AbstractMetricsBackend

__all__ = ["AbstractMetricsBackend", "backend_class", "parser_of", "register_backend"]

_registered: dict[str, tuple[type, Any]] = {}


def register_backend(name: str, backend_class: type, parser: Any = None) -> None:
    """Make ``MetricsCollector(x, backend=name)`` use a backend.

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


def backend_class(name: str) -> type:
    """The class behind a name; ValueError with the known names if there is none."""
    if name in _registered:
        return _registered[name][0]
    if name == "dask":
        from roastcoffea.backends.dask import DaskMetricsBackend

        return DaskMetricsBackend
    if name == "local":
        from roastcoffea.backends.local import LocalMetricsBackend

        return LocalMetricsBackend
    from importlib.metadata import entry_points

    for entry in entry_points(group="roastcoffea.backends"):
        if entry.name == name:
            return entry.load()
    known = sorted({"dask", "local", *_registered})
    raise ValueError(f"unknown backend {name!r}; there are {', '.join(known)}, and register_backend() adds others")


def parser_of(name: str) -> Any:
    """The parser that was registered with a backend, or None."""
    return _registered.get(name, (None, None))[1]
