"""The tables of 0.1.2, which scripts call by name: its titles and rows, of a dict of metrics. Numbers are shown as ours are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from roastcoffea import _core
from roastcoffea.legacy.numbers import number_of

__all__ = ["chunk_rows", "event_rows", "fine_rows", "resource_rows", "throughput_rows", "timing_rows"]

Metrics = Mapping[str, Any]
Row = tuple[str, str]


class Line(NamedTuple):
    """One row: what it is called, where its number is, and how that is shown."""

    label: str
    metric: str
    unit: str = "s"
    form: Literal["unit", "memory", "percent", "times"] = "unit"


def _shown(line: Line, metrics: Metrics, why_absent: str = "") -> str:
    value = metrics.get(line.metric)
    return f"N/A{why_absent}" if value is None else _core.shown(number_of(value), line.unit, line.form)


def _always(metrics: Metrics, lines: Iterable[Line], why_absent: str = "") -> Iterator[Row]:
    for line in lines:
        yield line.label, _shown(line, metrics, why_absent)


def _known(metrics: Metrics, lines: Iterable[Line]) -> Iterator[Row]:
    """Those that are there, and not 0."""
    return _always(metrics, (line for line in lines if metrics.get(line.metric)))


# ---- Totals

_VOLUMES = (
    Line("Total Bytes Read (Coffea)", "total_bytes_read", "B"),
    Line("Memory Read (Dask Spans)", "total_bytes_memory_read", "B"),
)
_EVENTS = (
    Line("Total Events", "total_events", "count"),
    Line("Event Rate (Elapsed Time)", "event_rate_elapsed_khz", "kHz"),
    Line("Event Rate (Total CPU)", "event_rate_cpu_total_khz", "kHz"),
)
_CORE_RATE = Line("Event Rate (Core-Averaged)", "event_rate_core_khz", "kHz/core")
_RESOURCES = (
    Line("Workers (Time-Averaged)", "avg_workers", "count"),
    Line("Peak Workers", "peak_workers", "count"),
    Line("Cores per Worker", "cores_per_worker", "count"),
    Line("Total Cores", "total_cores", "count"),
    Line("Core Efficiency", "core_efficiency", "ratio", "percent"),
    Line("Speedup Factor", "speedup_factor", "ratio", "times"),
    Line("Peak Memory (per worker)", "peak_memory_bytes", "B", "memory"),
    Line("Avg Memory (per worker)", "avg_memory_per_worker_bytes", "B", "memory"),
)
_TIMES = (Line("Elapsed Time", "elapsed_time_seconds"), Line("Total CPU Time", "total_cpu_time"))
_CHUNK_TIMES = (Line("Number of Chunks", "num_chunks", "count"), Line("Avg CPU Time/Chunk", "avg_cpu_time_per_chunk"))


def throughput_rows(metrics: Metrics) -> Iterator[Row]:
    """Data read, and how fast, in bits and in bytes."""
    rate = metrics.get("data_rate_gbps")
    yield "Data Rate", "N/A" if rate is None else f"{_core.shown(rate, 'Gbit/s')} ({_core.shown(rate * 125, 'MB/s')})"
    yield from _known(metrics, _VOLUMES)


def event_rows(metrics: Metrics) -> Iterator[Row]:
    """Events, and how fast."""
    yield from _always(metrics, _EVENTS)
    yield _CORE_RATE.label, _shown(_CORE_RATE, metrics, " (no worker data)")
    elapsed, cpu = metrics.get("event_rate_elapsed_khz"), metrics.get("event_rate_cpu_total_khz")
    if elapsed and cpu:
        yield "Efficiency Ratio", _core.shown(elapsed / cpu, "ratio", "percent")


def resource_rows(metrics: Metrics) -> Iterator[Row]:
    """Workers, cores and memory."""
    return _always(metrics, _RESOURCES, " (no worker tracking)")


def timing_rows(metrics: Metrics) -> Iterator[Row]:
    """Wall time, and time in ``process``."""
    yield from _always(metrics, _TIMES)
    if metrics.get("num_chunks"):
        yield from _always(metrics, _CHUNK_TIMES)


# ---- Spans

_PROCESSOR = (
    Line("Processor CPU Time", "processor_cpu_time_seconds"),
    Line("Processor I/O & Waiting Time", "processor_io_wait_time_seconds"),
)
_SHARES = (
    Line("  CPU %", "processor_cpu_percent", "%"),
    Line("  I/O & Wait %", "processor_io_wait_percent", "%"),
)
_OVERHEAD = (
    Line("Dask Overhead CPU Time", "overhead_cpu_time_seconds"),
    Line("Dask Overhead I/O & Waiting Time", "overhead_io_wait_time_seconds"),
    Line("Disk Read", "disk_read_bytes", "B"),
    Line("Disk Write", "disk_write_bytes", "B"),
)
_PACKING = (
    Line("Compression Overhead", "total_compression_overhead_seconds"),
    Line("  • Compress", "compression_time_seconds"),
    Line("  • Decompress", "decompression_time_seconds"),
)
_SERIALIZING = (
    Line("Serialization Overhead", "total_serialization_overhead_seconds"),
    Line("  • Serialize", "serialization_time_seconds"),
    Line("  • Deserialize", "deserialization_time_seconds"),
)


def fine_rows(metrics: Metrics) -> Iterator[Row]:
    """What Dask's spans say; nothing without them."""
    there = [line for line in _PROCESSOR if metrics.get(line.metric) is not None]
    if not there:
        return
    yield from _always(metrics, there)
    if all(metrics.get(line.metric) is not None for line in _SHARES):
        yield from _always(metrics, _SHARES)
    yield from _known(metrics, _OVERHEAD)
    for total, *parts in (_PACKING, _SERIALIZING):
        if metrics.get(total.metric):
            yield from _known(metrics, [total, *parts])


# ---- Chunks

#: The first that is there.
_TOTALS = (Line("Total Chunks", "num_chunks", "count"), Line("Total Chunks", "num_chunk_records", "count"))
_OUTCOMES = (
    Line("  • Successful", "num_successful_chunks", "count"),
    Line("  • Failed", "num_failed_chunks", "count"),
)
#: The mean first: without it there is none of them.
_DURATIONS = (
    Line("Mean Chunk Time", "chunk_duration_mean"),
    Line("  • Min", "chunk_duration_min"),
    Line("  • Max", "chunk_duration_max"),
)
_DEVIATION = Line("  • Std Dev", "chunk_duration_std")
_MEMORY = (
    Line("Mean Memory Delta", "chunk_mem_delta_mean_mb", "MiB"),
    Line("  • Min", "chunk_mem_delta_min_mb", "MiB"),
    Line("  • Max", "chunk_mem_delta_max_mb", "MiB"),
)
_SIZES = (
    Line("Mean Events/Chunk", "chunk_events_mean", "count"),
    Line("  • Min", "chunk_events_min", "count"),
    Line("  • Max", "chunk_events_max", "count"),
)
_MOST_SECTIONS = 5


def chunk_rows(metrics: Metrics) -> Iterator[Row]:
    """Statistics of chunks, of their datasets and of their sections; nothing without chunks."""
    total = next((line for line in _TOTALS if metrics.get(line.metric)), None)
    if total is None:
        return
    yield from _always(metrics, [total])
    if metrics.get("num_failed_chunks"):
        yield from _always(metrics, _OUTCOMES)
    for lines in (_DURATIONS, _MEMORY, _SIZES):
        if metrics.get(lines[0].metric) is not None:
            yield from _always(metrics, (line for line in lines if metrics.get(line.metric) is not None))
            yield from _known(metrics, [_DEVIATION] if lines is _DURATIONS else [])
    yield from _dataset_rows(metrics.get("per_dataset") or {})
    yield from _section_rows(metrics.get("sections") or {})


def _dataset_rows(datasets: Mapping[str, Metrics]) -> Iterator[Row]:
    if len(datasets) < 2:
        return
    yield from (("", ""), ("Per-Dataset Breakdown", ""))
    for name, values in datasets.items():
        chunks, mean = _shown(Line("", "num_chunks", "count"), values), _shown(Line("", "mean_duration"), values)
        yield f"  {name}", f"{chunks} chunks, {mean} avg"


def _section_rows(sections: Mapping[str, Metrics]) -> Iterator[Row]:
    """Those that took most time."""
    if not sections:
        return
    yield from (("", ""), ("Section Timing", ""))
    ordered = sorted(sections.items(), key=lambda item: item[1].get("total_duration") or 0, reverse=True)
    for name, values in ordered[:_MOST_SECTIONS]:
        text = f"{_shown(Line('', 'mean_duration'), values)} ({values.get('count')}x)"
        if values.get("type") == "memory":
            text += f", {_shown(Line('', 'mean_mem_delta_mb', 'MiB'), values)} avg"
        yield f"  {name}", text
