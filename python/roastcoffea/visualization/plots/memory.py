"""Memory of the workers."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_memory

__all__ = ["plot_memory_utilization_mean_timeline", "plot_memory_utilization_per_worker_timeline"]


def plot_memory_utilization_mean_timeline(
    tracking_data: Any, output_path: Target = None, figsize: Size = (10, 4), title: str | None = None
) -> Figure:
    """Memory in percent of the limits: the mean of the workers, and the least to the greatest."""
    return draw(
        "memory_utilization_mean_timeline",
        of_memory(tracking_data),
        output_path,
        figsize,
        title,
    )


def plot_memory_utilization_per_worker_timeline(
    tracking_data: Any,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
    max_legend_entries: int = 5,
) -> Figure:
    """Memory of each worker in percent of its limit."""
    return draw(
        "memory_utilization_per_worker_timeline",
        of_memory(tracking_data),
        output_path,
        figsize,
        title,
        legend_entries=max_legend_entries,
    )
