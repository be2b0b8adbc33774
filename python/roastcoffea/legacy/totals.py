"""Rates and efficiencies of totals, and the sums of Dask's activities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roastcoffea.legacy.memory import metrics_of
from roastcoffea.legacy.numbers import Number, number_in, number_of

__all__ = [
    "aggregate_workflow_metrics",
    "calculate_efficiency_metrics",
    "extract_per_task_metrics",
    "parse_fine_metrics",
]

#: A span of Dask: ``(context, prefix, activity, unit)``.
Spans = Mapping[tuple[str, ...], Any]


def _same(*names: str) -> dict[str, str]:
    """Names that are today what they were."""
    return {name: name for name in names}


# ---- Workflow

_RATES = _same("data_rate_gbps", "event_rate_elapsed_khz", "event_rate_cpu_total_khz", "avg_cpu_time_per_chunk")


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
    elapsed = float(t_end - t_start)
    totals = {"num_chunks": number_in(coffea_report, "chunks"), "elapsed_time_seconds": elapsed}
    totals |= _of_datasets(custom_metrics) if custom_metrics else _of_report(coffea_report, elapsed)
    return metrics_of(_known(totals), _RATES) | totals


def _of_datasets(custom_metrics: Mapping[str, Any]) -> dict[str, Number]:
    datasets = [dataset for dataset in custom_metrics.values() if isinstance(dataset, dict)]
    counters = [dataset.get("performance_counters") or {} for dataset in datasets]
    return {
        "total_events": sum(number_in(dataset, "entries") for dataset in datasets),
        "total_cpu_time": sum(number_in(dataset, "duration") for dataset in datasets),
        "total_bytes_read": sum(number_in(counter, "num_requested_bytes") for counter in counters),
    }


def _of_report(report: Mapping[str, Any], elapsed: float) -> dict[str, Number]:
    """A report without bytes is none."""
    if report.get("bytesread") is None:
        report = {"processtime": 0}
    return {
        "total_events": number_in(report, "entries"),
        "total_cpu_time": elapsed if report.get("processtime") is None else number_in(report, "processtime"),
        "total_bytes_read": number_in(report, "bytesread"),
    }


def _known(totals: Mapping[str, Number]) -> dict[str, Number | None]:
    """0 of something says that it is not known."""
    return {name: value if value > 0 else None for name, value in totals.items()}


# ---- Efficiency

_EFFICIENCIES = _same("speedup_factor", "core_efficiency", "event_rate_core_khz")


def calculate_efficiency_metrics(workflow_metrics: dict[str, Any], worker_metrics: dict[str, Any]) -> dict[str, Any]:
    """Core efficiency, speed-up and events per second and core; None where the cores are not known."""
    names = ("elapsed_time_seconds", "total_cpu_time", "total_events")
    totals = {name: number_in(workflow_metrics, name) for name in names}
    totals["total_cores"] = number_in(worker_metrics, "total_cores")
    metrics: dict[str, Any] = metrics_of(_known(totals), _EFFICIENCIES)
    if worker_metrics.get("total_cores") is None:
        metrics |= {"core_efficiency": None, "event_rate_core_khz": None}
    return metrics


# ---- Fine metrics

_BYTES = ("memory-read", "disk-read", "disk-write")
_SECONDS = ("thread-cpu", "thread-noncpu", "decompress", "compress", "deserialize", "serialize")
_SIZES = _same("total_bytes_memory_read", "disk_read_bytes", "disk_write_bytes")
_TIMES = {
    "processor_io_wait_time_seconds": "processor_noncpu_time_seconds",
    "processor_cpu_percent": "processor_cpu_percentage",
    "processor_io_wait_percent": "processor_noncpu_percentage",
    "overhead_io_wait_time_seconds": "overhead_noncpu_time_seconds",
} | _same(
    "processor_cpu_time_seconds",
    "overhead_cpu_time_seconds",
    "decompression_time_seconds",
    "compression_time_seconds",
    "total_compression_overhead_seconds",
    "deserialization_time_seconds",
    "serialization_time_seconds",
    "total_serialization_overhead_seconds",
)


def parse_fine_metrics(cumulative_worker_metrics: Spans, processor_name: str | None = None) -> dict[str, Any]:
    """Sums per activity, the processor's tasks apart from all others.

    Parameters
    ----------
    cumulative_worker_metrics : dict
        Of a span: ``(context, prefix, activity, unit)`` to a value.
    processor_name : str, optional
        The prefix of the processor's tasks; without one, all of it is the processor's.
    """
    activities = _activities(cumulative_worker_metrics, processor_name)
    metrics: dict[str, Any] = metrics_of({"raw_span_metrics": activities, "processor_name": "own"}, _TIMES | _SIZES)
    return metrics | {name: int(metrics[name]) for name in _SIZES}


def _activities(spans: Spans, processor_name: str | None) -> dict[str, Number]:
    """Those that are known, numbered; for 0.1.x a time is one whatever its unit is called."""
    activities = {}
    for index, (key, value) in enumerate(spans.items()):
        if not isinstance(key, tuple) or len(key) < 3:
            continue
        prefix = "own" if processor_name in (None, key[1]) else "other"
        if key[2] in _SECONDS:
            activities[str((str(index), prefix, key[2], "seconds"))] = number_of(value)
        elif key[2] in _BYTES and key[3:4] == ("bytes",):
            activities[str((str(index), prefix, key[2], "bytes"))] = number_of(value)
    return activities


def extract_per_task_metrics(span_metrics: Spans) -> dict[str, dict[str, float]]:
    """What each kind of task did: ``{task: {activity: value}}``.

    One activity may come in several units, bytes and a count of them: the count is not what it is about.
    """
    tasks: dict[str, dict[str, float]] = {}
    for key, value in span_metrics.items():
        if not isinstance(key, tuple) or len(key) < 3 or key[0] != "execute":
            continue
        task = tasks.setdefault(key[1], {})
        if key[2] not in task or key[3:4] != ("count",):
            task[key[2]] = value
    return tasks
