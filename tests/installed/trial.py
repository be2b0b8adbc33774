"""What an installed package has to be able to do: record a run, show it, and read ROOT files of every compression.

trial.py COMMAND ROOT_FILE...    COMMAND is the installed roast; run by the Python that the package was installed for
"""

import contextlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import roastcoffea
from roastcoffea import _core


def roast(*arguments):
    done = subprocess.run([str(part) for part in arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def a_chunk(number):
    """Measured as a worker does it, and packed."""
    chunk = _core.Chunk({"dataset": "trial", "entry_start": 100 * number, "entry_stop": 100 * number + 100})
    chunk.phase("process")
    with _core.track_time(None, "sum"):
        sum(range(10_000))
    chunk.set(events=100)
    return chunk.finish()


def a_chunk_of_a_child(number):
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.write(into, a_chunk(number))
        os._exit(0)
    packed = os.read(out, 65536)
    assert os.waitpid(child, 0)[1] == 0
    return packed


def record(path):
    chunks = [a_chunk(0), a_chunk(1), a_chunk_of_a_child(2)]
    with _core.Recorder(path, name="trial") as recorder:
        recorder.chunk(chunks)


def read_while_it_is_recorded(path):
    """Python has another SQLite in this process: what that one does to the run must not disturb ours."""
    with _core.Recorder(path) as recorder:
        for number in range(1, 21):
            recorder.note("info", f"note {number}")
            recorder.flush()
            with contextlib.closing(sqlite3.connect(path)) as database:
                assert database.execute("select count(*) from note").fetchone() == (number,)
        assert roastcoffea.open_run(path).outcome == "running"
    assert roastcoffea.open_run(path).outcome == "finished"
    assert [file.name for file in path.parent.iterdir()] == [path.name], "it was not put into one file"


def main(command, *files):
    assert roast(command, "--version").split() == ["roast", _core.__version__]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.roast"
        read_while_it_is_recorded(path)
        path.unlink()
        record(path)
        run = roastcoffea.open_run(path)
        assert run.outcome == "finished" and run.metrics["total_events"] == 300, run.metrics
        assert "trial" in roast(command, "show", path)
        roast(command, "report", path, "-o", Path(folder) / "report.html")
    for file in files:
        assert roast(command, "inspect", file) and roastcoffea.inspect(file), file
    print(f"Python {sys.version.split()[0]}, {os.confstr('CS_GNU_LIBC_VERSION')}: {len(files)} ROOT files read, a run recorded")


main(*sys.argv[1:])
