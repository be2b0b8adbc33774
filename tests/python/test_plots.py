"""Plots in Python: SVG and matplotlib carry the same numbers, and scripts for 0.1.2 get what they expect."""

from __future__ import annotations

import datetime
import importlib
import inspect
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as xml

import numpy
import pytest
import roastcoffea
from roastcoffea.visualization import plots
from roastcoffea.visualization.plots.per_task import extract_per_task_metrics
from scipy.spatial import cKDTree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.dates  # noqa: E402
import matplotlib.pyplot  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
DAY = 86400.0
SHAPES = {
    "ordinary": {"seed": 9, "datasets": 3, "files": 7, "chunks": 200, "workers": 6, "samples": 40, "duration": 300},
    "one chunk": {"seed": 2, "datasets": 1, "files": 1, "chunks": 1, "workers": 1, "samples": 3, "duration": 30},
    "many": {"seed": 4, "chunks": 6000, "workers": 40, "samples": 300, "files": 60, "retry-rate": 0.03, "cores": 2},
}
CHARTS = sorted(roastcoffea.open_run.__globals__["_core"].charts())
PLOTS = sorted(plots.__all__)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def run_of(synthesize):
    made = {}

    def get(name):
        if name not in made:
            path = synthesize(**{key.replace("-", "_"): value for key, value in SHAPES[name].items()})[0]
            made[name] = roastcoffea.open_run(path)
        return made[name]

    return get


# ---- SVG and matplotlib -----------------------------------------------------------------------------------------------


def corners_of_path(text):
    """Every point that a path of our SVG goes through, in pixels."""
    points, x, y, begun = [], 0.0, 0.0, (0.0, 0.0)
    for command, numbers in re.findall(r"([MmLlhvz])([^MmLlhvz]*)", text):
        values = [float(number) for number in re.findall(r"-?\d*\.?\d+", numbers)]
        if command == "M":
            x, y = values
        elif command in "ml":
            x, y = x + values[0], y + values[1]
        elif command == "h":
            x += values[0]
        elif command == "v":
            y += values[0]
        if command in "Mm":
            begun = x, y
        if command == "z":
            x, y = begun
        else:
            points.append((x, y))
    return points


class Picture:
    """Where an SVG puts its series, and how its axes map numbers to pixels."""

    def __init__(self, svg):
        panels = [element for element in xml.fromstring(svg) if element.get("data-plot")]
        self.plots = [tuple(map(float, panel.get("data-plot").split())) for panel in panels]
        self.limits = [{name: tuple(map(float, panel.get(f"data-{name}").split())) for name in "xy"} for panel in panels]
        self.groups = {int(group.get("data-series")): group for panel in panels for group in panel}

    def points(self, number, kind):
        """The points of a series; of a step the line, not the area under it."""
        paths = [path for path in self.groups[number].iter(f"{SVG}path") if kind != "step" or path.get("class") == "l"]
        return numpy.array([point for path in paths for point in corners_of_path(path.get("d"))])

    def across(self, values, axis, panel):
        (low, high), (left, _, width, _) = self.limits[panel][axis], self.plots[panel]
        return left + numpy.clip((numpy.asarray(values) - low) / (high - low), 0, 1) * width

    def down(self, values, axis, panel, from_top):
        (low, high), (_, top, _, height) = self.limits[panel][axis], self.plots[panel]
        part = numpy.clip((numpy.asarray(values) - low) / (high - low), 0, 1)
        return top + (part if from_top else 1 - part) * height


class Artists:
    """What a figure shows, series by series, as numbers."""

    def __init__(self, figure, model):
        self.model = model
        below = figure.axes if model["x"]["kind"] != "category" else figure.axes[:1] * len(model["panels"])
        self.of_axes = {axes: self.of(axes) for axes in figure.axes}
        self.panels = [self.of_axes[axes] for axes in below]

    @staticmethod
    def of(axes):
        return {"lines": iter(axes.lines), "bars": iter(axes.containers), "areas": iter(axes.collections)}

    def seconds(self, days):
        if self.model["x"]["kind"] != "time":
            return numpy.asarray(days, float)
        return (numpy.asarray(days, float) - self.model["x"]["origin_ns"] / 1e9 / DAY) * DAY

    def corners(self, series):
        """The corners of a series, as (x, y) in its own numbers."""
        found = self.panels[series["panel"]]
        kind = series["kind"]
        if kind in ("line", "step"):
            line = next(found["lines"])
            x, y = self.seconds(line.get_xdata()), numpy.asarray(line.get_ydata(), float)
            if kind == "step":
                assert line.get_drawstyle() == "steps-post"
                x, y = numpy.concatenate([x, x[1:]]), numpy.concatenate([y, y[:-1]])
                x, y = numpy.delete(x, len(line.get_xdata()) - 1), numpy.delete(y, len(line.get_xdata()) - 1)
            return numpy.column_stack([x, y])[numpy.isfinite(y)]
        if kind in ("bars", "histogram"):
            boxes = [patch.get_bbox() for patch in next(found["bars"]).patches]
            return numpy.array([corner for box in boxes for corner in ((box.x0, box.y0), (box.x1, box.y0),
                                                                       (box.x1, box.y1), (box.x0, box.y1))])  # fmt: skip
        area = next(found["areas"])
        if kind == "points":
            offsets = area.get_offsets()
            if self.model["horizontal"]:
                return offsets
            return numpy.column_stack([self.seconds(offsets[:, 0]), offsets[:, 1]])
        many = 4 if kind in ("lanes", "heat") else None  # the fifth closes a box
        vertices = numpy.concatenate([path.vertices[:many] for path in area.get_paths()])
        return numpy.column_stack([self.seconds(vertices[:, 0]), vertices[:, 1]])


def furthest(points, others):
    """How far the point that is furthest from all others is from them, in pixels."""
    distance, _ = cKDTree(others).query(points)
    return distance.max()


def in_pixels(picture, chart, series, corners):
    panel = series["panel"]
    if chart["horizontal"]:  # x goes down
        return numpy.column_stack([picture.across(corners[:, 0], "y", panel), picture.down(corners[:, 1], "x", panel, True)])
    categories = bool(chart["panels"][panel]["y"]["categories"])
    return numpy.column_stack([picture.across(corners[:, 0], "x", panel), picture.down(corners[:, 1], "y", panel, categories)])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CHARTS)
def test_svg_and_matplotlib_of_a_chart_carry_the_same_numbers(run_of, name, shape):
    chart = run_of(shape).plot(name)
    if chart.model["why_empty"]:
        assert chart.model["why_empty"] in xml.fromstring(chart.svg).findall(f"{SVG}text")[-1].text
        with pytest.raises(ValueError, match=re.escape(chart.model["why_empty"])):
            chart.figure()
        return
    picture, model = Picture(chart.svg), chart.model
    figure, _ = chart.figure()
    artists = Artists(figure, model)
    compared = 0
    for number, series in enumerate(model["series"]):
        corners = artists.corners(series) if series["x"] else []
        if len(corners) == 0:
            continue
        drawn, plotted = picture.points(number, series["kind"]), in_pixels(picture, model, series, corners)
        compared += 1
        if series["kind"] == "heat":  # see the tests of heat maps
            continue
        if series["kind"] == "histogram":  # empty bins are not drawn, and others have a gap between them
            plotted = plotted[numpy.repeat(numpy.array(series["y"]) > 0, 4)]
        if series["kind"] == "lanes":  # a box is at least a hair wide, a hair apart, and as high as its lane
            height = picture.plots[0][3] / (picture.limits[0]["y"][1] - picture.limits[0]["y"][0])
            apart = numpy.maximum(numpy.abs(drawn - plotted) - [1.6, 0.2 * height + 0.8], 0)
            assert apart.max() == 0
            continue
        slack = 0.62 if series["kind"] == "histogram" else 0.15  # pixels: our SVG has tenths
        assert furthest(drawn, plotted) < slack and furthest(plotted, drawn) < slack
    assert compared == len([series for series in model["series"] if series["x"]]) > 0
    for note in (note for note in model["annotations"] if note["kind"] != "text"):  # lines, after those of the series
        line = next(artists.panels[0]["lines"])
        assert line.get_label() == note["text"].replace("$", r"\$")
        across = (note["kind"] == "at_x") != model["horizontal"]
        at = artists.seconds(line.get_xdata())[0] if across else line.get_ydata()[0]
        assert at == pytest.approx(note["at"], rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("name", CHARTS)
def test_titles_labels_and_limits_are_those_of_the_chart(run_of, name):
    chart = run_of("ordinary").plot(name)
    if chart.model["why_empty"]:
        return
    picture = Picture(chart.svg)
    figure, axes = chart.figure()
    assert axes.get_title() == chart.model["title"] and axes is figure.axes[0]
    x, y = (axes.yaxis, axes.xaxis) if chart.model["horizontal"] else (axes.xaxis, axes.yaxis)
    panels = chart.model["panels"]
    beside, below = (len(panels) > 1) == (chart.model["x"]["kind"] == "category"), figure.axes[len(panels) - 1 :]
    x = x if beside or chart.model["horizontal"] else below[0].xaxis  # the last panel has the axis of all
    assert (x.get_label_text(), y.get_label_text()) == (chart.model["x"]["label"], panels[0]["y"]["label"])
    limits = Artists(figure, chart.model).seconds(sorted(x.get_view_interval()))
    assert tuple(limits) == pytest.approx(chart.model["x"]["limits"], abs=1e-5, rel=1e-5)
    rulers = axes.child_axes or figure.axes[: len(panels)]
    for number, ruler in enumerate(rulers):
        side = ruler.xaxis if chart.model["horizontal"] else ruler.yaxis
        assert tuple(sorted(side.get_view_interval())) == pytest.approx(picture.limits[number]["y"])


def test_a_chart_shows_itself_in_a_notebook_without_matplotlib(run_of):
    code = (
        "import sys, roastcoffea\n"
        f"chart = roastcoffea.open_run({str(run_of('ordinary').path)!r}).plot('chunk_lanes')\n"
        "assert chart._repr_svg_().startswith('<?xml') and chart._repr_html_().startswith('<svg')\n"
        "assert not {'matplotlib', 'numpy', 'coffea', 'distributed'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_chart_is_a_value_error_that_names_the_known_ones(run_of):
    with pytest.raises(ValueError, match="no chart 'lanes'; there are .*chunk_lanes"):
        run_of("ordinary").plot("lanes")


@pytest.mark.parametrize(
    "ending, start", [("svg", b"<?xml"), ("html", b"<!DOCTYPE html>"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_charts_and_plots_are_written_as_their_ending_says(run_of, tmp_path, ending, start):
    assert run_of("ordinary").plot("concurrency").save(tmp_path / f"chart.{ending}").read_bytes().startswith(start)
    plots.plot_runtime_vs_events(run_of("ordinary"), output_path=tmp_path / "new" / f"plot.{ending}")
    assert (tmp_path / "new" / f"plot.{ending}").read_bytes().startswith(start)


def test_names_are_shown_as_text_and_not_as_formulas(tmp_path):
    chunks = [{"duration": 1.0, "num_events": 5, "dataset": name} for name in ("$x_1$", "_hidden", "$$")]
    figure, axes = plots.plot_runtime_vs_events(chunks)
    figure.savefig(tmp_path / "x.png")  # a formula that is none would raise here
    assert [text.get_text().strip("\u200b") for text in axes.get_legend().get_texts()] == [r"\$x_1\$", "_hidden", r"\$\$"]


# ---- What scripts for 0.1.2 call --------------------------------------------------------------------------------------

# Function: the module of 0.1.2 that has it, and its parameters in their order.
TIMELINE = ("tracking_data", "output_path", "figsize", "title")
LINES = (*TIMELINE, "max_legend_entries")
OF_CHUNKS = ("chunk_metrics", "output_path", "figsize", "title")
OF_METRICS = ("metrics", "output_path", "figsize", "title")
OF_SPANS = ("span_metrics", "output_path", "title", "figsize")
SIGNATURES = {
    "plot_worker_count_timeline": ("workers", TIMELINE),
    "plot_memory_utilization_mean_timeline": ("memory", TIMELINE),
    "plot_memory_utilization_per_worker_timeline": ("memory", LINES),
    "plot_cpu_utilization_mean_timeline": ("cpu", TIMELINE),
    "plot_cpu_utilization_per_worker_timeline": ("cpu", LINES),
    "plot_occupancy_timeline": ("cpu", LINES),
    "plot_executing_tasks_timeline": ("cpu", LINES),
    "plot_worker_activity_timeline": ("throughput", LINES),
    "plot_total_active_tasks_timeline": ("throughput", TIMELINE),
    "plot_throughput_timeline": ("throughput", ("chunk_info", "tracking_data", "output_path", "figsize", "title")),
    "plot_runtime_distribution": ("chunks", (*OF_CHUNKS, "bins")),
    "plot_runtime_vs_events": ("chunks", OF_CHUNKS),
    "plot_compression_ratio_distribution": ("io", (*OF_METRICS, "bins")),
    "plot_data_access_percentage": ("io", (*OF_METRICS, "bins")),
    "plot_branch_access_per_chunk": ("io", OF_CHUNKS),
    "plot_bytes_accessed_per_chunk": ("io", OF_CHUNKS),
    "plot_per_task_cpu_io": ("per_task", OF_SPANS),
    "plot_per_task_bytes_read": ("per_task", OF_SPANS),
    "plot_per_task_overhead": ("per_task", OF_SPANS),
    "plot_efficiency_summary": ("scaling", OF_METRICS),
    "plot_resource_utilization": ("scaling", OF_METRICS),
}


def test_every_plot_of_0_1_2_is_where_it_was_with_its_parameters():
    assert sorted(SIGNATURES) == PLOTS
    for name, (module, parameters) in SIGNATURES.items():
        function = getattr(importlib.import_module(f"roastcoffea.visualization.plots.{module}"), name)
        assert tuple(inspect.signature(function).parameters) == parameters, name
        assert function is getattr(plots, name) is getattr(roastcoffea, name)


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("nothing", [None, {}, [], [{}], 7])
def test_a_plot_of_nothing_is_a_value_error(name, nothing):
    with pytest.raises(ValueError):
        getattr(plots, name)(nothing)


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_of_a_run_is_its_chart(run_of, name):
    chart = run_of("ordinary").plot(name.removeprefix("plot_"))
    if chart.model["why_empty"]:
        return
    figure, axes = getattr(plots, name)(run_of("ordinary"), title="mine", figsize=(7, 5))
    assert axes.get_title() == "mine" and tuple(figure.get_size_inches()) == (7, 5)
    of_0_1_2 = {"plot_occupancy_timeline": "Occupancy (saturation)"}
    assert axes.get_ylabel() == of_0_1_2.get(name, chart.model["panels"][0]["y"]["label"])


START = datetime.datetime(2026, 1, 1, 12)


def at(second):
    return START + datetime.timedelta(seconds=second)


def tracking(workers=3, seconds=20):
    values = {"worker_memory": 1e9, "worker_memory_limit": 4e9, "worker_active_tasks": 3, "worker_cores": 2,
              "worker_occupancy": 1.5, "worker_executing": 1, "worker_cpu": 90.0}  # fmt: skip
    data = {
        name: {f"tcp://10.0.0.{w}:1": [(at(s), value * (1 + (w if name == "worker_memory" else 0))) for s in range(seconds)]
               for w in range(workers)}
        for name, value in values.items()
    }  # fmt: skip
    return data | {"worker_counts": {at(s): workers for s in range(seconds)}}


@pytest.mark.parametrize(
    "name, expected",
    [
        ("worker_count_timeline", 3),
        ("memory_utilization_mean_timeline", 50),  # of 25, 50 and 75 %
        ("cpu_utilization_mean_timeline", 45),
        ("total_active_tasks_timeline", 9),
    ],
)
def test_tracking_data_of_0_1_2_is_drawn_at_its_dates(name, expected):
    _, axes = getattr(plots, f"plot_{name}")(tracking())
    (line,) = axes.lines
    assert numpy.unique(line.get_ydata()) == pytest.approx([expected])
    first, last = matplotlib.dates.num2date(axes.get_xlim())
    assert abs(first.replace(tzinfo=None) - at(0)) < datetime.timedelta(milliseconds=1)
    assert abs(last.replace(tzinfo=None) - at(19)) < datetime.timedelta(milliseconds=1)


def test_each_worker_has_its_line_and_a_legend_names_some():
    figure, axes = plots.plot_memory_utilization_per_worker_timeline(tracking(workers=4), max_legend_entries=2)
    assert sorted(line.get_ydata()[0] for line in axes.lines) == pytest.approx([25, 50, 75, 100])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["10.0.0.3:1", "10.0.0.2:1", "… and 2 more"]


def test_the_area_under_a_throughput_of_dicts_is_the_bytes():
    t = START.replace(tzinfo=datetime.UTC).timestamp()
    info = {("f", 0, 10): (t, t + 4, 10**9), ("f", 10, 20): (t + 3, t + 13, 2 * 10**9), ("g", 0, 5): (t + 1, t + 19, 10**8)}
    figure, axes = plots.plot_throughput_timeline(info, tracking())
    x, y = axes.lines[0].get_xdata() * DAY, axes.lines[0].get_ydata()
    assert numpy.sum(numpy.diff(x) * y[:-1]) == pytest.approx(3.1e9 * 8e-9, rel=1e-4)
    assert figure.axes[1].get_ylabel() == "Number of Workers" and set(figure.axes[1].lines[0].get_ydata()) == {3}
    relative = {key: (start - t, end - t, size) for key, (start, end, size) in info.items()}  # a clock without a date
    _, axes = plots.plot_throughput_timeline(relative)
    assert axes.lines[0].get_ydata() == pytest.approx(y, rel=1e-6)


def chunks_of(run):
    return [record for record in run.chunk_records() if not record.get("error_type")]


@pytest.mark.parametrize("with_times", [True, False])
def test_chunk_dicts_give_the_runtimes_that_they_hold(run_of, with_times):
    chunks = chunks_of(run_of("ordinary"))
    fields = ("duration", "num_events", "dataset", *(("t_start", "t_end") if with_times else ()))
    chunks = [{field: chunk[field] for field in fields} for chunk in chunks]
    counts, _ = numpy.histogram([chunk["duration"] for chunk in chunks], bins=12)
    _, axes = plots.plot_runtime_distribution(chunks, bins=12)
    assert [patch.get_height() for patch in axes.patches] == pytest.approx(counts, abs=1)
    assert sum(patch.get_height() for patch in axes.patches) == len(chunks)
    mean = numpy.mean([chunk["duration"] for chunk in chunks])
    assert axes.get_legend().get_texts()[0].get_text() == f"Mean: {mean:.2f}s"
    slope, intercept = numpy.polyfit([c["num_events"] for c in chunks], [c["duration"] for c in chunks], 1)
    _, axes = plots.plot_runtime_vs_events(chunks)
    assert axes.get_legend().get_texts()[-1].get_text() == f"Trend: {slope:.2e}*events + {intercept:.2f}"


def test_chunk_dicts_give_the_branches_and_bytes_that_they_hold():
    chunks = [{"num_branches_accessed": 2 + n, "accessed_bytes": n * 10**6, "accessed_uncompressed_bytes": 3e6 * n}
              for n in range(1, 7)]  # fmt: skip
    _, axes = plots.plot_branch_access_per_chunk(chunks)
    assert [patch.get_height() for patch in axes.patches] == [3, 4, 5, 6, 7, 8]
    _, axes = plots.plot_bytes_accessed_per_chunk(chunks)
    assert [patch.get_height() for patch in axes.patches] == pytest.approx([1, 2, 3, 4, 5, 6, 3, 6, 9, 12, 15, 18])


def test_metrics_give_distributions_over_files_and_summaries(run_of):
    ratios, shares = [0.31, 0.42, 0.4, 0.33], [3.0, 12.0, 90.0]
    for function, key, values in (
        (plots.plot_compression_ratio_distribution, "compression_ratios", ratios),
        (plots.plot_data_access_percentage, "bytes_read_percent_per_file", shares),
    ):
        _, axes = function({key: values}, bins=5)
        assert [patch.get_height() for patch in axes.patches] == list(numpy.histogram(values, bins=5)[0])
        lines = sorted(line.get_xdata()[0] for line in axes.lines)
        assert lines == pytest.approx(sorted([numpy.mean(values), numpy.median(values)]))
        assert function(run_of("ordinary").metrics)[1].patches  # as our own metrics have them
    _, axes = plots.plot_efficiency_summary({"core_efficiency": 0.5, "speedup_factor": 3.2})
    assert [patch.get_height() for patch in axes.patches] == pytest.approx([50, 3.2])
    _, axes = plots.plot_resource_utilization({"avg_workers": 2.5, "total_cores": 5, "peak_memory_bytes": 3 * 2**30})
    assert [patch.get_height() for patch in axes.patches] == pytest.approx([2.5, 5, 3])


def test_span_metrics_give_bars_for_each_kind_of_task():
    spans = {("execute", "Proc", "thread-cpu", "seconds"): 10.0, ("execute", "Proc", "thread-noncpu", "seconds"): 4.0,
             ("execute", "Proc", "disk-read", "bytes"): 5e9, ("execute", "reduce", "decompress", "seconds"): 0.2,
             ("execute", "reduce", "serialize", "seconds"): 0.3, ("gather-dep", "decompress", "seconds"): 9.0}  # fmt: skip
    _, axes = plots.plot_per_task_cpu_io(spans)
    assert [patch.get_height() for patch in axes.patches] == [10, 4]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Proc"]
    _, axes = plots.plot_per_task_bytes_read(spans)
    assert [patch.get_height() for patch in axes.patches] == [5]
    _, axes = plots.plot_per_task_overhead(spans)
    assert [patch.get_height() for patch in axes.patches] == pytest.approx([0.2, 0.3])


def test_span_metrics_without_units_and_of_no_task_are_drawn_as_0_1_2_drew_them():
    spans = {("execute", "Proc", "thread-cpu"): 10.0, ("execute", "Proc", "disk-read"): 5e9,
             ("execute", "N/A", "thread-cpu"): 100.0, ("execute", "N/A", "compress"): 1.0}  # fmt: skip
    _, axes = plots.plot_per_task_cpu_io(spans)
    assert [patch.get_height() for patch in axes.patches] == [10]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Proc"]
    _, axes = plots.plot_per_task_bytes_read(spans)
    assert [patch.get_height() for patch in axes.patches] == [5]
    with pytest.raises(ValueError, match=r"^No per-task overhead metrics found in span_metrics: .*no task compressed"):
        plots.plot_per_task_overhead(spans)


NOON = datetime.datetime(2026, 1, 1, 12)


def test_cpu_of_workers_whose_cores_are_not_told_is_in_percent_of_one():
    points = [(NOON, 40.0), (NOON + datetime.timedelta(seconds=10), 80.0)]
    _, axes = plots.plot_cpu_utilization_per_worker_timeline({"worker_cpu": {"a": points}})
    assert list(axes.lines[0].get_ydata()) == [40, 80]
    _, axes = plots.plot_cpu_utilization_per_worker_timeline(
        {"worker_cpu": {"a": points}, "worker_cores": {"a": [(NOON, 2)]}}
    )
    assert list(axes.lines[0].get_ydata()) == [20, 40]


#: How the message begins, in 0.1.2 and so here, of which plot, for data that has nothing of it.
BEGINNINGS = {
    "plot_worker_count_timeline": ("No worker count data available", {"worker_counts": {}}),
    "plot_memory_utilization_mean_timeline": ("Memory or memory limit data not available", {"worker_memory": {"a": [(NOON, 1)]}}),
    "plot_memory_utilization_per_worker_timeline": ("Memory or memory limit data not available", {"worker_memory_limit": {"a": []}}),
    "plot_occupancy_timeline": ("No worker occupancy data available", {"worker_cpu": {"a": []}}),
    "plot_executing_tasks_timeline": ("No worker executing tasks data available", {"worker_executing": {}}),
    "plot_cpu_utilization_mean_timeline": ("No worker CPU data available", {"worker_cpu": {}}),
    "plot_cpu_utilization_per_worker_timeline": ("No worker CPU data available", {"worker_cpu": {"a": []}}),
    "plot_worker_activity_timeline": ("No worker active tasks data available", {"worker_active_tasks": {}}),
    "plot_total_active_tasks_timeline": ("No worker active tasks data available", {"worker_active_tasks": {"a": []}}),
    "plot_runtime_distribution": ("No runtime data available in chunk metrics", [{"num_events": 5}]),
    "plot_runtime_vs_events": ("No runtime vs events data available in chunk metrics", [{"duration": 5}]),
    "plot_branch_access_per_chunk": ("No branch access data in chunk metrics", [{"num_branches_accessed": 0}]),
    "plot_bytes_accessed_per_chunk": ("No bytes access data in chunk metrics", [{"accessed_bytes": 0}]),
    "plot_throughput_timeline": ("No chunk_info provided", {}),
    "plot_compression_ratio_distribution": ("No compression ratio data available", {"compression_ratios": []}),
    "plot_data_access_percentage": ("No bytes read percentage data available", {"total_events": 5}),
    "plot_efficiency_summary": ("No efficiency metrics available", {"core_efficiency": None}),
    "plot_resource_utilization": ("No resource metrics available", {"total_events": 5}),
    "plot_per_task_cpu_io": ("No per-task CPU/IO metrics found", {("execute", "A", "disk-read", "bytes"): 4}),
    "plot_per_task_bytes_read": ("No per-task disk-read metrics found", {("execute", "A", "thread-cpu"): 4.0}),
    "plot_per_task_overhead": ("No per-task overhead metrics found", {}),
}


@pytest.mark.parametrize("name", PLOTS)
def test_the_message_of_a_plot_that_finds_nothing_begins_as_that_of_0_1_2(name):
    beginning, data = BEGINNINGS[name]
    with pytest.raises(ValueError, match=f"^{beginning}"):
        getattr(plots, name)(data)


@pytest.mark.parametrize(("name", "beginning"), [
    ("plot_worker_count_timeline", "tracking_data cannot be None"), ("plot_occupancy_timeline", "tracking_data cannot be None"),
    ("plot_cpu_utilization_mean_timeline", "tracking_data cannot be None"), ("plot_efficiency_summary", "metrics cannot be None"),
    ("plot_memory_utilization_mean_timeline", "tracking_data cannot be None"), ("plot_resource_utilization", "metrics cannot be None"),
    ("plot_runtime_distribution", "No chunk metrics available"), ("plot_runtime_vs_events", "No chunk metrics available"),
    ("plot_branch_access_per_chunk", "No chunk metrics data available"),
    ("plot_bytes_accessed_per_chunk", "No chunk metrics data available"), ("plot_throughput_timeline", "No chunk_info provided"),
])  # fmt: skip
def test_the_message_of_a_plot_of_none_begins_as_that_of_0_1_2(name, beginning):
    with pytest.raises(ValueError, match=f"^{beginning}"):
        getattr(plots, name)(None)


def test_shares_of_files_that_were_read_are_drawn_from_0():
    _, axes = plots.plot_data_access_percentage({"bytes_read_percent_per_file": [15.5, 45.0]})
    assert axes.get_xlim() == pytest.approx((0, 49.5))


def test_activities_are_gathered_by_kind_of_task():
    spans = {("execute", "P", "thread-cpu", "seconds"): 10.0, ("execute", "P", "memory-read", "bytes"): 5e9,
             ("execute", "P", "memory-read", "count"): 7, ("execute", "Q", "serialize", "seconds"): 0.3,
             ("gather-dep", "P", "thread-cpu", "seconds"): 1.0, ("short",): 3}  # fmt: skip
    assert extract_per_task_metrics(spans) == {"P": {"thread-cpu": 10.0, "memory-read": 5e9}, "Q": {"serialize": 0.3}}
    assert extract_per_task_metrics({}) == {}


def test_data_of_another_shape_is_a_value_error_that_says_where():
    with pytest.raises(ValueError, match=r"raw_chunk_metrics\[1\]\.duration"):
        plots.plot_runtime_distribution([{"duration": 1.0}, {"duration": "long"}])
    with pytest.raises(ValueError, match="worker_cpu"):
        plots.plot_cpu_utilization_mean_timeline({"worker_cpu": {"w": [3]}})


def test_chunk_records_of_a_run_and_the_run_itself_give_one_picture(run_of):
    run = run_of("ordinary")
    db = sqlite3.connect(f"file:{run.path}?mode=ro&immutable=1", uri=True)
    (count,) = db.execute("SELECT count(*) FROM chunk WHERE error_type IS NULL").fetchone()
    for source in (run, run.chunk_records()):
        _, axes = plots.plot_branch_access_per_chunk(source)
        assert len(axes.patches) == count


def test_a_collector_plots_what_it_has_measured(tmp_path):
    with roastcoffea.MetricsCollector(run_file=tmp_path / "run.roast", track_workers=False) as collector:
        for seconds in (1.0, 2.0, 4.0):
            collector.record_chunk_metrics({"duration": seconds, "num_events": 10, "dataset": "a"})
    counts = collector.plot("runtime_distribution", bins=3).model["series"][0]["y"]
    assert counts == [1, 1, 1] == list(numpy.histogram([1.0, 2.0, 4.0], bins=3)[0])
    for source in (collector, collector.chunk_metrics):
        _, axes = plots.plot_runtime_distribution(source, bins=3)
        assert [patch.get_height() for patch in axes.patches] == counts
