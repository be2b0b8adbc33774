"""Column tables, chunk records and time series, against SQL and against what was recorded."""

from __future__ import annotations

import datetime
import gc
import sqlite3

import numpy
import polars
import pyarrow
import pytest
from roastcoffea import _core, open_run

TABLES = ["chunks", "workers", "samples", "sections", "files", "branches", "tasks"]


@pytest.fixture(scope="module")
def synthetic(synthesize):
    path, _ = synthesize(seed=11, chunks=500, workers=6)
    return path


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.roast"
    with _core.Recorder(path) as r:
        r.file({"url": "f", "tree": "Events", "total_branches": 4, "compressed": 1000, "uncompressed": 3000,
                "branches": [{"name": n, "compressed": c, "uncompressed": 2 * c} for n, c in [("a", 100), ("b", 30)]]})
        r.chunk({"file": "f", "treename": "Events", "duration": 1.5, "num_events": 10, "dataset": "d",
                 "accessed_branches": ["a", "b", "unknown"]})
        r.chunk({"file": "g", "duration": 2.5, "dataset": "e"})
    return path


def sql(path, text):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(text).fetchall()


def test_numbers_are_buffers_for_numpy(small):
    chunks = _core.Run(small).columns("chunks")
    assert len(chunks) == 2
    duration = numpy.asarray(chunks["duration"])
    assert duration.dtype == numpy.float64 and duration.tolist() == [1.5, 2.5]
    identity = numpy.asarray(chunks["chunk_id"])
    assert identity.dtype == numpy.int64 and identity.tolist() == [1, 2]
    events = numpy.asarray(chunks["num_events"])
    assert events[0] == 10 and numpy.isnan(events[1])
    assert list(chunks["num_events"]) == [10, None]
    assert chunks["dataset"] == ["d", "e"]
    assert not duration.flags.writeable
    with pytest.raises(KeyError, match="no column 'colour'"):
        chunks["colour"]
    with pytest.raises(ValueError, match="no table"):
        _core.Run(small).columns("nonsense")


def test_a_column_outlives_its_table_and_its_run(small):
    run = _core.Run(small)
    column = numpy.asarray(run.columns("chunks")["duration"])
    run.close()
    del run
    gc.collect()
    assert column.sum() == 4.0


def test_branches_of_a_chunk_are_weighed_in_its_file(small):
    chunks = _core.Run(small).columns("chunks")
    assert list(chunks["num_branches_accessed"]) == [3, None]
    assert list(chunks["accessed_bytes"]) == [130, None]
    assert list(chunks["accessed_uncompressed_bytes"]) == [260, None]
    assert list(chunks["branches_read_percent"]) == [75.0, None]
    assert list(chunks["bytes_read_percent"]) == [13.0, None]
    first, second = _core.Run(small).chunk_records()
    assert first["accessed_bytes"] == 130 and first["bytes_read_percent"] == 13.0
    assert first["accessed_branches"] == ["a", "b", "unknown"]
    assert second["accessed_bytes"] is None


def test_columns_say_what_sql_says(synthetic):
    run = _core.Run(synthetic)
    chunks = run.columns("chunks")
    rows = sql(synthetic, "SELECT duration_s, events, dataset, worker FROM attempts ORDER BY chunk")
    assert len(chunks) == len(rows)
    assert numpy.asarray(chunks["duration"]) == pytest.approx([row[0] for row in rows], nan_ok=True)
    assert list(chunks["num_events"]) == [row[1] for row in rows]
    assert chunks["dataset"] == [row[2] for row in rows]
    assert chunks["worker"] == [row[3] for row in rows]
    for table, sql_table in [("workers", "worker"), ("samples", "sample"), ("sections", "section"), ("files", "file"),
                             ("branches", "branch"), ("tasks", "task")]:
        assert len(run.columns(table)) == sql(synthetic, f"SELECT count(*) FROM {sql_table}")[0][0]
    sections = run.columns("sections")
    assert numpy.nansum(numpy.asarray(sections["duration"])) == pytest.approx(
        sql(synthetic, "SELECT sum(duration_ns) / 1e9 FROM section")[0][0])


@pytest.mark.parametrize("name", TABLES)
def test_arrow_takes_every_table(synthetic, name):
    table = _core.Run(synthetic).columns(name)
    arrow = pyarrow.table(table)
    arrow.validate(full=True)
    assert arrow.num_rows == len(table)
    assert arrow.column_names == table.column_names
    for column in table.column_names:
        assert arrow[column].to_pylist() == list(table[column])


def test_polars_takes_a_table(synthetic):
    table = open_run(synthetic).chunks
    frame = polars.DataFrame(table)
    assert frame.shape == (len(table), len(table.column_names))
    assert frame["num_events"].to_list() == list(table["num_events"])
    # Of a stream that is not pyarrow's own, polars.from_arrow makes a Series of structs.
    assert polars.from_arrow(table).struct.unnest().equals(frame)
    assert polars.from_arrow(pyarrow.table(table)).equals(frame)


def test_the_tables_of_a_run_are_those_of_the_file(synthetic):
    chunks = open_run(synthetic).chunks
    seconds = [s for (s,) in sql(synthetic, "SELECT duration_ns / 1e9 FROM chunk ORDER BY id")]
    assert numpy.asarray(chunks["duration"]).tolist() == seconds
    assert pyarrow.table(chunks)["duration"].to_pylist() == seconds
    assert polars.DataFrame(chunks)["duration"].to_list() == seconds


def test_a_stream_that_nobody_takes_is_released(small):
    table = _core.Run(small).columns("chunks")
    for _ in range(3):
        table.__arrow_c_stream__()
        table.__arrow_c_stream__(None)


def test_records_are_a_sequence_of_dicts(synthetic):
    run = _core.Run(synthetic)
    records = run.chunk_records()
    run.close()
    assert len(records) == sql(synthetic, "SELECT count(*) FROM chunk")[0][0]
    assert records[-1] == records[len(records) - 1]
    assert [r["chunk_id"] for r in records[2:5]] == [3, 4, 5]
    with pytest.raises(IndexError):
        records[len(records)]
    by_hand = sql(synthetic, "SELECT section.chunk, sum(section.duration_ns) / 1e9 FROM section GROUP BY 1")
    for chunk, seconds in by_hand[:50]:
        assert sum(records[chunk - 1]["timing"].values()) == pytest.approx(seconds or 0)
    sets = dict(sql(synthetic, "SELECT chunk.id, count(*) FROM chunk JOIN branch_set ON branch_set.id = branch_set GROUP BY 1"))
    for record in records:
        assert len(record["accessed_branches"]) == sets.get(record["chunk_id"], 0)


def test_tracking_data_has_the_shape_of_0_1(tmp_path):
    second = 10**9
    with _core.Recorder(tmp_path / "t.roast") as r:
        r.fact("t_start_ns", 100 * second)
        r.fact("t_end_ns", 110 * second)
        r.worker({"address": "w1", "cores": 2, "memory_limit": 500, "joined_ns": 100 * second})
        r.worker({"address": "w2", "joined_ns": 104 * second, "left_ns": 108 * second})
        r.sample({"worker": "w1", "t_ns": 101 * second, "memory": 50, "cpu": 12.5, "processing": 3})
    data = _core.Run(tmp_path / "t.roast").tracking_data()
    start = datetime.datetime(1970, 1, 1, 0, 1, 40)
    at = start + datetime.timedelta(seconds=1)
    assert data["worker_memory"] == {"w1": [(at, 50)]}
    assert data["worker_memory_limit"] == {"w1": [(at, 500)]}
    assert data["worker_cores"] == {"w1": [(at, 2)]}
    assert data["worker_active_tasks"] == {"w1": [(at, 3)]}
    assert data["worker_cpu"] == {"w1": [(at, 12.5)]}
    assert data["worker_executing"] == {}
    counts = data["worker_counts"]
    assert list(counts) == sorted(counts)
    times = [(t - start).total_seconds() for t in counts]
    area = sum((times[i + 1] - times[i]) * (a + b) / 2
               for i, (a, b) in enumerate(zip(list(counts.values()), list(counts.values())[1:])))
    assert area == pytest.approx(10 + 4, abs=1e-5)  # worker-seconds: exact, although drawn through points


def test_the_summary_is_the_one_of_the_command(synthetic, roast):
    import json

    exported = json.loads(roast("export", synthetic, "--to", "json").stdout)
    summary = _core.Run(synthetic).summary()
    assert summary.metrics() == exported
    tables = summary.tables()
    assert {"id", "title", "columns", "rows", "more", "pairs"} <= set(tables[0])
    for table in tables:
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    assert summary.tables(only="throughput")[0]["id"] == "throughput"
    with pytest.raises(ValueError):
        summary.tables(only="nonsense")
    assert max(map(len, summary.text(width=80).splitlines())) <= 80
    assert "\x1b[" in summary.text(colour=True)
    assert summary.text(utf8=False).isascii()
