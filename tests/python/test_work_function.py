"""What stands in for coffea's work function works with whatever a release does, or steps aside and says so."""

from __future__ import annotations

import concurrent.futures
import contextlib
import lzma
import socket
import sqlite3
import struct
import zlib
from importlib.metadata import version
from types import SimpleNamespace

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
from coffea.nanoevents import BaseSchema  # noqa: E402
from coffea.processor import ProcessorABC  # noqa: E402
from roastcoffea import _core, messages, route, work  # noqa: E402
from roastcoffea.route import Route  # noqa: E402

ITEM = SimpleNamespace(dataset="d", filename="f", treename="Events", entrystart=0, entrystop=3, fileuuid=b"", usermeta=None)


class Attributes(nano.Plain):
    """Its output is what it sees."""

    def __init__(self):
        self.cut = 30

    def process(self, events):
        return {"self": self, "events": events}


@pytest.fixture
def sent(monkeypatch):
    """The records that a collector of this process gets."""
    records = []
    route._guard_of.cache_clear()  # what was said once is not said again
    monkeypatch.setitem(work.listeners, "here", lambda worker, record: records.append(record))
    monkeypatch.setattr(work._Attempt, "refused", False)
    return records


def measured(original):
    return work.WorkFunction(original, Route(("here",)))


def notes(sent):
    return [record.text for record in sent if isinstance(record, messages.Note)]


def chunks(sent):
    return [record for record in sent if isinstance(record, messages.Chunk)]


def strictest(item, processor_instance):
    """As 2025.11 to 2026.7 ask, before they take it for a packed one."""
    if not isinstance(processor_instance, ProcessorABC) or not callable(processor_instance):
        raise TypeError(f"a bytes-like object is required, not {type(processor_instance).__name__!r}")
    return {"out": processor_instance.process([1, 2, 3])}


def test_the_stand_in_is_a_callable_processor_and_the_user_sees_none_of_it(sent):
    instance = Attributes()
    out = measured(strictest)(item=ITEM, processor_instance=instance)["out"]
    assert out["self"] is instance and out["events"] == [1, 2, 3]
    assert len(chunks(sent)) == 1 and not notes(sent)


def test_the_stand_in_has_the_attributes_of_the_processor(sent):
    def look(item, processor_instance):
        return {"out": (processor_instance.cut, processor_instance(["events"])["self"].cut)}

    assert measured(look)(ITEM, Attributes()) == {"out": (30, 30)}


def test_a_work_function_without_a_cache_tells_by_its_schema_that_the_file_is_open(sent, monkeypatch):
    phases = []

    def work_function(schema, item, processor_instance):
        phases.append(len(entered))
        assert issubclass(schema, BaseSchema)
        phases.append(len(entered))
        assert schema({"contents": {}, "parameters": {}}).__class__ is Mine
        out = processor_instance.process([1])
        assert issubclass(schema, BaseSchema)
        return {"out": out}

    class Mine(BaseSchema):
        def __init__(self, form):
            pass

    entered = []
    monkeypatch.setattr(work, "_SchemaAtBorder", noting(work._SchemaAtBorder, entered))

    measured(work_function)(Mine, ITEM, Attributes())
    assert phases[0] == 0 and phases[1] > 0
    assert len(chunks(sent)) == 1 and not notes(sent)


def noting(kind, entered):
    return lambda first, schema: kind(lambda: (entered.append(1), first()), schema)


def test_a_release_that_takes_nothing_but_the_processor_gets_it_and_the_run_says_so(sent):
    def picky(item, processor_instance):
        if type(processor_instance) is not Attributes:
            raise AttributeError("what is this?")
        return {"out": "as ever"}

    function = measured(picky)
    assert [function(ITEM, Attributes()) for _ in range(2)] == [{"out": "as ever"}] * 2
    assert not chunks(sent)
    (note,) = notes(sent)
    assert note.startswith(f"chunks: not measured, because coffea {version('coffea')}")


def test_an_error_that_is_there_without_us_is_a_failed_attempt_and_not_a_refusal(sent):
    def broken(item, processor_instance):
        raise TypeError("the user's schema")

    with pytest.raises(TypeError, match="the user's schema"):
        measured(broken)(ITEM, Attributes())
    (chunk,) = chunks(sent)
    assert chunk.failed and not notes(sent) and not work._Attempt.refused


@pytest.mark.parametrize(
    ("raises", "named"),
    [
        (lambda: zlib.decompress(b"cut"), "zlib.error"),
        (lambda: struct.unpack("i", b""), "struct.error"),
        (lambda: socket.getaddrinfo("nowhere.invalid", "no service"), "socket.gaierror"),
        (lambda: lzma.decompress(b"cut"), "LZMAError"),
        (lambda: int("x"), "ValueError"),
        (lambda: concurrent.futures.Future().result(timeout=0), "TimeoutError"),
    ],
)
def test_an_exception_whose_own_name_says_nothing_is_named_with_its_module(sent, raises, named, tmp_path):
    def broken(item, processor_instance):
        try:
            raises()
        except Exception as error:
            raise Exception("Failed processing file") from error

    with pytest.raises(Exception, match="Failed processing file"):
        measured(broken)(ITEM, Attributes())
    with contextlib.suppress(Exception):
        work.MetadataFetcher(lambda file: raises(), Route(("here",)))(ITEM)
    (attempt,) = chunks(sent)
    (unopened,) = [record for record in sent if isinstance(record, messages.Unopened)]
    with _core.Recorder(str(tmp_path / "a.roast")) as recorder:
        recorder.packed("w", attempt.packed)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.roast")) as database:
        assert database.execute("select error_type from chunk").fetchall() == [(named,)]
    assert unopened.error_type == named


def test_unknown_arguments_are_passed_on_and_the_run_names_the_release(sent):
    assert measured(lambda task, what: (task, what))(ITEM, what=3) == (ITEM, 3)
    (note,) = notes(sent)
    assert f"coffea {version('coffea')}" in note
