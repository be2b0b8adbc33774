"""The summary of a run for people: rich tables in a terminal, HTML in a notebook. The tables are made in C."""

from __future__ import annotations

import html
import shutil
import sys
from typing import Any

__all__ = [
    "format_chunk_metrics_table",
    "format_event_processing_table",
    "format_fine_metrics_table",
    "format_resources_table",
    "format_throughput_table",
    "format_timing_table",
    "html_of_run",
    "print_run",
    "rich_table",
]

_STYLES = {"strong": "bold", "good": "green", "bad": "red", "warn": "yellow", "quiet": "dim"}


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


def rich_table(model: dict[str, Any], width: int = 1000) -> Any:
    """A table model as a ``rich.Table``, without the columns that matter least if they do not fit."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=model["title"],
        title_justify="left",
        title_style="bold",
        caption=model["more"] or None,
        box=box.SIMPLE_HEAD,
        show_header=not model["pairs"],
        padding=(0, 1),
    )
    shown = _columns_that_fit(model, width)
    for index in shown:
        column = model["columns"][index]
        table.add_column(column["title"] or "", justify=column["align"], no_wrap=not column["shortens"], overflow="fold")
    for row in model["rows"]:
        cells = [row[index] for index in shown]
        table.add_row(*[Text(cell["text"] or "", _STYLES.get(cell["tone"], "")) for cell in cells])
    return table


def _columns_that_fit(model: dict[str, Any], width: int) -> list[int]:
    """Indices of the columns to show: the higher its priority's number, the sooner a column is left out."""
    columns, rows = model["columns"], model["rows"]

    def wide(index: int) -> int:
        texts = [columns[index]["title"] or "", *(row[index]["text"] or "" for row in rows)]
        return max(map(len, texts)) + 3

    shown = list(range(len(columns)))
    while sum(map(wide, shown)) + 2 > width and any(columns[index]["priority"] for index in shown):
        shown.remove(max(shown, key=lambda index: columns[index]["priority"]))
    return shown


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


def _format(metrics: dict[str, Any], table: str, *needed: str) -> Any:
    """One table, as the C library makes it of these metrics; None if there is nothing to show."""
    from roastcoffea.legacy.memory import run_of

    if needed and all(metrics.get(name) is None for name in needed):
        return None
    models = {model["id"]: model for model in run_of(metrics).summary().tables()}
    return rich_table(models[table]) if table in models else None


def format_throughput_table(metrics: dict[str, Any]) -> Any:
    """Data read, and how fast, as a ``rich.Table``."""
    return _format(metrics, "throughput")


def format_event_processing_table(metrics: dict[str, Any]) -> Any:
    """Events, and how fast, as a ``rich.Table``."""
    return _format(metrics, "events")


def format_resources_table(metrics: dict[str, Any]) -> Any:
    """Workers, cores and memory as a ``rich.Table``."""
    return _format(metrics, "resources")


def format_timing_table(metrics: dict[str, Any]) -> Any:
    """Wall time, time in ``process`` and efficiency as a ``rich.Table``."""
    return _format(metrics, "timing")


def format_fine_metrics_table(metrics: dict[str, Any]) -> Any:
    """What Dask's spans say as a ``rich.Table``; None without them."""
    names = ("processor_cpu_time_seconds", "processor_noncpu_time_seconds", "processor_io_wait_time_seconds")
    return _format(metrics, "fine", *names)


def format_chunk_metrics_table(metrics: dict[str, Any]) -> Any:
    """Statistics of chunks as a ``rich.Table``; None without them."""
    return _format(metrics, "chunks", "num_chunk_records", "chunk_duration_mean", "chunk_mem_delta_mean_mb")
