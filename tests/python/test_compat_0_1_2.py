"""Scripts that were written for roastcoffea 0.1.2 run unchanged."""

from __future__ import annotations

import json

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
    assert len(output["__roastcoffea_metrics__"]) == 1
    with MetricsCollector() as collector:
        collector.extract_metrics_from_output(output)
    assert output == {"sum": 3}
    (record,) = collector.chunk_metrics
    assert record["num_events"] == 3 and "section" in record["timing"]


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
