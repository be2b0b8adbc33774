"""Keeping our failures away from the user's analysis.

Every way from user code into this package goes through a guard. What fails inside is logged once, kept as a note of the
run ("not measured, because …"), and otherwise has no effect. Exceptions of the user never pass through here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

__all__ = ["Guard", "counted", "logger", "text_of", "type_of", "without_secrets"]

logger = logging.getLogger("roastcoffea")


def without_secrets(text: str) -> str:
    """A text as it may be kept and shown; see ``strip_secrets`` of the library."""
    try:
        from roastcoffea._core import strip_secrets
    except ImportError:  # where the extension cannot be loaded nothing is recorded, either
        return text
    return strip_secrets(text)


def type_of(error: BaseException) -> str:
    """What an exception is called; with its module if its own name is a small one, which says nothing: ``zlib.error``."""
    kind = type(error)
    return f"{kind.__module__}.{kind.__name__}" if kind.__name__[:1].islower() else kind.__name__


def text_of(error: BaseException, most: int = 1000) -> str:
    """What an exception says, as it may be kept: short, but cut only after secrets are gone, as half of one is not found."""
    try:
        text = str(error)
    except Exception as why:
        return f"(its text cannot be had: {type_of(why)})"
    return without_secrets(text[: 100 * most])[:most]


def counted(count: int, thing: str) -> str:
    """``1 worker``, ``2 workers``."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


class Guard:
    """A context manager per part of the monitoring, which ends the block quietly if it raises.

    Parameters
    ----------
    note : callable, optional
        Gets one line of text for each part that failed, the first time it does.

    Examples
    --------
    >>> guard = Guard()
    >>> with guard("the timeline of workers"):
    ...     raise OSError("gone")
    """

    def __init__(self, note: Callable[[str], None] | None = None) -> None:
        self._note = note
        self._said: dict[str, object] = {}

    def __call__(self, part: str) -> _Guarded:
        return _Guarded(self, part)

    def failed(self, part: str, error: BaseException) -> None:
        """Say once that a part does not work."""
        reason = text_of(error).strip().splitlines()
        why = f"{type_of(error)}: {reason[0]}" if reason else type_of(error)
        self.say(part, f"{part}: not measured, because of {why}", error)

    def say(self, part: str, text: str, error: BaseException | None = None, log: bool = True) -> None:
        """Log a line (unless it has been) and note it in the run, once per part."""
        mine = object()  # without a lock: a forked child may inherit one that is held
        if self._said.setdefault(part, mine) is not mine:
            return
        text = without_secrets(text)
        if log:
            logger.warning("%s", text)
        if error is not None:
            logger.debug("%s", part, exc_info=error)
        if self._note is not None:
            try:
                self._note(text)
            except Exception:
                logger.debug("note not kept", exc_info=True)


class _Guarded:
    __slots__ = ("_guard", "_part")

    def __init__(self, guard: Guard, part: str) -> None:
        self._guard = guard
        self._part = part

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Exception):
            self._guard.failed(self._part, error)
            return True
        return False
