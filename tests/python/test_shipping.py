"""What travels as text is read by every Python that a worker may have, whatever the client's."""

from __future__ import annotations

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
