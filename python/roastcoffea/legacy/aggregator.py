"""All of the sums together."""

from __future__ import annotations

from typing import Any

from roastcoffea.aggregation.backends import get_parser
from roastcoffea.legacy.chunks import aggregate_branch_coverage, aggregate_chunk_metrics, build_chunk_info
from roastcoffea.legacy.totals import aggregate_workflow_metrics, calculate_efficiency_metrics, parse_fine_metrics

__all__ = ["MetricsAggregator", "efficiency_is_extended", "efficiency_metrics"]


def _efficiency_function() -> Any:
    """``calculate_efficiency_metrics``, or what a script has put in its place in one of the modules that 0.1.2 has it in."""
    from roastcoffea.aggregation import core, efficiency

    places = (core.calculate_efficiency_metrics, efficiency.calculate_efficiency_metrics)
    return next((found for found in places if found is not calculate_efficiency_metrics), calculate_efficiency_metrics)


def efficiency_is_extended() -> bool:
    """Whether a script has put its own function in its place."""
    return _efficiency_function() is not calculate_efficiency_metrics


def efficiency_metrics(workflow: dict[str, Any], workers: dict[str, Any]) -> dict[str, Any]:
    """By the function that is in place."""
    metrics: dict[str, Any] = _efficiency_function()(workflow, workers)
    return metrics



class MetricsAggregator:
    """Sums up a run from the parts that a script has collected.

    Parameters
    ----------
    backend : str
        Whose ``tracking_data`` it will get; ValueError if there is no parser for it.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.parser = get_parser(backend)

    def aggregate(
        self,
        coffea_report: dict[str, Any],
        tracking_data: dict[str, Any] | None,
        t_start: float,
        t_end: float,
        custom_metrics: dict[str, Any] | None = None,
        span_metrics: dict[tuple[str, ...], Any] | None = None,
        processor_name: str | None = None,
        chunk_metrics: list[dict[str, Any]] | None = None,
        section_metrics: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Every metric that the parts give, in one dict, with the raw parts beside them.

        ``num_chunks`` is the report's, as ``avg_cpu_time_per_chunk`` needs it; ``num_chunk_records`` counts the
        records.
        """
        workflow = aggregate_workflow_metrics(coffea_report, t_start, t_end, custom_metrics)
        workers = self.parser.parse_tracking_data(tracking_data) if tracking_data is not None else {}
        metrics = workflow | workers | efficiency_metrics(workflow, workers)
        if span_metrics:
            metrics |= parse_fine_metrics(span_metrics, processor_name)
        if chunk_metrics:
            chunks = aggregate_chunk_metrics(chunk_metrics, section_metrics)
            records = chunks.pop("num_chunks")
            metrics |= chunks | {"num_chunk_records": records}
            if not coffea_report.get("chunks"):
                metrics["num_chunks"] = records
            info = build_chunk_info(chunk_metrics)
            if info:
                metrics["chunk_info"] = info
        metrics |= aggregate_branch_coverage(chunk_metrics, coffea_report)
        raw = {"chunk": chunk_metrics, "section": section_metrics, "span": span_metrics}
        metrics |= {f"raw_{name}_metrics": value for name, value in raw.items() if value}
        metrics["tracking_data"] = tracking_data
        return metrics
