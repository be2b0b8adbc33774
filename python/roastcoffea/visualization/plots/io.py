"""What was read of the files."""

from __future__ import annotations

from typing import Any

from roastcoffea.visualization.data import Figure, Size, Target, draw, of_chunks, of_metrics

__all__ = [
    "plot_branch_access_per_chunk",
    "plot_bytes_accessed_per_chunk",
    "plot_compression_ratio_distribution",
    "plot_data_access_percentage",
]


def plot_compression_ratio_distribution(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None, bins: int = 20
) -> Figure:
    """How many files are compressed how much."""
    return draw(
        "compression_ratio_distribution",
        of_metrics(metrics, values="compression_ratios", absent="No compression ratio data available"),
        output_path,
        figsize,
        title,
        bins=bins,
    )


def plot_data_access_percentage(
    metrics: Any, output_path: Target = None, figsize: Size = (10, 6), title: str | None = None, bins: int = 20
) -> Figure:
    """Of how many files what share of the bytes was read."""
    return draw(
        "data_access_percentage",
        of_metrics(
            metrics, values="bytes_read_percent_per_file", absent="No bytes read percentage data available"
        ),
        output_path,
        figsize,
        title,
        bins=bins,
    )


def plot_branch_access_per_chunk(
    chunk_metrics: Any, output_path: Target = None, figsize: Size = (12, 6), title: str | None = None
) -> Figure:
    """How many branches each chunk read."""
    return draw(
        "branch_access_per_chunk",
        _reads(chunk_metrics, "branch", "num_branches_accessed"),
        output_path,
        figsize,
        title,
    )


def plot_bytes_accessed_per_chunk(
    chunk_metrics: Any, output_path: Target = None, figsize: Size = (12, 6), title: str | None = None
) -> Figure:
    """Bytes of the branches that each chunk read, compressed and not."""
    return draw(
        "bytes_accessed_per_chunk",
        _reads(chunk_metrics, "bytes", "accessed_bytes", "accessed_uncompressed_bytes"),
        output_path,
        figsize,
        title,
    )


def _reads(chunk_metrics: Any, what: str, *needed: str) -> Any:
    return of_chunks(
        chunk_metrics,
        *("error", "error_type"),
        needed=needed,
        absent=f"No {what} access data in chunk metrics",
        empty="No chunk metrics data available",
    )
