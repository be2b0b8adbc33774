"""Throughput and timing from coffea's report."""

from roastcoffea.legacy.totals import aggregate_workflow_metrics

__all__ = ["aggregate_workflow_metrics"]
