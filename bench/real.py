"""Does roast explain find what is wrong with real runs? The third judge, beside explain.py and judge.py: no model at all.

By hand: python bench/real.py [NAME…] [--pairs 3] [--keep FOLDER]
Each fault of tests/faults/faults.py is planted into a real job on worker processes of this machine, and the job is run again
without it, one after the other, some times. The medians say what the fault really cost. Other programs on the machine are
in the way: the share of time without a core is shown."""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import shutil
import sys
import tempfile

import common
from explain import missed

TESTS = (common.ROOT / "tests", common.ROOT / "tests" / "faults")


@dataclasses.dataclass
class Outcome:
    """What was said of the runs of a fault, and of their twins without it."""

    fault: object
    faulty: list
    twins: list

    @property
    def firsts(self) -> list[dict]:
        return [run.first(self.fault.first) for run in self.faulty]

    @property
    def right(self) -> list[bool]:
        return [first["id"] in self.fault.first.split() for first in self.firsts]

    @property
    def quiet(self) -> list[bool]:
        return [not set(self.fault.first.split()) & set(run.loud) for run in self.twins]

    @property
    def saves(self) -> float:
        """Really, of the time."""
        wall = common.median(run.wall for run in self.faulty)
        return (wall - common.median(run.wall for run in self.twins)) / wall

    @property
    def claims(self) -> float:
        """Of the time, in the runs in which it came first."""
        claimed = [
            (first["saving_seconds"] or 0) / run.wall
            for first, run, right in zip(self.firsts, self.faulty, self.right, strict=True)
            if right
        ]
        return common.median(claimed) if claimed else 0.0

    @property
    def close(self) -> bool | None:
        """Whether the claim is near; None: it is not judged."""
        if self.fault.within is None or not any(self.right):
            return None
        return abs(self.claims - self.saves) <= self.fault.within * max(self.saves, 0.05)

    def row(self) -> str:
        instead = ", ".join(sorted({str(first["id"]) for first, right in zip(self.firsts, self.right) if not right}))
        busy = common.median(run.waited_for_a_core for run in self.faulty + self.twins)
        verdict = {None: self.fault.why or "not judged", True: "near", False: "NOT NEAR"}[self.close]
        return (f"{self.fault.name:16}{sum(self.right):3}/{len(self.right):<4}{sum(self.quiet):4}/{len(self.quiet):<4}"
                f"{100 * self.saves:8.0f} %{100 * self.claims:8.0f} %{100 * busy:8.0f} %   {verdict:12} {instead}")  # fmt: skip


HEAD = f"{'fault':16}{'first':>6}  {'quiet':>7}  {'it costs':>9}{'claimed':>10}{'no core':>10}   saving       first instead"


def play(fault, faults, pairs: int, keep: pathlib.Path | None) -> Outcome:
    outcome = Outcome(fault, [], [])
    with (
        tempfile.TemporaryDirectory(prefix="roast-real-") as folder,
        faults.Scene(pathlib.Path(folder)) as scene,
        faults.Clusters() as clusters,
    ):
        for number in range(pairs):
            for faulty, runs in ((True, outcome.faulty), (False, outcome.twins)):
                file = pathlib.Path(folder) / f"{fault.name}-{number}-{'faulty' if faulty else 'twin'}.roast"
                runs.append(faults.measure(fault.plant(scene, faulty), clusters, run_file=file))
                common.say(f"{file.stem}: {runs[-1].line()}")
                if keep:
                    shutil.copy(runs[-1].path, keep)
    return outcome


def load(build: pathlib.Path):
    """The table of faults; workers find what is in it, too."""
    places = [str(place) for place in TESTS]
    os.environ["ROAST_BUILD_DIR"] = str(build)
    os.environ["PYTHONPATH"] = os.pathsep.join([*places, *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.path[:0] = places
    try:
        import faults
    except ImportError as error:
        raise SystemExit(f"bench: real runs need coffea, distributed and roastcoffea itself: {error}") from error
    return faults


def play_all(build: pathlib.Path, names, pairs: int, keep: pathlib.Path | None = None) -> list[Outcome]:
    faults = load(build)
    chosen = [fault for fault in faults.FAULTS if not names or fault.name in names]
    outcomes = [play(fault, faults, pairs, keep) for fault in chosen]
    print(HEAD)
    for outcome in outcomes:
        print(outcome.row())
    return outcomes


def run(context: common.Context) -> list[common.Line]:
    """The topic of make bench."""
    outcomes = play_all(context.build, (), 1 if context.quick else context.repeat)
    return [
        missed("real: planted cause not first, percent", [right for outcome in outcomes for right in outcome.right]),
        missed("real: named where it is not, percent", [quiet for outcome in outcomes for quiet in outcome.quiet]),
        missed("real: claimed saving not near, percent", [o.close for o in outcomes if o.close is not None]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only these faults")
    parser.add_argument("--pairs", type=int, default=3, help="runs of each, with the fault and without")
    parser.add_argument("--build", type=pathlib.Path, default=common.ROOT / "build", help="where the programs are")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the run files here")
    chosen = parser.parse_args()
    if chosen.keep:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    play_all(chosen.build, chosen.names, chosen.pairs, chosen.keep)


if __name__ == "__main__":
    main()
