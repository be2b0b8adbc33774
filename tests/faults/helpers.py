"""What the tests of faults share."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import nano
from coffea import processor


def rows(path, query):
    """What a run file says, by SQL."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def failures(collector):
    """The failed attempts: reason, dataset, file, worker."""
    return rows(
        collector.run.path,
        "select error_type, dataset, file, worker from attempts where error_type is not null order by dataset, file",
    )


def runner(client, **options):
    executor = {name: options.pop(name) for name in ("retries", "compression") if name in options}
    return nano.runner(processor.DaskExecutor(client=client, status=False, **executor), **options)


def eventually(condition, seconds=30):
    """Wait for a condition that another process brings about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
