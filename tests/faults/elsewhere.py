"""Dask schedulers and workers as processes of their own, with another roastcoffea than the client's, or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

SITE = Path(sysconfig.get_paths()["purelib"])
OURS = ("roastcoffea", "coffea_metrics")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Environments:
    """Folders that hold what is installed here, but for roastcoffea: a process that is started with one has nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, kind: str) -> Path:
        """without: no roastcoffea; with: the same; other: one that cannot talk to ours; broken: the extension is damaged."""
        place = self.folder / kind
        if not place.exists():
            place.mkdir()
            for entry in SITE.iterdir():
                if kind == "with" or not entry.name.startswith(OURS):
                    (place / entry.name).symlink_to(entry)
            getattr(self, f"_{kind}")(place)
        return place

    def _with(self, place: Path) -> None:
        pass

    def _without(self, place: Path) -> None:
        pass

    def _other(self, place: Path) -> None:
        self._metadata(place, "0.1.2")
        (place / "roastcoffea").mkdir()
        (place / "roastcoffea" / "__init__.py").write_text("__version__ = '0.1.2'\n")

    def _broken(self, place: Path) -> None:
        from roastcoffea import __version__

        self._metadata(place, __version__)
        shutil.copytree(SITE / "roastcoffea", place / "roastcoffea", ignore=shutil.ignore_patterns("__pycache__"))
        (extension,) = (place / "roastcoffea").glob("_core*.so")
        extension.write_bytes(b"this is not a library")

    def _metadata(self, place: Path, version: str) -> None:
        info = place / f"roastcoffea-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: roastcoffea\nVersion: {version}\n")


class Cluster:
    """A scheduler and workers that a test starts one by one; all end with it."""

    def __init__(self, environments: Environments) -> None:
        self.environments = environments
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.processes: list[subprocess.Popen] = []

    def start(self, kind: str, *command: str) -> subprocess.Popen:
        place = self.environments(kind)
        environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONNOUSERSITE": "1", "PYTHONSAFEPATH": "1"}
        log = (self.environments.folder / f"{len(self.processes)}.log").open("w")
        process = subprocess.Popen([sys.executable, "-S", "-m", *command], env=environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def scheduler(self, kind: str) -> subprocess.Popen:
        host, port = self.address.removeprefix("tcp://").split(":")
        return self.start(kind, "distributed.cli.dask_scheduler", "--host", host, "--port", port, "--no-dashboard")

    def worker(self, kind: str, *options: str) -> subprocess.Popen:
        local = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(self.environments.folder / "local"))
        return self.start(kind, "distributed.cli.dask_worker", self.address, *local, *options)

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.environments.folder.glob("*.log")))


@contextlib.contextmanager
def cluster(environments: Environments):
    made = Cluster(environments)
    try:
        yield made
    finally:
        for process in made.processes:
            process.kill()
            process.wait()
