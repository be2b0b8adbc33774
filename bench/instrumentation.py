"""What instrumentation costs: sections, the decorator, the import and the bytes that travel, inside a worker; a look at
the workers, inside the scheduler; all of it, for a whole job.

Ours and 0.1.2 run in the same interpreter, the one that has 0.1.2."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from common import Context, Line, measure_json, median, say, stage

GOALS = {
    "track_time": ("track_time, CPU time too", 2, "us"),
    "track_memory": ("track_memory", 15, "us"),
    "track_metrics": ("@track_metrics, plain events", 4, "us"),
    "import_seconds": ("import roastcoffea", 20, "s"),
    "bytes": ("bytes per chunk, 60 branches", 5, "B"),
    "track_metrics_ms": ("@track_metrics, 1,500 branches", 100, "ms"),
    "tick_ms": ("scheduler, per tick, 2,000 workers", 10, "ms"),
}
PAIRS = 6  # of jobs with and without a collector
MOST_SCHEDULER_MS = 0.15  # that a chunk may cost the scheduler
MOST_PERCENT = 0.5  # that monitoring may add to the CPU time of a job


def script(python: str, package: pathlib.Path | None, name: str, *arguments: object) -> dict:
    """What a script beside this one prints, with our package or with the one that the interpreter has."""
    return measure_json([python, "-W", "ignore", str(pathlib.Path(__file__).with_name(name)), *map(str, arguments)], package)


def costs(python: str, package: pathlib.Path | None, wide: pathlib.Path) -> dict:
    return (
        script(python, package, "instrumentation_costs.py")
        | script(python, package, "instrumentation_nano.py", wide)
        | script(python, package, "instrumentation_tick.py")
    )


def write_file(python: str, path: pathlib.Path, events: int, branches: int) -> pathlib.Path:
    script(python, None, "nano_file.py", path, events, branches)
    return path


def has_coffea(python: str) -> bool:
    test = "import coffea, distributed, uproot"
    return subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0


def job(context: Context, python: str, package: pathlib.Path) -> Line:
    """What monitoring adds to a whole job; nothing of 0.1.2 is in it."""
    path = write_file(python, context.work / "job.root", 6400, 12)
    pairs = 3 if context.quick else PAIRS
    say(f"bench: instrumentation, {pairs} jobs with and {pairs} without monitoring")
    done = script(python, package, "instrumentation_job.py", path, pairs)
    ours = f"{done['percent']:.2f} % ± {done['width']:.2f}"
    return Line("CPU time added to a job, chunks of 1 s", ours, "", done["percent"], MOST_PERCENT, at_most=True)


def scheduler(context: Context, python: str, package: pathlib.Path) -> Line:
    """What a chunk costs the scheduler of a cluster; 0.1.2 sends nothing from workers."""
    path = write_file(python, context.work / "scheduler.root", 6400, 12)
    pairs = 2 if context.quick else 4
    say(f"bench: instrumentation, {pairs} jobs with and {pairs} without monitoring, seen from the scheduler")
    done = script(python, package, "instrumentation_scheduler.py", path, pairs)
    ours = f"{done['scheduler_ms']:.3f} ms of {done['dask_ms']:.1f}, at {done['chunks_per_second']:.0f}/s"
    return Line("scheduler's CPU per chunk (ms)", ours, "", done["scheduler_ms"], MOST_SCHEDULER_MS, at_most=True)


def text(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value * 1000:.1f} ms"
    return f"{value:.0f} B" if unit == "B" else f"{value:.2f} {unit}" if value >= 0.1 else f"{value:.3f} {unit}"


def run(context: Context) -> list[Line]:
    package, python = stage(context), str(context.reference or sys.executable)
    if not has_coffea(python):
        say(f"bench: {python} has not got coffea, so instrumentation is left out")
        return []
    wide = write_file(python, context.work / "wide.root", 1000, 1500)
    if not context.reference:
        ours = costs(python, package, wide)
        for name, (what, _, unit) in GOALS.items():
            say(f"bench: {what}: {text(ours[name], unit)}")
        return [job(context, python, package), scheduler(context, python, package)]
    ours, theirs = [], []
    for turn in range(context.repeat):
        say(f"bench: instrumentation, turn {turn + 1} of {context.repeat}")
        ours.append(costs(python, package, wide))
        theirs.append(costs(python, None, wide))
    lines = []
    for name, (what, goal, unit) in GOALS.items():
        own, other = median(o[name] for o in ours), median(t[name] for t in theirs)
        lines.append(Line(what, text(own, unit), text(other, unit), other / own, goal))
    return [*lines, job(context, python, package), scheduler(context, python, package)]
