"""What a function of ours is where this package cannot be imported: the user's function.

The text of this file travels in the pickle of such a function (see ``shipping``): so it is short, needs nothing but the
standard library, and never raises. A scheduler unpickles what it hands on to workers: there, too, the stand-in pickles into
what it was made of.
"""

import functools
import importlib.util
import os
import sys
import types
from collections.abc import Callable
from typing import Any

#: What could not be had, and why: for those who look.
missing: dict[str, str] = {}


def find(home: str) -> Any:
    """What is called ``module:name`` in this package; None if it cannot be had. Imports nothing of other releases."""
    module, _, name = home.partition(":")
    try:
        if module not in sys.modules:
            package: Any = importlib.util.find_spec("roastcoffea")
            if not os.path.exists(os.path.join(os.path.dirname(package.origin), "stand_in.py")):
                return None
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # not here, or not for this machine
        missing[home] = repr(error)
        return None


def load(text: str, home: str, original: Callable[..., Any], state: dict[str, Any]) -> Any:
    """``home(original, state)``, or else what calls the original."""
    return make(home, original, state) or StandIn(text, home, original, state)


def make(home: str, original: Callable[..., Any], state: dict[str, Any]) -> Any:
    """``home(original, state)``; None if it cannot be had."""
    ours = find(home)
    try:
        return None if ours is None else ours(original, state)
    except Exception as error:
        missing[home] = repr(error)
        return None


class StandIn:
    def __init__(self, *parts: Any) -> None:
        functools.update_wrapper(self, parts[2])
        self.parts = parts
        self.original = parts[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _, home, original, state = self.parts
        come = home.partition(":")[0] in sys.modules  # meanwhile; or another release is there
        ours = make(home, original, state) if come else None
        return (ours or original)(*args, **kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("(exec(parts[0], scope), scope['load'](*parts))[1]", {"parts": self.parts, "scope": {}})
