"""Releases of coffea other than the installed one: an old one and one of those that took our stand-in for a packed processor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
MATRIX = Path(__file__).parents[2] / "scripts" / "matrix"


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("release", ["2025.10.2", "2025.12.0"])
def test_every_chunk_of_other_releases_is_measured_and_the_result_is_as_without_us(release):
    command = [sys.executable, MATRIX, release, "--json", "--executors", "iterative,fork,dask"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout, done.stderr
    row = json.loads(done.stdout.splitlines()[0])
    if "cannot" in row:
        pytest.skip(f"no environment for coffea {release}, the package index may be out of reach: {row['cannot']}")
    wrong = {name: (cell, row["said"][name]) for name, cell in row["cells"].items() if cell.startswith("✗")}
    assert not wrong
