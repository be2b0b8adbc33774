"""Which run of a Runner tries again what another one raised at."""

from __future__ import annotations

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
    again: frozenset[int]  # the numbers of the runs that raised, and that this one tries again
    processor: Any
    datasets: Set[str]  # as far as they are known beforehand


class Tries:
    """The runs of Runners in this process, as far as they raised and were not tried again with success.

    It is the same if the processor is the same and works on the same datasets. Two objects of one class may be two
    variations of an analysis, of which both results are wanted: they are the same only if they are equal, as pickles.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._raised: list[Try] = []

    def begin(self, processor: Any, datasets: Set[str]) -> Try:
        """A Runner runs. Comparing costs nothing as long as nothing raised."""
        number = next(self._numbers)
        again = [t for t in self._raised if _may_overlap(t.datasets, datasets) and _are_same(t.processor, processor)]
        before = again[-1].round if again else number
        return Try(number, before, frozenset(t.number for t in again), processor, datasets)

    def raised(self, this: Try) -> None:
        self._raised.append(this)

    def returned(self, this: Try) -> None:
        """What comes after a success is another result."""
        self._raised = [t for t in self._raised if t.number not in this.again or not t.datasets <= this.datasets]

    def forget(self) -> None:
        """Let go of the processors."""
        self._raised.clear()


def _may_overlap(one: Set[str], other: Set[str]) -> bool:
    return not one or not other or bool(one & other)


def _are_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    import cloudpickle

    try:
        return bool(cloudpickle.dumps(one) == cloudpickle.dumps(other))
    except Exception:
        _log.debug("processors that cannot be pickled are not known to be equal", exc_info=True)
        return False
