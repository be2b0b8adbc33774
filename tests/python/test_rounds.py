"""What is missing after several runs of a Runner, case by case: who was asked for what, and where it counts in the end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("coffea", reason="needs coffea", exc_type=ImportError)
from roastcoffea.entries import File
from roastcoffea.rounds import Round, settle
from roastcoffea.work import item_key

BAD = File("d", "bad", "t")


def item(start, dataset="d", file="f", uuid=b""):
    return SimpleNamespace(dataset=dataset, filename=file, treename="t", entrystart=start, entrystop=start + 100, fileuuid=uuid)


def run(*starts, done=None, ended=True, again=(), perhaps=(), rerun=False, unopened=(), datasets=("d",), told=True, **of):
    items = [item(start, **of) for start in starts]
    processed = None if not ended or not told else [item(start, **of) for start in (starts if done is None else done)]
    asked = {item_key(i): i for i in items}
    return Round(frozenset(datasets), frozenset(again), frozenset(perhaps), rerun, asked, list(unopened), processed, ended)


def raised(*starts, **more):
    return run(*starts, ended=False, **more)


CHANGED = "after events were lost, the same was asked for with a processor that had been changed: it may be another result"
NOBODY_KNOWS = "a Runner raised before it was known what there was to process"
#: name: (the runs; what each lacks in the end: first entries of chunks, names of files, or why it is not known)
CASES = {
    "one that has everything": ([run(0, 100)], [[]]),
    "one that lacks a chunk": ([run(0, 100, done=[0])], [[100]]),
    "one that raised lacks everything": ([raised(0, 100)], [[0, 100]]),
    "one that does not tell lacks nothing that is known": ([run(0, told=False)], [[]]),
    "one that raised in preprocessing lacks its files": ([raised(unopened=[BAD])], [["bad"]]),
    "one that raised before anything is known": ([raised()], [[NOBODY_KNOWS]]),
    "two results of the same events are two": ([run(0, 100, done=[0]), run(0, 100)], [[100], []]),
    "a result of nothing but what was missing makes good": ([run(0, 100, done=[0]), run(100, again=[1])], [[], []]),
    "not if it is of another processor": ([run(0, 100, done=[0]), run(100)], [[100], []]),
    "nor if it is of more than that": ([run(0, 100, done=[0]), run(0, 100, again=[1])], [[100], []]),
    "a processor that was changed is in doubt": ([run(0, 100, done=[0]), run(100, perhaps=[1])], [[CHANGED], []]),
    "unless it was given what was missing": ([run(0, 100, done=[0]), run(100, perhaps=[1], rerun=True)], [[], []]),
    "what is asked for again and lost again is lost once": ([run(0, 100, done=[0]), run(100, done=[], again=[1])], [[], [100]]),
    "asked for again in vain, it is missing where there is a result": ([run(0, 100, done=[0]), raised(100, again=[1])], [[100], []]),
    "after one that raised, it counts where it was tried again": ([raised(0, 100), run(0, 100, done=[0], again=[1])], [[], [100]]),
    "what is not tried again stays missing": ([raised(0, 100), run(0, again=[1])], [[100], []]),
    "a variation does not try again": ([raised(0, 100), run(0, 100)], [[0, 100], []]),
    "one that may be a variation is in doubt": ([raised(0, 100), run(0, 100, perhaps=[1])], [[CHANGED], []]),
    "what it does not do stays missing": ([raised(0, 100), run(0, perhaps=[1])], [[100, CHANGED], []]),
    "other work leaves no doubt": ([raised(0, 100), run(200, perhaps=[1])], [[0, 100], []]),
    "another copy of a file holds the same events": (
        [raised(0, 100, file="here", uuid=b"u"), run(0, 100, again=[1], file="there", uuid=b"u")], [[], []]),
    "another file does not": ([raised(0, file="here", uuid=b"u"), run(0, again=[1], file="there", uuid=b"v")], [[0], []]),
    "tried twice in vain, it is missing once": ([raised(0), raised(0, again=[1])], [[], [0]]),
    "tried until it succeeds": ([raised(0), raised(0, again=[1]), run(0, again=[1, 2])], [[], [], []]),
    "cut otherwise, it is the same events": ([raised(0, 100), run(0, 100, 200, again=[1])], [[], []]),
    "a file that is opened the second time": ([run(0, unopened=[BAD]), run(0, file="bad", again=[1])], [[], []]),
    "a file that is not opened the second time either": ([run(0, unopened=[BAD]), run(unopened=[BAD], again=[1])], [[], ["bad"]]),
    "a typo in the files of a dataset": ([raised(unopened=[BAD]), run(0, again=[1])], [[], []]),
    "fewer files are no correction of a typo": (
        [raised(unopened=[BAD, File("d", "f", "t")]), run(0, again=[1])], [["bad"], []]),
    "another dataset is no correction of a typo": ([raised(unopened=[BAD], datasets=["e"]), run(0, again=[1])], [["bad"], []]),
    "a typo that made it raise before anything is known": ([raised(), run(0, again=[1])], [[], []]),
    "part by part, after a result that lacks two": ([run(0, 100, 200, done=[0]), run(100, again=[1]), run(200, again=[1])], [[], [], []]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_nothing_that_is_missing_is_forgotten_or_counted_twice(name):
    rounds, expected = CASES[name]
    settled = settle(dict(enumerate(rounds, 1)))
    lacking = [
        [*(lost.start for lost in m.lost), *(file.filename for file in m.unopened), *([m.unknown] if m.unknown else [])]
        for m in settled.values()
    ]
    assert lacking == expected


@pytest.mark.parametrize("name", CASES)
def test_what_counts_elsewhere_and_what_is_missing_here_are_all_that_was_not_done(name):
    rounds, _ = CASES[name]
    for this, missing in zip(rounds, settle(dict(enumerate(rounds, 1))).values(), strict=True):
        if this.ended and this.processed is None:
            continue
        left = sum(lost.stop - lost.start for lost in missing.lost)
        not_done = 100 * (len(this.asked) - len(this.processed or ()))
        assert left + sum(missing.repeated.values()) == not_done
