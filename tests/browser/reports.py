"""Writing reports, and where their pictures go."""

from __future__ import annotations

import pathlib
import subprocess

from built import BUILD, program

SCREENSHOTS = BUILD / "screenshots"


def write_report(run: pathlib.Path) -> pathlib.Path:
    page = run.with_suffix(".html")
    subprocess.run([program("roast"), "report", run, "-o", page], check=True, stdout=subprocess.DEVNULL, timeout=120)
    return page
