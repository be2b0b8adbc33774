"""What instrumentation costs inside a worker: sections, the decorator, the import, and the bytes that travel.

Ours and 0.1.2 run in the same interpreter, the one that has 0.1.2."""

from __future__ import annotations

import pathlib
import sys

from common import Context, Line, measure_json, median, say, stage

GOALS = {
    "track_time": ("track_time, CPU time too", 2, "us"),
    "track_memory": ("track_memory", 15, "us"),
    "track_metrics": ("@track_metrics, plain events", 4, "us"),
    "import_seconds": ("import roastcoffea", 20, "s"),
    "bytes": ("bytes per chunk, 60 branches", 5, "B"),
}


def costs(python: str, package: pathlib.Path | None) -> dict:
    return measure_json([python, str(pathlib.Path(__file__).with_name("instrumentation_costs.py"))], package)


def text(value: float, unit: str) -> str:
    return f"{value * 1000:.1f} ms" if unit == "s" else f"{value:.2f} {unit}" if unit == "us" else f"{value:.0f} B"


def run(context: Context) -> list[Line]:
    package = stage(context)
    if not context.reference:
        ours = costs(sys.executable, package)
        for name, (what, _, unit) in GOALS.items():
            say(f"bench: {what}: {text(ours[name], unit)}")
        return []
    ours, theirs = [], []
    for turn in range(context.repeat):
        say(f"bench: instrumentation, turn {turn + 1} of {context.repeat}")
        ours.append(costs(str(context.reference), package))
        theirs.append(costs(str(context.reference), None))
    lines = []
    for name, (what, goal, unit) in GOALS.items():
        own, other = median(o[name] for o in ours), median(t[name] for t in theirs)
        lines.append(Line(what, text(own, unit), text(other, unit), other / own, goal))
    return lines
