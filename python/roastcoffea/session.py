"""One collection: a recording, the backends that feed it, and what the hooks in coffea tell."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from roastcoffea import history, hooks, work
from roastcoffea.backends import AbstractMetricsBackend, backend_for
from roastcoffea.command import command_line
from roastcoffea.entries import File, file_of
from roastcoffea.guard import text_of, type_of
from roastcoffea.recording import Recording
from roastcoffea.route import listeners, spools
from roastcoffea.surroundings import Surroundings, machine, runner_settings
from roastcoffea.tries import Try

__all__ = ["Session", "processor_name_of"]

_MADE_BEFORE = "the work items were made before the with block: which files preprocessing left out there is not known"
_END_SECONDS = 5.0  # that the end of the block may take
_PACKAGES = ("coffea", "uproot", "awkward", "numpy", "dask", "distributed")
#: Processors that we switched off at the end of a collection (the user did not).
_switched_off: weakref.WeakSet[Any] = weakref.WeakSet()


class Session:
    """Everything between ``__enter__`` and ``__exit__`` of a collector.

    Parameters
    ----------
    target : object
        The collector's first argument.
    backend : str, AbstractMetricsBackend or None
        Name of the backend, or itself; None: the first that accepts the target.
    interval : float or None
        Seconds between looks at the workers; None: do not look.
    processor : object
        The processor, if the user named it.
    name, path : str, path
        Of the run.
    carry : bool
        Whether to bring this package to workers that have not got it.
    """

    def __init__(
        self,
        target: Any,
        backend: str | AbstractMetricsBackend | None,
        interval: float | None,
        processor: Any,
        name: Any,
        path: Any,
        carry: bool = True,
    ) -> None:
        self.target = target
        self.backend = backend
        self.interval = interval
        self.processor = processor
        self.processor_name = processor_name_of(processor)
        self.named = bool(name)
        self.recording = Recording(path, name or self.processor_name)
        self.guard = self.recording.guard
        self.identity = self.recording.identity
        self._surroundings = Surroundings(self.recording.fact)
        self.backends: list[AbstractMetricsBackend] = []
        self.spans: list[tuple[AbstractMetricsBackend, Any]] = []
        self._entered: list[tuple[AbstractMetricsBackend, Any]] = []  # of them
        self.tracking_data: dict[str, Any] | None = None  # what a backend returned, if it did not record it
        self.span_metrics: dict[tuple[str, ...], float] | None = None
        self.coffea_report: dict[str, Any] | None = None
        self._report_is_given = False
        self.late: set[str] = set()  # what was given when the run file was sealed
        self._seal: weakref.finalize[..., Any] | None = None
        self._preprocess_ns = 0
        self._datasets: set[str] = set()
        self._flag_before: bool | None = None
        self._carry = carry
        self.blocks_client = False  # the client is asynchronous, and its event loop waits for us
        self._ran = False  # a Runner that we measure
        self._elsewhere: str | None = None  # what was said of a Runner that we do not measure
        self._raised: str | None = None  # what a Runner ended with
        self._error: BaseException | None = None
        self._steps: list[tuple[Any, Callable[[], Any]]] = []  # of the end, the first one last, and whose each is
        self.t_start, self.t_end = time.time(), float("nan")
        self._started, self._elapsed = time.monotonic_ns(), 0

    @property
    def spool(self) -> str | None:
        return self.recording.spool

    # ---- beginning and end

    def open(self) -> None:
        """Everything but the spans. Each step of the end is noted before what it ends: that may fail half-way."""
        self.t_start, self._started = time.time(), time.monotonic_ns()
        self._at_the_end(self._end)
        with self.guard("facts about the run"):
            self._note_facts()
        self._at_the_end(functools.partial(hooks.detach, self))
        with self.guard("coffea's Runner"):
            hooks.attach(self)
        self._at_the_end(self._listen_no_more)
        listeners[self.identity] = self.recording.receive
        with self.guard("workers"):
            backend = self.backend
            if backend is None or isinstance(backend, str):
                backend = backend_for(self.target, backend, self.guard)
            self._add_backend(backend)
        self._at_the_end(self._switch_off)
        with self.guard("the processor's switch"):
            self._switch_on()

    def begin_spans(self) -> None:
        """What the calling thread submits from now on is ours."""
        for backend in self.backends:
            self._begin_span(backend)

    def end_spans(self) -> None:
        """The opposite, on the same thread."""
        while self._entered:
            backend, span = self._entered.pop()
            with self.guard("fine metrics"):
                backend.close_span(span)

    def close(self, error: BaseException | None) -> None:
        """End it, within seconds: what is not over then is said."""
        self.recording.deadline = time.monotonic() + _END_SECONDS
        self._error, self._elapsed = error, time.monotonic_ns() - self._started
        self.t_end = self.t_start + self._elapsed / 1e9
        self._unwind()

    def _at_the_end(self, step: Callable[[], Any], owner: Any = None) -> None:
        self._steps.append((owner, step))

    def _unwind(self, owner: Any = None) -> None:
        """Do the steps of the end, the last first; only those of an owner if there is one."""
        while steps := [step for step in self._steps if owner is None or step[0] is owner]:
            with self.guard("the end of the run"):
                steps[-1][1]()
            self._steps.remove(steps[-1])

    def _listen_no_more(self) -> None:
        listeners.pop(self.identity, None)
        spools.pop(self.identity, None)

    def _end(self) -> None:
        with self.guard("facts about the run"):
            self._note_end()
        with self.guard("what is missing"):
            self._note_work()
        with self.guard("the last run of the same analysis"):
            self._note_last_run()
        outcome = _outcome(self._error)
        self.recording.finish(outcome)
        self._seal = weakref.finalize(self, self.recording.close, outcome)
        if self._error is not None:
            self.seal()

    def seal(self) -> None:
        """End the run file: when it is first looked at, or forgotten. Until then the user may give what belongs to it."""
        if self._seal is not None:
            self._seal()

    @property
    def sealed(self) -> bool:
        """Whether nothing can be added to the run file any more."""
        return self._seal is not None and not self._seal.alive

    def came_late(self, what: str) -> None:
        """Something was given when the run had been looked at: it counts in the collector's metrics alone."""
        self.late.add(what)
        self.guard.say(what, f"{what} came after the run was looked at: it counts in collector.metrics, not in the run file")

    def _note_facts(self) -> None:
        fact = self.recording.fact
        fact("t_start_ns", int(self.t_start * 1e9))
        fact("processor", self.processor_name)
        fact("python", sys.version.split()[0])
        fact("command", command_line(sys.argv))
        for key, value in machine().items():
            fact(key, value)
        for package in _PACKAGES:
            with contextlib.suppress(PackageNotFoundError):
                fact(package, version(package))
        if self.processor is not None:
            self._surroundings.look(self.processor)

    def _note_end(self) -> None:
        fact, error = self.recording.fact, self._error
        fact("t_end_ns", int(self.t_end * 1e9))
        fact("elapsed_ns", self._elapsed)
        fact("processor", self.processor_name)
        self._surroundings.look(None)
        self._surroundings.wait(self.recording.seconds_left(1))
        if not self.recording.chunks:
            fact("no_chunks", self._why_no_chunks())
        if error is not None:
            fact("error_type", type_of(error))
            fact("error", text_of(error))

    def _note_work(self) -> None:
        requests = self.recording.requests
        self.recording.recorder.work(requests.records())
        self.recording.fact("no_completeness", requests.unknown)

    def _note_last_run(self) -> None:
        """Remember what the last run of the same analysis took and was advised, if it is beside this one."""
        if not self.processor_name or not self._datasets or self.recording.path is None:
            return
        identity = history.analysis_of(self.processor_name, self._datasets)
        self.recording.fact("analysis", identity)
        if self._error is None:
            for key, value in history.last_run(self.recording.path, identity, self.recording.seconds_left(1)).items():
                self.recording.fact(key, value)

    # ---- backends

    def _add_backend(self, backend: AbstractMetricsBackend) -> None:
        backend.recording, backend.carry, backend.blocks_client = self.recording, self._carry, self.blocks_client
        self.backends.append(backend)
        self.recording.fact("engine", backend.engine)
        self._at_the_end(backend.close, backend)
        self._at_the_end(functools.partial(self._stop_tracking, backend), backend)
        self._at_the_end(functools.partial(self._read_span, backend), backend)
        with self.guard("workers"):
            backend.open()
            if self.interval is not None:
                backend.start_tracking(self.interval)
        if self.recording.spool is not None:
            spools[self.identity] = self.recording.spool

    def _begin_span(self, backend: AbstractMetricsBackend) -> None:
        with self.guard("fine metrics"):
            if backend.supports_fine_metrics():
                span = backend.create_span(self.recording.name)
                backend.open_span(span)
                self.spans.append((backend, span))
                self._entered.append((backend, span))

    def _read_span(self, backend: AbstractMetricsBackend) -> None:
        for owner, span in self.spans:
            if owner is backend and span is not None:
                with self.guard("fine metrics"):
                    if (owner, span) in self._entered:
                        self._entered.remove((owner, span))
                        backend.close_span(span)
                    backend.processor_name = self.processor_name
                    self._note_activities(backend.get_span_metrics(span))

    def _stop_tracking(self, backend: AbstractMetricsBackend) -> None:
        data = backend.stop_tracking() if self.interval is not None else None
        if data:
            self.tracking_data = data
            record_tracking_data(self.recording, data)

    def _why_no_chunks(self) -> str:
        """The known reasons, the most telling first."""
        if getattr(self.processor, work.FLAG, None) is False and not _we_switched_off(self.processor):
            return f"collection is switched off for {self.processor_name}: its {work.FLAG} is False"
        known = (why for why in (backend.why_no_chunks() for backend in self.backends) if why)
        if not self._ran and self._elsewhere:
            return self._elsewhere
        if not self._ran:
            nothing = "no coffea Runner ran inside the with block, and no function with @track_metrics"
            return next(known, nothing)
        if self._raised:
            return next(known, f"the Runner raised {self._raised} before a chunk was done")
        return next(known, "chunks were computed, but no record of them came back")

    def _note_activities(self, sums: dict[tuple[str, ...], float]) -> None:
        self.span_metrics = sums
        if not sums:
            self.recording.fact("no_fine_metrics", "no tasks ran under the span")
        for (context, prefix, *activity, unit), value in sums.items():
            self.recording.recorder.activity(context, prefix, "/".join(activity), unit, value)

    # ---- what the hooks tell (see hooks.Listener)

    def wants(self, runner: Any) -> bool:
        wanted = self.target is None or any(backend.wants(runner) for backend in self.backends)
        self._ran = self._ran or wanted
        why = None if wanted else next((why for why in (b.why_not(runner) for b in self.backends) if why), None)
        if why:
            self._elsewhere = why
            self.guard.say("another cluster", why)
        return wanted

    @contextlib.contextmanager
    def running(self, runner: Any, processor: Any, client: Any) -> Iterator[None]:
        if _we_switched_off(processor):
            setattr(processor, work.FLAG, True)
        if self.processor_name is None:
            self.processor_name = processor_name_of(processor)
            if not self.named:
                self.recording.fact("name", self.processor_name)
        with self.guard("facts about the run"):
            self._surroundings.look(processor)
            for key, value in runner_settings(runner).items():
                self.recording.fact(key, value)
        late = self._late_backend(runner, client)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._flag_away(processor))
            for backend in self.backends:
                if backend.wants(runner):
                    stack.enter_context(backend.running(runner, processor))
            yield
        if late is not None:  # coffea may close this cluster with the run
            self._unwind(late)
            self.backends.remove(late)

    def _late_backend(self, runner: Any, client: Any) -> AbstractMetricsBackend | None:
        """For a cluster that nobody here looks at yet: coffea made it for this run, or the user gave us something else."""
        looking = (backend for backend in self.backends if getattr(backend, "client", None) is not None)
        if client is None or any(backend.client is client or backend.wants(runner) for backend in looking):  # type: ignore[attr-defined]
            return None
        self._add_backend(backend_for(client, None, self.guard))
        self._begin_span(self.backends[-1])
        return self.backends[-1]

    @contextlib.contextmanager
    def preprocessing(self, runner: Any) -> Iterator[None]:
        start = time.monotonic_ns()
        if not self._preprocess_ns:
            self.recording.fact("preprocess_start_ns", time.time_ns())
        with contextlib.ExitStack() as stack:
            for backend in self.backends:
                stack.enter_context(backend.preprocessing(runner))
            yield
        self._preprocess_ns += time.monotonic_ns() - start
        self.recording.fact("preprocess_ns", self._preprocess_ns)

    def raised(self, error: BaseException) -> None:
        self._raised = type_of(error)

    def asked(self, this: Try) -> None:
        self._datasets |= this.datasets
        self.recording.requests.begin(this.number, this.datasets, this.again, this.perhaps)

    def doubt(self, number: int, why: str) -> None:
        self.recording.requests.doubt(number, why)

    def lacks(self, number: int) -> bool:
        return self.recording.requests.lacks(number)

    def prepared(self, number: int) -> None:
        self.recording.requests.prepared(number)

    def item(self, item: Any, number: int | None) -> None:
        self.recording.requests.item(item, number)

    def given(self, number: int, may_lack_files: bool) -> None:
        """A run was given work items; may_lack_files: whether preprocessing may have dropped files where nobody saw it."""
        self.recording.requests.given(number, _MADE_BEFORE if may_lack_files else None)
        self._note_asked()

    def dropped(self, files: list[Any], number: int | None) -> None:
        self.recording.requests.dropped(map(file_of, files), number)
        self._note_asked()

    def _note_asked(self) -> None:
        """For who looks while it runs: what is missing in the end is told then."""
        self.recording.fact("chunks_asked", self.recording.requests.chunks or None)

    def sizes(self, ends: dict[File, int]) -> None:
        self.recording.requests.sizes(ends)

    def returned(self, number: int, processed: Any, lazy: bool) -> None:
        """processed: the work items that the result holds; None if this release does not tell."""
        if lazy:
            why = "the result is computed later: what it will hold is not known"
            self.recording.requests.returned_untold(number, why)
        elif processed is None:
            self.recording.requests.returned_untold(number)
        else:
            self.recording.requests.returned(number, processed)

    def naming(self, runner: Any) -> str | None:
        """Where the function is that names the workers of a runner; the newest backend is the one for this run."""
        wanting = next((backend for backend in reversed(self.backends) if backend.wants(runner)), None)
        if wanting is None or wanting.worker_name is AbstractMetricsBackend.worker_name:
            return None
        return f"{type(wanting).__module__}:{type(wanting).__qualname__}.worker_name"

    def carried(self, packed: list[bytes]) -> None:
        """Messages that rode in an output."""
        for message in packed:
            self.recording.take(message)

    def flush(self) -> None:
        """Have everything in the run file that has happened until now."""
        for backend in self.backends:
            with self.guard("records that are under way"):
                backend.flush()
        self.recording.recorder.flush()

    def report(self, report: dict[str, Any]) -> None:
        """coffea's report, as the Runner returned it; those of several runs add up."""
        if not self._report_is_given:
            self._note_report(_add_reports(self.coffea_report, report))

    # ---- what the user gives

    def give_report(self, report: dict[str, Any]) -> None:
        self._report_is_given = True
        self._note_report(dict(report or {}))

    def _note_report(self, report: dict[str, Any]) -> None:
        self.coffea_report = report
        if self.sealed:
            self.came_late("coffea's report")
        else:
            self.recording.recorder.report(json.dumps(report, default=_plain))

    def give_chunk(self, record: Any) -> None:
        """A message that rode in an output, or the record of a chunk."""
        if isinstance(record, bytes):
            self.recording.take(record)
            return
        self.recording.chunk(_as_measured(record))
        about = record.get("file_metadata") or {}
        if about.get("filename"):
            self.recording.recorder.file(_file_of(about))

    def give_custom_metrics(self, custom_metrics: dict[str, Any]) -> None:
        if not self.sealed:
            self.recording.recorder.custom_metrics(json.dumps(custom_metrics, default=_plain))

    # ---- the processor's switch

    def _switch_on(self) -> None:
        processor = self.processor
        if processor is None or not hasattr(processor, "__dict__"):
            return
        self._flag_before = getattr(processor, work.FLAG, None)
        if self._flag_before is not False or _we_switched_off(processor):
            setattr(processor, work.FLAG, True)

    def _switch_off(self) -> None:
        processor = self.processor
        if self._flag_before is not True and getattr(processor, work.FLAG, None) is True:
            setattr(processor, work.FLAG, False)
            with contextlib.suppress(TypeError):
                _switched_off.add(processor)


    @contextlib.contextmanager
    def _flag_away(self, processor: Any) -> Iterator[None]:
        """Ship the processor without our attribute: it is not needed there, and not everything can be pickled with it."""
        ours = hasattr(processor, "__dict__") and processor is self.processor and self._flag_before is not True
        away = ours and vars(processor).get(work.FLAG) is True
        if away:
            del vars(processor)[work.FLAG]
        try:
            yield
        finally:
            if away:
                setattr(processor, work.FLAG, True)


def processor_name_of(processor: Any) -> str | None:
    """The name that the tasks of a processor have: of its class, or of a function."""
    if processor is None:
        return None
    return getattr(processor, "__name__", None) or type(processor).__name__


def _we_switched_off(processor: Any) -> bool:
    try:
        return processor in _switched_off
    except TypeError:
        return False


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "finished"
    return "failed" if isinstance(error, Exception) else "interrupted"


def _add_reports(first: dict[str, Any] | None, second: dict[str, Any]) -> dict[str, Any]:
    """Two reports of coffea as one."""
    total = dict(first or {})
    for name, value in second.items():
        if name not in total:
            total[name] = value
        elif isinstance(value, (int, float)):
            total[name] += value
        elif isinstance(value, (list, set, tuple)):
            total[name] = sorted({*total[name], *value})
    return total


def _plain(value: Any) -> Any:
    """For JSON: sets as lists, NumPy numbers as numbers, anything else as text."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return value.item() if hasattr(value, "item") else str(value)


#: In a record of an output 0 stands for what was not measured, as in 0.1.2.
_ZEROS = (
    "num_branches_accessed",
    "accessed_bytes",
    "accessed_uncompressed_bytes",
    "branches_read_percent",
    "bytes_read_percent",
)


def _as_measured(record: dict[str, Any]) -> dict[str, Any]:
    """A record of ours that was in an output, without what was not measured; others as they are."""
    if "uid" not in record:
        return record
    unknown = {"file_metadata"}  # goes to the file
    if not record.get("bytes_read") and record.get("read_requests") is None:
        unknown.add("bytes_read")
    if "file_metadata" not in record:
        unknown.update(_ZEROS)
    return {name: value for name, value in record.items() if name not in unknown}


def _file_of(about: dict[str, Any]) -> dict[str, Any]:
    """``file_metadata`` of a chunk as the record of a file."""
    size, ratio = about.get("total_tree_bytes"), about.get("compression_ratio")
    known = {"url": about["filename"], "total_branches": about.get("total_branches"), "compressed": size}
    return known | ({"uncompressed": round(size / ratio)} if size and ratio else {})


def record_tracking_data(recording: Recording, data: dict[str, Any]) -> None:
    """The timeline that a backend of the user returned, in the documented shape of ``tracking_data``."""
    for series, field in {"worker_cores": "cores", "worker_memory_limit": "memory_limit"}.items():
        for worker, points in (data.get(series) or {}).items():
            if points:
                recording.worker(worker, **{field: int(points[-1][1])})
    cores: dict[int, int] = {}  # of all workers, at a time
    for points in (data.get("worker_cores") or {}).values():
        for when, count in points:
            cores[_ns(when)] = cores.get(_ns(when), 0) + int(count)
    for when, count in (data.get("worker_counts") or {}).items():
        recording.recorder.count(_ns(when), int(count), cores.get(_ns(when)))
    columns = {
        "worker_memory": "memory",
        "worker_cpu": "cpu",
        "worker_active_tasks": "processing",
        "worker_executing": "executing",
        "worker_nbytes": "managed",
        "worker_occupancy": "occupancy",
    }
    samples: dict[tuple[str, int], dict[str, Any]] = {}
    for series, field in columns.items():
        for worker, points in (data.get(series) or {}).items():
            for when, value in points:
                samples.setdefault((worker, _ns(when)), {})[field] = value
    for (worker, t_ns), values in sorted(samples.items(), key=lambda sample: sample[0][1]):
        recording.recorder.sample({"worker": worker, "t_ns": t_ns, **values})


def _ns(when: Any) -> int:
    return int(when.timestamp() * 1e9) if hasattr(when, "timestamp") else int(float(when) * 1e9)
