"""What Runners were asked for, and what of it is not in their results.

coffea knows both: the work items that it made of a fileset, and those that its result holds (``processed``). What is in
between is what was lost, whoever measured what: files that preprocessing dropped, chunks that were skipped. Where a run
raised, nobody has a result: all of it is missing, whatever chunks succeeded.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from roastcoffea import messages
from roastcoffea.guard import without_secrets
from roastcoffea.work import describe, file_key, item_key

__all__ = ["Requests", "Unopened", "items_for"]


class Unopened(NamedTuple):
    """A file of a fileset of which coffea could not read what is in it."""

    dataset: str
    filename: str
    treename: str | None


class Lost(NamedTuple):
    """Entries of a work item that the result does not have."""

    item: Any
    start: int
    stop: int


class _Round:
    """One run of a Runner."""

    def __init__(self) -> None:
        self.asked: dict[bytes, Any] = {}
        self.unopened: list[Unopened] = []
        self.lost: list[Lost] | None = None  # as coffea says; None if it returned nothing

    def returned(self, processed: Iterable[Any]) -> None:
        self.lost = list(_not_in(self.asked, processed))

    def missing(self) -> list[Lost]:
        if self.lost is not None:
            return self.lost
        return [Lost(item, item.entrystart, item.entrystop) for item in self.asked.values()]


class Requests:
    """The runs of Runners while something is recorded. Each is a round, known by its number."""

    def __init__(self) -> None:
        self._rounds: dict[int | None, _Round] = {}
        self._failures: dict[bytes, list[messages.Unopened]] = {}
        self._unopened: list[Unopened] = []  # in preprocessing before a run
        self.unknown: str | None = None  # why it is not known what was asked for, or what became of it

    def begin(self, number: int) -> None:
        """A Runner runs; what preprocessing dropped before belongs to it."""
        this = self._round(number)
        this.unopened += self._unopened
        self._unopened = []

    def item(self, item: Any, number: int | None) -> None:
        """A work item, to be done in a round; None: it is not known yet in which."""
        self._round(number).asked[item_key(item)] = item

    def find(self, key: bytes, number: int | None) -> Any:
        """The work item of this key; None if nobody told of it."""
        for this in (self._rounds.get(number), self._rounds.get(None)):
            if this is not None and key in this.asked:
                return this.asked[key]
        return None

    def dropped(self, files: Iterable[Unopened], number: int | None) -> None:
        """Files that preprocessing left out."""
        target = self._unopened if number is None else self._round(number).unopened
        target.extend(files)

    def failed_to_open(self, failure: messages.Unopened) -> None:
        """An attempt of preprocessing failed; another one may succeed."""
        self._failures.setdefault(failure.file, []).append(failure)

    def returned(self, number: int, processed: Iterable[Any]) -> None:
        """A Runner returned, with a result of these work items."""
        self._round(number).returned(processed)

    def forget(self, number: int) -> None:
        """A Runner returned without saying with what. Records of chunks alone would call missing what nobody measured."""
        self._rounds.pop(number, None)

    def _round(self, number: int | None) -> _Round:
        return self._rounds.setdefault(number, _Round())

    # ---- for the run file

    def records(self) -> list[dict[str, Any]]:
        """Records of the kind ``work``: each dataset of each round, and what of it is missing."""
        rounds = {number: this for number, this in self._rounds.items() if number is not None}
        for this in rounds.values():
            if not this.asked and this.lost is None:
                self.unknown = self.unknown or "preprocessing failed: what there was to process is not known"
        if self.unknown:
            return []
        return [record for number, this in rounds.items() for record in self._records_of(number, this)]

    def _records_of(self, number: int, this: _Round) -> Iterator[dict[str, Any]]:
        chunks: Counter[str] = Counter(item.dataset for item in this.asked.values())
        events: Counter[str] = Counter()
        for item in this.asked.values():
            events[item.dataset] += item.entrystop - item.entrystart
        files = {_file_of(item) for item in this.asked.values()} | set(this.unopened)
        per_dataset = Counter(file.dataset for file in files)
        for dataset, count in per_dataset.items():
            known = {"files": count, "chunks": chunks[dataset], "events": events[dataset]}
            yield {"round": number, "dataset": dataset, **known}
        for file in this.unopened:
            yield {"round": number, **self._describe_unopened(file)}
        missing = this.missing()
        whole = _lost_as_a_whole(this.asked.values(), missing)
        for item, start, stop in missing:
            part = describe(item) | {"entry_start": start, "entry_stop": stop, "whole": _file_of(item) in whole}
            yield {"round": number, **part}

    def _describe_unopened(self, file: Unopened) -> dict[str, Any]:
        failures = self._failures.get(file_key(file), [])
        described: dict[str, Any] = {"dataset": file.dataset, "file": file.filename, "treename": file.treename}
        described["whole"] = True
        if failures:
            described |= {"attempts": len(failures), "error_type": failures[-1].error_type, "error": failures[-1].error}
        return described


def _file_of(item: Any) -> Unopened:
    return Unopened(item.dataset, item.filename, item.treename)


def _lost_as_a_whole(asked: Iterable[Any], missing: list[Lost]) -> set[Unopened]:
    """The files of which nothing is there."""
    lost: Counter[Unopened] = Counter()
    wanted: Counter[Unopened] = Counter()
    for item, start, stop in missing:
        lost[_file_of(item)] += stop - start
    for item in asked:
        if _file_of(item) in lost:
            wanted[_file_of(item)] += item.entrystop - item.entrystart
    return {file for file, events in lost.items() if events == wanted[file]}


def _not_in(asked: dict[bytes, Any], processed: Iterable[Any]) -> Iterator[Lost]:
    """The entries that were asked for and not processed. An executor may have cut items into smaller ones."""
    done: set[bytes] = set()
    pieces: dict[Unopened, list[tuple[int, int]]] = {}
    for item in processed:
        key = item_key(item)
        done.add(key)
        if key not in asked:
            pieces.setdefault(_file_of(item), []).append((item.entrystart, item.entrystop))
    for of_file in pieces.values():
        of_file.sort()
    for key, item in asked.items():
        if key not in done:
            for start, stop in _without(item.entrystart, item.entrystop, pieces.get(_file_of(item), [])):
                yield Lost(item, start, stop)


def _without(start: int, stop: int, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What pieces, in order, leave of a range. One without entries is left, too, unless there are pieces."""
    if start == stop and not pieces:
        yield start, stop
    before = bisect.bisect_left(pieces, (start, start))  # the one before may reach into it
    for first, last in itertools.islice(pieces, max(before - 1, 0), None):
        if first >= stop:
            break
        if first > start:
            yield start, first
        start = max(start, last)
    if start < stop:
        yield start, stop


# ---- to run again


def items_for(missing: Iterable[Mapping[str, Any]], runner: Any, fileset: Mapping[str, Any] | None = None) -> list[Any]:
    """Work items for the rows of ``roast show RUN --only missing --json``; see ``Run.missing_items``."""
    from coffea.processor.executor import WorkItem

    names = _real_names(fileset)
    items: list[Any] = []
    unopened: dict[str, Any] = {}
    for row in missing:
        dataset, metadata = row["dataset"], _metadata_of(fileset, row["dataset"])
        file = names.get((dataset, row["file"]), row["file"])
        if row["entry_start"] is None:
            files = unopened.setdefault(dataset, {"files": {}, **({"metadata": metadata} if metadata else {})})
            files["files"][file] = row["treename"]
        else:
            items.append(WorkItem(dataset, file, row["treename"], row["entry_start"], row["entry_stop"], b"", metadata))
    if unopened:
        items += list(runner.preprocess(unopened))
    return items


def _metadata_of(fileset: Mapping[str, Any] | None, dataset: str) -> dict[str, Any]:
    entry = (fileset or {}).get(dataset)
    return dict(entry.get("metadata") or {}) if isinstance(entry, Mapping) else {}


def _real_names(fileset: Mapping[str, Any] | None) -> dict[tuple[str, str], str]:
    """The addresses of a fileset, by how they are recorded: without secrets."""
    names = {}
    for dataset, entry in (fileset or {}).items():
        for file in entry["files"] if isinstance(entry, Mapping) else entry:
            names[dataset, without_secrets(file)] = file
    return names
