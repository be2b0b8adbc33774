"""What the tests of the Python package share: files, and one Dask cluster for those that do not break it."""

from __future__ import annotations

import pytest


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
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as client:
        yield client
