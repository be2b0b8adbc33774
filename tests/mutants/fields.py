"""Mutants of include/roast_records.def: each field dropped, and what two neighbours of one kind say exchanged."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from table import Mutant

LIST = "include/roast_records.def"
FIELD = re.compile(r"^ROAST_FIELD\((.*)\)$", re.MULTILINE)
RECORD, KIND, NAME, KEY, BASE, COLUMN, DETAIL, SHOWN = range(8)


def parts_of(line: str) -> list[str]:
    """What a line says, with the blanks around it; the last part is the help."""
    return line.split(",", 8)


def place_of(line: str) -> str:
    parts = parts_of(line)
    return f"{parts[RECORD].partition('(')[2]}.{parts[NAME].strip()}"


def field_mutants(root: Path) -> list[Mutant]:
    path = root / LIST
    lines = [match.group(0) for match in FIELD.finditer(path.read_text(encoding="utf-8"))] if path.exists() else []
    dropped = [Mutant(LIST, line + "\n", "", f"dropped: {place_of(line)}") for line in lines]
    exchanged = [mutant for first, second in pairwise(lines) for mutant in exchanges(first, second)]
    return dropped + exchanged


def exchanges(first: str, second: str) -> list[Mutant]:
    """The packed keys, and the shown names, of two neighbours of one kind."""
    one, other = parts_of(first), parts_of(second)
    if one[RECORD] != other[RECORD] or one[KIND].strip() != other[KIND].strip():
        return []
    pair = f"{place_of(first)} and {other[NAME].strip()}"
    made = []
    for place, word, nothing in ((KEY, "keys", "0"), (SHOWN, "names", '""')):
        if nothing not in (one[place].strip(), other[place].strip()):
            a, b = one.copy(), other.copy()
            a[place], b[place] = other[place], one[place]
            made.append(Mutant(LIST, f"{first}\n{second}", f"{','.join(a)}\n{','.join(b)}", f"{word} exchanged: {pair}"))
    return made
