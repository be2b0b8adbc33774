"""What sections, and the values of a chunk, are where this package cannot be imported: they measure nothing.

The text of this file travels in pickles behind that of ``stand_in`` (see ``shipping``), whose ``find`` it uses.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roastcoffea.stand_in import find


def load_object(text: str, home: str) -> Any:
    """The object of ours that is called ``module:name``, or else what does nothing in its place."""
    ours = find(home)
    return ours if ours is not None else (NoTrackers if home.endswith(":trackers") else NoValues)(text, home)


class Nothing:
    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("(exec(parts[0], scope), scope['load_object'](*parts))[1]", {"parts": self.parts, "scope": {}})


class NoSection:
    def __enter__(self) -> "NoSection":
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


class NoTrackers(Nothing):
    def track_time(self, *args: Any, **kwargs: Any) -> NoSection:
        return NoSection()

    def track_memory(self, *args: Any, **kwargs: Any) -> NoSection:
        return NoSection()

    def track_bytes(self, *args: Any, **kwargs: Any) -> NoSection:
        return NoSection()


class NoValues(Nothing, dict[str, Any]):
    """Takes what the user puts in."""

    def __missing__(self, name: str) -> dict[str, Any]:
        return {}
