"""Every chart of every kind of run is a well-formed picture, and its numbers are those of the run file, by SQL."""

from __future__ import annotations

import collections
import itertools
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as xml

import numpy
import pytest
from built import ROOT, program

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "style", "rect", "g", "path", "line", "text", "tspan"}
KINDS = ("small", "hostile", "markup", "failed", "interrupted", "empty", "one", "instant", "jumps", "bare")
SMALL = {"datasets": 3, "files": 7, "chunks": 200, "workers": 6, "samples": 40, "duration": 300, "tasks": True}
SHAPES = {
    "ordinary": SMALL,
    "one chunk": SMALL | {"chunks": 1, "files": 1, "datasets": 1, "retry_rate": 0, "failure_rate": 0},
    "no chunks": SMALL | {"chunks": 0},
    "no workers": SMALL | {"workers": 0},
    "one sample": SMALL | {"samples": 1},
    "no samples": SMALL | {"samples": 0},
    "nothing succeeds": SMALL | {"failure_rate": 1, "die": 0},
    "many datasets": SMALL | {"datasets": 30, "files": 60, "chunks": 500},
    "many workers": SMALL | {"workers": 400, "cores": 4, "chunks": 3000},
    "workers that die": SMALL | {"die": 0.8, "leave": 0.1, "workers": 20, "cores": 2, "chunks": 600},
    "fields of 0.1.x only": SMALL | {"plain": True, "die": 0},
    "large": {"chunks": 20000, "workers": 50, "samples": 600, "files": 100, "retry_rate": 0.02, "seed": 4},
}
# What scripts written for 0.1.x expect: the title, and the names of the axes. Occupancy has its word in plots only.
OF_0_1 = {
    "worker_count_timeline": ("Worker Count Over Time", "Time", "Number of Workers"),
    "memory_utilization_mean_timeline": ("Memory Utilization Over Time", "Time", "Memory Utilization (%)"),
    "memory_utilization_per_worker_timeline": ("Memory Utilization Per Worker Over Time", "Time",
                                               "Memory Utilization (%)"),
    "cpu_utilization_mean_timeline": ("CPU Utilization Over Time", "Time", "CPU Utilization (%)"),
    "cpu_utilization_per_worker_timeline": ("CPU Utilization Per Worker Over Time", "Time", "CPU Utilization (%)"),
    "occupancy_timeline": ("Worker Occupancy Over Time", "Time", "Queued work per worker (s)"),
    "executing_tasks_timeline": ("Executing Tasks Per Worker Over Time", "Time", "Number of Executing Tasks"),
    "worker_activity_timeline": ("Worker Activity Over Time", "Time", "Number of Active Tasks"),
    "total_active_tasks_timeline": ("Total Active Tasks Over Time", "Time", "Total Active Tasks"),
    "throughput_timeline": ("Data Throughput Over Time", "Time", "Data Rate (Gbps)"),
    "runtime_distribution": ("Chunk Runtime Distribution", "Runtime (seconds)", "Number of Chunks"),
    "runtime_vs_events": ("Chunk Runtime vs Number of Events", "Number of Events", "Runtime (seconds)"),
    "compression_ratio_distribution": ("Compression Ratio Distribution Across Files",
                                       "Compression Ratio (compressed/uncompressed)", "Number of Files"),
    "data_access_percentage": ("Bytes Read Percentage Distribution", "Bytes Read (%)", "Number of Files"),
    "branch_access_per_chunk": ("Branches Accessed Per Chunk", "Chunk Index", "Branches Accessed"),
    "bytes_accessed_per_chunk": ("Bytes Accessed Per Chunk (Compressed vs Uncompressed)", "Chunk Index", "Bytes (MB)"),
    "per_task_cpu_io": ("CPU vs I/O Time per Task", "Task", "Time (seconds)"),
    "per_task_bytes_read": ("Bytes Read per Task", "Task", "Bytes Read (GB)"),
    "per_task_overhead": ("Compression & Serialization Overhead per Task", "Task", "Time (seconds)"),
    "efficiency_summary": ("Efficiency Metrics Summary", "", "Value"),
    "resource_utilization": ("Resource Utilization Summary", "", "Value"),
}  # fmt: skip


@pytest.fixture(scope="module")
def run_of(synthesize, tmp_path_factory):
    """The run of a kind or shape, made once."""
    folder, made = tmp_path_factory.mktemp("runs"), {}

    def get(name):
        if name not in made and name in SHAPES:
            made[name] = synthesize(**{"seed": 9} | SHAPES[name])[0]
        elif name not in made:
            made[name] = folder / f"{name}.roast"
            subprocess.run([str(program("make_run")), name, str(made[name])], check=True)
        return made[name]

    return get


@pytest.fixture(scope="module")
def charts_of(roast, run_of, tmp_path_factory):
    """All charts of a run in one format, by name."""

    def get(name, form):
        folder = tmp_path_factory.mktemp("charts")
        done = roast("plot", run_of(name), "--all", "-o", folder, "--format", form)
        assert done.returncode == 0, done.stderr
        return {path.stem: path.read_bytes() for path in sorted(folder.iterdir())}

    return get


def database(path):
    return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)


def no_constant(text):
    raise AssertionError(f"{text} is not JSON")


def parsed(text):
    return json.loads(text, parse_constant=no_constant)


def series_of(chart, name):
    return next(series for series in chart["series"] if series["name"] == name)


# ---- Every chart of every run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*KINDS, *SHAPES])
def test_every_chart_is_a_well_formed_picture(charts_of, name):
    pictures = charts_of(name, "svg")
    assert len(pictures) >= 30
    for chart, picture in pictures.items():
        root = xml.fromstring(picture)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
        assert root.get("data-chart") == chart and root.get("role") == "img"
        assert root.findtext(f"{SVG}title") and root.findtext(f"{SVG}desc")
        for element in root.iter():
            assert not any(key.lower().startswith("on") or "href" in key.lower() for key in element.attrib)
            for value in element.attrib.values():
                assert "nan" not in value and "inf" not in value
        assert "prefers-color-scheme:dark" in root.findtext(f"{SVG}style")
        assert len(picture) < 600_000


@pytest.mark.parametrize("name", [*KINDS, *SHAPES])
def test_every_chart_as_json_is_consistent(charts_of, name):
    for text in charts_of(name, "json").values():
        chart = parsed(text)
        axes = [panel["y"] for panel in chart["panels"]]
        for axis in (chart["x"], *axes, *([chart["z"]] if chart["z"] else [])):
            low, high = axis["limits"]
            assert low < high
            assert all(low - 1e-6 * (high - low) <= tick["at"] <= high + 1e-6 * (high - low) for tick in axis["ticks"])
        assert bool(chart["why_empty"]) == (not any(series["x"] for series in chart["series"]))
        for series in chart["series"]:
            lengths = {len(series[key]) for key in ("x", "x2", "y", "y2", "z", "weight") if key in series}
            assert len(lengths) == 1
            assert -2 <= series["colour"] <= 6
            low, high = axes[series["panel"]]["limits"]
            slack = 1e-6 * (high - low)
            assert all(low - slack <= y <= high + slack for y in series["y"] if y is not None)
            if series["kind"] != "line":
                assert None not in series["y"]


def test_names_are_shown_as_text(charts_of):
    lanes = xml.fromstring(charts_of("markup", "svg")["chunk_lanes"])
    shown = {element.text for element in lanes.iter(f"{SVG}text")}
    assert "<img src=x onerror=alert(1)>" in shown
    assert "]]>&amp;\"'</text></svg>" in shown


def test_pictures_can_be_png(roast, run_of):
    done = roast("plot", run_of("small"), "chunk_lanes", "--format", "png", text=False, errors=None)
    if b"librsvg" in done.stderr:
        pytest.skip("librsvg is not installed")
    assert done.returncode == 0
    assert done.stdout.startswith(b"\x89PNG\r\n\x1a\n") and done.stdout.endswith(b"IEND\xaeB`\x82")


def test_the_charts_of_0_1_keep_their_names_titles_and_axes(charts_of):
    charts = {name: parsed(text) for name, text in charts_of("ordinary", "json").items()}
    for name, (title, x, y) in OF_0_1.items():
        chart = charts[name]
        shown = chart["panels"][0]["y"]
        y = y.removesuffix(" (seconds)") if shown["kind"] == "duration" else y  # its ticks say minutes and hours
        assert (chart["title"], chart["x"]["label"], shown["label"]) == (title, x, y)
        assert not chart["why_empty"], name
    for name in OF_0_1:
        if "cpu_utilization" in name:
            assert charts[name]["panels"][0]["y"]["limits"] == [0, 100]


# ---- Numbers, by SQL --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ordinary", "large", "workers that die", "small"])
def test_the_area_under_the_throughput_is_the_data_read(charts_of, run_of, name):
    charts = charts_of(name, "json")
    read = database(run_of(name)).execute("SELECT sum(bytes_read) FROM chunk WHERE error_type IS NULL").fetchone()[0]
    for chart, series in (("throughput_timeline", "data rate"), ("data_rate", "mean")):
        steps = series_of(parsed(charts[chart]), series)
        area = numpy.sum(numpy.diff(steps["x"]) * numpy.array(steps["y"][:-1]))
        assert area == pytest.approx(read * 8e-9, rel=1e-6)  # nine digits are written


@pytest.mark.parametrize("name", ["ordinary", "large", "one chunk"])
def test_runtimes_are_counted_as_numpy_counts_them(charts_of, run_of, name):
    durations = [row[0] for row in database(run_of(name)).execute("SELECT duration_s FROM attempts WHERE error_type IS NULL")]
    counts, edges = numpy.histogram(durations, bins=30)
    bars = parsed(charts_of(name, "json")["runtime_distribution"])["series"][0]
    assert bars["x"] == pytest.approx(edges[:-1], rel=1e-8) and bars["x2"] == pytest.approx(edges[1:], rel=1e-8)
    # A value that is an edge to the last bit may count on either side of it.
    assert sum(abs(a - b) for a, b in zip(bars["y"], counts)) <= 2
    assert sum(bars["y"]) == len(durations)


def test_running_chunks_add_up_to_the_time_that_chunks_took(charts_of, run_of):
    took = database(run_of("large")).execute(
        "SELECT sum(ifnull(duration_s, 0) + ifnull(open_s, 0) + ifnull(schema_s, 0) + ifnull(return_s, 0)) FROM attempts"
    ).fetchone()[0]  # fmt: skip
    steps = series_of(parsed(charts_of("large", "json")["concurrency"]), "running chunks")
    assert numpy.sum(numpy.diff(steps["x"]) * numpy.array(steps["y"][:-1])) == pytest.approx(took, rel=1e-6)


def test_every_chunk_is_in_the_cloud_of_points(charts_of, run_of):
    query = "SELECT count(*), max(duration_s) FROM attempts WHERE events IS NOT NULL"  # those that were killed say nothing
    counted = database(run_of("large")).execute(query).fetchone()
    points = [s for s in parsed(charts_of("large", "json")["runtime_vs_events"])["series"] if s["kind"] == "points"]
    assert sum(sum(series["weight"]) for series in points) == counted[0]
    slowest = max(y for series in points for y in series["y"])
    assert slowest == pytest.approx(counted[1], rel=0.01)  # alone, or with others within a place


@pytest.mark.parametrize("name", ["ordinary", "workers that die"])
def test_samples_of_each_worker_are_all_on_its_line(charts_of, run_of, name):
    """With fewer heartbeats than columns, nothing is reduced."""
    lines = parsed(charts_of(name, "json")["executing_tasks_timeline"])["series"]
    db = database(run_of(name))
    start = int(dict(db.execute("SELECT key, value FROM run"))["t_start_ns"])
    for line in (series for series in lines if series["kind"] == "line"):
        rows = db.execute(
            "SELECT t_ns, executing FROM sample JOIN worker ON worker.id = worker WHERE address LIKE '%//' || ?"
            " ORDER BY t_ns", [line["name"]]).fetchall()  # fmt: skip
        assert line["y"] == pytest.approx([row[1] for row in rows])
        assert line["x"] == pytest.approx([(row[0] - start) / 1e9 for row in rows], abs=0.01)


def test_bytes_accessed_are_what_chunks_read_and_their_part_of_the_branches(charts_of, run_of):
    rows = database(run_of("ordinary")).execute(
        "SELECT chunk.bytes_read, 1.0 * events / file.entries * (SELECT sum(uncompressed) FROM branch WHERE branch.file = chunk.file"
        " AND branch.name IN (SELECT name FROM branch_set WHERE branch_set.id = chunk.branch_set))"
        " FROM chunk JOIN file ON file.id = chunk.file WHERE error_type IS NULL ORDER BY chunk.id").fetchall()  # fmt: skip
    chart = parsed(charts_of("ordinary", "json")["bytes_accessed_per_chunk"])
    for name, column in (("Compressed (on-disk)", 0), ("Uncompressed (in-memory)", 1)):
        assert series_of(chart, name)["y"] == pytest.approx([row[column] / 1e6 for row in rows])


def test_the_time_of_a_dataset_is_that_of_its_chunks(charts_of, run_of):
    chart = parsed(charts_of("ordinary", "json")["dataset_phases"])
    rows = database(run_of("ordinary")).execute(
        "SELECT dataset, sum(open_s), sum(schema_s), sum(duration_s), sum(return_s) FROM attempts GROUP BY 1"
        " ORDER BY sum(open_s + schema_s + duration_s + return_s) DESC").fetchall()  # fmt: skip
    assert chart["x"]["categories"] == [row[0] for row in rows]
    for series, column in zip(chart["series"], range(1, 5)):
        lengths = [high - low for low, high in zip(series["y2"], series["y"])]
        assert lengths == pytest.approx([row[column] for row in rows], rel=1e-6)


# ---- Heat maps, dots, panels --------------------------------------------------------------------------------------------


HEAT = {"memory_utilization_per_worker_timeline": "100.0 * sample.memory / memory_limit",
        "cpu_utilization_per_worker_timeline": "1.0 * sample.cpu / cores", "executing_tasks_timeline": "executing"}  # fmt: skip


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


@pytest.mark.parametrize("name", ["large", "workers that die"])
@pytest.mark.parametrize("chart", HEAT)
def test_a_cell_of_a_heat_map_is_the_mean_of_its_heartbeats(charts_of, run_of, name, chart):
    model = parsed(charts_of(name, "json")[chart])
    (cells,) = model["series"]
    names = model["panels"][0]["y"]["categories"]
    assert cells["kind"] == "heat" and names == sorted(names, key=natural)
    db = database(run_of(name))
    start = int(dict(db.execute("SELECT key, value FROM run"))["t_start_ns"])
    beats = db.execute(f"SELECT address, t_ns, {HEAT[chart]} FROM sample JOIN worker ON worker.id = worker").fetchall()
    rows = {address.split("//")[-1]: [] for address, *_ in beats}
    for address, t_ns, value in beats:
        rows[address.split("//")[-1]].append(((t_ns - start) / 1e9, value))
    assert set(names) == set(rows)
    width = model["x"]["limits"][1] / 1000  # what was reduced to columns of pixels is known to that
    counted = 0
    for x, x2, y, z in zip(cells["x"], cells["x2"], cells["y"], cells["z"]):
        inside = [value for t, value in rows[names[int(y)]] if x - width <= t < x2 + width]
        surely = [value for t, value in rows[names[int(y)]] if x + width <= t < x2 - width]
        counted += len(surely)
        if surely and len(surely) == len(inside):
            assert z == pytest.approx(numpy.mean(surely), rel=1e-5, abs=1e-4)
    assert counted > 0.7 * len(beats)


def test_cells_have_the_shade_of_their_value_in_the_picture(charts_of):
    model = parsed(charts_of("large", "json")["cpu_utilization_per_worker_timeline"])
    root = xml.fromstring(charts_of("large", "svg")["cpu_utilization_per_worker_timeline"])
    (panel,) = (element for element in root if element.get("data-plot"))
    left, top, width, height = map(float, panel.get("data-plot").split())
    rows = len(model["panels"][0]["y"]["categories"])
    (low, high), (first, last) = model["z"]["limits"], model["x"]["limits"]
    boxes = [
        (a, b - thick / 2, c, b + thick / 2, int(path.get("class").split()[0][1:]))
        for path in panel.iter(f"{SVG}path")
        for thick in [float(path.get("stroke-width"))]
        for a, c, b in lines_of_path(path.get("d"))
    ]
    (cells,) = model["series"]
    assert (low, high) == (0, 100) and len(model["shades"]) == 10
    for x, x2, y, z in list(zip(cells["x"], cells["x2"], cells["y"], cells["z"]))[::7]:
        across = left + ((x + x2) / 2 - first) / (last - first) * width
        down = top + (y + 0.5) / rows * height
        shades = [shade for a, b, c, d, shade in boxes if a < across < c and b < down < d]
        assert shades == [min(9, int(z / 10 + 1e-9))], (x, y, z)


def lines_of_path(text):
    """The horizontal lines of a path of moves and lines: (left, right, height)."""
    lines, x, y = [], 0.0, 0.0
    for command, numbers in re.findall(r"([Mmh])([^Mmh]*)", text):
        values = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        if command == "h":
            lines.append((x, x + values[0], y))
        x, y = (values[0], values[1]) if command == "M" else (x + values[0], y + (values[1] if command == "m" else 0))
    return lines


@pytest.mark.parametrize("name", ["ordinary", "large", "many datasets"])
@pytest.mark.parametrize("chart, column", [("worker_rates", "worker"), ("file_rates", "file")])
def test_dots_are_rates_and_outliers_are_those_of_a_box_plot(charts_of, run_of, name, chart, column):
    names = {"worker": "address", "file": "url"}
    rates = dict(database(run_of(name)).execute(
        f"SELECT {column}.{names[column]}, sum(events) / sum(duration_ns / 1e9) FROM chunk JOIN {column} ON"
        f" {column}.id = chunk.{column} WHERE error_type IS NULL GROUP BY 1"))  # fmt: skip
    values = numpy.array(sorted(rates.values()))
    model = parsed(charts_of(name, "json")[chart])
    drawn = sorted(y for series in model["series"] for y in series["y"])
    assert drawn == pytest.approx(values, rel=1e-6)
    (median,) = [note["at"] for note in model["annotations"] if note["kind"] == "at_y"]
    assert median == pytest.approx(numpy.median(values))
    low, high = numpy.percentile(values, [25, 75])
    out = values[(values > high + 1.5 * (high - low)) | (values < low - 1.5 * (high - low))]
    outliers = series_of(model, "outliers")
    assert sorted(outliers["y"]) == pytest.approx(out, rel=1e-6)
    shown = {address.split("//", 1)[-1]: rate for address, rate in rates.items()}
    folder = next((n["text"].removeprefix("in ") for n in model["annotations"] if n["text"].startswith("in ")), "")
    same = [a for a, b in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(min(shown), max(shown)))]
    assert folder == "".join(same)[: len(same) - same[::-1].index("/") if "/" in same else 0]
    for series in model["series"]:
        for x, y in zip(series["x"], series["y"]):
            label = model["x"]["categories"][round(x)]
            assert label.startswith("the other ") or shown[folder + label] == pytest.approx(y, rel=1e-6)


def test_no_panel_mixes_units(charts_of):
    efficiency = parsed(charts_of("ordinary", "json")["efficiency_summary"])
    assert [panel["y"]["unit"] for panel in efficiency["panels"]] == ["%", "ratio"]
    resources = parsed(charts_of("ordinary", "json")["resource_utilization"])
    assert [panel["y"]["unit"] for panel in resources["panels"]] == ["workers", "cores", "GiB"]
    throughput = parsed(charts_of("ordinary", "json")["throughput_timeline"])
    assert [panel["y"]["label"] for panel in throughput["panels"]] == ["Data Rate (Gbps)", "Number of Workers"]
    for chart in (efficiency, resources):
        for series in chart["series"]:
            low, high = chart["panels"][series["panel"]]["x"]
            assert all(low < x < high for x in series["x"])


# ---- Colours ----------------------------------------------------------------------------------------------------------

# What is left of linear red, green and blue without one kind of cone (Machado, Oliveira and Fernandes, 2009).
SIGHTS = {"all": numpy.eye(3),
          "deuteranope": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
          "protanope": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]}  # fmt: skip


def in_lab(colour, sight):
    """A colour as an eye sees it, in CIELAB, where distances are those that are seen."""
    shares = numpy.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = numpy.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = numpy.clip(numpy.array(sight) @ linear, 0, 1)
    xyz = numpy.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / [0.9505, 1, 1.089])
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
def test_all_eyes_tell_the_colours_of_series_apart_and_see_shades_in_their_order(charts_of, sight):
    style = xml.fromstring(charts_of("small", "svg")["tail"]).findtext(f"{SVG}style")
    for theme in style.split("@media"):
        colours = re.findall(r"\.c[0-6nb] \.a\{fill:(#\w{6})\}", theme)
        seen = [in_lab(colour, SIGHTS[sight]) for colour in colours]
        assert len(seen) == 9
        assert min(numpy.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 18
        lightness = [in_lab(shade, SIGHTS[sight])[0] for shade in re.findall(r"\.s\d\{stroke:(#\w{6})\}", theme)]
        steps = numpy.diff(lightness)
        assert len(steps) == 9 and (abs(steps) > 3).all() and len(set(numpy.sign(steps))) == 1


# ---- Traces -----------------------------------------------------------------------------------------------------------


def trace_of(roast, run):
    done = roast("export", run, "--to", "perfetto")
    assert done.returncode == 0, done.stderr
    return parsed(done.stdout)


@pytest.mark.parametrize("name", [*KINDS, *(shape for shape in SHAPES if shape != "large")])
def test_slices_of_a_trace_are_in_order_and_lie_within_each_other(roast, run_of, name):
    tracks, counters = collections.defaultdict(list), collections.defaultdict(list)
    for event in trace_of(roast, run_of(name))["traceEvents"]:
        if event["ph"] == "X":
            start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
            assert start >= 0 and length >= 0
            tracks[event["pid"], event["tid"]].append((start, start + length))
        elif event["ph"] == "C":
            counters[event["pid"], event["name"]].append(event["ts"])
            assert all(math.isfinite(value) for value in event["args"].values())
    for slices in tracks.values():
        around = []
        for start, end in slices:
            assert not around or start >= around[-1][0]
            while around and start >= around[-1][1]:
                around.pop()
            assert not around or end <= around[-1][1]
            around.append((start, end))
    for times in counters.values():
        assert times == sorted(times)


def test_a_trace_has_every_chunk_task_section_and_heartbeat(roast, run_of):
    db = database(run_of("ordinary"))
    events = trace_of(roast, run_of("ordinary"))["traceEvents"]
    kinds = collections.Counter(event.get("cat", event["ph"]).split(",")[0] for event in events)
    (chunks,), (tasks,), (sections,), (samples,) = (
        db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("chunk", "task", "section", "sample")
    )
    assert (kinds["chunk"], kinds["task"], kinds["section"], kinds["C"]) == (chunks, tasks, sections, 2 * samples)
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {row[0] for row in db.execute("SELECT address FROM worker")}
    inside = sum(event["dur"] for event in events if event["name"] == "process" and event.get("cat") == "phase")
    took = db.execute("SELECT sum(duration_ns) FROM chunk").fetchone()[0]
    assert inside * 1000 == pytest.approx(took, rel=1e-9)


# ---- Metrics ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*KINDS, *(shape for shape in SHAPES if shape != "large")])
def test_openmetrics_pass_the_parser_of_prometheus_client(roast, run_of, name):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    done = roast("export", run_of(name), "--to", "openmetrics")
    assert done.returncode == 0, done.stderr
    families = list(parser.text_string_to_metric_families(done.stdout))
    assert families and done.stdout.endswith("# EOF\n")
    assert sum(len(family.samples) for family in families) < 500  # whatever the size of the run


def promtool_says(text):
    """What Prometheus' own tool has against some metrics; "" if nothing."""
    promtool = shutil.which("promtool", path=f"{os.environ.get('PATH', '')}:{ROOT / '.tools/usr/bin'}")
    if not promtool:
        pytest.skip("there is no promtool; scripts/promtool gets it")
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
    said = checked.stdout + checked.stderr
    assert bool(checked.returncode) == bool(said)
    return said


@pytest.mark.parametrize("name", [*KINDS, *(shape for shape in SHAPES if shape != "large")])
def test_prometheus_has_nothing_against_the_metrics(roast, run_of, name):
    assert promtool_says(roast("export", run_of(name), "--to", "openmetrics").stdout) == ""


def test_no_spelling_of_the_type_of_a_counter_suits_both_parsers():
    """Why counters are written without their type. If this fails, there is a spelling to use."""
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    openmetrics = "# HELP x_events E.\n# TYPE x_events counter\nx_events_total 5\n# EOF\n"
    assert [family.type for family in parser.text_string_to_metric_families(openmetrics)] == ["counter"]
    assert "x_events_total no help text" in promtool_says(openmetrics)
    older = openmetrics.replace("events ", "events_total ")
    assert promtool_says(older) == ""
    with pytest.raises(ValueError, match="Clashing name"):
        list(parser.text_string_to_metric_families(older))


def test_openmetrics_say_what_json_says(roast, run_of):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    text = roast("export", run_of("ordinary"), "--to", "openmetrics").stdout
    samples = {s.name: s.value for family in parser.text_string_to_metric_families(text) for s in family.samples}
    metrics = parsed(roast("export", run_of("ordinary"), "--to", "json").stdout)
    for name, metric, scale in (
        ("roast_elapsed_seconds", "elapsed_time_seconds", 1),
        ("roast_read_bytes_total", "total_bytes_read", 1),
        ("roast_event_rate_hertz", "event_rate_elapsed_khz", 1000),
        ("roast_worker_memory_utilization_ratio", "memory_utilization_percent_mean", 0.01),
        ("roast_chunk_memory_peak_bytes", "chunk_mem_peak_max_mb", 1048576),
        ("roast_core_efficiency_ratio", "core_efficiency", 1),
        ("roast_chunk_duration_seconds_count", "num_successful_chunks", 1),
    ):
        assert samples[name] == pytest.approx(metrics[metric] * scale), name
