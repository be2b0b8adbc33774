"""What workers, scheduler and client tell each other: every kind arrives, and what is unknown does no harm."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from pathlib import Path

import pytest
from roastcoffea import _core, messages, open_run, route, spool
from roastcoffea.outbox import Outbox
from roastcoffea.recording import Recording

DOCS = Path(__file__).resolve().parents[2] / "docs" / "format.md"
VALUES = ("text", "ü\0", b"", b"\xff\x93\x01", 0, -1, 2**62, 1794963323.837, None, True, False)


def random_records(seed):
    choose = random.Random(seed)
    kinds = choose.choices(list(messages.KINDS.values()), k=choose.randrange(40))
    return [kind(*choose.choices(VALUES, k=len(kind._fields))) for kind in kinds]


@pytest.mark.parametrize("seed", range(20))
def test_records_arrive_as_they_were_sent_in_their_order(seed):
    records = random_records(seed)
    message = messages.unpack(messages.pack("tcp://w:1", seed, records))
    assert message == ("tcp://w:1", seed, records, [])
    assert [type(record) for record in message.records] == [type(record) for record in records]


def test_looks_between_heartbeats_are_in_order_however_late_these_come():
    looks, behind = messages.Looks(), 100.0  # seconds, of the worker's clock
    heartbeats = [messages.Heartbeat("w", sent - behind, sent + late) for sent, late in ((0, 0.01), (0.5, 0.3), (1, 0.02))]
    seen = [(now / 20, max((h for h in heartbeats if h.last_seen <= now / 20), key=lambda h: h.last_seen)) for now in range(1, 40)]
    times = [looks.at(heartbeat, now).sent for now, heartbeat in seen]
    assert times == sorted(times)
    assert times == pytest.approx([now - behind for now, _ in seen], abs=0.011)


def test_a_field_that_the_reader_does_not_know_is_dropped_and_one_that_it_misses_has_its_default():
    groups = [["begin", ["mood", "t_ns", "item"], [["good", 5, b"a"], ["bad", 6, b"b"]]]]
    message = messages.unpack(_core.pack([messages.VERSION, "w", 1, groups, "an addition"]))
    assert message.records == [messages.Begin(b"a", 5, None), messages.Begin(b"b", 6, None)]
    assert not message.skipped


STRANGE = {
    "a later version": _core.pack([messages.VERSION + 1, {"all": "new"}]),
    "a kind": _core.pack([messages.VERSION, "w", 1, [["smell", ["strength"], [[3]]], ["end", ["item"], [[b"a"]]]]]),
    "a missing field": _core.pack([messages.VERSION, "w", 1, [["hello", ["pid"], [[3]]], ["end", ["item"], [[b"a"]]]]]),
    "a short row": _core.pack([messages.VERSION, "w", 1, [["left", ["reason", "worker"], [["x"]]]]]),
    "not a message": _core.pack({"b": b"x"}),
    "half": messages.pack("w", 1, [messages.End(b"a")])[:-3],
    "nothing": b"",
}


@pytest.mark.parametrize("data", STRANGE.values(), ids=STRANGE)
def test_what_is_unknown_is_skipped_and_noted_once(data, tmp_path, caplog):
    recording = Recording(tmp_path / "run.roast")
    for _ in range(3):
        recording.take(data)
    recording.take(messages.pack("w", 2, [messages.Note("the next one arrives")]))
    recording.close("finished")
    notes = notes_of(tmp_path / "run.roast")
    assert notes[-1] == "the next one arrives"
    assert len(notes) == 2 and "skipped" in notes[0]
    assert caplog.text.count("skipped") == 1


def notes_of(path):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return [text for (text,) in database.execute("select text from note order by rowid")]


@pytest.mark.parametrize("seed", range(200))
def test_damaged_messages_are_never_an_exception(seed):
    choose = random.Random(seed)
    data = bytearray(messages.pack("tcp://w:1", 1, random_records(seed)))
    for _ in range(choose.randrange(1, 6)):
        data[choose.randrange(len(data))] = choose.randrange(256)
    messages.unpack(bytes(data[: choose.randrange(len(data) + 1)]))


def test_the_documentation_lists_every_kind_with_its_fields():
    lines = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    documented = {line.split("`")[1]: line for line in lines}
    for name, kind in messages.KINDS.items():
        assert [f"`{field}`" in documented[name].split("|")[2] for field in kind._fields] == [True] * len(kind._fields)


class Loop:
    """An event loop whose time the test moves."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        self.ready, self.timers = [], {}
        monkeypatch.setattr("roastcoffea.outbox.time.monotonic", lambda: self.now)

    def add_callback(self, callback):
        self.ready.append(callback)

    def call_later(self, delay, callback):
        handle = object()
        self.timers[handle] = (self.now + delay, callback)
        return handle

    def remove_timeout(self, handle):
        self.timers.pop(handle, None)

    def run(self, seconds=0.0):
        end = self.now + seconds
        while True:
            while self.ready:
                self.ready.pop(0)()
            due = sorted((when, handle) for handle, (when, _) in self.timers.items() if when <= end) if self.timers else []
            if not due:
                break
            self.now = max(self.now, due[0][0])
            self.ready.append(self.timers.pop(due[0][1])[1])
        self.now = end


@pytest.fixture
def loop(monkeypatch):
    return Loop(monkeypatch)


@pytest.fixture
def sent():
    return []


@pytest.fixture
def outbox(loop, sent):
    """Of a worker that may send every quarter of a second; what it sent, unpacked, is in sent."""
    return Outbox("w", loop, lambda data: sent.append(messages.unpack(data)), lambda: 0.25)


def chunk(number, **more):
    return messages.Chunk(b"packed", b"%08d" % number, **more)


def begin(number):
    return messages.Begin(b"%08d" % number, number, 1)


def test_many_chunks_are_few_messages_and_none_is_lost(outbox, loop, sent):
    for number in range(1000):  # ten seconds
        outbox.put(begin(number))
        loop.run(0.005)
        outbox.put(chunk(number))
        loop.run(0.005)
    outbox.close()
    assert len(sent) <= 42
    ended = [r.item for message in sent for r in message.records if isinstance(r, messages.Chunk)]
    assert ended == [b"%08d" % number for number in range(1000)]
    assert [message.number for message in sent] == list(range(1, len(sent) + 1))


def test_what_began_and_ended_in_between_is_told_once_and_what_still_runs_is_told(outbox, loop, sent):
    outbox.put(begin(1))
    loop.run()
    assert sent[0].records == [begin(1)]  # nothing was sent for a while: at once
    outbox.put(chunk(1))
    for number in (2, 3, 4):
        outbox.put(begin(number))
        outbox.put(messages.End(b"%08d" % number) if number == 3 else chunk(number))
    outbox.put(begin(5))
    loop.run(0.24)
    assert len(sent) == 1
    loop.run(0.02)
    assert sent[1].records == [chunk(1), chunk(2), chunk(4), begin(5)]


def test_an_item_that_is_tried_again_is_running(outbox, loop, sent):
    outbox.put(begin(1))
    loop.run()
    outbox.put(chunk(1, failed=True))
    outbox.put(begin(1))
    loop.run()
    assert sent[1].records == [chunk(1, failed=True), begin(1)]


def test_a_failure_is_told_at_once_with_all_that_was_before_it(outbox, loop, sent):
    outbox.put(begin(1))
    loop.run(0.1)
    outbox.put(chunk(1))
    loop.run(0.1)
    outbox.put(chunk(2, failed=True))
    loop.run()
    assert [len(message.records) for message in sent] == [1, 2]
    loop.run(10)
    assert len(sent) == 2 and not loop.timers


def test_a_message_does_not_grow_without_end(outbox, loop, sent):
    for number in range(1200):
        outbox.put(chunk(number))
        loop.run()
    assert [len(message.records) for message in sent] == [500, 500]


def test_what_comes_after_the_end_is_dropped(outbox, loop, sent):
    outbox.put(chunk(1))
    outbox.close()
    outbox.put(chunk(2, failed=True))
    loop.run(10)
    assert [message.records for message in sent] == [[chunk(1)]]


def test_a_spooled_message_is_read_once_and_only_when_it_is_complete(tmp_path):
    reader, seen = spool.SpoolReader(), []

    def read():
        seen.extend(messages.unpack(data).records[0] for _, data in reader.new(str(tmp_path)))
        return len(seen)

    assert read() == 0
    assert spool.write(str(tmp_path), "w", begin(1)) and spool.write(str(tmp_path), "w", chunk(1))
    assert read() == 2 and read() == 2
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    spool.write(str(tmp_path), "w", begin(2))
    new = file.read_bytes()[len(whole) :]
    for cut in range(len(new)):
        file.write_bytes(whole + new[:cut])
        assert read() == 2
    file.write_bytes(whole + new)
    assert read() == 3 and seen == [begin(1), chunk(1), begin(2)]


def test_a_spool_that_cannot_be_written_says_so(tmp_path):
    assert not spool.write(str(tmp_path / "absent"), "w", begin(1))


def test_half_a_spooled_message_does_not_spoil_the_next(tmp_path, monkeypatch):
    real = spool.os.write
    assert spool.write(str(tmp_path), "w", begin(1))
    monkeypatch.setattr(spool.os, "write", lambda descriptor, data: real(descriptor, data[: len(data) // 2]))
    assert not spool.write(str(tmp_path), "w", begin(2))
    monkeypatch.undo()
    assert spool.write(str(tmp_path), "w", begin(3))
    read = [messages.unpack(data).records for _, data in spool.SpoolReader().new(str(tmp_path))]
    assert read == [[begin(1)], [begin(3)]]


def test_a_forked_child_does_not_tell_the_copies_of_its_parents_listeners(tmp_path):
    told = []
    route.listeners["here"] = lambda sender, record: told.append(record)
    try:
        child = os.fork()
        if child == 0:
            os._exit(0 if route.Route(("here",), str(tmp_path)).send(begin(1)) and not told else 1)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        del route.listeners["here"]
    assert [messages.unpack(data).records for _, data in spool.SpoolReader().new(str(tmp_path))] == [[begin(1)]]


def test_a_beginning_that_comes_after_its_worker_left_is_an_attempt_that_died(tmp_path):
    recording = Recording(tmp_path / "run.roast")
    recording.worker_left("w", 9, lost=False, reason="retired")
    recording.take(messages.pack("w", 1, [begin(1), begin(2)]))
    recording.take(messages.pack("w", 2, [messages.End(begin(2).item)]))
    recording.close("finished")
    assert [record["error"] for record in open_run(tmp_path / "run.roast").chunk_records()] == ["retired"]


def test_the_run_file_is_closed_whatever_a_last_record_does(tmp_path, monkeypatch):
    recording = Recording(tmp_path / "run.roast")
    recording.take(messages.pack("w", 1, [begin(1)]))
    recording.worker_left("w", 9, lost=False, reason="retired")
    monkeypatch.setattr(recording, "_chunk_killed", lambda *_: 1 / 0)
    recording._leaving = dict.fromkeys(recording._leaving, recording._chunk_killed)
    recording.close("finished")
    assert open_run(tmp_path / "run.roast").outcome == "finished"
