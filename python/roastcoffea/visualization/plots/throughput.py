"""Tasks and data over time."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_chunk_info, of_tracking

__all__ = ["plot_throughput_timeline", "plot_total_active_tasks_timeline", "plot_worker_activity_timeline"]


def plot_worker_activity_timeline(
    tracking_data: Any,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
    max_legend_entries: int = 5,
) -> Figure:
    """Tasks that were assigned to each worker."""
    return draw(
        "worker_activity_timeline",
        _tasks(tracking_data),
        output_path,
        figsize,
        title,
        legend_entries=max_legend_entries,
    )


def plot_total_active_tasks_timeline(
    tracking_data: Any, output_path: Target = None, figsize: Size = (10, 5), title: str | None = None
) -> Figure:
    """Tasks that were assigned to all workers together."""
    return draw(
        "total_active_tasks_timeline", _tasks(tracking_data), output_path, figsize, title
    )


def plot_throughput_timeline(
    chunk_info: Any,
    tracking_data: Any = None,
    output_path: Target = None,
    figsize: Size = (12, 6),
    title: str | None = None,
) -> Figure:
    """Data read per second, and the number of workers on a second axis."""
    return draw("throughput_timeline", of_chunk_info(chunk_info, tracking_data), output_path, figsize, title)


def _tasks(tracking_data: Any) -> Any:
    return of_tracking(tracking_data, "worker_active_tasks", absent="No worker active tasks data available")
