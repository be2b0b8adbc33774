"""A storage server on loopback fails as real ones do: connections end, requests are never answered, and all is well later.

What is missing is counted with what the processor itself returned; what passes is not thrown away by anybody's advice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
aiohttp = pytest.importorskip("aiohttp", reason="needs aiohttp")
import executors  # noqa: E402
import range_server  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, open_run  # noqa: E402
from surfaces import advised, surfaces  # noqa: E402

PATIENCE = 0.3  # seconds, of whoever is between us and the server
SKIPPED = (OSError, aiohttp.ClientError)  # connections that end without an answer are no OSError to aiohttp
FIRST = "INCOMPLETE: "
BAD = "file1.root"


class Storage:
    """A server and what is wrong with it at the moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wrong: range_server.Trouble | None = None

    def trouble(self, handler, name: str) -> bool:
        return self.wrong is not None and self.wrong(handler, name)

    def reset(self, times: int) -> None:
        self.wrong = range_server.reset(times, BAD)

    def never_answer(self) -> None:
        self.wrong = range_server.never_answer(PATIENCE, BAD)

    def work(self) -> None:
        self.wrong = None


@pytest.fixture
def storage(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    storage = Storage(folder)
    with range_server.serve(folder, storage.trouble) as served:
        paths = [nano.write_file(folder / f"file{i}.root", seed=i).name for i in range(3)]
        urls = [f"{served.address}/files/{path}" for path in paths]
        storage.fileset = {
            "signal": {"files": urls[:2], "treename": "Events", "metadata": {"year": 2018}},
            "background": {"files": urls[2:], "treename": "Events"},
        }
        yield storage


@pytest.fixture(params=executors.NAMES)
def executor(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with executors.executor(request, retries=3) as made:
        yield made


def runner(executor, known, **options):
    return nano.runner(executor, metadata_cache=known, **options)


def knowing(executor, storage):
    """What coffea remembers of the files."""
    known = {}
    list(runner(executor, known).preprocess(storage.fileset))
    return known


def measure(executor, storage, known, **options):
    with MetricsCollector(executor, processor_instance=nano.Plain(), worker_tracking_interval=0.2) as collector:
        out, _ = runner(executor, known, **options)(storage.fileset, processor_instance=nano.Plain())
    return out, collector


def events_of(out):
    return {name: entry["events"] for name, entry in out.items() if name != "met"}


WHOLE = {"signal": 800, "background": 400}


def run_again(executor, storage, document):
    """With the JSON of what is missing, as a fileset."""
    more, _ = runner(executor, {})(document["fileset"], processor_instance=nano.Plain())
    return more


def test_connections_that_end_and_come_back_lose_nothing(executor, storage, roast, tmp_path):
    known = knowing(executor, storage)
    storage.reset(3)
    out, collector = measure(executor, storage, known)
    assert events_of(out) == WHOLE
    metrics = collector.metrics
    assert (metrics["missing_events"], metrics["missing_files"], metrics["total_events"]) == (0, 0, 1200)
    assert metrics["num_failed_chunks"] >= 1
    assert {row["nature"] for row in metrics["failures"]} == {"transient"}
    for surface, text in surfaces(collector, roast, tmp_path).items():
        assert FIRST not in text and "skipbadfiles" not in advised(text), surface
        assert "complete" in text, surface


def test_what_a_server_that_never_answers_has_is_missing_and_can_be_run_again(executor, storage, roast, tmp_path):
    known = knowing(executor, storage)
    storage.never_answer()
    out, collector = measure(executor, storage, known, skipbadfiles=SKIPPED)
    assert events_of(out) == {"signal": 400, "background": 400}
    metrics = collector.metrics
    assert [metrics[name] for name in ("events_expected", "missing_events", "missing_chunks", "missing_files")] == [
        1200, 400, 4, 1,
    ]  # fmt: skip
    assert {row["nature"] for row in collector.run.missing} == {"transient"}
    first = collector.explain()["findings"][0]
    assert first["id"] == "missing" and "retries" in first["advice"]
    for surface, text in surfaces(collector, roast, tmp_path).items():
        text = text.replace("\u202f", " ")
        assert "400 of 1 200 events are missing (33.3 %)" in text[: text.index("finished")], surface
        assert "Disconnected" in text[: text.index("finished")], surface
        assert "skipbadfiles" not in advised(text), surface
    storage.work()
    document = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert list(document["fileset"]) == ["signal"]
    more = run_again(executor, storage, document)
    assert events_of(processor.accumulate([out, more])) == WHOLE


def test_a_file_that_never_answers_before_anything_is_known_of_it_is_named(executor, storage, roast, tmp_path):
    storage.never_answer()
    out, collector = measure(executor, storage, {}, skipbadfiles=SKIPPED)
    assert events_of(out) == {"signal": 400, "background": 400}
    (row,) = collector.run.missing
    assert row["file"].endswith(BAD) and row["events"] is None and row["nature"] == "transient"
    for surface, text in surfaces(collector, roast, tmp_path).items():
        head = text[: text.index("finished")]
        assert "events are missing, how many is not known" in head and "1 file never opened" in head, surface
        assert f"{BAD}: " in head and "Disconnected" in head, surface
    storage.work()
    document = json.loads(roast("show", collector.run.path, "--only", "missing", "--json").stdout)
    assert events_of(processor.accumulate([out, run_again(executor, storage, document)])) == WHOLE


def test_a_run_that_lost_events_is_not_faster_than_one_that_did_not(storage, roast, tmp_path, monkeypatch):
    iterative = processor.IterativeExecutor(status=False, retries=0)
    known = knowing(iterative, storage)
    _, whole = measure(iterative, storage, known)
    storage.reset(10**6)
    _, lost = measure(iterative, storage, known, skipbadfiles=True)
    compared = roast("compare", whole.run.path, lost.run.path).stdout.replace("\u202f", " ")
    assert "B processed fewer events: 800 instead of 1 200" in compared.splitlines()[0]
    gate = roast("gate", "--json", whole.run.path, "--", lost.run.path)
    verdict = json.loads(gate.stdout)
    assert verdict["verdict"] != "fine" and gate.returncode != 0
    assert verdict["metrics"][0]["why"] == "the new runs processed fewer events"
    assert open_run(whole.run.path).compare(open_run(lost.run.path))["did_less_work"] == "b"
