"""Charts of a run of 100,000 chunks: ours as SVG, ours through matplotlib, and the 21 plots of 0.1.2 as PNG.

Through matplotlib, ours and 0.1.2 get the same dicts in the same interpreter. Two plots of 0.1.2 draw a bar for each chunk
and take minutes. By default these two are measured on fewer chunks and scaled up in proportion, which the table says; --full
measures them as they are."""

from __future__ import annotations

import pathlib

import report
from common import Context, Line, measure, measure_json, median, say, seconds_text, size_text, stage

RUN = ["--seed", "3", "--chunks", "100000", "--workers", "100", "--samples", "600", "--sections", "3",
       "--branches", "30", "--files", "500", "--no-truth"]  # fmt: skip
SAMPLE, CHUNKS = 4_000, 100_000


def plots(context: Context, run: pathlib.Path, which: str, chunks: int, package: pathlib.Path | None = None) -> dict:
    script = pathlib.Path(__file__).with_name("plots_as_png.py")
    return measure_json([str(context.reference), str(script), str(run), which, str(chunks), str(context.work)], package)


def report_line(context: Context, others: dict) -> Line:
    """The report of a run with ten times as many workers, which it must show in less time than those plots take."""
    command = [context.tool("roast"), "report", str(report.make_run(context, CHUNKS)), "-o", str(context.work / "report.html")]
    seconds = median(measure(command).seconds for _ in range(context.repeat))
    return Line("report of 100,000 chunks and 1,000 workers, its 19 plots", seconds_text(seconds),
                seconds_text(others["seconds"]), others["seconds"] / seconds, 5)  # fmt: skip


def run(context: Context) -> list[Line]:
    path, folder = context.work / "charts.roast", context.work / "charts"
    measure([context.tool("roast-synth"), *RUN, "-o", str(path)])
    ours = [measure([context.tool("roast"), "plot", str(path), "--all", "-o", str(folder)]) for _ in range(context.repeat)]
    seconds, memory = median(one.seconds for one in ours), median(one.peak_bytes for one in ours)
    pictures = list(folder.iterdir())
    size = sum(picture.stat().st_size for picture in pictures)
    say(f"bench: {len(pictures)} charts, {size / 1e6:.1f} MB of SVG, from start to end of the command")
    if not context.reference:
        return [Line(f"{len(pictures)} charts of 100,000 chunks, seconds", seconds_text(seconds), "", seconds, 2, at_most=True)]
    say("bench: 21 plots of ours through matplotlib")
    drawn = plots(context, path, "all", CHUNKS, stage(context))
    say("bench: 19 plots of 0.1.2")
    others = plots(context, path, "others", CHUNKS)
    chunks = CHUNKS if context.full else SAMPLE
    say(f"bench: 2 plots of 0.1.2 with a bar for each of {chunks:,} chunks")
    bars = plots(context, path, "bars", chunks)
    theirs = others["seconds"] + bars["seconds"] * CHUNKS / chunks
    rise = max(others["rise"], bars["rise"] * CHUNKS / chunks)
    note = "" if context.full else f", two scaled up from {chunks:,} chunks"
    return [
        Line("charts as SVG: ours all, its 19 without a bar per chunk", seconds_text(seconds),
             seconds_text(others["seconds"]), others["seconds"] / seconds, 20),
        Line(f"charts as SVG: ours all, its 21{note}", seconds_text(seconds), seconds_text(theirs), theirs / seconds, 200),
        Line(f"charts, peak memory{note}", size_text(memory), size_text(rise), rise / memory, 10),
        Line(f"21 plots through matplotlib{note}", seconds_text(drawn["seconds"]), seconds_text(theirs),
             theirs / drawn["seconds"], 20),
        report_line(context, others),
    ]  # fmt: skip
