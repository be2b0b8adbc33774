"""A chart of a run: SVG in a notebook, a file, or a matplotlib figure."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from roastcoffea._core import Run, Summary

__all__ = ["Chart"]


class Chart:
    """One chart. A notebook shows it as SVG, without importing matplotlib.

    Parameters
    ----------
    run, summary
        Of the extension module.
    name : str
        Which chart; ``roast plot --list`` names them.
    **options
        ``bins`` of histograms, ``legend_entries``, ``clock`` for times of day in UTC, ``values`` of a distribution.
    """

    def __init__(self, run: Run, summary: Summary, name: str, **options: Any) -> None:
        self.name = name
        self._draw: Callable[[Literal["svg", "json"]], str] = lambda form: run.chart(summary, name, form, **options)
        self.model: dict[str, Any] = json.loads(self._draw("json"))

    def __repr__(self) -> str:
        return f"<chart {self.name}: {self.model['title']}>"

    @cached_property
    def svg(self) -> str:
        """The chart as SVG, light or dark as the reader prefers."""
        return self._draw("svg")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg[self.svg.index("<svg") :]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it: ``.svg`` and ``.html`` as they are, anything else through matplotlib. Returns the path."""
        path = Path(path)
        if path.suffix == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        elif path.suffix == ".html":
            path.write_text(page_of(self.model["title"], self._repr_html_()), encoding="utf-8")
        else:
            from matplotlib import pyplot

            figure, _ = self.figure()
            figure.savefig(path)
            pyplot.close(figure)
        return path

    def figure(self, figsize: tuple[float, float] | None = None, title: str | None = None) -> tuple[Any, Any]:
        """The chart as a matplotlib figure, with the same numbers.

        Returns
        -------
        fig, ax

        Raises
        ------
        ValueError
            If there is nothing to draw; it says why.
        """
        from roastcoffea.visualization.figure import figure_of

        return figure_of(self.model, figsize, title)


def page_of(title: str, svg: str) -> str:
    """A page that shows one picture."""
    from html import escape

    return f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>\n{svg}\n</html>\n'
