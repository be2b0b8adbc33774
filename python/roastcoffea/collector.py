"""``MetricsCollector``: what users put around their run."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from roastcoffea import _core, work
from roastcoffea.backends import check_backend
from roastcoffea.legacy.metrics import metrics_of_run
from roastcoffea.run import Run
from roastcoffea.session import Session, processor_name_of

if TYPE_CHECKING:
    from roastcoffea.visualization.chart import Chart

__all__ = ["MetricsCollector"]


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
        Seconds between looks at the workers.
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
        self._session: Session | None = None
        self._run: Run | None = None
        self._metrics: dict[str, Any] | None = None

    # ---- the block

    # Called by Block, in this order: what waits, in a thread that no interrupt reaches; the rest where the user is.

    def _prepare(self) -> None:
        self._run = self._session = self._metrics = None
        self.t_start = self.t_end = None
        interval = self.worker_tracking_interval if self.track_workers else None
        self._session = Session(
            self.client, self.backend, interval, self.processor_instance, self.name, self.run_file, self.carry
        )
        self._context = contextvars.copy_context()
        if "distributed" in sys.modules:
            from roastcoffea.backends.dask import is_in_event_loop_of

            self._session.blocks_client = is_in_event_loop_of(self.client)

    def _open(self) -> None:
        self._context.run(self._open_session().open)

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
            recorded = self._session.recording.path is not None
            self._metrics = metrics_of_run(self.run, self.track_workers) if recorded else {}
        return self._metrics

    def get_metrics(self) -> dict[str, Any]:
        """What ``metrics`` has.

        Raises
        ------
        RuntimeError
            If the block has not ended.
        """
        metrics = self.metrics
        if metrics is None:
            raise RuntimeError("metrics are there when the with block has ended")
        return metrics

    @property
    def chunk_metrics(self) -> list[dict[str, Any]]:
        """One record per attempt at a chunk, in the documented shape."""
        recorded = self._session is not None and self._session.recording.path is not None
        return self.run.chunk_records() if recorded else []

    @property
    def tracking_data(self) -> dict[str, Any] | None:
        """The timeline of the workers, in the documented shape; None before the end of the block."""
        if self._session is None or self.t_end is None or not self.track_workers:
            return None
        return self.run.tracking_data()

    @property
    def span_metrics(self) -> dict[tuple[str, ...], float] | None:
        """The sums of Dask's fine metrics: {(context, prefix, activity, unit): value}."""
        return self._session.span_metrics if self._session is not None else None

    @property
    def coffea_report(self) -> dict[str, Any] | None:
        """coffea's report: as given, or as seen."""
        return self._session.coffea_report if self._session is not None else None

    # ---- what users give

    def _open_session(self) -> Session:
        if self._session is None:
            raise RuntimeError("use the collector in a with statement first")
        return self._session

    def set_coffea_report(self, report: dict[str, Any], custom_metrics: dict[str, Any] | None = None) -> None:
        """Give the report that the Runner returned; no longer needed, it is seen by itself.

        Parameters
        ----------
        report : dict
            With ``bytesread``, ``entries``, ``processtime``, ``chunks``, ``columns``.
        custom_metrics : dict, optional
            ``{dataset: {entries, duration, performance_counters: {num_requested_bytes}}}``; replaces the totals.
        """
        session = self._open_session()
        with session.guard("coffea's report"):
            session.give_report(report)
            if custom_metrics is not None:
                session.give_custom_metrics(custom_metrics)

    def extract_metrics_from_output(self, output: Any) -> None:
        """Take our records out of an output; no longer needed, and still right, before or after the end of the block."""
        records = output.pop(work.KEY, []) if isinstance(output, dict) else []
        self._add_chunks(records)

    def set_chunk_metrics(self, records: list[dict[str, Any]]) -> None:
        """Add records of chunks that were measured elsewhere."""
        self._add_chunks(records)

    def record_chunk_metrics(self, record: dict[str, Any]) -> None:
        """Add the record of one chunk that was measured elsewhere."""
        self._add_chunks([record])

    def record_section_metrics(self, record: dict[str, Any]) -> None:
        """Keep the record of a section that was measured elsewhere."""
        self.section_metrics.append(record)

    def _add_chunks(self, records: list[Any]) -> None:
        session = self._open_session()
        with session.guard("given records of chunks"):
            for record in records:
                if isinstance(record, bytes):
                    session.recording.take(record)
                else:
                    session.recording.chunk(record)

    # ---- what users get

    def explain(self, what_if: bool = False) -> dict[str, Any]:
        """What held the run back; see :meth:`roastcoffea.run.Run.explain`."""
        return self.run.explain(what_if)

    def print_summary(self) -> None:
        """Print the summary of the run."""
        from roastcoffea.export.reporter import print_run

        if self._session is not None and self._session.recording.path is None:
            print("roastcoffea: no run file could be written, so there is nothing to show")
        else:
            print_run(self.run)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the run as one HTML page that needs nothing else, and return its path."""
        return self.run.report(path)

    def plot(self, name: str, **options: Any) -> Chart:
        """A chart of the run; see :meth:`roastcoffea.run.Run.plot`."""
        return self.run.plot(name, **options)

    def _repr_html_(self) -> str:
        return self.run._repr_html_() if self.t_end is not None else "<p>recording…</p>"

    def save_measurement(self, output_dir: str | os.PathLike[str], measurement_name: str | None = None) -> Path:
        """Write a measurement directory and return its path."""
        from roastcoffea.export.measurements import save_run

        return save_run(self.run, self.get_metrics(), output_dir, measurement_name)
