"""What travels as text is read by every Python that a worker may have, whatever the client's."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from roastcoffea import shipping
from roastcoffea.shipping import text_of

MODULES = [("landing",), ("stand_in",), ("stand_in", "stand_in_sections")]


@pytest.mark.parametrize("modules", MODULES)
def test_the_text_has_the_lines_of_the_files_as_they_were_written(modules):
    # Python 3.12 and later write f-strings, when asked to write code, that no earlier one reads.
    written = "".join((shipping._PACKAGE / f"{module}.py").read_text() for module in modules).splitlines()
    future, *travelling = text_of(*modules).splitlines()
    assert future == "from __future__ import annotations"
    assert set(travelling) <= set(written)
    assert '"""' not in text_of(*modules)


@pytest.mark.parametrize(("modules", "function"), [(MODULES[0], "unpack"), (MODULES[2], "load")])
def test_annotations_are_not_evaluated_where_the_text_arrives(modules, function):
    scope: dict = {"__name__": "there"}
    exec(compile(text_of(*modules), "text", "exec", dont_inherit=True), scope)
    assert all(isinstance(annotation, str) for annotation in scope[function].__annotations__.values())


def test_a_function_that_a_section_decorates_travels():
    import cloudpickle
    from roastcoffea import track_bytes, track_memory, track_time

    for section in (track_time(None, "a"), track_memory(None, "b"), track_bytes(None, None, "c")):
        assert pickle.loads(pickle.dumps(section)).name == section.name
        decorated = cloudpickle.loads(cloudpickle.dumps(section(lambda x: x + 1)))
        assert decorated(1) == 2


ANOTHER_RELEASE = """
import pickle, sys, types
for name in ("roastcoffea", "roastcoffea.decorator", "roastcoffea.work"):  # loaded, and nothing of ours in it
    sys.modules[name] = types.ModuleType(name)
function, values, section = pickle.loads(bytes.fromhex(sys.argv[1]))
values["n"] = 0
values["n"] += 1
values["timing"]["mine"] = 1.5
with section("x", "y"):
    print(function([1, 2, 3]), values["n"], pickle.loads(pickle.dumps(function))([1]))
"""


def test_where_another_release_is_loaded_the_users_function_runs():
    from roastcoffea import track_metrics, track_time
    from roastcoffea.decorator import current_chunk

    packed = pickle.dumps((track_metrics(len), current_chunk, track_time))
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_RELEASE, packed.hex()], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "3 1 1\n", done.stderr


def test_a_thread_that_is_at_no_task_has_no_collectors(monkeypatch):
    from roastcoffea import route

    class Worker:
        active_threads = {}
        tasks = {}

    monkeypatch.setattr(route, "dask_worker", Worker)
    assert route.ids_of_task() == ()
