"""What of a command line may be kept: the program and the names of options, never values."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["command_line"]

#: ``--name`` of ``--name=value``, ``-n`` of ``-nvalue``
_OPTION = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]")
_VALUE = "…"


def command_line(argv: Sequence[str]) -> str:
    """The command as it is recorded.

    Parameters
    ----------
    argv : sequence of str
        The program and its arguments.

    Returns
    -------
    str
        The program and its options; ``…`` stands for each other argument.

    Examples
    --------
    >>> command_line(["analysis.py", "--token=abc", "-n", "4", "data.json"])
    'analysis.py --token -n … …'
    """
    options = True
    kept = list(argv[:1])
    for argument in argv[1:]:
        options = options and argument != "--"  # what follows are values, whatever they begin with
        option = _OPTION.match(argument) if options else None
        kept.append("--" if argument == "--" else option[0] if option else _VALUE)
    return " ".join(kept)
