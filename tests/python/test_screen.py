"""The one screen: it fits, it adds up, it says of each number what the tables say, and of a run that goes on nothing of its end."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import re

import pytest
from roastcoffea import _core, open_run

SECOND = 10**9
START = 10**18
INSIGHT = pathlib.Path(os.environ.get("ROAST_TEST_DATA", "/nowhere")) / "insight"
LEDGER_ROW = re.compile(r"^  (\S.*?)  +[█▏▎▍▌▋▊▉]* *(< )?(−?\d+) %(?:  ← (.*))?$", re.MULTILINE)


def shown_ledger(text):
    """The rows as printed: title, percent, what the arrow says."""
    part = text[text.index("Where") : text.index("To make it faster")]
    return [(title, 0 if below else int(digits.replace("−", "-")), arrow) for title, below, digits, arrow in LEDGER_ROW.findall(part)]


@pytest.fixture(scope="module")
def runs(synthesize):
    """Synthetic ones of every shape, and those that were measured, if they are there."""
    made = [synthesize(seed=seed, chunks=200 * seed, workers=3 * seed, datasets=seed)[0] for seed in (1, 2, 3, 4)]
    return made + sorted(INSIGHT.glob("*.roast"))


def test_a_run_fits_on_one_screen_and_no_line_is_wider_than_it(runs, roast):
    for run in runs:
        for width in (60, 80, 100, 160):
            lines = roast("show", run.name, "--width", width, cwd=run.parent).stdout.splitlines()
            assert len(lines) <= (40 if width < 80 else 34), (run, width)
            assert max(map(len, lines)) <= width, (run, width)


def test_the_rows_of_the_ledger_add_up_largest_first_and_are_those_of_the_tables(runs, roast):
    for run in runs:
        rows = shown_ledger(roast("show", run).stdout)
        true = json.loads(roast("show", run, "--json").stdout)["ledger"]
        percent = {row["title"]: row["share_percent"] for row in true.values()}
        own = [(title, share) for title, share, _ in rows if title != "other"]
        assert abs(sum(share for _, share, _ in rows) - 100) <= len(rows) / 2 + 1e-9
        assert [title for title, _ in own] == sorted(percent, key=percent.get, reverse=True)[: len(own)]
        assert all(abs(percent[title] - share) <= 0.5 for title, share in own if share)
        left = [title for title in percent if title not in dict(own)]
        assert len(left) != 1 and all(percent[title] < 5 for title in left), (run, left)


# What the arrow says, by the finding that it belongs to, and the core time that this finding is about.
ARROWS = {"closer storage": ("io_bound", {"process_io"}), "cheaper process()": ("cpu_bound", {"process_cpu"}),
          "smaller results": ("merging", {"merging"}), "preprocess once": ("preprocessing", {"preprocessing"}),
          "keep workers": ("workers_lost", {"lost"}), "free cores": ("no_core_free", {"process_core"})}  # fmt: skip


def test_an_arrow_stands_at_the_core_time_that_a_finding_is_about(runs, roast):
    seen = set()
    for run in runs:
        keys = {row["title"]: key for key, row in json.loads(roast("show", run, "--json").stdout)["ledger"].items()}
        findings = {finding["id"] for finding in json.loads(roast("explain", run, "--json").stdout)["findings"]}
        for title, _, arrow in shown_ledger(roast("show", run).stdout):
            if arrow in ARROWS:
                finding, categories = ARROWS[arrow]
                assert finding in findings and keys[title] in categories, (run, title, arrow)
                seen.add(arrow)
    assert len(seen) >= 2, "none is shown"


def record(path, *, chunks, asked, outcome=None):
    """Two cores; one does chunks of a second, the other one long one, and is idle for the rest."""
    recorder = _core.Recorder(str(path), name="going")
    recorder.fact("t_start_ns", START)
    recorder.fact("chunks_asked", asked)
    recorder.worker({"address": "tcp://a", "cores": 2, "joined_ns": START, "probe": 1, "memory_limit": 2**30})
    recorder.chunk([
        {"worker": "tcp://a", "file": "a.root", "treename": "t", "dataset": "d", "num_events": 1000, "entry_start": i,
         "entry_stop": i + 1, "t_start_ns": START + i * SECOND, "duration_ns": SECOND, "cpu_ns": SECOND // 2}
        for i in range(chunks)
    ])  # fmt: skip
    recorder.sample({"worker": "tcp://a", "t_ns": START + (chunks + 20) * SECOND, "memory": 2**20, "cpu": 0.0})
    if outcome:
        recorder.fact("t_end_ns", START + (chunks + 20) * SECOND)
        recorder.close(outcome)
    else:
        recorder.flush()
    return recorder


def findings_of(run):
    return {finding["id"] for finding in run.explain()["findings"]}


OF_THE_END = {"tail", "too_few_chunks", "merging", "too_many_workers", "missing", "incomplete"}


def test_of_a_run_that_goes_on_nothing_is_found_about_its_end(tmp_path):
    going = record(tmp_path / "going.roast", chunks=40, asked=100)
    ended = record(tmp_path / "ended.roast", chunks=40, asked=100, outcome="finished")
    del ended
    assert findings_of(open_run(tmp_path / "ended.roast")) & OF_THE_END, "the same, when it has ended"
    run = open_run(tmp_path / "going.roast")
    assert run.outcome == "running" and not findings_of(run) & OF_THE_END
    ledger = run.metrics["ledger"]
    assert "idle_tail" not in ledger and ledger["not_measured"]["title"] == "chunks not finished yet"
    going.close("finished")


def test_a_run_that_goes_on_says_how_far_it_is_and_how_long_it_will_take(tmp_path):
    """40 of 100 chunks in 60 s since the first began: 60 more take 90 s."""
    with contextlib.closing(record(tmp_path / "early.roast", chunks=40, asked=100)):
        text = open_run(tmp_path / "early.roast").summary.screen(200)
    assert "still running" in text and "40 of 100 chunks" in text
    assert "about 2 min left at the pace of the whole run" in text
    assert "missing" not in text and "INCOMPLETE" not in text
    # Of 1 020 s the last 204 s count: 184 chunks in them, and 1 000 are left: 18 min.
    with contextlib.closing(record(tmp_path / "late.roast", chunks=1000, asked=2000)):
        text = open_run(tmp_path / "late.roast").summary.screen(200)
    assert "1 000 of 2 000 chunks" in text and "about 18 min left at the pace of the last 3 min" in text


def test_print_summary_is_the_screen_and_in_full_the_tables(synthesize):
    run = open_run(synthesize(seed=6, chunks=50)[0])
    printed = {}
    for full in (False, True):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            run.print_summary(full=full)
        printed[full] = text.getvalue()
    assert "To make it faster" in printed[False] and "Throughput" not in printed[False]
    assert f"roast show {run.path} --all" in re.sub(r"\s+", " ", printed[False])
    assert "Throughput" in printed[True] and "Datasets" in printed[True]
    assert "run.print_summary(full=True)" in run.summary.screen(80, python=True)
