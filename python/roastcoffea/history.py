"""The last run of the same analysis: what it took, and what it was advised. Looked for where the new run is recorded."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from roastcoffea import _core

__all__ = ["analysis_of", "last_run"]

_MOST_NAMES = 5000  # of a folder
_MOST_RUNS = 20  # that are opened, the newest first
_MOST_BYTES = 32 << 20  # about 100,000 chunks, which are explained in a fraction of a second


def analysis_of(processor: str, datasets: Iterable[str]) -> str:
    """What tells an analysis from others: its processor's name and its datasets."""
    text = json.dumps([processor, sorted(datasets)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def last_run(own: Path, analysis: str, seconds: float) -> dict[str, str | int]:
    """Facts about the newest finished run of an analysis beside another run.

    Parameters
    ----------
    own : Path
        The run that is being recorded; its folder is looked at.
    analysis : str
        As ``analysis_of`` names it.
    seconds : float
        How long to look for it: what is not found by then is not there.

    Returns
    -------
    dict
        Empty if there is none; else ``last_run`` (the file's name), ``last_elapsed_ns``, ``last_events``, and so on;
        ``advised`` names the first finding whose advice can be seen in a run, with ``advised_percent``.
    """
    until = time.monotonic() + seconds
    for path in _newest_runs(own):
        if time.monotonic() > until:
            break
        try:
            found = _facts_of(path, analysis)
        except (_core.RoastError, OSError):  # not a run, or one that is damaged: somebody else's problem
            continue
        if found:
            return found
    return {}


def _newest_runs(own: Path) -> Iterator[Path]:
    """Run files beside a run, the newest first; not those that are large, or being written."""
    with os.scandir(own.parent) as entries:
        named = {entry.name: entry for entry in itertools.islice(entries, _MOST_NAMES)}
    dated = []
    for name, entry in named.items():
        if name.endswith(".roast") and name != own.name and not {f"{name}-wal", f"{name}-journal"} & named.keys():
            with contextlib.suppress(OSError):  # it has gone meanwhile
                status = entry.stat()
                if status.st_size <= _MOST_BYTES:
                    dated.append((status.st_mtime_ns, entry.path))
    return (Path(path) for _, path in sorted(dated, reverse=True)[:_MOST_RUNS])


def _facts_of(path: Path, analysis: str) -> dict[str, str | int]:
    run = _core.Run(str(path))
    facts = run.facts
    if facts.get("analysis") != analysis or run.outcome != "finished" or "elapsed_ns" not in facts:
        return {}
    summary = run.summary()  # with its explanation: the same again would take as long again
    metrics, explanation = summary.metrics(), summary.explanation()
    known = {
        "last_run": path.name,
        "last_elapsed_ns": facts["elapsed_ns"],
        "last_preprocess_ns": facts.get("preprocess_ns"),
        "last_chunksize": facts.get("chunksize"),
        "last_events": metrics["total_events"],
        "last_cores": _text(metrics["total_cores"]),
        "last_engine": facts.get("engine"),
        **(_advice_of(json.loads(explanation)) if explanation else {}),
    }
    return {key: value for key, value in known.items() if value is not None}


def _advice_of(explained: dict[str, Any]) -> dict[str, Any]:
    """The first advice whose effect shows in the next run: another size of chunks, or preprocessing once."""
    for finding in explained["findings"]:
        chunksize = finding["values"].get("chunksize")
        if finding["confidence"] != "note" and (chunksize or finding["id"] == "preprocessing"):
            return {
                "advised": finding["id"],
                "advised_chunksize": chunksize and int(chunksize),
                "advised_percent": _text(finding["saving_percent"]),
            }
    return {}


def _text(number: float | None) -> str | None:
    return None if number is None else f"{number:.6g}"
