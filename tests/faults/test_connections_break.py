"""The scheduler goes away, the client is killed or interrupted: what was measured until then is kept."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import nano
import pytest
from distributed import Client, LocalCluster
from helpers import eventually, rows, runner
from roastcoffea import MetricsCollector, open_run
from traces import traces

HERE = Path(__file__).resolve().parent


class Slow(nano.Plain):
    """Leaves time to break something."""

    def process(self, events):
        time.sleep(1)
        return nano.measure(events)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def chunks_so_far(path):
    try:
        return rows(path, "select count(*) from chunk")[0][0]
    except sqlite3.OperationalError:  # not there yet, or just being made
        return 0


def start(*command):
    same_path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", *command], env=same_path, **quiet)


def end(*processes):
    for process in processes:
        process.kill()
        process.wait()


def start_cluster(port):
    address = f"tcp://127.0.0.1:{port}"
    scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    worker = start("distributed.cli.dask_worker", address, "--nworkers", "2", "--nthreads", "1", "--no-dashboard")
    return address, scheduler, worker


def test_a_scheduler_that_dies_leaves_what_was_measured(fileset, tmp_path):
    run_file = tmp_path / "run.roast"
    address, scheduler, worker = start_cluster(free_port())
    try:
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            collector = MetricsCollector(client, run_file=run_file)
            began = time.monotonic()
            with pytest.raises(BaseException) as error, collector:  # whatever Dask raises then
                execution = runner(client)
                _when(lambda: chunks_so_far(run_file) >= 2, scheduler.kill)
                execution(fileset, processor_instance=Slow())
            assert not isinstance(error.value, AssertionError)
            assert time.monotonic() - began < 120
    finally:
        end(scheduler, worker)
    run = open_run(run_file)
    assert run.outcome in ("failed", "interrupted")
    assert len(run.chunks) >= 2
    assert run.metrics["num_successful_chunks"] >= 2
    notes = rows(run_file, "select text from note")
    assert any("connection to the scheduler was lost" in text for (text,) in notes)


def test_a_scheduler_that_is_started_anew_computes_on_and_what_was_measured_before_is_kept(fileset):
    port = free_port()
    address, *processes = start_cluster(port)
    try:
        with Client(address, timeout=60) as client, MetricsCollector(client) as collector:
            client.wait_for_workers(2, timeout=60)
            runner(client)(fileset, processor_instance=nano.Plain())
            first = client.run_on_scheduler(os.getpid)
            eventually(lambda: collector._session.recording.chunks == 12, 30)  # records travel twice a second
            end(*processes)
            _, *processes = start_cluster(port)
            eventually(lambda: _scheduler_pid(client) not in (None, first), 90)
            client.wait_for_workers(2, timeout=60)
            out, report = runner(client)(fileset, processor_instance=nano.Plain())
        assert out["signal"]["events"] == 800 and report["entries"] == 1200
    finally:
        end(*processes)
    assert collector.run.outcome == "finished"
    assert len(collector.run.chunks) == 12
    notes = rows(collector.run.path, "select text from note")
    assert any("connection to the scheduler was lost" in text for (text,) in notes)


def _scheduler_pid(client):
    try:
        return client.run_on_scheduler(os.getpid)
    except Exception:  # whatever Dask raises while it has no connection
        return None


def _when(condition, action):
    """Do something as soon as a condition holds, in the background."""
    import threading

    def wait():
        eventually(condition, 60)
        action()

    threading.Thread(target=wait, daemon=True).start()


SCRIPT = """
    import sys
    sys.path[:0] = {paths!r}
    import json
    from distributed import Client
    from helpers import runner
    from test_connections_break import Slow
    from roastcoffea import MetricsCollector

    if __name__ == "__main__":
        with Client({address!r}) as client, MetricsCollector(client, run_file={run_file!r}) as collector:
            runner(client)(json.loads({fileset!r}), processor_instance=Slow())
"""


def run_script(tmp_path, address, run_file, fileset):
    import json

    script = tmp_path / "script.py"
    paths = [str(HERE), str(HERE.parent), *[p for p in sys.path if p]]
    text = textwrap.dedent(SCRIPT).format(
        paths=paths, address=address, run_file=str(run_file), fileset=json.dumps(fileset)
    )
    script.write_text(text)
    return subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def kill_a_client_at_work(own_client, fileset, tmp_path):
    run_file = tmp_path / "run.roast"
    script = run_script(tmp_path, own_client.scheduler.address, run_file, fileset)
    try:
        eventually(lambda: chunks_so_far(run_file) >= 3, 90)
    finally:
        script.kill()
        script.wait()
    return open_run(run_file)


def test_a_client_that_is_killed_has_lost_at_most_a_second(own_client, fileset, tmp_path):
    run = kill_a_client_at_work(own_client, fileset, tmp_path)
    assert run.outcome == "interrupted"
    assert run.metrics["num_successful_chunks"] >= 3


def test_a_client_that_is_killed_leaves_a_clean_cluster(own_client, fileset, tmp_path):
    kill_a_client_at_work(own_client, fileset, tmp_path)
    eventually(lambda: traces(own_client) == [], 20)


def test_control_c_passes_and_leaves_the_run(own_client, fileset, tmp_path):
    run_file = tmp_path / "run.roast"
    script = run_script(tmp_path, own_client.scheduler.address, run_file, fileset)
    try:
        eventually(lambda: chunks_so_far(run_file) >= 2, 90)
        script.send_signal(signal.SIGINT)
        said, _ = script.communicate(timeout=90)
    finally:
        script.kill()
        script.wait()
    assert "KeyboardInterrupt" in said
    assert script.returncode != 0
    run = open_run(run_file)
    assert run.outcome == "interrupted"
    assert run.facts["error_type"] == "KeyboardInterrupt"
    assert len(run.chunks) >= 2
    eventually(lambda: traces(own_client) == [], 60)


def restart(client, cluster):
    """On a busy machine Dask itself can lose both nannies in a restart, without any plugin of ours: then others are started."""
    try:
        client.restart(timeout=60)
    except TimeoutError:
        cluster.scale(0)
        cluster.scale(2)
        client.wait_for_workers(2, timeout=120)


def test_a_restart_of_the_cluster_within_the_block_is_survived(fileset):
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        MetricsCollector(client) as collector,
    ):
        runner(client)(fileset, processor_instance=nano.Plain())
        restart(client, cluster)
        out, _ = runner(client)(fileset, processor_instance=nano.Plain())
        assert traces(client)
        pids = set(client.run(os.getpid).values())
    assert out["signal"]["events"] == 800
    assert collector.metrics["num_successful_chunks"] == 24
    last = {pid for (pid,) in rows(collector.run.path, "select distinct pid from chunk")}
    assert pids <= last and len(last) == 4
