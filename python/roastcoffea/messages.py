"""What workers, the scheduler and the client tell each other: every kind of record, and the one way to write them down.

A record is a tuple of one of the classes below. Many of them, of one sender, are a message:

    [version, sender, number, [[kind, [field, …], [[value, …], …]], …]]

as msgpack, on every way: as an event of Dask, in the spool folder, in an output. The names of the fields go along with the
values, so that either side may know more of them than the other. What the reader does not know is skipped, and said.
docs/format.md lists the kinds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from roastcoffea import _core

__all__ = [
    "KINDS",
    "USUAL_INTERVAL",
    "VERSION",
    "Begin",
    "Chunk",
    "End",
    "File",
    "Heartbeat",
    "Hello",
    "Joined",
    "Left",
    "Looks",
    "Message",
    "Note",
    "Record",
    "Samples",
    "Task",
    "Unopened",
    "event_of",
    "message_in",
    "pack",
    "unable_in",
    "unpack",
    "wants_cargo",
]

#: Raised when the list around the records changes its shape; kinds and fields may come without that.
VERSION = 1


class Record(Protocol):
    """Any of the classes below."""

    @property
    def _fields(self) -> tuple[str, ...]: ...


# ---- of a worker


class Begin(NamedTuple):
    """An attempt at a chunk has begun. Should its worker die, this is what it was at."""

    item: bytes  # the work item, as work.item_key names it
    t_ns: int
    round: int | None = None


class End(NamedTuple):
    """It is over without a record: the result came from a checkpoint."""

    item: bytes


class Chunk(NamedTuple):
    """It is over: the record that the probe packed."""

    packed: bytes
    item: bytes | None = None
    failed: bool = False


class File(NamedTuple):
    """Facts about a file, packed."""

    packed: bytes


class Unopened(NamedTuple):
    """An attempt of preprocessing to look into a file failed."""

    file: bytes  # as work.file_key names it
    error_type: str
    error: str


class Samples(NamedTuple):
    """What the sampler of the worker's process saw, packed."""

    packed: bytes


class Note(NamedTuple):
    """Something that the reader of the run should know."""

    text: str
    pid: int | None = None  # where it has been logged


class Hello(NamedTuple):
    """Who a worker is, how its clock differs from the scheduler's, in seconds, and on what machine it is."""

    worker: str
    pid: int
    host: str
    delay: float
    latency: float
    machine: str | None = None  # CPU, cores and memory, in words
    site: str | None = None


# ---- of the scheduler; times are seconds of its clock


class Joined(NamedTuple):
    """A worker came, or was there (joined: None)."""

    worker: str
    name: str
    host: str
    cores: int
    memory_limit: int | None = None
    joined: float | None = None


class Left(NamedTuple):
    """A worker went; lost: without being asked to."""

    worker: str
    left: float
    lost: bool
    reason: str


class Heartbeat(NamedTuple):
    """What the last heartbeat of a worker said; sent: by the worker's own clock."""

    worker: str
    sent: float
    last_seen: float
    memory: int | None = None
    cpu: float | None = None
    processing: int | None = None
    executing: int | None = None
    managed: int | None = None
    spilled: int | None = None
    occupancy: float | None = None
    net_read: float | None = None
    net_write: float | None = None
    disk_read: float | None = None
    disk_write: float | None = None


class Looks:
    """Looks at workers between their heartbeats: what was sent last, at the time of the look by the worker's clock.

    A heartbeat comes as late as the network and the scheduler have it. The one that was the least late tells how the clocks
    differ, so that times never go back.
    """

    def __init__(self) -> None:
        self._behind: dict[str, float] = {}  # seconds, of each worker's clock behind the scheduler's

    def at(self, heartbeat: Heartbeat, now: float) -> Heartbeat:
        """now: by the scheduler's clock."""
        behind = heartbeat.last_seen - heartbeat.sent
        self._behind[heartbeat.worker] = behind = min(behind, self._behind.get(heartbeat.worker, behind))
        return heartbeat._replace(sent=now - behind)


#: Seconds between looks at the workers; who asks for less gets looks between their heartbeats, too.
USUAL_INTERVAL = 1.0


class Task(NamedTuple):
    """An attempt at a task has ended: in memory, erred, or killed with its worker."""

    key: str
    prefix: str | None
    worker: str | None
    thread: int | None
    start: float | None
    stop: float | None
    nbytes: int | None
    attempt: int
    state: str


KINDS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (Begin, End, Chunk, File, Unopened, Samples, Note, Hello, Joined, Left, Heartbeat, Task)
}


# ---- messages


class Message(NamedTuple):
    """What ``unpack`` found."""

    sender: str
    number: int  # counts the messages of a sender, from 1
    records: list[Any]
    skipped: list[str]  # what could not be read, in words


def pack(sender: str, number: int, records: Iterable[Record]) -> bytes:
    """A message with these records, in this order."""
    tables = [list(rows) for _, rows in itertools.groupby(records, type)]
    groups = [[type(rows[0]).__name__.lower(), rows[0]._fields, rows] for rows in tables]
    return _core.pack([VERSION, sender, number, groups])


def unpack(data: bytes) -> Message:
    """The records of a message; never an exception, whatever the bytes are."""
    try:
        version, *rest = _core.unpack(data)
        if version != VERSION:
            return Message("", 0, [], [f"messages of version {version} (this is roastcoffea {_core.__version__})"])
        sender, number, groups, *_ = rest
        message = Message(str(sender), int(number), [], [])
        for kind, fields, rows, *_ in groups:
            _read_group(message, str(kind), fields, rows)
        return message
    except Exception as error:
        return Message("", 0, [], [f"messages that are damaged ({type(error).__name__})"])


def _read_group(message: Message, name: str, fields: list[str], rows: list[list[Any]]) -> None:
    kind = KINDS.get(name)
    if kind is None:
        message.skipped.append(f"records of the kind {name!r}")
        return
    if tuple(fields) == kind._fields:  # of the same release
        message.records.extend(map(kind._make, rows))
        return
    known = [(place, field) for place, field in enumerate(fields) if field in kind._fields]
    try:
        message.records.extend(kind(**{field: row[place] for place, field in known}) for row in rows)
    except (TypeError, LookupError):  # without a field that there must be
        message.skipped.append(f"records of the kind {name!r} with other fields")


# ---- as events of Dask

_EVENT = "roastcoffea"


def event_of(message: bytes, *, last: bool = False) -> dict[str, Any]:
    """What is logged as an event; last: the sender will be silent from now on."""
    return {_EVENT: message, "last": last}


def message_in(event: object) -> tuple[bytes, bool]:
    """The message of an event, and whether it is its sender's last."""
    if not isinstance(event, Mapping):
        return b"", False
    message = event.get(_EVENT)
    return (message if isinstance(message, bytes) else b""), bool(event.get("last"))


def unable_in(event: object) -> tuple[str, str] | None:
    """The worker, and why it cannot use this package, if that is what an event says: see ``landing``, which cannot pack."""
    if isinstance(event, Mapping) and isinstance(event.get("unable"), str):
        return str(event.get("worker")), event["unable"]
    return None


def wants_cargo(event: object) -> bool:
    """Whether a worker says in an event that it needs what is carried."""
    return isinstance(event, Mapping) and event.get("wants") == "cargo"
