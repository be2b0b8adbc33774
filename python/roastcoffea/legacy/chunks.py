"""Records of chunks and sections, and what they say of their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roastcoffea import _core
from roastcoffea.legacy.numbers import Number, number_in, numbers_of

__all__ = [
    "aggregate_branch_coverage",
    "aggregate_chunk_metrics",
    "aggregate_sections",
    "build_chunk_info",
    "parse_accessed_branches",
]

Record = Mapping[str, Any]


# ---- Chunks


def aggregate_chunk_metrics(
    chunk_metrics: Iterable[Record] | None, section_metrics: Iterable[Record] | None = None
) -> dict[str, Any]:
    """Counts, durations, memory and events of chunks, per dataset too, and of sections."""
    if not chunk_metrics:
        return {"num_chunks": 0}
    records = list(chunk_metrics)
    done = [record for record in records if record.get("error") is None]
    metrics: dict[str, Any] = {
        "num_chunks": len(records),
        "num_successful_chunks": len(done),
        "num_failed_chunks": len(records) - len(done),
    }
    if not done:
        return metrics
    events = numbers_of(done, "num_events")
    metrics |= _spread("chunk_duration_{}", numbers_of(done, "duration"))
    metrics |= _spread("chunk_mem_delta_{}_mb", numbers_of(done, "mem_delta_mb"))
    if events:
        metrics |= _spread("chunk_events_{}", events) | {"total_events_from_chunks": sum(events)}
        del metrics["chunk_events_std"]
    metrics["per_dataset"] = {name: _of_dataset(group) for name, group in _by(done, _dataset).items()}
    if section_metrics:
        metrics["sections"] = aggregate_sections(section_metrics)
    return metrics


def aggregate_sections(section_metrics: Iterable[Record]) -> dict[Any, dict[str, Any]]:
    """Counts, durations and memory of sections, by name."""
    return {name: _of_section(group) for name, group in _by(section_metrics, _section).items()}


def _spread(name: str, values: Sequence[Number]) -> dict[str, Number]:
    if not values:
        return {}
    mean, deviation = _core.moments(values)
    statistics = {"mean": mean, "min": min(values), "max": max(values), "std": deviation}
    return {name.format(statistic): value for statistic, value in statistics.items()}


def _by(records: Iterable[Record], name_of: Any) -> dict[Any, list[Record]]:
    groups: dict[Any, list[Record]] = {}
    for record in records:
        groups.setdefault(name_of(record), []).append(record)
    return groups


def _dataset(record: Record) -> Any:
    return record.get("dataset", "unknown")


def _section(record: Record) -> Any:
    name = record.get("name")
    return "unknown" if name is None else name


def _total_and_mean(values: Sequence[Number], count: int) -> tuple[Number, float]:
    """Of ``count`` records, some of which have a value."""
    return sum(values), sum(values) / count


def _of_dataset(chunks: Sequence[Record]) -> dict[str, Number]:
    duration, mean_duration = _total_and_mean(numbers_of(chunks, "duration"), len(chunks))
    events, mean_events = _total_and_mean(numbers_of(chunks, "num_events"), len(chunks))
    metrics = {"num_chunks": len(chunks), "total_duration": float(duration), "total_events": events}
    metrics["mean_duration"] = mean_duration
    return metrics | ({"mean_events_per_chunk": mean_events} if events > 0 else {})


def _of_section(entries: Sequence[Record]) -> dict[str, Any]:
    duration, mean = _total_and_mean(numbers_of(entries, "duration"), len(entries))
    kind = entries[0].get("type")
    metrics = {"type": "section" if kind is None else kind, "count": len(entries), "total_duration": float(duration)}
    metrics["mean_duration"] = mean
    memory = _spread("{}_mem_delta_mb", numbers_of((e for e in entries if e.get("type") == "memory"), "mem_delta_mb"))
    memory.pop("std_mem_delta_mb", None)
    return metrics | memory


def build_chunk_info(chunk_metrics: Iterable[Record]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """``{(file, entry_start, entry_stop): (t_start, t_end, bytes_read)}``, for ``plot_throughput_timeline``."""
    info = {}
    for chunk in chunk_metrics:
        where = tuple(map(chunk.get, ("file", "entry_start", "entry_stop")))
        when = tuple(map(chunk.get, ("t_start", "t_end")))
        if None not in where and None not in when:
            size = chunk.get("bytes_read")
            info[where] = (*when, 0 if size is None else size)
    return info


# ---- Branches


def parse_accessed_branches(columns: Iterable[str]) -> set[str]:
    """The branches behind the ``columns`` of coffea's report: those that end in ``-data``."""
    suffix = "-data"
    return {str.removesuffix(column, suffix) for column in columns if str.endswith(column, suffix)}


def aggregate_branch_coverage(
    chunk_metrics: Iterable[Record] | None, coffea_report: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Per file and on average: branches and bytes that were read; an empty dict without chunks.

    The report is not needed: chunks know better. What the first chunk of a file says counts for the file.
    """
    if not chunk_metrics:
        return {}
    about: dict[Any, Record] = {}
    first: dict[Any, Record] = {}
    branches: set[str] = set()
    for chunk in chunk_metrics:
        metadata = chunk.get("file_metadata") or {}
        about.setdefault(metadata.get("filename"), metadata)
        first.setdefault(chunk.get("file"), chunk)
        branches.update(chunk.get("accessed_branches") or ())
    about.pop(None, None)
    first.pop(None, None)
    files = {name: _of_file(metadata, first.get(name, {})) for name, metadata in about.items()}
    return _coverage(files) | {
        "compression_ratios": [ratio for ratio in numbers_of(about.values(), "compression_ratio") if ratio > 0],
        "file_metadata": about,
        "total_branches_read": len(branches),
    }


def _of_file(metadata: Record, chunk: Record) -> dict[str, Number]:
    return {
        "total_branches": number_in(metadata, "total_branches"),
        "branches_read_percent": number_in(chunk, "branches_read_percent"),
        "total_tree_bytes": number_in(metadata, "total_tree_bytes"),
        "bytes_read": number_in(chunk, "accessed_bytes"),
        "bytes_read_percent": number_in(chunk, "bytes_read_percent"),
    }


def _coverage(files: Mapping[str, dict[str, Number]]) -> dict[str, Any]:
    shares = numbers_of(files.values(), "bytes_read_percent")
    return {
        "file_read_metrics": files,
        "bytes_read_percent_per_file": [share for share in shares if share > 0],
        "avg_bytes_read_percent": _mean(shares),
        "avg_branches_read_percent": _mean(numbers_of(files.values(), "branches_read_percent")),
    }


def _mean(values: Sequence[Number]) -> float:
    return _core.moments(values)[0] if values else 0.0
