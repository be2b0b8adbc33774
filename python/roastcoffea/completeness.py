"""What Runners were asked for, and what of it is not in their results.

coffea knows both: the work items that it made of a fileset, and those that its result holds (``processed``). What is in
between is what was lost, whoever measured what: files that preprocessing dropped, chunks that were skipped. Where a run
raised, nobody has a result: all of it is missing, whatever chunks succeeded, unless it was asked for again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from roastcoffea import messages
from roastcoffea.entries import File, as_one, events_of, file_of, files_of
from roastcoffea.rerun import made_here
from roastcoffea.rounds import Missing, Round, missing_of, settle
from roastcoffea.work import describe, file_key, item_key

__all__ = ["Requests"]


class Requests:
    """The runs of Runners while something is recorded. Each is a round, known by its number."""

    def __init__(self) -> None:
        self._rounds: defaultdict[int, Round] = defaultdict(Round)
        self._preprocessed: dict[bytes, Any] = {}  # work items of preprocessing that was not part of a run
        self._unopened: list[File] = []  # files that it left out
        self._failures: dict[bytes, list[messages.Unopened]] = {}
        self._ends: dict[File, int] = {}  # the number of entries of files that were cut into chunks as a whole
        self.unknown: str | None = None  # why it is not known what was asked for in some round, or what became of it

    def begin(
        self, number: int, datasets: Iterable[str] = (), again: Iterable[int] = (), perhaps: Iterable[int] = ()
    ) -> None:
        """A Runner runs; again, perhaps: numbers of others, which it tries again for certain, or may."""
        self._rounds[number] = Round(frozenset(datasets), frozenset(again), frozenset(perhaps))

    def prepared(self, number: int) -> None:
        """What it was given is known; what preprocessing dropped before belongs to it."""
        self.dropped(self._unopened, number)
        self._unopened = []

    def item(self, item: Any, number: int | None) -> None:
        """A work item, to be done in a round; None: it is not known yet in which."""
        key = item_key(item)
        if number is None:
            self._preprocessed[key] = item
            return
        this = self._rounds[number]
        if key in this.asked:
            this.doubt(f"{item.filename} is twice in dataset {item.dataset}, so that its events count twice in the result")
        this.asked[key] = item

    def given(self, number: int, why_unknown: str | None) -> None:
        """A round was given work items. If preprocessing made them unseen, it is not known which files it dropped."""
        this = self._rounds[number]
        this.rerun = made_here(this.asked)
        if why_unknown and not made_here(this.asked.keys() - self._preprocessed.keys()):
            this.doubt(why_unknown)

    def doubt(self, number: int, why: str) -> None:
        """It is not known whether the result of a round will be whole."""
        self._rounds[number].doubt(why)

    def find(self, key: bytes) -> Any:
        """The work item of this key; None if nobody told of it."""
        told = [self._preprocessed, *(this.asked for this in self._rounds.values())]
        return next((items[key] for items in told if key in items), None)

    def dropped(self, files: Iterable[File], number: int | None) -> None:
        """Files that preprocessing left out, or did not get to."""
        target = self._unopened if number is None else self._rounds[number].unopened
        target.extend(file for file in dict.fromkeys(files) if file not in set(target))

    def sizes(self, ends: Mapping[File, int]) -> None:
        """The entries of files."""
        self._ends.update(ends)

    def failed_to_open(self, failure: messages.Unopened) -> None:
        """An attempt of preprocessing failed; another one may succeed."""
        self._failures.setdefault(failure.file, []).append(failure)

    def returned(self, number: int, processed: Iterable[Any]) -> None:
        """A Runner returned, with a result of these work items."""
        this = self._rounds[number]
        this.ended, this.processed = True, list(processed)

    def lacks(self, number: int) -> bool:
        """Whether the result of a round that has returned is known not to be whole."""
        missing = missing_of(self._rounds[number])
        return bool(missing.lost or missing.unopened)

    def returned_untold(self, number: int, why: str | None = None) -> None:
        """A Runner returned without saying with what. Records of chunks alone would call missing what nobody measured."""
        this = self._rounds[number]
        this.ended = True
        if why:
            this.doubt(why)

    @property
    def chunks(self) -> int:
        """How many chunks were asked for so far."""
        return sum(len(this.asked) for this in self._rounds.values())

    # ---- for the run file

    def records(self) -> list[dict[str, Any]]:
        """Records of the kind ``work``: each dataset of each round, and what of it is missing."""
        settled = settle(self._rounds)
        self.unknown = next((missing.unknown for missing in settled.values() if missing.unknown), None)
        made: list[dict[str, Any]] = []
        untold = False
        for number, this in self._rounds.items():
            if this.ended and this.processed is None:
                untold = True
                continue
            made += ({"round": number, "raised": not this.ended, **record} for record in self._records(this, settled[number]))
        if made and untold:
            self.unknown = self.unknown or "this release of coffea does not tell what its result holds"
        return made

    def _records(self, this: Round, missing: Missing) -> Iterator[dict[str, Any]]:
        yield from _what_was_asked(this, missing)
        for file in missing.unopened:
            yield _describe_unopened(file, self._failures.get(file_key(file), []))
        for file, of_file in files_of(missing.lost).items():
            whole = events_of(of_file) == self._ends.get(file)  # as far as it is known how many it has
            for lost in of_file if this.ended else [as_one(of_file)]:
                part = {"entry_start": lost.start, "entry_stop": lost.stop, "chunks": lost.chunks, "events": lost.events}
                yield describe(lost.item) | part | {"whole": whole}


def _what_was_asked(this: Round, missing: Missing) -> Iterator[dict[str, Any]]:
    """How much of each dataset."""
    chunks: Counter[str] = Counter()
    events: Counter[str] = Counter()
    files = set(missing.unopened)
    for item in this.asked.values():
        chunks[item.dataset] += 1
        events[item.dataset] += item.entrystop - item.entrystart
        files.add(file_of(item))
    chunks -= missing.repeated_chunks
    for dataset, count in Counter(file.dataset for file in files).items():
        known = {"files": count, "chunks": chunks[dataset], "events": events[dataset] - missing.repeated[dataset]}
        yield {"dataset": dataset, **known}


def _describe_unopened(file: File, failures: Sequence[messages.Unopened]) -> dict[str, Any]:
    described: dict[str, Any] = {"dataset": file.dataset, "file": file.filename, "treename": file.treename}
    described["whole"] = True
    if failures:
        described |= {"attempts": len(failures), "error_type": failures[-1].error_type, "error": failures[-1].error}
    return described
