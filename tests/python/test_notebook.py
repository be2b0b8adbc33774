"""What a collector says of itself while it is used."""

from __future__ import annotations

import pytest
from roastcoffea import MetricsCollector

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
processor = pytest.importorskip("coffea.processor")


def test_a_collector_says_what_it_is_doing(fileset, tmp_path):
    collector = MetricsCollector(run_file=tmp_path / "r.roast")
    assert repr(collector) == "<collector: not used yet>" and collector._repr_html_() is None
    with collector:
        nano.runner(processor.IterativeExecutor(status=False), chunksize=100)(fileset, nano.Plain())
        during = repr(collector)
        assert collector._repr_html_() is None
    assert during.startswith("<collector: recording ") and "12 chunks so far" in during
    assert repr(collector).startswith("<collector: Plain: finished in ") and "12 chunks" in repr(collector)
    assert 'class="roast"' in collector._repr_html_()
    assert collector.show().page == collector.report(tmp_path / "r.html").read_text()


def test_to_say_so_is_no_look_after_which_nothing_can_be_added(fileset, tmp_path):
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        _, report = nano.runner(processor.IterativeExecutor(status=False), savemetrics=True)(fileset, nano.Plain())
    repr(collector)
    collector.set_coffea_report({**report, "bytesread": 12345})
    assert collector.run.metrics["total_bytes_read"] == 12345


def test_a_collector_without_a_file_and_a_run_that_is_closed_say_so(fileset, tmp_path):
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        nano.runner(processor.IterativeExecutor(status=False))(fileset, nano.Plain())
    run = collector.run
    run._run.close()
    assert "the run is closed" in repr(run)


def test_a_collector_whose_file_has_gone_says_so(fileset, tmp_path):
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        nano.runner(processor.IterativeExecutor(status=False))(fileset, nano.Plain())
    (tmp_path / "r.roast").unlink()
    assert "No such file" in repr(collector)
