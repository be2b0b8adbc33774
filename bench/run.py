"""make bench: what users have today and what we have, measured in one run and printed as ratios.

A topic is a module beside this one with a function run(context) that returns lines of the table."""

from __future__ import annotations

import argparse
import importlib
import json
import pathlib
import subprocess
import tempfile

from common import ROOT, Context, print_table, reference_python, say

TOPICS = ("core", "charts", "compare", "explain", "gate", "instrumentation", "judge", "real", "report", "root", "tasks")


def release_build(build: pathlib.Path) -> None:
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(build), str(ROOT), "--buildtype=release"], check=True)
    subprocess.run(["ninja", "-C", str(build)], check=True, stdout=subprocess.DEVNULL)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topics", nargs="*", default=list(TOPICS), help=f"which of {', '.join(TOPICS)}; default: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-release", help="where the release build is")
    parser.add_argument("--no-build", action="store_true", help="take the build as it is")
    parser.add_argument("--no-reference", action="store_true", help="leave out the comparison with 0.1.2")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, of which the median counts")
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--full", action="store_true", help="measure what is else scaled up from a sample (minutes more)")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here too")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    if not chosen.no_build:
        release_build(chosen.build)
    reference = None if chosen.no_reference else reference_python(ROOT / ".venv-bench")
    lines = []
    with tempfile.TemporaryDirectory(prefix="roast-bench-") as work:
        context = Context(chosen.build, pathlib.Path(work), chosen.repeat, chosen.quick, reference, chosen.full)
        for topic in chosen.topics:
            say(f"bench: {topic}")
            lines += importlib.import_module(topic).run(context)
    print_table(lines)
    if chosen.json:
        chosen.json.write_text(json.dumps([vars(line) | {"met": line.met} for line in lines], indent=1))


if __name__ == "__main__":
    main()
