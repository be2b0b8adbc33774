"""The chart model of the library as a matplotlib figure. Nothing is computed here: every number is in the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["figure_of"]

_SECONDS_PER_DAY = 86400.0
_Model = dict[str, Any]  # a chart, or a part of one, as the library writes it


def figure_of(
    model: _Model, figsize: tuple[float, float] | None = None, title: str | None = None
) -> tuple[Any, Any]:
    """Draw a chart.

    Parameters
    ----------
    model : dict
        As the library writes it, in JSON.
    figsize : tuple, optional
        Inches; default: as the chart proposes.
    title : str, optional
        Instead of the chart's own.

    Returns
    -------
    fig, ax

    Raises
    ------
    ValueError
        If there is nothing to draw; it says why.
    """
    if model["why_empty"] is not None:
        raise ValueError(f"{model['title']}: nothing to draw, because {model['why_empty']}")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=figsize or (model["width"] / 76, model["height"] / 76))
    second = axes.twinx() if model["y2"] is not None else None
    for series in model["series"]:
        target = second if series["axis"] == "y2" else axes
        _MARKS[series["kind"]](target, model, series)
    _set_axes(axes, second, model)
    _draw_notes(figure, axes, model)
    _draw_legend(axes, second, model)
    axes.set_title(model["title"] if title is None else title)
    figure.tight_layout(rect=(0, 0.03 if _texts_of(model) else 0, 1, 1))
    return figure, axes


# ---- Series


def _line(axes: Any, model: _Model, series: _Model) -> None:
    values = [float("nan") if y is None else y for y in series["y"]]
    marker = "o" if len(values) == 1 else None
    axes.plot(_across(model, series["x"]), values, marker=marker, **_style(series))


def _step(axes: Any, model: _Model, series: _Model) -> None:
    axes.step(_across(model, series["x"]), series["y"], where="post", **_style(series))


def _band(axes: Any, model: _Model, series: _Model) -> None:
    axes.fill_between(_across(model, series["x"]), series["y"], series["y2"], alpha=0.25, lw=0, **_style(series))


def _bars(axes: Any, model: _Model, series: _Model) -> None:
    starts = series["y2"] or [0.0] * len(series["y"])
    lengths = [end - start for end, start in zip(series["y"], starts)]
    if model["horizontal"]:
        axes.barh(series["x"], lengths, series["width"], starts, **_style(series))
    else:
        axes.bar(series["x"], lengths, series["width"], starts, **_style(series))


def _histogram(axes: Any, model: _Model, series: _Model) -> None:
    widths = [right - left for left, right in zip(series["x"], series["x2"])]
    axes.bar(series["x"], series["y"], widths, align="edge", edgecolor="white", linewidth=0.5, **_style(series))


def _points(axes: Any, model: _Model, series: _Model) -> None:
    weights = series["weight"] or [1.0] * len(series["x"])
    sizes = [9 * min(weight, 100.0) ** 0.5 for weight in weights]
    axes.scatter(_across(model, series["x"]), series["y"], sizes, alpha=0.6, linewidths=0, **_style(series))


def _lanes(axes: Any, model: _Model, series: _Model) -> None:
    from matplotlib.collections import PolyCollection

    left, right, lanes = _across(model, series["x"]), _across(model, series["x2"]), series["y"]
    boxes = [((x, y - 0.4), (x2, y - 0.4), (x2, y + 0.4), (x, y + 0.4)) for x, x2, y in zip(left, right, lanes)]
    axes.add_collection(PolyCollection(boxes, linewidths=0, **_style(series)))


_MARKS: dict[str, Callable[[Any, _Model, _Model], None]] = {
    "line": _line,
    "step": _step,
    "band": _band,
    "bars": _bars,
    "histogram": _histogram,
    "points": _points,
    "lanes": _lanes,
}


def _style(series: _Model) -> dict[str, Any]:
    label = series["name"] if series["legend"] else None
    return {"color": series["shade"], "label": label and _plain(label)}


def _plain(text: str) -> str:
    """Text that matplotlib shows as it is: no formula, and no label that it would leave out."""
    text = text.replace("$", r"\$")
    return "\u200b" + text if text.startswith("_") else text


# ---- Axes


def _across(model: _Model, values: list[float]) -> Any:
    """Places on the x axis; times are dates, as matplotlib counts them."""
    import numpy

    places = numpy.asarray(values, dtype=float)
    if model["x"]["kind"] != "time":
        return places
    return model["x"]["origin_ns"] / 1e9 / _SECONDS_PER_DAY + places / _SECONDS_PER_DAY


def _set_axes(axes: Any, second: Any, model: _Model) -> None:
    down_left = model["horizontal"]
    sides = (axes.yaxis, axes.xaxis) if down_left else (axes.xaxis, axes.yaxis)
    for side, name in zip(sides, ("x", "y")):
        _set_axis(side, model, model[name])
    if second is not None:
        _set_axis(second.yaxis, model, model["y2"])
    if down_left or model["y"]["categories"]:
        axes.invert_yaxis()
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)


def _set_axis(side: Any, model: _Model, axis: _Model) -> None:
    side.set_label_text(axis["label"])
    limits = _across(model, axis["limits"]) if axis["kind"] == "time" else axis["limits"]
    side.axes.set(**{f"{side.axis_name}lim": limits})
    if axis["categories"]:
        _name_categories(side, axis["categories"])
    elif axis["kind"] == "time":
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator(maxticks=8)
        side.set_major_locator(locator)
        side.set_major_formatter(ConciseDateFormatter(locator))


def _name_categories(side: Any, names: list[str]) -> None:
    """All names, or as many as can be read."""
    step = max(1, -(-len(names) // 45))
    shown = range(0, len(names), step)
    side.set_ticks(shown, [_plain(_shortened(names[index])) for index in shown])
    if side.axis_name == "x" and sum(map(len, names)) > 90:
        side.set_tick_params(rotation=35)


def _shortened(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:19]}…{name[-20:]}"


# ---- What is written


def _texts_of(model: _Model) -> list[str]:
    return [note["text"] for note in model["annotations"] if note["kind"] == "text"]


def _draw_notes(figure: Any, axes: Any, model: _Model) -> None:
    for note, dashes in zip([n for n in model["annotations"] if n["kind"] != "text"], ("--", ":", "-.") * 3):
        across = (note["kind"] == "at_x") != model["horizontal"]
        line = axes.axvline if across else axes.axhline
        at = _across(model, [note["at"]])[0] if note["kind"] == "at_x" else note["at"]
        line(at, color="0.35", linestyle=dashes, linewidth=1, label=_plain(note["text"]))
    if texts := _texts_of(model):
        figure.text(0.01, 0.01, _plain(" · ".join(texts)), fontsize="x-small", color="0.4")


def _draw_legend(axes: Any, second: Any, model: _Model) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if second is not None:
        more_handles, more_labels = second.get_legend_handles_labels()
        handles, labels = handles + more_handles, labels + more_labels
    if model["legend_more"]:
        from matplotlib.lines import Line2D

        handles, labels = [*handles, Line2D([], [], linestyle="none")], [*labels, model["legend_more"]]
    if handles and _leaves_room(model):
        axes.legend(handles, labels, fontsize="small")
    elif handles:
        axes.legend(handles, labels, fontsize="small", loc="upper left", bbox_to_anchor=(1.1 if second else 1.01, 1))


def _leaves_room(model: _Model) -> bool:
    """Whether a legend finds a place inside, and finds it soon."""
    points = sum(len(series["x"]) for series in model["series"])
    return not model["horizontal"] and not model["y"]["categories"] and points < 5000
