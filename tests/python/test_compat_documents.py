"""What the documents and the main notebook of 0.1.2 show, run on ours: the same calls, with values that the report or a sum gives."""

from __future__ import annotations

import statistics

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import awkward as ak  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import (  # noqa: E402
    MetricsCollector,
    register_backend,
    track_bytes,
    track_memory,
    track_metrics,
    track_time,
)
from roastcoffea.aggregation.backends import get_parser  # noqa: E402
from roastcoffea.backends.base import AbstractMetricsBackend  # noqa: E402
from roastcoffea.backends.dask import DaskBackend  # noqa: E402
from roastcoffea.export.measurements import load_measurement  # noqa: E402
from roastcoffea.visualization import plots  # noqa: E402

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")

EVENTS, CHUNKS = 1200, 12  # of the fileset, in chunks of 100


class Comprehensive(processor.ProcessorABC):
    """The processor of the notebook: everything is tracked."""

    @track_metrics
    def process(self, events):
        with track_bytes(self, events, "jet_loading"):
            with track_time(self, "jet_selection"):
                selected = events.Jet[events.Jet.pt > 30]
                ak.sum(selected.pt)
        with track_memory(self, "pt_calculations"):
            ak.sum(selected.pt, axis=1)
        return {"nevents": len(events), "njets": int(ak.sum(ak.num(selected)))}

    def postprocess(self, accumulator):
        return accumulator


@pytest.fixture(scope="module")
def notebook(cluster, fileset):
    """The run of the notebook."""
    from distributed import Client

    instance = Comprehensive()
    with Client(cluster) as client:
        with MetricsCollector(
            client=client, processor_instance=instance, track_workers=True, worker_tracking_interval=1.0
        ) as collector:
            runner = nano.runner(processor.DaskExecutor(client=client, status=False))
            output, report = runner(fileset, processor_instance=instance, treename="Events")
            collector.extract_metrics_from_output(output)
            collector.set_coffea_report(report)
        metrics = collector.get_metrics()
    return collector, metrics, output, report


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


# ---- The notebook


def test_the_output_is_the_users(notebook):
    _, _, output, report = notebook
    assert set(output) == {"nevents", "njets"} and output["nevents"] == report["entries"] == EVENTS


def test_its_key_metrics_are_there_under_the_names_of_each_document(notebook):
    _, metrics, _, report = notebook
    elapsed = metrics["elapsed_time_seconds"]
    assert metrics["total_events"] == EVENTS and metrics["num_chunks"] == CHUNKS
    for name in ("total_bytes_read", "total_bytes_read_coffea"):
        assert metrics[name] == report["bytesread"]
    for name in ("overall_rate_gbps", "data_rate_gbps"):
        assert metrics[name] == pytest.approx(report["bytesread"] * 8e-9 / elapsed)
    for name in ("event_rate_wall_khz", "event_rate_elapsed_khz"):
        assert metrics[name] == pytest.approx(EVENTS / elapsed / 1000)
    assert metrics["wall_time"] == elapsed
    assert metrics["total_cpu_time"] == pytest.approx(report["processtime"])
    for cpu, other in (("cpu_percentage", "io_percentage"), ("processor_cpu_percentage", "processor_noncpu_percentage")):
        assert metrics[cpu] + metrics[other] == pytest.approx(100)
    assert metrics["total_compression_overhead_seconds"] >= 0


#: Each plot of the notebook, and what it is given.
SHOWN = {
    "plot_throughput_timeline": lambda c, m: {"chunk_info": m["chunk_info"], "tracking_data": c.tracking_data, "title": "mine"},
    "plot_compression_ratio_distribution": lambda c, m: {"metrics": m},
    "plot_data_access_percentage": lambda c, m: {"metrics": m},
    "plot_worker_count_timeline": lambda c, m: {"tracking_data": m["tracking_data"]},
    "plot_worker_activity_timeline": lambda c, m: {"tracking_data": c.tracking_data, "max_legend_entries": 5},
    "plot_total_active_tasks_timeline": lambda c, m: {"tracking_data": c.tracking_data},
    "plot_occupancy_timeline": lambda c, m: {"tracking_data": c.tracking_data, "max_legend_entries": 5},
    "plot_executing_tasks_timeline": lambda c, m: {"tracking_data": c.tracking_data, "max_legend_entries": 5},
    "plot_memory_utilization_mean_timeline": lambda c, m: {"tracking_data": c.tracking_data},
    "plot_cpu_utilization_per_worker_timeline": lambda c, m: {"tracking_data": c.tracking_data, "max_legend_entries": 5},
    "plot_runtime_distribution": lambda c, m: {"chunk_metrics": m["raw_chunk_metrics"]},
    "plot_runtime_vs_events": lambda c, m: {"chunk_metrics": m["raw_chunk_metrics"]},
    "plot_per_task_cpu_io": lambda c, m: {"span_metrics": c.span_metrics},
    "plot_per_task_bytes_read": lambda c, m: {"span_metrics": m["raw_span_metrics"]},
    "plot_efficiency_summary": lambda c, m: {"metrics": m},
    "plot_resource_utilization": lambda c, m: {"metrics": m},
}


@pytest.mark.parametrize("name", SHOWN)
def test_each_of_its_plots_is_drawn(notebook, name):
    collector, metrics, _, _ = notebook
    figure, axes = getattr(plots, name)(**SHOWN[name](collector, metrics))
    assert axes.lines or axes.patches or axes.collections


def test_its_chunks_have_events_bytes_and_what_the_sections_say(notebook):
    _, metrics, _, _ = notebook
    chunks = metrics["raw_chunk_metrics"]
    assert len(chunks) == CHUNKS and sum(chunk["num_events"] for chunk in chunks) == EVENTS
    for chunk in chunks:
        assert chunk["duration"] > chunk["timing"]["jet_selection"] > 0
        assert chunk["bytes_read"] >= chunk["bytes"]["jet_loading"] > 0
        assert "pt_calculations" in chunk["memory"] and chunk["mem_delta_mb"] is not None


def test_it_is_saved_and_loaded(notebook, tmp_path):
    collector, metrics, _, _ = notebook
    path = collector.save_measurement(tmp_path / "measurements", measurement_name="comprehensive_demo")
    loaded, t0, t1 = load_measurement(path)
    assert path == tmp_path / "measurements" / "comprehensive_demo"
    assert (loaded["total_events"], loaded["overall_rate_gbps"]) == (EVENTS, metrics["overall_rate_gbps"])
    assert t1 - t0 == pytest.approx(metrics["wall_time"], abs=1e-3)


# ---- The tutorial, and "Advanced Usage"


def test_means_of_the_tutorial_are_those_of_the_chunks(notebook):
    collector, metrics, _, _ = notebook
    durations = [chunk["duration"] for chunk in collector.chunk_metrics]
    assert metrics["chunk_duration_mean"] == pytest.approx(statistics.mean(durations))
    assert metrics["chunk_duration_std"] == pytest.approx(statistics.stdev(durations))


def test_the_raw_data_is_where_the_document_says(notebook):
    collector, _, _, _ = notebook
    for chunk in collector.chunk_metrics:
        assert chunk["duration"] > 0 and chunk["num_events"] == 100
    assert set(collector.tracking_data["worker_counts"].values()) == {2}
    assert collector.span_metrics[("execute", "Comprehensive", "thread-cpu", "seconds")] > 0


def test_metrics_of_datasets_replace_the_totals_of_the_report(client, fileset):
    custom = {
        "TTbar": {"entries": 1_000_000, "duration": 45.2, "performance_counters": {"num_requested_bytes": 5_000_000_000}},
        "WJets": {"entries": 500_000, "duration": 23.1, "performance_counters": {"num_requested_bytes": 2_500_000_000}},
    }
    with MetricsCollector(client) as collector:
        _, report = nano.runner(processor.DaskExecutor(client=client, status=False))(fileset, processor_instance=nano.Plain())
        collector.set_coffea_report(report, custom_metrics=custom)
    metrics = collector.get_metrics()
    assert metrics["total_events"] == 1_500_000 and metrics["total_bytes_read"] == 7_500_000_000
    assert metrics["total_cpu_time"] == pytest.approx(68.3)
    assert metrics["data_rate_gbps"] == pytest.approx(60 / metrics["elapsed_time_seconds"])


def test_span_metrics_are_asked_for_as_the_reference_shows(client):
    backend = DaskBackend(client)
    span = backend.create_span("mine")
    with span["context"]:
        client.submit(sum, [1, 2], pure=False).result()
    metrics = backend.get_span_metrics(span, max_retries=5, retry_delay=0.3)
    backend.close_span(span)
    assert any(key[0] == "execute" for key in metrics)


def test_the_flag_switches_collection(client, fileset):
    instance = nano.Tracked()
    runner = nano.runner(processor.DaskExecutor(client=client, status=False))
    instance._roastcoffea_collect_metrics = False
    with MetricsCollector(client, processor_instance=instance, worker_tracking_interval=0.5) as collector:
        runner(fileset, processor_instance=instance)
    assert list(collector.chunk_metrics) == []


def test_a_backend_for_another_engine_is_made_as_the_document_shows():
    class TaskVineMetricsBackend(AbstractMetricsBackend):
        def __init__(self, taskvine_manager):
            self.manager = taskvine_manager

        def start_tracking(self, interval: float) -> None:
            pass

        def stop_tracking(self) -> dict:
            return {}

        def create_span(self, name: str):
            return None

        def get_span_metrics(self, span_info) -> dict:
            return {}

        def supports_fine_metrics(self) -> bool:
            return False

    class Parser:
        def parse_tracking_data(self, tracking_data):
            return {"avg_workers": 7.0}

    register_backend("taskvine-of-the-document", TaskVineMetricsBackend, Parser)
    assert get_parser("taskvine-of-the-document").parse_tracking_data({}) == {"avg_workers": 7.0}
    with MetricsCollector("the manager", backend="taskvine-of-the-document") as collector:
        pass
    assert collector.get_metrics()["elapsed_time_seconds"] > 0
    with pytest.raises(ValueError, match="Unsupported backend"):
        get_parser("nowhere")
