"""What scripts hand to plots, as runs in memory: the library reads the data of a collector or a measurement."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from roastcoffea import _core
from roastcoffea.legacy.memory import run_of
from roastcoffea.visualization.chart import Chart, page_of

__all__ = ["Figure", "Size", "Target", "draw", "of_chunk_info", "of_chunks", "of_metrics", "of_spans", "of_tracking"]

#: What every plot takes and gives: where to write it, inches, and (fig, ax).
Target = str | os.PathLike[str] | None
Size = tuple[float, float] | None
Figure = tuple[Any, Any]
#: What a plot is made from: a run, its summary, and options of the chart.
Source = tuple[_core.Run, _core.Summary, dict[str, Any]]


def draw(
    name: str,
    source: Source,
    output_path: Target = None,
    figsize: Size = None,
    title: str | None = None,
    **options: Any,
) -> Figure:
    """A chart as a figure, and as a file if there is a path for it."""
    run, summary, given = source
    figure, axes = Chart(run, summary, name, **given, **options).figure(figsize, title)
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


def of_tracking(data: Any, *series: str) -> Source:
    """From tracking data: the series that a plot needs."""
    return _recorded(data) or _source({"tracking_data": _tracking(data, series)})


def of_chunks(data: Any, *fields: str) -> Source:
    """From records of chunks: the fields that a plot needs."""
    return _recorded(data) or _source({"raw_chunk_metrics": _chunks(data, fields)})


def of_chunk_info(info: Any, tracking_data: Any = None) -> Source:
    """From ``{(file, start, stop): (t_start, t_end, bytes)}``, and the number of workers over time if it is given."""
    if recorded := _recorded(info):
        return recorded
    _check("chunk_info", info, Mapping)
    chunks = [
        {"file": file, "entry_start": start, "entry_stop": stop, "t_start": t_start, "t_end": t_end, "bytes_read": size}
        for (file, start, stop), (t_start, t_end, size) in info.items()
    ]
    parts: dict[str, Any] = {"raw_chunk_metrics": chunks}
    if tracking_data:
        parts["tracking_data"] = _tracking(tracking_data, ("worker_counts",))
    return _source(parts)


def of_spans(data: Any) -> Source:
    """From Dask's fine metrics: ``{(context, prefix, activity, unit): value}``."""
    if recorded := _recorded(data):
        return recorded
    _check("span_metrics", data, Mapping)
    return _source({"raw_span_metrics": {str(key): value for key, value in data.items()}})


def of_metrics(data: Any, *names: str, values: str | None = None) -> Source:
    """From metrics: those that a plot needs, or the values of one that is a list."""
    if recorded := _recorded(data):
        return recorded
    _check("metrics", data, Mapping)
    needed = (values,) if values else names
    found = {name: data[name] for name in needed if data.get(name) is not None}
    if not found:
        raise ValueError(f"metrics: none of {', '.join(needed)} is there")
    if not values:
        return _source(found)
    numbers = found[values].values() if isinstance(found[values], Mapping) else found[values]
    return _source({"elapsed_time_seconds": None}, values=list(numbers))


def _recorded(data: Any) -> Source | None:
    """The run itself, if it is given, or if a collector is."""
    from roastcoffea.run import Run

    run = data if isinstance(data, Run) else getattr(data, "run", None)
    return (run._run, run.summary, {}) if isinstance(run, Run) else None


def _source(parts: dict[str, Any], **options: Any) -> Source:
    try:
        run = run_of(parts)
        return run, run.summary(), options
    except _core.RoastError as error:
        raise ValueError(str(error)) from error


# ---- Parts


def _check(what: str, data: Any, kind: type) -> None:
    if data is None or (isinstance(data, kind) and not data):
        raise ValueError(f"{what}: there is none; give a run, a collector, or its {what}")
    if not isinstance(data, kind):
        raise ValueError(f"{what}: {type(data).__name__} is not {kind.__name__}")


def _tracking(data: Any, series: Iterable[str]) -> dict[str, Any]:
    _check("tracking_data", data, Mapping)
    kept = {name: data[name] for name in series if data.get(name)}
    if not kept:
        raise ValueError(f"tracking_data: none of {', '.join(series)} is there")
    counts = kept.get("worker_counts")
    if isinstance(counts, Mapping):
        kept["worker_counts"] = {_moment(when): count for when, count in counts.items()}
    return kept


def _moment(when: Any) -> Any:
    return when.isoformat() if isinstance(when, datetime.datetime) else when


def _chunks(data: Any, fields: Iterable[str]) -> list[dict[str, Any]]:
    _check("chunk_metrics", data, Iterable)
    try:
        kept = [{name: chunk[name] for name in fields if name in chunk} for chunk in data]
    except TypeError as error:
        raise ValueError(f"chunk_metrics: not a list of records: {error}") from error
    if not kept:
        raise ValueError("chunk_metrics: there is none; give a run, a collector, or its chunk_metrics")
    return kept
