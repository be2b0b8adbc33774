"""roast explain finds what was planted: a reduced, seeded version of bench/explain.py, which says what is compared."""

from __future__ import annotations

import json
import sqlite3
import sys

import pytest
from conftest import BUILD, ROOT
from test_analysis_truth import SHAPES

sys.path.insert(0, str(ROOT / "bench"))
from explain import SCENARIOS, play_all  # noqa: E402

SEEDS = range(7001, 7006)
CORE_SECONDS = """
    SELECT sum(cores * (min(coalesce(left_ns, t1), t1) - max(joined_ns, t0))) / 1e9 FROM worker,
           (SELECT (SELECT value FROM run WHERE key = 't_start_ns') AS t0,
                   (SELECT value FROM run WHERE key = 't_end_ns') AS t1)"""


@pytest.fixture(scope="module")
def outcomes():
    return play_all(BUILD, SCENARIOS, SEEDS)


def share(outcomes: list, right) -> float:
    return sum(map(bool, map(right, outcomes))) / len(outcomes)


def test_the_planted_cause_is_the_first_finding(outcomes):
    faulty = [outcome for outcome in outcomes if outcome.planted["cause"]]
    missed = [(outcome.scenario, outcome.seed, outcome.first["id"]) for outcome in faulty if not outcome.right]
    assert share(faulty, lambda outcome: outcome.right) >= 0.95, missed


def test_healthy_runs_give_nothing_above_a_note(outcomes):
    healthy = [outcome for outcome in outcomes if outcome.scenario == "healthy"]
    assert healthy and all(outcome.right for outcome in healthy), [outcome.loud for outcome in healthy]


def test_claimed_savings_are_near_what_the_generator_says(outcomes):
    judged = [outcome for outcome in outcomes if outcome.close is not None]
    far = [(outcome.scenario, outcome.seed) for outcome in judged if not outcome.close]
    assert share(judged, lambda outcome: outcome.close) >= 0.95, far


def test_each_scenario_is_found_at_least_four_times_of_five(outcomes):
    for scenario in SCENARIOS:
        mine = [outcome for outcome in outcomes if outcome.scenario == scenario]
        assert share(mine, lambda outcome: outcome.right) >= 0.8, scenario


def test_every_finding_says_what_it_cost_how_it_shows_and_what_to_do(outcomes):
    for outcome in outcomes:
        for finding in outcome.found["findings"]:
            assert finding["advice"] and finding["evidence"] and finding["tables"], finding["id"]
            assert 0 <= finding["saving_seconds"] <= outcome.planted["wall_seconds"], finding["id"]


def test_the_judge_can_fail(outcomes):
    wrong = next(outcome for outcome in outcomes if outcome.scenario == "tail")
    spoilt = type(wrong)(wrong.scenario, wrong.seed, wrong.planted | {"cause": "ramp_up"}, wrong.found)
    assert not spoilt.right
    spoilt = type(wrong)(wrong.scenario, wrong.seed, wrong.planted | {"saving_seconds": 1e6}, wrong.found)
    assert spoilt.close is False


@pytest.mark.parametrize("shape", SHAPES)
def test_the_ledger_sums_to_the_core_time(roast, synthesize, shape):
    path, _ = synthesize(seed=31, **SHAPES[shape])
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        whole = database.execute(CORE_SECONDS).fetchone()[0]
    shown = json.loads(roast("show", path, "--json").stdout)
    if not shown["num_chunk_records"] or not whole:
        assert shown["ledger"] == {}
        return
    assert "residual" in shown["ledger"]
    assert sum(row["core_seconds"] for row in shown["ledger"].values()) == pytest.approx(whole, rel=1e-6)
    assert sum(row["share_percent"] for row in shown["ledger"].values()) == pytest.approx(100, rel=1e-6)
    for row in shown["ledger_per_worker"].values():
        parts = sum(value for name, value in row.items() if name not in ("worker", "core_seconds"))
        assert parts == pytest.approx(row["core_seconds"], rel=1e-6, abs=1e-6)
