"""Runs inside a Python that has roastcoffea, 0.1.2 or ours: draws its plots of the data of a run file, as PNG, which is
its fastest.

usage: plots_as_png.py RUN.roast all|others|bars CHUNKS FOLDER

Prints one line of JSON: the seconds that its functions took, and by how many bytes the peak of resident memory rose
while they ran. Reading the run file is not part of either."""

from __future__ import annotations

import collections
import ctypes
import gc
import importlib
import json
import pathlib
import pkgutil
import sqlite3
import sys
import time

from reference import chunks_of, tracking_of

BARS = ("branch_access_per_chunk", "bytes_accessed_per_chunk")
OF_TRACKING = (
    "worker_count_timeline", "memory_utilization_mean_timeline", "memory_utilization_per_worker_timeline",
    "cpu_utilization_mean_timeline", "cpu_utilization_per_worker_timeline", "occupancy_timeline",
    "executing_tasks_timeline", "worker_activity_timeline", "total_active_tasks_timeline",
)  # fmt: skip
OF_METRICS = ("compression_ratio_distribution", "data_access_percentage", "efficiency_summary", "resource_utilization")
OF_SPANS = ("per_task_cpu_io", "per_task_bytes_read", "per_task_overhead")


def functions() -> dict:
    import matplotlib

    matplotlib.use("Agg")
    import roastcoffea.visualization.plots as package

    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        members = vars(importlib.import_module(f"{package.__name__}.{module.name}"))
        found |= {name.removeprefix("plot_"): value for name, value in members.items() if name.startswith("plot_")}
    return found


def data_of(db: sqlite3.Connection, chunks: list[dict], tracking: dict) -> dict:
    """What each plot is given, by name."""
    from roastcoffea.aggregation.core import MetricsAggregator

    report = json.loads(db.execute("SELECT json FROM document WHERE kind = 'report'").fetchone()[0])
    facts = dict(db.execute("SELECT key, value FROM run"))
    t_start, t_end = int(facts["t_start_ns"]) / 1e9, int(facts["t_end_ns"]) / 1e9
    spans = {tuple(row[:4]): row[4] for row in db.execute("SELECT context, prefix, activity, unit, value FROM activities")}
    metrics = MetricsAggregator("dask").aggregate(
        report, tracking, t_start, t_end, chunk_metrics=chunks, processor_name=facts["processor"]
    )
    read = {(c["file"], c["entry_start"], c["entry_stop"]): (c["t_start"], c["t_end"], c["bytes_read"]) for c in chunks}
    return (
        dict.fromkeys(OF_TRACKING, tracking)
        | dict.fromkeys(OF_METRICS, metrics)
        | dict.fromkeys(OF_SPANS, spans)
        | dict.fromkeys(("runtime_distribution", "runtime_vs_events", *BARS), chunks)
        | {"throughput_timeline": read}
    )


def memory_bytes(which: str) -> int:
    """Resident memory of this process: VmRSS now, VmHWM at its peak since the last reset."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith(which))


def forget_peak() -> int:
    """Gives back what the data took while it was made, and starts a new peak. Gives what is in use."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    return memory_bytes("VmRSS")


def main(run: str, which: str, count: str, folder: str) -> dict:
    import matplotlib.pyplot as pyplot

    plots = functions()
    db = sqlite3.connect(f"file:{run}?mode=ro&immutable=1", uri=True)
    tracking = tracking_of(db)
    data = data_of(db, chunks_of(db, int(count)), tracking)
    kinds = {"bars": lambda name: name in BARS, "others": lambda name: name not in BARS, "all": lambda name: True}
    chosen = [name for name in plots if name in data and kinds[which](name)]
    times, before = collections.Counter(), forget_peak()
    for name in chosen:
        extra = {"tracking_data": tracking} if name == "throughput_timeline" else {}
        begun = time.perf_counter()
        plots[name](data[name], output_path=pathlib.Path(folder) / f"{name}.png", **extra)
        times[name] = time.perf_counter() - begun
        pyplot.close("all")
    return {"seconds": sum(times.values()), "rise": memory_bytes("VmHWM") - before, "plots": dict(times)}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
