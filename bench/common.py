"""What every topic of the benchmark shares: measuring a command, finding 0.1.2, and the table at the end."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = "roastcoffea==0.1.2"


@dataclasses.dataclass
class Measured:
    """One run of a command."""

    seconds: float
    peak_bytes: int
    output: str


@dataclasses.dataclass
class Line:
    """One line of the table. For a ratio, more is better; for a limit (`at_most`), less is."""

    what: str
    ours: str
    theirs: str
    value: float
    goal: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    def cells(self) -> list[str]:
        value = f"{self.value:.2f}" if self.at_most else f"{self.value:.1f} x"
        goal = f"< {self.goal:g}" if self.at_most else f"{self.goal:g} x"
        return [self.what, self.ours, self.theirs, value, goal, "met" if self.met else "NOT MET"]


@dataclasses.dataclass
class Context:
    """Where things are, and how much time to spend."""

    build: pathlib.Path
    work: pathlib.Path
    repeat: int
    quick: bool
    reference: pathlib.Path | None  # a Python that has 0.1.2
    full: bool = False

    def tool(self, name: str) -> str:
        for folder in ("tools", "bench"):
            path = self.build / folder / name
            if path.exists():
                return str(path)
        raise SystemExit(f"bench: {name} is not in {self.build}; build it first")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(command: list[str], package: pathlib.Path | None = None) -> Measured:
    """Wall time and peak resident memory of a command, from start to end; package: where Python finds ours."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if package:
        environment["PYTHONPATH"] = str(package)
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: {' '.join(command)} failed with {process.returncode}")
    return Measured(time.perf_counter() - begun, usage.ru_maxrss * 1024, output)


def measure_json(command: list[str], package: pathlib.Path | None = None) -> dict:
    """The last line that a command prints, as JSON, with the command's own measure added."""
    measured = measure(command, package)
    return json.loads(measured.output.splitlines()[-1]) | {"wall": measured.seconds, "peak": measured.peak_bytes}


def stage(context: Context) -> pathlib.Path:
    """Our package as it would be installed: the extension module fits every Python from 3.11."""
    place = context.work / "package"
    shutil.copytree(ROOT / "python" / "roastcoffea", place / "roastcoffea", dirs_exist_ok=True)
    extension = context.build / "python" / "ext" / "_core.abi3.so"
    if not extension.exists():
        raise SystemExit(f"bench: {extension} was not built: it needs the headers of Python 3.11 or later")
    shutil.copy(extension, place / "roastcoffea")
    return place


def median(values) -> float:
    return statistics.median(list(values))


def size_text(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


def seconds_text(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"


def python_candidates():
    """Pythons that 0.1.2 runs on, which needs 3.12 or later."""
    for version in ("3.13", "3.12"):
        if found := shutil.which(f"python{version}"):
            yield found
    if shutil.which("pyenv"):
        listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False)
        for version in sorted(listed.stdout.split(), reverse=True):
            prefix = subprocess.run(["pyenv", "prefix", version], capture_output=True, text=True, check=False)
            yield f"{prefix.stdout.strip()}/bin/python3"


def runs_at_least_312(python: str) -> bool:
    test = "import sys, venv; sys.exit(sys.version_info < (3, 12))"
    try:
        return subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def has_reference(python: pathlib.Path) -> bool:
    test = "import importlib.metadata as m, sys; sys.exit(m.version('roastcoffea') != '0.1.2')"
    return python.exists() and subprocess.run([python, "-c", test], capture_output=True, check=False).returncode == 0


def reference_python(venv: pathlib.Path) -> pathlib.Path | None:
    """The Python of a venv with 0.1.2, made if there is none; ROAST_BENCH_PYTHON names one that exists."""
    given = os.environ.get("ROAST_BENCH_PYTHON")
    python = pathlib.Path(given) if given else venv / "bin" / "python"
    if has_reference(python):
        return python
    if given:
        raise SystemExit(f"bench: {given} has no {REFERENCE}")
    base = next(filter(runs_at_least_312, python_candidates()), None)
    if not base:
        say("bench: no Python >= 3.12 here, so the comparison with roastcoffea 0.1.2 is left out")
        return None
    say(f"bench: installing {REFERENCE} into {venv}")
    subprocess.run([base, "-m", "venv", "--clear", str(venv)], check=True)
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", REFERENCE], check=False)
    if installed.returncode:
        say(f"bench: {REFERENCE} could not be installed, so the comparison with it is left out")
        return None
    return python


def print_table(lines: list[Line]) -> None:
    rows = [["", "ours", "0.1.2", "result", "goal", ""], *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    for row in rows:
        first = row[0].ljust(widths[0])
        print("  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip())
