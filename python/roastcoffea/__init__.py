"""roastcoffea: how fast a coffea analysis ran, where the time went, and what held it back.

Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "MetricsCollector": "collector",
    "track_metrics": "decorator",
    "BaseInstrumentationContext": "instrumentation",
    "track_bytes": "instrumentation",
    "track_memory": "instrumentation",
    "track_section": "instrumentation",
    "track_time": "instrumentation",
    "Run": "run",
    "open_run": "run",
    "load_measurement": "export.measurements",
    "save_measurement": "export.measurements",
    "register_backend": "backends",
    "configure": "settings",
}

__all__ = ["__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = value
        return value
    if name == "__version__":
        return import_module(f"{__name__}._core").__version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
