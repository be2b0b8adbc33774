"""Faults that are planted into real runs: a table of what is wrong, and which finding has to say so first.

Each row makes two jobs that differ in the fault alone. Both are really run, on worker processes of a LocalCluster, with files
that are made here: what the fault cost is the difference of their times, and no model's. Used by the tests, and by
bench/real.py, which has the patience to measure."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterator

import dask
import helpers
import nano
import planted
import range_server
import uproot
from built import program
from coffea import processor
from distributed import Client, LocalCluster
from roastcoffea import MetricsCollector

ORDINARY = (1600,) * 6


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Worker processes, and what Dask is told about them."""

    workers: int = 2
    threads: int = 1
    memory: str = "4GB"
    settings: tuple[tuple[str, object], ...] = ()
    kept: bool = True  # it is as it was after the run

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        options = {"n_workers": self.workers, "threads_per_worker": self.threads, "memory_limit": self.memory}
        with (
            dask.config.set(dict(self.settings)),
            LocalCluster(**options, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            yield client


@dataclasses.dataclass
class Job:
    analysis: processor.ProcessorABC
    files: list[str]
    chunksize: int = 400
    cluster: Cluster = Cluster()
    beside: Callable[[Client], contextlib.AbstractContextManager] | None = None  # what goes on meanwhile
    runner: dict = dataclasses.field(default_factory=dict)

    @property
    def fileset(self) -> dict:
        return {"data": {"files": self.files, "treename": "Events"}}


class Scene:
    """Where files are, by which servers they are given, and where processors leave marks. It ends with its servers."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.files_folder = folder / "files"
        self.files_folder.mkdir(exist_ok=True)
        self.ends = contextlib.ExitStack()
        self.marks = 0

    def __enter__(self) -> Scene:
        return self

    def __exit__(self, *unused) -> None:
        self.ends.close()

    def files(self, sizes) -> list[str]:
        paths = [self.files_folder / f"{i}-{size}.root" for i, size in enumerate(sizes)]
        for i, (path, size) in enumerate(zip(paths, sizes, strict=True)):
            if not path.exists():
                nano.write_file(path, events=size, seed=i)
        return [str(path) for path in paths]

    def wide(self, count: int, name: str, **options) -> list[str]:
        """Copies of one wide file."""
        paths = [self.files_folder / f"{name}-{i}.root" for i in range(count)]
        for path in paths:
            if not paths[0].exists():
                planted.write_wide(paths[0], **options)
            elif not path.exists():
                shutil.copy(paths[0], path)
        return [str(path) for path in paths]

    def serve(self, files, trouble: range_server.Trouble | None = None) -> list[str]:
        """The addresses of files on a server of their own."""
        served = self.ends.enter_context(range_server.serve(self.files_folder, trouble))
        return [f"{served.address}/files/{pathlib.Path(file).name}" for file in files]

    def new_folder(self) -> str:
        self.marks += 1
        folder = self.folder / f"marks-{self.marks}"
        folder.mkdir()
        return str(folder)


# ---- The faults


def healthy(scene: Scene, faulty: bool) -> Job:
    return Job(planted.Busy(0.0005), scene.files(ORDINARY))


def slow_server(scene: Scene, faulty: bool) -> Job:
    """Of two storage servers, one takes its time for each request."""
    files = scene.files(ORDINARY)
    urls = scene.serve(files[:3]) + scene.serve(files[3:], range_server.delay(0.2 if faulty else 0))
    return Job(planted.Busy(0.0005), urls)


def two_storages(scene: Scene, faulty: bool) -> Job:
    """The same with file systems, one of which takes its time."""
    files = scene.files(ORDINARY)
    others = [f"slow://{path}" if faulty else path for path in files[4:]]
    return Job(planted.Busy(0.0002), files[:4] + others, 200)


def slow_storage(scene: Scene, faulty: bool) -> Job:
    """All of the storage is slow."""
    files = scene.files(ORDINARY)
    return Job(planted.Busy(0.0001), scene.serve(files, range_server.delay(0.05 if faulty else 0)))


def locks(scene: Scene, faulty: bool) -> Job:
    """Threads of a worker compute in Python, one at a time; else in a library that gives up the lock."""
    analysis = (planted.Busy if faulty else planted.Unlocked)(0.0005)
    return Job(analysis, scene.files([800, 1200, 400, 1600] * 4), 400, Cluster(workers=1, threads=2))


def many_locks(scene: Scene, faulty: bool) -> Job:
    job = locks(scene, faulty)
    return dataclasses.replace(job, cluster=Cluster(workers=1, threads=4))


def waiting_threads(scene: Scene, faulty: bool) -> Job:
    """As many threads, which wait for something outside."""
    analysis = planted.Waiting(0.001 if faulty else 0)
    return Job(analysis, scene.files([800, 1200, 400, 1600] * 4), 400, Cluster(workers=1, threads=4))


def spilling(scene: Scene, faulty: bool) -> Job:
    """Results that wait to be merged go to disk, because little memory is left to them."""
    target = 0.02 if faulty else 0.8
    settings = tuple((f"distributed.worker.memory.{name}", target) for name in ("target", "spill"))
    cluster = Cluster(memory="4GB", settings=settings, kept=False)
    return Job(planted.Returning(0.0005, 60_000_000), scene.files(ORDINARY), 400, cluster, runner={"compression": None})


def pausing(scene: Scene, faulty: bool) -> Job:
    """Memory is near the limit for a while after each chunk: Dask gives the worker nothing meanwhile."""
    settings = (("distributed.worker.memory.terminate", False), ("distributed.worker.memory.spill", False))
    cluster = Cluster(memory="700MB" if faulty else "6GB", settings=settings, kept=False)
    return Job(planted.Hogging(0.0001, 350_000_000, 1.0), scene.files(ORDINARY), 400, cluster)


def leaking(scene: Scene, faulty: bool) -> Job:
    analysis = planted.Leaking(0.0004) if faulty else planted.Busy(0.0004)
    return Job(analysis, scene.files(ORDINARY), 400, Cluster(memory="1GB", kept=False))


def killed(scene: Scene, faulty: bool) -> Job:
    heard = scene.new_folder()
    analysis = planted.Killed(0.0005, scene.new_folder(), heard, at=14 if faulty else -1)
    return Job(analysis, scene.files(ORDINARY), 400, Cluster(kept=False), beside=lambda _: helpers.hearing(heard))


def own_threads(scene: Scene, faulty: bool) -> Job:
    """More threads than the machine has cores, all of them ours."""
    threads = 4 if faulty else 1
    return Job(planted.Unlocked(0.0005), scene.files([800, 1200, 400, 1600] * 4), 200, Cluster(threads=threads))


def others_busy(scene: Scene, faulty: bool) -> Job:
    """Other programs want the same cores."""
    return Job(planted.Busy(0.0005), scene.files(ORDINARY), 400, beside=lambda _: planted.OthersBusy(2 * faulty))


def stopped_worker(scene: Scene, faulty: bool) -> Job:
    def beside(client):
        return planted.Hindered(helpers.first_worker(client)[1]) if faulty else contextlib.nullcontext()

    return Job(planted.Busy(0.0005), scene.files(ORDINARY), 400, beside=beside)


def small_chunks(scene: Scene, faulty: bool) -> Job:
    return Job(planted.Busy(0.0001), scene.files([1600] * 4), 50 if faulty else 400)


def warm_up(scene: Scene, faulty: bool) -> Job:
    """The first chunk of each worker loads something."""
    return Job(planted.Importing(0.0005, 3 if faulty else 0), scene.files(ORDINARY), 400)


def huge_chunk(scene: Scene, faulty: bool) -> Job:
    return Job(planted.Busy(0.0003), scene.files([400] * 20 + [10000]), 10000 if faulty else 400)


def slow_merging(scene: Scene, faulty: bool) -> Job:
    return Job(planted.Merging(0.0002, 0.15 if faulty else 0), scene.files(ORDINARY), 400)


def lzma(scene: Scene, faulty: bool) -> Job:
    name, compression = ("lzma", uproot.LZMA(6)) if faulty else ("zstd", uproot.ZSTD(3))
    files = scene.wide(8, name, events=100_000, collections=30, compression=compression)
    return Job(planted.Reading(), files, 50_000)


def over_reading(scene: Scene, faulty: bool) -> Job:
    """Chunks end inside of clusters, so that these are read several times."""
    files = scene.wide(6, "clusters", events=40_000, collections=20, compression=uproot.ZSTD(3), cluster=20_000)
    return Job(planted.Reading(), scene.serve(files), 4_000 if faulty else 20_000)


@dataclasses.dataclass(frozen=True)
class Fault:
    """One row: how it is planted, what has to be said first, and how near to the truth its saving has to be."""

    plant: Callable[[Scene, bool], Job]
    first: str  # findings that name it
    within: float | None = 0.2  # of the true saving; None: it is not judged
    why: str = ""  # it is not judged
    quick: bool = True  # and sure enough to be a test, on a busy machine
    costs: bool = True  # else it is to be named, and need not come first

    @property
    def name(self) -> str:
        return self.plant.__name__

    def is_said(self, run: Explained) -> bool:
        said = {run.first(self.first)["id"]} if self.costs else set(run.loud)
        return not said.isdisjoint(self.first.split())


FAULTS = (
    Fault(slow_server, "slow_storage", quick=False),
    Fault(two_storages, "slow_storage"),
    Fault(slow_storage, "io_bound opening", None, "each request is slow, those of opening too"),
    Fault(locks, "locks", quick=False),
    Fault(many_locks, "locks", None, "fewer cores than threads", quick=False),
    Fault(waiting_threads, "io_bound"),
    Fault(spilling, "spilling", quick=False),
    Fault(pausing, "memory_limit", quick=False),
    Fault(leaking, "memory_growth", None, "it ends a longer run", costs=False),
    Fault(killed, "workers_lost"),
    Fault(own_threads, "oversubscribed", None, "nothing is to be gained", quick=False),
    Fault(others_busy, "no_core_free", quick=False),
    Fault(stopped_worker, "slow_worker"),
    Fault(small_chunks, "opening"),
    Fault(warm_up, "warm_up", quick=False),
    Fault(huge_chunk, "tail"),
    Fault(slow_merging, "merging", quick=False),
    Fault(lzma, "lzma", None, "known to a factor of two", quick=False),
    Fault(over_reading, "over_read opening", None, "files are near", quick=False),
)


# ---- Running them


class Explained:
    """A run and what the command says of it."""

    def __init__(self, run) -> None:
        self.path = pathlib.Path(run.path)
        asked = [str(program("roast")), "explain", str(run.path), "--json"]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        self.said = json.loads(done.stdout)
        self.wall = run.metrics["wall_time"]
        ((delay, all_),) = helpers.rows(self.path, "select sum(run_delay_ns), sum(duration_ns) from chunk")
        self.waited_for_a_core = delay / all_  # of the time of chunks, by what the kernel says
        assert run.explain()["findings"] == self.said["findings"]

    def told(self, about: str) -> list[dict]:
        """The findings about this run; that no core was free is about other programs, unless these are what is planted."""
        return [finding for finding in self.said["findings"] if finding["id"] in about or finding["id"] != "no_core_free"]

    def first(self, about: str = "") -> dict:
        told = self.told(about)
        return told[0] if told else {"id": None, "confidence": "note", "saving_seconds": 0}

    @property
    def loud(self) -> list[str]:
        return [finding["id"] for finding in self.told("") if finding["confidence"] != "note"]

    def evidence(self, finding: str, what: str) -> dict:
        (about,) = [found for found in self.said["findings"] if found["id"] == finding]
        (found,) = [evidence for evidence in about["evidence"] if evidence["what"] == what]
        return found

    def line(self) -> str:
        said = [f"{f['id']} ({f['confidence']}, {f['saving_seconds'] or 0:.1f} s)" for f in self.said["findings"]]
        return f"{self.wall:.1f} s, {self.waited_for_a_core:.0%} without a core: {', '.join(said) or 'nothing'}"


class Clusters:
    """Clusters that are kept for the next job, and go at the end."""

    def __init__(self) -> None:
        self.ends = contextlib.ExitStack()
        self.clients: dict[Cluster, Client] = {}

    def __enter__(self) -> Clusters:
        return self

    def __exit__(self, *unused) -> None:
        self.ends.close()

    @contextlib.contextmanager
    def client(self, wanted: Cluster) -> Iterator[Client]:
        if not wanted.kept:
            with wanted.client() as client:
                yield client
            return
        if wanted not in self.clients:
            self.clients[wanted] = self.ends.enter_context(wanted.client())
        yield self.clients[wanted]


def measure(job: Job, clusters: Clusters, **collecting) -> Explained:
    """Measures a job on workers that are warm, with files that coffea knows."""
    known: dict = {}
    options = {"compression": 1} | job.runner

    def runner(**more):
        executor = processor.DaskExecutor(client=client, status=False, retries=3, compression=options["compression"])
        return nano.runner(executor, chunksize=job.chunksize, metadata_cache=known, **more)

    with clusters.client(job.cluster) as client:
        client.run(planted.forget)
        expected, _ = runner(maxchunks=2)(job.fileset, processor_instance=nano.Plain())
        assert expected["data"]["events"] > 0
        beside = job.beside(client) if job.beside else contextlib.nullcontext()
        with beside, MetricsCollector(client, processor_instance=job.analysis, **collecting) as collector:
            out, _ = runner()(job.fileset, processor_instance=job.analysis)
        ((events,),) = helpers.rows(collector.run.path, "select sum(entries) from files")
        assert out["data"]["events"] == events
        return Explained(collector.run)
