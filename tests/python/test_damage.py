"""Files that are damaged, of another kind, or not to be read: one line that names the file, exit code 2, no crash,
and nothing changed, neither the file nor its folder."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import random
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time

import pytest
from built import program

PAGE = 4096


def folder_state(folder: pathlib.Path) -> dict:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def run_bytes(synthesize):
    """A small run, and yet one with every table in it."""
    path, _ = synthesize(seed=5, datasets=2, files=3, chunks=40, workers=4, samples=20, sections=2, branches=8,
                         retry_rate=0.1, tasks=True)  # fmt: skip
    return path.read_bytes()


@pytest.fixture
def refuse(roast, tmp_path):
    """Checks that a file is refused as it should be, and gives the message."""

    def check(path: pathlib.Path, *arguments) -> str:
        before = folder_state(tmp_path)
        shown = roast("show", path, *arguments)
        assert shown.returncode == 2, f"exit {shown.returncode}: {shown.stderr}"
        assert shown.stdout == ""
        assert shown.stderr.count("\n") == 1, shown.stderr
        assert shown.stderr.startswith("roast: "), shown.stderr
        assert str(path) in shown.stderr
        assert folder_state(tmp_path) == before
        return shown.stderr

    return check


@pytest.fixture
def salvage(roast, tmp_path):
    """What --salvage makes of a file: it shows something and warns, or it refuses; never a crash, never a change."""

    def check(path: pathlib.Path) -> bool:
        before = folder_state(tmp_path)
        shown = roast("show", "--salvage", path)
        assert shown.returncode in (0, 2), f"exit {shown.returncode}: {shown.stderr}"
        assert folder_state(tmp_path) == before
        if shown.returncode == 2:
            assert shown.stderr.count("\n") == 1, shown.stderr
            assert str(path) in shown.stderr
            return False
        assert "damaged" in shown.stdout + shown.stderr or "cut short" in shown.stdout + shown.stderr
        return True

    return check


@pytest.fixture
def open_folder():
    """A folder that every user may look into."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def flipped(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def test_an_intact_run_is_shown(roast, run_bytes, tmp_path):
    path = tmp_path / "run.roast"
    path.write_bytes(run_bytes)
    before = folder_state(tmp_path)
    assert roast("show", path).returncode == 0
    assert folder_state(tmp_path) == before


def test_a_flipped_byte_in_any_page_is_found(run_bytes, refuse, salvage, tmp_path):
    path, chance = tmp_path / "run.roast", random.Random(11)
    pages = len(run_bytes) // PAGE
    assert pages > 20
    salvaged = 0
    for page in range(pages):
        at = page * PAGE + chance.randrange(PAGE)
        path.write_bytes(flipped(run_bytes, at, 1 << chance.randrange(8)))
        refuse(path)
        salvaged += salvage(path)
    assert salvaged > pages / 2


def test_any_flipped_bit_of_the_first_page_is_found(run_bytes, refuse, tmp_path):
    """The header decides what SQLite makes of all the rest."""
    path = tmp_path / "run.roast"
    for at in [*range(100), *range(100, PAGE, 97), *range(PAGE - 8, PAGE)]:
        path.write_bytes(flipped(run_bytes, at, 0x10))
        refuse(path)


def test_pages_overwritten_with_noise_or_zeros_are_found(run_bytes, refuse, salvage, tmp_path):
    path, chance = tmp_path / "run.roast", random.Random(12)
    for page in range(len(run_bytes) // PAGE):
        start = page * PAGE
        for noise in (bytes(PAGE), chance.randbytes(PAGE)):
            path.write_bytes(run_bytes[:start] + noise + run_bytes[start + PAGE :])
            refuse(path)
            salvage(path)


def test_two_exchanged_pages_are_found(run_bytes, refuse, salvage, tmp_path):
    path = tmp_path / "run.roast"
    pages = [run_bytes[start : start + PAGE] for start in range(0, len(run_bytes), PAGE)]
    pages[5], pages[9] = pages[9], pages[5]
    path.write_bytes(b"".join(pages))
    refuse(path)
    salvage(path)


def test_a_run_that_is_cut_short_anywhere_is_found(run_bytes, refuse, salvage, tmp_path):
    path, chance = tmp_path / "run.roast", random.Random(13)
    lengths = {1, 15, 16, 99, 100, 101, 511, 512, PAGE - 1, PAGE, PAGE + 1, len(run_bytes) - PAGE, len(run_bytes) - 1}
    for length in sorted(lengths | {chance.randrange(len(run_bytes)) for _ in range(30)}):
        path.write_bytes(run_bytes[:length])
        refuse(path)
        salvage(path)


def test_of_a_run_that_is_cut_short_the_first_part_is_salvaged(roast, synthesize, salvage, tmp_path):
    made, _ = synthesize(seed=5, chunks=1500, workers=8, samples=60)
    path, whole, chunks = tmp_path / "run.roast", made.read_bytes(), []
    for quarters in (1, 2, 3):
        path.write_bytes(whole[: len(whole) * quarters // 4])
        assert salvage(path)
        chunks.append(json.loads(roast("show", "--salvage", "--json", path).stdout)["num_chunk_records"] or 0)
    assert 100 < chunks[1] < chunks[2] < 1500


def test_a_salvaged_run_shows_what_its_intact_pages_hold(roast, run_bytes, tmp_path):
    """Of a run whose last table is damaged, the chunks are all there."""
    path = tmp_path / "run.roast"
    path.write_bytes(run_bytes)
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'note'").fetchone()
        (chunks,) = database.execute("SELECT count(*) FROM chunk").fetchone()
    start = (page - 1) * PAGE
    path.write_bytes(run_bytes[:start] + bytes(PAGE) + run_bytes[start + PAGE :])
    shown = roast("show", "--salvage", path, "--json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["num_chunk_records"] == chunks


def test_a_lost_page_of_names_files_or_workers_costs_those_and_nothing_else(roast, synthesize, salvage, tmp_path):
    made, _ = synthesize(seed=6, datasets=2, files=300, chunks=600, workers=600, samples=2, branches=40)
    path, whole = tmp_path / "run.roast", made.read_bytes()
    intact = json.loads(roast("show", "--json", made).stdout)
    with sqlite3.connect(f"file:{made}?mode=ro&immutable=1", uri=True) as database:
        roots = [page for (page,) in database.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 1")]
        leaves = database.execute(
            "SELECT name, pageno FROM dbstat WHERE name IN ('name', 'file', 'worker') AND pagetype = 'leaf'"
        ).fetchall()
    assert len(leaves) > 20
    for table, page in leaves:
        start = (page - 1) * PAGE
        path.write_bytes(whole[:start] + bytes(PAGE) + whole[start + PAGE :])
        assert salvage(path), f"{table}, page {page}"
        shown = json.loads(roast("show", "--salvage", "--json", path).stdout)
        assert shown["num_chunk_records"] == intact["num_chunk_records"]
        assert shown["total_events"] == intact["total_events"]
        if table == "worker" and page not in roots:  # what is not known of a worker is not 0
            assert 0 < sum(row["cores"] == 4 for row in shown["workers"]) < 600
            assert {row["cores"] for row in shown["workers"]} <= {4, None}
            assert shown["workers_left"] + shown["workers_lost"] <= intact["workers_left"] + intact["workers_lost"]


ABSURD = [-(2**63), 2**63 - 1, 2**62, -(2**62), -1, 0, 1, 1e308, -1e308, float("inf"), "text", b"\xff", None]


def test_absurd_numbers_in_a_run_give_an_answer_or_an_error(roast, run_bytes, tmp_path):
    """A run without its seal is believed to be whole, whatever its columns hold."""
    path, chance = tmp_path / "run.roast", random.Random(15)
    for _ in range(60):
        path.write_bytes(run_bytes)
        with sqlite3.connect(path) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            for _ in range(chance.randrange(1, 4)):
                table = chance.choice(tables)
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if not row[5]]
                some = f"rowid % {chance.randrange(1, 4)} = 0" if table not in ("run", "given", "document") else "1"
                if not columns or table in ("branch", "branch_set", "activity"):
                    continue
                values = (chance.choice(ABSURD),)
                database.execute(f"UPDATE OR IGNORE {table} SET {chance.choice(columns)} = ? WHERE {some}", values)
        data = path.read_bytes()
        path.write_bytes(data[: PAGE - 8] + bytes(8) + data[PAGE:])
        for command in (("show", path), ("explain", path), ("report", path, "-o", "-"),
                        ("export", path, "--to", "perfetto"), ("compare", path, path)):  # fmt: skip
            done = roast(*command, text=False, errors=None)
            assert done.returncode in (0, 2), (command, done.returncode, done.stderr[-2000:])
            assert done.returncode == 0 or done.stderr.count(b"\n") == 1, done.stderr[-2000:]
        path.unlink()


PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)
ROOT_FILE = b"root" + struct.pack(">iiiiii", 62400, 100, 5000, 4900, 60, 1) + bytes(300)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\n", "not a run"),
        (random.Random(1).randbytes(100_000), "not a run"),
        (bytes(100_000), "not a run"),
        (ROOT_FILE, "ROOT file"),
        (PNG, "PNG"),
        (b"SQLite format 3\0", "not a run"),
        (b'{"a": 1}', "JSON"),
    ],
)
def test_a_file_of_another_kind_is_named(refuse, tmp_path, content, says):
    path = tmp_path / "run.roast"
    path.write_bytes(content)
    assert says in refuse(path)
    refuse(path, "--salvage")


def test_another_program_s_database_is_named(refuse, tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE chunk (id INTEGER)")
    assert "not a run" in refuse(path)


def test_a_run_of_a_newer_version_asks_for_an_update(run_bytes, refuse, tmp_path):
    path = tmp_path / "run.roast"
    path.write_bytes(run_bytes[:60] + struct.pack(">I", 1000) + run_bytes[64:])
    assert "newer" in refuse(path)


def test_a_directory_that_is_no_measurement_is_named(roast, tmp_path):
    shown = roast("show", tmp_path)
    assert shown.returncode == 2
    assert shown.stderr.count("\n") == 1
    assert str(tmp_path) in shown.stderr


def test_a_missing_file_is_named(refuse, tmp_path):
    refuse(tmp_path / "nowhere.roast")


def test_a_name_that_no_person_would_choose_is_named(run_bytes, roast, tmp_path):
    for name in ("a?b#c%20d.roast", "ü ö\t.roast", "-x.roast", "%s%n.roast"):
        path = tmp_path / name
        path.write_bytes(run_bytes)
        assert roast("show", path).returncode == 0, name


def test_a_run_without_permission_is_named(run_bytes, roast, open_folder):
    """The superuser may read everything, so as root this is tried as nobody."""
    path = open_folder / "run.roast"
    path.write_bytes(run_bytes)
    path.chmod(0)
    try:
        shown = roast("show", path, user=65534 if os.geteuid() == 0 else None)
    except PermissionError:
        pytest.skip("nobody may not run the command where it is")
    assert shown.returncode == 2
    assert shown.stderr == f"roast: {path}: Permission denied\n"


def test_a_pipe_and_a_device_are_refused_without_waiting(roast, tmp_path):
    pipe = tmp_path / "pipe.roast"
    os.mkfifo(pipe)
    for path in (pipe, pathlib.Path("/dev/zero")):
        shown = roast("show", path, timeout=20)
        assert shown.returncode == 2
        assert shown.stderr.count("\n") == 1


@pytest.fixture
def killed_run(tmp_path):
    """What a writer leaves that is killed in the middle: a run and its log."""
    path, log = tmp_path / "run.roast", tmp_path / "run.roast-wal"
    command = [str(program("roast-synth")), "--chunks", "300000", "--no-truth", "-o", str(path)]
    with subprocess.Popen(command) as writer:
        while writer.poll() is None and not (log.exists() and log.stat().st_size > 300_000):
            time.sleep(0.001)
        writer.kill()
    assert writer.returncode == -signal.SIGKILL
    return path, log


def test_a_killed_run_is_shown_as_interrupted_and_left_alone(roast, killed_run, tmp_path):
    before = folder_state(tmp_path)
    shown = roast("show", "--json", killed_run[0])
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["outcome"] == "interrupted"
    assert folder_state(tmp_path) == before


def test_damage_to_the_log_loses_no_more_than_the_log(roast, killed_run, tmp_path):
    path, log = killed_run
    intact, chance = log.read_bytes(), random.Random(14)
    for _ in range(25):
        at = chance.randrange(len(intact))
        log.write_bytes(flipped(intact, at, 0x40) if chance.random() < 0.5 else intact[:at])
        before = folder_state(tmp_path)
        for arguments in ((), ("--salvage",)):
            shown = roast("show", path, *arguments)
            assert shown.returncode in (0, 2), shown.stderr
            assert shown.stderr.count("\n") <= 1
        assert folder_state(tmp_path) == before
