"""Sections as decorators: the one part of them that is not in C."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def inside(section: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` with every call of it inside ``section``."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with section:
            return function(*args, **kwargs)

    return call
