"""The number of workers."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_tracking

__all__ = ["plot_worker_count_timeline"]


def plot_worker_count_timeline(
    tracking_data: Any, output_path: Target = None, figsize: Size = (10, 4), title: str | None = None
) -> Figure:
    """How many workers there were over time."""
    counts = of_tracking(tracking_data, "worker_counts", absent="No worker count data available")
    return draw("worker_count_timeline", counts, output_path, figsize, title)
