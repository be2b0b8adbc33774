"""The recipes of docs/ci.md, run as they are written: a repository with a branch, and an analysis that gets slower in it."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap

import pytest
from built import ROOT, program

yaml = pytest.importorskip("yaml", reason="needs PyYAML")

#: Stands for the user's analysis: it takes the path of the run file, and as long as the branch says.
ANALYSIS = """
import pathlib, subprocess, sys, zlib
path = sys.argv[sys.argv.index("--run-file") + 1]
factor = pathlib.Path(__file__).with_name("factor").read_text().strip()
shape = "--seed 9 --datasets 2 --files 8 --chunks 400 --workers 8 --samples 1 --join 0 --leave 0 --die 0 --retry-rate 0"
slow = f"--failure-rate 0 --slow-open {{0}} --slow-cpu {{0}} --slow-wait {{0}}".format(factor)
luck = zlib.crc32(pathlib.Path(path).name.encode()) % 1000
subprocess.run(["roast-synth", *shape.split(), *slow.split(), "--luck", str(luck), "--no-truth", "-o", path], check=True)
"""


def recipe(heading: str) -> dict:
    text = (ROOT / "docs" / "ci.md").read_text()
    block = re.search(rf"^## {heading}\n\n((?:    .*\n|\n)+)", text, re.MULTILINE)[1]
    return yaml.safe_load(textwrap.dedent(block))


@pytest.fixture
def workplace(tmp_path):
    """A clone with a branch for review, and the programs that recipes call."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("roast", "roast-synth"):
        (programs / name).symlink_to(program(name))
    for name in ("pip", "gh"):  # the package index and the site of the project are not ours to call
        (programs / name).write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/called"\n')
        (programs / name).chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    environment |= {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def make(factor: str):
        def git(*arguments, cwd):
            subprocess.run(["git", *arguments], cwd=cwd, env=environment, check=True, capture_output=True)

        origin, clone = tmp_path / "origin", tmp_path / "clone"
        origin.mkdir()
        git("init", "-q", "-b", "main", cwd=origin)
        (origin / "analysis.py").write_text(ANALYSIS)
        (origin / "factor").write_text("1")
        git("add", ".", cwd=origin)
        git("commit", "-qm", "as it was", cwd=origin)
        git("clone", "-q", str(origin), str(clone), cwd=tmp_path)
        git("checkout", "-qb", "change", cwd=clone)
        (clone / "factor").write_text(factor)
        git("commit", "-qam", "a change", cwd=clone)
        return clone, environment

    return make


def run_github(clone, environment) -> int:
    """The steps of the job, each in its shell, until one fails; the last one always."""
    summary = clone.parent / "summary.md"
    environment = environment | {"RUNNER_TEMP": str(clone.parent), "GITHUB_BASE_REF": "main"}
    environment["GITHUB_STEP_SUMMARY"] = str(summary)
    steps = [step["run"] for step in recipe("GitHub")["jobs"]["gate"]["steps"] if "run" in step]
    status = 0
    for step in steps:
        if status and not step.startswith("gh"):
            continue
        text = re.sub(r"\$\{\{ *github.event.number *\}\}", "7", step)
        assert "${{" not in text
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text], cwd=clone, env=environment,
                              capture_output=True, text=True, check=False)  # fmt: skip
        print(done.stdout, done.stderr)
        status = status or done.returncode
    assert summary.read_text() == (clone / "gate.md").read_text()
    assert "gh pr comment 7 --body-file gate.md" in (clone.parent / "called").read_text()
    return status


def run_gitlab(clone, environment) -> int:
    environment = environment | {"CI_PROJECT_DIR": str(clone), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    script = "\n".join(recipe("GitLab")["performance"]["script"])
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=clone, env=environment, capture_output=True, text=True,
                          check=False)  # fmt: skip
    print(done.stdout, done.stderr)
    return done.returncode


@pytest.mark.parametrize("run", [run_github, run_gitlab])
def test_a_slower_branch_fails(workplace, run):
    clone, environment = workplace("1.3")
    assert run(clone, environment) == 1
    assert (clone / "gate.md").read_text().startswith("**regression**")


@pytest.mark.parametrize(("run", "allowed"), [(run_github, {0}), (run_gitlab, {0, 3})])
def test_a_faster_branch_passes(workplace, run, allowed):
    clone, environment = workplace("0.7")
    assert run(clone, environment) in allowed
    assert recipe("GitLab")["performance"]["allow_failure"] == {"exit_codes": [3]}
    assert (clone / "gate.md").read_text().startswith("**no regression**")


def test_an_analysis_that_fails_is_not_called_a_regression(workplace):
    clone, environment = workplace("not a number")
    assert run_gitlab(clone, environment) == 2
