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

    beside = len(model["panels"]) > 1 and model["x"]["kind"] == "category"
    below = 1 if beside else len(model["panels"])
    figure, grid = pyplot.subplots(
        below, sharex=True, squeeze=False, figsize=figsize or (model["width"] / 76, model["height"] / 76),
        height_ratios=[2] + [1] * (below - 1),
    )  # fmt: skip
    panels = list(grid[:, 0])
    axes = panels[0]
    for series in model["series"]:
        if beside:
            _bars_beside(axes, model, series)
        else:
            _MARKS[series["kind"]](panels[series["panel"]], model, series)
    for target, panel in zip(panels, model["panels"]):
        _set_axes(target, model, panel)
    if beside:
        _part_axes(axes, model)
    panels[-1].xaxis.set_label_text(model["panels"][-1]["y"]["label"] if model["horizontal"] else model["x"]["label"])
    _draw_notes(figure, axes, model)
    _draw_legend(panels, model)
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
    if model["horizontal"]:
        axes.scatter(series["y"], series["x"], 42, alpha=0.85, linewidths=0, **_style(series))
        return
    sizes = [9 * min(weight, 100.0) ** 0.5 for weight in series["weight"]]
    axes.scatter(_across(model, series["x"]), series["y"], sizes, alpha=0.6, linewidths=0, **_style(series))


def _lanes(axes: Any, model: _Model, series: _Model) -> None:
    from matplotlib.collections import PolyCollection

    axes.add_collection(PolyCollection(_boxes(model, series, 0.4), linewidths=0, **_style(series)))


def _heat(axes: Any, model: _Model, series: _Model) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import BoundaryNorm, ListedColormap

    shades, (low, high) = model["shades"], model["z"]["limits"]
    edges = [low + (high - low) * i / len(shades) for i in range(len(shades) + 1)]
    cells = PolyCollection(_boxes(model, series, 0.46), linewidths=0, cmap=ListedColormap(shades),
                           norm=BoundaryNorm(edges, len(shades)))  # fmt: skip
    cells.set_array(series["z"])
    axes.add_collection(cells)
    ticks = [tick["at"] for tick in model["z"]["ticks"]]
    axes.figure.colorbar(cells, ax=axes, label=model["z"]["label"], ticks=ticks)


def _boxes(model: _Model, series: _Model, half: float) -> list[tuple[tuple[float, float], ...]]:
    sides = zip(_across(model, series["x"]), _across(model, series["x2"]), series["y"])
    return [((x, y - half), (x2, y - half), (x2, y + half), (x, y + half)) for x, x2, y in sides]


def _bars_beside(axes: Any, model: _Model, series: _Model) -> None:
    """Bars of a panel: their heights stay what they are, and are stretched to the axes, which have all panels' bars."""
    from matplotlib.transforms import Affine2D

    low, high = model["panels"][series["panel"]]["y"]["limits"]
    stretched = Affine2D().translate(0, -low).scale(1, 1 / (high - low)) + axes.transData
    axes.bar(series["x"], series["y"], series["width"], transform=stretched, **_style(series))


_MARKS: dict[str, Callable[[Any, _Model, _Model], None]] = {
    "line": _line,
    "step": _step,
    "band": _band,
    "bars": _bars,
    "histogram": _histogram,
    "points": _points,
    "lanes": _lanes,
    "heat": _heat,
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


def _set_axes(axes: Any, model: _Model, panel: _Model) -> None:
    down_left = model["horizontal"]
    sides = (axes.yaxis, axes.xaxis) if down_left else (axes.xaxis, axes.yaxis)
    for side, axis in zip(sides, (model["x"], panel["y"])):
        _set_axis(side, model, axis)
    axes.yaxis.set_label_text((model["x"] if down_left else panel["y"])["label"])
    if down_left or panel["y"]["categories"]:
        axes.invert_yaxis()
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)


def _part_axes(axes: Any, model: _Model) -> None:
    """Gives each panel that stands beside others its own axis of values, and the axes below them none."""
    axes.set(ylim=(0, 1), yticks=[])
    axes.spines[:].set_visible(False)
    low, high = model["x"]["limits"]
    for panel in model["panels"]:
        left, right = (((at - low) / (high - low)) for at in panel["x"])
        ruler = axes.inset_axes([left, 0, right - left, 1], facecolor="none")
        ruler.set(ylim=panel["y"]["limits"], xticks=[])
        ruler.spines[["top", "right"]].set_visible(False)
    axes.yaxis.labelpad = 30


def _set_axis(side: Any, model: _Model, axis: _Model) -> None:
    if axis["kind"] == "log":
        side.axes.set(**{f"{side.axis_name}scale": "log"})
    limits = _across(model, axis["limits"]) if axis["kind"] == "time" else axis["limits"]
    side.axes.set(**{f"{side.axis_name}lim": limits})
    if axis["categories"]:
        _name_categories(side, axis["categories"])
    elif axis["kind"] in ("log", "duration"):
        side.set_ticks([tick["at"] for tick in axis["ticks"]], [tick["label"] for tick in axis["ticks"]])
        side.set_ticks([], minor=True)
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


def _draw_legend(panels: list[Any], model: _Model) -> None:
    axes = panels[0]
    handles: list[Any] = []
    labels: list[str] = []
    for panel in panels:
        of_panel = panel.get_legend_handles_labels()
        handles += of_panel[0]
        labels += of_panel[1]
    if model["legend_more"]:
        from matplotlib.lines import Line2D

        handles, labels = [*handles, Line2D([], [], linestyle="none")], [*labels, model["legend_more"]]
    if handles and _leaves_room(model):
        axes.legend(handles, labels, fontsize="small")
    elif handles:
        axes.legend(handles, labels, fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1))


def _leaves_room(model: _Model) -> bool:
    """Whether a legend finds a place inside, and finds it soon."""
    points = sum(len(series["x"]) for series in model["series"])
    return not model["horizontal"] and not model["panels"][0]["y"]["categories"] and points < 5000
