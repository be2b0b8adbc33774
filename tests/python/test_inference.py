"""The library's statistics, judged by scipy and numpy: roast-infer answers, they say what is right."""

from __future__ import annotations

import itertools
import json
import math
import subprocess

import pytest
from built import program

scipy_stats = pytest.importorskip("scipy.stats", reason="scipy is the judge here: pip install scipy")
np = pytest.importorskip("numpy", reason="numpy is the judge here: pip install numpy")


def infer(*questions: dict) -> list[dict]:
    """What roast-infer answers, question by question."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([program("roast-infer")], input=lines, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def samples(seed: int, cases: int, most: int = 12):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        n_x, n_y = rng.integers(1, most, 2)
        yield rng.normal(0, 1, n_x).tolist(), rng.normal(rng.choice([0, 0.5, 2]), 1, n_y).tolist()


def test_mann_whitney_is_exact():
    pairs = list(samples(1, 200))
    answers = infer(*({"of": "mann_whitney", "x": x, "y": y} for x, y in pairs))
    for (x, y), found in zip(pairs, answers):
        assert found["exact"]
        for key, side in {"p": "two-sided", "p_greater": "greater", "p_less": "less"}.items():
            judged = scipy_stats.mannwhitneyu(y, x, alternative=side, method="exact")
            assert found["u"] == judged.statistic
            assert found[key] == pytest.approx(judged.pvalue, rel=1e-9)


def arrangements_at_least(x, y) -> tuple[float, float]:
    """Shares of all ways to deal the values out that give U as large, and as small, as it was."""
    pooled = x + y
    ranks = scipy_stats.rankdata(pooled)
    seen = ranks[len(x):].sum()
    sums = np.array([sum(chosen) for chosen in itertools.combinations(ranks, len(y))])
    return float((sums >= seen - 1e-9).mean()), float((sums <= seen + 1e-9).mean())


def test_mann_whitney_is_exact_with_ties():
    rng = np.random.default_rng(2)
    pairs = [(rng.integers(0, 4, rng.integers(1, 7)).tolist(), rng.integers(0, 5, rng.integers(1, 7)).tolist())
             for _ in range(100)]  # fmt: skip
    answers = infer(*({"of": "mann_whitney", "x": x, "y": y} for x, y in pairs))
    for (x, y), found in zip(pairs, answers):
        greater, less = arrangements_at_least(x, y)
        assert (found["p_greater"], found["p_less"]) == pytest.approx((greater, less), rel=1e-9)
        assert found["p"] == pytest.approx(min(1, 2 * min(greater, less)), rel=1e-9)


def test_mann_whitney_of_many_is_the_normal_one():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, 80).round(1).tolist(), rng.normal(0.3, 1, 90).round(1).tolist()
    (found,) = infer({"of": "mann_whitney", "x": x, "y": y})
    assert not found["exact"]
    judged = scipy_stats.mannwhitneyu(y, x, alternative="greater", method="asymptotic")
    assert found["p_greater"] == pytest.approx(judged.pvalue, rel=1e-9)


def test_the_smallest_p_is_one_arrangement():
    for n_x, n_y in itertools.product(range(1, 8), repeat=2):
        (found,) = infer({"of": "mann_whitney", "x": list(range(n_x)), "y": list(range(10, 10 + n_y))})
        assert found["smallest_p"] == pytest.approx(1 / math.comb(n_x + n_y, n_x))
        assert found["p_greater"] == pytest.approx(found["smallest_p"])


def test_the_shift_is_the_median_of_all_differences():
    pairs = list(samples(4, 100))
    for (x, y), found in zip(pairs, infer(*({"of": "shift", "x": x, "y": y} for x, y in pairs))):
        differences = np.subtract.outer(y, x).ravel()
        assert found["estimate"] == pytest.approx(np.median(differences), abs=1e-15)
        assert found["low"] in differences and found["high"] in differences


def test_the_interval_of_the_shift_holds_what_the_test_does_not_reject():
    """Inside the interval a shift is not rejected at its level; just outside it is."""
    for x, y in samples(5, 60):
        (found,) = infer({"of": "shift", "x": x, "y": y, "level": 0.95})
        reached = found["level"] >= 0.95 - 1e-12
        assert reached or math.comb(len(x) + len(y), len(x)) < 40
        limit = (1 - found["level"]) * (1 + 1e-9)
        for end, outward in ((found["low"], -1e-9), (found["high"], 1e-9)):
            inside = [value - (end - outward) for value in y]
            outside = [value - (end + outward) for value in y]
            assert scipy_stats.mannwhitneyu(inside, x, method="exact").pvalue > limit
            assert scipy_stats.mannwhitneyu(outside, x, method="exact").pvalue <= limit


def test_the_upper_bound_of_the_shift_is_one_sided():
    for x, y in samples(6, 60):
        (found,) = infer({"of": "shift", "x": x, "y": y, "level": 0.9})
        if found["upper"] is None:
            assert math.comb(len(x) + len(y), len(x)) < 10
            continue
        beyond = [value - (found["upper"] + 1e-9) for value in y]
        below = [value - (found["upper"] - 1e-9) for value in y]
        assert scipy_stats.mannwhitneyu(beyond, x, alternative="less", method="exact").pvalue <= 0.1 + 1e-9
        assert scipy_stats.mannwhitneyu(below, x, alternative="less", method="exact").pvalue > 0.1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 50, 333, 2000])
def test_hodges_lehmann_is_the_median_of_all_averages(count):
    rng = np.random.default_rng(count)
    cases = [rng.normal(0, 1, count), rng.exponential(1, count) - 0.5, rng.integers(-3, 4, count) * 0.1, np.zeros(count)]
    for values, found in zip(cases, infer(*({"of": "walsh", "x": list(map(float, values))} for values in cases))):
        rows, columns = np.triu_indices(count)
        assert found["estimate"] == pytest.approx(np.median((values[rows] + values[columns]) / 2), abs=1e-15)


@pytest.mark.parametrize("count", [1, 2, 5, 6, 9, 30, 1500])
def test_the_interval_of_the_median_has_its_level(count):
    rng = np.random.default_rng(count)
    values = np.sort(rng.normal(0, 1, count))
    (found,) = infer({"of": "median", "x": values.tolist(), "level": 0.95})
    assert found["estimate"] == pytest.approx(np.median(values))
    below = np.searchsorted(values, found["low"])  # values under the lower end
    assert np.searchsorted(values, found["high"]) == count - 1 - below
    outside = scipy_stats.binom.cdf(below, count, 0.5)
    assert found["level"] == pytest.approx(1 - 2 * outside if count > 1 else 0, abs=1e-9)
    wider = scipy_stats.binom.cdf(below + 1, count, 0.5)
    assert found["level"] >= 0.95 or below == 0
    assert 1 - 2 * wider < 0.95, "the next narrower one would do"


def test_holm_keeps_the_family():
    statsmodels_like = lambda p: [  # noqa: E731 by the definition
        max(min(1, (len(p) - j) * sorted(p)[j]) for j in range(sorted(p).index(one) + 1)) for one in p]  # fmt: skip
    rng = np.random.default_rng(7)
    for _ in range(50):
        p = rng.uniform(0, 0.2, rng.integers(1, 9)).round(2).tolist()
        (found,) = infer({"of": "holm", "p": p})
        assert found["p"] == pytest.approx(statsmodels_like(p))


def test_student_is_student():
    for degrees, level in itertools.product([1, 2, 3, 4, 5, 10, 31, 100, 999, 5000], [0.5, 0.9, 0.95, 0.99]):
        (found,) = infer({"of": "student", "level": level, "degrees": degrees})
        assert found["reach"] == pytest.approx(scipy_stats.t.ppf((1 + level) / 2, degrees), rel=1e-3 if degrees > 999 else 1e-9)


def walsh(values: np.ndarray) -> float:
    rows, columns = np.triu_indices(len(values))
    return float(np.median((values[rows] + values[columns]) / 2))


def scatter_by_hand(values, cluster, rng, replicates=400) -> np.ndarray:
    """The estimate of each redrawn set of clusters, the slow way, with the factor for few of them."""
    members = [values[cluster == c] for c in np.unique(cluster)]
    n = len(members)
    centre = walsh(values)
    drawn = [walsh(np.concatenate([members[c] for c in rng.integers(0, n, n)])) - centre for _ in range(replicates)]
    return np.array(drawn) * math.sqrt(n / (n - 1)) * scipy_stats.t.ppf(0.975, n - 1) / scipy_stats.norm.ppf(0.975)


def test_the_bootstrap_is_that_of_clusters():
    """Against the slow way: the ends agree within what chance leaves of them."""
    rng = np.random.default_rng(8)
    first, second = rng.integers(0, 12, 400), rng.integers(0, 9, 400)
    values = rng.normal(0, 0.2, 400) + rng.normal(0, 0.1, 12)[first] + rng.normal(0, 0.05, 9)[second]
    (found,) = infer({"of": "clustered", "x": values.tolist(), "first": first.tolist(), "second": second.tolist(),
                      "replicates": 1999, "seed": 4})  # fmt: skip
    moved = scatter_by_hand(values, first, rng) + scatter_by_hand(values, second, rng)
    low, high = walsh(values) + np.quantile(moved, [0.025, 0.975])
    assert found["estimate"] == pytest.approx(walsh(values), abs=1e-15)
    width = high - low
    assert found["low"] == pytest.approx(low, abs=0.12 * width)
    assert found["high"] == pytest.approx(high, abs=0.12 * width)


def test_values_of_one_cluster_are_taken_as_independent():
    """The interval is about that of scipy's signed-rank test."""
    rng = np.random.default_rng(9)
    values = rng.normal(0.1, 0.3, 300)
    (found,) = infer({"of": "clustered", "x": values.tolist(), "replicates": 1999})
    standard_error = 0.3 * math.sqrt(math.pi / 3 / 300)
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * standard_error, rel=0.15)


def test_grouping_very_many_values_changes_nothing_that_matters():
    rng = np.random.default_rng(10)
    cluster = rng.integers(0, 50, 200_000)
    values = rng.normal(-0.2, 0.3, 200_000) + rng.normal(0, 0.05, 50)[cluster]
    request = {"of": "clustered", "x": values.tolist(), "first": cluster.tolist(), "second": [0] * 200_000}
    (found,) = infer(request)
    means = np.array([walsh(rng.choice(values[cluster == c], 300)) for c in range(50)])
    standard_error = means.std(ddof=1) / math.sqrt(50)
    assert found["estimate"] == pytest.approx(values.mean(), abs=3 * 0.3 / math.sqrt(200_000))
    assert found["high"] - found["low"] == pytest.approx(2 * 2.01 * standard_error, rel=0.2)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Two runs of the same chunks on workers of their own, each a little faster or slower: 95 % of the intervals hold
    the shift, or more, since the interval is wide rather than narrow."""
    rng = np.random.default_rng(11)
    questions = []
    for _ in range(200):
        first, second = rng.integers(0, 8, 240), rng.integers(0, 8, 240)
        values = 0.1 + rng.normal(0, 0.15, 240) + rng.normal(0, 0.05, 8)[first] + rng.normal(0, 0.05, 8)[second]
        questions.append({"of": "clustered", "x": values.tolist(), "first": first.tolist(), "second": second.tolist(),
                          "replicates": 399})  # fmt: skip
    held = np.mean([answer["low"] <= 0.1 <= answer["high"] for answer in infer(*questions)])
    assert 0.92 <= held <= 1


def test_a_quotient_of_sums_has_the_interval_of_its_clusters():
    rng = np.random.default_rng(12)
    events = rng.uniform(500, 1500, (2, 40))
    seconds = events * np.array([[0.01], [0.012]]) * rng.lognormal(0, 0.1, (2, 40))
    sides = [np.stack([seconds[side], events[side]], axis=1).tolist() for side in (0, 1)]
    (found,) = infer({"of": "ratio", "first": sides[0], "second": sides[1], "replicates": 1999})
    quotients = [math.log(seconds[side].sum() / events[side].sum()) for side in (0, 1)]
    assert found["estimate"] == pytest.approx(quotients[1] - quotients[0])
    boot = scipy_stats.bootstrap((seconds[0], events[0]), lambda s, e, axis: np.log(s.sum(axis) / e.sum(axis)),
                                 paired=True, method="percentile", random_state=1)  # fmt: skip
    error = boot.standard_error * math.sqrt(2)
    assert found["high"] - found["low"] == pytest.approx(2 * 2.02 * error, rel=0.25)


def test_a_quotient_of_sums_over_pairs_holds_the_truth_as_often_as_it_says():
    """Pairs share the luck of the worker of either side; the sum is that of all of them."""
    rng = np.random.default_rng(16)
    held, truth, workers, pairs = [], 1.2, 12, 300
    for _ in range(400):
        ran = rng.integers(0, workers, (2, pairs))
        luck = rng.lognormal(0, 0.05, (2, workers))
        seconds = rng.uniform(5, 50, pairs) * rng.lognormal(0, 0.1, (2, pairs))
        a, b = seconds[0] * luck[0][ran[0]], truth * seconds[1] * luck[1][ran[1]]
        ways = [[[b[ran[way] == w].sum(), a[ran[way] == w].sum()] for w in range(workers)] for way in (0, 1)]
        (found,) = infer({"of": "sums", "first": ways[0], "second": ways[1]})
        assert found["estimate"] == pytest.approx(math.log(b.sum() / a.sum()))
        held.append(found["low"] <= math.log(truth) <= found["high"])
    assert 0.9 <= np.mean(held) <= 0.99


def test_a_quotient_of_sums_is_that_of_the_delta_method():
    (found,) = infer({"of": "sums", "first": [[12, 10], [26, 20]], "second": [[38, 30]], "level": 0.9})
    quotient = 38 / 30
    error = math.sqrt(2 * ((12 - quotient * 10) ** 2 + (26 - quotient * 20) ** 2)) / 38
    reach = scipy_stats.t.ppf(0.95, 1) * error
    assert (found["low"], found["high"]) == pytest.approx((math.log(quotient) - reach, math.log(quotient) + reach))


def usl(cores, rate, contention, coherence):
    return rate * cores / (1 + contention * (cores - 1) + coherence * cores * (cores - 1))


@pytest.mark.parametrize("law", ["usl", "amdahl"])
def test_a_scaling_law_is_the_constrained_least_squares_fit(law):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(13)
    for contention, coherence in itertools.product([0, 0.01, 0.3], [0, 1e-5, 2e-3]):
        cores = np.array([1, 2, 4, 8, 16, 32, 64, 128.0])
        rates = usl(cores, 5, contention, coherence) * rng.lognormal(0, 0.05, len(cores))
        (found,) = infer({"of": "scale", "law": law, "cores": cores.tolist(), "rate": rates.tolist(), "replicates": 99})
        design = np.stack([np.ones(8), cores - 1, cores * (cores - 1)], axis=1) / (cores / rates)[:, None]
        used = design if law == "usl" else design[:, :2]
        judged = optimize.lsq_linear(used, np.ones(8), bounds=(0, np.inf), tol=1e-14).x
        assert 1 / found["rate"]["estimate"] == pytest.approx(judged[0], rel=1e-5)
        assert found["contention"]["estimate"] == pytest.approx(judged[1] / judged[0], rel=1e-4, abs=1e-6)
        if law == "usl":
            assert found["coherence"]["estimate"] == pytest.approx(judged[2] / judged[0], rel=1e-3, abs=1e-8)


def test_the_knee_is_where_more_cores_pay_half():
    for contention, coherence in ((0.02, 0.0001), (0.001, 0.00001), (0.05, 0)):
        cores = np.array([1, 2, 4, 8, 16, 32, 64.0])
        (found,) = infer({"of": "scale", "cores": cores.tolist(), "rate": usl(cores, 3, contention, coherence).tolist()})
        grid = np.linspace(1, 2000, 200_000)
        best = grid[np.argmax(usl(grid, 3, contention, coherence) ** 2 / grid)]
        assert found["knee"]["estimate"] == pytest.approx(best, rel=1e-3, abs=0.02)
        if coherence:
            fastest = grid[np.argmax(usl(grid, 3, contention, coherence))]
            assert found["peak"]["estimate"] == pytest.approx(fastest, rel=1e-3, abs=0.02)


def test_intervals_of_scaling_laws_hold_the_truth():
    rng = np.random.default_rng(14)
    cores = np.repeat([4, 8, 16, 32, 64, 128.0], 2)
    questions = [{"of": "scale", "cores": cores.tolist(), "replicates": 399, "seed": i,
                  "rate": (usl(cores, 2, 0.01, 0.0002) * rng.lognormal(0, 0.03, 12)).tolist()} for i in range(200)]  # fmt: skip
    answers = infer(*questions)
    for name, truth in (("contention", 0.01), ("coherence", 0.0002), ("rate", 2)):
        held = np.mean([one[name]["low"] <= truth <= one[name]["high"] for one in answers])
        assert held >= 0.88, f"{name}: {held}"


def gate_rates(rng, pairs: int, runs: int, slow_down: float, spread: float) -> dict:
    """Shares of the gate's answers over many pairs of groups of runs."""
    questions = [{"of": "gate", "x": rng.lognormal(0, spread, runs).tolist(),
                  "y": (slow_down * rng.lognormal(0, spread, runs)).tolist()} for _ in range(pairs)]  # fmt: skip
    answers = [one["verdict"] for one in infer(*questions)]
    return {verdict: answers.count(verdict) / pairs for verdict in ("fine", "regression", "undecided")}


def test_the_gate_raises_few_false_alarms_and_finds_what_is_there():
    """bench/gate.py has the whole table. The bound is three standard errors above alpha."""
    rng = np.random.default_rng(15)
    for runs, spread in ((3, 0.02), (5, 0.02), (5, 0.1), (9, 0.03)):
        assert gate_rates(rng, 400, runs, 1, spread)["regression"] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert gate_rates(rng, 400, 5, 1.1, 0.03)["regression"] >= 0.9
    assert gate_rates(rng, 400, 5, 1, 0.01)["fine"] >= 0.9
    noisy = gate_rates(rng, 400, 5, 1, 0.2)
    assert noisy["undecided"] >= 0.8, "scattered runs rule little out"
