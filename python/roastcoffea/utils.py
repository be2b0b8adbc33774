"""Small things that scripts of roastcoffea 0.1 import from here."""

from __future__ import annotations

from roastcoffea import _core

__all__ = ["get_process_memory"]


def get_process_memory() -> float:
    """Resident memory of this process in MiB; 0.0 where it cannot be read."""
    return _core.process_memory()
