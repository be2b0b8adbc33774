"""A real run file of every version of the format stays readable, with the numbers that SQL gives."""

from __future__ import annotations

import hashlib
import json
import sqlite3

import pytest
from built import ROOT

GOLDEN = sorted((ROOT / "tests" / "golden").glob("run-v*.roast"))


def test_there_is_a_file_of_every_version():
    assert [path.name for path in GOLDEN] == ["run-v1.roast", "run-v2.roast", "run-v3.roast", "run-v4.roast"]
    for version, path in enumerate(GOLDEN, 1):
        assert int.from_bytes(path.read_bytes()[60:64], "big") == version


def test_a_golden_file_never_changes():
    """A version that is added adds a line; the others stay."""
    sums = (ROOT / "tests" / "golden" / "SHA256SUMS").read_text().split()
    assert sums[1::2] == [path.name for path in GOLDEN]
    assert sums[::2] == [hashlib.sha256(path.read_bytes()).hexdigest() for path in GOLDEN]
    assert sums[0] == "aa4aa957d9c76c93dfb6384a7adfa2c84690d7d818bf398ca60ab30b1743f148"


def test_a_run_of_version_1_has_nothing_of_what_version_2_added(roast):
    lines = roast("export", GOLDEN[0], "--to", "csv", "--only", "chunks").stdout.splitlines()
    chunks = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    assert len(chunks) == 31
    assert {chunk["major_faults"] + chunk["storage_bytes_read"] for chunk in chunks} == {""}
    assert all(chunk["page_faults"] for chunk in chunks)


def test_a_run_of_version_2_does_not_know_which_workers_were_measured(roast):
    shown = json.loads(roast("show", GOLDEN[1], "--json").stdout)
    assert shown["workers_not_measured"] is None and shown["chunks_not_measured"] is None
    assert "not_measured" not in shown["ledger"]


def test_a_run_of_version_3_does_not_know_what_was_asked_for(roast):
    shown = json.loads(roast("show", GOLDEN[2], "--json").stdout)
    assert [shown[name] for name in ("events_expected", "missing_events", "missing_chunks", "missing_files")] == [None] * 4
    assert shown["why_absent"]["missing_events"] == "it was not recorded what was asked for"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_run_of_every_version_is_read(roast, path):
    before = path.read_bytes()
    shown = json.loads(roast("show", path, "--json").stdout)
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        ask = lambda sql: database.execute(sql).fetchone()[0]  # noqa: E731
        assert shown["num_chunk_records"] == ask("SELECT count(*) FROM chunk") > 0
        assert shown["num_failed_chunks"] == ask("SELECT count(*) FROM chunk WHERE error_type IS NOT NULL")
        assert shown["total_events_from_chunks"] == ask("SELECT sum(events) FROM chunk WHERE error_type IS NULL")
        assert shown["peak_memory_bytes"] == ask("SELECT max(memory) FROM sample")
        assert len(shown["per_dataset"]) == ask("SELECT count(*) FROM dataset")
    assert shown["outcome"] == "finished"
    assert path.read_bytes() == before
