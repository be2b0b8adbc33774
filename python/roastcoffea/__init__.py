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
    "plot_branch_access_per_chunk": "visualization.plots",
    "plot_bytes_accessed_per_chunk": "visualization.plots",
    "plot_compression_ratio_distribution": "visualization.plots",
    "plot_cpu_utilization_mean_timeline": "visualization.plots",
    "plot_cpu_utilization_per_worker_timeline": "visualization.plots",
    "plot_data_access_percentage": "visualization.plots",
    "plot_efficiency_summary": "visualization.plots",
    "plot_executing_tasks_timeline": "visualization.plots",
    "plot_memory_utilization_mean_timeline": "visualization.plots",
    "plot_memory_utilization_per_worker_timeline": "visualization.plots",
    "plot_occupancy_timeline": "visualization.plots",
    "plot_per_task_bytes_read": "visualization.plots",
    "plot_per_task_cpu_io": "visualization.plots",
    "plot_per_task_overhead": "visualization.plots",
    "plot_resource_utilization": "visualization.plots",
    "plot_runtime_distribution": "visualization.plots",
    "plot_runtime_vs_events": "visualization.plots",
    "plot_throughput_timeline": "visualization.plots",
    "plot_total_active_tasks_timeline": "visualization.plots",
    "plot_worker_activity_timeline": "visualization.plots",
    "plot_worker_count_timeline": "visualization.plots",
    "register_backend": "backends",
    "save_measurement": "export.measurements",
    "track_bytes": "_core",
    "track_memory": "_core",
    "track_metrics": "decorator",
    "track_section": "_core:track_time",
    "track_time": "_core",
}

#: ``from roastcoffea import *`` leaves the standard library's ``inspect`` alone.
__all__ = sorted(_HOMES.keys() - {"inspect"})  # noqa: PLE0605

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
    from roastcoffea.visualization.plots import (
        plot_branch_access_per_chunk,
        plot_bytes_accessed_per_chunk,
        plot_compression_ratio_distribution,
        plot_cpu_utilization_mean_timeline,
        plot_cpu_utilization_per_worker_timeline,
        plot_data_access_percentage,
        plot_efficiency_summary,
        plot_executing_tasks_timeline,
        plot_memory_utilization_mean_timeline,
        plot_memory_utilization_per_worker_timeline,
        plot_occupancy_timeline,
        plot_per_task_bytes_read,
        plot_per_task_cpu_io,
        plot_per_task_overhead,
        plot_resource_utilization,
        plot_runtime_distribution,
        plot_runtime_vs_events,
        plot_throughput_timeline,
        plot_total_active_tasks_timeline,
        plot_worker_activity_timeline,
        plot_worker_count_timeline,
    )

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
    return sorted(set(globals()) | set(_HOMES))
