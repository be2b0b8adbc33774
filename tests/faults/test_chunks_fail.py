"""Chunks that raise: once and are retried, always, or are skipped; and runs that fail as a whole."""

from __future__ import annotations

import nano
import pytest
from distributed import Client
from helpers import failures, rows, runner
from roastcoffea import MetricsCollector
from traces import traces


def test_a_chunk_that_is_retried_leaves_its_failed_attempts(own_client, fileset, marks):
    expected, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
    with MetricsCollector(own_client) as collector:
        out, report = runner(own_client, retries=3)(
            fileset, processor_instance=nano.Failing(str(marks), "background", times=2)
        )
    assert out["background"] == expected["background"] and out["signal"] == expected["signal"]
    failed = failures(collector)
    assert len(failed) == 8  # four chunks, two failures each
    assert {f[:3] for f in failed} == {("ValueError", "background", fileset["background"]["files"][0])}
    assert all(f[3].startswith("tcp://") for f in failed)
    metrics = collector.metrics
    assert metrics["num_failed_chunks"] == 8 and metrics["num_successful_chunks"] == 12
    attempts = rows(collector.run.path, "select max(attempt) from attempts where dataset = 'background'")
    assert attempts == [(3,)]
    assert rows(collector.run.path, "select count(*) from tasks where state = 'erred'")[0][0] == 8


def test_a_chunk_that_raises_fails_the_run_with_the_users_exception(own_client, fileset, marks):
    instance = nano.Failing(str(marks), "background", times=100, error=KeyError)
    with pytest.raises(Exception) as without:
        runner(own_client, retries=0)(fileset, processor_instance=instance)
    collector = MetricsCollector(own_client, name="fails")
    with pytest.raises(type(without.value)) as measured, collector:
        runner(own_client, retries=0)(fileset, processor_instance=instance)
    assert type(measured.value.__cause__) is type(without.value.__cause__)
    assert "made to fail" in str(measured.value)
    assert collector.run.outcome == "failed"
    failed = failures(collector)
    assert failed and {f[0] for f in failed} == {"KeyError"}
    assert collector.metrics["num_failed_chunks"] == len(failed)
    collector.print_summary()
    assert traces(own_client) == []


def test_a_skipped_chunk_is_counted_as_failed(own_client, fileset, marks):
    instance = nano.Failing(str(marks), "background", times=100, error=OSError)
    with MetricsCollector(own_client) as collector:
        out, report = runner(own_client, skipbadfiles=True)(fileset, processor_instance=instance)
    assert "background" not in out and out["signal"]["events"] == 800
    assert report["entries"] == 800
    assert [f[:2] for f in failures(collector)] == [("OSError", "background")] * 4
    assert collector.metrics["num_failed_chunks"] == 4


def test_a_run_whose_chunks_are_all_skipped_fails_as_coffea_says(own_client, fileset, marks):
    background = {"background": fileset["background"]}
    instance = nano.Failing(str(marks), "background", times=100, error=OSError)
    with pytest.raises(ValueError) as without:
        runner(own_client, skipbadfiles=True)(background, processor_instance=instance)
    collector = MetricsCollector(own_client)
    with pytest.raises(ValueError) as measured, collector:
        runner(own_client, skipbadfiles=True)(background, processor_instance=instance)
    assert str(measured.value) == str(without.value)
    assert collector.metrics["num_failed_chunks"] == 4


def test_a_run_that_fails_disturbs_neither_the_collector_around_it_nor_that_of_another_client(own_client, fileset, marks):
    failing = nano.Failing(str(marks), "background", times=100)
    with Client(own_client.scheduler.address, set_as_default=False) as other:
        with MetricsCollector(other, name="other") as others, MetricsCollector(own_client, name="outer") as outer:
            with pytest.raises(Exception, match="made to fail"), MetricsCollector(own_client, name="inner") as inner:
                runner(own_client, retries=0)(fileset, processor_instance=failing)
            out, _ = runner(own_client)(fileset, processor_instance=nano.Plain())
            runner(other)(fileset, processor_instance=nano.Plain())
    assert out["signal"]["events"] == 800
    assert [c.run.outcome for c in (inner, outer, others)] == ["failed", "finished", "finished"]
    assert inner.metrics["num_failed_chunks"] >= 1
    assert outer.metrics["num_failed_chunks"] >= inner.metrics["num_failed_chunks"]
    assert outer.metrics["num_successful_chunks"] >= 12
    assert (others.metrics["num_failed_chunks"], others.metrics["num_successful_chunks"]) == (0, 12)
    assert traces(own_client) == []


def test_an_exception_of_the_block_itself_passes(own_client, fileset):
    collector = MetricsCollector(own_client)
    error = RuntimeError("the user's own")
    with pytest.raises(RuntimeError) as caught, collector:
        runner(own_client)(fileset, processor_instance=nano.Plain())
        raise error
    assert caught.value is error
    assert collector.run.outcome == "failed"
    assert collector.run.facts["error"] == "the user's own"
    assert collector.metrics["num_chunk_records"] == 12


class Unpicklable(nano.Plain):
    """Refuses to be shipped with attributes that are not its own."""

    def __init__(self):
        self.cut = 50

    def __reduce__(self):
        foreign = set(vars(self)) - {"cut"}
        if foreign:
            raise TypeError(f"cannot pickle {foreign}")
        return Unpicklable, ()


def test_a_processor_that_cannot_carry_our_attribute_still_runs(own_client, fileset):
    with MetricsCollector(own_client) as collector:
        out, _ = runner(own_client)(fileset, processor_instance=Unpicklable())
    assert out["signal"]["events"] == 800 and collector.metrics["num_chunk_records"] == 12
    instance = Unpicklable()
    with MetricsCollector(own_client, processor_instance=instance) as collector:
        out, _ = runner(own_client)(fileset, processor_instance=instance)
    assert out["signal"]["events"] == 800 and collector.metrics["num_chunk_records"] == 12
