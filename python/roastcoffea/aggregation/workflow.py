"""Throughput and timing from coffea's report."""

from __future__ import annotations

from typing import Any

from roastcoffea import _core

__all__ = ["aggregate_workflow_metrics"]


def aggregate_workflow_metrics(
    coffea_report: dict[str, Any], t_start: float, t_end: float, custom_metrics: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Rates and totals of a run.

    Parameters
    ----------
    coffea_report : dict
        What the Runner returns beside the output.
    t_start, t_end : float
        When the run began and ended, in seconds.
    custom_metrics : dict, optional
        Per dataset, instead of the report's totals.
    """
    return _core.aggregate_workflow_metrics(coffea_report, t_start, t_end, custom_metrics)
