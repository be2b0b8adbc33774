"""Statistics over chunks."""

from __future__ import annotations

from typing import Any

from roastcoffea import _core

__all__ = ["aggregate_chunk_metrics", "build_chunk_info"]


def aggregate_chunk_metrics(
    chunk_metrics: list[dict[str, Any]] | None, section_metrics: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Counts, durations, memory and events of chunks, per dataset too, and of sections."""
    return _core.aggregate_chunk_metrics(chunk_metrics, section_metrics)


def build_chunk_info(chunk_metrics: list[dict[str, Any]]) -> dict[tuple, tuple]:
    """``{(file, entry_start, entry_stop): (t_start, t_end, bytes_read)}``, for ``plot_throughput_timeline``."""
    return _core.build_chunk_info(chunk_metrics)
