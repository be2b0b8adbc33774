"""What a coffea analysis did with its cluster: how fast it was, where the time went, what held it back.

Importing this package imports nothing else: not coffea, not distributed, not even the extension module. What is
asked for is imported then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

#: Where each public name lives.
_HOMES = {
    "BaseInstrumentationContext": "instrumentation",
    "MetricsCollector": "collector",
    "RoastError": "_core",
    "Run": "run",
    "__version__": "_core",
    "configure": "settings",
    "inspect": "inspection",
    "load_measurement": "export.measurements",
    "open_run": "run",
    "register_backend": "backends",
    "save_measurement": "export.measurements",
    "track_bytes": "_core",
    "track_memory": "_core",
    "track_metrics": "decorator",
    "track_section": "_core:track_time",
    "track_time": "_core",
}

__all__ = sorted(_HOMES)

if TYPE_CHECKING:
    from roastcoffea._core import RoastError, __version__, track_bytes, track_memory, track_time
    from roastcoffea.backends import register_backend
    from roastcoffea.collector import MetricsCollector
    from roastcoffea.decorator import track_metrics
    from roastcoffea.export.measurements import load_measurement, save_measurement
    from roastcoffea.inspection import inspect
    from roastcoffea.instrumentation import BaseInstrumentationContext
    from roastcoffea.run import Run, open_run
    from roastcoffea.settings import configure

    track_section = track_time


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'roastcoffea' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = home.partition(":")
    value = getattr(import_module(f"roastcoffea.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
