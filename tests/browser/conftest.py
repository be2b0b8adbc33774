"""What the tests of the page share: a browser, runs, and their reports. Screenshots go to build/screenshots."""

from __future__ import annotations

import subprocess

import pytest
from built import program
from chromium import Chromium, chromium_path
from reports import write_report

USUAL = {"seed": 7, "chunks": 600, "workers": 12, "samples": 60, "files": 20, "retry-rate": 0.03, "die": 0.1, "join": 0.3}


@pytest.fixture(scope="session")
def browser():
    if not chromium_path():
        pytest.skip("there is no Chromium here (Debian: apt-get install chromium)")
    with Chromium() as started:
        yield started


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="session")
def synthetic(folder):
    """synthetic(chunks=10) gives a run of a cluster and its report."""
    made = {}

    def make(**changes):
        options = USUAL | {name.replace("_", "-"): value for name, value in changes.items()}
        key = tuple(sorted(options.items()))
        if key not in made:
            run = folder / f"synthetic-{len(made)}.roast"
            arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))[: 1 if value is True else 2]]
            subprocess.run([program("roast-synth"), *arguments, "--no-truth", "-o", run], check=True, timeout=120)
            made[key] = run, write_report(run)
        return made[key]

    return make


@pytest.fixture(scope="session")
def odd(folder):
    """odd("no_chunks") gives the report of a run that lacks something; tests/helpers/odd_run.c has the kinds."""

    def make(kind):
        run = folder / f"{kind}.roast"
        subprocess.run([program("odd_run"), kind, run], check=True, timeout=60)
        return write_report(run)

    return make


@pytest.fixture
def open_page(browser):
    """Opens pages, and closes them after the test."""
    opened = []

    def start(path, **options):
        opened.append(browser.open(path, **options))
        return opened[-1]

    yield start
    for page in opened:
        page.close()
