"""Tables as people read them: errors before their failures, sections as a tree, and names that can be told apart."""

from __future__ import annotations

import pathlib
import re
import time

import pytest
from roastcoffea import _core, open_run, track_memory, track_time

SECOND, BEGUN = 10**9, 1_794_751_331 * 10**9
ROOT = pathlib.Path(__file__).resolve().parents[2]


def record(path, chunks=(), packed=(), work=()):
    with _core.Recorder(str(path), name="made") as recorder:
        recorder.fact("t_start_ns", BEGUN)
        recorder.fact("t_end_ns", BEGUN + 100 * SECOND)
        for number, chunk in enumerate(chunks):
            recorder.chunk({"dataset": "d", "treename": "t", "worker": "w", "t_start_ns": BEGUN + number * SECOND,
                            "duration_ns": SECOND, "entry_start": 100 * number, "entry_stop": 100 * number + 100} | chunk)  # fmt: skip
        for record in packed:
            recorder.packed("w", record)
        recorder.work(list(work))
    return open_run(path)


def table(run, name, roast, *arguments, width=80):
    """The lines of a table on a terminal, without its title."""
    shown = roast("show", run.path, "--only", name, "--width", width, *arguments).stdout
    return re.split(r"\n.* ─+\n", shown)[1].splitlines()


def names_in(lines):
    """The first column."""
    header = next(number for number, line in enumerate(lines) if re.match(r"  \w+  ", line))
    return [line.split()[0] for line in lines[header + 1 :]]


# ---- Failures, by error

CUT = "expected Chunk of length {}, received 0 bytes for {}"
FAILURES = [
    {"file": "/data/a.root", "error_type": "OSError", "error": CUT.format(2285, "/data/a.root"), "worker": "tcp://a:1"},
    {"file": "/data/b.root", "error_type": "OSError", "error": CUT.format(17, "/data/b.root"), "worker": "tcp://a:2"},
    {"file": "/data/b.root", "error_type": "OSError", "error": CUT.format(9, "/data/b.root"), "worker": "tcp://a:2"},
    {"file": "/data/c.root", "error_type": "OSError", "error": "permission denied", "worker": "tcp://a:2"},
    {"file": "/data/c.root", "error_type": "KeyError", "error": "'pt'\nin process()", "worker": "tcp://a:1"},
]


def test_failures_that_differ_in_paths_and_numbers_are_one_error(tmp_path):
    run = record(tmp_path / "a.roast", FAILURES)
    rows = {(row["error_type"], row["error"]): row for row in run.metrics["errors"]}
    assert len(rows) == 3
    cut = rows["OSError", FAILURES[0]["error"]]
    assert (cut["count"], cut["files"], cut["workers"], cut["lost_seconds"]) == (3, 2, 2, 3)
    assert rows["OSError", "permission denied"]["count"] == rows["KeyError", "'pt'\nin process()"]["count"] == 1
    assert sum(row["count"] for row in rows.values()) == len(FAILURES) == sum(row["count"] for row in run.metrics["failures"])


def test_events_are_lost_to_the_error_of_their_file(tmp_path):
    run = record(tmp_path / "a.roast", [*FAILURES, {"file": "/data/d.root", "events": 100}])
    lost = {row["error"]: row["lost_events"] for row in run.metrics["errors"]}
    assert lost[FAILURES[0]["error"]] == 300
    assert sum(lost.values()) == run.metrics["missing_events"] == 500


def test_the_table_of_failures_has_errors_and_says_where_they_are_one_by_one(tmp_path, roast):
    run = record(tmp_path / "a.roast", FAILURES)
    lines = table(run, "failures", roast, width=120)
    assert lines[1].split()[:2] == ["3", "OSError"]
    assert f"one by one: roast show {run.path} --only failures_by_file" in " ".join(" ".join(lines).split())
    one_by_one = table(run, "failures_by_file", roast, width=120)
    assert [cell for cell in names_in(one_by_one) if cell.isdigit()] == ["2", "1", "1", "1"]


# ---- Sections


def chunk_with_sections():
    chunk = _core.Chunk()
    chunk.phase("process")
    with track_time(None, "selection"):
        time.sleep(0.02)
        with track_time(None, "jets"):
            time.sleep(0.03)
            with track_time(None, "overlap"), track_time(None, "both"):
                time.sleep(0.01)
    with track_time(None, "histograms"), track_time(None, "both"):
        time.sleep(0.01)
    with track_memory(None, "growing"):
        pass
    return chunk.finish()


@pytest.fixture
def sections(tmp_path):
    return record(tmp_path / "a.roast", packed=[chunk_with_sections()])


def test_a_sections_own_time_is_what_sections_inside_it_did_not_take(sections):
    rows = sections.metrics["sections"]
    assert rows["jets"]["parent"] == "selection" and rows["overlap"]["parent"] == "jets"
    assert rows["both"]["parent"] is None, "it was entered from two"
    for name, inside in {"selection": ["jets"], "jets": ["overlap"]}.items():
        own = rows[name]["total_duration"] - sum(rows[inner]["total_duration"] for inner in inside)
        assert rows[name]["self_duration"] == pytest.approx(own, abs=1e-9)
    assert 0.03 <= rows["jets"]["self_duration"] <= rows["jets"]["total_duration"] - 0.01


def test_sections_stand_below_the_one_that_they_are_a_part_of(sections, roast):
    lines = table(sections, "sections", roast, width=120)[1:]
    names = [re.match(r"  (\s*\S+)", line)[1].replace("\xa0", " ") for line in lines if line]
    tree = ["selection", "  jets", "    overlap"]
    assert [name for name in names if name in tree] == tree
    assert names.index("selection") + 2 == names.index("    overlap")


def test_a_section_that_measures_memory_has_no_row_of_times(sections, roast):
    assert not any("growing" in line for line in table(sections, "sections", roast, width=120))
    assert any("growing" in line for line in table(sections, "memory_sections", roast, width=120))


def test_where_no_section_is_inside_another_their_own_time_is_not_said(tmp_path):
    chunk = _core.Chunk()
    chunk.phase("process")
    with track_time(None, "a"):
        pass
    run = record(tmp_path / "a.roast", packed=[chunk.finish()])
    assert run.metrics["sections"]["a"]["self_duration"] is None


# ---- Names

PLACES = {
    "one folder": [f"root://eos.cern.ch//store/nano/run3/file_{i}.root" for i in range(9)],
    "a folder each": [f"root://eos.cern.ch//store/nano/{'x' * 40}_{i}/tree/nano_1.root" for i in range(9)],
    "a host each": [f"root://eos{i}.cern.ch//store/nano/a_long_name_of_a_folder/and_another_one/nano_1.root" for i in range(9)],
    "hexadecimal": [f"/pnfs/cms/NANOAODSIM/106X_v1/{i * 7919:08X}-AF68-EF43-AA5B-5AA77C74ED73.root" for i in range(9)],
    "nothing in common": ["a.root", "https://example.org/b.root", "c"],
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("files", PLACES.values(), ids=PLACES)
def test_files_that_differ_never_look_alike(tmp_path, roast, files, width):
    run = record(tmp_path / "a.roast", [{"file": name, "events": 100} for name in files])
    names = names_in(table(run, "files", roast, "--all", width=width))
    assert len(set(names)) == len(names) == len(files)


@pytest.mark.parametrize("files", PLACES.values(), ids=PLACES)
def test_what_files_have_in_common_is_said_once_and_puts_them_together_again(tmp_path, roast, files):
    run = record(tmp_path / "a.roast", [{"file": name, "events": 100} for name in files])
    lines = table(run, "files", roast, "--all", width=160)
    said = re.match(r"  file: (.*)…(.*)", lines[0])
    front, back = said.groups() if said else ("", "")
    names = names_in(lines)
    assert sorted(front + name + back for name in names) == sorted(files)
    assert not front or len({name.split("/")[0] for name in names}) > 1, "no folder is left that all have"


# ---- Evidence


def test_each_line_of_evidence_is_for_a_name_that_a_rule_gives():
    rules = "".join(path.read_text() for path in (ROOT / "src" / "analysis").glob("explain*.c"))
    words = (ROOT / "src" / "view" / "evidence_words.c").read_text()
    names = re.findall(r'^    \{"(.*?)",\s+"', words, re.MULTILINE)
    assert len(names) > 50 and len(set(names)) == len(names)
    assert [name for name in names if f'"{name}"' not in rules] == []
