"""roast list: its numbers are those of the whole summary, whatever a run is like, though it reads less of each."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

BUILD = Path(os.environ["ROAST_BUILD_DIR"])
ROAST, SYNTH = BUILD / "tools" / "roast", BUILD / "bench" / "roast-synth"
JOBS = {
    "usual": [],
    "blind": ["--blind", "3", "--tasks"],
    "blind, no report": ["--blind", "3", "--tasks", "--no-report"],
    "failing": ["--failure-rate", "0.05", "--retry-rate", "0.1", "--die", "0.3", "--join", "0.3", "--leave", "0.2"],
    "no report": ["--no-report", "--clock-skew", "2"],
    "local": ["--workers", "0"],
    "plain": ["--plain"],
}
METRICS = ["elapsed_time_seconds", "total_events", "event_rate_elapsed_khz", "avg_workers", "peak_workers"]
METRICS += ["missing_files", "missing_chunks", "missing_events"]


def output_of(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("job", JOBS)
def test_a_number_of_the_list_is_that_of_show(tmp_path, job):
    run = tmp_path / "run.roast"
    size = ["--seed", "5", "--chunks", "400", "--workers", "6", "--cores", "2", "--datasets", "3", "--no-truth"]
    subprocess.run([SYNTH, *size, *JOBS[job], "-o", run], check=True, capture_output=True)
    (listed,) = output_of(ROAST, "list", run, "--json")
    shown = output_of(ROAST, "show", run, "--json")
    assert {name: listed[name] for name in METRICS} == {name: shown[name] for name in METRICS}
    assert listed["total_events"] is None or listed["total_events"] > 0


def test_a_run_that_does_not_say_when_it_ended_is_as_long_as_in_show(tmp_path):
    """Then heartbeats and tasks tell, which are otherwise not read."""
    run = tmp_path / "run.roast"
    subprocess.run([SYNTH, "--seed", "7", "--chunks", "50", "--workers", "3", "--no-truth", "-o", run], check=True)
    with closing(sqlite3.connect(run)) as database:  # kept open: what is in its log is not sealed
        database.execute("pragma journal_mode = wal")
        with database:
            database.execute("delete from run where key in ('t_end_ns', 'elapsed_ns')")
        (listed,) = output_of(ROAST, "list", run, "--json")
        shown = output_of(ROAST, "show", run, "--json")
    assert listed["elapsed_time_seconds"] == shown["elapsed_time_seconds"] > 0
