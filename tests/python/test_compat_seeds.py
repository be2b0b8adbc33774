"""Scripts in the style of the first documents run unchanged: package ``coffea_metrics``, executor as first argument."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import roastcoffea  # noqa: E402
from coffea import processor  # noqa: E402
from coffea_metrics import MetricsCollector, track_memory, track_metrics, track_section  # noqa: E402
from roastcoffea import BaseInstrumentationContext  # noqa: E402


class CustomTracker(BaseInstrumentationContext):
    def __exit__(self, exc_type, exc_val, exc_tb):
        self.record_metric("my_metric", 17)


class MyProcessor(processor.ProcessorABC):
    @track_metrics
    def process(self, events):
        with track_section(self, "jet_selection"):
            jets = events.Jet[events.Jet.pt > 30]
        with track_memory(self, "histogram_filling"):
            total = len(jets)
        with CustomTracker(self, "mine"):
            pass
        if hasattr(self, "_roastcoffea_current_chunk"):
            self._roastcoffea_current_chunk["custom_count"] = 42
        return {"sum": total}

    def postprocess(self, accumulator):
        return accumulator


@pytest.fixture
def executor():
    return processor.IterativeExecutor(status=False)


def test_the_minimal_script(executor, fileset, tmp_path):
    runner = nano.runner(executor)
    processor_instance = nano.Plain()
    with MetricsCollector(executor, output_dir=tmp_path / "benchmarks") as mc:
        output, report = runner(fileset, processor_instance)
        mc.set_coffea_report(report)
    saved = list((tmp_path / "benchmarks").iterdir())
    assert len(saved) == 1
    metrics, t0, t1 = roastcoffea.load_measurement(saved[0])
    assert metrics["total_events"] == report["entries"]
    assert t1 - t0 == pytest.approx(metrics["wall_time"], rel=1e-3)


def test_the_standard_script_with_chunk_metrics_of_the_processor(executor, fileset, tmp_path):
    runner = nano.runner(executor)
    processor_instance = MyProcessor()
    processor_instance._chunk_metrics = []
    with MetricsCollector(executor, output_dir=tmp_path) as mc:
        output, report = runner(fileset, processor_instance)
        mc.set_coffea_report(report)
        mc.set_chunk_metrics(processor_instance._chunk_metrics)
    assert mc.metrics["num_chunk_records"] == 12
    record = mc.chunk_metrics[0]
    assert record["custom_count"] == 42
    assert [s["section_name"] for s in record["sections"]] == ["jet_selection"]
    assert [s["section_name"] for s in record["memory_sections"]] == ["histogram_filling"]
    assert record["memory_sections"][0]["memory_start_gb"] > 0
    assert record["custom_metrics"]["my_metric"] == 17
    assert record["memory_start_gb"] > 0 and "memory_delta_gb" in record


def test_the_documented_metrics_are_there_under_the_documented_names(client, fileset):
    processor_instance = MyProcessor()
    runner = nano.runner(processor.DaskExecutor(client=client, status=False))
    with MetricsCollector(client, processor_instance=processor_instance) as collector:
        output, report = runner(fileset, processor_instance)
        collector.set_coffea_report(report)
    collector.print_summary()
    metrics = collector.get_metrics()
    for name in """processor_cpu_time_seconds processor_noncpu_time_seconds processor_cpu_percentage
                   processor_noncpu_percentage total_bytes_read_coffea total_bytes_memory_read_dask disk_read_bytes
                   wall_time total_cpu_time num_chunks avg_cpu_time_per_chunk cpu_efficiency speedup io_overhead_pct
                   time_avg_workers peak_workers total_cores""".split():
        assert metrics[name] is not None, name
    assert metrics["total_bytes_read_coffea"] == report["bytesread"]
    assert max(collector.tracking_data["worker_counts"].values()) == 2
    assert collector.span_metrics


def test_collection_is_switched_off_by_the_flag(executor, fileset):
    instance = MyProcessor()
    instance._roastcoffea_collect_metrics = False
    with MetricsCollector(executor, processor_instance=instance) as collector:
        nano.runner(executor)(fileset, instance)
    assert list(collector.chunk_metrics) == []
    instance._roastcoffea_collect_metrics = True
    with MetricsCollector(executor, processor_instance=instance) as collector:
        nano.runner(executor)(fileset, instance)
    assert len(collector.chunk_metrics) == 12


def test_the_collector_sets_the_flag_on_entry_and_on_exit(executor, fileset):
    instance = nano.Plain()
    with MetricsCollector(executor, processor_instance=instance) as collector:
        assert instance._roastcoffea_collect_metrics is True
        nano.runner(executor)(fileset, instance)
        assert instance._roastcoffea_collect_metrics is True
    assert instance._roastcoffea_collect_metrics is False
    assert len(collector.chunk_metrics) == 12
    with MetricsCollector(executor) as again:  # it was us who switched it off
        nano.runner(executor)(fileset, instance)
    assert len(again.chunk_metrics) == 12


def test_coffea_metrics_is_the_same_package():
    import coffea_metrics.backends.base
    import coffea_metrics.collector
    import roastcoffea.backends.base
    import roastcoffea.collector

    assert coffea_metrics.collector.MetricsCollector is roastcoffea.collector.MetricsCollector
    assert coffea_metrics.MetricsCollector is roastcoffea.MetricsCollector
    assert roastcoffea.collector.__spec__.name == "roastcoffea.collector"


def test_a_backend_of_the_user_is_used(fileset):
    from roastcoffea.backends.base import AbstractMetricsBackend

    calls = []

    class Mine(AbstractMetricsBackend):
        def __init__(self, manager):
            self.manager = manager

        def start_tracking(self, interval):
            calls.append(("start", self.manager, interval))

        def stop_tracking(self):
            import datetime

            start = datetime.datetime.now(datetime.UTC)
            calls.append(("stop",))
            return {
                "worker_counts": {start: 3},
                "worker_memory": {"w1": [(start, 1_000_000)]},
            }

        def create_span(self, name):
            return None

        def get_span_metrics(self, span_info):
            return {}

        def supports_fine_metrics(self):
            return False

    roastcoffea.register_backend("mine", Mine)
    executor = processor.IterativeExecutor(status=False)
    with MetricsCollector("the manager", backend="mine", worker_tracking_interval=0.5) as collector:
        nano.runner(executor)(fileset, nano.Plain())
    assert calls == [("start", "the manager", 0.5), ("stop",)]
    assert collector.metrics["num_chunk_records"] == 12
    assert collector.metrics["peak_workers"] == 3
    with pytest.raises(ValueError, match="Unsupported backend: nowhere"):
        MetricsCollector(None, backend="nowhere")


def test_importing_the_package_imports_nothing_heavy():
    code = textwrap.dedent("""
        import sys
        import roastcoffea
        heavy = {"coffea", "distributed", "dask", "matplotlib", "rich", "numpy", "pandas", "uproot", "awkward"}
        print(sorted(heavy & set(sys.modules)))
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
