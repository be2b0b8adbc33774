"""Time series of workers: ``{worker: [(time, value), …]}``, and ``{time: number of workers}``."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from roastcoffea import _core

__all__ = [
    "calculate_average_memory_per_worker",
    "calculate_peak_memory",
    "calculate_time_averaged_workers",
    "parse_tracking_data",
]

Point = tuple[Any, Any]
Series = Mapping[str, list[Point]]

_MICROSECOND = datetime.timedelta(microseconds=1)


def parse_tracking_data(tracking_data: Mapping[str, Any]) -> dict[str, Any]:
    """Workers, cores and memory; a worker counts for as long as it was there."""
    counts, memory, cores = (_series(tracking_data, f"worker_{name}") for name in ("counts", "memory", "cores"))
    return {
        "avg_workers": calculate_time_averaged_workers(counts),
        "peak_workers": max([0, *counts.values()]),
        **_cores(cores),
        "peak_memory_bytes": calculate_peak_memory(memory),
        "avg_memory_per_worker_bytes": calculate_average_memory_per_worker(memory),
    }


def calculate_time_averaged_workers(worker_counts: Mapping[Any, int]) -> float:
    """The number of workers, averaged over time."""
    return _time_average(worker_counts.items()) if worker_counts else 0.0


def calculate_peak_memory(worker_memory: Series) -> float:
    """The highest memory of any worker at any time."""
    values = [value for points in worker_memory.values() for _, value in points]
    _core.moments(values)  # of what is no number there is no highest
    return max(values, default=0.0)


def calculate_average_memory_per_worker(worker_memory: Series) -> float:
    """The memory of a worker: averaged over time, then over workers."""
    means = [_time_average(points) for points in worker_memory.values() if points]
    return _core.moments(means)[0] if means else 0.0


def _series(tracking_data: Mapping[str, Any], name: str) -> Any:
    series = tracking_data.get(name)
    return {} if series is None else series


def _time_average(points: Iterable[Point]) -> float:
    ordered = sorted(points, key=itemgetter(0))
    start = ordered[0][0]
    return _core.time_average([(_nanoseconds(when - start), value) for when, value in ordered])


def _nanoseconds(interval: datetime.timedelta | float) -> int:
    """Of a difference of datetimes, or of seconds."""
    if isinstance(interval, datetime.timedelta):
        return interval // _MICROSECOND * 1000
    return round(interval * 1e9)


def _cores(worker_cores: Series) -> dict[str, float | None]:
    """0.1.2 adds up the cores of all workers that ever were; these are the cores that were there on average."""
    ordered = [sorted(points, key=itemgetter(0)) for points in worker_cores.values() if points]
    stays = [(points[0][0], points[-1][0], points[-1][1]) for points in ordered]  # first seen, last seen, cores
    if not any(cores for _, _, cores in stays):
        return {"total_cores": None, "cores_per_worker": None}
    length = max(last for _, last, _ in stays) - min(first for first, _, _ in stays)
    present = sum(cores * ((last - first) / length if length else 1.0) for first, last, cores in stays)
    return {"total_cores": present, "cores_per_worker": _core.moments([cores for _, _, cores in stays])[0]}
