"""The summary of a run for people. The tables are made in C."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Any

from roastcoffea.legacy import tables

__all__ = [
    "format_chunk_metrics_table",
    "format_event_processing_table",
    "format_fine_metrics_table",
    "format_resources_table",
    "format_throughput_table",
    "format_timing_table",
    "print_run",
]


def print_run(run: Any, full: bool = False) -> None:
    """Print a run as the command lays it out, in the colours and the width of rich's console if it is there."""
    lay_out = run.summary.text if full else run.summary.screen
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        width = shutil.get_terminal_size((100, 24)).columns
        print(lay_out(width, sys.stdout.isatty(), python=_in_notebook()), end="")
        return
    console = Console()
    console.print(Text.from_ansi(lay_out(console.width, True, python=_in_notebook())), soft_wrap=True)


def _in_notebook() -> bool:
    """Whether whoever reads it types Python, and has no shell at hand."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


# ---- The tables of 0.1.2, of its dictionary of metrics


def _table(title: str, rows: Iterable[tuple[str, str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, header_style="bold cyan")
    table.add_column("Metric", style="cyan", no_wrap=True)
    table.add_column("Value", style="magenta")
    for label, value in rows:
        table.add_row(Text(label), Text(value, "dim" if value.startswith("N/A") else ""))
    return table


def format_throughput_table(metrics: dict[str, Any]) -> Any:
    """Data read, and how fast, as a ``rich.Table``."""
    return _table("Throughput Metrics", tables.throughput_rows(metrics))


def format_event_processing_table(metrics: dict[str, Any]) -> Any:
    """Events, and how fast, as a ``rich.Table``."""
    return _table("Event Processing Metrics", tables.event_rows(metrics))


def format_resources_table(metrics: dict[str, Any]) -> Any:
    """Workers, cores and memory as a ``rich.Table``."""
    return _table("Resource Utilization", tables.resource_rows(metrics))


def format_timing_table(metrics: dict[str, Any]) -> Any:
    """Wall time and time in ``process`` as a ``rich.Table``."""
    return _table("Timing Breakdown", tables.timing_rows(metrics))


def format_fine_metrics_table(metrics: dict[str, Any]) -> Any:
    """What Dask's spans say as a ``rich.Table``; None without them."""
    rows = list(tables.fine_rows(metrics))
    return _table("Fine Metrics (from Dask Spans)", rows) if rows else None


def format_chunk_metrics_table(metrics: dict[str, Any]) -> Any:
    """Statistics of chunks as a ``rich.Table``; None without them."""
    rows = list(tables.chunk_rows(metrics))
    return _table("Chunk Metrics", rows) if rows else None
