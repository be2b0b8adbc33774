"""Numbers as people read them, turned back: what a text says, and how far it may be from what it was rounded from."""

from __future__ import annotations

import re

SCALES = {"s": 1, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600, "d": 86400,
          "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
          "Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9, "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
          "B/s": 8, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9, "k": 1e3, "M": 1e6, "G": 1e9, "%": 1, "×": 1, "": 1}  # fmt: skip
UNITS = {"kHz": 1e3, "kHz/core": 1e3, "MiB": 2**20, "GB": 1e9, "us": 1e-6, "Gbit/s": 1e9, "B/s": 8, "MB/s": 8e6}  # others: 1

NUMBER = re.compile(
    r"(?P<below>< )?-?\d+(?: \d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
    r" ?(?:[kKMGT]?(?:i?B|Hz|bit)(?:/s)?|min|ms|µs|us|ns|[hds%×kMG](?![a-z]))?(?: \d+ (?:min|s)\b)?"
)


def shown(text: str) -> list[tuple[float, float]]:
    """What a text may say: numbers, and how far they may be from what they were rounded from."""
    text = text.replace("\u202f", " ").replace("−", "-")
    found = []
    for told in NUMBER.finditer(text):
        parts = re.findall(r"(-?\d+(?: \d{3})*(?:\.\d+)?(?:e[-+]?\d+)?) ?([^\d\s-]*)", told[0])
        value = sum(float(digits.replace(" ", "")) * SCALES.get(unit, 1) for digits, unit in parts)
        digits, unit = parts[-1]
        decimals = len(digits.split(".")[1].split("e")[0]) if "." in digits else 0
        exponent = int(digits.split("e")[1]) if "e" in digits else 0
        if told["below"]:
            found.append((value / 2, value / 2))
        else:
            found.append((value, 0.5000001 * 10.0 ** (exponent - decimals) * SCALES.get(unit, 1)))
    return found


def says(text: str, value: object, unit: str) -> bool:
    """Whether a text shows the value of a metric that is counted in this unit."""
    if isinstance(value, str):
        return value in text or text == value.removeprefix("tcp://")  # a worker goes by its address without the scheme
    value *= 100 if unit in ("ratio", "") and "%" in text else UNITS.get(unit, 1)
    return any(abs(abs(told) - abs(value)) <= slack for told, slack in shown(text)) or (abs(value) < 1e-3 and "0" in text)
