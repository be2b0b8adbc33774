"""Scripts that were written for roastcoffea 0.1.2 run unchanged."""

from __future__ import annotations

import concurrent.futures
import json
import threading

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, load_measurement, track_metrics, track_time  # noqa: E402
from roastcoffea.backends.dask import DaskBackend, DaskMetricsBackend  # noqa: E402
from roastcoffea.export.measurements import save_measurement  # noqa: E402


@pytest.fixture
def measured(client, fileset):
    """The script of its quick start."""
    instance = nano.Tracked()
    runner = nano.runner(processor.DaskExecutor(client=client, status=False))
    with MetricsCollector(client, processor_instance=instance) as collector:
        output, report = runner(fileset, processor_instance=instance)
        collector.extract_metrics_from_output(output)
        collector.set_coffea_report(report)
    return collector, output, report


def test_the_quick_start(measured, capsys):
    collector, output, report = measured
    collector.print_summary()
    metrics = collector.get_metrics()
    assert metrics["total_events"] == 1200 and metrics["num_chunks"] == 12
    assert "__roastcoffea_metrics__" not in output
    assert "Throughput" in capsys.readouterr().out
    assert collector.chunk_metrics[0]["mem_before_mb"] > 10


def test_a_measurement_is_saved_and_loaded(measured, tmp_path):
    collector, _, _ = measured
    folder = collector.save_measurement(tmp_path, measurement_name="first")
    assert folder == tmp_path / "first"
    assert {path.name for path in folder.iterdir()} >= {
        "metrics.json",
        "metadata.json",
        "start_end_time.txt",
        "run.roast",
    }
    metadata = json.loads((folder / "metadata.json").read_text())
    assert metadata["format"] == "roastcoffea_measurement_v1"
    plain = json.loads((folder / "metrics.json").read_text())
    loaded, t0, t1 = load_measurement(folder)
    first, second = map(float, (folder / "start_end_time.txt").read_text().split(","))
    assert (t0, t1) == pytest.approx((first, second), abs=1e-6)
    for name in ("total_events", "num_chunks", "peak_workers", "data_rate_gbps"):
        assert plain[name] == loaded[name] == collector.metrics[name]


def test_metrics_alone_are_saved_and_loaded(tmp_path):
    folder = save_measurement({"total_events": 10, "wall_time": 2.0}, 100.0, 102.0, tmp_path, "m", config={"a": 1})
    metrics, t0, t1 = load_measurement(folder)
    assert (metrics["total_events"], t0, t1) == (10, 100.0, 102.0)
    assert json.loads((folder / "config.json").read_text()) == {"a": 1}


def test_the_decorator_without_a_runner_puts_its_record_into_the_output():
    class Instance:
        _roastcoffea_collect_metrics = True

        @track_metrics
        def process(self, events):
            with track_time(self, "section"):
                pass
            return {"sum": len(events)}

    output = Instance().process([1, 2, 3])
    assert output["sum"] == 3
    (chunk,) = output["__roastcoffea_metrics__"]
    assert type(chunk) is dict and "error" not in chunk and list(chunk["timing"]) == ["section"]
    assert {"duration", "mem_delta_mb", "timestamp", "dataset", "file", "entry_start", "uuid"} <= chunk.keys()
    assert (chunk["bytes_read"], chunk["accessed_bytes"], chunk["branches_read_percent"]) == (0, 0, 0.0)
    with MetricsCollector() as collector:
        collector.extract_metrics_from_output(output)
    assert output == {"sum": 3}
    (record,) = collector.chunk_metrics
    assert record["num_events"] == 3 and "section" in record["timing"]


def _own_values(seen):
    class Instance:
        @track_metrics
        def process(self, events):
            seen.append(hasattr(self, "_roastcoffea_current_chunk"))
            if seen[-1]:
                with track_time(self, "section"):
                    pass
                seen.append(self._roastcoffea_current_chunk["timing"]["section"])
                self._roastcoffea_current_chunk["timing"]["mine"] = 1.5
            if not events:
                raise ValueError("empty")
            return {"sum": len(events)}

    return Instance()


def test_the_current_chunk_is_there_while_a_chunk_runs_and_only_then():
    seen = []
    instance = _own_values(seen)
    assert instance.process([1]) == {"sum": 1}  # a job without a collector
    assert seen == [False]
    with pytest.raises(AttributeError, match="ask with hasattr"):
        instance._roastcoffea_current_chunk["mine"] = 1
    with MetricsCollector() as collector:
        instance.process([1])
        with pytest.raises(ValueError, match="empty"):
            instance.process([])
        assert not hasattr(instance, "_roastcoffea_current_chunk")
    assert seen[1] is seen[3] is True
    done, failed = collector.chunk_metrics
    assert done["timing"] == {"section": seen[2], "mine": 1.5}
    assert [chunk["error"] for chunk in (done, failed) if "error" in chunk] == ["empty"]


def test_the_current_chunk_is_that_of_the_thread():
    there = threading.Event()
    over = threading.Event()

    class Instance:
        @track_metrics
        def process(self, events):
            self._roastcoffea_current_chunk["mine"] = events
            there.set()
            over.wait(30)
            return self._roastcoffea_current_chunk["mine"]

    instance = Instance()
    with MetricsCollector() as collector, concurrent.futures.ThreadPoolExecutor() as pool:
        running = pool.submit(instance.process, "ours")
        assert there.wait(30)
        assert not hasattr(instance, "_roastcoffea_current_chunk")
        assert instance.process.__self__ is instance
        over.set()
        assert running.result() == "ours"
    assert [chunk["mine"] for chunk in collector.chunk_metrics] == ["ours"]


def test_a_current_chunk_that_the_user_made_is_the_users():
    instance = _own_values([])
    instance._roastcoffea_current_chunk = made = {}
    with track_time(instance, "section"):
        pass
    assert instance._roastcoffea_current_chunk is made and list(made["timing"]) == ["section"]
    del instance._roastcoffea_current_chunk
    assert not hasattr(instance, "_roastcoffea_current_chunk") and vars(instance) == {}


def test_a_chunk_that_cannot_be_measured_takes_what_the_user_says_of_it(monkeypatch):
    monkeypatch.setattr("roastcoffea.decorator._OwnChunk.begin", lambda *args: 1 / 0)

    class Instance:
        @track_metrics
        def process(self, events):
            self._roastcoffea_current_chunk["timing"]["mine"] = 1.5
            return events

    assert Instance().process(3) == 3
    assert not hasattr(Instance(), "_roastcoffea_current_chunk")


def test_a_flag_and_no_collector_give_a_list_of_dicts_with_what_was_read(fileset):
    instance = nano.Tracked()
    instance._roastcoffea_collect_metrics = True
    runner = nano.runner(processor.IterativeExecutor(status=False))
    output, _ = runner(fileset, processor_instance=instance)
    chunks = output.pop("__roastcoffea_metrics__")
    with MetricsCollector() as collector:
        again, _ = runner(fileset, processor_instance=instance)
    assert again.keys() == output.keys()
    measured = {(chunk["file"], chunk["entry_start"]): chunk for chunk in collector.chunk_metrics}
    assert len(chunks) == len(measured) == 12
    for chunk in chunks:
        other = measured[chunk["file"], chunk["entry_start"]]
        for name in ("accessed_bytes", "accessed_uncompressed_bytes", "num_branches_accessed", "bytes_read", "num_events"):
            assert chunk[name] == other[name], name
        for name in ("branches_read_percent", "bytes_read_percent"):
            assert chunk[name] == pytest.approx(other[name]), name
        assert chunk["accessed_branches"] == other["accessed_branches"]
        assert {"filename", "compression_ratio", "total_branches", "total_tree_bytes"} == chunk["file_metadata"].keys()
        assert chunk["file_metadata"] == pytest.approx(other["file_metadata"])


def test_a_record_tells_of_its_file_what_uproot_does(measured):
    uproot = pytest.importorskip("uproot")
    for chunk in measured[0].chunk_metrics:
        with uproot.open(chunk["file"]) as file:
            tree = file["Events"]
            expected = (chunk["file"], len(tree.keys()), tree.compressed_bytes)
        about = chunk["file_metadata"]
        assert (about["filename"], about["total_branches"], about["total_tree_bytes"]) == expected
        assert "error" not in chunk and chunk["timestamp"] == chunk["t_end"]


def test_records_may_be_given_by_hand():
    with MetricsCollector() as collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5, "mem_delta_mb": 1.0})
        collector.record_section_metrics({"name": "s", "duration": 0.1})
    assert collector.metrics["num_chunk_records"] == 1
    assert collector.chunk_metrics[0]["duration"] == 0.5


def test_custom_metrics_replace_the_totals(client):
    custom = {"a": {"entries": 70, "duration": 2.0, "performance_counters": {"num_requested_bytes": 1000}}}
    with MetricsCollector(client) as collector:
        collector.set_coffea_report({"bytesread": 1, "entries": 2, "processtime": 3.0, "chunks": 4}, custom_metrics=custom)
    assert collector.metrics["total_events"] == 70
    assert collector.metrics["total_bytes_read"] == 1000


def test_the_parts_are_where_they_were(client):
    assert DaskBackend is DaskMetricsBackend
    backend = DaskMetricsBackend(client)
    assert backend.supports_fine_metrics()
    span = backend.create_span("x")
    client.submit(lambda: 1).result()
    assert backend.get_span_metrics(span, delay=0.1)
    backend.close_span(span)
    from roastcoffea.aggregation.core import MetricsAggregator  # noqa: F401
    from roastcoffea.decorator import track_metrics  # noqa: F401
    from roastcoffea.instrumentation import track_bytes, track_memory, track_time  # noqa: F401
    from roastcoffea.utils import get_process_memory

    assert get_process_memory() > 10


FORMATS = {
    "throughput": "4.00 GB",
    "event_processing": "2.00 M",
    "resources": "3.5",
    "timing": "10.0 s",
    "fine_metrics": "5.00 s",
    "chunk_metrics": "1.25 s",
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_tables_of_a_dictionary_of_metrics_are_rich_tables(name):
    import io

    from rich.console import Console
    from rich.table import Table
    from roastcoffea.export import reporter

    metrics = {"total_bytes_read": 4_000_000_000, "total_events": 2_000_000, "elapsed_time_seconds": 10.0,
               "avg_workers": 3.5, "processor_cpu_time_seconds": 5.0, "processor_noncpu_time_seconds": 1.0,
               "num_chunk_records": 4, "chunk_duration_mean": 1.25, ("a", "b"): 1}  # fmt: skip
    table = getattr(reporter, f"format_{name}_table")(metrics)
    assert isinstance(table, Table)
    out = io.StringIO()
    Console(file=out, width=120).print(table)
    assert FORMATS[name] in out.getvalue(), out.getvalue()


def test_there_is_no_table_of_fine_metrics_or_chunks_where_there_are_none():
    from roastcoffea.export.reporter import format_chunk_metrics_table, format_fine_metrics_table

    assert format_fine_metrics_table({"total_events": 5}) is None
    assert format_chunk_metrics_table({"total_events": 5}) is None
