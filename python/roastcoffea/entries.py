"""Entries of files, as ranges: what is in one set of them and not in another."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from roastcoffea.work import item_key

__all__ = [
    "File",
    "Lost",
    "Ranges",
    "as_one",
    "copy_of",
    "events_of",
    "file_of",
    "files_of",
    "not_in",
    "ranges_of",
    "ranges_of_copies",
    "without",
]


class File(NamedTuple):
    """A tree in a file of a dataset."""

    dataset: str
    filename: str
    treename: str | None


class Lost(NamedTuple):
    """Entries that a result does not have, of a work item or of several."""

    item: Any  # the first
    start: int
    stop: int
    chunks: int = 1
    events: int | None = None  # if there are gaps between the chunks


Ranges = list[tuple[int, int]]  # in order
Place = TypeVar("Place", bound=Hashable)


def file_of(item: Any) -> File:
    """The file of a work item, or of what coffea knows of a file."""
    return File(item.dataset, item.filename, item.treename)


def copy_of(item: Any) -> Hashable:
    """The same for every copy of a file, wherever it is; its address if it has no number of its own."""
    return (item.dataset, item.fileuuid, item.treename) if item.fileuuid else file_of(item)


def files_of(parts: Iterable[Lost]) -> dict[File, list[Lost]]:
    """Parts by file."""
    return _by(file_of, parts)


def _by(key: Callable[[Any], Place], parts: Iterable[Lost]) -> dict[Place, list[Lost]]:
    grouped: defaultdict[Place, list[Lost]] = defaultdict(list)
    for lost in parts:
        grouped[key(lost.item)].append(lost)
    return grouped


def events_of(parts: Iterable[Lost]) -> int:
    """How many events parts are that do not overlap."""
    return sum(lost.stop - lost.start for lost in parts)


def as_one(of_file: Sequence[Lost]) -> Lost:
    """All that is missing of a file, which nobody runs again piece by piece."""
    start, stop = min(lost.start for lost in of_file), max(lost.stop for lost in of_file)
    return Lost(of_file[0].item, start, stop, len(of_file), events_of(of_file))


def ranges_of(parts: Iterable[Lost]) -> dict[File, Ranges]:
    """What parts cover together, by file."""
    return _covered(_by(file_of, parts))


def ranges_of_copies(parts: Iterable[Lost]) -> dict[Hashable, Ranges]:
    """The same for files that are known by what they are and not by where."""
    return _covered(_by(copy_of, parts))


def _covered(parts: Mapping[Place, Sequence[Lost]]) -> dict[Place, Ranges]:
    return {place: list(_joined((lost.start, lost.stop) for lost in some)) for place, some in parts.items()}


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same entries in fewer ranges, in order: those that follow each other are one."""
    first, *rest = sorted(ranges)
    for start, stop in rest:
        if start > first[1]:
            yield first
            first = (start, stop)
        else:
            first = (first[0], max(first[1], stop))
    yield first


def not_in(asked: Mapping[bytes, Any], processed: Iterable[Any]) -> Iterator[Lost]:
    """The entries that were asked for and not processed. An executor may have cut items into smaller ones."""
    done: set[bytes] = set()
    pieces: defaultdict[File, list[tuple[int, int]]] = defaultdict(list)
    for item in processed:
        key = item_key(item)
        done.add(key)
        if key not in asked:
            pieces[file_of(item)].append((item.entrystart, item.entrystop))
    for of_file in pieces.values():
        of_file.sort()
    for key, item in asked.items():
        if key not in done:
            for start, stop in without(item.entrystart, item.entrystop, pieces.get(file_of(item), [])):
                yield Lost(item, start, stop)


def without(start: int, stop: int, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What pieces, in order, leave of a range. One without entries is left, too, unless there are pieces."""
    if start == stop and not pieces:
        yield start, stop
    before = bisect.bisect_left(pieces, (start, start))  # the one before may reach into it
    for place in range(max(before - 1, 0), len(pieces)):
        first, last = pieces[place]
        if first >= stop:
            break
        if first > start:
            yield start, first
        start = max(start, last)
    if start < stop:
        yield start, stop
