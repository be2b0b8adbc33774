"""A plugin of pytest that runs the tests of roastcoffea 0.1.2 on ours, as they are, and judges what became of them.

Three kinds: those of the surface, those of test_e2e (whole runs: their file is on the network, so they get one of ours),
and those of the inside, which replace or call what only 0.1.2 has: names that begin with _, or patch("roastcoffea…").
The first two must pass, but for those that left_out.txt names, which must fail. What else is marked slow is not run: it
opens a file of its own on the network.
"""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from pathlib import Path

import pytest

LEFT_OUT = Path(__file__).with_name("left_out.txt")
LIMITS = {"surface": 11, "e2e": 3}


# ---- What a test is about


def private_imports(tree: ast.AST) -> set[tuple[str, str]]:
    """(module, name) of what a source takes from the inside of the package."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("roastcoffea")]
    return {(node.module, alias.name) for node in found for alias in node.names if alias.name.startswith("_")}


def is_of_the_inside(function: ast.AST, private_names: set[str]) -> bool:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return bool(names & private_names) or "patch('roastcoffea" in ast.unparse(function)


def functions_of_the_inside(path: Path) -> set[str]:
    """The tests of a file, as "Class.test", that are about the inside."""
    tree = ast.parse(path.read_text())
    private = {name for _, name in private_imports(tree)}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    functions = [("", node) for node in tree.body] + [(f"{c.name}.", node) for c in classes for node in c.body]
    tests = [(prefix + f.name, f) for prefix, f in functions if isinstance(f, ast.FunctionDef)]
    return {name for name, function in tests if is_of_the_inside(function, private)}


def kind_of(item: pytest.Function, inside: dict[Path, set[str]]) -> str:
    if item.path not in inside:
        inside[item.path] = functions_of_the_inside(item.path)
    name = f"{item.cls.__name__}." if item.cls else ""
    if name + item.originalname in inside[item.path]:
        return "inside"
    return "e2e" if item.path.name == "test_e2e.py" else "surface"


# ---- Running them


class Absent:
    """In place of what ours does not have inside, so that the other tests of the file can be imported."""

    def __init__(self, *arguments: object, **options: object) -> None:
        raise NotImplementedError("an inside of 0.1.2")


def pytest_collect_file(file_path: Path) -> None:
    if file_path.suffix == ".py":
        for module, name in private_imports(ast.parse(file_path.read_text())):
            there = importlib.import_module(module)
            if not hasattr(there, name):
                setattr(there, name, Absent)


def pytest_sessionstart(session: pytest.Session) -> None:
    package = importlib.import_module("roastcoffea")
    assert package.__version__ != "0.1.2", f"{package.__file__} is theirs"


@pytest.fixture(scope="session")
def local_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    import nano

    return str(nano.write_file(tmp_path_factory.mktemp("files") / "local.root", events=25_000))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """What test_e2e reads is on the network: the same fileset of a file that is here."""
    if "test_fileset" in pyfuncitem.funcargs:
        path = pyfuncitem._request.getfixturevalue("local_file")
        pyfuncitem.funcargs["test_fileset"] = {"test_dataset": {"files": {path: "Events"}}}


# ---- Judging


class Judge:
    def __init__(self) -> None:
        lines = [line for line in LEFT_OUT.read_text().splitlines() if line.strip() and not line.startswith("#")]
        self.left_out = {test: reason.strip() for test, _, reason in (line.partition(" ") for line in lines)}
        self.kinds: dict[str, str] = {}
        self.failed: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        inside: dict[Path, set[str]] = {}
        items[:] = [item for item in items if item.path.name == "test_e2e.py" or not item.get_closest_marker("slow")]
        self.kinds = {item.nodeid.removeprefix("tests/"): kind_of(item, inside) for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failed[report.nodeid.removeprefix("tests/")] = (crash.message if crash else str(report.longrepr)).splitlines()[0]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = f"could not be collected: {report.longreprtext.splitlines()[-1]}"

    def wrong(self) -> list[str]:
        of = {kind: [test for test in self.left_out if self.kinds.get(test) == kind] for kind in LIMITS}
        wrong = [f"{test}: is left out ({why}), but passes" for test, why in self.left_out.items() if test not in self.failed]
        wrong += [f"{test}: {why}" for test, why in self.failed.items() if test not in self.left_out and self.kinds.get(test) != "inside"]
        return wrong + [f"{len(of[kind])} of {kind} are left out, {most} may be" for kind, most in LIMITS.items() if len(of[kind]) > most]

    def share(self, kind: str) -> str:
        tests = [test for test, its in self.kinds.items() if its == kind and test not in self.left_out]
        return f"{sum(test not in self.failed for test in tests)} of {len(tests)}"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED if self.wrong() else pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tell = terminalreporter.write_line
        by_reason = defaultdict(list)
        for test, why in self.left_out.items():
            by_reason[why].append(test)
        tell("")
        for why, tests in by_reason.items():
            tell(f"left out: {why}")
            for test in tests:
                tell(f"    {test}")
        for line in self.wrong():
            tell(f"wrong: {line}")
        tell(f"of the surface of 0.1.2: {self.share('surface')}; whole runs: {self.share('e2e')}; {len(self.left_out)} left out")
        tell(f"of its inside, which is not ours: {self.share('inside')}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Judge(), "judge")
