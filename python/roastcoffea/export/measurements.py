"""Measurement directories: files that roastcoffea 0.1.2 reads too, and the run file from which ours loads."""

from __future__ import annotations

import ast
import datetime
import functools
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roastcoffea.legacy.memory import plain_value
from roastcoffea.legacy.metrics import Metrics, metrics_of_run

if TYPE_CHECKING:
    from roastcoffea.run import Run

__all__ = ["load_measurement", "save_measurement", "save_run"]

_FORMAT = "roastcoffea_measurement_v1"
_METRICS, _TIMES, _RUN = "metrics.json", "start_end_time.txt", "run.roast"


def save_measurement(
    metrics: Mapping[str, Any],
    t0: float,
    t1: float,
    output_dir: str | os.PathLike[str],
    measurement_name: str | None = None,
    config: dict[str, Any] | None = None,
) -> Path:
    """Write a measurement directory.

    Parameters
    ----------
    metrics : dict
        As ``MetricsCollector.get_metrics()`` gives them.
    t0, t1 : float
        Beginning and end, in seconds.
    output_dir : path
        Where the directory goes.
    measurement_name : str, optional
        Its name; default: from the time.
    config : dict, optional
        The user's configuration, kept beside it.

    Returns
    -------
    Path
        The directory.
    """
    now = datetime.datetime.now()
    folder = Path(output_dir) / (measurement_name or now.strftime("%Y-%m-%d_%H-%M-%S"))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / _METRICS, metrics)
    (folder / _TIMES).write_text(f"{t0},{t1}\n")
    _write(
        folder / "metadata.json",
        {"timestamp": now.isoformat(), "elapsed_time_seconds": t1 - t0, "format": _FORMAT},
    )
    if config is not None:
        _write(folder / "config.json", config)
    return folder


def save_run(
    run: Run, metrics: Mapping[str, Any], output_dir: str | os.PathLike[str], measurement_name: str | None = None
) -> Path:
    """Write a measurement directory of a run, with its metrics as they are given, and its run file."""
    t0, t1 = run.times
    folder = save_measurement(metrics, t0, t1, output_dir, measurement_name)
    shutil.copyfile(run.path, folder / _RUN)
    return folder


def load_measurement(path: str | os.PathLike[str]) -> tuple[dict[str, Any], float, float]:
    """Read a measurement directory of any generation, or a run file.

    Returns
    -------
    metrics, t0, t1
        What is in ``metrics.json``, as it was given to ``save_measurement``; besides, where the run itself is in the directory,
        what that has.

    Raises
    ------
    FileNotFoundError
        If the directory is not there, or what has to be in it.
    ValueError
        If it cannot be read.
    """
    from roastcoffea.run import Run

    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{place}: there is no such measurement")
    if not place.is_dir():
        return (metrics_of_run(run := Run(place)), *run.times)
    recorded = Run(place) if (place / _RUN).exists() else None
    metrics = metrics_of_run(recorded) if recorded else Metrics({}, {})
    if recorded is None or (place / _METRICS).exists():
        metrics.overlay(_read_metrics(place / _METRICS))
    if recorded is not None and not (place / _TIMES).exists():
        return (metrics, *recorded.times)
    return (metrics, *_read_times(place / _TIMES))


def _read_times(path: Path) -> tuple[float, float]:
    text = path.read_text(encoding="utf-8")
    try:
        t0, t1 = map(float, text.partition("\n")[0].split(","))
    except ValueError as error:
        raise ValueError(f"Invalid timing format in {path}: {error}") from error
    return t0, t1


# ---- JSON

#: How a time as text begins, and a tuple.
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_FIRST_OF_A_KEY = frozenset("(0123456789")


def _write(path: Path, values: Mapping[Any, Any]) -> None:
    """One line for each member, so that large ones are written by the encoder that is quick."""
    members = (f"{json.dumps(_key_text(key))}: {_json(value)}" for key, value in values.items())
    path.write_text("{\n" + ",\n".join(members) + "\n}\n", encoding="utf-8")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=plain_value)
    except TypeError:  # a key that JSON has no form for
        return json.dumps(_with_text_keys(value), default=plain_value)


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_key_text(key): _with_text_keys(item) for key, item in value.items()}
    return [_with_text_keys(item) for item in value] if isinstance(value, (list, tuple)) else value


def _key_text(key: Any) -> str:
    return key.isoformat() if isinstance(key, datetime.datetime) else str(key)


#: Characters of a member from which on it is read when somebody asks for it.
_LARGE = 100_000


def _read_metrics(path: Path) -> Metrics:
    """What we wrote has a line for each member; a file that looks otherwise is read as a whole."""
    text = path.read_text(encoding="utf-8")
    ours = text.startswith('{\n"') and text.endswith("\n}\n")
    members = text[2:-3].split(",\n") if ours else []
    large = [member for member in members if len(member) >= _LARGE]
    small = "{" + ",\n".join(member for member in members if len(member) < _LARGE) + "}" if large else text
    later = {}
    for member in large:
        name = json.JSONDecoder().raw_decode(member)[0]
        later[name] = functools.partial(_read_member, path, name, member)
    return Metrics(_parse(path, small), later)


def _read_member(path: Path, name: str, member: str) -> Any:
    return _parse(path, "{" + member + "}")[name]


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        metrics = json.loads(text, object_hook=_with_own_keys)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(metrics, dict):
        raise ValueError(f"{path}: an object was expected, not a {type(metrics).__name__}")
    if isinstance(metrics.get("tracking_data"), dict):
        metrics["tracking_data"] = {name: _with_times(series) for name, series in metrics["tracking_data"].items()}
    if isinstance(metrics.get("chunk_info"), dict):
        metrics["chunk_info"] = {where: tuple(values) for where, values in metrics["chunk_info"].items()}
    return metrics


def _with_own_keys(values: dict[str, Any]) -> dict[Any, Any]:
    """Keys that were tuples or times are so again."""
    if any(key[:1] in _FIRST_OF_A_KEY for key in values):
        return {_own_key(key): value for key, value in values.items()}
    return values


def _own_key(text: str) -> Any:
    try:
        if text.startswith("("):
            key = ast.literal_eval(text)
            return key if str(key) == text else text
        return _time_of(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # a text that looks like one
        return text


def _time_of(text: Any) -> Any:
    return datetime.datetime.fromisoformat(text) if isinstance(text, str) and _TIME.match(text) else text


def _with_times(series: Any) -> Any:
    """Points of each worker, ``[time, value]``, as they were."""
    if not isinstance(series, dict):
        return series
    return {
        worker: [(_time_of(point[0]), *point[1:]) for point in points] if isinstance(points, list) else points
        for worker, points in series.items()
    }
