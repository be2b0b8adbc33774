"""How much of the cluster was used."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_metrics

__all__ = ["plot_efficiency_summary", "plot_resource_utilization"]

#: Under their names, and those of older scripts.
_EFFICIENCY = ("core_efficiency", "cpu_efficiency", "cpu_efficiency_fine", "speedup_factor", "speedup")
_RESOURCES = ("avg_workers", "time_avg_workers", "total_cores", "peak_memory_bytes")


def plot_efficiency_summary(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None
) -> Figure:
    """How much of the cores was used, and how many chunks ran at once."""
    return draw("efficiency_summary", of_metrics(metrics, *_EFFICIENCY), output_path, figsize, title)


def plot_resource_utilization(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None
) -> Figure:
    """Workers, cores and memory."""
    return draw("resource_utilization", of_metrics(metrics, *_RESOURCES), output_path, figsize, title)
