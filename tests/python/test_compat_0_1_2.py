"""Scripts that were written for roastcoffea 0.1.2 run unchanged."""

from __future__ import annotations

import concurrent.futures
import gc
import json
import shutil
import subprocess
import sys
import threading

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, load_measurement, open_run, track_metrics, track_time  # noqa: E402
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
    assert "1 200 events" in capsys.readouterr().out
    collector.print_summary(full=True)
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
    assert len(plain["raw_chunk_metrics"]) == len(plain["chunk_info"]) == 12
    assert loaded == collector.metrics


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


REPORT = {"bytesread": 1000, "entries": 70, "processtime": 3.0, "chunks": 4, "columns": []}


def test_a_report_given_after_the_block_counts():
    with MetricsCollector() as collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
    collector.set_coffea_report(REPORT)
    assert (collector.metrics["total_events"], collector.metrics["total_cpu_time"]) == (70, 3.0)
    assert collector.run.metrics["total_events"] == 70  # in the run file, which nobody had looked at


@pytest.mark.parametrize("when", ["before", "in", "after", "after a look"])
def test_custom_metrics_count_whenever_they_are_given(when):
    custom = {"a": {"entries": 7, "duration": 2.0, "performance_counters": {"num_requested_bytes": 100}}}
    collector = MetricsCollector()
    if when == "before":
        collector.set_coffea_report(REPORT, custom_metrics=custom)
    with collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
        if when == "in":
            collector.set_coffea_report(REPORT, custom_metrics=custom)
    if when == "after a look":
        assert collector.metrics["total_events"] != 7
    if when.startswith("after"):
        collector.set_coffea_report(REPORT, custom_metrics=custom)
    metrics = collector.get_metrics()
    assert (metrics["total_events"], metrics["total_cpu_time"], metrics["total_bytes_read"]) == (7, 2.0, 100)
    assert collector.custom_metrics == custom and collector.coffea_report == REPORT
    assert metrics["speedup_factor"] == pytest.approx(2.0 / metrics["elapsed_time_seconds"])


def test_the_run_is_finished_for_others_while_it_waits_for_its_seal(tmp_path, roast):
    path = tmp_path / "run.roast"
    with MetricsCollector(run_file=path) as collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
    shown = json.loads(roast("show", path, "--json").stdout)
    assert (shown["outcome"], shown["num_successful_chunks"]) == ("finished", 1)
    copied = shutil.copyfile(path, tmp_path / "copied.roast")  # alone, without what SQLite keeps beside it
    assert open_run(copied).metrics["num_successful_chunks"] == 1
    del collector
    gc.collect()
    assert sorted(file.name for file in tmp_path.iterdir() if "run" in file.name) == ["run.roast"]
    assert open_run(path).outcome == "finished"


def test_a_run_is_sealed_when_its_process_ends(tmp_path):
    code = """if True:
        import sys
        from roastcoffea import MetricsCollector
        with MetricsCollector(run_file=sys.argv[1]) as collector:
            collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
        if sys.argv[2] == "killed":
            import os
            os._exit(0)
    """
    for how in ("ended", "killed"):
        path = tmp_path / f"{how}.roast"
        subprocess.run([sys.executable, "-c", code, path, how], check=True, timeout=120)
        run = open_run(path)
        assert (run.outcome, run.metrics["num_successful_chunks"]) == ("finished", 1)
    assert [file.name for file in tmp_path.glob("ended*")] == ["ended.roast"]


def test_records_of_sections_reach_the_metrics():
    with MetricsCollector() as collector:
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 0.5})
    for duration in (1.0, 3.0):
        collector.record_section_metrics({"name": "mine", "duration": duration, "type": "section"})
    section = collector.metrics["sections"]["mine"]
    assert (section["count"], section["total_duration"], section["mean_duration"]) == (2, 4.0, 2.0)
    assert collector.metrics["raw_section_metrics"] is collector.section_metrics


def test_records_that_are_assigned_are_those_of_the_metrics():
    with MetricsCollector() as collector:
        for duration in (1.0, 2.0, 6.0):
            collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": duration})
    collector.chunk_metrics = [chunk for chunk in collector.chunk_metrics if chunk["duration"] < 5]
    assert len(collector.chunk_metrics) == 2
    assert collector.metrics["chunk_duration_mean"] == 1.5 and collector.metrics["num_successful_chunks"] == 2


def test_records_of_before_the_block_belong_to_it():
    collector = MetricsCollector()
    collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 1.0})
    output = {"sum": 1, "__roastcoffea_metrics__": [{"dataset": "a", "num_events": 5, "duration": 2.0}]}
    collector.extract_metrics_from_output(output)
    assert output == {"sum": 1} and [chunk["num_events"] for chunk in collector.chunk_metrics] == [10, 5]
    with collector:
        pass
    assert collector.metrics["total_events_from_chunks"] == 15
    collector.record_chunk_metrics({"dataset": "b", "num_events": 7, "duration": 2.0})  # after a look
    assert collector.metrics["total_events_from_chunks"] == 22 and len(collector.chunk_metrics) == 3


def test_an_output_with_something_else_under_our_name_is_left_alone(caplog):
    output = {"__roastcoffea_metrics__": "not a list"}
    MetricsCollector().extract_metrics_from_output(output)
    assert output == {"__roastcoffea_metrics__": "not a list"} and "Metrics not a list: str" in caplog.text


def test_an_extended_calculate_efficiency_metrics_is_seen(monkeypatch):
    import roastcoffea.aggregation.core
    import roastcoffea.aggregation.efficiency as efficiency

    original = efficiency.calculate_efficiency_metrics

    def calculate_efficiency_metrics(workflow_metrics, worker_metrics):
        metrics = original(workflow_metrics, worker_metrics)
        metrics["custom_efficiency"] = workflow_metrics["total_events"] / 2
        return metrics

    for module in (efficiency, roastcoffea.aggregation.core):
        with monkeypatch.context() as patched:
            patched.setattr(module, "calculate_efficiency_metrics", calculate_efficiency_metrics)
            with MetricsCollector() as collector:
                collector.set_coffea_report(REPORT)
            assert collector.metrics["custom_efficiency"] == 35
            summed = collector.aggregator.aggregate(REPORT, None, 0.0, 2.0)
            assert summed["custom_efficiency"] == 35
    assert "custom_efficiency" not in collector.aggregator.aggregate(REPORT, None, 0.0, 2.0)


def test_an_extension_that_fails_is_said_and_the_rest_is_there(monkeypatch, caplog):
    monkeypatch.setattr("roastcoffea.aggregation.efficiency.calculate_efficiency_metrics", lambda *args: 1 / 0)
    with MetricsCollector() as collector:
        collector.set_coffea_report(REPORT)
    assert collector.metrics["total_events"] == 70
    assert "calculate_efficiency_metrics: not measured, because of ZeroDivisionError" in caplog.text


def test_an_aggregator_that_is_assigned_is_asked():
    class Mine:
        def aggregate(self, coffea_report, **parts):
            return {"mine": coffea_report["entries"] + len(parts["chunk_metrics"])}

    collector = MetricsCollector()
    collector.aggregator = Mine()
    with collector:
        collector.set_coffea_report(REPORT)
        collector.record_chunk_metrics({"dataset": "a", "num_events": 10, "duration": 1.0})
    assert collector.metrics["mine"] == 71


def test_the_attributes_of_0_1_2_are_there(client):
    collector = MetricsCollector(client)
    assert collector.span_info is collector.custom_metrics is collector.coffea_report is collector.metrics is None
    assert collector.chunk_metrics == collector.section_metrics == []
    backend = collector.metrics_backend
    assert isinstance(backend, DaskMetricsBackend) and backend.client is client
    with collector:
        assert collector.metrics_backend is backend
        assert collector.span_info["id"] and collector.span_info["name"]
    with pytest.raises(RuntimeError, match="Timing not available"):
        MetricsCollector(client).get_metrics()
    with pytest.raises(RuntimeError, match="Cannot save measurement before context manager completes"):
        MetricsCollector(client).save_measurement("nowhere")
    with pytest.raises(ValueError, match="Unsupported backend: invalid"):
        MetricsCollector(client, backend="invalid")


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
    with span["context"]:
        client.submit(lambda: 1).result()
    assert backend.get_span_metrics(span, delay=0.1)
    assert backend.get_span_metrics({"name": "x"}) == {}
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


TITLES = {
    "throughput": ("Throughput Metrics", ["Data Rate"]),
    "event_processing": ("Event Processing Metrics", ["Total Events", "Event Rate (Elapsed Time)", "Event Rate (Total CPU)",
                                                      "Event Rate (Core-Averaged)"]),
    "resources": ("Resource Utilization", ["Workers (Time-Averaged)", "Peak Workers", "Cores per Worker", "Total Cores",
                                           "Core Efficiency", "Speedup Factor", "Peak Memory (per worker)",
                                           "Avg Memory (per worker)"]),
    "timing": ("Timing Breakdown", ["Elapsed Time", "Total CPU Time"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TITLES)
def test_tables_of_nothing_have_the_titles_and_rows_of_0_1_2_and_say_that_it_is_not_available(name):
    from roastcoffea.export import reporter

    table = getattr(reporter, f"format_{name}_table")({})
    title, rows = TITLES[name]
    labels, values = ([str(cell) for cell in column.cells] for column in table.columns)
    assert (table.title, labels) == (title, rows)
    assert all(value.startswith("N/A") for value in values)


def test_the_table_of_fine_metrics_leaves_out_what_is_0():
    from roastcoffea.export.reporter import format_fine_metrics_table

    metrics = {"processor_cpu_time_seconds": 100.0, "processor_io_wait_time_seconds": 50.0, "processor_cpu_percent": 66.7,
               "processor_io_wait_percent": 33.3, "disk_read_bytes": 0, "total_compression_overhead_seconds": 6.0,
               "decompression_time_seconds": 6.0, "compression_time_seconds": 0.0}  # fmt: skip
    labels = [str(cell).strip() for cell in format_fine_metrics_table(metrics).columns[0].cells]
    assert labels == ["Processor CPU Time", "Processor I/O & Waiting Time", "CPU %", "I/O & Wait %", "Compression Overhead",
                      "• Decompress"]  # fmt: skip


def test_the_table_of_chunks_has_the_sections_that_took_most_time():
    from roastcoffea.export.reporter import format_chunk_metrics_table

    sections = {f"s{i}": {"total_duration": i, "mean_duration": 1.0, "count": i, "type": "time"} for i in range(9)}
    table = format_chunk_metrics_table({"num_chunks": 3, "num_failed_chunks": 1, "num_successful_chunks": 2, "sections": sections})
    labels = [str(cell).strip() for cell in table.columns[0].cells]
    assert labels == ["Total Chunks", "• Successful", "• Failed", "", "Section Timing", "s8", "s7", "s6", "s5", "s4"]


def test_there_is_no_table_of_fine_metrics_or_chunks_where_there_are_none():
    from roastcoffea.export.reporter import format_chunk_metrics_table, format_fine_metrics_table

    assert format_fine_metrics_table({"total_events": 5}) is None
    assert format_chunk_metrics_table({"total_events": 5}) is None
