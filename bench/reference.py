"""Runs inside a Python that has roastcoffea 0.1.2: saves, loads and aggregates the data of a run file with it.

usage: reference.py save RUN.roast DIRECTORY | load DIRECTORY REPORT.json

Prints one line of JSON: the seconds that the calls of 0.1.2 took, and by how many bytes the peak of resident memory
rose above what its imports and the interpreter need. Reading the run file is not part of the time."""

from __future__ import annotations

import collections
import datetime
import json
import pathlib
import resource
import sqlite3
import sys
import time

SERIES = {
    "worker_memory": "memory",
    "worker_active_tasks": "processing",
    "worker_nbytes": "managed",
    "worker_occupancy": "occupancy",
    "worker_executing": "executing",
    "worker_last_seen": "t_ns / 1e9",
    "worker_cpu": "cpu",
}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def ticks_of(db: sqlite3.Connection):
    """0.1.2 looks at all workers at one time, over and over: the tick that a heartbeat belongs to."""
    query = "SELECT min(t_ns), max(t_ns), count(*) FROM sample GROUP BY worker ORDER BY 3 DESC LIMIT 1"
    first, last, count = db.execute(query).fetchone() or (0, 1, 2)
    interval = max(1, (last - first) // max(1, count - 1))
    return lambda t_ns: datetime.datetime.fromtimestamp((first + (t_ns - first) // interval * interval) / 1e9)


def tracking_of(db: sqlite3.Connection) -> dict:
    """Heartbeats in the shape that 0.1.2 keeps them in: per series and worker a list of (time, value)."""
    tick_of = ticks_of(db)
    tracking = {name: collections.defaultdict(list) for name in (*SERIES, "worker_cores", "worker_memory_limit")}
    present = collections.Counter()
    columns = ", ".join(SERIES.values())
    query = f"SELECT w.address, w.cores, w.memory_limit, t_ns, {columns} FROM sample JOIN worker w ON w.id = worker"
    for address, cores, limit, t_ns, *values in db.execute(query):
        moment = tick_of(t_ns)
        for name, value in zip(SERIES, values):
            tracking[name][address].append((moment, value))
        tracking["worker_cores"][address].append((moment, cores))
        tracking["worker_memory_limit"][address].append((moment, limit))
        present[moment] += 1
    tracking = {name: dict(series) for name, series in tracking.items()}
    return tracking | {"worker_counts": dict(sorted(present.items()))}


def branches_of(db: sqlite3.Connection) -> tuple[dict, dict]:
    """The branches of each set, and the bytes of each branch of each file."""
    sets, sizes = collections.defaultdict(list), collections.defaultdict(dict)
    for branch_set, branch in db.execute("SELECT branch_set, branch FROM branches_read"):
        sets[branch_set].append(branch)
    for file, branch, compressed, uncompressed in db.execute(
        "SELECT file, branch, compressed, uncompressed FROM branches"
    ):
        sizes[file][branch] = (compressed, uncompressed)
    return sets, sizes


def files_of(db: sqlite3.Connection) -> dict:
    query = "SELECT file, compression_ratio, total_branches, compressed FROM files"
    names = ("filename", "compression_ratio", "total_branches", "total_tree_bytes")
    return {row[0]: dict(zip(names, row)) for row in db.execute(query)}


def sections_of(db: sqlite3.Connection) -> dict:
    sections = collections.defaultdict(lambda: ({}, {}, {}))
    query = "SELECT chunk, section, duration_s, mem_delta_mib, bytes FROM sections"
    for chunk, section, duration, growth, size in db.execute(query):
        timing, memory, read = sections[chunk]
        timing[section], memory[section], read[section] = duration, growth, size
    return sections


def chunks_of(db: sqlite3.Connection, most: int = -1) -> list[dict]:
    """Chunk records as 0.1.2's decorator makes them, failed attempts left out, as it never sees one."""
    sets, sizes = branches_of(db)
    files, sections = files_of(db), sections_of(db)
    described, chunks = set(), []
    query = (
        "SELECT chunk, t_start, duration_s, mem_before_mib, mem_after_mib, bytes_read, events, dataset, file,"
        " entry_start, entry_stop, branch_set FROM chunks WHERE error_type IS NULL LIMIT ?"
    )
    for row in db.execute(query, [most]):
        number, start, duration, before, after, read, events, dataset, file, first, last, branch_set = row
        branches, about = list(sets[branch_set]), files[file]
        accessed = [sizes[file][branch] for branch in branches]
        size = sum(compressed for compressed, _ in accessed)
        timing, memory, section_bytes = sections[number]
        chunk = {
            "t_start": start, "t_end": start + duration, "duration": duration, "mem_before_mb": before,
            "mem_after_mb": after, "mem_delta_mb": after - before, "bytes_read": read, "timestamp": start + duration,
            "num_events": events, "dataset": dataset, "file": file, "uuid": None, "entry_start": first,
            "entry_stop": last, "accessed_branches": branches, "num_branches_accessed": len(branches),
            "accessed_bytes": size, "accessed_uncompressed_bytes": sum(whole for _, whole in accessed),
            "branches_read_percent": 100 * len(branches) / about["total_branches"],
            "bytes_read_percent": 100 * size / about["total_tree_bytes"],
            "timing": timing, "memory": memory, "bytes": section_bytes,
        }  # fmt: skip
        if file not in described:
            chunk["file_metadata"] = dict(about)
            described.add(file)
        chunks.append(chunk)
    return chunks


def save(run: str, directory: str) -> dict:
    from roastcoffea.aggregation.core import MetricsAggregator
    from roastcoffea.export.measurements import save_measurement

    imported = peak_bytes()
    db = sqlite3.connect(f"file:{run}?mode=ro&immutable=1", uri=True)
    report = json.loads(db.execute("SELECT json FROM document WHERE kind = 'report'").fetchone()[0])
    facts = dict(db.execute("SELECT key, value FROM run"))
    t_start, t_end = int(facts["t_start_ns"]) / 1e9, int(facts["t_end_ns"]) / 1e9
    metrics = MetricsAggregator("dask").aggregate(
        report, tracking_of(db), t_start, t_end, chunk_metrics=chunks_of(db), processor_name=facts["processor"]
    )
    begun = time.perf_counter()
    where = save_measurement(metrics, t_start, t_end, pathlib.Path(directory), measurement_name="measurement")
    seconds = time.perf_counter() - begun
    (where / "report.json").write_text(json.dumps(report))
    size = sum((where / name).stat().st_size for name in ("metrics.json", "start_end_time.txt", "metadata.json"))
    return {"seconds": seconds, "bytes": size, "rise": peak_bytes() - imported}


def load(directory: str) -> dict:
    from roastcoffea.aggregation.core import MetricsAggregator
    from roastcoffea.export.measurements import load_measurement

    imported = peak_bytes()
    where = pathlib.Path(directory) / "measurement"
    report = json.loads((where / "report.json").read_text())
    begun = time.perf_counter()
    metrics, t_start, t_end = load_measurement(where)
    found = MetricsAggregator("dask").aggregate(
        report, metrics["tracking_data"], t_start, t_end, chunk_metrics=metrics["raw_chunk_metrics"]
    )
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "rise": peak_bytes() - imported, "events": found["total_events_from_chunks"]}


if __name__ == "__main__":
    step, *arguments = sys.argv[1:]
    print(json.dumps({"save": save, "load": load}[step](*arguments)))
