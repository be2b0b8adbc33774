"""Analysis finds what was planted: against the generator's own bookkeeping, and against SQL written by hand."""

from __future__ import annotations

import json
import math
import sqlite3

import pytest

SMALL = {"datasets": 3, "files": 7, "chunks": 200, "workers": 6, "samples": 40, "duration": 300}
SHAPES = {
    "ordinary": SMALL,
    "one chunk": SMALL | {"chunks": 1, "files": 1, "datasets": 1, "retry_rate": 0, "failure_rate": 0},
    "two chunks": SMALL | {"chunks": 2, "files": 1, "datasets": 1, "retry_rate": 0, "failure_rate": 0},
    "no chunks": SMALL | {"chunks": 0},
    "no workers": SMALL | {"workers": 0},
    "nothing at all": SMALL | {"chunks": 0, "workers": 0, "no_report": True},
    "one worker": SMALL | {"workers": 1},
    "unequal workers": SMALL | {"cores": 0, "workers": 15},
    "all workers late": SMALL | {"join": 1, "workers": 10},
    "workers that leave": SMALL | {"leave": 0.6, "join": 0.5, "workers": 20, "cores": 0},
    "workers that die": SMALL | {"die": 0.8, "leave": 0.1, "workers": 20, "cores": 2, "chunks": 600},
    "no samples": SMALL | {"samples": 0},
    "one sample": SMALL | {"samples": 1},
    "two samples": SMALL | {"samples": 2},
    "one worker per host": SMALL | {"workers_per_host": 1},
    "many failures": SMALL | {"failure_rate": 0.3, "retry_rate": 0.5},
    "nothing succeeds": SMALL | {"failure_rate": 1, "die": 0},
    "no sections": SMALL | {"sections": 0},
    "many sections": SMALL | {"sections": 11},
    "no branches": SMALL | {"branches": 0, "datasets": 1},
    "more files than chunks": SMALL | {"files": 90, "chunks": 20},
    "many datasets": SMALL | {"datasets": 30, "files": 60, "chunks": 500},
    "no report": SMALL | {"no_report": True},
    "with tasks": SMALL | {"tasks": True},
    "fields of 0.1.x only": SMALL | {"plain": True, "die": 0},
}
PLAIN_HAS_NOT = {"spilled_bytes_peak", "net_read_bytes", "net_write_bytes", "disk_read_bytes_host",
                 "disk_write_bytes_host", "cpu_seconds", "open_seconds", "chunk_mem_peak_max_mb",
                 "chunk_cpu_seconds_total", "chunk_noncpu_seconds_total", "chunk_run_delay_seconds_total",
                 "chunk_open_seconds_total", "chunk_schema_seconds_total", "busy_seconds", "lost_seconds"}  # fmt: skip


def summary_of(roast, path) -> dict:
    shown = roast("show", path, "--json")
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)


def differences(found: dict, planted: dict, where: str, absent=frozenset()) -> list[str]:
    """Every planted number that was not found, to nine digits."""
    wrong = []
    for name, expected in planted.items():
        value = found.get(name)
        if name in absent:
            same = value is None or name in ("busy_seconds", "lost_seconds")
        elif isinstance(expected, str) or value is None:
            same = value == expected
        else:
            same = math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)
        if not same:
            wrong.append(f"{where} {name}: found {value}, planted {expected}")
    return wrong


def compare_rows(found: dict, planted: dict, kind: str, absent) -> list[str]:
    wrong = [] if found.keys() == planted.keys() else [f"{kind}: {sorted(planted.keys() ^ found.keys())} on one side only"]
    for name in planted.keys() & found.keys():
        wrong += differences(found[name], planted[name], f"{kind} {name}", absent)
    return wrong


def failures_by_type(rows: list[dict]) -> dict:
    kinds: dict[str, dict] = {}
    for row in rows:
        kind = kinds.setdefault(row["error_type"], {"count": 0, "lost_seconds": 0})
        kind["count"] += row["count"]
        kind["lost_seconds"] += row["lost_seconds"]
    return kinds


def compare(found: dict, truth: dict, absent=frozenset()) -> list[str]:
    wrong = differences(found, truth["run"], "run", absent)
    wrong += compare_rows(found["per_dataset"], truth["dataset"], "dataset", absent)
    wrong += compare_rows(found["sections"], truth["section"], "section", absent)
    wrong += compare_rows({row["worker"]: row for row in found["workers"]}, truth["worker"], "worker", absent)
    wrong += compare_rows({row["file"]: row for row in found["files"]}, truth["file"], "file", absent)
    wrong += compare_rows(failures_by_type(found["failures"]), truth["failure"], "failure", absent)
    return wrong


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("shape", SHAPES)
def test_analysis_finds_what_was_planted(roast, synthesize, shape, seed):
    path, truth = synthesize(seed=seed, **SHAPES[shape])
    absent = PLAIN_HAS_NOT if SHAPES[shape].get("plain") else frozenset()
    found = summary_of(roast, path)
    assert not compare(found, truth, absent)
    assert found["outcome"] == "finished"


def test_the_comparison_can_fail(roast, synthesize):
    path, truth = synthesize(seed=9, **SMALL)
    found = summary_of(roast, path)
    for scope, name in (("run", "avg_workers"), ("run", "num_failed_chunks")):
        spoilt = json.loads(json.dumps(truth))
        spoilt[scope][name] += 1e-6
        assert len(compare(found, spoilt)) == 1
    truth["worker"]["tcp://nobody:1"] = {}
    assert len(compare(found, truth)) == 1


def test_what_there_is_nothing_of_is_absent_and_not_zero(roast, synthesize):
    path, _ = synthesize(seed=1, **SHAPES["nothing at all"])
    found = summary_of(roast, path)
    for name in ("total_events", "avg_workers", "chunk_duration_mean", "data_rate_gbps", "core_efficiency",
                 "peak_memory_bytes", "processor_cpu_time_seconds"):  # fmt: skip
        assert found[name] is None, name
        assert found["why_absent"].get(name), f"no reason for the absence of {name}"


# ---- SQL by hand: nothing of the generator's bookkeeping, only what is in the file ---------------------------------

WINDOW = """(SELECT (SELECT value FROM run WHERE key = 't_start_ns') AS t0,
                    (SELECT value FROM run WHERE key = 't_end_ns') AS t1)"""
PRESENT = "(1.0 * min(coalesce(left_ns, t1), t1) - max(joined_ns, t0))"
GOOD = "FROM attempts WHERE error_type IS NULL"
PROCESSOR = "prefix = 'TopAnalysis' AND activity = 'thread-cpu'"
READ = "chunk JOIN branch_set ON branch_set.id = chunk.branch_set"
PERCENTILE = """
    WITH d AS (SELECT duration_ns / 1e9 AS x, row_number() OVER (ORDER BY duration_ns) - 1 AS r, count(*) OVER () AS n
                 FROM chunk WHERE error_type IS NULL),
         p AS (SELECT {p} / 100.0 * (max(n) - 1) AS at FROM d)
    SELECT lo.x + (hi.x - lo.x) * (at - cast(at AS INTEGER))
      FROM p JOIN d AS lo ON lo.r = cast(at AS INTEGER) JOIN d AS hi ON hi.r = min(cast(at AS INTEGER) + 1, hi.n - 1)"""
MEAN_OVER_TIME = """
    WITH s AS (SELECT worker, t_ns, {x} AS x, lag(t_ns) OVER w AS t_before, lag({x}) OVER w AS x_before
                 FROM sample JOIN worker ON worker.id = sample.worker WINDOW w AS (PARTITION BY worker ORDER BY t_ns)),
         m AS (SELECT sum((x + x_before) / 2.0 * (t_ns - t_before)) / (max(t_ns) - min(t_ns)) AS mean
                 FROM s GROUP BY worker)
    SELECT avg(mean) FROM m"""
QUERIES = {
    "num_chunk_records": "SELECT count(*) FROM chunk",
    "num_successful_chunks": "SELECT count(*) FROM chunk WHERE error_type IS NULL",
    "num_failed_chunks": "SELECT count(*) FROM chunk WHERE error_type IS NOT NULL",
    "num_retried_chunks": """
        SELECT count(*) FROM (SELECT 1 FROM chunk GROUP BY file, entry_start, entry_stop HAVING count(*) > 1)""",
    "total_events_from_chunks": f"SELECT sum(events) {GOOD}",
    "chunk_duration_mean": f"SELECT avg(duration_s) {GOOD}",
    "chunk_duration_max": f"SELECT max(duration_s) {GOOD}",
    "chunk_duration_p05": PERCENTILE.format(p=5),
    "chunk_duration_p50": PERCENTILE.format(p=50),
    "chunk_duration_p95": PERCENTILE.format(p=95),
    "chunk_duration_p99": PERCENTILE.format(p=99),
    "chunk_mem_delta_mean_mb": f"SELECT avg(mem_after_mib - mem_before_mib) {GOOD}",
    "chunk_cpu_seconds_total": "SELECT sum(cpu_s) FROM attempts",
    "chunk_noncpu_seconds_total": "SELECT sum(noncpu_s) FROM attempts",
    "chunk_open_seconds_total": "SELECT sum(open_s) FROM attempts",
    "time_per_event_us_mean": f"SELECT avg(duration_s * 1e6 / events) {GOOD} AND events > 0",
    "elapsed_time_seconds": f"SELECT (t1 - t0) / 1e9 FROM {WINDOW}",
    "total_events": "SELECT json_extract(json, '$.entries') FROM document WHERE kind = 'report'",
    "data_rate_gbps": f"""
        SELECT json_extract(json, '$.bytesread') * 8.0 / (t1 - t0) FROM document, {WINDOW} WHERE kind = 'report'""",
    "avg_workers": f"SELECT sum({PRESENT}) / (t1 - t0) FROM worker, {WINDOW}",
    "total_cores": f"SELECT sum(cores * {PRESENT}) / (t1 - t0) FROM worker, {WINDOW}",
    "workers_lost": "SELECT count(*) FROM worker WHERE lost",
    "workers_left": "SELECT count(*) FROM worker WHERE left_ns IS NOT NULL AND NOT lost",
    "peak_memory_bytes": "SELECT max(memory) FROM sample",
    "avg_memory_per_worker_bytes": MEAN_OVER_TIME.format(x="memory"),
    "memory_utilization_percent_mean": MEAN_OVER_TIME.format(x="100.0 * memory / memory_limit"),
    "cpu_utilization_percent_mean": MEAN_OVER_TIME.format(x="cpu / cores"),
    "cpu_utilization_percent_max": "SELECT max(cpu / cores) FROM sample JOIN worker ON worker.id = sample.worker",
    "num_files": "SELECT count(*) FROM file",
    "total_branches_read": "SELECT count(DISTINCT name) FROM branch_set",
    "avg_compression_ratio": "SELECT avg(compression_ratio) FROM files",
    "avg_branches_read_percent": f"""
        SELECT avg(100.0 * n / total_branches) FROM file JOIN (
            SELECT file, count(DISTINCT name) AS n FROM {READ} GROUP BY 1) AS r ON r.file = file.id""",
    "avg_bytes_read_percent": f"""
        SELECT avg(100.0 * bytes / file.compressed) FROM file JOIN (
            SELECT file, sum(compressed) AS bytes FROM branch
             WHERE (file, name) IN (SELECT chunk.file, branch_set.name FROM {READ}) GROUP BY 1) AS r
          ON r.file = file.id""",
    "processor_cpu_time_seconds": f"SELECT sum(value) FROM activities WHERE {PROCESSOR}",
    "overhead_cpu_time_seconds": f"""
        SELECT sum(value) FROM activities WHERE activity = 'thread-cpu' AND NOT ({PROCESSOR})""",
    "total_bytes_memory_read": """
        SELECT sum(value) FROM activities WHERE activity = 'memory-read' AND unit = 'bytes'""",
}


@pytest.fixture(scope="module")
def large(roast, synthesize):
    path, _ = synthesize(seed=77, chunks=3000, workers=25, samples=100, cores=0, die=0.2, leave=0.2, files=50)
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        yield database, summary_of(roast, path)


@pytest.mark.parametrize("metric", QUERIES)
def test_analysis_finds_what_sql_by_hand_finds(large, metric):
    database, found = large
    assert found[metric] == pytest.approx(database.execute(QUERIES[metric]).fetchone()[0], rel=1e-9)


def test_datasets_are_what_sql_groups(large):
    database, found = large
    query = """SELECT dataset, count(*), sum(events), sum(duration_s), sum(bytes_read) FROM chunks GROUP BY 1"""
    names = ("num_chunks", "total_events", "total_duration", "bytes_read")
    rows = {row[0]: dict(zip(names, row[1:])) for row in database.execute(query)}
    assert rows.keys() == found["per_dataset"].keys()
    for dataset, row in rows.items():
        assert {name: found["per_dataset"][dataset][name] for name in names} == pytest.approx(row, rel=1e-9)


def test_sections_are_what_sql_groups(large):
    database, found = large
    query = """SELECT section, sum(count), sum(duration_s), max(duration_s), avg(mem_delta_mib), sum(bytes)
                 FROM sections GROUP BY 1"""
    names = ("count", "total_duration", "max_duration", "mean_mem_delta_mb", "bytes")
    rows = {row[0]: dict(zip(names, row[1:])) for row in database.execute(query)}
    assert rows.keys() == found["sections"].keys()
    for section, row in rows.items():
        assert {name: found["sections"][section][name] for name in names} == pytest.approx(row, rel=1e-9)


def test_workers_are_what_sql_groups(large):
    database, found = large
    query = """SELECT worker, sum(error_type IS NULL), sum(error_type IS NOT NULL),
                      sum(duration_s + coalesce(open_s, 0) + coalesce(schema_s, 0) + coalesce(return_s, 0))
                 FROM attempts GROUP BY 1"""
    names = ("chunks", "failed", "busy_seconds")
    workers = {row["worker"]: row for row in found["workers"]}
    for address, *values in database.execute(query):
        assert [workers[address][name] for name in names] == pytest.approx(values, rel=1e-9)


def test_failures_are_what_the_view_of_the_file_says(large):
    database, found = large
    query = "SELECT error_type, dataset, file, worker, attempts FROM failures"
    seen = {(row["error_type"], row["dataset"], row["file"], row["worker"]): row["count"] for row in found["failures"]}
    assert seen == {tuple(row[:4]): row[4] for row in database.execute(query)}


# ---- The ledger ----------------------------------------------------------------------------------------------------

CORE_SECONDS = """
    SELECT sum(cores * (min(coalesce(left_ns, t1), t1) - max(joined_ns, t0))) / 1e9 FROM worker,
           (SELECT (SELECT value FROM run WHERE key = 't_start_ns') AS t0,
                   (SELECT value FROM run WHERE key = 't_end_ns') AS t1)"""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_ledger_sums_to_the_core_time(roast, synthesize, shape):
    path, _ = synthesize(seed=31, **SHAPES[shape])
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        whole = database.execute(CORE_SECONDS).fetchone()[0]
    shown = json.loads(roast("show", path, "--json").stdout)
    if not shown["num_chunk_records"] or not whole:
        assert shown["ledger"] == {}
        return
    assert "residual" in shown["ledger"]
    assert sum(row["core_seconds"] for row in shown["ledger"].values()) == pytest.approx(whole, rel=1e-6)
    assert sum(row["share_percent"] for row in shown["ledger"].values()) == pytest.approx(100, rel=1e-6)
    for row in shown["ledger_per_worker"].values():
        parts = sum(value or 0 for name, value in row.items() if name not in ("worker", "core_seconds"))  # None: not of such runs
        assert parts == pytest.approx(row["core_seconds"], rel=1e-6, abs=1e-6)
