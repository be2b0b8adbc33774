"""Measurement directories: files that roastcoffea 0.1.2 reads too, and the run file from which ours loads."""

from __future__ import annotations

import datetime
import json
import os
import shutil
from pathlib import Path
from typing import Any

from roastcoffea.legacy.memory import plain_value

__all__ = ["load_measurement", "save_measurement", "save_run"]

_FORMAT = "roastcoffea_measurement_v1"


def save_measurement(
    metrics: dict[str, Any],
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
    _write(folder / "metrics.json", metrics)
    (folder / "start_end_time.txt").write_text(f"{t0},{t1}\n")
    _write(
        folder / "metadata.json",
        {"timestamp": now.isoformat(), "elapsed_time_seconds": t1 - t0, "format": _FORMAT},
    )
    if config is not None:
        _write(folder / "config.json", config)
    return folder


def save_run(run: Any, output_dir: str | os.PathLike[str], measurement_name: str | None = None) -> Path:
    """Write a measurement directory of a run, with its run file."""
    t0, t1 = run.times
    folder = save_measurement(run.metrics, t0, t1, output_dir, measurement_name)
    shutil.copyfile(run.path, folder / "run.roast")
    return folder


def load_measurement(path: str | os.PathLike[str]) -> tuple[dict[str, Any], float, float]:
    """Read a measurement directory of any generation, or a run file.

    Returns
    -------
    metrics, t0, t1
    """
    from roastcoffea.run import Run

    run = Run(path)
    times = Path(path) / "start_end_time.txt"
    if times.is_file():  # as they were given, by whatever clock
        t0, t1 = map(float, times.read_text().split(",")[:2])
        return run.metrics, t0, t1
    return (run.metrics, *run.times)


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, default=plain_value))
