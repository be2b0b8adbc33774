"""Files and branches of real runs: what the tables say is what uproot says of the same files."""

from __future__ import annotations

import csv
import io
import pathlib

import numpy as np
import pytest
import range_server

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
import awkward as ak  # noqa: E402
import roastcoffea  # noqa: E402
import uproot  # noqa: E402
from coffea import processor  # noqa: E402
from roastcoffea import MetricsCollector, open_run, work  # noqa: E402


class TwoMinds(processor.ProcessorABC):
    """Reads jets of the signal, and missing energy of everything."""

    def process(self, events):
        if events.metadata["dataset"] == "signal":
            ak.sum(events.Jet.pt)
        return {"met": float(ak.sum(events.MET.pt))}

    def postprocess(self, accumulator):
        return accumulator


READ = {"signal": {"Jet_pt", "MET_pt", "nJet"}, "background": {"MET_pt"}}


def record(fileset, path, executor=None, instance=None):
    executor = executor or processor.IterativeExecutor(status=False)
    with MetricsCollector(getattr(executor, "client", None), run_file=path):
        runner = processor.Runner(executor, schema=nano.Schema, chunksize=100, savemetrics=True)
        runner(fileset, instance or TwoMinds())
    return open_run(path)


def sizes_by_uproot(files):
    """Per branch: compressed and uncompressed bytes and baskets over files."""
    sums: dict[str, list[int]] = {}
    for file in files:
        with uproot.open(file) as opened:
            for branch in opened["Events"].branches:
                sizes = branch.compressed_bytes, branch.uncompressed_bytes, branch.num_baskets
                sums[branch.name] = [a + int(b) for a, b in zip(sums.get(branch.name, [0, 0, 0]), sizes)]
    return sums


def rows_of_branches(roast, path):
    done = roast("export", path, "--to", "csv", "--only", "branches", "-o", "-")
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def check_rows(rows, fileset):
    for dataset, files in fileset.items():
        expected = sizes_by_uproot(files["files"])
        tree_bytes = sum(uproot.open(file)["Events"].compressed_bytes for file in files["files"])
        mine = {row["branch"]: row for row in rows if row["dataset"] == dataset}
        assert mine.keys() == expected.keys()
        assert {name for name, row in mine.items() if row["access"] == "read"} == READ[dataset]
        for name, (compressed, uncompressed, baskets) in expected.items():
            row = mine[name]
            assert [int(row[c]) for c in ("compressed_bytes", "uncompressed_bytes", "baskets")] == [
                compressed,
                uncompressed,
                baskets,
            ]
            assert float(row["bytes_per_event"]) == pytest.approx(compressed / (400 * len(files["files"])))
            assert float(row["share_percent"]) == pytest.approx(100 * compressed / tree_bytes)


@pytest.mark.parametrize("way", ["local", "memory"])
def test_the_branches_table_names_what_was_read_and_what_was_not_with_uproots_bytes(
    way, fileset, tmp_path, roast, monkeypatch
):
    if way == "memory":  # as for files that are far away: uproot's tree is all there is
        monkeypatch.setattr(work, "_local_path", lambda name: None)
    record(fileset, tmp_path / "run.roast")
    rows = rows_of_branches(roast, tmp_path / "run.roast")
    check_rows(rows, fileset)
    shown = roast("show", tmp_path / "run.roast", "--only", "branches", "--all", "--width", "120").stdout
    for name in sizes_by_uproot(fileset["signal"]["files"]):
        assert name in shown


def test_a_file_that_two_workers_saw_is_stored_once(fileset, tmp_path, roast, client):
    run = record(fileset, tmp_path / "run.roast", processor.DaskExecutor(client=client, status=False))
    assert sorted(run.files["file"]) == sorted(file for files in fileset.values() for file in files["files"])
    check_rows(rows_of_branches(roast, tmp_path / "run.roast"), fileset)


def test_processes_that_are_no_workers_tell_of_their_files_too(fileset, tmp_path, roast):
    record(fileset, tmp_path / "run.roast", processor.FuturesExecutor(workers=2, status=False))
    check_rows(rows_of_branches(roast, tmp_path / "run.roast"), fileset)


def test_facts_ride_in_the_output_where_there_is_no_other_way(fileset, tmp_path, roast, monkeypatch):
    monkeypatch.setattr(work._Attempt, "send", lambda attempt, message: False)
    run = record(fileset, tmp_path / "run.roast")
    assert len(run.chunks) == 12
    check_rows(rows_of_branches(roast, tmp_path / "run.roast"), fileset)


def test_chunks_know_how_much_of_their_file_they_read(fileset, tmp_path, roast):
    run = record(fileset, tmp_path / "run.roast")
    exported = roast("export", tmp_path / "run.roast", "--to", "csv", "--only", "chunks", "-o", "-").stdout
    by_csv = list(csv.DictReader(io.StringIO(exported)))
    for chunk, row in zip(run.chunk_records(), by_csv, strict=True):
        sizes = sizes_by_uproot([chunk["file"]])
        tree = uproot.open(chunk["file"])["Events"]
        names = READ[chunk["dataset"]]
        compressed = sum(sizes[name][0] for name in names)
        assert set(chunk["accessed_branches"]) == names
        assert chunk["accessed_bytes"] == int(row["accessed_bytes"]) == compressed
        assert chunk["accessed_uncompressed_bytes"] == sum(sizes[name][1] for name in names)
        share = pytest.approx(100 * compressed / tree.compressed_bytes)
        assert chunk["bytes_read_percent"] == share
        assert float(row["bytes_read_percent"]) == share
        assert chunk["branches_read_percent"] == pytest.approx(100 * len(names) / len(tree.keys()))


def test_datasets_and_the_run_say_what_had_to_be_read(fileset, tmp_path):
    metrics = record(fileset, tmp_path / "run.roast").metrics
    total = 0
    for dataset, files in fileset.items():
        sizes = sizes_by_uproot(files["files"])
        least = sum(sizes[name][0] for name in READ[dataset])
        row = metrics["per_dataset"][dataset]
        assert row["least_bytes_to_read"] == row["branch_bytes_read"] == least
        assert row["branches_read"] == len(READ[dataset])
        assert row["total_branches"] == len(sizes)
        total += least
    assert metrics["least_bytes_to_read"] == total
    # One basket per branch and file: each of the four chunks of a file reads it again.
    assert metrics["read_amplification"] == pytest.approx(4)
    assert metrics["file_read_metrics"].keys() == {file for files in fileset.values() for file in files["files"]}
    assert metrics["per_dataset"]["signal"]["one_column_collections"] == "Jet_pt"


def test_bytes_loaded_ahead_and_not_used_are_counted(fileset, tmp_path):
    ahead = {name: {**files, "preload": ["MET_pt", "MET_phi"]} for name, files in fileset.items()}
    metrics = record(ahead, tmp_path / "run.roast").metrics
    unused = sum(sizes_by_uproot([file])["MET_phi"][0] for files in fileset.values() for file in files["files"])
    assert metrics["preload_unused_bytes"] == pytest.approx(unused, abs=4 * 3)  # rounded down, chunk by chunk
    assert record(fileset, tmp_path / "other.roast").metrics["preload_unused_bytes"] is None


def test_a_file_is_looked_at_once_per_process(fileset, tmp_path, monkeypatch):
    seen = []
    original = roastcoffea._core.file_facts

    def counted(path, tree, url):
        seen.append(path)
        return original(path, tree, url)

    monkeypatch.setattr(roastcoffea._core, "file_facts", counted)
    record(fileset, tmp_path / "run.roast")
    assert sorted(seen) == sorted(file for files in fileset.values() for file in files["files"])


@pytest.fixture
def far_away(fileset):
    """The fileset as a web server gives it, and who asked that server."""
    folder = pathlib.Path(fileset["signal"]["files"][0]).parent
    with range_server.serve(folder) as served:
        address = {
            name: {**files, "files": [f"{served.address}/files/{pathlib.Path(f).name}" for f in files["files"]]}
            for name, files in fileset.items()
        }
        yield address, served.askers


@pytest.mark.parametrize("choice", ["local", "remote"])
def test_files_on_a_server_are_fetched_by_us_only_where_the_user_asks_for_it(
    choice, far_away, fileset, tmp_path, roast, monkeypatch
):
    address, askers = far_away
    monkeypatch.setattr(roastcoffea.settings.settings, "file_metadata", "local")
    roastcoffea.configure(file_metadata=choice)
    record(address, tmp_path / "run.roast")
    assert any(asker.startswith("roast/") for asker in askers) == (choice == "remote")
    rows = rows_of_branches(roast, tmp_path / "run.roast")
    check_rows(rows, fileset)  # uproot reads the same files here, by their paths


def test_a_word_that_is_no_choice_of_metadata_is_refused():
    with pytest.raises(ValueError, match="file_metadata"):
        roastcoffea.configure(file_metadata="everything")


# ---- inspect


def test_inspect_gives_uproots_numbers_by_columns(fileset):
    files = fileset["signal"]["files"]
    seen = roastcoffea.inspect(files, tree="Events")
    expected = sizes_by_uproot(files)
    assert seen.trees == ["Events"]
    assert list(seen.totals["entries"]) == [800]
    branches = seen.branches
    for column, place in {"compressed_bytes": 0, "uncompressed_bytes": 1, "baskets": 2}.items():
        mine = dict(zip(branches["branch"], np.asarray(branches[column]).tolist(), strict=True))
        assert mine == {name: sizes[place] for name, sizes in expected.items()}
    assert np.asarray(branches["share"]).sum() == pytest.approx(1)
    assert dict(zip(seen.collections["collection"], seen.collections["branches"]))["Jet"] == 5
    assert {tree["path"] for tree in seen.to_dict()["trees"]} == {"Events"}
    assert "Events" in seen._repr_html_()
    assert "Jet" in str(seen)
    assert "800 entries" in repr(seen)


def test_inspect_says_what_is_wrong(fileset, tmp_path):
    bad = tmp_path / "bad.root"
    bad.write_bytes(b"not a ROOT file at all")
    with pytest.raises((OSError, roastcoffea.RoastError), match="bad.root"):
        roastcoffea.inspect(bad)
    both = roastcoffea.inspect([bad, *fileset["background"]["files"]])
    assert [error is None for error in both.files["error"]] == [False, True]
    with pytest.raises((LookupError, OSError, roastcoffea.RoastError), match="Nothing"):
        roastcoffea.inspect(fileset["background"]["files"], tree="Nothing")
