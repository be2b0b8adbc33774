"""Data in the shape of 0.1.x as a run in memory."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any

from roastcoffea import _core

__all__ = ["metrics_of", "plain_value", "run_of"]


def run_of(parts: Mapping[Any, Any]) -> _core.Run:
    """The run of a ``metrics.json`` of 0.1.x, or of parts of one: of metrics, tracking_data, raw_chunk_metrics, …"""
    return _core.Run.of_metrics(json.dumps(parts, default=plain_value, skipkeys=True))


def metrics_of(parts: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    """Metrics of that run, by the names of 0.1.x, ``{theirs: ours}``; 0 where there is none, as there."""
    metrics = run_of(parts).summary().metrics()
    return {theirs: float(metrics[ours] or 0) for theirs, ours in names.items()}


def plain_value(value: Any) -> Any:
    """What JSON has no form for, as something it has."""
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value.item() if hasattr(value, "item") else str(value)
