"""The report: its size, the time and memory it takes to make, and how it behaves in the browser."""

from __future__ import annotations

import pathlib
import sys

from common import ROOT, Context, Line, measure, median, say, seconds_text, size_text

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from chromium import Chromium, Page, chromium_path

SIZES = {10_000: 1.0, 100_000: 6.0}  # chunks: megabytes that the page may have
WORKERS = {10_000: 100, 100_000: 1000}
def make_run(context: Context, chunks: int) -> pathlib.Path:
    run = context.work / f"report-{chunks}.roast"
    shape = {"seed": 5, "chunks": chunks, "workers": WORKERS[chunks], "samples": 600, "files": min(chunks // 20, 1000),
             "retry-rate": 0.01, "die": 0.01, "output": run}  # fmt: skip
    options = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
    measure([context.tool("roast-synth"), *options, "--no-truth"])
    return run


def use(page: Page) -> None:
    """Hovers and zooms as a person would."""
    plot = page.box("#timeline .plot")
    for step in range(40):
        page.mouse("mouseMoved", plot["x"] + 80 + step * 25, plot["y"] + 40)
    for _ in range(3):
        page.drag(plot["x"] + 250, plot["x"] + 700, plot["y"] + 40)
    page.double_click(plot["x"] + 300, plot["y"] + 40)
    lanes = page.box("#lanes .plot")
    for step in range(40):
        page.mouse("mouseMoved", lanes["x"] + 80 + step * 25, lanes["y"] + 20 + step * 12)
    page.settle()


def longest_task(events: list[dict]) -> float:
    """Milliseconds that the longest task of a page computed: what others do on this machine does not count."""
    mains = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
    tasks = [e for e in events if e["name"].endswith("RunTask") and (e["pid"], e["tid"]) in mains]
    return max(e.get("tdur", e.get("dur", 0)) for e in tasks) / 1000


def in_browser(report: pathlib.Path, repeat: int) -> tuple[list[float], list[float]]:
    """The longest tasks while the page opens, and while it is used."""
    opening, using = [], []
    with Chromium() as browser:
        for _ in range(repeat):
            pages = []
            opening.append(longest_task(browser.trace(lambda pages=pages: pages.append(browser.open(report)))))
            using.append(longest_task(browser.trace(lambda pages=pages: use(pages[0]))))
            pages[0].close()
    return opening, using


def run(context: Context) -> list[Line]:
    lines = []
    for chunks, megabytes in SIZES.items():
        source, page = make_run(context, chunks), context.work / f"report-{chunks}.html"
        command = [context.tool("roast"), "report", str(source), "-o", str(page)]
        measured = [measure(command) for _ in range(context.repeat)]
        seconds, memory = median(one.seconds for one in measured), median(one.peak_bytes for one in measured)
        size = page.stat().st_size
        say(f"bench: report of {chunks:,} chunks: {size_text(size)}, {seconds_text(seconds)}, {size_text(memory)} of memory")
        lines.append(Line(f"report of {chunks:,} chunks, MB", size_text(size), "", size / 1e6, megabytes, at_most=True))
        lines.append(Line(f"report of {chunks:,} chunks, MB of memory in {seconds_text(seconds)}", size_text(memory), "",
                          memory / 1e6, 500, at_most=True))  # fmt: skip
    if chromium_path():
        opening, using = in_browser(page, context.repeat)
        say(f"bench: longest task while the page of {chunks:,} chunks opens: {median(opening):.0f} ms")
        lines.append(Line(f"hovering and zooming {chunks:,} chunks, longest task in ms",
                          " ".join(f"{task:.0f}" for task in using), "", median(using), 100, at_most=True))  # fmt: skip
    else:
        say("bench: no Chromium here, so the page is not tried in a browser")
    return lines
