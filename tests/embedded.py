"""The data that a report carries, read the way its format says (src/view/page_columns.h), for tests to compare with the run."""

from __future__ import annotations

import base64
import json
import pathlib
import re
import zlib

COLUMN = re.compile(
    r'<script type="text/plain" data-set="(\w+)" data-column="(\w+)" data-width="(\d)" data-deltas="(\d)">([^<]*)</script>'
)


def values(width: int, deltas: bool, letters: str) -> list[int | None]:
    planes = zlib.decompress(base64.b64decode(letters))
    count = len(planes) // width if width else 0
    codes = [sum(planes[rank * count + i] << (8 * rank) for rank in range(width)) for i in range(count)]
    if not deltas:
        return [code - 1 if code else None for code in codes]
    result, last = [], 0
    for code in codes:
        last += -(code + 1) // 2 if code & 1 else code // 2
        result.append(last)
    return result


def columns(page: pathlib.Path, wanted: str) -> dict[str, list]:
    text = page.read_text()
    return {
        name: values(int(width), deltas == "1", letters)
        for which, name, width, deltas, letters in COLUMN.findall(text)
        if which == wanted
    }


def about(page: pathlib.Path) -> dict:
    return json.loads(re.search(r'id="data-about">(.*?)</script>', page.read_text(), re.DOTALL)[1])


def packed_text(page: pathlib.Path, element: str) -> str:
    letters = re.search(rf'id="{element}">([^<]*)</script>', page.read_text())[1]
    return zlib.decompress(base64.b64decode(letters)).decode()


def packed_json(page: pathlib.Path, element: str):
    return json.loads(packed_text(page, element))
