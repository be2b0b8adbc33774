"""Backends say who they are: a new engine is one class, and nothing else needs to be touched."""

from __future__ import annotations

import datetime
import threading
import time

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import roastcoffea.backends as backends  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, register_backend  # noqa: E402
from roastcoffea.backends import backend_for  # noqa: E402
from roastcoffea.backends.base import AbstractMetricsBackend  # noqa: E402
from roastcoffea.guard import Guard  # noqa: E402


class Farm:
    """An engine that nobody has heard of, with two barns."""

    barns = ("barn-1", "barn-2")


class FarmBackend(AbstractMetricsBackend):
    """All that is needed for it."""

    engine = "farm"

    def __init__(self, farm):
        self.farm = farm

    @classmethod
    def accepts(cls, target):
        return isinstance(target, Farm)

    @staticmethod
    def worker_name():
        return Farm.barns[threading.get_ident() % 2]

    def start_tracking(self, interval=1.0):
        for barn in self.farm.barns:
            self.recording.worker(barn, name=barn, host="field", cores=1, clock_offset_ns=0, clock_error_ns=0)

    def stop_tracking(self):
        for barn in self.farm.barns:
            self.recording.recorder.sample({"worker": barn, "t_ns": time.time_ns(), "memory": 7_000_000})
        return {}

    def create_span(self, name):
        return None

    def get_span_metrics(self, span_info):
        return {}

    def supports_fine_metrics(self):
        return False


@pytest.fixture
def farm():
    register_backend("farm", FarmBackend)
    yield Farm()
    backends._registered.pop("farm")


@pytest.mark.parametrize("backend", [None, "farm"])
def test_a_new_engine_needs_one_class(farm, fileset, roast, backend):
    with MetricsCollector(farm, backend=backend) as collector:
        out, _ = nano.runner(processor.IterativeExecutor(status=False))(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800
    assert collector.run.facts["engine"] == "farm"
    workers = set(collector.run.workers["worker"])
    assert workers == set(Farm.barns)
    records = collector.chunk_metrics
    assert len(records) == 12 and {record["worker"] for record in records} <= workers
    assert (collector.metrics["peak_workers"], collector.metrics["peak_memory_bytes"]) == (2, 7_000_000)
    shown = roast("show", collector.run.path)
    assert shown.returncode == 0 and "1 200" in shown.stdout.replace("\u202f", " ").replace("\u00a0", " ")


SEEN = [datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=s) for s in (0, 10)]


class VineBackend(AbstractMetricsBackend):
    """As the document "Advanced Usage" has it."""

    returned: dict = {}

    def __init__(self, taskvine_manager):
        self.manager = taskvine_manager

    def start_tracking(self, interval: float) -> None:
        pass

    def stop_tracking(self) -> dict:
        return self.returned

    def create_span(self, name: str):
        return None

    def get_span_metrics(self, span_info) -> dict:
        return {}

    def supports_fine_metrics(self) -> bool:
        return False


class VineParser:
    def parse_tracking_data(self, tracking_data):
        vine = tracking_data["taskvine_metrics"]
        return {"avg_workers": vine["workers"], "total_cores": vine["workers"] * 4, "my_own": 42}


@pytest.fixture
def vine():
    register_backend("taskvine", VineBackend, VineParser)
    yield VineBackend
    VineBackend.returned = {}
    backends._registered.pop("taskvine")


def test_the_parser_that_was_registered_is_used(vine):
    vine.returned = {"taskvine_metrics": {"workers": 3}}
    with MetricsCollector("the manager", backend="taskvine") as collector:
        collector.set_coffea_report({"bytesread": 1, "entries": 120, "processtime": 6.0, "chunks": 4})
    assert collector.tracking_data is vine.returned
    metrics = collector.metrics
    assert (metrics["avg_workers"], metrics["total_cores"], metrics["my_own"]) == (3, 12, 42)
    elapsed = metrics["elapsed_time_seconds"]
    assert metrics["core_efficiency"] == pytest.approx(6.0 / (12 * elapsed))
    assert metrics["event_rate_core_khz"] == pytest.approx(120 / elapsed / 12 / 1000)


def test_cores_and_limits_that_a_backend_returns_count(vine):
    backends._registered["taskvine"] = (VineBackend, None)
    vine.returned = {
        "worker_counts": dict.fromkeys(SEEN, 2),
        "worker_memory": {name: [(when, 1_000_000) for when in SEEN] for name in ("w1", "w2")},
        "worker_cores": {"w1": [(when, 4) for when in SEEN], "w2": [(when, 8) for when in SEEN]},
        "worker_memory_limit": {"w1": [(when, 2_000_000) for when in SEEN]},
    }
    with MetricsCollector("the manager", backend="taskvine") as collector:
        pass
    assert collector.metrics["total_cores"] == pytest.approx(12)
    workers = collector.run.workers
    known = {name: (cores, limit) for name, cores, limit in zip(
        workers["worker"], workers["cores"], workers["memory_limit"], strict=True)}
    assert known["w1"] == (4, 2_000_000) and known["w2"][0] == 8


def test_a_backend_that_is_assigned_is_used(vine):
    vine.returned = {"worker_counts": dict.fromkeys(SEEN, 2)}
    collector = MetricsCollector("the manager")
    collector.metrics_backend = mine = VineBackend("mine")
    with collector:
        assert collector.metrics_backend is mine
    assert collector.tracking_data is vine.returned and collector.metrics["peak_workers"] == 2


def test_a_span_of_a_backend_is_entered_and_left_once(vine, monkeypatch):
    steps = []

    class Span:
        def __enter__(self):
            steps.append("enter")
            return "span 7"

        def __exit__(self, *error):
            steps.append("exit")

    monkeypatch.setattr(VineBackend, "supports_fine_metrics", lambda self: True)
    monkeypatch.setattr(VineBackend, "create_span", lambda self, name: {"context": Span(), "name": name})
    key = ("execute", "Analysis", "thread-cpu", "seconds")
    monkeypatch.setattr(VineBackend, "get_span_metrics", lambda self, info: {key: 5.0} if info["id"] == "span 7" else {})
    with MetricsCollector("the manager", backend="taskvine") as collector:
        assert steps == ["enter"] and collector.span_info["id"] == "span 7"
    assert steps == ["enter", "exit"] and collector.span_metrics == {key: 5.0}


def test_a_target_that_is_not_of_dask_is_said_in_one_line():
    with pytest.raises(ValueError, match="backend='dask' cannot look at a IterativeExecutor") as error:
        MetricsCollector(processor.IterativeExecutor(), backend="dask")
    assert "\n" not in str(error.value)


def test_dask_is_chosen_by_its_name_and_by_itself(client):
    for backend in (None, "dask"):
        for target in (client, processor.DaskExecutor(client=client), None):
            with MetricsCollector(target, backend=backend) as collector:
                pass
            assert collector.run.facts["engine"] == "dask"


@pytest.mark.parametrize("target", [processor.IterativeExecutor(status=False), object(), 3.5])
def test_what_no_other_backend_wants_is_local(target):
    with MetricsCollector(target) as collector:
        pass
    assert collector.run.facts["engine"] == "local"


def test_a_backend_that_cannot_be_asked_is_said_and_another_is_chosen(monkeypatch, caplog):
    class Broken(FarmBackend):
        @classmethod
        def accepts(cls, target):
            raise ZeroDivisionError("broken on purpose")

    monkeypatch.setitem(backends._registered, "broken", (Broken, None))
    with MetricsCollector(processor.IterativeExecutor(status=False)) as collector:
        pass
    assert collector.run.facts["engine"] == "local"
    assert caplog.text.count("the backend 'broken': not measured, because of ZeroDivisionError") == 1


def test_a_backend_of_another_package_is_found_by_its_name_and_by_its_target(monkeypatch, fileset):
    from importlib.metadata import EntryPoint

    entry = EntryPoint("farm", f"{__name__}:FarmBackend", "roastcoffea.backends")
    monkeypatch.setattr(backends, "entry_points", lambda group: [entry])
    for backend in (None, "farm"):
        with MetricsCollector(Farm(), backend=backend) as collector:
            pass
        assert collector.run.facts["engine"] == "farm"


def test_the_engine_is_named_after_its_class_if_it_does_not_say():
    class TaskVineMetricsBackend(FarmBackend):
        engine = ""

    class Slurm(FarmBackend):
        engine = ""

    assert (TaskVineMetricsBackend.engine, Slurm.engine) == ("taskvine", "slurm")


def test_a_backend_is_taken_by_its_name_also_where_there_is_a_client(client):
    assert type(backend_for(None, "local", Guard(print))).__name__ == "LocalMetricsBackend"
    assert type(backend_for(None, "dask", Guard(print))).__name__ == "DaskMetricsBackend"
