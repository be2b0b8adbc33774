"""Numbers in dicts: whatever kind they are of, and None is no number. Whole ones stay whole."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["Number", "number_in", "number_of", "numbers_of"]

Number = int | float


def number_of(value: Any) -> Number:
    """Any kind of number as one of Python's."""
    try:
        return operator.index(value)
    except TypeError:
        return math.fsum((value,))  # unlike float() it takes no text


def number_in(mapping: Mapping[str, Any], key: str) -> Number:
    """The number under a key; 0 if there is none."""
    value = mapping.get(key)
    return 0 if value is None else number_of(value)


def numbers_of(records: Iterable[Mapping[str, Any]], key: str) -> list[Number]:
    """The numbers that records have under a key."""
    values = (record.get(key) for record in records)
    return [value if type(value) in (int, float) else number_of(value) for value in values if value is not None]
