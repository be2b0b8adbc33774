"""What a backend is: the way to learn about the workers of one kind of executor."""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from roastcoffea import route

if TYPE_CHECKING:
    from typing import Self

    from roastcoffea.recording import Recording

__all__ = ["AbstractMetricsBackend"]


class AbstractMetricsBackend(ABC):
    """The five methods that a backend of your own must have; the others have a default.

    A backend is made with the object that the user gave to ``MetricsCollector`` as its first argument.
    """

    #: What the run file names as its engine. Default: the class's name, without "MetricsBackend" or "Backend".
    engine: str = ""
    #: What the chunks are called in fine metrics.
    processor_name: str | None = None
    #: Where a backend that records by itself puts its records; set by the collector before ``start_tracking``.
    recording: Recording = None  # type: ignore[assignment]  # only without a collector
    #: Whether to bring this package to workers that have not got it; set by the collector.
    carry: bool = True
    #: Whether answers cannot come, because the event loop of an asynchronous client waits for us; set by the collector.
    blocks_client: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.engine:
            cls.engine = re.sub(r"(Metrics)?Backend$", "", cls.__name__).lower()

    @classmethod
    def accepts(cls, target: Any) -> bool:
        """Whether the collector's first argument is of this engine. Backends that say so are chosen without a name."""
        return False

    @classmethod
    def of_target(cls, target: Any) -> Self:
        """The backend for the collector's first argument."""
        return cls(target)  # type: ignore[call-arg]

    @staticmethod
    def worker_name() -> str:
        """The name of the worker that the calling chunk runs on, as the engine's other records have it. Called there."""
        return route.worker_name()

    @abstractmethod
    def start_tracking(self, interval: float = 1.0) -> None:
        """Begin to look at the workers, every ``interval`` seconds."""

    @abstractmethod
    def stop_tracking(self) -> dict[str, Any]:
        """End it and return ``tracking_data``: empty if the records went to ``recording``."""

    @abstractmethod
    def create_span(self, name: str) -> Any:
        """A span, not yet entered: a dict whose ``context`` is a context manager; None where there is no such thing."""

    @abstractmethod
    def get_span_metrics(self, span_info: Any) -> dict[tuple[str, ...], float]:
        """The sums of the span's fine metrics: {(context, prefix, activity, unit): value}."""

    @abstractmethod
    def supports_fine_metrics(self) -> bool:
        """Whether ``create_span`` and ``get_span_metrics`` do anything."""

    def open(self) -> None:
        """Be ready for the records of chunks; before ``start_tracking``, and also without it."""

    def flush(self) -> None:
        """Return when the records of chunks that have ended are in ``recording``."""

    def close(self) -> None:
        """The opposite of ``open``, after ``stop_tracking``."""

    def open_span(self, span_info: Any) -> None:
        """Enter a span: what the calling thread submits from now on belongs to it. Entering gives its ``id``."""
        context = span_info.get("context") if isinstance(span_info, dict) else None
        if context is not None:
            span_info["id"] = context.__enter__()

    def close_span(self, span_info: Any) -> None:
        """End a span that was entered."""
        context = span_info.get("context") if isinstance(span_info, dict) else None
        if context is not None:
            context.__exit__(None, None, None)

    def wants(self, runner: Any) -> bool:
        """Whether the chunks of a coffea Runner belong to what this backend looks at."""
        return True

    def why_not(self, runner: Any) -> str | None:
        """What to tell the user about a Runner that this backend does not want; None: it is somebody else's."""
        return None

    def why_no_chunks(self) -> str | None:
        """Why no chunk could be measured, if this backend knows."""
        return None

    def running(self, runner: Any, processor: Any) -> contextlib.AbstractContextManager[Any]:
        """Around one run of a coffea Runner."""
        return contextlib.nullcontext()

    def preprocessing(self, runner: Any) -> contextlib.AbstractContextManager[Any]:
        """Around coffea's preprocessing."""
        return contextlib.nullcontext()
