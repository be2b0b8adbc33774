"""Notebooks as a person has them: executed by a kernel, and made a page by nbconvert with JupyterLab's own styles."""

from __future__ import annotations

import pathlib

import nbclient
import nbconvert
import nbformat


def executed(cells: list[str], folder: pathlib.Path):
    """A notebook of these cells, with what the kernel gave for each."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def as_page(notebook, path: pathlib.Path, theme: str) -> pathlib.Path:
    exporter = nbconvert.HTMLExporter(theme=theme, require_js_url="", mathjax_url="", jquery_url="", widget_renderer_url="")
    page, _ = exporter.from_notebook_node(notebook)
    path.write_text(page.replace("<html", '<html data-ready="yes"', 1), encoding="utf-8")
    return path
