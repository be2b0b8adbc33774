"""Chunks: what is measured around process(), nesting, and what users put into the record."""

from __future__ import annotations

import gc
import os
import re
import threading
import time
from pathlib import Path

import msgpack
import pytest
from roastcoffea import _core


def test_phases_are_timed():
    chunk = _core.Chunk()
    for phase, pause in [("open", 0.01), ("events", 0.02), ("process", 0.03), ("return", 0.0)]:
        chunk.phase(phase)
        time.sleep(pause)
    chunk.finish()
    record = chunk.record()
    assert record["open_seconds"] >= 0.01
    assert record["events_seconds"] >= 0.02
    assert record["schema_seconds"] == record["events_seconds"]  # its documented name
    assert record["duration"] >= 0.03
    assert record["noncpu_seconds"] == pytest.approx(record["duration"] - record["cpu_seconds"])
    assert record["t_end"] - record["t_start"] == pytest.approx(record["duration"], abs=1e-6)
    assert abs(record["t_end"] - time.time()) < 5
    assert record["pid"] == os.getpid()
    assert record["thread"] == threading.get_ident()


def test_the_peak_inside_the_chunk_is_seen():
    if not _core.probe_capabilities()["memory_peak"]:
        pytest.skip("the peak of the memory cannot be reset here")
    chunk = _core.Chunk()
    chunk.phase("process")
    block = bytearray(100 << 20)
    block[:: 4096] = b"x" * len(block[:: 4096])
    del block
    chunk.finish()
    record = chunk.record()
    assert record["mem_peak_mb"] > record["mem_before_mb"] + 90
    assert record["mem_peak_shared"] == 0


def test_a_chunk_inside_another_adds_to_it():
    outer = _core.Chunk({"file": "a.root"})
    outer.phase("open")
    assert _core.current_chunk() is outer
    inner = _core.Chunk({"dataset": "d"})
    assert inner.nested and not outer.nested
    assert _core.current_chunk() is outer
    inner.phase("process")
    inner.set(num_events=5)
    inner.fields["mine"] = 1
    assert inner.fields is outer.fields
    assert inner.finish() == b""
    packed = outer.finish()
    record = outer.record()
    assert (record["file"], record["dataset"], record["num_events"], record["mine"]) == ("a.root", "d", 5, 1)
    assert record["duration"] is not None and record["return_seconds"] is not None
    assert packed


def test_a_chunk_that_is_dropped_is_forgotten():
    chunk = _core.Chunk()
    chunk.phase("process")
    del chunk
    gc.collect()
    assert _core.current_chunk() is None


def test_a_chunk_that_another_thread_drops_is_forgotten():
    box = [_core.Chunk()]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert _core.current_chunk() is None


def test_fields_in_a_cycle_are_collected():
    chunk = _core.Chunk()
    chunk.fields["self"] = chunk
    del chunk
    gc.collect()
    assert _core.current_chunk() is None


def test_fields_have_the_places_that_older_scripts_write_to():
    chunk = _core.Chunk()
    chunk.fields["timing"]["by hand"] = 0.25
    chunk.fields["memory"]["by hand"] = 2.0
    chunk.fields["bytes"]["by hand"] = 100
    chunk.fields["timing"]["not a number"] = "x"
    chunk.finish()
    record = chunk.record()
    assert record["timing"] == {"by hand": 0.25}
    assert record["memory"] == {"by hand": 2.0}
    assert record["bytes"] == {"by hand": 100}


def test_who_looks_at_the_values_of_a_chunk_sees_its_sections():
    assert _core.current_values() is None
    chunk = _core.Chunk()
    with _core.track_time(None, "first"):
        pass
    values = _core.current_values()
    assert values["timing"]["first"] >= 0 and values["memory"] == values["bytes"] == {}
    with _core.track_time(None, "outer"), _core.track_time(None, "inner"), _core.track_memory(None, "inner"):
        time.sleep(0.002)
    assert values["timing"]["outer"] >= values["timing"]["inner"] >= 0.002
    assert isinstance(values["memory"]["inner"], float)
    seen = {kind: dict(values[kind]) for kind in ("timing", "memory")}
    chunk.finish()
    record = chunk.record()
    assert {kind: record[kind] for kind in seen} == seen  # looking adds nothing
    assert _core.current_values() is None


def test_what_the_user_makes_of_a_section_is_what_is_recorded():
    chunk = _core.Chunk()
    with _core.track_time(None, "section"):
        pass
    values = _core.current_values()
    values["timing"]["section"] += 2.0
    values["timing"]["mine"] = 1.5
    del values["memory"]
    with _core.track_memory(None, "after"):
        pass
    expected = dict(values["timing"])
    assert list(values["memory"]) == ["after"]
    chunk.finish()
    assert chunk.record()["timing"] == pytest.approx(expected, abs=1e-9)
    assert expected["section"] >= 2.0


class Owner:
    pass


def test_sections_write_into_a_dict_that_the_user_made():
    owner = Owner()
    owner._roastcoffea_current_chunk = {"timing": {"before": 1}}
    with _core.track_time(owner, "slept"), _core.track_memory(owner, "slept"), _core.track_bytes(owner, object(), "none"):
        time.sleep(0.002)
    made = owner._roastcoffea_current_chunk
    assert made["timing"]["before"] == 1 and made["timing"]["slept"] >= 0.002
    assert isinstance(made["memory"]["slept"], float)
    assert made["bytes"] == {"none": 0}

    class Source:
        num_requested_bytes = 5

    source = Source()
    with _core.track_bytes(owner, source, "read"):
        source.num_requested_bytes += 300
    assert made["bytes"]["read"] == 300


def test_a_dict_that_the_user_made_is_written_also_while_a_chunk_is_measured():
    owner, chunk = Owner(), _core.Chunk()
    owner._roastcoffea_current_chunk = {}
    with _core.track_time(owner, "both"):
        pass
    chunk.finish()
    assert list(owner._roastcoffea_current_chunk["timing"]) == list(chunk.record()["timing"]) == ["both"]


def test_what_takes_no_values_changes_nothing():
    for made in (None, 3, "text", (), {"timing": 5}):
        owner = Owner()
        owner._roastcoffea_current_chunk = made
        with _core.track_time(owner, "section"):
            pass
    with _core.track_time(object(), "section"), _core.track_memory(None, "section"):
        pass


def test_a_record_has_an_error_only_if_it_failed():
    done = _core.Chunk()
    done.phase("process")
    done.finish()
    failed = _core.Chunk({"error_type": "ValueError", "error": "bad"})
    failed.finish()
    assert "error" not in done.record()
    assert failed.record()["error"] == "bad"
    assert done.record()["timestamp"] == done.record()["t_end"]


def test_what_is_set_is_in_the_record():
    chunk = _core.Chunk({"dataset": "a", "entry_start": 10})
    chunk.set(
        file=__import__("pathlib").Path("x.root"), treename="Events", uuid="1-2", entry_stop=20, num_events=10,
        worker="tcp://w", bytes_read=1, read_requests=2, branches=["b", "a", "b"], error_type="E", error="e" * 5000,
        attempt=3,
    )
    record = chunk.record()
    assert record["file"] == "x.root"
    assert sorted(record["accessed_branches"]) == ["a", "b"]
    assert record["num_branches_accessed"] == 2
    assert len(record["error"]) == 2000
    assert (record["entry_start"], record["entry_stop"], record["attempt"]) == (10, 20, 3)
    chunk.set(dataset=None, branches=None)
    assert chunk.record()["dataset"] is None
    chunk.finish()


@pytest.mark.parametrize(
    "call",
    [
        lambda c: c.set(nonsense=1),
        lambda c: c.set(num_events="many"),
        lambda c: c.set(1),
        lambda c: c.phase("lunch"),
        lambda c: c.phase(3),
        lambda c: _core.Chunk([1]),
        lambda c: c.set(branches=5),
        lambda c: c.set(num_events=1 << 80),
    ],
)
def test_nonsense_is_refused(call):
    chunk = _core.Chunk()
    with pytest.raises((TypeError, ValueError, OverflowError)):
        call(chunk)
    chunk.finish()


def test_any_value_is_kept_in_a_plain_form(tmp_path):
    numpy = pytest.importorskip("numpy")

    class Odd:
        def __str__(self):
            return "odd"

    values = {
        "int": 1 << 63, "huge": 1 << 100, "float": 1.5, "bool": True, "none": None, "text": "ü", "raw": b"\0",
        "list": [1, [2]], "tuple": (1,), "set": {1}, "dict": {"a": {1: None}}, "odd": Odd(),
        "scalar": numpy.float32(0.5), "integer": numpy.int64(7), "truth": numpy.bool_(True), "array": numpy.arange(3),
    }
    chunk = _core.Chunk()
    chunk.fields.update(values)
    chunk.fields["custom_metrics"] = {"met": 3.5}
    packed = chunk.finish()
    expected = values | {
        "huge": str(1 << 100), "tuple": [1], "set": [1], "dict": {"a": {"1": None}}, "odd": "odd",
        "scalar": 0.5, "integer": 7, "truth": True, "array": [0, 1, 2],
    }
    with _core.Recorder(tmp_path / "x.roast") as recorder:
        recorder.chunk(packed)
    for record in (chunk.record(), _core.Run(tmp_path / "x.roast").chunk_records()[0]):
        assert {name: record[name] for name in values} == expected
        assert record["custom_metrics"] == {"met": 3.5}


def test_values_that_nest_without_end_end():
    loop: list = []
    loop.append(loop)
    chunk = _core.Chunk()
    chunk.fields["loop"] = loop
    assert chunk.finish()
    assert "loop" in chunk.record()


def test_packed_records_are_msgpack():
    chunk = _core.Chunk({"dataset": "d"})
    kind, version, body = msgpack.unpackb(chunk.finish(), strict_map_key=False)
    assert (kind, version) == (1, 1)
    assert body[32] == "d"


def test_a_forked_child_measures_itself():
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    _core.process_memory()
    outer = _core.Chunk()
    outer.phase("process")
    child = os.fork()
    if child == 0:
        try:
            del outer
            block = bytearray(64 << 20)
            block[:: 4096] = b"x" * len(block[:: 4096])
            chunk = _core.Chunk()
            chunk.phase("process")
            chunk.finish()
            record = chunk.record()
            right = record["pid"] == os.getpid() and (record["mem_before_mb"] or 1e9) > 64
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    outer.finish()


def test_the_sampler_gives_samples_for_the_recorder(tmp_path):
    _core.sampler_start(hz=200)
    try:
        packed = b""
        while not packed:
            time.sleep(0.005)
            packed = _core.sampler_drain()
    finally:
        _core.sampler_stop()
    with _core.Recorder(tmp_path / "s.roast") as recorder:
        recorder.packed("tcp://w", packed)
    table = _core.Run(tmp_path / "s.roast").columns("samples")
    assert len(table) >= 1
    assert table["worker"][0] == "tcp://w"
    assert abs(table["t"][0] - time.time()) < 60
    with pytest.raises(ValueError):
        _core.sampler_start(hz=0)


def test_bytes_that_were_fetched_from_the_disk_are_what_the_system_says(tmp_path):
    own_account = Path("/proc/thread-self/io")
    if not own_account.exists():
        pytest.skip("the system keeps no account here")

    def fetched() -> int:
        return int(re.search(r"^read_bytes: (\d+)$", own_account.read_text(), re.MULTILINE)[1])

    path = tmp_path / "file"
    path.write_bytes(os.urandom(3 << 20))
    with path.open("rb", buffering=0) as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        chunk, before = _core.Chunk(), fetched()
        chunk.phase("process")
        file.read()
        chunk.phase("return")
        after = fetched()
        chunk.finish()
    assert chunk.record()["storage_bytes_read"] == after - before


def test_process_memory_is_what_the_system_says():
    psutil = pytest.importorskip("psutil")
    assert _core.process_memory() == pytest.approx(psutil.Process().memory_info().rss / 1048576, rel=0.2)


def test_without_proc_the_rest_is_measured():
    """As in a container that masks /proc: what cannot be read is absent, and nothing fails."""
    import shutil
    import subprocess
    import sys

    if not shutil.which("unshare") or os.geteuid() != 0:
        pytest.skip("hiding /proc needs unshare and root")
    code = (
        "from roastcoffea import _core; c = _core.Chunk(); c.phase('process'); s = _core.track_memory(None, 'm');"
        "s.__enter__(); s.__exit__(None, None, None); c.finish(); r = c.record();"
        "assert r['mem_before_mb'] is r['mem_peak_mb'] is r['run_delay_seconds'] is r['storage_bytes_read'] is None, r;"
        "assert r['cpu_seconds'] is not None and r['page_faults'] is not None and r['duration'] > 0, r;"
        "assert r['memory'] == {} and _core.process_memory() == 0.0; print(_core.probe_capabilities()['memory'])"
    )
    hidden = f"mount -t tmpfs none /proc && exec {sys.executable} -c \"$CODE\""
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden], env=os.environ | {"CODE": code}, capture_output=True, text=True, check=False
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"/proc cannot be hidden here: {done.stderr.strip()}")
    assert done.stdout.strip() == "False", done.stderr
