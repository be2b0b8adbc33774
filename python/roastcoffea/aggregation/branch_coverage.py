"""How much of the files was read."""

from __future__ import annotations

from typing import Any

from roastcoffea import _core

__all__ = ["aggregate_branch_coverage", "parse_accessed_branches"]


def parse_accessed_branches(columns: list[str]) -> set[str]:
    """The branches behind the ``columns`` of coffea's report: those that end in ``-data``."""
    return _core.parse_accessed_branches(columns)


def aggregate_branch_coverage(
    chunk_metrics: list[dict[str, Any]] | None, coffea_report: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Per file and on average: branches and bytes that were read; an empty dict without chunks."""
    return _core.aggregate_branch_coverage(chunk_metrics, coffea_report)
