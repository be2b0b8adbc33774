"""Secrets stay with their owner: planted wherever a text can come in, they are in nothing that comes out."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import pathlib
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import zlib

import pytest
import range_server
from built import ROOT

roastcoffea = pytest.importorskip("roastcoffea")
from roastcoffea import MetricsCollector, _core, open_run  # noqa: E402
from roastcoffea.command import command_line  # noqa: E402
from roastcoffea.guard import Guard, text_of  # noqa: E402

PLANTED = "pLaNtEd"
TEXT_KINDS = {"TEXT", "UUID", "NAME", "DATASET", "WORKER", "FILE"}


def plant(what: str) -> str:
    """A text with secrets in all the ways that can be told, and a name that may be seen."""
    return (
        f"https://me:{PLANTED}-login-{what}@host/{what}?sig={PLANTED}-query-{what}#{PLANTED}-fragment-{what}"
        f" token={PLANTED}-token-{what} Bearer {PLANTED}-bearer-{what}"
    )


def text_fields() -> dict[str, list[str]]:
    """The text fields of every record, from the list of records: a new one is covered by itself."""
    source = (ROOT / "include" / "roast_records.def").read_text()
    fields: dict[str, list[str]] = {}
    for record, kind, name in re.findall(r"^ROAST_(?:FIELD|HIDDEN)\((\w+), +(\w+), +(\w+),", source, re.MULTILINE):
        fields.setdefault(record, [])
        if kind in TEXT_KINDS:
            fields[record].append(name)
    return fields


def planted(record: str, **more):
    return {name: plant(f"{record}-{name}") for name in text_fields()[record]} | more


def record_everything(path: pathlib.Path) -> None:
    """A run in which every text of every record holds secrets, as a probe packs them and as dicts."""
    second = 10**9
    with _core.Recorder(path, name=plant("name")) as recorder:
        for key in ("t_start_ns", "t_end_ns"):
            recorder.fact(key, (key == "t_end_ns") * 9 * second + second)
        recorder.fact("processor", plant("processor"))
        recorder.fact("my_token", f"{PLANTED}-fact")
        recorder.worker(planted("worker", cores=1, joined_ns=second, left_ns=9 * second, lost=True))
        recorder.sample(planted("sample", t_ns=2 * second, memory=1, cpu=1.0))
        recorder.task(planted("task", start_ns=second, stop_ns=2 * second))
        recorder.activity(*planted("activity").values(), 1.0)
        recorder.work([planted("work"), {"dataset": "d", "chunks": 1, "events": 9, "files": 1}])
        recorder.note("warning", plant("note"))
        recorder.report(json.dumps({plant("report-key"): [plant("report")], "password": f"{PLANTED}-report"}))
        recorder.custom_metrics(json.dumps({"signal": {plant("metric"): plant("metric-text")}}))
        recorder.file(planted("file", entries=9, branches=[planted("branch", compressed=1, uncompressed=2)]))
        recorder.file(_core.pack_file(planted("file", tree="packed", branches=[planted("branch", compressed=1)])))
        for failed in (False, True):
            chunk = planted("chunk", events=9, t_start_ns=(1 + failed) * second, duration_ns=second, cpu_ns=second)
            if not failed:
                del chunk["error"], chunk["error_type"]
            chunk |= {"timing": {plant("section"): 0.5}, "accessed_branches": ["Jet_pt", plant("branch-read")]}
            chunk |= {plant("custom"): [plant("custom-text")], "custom_secret": f"{PLANTED}-custom"}
            recorder.chunk(chunk)
        recorder.chunk(packed_chunk())


def packed_chunk() -> bytes:
    chunk = _core.Chunk({name: plant(f"packed-{name}") for name in text_fields()["chunk"]} | {"num_events": 9})
    chunk.phase("process")
    with _core.track_time(None, plant("section-parent")), _core.track_time(None, plant("section-name")):
        pass
    chunk.fields[plant("packed-custom")] = {plant("packed-key"): plant("packed-text")}
    chunk.set(branches=[plant("packed-branch")])
    packed = chunk.finish()
    assert PLANTED not in str(chunk.record())
    return packed


def uncompressed(page: bytes):
    """What a report carries in compressed form."""
    for letters in re.findall(rb">([A-Za-z0-9+/=\s]{16,})<", page):
        with contextlib.suppress(ValueError, zlib.error):
            yield zlib.decompress(base64.b64decode(letters))


def by_command(roast, path: pathlib.Path, folder: pathlib.Path):
    """Everything that the command makes of a run."""
    other = shutil.copy(path, folder / "other.roast")
    calls = [
        ["show", path, "--all", "--width", "1000"],
        ["show", path, "--json"],
        ["show", path, "--all", "--only", "notes,failures,missing,workers,files,branches,sections,tasks,fine"],
        ["show", path, "--only", "missing", "--json"],
        ["explain", path],
        ["explain", path, "--json"],
        ["compare", path, other, "--markdown", "-"],
        ["gate", path, other, "--markdown", "-"],
        ["scale", path, other],
        ["export", path, "--to", "json", "-o", "-"],
        ["export", path, "--to", "openmetrics", "-o", "-"],
        ["export", path, "--to", "perfetto", "-o", folder / "trace"],
        ["export", path, "--to", "csv", "-o", folder / "tables"],
        ["report", path, "-o", folder / "report.html"],
        ["plot", path, "--all", "-o", folder / "drawn"],
        ["plot", path, "--all", "--format", "json", "-o", folder / "charts"],
    ]
    for call in calls:
        done = roast(*call)
        assert done.returncode == 0 or call[0] in ("gate", "scale"), done.stderr  # which may have nothing to say
        yield " ".join(map(str, call)), (done.stdout + done.stderr).encode()
    yield from uncompressed_of(folder / "report.html")


def uncompressed_of(page: pathlib.Path):
    parts = list(uncompressed(page.read_bytes()))
    assert parts
    for number, part in enumerate(parts):
        yield f"part {number} of {page.name}", part


def by_python(path: pathlib.Path, folder: pathlib.Path):
    """Everything that the package makes of a run."""
    import pyarrow
    from roastcoffea.export.measurements import save_run
    from roastcoffea.legacy.metrics import metrics_of_run

    run = open_run(path)
    yield "metrics", repr(run.metrics).encode()
    yield "records", repr(run.chunk_records()).encode()
    yield "tracking data", repr(run.tracking_data()).encode()
    yield "facts", repr(run.facts).encode()
    yield "findings", repr(run.explain()).encode()
    yield "comparison", repr(run.compare(run)).encode()
    yield "in a notebook", run._repr_html_().encode()
    for name in ("chunks", "workers", "sections", "files", "branches", "samples", "tasks"):
        with contextlib.suppress(AttributeError):
            yield name, repr(pyarrow.table(getattr(run, name)).to_pydict()).encode()
    for kind in ("report", "custom_metrics"):
        yield kind, (_core.Run(path).document(kind) or "").encode()
    yield "activities", repr(_core.Run(path).activities()).encode()
    save_run(run, metrics_of_run(run), folder, "measurement")


def check(roast, path: pathlib.Path, folder: pathlib.Path, planted: str = PLANTED) -> dict[str, bytes]:
    """Nothing that is made of a run holds a secret. Gives what was made."""
    outputs = {"the run file": path.read_bytes()}
    outputs |= dict(by_command(roast, path, folder))
    outputs |= dict(by_python(path, folder))
    outputs |= {str(made): made.read_bytes() for made in folder.rglob("*") if made.is_file()}
    leaks = {
        name: re.findall(rb".{0,60}" + planted.encode() + rb".{0,40}", text)[:2]
        for name, text in outputs.items()
        if planted.encode() in text
    }
    assert not leaks
    return outputs


def test_no_output_holds_a_secret_that_was_planted_in_any_text_of_any_record(roast, tmp_path):
    path = tmp_path / "run.roast"
    record_everything(path)
    (tmp_path / "out").mkdir()
    outputs = check(roast, path, tmp_path / "out")
    for record, fields in text_fields().items():  # they are there, but for what opens doors
        for field in fields:
            assert f"https://host/{record}-{field}?#".encode() in outputs["the run file"], (record, field)
    everything = b"".join(outputs.values())
    for seen in (b"host/section?#", b"host/note?#", b"host/custom-text?#", b"host/packed-text?#", b"host/report?#"):
        assert seen in everything


def test_no_secret_is_in_the_log_of_a_run_that_goes_on(tmp_path):
    path = tmp_path / "run.roast"
    recorder = _core.Recorder(path)
    recorder.chunk(planted("chunk", duration_ns=5))
    recorder.flush()
    written = path.with_name("run.roast-wal").read_bytes()
    assert b"https://host/chunk-error?#" in written
    assert PLANTED.encode() not in written
    recorder.close()


def test_an_imported_measurement_of_0_1_has_no_secrets(roast, tmp_path):
    chunk = {"dataset": plant("dataset"), "file": plant("file"), "num_events": 5, "t_start": 1.0, "t_end": 2.0}
    chunk |= {"timing": {plant("section"): 0.5}, plant("custom"): plant("custom-text")}
    metrics = {
        "wall_time": 10.0,
        "chunk_info": [[plant("file"), 0, 5, 1.0]],
        "per_dataset": {plant("dataset"): {"events": 5}},
        "raw_chunk_metrics": [chunk],
        "chunk_metrics": [chunk],
        "tracking_data": {"worker_counts": {"1970-01-01T00:00:01": 1}, "worker_memory": {plant("worker"): [[1, 2]]}},
        "custom_metrics": {plant("dataset"): {plant("metric"): plant("metric-text")}},
    }
    folder = tmp_path / "measurement"
    folder.mkdir()
    (folder / "metrics.json").write_text(json.dumps(metrics))
    (folder / "metadata.json").write_text(json.dumps({"timestamp": "2025-01-01T00:00:00", "config": plant("config")}))
    (folder / "config.json").write_text(json.dumps({"url": plant("config"), "password": f"{PLANTED}-password"}))
    (folder / "start_end_time.txt").write_text("1.0,11.0\n")
    done = roast("import", folder, "-o", tmp_path / "run.roast")
    assert done.returncode == 0, done.stderr
    (tmp_path / "out").mkdir()
    check(roast, tmp_path / "run.roast", tmp_path / "out")
    shown = roast("show", folder, "--json")
    assert shown.returncode == 0
    assert PLANTED not in shown.stdout + shown.stderr


# ---- Runs of coffea


@pytest.fixture
def nano():
    return pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)


@pytest.fixture
def signed(fileset, monkeypatch):
    """The files of the fileset behind signed addresses, and what the server was asked for."""
    folder = pathlib.Path(fileset["signal"]["files"][0]).parent
    with range_server.serve(folder) as served:
        host = served.address.removeprefix("http://")

        def sign(file: str, number: int) -> str:
            return f"http://me:{PLANTED}-login@{host}/files/{pathlib.Path(file).name}?X-Sig={PLANTED}-{number}"

        yield (
            {
                dataset: {"files": [sign(file, i) for i, file in enumerate(about["files"])], "treename": "Events"}
                for dataset, about in fileset.items()
            },
            served,
        )


def rows(path: pathlib.Path, sql: str) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


@pytest.mark.parametrize("engine", ["iterative", "dask"])
def test_a_run_over_signed_addresses_keeps_none_of_their_secrets(
    engine, nano, signed, roast, tmp_path, request, monkeypatch, caplog
):
    from coffea import processor

    fileset, served = signed
    monkeypatch.setattr(sys, "argv", ["analysis.py", f"--token={PLANTED}-argv", "-p", f"{PLANTED}-argv", "-n4"])
    client = request.getfixturevalue("client") if engine == "dask" else None
    executor = processor.DaskExecutor(client=client, status=False) if client else processor.IterativeExecutor(status=False)
    path = tmp_path / "run.roast"
    with caplog.at_level(logging.WARNING, "roastcoffea"):
        with MetricsCollector(client, run_file=path) as collector:
            out, _ = nano.runner(executor)(fileset, processor_instance=nano.Tracked())
    assert out["signal"]["events"] == 800
    assert any(f"X-Sig={PLANTED}" in asked for asked in served.asked)
    assert PLANTED not in caplog.text
    (tmp_path / "out").mkdir()
    check(roast, path, tmp_path / "out")
    assert collector.run.facts["command"] == "analysis.py --token -p … -n"
    # The facts of a file are found by the chunks of it, whoever told of either.
    assert rows(path, "select count(*), count(entries) from file") == [(3, 3)]
    assert rows(path, "select count(*) from chunk join file on file.id = chunk.file where entries = 400") == [(12,)]
    assert all(re.fullmatch(r"http://127\.0\.0\.1:\d+/files/file\d\.root\?#[0-9a-f]{8}", url) for url in collector.run.files["file"])


def test_the_text_of_an_exception_is_kept_without_secrets(nano, fileset, roast, tmp_path, caplog):
    from coffea import processor

    class Failing(processor.ProcessorABC):
        def process(self, events):
            raise ValueError(plant("exception"))

        def postprocess(self, accumulator):
            return accumulator

    path = tmp_path / "run.roast"
    with pytest.raises(Exception, match=PLANTED):  # the user's own exception is the user's
        with MetricsCollector(None, run_file=path):
            nano.runner(processor.IterativeExecutor(status=False))(fileset, processor_instance=Failing())
    (tmp_path / "out").mkdir()
    outputs = check(roast, path, tmp_path / "out")
    assert b"https://host/exception?#" in outputs["the run file"]


@pytest.mark.parametrize("room", range(0, 60, 7))
def test_no_half_of_a_secret_is_left_where_a_long_text_is_cut(room):
    text = text_of(ValueError("x" * (1000 - room) + " https://me:" + PLANTED + "@host/file"))
    assert len(text) <= 1000 and PLANTED[:3] not in text


def test_an_exception_that_cannot_be_printed_has_a_text():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert text_of(Mute()) == "(its text cannot be had: RuntimeError)"


def test_what_a_guard_says_has_no_secrets(caplog):
    notes: list[str] = []
    guard = Guard(notes.append)
    with caplog.at_level(logging.WARNING, "roastcoffea"), guard("a part"):
        raise OSError(plant("guard"))
    assert "https://host/guard?#" in caplog.text and "https://host/guard?#" in notes[0]
    assert PLANTED not in caplog.text + notes[0]


@pytest.mark.parametrize("way", ["tables", "--json", "html", "python"])
def test_inspecting_a_signed_address_opens_it_and_shows_no_secret(way, signed, roast, tmp_path):
    fileset, served = signed
    url = fileset["signal"]["files"][0]
    gone = url.replace("file0", "missing").replace("/files/", "/404/")
    if way == "python":
        found = roastcoffea.inspect([url, gone])
        shown = str(found) + found.to_json() + found._repr_html_() + repr(list(found.files["file"]))
        assert found.trees == ["Events"]
        with pytest.raises(OSError) as error:
            roastcoffea.inspect(gone)
        shown += str(error.value)
    else:
        options = {"tables": [], "--json": ["--json"], "html": ["--html", "-"]}[way]
        done = roast("inspect", url, *options)
        assert done.returncode == 0, done.stderr
        assert "file0.root?#" in done.stdout
        failed = roast("inspect", url, gone, *options)
        assert "missing.root?#" in failed.stderr
        shown = done.stdout + done.stderr + failed.stdout + failed.stderr
    assert any(f"X-Sig={PLANTED}" in asked for asked in served.asked)
    assert PLANTED not in shown


# ---- The command line


@pytest.mark.parametrize(
    ("argv", "kept"),
    [
        ([], ""),
        (["analysis.py"], "analysis.py"),
        (["analysis.py", "--token=abc", "-n", "4", "data.json"], "analysis.py --token -n … …"),
        (["analysis.py", "-pabc", "-5", "--", "--abc", "x"], "analysis.py -p … -- … …"),
        (["-c", "key=abc", "", "--to-do:abc", "-", "---abc"], "-c … … --to-do … …"),
    ],
)
def test_a_command_keeps_the_program_and_the_names_of_options(argv, kept):
    assert command_line(argv) == kept


# ---- Whose files they are


def mode_of(path: pathlib.Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_run_files_of_the_cache_folder_are_their_owners_alone(tmp_path):
    runs = tmp_path / "cache" / "roastcoffea" / "runs"
    runs.mkdir(parents=True, mode=0o755)  # as a version before made it
    with MetricsCollector(track_workers=False) as collector:
        path = next(runs.glob("*.roast"))
        assert [mode_of(file) for file in runs.iterdir()] == [0o600] * 3  # the run file, its log, and shared memory
    assert mode_of(runs) == 0o700
    assert collector.run.path == path
    assert mode_of(path) == 0o600


def test_a_run_file_of_the_users_place_has_the_users_permissions(tmp_path):
    (tmp_path / "mine").touch()
    with MetricsCollector(track_workers=False, run_file=tmp_path / "run.roast"):
        pass
    assert mode_of(tmp_path / "run.roast") == mode_of(tmp_path / "mine")


# ---- A run file that exists


def test_a_run_goes_into_the_folder_that_is_given_as_its_file(tmp_path):
    with MetricsCollector(track_workers=False, run_file=tmp_path) as collector:
        pass
    assert collector.run.path.parent == tmp_path and collector.run.path.suffix == ".roast"


def test_a_run_that_cannot_be_written_anywhere_says_why(tmp_path, monkeypatch):
    nowhere = tmp_path / "file" / "folder"
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(nowhere))
    monkeypatch.setattr("roastcoffea.settings.settings.run_folder", nowhere)
    with MetricsCollector(track_workers=False) as collector:
        pass
    with pytest.raises(RuntimeError, match="there is no run file: .*file"):
        _ = collector.run


def test_a_run_file_that_exists_stays_and_the_new_run_goes_beside_it(tmp_path, caplog):
    paths = []
    for _ in range(3):
        with MetricsCollector(track_workers=False, run_file=tmp_path / "run.roast") as collector:
            pass
        paths.append(collector.run.path)
    names = ["run.roast", "run-2.roast", "run-3.roast"]
    assert paths == [tmp_path / name for name in names]
    notes = [rows(path, "select text from note") for path in paths]
    assert notes[0] == []
    assert [text for ((text,),) in notes[1:]] == [
        f"{tmp_path / 'run.roast'} exists already: the run is recorded in {path}" for path in paths[1:]
    ]
    assert str(paths[2]) in collector.run.summary.text(only="notes", width=400)


def test_what_exists_is_no_run_and_stays_as_it_is(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with MetricsCollector(track_workers=False, run_file=tmp_path / "notes.txt") as collector:
        pass
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert collector.run.path == tmp_path / "notes-2.txt"


def test_processes_that_start_at_once_take_a_file_each(tmp_path):
    script = (
        "import sys; from roastcoffea.recording import Recording\n"
        "print('there', flush=True); sys.stdin.readline()\n"
        f"Recording({str(tmp_path / 'run.roast')!r}).close('finished')\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen([sys.executable, "-c", script], **pipes) for _ in range(4)]
    assert [process.stdout.readline() for process in started] == ["there\n"] * 4
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait(120) for process in started] == [0] * 4
    expected = {"run.roast", "run-2.roast", "run-3.roast", "run-4.roast"}
    assert {path.name for path in tmp_path.glob("*.roast")} == expected
    assert all(open_run(tmp_path / name).outcome == "finished" for name in expected)
