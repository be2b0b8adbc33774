"""All of the sums together."""

from roastcoffea.legacy.aggregator import MetricsAggregator
from roastcoffea.legacy.totals import calculate_efficiency_metrics

__all__ = ["MetricsAggregator", "calculate_efficiency_metrics"]
