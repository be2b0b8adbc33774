"""Which run of a Runner tries again what another one did not get."""

from __future__ import annotations

import hashlib
import itertools
import logging
from collections.abc import Set
from typing import Any, NamedTuple

__all__ = ["Tries", "Try"]

_log = logging.getLogger(__name__)


class Try(NamedTuple):
    """A run of a Runner."""

    number: int
    round: int  # the number of the first try: what succeeds twice in one round was computed again
    again: frozenset[int]  # the numbers of the runs that lack something, and that this one may try again
    perhaps: frozenset[int]  # the same, but their processor was changed since: this may be another variation
    processor: Any  # None: it was preprocessing, which any of them tries again
    datasets: Set[str]  # as far as they are known beforehand


class _Lacking(NamedTuple):
    """A run that did not get all that it was asked for."""

    run: Try
    raised: bool
    state: str | None  # its processor as it was when it ended; None if that cannot be told


class Tries:
    """The runs of Runners in this process, as far as something is missing that was not tried again with success.

    It is the same if the processor is the same and works on the same datasets. Two objects of one class may be two
    variations of an analysis, of which both results are wanted, and so may one object that is changed in between.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._lacking: list[_Lacking] = []

    def begin(self, processor: Any, datasets: Set[str]) -> Try:
        """A Runner runs. Comparing costs nothing as long as nothing is missing."""
        number = next(self._numbers)
        kinds = (type(processor), type(None))
        before = [
            one for one in self._lacking if type(one.run.processor) in kinds and _may_overlap(one.run.datasets, datasets)
        ]
        state = _state_of(processor) if before else None
        again = [one for one in before if one.run.processor is None or (state is not None and one.state == state)]
        perhaps = [one for one in before if one not in again and one.run.processor is processor]
        first = next((one.run.round for one in reversed(again) if one.raised and one.state), number)
        return Try(number, first, _numbers_of(again), _numbers_of(perhaps), processor, datasets)

    def raised(self, this: Try) -> None:
        state = None if this.processor is None else _state_of(this.processor)
        self._lacking.append(_Lacking(this, True, state))

    def returned(self, this: Try, lacks: bool) -> None:
        """What comes after a success is another result. lacks: whether this result is not whole."""
        self._lacking = [
            one for one in self._lacking if one.run.number not in this.again or not one.run.datasets <= this.datasets
        ]
        if lacks:
            self._lacking.append(_Lacking(this, False, _state_of(this.processor)))

    def forget(self) -> None:
        """Let go of the processors."""
        self._lacking.clear()


def _numbers_of(runs: list[_Lacking]) -> frozenset[int]:
    return frozenset(one.run.number for one in runs)


def _may_overlap(one: Set[str], other: Set[str]) -> bool:
    return not one or not other or bool(one & other)


def _state_of(processor: Any) -> str | None:
    import cloudpickle

    try:
        return hashlib.sha256(cloudpickle.dumps(processor)).hexdigest()
    except Exception:
        _log.debug("a processor that cannot be pickled is not known to be equal to another one", exc_info=True)
        return None
