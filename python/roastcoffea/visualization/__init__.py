"""Plots of a run, of the data that a collector has, or of a measurement. The charts are made in C."""

from __future__ import annotations

from roastcoffea.visualization.plots import *  # noqa: F403
from roastcoffea.visualization.plots import __all__ as __all__
