"""The recorder from Python: every kind of record, threads, and what is refused."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading

import pytest
from roastcoffea import RoastError, _core


def query(path, sql):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def test_every_kind_of_record_is_written(tmp_path):
    path = tmp_path / "run.roast"
    with _core.Recorder(path, name="all") as r:
        assert r.path == str(path)
        r.fact("coffea", "2026.9")
        r.fact("t_start_ns", 10)
        r.worker({"address": "w1", "cores": 4, "memory_limit": 10**9, "joined_ns": 10, "host": "h"})
        r.worker({"address": "w1", "left_ns": 90, "lost": True, "reason": "killed"})
        r.sample({"worker": "w1", "t_ns": 20, "memory": 5, "cpu": 99.5, "net_read": None})
        r.sample([{"worker": "w1", "t_ns": 30}, {"worker": "w1", "t_ns": 40}])
        r.count(10, 1, 4)
        r.chunk({"dataset": "d", "file": "f", "duration": 1.5, "timing": {"a": 0.5}, "num_events": 3, "colour": "red"})
        r.file({"url": "f", "entries": 3, "branches": [{"name": "x", "compressed": 1, "uncompressed": 2}]})
        r.task([{"key": "k", "prefix": "p", "state": "memory", "start_ns": 1, "stop_ns": 5}])
        r.activity("execute", "p", "thread-cpu", "seconds", 1.5)
        r.report(json.dumps({"entries": 3}))
        r.custom_metrics("{}")
        r.note("info", "hello")
        r.flush()
        assert r.status() is None
        assert query(path, "SELECT count(*) FROM sample") == [(3,)]
    assert r.closed
    run = _core.Run(path)
    assert (run.name, run.outcome, run.facts["coffea"]) == ("all", "finished", "2026.9")
    assert run.activities() == [("execute", "p", "thread-cpu", "seconds", 1.5)]
    assert json.loads(run.document("report")) == {"entries": 3}
    assert query(path, "SELECT cores, left_ns, lost, reason FROM worker") == [(4, 90, 1, "killed")]
    assert query(path, "SELECT duration_ns, events FROM chunk") == [(1500000000, 3)]
    assert run.chunk_records()[0]["colour"] == "red"
    metrics = run.summary().metrics()
    assert metrics["total_events"] == 3
    assert metrics["processor_cpu_time_seconds"] == metrics["cpu_time_seconds"] == 1.5


def test_chunks_as_dicts_take_both_spellings(tmp_path):
    path = tmp_path / "run.roast"
    with _core.Recorder(path) as r:
        r.chunk({"t_start_ns": 1, "duration_ns": 2_000_000_000, "rss_before": 1048576, "events": 4})
        r.chunk({"t_start": 2.0, "duration": 2.0, "mem_before_mb": 1.0, "num_events": 4, "error": None})
    first, second = _core.Run(path).chunk_records()
    for name in ("duration", "mem_before_mb", "num_events"):
        assert first[name] == second[name]


def test_a_record_of_a_run_can_be_recorded_again(tmp_path):
    chunk = _core.Chunk({"dataset": "d", "file": "f", "branches": ["x", "y"]})
    chunk.phase("process")
    with _core.track_time(None, "s"), _core.track_memory(None, "m"):
        pass
    chunk.fields["mine"] = [1]
    with _core.Recorder(tmp_path / "a.roast") as r:
        r.chunk(chunk.finish())
    (first,) = _core.Run(tmp_path / "a.roast").chunk_records()
    with _core.Recorder(tmp_path / "b.roast") as r:
        r.chunk(first)
        r.chunk(first)  # the same uid: the same record
    (second,) = _core.Run(tmp_path / "b.roast").chunk_records()
    for name in set(first) - {"sections", "memory_sections", "t_start", "t_end"}:
        expected = pytest.approx(first[name]) if isinstance(first[name], float) else first[name]
        assert second[name] == expected, name


def test_threads_share_a_recorder(tmp_path):
    path = tmp_path / "run.roast"
    recorder = _core.Recorder(path)

    def work(number):
        for i in range(500):
            chunk = _core.Chunk({"file": f"{number}", "entry_start": i})
            recorder.chunk(chunk.finish())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    assert query(path, "SELECT count(*), count(DISTINCT uid) FROM chunk") == [(3000, 3000)]


def test_closing_waits_for_those_who_write(tmp_path):
    recorder = _core.Recorder(tmp_path / "run.roast")
    started, outcomes = threading.Event(), []

    def work():
        for _ in range(100000):
            try:
                recorder.note("info", "x" * 100)
            except ValueError as error:  # closed meanwhile
                outcomes.append(str(error))
                return
            started.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    recorder.close("failed")
    thread.join()
    assert outcomes == ["the recorder is closed"]
    assert _core.Run(tmp_path / "run.roast").outcome == "failed"


def test_outcomes(tmp_path):
    for outcome in ("finished", "failed", "interrupted"):
        _core.Recorder(tmp_path / outcome).close(outcome)
        assert _core.Run(tmp_path / outcome).outcome == outcome  # also while this process lives on
    with pytest.raises(ValueError):
        _core.Recorder(tmp_path / "x").close("so so")
    with pytest.raises(ZeroDivisionError), _core.Recorder(tmp_path / "raised"):
        1 / 0
    assert _core.Run(tmp_path / "raised").outcome == "failed"


def test_what_makes_no_sense_is_refused_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "run.roast"
    with _core.Recorder(path) as r:
        with pytest.raises(RoastError, match="damaged"):
            r.chunk(b"garbage")
        with pytest.raises(ValueError):
            r.worker({"cores": 1})
        with pytest.raises(TypeError, match="no field 'colour'"):
            r.worker({"address": "w", "colour": 1})
        for wrong in (3, None, "text"):
            with pytest.raises(TypeError):
                r.chunk(wrong)
        with pytest.raises(TypeError):
            r.sample({"worker": "w", "t_ns": "now"})
        r.chunk(_core.Chunk().finish())
        r.chunk(b"")  # a nested chunk
    assert query(path, "SELECT count(*) FROM chunk") == [(1,)]
    with pytest.raises(ValueError, match="closed"):
        r.note("info", "late")


def test_files_are_not_overwritten_unless_told(tmp_path):
    path = tmp_path / "run.roast"
    _core.Recorder(path).close()
    with pytest.raises(ValueError, match="exists already"):
        _core.Recorder(path)
    _core.Recorder(path, overwrite=True).close()
    with pytest.raises(OSError):
        _core.Recorder(tmp_path / "no" / "such" / "folder")
    with pytest.raises((OSError, RoastError)):
        _core.Run(tmp_path / "nothing")


def hold_at_times(path, stop):
    """Looks at a file as soon as it is there, and holds on to what it has seen for a moment."""
    while not stop.is_set():
        try:
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)) as db:
                db.execute("begin")
                db.execute("select count(*) from sqlite_master").fetchall()
                stop.wait(0.01)
        except sqlite3.Error:  # not there yet, or just being made
            pass


def test_a_run_file_that_somebody_waits_for_is_opened_all_the_same(tmp_path):
    for number in range(40):
        path, stop = tmp_path / f"{number}.roast", threading.Event()
        readers = [threading.Thread(target=hold_at_times, args=(path, stop)) for _ in range(2)]
        for reader in readers:
            reader.start()
        try:
            _core.Recorder(path).close()
        finally:
            stop.set()
            for reader in readers:
                reader.join()
