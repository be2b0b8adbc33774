"""Breaks the code on purpose, one small change at a time, and shows which test notices: make mutants.

Each mutant is built in a copy of the tree (build-mutants/) and tested until the first test fails, the nearest tests first.
What survives shows a test that is missing; more than 5 % of survivors fail. Options: words that the mutants to try must
contain, --list to see them all, --every N to try each N-th of those that are made of the list of fields, --quick for
the tests in C and of the command only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fields import field_mutants
from table import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build-mutants"
SOURCE, BUILD, PACKAGE = WORK / "source", WORK / "build", WORK / "package"
MOST_SURVIVORS = 0.05
LONGEST_TEST = 900  # seconds: a test that hangs has noticed

UNIT_TESTS = [
    "model", "analysis", "explain", "run", "fields", "pack", "follow", "inference", "csv", "json", "chart", "report", "terminal",
    "legacy", "probe",
]
NEAREST = {"include": ["fields"], "record": ["pack", "fields", "legacy"], "run": ["run", "fields"]}
PYTHON_TESTS = [
    "test_core_recorder.py", "test_core_chunk.py", "test_core_tables.py", "test_golden.py", "test_analysis_truth.py",
    "test_agreement.py", "test_completeness.py",
]


@dataclass
class Step:
    """A test, and what it needs to be built, one after the other."""

    name: str
    targets: list[str]
    command: list[str]


def unit_step(name: str) -> Step:
    """The test alone is compiled first: if that fails, nothing else has to be."""
    program = f"tests/test_{name}"
    return Step(name, [f"{program}.p/unit_test_{name}.c.o", program], [str(BUILD / program)])


def steps(layer: str) -> list[Step]:
    """All tests, those that are nearest to a layer first."""
    names = NEAREST.get(layer, []) + [name for name in UNIT_TESTS if name not in NEAREST.get(layer, [])]
    units = [unit_step(name) for name in names]
    commands = [sys.executable, str(SOURCE / "tests/cli/run.py"), str(BUILD / "tools/roast"), str(BUILD / "tests/make_run")]
    python = [str(path) for name in PYTHON_TESTS if (path := SOURCE / "tests" / "python" / name).exists()]
    return [
        *units,
        Step("cli", ["tools/roast", "tests/make_run"], commands),
        Step("python", ["all"], [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *python]),
    ]


def output_of(*command: object) -> subprocess.CompletedProcess[str]:
    ours = {"ROAST_BUILD_DIR": str(BUILD), "PYTHONPATH": str(PACKAGE), "CCACHE_BASEDIR": str(WORK)}
    environment = os.environ | ours | {"CMOCKA_MESSAGE_OUTPUT": "TAP"}
    return subprocess.run(
        [*map(str, command)], cwd=SOURCE, env=environment, check=False, capture_output=True, text=True, errors="replace",
        timeout=LONGEST_TEST,
    )


def copy_tree() -> None:
    """The tree as it is now, in SOURCE. Files that are the same keep their times, so that little is built again."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    tracked = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = [name for name in tracked if (ROOT / name).is_file()]
    for name in wanted:
        here, there = ROOT / name, SOURCE / name
        if not there.exists() or there.read_bytes() != here.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, there)
            os.utime(there)
    for path in SOURCE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and str(path.relative_to(SOURCE)) not in set(wanted):
            path.unlink()


def set_up() -> None:
    """A build of the copy, and the package as Python would import it, with the extension module of that build."""
    copy_tree()
    compiler = "ccache cc" if shutil.which("ccache") else "cc"
    if not (BUILD / "build.ninja").exists():
        subprocess.run(
            ["meson", "setup", str(BUILD), str(SOURCE), "-Doptimization=0", "-Dwerror=false"],
            check=True, stdout=subprocess.DEVNULL, env=os.environ | {"CC": compiler},
        )
    shutil.rmtree(PACKAGE, ignore_errors=True)
    PACKAGE.mkdir()
    (PACKAGE / "roastcoffea").symlink_to(SOURCE / "python" / "roastcoffea")
    extension = SOURCE / "python" / "roastcoffea" / "_core.abi3.so"
    extension.unlink(missing_ok=True)
    extension.symlink_to(BUILD / "python" / "ext" / "_core.abi3.so")


def noticed_by(layer: str, quick: bool) -> str | None:
    """The first test that fails; None if all pass."""
    for step in steps(layer):
        if quick and step.name == "python":
            break
        try:
            if any(output_of("ninja", "-C", BUILD, target).returncode for target in step.targets):
                return "the compiler"
            tested = output_of(*step.command)
        except subprocess.TimeoutExpired:
            return f"{step.name} (hangs)"
        if tested.returncode:
            return f"{step.name}: {failed_name(tested.stdout)}"
    return None


def failed_name(printed: str) -> str:
    """The name of the test that failed, from TAP or from pytest."""
    for line in printed.splitlines():
        if line.startswith("not ok"):
            return line.partition("- ")[2] or line.split(maxsplit=3)[-1]
        if line.startswith("FAILED "):
            return line.split("::", 1)[-1].split(" - ")[0]
    return "it crashes"


def outcome(mutant: Mutant, quick: bool) -> str | None:
    path = SOURCE / mutant.file
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(mutant.applied_to(text), encoding="utf-8")
        return noticed_by(mutant.layer, quick)
    finally:
        path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="try only mutants whose line contains all of them")
    parser.add_argument("--list", action="store_true", help="list the mutants")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of the list of fields, try each N-th")
    parser.add_argument("--quick", action="store_true", help="without the tests that are written in Python")
    options = parser.parse_args()
    found = [*MUTANTS, *field_mutants(ROOT)[:: options.every]]
    mutants = [mutant for mutant in found if all(word in str(mutant) for word in options.words)]
    lost = [mutant for mutant in mutants if not mutant.fits(ROOT)]
    if options.list:
        print(*mutants, sep="\n")
    for mutant in lost:
        print("It no longer finds its place:", mutant)
    if options.list or lost:
        return len(lost) > 0
    set_up()
    if reason := noticed_by("analysis", options.quick):
        print(f"Nothing is changed yet, and already it fails: {reason}")
        return 1
    survivors = 0
    for number, mutant in enumerate(mutants, 1):
        start = time.monotonic()
        reason = outcome(mutant, options.quick)
        survivors += reason is None
        print(f"{number:3} {time.monotonic() - start:4.0f} s  {mutant}\n            {reason or 'SURVIVED'}", flush=True)
    print(f"{len(mutants)} mutants, {survivors} survived")
    return 1 if survivors > MOST_SURVIVORS * len(mutants) else 0


if __name__ == "__main__":
    sys.exit(main())
