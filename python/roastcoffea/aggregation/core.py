"""All of the sums together."""

from roastcoffea.legacy.aggregator import MetricsAggregator

__all__ = ["MetricsAggregator"]
