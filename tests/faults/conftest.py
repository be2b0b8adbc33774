"""Each fault gets a cluster of its own, which it may break."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
pytest.importorskip("coffea", reason="needs coffea")
pytest.importorskip("distributed", reason="needs distributed")


@pytest.fixture
def own_client():
    """A client of a cluster with two worker processes."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def marks(tmp_path):
    """A folder where processors leave a mark of each time they did harm."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def heard(tmp_path):
    """A folder where collectors leave a mark of each chunk that they hear has begun: see nano.die_when_heard."""
    from helpers import hearing

    folder = tmp_path / "heard"
    folder.mkdir()
    with hearing(folder):
        yield str(folder)
