"""Parsers of ``tracking_data``, by backend."""

from __future__ import annotations

from roastcoffea.aggregation.backends.base import AbstractTrackingDataParser
from roastcoffea.aggregation.backends.dask import DaskTrackingDataParser

__all__ = ["AbstractTrackingDataParser", "DaskTrackingDataParser", "get_parser"]


def get_parser(backend: str) -> AbstractTrackingDataParser:
    """The parser for a backend: the one that was registered with it, or ours.

    Raises
    ------
    ValueError
        For a backend that has none.
    """
    from roastcoffea.backends import parser_of

    registered = parser_of(backend)
    if registered is not None:
        parser: AbstractTrackingDataParser = registered() if isinstance(registered, type) else registered
        return parser
    if backend in ("dask", "local"):
        return DaskTrackingDataParser()
    raise ValueError(f"Unsupported backend: {backend}; there are dask and local, and register_backend() adds others")
