"""What every Python test shares: the command, and runs made for the test."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from built import program


@pytest.fixture(scope="session")
def roast():
    """Runs the command: roast("show", path) gives its exit code, stdout and stderr."""
    command = program("roast")

    def run(*arguments, **options) -> subprocess.CompletedProcess:
        environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"}
        defaults = {"capture_output": True, "text": True, "errors": "replace", "env": environment, "timeout": 120}
        return subprocess.run([str(command), *map(str, arguments)], check=False, **(defaults | options))

    return run


@pytest.fixture(scope="session")
def synthesize(tmp_path_factory):
    """Makes a synthetic run: synthesize(seed=3, chunks=10) gives its path and the truth about it."""
    command = program("roast-synth")
    folder = tmp_path_factory.mktemp("synthetic")

    def make(**options) -> tuple[pathlib.Path, dict]:
        path = folder / f"{len(list(folder.iterdir()))}.roast"
        arguments = []
        for name, value in options.items():
            name = "--" + name.replace("_", "-")
            if value is not False:
                arguments += [name] if value is True else [name, str(value)]
        subprocess.run([str(command), *arguments, "-o", str(path)], check=True, timeout=120)
        return path, json.loads(path.with_suffix(".truth.json").read_text())

    return make
