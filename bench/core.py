"""The run file and its summary: against 0.1.2 on the same data, and how time and memory grow with the run."""

from __future__ import annotations

import math
import pathlib
import shutil

from common import Context, Line, measure, measure_json, median, say, seconds_text, size_text

# What the goals were set for: three sections and thirty branches for each of 100,000 chunks, 100 workers.
SAME_DATA = ["--seed", "3", "--chunks", "100000", "--workers", "100", "--samples", "600", "--sections", "3",
             "--branches", "30", "--files", "500", "--no-truth", "--measure-write"]  # fmt: skip
PLAIN = [*SAME_DATA, "--plain"]  # the very fields that 0.1.2 has; ours records more by default
WORKERS = {10_000: 10, 100_000: 100, 1_000_000: 1_000}  # by chunks, each with 3,600 samples: all grows alike
PERCENTILE_BYTES = 64  # per chunk, that exact percentiles may cost


def write_run(context: Context, data: list[str], path: pathlib.Path) -> dict:
    return measure_json([context.tool("roast-synth"), *data, "-o", str(path)])


def reference(context: Context, *arguments: str) -> dict:
    script = pathlib.Path(__file__).with_name("reference.py")
    return measure_json([str(context.reference), str(script), *arguments])


def compare(context: Context) -> list[Line]:
    """Repetitions of ours and theirs take turns, so that a slow minute of the machine hits both."""
    run, plain, theirs = (context.work / name for name in ("run.roast", "plain.roast", "reference"))
    written, shown, saved, loaded = [], [], [], []
    for turn in range(context.repeat):
        say(f"bench: 100,000 chunks, turn {turn + 1} of {context.repeat}")
        shutil.rmtree(theirs, ignore_errors=True)
        written.append(write_run(context, SAME_DATA, run))
        saved.append(reference(context, "save", str(run), str(theirs)))
        shown.append(measure([context.tool("roast"), "show", str(run)]))
        loaded.append(reference(context, "load", str(theirs)))

    write_run(context, PLAIN, plain)

    def line(what, ours, other, goal, text):
        return Line(what, text(ours), text(other), other / ours, goal)

    return [
        line("write 100,000 chunks", median(w["write_seconds"] for w in written), median(s["seconds"] for s in saved),
             15, seconds_text),
        line("open and summarise", median(s.seconds for s in shown), median(x["seconds"] for x in loaded),
             20, seconds_text),
        line("file size, same fields", plain.stat().st_size, median(s["bytes"] for s in saved), 8, size_text),
        line("file size, all we record", run.stat().st_size, median(s["bytes"] for s in saved), 8, size_text),
        line("peak memory, write", median(w["peak"] for w in written), median(s["rise"] for s in saved),
             10, size_text),
        line("peak memory, read", median(s.peak_bytes for s in shown), median(x["rise"] for x in loaded),
             10, size_text),
    ]  # fmt: skip


def exponent(sizes: list[int], values: list[float]) -> float:
    """The slope of a straight line through the points, both axes logarithmic."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def growth(context: Context) -> list[Line]:
    sizes = [size for size in WORKERS if size <= 100_000 or not context.quick]
    runs = {}
    for chunks in sizes:
        runs[chunks] = context.work / f"growth-{chunks}.roast"
        shape = {"seed": 5, "chunks": chunks, "workers": WORKERS[chunks], "samples": 3600,
                 "files": min(chunks // 100, 1000), "output": runs[chunks]}  # fmt: skip
        options = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
        made = measure_json([context.tool("roast-synth"), *options, "--no-truth", "--measure-write"])
        say(f"bench: made {chunks:,} chunks in {made['wall']:.1f} s, {runs[chunks].stat().st_size / 1e6:.0f} MB")
    shown = {chunks: [] for chunks in sizes}
    for _ in range(context.repeat):
        for chunks in sizes:
            shown[chunks].append(measure([context.tool("roast"), "show", str(runs[chunks])]))
    seconds = {chunks: median(one.seconds for one in shown[chunks]) for chunks in sizes}
    memory = {chunks: median(one.peak_bytes for one in shown[chunks]) for chunks in sizes}
    for chunks in sizes:
        say(f"bench: roast show of {chunks:,} chunks: {seconds[chunks]:.3f} s, {memory[chunks] / 1e6:.1f} MB")
    largest, before = sizes[-1], sizes[-2]
    extra = (memory[largest] - memory[before]) / (largest - before)
    return [
        Line(f"time of show over {sizes[0]:,} to {largest:,} chunks, exponent",
             " ".join(seconds_text(seconds[chunks]) for chunks in sizes), "",
             exponent(sizes, list(seconds.values())), 1.1, at_most=True),
        Line(f"memory of show, bytes per chunk more than {before:,}",
             " ".join(size_text(memory[chunks]) for chunks in sizes), "", extra, PERCENTILE_BYTES, at_most=True),
    ]  # fmt: skip


def run(context: Context) -> list[Line]:
    return (compare(context) if context.reference else []) + growth(context)
