"""Sections: track_time, track_memory and track_bytes, as users write them."""

from __future__ import annotations

import threading
import time

import pytest
from roastcoffea import _core, track_bytes, track_memory, track_section, track_time


class Processor:
    """Any object may own a section."""


class Source:
    """What uproot's file source has of interest."""

    def __init__(self):
        self.num_requested_bytes = 1000


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.fixture
def chunk():
    chunk = _core.Chunk()
    chunk.phase("process")
    yield chunk
    chunk.finish()
    assert _core.current_chunk() is None


def test_outside_of_a_collection_sections_do_nothing():
    assert _core.current_chunk() is None
    with track_time(None, "a"), track_memory(Processor(), "b"), track_bytes(None, object(), "c"):
        pass


def test_a_section_has_wall_and_cpu_time(chunk):
    with track_time(Processor(), "busy"):
        burn(0.02)
    with track_time(None, "asleep"):
        time.sleep(0.03)
    sections = {section["section_name"]: section for section in chunk.record()["sections"]}
    assert sections["busy"]["cpu_delta"] >= 0.02
    assert sections["busy"]["time_delta"] >= sections["busy"]["cpu_delta"]
    assert sections["asleep"]["time_delta"] >= 0.03
    assert sections["asleep"]["cpu_delta"] < 0.02


def test_repeated_sections_are_summed_and_counted(chunk):
    for _ in range(3):
        with track_time(None, "again"):
            burn(0.005)
    (section,) = chunk.record()["sections"]
    assert section["count"] == 3
    assert chunk.record()["timing"]["again"] >= 0.015


def test_sections_nest(chunk):
    with track_time(None, "outer"), track_time(None, "inner"), track_time(None, "leaf"):
        pass
    places = [(s["section_name"], s["parent"], s["depth"]) for s in chunk.record()["sections"]]
    assert places == [("outer", None, 0), ("inner", "outer", 1), ("leaf", "inner", 2)]


def test_exceptions_pass_and_the_section_is_kept(chunk):
    error = ValueError("of the user")
    with pytest.raises(ValueError) as caught, track_time(None, "fails"), track_memory(None, "fails"):
        raise error
    assert caught.value is error
    record = chunk.record()
    assert record["timing"]["fails"] > 0
    assert "fails" in record["memory"]
    with track_time(None, "after"):
        pass
    assert chunk.record()["sections"][-1]["depth"] == 0


def test_memory_is_measured(chunk):
    if not _core.probe_capabilities()["memory"]:
        pytest.skip("resident memory cannot be read here")
    with track_memory(None, "grows"):
        block = bytearray(64 << 20)
        block[:: 4096] = b"x" * len(block[:: 4096])
    record = chunk.record()
    assert 60 < record["memory"]["grows"] < 80  # MiB
    (section,) = record["memory_sections"]
    assert section["memory_delta_gb"] == pytest.approx(record["memory"]["grows"] * 1048576 / 1e9)
    assert section["memory_end_gb"] - section["memory_start_gb"] == pytest.approx(section["memory_delta_gb"])
    del block


def test_bytes_come_from_the_file_source(chunk):
    source = Source()
    with track_bytes(None, source, "jets"):
        source.num_requested_bytes += 300
    with track_bytes(None, source, "jets"):
        source.num_requested_bytes += 40
    assert chunk.record()["bytes"] == {"jets": 340}


def test_bytes_come_from_events_as_coffea_makes_them(chunk):
    source = Source()
    handle = type("Handle", (), {"file": type("File", (), {"source": source})()})()
    factory = type("Factory", (), {"file_handle": handle})()
    events = type("Events", (), {"attrs": {"@events_factory": factory}})()
    with track_bytes(None, events, "muons"):
        source.num_requested_bytes += 7
    assert chunk.record()["bytes"] == {"muons": 7}


@pytest.mark.parametrize("events", [None, object(), type("E", (), {"attrs": {}})(), type("E", (), {"attrs": 3})()])
def test_events_without_a_file_source_are_not_measured(chunk, events):
    with track_bytes(None, events, "nothing"):
        pass
    assert chunk.record()["bytes"] == {}


def test_a_source_that_breaks_does_not_break_the_analysis(chunk):
    class Breaks:
        reads = 0

        @property
        def num_requested_bytes(self):
            self.reads += 1
            if self.reads > 1:
                raise OSError("gone")
            return 5

    with track_bytes(None, Breaks(), "broken"):
        pass
    assert chunk.record()["bytes"] == {}


def test_as_decorators_of_functions_and_methods(chunk):
    class Analysis:
        @track_time(None, "select")
        def select(self, events, cut=0):
            """Select."""
            return [event for event in events if event > cut]

    @track_section(None, "helper")
    def helper(n):
        return n if n == 0 else helper(n - 1)

    assert Analysis().select([1, 2, 3], cut=1) == [2, 3]
    assert Analysis.select.__doc__ == "Select."
    assert helper(10) == 0
    sections = {section["section_name"]: section for section in chunk.record()["sections"]}
    assert sections["select"]["count"] == 1
    assert sections["helper"]["count"] == 11  # it calls itself; its time counts once
    assert sections["helper"]["time_delta"] <= chunk.record()["timing"]["helper"] * 1.0000001


def test_names_of_the_arguments_of_both_generations(chunk):
    with track_time(owner=None, name="a"), track_time(processor_self=None, section_name="b"):
        pass
    with track_bytes(processor_self=None, events=None, section_name="c"), track_memory(None, section_name="d"):
        pass
    assert set(chunk.record()["timing"]) == {"a", "b"}
    for wrong in ((), (None,), (None, "a", "b")):
        with pytest.raises(TypeError):
            track_time(*wrong)
    with pytest.raises(TypeError):
        track_time(None, title="a")


def test_names_may_be_any_text(chunk):
    names = ["", "ü" * 300, "a\0b", "\udcff surrogate", "日本"]
    for name in names:
        with track_time(None, name):
            pass
    with track_time(None, 7):
        pass
    timing = chunk.record()["timing"]
    assert {"", "a\0b", "日本", "7"} <= set(timing)
    assert len(timing) == 6


def test_threads_that_share_a_processor_do_not_mix():
    processor, barrier, records = Processor(), threading.Barrier(8), {}

    def work(number):
        chunk = _core.Chunk({"dataset": f"d{number}"})
        chunk.phase("process")
        barrier.wait()
        for _ in range(200):
            with track_time(processor, "same"), track_time(processor, f"own {number}"):
                pass
        barrier.wait()
        chunk.finish()
        records[number] = chunk.record()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, record in records.items():
        assert {s["section_name"]: s["count"] for s in record["sections"]} == {"same": 200, f"own {number}": 200}
        assert record["dataset"] == f"d{number}"
        assert record["mem_peak_shared"] in (1, None)
