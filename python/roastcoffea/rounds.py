"""What is missing when several Runners have run: what one did not get may have been asked for again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from roastcoffea.entries import File, Lost, copy_of, file_of, not_in, ranges_of, ranges_of_copies, without

__all__ = ["Missing", "Round", "missing_of", "settle"]

_NOTHING_IS_KNOWN = "a Runner raised before it was known what there was to process"
_CHANGED = "after events were lost, the same was asked for with a processor that had been changed: it may be another result"


@dataclass
class Round:
    """One run of a Runner, as it was told."""

    datasets: frozenset[str] = frozenset()  # as far as they were told beforehand
    again: frozenset[int] = frozenset()  # numbers of earlier runs, which this one may try again
    perhaps: frozenset[int] = frozenset()  # the same, if it is not another variation
    rerun: bool = False  # it was given what was missing, so that it is none
    asked: dict[bytes, Any] = field(default_factory=dict)
    unopened: list[File] = field(default_factory=list)
    processed: list[Any] | None = None  # the work items of its result, if it told
    ended: bool = False  # the Runner returned
    unknown: str | None = None  # why it is not known what was lost

    def doubt(self, why: str) -> None:
        """The first reason is told."""
        self.unknown = self.unknown or why


@dataclass(frozen=True)
class Missing:
    """What of a round is missing, and what of it counts for another one."""

    lost: tuple[Lost, ...] = ()
    unopened: tuple[File, ...] = ()
    unknown: str | None = None
    repeated: Counter[str] = field(default_factory=Counter)  # events of each dataset that another round counts
    repeated_chunks: Counter[str] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.lost or self.unopened or self.unknown)


def settle(rounds: dict[int, Round]) -> dict[int, Missing]:
    """What of each round, by its number, is missing in the end: nothing is missing twice.

    After one that raised, a later one that tries it again takes over what it was asked for. After one that returned, a later
    one may be another result of the same events: it repeats what is missing if it was asked for nothing else.
    """
    missing = {number: missing_of(this) for number, this in rounds.items()}
    for number, later in rounds.items():
        tried = later.again | later.perhaps if later.rerun else later.again
        before = [n for n in rounds if n < number and n in tried and missing[n]]
        raised = [n for n in before if not rounds[n].ended]
        returned = [n for n in before if rounds[n].ended]
        repeats = bool(returned) and _is_in(later, [missing[n] for n in before])
        for earlier in raised:
            missing[earlier] = _without_typo(rounds[earlier], later, _less(missing[earlier], later))
        for earlier in returned if repeats else ():
            if later.ended:
                missing[earlier] = _less(missing[earlier], later)
            else:  # in vain: it is missing where there is a result to add to
                missing[number] = _less(missing[number], rounds[earlier])
        for earlier in later.perhaps - tried:
            missing[earlier] = _in_doubt(rounds[earlier], missing[earlier], later)
    return missing


def missing_of(this: Round) -> Missing:
    """What a round lacks by itself."""
    if this.processed is not None:
        return Missing(tuple(not_in(this.asked, this.processed)), tuple(this.unopened), this.unknown)
    if this.ended:
        return Missing((), tuple(this.unopened), this.unknown)
    unknown = this.unknown if this.asked or this.unopened else _NOTHING_IS_KNOWN
    return Missing(tuple(_everything(this)), tuple(this.unopened), unknown)


def _everything(this: Round) -> Iterable[Lost]:
    return (Lost(item, item.entrystart, item.entrystop) for item in this.asked.values())


def _is_in(this: Round, others: Sequence[Missing]) -> bool:
    """Whether a round was asked for nothing but what others lack."""
    lacking = ranges_of(lost for other in others for lost in other.lost)
    unopened = {file for other in others for file in other.unopened}
    return set(this.unopened) <= unopened and all(
        file_of(item) in unopened or not any(without(item.entrystart, item.entrystop, lacking.get(file_of(item), [])))
        for item in this.asked.values()
    )


def _less(missing: Missing, other: Round) -> Missing:
    """Without what another round was asked for, of the same files or of copies: it is missing there, or not at all."""
    by_file = ranges_of(_everything(other))
    by_copy = ranges_of_copies(_everything(other))
    files = by_file.keys() | set(other.unopened)
    left: list[Lost] = []
    repeated, repeated_chunks = Counter(missing.repeated), Counter(missing.repeated_chunks)
    for lost in missing.lost:
        pieces = by_file.get(file_of(lost.item)) or by_copy.get(copy_of(lost.item), [])
        rest = list(without(lost.start, lost.stop, pieces))
        left += [lost._replace(start=start, stop=stop) for start, stop in rest]
        repeated[lost.item.dataset] += lost.stop - lost.start - sum(stop - start for start, stop in rest)
        repeated_chunks[lost.item.dataset] += not rest
    unopened = tuple(file for file in missing.unopened if file not in files)
    return Missing(tuple(left), unopened, missing.unknown, repeated, repeated_chunks)


def _without_typo(earlier: Round, later: Round, missing: Missing) -> Missing:
    """Preprocessing raised, and as many files of the same datasets were asked for again: the others were replaced."""
    if earlier.asked or not earlier.datasets or not earlier.datasets <= later.datasets:
        return missing
    now = Counter(file.dataset for file in {*map(file_of, later.asked.values()), *later.unopened})
    if any(now[dataset] < count for dataset, count in Counter(file.dataset for file in earlier.unopened).items()):
        return missing
    return replace(missing, unopened=(), unknown=None)


def _in_doubt(earlier: Round, missing: Missing, later: Round) -> Missing:
    """A later round was asked for what is missing, but it may be another variation."""
    if earlier.ended and not _is_in(later, [missing]):
        return missing
    rest = _less(missing, later)
    same = len(rest.lost) == len(missing.lost) and len(rest.unopened) == len(missing.unopened)
    return missing if same else replace(rest, unknown=rest.unknown or _CHANGED)
