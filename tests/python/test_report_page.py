"""run.report and the command write the same page."""

from __future__ import annotations

import pytest


def test_the_page_from_python_is_that_of_the_command(roast, synthesize, tmp_path):
    roastcoffea = pytest.importorskip("roastcoffea")
    path, _ = synthesize(seed=3, chunks=20, workers=3)
    page = roastcoffea.open_run(path).report(tmp_path / "python.html")
    done = roast("report", path, "-o", tmp_path / "command.html")
    assert done.returncode == 0, done.stderr
    assert page == tmp_path / "python.html"
    assert page.read_bytes() == (tmp_path / "command.html").read_bytes()


def test_a_report_of_a_run_that_was_closed_is_refused(synthesize, tmp_path):
    core = pytest.importorskip("roastcoffea._core")
    path, _ = synthesize(seed=3, chunks=2)
    run = core.Run(path)
    run.close()
    with pytest.raises(ValueError, match="closed"):
        run.report()
