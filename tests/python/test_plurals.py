"""What there is one of is named in the singular, on every surface."""

from __future__ import annotations

import re

import pytest
from roastcoffea import _core, open_run
from roastcoffea.guard import counted
from surfaces import as_text

SECOND = 10**9
THINGS = "attempt branch chunk column core dataset error event field file host key lane pair row run section server task time tree worker"
ONE_OF_MANY = re.compile(rf"(?<![\d.,])1 (?:concurrent |other )?(?:{'|'.join(THINGS.split())})(?:e?s)\b")


def record(path, *, measured=True):
    """One of everything: a worker with a core, an attempt that failed, a chunk of an event that is missing, one that is not."""
    with _core.Recorder(str(path), name="one") as recorder:
        recorder.fact("t_start_ns", 10**18)
        recorder.fact("t_end_ns", 10**18 + 100 * SECOND)
        recorder.worker({"address": "tcp://a", "cores": 1, "joined_ns": 10**18, "probe": int(measured), "lost": 1,
                         "left_ns": 10**18 + 100 * SECOND, "memory_limit": 2**30})  # fmt: skip
        for i, failed in enumerate((0, 1)) if measured else ():
            error = {"error_type": "ValueError", "error": "no"} if failed else {}
            recorder.chunk({"worker": "tcp://a", "file": "a.root", "treename": "t", "dataset": "d", "num_events": 1 - failed,
                            "entry_start": i, "entry_stop": i + 1, "t_start_ns": 10**18 + i * SECOND, "duration_ns": 50 * SECOND,
                            "cpu_ns": SECOND, "bytes_read": 10, **error})  # fmt: skip
    return open_run(path)


@pytest.mark.parametrize("measured", [True, False])
def test_what_there_is_one_of_is_not_named_in_the_plural(roast, tmp_path, measured):
    run = record(tmp_path / "a.roast", measured=measured)
    page = run.report(tmp_path / "page.html").read_text()
    texts = {"page": as_text(page[page.index("<h1>") : page.index("<script")])}
    again = record(tmp_path / "b.roast", measured=measured).path
    for command in (["show"], ["show", "--all"], ["explain", "--what-if"], ["compare", again], ["scale"], ["gate", again, "--"]):
        texts[" ".join(command[:1] if again in command else command)] = roast(*command, run.path, "--width", "200").stdout
    assert not {name: found for name, text in texts.items() if (found := ONE_OF_MANY.findall(text))}
    if measured:
        assert "1 file, 1 chunk," in texts["show --all"] and "1 run, 1 core" in texts["scale"]
        assert "1 attempt failed" in texts["page"] and "1 core on average" in texts["page"]
    else:
        assert "1 of 1 worker was not measured" in texts["page"]


def test_things_are_counted_in_words():
    assert [counted(n, "worker") for n in (0, 1, 2)] == ["0 workers", "1 worker", "2 workers"]
