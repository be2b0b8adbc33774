"""Time series of workers as the Dask backend has them; those of the local one have the same shape."""

from __future__ import annotations

import datetime
from typing import Any

from roastcoffea import _core
from roastcoffea.aggregation.backends.base import AbstractTrackingDataParser

__all__ = [
    "DaskTrackingDataParser",
    "calculate_average_memory_per_worker",
    "calculate_peak_memory",
    "calculate_time_averaged_workers",
]


class DaskTrackingDataParser(AbstractTrackingDataParser):
    """Averages and peaks of workers, cores and memory."""

    def parse_tracking_data(self, tracking_data: dict[str, Any]) -> dict[str, Any]:
        """Workers, cores and memory; a worker counts for as long as it was there."""
        return _core.parse_tracking_data(tracking_data)


def calculate_time_averaged_workers(worker_counts: dict[datetime.datetime, int]) -> float:
    """The number of workers, averaged over time."""
    return _core.calculate_time_averaged_workers(worker_counts)


def calculate_peak_memory(worker_memory: dict[str, list[tuple]]) -> float:
    """The highest memory of any worker at any time."""
    return _core.calculate_peak_memory(worker_memory)


def calculate_average_memory_per_worker(worker_memory: dict[str, list[tuple]]) -> float:
    """The memory of a worker: averaged over time, then over workers."""
    return _core.calculate_average_memory_per_worker(worker_memory)
