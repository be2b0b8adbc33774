"""What a parser of ``tracking_data`` has to be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

__all__ = ["AbstractTrackingDataParser"]


class AbstractTrackingDataParser(ABC):
    """Turns what a backend tracked into metrics of the workers."""

    @abstractmethod
    def parse_tracking_data(self, tracking_data: dict[str, Any]) -> dict[str, Any]:
        """Give ``avg_workers``, ``peak_workers``, ``total_cores``, ``cores_per_worker`` and the memory's."""
