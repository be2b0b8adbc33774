"""How what is ours travels to machines that may not have this package.

What is pickled names nothing of ours that has to be importable: it holds an expression with the text of ``stand_in``, which
looks for this package where it arrives, and does without it if need be. Where Dask lets us, the package itself goes along as
``cargo``, which ``landing`` unpacks.
"""

from __future__ import annotations

import ast
import functools
import io
import os
import platform
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["cargo", "ship_function", "ship_object", "ship_worker_plugin", "text_of", "trackers", "wanted"]

_PACKAGE = Path(__file__).parent
_ABI = (3, 11)  # the stable interface that the extension is built for


@functools.cache
def text_of(*modules: str) -> str:
    """The text of modules of ours, without what only people read.

    The lines are as they were written: what ``ast`` makes of them may be for the Python of this process alone, and older
    ones have to read it. For the same reason annotations are not evaluated.
    """
    return "".join(["from __future__ import annotations\n", *(line for module in modules for line in _code_of(module))])


def _code_of(module: str) -> Iterator[str]:
    """The lines of a module, without docstrings and empty ones."""
    text = (_PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    for_people: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) and len(node.body) > 1:
            docstring = node.body[0]
            for_people.update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if number not in for_people and line.strip():
            yield line


def _shipped(load: str, *parts: Any) -> tuple[Any, ...]:
    return eval, (f"(exec(parts[0], scope), scope['{load}'](*parts))[1]", {"parts": parts, "scope": {}})


def ship_function(home: str, original: Callable[..., Any], state: dict[str, Any]) -> tuple[Any, ...]:
    """For ``__reduce__``: loads as ``home(original, state)``, with ``home`` as "module:name"; else calls the original."""
    return _shipped("load", text_of("stand_in"), home, original, state)


def ship_object(home: str) -> tuple[Any, ...]:
    """For ``__reduce__``: loads as the object of this name, or else as one that does nothing."""
    return _shipped("load_object", text_of("stand_in", "stand_in_sections"), home)


def trackers() -> tuple[Any, ...]:
    """What ``track_time`` and its kin are pickled as; called by the extension."""
    return ship_object("roastcoffea._core:trackers")


def ship_worker_plugin(state: dict[str, Any]) -> tuple[Any, ...]:
    """For ``__reduce__``: loads as a plugin that brings this package to its worker and hands over to ours."""
    return _shipped("worker_plugin", text_of("landing"), state)


def wanted() -> dict[str, Any]:
    """What has to be there for us to work, for ``landing``."""
    from roastcoffea import _core, messages

    return {"version": _core.__version__, "messages": messages.VERSION}


@functools.cache
def cargo() -> bytes:
    """This package as a zip: its modules, its extension, and the libraries that the extension needs."""
    from roastcoffea import _core

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, name in _contents(_core):
            archive.write(path, name)
        archive.comment = f"{sys.platform} {platform.machine()} {_ABI[0]}.{_ABI[1]}".encode()
    return packed.getvalue()


def _contents(core: Any) -> Iterator[tuple[str, str]]:
    """Each file, and its name in the cargo."""
    for path in sorted(_PACKAGE.rglob("*.py")):
        yield str(path), f"roastcoffea/{path.relative_to(_PACKAGE).as_posix()}"
    yield core.__file__, f"roastcoffea/{os.path.basename(core.__file__)}"
    for path in core.libraries():
        yield path, f"libraries/{os.path.basename(path)}"
