"""How busy the workers were."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_cpu, of_tracking

__all__ = [
    "plot_cpu_utilization_mean_timeline",
    "plot_cpu_utilization_per_worker_timeline",
    "plot_executing_tasks_timeline",
    "plot_occupancy_timeline",
]


def plot_cpu_utilization_mean_timeline(
    tracking_data: Any, output_path: Target = None, figsize: Size = (10, 4), title: str | None = None
) -> Figure:
    """How busy the cores were: the mean of the workers, and the least to the greatest."""
    return draw(
        "cpu_utilization_mean_timeline",
        of_cpu(tracking_data),
        output_path,
        figsize,
        title,
    )


def plot_cpu_utilization_per_worker_timeline(
    tracking_data: Any,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
    max_legend_entries: int = 5,
) -> Figure:
    """How busy the cores of each worker were."""
    return draw(
        "cpu_utilization_per_worker_timeline",
        of_cpu(tracking_data),
        output_path,
        figsize,
        title,
        legend_entries=max_legend_entries,
    )


def plot_occupancy_timeline(
    tracking_data: Any,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
    max_legend_entries: int = 5,
) -> Figure:
    """Seconds of work that were queued on each worker."""
    return draw(
        "occupancy_timeline",
        of_tracking(tracking_data, "worker_occupancy", absent="No worker occupancy data available"),
        output_path,
        figsize,
        title,
        y_label="Occupancy (saturation)",
        legend_entries=max_legend_entries,
    )


def plot_executing_tasks_timeline(
    tracking_data: Any,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
    max_legend_entries: int = 5,
) -> Figure:
    """Tasks that were running on each worker."""
    return draw(
        "executing_tasks_timeline",
        of_tracking(tracking_data, "worker_executing", absent="No worker executing tasks data available"),
        output_path,
        figsize,
        title,
        legend_entries=max_legend_entries,
    )
