"""The functions on dicts of roastcoffea 0.1 against plain formulas, on seeded input: whole, partial, None and empty."""

from __future__ import annotations

import copy
import datetime
import random

import formulas_0_1 as formulas
import pytest
from roastcoffea.aggregation import branch_coverage, chunk, efficiency, fine_metrics, workflow
from roastcoffea.aggregation.backends import dask, get_parser
from roastcoffea.aggregation.core import MetricsAggregator
from roastcoffea.visualization.plots.per_task import extract_per_task_metrics

numpy = pytest.importorskip("numpy")
SEEDS = range(60)


def assert_same(ours, expected, path=""):
    """The same keys, numbers to 1e-9, and whole numbers where they were whole."""
    if isinstance(expected, dict):
        assert isinstance(ours, dict) and ours.keys() == expected.keys(), path
        for key in expected:
            assert_same(ours[key], expected[key], f"{path}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        assert isinstance(ours, type(expected)) and len(ours) == len(expected), path
        for i, pair in enumerate(zip(ours, expected, strict=True)):
            assert_same(*pair, f"{path}[{i}]")
    elif isinstance(expected, float):
        assert isinstance(ours, float) and ours == pytest.approx(expected, rel=1e-9, abs=1e-12), path
    else:
        assert type(ours) is type(expected) and ours == expected, path


class Dice:
    """Values of all the kinds that scripts have, from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def real(self, low, high):
        value = self.r.uniform(low, high) * 10 ** self.r.choice([0, 0, -3, -6])
        return self.r.choice([value, value, numpy.float64(value), round(value)])

    def whole(self, high):
        value = self.r.randrange(high)
        return self.r.choice([value, value, numpy.int64(value), numpy.int32(value % 2**31)])

    def part(self, mapping, keep=0.85):
        """Some keys missing, some None, one that nobody knows."""
        kept = {key: None if self.r.random() < 0.05 else value for key, value in mapping.items() if self.r.random() < keep}
        return kept | ({"extra": "?"} if self.r.random() < 0.3 else {})

    def report(self):
        return self.part({"entries": self.whole(10**7), "processtime": self.real(0, 1e4), "chunks": self.whole(50),
                          "bytesread": self.whole(10**12), "columns": ["Jet_pt-data"]})  # fmt: skip

    def custom(self):
        return {f"d{i}": self.part({"entries": self.whole(10**6), "duration": self.real(0, 100),
                                    "performance_counters": self.part({"num_requested_bytes": self.whole(10**9)})})
                for i in range(self.r.randrange(4))}  # fmt: skip

    def chunk(self, i):
        chunk = self.part({
            "duration": self.real(0, 50), "mem_delta_mb": self.real(-100, 900), "num_events": self.whole(10**5),
            "dataset": f"d{self.r.randrange(3)}", "file": f"f{self.r.randrange(3)}", "entry_start": i, "entry_stop": i + 1,
            "t_start": float(i), "t_end": i + 0.5, "bytes_read": self.whole(10**6), "accessed_bytes": self.whole(1000),
            "accessed_branches": self.r.sample("abcd", self.r.randrange(4)), "bytes_read_percent": self.real(0, 100),
            "branches_read_percent": self.real(0, 100)})  # fmt: skip
        if self.r.random() < 0.15:
            chunk["error"] = self.r.choice(["boom", "", None])
        if self.r.random() < 0.5:
            chunk["file_metadata"] = self.part({
                "filename": f"f{self.r.randrange(4)}", "compression_ratio": self.r.choice([0.0, 0.3, numpy.float64(0.2)]),
                "total_branches": self.whole(100), "total_tree_bytes": self.whole(10**6)})  # fmt: skip
        return chunk

    def chunks(self):
        return self.r.choice([None, [], *([self.chunk(i) for i in range(self.r.randrange(1, 20))] for _ in range(4))])

    def section(self):
        return self.part({"name": self.r.choice("stm"), "type": self.r.choice(["memory", "time"]),
                          "mem_delta_mb": self.real(-5, 50), "duration": self.real(0, 5)})  # fmt: skip

    def sections(self):
        return self.r.choice([None, [], [self.section() for _ in range(self.r.randrange(9))]])

    def spans(self):
        activities = ["thread-cpu", "thread-noncpu", "disk-read", "disk-write", "memory-read", "compress", "decompress",
                      "serialize", "deserialize", "other"]  # fmt: skip
        prefixes = self.r.choice([["Analysis", "it's", "red\\uce", "λ", None], ["Analysis", "reduce"]])
        keys = [(self.r.choice(["execute", "get-data"]), self.r.choice(prefixes),
                 activity, self.r.choice(["seconds", "bytes", "count"]))[: self.r.choice([4, 4, 4, 3, 2])]
                for activity in activities for _ in range(3)]  # fmt: skip
        return {key: self.whole(10**9) if key[3:] == ("bytes",) else self.r.choice([self.whole(10**9), self.real(0, 1e3)])
                for key in keys if self.r.random() < 0.7}  # fmt: skip

    def time(self, dated, seconds):
        start = datetime.datetime(2026, 11, 16, 12, tzinfo=self.r_zone) if dated else 0
        return start + datetime.timedelta(microseconds=round(seconds * 1e6)) if dated else seconds

    def tracking(self):
        """Workers come and go."""
        self.r_zone = self.r.choice([None, datetime.UTC])
        dated = self.r.random() < 0.8
        times = [self.time(dated, self.r.uniform(0, 600)) for _ in range(self.r.randrange(30))]
        self.r.shuffle(times)

        def some():
            return self.r.sample(times, self.r.randrange(len(times) + 1))

        workers = [f"tcp://w{i}" for i in range(self.r.randrange(6))]
        return self.part({
            "worker_counts": {t: self.r.randrange(20) for t in times},
            "worker_memory": {w: [(t, self.whole(10**10)) for t in some()] for w in workers},
            "worker_cores": {w: [(t, cores) for t in some()] for w in workers for cores in [self.r.randrange(9)]},
            "worker_cpu": {w: [(t, 50.0) for t in times] for w in workers}})  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_totals_and_rates_are_what_the_formulas_say(seed):
    dice = Dice(seed)
    report, custom, end = dice.report(), dice.r.choice([None, {}, dice.custom()]), dice.r.choice([10.0, 10, 10.25, 95.5])
    assert_same(workflow.aggregate_workflow_metrics(report, 10.0, end, custom), formulas.workflow(report, 10.0, end, custom))


@pytest.mark.parametrize("seed", SEEDS)
def test_efficiencies_are_what_the_formulas_say(seed):
    dice = Dice(seed)
    run = dice.part({"elapsed_time_seconds": dice.r.choice([0, dice.real(0, 100)]), "total_cpu_time": dice.real(0, 900),
                     "total_events": dice.whole(10**6), "num_chunks": 3})  # fmt: skip
    workers = dice.r.choice([{}, {"total_cores": None}, {"total_cores": 0}, {"total_cores": 8.5, "avg_workers": 4.0}])
    assert_same(efficiency.calculate_efficiency_metrics(run, workers), formulas.efficiency(run, workers))


@pytest.mark.parametrize("seed", SEEDS)
def test_fine_metrics_are_the_sums_of_activities(seed):
    dice = Dice(seed)
    spans, name = dice.spans(), dice.r.choice([None, "Analysis", "it's", "λ", "nobody"])
    assert_same(fine_metrics.parse_fine_metrics(spans, name), formulas.fine(spans, name))
    assert extract_per_task_metrics(spans) == formulas.per_task(spans)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_of_chunks_are_what_the_formulas_say(seed):
    dice = Dice(seed)
    chunks, sections = dice.chunks(), dice.sections()
    before = copy.deepcopy(chunks)
    assert_same(chunk.aggregate_chunk_metrics(chunks, sections), formulas.chunks(chunks, sections))
    assert chunk.build_chunk_info(chunks or []) == formulas.chunk_info(chunks or [])
    assert chunks == before


@pytest.mark.parametrize("seed", SEEDS)
def test_coverage_of_files_is_what_the_formulas_say(seed):
    chunks = Dice(seed).chunks()
    assert_same(branch_coverage.aggregate_branch_coverage(chunks, {}), formulas.coverage(chunks))


@pytest.mark.parametrize("seed", SEEDS)
def test_workers_and_memory_over_time_are_what_the_formulas_say(seed):
    data = Dice(seed).tracking()
    assert_same(get_parser("dask").parse_tracking_data(data), formulas.tracking(data))
    counts, memory = data.get("worker_counts") or {}, data.get("worker_memory") or {}
    assert_same(dask.calculate_time_averaged_workers(counts), formulas.time_average(counts.items()))
    assert_same(dask.calculate_peak_memory(memory), formulas.peak_memory(memory))
    assert_same(dask.calculate_average_memory_per_worker(memory), formulas.average_memory(memory))


@pytest.mark.parametrize("seed", SEEDS)
def test_all_of_it_together_is_the_sum_of_the_parts(seed):
    dice = Dice(seed)
    report, tracking, chunks, sections, spans = dice.report(), dice.tracking(), dice.chunks(), dice.sections(), dice.spans()
    run, workers, about = formulas.workflow(report, 5.0, 60.0), formulas.tracking(tracking), formulas.chunks(chunks, sections)
    expected = run | workers | formulas.efficiency(run, workers) | formulas.coverage(chunks) | {"tracking_data": tracking}
    if spans:
        expected |= formulas.fine(spans, "Analysis") | {"raw_span_metrics": spans}
    if chunks:
        records = about.pop("num_chunks")
        expected |= about | {"num_chunk_records": records, "num_chunks": run["num_chunks"] or records}
        expected["raw_chunk_metrics"] = chunks
        if formulas.chunk_info(chunks):
            expected["chunk_info"] = formulas.chunk_info(chunks)
    if sections:
        expected["raw_section_metrics"] = sections
    ours = MetricsAggregator("dask").aggregate(report, tracking, 5.0, 60.0, None, spans, "Analysis", chunks, sections)
    for raw in ("raw_chunk_metrics", "raw_section_metrics", "raw_span_metrics", "tracking_data", "chunk_info", "file_metadata"):
        assert ours.pop(raw, None) == expected.pop(raw, None)
    assert_same(ours, expected)


@pytest.mark.parametrize("call", [
    lambda: workflow.aggregate_workflow_metrics({"bytesread": 1, "entries": "many"}, 0, 1),
    lambda: workflow.aggregate_workflow_metrics({}, "now", 1),
    lambda: workflow.aggregate_workflow_metrics({}, 0, 1, {"d": {"entries": [1]}}),
    lambda: efficiency.calculate_efficiency_metrics({"total_cpu_time": "long"}, {}),
    lambda: fine_metrics.parse_fine_metrics({("execute", "a", "thread-cpu", "seconds"): "long"}),
    lambda: chunk.aggregate_chunk_metrics([{"duration": "long"}]),
    lambda: chunk.aggregate_chunk_metrics([{"duration": 1.0}], [{"name": "s", "duration": "long"}]),
    lambda: branch_coverage.parse_accessed_branches([5]),
    lambda: dask.calculate_time_averaged_workers({datetime.datetime(2026, 1, 1): "many"}),
    lambda: dask.calculate_peak_memory({"w": [(datetime.datetime(2026, 1, 1), "much")]}),
    lambda: dask.calculate_average_memory_per_worker({"w": [("noon", 1)]}),
])  # fmt: skip
def test_what_is_no_number_is_a_type_error(call):
    with pytest.raises(TypeError):
        call()


def test_branches_are_the_columns_that_hold_data():
    columns = ["a-data", "b-offsets", "-data", "c-data-data", "", "data"]
    assert branch_coverage.parse_accessed_branches(columns) == {"a", "", "c-data"}
