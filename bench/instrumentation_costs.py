"""Runs inside a Python that has a roastcoffea, ours or 0.1.2: what its instrumentation costs. Both have the same names.

Prints one line of JSON: microseconds per use, and bytes that a chunk's record takes when it is sent."""

from __future__ import annotations

import json
import pickle
import time

begun = time.perf_counter()
import roastcoffea  # noqa: E402

import_seconds = time.perf_counter() - begun

from roastcoffea import track_memory, track_metrics, track_time  # noqa: E402

COLLECTIONS = ("Jet", "Muon", "Electron", "FatJet", "Tau", "GenPart")
BRANCHES = [f"{collection}_quantity{i}" for collection in COLLECTIONS for i in range(10)]


class Entry:
    def __init__(self, branch: str) -> None:
        self.branch = branch
        self.buffer_key = branch


class Factory:
    """What coffea attaches to events, as far as the access log goes."""

    file_handle = None

    def __init__(self) -> None:
        self.access_log = [Entry(branch) for branch in BRANCHES]


class Events:
    """A plain events object: metadata and a length, no file behind it."""

    def __init__(self, number: int = 0, log: bool = False) -> None:
        self.metadata = {
            "dataset": "TTToSemiLeptonic",
            "filename": f"root://xrootd.example.org//store/mc/nano/TTToSemiLeptonic_{number // 10}.root",
            "treename": "Events",
            "fileuuid": "a9490124-3648-11ea-89e9-f5b55c90beef",
            "uuid": "a9490124-3648-11ea-89e9-f5b55c90beef",
            "entrystart": number % 10 * 100000,
            "entrystop": (number % 10 + 1) * 100000,
        }
        self.attrs = {"@events_factory": Factory()} if log else {}

    def __len__(self) -> int:
        return 100000


class Processor:
    _roastcoffea_collect_metrics = True

    @track_metrics
    def process(self, events):
        return {}

    @track_metrics
    def with_sections(self, events):
        for name in ("selection", "corrections", "histograms"):
            with track_time(self, name), track_memory(self, name):
                pass
        return {}

    @track_metrics
    def sections(self, events, kind, count):
        begun = time.perf_counter()
        for _ in range(count):
            with kind(self, "section"):
                pass
        self.seconds = time.perf_counter() - begun
        return {}


#: What a collector of ours in this process would get; 0.1.2 puts everything into the output.
received: list = []


def listen() -> None:
    try:
        from roastcoffea import work
    except ImportError:
        return
    work.listeners["bench"] = lambda sender, record: received.append((sender, record))


def best(measure, rounds: int = 200) -> float:
    """The quickest of many short rounds: what else the machine does only makes it slower, and does not fit between."""
    return min(measure() for _ in range(rounds))


def section_us(kind, count: int) -> float:
    processor, events = Processor(), Events()

    def measure() -> float:
        processor.sections(events, kind, count)
        return processor.seconds / count * 1e6

    return best(measure)


def decorator_us(count: int) -> float:
    processor, events = Processor(), Events()

    def measure() -> float:
        begun = time.perf_counter()
        for _ in range(count):
            processor.process(events)
        received.clear()
        return (time.perf_counter() - begun) / count * 1e6

    return best(measure)


def bytes_per_chunk(chunks: int) -> float:
    """As it travels: 0.1.2 puts a dict into the output of the chunk, ours sends it in a message, here of this chunk alone."""
    processor, total = Processor(), 0
    empty = len(pickle.dumps({}))
    received.clear()
    for number in range(chunks):
        total += len(pickle.dumps(processor.with_sections(Events(number, log=True)))) - empty
    return (total + sum(message_bytes(*one) for one in received)) / chunks


def message_bytes(sender: str, record: object) -> int:
    from roastcoffea import messages

    return len(messages.pack(sender, 1, [record]))


def main() -> None:
    listen()
    result = {
        "import_seconds": import_seconds,
        "track_time": section_us(track_time, 500),
        "track_memory": section_us(track_memory, 50),
        "track_metrics": decorator_us(50),
        "bytes": bytes_per_chunk(1000),
        "version": getattr(roastcoffea, "__version__", "0.1.2"),
    }
    print(json.dumps(result))


main()
