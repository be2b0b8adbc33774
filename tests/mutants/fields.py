"""Mutants of include/roast_records.def: each field dropped, packed without its base, or exchanged with another."""

from __future__ import annotations

import re
from pathlib import Path

from table import Mutant

LIST = "include/roast_records.def"
FIELD = re.compile(r"^ROAST_(?:FIELD|HIDDEN)\(\w+, .*\)$", re.MULTILINE)
RECORD, KIND, NAME, KEY, BASE, COLUMN, DETAIL, SHOWN = range(8)


def parts_of(line: str) -> list[str]:
    """What a line says, with the blanks around it; the last part is the help."""
    return line.split(",", 8)


def place_of(line: str) -> str:
    parts = parts_of(line)
    return f"{parts[RECORD].partition('(')[2]}.{parts[NAME].strip()}"


def is_hidden(line: str) -> bool:
    return line.startswith("ROAST_HIDDEN")


def field_mutants(root: Path) -> list[Mutant]:
    text = (root / LIST).read_text(encoding="utf-8")
    lines = [match.group(0) for match in FIELD.finditer(text)]
    dropped = [Mutant(LIST, line + "\n", "", f"dropped: {place_of(line)}") for line in lines]
    exchanged = [mutant for first, second in pairs(lines) for mutant in exchanges(text, first, second)]
    return dropped + exchanged + [mutant for line in lines for mutant in without_base(line)]


def pairs(lines: list[str]) -> list[tuple[str, str]]:
    """Each field and the next of its record that is of its kind."""
    last: dict[tuple[str, str], str] = {}
    found = []
    for line in lines:
        kind = parts_of(line)[RECORD].partition("(")[2], parts_of(line)[KIND].strip()
        if kind in last:
            found.append((last[kind], line))
        last[kind] = line
    return found


def exchanges(text: str, first: str, second: str) -> list[Mutant]:
    """The packed keys, and the shown names, of two fields."""
    one, other = parts_of(first), parts_of(second)
    between = text.partition(first)[2].partition(second)[0]
    packed = "0" not in (one[KEY].strip(), other[KEY].strip())
    shown = not is_hidden(first) and not is_hidden(second)
    made = []
    for place, word, possible in ((KEY, "keys", packed), (SHOWN, "names", shown)):
        if possible:
            a, b = one.copy(), other.copy()
            a[place], b[place] = other[place], one[place]
            title = f"{word} exchanged: {place_of(first)} and {other[NAME].strip()}"
            made.append(Mutant(LIST, first + between + second, ",".join(a) + between + ",".join(b), title))
    return made


def without_base(line: str) -> list[Mutant]:
    """A field that is packed as the difference to another stands alone."""
    parts = parts_of(line)
    if parts[BASE].strip() == parts[NAME].strip():
        return []
    parts[BASE] = f" {parts[NAME].strip()}"
    return [Mutant(LIST, line, ",".join(parts), f"without its base: {place_of(line)}")]
