"""How often roast gate is right: false alarms where nothing changed, and planted slow-downs that it finds.

Two sources. Values drawn from a distribution, for a table over the number of runs and how much they differ; and synthetic
runs of the same chunks on many days, which go through the whole of roast gate, five against five."""

from __future__ import annotations

import json
import math
import pathlib
import random
import statistics
import subprocess

from common import Context, Line, say

PAIRS = 2000
ALPHA = 0.05
SLOW_DOWN = 1.1
RUNS = (3, 5, 10)
SPREADS = (0.01, 0.02, 0.03, 0.05, 0.1)  # standard deviation of a run, as a share of it
POOL = 120  # synthetic runs of a kind, from which groups of five are drawn
SHAPE = {"seed": 9, "datasets": 2, "files": 8, "chunks": 1000, "workers": 24, "samples": 1, "sections": 0, "branches": 4,
         "join": 0, "leave": 0, "die": 0, "retry-rate": 0, "failure-rate": 0, "duration": 100}  # fmt: skip
VERDICTS = ("regression", "fine", "undecided")


def ask(context: Context, groups: list[tuple[list[float], list[float]]]) -> dict[str, float]:
    lines = "".join(json.dumps({"of": "gate", "x": x, "y": y, "alpha": ALPHA}) + "\n" for x, y in groups)
    done = subprocess.run([context.tool("roast-infer")], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    return {verdict: answers.count(verdict) / len(answers) for verdict in VERDICTS}


def drawn(chance: random.Random, runs: int, spread: float, factor: float) -> list[float]:
    return [100 * factor * chance.lognormvariate(0, spread) for _ in range(runs)]


def table(context: Context) -> dict[tuple[int, float, float], dict[str, float]]:
    chance = random.Random(20261115)
    rates = {}
    say(f"bench: gate, {PAIRS} pairs of groups a line: share of each answer, by how much a run differs from the next")
    say("bench:   runs  differ   change   regression  no regression  cannot tell")
    for runs in RUNS:
        for spread in SPREADS:
            for factor in (1.0, SLOW_DOWN):
                groups = [(drawn(chance, runs, spread, 1), drawn(chance, runs, spread, factor)) for _ in range(PAIRS)]
                rate = rates[runs, spread, factor] = ask(context, groups)
                cells = "  ".join(f"{rate[verdict]:12.1%}" for verdict in VERDICTS)
                say(f"bench:   {runs:4}  {spread:5.0%}  {'none' if factor == 1 else '+10 %':>7} {cells}")
    return rates


def synthetic_pool(context: Context, factor: float) -> list[pathlib.Path]:
    paths = []
    for day in range(POOL):
        path = context.work / f"gate-{factor}-{day}.roast"
        shape = SHAPE | {"luck": day + (1 if factor == 1 else 1 + POOL), "output": path}
        shape |= {f"slow-{part}": factor for part in ("open", "cpu", "wait")}
        options = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
        subprocess.run([context.tool("roast-synth"), *options, "--no-truth"], check=True)
        paths.append(path)
    return paths


def spread_of(context: Context, paths: list[pathlib.Path]) -> float:
    """Standard deviation of the wall time of a run, as a share of it."""
    shown = [subprocess.run([context.tool("roast"), "show", str(path), "--json"], capture_output=True, check=True)
             for path in paths]  # fmt: skip
    logs = [math.log(json.loads(one.stdout)["elapsed_time_seconds"]) for one in shown]
    return statistics.stdev(logs)


def share_of_alarms(context: Context, baseline: list[pathlib.Path], fresh: list[pathlib.Path], pairs: int) -> float:
    """Groups of five are drawn without a run in both."""
    chance = random.Random(7)
    alarms = 0
    for _ in range(pairs):
        a = chance.sample(baseline, 5)
        b = chance.sample([path for path in fresh if path not in a], 5)
        command = [context.tool("roast"), "gate", *map(str, a), "--", *map(str, b), "--json"]
        status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if status not in (0, 1, 3):
            raise SystemExit(f"bench: roast gate ended with {status}")
        alarms += status == 1
    return alarms / pairs


def run(context: Context) -> list[Line]:
    rates = table(context)
    false_alarms = max(rate["regression"] for (_, _, factor), rate in rates.items() if factor == 1)
    allowed = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / PAIRS)  # of many rates, one is above its expectation
    missed = max(1 - rates[5, spread, SLOW_DOWN]["regression"] for spread in (0.01, 0.02, 0.03))
    pairs = 200 if context.quick else PAIRS
    same, slow = synthetic_pool(context, 1), synthetic_pool(context, SLOW_DOWN)
    say(f"bench: gate, synthetic runs that differ by {spread_of(context, same):.1%}, {pairs} pairs of five against five")
    null, planted = (share_of_alarms(context, same, fresh, pairs) for fresh in (same, slow))
    return [
        Line(f"gate: most false alarms of {len(rates) // 2} × {PAIRS} pairs", f"{false_alarms:.1%}", "", false_alarms,
             round(allowed, 3), at_most=True),
        Line("gate: +10 % missed, five runs that differ by up to 3 %", f"{missed:.1%}", "", missed, 0.1, at_most=True),
        Line(f"gate: false alarms, synthetic runs, {pairs} pairs", f"{null:.1%}", "", null, ALPHA, at_most=True),
        Line(f"gate: +10 % missed, synthetic runs, {pairs} pairs", f"{1 - planted:.1%}", "", 1 - planted, 0.1,
             at_most=True),
    ]  # fmt: skip
