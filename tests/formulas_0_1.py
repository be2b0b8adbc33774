"""What the functions on dicts of roastcoffea 0.1 are documented to give, as plain formulas: slow, and independent of ours.

A number that is given whole stays whole. None counts as not given."""

from __future__ import annotations

import itertools
import math
import operator
from fractions import Fraction


def number(value):
    """Of any kind of number the Python number."""
    try:
        return operator.index(value)
    except TypeError:
        return float(value)


def given(mapping, key, default=0):
    value = mapping.get(key)
    return default if value is None else number(value)


def over(a, b):
    return a / b if b > 0 else 0.0


def mean(values):
    return float(sum(map(Fraction, values)) / len(values))


def deviation(values):
    """Of a sample."""
    centre = sum(map(Fraction, values)) / len(values)
    return math.sqrt(sum((Fraction(v) - centre) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0


def workflow(report, t_start, t_end, custom=None):
    elapsed = float(t_end - t_start)
    events = size = busy = 0
    if custom:
        for dataset in custom.values():
            events += given(dataset, "entries")
            busy += given(dataset, "duration")
            size += given(dataset.get("performance_counters") or {}, "num_requested_bytes")
    elif report.get("bytesread") is not None:
        events, size, busy = given(report, "entries"), given(report, "bytesread"), given(report, "processtime", elapsed)
    chunks = given(report, "chunks")
    return {"data_rate_gbps": over(size * 8 / 1e9, elapsed), "total_events": events,
            "event_rate_elapsed_khz": over(events / 1000, elapsed), "event_rate_cpu_total_khz": over(events / 1000, busy),
            "elapsed_time_seconds": elapsed, "total_cpu_time": busy, "num_chunks": chunks,
            "avg_cpu_time_per_chunk": float(over(busy, chunks)), "total_bytes_read": size}  # fmt: skip


def efficiency(workflow, workers):
    elapsed, busy, events = (given(workflow, key) for key in ("elapsed_time_seconds", "total_cpu_time", "total_events"))
    cores = given(workers, "total_cores", None)
    known = cores is not None
    core_seconds = elapsed * cores if known and elapsed > 0 else 0
    return {"speedup_factor": float(over(busy, elapsed)),
            "core_efficiency": float(over(busy, core_seconds)) if known else None,
            "event_rate_core_khz": float(over(events / 1000, core_seconds)) if known else None}  # fmt: skip


def fine(spans, processor=None):
    def total(activity, unit=None, of=lambda prefix: True):
        return sum(number(value) for key, value in spans.items()
                   if isinstance(key, tuple) and len(key) > 2 and key[2] == activity and of(key[1])
                   and (unit is None or key[3:4] == (unit,)))  # fmt: skip

    def own(prefix):
        return processor is None or prefix == processor

    def other(prefix):
        return not own(prefix)

    cpu, noncpu = total("thread-cpu", of=own), total("thread-noncpu", of=own)
    seconds = {
        "processor_cpu_time_seconds": cpu, "processor_io_wait_time_seconds": noncpu,
        "processor_cpu_percent": 100 * over(cpu, cpu + noncpu), "processor_io_wait_percent": 100 * over(noncpu, cpu + noncpu),
        "overhead_cpu_time_seconds": total("thread-cpu", of=other),
        "overhead_io_wait_time_seconds": total("thread-noncpu", of=other),
        "decompression_time_seconds": total("decompress"), "compression_time_seconds": total("compress"),
        "total_compression_overhead_seconds": total("compress") + total("decompress"),
        "deserialization_time_seconds": total("deserialize"), "serialization_time_seconds": total("serialize"),
        "total_serialization_overhead_seconds": total("serialize") + total("deserialize"),
    }  # fmt: skip
    sizes = {"total_bytes_memory_read": total("memory-read", "bytes"), "disk_read_bytes": total("disk-read", "bytes"),
             "disk_write_bytes": total("disk-write", "bytes")}  # fmt: skip
    return {key: float(value) for key, value in seconds.items()} | sizes


def per_task(spans):
    tasks = {}
    for key, value in spans.items():
        if isinstance(key, tuple) and len(key) > 2 and key[0] == "execute":
            task = tasks.setdefault(key[1], {})
            if key[2] not in task or key[3:4] != ("count",):
                task[key[2]] = value
    return tasks


def chunks(records, sections=None):
    done = [record for record in records or () if record.get("error") is None]
    if not records:
        return {"num_chunks": 0}
    metrics = {"num_chunks": len(records), "num_successful_chunks": len(done), "num_failed_chunks": len(records) - len(done)}
    if not done:
        return metrics
    for name, key, unit in (("duration", "duration", ""), ("mem_delta", "mem_delta_mb", "_mb"), ("events", "num_events", "")):
        values = [number(record[key]) for record in done if record.get(key) is not None]
        if values:
            metrics |= {f"chunk_{name}_mean{unit}": mean(values), f"chunk_{name}_min{unit}": min(values),
                        f"chunk_{name}_max{unit}": max(values)}  # fmt: skip
            spread = {f"chunk_{name}_std{unit}": deviation(values)}
            metrics |= {"total_events_from_chunks": sum(values)} if name == "events" else spread
    metrics["per_dataset"] = {name: of_dataset([record for record in done if record.get("dataset", "unknown") == name])
                              for name in dict.fromkeys(record.get("dataset", "unknown") for record in done)}  # fmt: skip
    if sections:
        names = dict.fromkeys(section.get("name") or "unknown" for section in sections)
        metrics["sections"] = {name: of_section([s for s in sections if (s.get("name") or "unknown") == name])
                               for name in names}  # fmt: skip
    return metrics


def of_dataset(records):
    events = sum(given(record, "num_events") for record in records)
    duration = float(sum(given(record, "duration") for record in records))
    metrics = {"num_chunks": len(records), "total_duration": duration, "total_events": events,
               "mean_duration": duration / len(records)}  # fmt: skip
    return metrics | ({"mean_events_per_chunk": events / len(records)} if events > 0 else {})


def of_section(records):
    duration = float(sum(given(record, "duration") for record in records))
    metrics = {"count": len(records), "total_duration": duration, "mean_duration": duration / len(records),
               "type": records[0].get("type") or "section"}  # fmt: skip
    deltas = [number(record["mem_delta_mb"]) for record in records
              if record.get("type") == "memory" and record.get("mem_delta_mb") is not None]  # fmt: skip
    if deltas:
        metrics |= {"min_mem_delta_mb": min(deltas), "max_mem_delta_mb": max(deltas), "mean_mem_delta_mb": mean(deltas)}
    return metrics


def chunk_info(records):
    names = ("file", "entry_start", "entry_stop", "t_start", "t_end")
    whole = [tuple(map(record.get, (*names, "bytes_read"))) for record in records
             if all(record.get(name) is not None for name in names)]  # fmt: skip
    return {row[:3]: (*row[3:5], 0 if row[5] is None else row[5]) for row in whole}


def coverage(records):
    if not records:
        return {}
    about, first, branches = {}, {}, set()
    for record in records:
        metadata = record.get("file_metadata") or {}
        if metadata.get("filename") is not None:
            about.setdefault(metadata["filename"], metadata)
        if record.get("file") is not None:
            first.setdefault(record["file"], record)
        branches |= set(record.get("accessed_branches") or ())
    files = {name: {"total_branches": given(metadata, "total_branches"),
                    "total_tree_bytes": given(metadata, "total_tree_bytes"),
                    "branches_read_percent": given(first.get(name, {}), "branches_read_percent"),
                    "bytes_read": given(first.get(name, {}), "accessed_bytes"),
                    "bytes_read_percent": given(first.get(name, {}), "bytes_read_percent")}
             for name, metadata in about.items()}  # fmt: skip
    shares = [file["bytes_read_percent"] for file in files.values()]
    return {"compression_ratios": [r for r in (given(m, "compression_ratio") for m in about.values()) if r > 0],
            "bytes_read_percent_per_file": [share for share in shares if share > 0], "file_read_metrics": files,
            "avg_branches_read_percent": mean([f["branches_read_percent"] for f in files.values()]) if files else 0.0,
            "avg_bytes_read_percent": mean(shares) if files else 0.0,
            "file_metadata": about, "total_branches_read": len(branches)}  # fmt: skip


def seconds(later, earlier):
    difference = later - earlier
    return difference.total_seconds() if hasattr(difference, "total_seconds") else difference


def time_average(points):
    """The integral by trapezoids over the time; the plain mean if there is none."""
    points = sorted(((when, number(value)) for when, value in points), key=operator.itemgetter(0))
    if not points:
        return 0.0
    length = seconds(points[-1][0], points[0][0])
    if not length:
        return mean([value for _, value in points])
    area = sum((a[1] + b[1]) / 2 * seconds(b[0], a[0]) for a, b in itertools.pairwise(points))
    return area / length


def average_memory(by_worker):
    means = [time_average(points) for points in by_worker.values() if points]
    return mean(means) if means else 0.0


def peak_memory(by_worker):
    return max((value for points in by_worker.values() for _, value in points), default=0.0)


def tracking(data):
    counts, memory, cores = (data.get(f"worker_{name}") or {} for name in ("counts", "memory", "cores"))
    series = [sorted(points, key=operator.itemgetter(0)) for points in cores.values() if points]
    last = [points[-1][1] for points in series]
    known = sum(last) > 0
    total = None
    if known:  # each worker's cores, for as long as it was seen, over the time in which any was
        start, end = min(points[0][0] for points in series), max(points[-1][0] for points in series)
        length = seconds(end, start)
        stays = [seconds(points[-1][0], points[0][0]) / length if length else 1 for points in series]
        total = float(sum(cores * stay for cores, stay in zip(last, stays, strict=True)))
    return {"avg_workers": time_average(counts.items()), "peak_workers": max([0, *counts.values()]),
            "total_cores": total, "cores_per_worker": mean(last) if known else None,
            "peak_memory_bytes": peak_memory(memory), "avg_memory_per_worker_bytes": average_memory(memory)}  # fmt: skip
