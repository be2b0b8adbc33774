"""The metrics of a run in the dict of 0.1.2: what was not measured is left out, and the records are in it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from roastcoffea.legacy.chunks import build_chunk_info

if TYPE_CHECKING:
    from roastcoffea.run import Run

__all__ = ["Metrics", "metrics_of_run", "span_metrics_of"]

#: What 0.1.2 always has: None says that it was not measured.
_ALWAYS = {
    *("avg_cpu_time_per_chunk", "core_efficiency", "data_rate_gbps", "elapsed_time_seconds", "event_rate_core_khz"),
    *("event_rate_cpu_total_khz", "event_rate_elapsed_khz", "num_chunks", "speedup_factor", "total_bytes_read"),
    *("total_cpu_time", "total_events"),
}
#: What it has of workers if it has seen any.
_OF_WORKERS = {"cores_per_worker", "total_cores"}


class Metrics(dict[str, Any]):
    """A dict of which some values, the large ones, are made when somebody asks for them.

    Parameters
    ----------
    values : dict
        What is there already.
    later : dict
        For the other keys, what makes their values.
    """

    def __init__(self, values: Mapping[str, Any], later: Mapping[str, Callable[[], Any]]) -> None:
        super().__init__(values)
        self._later = dict(later)
        for name in later:
            super().__setitem__(name, None)

    def _fill(self, *names: str) -> None:
        for name in names:
            if name in self._later:
                value = self._later[name]()
                del self._later[name]
                super().__setitem__(name, value)

    def _filled(self) -> Metrics:
        self._fill(*self._later)
        return self

    def __getitem__(self, name: str) -> Any:
        self._fill(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._fill(name)
        return super().get(name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        self._later.pop(name, None)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._later.pop(name, None)
        super().__delitem__(name)

    def __iter__(self) -> Iterator[str]:
        """Also tells Python's own copying of dicts to ask for each value."""
        return super().__iter__()

    def pop(self, name: str, *default: Any) -> Any:
        self._fill(name)
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        return super(Metrics, self._filled()).popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        self._fill(name)
        return super().setdefault(name, default)

    def update(self, *others: Any, **values: Any) -> None:
        for name, value in dict(*others, **values).items():
            self[name] = value

    def overlay(self, other: Metrics) -> None:
        """What another one has wins; what it has not made yet is made when somebody asks for it."""
        for name in other.keys() - other._later.keys():
            self[name] = other[name]
        for name, make in other._later.items():
            self[name] = None
            self._later[name] = make

    def values(self) -> Any:
        return super(Metrics, self._filled()).values()

    def items(self) -> Any:
        return super(Metrics, self._filled()).items()

    def copy(self) -> dict[str, Any]:
        return dict(self.items())

    def __eq__(self, other: object) -> bool:
        return self.copy() == (other.copy() if isinstance(other, Metrics) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __or__(self, other: Any) -> Any:
        return self.copy() | dict(other)

    def __ror__(self, other: Any) -> Any:
        return dict(other) | self.copy()

    def __ior__(self, other: Any) -> Metrics:  # type: ignore[override]
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(self.copy())

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)


def span_metrics_of(run: Run) -> dict[tuple[str, ...], float]:
    """The engine's fine metrics: {(context, prefix, activity, unit): value}."""
    return {tuple(key): value for *key, value in run._run.activities()}


def metrics_of_run(run: Run, tracked: bool = True) -> Metrics:
    """Every metric that was measured, and the records that they are made of.

    Parameters
    ----------
    run : Run
        Whose metrics.
    tracked : bool
        Whether there is a timeline of workers.
    """
    measured = run.metrics
    kept = _ALWAYS | (_OF_WORKERS if measured.get("avg_workers") is not None else set())
    values = {name: value for name, value in measured.items() if value is not None or name in kept}
    later: dict[str, Callable[[], Any]] = {"tracking_data": run.tracking_data if tracked else lambda: None}
    if measured["num_chunk_records"]:
        records = functools.cache(run.chunk_records)  # both are made of them
        later["raw_chunk_metrics"] = records
        later["chunk_info"] = lambda: build_chunk_info(records())
    if measured["activities"]:
        later["raw_span_metrics"] = lambda: span_metrics_of(run)
    sections = run._run.document("raw_section_metrics")
    if sections:
        later["raw_section_metrics"] = lambda: json.loads(sections)
    return Metrics(values, later)
