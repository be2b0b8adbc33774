"""What a notebook shows: dicts that know how they look, and pages in a frame. Made without IPython; whoever has it calls
``_repr_html_``."""

from __future__ import annotations

import html
import json
from typing import Any

__all__ = ["Comparison", "Explanation", "Frame", "Rendered"]


class Frame:
    """A page in a frame of its own, which leaves the page around it alone.

    Parameters
    ----------
    page : str
        HTML that needs nothing else.
    height : int
        In pixels.
    what : str
        What is in it, for ``repr``.
    """

    def __init__(self, page: str, height: int, what: str) -> None:
        self.page, self.height, self.what = page, height, what

    def __repr__(self) -> str:
        return f"<{self.what}; a notebook shows it>"

    def _repr_html_(self) -> str:
        # sandbox: its script runs, but not as ours: it cannot reach the notebook. It may save tables as files.
        page = html.escape(self.page, quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
            f'title="{html.escape(self.what)}" style="width:100%;height:{self.height}px;border:0"></iframe>'
        )


class Rendered(dict[str, Any]):
    """A dict that shows itself: ``print`` gives what the command prints, a notebook a part of a page.

    Parameters
    ----------
    forms : tuple of str
        As JSON, as text and as HTML.
    """

    def __init__(self, forms: tuple[str, str, str]) -> None:
        as_json, self._text, self._html = forms
        super().__init__(json.loads(as_json))

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


class Explanation(Rendered):
    """What held a run back; see ``Run.explain``."""

    def __repr__(self) -> str:
        titles = [finding["title"] for finding in self["findings"]]
        return f"<{self['name']}: {'; '.join(titles) or 'nothing stands out'}; print() shows all>"


class Comparison(Rendered):
    """What changed between two runs; see ``Run.compare``."""

    def __repr__(self) -> str:
        return f"<{self['verdict'] or 'no times to compare'}; print() shows all>"
