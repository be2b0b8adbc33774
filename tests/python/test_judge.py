"""The simulator that judges roast explain writes what it says it writes: the same seed the same run, and the true ledger."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import pytest
from built import BUILD, ROOT, program

sys.path.insert(0, str(ROOT / "bench"))
import judge

TABLES = ("worker", "sample", "file", "chunk", "task", "activity", "document")


def simulate(path, kind: str, seed: int, *more) -> dict:
    command = [program("roast-simulate"), kind, str(seed), path, *more]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)


def rows(path) -> dict[str, list]:
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as run:
        return {table: run.execute(f"select * from {table}").fetchall() for table in TABLES}


@pytest.mark.parametrize("kind", ["slow_server", "leak", "preemption", "failures"])
def test_the_same_seed_gives_the_same_run(kind, tmp_path):
    truths = [simulate(tmp_path / name, kind, 5) for name in ("a.roast", "b.roast")]
    assert truths[0] == truths[1]
    first, second = rows(tmp_path / "a.roast"), rows(tmp_path / "b.roast")
    assert first == second and all(first[table] for table in TABLES)


def test_a_healthy_twin_has_the_same_chunks_and_no_cause(tmp_path):
    ill, well = simulate(tmp_path / "a.roast", "slow_host", 3), simulate(tmp_path / "b.roast", "slow_host", 3, "--healthy")
    assert ill["cause"] == "slow_host" and well["cause"] is None and well["saving_seconds"] == 0
    assert ill["wall_seconds"] - well["wall_seconds"] == pytest.approx(ill["saving_seconds"], abs=1e-5)
    chunks = "select file, entry_start, entry_stop, bytes_read from chunk order by 1, 2"
    with sqlite3.connect(tmp_path / "a.roast") as a, sqlite3.connect(tmp_path / "b.roast") as b:
        assert a.execute(chunks).fetchall() == b.execute(chunks).fetchall()


def test_the_ledger_that_roast_shows_is_the_true_one_in_every_kind():
    off = {kind: judge.judge(BUILD, kind, 10, healthy=False).ledger_off for kind in judge.kinds(BUILD)}
    assert max(off.values()) < 0.5, off


def test_merging_is_the_sum_of_the_tasks_that_merge(tmp_path):
    simulate(tmp_path / "a.roast", "merging", 10)  # tasks of minutes, many of which began before the last chunk did
    merging = "select sum(stop_ns - start_ns) / 1e9 from task where prefix = (select id from name where text = 'reduce')"
    with sqlite3.connect(tmp_path / "a.roast") as run:
        ((seconds,),) = run.execute(merging).fetchall()
    shown = json.loads(subprocess.run([program("roast"), "show", tmp_path / "a.roast", "--json"], check=True, capture_output=True).stdout)
    assert seconds > 30_000
    assert shown["ledger"]["merging"]["core_seconds"] == pytest.approx(seconds, rel=1e-3)


def test_every_kind_can_be_judged():
    verdicts = judge.judge_all(BUILD, judge.kinds(BUILD), [1])
    assert {verdict.truth["kind"] for verdict in verdicts} == set(judge.kinds(BUILD))
    judge.print_table(verdicts)
    table = judge.confusion(verdicts)
    assert sum(table["healthy"].values()) == len(judge.healthy(verdicts))
