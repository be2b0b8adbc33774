"""We fail: no place for the run file, errors in our own code, workers without us. The analysis does not notice."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap
from pathlib import Path

import nano
import pytest
import roastcoffea.backends._plugins as plugins
import roastcoffea.completeness as completeness
import roastcoffea.hooks as hooks
import roastcoffea.messages as messages
import roastcoffea.outbox as outbox
import roastcoffea.recording as recording
import roastcoffea.session as session
import roastcoffea.work as work
from coffea import processor
from distributed import Client, LocalCluster
from helpers import rows, runner
from roastcoffea import MetricsCollector, open_run

HERE = Path(__file__).resolve().parent


@pytest.fixture
def threads_client():
    """A cluster inside this process: what is broken here is broken in its scheduler and workers, too."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


PLACES = [
    (work._Attempt, "begin"),
    (work._Attempt, "enter"),
    (work._Attempt, "leave"),
    (work._Attempt, "finish"),
    (work._Attempt, "send"),
    (work, "_file_facts"),
    (work, "note_reads"),
    (hooks, "_wrap_runner"),
    (hooks, "WorkFunction"),
    (hooks, "_look_at"),
    (recording.Recording, "receive"),
    (recording.Recording, "worker"),
    (completeness.Requests, "item"),
    (session, "backend_for"),
    (session.Session, "_note_facts"),
    (session.Session, "running"),
    (session.Session, "_read_span"),
    (session.Session, "_stop_tracking"),
    (session.Session, "_note_end"),
    (plugins.SchedulerTracker, "heartbeats"),
    (plugins.SchedulerTracker, "left_processing"),
    (plugins.SchedulerTracker, "add_worker"),
    (plugins.WorkerProbe, "describe"),
    (plugins.WorkerProbe, "publish"),
    (outbox.Outbox, "put"),
    (outbox.Outbox, "flush"),
    (messages, "unpack"),
]


@pytest.mark.parametrize(("owner", "name"), PLACES, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_an_error_of_ours_is_logged_and_changes_nothing(threads_client, fileset, monkeypatch, caplog, owner, name):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(owner, name, broken)
    with caplog.at_level(logging.WARNING, "roastcoffea"), MetricsCollector(threads_client) as collector:
        out, report = runner(threads_client)(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800 and out["background"]["events"] == 400
    assert report["entries"] == 1200
    assert collector.metrics["elapsed_time_seconds"] > 0
    collector.print_summary()
    said = [record for record in caplog.records if "ZeroDivisionError" in record.getMessage()]
    assert said or name == "add_worker"


def test_an_error_of_ours_in_a_worker_is_a_note_of_the_run(own_client, fileset, caplog):
    def break_it():
        import roastcoffea.work

        def broken(*args, **kwargs):
            raise ZeroDivisionError("broken on purpose")

        roastcoffea.work.note_reads = broken

    own_client.run(break_it)
    with caplog.at_level(logging.WARNING, "roastcoffea"), MetricsCollector(own_client) as collector:
        out, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800
    said = "chunks: not measured, because of ZeroDivisionError: broken on purpose"
    assert rows(collector.run.path, "select text from note") == [(said,)]
    assert caplog.text.count(said) == 1


def test_a_pickle_of_an_unknown_version_loads_as_the_original_and_is_noted(caplog):
    with MetricsCollector(processor.IterativeExecutor(status=False)) as collector:
        state = {"ids": list(work.listeners), "spool": None}
        with caplog.at_level(logging.WARNING, "roastcoffea"):
            assert work.load(len, state) is len
    assert caplog.text.count("chunks: not measured, because of KeyError") == 1
    ((note,),) = rows(collector.run.path, "select text from note")
    assert note.startswith("chunks: not measured, because of KeyError")


def test_an_error_of_ours_does_not_hide_one_of_the_user(threads_client, fileset, monkeypatch, tmp_path):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(work._Attempt, "fail", broken)
    monkeypatch.setattr(session.Session, "_read_span", broken)
    with pytest.raises(Exception, match="made to fail"), MetricsCollector(threads_client):
        runner(threads_client, retries=0)(fileset, processor_instance=nano.Failing(str(tmp_path), "signal", 100))


def test_where_the_run_file_cannot_go_another_place_is_found(own_client, fileset, tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.WARNING, "roastcoffea"):
        with MetricsCollector(own_client, run_file=tmp_path / "file" / "run.roast") as collector:
            out, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800
    assert collector.metrics["num_chunk_records"] == 12
    assert str(collector.run.path) in caplog.text


def test_where_there_is_no_place_at_all_nothing_is_recorded_and_all_goes_well(
    own_client, fileset, tmp_path, caplog, monkeypatch, capsys
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(recording.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING, "roastcoffea"):
        with MetricsCollector(own_client) as collector:
            out, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800
    assert "nothing is recorded" in caplog.text
    assert collector.metrics == {} and collector.chunk_metrics == []
    collector.print_summary()
    assert "nothing to show" in capsys.readouterr().out


FULL_DISK = """
    import resource, sys
    sys.path[:0] = {paths!r}
    import nano
    from distributed import Client, LocalCluster
    from helpers import runner
    from roastcoffea import MetricsCollector

    if __name__ == "__main__":
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
            with MetricsCollector(client, run_file={run_file!r}) as collector:
                runner(client)({fileset!r}, processor_instance=nano.Plain())
                collector.run  # what there is, is written
                resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))  # from here on the disk is full
                out, report = runner(client)({fileset!r}, processor_instance=nano.Tracked())
            print("RESULT", out["signal"]["events"], report["entries"], collector.metrics["num_chunk_records"])
            collector.print_summary()
"""


def test_a_disk_that_fills_up_costs_records_and_nothing_else(fileset, tmp_path):
    paths = [str(HERE), str(HERE.parent), *[p for p in sys.path if p]]
    script = tmp_path / "script.py"
    text = textwrap.dedent(FULL_DISK).format(paths=paths, run_file=str(tmp_path / "run.roast"), fileset=fileset)
    script.write_text(text)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (result,) = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("RESULT")]
    assert result[:2] == ["800", "1200"]
    assert int(result[2]) >= 12
    assert "run file is incomplete" in done.stderr
    assert open_run(tmp_path / "run.roast").metrics["num_chunk_records"] >= 12
