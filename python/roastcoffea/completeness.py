"""What Runners were asked for, and what of it is not in their results.

coffea knows both: the work items that it made of a fileset, and those that its result holds (``processed``). What is in
between is what was lost, whoever measured what: files that preprocessing dropped, chunks that were skipped. Where a run
raised, nobody has a result: all of it is missing, whatever chunks succeeded, unless it was asked for again.
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Entries that the result does not have, of a work item or of several."""

    item: Any  # the first
    start: int
    stop: int
    chunks: int = 1
    events: int | None = None  # if there are gaps between the chunks


_Ranges = dict[Unopened, list[tuple[int, int]]]  # of files, in order
_Records = Iterator[dict[str, Any]]


class _Round:
    """One run of a Runner."""

    def __init__(self) -> None:
        self.processor: str | None = None
        self.datasets: set[str] = set()  # as far as they were told beforehand
        self.asked: dict[bytes, Any] = {}
        self.unopened: list[Unopened] = []
        self.lost: list[Lost] = []  # as coffea says
        self.ended = False  # the Runner returned
        self.told = False  # and said with what
        self.unknown: str | None = None  # why it is not known what was lost
        self._repeated: Counter[str] = Counter()  # events of each dataset that a later round was asked for instead
        self._repeated_chunks: Counter[str] = Counter()

    def returned(self, processed: Iterable[Any]) -> None:
        self.ended = self.told = True
        self.lost = list(_not_in(self.asked, processed))

    def close(self) -> None:
        """What did not return raised."""
        if self.ended:
            return
        self.lost = [Lost(item, item.entrystart, item.entrystop) for item in self.asked.values()]
        if not self.asked and not self.unopened:
            self.unknown = "preprocessing failed: what there was to process is not known"

    # ---- what a later round was asked for again

    def is_in(self, lacking: _Ranges, unopened: set[Unopened]) -> bool:
        """Whether it was asked for nothing but what others lack."""
        return set(self.unopened) <= unopened and all(
            _file_of(item) in unopened
            or not any(_without(item.entrystart, item.entrystop, lacking.get(_file_of(item), [])))
            for item in self.asked.values()
        )

    def hand_over(self, later: _Round) -> None:
        """What another one was asked for again is missing there, or not at all."""
        ranges = _ranges_of(Lost(item, item.entrystart, item.entrystop) for item in later.asked.values())
        files = ranges.keys() | set(later.unopened)
        self.unopened = [file for file in self.unopened if file not in files]
        before, self.lost = self.lost, []
        for lost in before:
            rest = list(_without(lost.start, lost.stop, ranges.get(_file_of(lost.item), [])))
            self.lost += [lost._replace(start=start, stop=stop) for start, stop in rest]
            self._repeated[lost.item.dataset] += lost.stop - lost.start - sum(stop - start for start, stop in rest)
            self._repeated_chunks[lost.item.dataset] += not rest
        if not self.ended and self.datasets and self.datasets <= later.datasets:
            self.unknown = None

    # ---- for the run file

    def records(self, failures: Mapping[bytes, list[messages.Unopened]], ends: Mapping[Unopened, int]) -> _Records:
        chunks: Counter[str] = Counter()
        events: Counter[str] = Counter()
        files = set(self.unopened)
        for item in self.asked.values():
            chunks[item.dataset] += 1
            events[item.dataset] += item.entrystop - item.entrystart
            files.add(_file_of(item))
        if self.ended:  # what is repeated was never done; of a run that raised it may have been
            chunks -= self._repeated_chunks
        for dataset, count in Counter(file.dataset for file in files).items():
            known = {"files": count, "chunks": chunks[dataset], "events": events[dataset] - self._repeated[dataset]}
            yield {"dataset": dataset, **known}
        for file in self.unopened:
            yield _describe_unopened(file, failures.get(file_key(file), []))
        for file, of_file in _files_of(self.lost).items():
            whole = _events_of(of_file) == ends.get(file)  # as far as it is known how many it has
            for lost in of_file if self.ended else [_as_one(of_file)]:
                part = {"entry_start": lost.start, "entry_stop": lost.stop, "chunks": lost.chunks, "events": lost.events}
                yield describe(lost.item) | part | {"whole": whole}


class Requests:
    """The runs of Runners while something is recorded. Each is a round, known by its number."""

    def __init__(self) -> None:
        self._rounds: dict[int | None, _Round] = {}
        self._failures: dict[bytes, list[messages.Unopened]] = {}
        self._unopened: list[Unopened] = []  # in preprocessing before a run
        self._ends: dict[Unopened, int] = {}  # the number of entries of files that were cut into chunks as a whole
        self.unknown: str | None = None  # why it is not known what was asked for in some round, or what became of it

    def begin(self, number: int, processor: str | None = None, datasets: Iterable[str] = ()) -> None:
        """A Runner runs, with a processor of this name."""
        this = self._round(number)
        this.processor, this.datasets = processor, set(datasets)
        self.prepared(number)

    def prepared(self, number: int) -> None:
        """What it was given is known; what preprocessing dropped before belongs to it."""
        self._round(number).unopened += self._unopened
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

    def sizes(self, ends: Mapping[Any, int]) -> None:
        """The entries of files, by dataset, file and tree."""
        self._ends.update(ends)

    def failed_to_open(self, failure: messages.Unopened) -> None:
        """An attempt of preprocessing failed; another one may succeed."""
        self._failures.setdefault(failure.file, []).append(failure)

    def returned(self, number: int, processed: Iterable[Any]) -> None:
        """A Runner returned, with a result of these work items."""
        self._round(number).returned(processed)

    def returned_untold(self, number: int, why: str | None = None) -> None:
        """A Runner returned without saying with what. Records of chunks alone would call missing what nobody measured."""
        this = self._round(number)
        this.ended, this.unknown = True, why

    def _round(self, number: int | None) -> _Round:
        return self._rounds.setdefault(number, _Round())

    # ---- for the run file

    def records(self) -> list[dict[str, Any]]:
        """Records of the kind ``work``: each dataset of each round, and what of it is missing."""
        rounds = {number: this for number, this in self._rounds.items() if number is not None}
        for this in rounds.values():
            this.close()
        _settle(list(rounds.values()))
        self.unknown = next((this.unknown for this in rounds.values() if this.unknown), None)
        made = [
            {"round": number, "raised": not this.ended, **record}
            for number, this in rounds.items()
            if this.told or not (this.ended or this.unknown)
            for record in this.records(self._failures, self._ends)
        ]
        if made and not all(this.told or not this.ended for this in rounds.values()):
            self.unknown = self.unknown or "this release of coffea does not tell what its result holds"
        return made


def _settle(rounds: Sequence[_Round]) -> None:
    """Leave out what is missing in a round and was asked for in a later one again.

    After one that raised, whoever asks for the same asks for it again. After one that returned, it may be another result of
    the same events, with other parameters; it repeats what is missing if it was asked for nothing else.
    """
    for i, later in enumerate(rounds):
        lacking = [r for r in rounds[:i] if (r.lost or r.unopened or r.unknown) and r.processor == later.processor]
        if not lacking:
            continue
        ranges = _ranges_of(lost for earlier in lacking for lost in earlier.lost)
        again = later.is_in(ranges, {file for earlier in lacking for file in earlier.unopened})
        for earlier in lacking:
            if not earlier.ended or (again and later.ended):
                earlier.hand_over(later)
            elif again:  # in vain: it is missing where there is a result to add to
                later.hand_over(earlier)


def _describe_unopened(file: Unopened, failures: Sequence[messages.Unopened]) -> dict[str, Any]:
    described: dict[str, Any] = {"dataset": file.dataset, "file": file.filename, "treename": file.treename}
    described["whole"] = True
    if failures:
        described |= {"attempts": len(failures), "error_type": failures[-1].error_type, "error": failures[-1].error}
    return described


def _file_of(item: Any) -> Unopened:
    return Unopened(item.dataset, item.filename, item.treename)


def _ranges_of(parts: Iterable[Lost]) -> _Ranges:
    """What parts cover together."""
    ranges: _Ranges = {}
    for lost in _joined(parts):
        ranges.setdefault(_file_of(lost.item), []).append((lost.start, lost.stop))
    return ranges


def _joined(parts: Iterable[Lost]) -> Iterator[Lost]:
    """The same entries in fewer parts, file by file: those that follow each other are one."""
    for of_file in _files_of(parts).values():
        of_file.sort(key=lambda lost: lost.start)
        first = of_file[0]
        for lost in of_file[1:]:
            if lost.start > first.stop:
                yield first
                first = lost
            else:
                first = first._replace(stop=max(first.stop, lost.stop), chunks=first.chunks + lost.chunks)
        yield first


def _as_one(of_file: Sequence[Lost]) -> Lost:
    """All that is missing of a file, which nobody runs again piece by piece."""
    start, stop = min(lost.start for lost in of_file), max(lost.stop for lost in of_file)
    return Lost(of_file[0].item, start, stop, len(of_file), _events_of(of_file))


def _events_of(parts: Iterable[Lost]) -> int:
    return sum(lost.stop - lost.start for lost in parts)


def _files_of(parts: Iterable[Lost]) -> dict[Unopened, list[Lost]]:
    per_file: defaultdict[Unopened, list[Lost]] = defaultdict(list)
    for lost in parts:
        per_file[_file_of(lost.item)].append(lost)
    return per_file


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
    for place in range(max(before - 1, 0), len(pieces)):
        first, last = pieces[place]
        if first >= stop:
            break
        if first > start:
            yield start, first
        start = max(start, last)
    if start < stop:
        yield start, stop


# ---- to run again


def items_for(missing: Iterable[Mapping[str, Any]], runner: Any, fileset: Mapping[str, Any]) -> list[Any]:
    """Work items for the rows of ``roast show RUN --only missing --json``; see ``Run.missing_items``."""
    from coffea.processor.executor import WorkItem

    names = _real_names(fileset)
    rows = [(_file_in(row, names), row) for row in missing if row.get("raised") != "yes"]
    unopened: dict[str, Any] = {}
    for file, row in rows:
        if row["entry_start"] is None:
            again = unopened.setdefault(file.dataset, _without_files(fileset, file.dataset))
            again["files"][file.filename] = file.treename
    items: list[Any] = []
    done: defaultdict[Unopened, list[tuple[int, int]]] = defaultdict(list)
    for file, row in rows:
        if row["entry_start"] is None or file.filename in unopened.get(file.dataset, {"files": ()})["files"]:
            continue
        for start, stop in list(_without(row["entry_start"], row["entry_stop"], done[file])):
            metadata = dict(_without_files(fileset, file.dataset).get("metadata") or {})
            items.append(WorkItem(*file, start, stop, b"", metadata))
            bisect.insort(done[file], (start, stop))
    if unopened:
        items += list(runner.preprocess(unopened))
    return items


def _file_in(row: Mapping[str, Any], names: Mapping[tuple[str, str], str]) -> Unopened:
    dataset = row["dataset"]
    return Unopened(dataset, names.get((dataset, row["file"]), row["file"]), row["treename"])


def _without_files(fileset: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """What a fileset says of a dataset beside its files."""
    if dataset not in fileset:
        raise ValueError(f"the fileset has no dataset {dataset!r}, of which events are missing: give the one of the run")
    entry = fileset[dataset]
    metadata = entry.get("metadata") if isinstance(entry, Mapping) else None
    return {"files": {}, **({"metadata": metadata} if metadata else {})}


def _real_names(fileset: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """The addresses of a fileset, by how they are recorded: without secrets."""
    names = {}
    for dataset, entry in fileset.items():
        for file in entry["files"] if isinstance(entry, Mapping) else entry:
            names[dataset, without_secrets(file)] = file
    return names
