"""Dask's fine metrics, by kind of task."""

from __future__ import annotations

from typing import Any

from roastcoffea.legacy.totals import extract_per_task_metrics
from roastcoffea.visualization.data import Figure, Size, Target, draw, of_spans

__all__ = [
    "extract_per_task_metrics",
    "plot_per_task_bytes_read",
    "plot_per_task_cpu_io",
    "plot_per_task_overhead",
]


def plot_per_task_cpu_io(
    span_metrics: Any, output_path: Target = None, title: str | None = None, figsize: Size = (12, 6)
) -> Figure:
    """CPU time and other time of each kind of task."""
    return draw("per_task_cpu_io", _spans(span_metrics, "CPU/IO"), output_path, figsize, title)


def plot_per_task_bytes_read(
    span_metrics: Any, output_path: Target = None, title: str | None = None, figsize: Size = (12, 6)
) -> Figure:
    """Bytes that each kind of task took from memory and from disk."""
    return draw("per_task_bytes_read", _spans(span_metrics, "disk-read"), output_path, figsize, title)


def plot_per_task_overhead(
    span_metrics: Any, output_path: Target = None, title: str | None = None, figsize: Size = (12, 6)
) -> Figure:
    """Time of each kind of task for compressing and serialising."""
    return draw("per_task_overhead", _spans(span_metrics, "overhead"), output_path, figsize, title)


def _spans(span_metrics: Any, what: str) -> Any:
    return of_spans(span_metrics, f"No per-task {what} metrics found in span_metrics")
