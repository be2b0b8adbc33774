"""The summary of a run for people: rich tables in a terminal, HTML in a notebook. The tables are made in C."""

from __future__ import annotations

import html
import shutil
import sys
from typing import Any

__all__ = ["html_of_run", "print_run", "rich_table", "rich_tables"]

_STYLES = {"strong": "bold", "good": "green", "bad": "red", "warn": "yellow", "quiet": "dim"}


def print_run(run: Any) -> None:
    """Print the summary of a run: with rich if there is rich, else as the command does."""
    try:
        from rich.console import Console
    except ImportError:
        width = shutil.get_terminal_size((100, 24)).columns
        print(run.summary.text(width, sys.stdout.isatty(), True))
        return
    console = Console()
    for heading in _headings(run):
        console.print(heading)
    for table in rich_tables(run.summary.tables(limit=10), console.width):
        console.print(table)


def _headings(run: Any) -> list[Any]:
    from rich.text import Text

    lines = []
    for line in run.summary.headings():
        lines.append(Text("   ").join([Text(text, _STYLES.get(tone, "")) for text, tone in line]))
    return [*lines, Text(f"recorded in {run.path}", "dim")]


def rich_tables(models: list[dict[str, Any]], width: int = 1000) -> list[Any]:
    """Table models as ``rich.Table``, without the columns that matter least if they do not fit."""
    return [rich_table(model, width) for model in models]


def rich_table(model: dict[str, Any], width: int = 1000) -> Any:
    """A table model as a ``rich.Table``."""
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
    lines = ["&emsp;".join(html.escape(text) for text, _ in line) for line in run.summary.headings()]
    parts = [f"<p>{'<br>'.join(lines)}</p>"]
    parts += [_html_table(model) for model in run.summary.tables(limit=10)]
    return "".join(parts)


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
    return f"<h4>{html.escape(model['title'])}</h4><table>{head}<tbody>{body}</tbody></table>"
