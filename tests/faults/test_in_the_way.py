"""Monitoring is never in the way: nobody is waited for who does not answer, and an interrupt leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
import types
from pathlib import Path

import pytest
import roastcoffea
from distributed import Client, LocalCluster
from helpers import eventually, rows
from roastcoffea import MetricsCollector, hooks, messages
from roastcoffea.backends._plugins import SchedulerTracker
from roastcoffea.route import listeners, spools
from traces import traces

PACKAGE = str(Path(roastcoffea.__file__).parent)


@pytest.fixture(scope="module")
def here():
    """A client of a cluster in this process: quick to enter and to leave."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def timed(call, *args):
    begun = time.monotonic()
    call(*args)
    return time.monotonic() - begun


def test_a_worker_that_does_not_answer_delays_neither_the_beginning_nor_the_end(own_client):
    (pid, *_) = own_client.run(os.getpid).values()
    collector = MetricsCollector(own_client)
    os.kill(pid, signal.SIGSTOP)
    try:
        entering = timed(collector.__enter__)
        leaving = timed(collector.__exit__, None, None, None)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert entering < 5 and leaving < 8  # 2 s and 5 s, on a busy machine
    assert "1 of 2 workers could not be measured: no answer came" in notes(collector)
    assert sorted(rows(collector.run.path, "select probe from worker")) == [(0,), (1,)]
    eventually(lambda: traces(own_client) == [])  # the tracker finishes alone


def test_a_worker_that_stops_during_the_run_is_said_not_to_have_answered_at_the_end(own_client):
    (pid, *_) = own_client.run(os.getpid).values()
    collector = MetricsCollector(own_client)
    collector.__enter__()
    os.kill(pid, signal.SIGSTOP)
    try:
        leaving = timed(collector.__exit__, None, None, None)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert leaving < 8
    assert "1 worker did not answer at the end" in notes(collector)
    eventually(lambda: traces(own_client) == [])


def test_the_goodbye_of_a_worker_that_never_spoke_is_waited_for_because_it_would_bring_the_topic_back():
    tracker = SchedulerTracker("it", "client")

    async def removed(*args, **kwargs):
        return {"w": {"status": "OK"}}  # it had our plugin, and so says goodbye: by another connection than this answer

    async def leave():
        topics = {tracker.name: []}
        broker = types.SimpleNamespace(_topics=topics, truncate=lambda name: None)
        nothing = lambda *args, **kwargs: None  # noqa: E731
        await tracker.start(
            types.SimpleNamespace(
                workers={"w": None}, worker_plugins={tracker.name: b""}, plugins={}, task_metadata={}, _broker=broker,
                unregister_worker_plugin=removed, broadcast=removed, log_event=nothing, unsubscribe_topic=nothing,
            )
        )  # fmt: skip
        leaving = asyncio.ensure_future(tracker.leave(0.01))
        await asyncio.sleep(0.1)
        assert not leaving.done() and topics
        tracker.log_event(tracker.name, {**messages.event_of(messages.pack("w", 1, []), last=True), "worker": "w"})
        await asyncio.wait_for(leaving, 10)
        assert not topics

    asyncio.run(leave())


def notes(collector):
    return "\n".join(text for (text,) in rows(collector.run.path, "select text from note"))


class Interrupt:
    """Raises KeyboardInterrupt before the n-th line of this package that the main thread comes to."""

    def __init__(self, line):
        self.left = line
        self.hit = False

    def __call__(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.hit = True
                sys.settrace(None)
                raise KeyboardInterrupt
        return self


def interrupted(line, call, *args):
    """Whether the call had so many lines; KeyboardInterrupt passes if it had."""
    tracer = Interrupt(line)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        call(*args)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return tracer.hit


def left_behind(client):
    from coffea.processor.executor import Runner

    wrapped = [name for name in ("run", "preprocess") if hasattr(getattr(Runner, name), "__wrapped__")]
    return [*traces(client), *listeners, *spools, *hooks._open, *wrapped]


@pytest.mark.parametrize("moment", ["enter", "exit"])
def test_an_interrupt_at_any_line_leaves_nothing_behind(here, moment):
    line = 0
    while True:
        line += 1
        collector = MetricsCollector(here, track_workers=bool(line % 2))
        if moment == "enter":
            hit = interrupted(line, collector.__enter__)
            if not hit:
                collector.__exit__(None, None, None)
        else:
            collector.__enter__()
            hit = interrupted(line, collector.__exit__, None, None, None)
        eventually(lambda: left_behind(here) == [])
        assert here.submit(sum, [line, 1], pure=False).result() == line + 1
        if not hit:
            break
    assert line > 5  # it has come through all of it


SIGNALLED = """
    import os, signal, sys, threading, time
    sys.path[:0] = {paths!r}
    from distributed import Client, LocalCluster
    from roastcoffea import MetricsCollector
    from test_in_the_way import left_behind
    from helpers import eventually

    if __name__ == "__main__":
        with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
            interrupted = 0
            for moment in range(40):
                collector = MetricsCollector(client)
                timer = threading.Timer(moment * 0.002, os.kill, (os.getpid(), signal.SIGINT))
                try:
                    timer.start()
                    with collector:
                        pass
                    time.sleep(1)  # until it comes
                except KeyboardInterrupt:
                    interrupted += 1
                eventually(lambda: left_behind(client) == [])
            print("INTERRUPTED", interrupted)
"""


def test_control_c_at_any_moment_leaves_nothing_behind(tmp_path):
    script = tmp_path / "script.py"
    paths = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    script.write_text(textwrap.dedent(SIGNALLED).format(paths=paths))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    interrupted = int(done.stdout.split()[-1])
    assert interrupted >= 35  # one or the other lands in a callback of the garbage collector, where Python ignores it
