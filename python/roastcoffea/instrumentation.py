"""Sections inside ``process``: how long, on how much CPU, how much memory, how many bytes.

The context managers are C (``roastcoffea._core``); they are decorators too, nest and repeat, and do nothing outside a
collection.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from roastcoffea._core import track_bytes, track_memory, track_time

__all__ = ["BaseInstrumentationContext", "track_bytes", "track_memory", "track_section", "track_time"]

track_section = track_time


class BaseInstrumentationContext:
    """A context manager of the user's own, whose values are kept with the chunk.

    Parameters
    ----------
    processor : object
        The processor (or any object, or None).
    name : str
        What the section is called.

    Examples
    --------
    >>> class Counted(BaseInstrumentationContext):
    ...     def __exit__(self, *exc):
    ...         self.record_metric("jets", 42)
    """

    def __init__(self, processor: Any, name: str) -> None:
        self.processor = processor
        self.name = name

    def __enter__(self) -> BaseInstrumentationContext:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return None

    def record_metric(self, name: str, value: Any) -> None:
        """Keep a value with the chunk, among its ``custom_metrics``."""
        from roastcoffea import _core

        chunk = _core.current_chunk()
        if chunk is not None:
            chunk.fields.setdefault("custom_metrics", {})[name] = value
