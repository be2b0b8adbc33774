"""What scripts hand to plots, as runs in memory: the library reads the data of a collector or a measurement."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from roastcoffea import _core
from roastcoffea.legacy.memory import run_of
from roastcoffea.visualization.chart import Chart, page_of

__all__ = [
    "Figure",
    "Size",
    "Target",
    "draw",
    "of_chunk_info",
    "of_chunks",
    "of_cpu",
    "of_memory",
    "of_metrics",
    "of_spans",
    "of_tracking",
]

#: What every plot takes and gives: where to write it, inches, and (fig, ax).
Target = str | os.PathLike[str] | None
Size = tuple[float, float] | None
Figure = tuple[Any, Any]


class Source(NamedTuple):
    """What a plot is made from."""

    run: _core.Run
    summary: _core.Summary
    options: dict[str, Any]  # of the chart
    absent: str  # how messages begin if there is nothing to draw, as in 0.1.2: scripts match on it


def draw(
    name: str,
    source: Source,
    output_path: Target = None,
    figsize: Size = None,
    title: str | None = None,
    y_label: str | None = None,
    **options: Any,
) -> Figure:
    """A chart as a figure, and as a file if there is a path for it. ``y_label`` is the word of 0.1.2 for its values."""
    chart = Chart(source.run, source.summary, name, **source.options, **options)
    if chart.model["why_empty"] is not None:
        raise ValueError(f"{source.absent}: {chart.model['why_empty']}")
    figure, axes = chart.figure(figsize, title)
    if y_label and axes.get_ylabel():  # a heat map has workers there
        axes.set_ylabel(y_label)
    if output_path is not None:
        _save(figure, Path(output_path), axes.get_title())
    return figure, axes


def _save(figure: Any, path: Path, title: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() != ".html":
        figure.savefig(path, dpi=150, bbox_inches="tight")
        return
    import io

    picture = io.StringIO()
    figure.savefig(picture, format="svg", bbox_inches="tight")
    svg = picture.getvalue()
    path.write_text(page_of(title, svg[svg.index("<svg") :]), encoding="utf-8")


# ---- Sources


def of_tracking(data: Any, *series: str, absent: str) -> Source:
    """From tracking data: the series that a plot needs."""
    return _recorded(data, absent) or _source({"tracking_data": _tracking(data, series, absent)}, absent)


def of_cpu(data: Any) -> Source:
    """From tracking data: how busy workers were. Where it does not say how many cores they have, it is in percent of one."""
    absent = "No worker CPU data available"
    if recorded := _recorded(data, absent):
        return recorded
    parts = _tracking(data, ("worker_cpu",), absent)
    cores = {name: data[name] for name in ("worker_cores", "cores_per_worker") if data.get(name)}
    return _source({"tracking_data": parts | (cores or {"cores_per_worker": 1})}, absent)


def of_memory(data: Any) -> Source:
    """From tracking data: memory of workers, and its limits, without which there is no share of them."""
    absent = "Memory or memory limit data not available"
    return _recorded(data, absent) or _source(
        {"tracking_data": _tracking(data, ("worker_memory",), absent) | _tracking(data, ("worker_memory_limit",), absent)},
        absent,
    )


def of_chunks(data: Any, *fields: str, needed: Iterable[str], absent: str, empty: str) -> Source:
    """From records of chunks: the fields that a plot needs, one of which some chunk has to have."""
    if recorded := _recorded(data, absent):
        return recorded
    chunks = _chunks(data, (*fields, *needed), empty)
    if not any(chunk.get(name) for chunk in chunks for name in needed):
        raise ValueError(f"{absent}: no chunk has {' or '.join(needed)}")
    return _source({"raw_chunk_metrics": chunks}, absent)


def of_chunk_info(info: Any, tracking_data: Any = None) -> Source:
    """From ``{(file, start, stop): (t_start, t_end, bytes)}``, and the number of workers over time if it is given."""
    absent = "No chunk_info provided"
    if recorded := _recorded(info, absent):
        return recorded
    _check("chunk_info", info, Mapping, absent)
    chunks = [
        {"file": file, "entry_start": start, "entry_stop": stop, "t_start": t_start, "t_end": t_end, "bytes_read": size}
        for (file, start, stop), (t_start, t_end, size) in info.items()
    ]
    parts: dict[str, Any] = {"raw_chunk_metrics": chunks}
    if tracking_data and tracking_data.get("worker_counts"):
        parts["tracking_data"] = _tracking(tracking_data, ("worker_counts",), absent)
    return _source(parts, absent)


def of_spans(data: Any, absent: str) -> Source:
    """From Dask's fine metrics: ``{(context, prefix, activity, unit): value}``, or keys without the unit."""
    if recorded := _recorded(data, absent):
        return recorded
    _check("span_metrics", data, Mapping, absent)
    of_tasks = {str(key): value for key, value in data.items() if tuple(key[1:2]) != ("N/A",)}  # the engine's own
    return _source({"raw_span_metrics": of_tasks}, absent)


def of_metrics(data: Any, *names: str, absent: str, values: str | None = None) -> Source:
    """From metrics: those that a plot needs, or the values of one that is a list."""
    if recorded := _recorded(data, absent):
        return recorded
    _check("metrics", data, Mapping, absent if data is not None else "metrics cannot be None")
    needed = (values,) if values else names
    found = {name: data[name] for name in needed if data.get(name) is not None}
    if not found:
        raise ValueError(f"{absent}: none of {', '.join(needed)} is among the metrics")
    if not values:
        return _source(found, absent)
    numbers = found[values].values() if isinstance(found[values], Mapping) else found[values]
    if not numbers:
        raise ValueError(f"{absent}: {values} is empty")
    return _source({"elapsed_time_seconds": None}, absent, values=list(numbers))


def _recorded(data: Any, absent: str) -> Source | None:
    """The run itself, if it is given, or if a collector is."""
    from roastcoffea.run import Run

    run = data if isinstance(data, Run) else getattr(data, "run", None)
    return Source(run._run, run.summary, {}, absent) if isinstance(run, Run) else None


def _source(parts: dict[str, Any], absent: str, **options: Any) -> Source:
    try:
        run = run_of(parts)
        return Source(run, run.summary(), options, absent)
    except _core.RoastError as error:
        raise ValueError(str(error)) from error


# ---- Parts


def _check(what: str, data: Any, kind: type, absent: str) -> None:
    if data is None or (isinstance(data, kind) and not data):
        raise ValueError(f"{absent}: give a run, a collector, or its {what}")
    if not isinstance(data, kind):
        raise ValueError(f"{what}: {type(data).__name__} is not {kind.__name__}")


def _tracking(data: Any, series: Iterable[str], absent: str) -> dict[str, Any]:
    _check("tracking_data", data, Mapping, absent if data is not None else "tracking_data cannot be None")
    kept = {name: data[name] for name in series if data.get(name)}
    if not kept:
        raise ValueError(f"{absent}: tracking_data has no {' or '.join(series)}")
    counts = kept.get("worker_counts")
    if isinstance(counts, Mapping):
        kept["worker_counts"] = {_moment(when): count for when, count in counts.items()}
    return kept


def _moment(when: Any) -> Any:
    return when.isoformat() if isinstance(when, datetime.datetime) else when


def _chunks(data: Any, fields: Iterable[str], empty: str) -> list[dict[str, Any]]:
    _check("chunk_metrics", data, Iterable, empty)
    try:
        kept = [{name: chunk[name] for name in fields if name in chunk} for chunk in data]
    except TypeError as error:
        raise ValueError(f"chunk_metrics: not a list of records: {error}") from error
    if not kept:
        raise ValueError(f"{empty}: give a run, a collector, or its chunk_metrics")
    return kept
