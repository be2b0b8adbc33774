"""The activities of Dask's spans."""

from __future__ import annotations

from typing import Any

from roastcoffea import _core

__all__ = ["parse_fine_metrics"]


def parse_fine_metrics(
    cumulative_worker_metrics: dict[tuple[str, ...], Any], processor_name: str | None = None
) -> dict[str, Any]:
    """Sums per activity, the processor's tasks apart from all others.

    Parameters
    ----------
    cumulative_worker_metrics : dict
        Of a span: ``(context, prefix, activity, unit)`` to a value.
    processor_name : str, optional
        The prefix of the processor's tasks; without one, all of it is the processor's.
    """
    return _core.parse_fine_metrics(cumulative_worker_metrics, processor_name)
