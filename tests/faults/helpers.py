"""What the tests of faults share."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import time
from pathlib import Path
from unittest import mock

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


def first_worker(client):
    """The address and the process of a worker."""
    return min(client.run(os.getpid).items())


@contextlib.contextmanager
def hearing(folder):
    """Collectors leave a mark of each chunk that they hear has begun: see nano.die_when_heard."""
    from roastcoffea import messages
    from roastcoffea.recording import Recording

    receive = Recording.receive

    def receive_and_mark(recording, sender, record):
        receive(recording, sender, record)
        if isinstance(record, messages.Begin):
            nano.begun_mark(folder, sender, record.item).touch()

    with mock.patch.object(Recording, "receive", receive_and_mark):
        yield
