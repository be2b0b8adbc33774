"""Predict, then verify: a run remembers what the last run of the same analysis took and was advised."""

from __future__ import annotations

import json
import time

import pytest
from roastcoffea import MetricsCollector, _core, history, open_run

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
processor = pytest.importorskip("coffea.processor")

SECOND = 10**9


def run(fileset, folder, chunksize=100, analysis=None, name="run.roast"):
    analysis = analysis or nano.Plain()
    with MetricsCollector(processor_instance=analysis, run_file=folder / name) as collector:
        nano.runner(processor.IterativeExecutor(status=False), chunksize=chunksize)(fileset, analysis)
    return collector.run


def said(run) -> str:
    return " ".join(run.summary.text(200, False, True).split())


def remembered(run) -> dict:
    return {key: value for key, value in run.facts.items() if key.startswith(("last_", "advised"))}


def plant(path, fileset, analysis, cores=1) -> None:
    """An earlier run: 120 chunks of 10 events on one core, of which opening is 40 %."""
    start = time.time_ns() - 3600 * SECOND
    files = [file for dataset in fileset.values() for file in dataset["files"]]
    with _core.Recorder(str(path), name="earlier") as recorder:
        facts = {"t_start_ns": start, "t_end_ns": start + 240 * SECOND, "elapsed_ns": 240 * SECOND, "chunksize": 10,
                 "analysis": analysis}  # fmt: skip
        for key, value in facts.items():
            recorder.fact(key, value)
        recorder.worker({"address": "tcp://a", "cores": cores, "joined_ns": start})
        for i in range(120):
            recorder.chunk({"worker": "tcp://a", "file": files[i // 40], "dataset": "data", "num_events": 10,
                            "entry_start": 10 * (i % 40), "entry_stop": 10 * (i % 40) + 10, "attempt": 1,
                            "t_start_ns": start + i * 2 * SECOND + 8 * SECOND // 10,
                            "open_seconds": 0.8, "duration": 1.2, "cpu_seconds": 1.2})  # fmt: skip


def test_the_first_run_of_an_analysis_says_nothing_of_others(fileset, tmp_path):
    first = run(fileset, tmp_path)
    assert remembered(first) == {} and "since the last run" not in said(first)
    assert json.loads(first.summary.json())["since_last_run"] is None


def test_the_next_run_says_what_changed_and_how_fast_it_was(fileset, tmp_path):
    first, second = run(fileset, tmp_path), run(fileset, tmp_path, chunksize=400)
    facts = remembered(second)
    assert facts["last_run"] == first.path.name
    assert facts["last_elapsed_ns"] == first.facts["elapsed_ns"]
    assert (facts["last_chunksize"], second.facts["chunksize"]) == ("100", "400")
    assert facts["last_events"] == "1200"
    assert "since the last run: chunksize 100 → 400," in said(second)
    told = json.loads(second.summary.json())["since_last_run"]
    took = [int(one.facts["elapsed_ns"]) for one in (first, second)]
    assert told["faster_percent"] == pytest.approx(100 * (1 - took[1] / took[0]), abs=0.01)
    assert told["chunksize"] == [100, 400]


def test_advice_that_was_followed_is_checked_against_what_it_promised(fileset, tmp_path):
    identity = history.analysis_of("Plain", fileset)
    plant(tmp_path / "earlier.roast", fileset, identity)
    (opening,) = [f for f in open_run(tmp_path / "earlier.roast").explain()["findings"] if f["id"] == "opening"]
    chunksize = opening["values"]["chunksize"]
    assert chunksize > 30 and opening["code"] == f"runner.chunksize = {chunksize}\n"
    followed = run(fileset, tmp_path, chunksize=chunksize)
    assert remembered(followed)["advised"] == "opening"
    told = json.loads(followed.summary.json())["since_last_run"]
    assert told["predicted_percent"] == pytest.approx(opening["saving_percent"], rel=1e-4)
    assert f"since the last run: chunksize 10 → {chunksize}, " in said(followed)
    assert f"faster; predicted {opening['saving_percent']:.0f} %" in said(followed)


def test_nothing_was_predicted_for_another_number_of_cores(fileset, tmp_path):
    plant(tmp_path / "earlier.roast", fileset, history.analysis_of("Plain", fileset), cores=2)
    followed = run(fileset, tmp_path, chunksize=100)
    assert 50 < int(remembered(followed)["advised_chunksize"]) < 200
    assert json.loads(followed.summary.json())["since_last_run"]["predicted_percent"] is None
    assert "cores 2 → 1," in said(followed) and "; predicted" not in said(followed) and "; advised:" not in said(followed)


def test_another_analysis_is_not_the_last_run(fileset, tmp_path):
    run(fileset, tmp_path)
    assert remembered(run(fileset, tmp_path, analysis=nano.Tracked())) == {}
    assert remembered(run({"signal": fileset["signal"]}, tmp_path)) == {}


def test_a_run_that_failed_or_goes_on_is_not_the_last_run(fileset, tmp_path):
    analysis = nano.Plain()
    with pytest.raises(RuntimeError, match="made to fail"), MetricsCollector(run_file=tmp_path / "failed.roast"):
        nano.runner(processor.IterativeExecutor(status=False))(fileset, analysis)
        raise RuntimeError("made to fail")
    assert remembered(run(fileset, tmp_path)) == {}


def test_few_files_are_looked_at_and_none_can_do_harm(fileset, tmp_path, monkeypatch):
    run(fileset, tmp_path, name="real.roast")
    for i in range(300):
        (tmp_path / f"junk{i}.roast").write_bytes(b"SQLite format 3\0" * i)
    opened = []
    original = _core.Run
    monkeypatch.setattr(_core, "Run", lambda path, *args: opened.append(path) or original(path, *args))
    facts = history.last_run(tmp_path / "new.roast", history.analysis_of("Plain", fileset), 10)
    assert facts == {} and len(opened) <= 20, "the real one is older than all the junk"


def test_a_folder_that_is_slow_is_left(fileset, tmp_path):
    run(fileset, tmp_path)
    assert history.last_run(tmp_path / "new.roast", history.analysis_of("Plain", fileset), -1) == {}


def test_a_search_that_fails_fails_no_job(fileset, tmp_path, monkeypatch):
    def fails(*_):
        raise OSError("no such luck")

    monkeypatch.setattr(history, "last_run", fails)
    assert run(fileset, tmp_path).outcome == "finished"


def test_chunks_that_were_preprocessed_before_are_the_same_analysis(fileset, tmp_path):
    run(fileset, tmp_path)
    chunks = list(nano.runner(processor.IterativeExecutor(status=False)).preprocess(fileset))
    assert remembered(run(chunks, tmp_path))["last_run"] == "run.roast"
