"""The run file and its summary: against 0.1.2 on the same data, and how time and memory grow with the run."""

from __future__ import annotations

import math
import pathlib
import shutil

from common import Context, Line, measure, measure_json, median, say, seconds_text, size_text

# What the goals were set for: three sections and thirty branches for each of 100,000 chunks, 100 workers.
SAME_DATA = ["--seed", "3", "--chunks", "100000", "--workers", "100", "--samples", "600", "--sections", "3",
             "--branches", "30", "--files", "500", "--no-truth", "--measure-write"]  # fmt: skip
SAME, ALL = "same fields", "all we record"
FIELDS = {SAME: [*SAME_DATA, "--plain"], ALL: SAME_DATA}  # ours records more than 0.1.2 does
WORKERS = {10_000: 10, 100_000: 100, 1_000_000: 1_000}  # by chunks, each with 3,600 samples: all grows alike
PERCENTILE_BYTES = 64  # per chunk, that exact percentiles may cost


def write_run(context: Context, options: list[str], path: pathlib.Path) -> dict:
    return measure_json([context.tool("roast-synth"), *options, "-o", str(path)])


def reference(context: Context, *arguments: str) -> dict:
    script = pathlib.Path(__file__).with_name("reference.py")
    return measure_json([str(context.reference), str(script), *arguments])


def compare(context: Context) -> list[Line]:
    """Repetitions of ours and theirs take turns, so that a slow minute of the machine hits both. Ours are short, so
    that one slow moment would decide: they are repeated within each turn, before and after theirs."""
    theirs = context.work / "reference"
    runs = {fields: context.work / f"{number}.roast" for number, fields in enumerate(FIELDS)}
    written, read = {fields: [] for fields in FIELDS}, {fields: [] for fields in FIELDS}
    shown, saved, loaded = [], [], []
    for turn in range(context.repeat):
        say(f"bench: 100,000 chunks, turn {turn + 1} of {context.repeat}")
        shutil.rmtree(theirs, ignore_errors=True)
        for step, results in (("save", saved), ("load", loaded)):
            for after in (False, True):
                for fields, path in runs.items():
                    written[fields].append(write_run(context, FIELDS[fields], path))
                    read[fields].append(measure_json([context.tool("roast-read"), str(path)]))
                if not after:
                    arguments = (str(runs[ALL]), str(theirs)) if step == "save" else (str(theirs),)
                    results.append(reference(context, step, *arguments))
        shown.append(measure([context.tool("roast"), "show", str(runs[ALL])]))

    def line(what, ours, other, goal, text):
        return Line(what, text(ours), text(other), other / ours, goal)

    lines, save, load = [], median(s["seconds"] for s in saved), median(x["seconds"] for x in loaded)
    for fields in FIELDS:
        write = median(w["write_seconds"] for w in written[fields])
        both = median(r["read_seconds"] for r in read[fields])
        lines.append(line(f"write 100,000 chunks, {fields}", write, save, 15, seconds_text))
        lines.append(line(f"open and summarise, {fields}", both, load, 20, seconds_text))
        lines.append(line(f"file size, {fields}", runs[fields].stat().st_size, saved[0]["bytes"], 8, size_text))
    memory = median(w["peak"] for w in written[ALL])
    lines.append(line("peak memory, write", memory, median(s["rise"] for s in saved), 10, size_text))
    memory = median(s.peak_bytes for s in shown)
    lines.append(line("peak memory, roast show", memory, median(x["rise"] for x in loaded), 10, size_text))
    return sorted(lines, key=lambda one: one.what.split(",")[0], reverse=True)


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


def following(context: Context) -> list[Line]:
    """What a summary costs again after 1,000 more chunks, against opening the run: CPU time in one process."""
    chunks = 100_000 if context.quick else 1_000_000
    path = context.work / "followed.roast"
    made = measure_json([context.tool("roast-follow"), str(chunks), str(WORKERS[chunks]), str(path)])
    path.unlink()
    opened, again = made["open_seconds"], made["refresh_seconds"]
    return [Line(f"refresh {chunks:,} chunks after 1,000 more, against opening", seconds_text(again),
                 seconds_text(opened), opened / again, 50)]  # fmt: skip


def run(context: Context) -> list[Line]:
    return (compare(context) if context.reference else []) + growth(context) + following(context)
