"""Records on their way from a worker to a collector: few messages with many records, instead of one for each.

An event that comes alone costs the scheduler as much as ten that come together. So a worker sends twice a second what it
has. A failure does not wait; neither does what begins, if nothing was sent for a while.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from roastcoffea import messages

__all__ = ["Outbox"]

_MOST_RECORDS = 500  # these are sent early


class Outbox:
    """Takes records from any thread and sends them from the event loop of its worker.

    Parameters
    ----------
    sender : str
        The worker's name.
    loop : tornado.ioloop.IOLoop
        Where ``publish`` is called.
    publish : callable
        Gets each message.
    interval : callable
        Gives the seconds between messages, and that a record may wait.
    """

    def __init__(
        self, sender: str, loop: Any, publish: Callable[[bytes], None], interval: Callable[[], float]
    ) -> None:
        self.sender = sender
        self.number = 0  # of messages sent
        self._loop = loop
        self._publish = publish
        self._interval = interval
        self._lock = threading.Lock()
        self._records: list[messages.Record] = []
        self._begun: dict[bytes, messages.Begin] = {}  # not sent, and still running
        self._sent = float("-inf")
        self._due = float("inf")
        self._timer: Any = None
        self._closed = False

    def put(self, record: messages.Record) -> None:
        """Take a record; costs the calling thread microseconds."""
        now = time.monotonic()
        with self._lock:
            if self._closed:
                return
            self._keep(record)
            due = self._due_of(record, now)
            sooner = due < self._due
            if sooner:
                self._due = due
        if sooner:
            self._loop.add_callback(self._wake)

    def _keep(self, record: messages.Record) -> None:
        if isinstance(record, messages.Begin):
            self._begun[record.item] = record
            return
        if isinstance(record, (messages.Chunk, messages.End)) and record.item is not None:
            unsent = self._begun.pop(record.item, None) is not None  # nobody needs to know that it had begun
            if unsent and isinstance(record, messages.End):
                return
        self._records.append(record)

    def _due_of(self, record: messages.Record, now: float) -> float:
        """When a record should have left: what begins takes all along, because the scheduler has just been woken by the
        end of what was before."""
        interval = self._interval()
        if len(self._records) >= _MOST_RECORDS or (isinstance(record, messages.Chunk) and record.failed):
            return now
        if isinstance(record, messages.Begin) and now >= self._sent + interval:
            return now
        return now + interval

    # ---- on the event loop

    def _wake(self) -> None:
        if self._timer is not None:
            self._loop.remove_timeout(self._timer)
            self._timer = None
        wait = self._due - time.monotonic()
        if wait <= 0:
            self.flush()
        elif wait < float("inf"):
            self._timer = self._loop.call_later(wait, self._wake)

    def flush(self) -> None:
        """Send what there is."""
        with self._lock:
            # What has ended goes first: an item may have been tried before.
            records = [*self._records, *self._begun.values()]
            self._records, self._begun = [], {}
            self._sent, self._due = time.monotonic(), float("inf")
            self.number += bool(records)
        if records:
            self._publish(messages.pack(self.sender, self.number, records))

    def close(self) -> None:
        """Send what there is, and take no more."""
        with self._lock:
            self._closed = True
        self.flush()
