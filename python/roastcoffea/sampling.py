"""The sampler thread of this process, shared by all who want its timeline."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from roastcoffea import _core

__all__ = ["flush", "start", "stop"]

_users: dict[str, Callable[[bytes], None]] = {}
_lock = threading.Lock()


def _after_fork() -> None:
    """Who takes the samples is in the parent, and so may be the thread that holds the lock."""
    global _lock
    _lock = threading.Lock()
    _users.clear()


os.register_at_fork(after_in_child=_after_fork)


def start(name: str, take: Callable[[bytes], None], hz: float) -> None:
    """Let the sampler run; ``take`` gets what it saw, packed, at each ``flush``."""
    with _lock:
        if name not in _users:
            _core.sampler_start(hz)
        _users[name] = take


def stop(name: str) -> None:
    """The opposite."""
    with _lock:
        if _users.pop(name, None) is not None:
            _core.sampler_stop()


def flush() -> None:
    """Give everybody what was seen since the last time; there is one sampler, so nobody may keep it for himself."""
    with _lock:
        packed = _core.sampler_drain()
        takers = list(_users.values())
    if packed:
        for take in takers:
            take(packed)
