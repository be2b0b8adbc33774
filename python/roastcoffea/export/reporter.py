"""The summary of a run for people: rich tables in a terminal, HTML in a notebook. The tables are made in C."""

from __future__ import annotations

import html
import shutil
import sys
from typing import Any

__all__ = ["html_of_run", "print_run", "rich_tables"]


def print_run(run: Any) -> None:
    """Print the summary of a run."""
    try:
        from rich.console import Console
    except ImportError:
        width = shutil.get_terminal_size((100, 24)).columns
        print(run.summary.text(width, sys.stdout.isatty(), True))
        return
    console = Console()
    console.print(f"[bold]{run.name}[/bold]   {run.path}", highlight=False)
    for table in rich_tables(run.summary.tables()):
        console.print(table)


def rich_tables(models: list[dict[str, Any]]) -> list[Any]:
    """Table models of C as ``rich.Table``."""
    from rich.table import Table

    tables = []
    for model in models:
        table = Table(title=model["title"], title_justify="left", caption=model.get("note") or None)
        for column in model["columns"]:
            table.add_column(column["title"], justify="right" if column.get("right") else "left")
        for row in model["rows"]:
            table.add_row(*[cell or "" for cell in row])
        tables.append(table)
    return tables


def html_of_run(run: Any) -> str:
    """The summary of a run as HTML."""
    parts = []
    for model in run.summary.tables():
        head = "".join(f"<th>{html.escape(column['title'])}</th>" for column in model["columns"])
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell or '')}</td>" for cell in row) + "</tr>" for row in model["rows"]
        )
        parts.append(f"<h4>{html.escape(model['title'])}</h4><table><tr>{head}</tr>{rows}</table>")
    return "".join(parts)
