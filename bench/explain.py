"""Does roast explain find what was planted? Runs of random size with one fault each, or none, or two.

By hand: python bench/explain.py [--seeds 500] [--first 1] [--scenario NAME] [--variant NAME] [--build build] [--list]
The generator plays each job again without its fault; what that saves is what the claimed saving is held against."""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import tempfile

import common
import core

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCENARIOS = ("slow_storage", "slow_host", "bad_file", "tail", "ramp_up", "small_chunks", "memory_leak", "failures",
             "scheduler", "cpu_bound", "healthy", "mixture")  # fmt: skip
VARIANTS = ("few_workers", "many_workers", "many_threads", "few_chunks", "uneven_chunks", "uneven_datasets", "uneven_hosts",
            "noisy", "mild", "strong")  # fmt: skip
GOAL, CLOSE = 0.95, 0.20


@dataclasses.dataclass
class Outcome:
    scenario: str
    seed: int
    planted: dict
    found: dict

    @property
    def loud(self) -> list[dict]:
        return [finding for finding in self.found["findings"] if finding["confidence"] != "note"]

    @property
    def first(self) -> dict:
        return self.found["findings"][0] if self.found["findings"] else {"id": None, "saving_seconds": 0}

    @property
    def right(self) -> bool:
        """The planted cause comes first; nothing planted: nothing is claimed."""
        if self.planted["cause"] is None:
            return not self.loud
        return self.first["id"] in self.planted["cause"].split()

    @property
    def close(self) -> bool | None:
        """Whether the claimed saving is near the true one; None if there is none to claim, or the cause was missed."""
        if self.planted["cause"] is None or not self.right:
            return None
        wall, true, claimed = self.planted["wall_seconds"], self.planted["saving_seconds"], self.first["saving_seconds"]
        return abs(claimed - true) <= CLOSE * true if true > 0.01 * wall else claimed <= 0.05 * wall

    @property
    def ledger_off(self) -> float:
        return abs(self.found["ledger_sum"] / self.found["ledger_whole"] - 1)


def ledger(roast: pathlib.Path, run: pathlib.Path) -> dict:
    """The sum over the ledger, and cores times time, from the workers."""
    shown = json.loads(subprocess.run([roast, "show", run, "--json"], check=True, capture_output=True).stdout)
    whole = sum(worker["cores"] * worker["present_seconds"] for worker in shown["workers"])
    return {"ledger_sum": sum(row["core_seconds"] for row in shown["ledger"].values()), "ledger_whole": whole}


def play(build: pathlib.Path, scenario: str, seed: int, variant: str = "usual") -> Outcome:
    with tempfile.TemporaryDirectory(prefix="roast-explain-") as folder:
        run = pathlib.Path(folder) / "run.roast"
        synth, roast = build / "bench" / "roast-synth", build / "tools" / "roast"
        what = ["--scenario", scenario, "--seed", str(seed), "--variant", variant]
        subprocess.run([synth, *what, "-o", run], check=True)
        explained = subprocess.run([roast, "explain", run, "--json"], check=True, capture_output=True)
        found = json.loads(explained.stdout) | ledger(roast, run)
        planted = json.loads(run.with_suffix(".truth.json").read_text())["planted"]
    return Outcome(scenario, seed, planted, found)


def play_all(build: pathlib.Path, scenarios, seeds, variant: str = "usual", processes: int = 2) -> list[Outcome]:
    jobs = [(name, seed, variant) for name in scenarios for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        return list(pool.map(lambda job: play(build, *job), jobs))


def row(name: str, outcomes: list[Outcome]) -> str:
    right = sum(outcome.right for outcome in outcomes)
    judged = [outcome.close for outcome in outcomes if outcome.close is not None]
    error = max(outcome.found["replay"]["error_percent"] or 0 for outcome in outcomes)
    off = max(outcome.ledger_off for outcome in outcomes)
    close = f"{sum(judged):5}/{len(judged):<5} {100 * sum(judged) / len(judged):5.1f} %" if judged else " " * 19
    return (f"{name:14} {right:5}/{len(outcomes):<5} {100 * right / len(outcomes):5.1f} %   {close}"
            f"   {error:5.1f} %   {100 * off:7.4f} %")  # fmt: skip


def print_table(outcomes: list[Outcome]) -> None:
    print(f"{'scenario':14} {'cause first':>19}   {'saving ± 20 %':>19}   {'replay':>7}   {'ledger':>9}")
    for name in dict.fromkeys(outcome.scenario for outcome in outcomes):
        print(row(name, [outcome for outcome in outcomes if outcome.scenario == name]))
    faulty = [outcome for outcome in outcomes if outcome.planted["cause"]]
    if faulty:
        print(row("with a fault", faulty))


def missed(what: str, verdicts: list[bool]) -> common.Line:
    wrong = len(verdicts) - sum(verdicts)
    return common.Line(what, f"{sum(verdicts)} of {len(verdicts)}", "", 100 * wrong / len(verdicts), 5, at_most=True)


def growth(context: common.Context) -> list[common.Line]:
    """How the time of explaining grows with the run."""
    sizes = [10_000, 100_000] if context.quick else [10_000, 100_000, 1_000_000]
    seconds = []
    for chunks in sizes:
        run = context.work / f"explain-{chunks}.roast"
        shape = {"seed": 5, "chunks": chunks, "workers": chunks // 1000, "samples": 100, "files": chunks // 100}
        options = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
        subprocess.run([context.tool("roast-synth"), *options, "--no-truth", "-o", run], check=True)
        command = [context.tool("roast"), "explain", "--what-if", str(run)]
        seconds.append(common.median(common.measure(command).seconds for _ in range(context.repeat)))
        run.unlink()
    return [common.Line(f"time of explain over {sizes[0]:,} to {sizes[-1]:,} chunks, exponent",
                        " ".join(map(common.seconds_text, seconds)), "", core.exponent(sizes, seconds), 1.15,
                        at_most=True)]  # fmt: skip


def run(context: common.Context) -> list[common.Line]:
    """The topic of make bench."""
    each = 5 if context.quick else -(-500 // len(SCENARIOS))
    outcomes = play_all(context.build, SCENARIOS, range(1, each + 1))
    print_table(outcomes)
    faulty = [outcome for outcome in outcomes if outcome.planted["cause"]]
    healthy = [outcome for outcome in outcomes if not outcome.planted["cause"]]
    judged = [outcome.close for outcome in faulty if outcome.close is not None]
    return [
        missed("explain: planted cause not first, percent", [outcome.right for outcome in faulty]),
        missed("explain: healthy runs not quiet, percent", [outcome.right for outcome in healthy]),
        missed("explain: claimed saving off by more than 20 %, percent", judged),
        *growth(context),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=500, help="runs in all, spread over the scenarios")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--scenario", action="append", choices=SCENARIOS, help="only these")
    parser.add_argument("--variant", action="append", choices=("usual", *VARIANTS), help="unlike usual runs in something")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where the programs are")
    parser.add_argument("--list", action="store_true", help="name the runs that were not explained")
    chosen = parser.parse_args()
    scenarios = chosen.scenario or SCENARIOS
    each = -(-chosen.seeds // len(scenarios))
    seeds = range(chosen.first, chosen.first + each)
    for variant in chosen.variant or ["usual"]:
        print(f"{variant}:")
        show(play_all(chosen.build, scenarios, seeds, variant), chosen.list)


def show(outcomes: list[Outcome], name_missed: bool) -> None:
    for outcome in outcomes if name_missed else []:
        if not outcome.right or outcome.close is False:
            said = [(f["id"], f["confidence"], round(f["saving_seconds"])) for f in outcome.found["findings"][:3]]
            planted = {key: value for key, value in outcome.planted.items() if key != "scenario"}
            print(f"{outcome.scenario} --seed {outcome.seed}: planted {planted}, found {said}")
    print_table(outcomes)


if __name__ == "__main__":
    main()
