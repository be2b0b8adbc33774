"""Time series of workers as the Dask backend has them; those of the local one have the same shape."""

from __future__ import annotations

from typing import Any

from roastcoffea.aggregation.backends.base import AbstractTrackingDataParser
from roastcoffea.legacy.tracking import (
    calculate_average_memory_per_worker,
    calculate_peak_memory,
    calculate_time_averaged_workers,
    parse_tracking_data,
)

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
        return parse_tracking_data(tracking_data)
