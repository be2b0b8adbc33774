"""A folder of this machine where processes without a better way leave their messages, which the collector reads.

Each process appends to a file of its own, named after its id. A message is preceded by its length in four bytes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from roastcoffea import messages

__all__ = ["SpoolReader", "write"]

_SUFFIX = ".messages"
_lock = threading.Lock()
_numbers: dict[str, int] = {}


def _after_fork() -> None:
    """A thread of the parent may have held the lock, and is not here to give it back."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def write(folder: str, sender: str, record: messages.Record) -> bool:
    """Append a record; one write, so that a reader never sees it half. False if it could not be written."""
    path = os.path.join(folder, f"{os.getpid()}{_SUFFIX}")
    try:
        with _lock:
            number = _numbers[path] = _numbers.get(path, 0) + 1
            data = messages.pack(sender, number, [record])
            framed = len(data).to_bytes(4, "little") + data
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                end = os.fstat(descriptor).st_size
                if os.write(descriptor, framed) == len(framed):
                    return True
                os.ftruncate(descriptor, end)  # half a message would be taken for the head of the next
                return False
            finally:
                os.close(descriptor)
    except OSError:
        return False


class SpoolReader:
    """Gives each message of a folder once."""

    def __init__(self) -> None:
        self._read: dict[Path, int] = {}

    def new(self, folder: str) -> Iterator[tuple[int, bytes]]:
        """The process and the message, of what is there in full and was not given before."""
        for path in sorted(Path(folder).glob(f"*{_SUFFIX}")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                while len(length := file.read(4)) == 4:
                    data = file.read(int.from_bytes(length, "little"))
                    if len(data) < int.from_bytes(length, "little"):
                        break
                    self._read[path] = file.tell()
                    yield int(path.stem), data
