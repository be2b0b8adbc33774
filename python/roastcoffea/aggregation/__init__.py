"""The sums of roastcoffea 0.1, for scripts that call them; see ``roastcoffea.legacy``."""

from __future__ import annotations

from roastcoffea.aggregation.core import MetricsAggregator

__all__ = ["MetricsAggregator"]
