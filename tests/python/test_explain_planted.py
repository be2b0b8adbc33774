"""roast explain finds what was planted: a reduced, seeded version of bench/explain.py, which says what is compared."""

from __future__ import annotations

import sys

import pytest
from built import BUILD, ROOT

sys.path.insert(0, str(ROOT / "bench"))
from explain import SCENARIOS, VARIANTS, play_all

SEEDS = range(7001, 7006)


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


def test_the_ledgers_sum_to_the_core_time_that_there_was(outcomes):
    assert max(outcome.ledger_off for outcome in outcomes) < 1e-3


def test_what_is_explained_does_not_depend_on_how_usual_a_run_is():
    scenarios = ("slow_host", "bad_file", "tail", "ramp_up", "small_chunks", "failures", "healthy")
    unusual = [outcome for variant in VARIANTS for outcome in play_all(BUILD, scenarios, [7101], variant)]
    missed = [(outcome.scenario, outcome.planted, outcome.loud[:1]) for outcome in unusual if not outcome.right]
    assert share(unusual, lambda outcome: outcome.right) >= 0.95, missed
    assert max(outcome.ledger_off for outcome in unusual) < 1e-3


def test_the_judge_can_fail(outcomes):
    wrong = next(outcome for outcome in outcomes if outcome.scenario == "tail")
    spoilt = type(wrong)(wrong.scenario, wrong.seed, wrong.planted | {"cause": "ramp_up"}, wrong.found)
    assert not spoilt.right
    spoilt = type(wrong)(wrong.scenario, wrong.seed, wrong.planted | {"saving_seconds": 1e6}, wrong.found)
    assert spoilt.close is False
