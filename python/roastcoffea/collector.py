"""``MetricsCollector``: what users put around their run."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import importlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from roastcoffea import _core, work
from roastcoffea.backends import AbstractMetricsBackend, backend_for, check_backend, is_backend
from roastcoffea.guard import Guard, counted, logger
from roastcoffea.legacy.metrics import metrics_of_run
from roastcoffea.run import Run
from roastcoffea.session import Session, processor_name_of

if TYPE_CHECKING:
    from roastcoffea.aggregation.core import MetricsAggregator
    from roastcoffea.notebook import Explanation, Frame
    from roastcoffea.visualization.chart import Chart

__all__ = ["MetricsCollector"]


def _or_folder(init: Callable[..., None]) -> Callable[..., None]:
    """``MetricsCollector(executor, output_dir)``, as the first documents have it: in 0.1.2 a backend stands there."""

    @functools.wraps(init)
    def init_either_way(self: Any, *args: Any, **kwargs: Any) -> None:
        second = args[1] if len(args) > 1 else None
        if isinstance(second, os.PathLike) or (isinstance(second, str) and not is_backend(second)):
            args, kwargs = (args[0], None, *args[2:]), {**kwargs, "output_dir": second}
        init(self, *args, **kwargs)

    return init_either_way


class MetricsCollector(_core.Block):
    """Measures what happens inside its ``with`` block.

    Parameters
    ----------
    client : optional
        A ``distributed.Client``, a cluster, a coffea executor, a scheduler's address, or nothing: then the Dask client of
        the context if there is one, else this process and its pools. With an asynchronous client: ``async with``.
    backend : str, optional
        "dask", "local", or a name given to ``register_backend``. Default: the first that accepts the first argument.
    track_workers : bool
        Whether to keep a timeline of the workers.
    worker_tracking_interval : float
        Seconds between looks at the workers. Dask's workers tell of themselves with their heartbeats, which a look once a
        second follows; below a second their tasks are looked at between these, too.
    processor_instance : optional
        The processor; its name tells the processor's tasks from the rest.
    output_dir : path, optional
        Save the measurement there at the end.
    name : str, optional
        What the run is called; default: the processor's name.
    run_file : path, optional
        Where the run is recorded, live: a file, or a folder for a new one. Default: a new file in the cache folder, kept, and
        named in the summary.
    carry : bool
        Whether to bring this package to Dask workers and schedulers that have not got it, for as long as they live.

    Examples
    --------
    >>> with MetricsCollector(client, processor_instance=processor) as collector:
    ...     output, report = runner(fileset, processor_instance=processor)
    >>> collector.print_summary()
    """

    @_or_folder
    def __init__(
        self,
        client: Any = None,
        backend: str | None = None,
        track_workers: bool = True,
        worker_tracking_interval: float = 1.0,
        processor_instance: Any = None,
        output_dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run_file: str | os.PathLike[str] | None = None,
        carry: bool = True,
    ) -> None:
        check_backend(backend, client)  # said at once, before anything runs
        self.client = client
        self.backend = backend
        self.track_workers = track_workers
        self.worker_tracking_interval = worker_tracking_interval
        self.processor_instance = processor_instance
        self.processor_name = processor_name_of(processor_instance)
        self.output_dir = output_dir
        self.name = name
        self.run_file = run_file
        self.carry = carry
        self.t_start: float | None = None
        self.t_end: float | None = None
        self.section_metrics: list[dict[str, Any]] = []
        self.custom_metrics: dict[str, Any] | None = None
        self._session: Session | None = None
        self._run: Run | None = None
        self._metrics: dict[str, Any] | None = None
        self._early_report: dict[str, Any] | None = None  # these three: for the block to come
        self._early_chunks: list[dict[str, Any]] = []
        self._early_backend: AbstractMetricsBackend | None = None
        self._assigned: dict[str, Any] = {}  # by the user, to attributes that 0.1.2 has

    # ---- the block

    # Called by Block, in this order: what waits, in a thread that no interrupt reaches; the rest where the user is.

    def _prepare(self) -> None:
        self._run = self._session = self._metrics = None
        self.t_start = self.t_end = None
        interval = self.worker_tracking_interval if self.track_workers else None
        self._assigned.pop("chunk_metrics", None)
        backend, self._early_backend = self._assigned.get("metrics_backend", self._early_backend), None
        self._session = Session(
            self.client, backend or self.backend, interval, self.processor_instance, self.name, self.run_file, self.carry
        )
        self._context = contextvars.copy_context()
        if "distributed" in sys.modules:
            from roastcoffea.backends.dask import is_in_event_loop_of

            self._session.blocks_client = is_in_event_loop_of(self.client)

    def _open(self) -> None:
        self._context.run(self._open_session().open)
        report, self._early_report = self._early_report, None
        chunks, self._early_chunks = self._early_chunks, []
        if report is not None:
            self.set_coffea_report(report, self.custom_metrics)
        self._add_chunks(chunks)

    def _begin(self) -> None:
        session = self._open_session()
        session.begin_spans()
        self.t_start = session.t_start

    def _finish(self) -> None:
        if self._session is not None:
            self._session.end_spans()

    def _close(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self._session
        if session is None:
            return
        if self.t_start is None:
            error = KeyboardInterrupt("interrupted before the block began")
        session.close(error)
        self.t_end, self.processor_name = session.t_end, session.processor_name
        if self.output_dir is not None:
            with session.guard("saving the measurement"):
                self.save_measurement(self.output_dir)

    async def __aenter__(self) -> MetricsCollector:
        """For an asynchronous client: what waits does so in a thread, while the event loop goes on."""
        self._prepare()
        self._open_session().blocks_client = False
        opening = asyncio.ensure_future(asyncio.to_thread(self._open))
        try:
            await asyncio.shield(opening)
            self._begin()
        except BaseException:  # cancelled, perhaps: what was begun goes on in its thread, and is undone when it is over
            await asyncio.wait([opening])
            self._finish()
            await asyncio.shield(asyncio.to_thread(self._close, None, None, None))
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()
        await asyncio.shield(asyncio.to_thread(self._close, kind, error, trace))

    # ---- what was measured

    @property
    def run(self) -> Run:
        """The run: finished, or as far as it is recorded."""
        if self._session is None:
            raise RuntimeError("nothing has been recorded; use the collector in a with statement")
        if self._session.recording.path is None:
            raise RuntimeError(f"there is no run file: {self._session.recording.problem}")
        path = self._session.recording.path
        if self.t_end is None:  # still recording
            self._session.flush()
            return Run(path)
        if self._run is None:
            self._session.seal()
            self._run = Run(path)
        return self._run

    @property
    def metrics(self) -> dict[str, Any] | None:
        """Every metric that was measured, under each of its names, and the records that they are made of.

        None before the end of the block, empty if nothing could be recorded. It is the user's: what is put into it is saved.
        """
        if self._session is None or self.t_end is None:
            return None
        if self._metrics is None:
            from roastcoffea.legacy.extended import extended_metrics

            recorded = self._session.recording.path is not None
            measured = metrics_of_run(self.run, self.track_workers) if recorded else {}
            self._metrics = extended_metrics(self, self._session, measured)
        return self._metrics

    @metrics.setter
    def metrics(self, metrics: dict[str, Any] | None) -> None:
        self._metrics = metrics  # None: they are made again

    def get_metrics(self) -> dict[str, Any]:
        """What ``metrics`` has.

        Raises
        ------
        RuntimeError
            If the block has not ended.
        """
        metrics = self.metrics
        if metrics is None:
            raise RuntimeError("Timing not available: metrics are there when the with block has ended")
        return metrics

    @property
    def chunk_metrics(self) -> list[dict[str, Any]]:
        """One record per attempt at a chunk, in the documented shape."""
        if self._session is None:
            return self._early_chunks
        if self._assigned.get("chunk_metrics"):
            return list(self._assigned["chunk_metrics"])
        return self.run.chunk_records() if self._session.recording.path is not None else []

    @chunk_metrics.setter
    def chunk_metrics(self, records: list[dict[str, Any]]) -> None:
        if self._session is None:
            self._early_chunks = records
            return
        self._add_chunks(records)
        self._assigned["chunk_metrics"] = records
        self._metrics = None

    @property
    def tracking_data(self) -> dict[str, Any] | None:
        """The timeline of the workers, in the documented shape; None before the end of the block.

        Its times are UTC, as ``datetime`` without a zone: those of 0.1.2 have none, and Python compares no others with them.
        """
        if self._session is None or self.t_end is None or not self.track_workers:
            return None
        returned = self._session.tracking_data
        return self.run.tracking_data() if returned is None else returned

    @property
    def metrics_backend(self) -> AbstractMetricsBackend:
        """What looks at the workers. One of the user's own may be assigned before the block."""
        if self._session is not None and self._session.backends:
            return self._session.backends[0]
        backend: AbstractMetricsBackend | None = self._assigned.get("metrics_backend", self._early_backend)
        if backend is None:
            backend = self._early_backend = backend_for(self.client, self.backend, Guard())
        return backend

    @metrics_backend.setter
    def metrics_backend(self, backend: AbstractMetricsBackend) -> None:
        self._assigned["metrics_backend"] = backend

    @property
    def aggregator(self) -> MetricsAggregator:
        """What sums up parts that a script has collected. If one is assigned, its sums are among the metrics."""
        from roastcoffea.aggregation.core import MetricsAggregator

        assigned: MetricsAggregator | None = self._assigned.get("aggregator")
        return MetricsAggregator(self.backend or "dask") if assigned is None else assigned

    @aggregator.setter
    def aggregator(self, aggregator: MetricsAggregator) -> None:
        self._assigned["aggregator"] = aggregator
        self._metrics = None

    @property
    def span_info(self) -> dict[str, Any] | None:
        """The span around the block: ``id``, ``name``; None where there is no such thing."""
        return next((span for _, span in self._session.spans), None) if self._session is not None else None

    @property
    def span_metrics(self) -> dict[tuple[str, ...], float] | None:
        """The sums of Dask's fine metrics: {(context, prefix, activity, unit): value}."""
        return self._session.span_metrics if self._session is not None else None

    @property
    def coffea_report(self) -> dict[str, Any] | None:
        """coffea's report: as given, or as seen."""
        return self._session.coffea_report if self._session is not None else self._early_report

    @coffea_report.setter
    def coffea_report(self, report: dict[str, Any]) -> None:
        self.set_coffea_report(report, self.custom_metrics)

    # ---- what users give

    def _open_session(self) -> Session:
        if self._session is None:
            raise RuntimeError("use the collector in a with statement first")
        return self._session

    def set_coffea_report(self, report: dict[str, Any], custom_metrics: dict[str, Any] | None = None) -> None:
        """Give the report that the Runner returned; no longer needed, it is seen by itself. Before, in or after the block.

        Parameters
        ----------
        report : dict
            With ``bytesread``, ``entries``, ``processtime``, ``chunks``, ``columns``.
        custom_metrics : dict, optional
            ``{dataset: {entries, duration, performance_counters: {num_requested_bytes}}}``; replaces the totals.
        """
        self._metrics, self.custom_metrics = None, custom_metrics
        if self._session is None:
            self._early_report = report
            return
        with self._session.guard("coffea's report"):
            self._session.give_report(report)
            if custom_metrics is not None:
                self._session.give_custom_metrics(custom_metrics)

    def extract_metrics_from_output(self, output: Any) -> None:
        """Take our records out of an output; no longer needed, and still right, before or after the end of the block."""
        records = output.get(work.KEY, []) if isinstance(output, dict) else []
        if not isinstance(records, list):
            logger.warning("Metrics not a list: %s under %s is left where it is", type(records).__name__, work.KEY)
            return
        if isinstance(output, dict):
            output.pop(work.KEY, None)
        self._add_chunks(records)

    def set_chunk_metrics(self, records: list[dict[str, Any]]) -> None:
        """Add records of chunks that were measured elsewhere."""
        self._add_chunks(records)

    def record_chunk_metrics(self, record: dict[str, Any]) -> None:
        """Add the record of one chunk that was measured elsewhere."""
        self._add_chunks([record])

    def record_section_metrics(self, record: dict[str, Any]) -> None:
        """Keep the record of a section that was measured elsewhere: ``name``, ``duration``, ``type``, ``mem_delta_mb``."""
        self.section_metrics.append(record)
        self._metrics = None

    def _add_chunks(self, records: list[Any]) -> None:
        self._metrics = None
        if self._session is None:
            self._early_chunks.extend(records)
            return
        with self._session.guard("given records of chunks"):
            if records and self._session.sealed:
                self._session.came_late("records of chunks")
                self._assigned["chunk_metrics"] = [*self.chunk_metrics, *records]
                return
            for record in records:
                self._session.give_chunk(record)

    # ---- what users get

    def explain(self, what_if: bool = False) -> Explanation:
        """What held the run back; see :meth:`roastcoffea.run.Run.explain`."""
        return self.run.explain(what_if)

    def print_summary(self, full: bool = False) -> None:
        """Print the summary of the run; see :meth:`roastcoffea.run.Run.print_summary`."""
        from roastcoffea.export.reporter import print_run

        if self._session is not None and self._session.recording.path is None:
            print("roastcoffea: no run file could be written, so there is nothing to show")
        else:
            print_run(self.run, full)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the run as one HTML page that needs nothing else, and return its path."""
        return self.run.report(path)

    def show(self, height: int = 720) -> Frame:
        """The report in a frame, for a notebook; see :meth:`roastcoffea.run.Run.show`."""
        return self.run.show(height)

    def plot(self, name: str, **options: Any) -> Chart:
        """A chart of the run; see :meth:`roastcoffea.run.Run.plot`."""
        return self.run.plot(name, **options)

    def __repr__(self) -> str:
        session = self._session
        if session is None:
            return "<collector: not used yet>"
        recording = session.recording
        if recording.path is None:
            return f"<collector: nothing was recorded: {recording.problem}>"
        if self.t_end is not None:
            return f"<collector: {self._line(recording.path)}>"
        chunks = counted(recording.chunks, "chunk")
        return f"<collector: recording {recording.name} for {time.time() - session.t_start:.0f} s, {chunks} so far>"

    def _line(self, path: Path) -> str:
        try:
            return (self._run or Run(path))._line()  # not self.run: what is looked at is sealed, and this is no look
        except Exception as error:  # the file may have been moved away
            return str(error)

    def _repr_html_(self) -> str | None:
        ended = self._session is not None and self.t_end is not None and self._session.recording.path is not None
        return self.run._repr_html_() if ended else None  # a notebook shows the repr then

    def save_measurement(self, output_dir: str | os.PathLike[str], measurement_name: str | None = None) -> Path:
        """Write a measurement directory and return its path."""
        if self.t_end is None:
            raise RuntimeError("Cannot save measurement before context manager completes: it is whole when the block has ended")
        from roastcoffea.export.measurements import save_run

        return save_run(self.run, self.get_metrics(), output_dir, measurement_name)


def __getattr__(name: str) -> Any:
    """What 0.1.2 has in this module, too; loaded when it is asked for."""
    homes = {"DaskMetricsBackend": "roastcoffea.backends.dask", "MetricsAggregator": "roastcoffea.aggregation.core"}
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(homes[name]), name)
