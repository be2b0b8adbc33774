"""What ROOT files hold, from their metadata alone: the command ``roast inspect`` for Python."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

from roastcoffea import _core
from roastcoffea.guard import counted
from roastcoffea.notebook import Frame
from roastcoffea.run import Table

__all__ = ["Inspection", "inspect"]


class Inspection:
    """What one or many ROOT files hold; see ``inspect``.

    Examples
    --------
    >>> files = roastcoffea.inspect("nano_dy.root")
    >>> files.trees
    ['Events']
    >>> numpy.asarray(files.branches["compressed_bytes"]).sum()
    """

    def __init__(self, paths: list[str], tree: str | None = None, chunk: int = 100_000) -> None:
        self.paths = paths
        self._inspection = _core.Inspection(paths, tree, chunk)

    @cached_property
    def trees(self) -> list[str]:
        """The paths of the trees, in the order in which they were found."""
        return list(self.totals["tree"])

    @cached_property
    def totals(self) -> Table:
        """One row per tree: entries, branches, bytes, baskets, compression, over all files."""
        return self._table("trees")

    @cached_property
    def branches(self) -> Table:
        """One row per branch of a tree, over all files."""
        return self._table("branches")

    @cached_property
    def collections(self) -> Table:
        """One row per group of branches that belong together (``Jet_*`` and ``nJet``), the largest first."""
        return self._table("collections")

    @cached_property
    def files(self) -> Table:
        """One row per file: its size, what reading its metadata took, what is wrong with it."""
        return self._table("files")

    @property
    def hints(self) -> list[dict[str, str]]:
        """What could be better, with numbers: weight, subject, text."""
        hints: list[dict[str, str]] = self.to_dict()["hints"]
        return hints

    def to_json(self) -> str:
        """Everything as JSON, as ``roast inspect --json`` prints it."""
        return self._inspection.json()

    def to_dict(self) -> dict[str, Any]:
        """The same as Python objects."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def _table(self, name: Literal["files", "trees", "collections", "branches"]) -> Table:
        return Table(self._inspection.columns(name))

    def __str__(self) -> str:
        return self._inspection.text()

    def __repr__(self) -> str:
        totals = self.totals
        parts = [f"{tree}: {totals['entries'][i]} entries" for i, tree in enumerate(self.trees)]
        return f"<{counted(len(self.files), 'ROOT file')}; {', '.join(parts) or 'no trees'}>"

    def _repr_html_(self) -> str:
        return Frame(self._inspection.html(), 500, "what is in the files")._repr_html_()


def inspect(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], tree: str | None = None, *, chunk: int = 100_000
) -> Inspection:
    """What ROOT files hold: trees, branches, their sizes and compression. Only metadata is read.

    Parameters
    ----------
    paths : path or address, or several
        Files, patterns of local files (``*.root``), ``http(s)://`` or ``root://`` addresses.
    tree : str, optional
        Only trees of this name or path.
    chunk : int
        How many events a job will read at a time, for the hints.

    Raises
    ------
    OSError
        If the only file cannot be read. Of several, those that cannot have their reason in ``files["error"]``.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    return Inspection([os.fspath(path) for path in several], tree, chunk)
