"""Does roast explain find what an independent simulator planted? The second judge, beside explain.py.

By hand: python bench/judge.py [--seeds 20] [--first 1] [--kind NAME] [--build build] [--list] [--json FILE]
roast-simulate plays jobs on shared storage, cores, locks, memory and a serial scheduler, each again without its fault. A
cause has to come first where removing it truly saves 5 % or more, its saving has to be within 20 % of the truth, and the
healthy twin of each job has to be quiet. Where there is less to save, nothing much may be promised."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import tempfile

import common
from explain import missed

WORTH, CLOSE = 5.0, 0.20  # percent of the wall time; share of the saving


@dataclasses.dataclass
class Verdict:
    """What was planted in a run, and what was said of it."""

    truth: dict
    findings: list[dict]
    ledger: dict[str, float]

    @property
    def kind(self) -> str:
        return self.truth["kind"] if self.truth["cause"] else "healthy"

    @property
    def worth_it(self) -> bool:
        return bool(self.truth["cause"]) and self.truth["saving_percent"] >= WORTH

    @property
    def about_time(self) -> list[dict]:
        """What is missing from the result is said before anything about time, and is no cause of a slow run."""
        return [finding for finding in self.findings if finding["id"] != "missing"]

    @property
    def first(self) -> str:
        return self.about_time[0]["id"] if self.about_time else "nothing"

    @property
    def right(self) -> bool:
        return self.first in self.truth["cause"].split()

    @property
    def named(self) -> bool:
        return any(finding["id"] in self.truth["cause"].split() for finding in self.findings)

    @property
    def quiet(self) -> bool:
        return all(finding["confidence"] == "note" for finding in self.findings)

    @property
    def promises(self) -> bool:
        """Whether 5 % or more of the time are promised that are not there."""
        promised = [finding["saving_seconds"] or 0 for finding in self.findings if finding["confidence"] != "note"]
        return max(promised, default=0) - max(self.truth["saving_seconds"], 0) >= WORTH / 100 * self.truth["wall_seconds"]

    @property
    def claimed(self) -> float | None:
        return self.about_time[0]["saving_seconds"] if self.about_time else None

    @property
    def close(self) -> bool | None:
        """Whether the saving that is claimed is near the true one; None if none is claimed."""
        true = self.truth["saving_seconds"]
        return None if self.claimed is None else abs(self.claimed - true) <= CLOSE * true

    @property
    def wrong(self) -> bool:
        if self.worth_it:
            return not self.right or self.close is False
        return self.promises if self.truth["cause"] else not self.quiet

    @property
    def ledger_off(self) -> float:
        """The largest difference of a category, in percent of the core time."""
        true = self.truth["ledger_percent"]
        return max(abs(self.ledger.get(name, 0) - percent) for name, percent in true.items())

    def line(self) -> str:
        said = [(finding["id"], finding["confidence"], round(finding["saving_seconds"] or 0)) for finding in self.findings[:4]]
        truth = self.truth
        return (f"{truth['kind']} {truth['seed']}{'' if truth['cause'] else ' --healthy'}: {truth['cores']} cores, "
                f"{truth['chunks']} chunks, {truth['wall_seconds']:.0f} s, truly saves {truth['saving_seconds']:.0f} s "
                f"({truth['saving_percent']:.1f} %); said {said}")  # fmt: skip


def output_of(*command) -> dict:
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def judge(build: pathlib.Path, kind: str, seed: int, healthy: bool) -> Verdict:
    """Plays a job and has it explained."""
    simulate, roast = build / "bench" / "roast-simulate", build / "tools" / "roast"
    with tempfile.TemporaryDirectory(prefix="roast-judge-") as folder:
        run = pathlib.Path(folder) / "run.roast"
        truth = output_of(simulate, kind, str(seed), run, *(["--healthy"] if healthy else []))
        findings = output_of(roast, "explain", run, "--json")["findings"]
        rows = output_of(roast, "show", run, "--json")["ledger"]
    return Verdict(truth, findings, {name: row["share_percent"] for name, row in rows.items()})


def kinds(build: pathlib.Path) -> list[str]:
    simulate = build / "bench" / "roast-simulate"
    told = subprocess.run([simulate], check=False, capture_output=True, text=True).stderr
    return told.split("kinds:")[1].split()


def judge_all(build: pathlib.Path, names, seeds, processes: int = 2) -> list[Verdict]:
    """Each kind with each seed, with its fault and without."""
    jobs = [(name, seed, healthy) for name in names for seed in seeds for healthy in (False, True)]
    jobs = [job for job in jobs if job[0] != "healthy" or not job[2]]
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        return list(pool.map(lambda job: judge(build, *job), jobs))


def share(verdicts: list[bool]) -> str:
    return f"{sum(verdicts):4}/{len(verdicts):<4} {100 * sum(verdicts) / len(verdicts):5.1f} %" if verdicts else " " * 17


def said_first(verdicts: list[Verdict]) -> str:
    counts = collections.Counter(verdict.first for verdict in verdicts if not verdict.right)
    return ", ".join(f"{name} {count}" for name, count in counts.most_common(4))


def row(name: str, verdicts: list[Verdict], twins: list[Verdict]) -> str:
    worth = [verdict for verdict in verdicts if verdict.worth_it]
    claims = [verdict.close for verdict in worth if verdict.right and verdict.close is not None]
    small = [verdict for verdict in verdicts if not verdict.worth_it]
    off = max((verdict.ledger_off for verdict in verdicts + twins), default=0)
    return (f"{name:18}{share([v.right for v in worth])}  {share([v.named for v in worth])}  {share(claims)}  "
            f"{share([v.quiet for v in twins])}  {share([not v.promises for v in small])}  {off:5.1f} %  "
            f"{said_first(worth)}")  # fmt: skip


def faulty(verdicts: list[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.truth["cause"]]


def healthy(verdicts: list[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if not verdict.truth["cause"]]


def print_table(verdicts: list[Verdict]) -> None:
    heads = ("cause first", "cause named", "saving ± 20 %", "healthy quiet", "none promised")
    print(" " * 18 + "  ".join(f"{head:17}" for head in heads) + "  ledger   first instead")
    for name in dict.fromkeys(verdict.truth["kind"] for verdict in verdicts):
        mine = [verdict for verdict in verdicts if verdict.truth["kind"] == name]
        print(row(name, faulty(mine), healthy(mine)))
    print(row("all", faulty(verdicts), healthy(verdicts)))


def confusion(verdicts: list[Verdict]) -> dict[str, dict[str, int]]:
    """How often which finding came first, by kind: of faults that are worth fixing, and of healthy runs what is loud."""
    table: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for verdict in verdicts:
        if verdict.worth_it:
            table[verdict.kind][verdict.first] += 1
        elif not verdict.truth["cause"]:
            table["healthy"]["nothing" if verdict.quiet else verdict.first] += 1
    return {kind: dict(counts.most_common()) for kind, counts in table.items()}


def as_json(verdicts: list[Verdict]) -> dict:
    runs = [verdict.truth | {"first": verdict.first, "claimed_seconds": verdict.claimed, "quiet": verdict.quiet,
                             "ledger_off_percent": verdict.ledger_off} for verdict in verdicts]  # fmt: skip
    return {"confusion": confusion(verdicts), "runs": runs}


def run(context: common.Context) -> list[common.Line]:
    """The topic of make bench."""
    verdicts = judge_all(context.build, kinds(context.build), range(1, 4 if context.quick else 11))
    print_table(verdicts)
    worth = [verdict for verdict in faulty(verdicts) if verdict.worth_it]
    claims = [verdict.close for verdict in worth if verdict.right and verdict.close is not None]
    return [
        missed("judge: planted cause not first, percent", [verdict.right for verdict in worth]),
        missed("judge: healthy runs not quiet, percent", [verdict.quiet for verdict in healthy(verdicts)]),
        missed("judge: claimed saving off by more than 20 %, percent", claims),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20, help="runs of each kind")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--kind", action="append", help="only these")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build", help="where the programs are")
    parser.add_argument("--list", action="store_true", help="name the runs that were not explained")
    parser.add_argument("--json", type=pathlib.Path, help="write what was said of each run here")
    chosen = parser.parse_args()
    names = chosen.kind or kinds(chosen.build)
    verdicts = judge_all(chosen.build, names, range(chosen.first, chosen.first + chosen.seeds))
    for verdict in verdicts if chosen.list else []:
        if verdict.wrong:
            print(verdict.line())
    print_table(verdicts)
    if chosen.json:
        chosen.json.write_text(json.dumps(as_json(verdicts), indent=1))


if __name__ == "__main__":
    main()
