"""What the tests of the Python package share: files, and one Dask cluster for those that do not break it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest


def core_seconds_there_were(path: Path) -> float | None:
    """The integral of the cores over time, from the rows of the workers; None if these do not tell."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        facts = dict(database.execute("select key, value from run where key in ('t_start_ns', 't_end_ns')"))
        workers = database.execute("select joined_ns, left_ns, cores from worker").fetchall()
        sampled = database.execute("select count(*) from worker_count").fetchone()[0]
    if len(facts) < 2 or sampled or not workers or any(cores is None for _, _, cores in workers):
        return None
    start, end = int(facts["t_start_ns"]), int(facts["t_end_ns"])
    spans = [(max(joined or start, start), min(left or end, end), cores) for joined, left, cores in workers]
    return sum(max(until - since, 0) * cores for since, until, cores in spans) / 1e9


def check_ledger(path: Path) -> None:
    """The ledger of a run sums to the core time that there was, and a large rest is said."""
    from roastcoffea import open_run

    run = open_run(path)
    ledger, there_were = run.metrics["ledger"], core_seconds_there_were(path)
    if run.outcome == "running" or not ledger or there_were is None:
        return
    total, rest = sum(row["core_seconds"] for row in ledger.values()), ledger["residual"]["core_seconds"]
    print(f"{path.name}: ledger {total:.3f} core-seconds of {there_were:.3f}, not explained {rest:.4f}")
    assert total == pytest.approx(there_were, rel=1e-3), f"{path}: the ledger does not sum to the core time"
    told = [finding["id"] for finding in run.explain()["findings"]]
    assert ("residual" in told) == (abs(rest) > 0.05 * there_were), f"{path}: {rest} core-seconds are not explained"


@pytest.fixture(autouse=True)
def _ledgers_of_recorded_runs_sum_to_the_core_time(tmp_path):
    yield
    for path in sorted((tmp_path / "cache").rglob("*.roast")):
        check_ledger(path)


@pytest.fixture(autouse=True)
def _runs_go_to_a_folder_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def fileset(tmp_path_factory):
    """Three files of 400 events in two datasets."""
    nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
    folder = tmp_path_factory.mktemp("files")
    files = [str(nano.write_file(folder / f"file{i}.root", seed=i)) for i in range(3)]
    return {
        "signal": {"files": files[:2], "treename": "Events"},
        "background": {"files": files[2:], "treename": "Events"},
    }


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes with one thread each."""
    distributed = pytest.importorskip("distributed", reason="needs distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as client:
        yield client
