"""What machines can check of our habits: layout, lint, types, and that nothing is swallowed in silence.

The tools are pinned in scripts/requirements-test.txt and configured in pyproject.toml and .clang-format.
"""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
import sysconfig

import pytest
from built import ROOT
from roastcoffea import _core

PROGRAMS = pathlib.Path(sysconfig.get_path("scripts"))
STUB = ROOT / "python" / "roastcoffea" / "_core.pyi"


def tracked(*patterns: str) -> list[pathlib.Path]:
    """The files of the project that match, as git knows them; also those that are new."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def check(*command: object) -> None:
    found = subprocess.run([*map(str, command)], cwd=ROOT, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_c_code_is_laid_out_as_clang_format_says():
    sources = tracked("*.c", "*.h")
    assert len(sources) > 100
    check(PROGRAMS / "clang-format", "--dry-run", "-Werror", *sources)


def test_ruff_finds_nothing():
    check(PROGRAMS / "ruff", "check", "--quiet", ".")


def test_mypy_finds_nothing_in_the_package():
    check(sys.executable, "-m", "mypy")


# ---- The stub of the extension module


def names_of(body: list[ast.stmt]) -> set[str]:
    """The public names that a stub defines, in a module or in a class."""
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    defined |= {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    return {name for name in defined if not name.startswith("_")}


def test_the_stub_names_what_the_extension_module_has():
    stub = ast.parse(STUB.read_text())
    assert names_of(stub.body) == {name for name in dir(_core) if not name.startswith("_")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and node.name != "RoastError":
            there = {name for name in dir(getattr(_core, node.name)) if not name.startswith("_")}
            assert names_of(node.body) == there, node.name


# ---- Nothing is swallowed in silence


def swallowed(source: str) -> list[int]:
    """Lines where every exception is caught and nobody learns which it was."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if silent_handler(node) or silent_context(node)]


def silent_handler(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler) or not catches_all(node.type):
        return False
    inside = [part for statement in node.body for part in ast.walk(statement)]
    raised = any(isinstance(part, ast.Raise) for part in inside)
    used = any(isinstance(part, ast.Name) and part.id == node.name for part in inside)
    logged = any(isinstance(part, ast.keyword) and part.arg == "exc_info" for part in inside)
    return not (raised or used or logged)


def silent_context(node: ast.AST) -> bool:
    """contextlib.suppress(Exception)"""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress") and any(map(catches_all, node.args))


def catches_all(caught: ast.expr | None) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or ast.unparse(name) in ("Exception", "BaseException") for name in names)


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception: pass",
        "except: x = 1",
        "except (OSError, BaseException): return None",
        "except Exception as error: return None",
    ],
)
def test_a_silent_handler_is_found(handler):
    assert swallowed(f"def f():\n try: g()\n {handler}") == [3]
    assert swallowed("with contextlib.suppress(Exception): g()") == [1]


@pytest.mark.parametrize(
    "handler",
    [
        "except OSError: pass",
        "except Exception: raise",
        "except Exception as error: keep(error)",
        "except Exception: log('', exc_info=True)",
    ],
)
def test_a_handler_that_tells_is_none(handler):
    assert swallowed(f"try: g()\n{handler}") == []
    assert swallowed("with contextlib.suppress(OSError): g()") == []


def test_no_exception_is_swallowed_in_silence():
    sources = tracked("python/*.py")
    assert len(sources) > 30
    found = [f"{path.relative_to(ROOT)}:{line}" for path in sources for line in swallowed(path.read_text(encoding="utf-8"))]
    assert found == []
