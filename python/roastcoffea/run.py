"""A recorded run, opened for reading."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roastcoffea import _core
from roastcoffea.guard import counted
from roastcoffea.notebook import Comparison, Explanation, Frame

if TYPE_CHECKING:
    from roastcoffea.rerun import Fileset
    from roastcoffea.visualization.chart import Chart

__all__ = ["Run", "open_run"]


class Run:
    """What a run file, or a measurement directory of any generation, has to tell.

    Parameters
    ----------
    path : path
        A ``.roast`` file, or a measurement directory.

    Examples
    --------
    >>> run = open_run("run.roast")
    >>> run.metrics["event_rate_elapsed_khz"]
    >>> numpy.asarray(run.chunks["duration"]).mean()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._run = _core.Run(os.fspath(path))

    def __repr__(self) -> str:
        return f"<run {self._line()}>"

    def _line(self) -> str:
        try:
            return self.summary.line()
        except Exception as error:  # whoever looks at an object with a debugger wants no other one
            return f"{self.path}: {error}"

    @property
    def name(self) -> str:
        """What the run is called."""
        return self._run.name or self.path.stem

    @property
    def outcome(self) -> str:
        """'running', 'interrupted', 'finished' or 'failed'."""
        return self._run.outcome

    @property
    def facts(self) -> dict[str, str]:
        """What is known about the run as a whole: versions, host, times."""
        return self._run.facts

    @property
    def times(self) -> tuple[float, float]:
        """Beginning and end, in seconds since 1970 UTC."""
        start = float(self.facts.get("t_start_ns", "nan")) / 1e9
        return start, float(self.facts.get("t_end_ns", "nan")) / 1e9

    @cached_property
    def summary(self) -> _core.Summary:
        """Every number of the run, computed once."""
        return self._run.summary()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Every metric under each of its names; None where it was not measured."""
        return self.summary.metrics()

    chunks = property(lambda self: self._table("chunks"), doc="One row per attempt at a chunk.")
    workers = property(lambda self: self._table("workers"), doc="One row per worker.")
    samples = property(lambda self: self._table("samples"), doc="One row per heartbeat of a worker.")
    sections = property(lambda self: self._table("sections"), doc="One row per section and chunk.")
    files = property(lambda self: self._table("files"), doc="One row per file.")
    branches = property(lambda self: self._table("branches"), doc="One row per branch of a file.")
    tasks = property(lambda self: self._table("tasks"), doc="One row per attempt of the engine at a task.")

    def _table(self, name: _core._TableName) -> Table:
        return Table(self._run.columns(name))

    def chunk_records(self) -> list[dict[str, Any]]:
        """The chunks as dicts, in the documented shape."""
        return self._run.chunk_records()[:]

    def tracking_data(self) -> dict[str, Any]:
        """The timeline of the workers, in the documented shape; times are UTC, without a zone."""
        return self._run.tracking_data()

    def explain(self, what_if: bool = False) -> Explanation:
        """What held the run back; a notebook shows it, and so does ``print``.

        Parameters
        ----------
        what_if : bool
            Also replay the run with other storage, chunks and workers.

        Returns
        -------
        dict
            ``findings`` in the order of what fixing them would save, each with its evidence and advice;
            ``not_determined``; ``replay`` with the error of replaying what happened; ``what_if`` if asked for.
        """
        return Explanation(self._run.explain(what_if))

    @property
    def missing(self) -> list[dict[str, Any]]:
        """What was asked for and is not in the result: ``dataset``, ``file``, ``treename``, ``entry_start``, ``entry_stop``, …

        A file that was never opened has no entries: then all of it is missing. An empty list does not say that the result
        is whole: ``metrics["missing_events"]`` is 0 if it is, and None if that is not known.
        """
        rows: list[dict[str, Any]] = self.metrics["missing"]
        return rows

    @property
    def storage(self) -> list[dict[str, Any]]:
        """What chunks read from each server, and how quickly it answered: ``server``, ``num_chunks``, ``read_rate_mbps``, …"""
        rows: list[dict[str, Any]] = self.metrics["storage"]
        return rows

    def missing_items(self, runner: Any, fileset: Fileset) -> list[Any]:
        """Work items of coffea for what is missing, to run again; each event once.

        Parameters
        ----------
        runner : coffea.processor.Runner
            It looks into files that were never opened, and makes chunks of them.
        fileset : dict, list of WorkItem, or path of a JSON file
            That of the run: the ``metadata`` of its datasets are not recorded, nor are logins and tokens in addresses.

        Returns
        -------
        list
            For ``runner.run(items, processor_instance=…)["out"]``; add what it returns to the output that is there.

        Raises
        ------
        RoastError
            If the Runner raised: it has no output that anything could be added to. Where it returned another time, what
            is missing there is given. Also if all that is missing are files that still cannot be read; if others can, a
            warning names them.

        Examples
        --------
        >>> items = run.missing_items(runner, fileset)
        >>> more = runner.run(items, processor_instance=processor)["out"]
        >>> output = coffea.processor.accumulate([output, more])
        """
        from roastcoffea.rerun import items_for

        rows = self.missing
        if all(row["raised"] == "yes" for row in rows) and (rows or self.outcome != "finished"):
            raise _core.RoastError(f"{self.path}: this run did not return: there is no output to add to, run all of it again")
        return items_for(rows, runner, fileset)

    def compare(self, other: Run | str | os.PathLike[str]) -> Comparison:
        """What changed from this run to another, chunk by chunk; a notebook shows it, and so does ``print``.

        Parameters
        ----------
        other : Run or path
            The run to compare with; this one is A, the other is B.

        Returns
        -------
        dict
            As ``roast compare --json`` prints it: ``settings``, ``counts``, ``timings`` with intervals, and
            ``breakdowns`` whose parts add up to the difference.
        """
        path = other.path if isinstance(other, Run) else other
        return Comparison(self._run.compare(os.fspath(path)))

    def print_summary(self, full: bool = False) -> None:
        """Print what matters most on one screen: whether the result is whole, where the time went, what to change.

        Parameters
        ----------
        full : bool
            Print all tables instead, the first ten rows of each.
        """
        from roastcoffea.export.reporter import print_run

        print_run(self, full)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the run as one HTML page that needs nothing else, and return its path."""
        page = Path(path)
        page.write_bytes(self._run.report())
        return page

    def show(self, height: int = 720) -> Frame:
        """The report in a frame, for a notebook, which keeps it: 0.1 MB and 33 bytes for each chunk.

        Parameters
        ----------
        height : int
            Of the frame, in pixels.
        """
        return Frame(self._run.report().decode(), height, f"report of {self.name}")

    def plot(
        self, name: str, *, bins: int = 0, max_legend_entries: int = 0, clock: bool = False
    ) -> Chart:
        """A chart, which a notebook shows, without matplotlib.

        Parameters
        ----------
        name : str
            Which; an unknown name is a ValueError that lists them.
        bins : int
            Of a histogram; default: as the chart has them.
        max_legend_entries : int
            The most workers or files in a legend; default: 5.
        clock : bool
            Times of day in UTC instead of times since the start.

        Returns
        -------
        Chart
            With ``svg``, ``save(path)``, and ``figure()`` for matplotlib.
        """
        from roastcoffea.visualization.chart import Chart

        names = _core.charts()
        if name not in names:
            raise ValueError(f"there is no chart {name!r}; there are {', '.join(names)}")
        options = {"bins": bins, "legend_entries": max_legend_entries, "clock": clock}
        return Chart(self._run, self.summary, name, **options)

    def _repr_html_(self) -> str:
        return self.summary.card()


class Table:
    """Columns of a run: ``len``, ``table["column"]`` (a buffer for NumPy), ``to_pandas()``, Arrow.

    ``pyarrow.table(table)`` and ``polars.DataFrame(table)`` take it as it is; ``polars.from_arrow(table)`` gives a Series
    of structs, as for every stream that is not pyarrow's own, to be followed by ``.struct.unnest()``.
    """

    def __init__(self, columns: _core.ColumnTable) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._columns.__arrow_c_stream__(requested_schema)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns.column_names)

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``."""
        import numpy
        import pandas

        columns = {}
        for name in self.column_names:
            column = self[name]
            columns[name] = column if isinstance(column, list) else numpy.asarray(column)
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        columns = counted(len(self.column_names), "column")
        first = ", ".join(self.column_names[:4])
        return f"<{self._columns.name}: {counted(len(self), 'row')}, {columns} (column_names): {first}, …>"


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a ``.roast`` file or a measurement directory of any generation."""
    return Run(path)
