"""Work items of coffea for what is missing of a run, to run it again."""

from __future__ import annotations

import bisect
import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roastcoffea import _core
from roastcoffea.entries import File, file_of, without
from roastcoffea.guard import without_secrets
from roastcoffea.hooks import not_opened
from roastcoffea.work import item_key

__all__ = ["Fileset", "items_for", "made_here"]

#: As coffea takes it: a dict, work items, or the path of a file of JSON.
Fileset = Mapping[str, Any] | list[Any] | tuple[Any, ...] | str | os.PathLike[str]

_made: set[bytes] = set()  # the keys of the items that were made here


def made_here(keys: Iterable[bytes]) -> bool:
    """Whether all these work items are of ``items_for``, which says which files it left out."""
    return _made.issuperset(keys)


def items_for(missing: Iterable[Mapping[str, Any]], runner: Any, fileset: Fileset) -> list[Any]:
    """Work items for the rows of ``roast show RUN --only missing --json``; see ``Run.missing_items``."""
    known = _Fileset(fileset)
    rows = [(known.file_in(row), row) for row in missing if row.get("raised") != "yes"]
    unopened = {file for file, row in rows if row["entry_start"] is None}
    suspects = {file for file, row in rows if row.get("nature") != "transient"} - unopened
    bad = {file for file in suspects if _is_cut_short(file.filename)}
    items = list(_items_of(((file, row) for file, row in rows if file not in unopened | bad), known))
    if unopened:
        more, closed = _open(unopened, runner, known)
        items, bad = items + more, bad | closed
    if bad:
        _say_that_they_are_bad(bad, others=bool(items))
    _made.update(map(item_key, items))
    return items


def _is_cut_short(filename: str) -> bool:
    """Whether a file ends before its header says that it does. What is no ROOT file does not tell."""
    import uproot

    try:
        with uproot.open(filename) as file:
            return bool(file.file.source.num_bytes < file.file.fEND)
    except (OSError, uproot.DeserializationError):
        return True
    except ValueError:
        return False


def _items_of(rows: Iterable[tuple[File, Mapping[str, Any]]], known: _Fileset) -> Iterator[Any]:
    """Each event once, of however many results it is missing."""
    from coffea.processor.executor import WorkItem

    done: defaultdict[File, list[tuple[int, int]]] = defaultdict(list)
    for file, row in rows:
        for start, stop in list(without(row["entry_start"], row["entry_stop"], done[file])):
            yield WorkItem(*file, start, stop, b"", dict(known.metadata(file.dataset) or {}))
            bisect.insort(done[file], (start, stop))


def _open(files: Iterable[File], runner: Any, known: _Fileset) -> tuple[list[Any], set[File]]:
    """The chunks of files that could not be opened before, and those that still cannot."""
    wanted: dict[str, Any] = {}
    for file in sorted(files):
        metadata = known.metadata(file.dataset)
        entry = wanted.setdefault(file.dataset, {"files": {}, **({"metadata": metadata} if metadata else {})})
        entry["files"][file.filename] = file.treename
    return list(runner.preprocess(wanted)), set(map(file_of, not_opened(runner, wanted)))


def _say_that_they_are_bad(files: Iterable[File], others: bool) -> None:
    """A warning, or an error if there are no others."""
    names = sorted({without_secrets(file.filename) for file in files})
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    text = f"{names[0]}{more} still cannot be read: repair what is broken or take another copy, then ask again"
    if not others:
        raise _core.RoastError(text)
    warnings.warn(text, stacklevel=4)


class _Fileset:
    """What the fileset of a run says: as coffea takes it, or cut into work items already."""

    def __init__(self, fileset: Fileset) -> None:
        self._metadata: dict[str, Any] = {}
        self._names: dict[tuple[str, str], str] = {}  # addresses, by how they are recorded: without secrets
        for dataset, names, metadata in _entries(fileset):
            self._metadata[dataset] = metadata
            self._names |= {(dataset, without_secrets(name)): name for name in names}

    def file_in(self, row: Mapping[str, Any]) -> File:
        dataset = row["dataset"]
        return File(dataset, self._names.get((dataset, row["file"]), row["file"]), row["treename"])

    def metadata(self, dataset: str) -> Any:
        if dataset not in self._metadata:
            raise ValueError(f"the fileset has no dataset {dataset!r}, of which events are missing: give the one of the run")
        return self._metadata[dataset]


def _entries(fileset: Fileset) -> Iterator[tuple[str, Iterable[str], Any]]:
    """Its datasets: name, addresses of files, metadata."""
    if isinstance(fileset, str | os.PathLike):
        yield from _entries(json.loads(Path(fileset).read_text()))
    elif isinstance(fileset, Mapping):
        for dataset, entry in fileset.items():
            in_full = isinstance(entry, Mapping)
            yield dataset, entry["files"] if in_full else entry, entry.get("metadata") if in_full else None
    else:
        for item in fileset:
            yield item.dataset, [item.filename], getattr(item, "usermeta", None)
