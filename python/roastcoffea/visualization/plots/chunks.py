"""How long chunks took."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_chunks

__all__ = ["plot_runtime_distribution", "plot_runtime_vs_events"]


def plot_runtime_distribution(
    chunk_metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None, bins: int = 30
) -> Figure:
    """How many chunks took how long."""
    return draw("runtime_distribution", _runtimes(chunk_metrics, "runtime"), output_path, figsize, title, bins=bins)


def plot_runtime_vs_events(
    chunk_metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None
) -> Figure:
    """Time of each chunk against its events, by dataset."""
    return draw("runtime_vs_events", _runtimes(chunk_metrics, "runtime vs events"), output_path, figsize, title)


def _runtimes(chunk_metrics: Any, what: str) -> Any:
    return of_chunks(
        chunk_metrics,
        *("t_start", "t_end", "num_events", "dataset", "error", "error_type"),
        needed=("duration", "t_end"),
        absent=f"No {what} data available in chunk metrics",
        empty="No chunk metrics available",
    )
