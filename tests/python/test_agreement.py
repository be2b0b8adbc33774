"""The test on which the house rests: a number is the same wherever it is shown.

Over 50 seeded runs, with wrong clocks, unequal workers, retries, losses and workers that were not measured, every metric of the catalogue, in each scope:
table cell = JSON = CSV = column = record = number in a chart = number in the page. What there is to compare comes from the
catalogue, so that a metric that is added is compared too, or fails here for being in some of its views only."""

from __future__ import annotations

import csv
import html
import json
import math
import re
import statistics

import embedded
import pytest
from roastcoffea import _core, open_run
from told import says

SEEDS = range(50)
CATALOGUE = {}
for row in _core.catalogue():
    if row["kind"] in ("integer", "real", "text"):
        CATALOGUE.setdefault(row["scope"], {})[row["name"]] = row

# Where the rows of a scope are: its key in JSON, its table of CSV, the metrics that name a row, its tables on the screen.
ROWS = {
    "dataset": ("per_dataset", "datasets", ["dataset"], ["datasets", "reading"]),
    "section": ("sections", "sections", ["section"], ["sections", "memory_sections"]),
    "file": ("files", "files", ["file"], ["files"]),
    "branch": ("branches_read", "branches", ["dataset", "branch", "access"], []),
    "worker": ("workers", "workers", ["worker"], ["workers"]),
    "error": ("errors", "errors", ["error_type", "error"], ["failures"]),
    "failure": ("failures", "failures", ["error_type", "dataset", "file", "worker"], ["failures_by_file"]),
    "storage": ("storage", "storage", ["server"], ["storage"]),
    "missing": ("missing", "missing", ["dataset", "file", "entry_start"], ["missing"]),
    "activity": ("activities", "activities", ["prefix"], ["tasks"]),
    "ledger": ("ledger", "ledger", ["title"], ["ledger"]),
    "dataset_ledger": ("ledger_per_dataset", "ledger_datasets", ["dataset"], ["ledger_datasets"]),
    "worker_ledger": ("ledger_per_worker", "ledger_workers", ["worker"], ["ledger_workers"]),
}
# What the screen says for a word of ours or of Dask.
SAID = {"left": "released", "N/A": "(no task: scheduler and transfers)"}
OF_RUN = ["throughput", "events", "timing", "resources", "chunks", "fine"]  # tables
# Of a chunk, what the record does not carry under this name, and what the page counts in other units.
PAGE_TIMES = {"open_time": "open_seconds", "events_time": "events_seconds", "process_time": "duration",
              "return_time": "return_seconds", "cpu_time": "cpu_seconds"}
PAGE_NUMBERS = {"entry_start": "entry_start", "events": "num_events", "attempt": "attempt", "bytes": "bytes_read"}
TRACE_NUMBERS = {"entry_start": "entry_start", "entry_stop": "entry_stop", "events": "num_events", "attempt": "attempt",
                 "bytes_read": "bytes_read"}
# What lines in charts stand for: a run metric, or what it is computed from.
CHART_LINES = {
    ("runtime_distribution", "Mean"): lambda v: statistics.fmean(v.successes("duration")),
    ("runtime_distribution", "Median"): lambda v: statistics.median(v.successes("duration")),
    ("compression_ratio_distribution", "Mean"): lambda v: statistics.fmean(v.metrics["compression_ratios"]),
    ("compression_ratio_distribution", "Median"): lambda v: statistics.median(v.metrics["compression_ratios"]),
    ("data_access_percentage", "Mean"): lambda v: statistics.fmean(v.metrics["bytes_read_percent_per_file"]),
    ("data_access_percentage", "Median"): lambda v: statistics.median(v.metrics["bytes_read_percent_per_file"]),
    ("branch_access_per_chunk", "Mean"): lambda v: statistics.fmean(v.successes("num_branches_accessed")),
}
BARS = {
    "efficiency_summary": {"Core Efficiency (%)": "core_efficiency", "CPU Efficiency (%)": "cpu_efficiency_fine",
                           "Speedup Factor": "speedup_factor"},
    "resource_utilization": None,  # as they come; every one must be a metric of the run
}


def same(left, right) -> bool:
    """Numbers to a rounding of the last digit, which a sum in another order may have."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or math.isclose(left, right, rel_tol=1e-12)
    return left == right


def number(text: str):
    return None if text == "" else float(text)


class Views:
    """A run, in every way that it can be looked at."""

    def __init__(self, path, roast, folder):
        self.run = open_run(path)
        self.metrics = json.loads(self.run.summary.json())
        self.tables = {table["id"]: table for table in self.run.summary.tables()}
        self.records = self.run.chunk_records()
        done = roast("export", path, "--to", "csv", "-o", folder / "csv")
        assert done.returncode == 0, done.stderr
        self.csv = {file.stem: list(csv.DictReader(file.open(newline=""))) for file in (folder / "csv").iterdir()}
        self.page = self.run.report(folder / "page.html")
        self.trace = json.loads(roast("export", path, "--to", "perfetto").stdout)

    def successes(self, name):
        return [r[name] for r in self.records if not r.get("error_type") and r[name] is not None]

    def rows(self, scope):
        rows = self.metrics[ROWS[scope][0]]
        return list(rows.values()) if isinstance(rows, dict) else rows

    def chart(self, name):
        return json.loads(self.run._run.chart(self.run.summary, name, "json"))


@pytest.fixture(scope="module", params=SEEDS)
def views(request, synthesize, roast, tmp_path_factory):
    seed = request.param
    path, _ = synthesize(seed=seed, datasets=1 + seed % 4, files=5, chunks=20 + 3 * (seed % 5), workers=2 + seed % 5,
                         samples=10, sections=3, branches=5 + seed % 7, cores=seed % 3, workers_per_host=1 + seed % 3,
                         retry_rate=0.1, failure_rate=0.05 * (seed % 2), join=0.3, leave=0.1, die=0.1 * (seed % 4),
                         duration=100, clock_skew=300 if seed % 2 else 0.002, tasks=seed % 5 > 0, plain=seed % 7 == 6,
                         no_hosts=seed % 4 == 3, blind=(0, 0, 2, 3, 1)[seed % 5], no_report=seed % 6 == 2,
                         opening_bytes=12345 * (seed % 3))
    return Views(path, roast, tmp_path_factory.mktemp("views"))


def test_the_catalogue_has_no_scope_that_is_not_compared():
    assert CATALOGUE.keys() == ROWS.keys() | {"run", "chunk", "series"}


def test_every_metric_of_the_run_is_the_same_in_json_and_csv(views):
    rows = {row["name"]: row for row in views.csv["run"]}
    assert rows.keys() == CATALOGUE["run"].keys()
    for name, about in CATALOGUE["run"].items():
        value = views.metrics[name]
        told = rows[name]["value"]
        assert same(value, told or None if about["kind"] == "text" else number(told)), name
        assert rows[name]["unit"] == about["unit"], name
        for alias in about["aliases"].split():
            outer, _, inner = alias.partition(".")
            assert same(views.metrics[outer][inner] if inner else views.metrics[outer], value), (name, alias)
        assert value is not None or name in views.metrics["why_absent"], f"{name}: absent, and nobody says why"


@pytest.mark.parametrize("scope", ROWS)
def test_every_metric_of_every_row_is_the_same_in_json_and_csv(views, scope):
    _, table, key, _ = ROWS[scope]
    rows = [row for row in views.csv[table] if scope != "branch" or row["access"] == "read"]
    assert len(rows) == len(views.rows(scope))
    for row, told in zip(views.rows(scope), rows):
        assert row.keys() == told.keys() == CATALOGUE[scope].keys()
        for name, about in CATALOGUE[scope].items():
            assert same(row[name], told[name] or None if about["kind"] == "text" else number(told[name])), (scope, row[key[0]], name)


def cells_agree(cell, row, scope, where):
    """A cell that has a value has that of a metric of its row, and its text says so."""
    if cell["value"] is None:
        return
    names = [name for name, value in row.items() if name in CATALOGUE[scope] and value is not None and same(value, cell["value"])]
    assert names, f"{where}: {cell['value']!r} is none of the metrics"
    said = SAID.get(cell["value"], cell["value"])
    assert any(says(cell["text"], said, CATALOGUE[scope][name]["unit"]) for name in names), f"{where}: {cell} is {names}"


@pytest.mark.parametrize("scope", ROWS)
def test_every_cell_of_a_table_is_a_metric_of_its_row(views, scope):
    _, _, key, tables = ROWS[scope]
    for table in filter(None, map(views.tables.get, tables)):
        known = {tuple(row[k] for k in key): row for row in views.rows(scope)}
        for line in table["rows"]:
            values = [cell["value"] for cell in line]
            rows = [row for name, row in known.items() if all(part is None or part in values for part in name)]
            if values[0] is None and not rows:
                continue
            assert rows, (table["id"], values)
            for title, cell in zip(table["columns"], line):
                cells_agree(cell, {k: v for row in rows[:1] for k, v in row.items()}, scope, f"{table['id']}, {title['title']}")


@pytest.mark.parametrize("table", OF_RUN)
def test_every_cell_about_the_run_is_a_metric_of_the_run(views, table):
    for label, cell in (row[:2] for row in views.tables.get(table, {"rows": []})["rows"]):
        cells_agree(cell, views.metrics, "run", f"{table}, {label['text']}")


def test_every_metric_of_a_chunk_is_the_same_in_its_column_its_record_and_its_row_of_csv(views):
    columns = {name: list(views.run.chunks[name]) for name in views.run.chunks.column_names}
    rows = views.csv["chunks"]
    assert set(columns) == set(CATALOGUE["chunk"])
    assert len(rows) == len(views.records) == len(columns["chunk_id"])
    for name, about in CATALOGUE["chunk"].items():
        for i, (value, record, row) in enumerate(zip(columns[name], views.records, rows)):
            value = None if isinstance(value, float) and math.isnan(value) else value
            if name == "error":  # 0.1.2's way to ask whether a chunk failed
                assert (name in record) == (columns["error"][i] is not None or columns["error_type"][i] is not None), i
            assert same(record.get(name) if name == "error" else record[name], value), (i, name)
            if name in row:
                told = row[name] or None if about["kind"] == "text" else number(row[name])
                assert same(told, value), (i, name)
    # CSV leaves out what is another column in another unit.
    left_out = CATALOGUE["chunk"].keys() - rows[0].keys() if rows else None
    assert not rows or left_out == {"memory_start_gb", "memory_end_gb", "memory_delta_gb"}


def begun(record):
    return record["t_start"] - (record["open_seconds"] or 0) - (record["events_seconds"] or 0)


def test_every_chunk_of_the_page_and_of_the_trace_has_the_numbers_of_its_record(views):
    page, about = embedded.columns(views.page, "chunks"), embedded.about(views.page)
    page = {name: values or [None] * len(views.records) for name, values in page.items()}
    drawn = sorted(views.records, key=lambda r: (r["file"], r["entry_start"], r["attempt"], begun(r)))
    names = embedded.packed_json(views.page, "data-names")
    order = sorted(range(len(page["begin"])), key=lambda i: (names["files"][page["file"][i]], page["entry_start"][i], page["attempt"][i], page["begin"][i]))
    assert len(order) == len(drawn)
    for i, record in zip(order, drawn):
        for key, name in PAGE_NUMBERS.items():
            assert page[key][i] == record[name], name
        for key, name in PAGE_TIMES.items():
            expected = record[name]
            assert (page[key][i] is None) == (expected is None), name
            assert expected is None or abs(page[key][i] * about["tick"] - expected) <= about["tick"], name
        assert about["from_ms"] / 1e3 + page["begin"][i] * about["tick"] == pytest.approx(begun(record), abs=2e-3)
    zero = views.trace["otherData"]["zero_ns"] / 1e9
    slices = sorted((e for e in views.trace["traceEvents"] if e.get("cat", "").startswith("chunk")),
                    key=lambda e: (e["args"]["file"], e["args"]["entry_start"], e["args"]["attempt"], e["ts"]))
    assert len(slices) == len(drawn) and views.trace["otherData"]["left_out"] == 0
    for record, event in zip(drawn, slices):
        for key, name in TRACE_NUMBERS.items():
            assert event["args"].get(key) == record[name], name
        assert ("failed" in event["cat"]) == bool(record["error_type"])
        assert zero + event["ts"] / 1e6 == pytest.approx(begun(record), abs=0.025)  # it may be moved into its task


def test_the_page_has_the_cells_of_the_tables(views):
    text = views.page.read_text()
    for name, table in views.tables.items():
        if f'id="rows-{name}"' not in text:
            continue
        rows = embedded.packed_json(views.page, f"rows-{name}")["rows"]
        cells = {(c["text"], c["value"]) for row in table["rows"] for c in row if isinstance(c["value"], (int, float))}
        there = {(cell[0], cell[1]) for row in rows for cell in row if isinstance(cell, list) and cell[1] is not None}
        assert cells <= there, (name, cells - there)
    plain = html.unescape(re.sub(r"<[^>]*>", "|", text))
    for name in OF_RUN:
        if name == "chunks" and not views.records:  # then the page has a sentence there
            continue
        for _, cell in (row[:2] for row in views.tables.get(name, {"rows": []})["rows"]):
            assert f"|{cell['text']}|" in plain, (name, cell["text"])


def test_every_number_that_a_chart_states_is_that_of_the_run(views):
    for name in _core.charts():
        chart = views.chart(name)
        for line in chart["annotations"]:
            stated = re.fullmatch(r"(\w+): (.*)", line["text"])
            if stated:
                expected = CHART_LINES[name, stated[1]](views)
                assert line["at"] == pytest.approx(expected, rel=1e-9), (name, line)
                told, unit = (stated[2], "s") if " " in stated[2] else (stated[2].rstrip("s"), "%")  # "1 min 56 s", "0.98s"
                assert says(told, expected, unit), (name, line)
        if name in BARS and chart["series"]:
            bars = [bar for series in chart["series"] for bar in zip(series["x"], series["y"])]
            for label, (_, height) in zip(chart["x"]["categories"], bars, strict=True):
                title, _, told = label.rpartition(": ")
                metric = BARS[name] and views.metrics[BARS[name][title]]
                metrics = [metric] if metric is not None else [v for k, v in views.metrics.items() if k in CATALOGUE["run"]]
                numbers = [v * scale for v in metrics if isinstance(v, (int, float)) for scale in (1, 100, 1e-9, 2**-30)]
                assert any(math.isclose(height, v, rel_tol=1e-6) for v in numbers), (name, label, height)
                assert says(told, height, ""), (name, label)


RATES = {"worker_rates": ("worker", "rate_khz", 1e3), "file_rates": ("file", "rate_khz", 1e3),
         "section_shares": ("section", "share_of_process_percent", 1)}


@pytest.mark.parametrize("name", RATES)
def test_every_bar_of_a_chart_is_a_metric_of_its_row(views, name):
    scope, metric, scale = RATES[name]
    values = [row[metric] * scale for row in views.rows(scope) if row[metric] is not None]
    for series in views.chart(name)["series"]:
        for height in series["y"]:
            assert any(math.isclose(height, value, rel_tol=1e-6) for value in values), height


def test_the_time_series_are_the_samples(views):
    tracking, samples = views.run.tracking_data(), views.run.samples
    assert {name for name in tracking if name in CATALOGUE["series"]} == CATALOGUE["series"].keys()
    for series, column in {"worker_memory": "memory", "worker_cpu": "cpu", "worker_executing": "executing"}.items():
        expected = {}
        for worker, t, value in zip(samples["worker"], samples["t"], samples[column]):
            if value is not None:
                expected.setdefault(worker, []).append((t, value))
        found = {worker: [(t.timestamp() if hasattr(t, "timestamp") else t, v) for t, v in points]
                 for worker, points in tracking[series].items()}
        assert {w: [v for _, v in p] for w, p in found.items()} == {w: [v for _, v in p] for w, p in expected.items()}, series
        for worker, points in found.items():
            assert [t for t, _ in points] == pytest.approx([t for t, _ in expected[worker]], abs=1e-5)
