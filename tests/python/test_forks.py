"""Processes made by fork: a child measures and sends its own chunks, and leaves alone what is its parent's."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sqlite3
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, _core, hooks, messages, open_run, route, sampling, spool, work  # noqa: E402

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),  # Python's, about threads of anybody
]


def in_child(function) -> int:
    """The exit code of a forked child that calls a function: 0 if that gives True."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = 0 if function() else 2
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextlib.contextmanager
def busy(*calls):
    """A thread for each function that calls it over and over, and so holds its lock often."""
    over = threading.Event()

    def repeat(call):
        while not over.is_set():
            call()

    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_forked_pool_measures_every_chunk_while_the_parent_is_busy(fileset, tmp_path):
    executor = processor.FuturesExecutor(workers=2, status=False)
    with MetricsCollector(executor) as collector:
        note = messages.Note("noise", 0)
        with busy(sampling.flush, lambda: spool.write(str(tmp_path), "noise", note), lambda: _core.Chunk({}).finish()):
            for _ in range(3):
                with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
                    executor.pool = pool
                    out, _ = nano.runner(executor)(fileset, processor_instance=nano.Plain())
                assert out["signal"]["events"] == 800
    assert collector.metrics["num_chunk_records"] == 3 * 12
    workers = {record["worker"] for record in collector.chunk_metrics}
    assert f":{os.getpid()}" not in {worker[worker.rindex(":") :] for worker in workers}


def test_a_child_inherits_no_listeners_hooks_or_takers_of_samples(fileset):
    executor = processor.IterativeExecutor(status=False)
    run_as_it_is = processor.Runner.run
    with MetricsCollector(executor):
        assert processor.Runner.run is not run_as_it_is
        inherits = lambda: not (route.listeners or hooks._open or sampling._users or work._waiting)  # noqa: E731
        assert in_child(lambda: inherits() and processor.Runner.run is run_as_it_is) == 0
        assert route.listeners and hooks._open


def test_a_child_cannot_write_or_end_the_run_of_its_parent(tmp_path):
    path = tmp_path / "run.roast"
    recorder = _core.Recorder(str(path))

    def write_and_close():
        with contextlib.suppress(ValueError):
            recorder.fact("written_by", "child")
            return False
        recorder.close("failed")
        return not recorder.closed

    assert in_child(write_and_close) == 0
    recorder.fact("written_by", "parent")
    recorder.close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        facts = dict(database.execute("select key, value from run"))
    assert facts["written_by"] == "parent"
    assert open_run(path).outcome == "finished"


def test_a_child_that_leaves_the_block_ends_nothing_of_the_run(fileset):
    executor = processor.IterativeExecutor(status=False)
    with MetricsCollector(executor) as collector:

        def leave():
            collector.__exit__(None, None, None)
            return True

        assert in_child(leave) == 0
        nano.runner(executor)(fileset, processor_instance=nano.Plain())
    assert collector.metrics["num_chunk_records"] == 12
    assert collector.run.outcome == "finished"

