"""How much of the cluster was used."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_metrics

__all__ = ["plot_efficiency_summary", "plot_resource_utilization"]

#: Under their names, and those of older scripts.
_EFFICIENCY = ("core_efficiency", "cpu_efficiency", "cpu_efficiency_fine", "speedup_factor", "speedup")
_RESOURCES = ("avg_workers", "time_avg_workers", "total_cores", "peak_memory_bytes")
_NO_EFFICIENCY = "No efficiency metrics available (core_efficiency or speedup_factor)"
_NO_RESOURCES = "No resource metrics available (workers, cores, or memory)"


def plot_efficiency_summary(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None
) -> Figure:
    """How much of the cores was used, and how many chunks ran at once."""
    return draw("efficiency_summary", of_metrics(metrics, *_EFFICIENCY, absent=_NO_EFFICIENCY), output_path, figsize, title)


def plot_resource_utilization(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None
) -> Figure:
    """Workers, cores and memory."""
    return draw("resource_utilization", of_metrics(metrics, *_RESOURCES, absent=_NO_RESOURCES), output_path, figsize, title)
