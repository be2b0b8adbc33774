"""The executors that coffea has for one machine, by name."""

from __future__ import annotations

import concurrent.futures
import contextlib
from collections.abc import Iterator

import pytest
from coffea import processor

NAMES = ["iterative", "futures", "threads", "parsl", "dask"]


@contextlib.contextmanager
def executor(request: pytest.FixtureRequest, **options) -> Iterator[processor.executor.ExecutorBase]:
    """The one that a parametrised fixture asks for; options are those that all have. Parsl writes into the working folder."""
    options = {"status": False, **options}
    if request.param == "iterative":
        yield processor.IterativeExecutor(**options)
    elif request.param == "futures":
        yield processor.FuturesExecutor(workers=2, **options)
    elif request.param == "threads":
        yield processor.FuturesExecutor(workers=2, pool=concurrent.futures.ThreadPoolExecutor, **options)
    elif request.param == "parsl":
        parsl = pytest.importorskip("parsl", reason="needs parsl")
        from parsl.executors.threads import ThreadPoolExecutor

        parsl.load(parsl.Config(executors=[ThreadPoolExecutor(max_threads=2)], run_dir="parsl-runs"))
        try:
            yield processor.ParslExecutor(**options)
        finally:
            parsl.dfk().cleanup()
            parsl.clear()
    else:
        yield processor.DaskExecutor(client=request.getfixturevalue("client"), **options)
