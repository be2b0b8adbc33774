"""Metadata of ROOT files: against uproot on the same files, and how time and memory grow."""

from __future__ import annotations

import importlib.util
import math
import os
import pathlib
import sys

import root_files
from common import Context, Line, measure_json, median, say, size_text

SIZES = (1_500, 5_000, 20_000)  # branches
MANY = 1_000  # files of 1,500 branches
REFERENCE_FILES = 5  # of them, that uproot is asked about


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def ours(context: Context, repeat: int, jobs: int, *paths: pathlib.Path) -> dict:
    return measure_json([context.tool("roast-root-bench"), str(repeat), str(jobs), *map(str, paths)])


def theirs(repeat: int, *paths: pathlib.Path) -> dict:
    script = pathlib.Path(__file__).with_name("root_reference.py")
    return measure_json([sys.executable, str(script), str(repeat), *map(str, paths)])


def compare(context: Context, what: str, path: pathlib.Path) -> Line:
    """The two take turns, so that a slow minute of the machine hits both."""
    mine, other = [], []
    for _ in range(context.repeat):
        mine.append(ours(context, 20, 1, path))
        other.append(theirs(1, path))
    assert mine[0]["branches"] == other[0]["branches"] or "PHYSLITE" in what or "NanoAOD" in what
    a, b = median(m["seconds"] for m in mine), median(o["seconds"] for o in other)
    return Line(f"metadata, {what}", milliseconds(a), f"{milliseconds(b)} (uproot)", b / a, 100)


def real_files() -> list[tuple[str, pathlib.Path]]:
    folder = os.environ.get("ROAST_TEST_DATA")
    if not folder:
        say("bench: ROAST_TEST_DATA is not set, so real files are left out")
        return []
    names = {"NanoAOD": "nano_dy.root", "PHYSLITE": "PHYSLITE_example.root"}
    return [(f"a real {what}", pathlib.Path(folder) / "root" / name) for what, name in names.items()]


def many_files(context: Context, one: pathlib.Path) -> list[Line]:
    folder = context.work / "many"
    folder.mkdir()
    paths = [folder / f"{i}.root" for i in range(100 if context.quick else MANY)]
    for path in paths:
        os.link(one, path)
    all_of_them = ours(context, 1, 2, *paths)
    few, many = ours(context, 1, 1, *paths[:50])["rss"], ours(context, 1, 1, *paths)["rss"]
    reference = theirs(1, *paths[:REFERENCE_FILES])
    speed, other = 1 / all_of_them["seconds"], 1 / reference["seconds"]
    return [
        Line(f"files per second, {len(paths)} of 1,500 branches, 2 cores", f"{speed:.0f}/s", f"{other:.2f}/s (uproot)",
             speed / other, 150),
        Line(f"memory of {len(paths)} files to that of 50", size_text(many), size_text(few), many / few, 1.2,
             at_most=True),
    ]  # fmt: skip


def growth(context: Context, paths: dict[int, pathlib.Path]) -> Line:
    seconds = {count: ours(context, 20, 1, path)["best"] for count, path in paths.items()}
    first, last = min(seconds), max(seconds)
    slope = math.log(seconds[last] / seconds[first]) / math.log(last / first)
    text = ", ".join(f"{count:,}: {milliseconds(value)}" for count, value in seconds.items())
    return Line(f"growth with branches ({text}), exponent", f"{slope:.2f}", "1 is linear", slope, 1.15, at_most=True)


def run(context: Context) -> list[Line]:
    if not importlib.util.find_spec("uproot"):
        say("bench: uproot is not installed, so the topic root is left out")
        return []
    paths = {count: context.work / f"{count}.root" for count in SIZES}
    for count, path in paths.items():
        root_files.write(path, count)
    lines = [compare(context, f"{count:,} branches", paths[count]) for count in (SIZES[0], SIZES[-1])]
    lines += [compare(context, what, path) for what, path in real_files()]
    return [*lines, *many_files(context, paths[SIZES[0]]), growth(context, paths)]
