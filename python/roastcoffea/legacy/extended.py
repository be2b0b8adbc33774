"""What scripts of 0.1.2 add to the metrics of a run: by giving, by assigning, by putting their own functions in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roastcoffea.aggregation.backends import get_parser
from roastcoffea.backends import parser_of
from roastcoffea.legacy.aggregator import efficiency_is_extended, efficiency_metrics
from roastcoffea.legacy.chunks import aggregate_branch_coverage, aggregate_chunk_metrics, aggregate_sections, build_chunk_info
from roastcoffea.legacy.totals import aggregate_workflow_metrics

if TYPE_CHECKING:
    from roastcoffea.collector import MetricsCollector
    from roastcoffea.session import Session

__all__ = ["extended_metrics"]


def extended_metrics(collector: MetricsCollector, session: Session, measured: dict[str, Any]) -> dict[str, Any]:
    """The metrics of the run file, and over them what the script added; what fails of that is said, and left out."""
    for part, add in _PARTS.items():
        with session.guard(part):
            for name, value in add(collector, session, measured).items():
                measured[name] = value  # one by one: what nobody asked for is not made yet
    return measured


def _late_report(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    report = session.coffea_report
    if "coffea's report" not in session.late or report is None:
        return {}
    workflow = aggregate_workflow_metrics(report, session.t_start, session.t_end, collector.custom_metrics)
    return workflow | efficiency_metrics(workflow, metrics)


def _parsed_workers(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    """By the parser that was registered with the backend."""
    name = collector.backend
    if name is None or parser_of(name) is None or session.tracking_data is None:
        return {}
    workers = get_parser(name).parse_tracking_data(session.tracking_data)
    return workers | efficiency_metrics(metrics, workers)


def _efficiency(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    return efficiency_metrics(metrics, metrics) if efficiency_is_extended() else {}


def _chunks(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    """Of records that were assigned, or came late."""
    records = collector._assigned.get("chunk_metrics")
    if not records:
        return {}
    sums = aggregate_chunk_metrics(records)
    sums["num_chunk_records"] = sums.pop("num_chunks")
    return sums | aggregate_branch_coverage(records) | {"chunk_info": build_chunk_info(records), "raw_chunk_metrics": records}


def _sections(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    records = collector.section_metrics
    if not records:
        return {}
    return {"sections": (metrics.get("sections") or {}) | aggregate_sections(records), "raw_section_metrics": records}


def _aggregated(collector: MetricsCollector, session: Session, metrics: dict[str, Any]) -> dict[str, Any]:
    """By an aggregator that was assigned."""
    if "aggregator" not in collector._assigned:
        return {}
    return collector.aggregator.aggregate(
        coffea_report=session.coffea_report or {},
        tracking_data=collector.tracking_data,
        t_start=session.t_start,
        t_end=session.t_end,
        custom_metrics=collector.custom_metrics,
        span_metrics=session.span_metrics,
        processor_name=session.processor_name,
        chunk_metrics=collector.chunk_metrics,
        section_metrics=collector.section_metrics,
    )


_PARTS = {
    "a report that came late": _late_report,
    "the parser of tracking_data": _parsed_workers,
    "calculate_efficiency_metrics": _efficiency,
    "records of chunks": _chunks,
    "records of sections": _sections,
    "the aggregator": _aggregated,
}
