"""How well the cores were used."""

from __future__ import annotations

from typing import Any

from roastcoffea import _core

__all__ = ["calculate_efficiency_metrics"]


def calculate_efficiency_metrics(workflow_metrics: dict[str, Any], worker_metrics: dict[str, Any]) -> dict[str, Any]:
    """Core efficiency, speed-up and events per second and core; None where the cores are not known."""
    return _core.calculate_efficiency_metrics(workflow_metrics, worker_metrics)
