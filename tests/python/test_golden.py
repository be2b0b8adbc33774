"""A real run file of every version of the format stays readable, with the numbers that SQL gives."""

from __future__ import annotations

import json
import sqlite3

import pytest
from built import ROOT

GOLDEN = sorted((ROOT / "tests" / "golden").glob("run-v*.roast"))


def test_there_is_a_file_of_every_version():
    assert [path.name for path in GOLDEN] == ["run-v1.roast"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_run_of_every_version_is_read(roast, path):
    before = path.read_bytes()
    shown = json.loads(roast("show", path, "--json").stdout)
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        ask = lambda sql: database.execute(sql).fetchone()[0]  # noqa: E731
        assert shown["num_chunk_records"] == ask("SELECT count(*) FROM attempts") > 0
        assert shown["num_failed_chunks"] == ask("SELECT count(*) FROM attempts WHERE error_type IS NOT NULL")
        assert shown["total_events_from_chunks"] == ask("SELECT sum(events) FROM chunks")
        assert shown["peak_memory_bytes"] == ask("SELECT max(memory) FROM sample")
        assert len(shown["per_dataset"]) == ask("SELECT count(*) FROM dataset")
    assert shown["outcome"] == "finished"
    assert path.read_bytes() == before
