"""The summary of a run for people: rich tables in a terminal, HTML in a notebook. The tables are made in C."""

from __future__ import annotations

import html
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
    "html_of_run",
    "print_run",
]


def print_run(run: Any) -> None:
    """Print the summary of a run as the command lays it out, in the colours and the width of rich's console if it is there."""
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        width = shutil.get_terminal_size((100, 24)).columns
        print(run.summary.text(width, sys.stdout.isatty(), True, python=_in_notebook()))
        print(f"recorded in {run.path}")
        return
    console = Console()
    console.print(Text.from_ansi(run.summary.text(console.width, True, True, python=_in_notebook())), soft_wrap=True)
    console.print(Text(f"recorded in {run.path}", "dim"), soft_wrap=True)


def _in_notebook() -> bool:
    """Whether whoever reads it types Python, and has no shell at hand."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def html_of_run(run: Any) -> str:
    """The summary of a run as HTML, for notebooks."""
    lines = ["&emsp;".join(_html_phrase(*phrase) for phrase in line) for line in run.summary.headings(python=True)]
    parts = [f"<p>{'<br>'.join(lines)}</p>"]
    parts += [_html_table(model) for model in run.summary.tables(limit=10, python=True)]
    return "".join(parts)


def _html_phrase(text: str, tone: str) -> str:
    colour = {"bad": "#b3261e", "warn": "#8a5300"}.get(tone)
    return f"<b style='color:{colour}'>{html.escape(text)}</b>" if colour else html.escape(text)


def _html_table(model: dict[str, Any]) -> str:
    titles = "".join(f"<th>{html.escape(column['title'] or '')}</th>" for column in model["columns"])
    rows = []
    for row in model["rows"]:
        cells = zip(row, model["columns"])
        rows.append(
            "".join(f"<td style='text-align:{c['align']}'>{html.escape(cell['text'] or '')}</td>" for cell, c in cells)
        )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = "" if model["pairs"] else f"<thead><tr>{titles}</tr></thead>"
    more = f"<p>{html.escape(model['more'])}</p>" if model["more"] else ""
    return f"<h4>{html.escape(model['title'])}</h4><table>{head}<tbody>{body}</tbody></table>{more}"


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
