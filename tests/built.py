"""Where the built programs are, for the tests that drive them.

scripts/run-tests sets ROAST_BUILD_DIR; by hand: ROAST_BUILD_DIR=build python -m pytest tests/python."""

from __future__ import annotations

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("ROAST_BUILD_DIR", ROOT / "build")).resolve()


def program(name: str) -> pathlib.Path:
    for folder in ("tools", "bench", "tests"):
        path = BUILD / folder / name
        if path.exists():
            return path
    pytest.fail(f"{name} is not in {BUILD}: build first, or set ROAST_BUILD_DIR")
