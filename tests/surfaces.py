"""What every surface says of a run, as text."""

from __future__ import annotations

import contextlib
import html
import io
import re
from pathlib import Path


def as_text(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


def advised(text: str) -> str:
    """What a surface says, without the settings of the Runner that it lists."""
    return re.sub(r"skipbadfiles  +\S[^\n]*", "", text)


def printed(collector) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        collector.print_summary(full=True)
    return text.getvalue()


def surfaces(collector, roast, tmp_path: Path) -> dict[str, str]:
    """By the name of the surface: those that tell everything; the one screen is shorter."""
    path = collector.run.path
    page = collector.report(tmp_path / "page.html").read_text()
    return {
        "show": roast("show", path, "--all").stdout,
        "explain": roast("explain", path).stdout,
        "print_summary": printed(collector),
        "report": as_text(page[page.index("<h1>") :]),
        "notebook": as_text(collector._repr_html_()),
    }
