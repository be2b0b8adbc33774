"""Runs of which the cause and what removing it saves are known, made by a simulator that shares nothing with ours.

They are in the folder ``insight`` of ROAST_TEST_DATA, with truth.json; without it there is nothing to test."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from built import BUILD

INSIGHT = pathlib.Path(os.environ.get("ROAST_TEST_DATA", "/nowhere")) / "insight"
TRUTH = json.loads((INSIGHT / "truth.json").read_text()) if INSIGHT.is_dir() else {}
CLOSE = 0.20

# The planted causes as findings; each run carries one. More threads than cores is no cause that costs anything.
FINDINGS = {
    "bad_file-16": "slow_file", "gil-11": "locks", "leak-14": "memory_growth", "lzma-14": "lzma", "merging-14": "merging",
    "oversub_self-16": "oversubscribed", "slow_period-15": "slow_period", "slow_server-13": "slow_storage",
    "spill-16": "spilling", "storage_saturated-12": "io_bound", "stragglers-16": "stragglers", "warmup-12": "warm_up",
}  # fmt: skip
# All files are packed alike: nothing in the records tells what chunks compute from what unpacking takes.
NOT_TOLD = {"lzma-14"}

# What that simulator calls some categories.
CATEGORIES = {"cpu": "process_cpu", "wait": "process_io", "core": "process_core", "build": "events", "merge": "merging"}

pytestmark = pytest.mark.skipif(not TRUTH, reason="ROAST_TEST_DATA has no insight")


def explain(name: str) -> dict:
    command = [BUILD / "tools" / "roast", "explain", INSIGHT / f"{name}.roast", "--json", "--what-if"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.fixture(scope="module", params=sorted(FINDINGS))
def run(request):
    return request.param, explain(request.param), TRUTH[request.param]


def test_the_planted_cause_comes_first(run):
    name, found, _truth = run
    assert found["findings"][0]["id"] == FINDINGS[name]


def test_the_saving_is_near_the_true_one(run):
    name, found, truth = run
    first, true = found["findings"][0], max(truth["true_saving_percent"], 0)
    if name in NOT_TOLD:
        pytest.skip("the records do not tell")
    assert first["saving_percent"] == pytest.approx(true, rel=CLOSE)
    assert first["saving_low_seconds"] <= first["saving_seconds"] <= first["saving_high_seconds"]


def test_nothing_above_a_note_but_what_was_planted_saves_as_much(run):
    _name, found, truth = run
    others = [finding for finding in found["findings"][1:] if finding["confidence"] != "note"]
    assert all(finding["saving_percent"] < 0.5 * truth["true_saving_percent"] for finding in others)


@pytest.mark.parametrize("name", sorted(FINDINGS))
def test_the_ledger_is_the_true_one_and_chunks_count_once(name):
    command = [BUILD / "tools" / "roast", "show", INSIGHT / f"{name}.roast", "--json"]
    shown = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    true = {CATEGORIES.get(key, key): percent for key, percent in TRUTH[name]["true_ledger_percent"].items()}
    found = {key: row["share_percent"] for key, row in shown["ledger"].items()}
    if name == "spill-16":  # what the disk took is "returning results" here, and idle there
        for ledger in (true, found):
            ledger["idle_queue"] += ledger.pop("return") + ledger.pop("idle_tail")
    assert {key: found.get(key, 0) for key in true} == pytest.approx(true, abs=0.05)
    assert shown["num_successful_chunks"] == shown["num_chunks"] == TRUTH[name]["chunks"]


def test_more_workers_on_storage_that_is_full_are_answered_as_they_would_be():
    found, truth = explain("storage_saturated-12"), TRUTH["storage_saturated-12"]["true_wall_s_with_workers"]
    assert found["what_if"]["workers_twice"] == pytest.approx(truth["x2"], rel=CLOSE)
    assert found["what_if"]["workers_four_times"] == pytest.approx(truth["x4"], rel=CLOSE)
    assert found["at_best"] == ["workers_twice", "workers_four_times"]
