"""The module itself: what importing costs and brings, types that cannot be misused, and no leaks."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
from roastcoffea import _core


def run_python(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout.split()


def test_importing_imports_nothing_heavy():
    loaded = run_python("import sys; import roastcoffea; print(*sys.modules)")
    for heavy in ("coffea", "distributed", "dask", "matplotlib", "rich", "numpy", "awkward", "uproot", "pandas"):
        assert heavy not in loaded
    assert "roastcoffea._core" not in loaded


def test_sections_bring_only_the_extension():
    loaded = run_python("import sys; from roastcoffea import track_time; print(*sys.modules)")
    assert "roastcoffea._core" in loaded
    assert not {"numpy", "coffea", "distributed"} & set(loaded)


def test_names_of_the_package_are_listed_and_unknown_ones_are_refused():
    import roastcoffea

    assert {"track_time", "track_memory", "track_bytes", "track_section", "RoastError"} <= set(dir(roastcoffea))
    assert roastcoffea.track_section is roastcoffea.track_time
    with pytest.raises(AttributeError, match="nonsense"):
        roastcoffea.nonsense


@pytest.mark.parametrize("name", ["Section", "Summary", "ColumnTable", "Column", "ChunkRecords"])
def test_what_is_only_given_out_cannot_be_made(name):
    with pytest.raises(TypeError):
        getattr(_core, name)()
    with pytest.raises(TypeError):
        getattr(_core, name).attribute = 1


def test_the_catalogue_is_there():
    names = {(metric["scope"], metric["name"]) for metric in _core.catalogue()}
    assert ("run", "total_events") in names and ("chunk", "duration") in names


def test_the_stubs_name_everything_that_is_there():
    import ast
    import pathlib

    import roastcoffea

    stubs = ast.parse((pathlib.Path(roastcoffea.__file__).parent / "_core.pyi").read_text())
    classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stubs.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in dir(_core) if not name.startswith("_")}
    objects = {node.target.id for node in stubs.body if isinstance(node, ast.AnnAssign) and node.target.id[0] != "_"}
    assert public == set(classes) | functions | objects
    for name, node in classes.items():
        stubbed = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        there = {item for item in vars(getattr(_core, name)) if not item.startswith("_")}
        if name != "RoastError":
            assert there == {item for item in stubbed if not item.startswith("_")}, name


def chunks_and_sections(folder):
    chunk = _core.Chunk({"dataset": "d", "branches": ["a", "b"]})
    chunk.phase("process")
    with _core.track_time(None, "a"), _core.track_memory(None, "b"), _core.track_bytes(None, None, "c"):
        pass
    _core.track_time(None, "decorated")(len)([])
    inner = _core.Chunk()
    inner.fields["x"] = [1, {"y": object()}]
    inner.finish()
    chunk.finish()
    chunk.record()
    for wrong in ({"nonsense": 1}, {"num_events": "x"}):
        with pytest.raises(TypeError):
            chunk.set(**wrong)


def recording(folder):
    with _core.Recorder(folder / "leak.roast", overwrite=True) as r:
        r.chunk([_core.Chunk().finish(), {"dataset": "d", "timing": {"a": 1}, "x": [1], "accessed_branches": ["a"]}])
        r.file({"url": "f", "branches": [{"name": "a", "compressed": 1}]})
        r.worker({"address": "w", "name": 5})
        r.sample({"worker": "w", "t_ns": 1})
        for wrong in (lambda: r.chunk(b"x"), lambda: r.worker({"nonsense": 1}), lambda: r.file({"branches": [{"q": 1}]})):
            with pytest.raises((TypeError, _core.RoastError)):
                wrong()


def reading(folder):
    run = _core.Run(folder / "leak.roast")
    summary = run.summary()
    summary.metrics(), summary.tables(), summary.headings(), summary.text()
    for name in ("chunks", "workers", "samples", "sections", "files", "branches", "tasks"):
        table = run.columns(name)
        for column in table.column_names:
            list(table[column]), memoryview(table[column]) if not isinstance(table[column], list) else None
        table.__arrow_c_stream__()
    list(run.chunk_records()), run.tracking_data(), run.facts, run.activities(), run.document("report")
    with pytest.raises(KeyError):
        table["nonsense"]
    with pytest.raises(ValueError):
        run.columns("nonsense")


def compatibility(folder):
    import datetime

    from roastcoffea.legacy import chunks as of_chunks
    from roastcoffea.legacy import totals, tracking

    now = datetime.datetime(2026, 1, 1)
    chunks = [{"duration": 1.0, "num_events": 3, "mem_delta_mb": 1.5, "dataset": "d", "file": "f", "entry_start": 0,
               "entry_stop": 1, "t_start": 0.0, "t_end": 1.0, "accessed_branches": ["a"], "error": None,
               "file_metadata": {"filename": "f", "compression_ratio": 0.5}}] * 3
    sections = [{"name": "m", "type": "memory", "mem_delta_mb": 2.0}, {"duration": 1}]
    of_chunks.aggregate_chunk_metrics(chunks, sections), of_chunks.build_chunk_info(chunks)
    of_chunks.aggregate_branch_coverage(chunks), of_chunks.parse_accessed_branches(["a-data", "b"])
    totals.aggregate_workflow_metrics({"chunks": 1, "bytesread": 5}, 0, 1, {"d": {"entries": 1}})
    totals.calculate_efficiency_metrics({"total_cpu_time": 1.0}, {"total_cores": 2})
    totals.parse_fine_metrics({("execute", "p", "thread-cpu", "seconds"): 1.0}, "p")
    points = {"w": [(now, 1), (now + datetime.timedelta(seconds=1), 2)]}
    tracking.parse_tracking_data({"worker_counts": {now: 1}, "worker_memory": points, "worker_cores": points})
    for wrong in (lambda: of_chunks.aggregate_chunk_metrics([{"duration": "x"}]), lambda: of_chunks.build_chunk_info(3),
                  lambda: tracking.calculate_peak_memory({"w": 3}), lambda: _core.moments([1.0, None]),
                  lambda: tracking.calculate_time_averaged_workers({"a": 1, "b": 2}), lambda: _core.time_average([("a", 1)])):
        with pytest.raises(TypeError):
            wrong()


def print_growth(work, folder):
    """Six rounds of calls: by how many blocks the interpreter grew in each, then by how many MiB the process did."""
    import gc

    recording(folder)
    memory = _core.process_memory()
    for _ in range(6):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(REPEATS[work]):
            work(folder)
        gc.collect()
        print(sys.getallocatedblocks() - before)
    print(_core.process_memory() - memory)


REPEATS = {chunks_and_sections: 300, recording: 100, reading: 100, compatibility: 300}


@pytest.mark.parametrize("work", REPEATS, ids=lambda work: work.__name__)
def test_repeated_calls_leak_no_references_and_no_memory(work, tmp_path):
    # In a process of its own: threads of other tests' clusters allocate in this one.
    code = f"""import pathlib, sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import {__name__} as tests; tests.print_growth(tests.{work.__name__}, pathlib.Path({str(tmp_path)!r}))"""
    *blocks, megabytes = map(float, run_python(code))
    assert min(blocks) < REPEATS[work] / 2, blocks  # caches fill up first; a leak of one object per call shows in all
    assert megabytes < 32
