"""Whether a result is whole is the first thing that is said of a run, on every executor, and what is missing can be run again.

What is expected is counted with uproot's entries and with what the processor itself returned, never with our numbers."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import executors  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, _core, open_run  # noqa: E402
from roastcoffea.completeness import Requests  # noqa: E402
from roastcoffea.entries import File  # noqa: E402
from roastcoffea.rerun import items_for  # noqa: E402
from surfaces import advised, as_text, surfaces  # noqa: E402

NUMBERS = ("events_expected", "missing_events", "missing_chunks", "missing_files")
FIRST = "INCOMPLETE: "


@pytest.fixture(params=executors.NAMES)
def executor(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with executors.executor(request, retries=1) as made:
        yield made


@pytest.fixture
def iterative():
    return processor.IterativeExecutor(status=False, retries=1)


@pytest.fixture
def files(tmp_path):
    """Two files of a signal and one of a background, 400 events each, to be spoiled."""
    paths = [str(nano.write_file(tmp_path / f"file{i}.root", seed=i)) for i in range(3)]
    return {
        "signal": {"files": paths[:2], "treename": "Events", "metadata": {"year": 2018}},
        "background": {"files": paths[2:], "treename": "Events"},
    }


def truncate(path: str, share: float) -> bytes:
    """Cut a file; returns what it was. At 0.6 uproot still opens it, and its baskets are gone; at 0.05 it does not."""
    whole = Path(path).read_bytes()
    os.truncate(path, int(len(whole) * share))
    return whole


def measure(executor, fileset, instance=None, **options):
    instance = instance or nano.Plain()
    with MetricsCollector(executor, processor_instance=instance, worker_tracking_interval=0.2) as collector:
        out, _ = nano.runner(executor, **options)(fileset, processor_instance=instance)
    return out, collector


def numbers(collector):
    return tuple(collector.run.metrics[name] for name in NUMBERS)


# ---- a file that is cut


def test_chunks_that_were_skipped_are_missing_events_on_every_executor(executor, files):
    truncate(files["signal"]["files"][1], 0.6)
    out, collector = measure(executor, files, skipbadfiles=True)
    assert out["signal"]["events"] == 400 and out["background"]["events"] == 400
    assert numbers(collector) == (1200, 400, 4, 1)
    per_dataset = collector.metrics["per_dataset"]
    assert [per_dataset["signal"][name] for name in NUMBERS] == [800, 400, 4, 1]
    assert [per_dataset["background"][name] for name in NUMBERS] == [400, 0, 0, 0]
    missing = collector.run.missing
    assert [(row["entry_start"], row["entry_stop"], row["events"]) for row in missing] == [
        (0, 100, 100), (100, 200, 100), (200, 300, 100), (300, 400, 100),
    ]  # fmt: skip
    assert {(row["dataset"], row["file"], row["treename"]) for row in missing} == {
        ("signal", files["signal"]["files"][1], "Events")
    }
    assert {(row["whole_file"], row["nature"], row["error_type"]) for row in missing} == {("yes", "permanent", "OSError")}


def test_a_file_that_preprocessing_dropped_is_missing_on_every_executor(executor, files):
    truncate(files["signal"]["files"][1], 0.05)
    out, collector = measure(executor, files, skipbadfiles=True)
    assert out["signal"]["events"] == 400
    assert numbers(collector) == (None, None, 0, 1)  # nobody can know how many events it has
    why = "a file was never opened: how many events it has is not known"
    assert collector.run.summary.why("missing_events") == collector.run.summary.why("events_expected") == why
    per_dataset = collector.metrics["per_dataset"]
    assert [per_dataset["background"][name] for name in NUMBERS] == [400, 0, 0, 0]
    (row,) = collector.run.missing
    assert row["file"] == files["signal"]["files"][1] and row["entry_start"] is None and row["events"] is None
    assert row["error_type"] == "OSError" and "expected Chunk of length" in row["error"]


def test_a_whole_result_is_said_to_be(executor, files, roast, tmp_path):
    out, collector = measure(executor, files)
    assert out["signal"]["events"] + out["background"]["events"] == 1200
    assert numbers(collector) == (1200, 0, 0, 0)
    assert collector.run.missing == []
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert FIRST not in text, surface
        assert "complete" in text, surface
    assert ("complete", "good") in collector.run.summary.headings()[-1]


def test_every_surface_says_first_what_is_missing_as_an_error(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.6)
    _, collector = measure(iterative, files, skipbadfiles=True)
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert FIRST in text, surface
        assert text.index(FIRST) < text.index("finished"), surface
        start = text[text.index(FIRST) : text.index("finished")]
        for part in ("400 of 1 200 events are missing (33.3 %)", "4 chunks never succeeded in 1 file",
                     "signal: 50.0 % of its events", "file1.root: OSError: expected Chunk of length"):  # fmt: skip
            assert part in start.replace("\u202f", " "), (surface, part)
    alarm, _, ending = collector.run.summary.headings()
    assert {tone for _, tone in alarm[:-1]} == {"bad"}
    assert ending[0][0].startswith("finished") and ending[0][1] == "warn"
    shown = roast("show", collector.run.path, "--color", "always", "--all").stdout
    assert shown.splitlines()[0].startswith("\x1b[31m" + FIRST) or FIRST in shown.splitlines()[0]


def test_the_one_screen_says_what_is_missing_before_anything_about_time(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.6)
    _, collector = measure(iterative, files, skipbadfiles=True)
    shown = roast("show", collector.run.path, "--color", "always").stdout.replace("\u202f", " ")
    assert "\x1b[31m! " + FIRST + "400 of 1 200 events are missing (33.3 %)" in shown
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", shown).split())
    start = text[text.index(FIRST) : text.index("finished")]
    assert "4 chunks never succeeded in 1 file" in start and "signal: 50.0 % of its events" in start
    assert re.search(r"failed \d+ × OSError in 1 file, file1.root", text)
    assert "missing roast show" in text


def test_a_file_that_was_never_opened_is_named_first_too(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.05)
    _, collector = measure(iterative, files, skipbadfiles=True)
    for surface, text in surfaces(collector, roast, tmp_path).items():
        start = text[text.index(FIRST) : text.index("finished")]
        assert "events are missing, how many is not known" in start, surface
        assert "1 file never opened" in start and "signal: 1 file" in start and "file1.root: OSError" in start, surface


def test_losing_events_is_the_first_finding_and_never_folded_away(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.6)
    _, collector = measure(iterative, files, skipbadfiles=True)
    first = collector.explain()["findings"][0]
    assert first["id"] == "missing" and first["confidence"] == "sure"
    assert "fails each time" in first["advice"] and "skipbadfiles" not in first["advice"]
    page = collector.report(tmp_path / "page.html").read_text()
    assert "The result is not complete" in page[page.index("What held it back") :].partition("<details>")[0]


# ---- errors that pass


class Flaky(nano.Plain):
    """Every chunk of the background times out, so many times."""

    def __init__(self, folder, times):
        self.folder, self.times = folder, times

    def process(self, events):
        if events.metadata["dataset"] == "background":
            before = len(list(Path(self.folder).glob(f"{events.metadata['entrystart']}-*")))
            if before < self.times:
                Path(self.folder, f"{events.metadata['entrystart']}-{before}").touch()
                raise OSError("[ERROR] Operation expired")
        return super().process(events)


@pytest.fixture
def marks(tmp_path):
    folder = tmp_path / "marks"
    folder.mkdir()
    return str(folder)


def test_errors_that_pass_lose_nothing_and_the_advice_is_to_retry(iterative, files, marks, roast, tmp_path):
    out, collector = measure(iterative, files, Flaky(marks, 1), skipbadfiles=True)
    assert out["background"]["events"] == 400
    assert numbers(collector) == (1200, 0, 0, 0)
    assert {row["nature"] for row in collector.metrics["failures"]} == {"transient"}
    (failures,) = [finding for finding in collector.explain()["findings"] if finding["id"] == "failures"]
    assert "retries" in failures["advice"] and "skipbadfiles" not in failures["advice"]
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert FIRST not in text and "skipbadfiles" not in advised(text), surface


def test_errors_that_would_pass_and_were_skipped_are_missing_and_to_be_run_again(client, files, marks, roast, tmp_path):
    """On Dask coffea skips after one attempt: a timeout costs events."""
    out, collector = measure(processor.DaskExecutor(client=client, status=False), files, Flaky(marks, 1), skipbadfiles=True)
    assert "background" not in out
    assert numbers(collector) == (1200, 400, 4, 1)
    assert {row["nature"] for row in collector.run.missing} == {"transient"}
    first = collector.explain()["findings"][0]
    assert first["id"] == "missing" and "run again" in first["advice"] and "retries" in first["advice"]
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert "skipbadfiles" not in advised(text), surface


# ---- running again


def processed_events(out):
    return sum(entry["events"] for name, entry in out.items() if name != "met")


@pytest.mark.parametrize("share", [0.6, 0.05])
def test_what_is_missing_can_be_run_again_and_gives_the_missing_events(iterative, files, share, roast):
    whole, _ = nano.runner(iterative)(files, processor_instance=nano.Plain())
    path = files["signal"]["files"][1]
    before = truncate(path, share)
    out, collector = measure(iterative, files, skipbadfiles=True)
    Path(path).write_bytes(before)  # repaired
    runner = nano.runner(iterative)
    items = collector.run.missing_items(runner, files)
    assert {item.usermeta["year"] for item in items} == {2018}
    more = runner.run(items, processor_instance=nano.Plain())["out"]
    assert processed_events(out) == 800 and processed_events(more) == 400
    total = processor.accumulate([out, more])
    assert total["signal"] == pytest.approx(whole["signal"]) and total["met"] == pytest.approx(whole["met"])


@pytest.mark.parametrize("share", [0.6, 0.05])
def test_the_json_of_what_is_missing_has_a_fileset_that_coffea_takes(iterative, files, share, roast):
    path = files["signal"]["files"][1]
    before = truncate(path, share)
    out, collector = measure(iterative, files, skipbadfiles=True)
    Path(path).write_bytes(before)
    document = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert document["missing"] == collector.run.missing
    assert document["fileset"] == {"signal": {"files": {path: "Events"}}}
    more, _ = nano.runner(iterative)(document["fileset"], processor_instance=nano.Plain())
    assert processed_events(out) + processed_events(more) == 1200


@pytest.mark.parametrize("share", [0.6, 0.05])
def test_of_a_file_that_is_still_bad_it_is_said_that_it_is(iterative, files, share):
    path = files["signal"]["files"][1]
    truncate(path, share)
    runner = nano.runner(iterative, skipbadfiles=True)
    _, collector = measure(iterative, files, skipbadfiles=True)
    with pytest.raises(_core.RoastError, match=f"{path} still cannot be read"):
        collector.run.missing_items(runner, files)
    _, collector = measure(iterative, files, FailingOnce(), skipbadfiles=True)
    with pytest.warns(UserWarning, match=f"{path} still cannot be read"):
        (item,) = collector.run.missing_items(runner, files)
    assert item.entrystart == 200


@pytest.mark.parametrize("share", [0.6, 0.05])
def test_a_fileset_that_was_cut_into_work_items_will_do_to_run_again(iterative, files, share):
    path = files["signal"]["files"][1]
    runner = nano.runner(iterative, skipbadfiles=True)
    before = truncate(path, share)
    with MetricsCollector(iterative) as collector:
        items = list(runner.preprocess(files))
        out = runner.run(items, processor_instance=nano.Plain())["out"]
    Path(path).write_bytes(before)
    again = collector.run.missing_items(runner, items)
    assert {item.usermeta["year"] for item in again} == {2018}
    more = runner.run(again, processor_instance=nano.Plain())["out"]
    assert processed_events(processor.accumulate([out, more])) == 1200


class FailingOnce(nano.Plain):
    """Cannot process the third chunk of a file."""

    def __init__(self, bad=True):
        self.bad = bad

    def process(self, events):
        if self.bad and events.metadata["filename"].endswith("file0.root") and events.metadata["entrystart"] == 200:
            raise OSError("bad basket")
        return super().process(events)


def test_of_a_file_that_is_partly_there_only_the_missing_entries_are_run_again(iterative, files, roast):
    out, collector = measure(iterative, files, FailingOnce(), skipbadfiles=True)
    document = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert document["fileset"] == {}  # all of the file would count events twice
    assert [(row["entry_start"], row["entry_stop"], row["whole_file"]) for row in document["missing"]] == [(200, 300, "no")]
    runner = nano.runner(iterative)
    items = items_for(document["missing"], runner, files)
    more = runner.run(items, processor_instance=FailingOnce(bad=False))["out"]
    assert processed_events(more) == 100
    assert processed_events(processor.accumulate([out, more])) == 1200


def test_the_table_of_what_is_missing_names_file_tree_entries_dataset_and_error(iterative, files, roast):
    _, collector = measure(iterative, files, FailingOnce(), skipbadfiles=True)
    shown = roast("show", collector.run.path, "--only", "missing", "--width", "200").stdout
    line = next(line for line in shown.splitlines() if line.lstrip().startswith("signal"))
    for part in ("file0.root", "Events", "200", "300", "100", "permanent", "OSError", "bad basket"):
        assert part in line, part
    with sqlite3.connect(f"file:{collector.run.path}?mode=ro", uri=True) as database:
        rows = database.execute("select dataset, tree, entry_start, entry_stop from missing").fetchall()
    assert rows == [("signal", "Events", 200, 300)]


# ---- what coffea was asked for


def test_work_items_that_the_user_made_are_what_was_asked_for(iterative, files):
    runner = nano.runner(iterative)
    for give in (list, iter, lambda items: (item for item in items)):
        items = [item for item in nano.runner(iterative).preprocess(files) if item.entrystart < 200]
        given = give(items) if give is not iter else items
        with MetricsCollector(iterative) as collector:
            runner.run(given, processor_instance=FailingOnce())
        assert numbers(collector) == (600, 0, 0, 0)


def test_a_file_that_is_dropped_when_the_user_preprocesses_belongs_to_the_run_that_follows(iterative, files):
    truncate(files["signal"]["files"][1], 0.05)
    runner = nano.runner(iterative, skipbadfiles=True)
    with MetricsCollector(iterative) as collector:
        runner.run(list(runner.preprocess(files)), processor_instance=nano.Plain())
    assert numbers(collector) == (None, None, 0, 1)


def test_a_file_that_is_dropped_while_the_run_takes_items_from_preprocessing_belongs_to_it(iterative, files):
    truncate(files["signal"]["files"][1], 0.05)
    runner = nano.runner(iterative, skipbadfiles=True)
    with MetricsCollector(iterative) as collector:
        runner.run(runner.preprocess(files), processor_instance=nano.Plain())
    assert numbers(collector) == (None, None, 0, 1)
    assert collector.run.missing[0]["file"] == files["signal"]["files"][1]
    assert FIRST in collector.run.summary.text(200, False, True)


class FailingBackground(nano.Plain):
    def process(self, events):
        if events.metadata["dataset"] == "background":
            raise OSError("no such basket")
        return super().process(events)


def test_a_file_is_only_missing_as_a_whole_if_all_of_it_was_asked_for(iterative, files, roast):
    _, collector = measure(iterative, files, FailingBackground(), skipbadfiles=True, maxchunks=2)
    assert [(row["entry_start"], row["whole_file"]) for row in collector.run.missing] == [(0, "no"), (100, "no")]
    document = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert document["fileset"] == {}, "the Runner would take all of the file"
    items = collector.run.missing_items(nano.runner(iterative), files)
    assert [(item.entrystart, item.entrystop) for item in items] == [(0, 100), (100, 200)]


def test_a_file_whose_items_were_left_out_by_the_user_is_not_missing_as_a_whole(iterative, files):
    runner = nano.runner(iterative, skipbadfiles=True)
    with MetricsCollector(iterative) as collector:
        items = [item for item in runner.preprocess(files) if item.entrystart < 200]
        runner.run(items, processor_instance=FailingBackground())
    assert {row["whole_file"] for row in collector.run.missing} == {"no"}


def test_files_that_maxchunks_leaves_out_were_not_asked_for(iterative, files):
    _, collector = measure(iterative, files, maxchunks=2)
    assert numbers(collector) == (400, 0, 0, 0)
    truncate(files["signal"]["files"][0], 0.05)
    _, collector = measure(iterative, files, maxchunks=2, skipbadfiles=True)
    assert numbers(collector) == (400, 0, 0, 0)  # the second file has the chunks instead


class FailingLast(nano.Plain):
    """Fails at the last chunk of the background, so that others have succeeded."""

    def __init__(self, bad=True):
        self.bad = bad

    def process(self, events):
        if self.bad and events.metadata["dataset"] == "background" and events.metadata["entrystart"] == 300:
            raise OSError("no such basket")
        return super().process(events)


def test_a_run_that_raises_returned_nothing_so_all_of_it_is_missing_and_counted_once(iterative, files, roast):
    with pytest.raises(Exception), MetricsCollector(iterative) as collector:  # noqa: B017
        nano.runner(iterative)(files, processor_instance=FailingLast())
    assert collector.run.outcome == "failed"
    done = collector.metrics["num_successful_chunks"]
    assert 0 < done < 12
    assert numbers(collector) == (1200, 1200, 12, 3)
    text = collector.run.summary.text(200, False, True)
    assert f"{done} of 12 chunks" in text and "1 200 of 1 200 events are missing (100.0 %)" in text
    assert "never succeeded" not in text and "no attempt was recorded" not in text and "OSError: no such basket" in text
    listed = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert [(row["entry_start"], row["entry_stop"]) for row in listed["missing"]] == [(0, 400)] * 3  # one for each file
    assert {name: sorted(entry["files"]) for name, entry in listed["fileset"].items()} == {
        name: sorted(entry["files"]) for name, entry in files.items()
    }


def test_a_run_that_raises_lacks_what_it_did_not_get_to(iterative, files):
    with pytest.raises(Exception), MetricsCollector(iterative) as collector:  # noqa: B017
        nano.runner(iterative)(files, processor_instance=FailingOnce())
    assert collector.run.outcome == "failed"
    assert numbers(collector)[:3] == (1200, 1200, 12)
    assert collector.run.missing[0]["entry_start"] is not None
    assert "NO RESULT, the run raised: " in collector.run.summary.text(200, False, True)
    first = collector.run.explain()["findings"][0]
    assert first["id"] == "missing" and "run all of it again" in first["advice"]
    assert "retries" in first["advice"] and "skipbadfiles" not in first["advice"]  # what may pass is not to be thrown away
    with pytest.raises(_core.RoastError, match="no output to add to"):
        collector.run.missing_items(nano.runner(iterative), files)


def test_a_run_that_was_interrupted_has_no_result_to_add_to(iterative, files):
    class Interrupted(nano.Plain):
        def process(self, events):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), MetricsCollector(iterative) as collector:
        nano.runner(iterative)(files, processor_instance=Interrupted())
    text = collector.run.summary.text(200, False, True)
    assert "NO RESULT, the run raised: " in text
    assert collector.run.outcome == "interrupted" and collector.run.facts["state"] == "interrupted"  # this process lives on
    assert "interrupted after" in text and "still running" not in text
    with pytest.raises(_core.RoastError, match="no output to add to"):
        collector.run.missing_items(nano.runner(iterative), files)


@pytest.mark.parametrize("caught", [False, True])
def test_a_runner_that_raises_in_preprocessing_lacks_all_its_files_and_that_is_said_first(iterative, files, roast, tmp_path, caught):
    truncate(files["signal"]["files"][1], 0.05)
    with contextlib.suppress(OSError if not caught else ()), MetricsCollector(iterative) as collector:
        with contextlib.suppress(OSError if caught else ()):
            nano.runner(iterative)(files, processor_instance=nano.Plain())
    assert collector.run.outcome == ("finished" if caught else "failed")
    assert numbers(collector) == (None, None, 0, 3)
    assert {(row["file"], row["raised"]) for row in collector.run.missing} == {
        (file, "yes") for entry in files.values() for file in entry["files"]
    }
    first = "INCOMPLETE, a Runner raised: " if caught else "NO RESULT, the run raised: "
    for surface, text in surfaces(collector, roast, tmp_path).items():
        start = text[text.index(first) : text.index("finished" if caught else "failed")]
        assert "file1.root: OSError: expected Chunk of length" in start and "never opened" not in start, surface
        assert not caught or "3 files" in start, surface


def test_preprocessing_that_raises_outside_of_a_run_is_said_first_too(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.05)
    with MetricsCollector(iterative) as collector, contextlib.suppress(OSError):
        nano.runner(iterative).preprocess(files)
    assert numbers(collector) == (None, None, 0, 3)
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert "INCOMPLETE, a Runner raised: " in text[: text.index("finished")], surface


def test_preprocessing_that_raises_is_made_good_by_a_run_over_all_its_files_and_by_no_smaller_one(iterative, files):
    whole = truncate(files["signal"]["files"][1], 0.05)
    runner, fewer = nano.runner(iterative), files | {"signal": files["signal"] | {"files": files["signal"]["files"][:1]}}
    with MetricsCollector(iterative) as first, contextlib.suppress(OSError):
        with contextlib.suppress(OSError):
            runner.preprocess(files)
        runner(fewer, processor_instance=nano.Plain())
    assert [row["file"] for row in first.run.missing] == [files["signal"]["files"][1]]
    with MetricsCollector(iterative) as second:
        with contextlib.suppress(OSError):
            runner.preprocess(files)
        Path(files["signal"]["files"][1]).write_bytes(whole)
        for _ in range(2):  # two results, of which neither is the other computed again
            runner(runner.preprocess(files), processor_instance=nano.Plain())
    assert numbers(second) == (2400, 0, 0, 0) and second.run.missing == []
    assert second.metrics["num_successful_chunks"] == 24 and second.metrics["num_recomputed_chunks"] == 0


def test_a_runner_that_raises_before_it_knows_its_files_leaves_a_doubt_that_is_said_first(iterative, files, roast, tmp_path):
    with MetricsCollector(iterative) as collector, contextlib.suppress(ValueError):
        nano.runner(iterative)({"signal": "no list"}, processor_instance=nano.Plain())
    for surface, text in surfaces(collector, roast, tmp_path).items():
        text = " ".join(text.split())  # lines are broken where the screen ends
        assert "NOT KNOWN TO BE COMPLETE: a Runner raised before it was known what there was to process" in text, surface
        assert text.index("NOT KNOWN TO BE COMPLETE") < text.index("finished"), surface
    assert collector.run.summary.headings()[-1][0][1] == "warn"


# ---- work items that were made before


def test_files_that_were_dropped_before_the_block_leave_a_doubt_that_is_said_first(iterative, files, roast, tmp_path):
    truncate(files["signal"]["files"][1], 0.05)
    runner = nano.runner(iterative, skipbadfiles=True)
    for give in (lambda: list(runner.preprocess(files)), lambda: runner.preprocess(files)):
        items = give()
        with MetricsCollector(iterative) as collector:
            runner.run(items, processor_instance=nano.Plain())
        assert numbers(collector) == (None,) * 4
        assert collector.run.summary.why("missing_files").startswith("the work items were made before the with block")
        for surface, text in surfaces(collector, roast, tmp_path).items():
            assert "NOT KNOWN TO BE COMPLETE: the work items were made before the with block" in text, surface
            assert FIRST not in text, surface


def test_of_items_from_before_the_block_what_is_lost_is_said_all_the_same(iterative, files):
    runner = nano.runner(iterative, skipbadfiles=True)
    items = list(runner.preprocess(files))
    with MetricsCollector(iterative) as collector:
        runner.run(items, processor_instance=FailingOnce())
    assert numbers(collector) == (None, None, 1, 1)
    assert FIRST + "at least 100 events are missing" in collector.run.summary.text(200, False, True)


def test_items_of_a_runner_that_drops_no_files_are_complete(iterative, files):
    runner = nano.runner(iterative)
    items = list(runner.preprocess(files))
    with MetricsCollector(iterative) as collector:
        runner.run(items, processor_instance=nano.Plain())
    assert numbers(collector) == (1200, 0, 0, 0)


def test_items_for_what_was_missing_are_complete_when_they_are_done(iterative, files):
    path = files["signal"]["files"][1]
    before = truncate(path, 0.05)
    _, collector = measure(iterative, files, skipbadfiles=True)
    Path(path).write_bytes(before)
    runner = nano.runner(iterative, skipbadfiles=True)
    items = collector.run.missing_items(runner, files)
    with MetricsCollector(iterative) as again:
        runner.run(items, processor_instance=nano.Plain())
    assert numbers(again) == (400, 0, 0, 0)


def test_two_runs_of_a_runner_are_two_results(iterative, files):
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative, skipbadfiles=True)
        runner(files, processor_instance=FailingOnce())
        runner(files, processor_instance=FailingOnce(bad=False))
    assert numbers(collector) == (2400, 100, 1, 1)  # the first lacks it still


def test_two_results_that_lack_the_same_events_have_them_run_again_once(iterative, files):
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative, skipbadfiles=True)
        runner(files, processor_instance=FailingOnce())
        runner(files, processor_instance=FailingOnce())
    assert numbers(collector) == (2400, 200, 2, 1)
    items = collector.run.missing_items(runner, files)
    assert [(item.entrystart, item.entrystop) for item in items] == [(200, 300)]


def test_what_is_run_again_in_the_same_collector_is_no_longer_missing(files, marks):
    executor = processor.IterativeExecutor(status=False, retries=0)
    with MetricsCollector(executor) as collector:
        runner = nano.runner(executor, skipbadfiles=True)
        out, _ = runner(files, processor_instance=FailingWith(marks, "signal-200", error=OSError))
        items = [i for i in runner.preprocess(files) if i.filename.endswith("file0.root") and i.entrystart == 200]
        more = runner.run(items, processor_instance=FailingWith(marks, "signal-200", error=OSError))["out"]
    assert processed_events(processor.accumulate([out, more])) == 1200
    assert numbers(collector) == (1200, 0, 0, 0) and collector.run.missing == []
    assert FIRST not in collector.run.summary.text(200, False, True)


def test_what_is_run_again_in_vain_is_missing_once(iterative, files):
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative, skipbadfiles=True)
        runner(files, processor_instance=FailingOnce())
        items = [i for i in runner.preprocess(files) if i.filename.endswith("file0.root") and i.entrystart == 200]
        with pytest.raises(ValueError, match="No chunks returned results"):
            runner.run(items, processor_instance=FailingOnce())
    assert numbers(collector) == (1200, 100, 1, 1)
    assert len(collector.run.missing_items(runner, files)) == 1, "of the first there is a result to add to"


def test_a_run_that_raised_and_was_tried_again_is_complete(files, marks, roast):
    executor = processor.IterativeExecutor(status=False, retries=0)
    with MetricsCollector(executor) as collector:
        runner, analysis = nano.runner(executor), FailingWith(marks, "background-300")
        with pytest.raises(Exception):  # noqa: B017
            runner(files, processor_instance=analysis)
        runner.chunksize = 200  # the same events, cut otherwise
        out, _ = runner(files, processor_instance=analysis)
    assert processed_events(out) == 1200
    assert collector.run.outcome == "finished" and numbers(collector) == (1200, 0, 0, 0)
    assert collector.run.missing_items(runner, files) == []
    assert FIRST not in roast("show", collector.run.path).stdout


@pytest.mark.parametrize("skipbadfiles", [False, True])
def test_a_processor_that_is_changed_in_between_may_be_another_variation(iterative, files, roast, skipbadfiles):
    """One object with another correction, in a loop: whether both results are wanted, nobody knows."""
    with MetricsCollector(iterative) as collector:
        runner, analysis = nano.runner(iterative, skipbadfiles=skipbadfiles), FailingOnce()
        with contextlib.suppress(Exception):
            runner(files, processor_instance=analysis)
        analysis.bad = False
        items = [i for i in runner.preprocess(files) if i.filename.endswith("file0.root") and i.entrystart == 200]
        runner.run(items if skipbadfiles else files, processor_instance=analysis)
    said = "NOT KNOWN TO BE COMPLETE: after events were lost, the same was asked for with a processor that had been changed"
    assert said in " ".join(roast("show", collector.run.path).stdout.split())
    assert numbers(collector) == (None,) * 4


def test_another_function_of_the_same_name_does_not_make_good(iterative, files):
    def variation(bad):
        def process(events):
            return FailingOnce(bad).process(events)

        return process

    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative, skipbadfiles=True)
        runner(files, processor_instance=variation(True))
        items = [i for i in runner.preprocess(files) if i.filename.endswith("file0.root") and i.entrystart == 200]
        runner.run(items, processor_instance=variation(False))
    assert numbers(collector) == (1300, 100, 1, 1)


def test_a_run_from_another_place_has_the_same_events(files, tmp_path):
    """The site is down, and the same files are elsewhere."""
    executor = processor.IterativeExecutor(status=False, retries=0)
    elsewhere = {name: {**entry, "files": [shutil.copy(file, tmp_path / "copies") for file in entry["files"]]}
                 for name, entry in files.items() if (tmp_path / "copies").mkdir(exist_ok=True) is None}  # fmt: skip
    with MetricsCollector(executor) as collector:
        runner = nano.runner(executor)
        for fileset in (files, elsewhere):
            with contextlib.suppress(Exception):
                out, _ = runner(fileset, processor_instance=FailingAt(str(tmp_path / "copies")))
    assert processed_events(out) == 1200 and numbers(collector) == (1200, 0, 0, 0)


class FailingAt(nano.Plain):
    """Can only read files of a folder."""

    def __init__(self, folder):
        self.folder = folder

    def process(self, events):
        if not events.metadata["filename"].startswith(self.folder):
            raise ValueError("site down")
        return super().process(events)


def test_fewer_files_than_before_are_no_correction_of_a_typo(iterative, files):
    nowhere = {**files, "signal": {**files["signal"], "files": ["/nowhere.root", *files["signal"]["files"]]}}
    fewer = {name: {**entry, "files": entry["files"][:1]} for name, entry in files.items()}
    with MetricsCollector(iterative) as collector:
        for fileset in (nowhere, fewer):
            with contextlib.suppress(FileNotFoundError):
                nano.runner(iterative)(fileset, processor_instance=nano.Plain())
    assert {row["file"] for row in collector.run.missing} == {"/nowhere.root", files["signal"]["files"][1]}


def test_a_file_that_is_twice_in_a_dataset_is_told_first(iterative, files, roast):
    twice = {name: {**entry, "files": [*entry["files"], *entry["files"][:1]]} for name, entry in files.items()}
    with MetricsCollector(iterative) as collector:
        nano.runner(iterative)(twice, processor_instance=nano.Plain())
    first = f"NOT KNOWN TO BE COMPLETE: {files['signal']['files'][0]} is twice in dataset signal"
    assert first in " ".join(roast("show", collector.run.path, "--width", "300").stdout.split())


def test_a_dataset_without_files_is_told_first(iterative, files, roast):
    files = {**files, "diboson": {"files": [], "treename": "Events"}}
    with MetricsCollector(iterative) as collector:
        nano.runner(iterative)(files, processor_instance=nano.Plain())
    said = roast("show", collector.run.path, "--width", "300", "--all").stdout
    assert said.startswith("NOT KNOWN TO BE COMPLETE: dataset diboson has no files in the fileset")


class Held(nano.Plain):
    """Goes on when it is told to."""

    begun, go_on = threading.Event(), threading.Event()

    def process(self, events):
        self.begun.set()
        assert self.go_on.wait(60)
        return super().process(events)


def test_one_runner_in_two_threads_leaves_a_doubt_and_nothing_is_taken_for_lost(iterative, files):
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative)
        other = threading.Thread(target=runner, args=(files, Held()))
        other.start()
        assert Held.begun.wait(60)
        runner(files, processor_instance=nano.Plain())
        Held.go_on.set()
        other.join()
    assert numbers(collector) == (None,) * 4
    assert collector.run.summary.why("missing_events").startswith("two threads used one Runner at the same time")


def test_files_are_dropped_also_if_only_the_first_chunks_are_taken(iterative, files):
    truncate(files["signal"]["files"][1], 0.05)
    runner = nano.runner(iterative, skipbadfiles=True)
    with MetricsCollector(iterative) as collector:
        items = list(itertools.islice(runner.preprocess(files), 8))  # all that there are
        runner.run(items, processor_instance=nano.Plain())
    assert numbers(collector) == (None, None, 0, 1)


def test_a_file_that_is_dropped_by_two_looks_at_it_is_one_file(iterative, files):
    truncate(files["signal"]["files"][1], 0.05)
    runner = nano.runner(iterative, skipbadfiles=True)
    with MetricsCollector(iterative) as collector:
        list(runner.preprocess(files))
        runner(files, processor_instance=nano.Plain())
    assert numbers(collector)[3] == len(collector.run.missing) == 1


def test_the_fileset_to_run_again_may_be_a_file_of_json(iterative, files, tmp_path):
    path = tmp_path / "fileset.json"
    path.write_text(json.dumps(files))
    _, collector = measure(iterative, files, FailingOnce(), skipbadfiles=True)
    for given in (path, str(path)):
        (item,) = collector.run.missing_items(nano.runner(iterative), given)
        assert (item.entrystart, item.usermeta["year"]) == (200, 2018)


def test_only_what_a_result_lacks_is_given_to_be_added_to_it(iterative, files, roast):
    """The signal raises and is not tried again, of the background a chunk is lost: only there is a result to add to."""
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(iterative)
        with pytest.raises(Exception):  # noqa: B017
            runner({"signal": files["signal"]}, processor_instance=FailingOnce())
        runner.skipbadfiles = True
        runner({"background": files["background"]}, processor_instance=FailingLast())
    assert numbers(collector) == (1200, 900, 9, 3)
    assert {(row["dataset"], row["raised"]) for row in collector.run.missing} == {("signal", "yes"), ("background", "no")}
    (item,) = collector.run.missing_items(runner, files)
    assert (item.dataset, item.entrystart) == ("background", 300)
    shown = roast("show", collector.run.path).stdout
    assert FIRST in shown and "9 chunks in 3 files" in shown.replace("\u202f", " ")


def test_another_processor_does_not_make_good_for_one_that_raised(iterative, files, roast):
    with MetricsCollector(iterative) as collector:
        with pytest.raises(Exception):  # noqa: B017
            nano.runner(iterative)(files, processor_instance=FailingLast())
        nano.runner(iterative)(files, processor_instance=nano.Plain())
    assert numbers(collector) == (2400, 1200, 12, 3)
    assert "INCOMPLETE, a Runner raised: " in roast("show", collector.run.path).stdout
    with pytest.raises(_core.RoastError, match="no output to add to"):
        collector.run.missing_items(nano.runner(iterative), files)


def test_a_typo_that_was_corrected_hides_nothing_of_what_follows(iterative, files):
    with MetricsCollector(iterative) as collector:
        with pytest.raises(Exception):  # noqa: B017
            nano.runner(iterative)({"signal": {"files": ["/nowhere.root"], "treename": "Events"}}, processor_instance=FailingOnce())
        nano.runner(iterative, skipbadfiles=True)(files, processor_instance=FailingOnce())
    assert numbers(collector) == (1200, 100, 1, 1)


def test_what_is_lost_is_said_although_something_else_is_not_known(iterative, files):
    nowhere = {"data": {"files": ["/nowhere.root"], "treename": "Events"}}
    for bad in (True, False):
        with MetricsCollector(iterative) as collector:
            with pytest.raises(Exception):  # noqa: B017
                nano.runner(iterative)(nowhere, processor_instance=FailingOnce())
            nano.runner(iterative, skipbadfiles=True)(files, processor_instance=FailingOnce(bad))
        text = collector.run.summary.text(200, False, True)
        assert numbers(collector) == ((None, None, 1, 2) if bad else (None, None, 0, 1))
        assert (FIRST + "at least 100 events are missing" in text) == bad and "   complete" not in text
        assert bad or "INCOMPLETE, a Runner raised: events are missing, how many is not known" in text
        assert "nowhere.root: FileNotFoundError" in text


def test_a_variation_that_raised_is_not_made_good_by_the_next_one(iterative, files, roast):
    """Both are wanted, though they are of one class and work on the same files."""

    class Varied(nano.Plain):
        def __init__(self, shift):
            self.shift = shift

        def process(self, events):
            if self.shift == "up" and events.metadata["entrystart"] == 200:
                raise ValueError("no such correction")
            return super().process(events)

    with MetricsCollector(iterative) as collector:
        for shift in ("up", "down"):
            with contextlib.suppress(Exception):
                nano.runner(iterative)(files, processor_instance=Varied(shift))
    assert numbers(collector) == (2400, 1200, 12, 3)
    assert "INCOMPLETE, a Runner raised: " in roast("show", collector.run.path).stdout


def test_what_was_tried_again_counts_once_in_every_table(iterative, files, marks):
    with MetricsCollector(iterative) as collector:
        runner = nano.runner(processor.IterativeExecutor(status=False, retries=0))
        for _ in range(2):
            with contextlib.suppress(Exception):
                out, _ = runner(files, processor_instance=FailingWith(marks, "background-300"))
    assert processed_events(out) == 1200
    metrics = collector.metrics
    assert numbers(collector) == (1200, 0, 0, 0)
    assert metrics["num_successful_chunks"] == 12 and metrics["num_failed_chunks"] == 1
    assert ("12 chunks", "plain") in collector.run.summary.headings()[-1]
    assert metrics["num_recomputed_chunks"] + 13 == metrics["num_chunk_records"] > 13
    assert {name: entry["total_events"] for name, entry in metrics["per_dataset"].items()} == {"signal": 800, "background": 400}
    assert metrics["total_events"] == 1200


class FailingWith(nano.Plain):
    """Each of some chunks fails once, whichever object of this class is at it."""

    def __init__(self, folder, *chunks, error=ValueError):
        self.folder, self.chunks, self.error = folder, chunks, error

    def process(self, events):
        mark = Path(self.folder, f"{events.metadata['dataset']}-{events.metadata['entrystart']}")
        if mark.name in self.chunks and not mark.exists():
            mark.touch()
            raise self.error("bad luck")
        return super().process(events)


def test_the_advice_that_is_printed_gives_the_processor_its_metadata(iterative, files):
    class OfAYear(nano.Plain):
        bad = True

        def process(self, events):
            if events.metadata["year"] == 2018 and events.metadata["entrystart"] == 0 and self.bad:
                raise OSError("no such basket")
            return super().process(events)

    whole = {"signal": files["signal"]}
    analysis = OfAYear()
    output, collector = measure(iterative, whole, analysis, skipbadfiles=True)
    assert processed_events(output) == 600
    code = collector.run.explain()["findings"][0]["code"]
    names = {"run": collector.run, "runner": nano.runner(iterative), "fileset": whole, "output": output, "analysis": analysis}
    analysis.bad = False
    exec(code, names)
    expected, _ = nano.runner(iterative)(whole, processor_instance=nano.Plain())
    assert names["output"]["signal"] == pytest.approx(expected["signal"])
    with pytest.raises(ValueError, match="has no dataset 'signal'"):
        collector.run.missing_items(nano.runner(iterative), {"background": files["background"]})

def test_chunks_from_a_checkpoint_are_not_missing(iterative, files, tmp_path):
    from coffea.processor import SimpleCheckpointer

    checkpoints = SimpleCheckpointer(str(tmp_path / "checkpoints"))
    out, _ = measure(iterative, files, checkpointer=checkpoints)
    again, collector = measure(iterative, files, checkpointer=checkpoints)
    assert processed_events(again) == processed_events(out) == 1200
    assert numbers(collector) == (1200, 0, 0, 0)


def test_chunks_that_nobody_measured_are_not_missing(iterative, files):
    instance = nano.Plain()
    instance._roastcoffea_collect_metrics = False
    _, collector = measure(iterative, files, instance)
    assert "num_chunk_records" not in collector.metrics and collector.run.metrics["num_chunk_records"] is None
    assert numbers(collector) == (1200, 0, 0, 0)


def test_a_release_that_does_not_tell_what_its_result_holds_leaves_it_to_the_attempts(iterative, files, monkeypatch):
    run = processor.Runner._run

    def without(*args, **kwargs):
        out = run(*args, **kwargs)
        del out["processed"]
        return out

    monkeypatch.setattr(processor.Runner, "_run", without)
    _, collector = measure(iterative, files)
    assert numbers(collector) == (1200, 0, 0, None)  # as many chunks were submitted as there are records
    _, collector = measure(iterative, files, FailingOnce(), skipbadfiles=True)
    assert numbers(collector) == (1200, 100, 1, 1)


def test_a_file_that_became_shorter_than_coffea_remembers_lacks_events(iterative, files):
    cache = {}
    list(nano.runner(iterative, metadata_cache=cache).preprocess(files))
    nano.write_file(Path(files["signal"]["files"][1]), events=350, seed=1)
    out, collector = measure(iterative, files, metadata_cache=cache)
    assert processed_events(out) == 1150
    assert numbers(collector) == (1200, 50, 0, 1)
    (row,) = collector.run.missing
    assert (row["entry_start"], row["entry_stop"], row["events"]) == (350, 400, 50)


def test_items_that_an_executor_cut_into_smaller_ones_are_not_missing():
    item = lambda start, stop: nano.SimpleNamespace(  # noqa: E731
        dataset="d", filename="f", treename="t", entrystart=start, entrystop=stop, fileuuid=b""
    )
    requests = Requests()
    requests.begin(1)
    requests.sizes({File("d", "f", "t"): 300})
    for start in (0, 100, 200):
        requests.item(item(start, start + 100), 1)
    requests.returned(1, [item(0, 100), item(100, 150), item(150, 200), item(250, 300)])
    dataset, lost = requests.records()
    assert (dataset["chunks"], dataset["events"], dataset["files"]) == (3, 300, 1)
    assert (lost["entry_start"], lost["entry_stop"], lost["whole"]) == (200, 250, False)


@pytest.mark.parametrize("step", [10, 20])
def test_a_run_that_raised_has_as_many_records_as_files_however_many_chunks(step):
    requests = Requests()
    requests.begin(1)
    for file in range(3):
        for start in range(0, 1000, step):
            requests.item(nano.SimpleNamespace(dataset="d", filename=f"{file}", treename="t", entrystart=start,
                                               entrystop=start + 10, fileuuid=b""), 1)  # fmt: skip
    dataset, *parts = requests.records()
    chunks = 1000 // step
    assert (dataset["chunks"], dataset["events"], dataset["files"]) == (3 * chunks, 30 * chunks, 3)
    parts = [(part["entry_start"], part["entry_stop"], part["chunks"], part["events"], part["raised"]) for part in parts]
    assert parts == [(0, 1010 - step, chunks, 10 * chunks, True)] * 3


# ---- runs that do not know what was asked for


def record(path, chunks, report=None, work=()):
    recorder = _core.Recorder(str(path), name="made")
    recorder.fact("t_start_ns", 10**18)
    recorder.fact("t_end_ns", 10**18 + 10**11)
    for number, chunk in enumerate(chunks):
        recorder.chunk({"dataset": "d", "file": "f", "treename": "t", "worker": "w", "duration_ns": 10**9,
                        "t_start_ns": 10**18 + number * 10**9, **chunk})  # fmt: skip
    if report:
        recorder.report(json.dumps(report))
    recorder.work(list(work))
    recorder.close("finished")
    return open_run(path)


def chunk(start, attempt=1, error=None):
    failed = {"error_type": "OSError", "error": error} if error else {"events": 100}
    return {"entry_start": start, "entry_stop": start + 100, "attempt": attempt, **failed}


FAILED = [chunk(0), chunk(100, error="bad"), chunk(100, 2, error="bad"), chunk(200, error="timed out"), chunk(200, 2)]


def test_attempts_alone_tell_what_failed_each_time(tmp_path):
    run = record(tmp_path / "a.roast", FAILED)
    assert [run.metrics[name] for name in NUMBERS] == [None, 100, 1, 1]
    assert [(row["entry_start"], row["attempts"], row["nature"]) for row in run.missing] == [(100, 2, "permanent")]
    assert run.explain()["findings"][0]["id"] == "missing"


def test_the_number_of_submitted_chunks_tells_whether_that_is_all(tmp_path):
    known = record(tmp_path / "a.roast", FAILED, {"chunks": 3, "entries": 200})
    assert [known.metrics[name] for name in NUMBERS] == [300, 100, 1, 1]
    more = record(tmp_path / "b.roast", FAILED, {"chunks": 4, "entries": 200})
    assert [more.metrics[name] for name in NUMBERS] == [None, 100, 1, 1]


def test_nothing_failed_is_not_nothing_missing_where_nobody_told_what_was_asked_for(tmp_path):
    run = record(tmp_path / "a.roast", [chunk(0), chunk(100)])
    assert [run.metrics[name] for name in NUMBERS] == [None] * 4
    assert "not known to be complete" in str(run.summary.headings())


def test_an_attempt_that_is_recorded_as_killed_after_another_succeeded_costs_nothing(tmp_path):
    killed = {**chunk(0, 2, error="gone"), "error_type": "KilledWorker"}
    run = record(tmp_path / "a.roast", [chunk(0), killed], {"chunks": 1, "entries": 100})
    assert [run.metrics[name] for name in NUMBERS[:3]] == [100, 0, 0]


def test_a_chunk_that_kills_every_worker_is_no_transient_error(tmp_path):
    deaths = [{**chunk(0, attempt, error="gone"), "error_type": "KilledWorker"} for attempt in (1, 2, 3)]
    run = record(tmp_path / "a.roast", deaths)
    assert [row["nature"] for row in run.missing] == ["permanent"]
    run = record(tmp_path / "b.roast", deaths[:2])
    assert [row["nature"] for row in run.missing] == ["transient"]


def test_an_error_of_different_chunks_is_not_that_of_the_file_if_others_succeed(tmp_path):
    once = [chunk(100 * i) for i in range(8)] + [chunk(800, error="bad"), chunk(900, error="bad")]
    run = record(tmp_path / "a.roast", once)
    assert [(row["attempts"], row["nature"]) for row in run.missing] == [(1, "unclear")] * 2
    run = record(tmp_path / "b.roast", once[8:])
    assert [row["nature"] for row in run.missing] == ["permanent"] * 2, "nothing of this file was ever read"


def test_chunks_whose_workers_died_once_each_do_not_kill_their_workers(tmp_path):
    deaths = [{**chunk(100 * i, error="gone"), "error_type": "KilledWorker"} for i in range(3)]
    run = record(tmp_path / "a.roast", [*deaths, chunk(300)])
    assert [row["nature"] for row in run.missing] == ["transient"] * 3


def test_entries_that_a_file_no_longer_has_are_not_to_be_tried_again(tmp_path):
    asked = {"round": 1, "dataset": "d", "files": 1, "chunks": 1, "events": 100}
    run = record(tmp_path / "a.roast", [chunk(0) | {"events": 60}], work=[asked])
    ((start, attempts, nature),) = [(row["entry_start"], row["attempts"], row["nature"]) for row in run.missing]
    assert (start, attempts, nature) == (60, None, "permanent")


@pytest.mark.parametrize("raised", [True, False])
def test_a_chunk_that_had_fewer_events_is_not_missing_twice(tmp_path, raised):
    file = {"round": 1, "dataset": "d", "file": "f", "treename": "t", "raised": raised}
    work = [{"round": 1, "dataset": "d", "files": 1, "chunks": 2, "events": 200, "raised": raised},
            {**file, "entry_start": 0, "entry_stop": 200, "chunks": 2, "whole": True}]  # fmt: skip
    run = record(tmp_path / "a.roast", [chunk(0) | {"events": 60, "round": 1}, chunk(100, error="bad") | {"round": 1}], work=work)
    assert [run.metrics[name] for name in NUMBERS] == [200, 200, 2, 1]
    (row,) = run.missing
    assert (row["entry_start"], row["entry_stop"], row["error"]) == (0, 200, "bad"), "of the chunk within that failed"


@pytest.mark.parametrize(
    ("times", "error_type", "error", "nature"),
    [
        (2, "OSError", "[ERROR] Operation expired", "transient"),
        (6, "OSError", "[ERROR] Operation expired", "transient"),  # a server that is down may be up later
        (2, "ReadTimeout", "", "transient"),
        (2, "OSError", "Read timed out. (read timeout=60)", "transient"),
        (2, "KeyError", "'l1_timeout_veto'", "permanent"),
        (2, "KeyError", "'timeout'", "permanent"),
        (2, "OSError", "not a ROOT file: /store/user/x/timeouts/f.root", "permanent"),
        (2, "OSError", "not a ROOT file: /store/timeout/f.root", "permanent"),
        (2, "OSError", "not a ROOT file: timeout.root", "permanent"),
        (2, "ClientConnectorCertificateError", "Cannot connect to host: certificate verify failed", "permanent"),
        (2, "ClientConnectorDNSError", "Cannot connect to host x:443 [Name or service not known]", "permanent"),
        (2, "gaierror", "[Errno -2] Name or service not known", "permanent"),
        (2, "gaierror", "[Errno -3] Temporary failure in name resolution", "transient"),
        (2, "socket.timeout", "", "transient"),
        (2, "socket.gaierror", "[Errno -2] Name or service not known", "permanent"),
        (2, "zlib.error", "Error -3 while decompressing data: incorrect header check", "permanent"),
        (2, "connections.error", "the user's own", "permanent"),  # by what it is called in its module, not by the module
        (2, "ssltools.timeout", "", "transient"),
    ],
)
def test_an_error_may_pass_by_what_it_says_and_not_if_it_comes_each_time(tmp_path, times, error_type, error, nature):
    failures = [chunk(0, 1 + i, error="x") | {"error_type": error_type, "error": error} for i in range(times)]
    run = record(tmp_path / "a.roast", [*failures, chunk(100)])
    assert [row["nature"] for row in run.missing] == [nature]
    assert ("errors may pass" in run.explain()["findings"][0]["advice"]) == (nature == "transient")


def test_an_error_that_others_got_over_may_pass(tmp_path):
    expired = [chunk(0, 1 + i, error="Operation expired") for i in range(4)]
    run = record(tmp_path / "a.roast", [*expired, chunk(100, error="Operation expired"), chunk(100, 2)])
    assert [(row["attempts"], row["nature"]) for row in run.missing] == [(4, "transient")]


def test_sums_of_a_damaged_file_stop_at_the_largest_number(tmp_path):
    asked = [{"round": i, "dataset": "d", "files": 1, "chunks": 1, "events": 2**61} for i in range(20)]
    run = record(tmp_path / "a.roast", [chunk(0)], work=asked)
    assert run.metrics["events_expected"] == 2**63 - 1


def test_an_error_is_cut_between_characters(roast, tmp_path):
    run = record(tmp_path / "a.roast", [chunk(0, error="é" * 40), chunk(0, 2, error="é" * 40)])
    shown = roast("show", "--all", run.path, env={"LC_ALL": "C.UTF-8"}).stdout
    assert "OSError: " + "é" * 24 + "…" in shown and "\ufffd" not in shown


def test_an_error_of_many_lines_is_shown_by_what_it_says_and_kept_whole(roast, tmp_path):
    said = "\n\nFailed processing file: WorkItem(dataset='d'). The error was: OSError('no basket,\\nsorry\\n\\nin file f')."
    lines = "\nnot\nfound\n\n    in file f"
    errors = {"error_type": "Exception", "error": said}, {"error_type": "KeyInFileError", "error": lines, "file": "g"}
    failed = [chunk(0, attempt, "x") | error for error in errors for attempt in (1, 2)]
    run = record(tmp_path / "a.roast", [*failed, chunk(100)])
    texts = [roast(*arguments, run.path).stdout for arguments in (["show", "--only", "missing,failures"], ["show", "--all"], ["explain"])]
    page = run.report(tmp_path / "page.html").read_text()
    for text in (*texts, as_text(page[page.index("<h1>") : page.index("<script")])):
        assert "OSError('no basket, sorry" in " ".join(text.split())
        assert "g: KeyInFileError: not found" in " ".join(text.split())
        assert not [part for part in ("\\n", "WorkItem", "in file f") if part in text]
    assert [row["error"] for row in run.missing] == [said, lines]
    assert [row["error"] for row in json.loads(roast("show", run.path, "--only", "missing", "--json").stdout)["missing"]] == [said, lines]


# ---- comparing


def test_a_run_that_processed_fewer_events_is_not_called_faster(roast, tmp_path):
    whole = [chunk(100 * i) for i in range(20)]
    a = [record(tmp_path / f"a{i}.roast", whole, {"chunks": 20, "entries": 2000}) for i in range(5)]
    b = [record(tmp_path / f"b{i}.roast", whole[:18], {"chunks": 20, "entries": 1800}) for i in range(5)]
    compared = roast("compare", a[0].path, b[0].path).stdout
    assert "B processed fewer events: 1 800 instead of 2 000" in compared.splitlines()[0].replace("\u202f", " ")
    assert a[0].compare(b[0])["did_less_work"] == "b" and a[0].compare(a[1])["did_less_work"] is None
    gate = roast("gate", "--json", *[run.path for run in a], "--", *[run.path for run in b])
    verdict = json.loads(gate.stdout)
    assert verdict["verdict"] == "undecided" and gate.returncode == 3
    assert verdict["metrics"][0]["why"] == "the new runs processed fewer events"
    back = roast("gate", "--json", *[run.path for run in b], "--", *[run.path for run in a])
    assert json.loads(back.stdout)["verdict"] == "fine"
