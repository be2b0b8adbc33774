"""Advice is code that runs: every snippet of src/view/advice_words.c, against coffea and a real Dask cluster."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest
from built import ROOT

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
distributed = pytest.importorskip("distributed", reason="needs distributed")

SOURCE = (ROOT / "src/view/advice_words.c").read_text()
STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def literals(text: str) -> list[str]:
    """The strings of an initialiser: literals that follow each other are one, commas are between them."""
    found, last = [""], 0
    for string in STRING.finditer(text):
        if "," in text[last : string.start()]:
            found.append("")
        found[-1] += ast.literal_eval(string[0])
        last = string.end()
    return found


def snippets() -> dict[str, str]:
    """The code of each finding that has some, with its placeholders."""
    text = SOURCE.replace("\\\n", "\n")
    for name, words in re.findall(r"^#define (\w+)((?:\s+\"(?:\\.|[^\"\\])*\")+)", text, re.MULTILINE):
        text = re.sub(rf"\b{name}\b", lambda _, words=words: words, text)
    found = {}
    for name, prefix in {"ADVICE": "", "MISSING_ADVICE": "missing_"}.items():
        table = text[text.index(f"static const advice_row {name}") :].partition("\n};")[0]
        rows = re.split(r"\[(?:FINDING|NATURE)_(\w+)\] =", table)[1:]
        found |= {prefix + name.lower(): literals(re.split(r",\s*\.brief", row)[0]) for name, row in zip(rows[::2], rows[1::2], strict=True)}
    return {name: strings[1] for name, strings in found.items() if len(strings) > 1 and strings[1]}


SNIPPETS = snippets()
MISSING = [f"missing_{nature}" for nature in ("unclear", "transient", "permanent", "both")]


@pytest.fixture(scope="module")
def own_cluster():
    """Two workers that may be restarted and sent away."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def names(own_cluster, fileset, tmp_path, monkeypatch):
    """What a script has when it comes to the snippet."""
    from coffea import processor

    monkeypatch.chdir(tmp_path)
    own_cluster.scale(2)
    with distributed.Client(own_cluster) as client:
        client.wait_for_workers(2)
        executor = processor.DaskExecutor(client=client, status=False)
        yield {"client": client, "cluster": own_cluster, "runner": nano.runner(executor), "fileset": fileset}


def apply(code: str, names: dict) -> None:
    """Run a snippet with values as an explanation would have them."""
    worker = next(iter(names["client"].run(lambda: None)))
    values = {"chunksize": "400", "workers": "2", "cluster": "100", "worker": repr(worker),
              "file": repr(next(iter(names["fileset"].values()))["files"][0])}  # fmt: skip
    exec(code.format(**values), names)


def physics(names: dict) -> dict:
    out, _ = names["runner"](names["fileset"], processor_instance=nano.Plain())
    return out


def test_the_snippets_are_found():
    known = {"opening", "preprocessing", "ramp_up", "slow_file", "too_many_workers", "over_read", *MISSING}
    assert known <= set(SNIPPETS), "the test reads the table of advice; has that another form now?"


@pytest.mark.parametrize("finding", MISSING)
def test_what_is_missing_is_added_by_the_snippet(finding, names):
    """Each event once: what was lost, with the metadata that the processor looks at."""
    from roastcoffea import MetricsCollector

    class Lossy(nano.Plain):
        lost = True

        def process(self, events):
            if self.lost and events.metadata["part"] == 2 and events.metadata["entrystart"] == 0:
                raise OSError("no such basket")
            return super().process(events)

    fileset = {name: {**entry, "metadata": {"part": i}} for i, (name, entry) in enumerate(names["fileset"].items(), 1)}
    analysis, runner = Lossy(), nano.runner(names["runner"].executor, skipbadfiles=True)
    expected, _ = runner(fileset, processor_instance=nano.Plain())
    with MetricsCollector(names["client"]) as collector:
        output, _ = runner(fileset, processor_instance=analysis)
    assert output["background"]["events"] == 300
    analysis.lost = False
    scope = {"run": collector.run, "runner": runner, "fileset": fileset, "output": output, "analysis": analysis}
    exec(SNIPPETS[finding], scope)
    for name in expected:
        assert scope["output"][name] == pytest.approx(expected[name], rel=1e-6), name


@pytest.mark.parametrize("finding", sorted(set(SNIPPETS) - set(MISSING)))
def test_a_script_runs_with_the_snippet_and_gives_the_same_physics(finding, names):
    expected = physics(names)
    apply(SNIPPETS[finding], names)
    out = physics(names)
    assert out["met"] == pytest.approx(expected.pop("met"), rel=1e-6)
    assert {name: out[name] for name in expected} == expected


def test_the_chunksize_that_makes_whole_files_does(names):
    apply(SNIPPETS["opening"], names)
    _, report = names["runner"](names["fileset"], processor_instance=nano.Plain())
    assert report["chunks"] == sum(len(dataset["files"]) for dataset in names["fileset"].values())


def test_files_that_are_known_need_no_preprocessing_again(names, monkeypatch):
    """As a second script would: with the file that the first left, and nothing that is remembered."""
    fileset, runner = names["fileset"], names["runner"]
    apply(SNIPPETS["preprocessing"], names)
    expected = physics(names)
    names["fileset"] = fileset
    monkeypatch.setattr(type(runner), "metadata_fetcher_root", lambda *_, **__: pytest.fail("a file is opened again"))
    runner.metadata_cache.clear()
    apply(SNIPPETS["preprocessing"], names)
    for _ in range(2):  # a generator would be used up
        assert physics(names) == expected


def test_a_file_that_is_new_is_read_with_what_was_kept_of_others(names):
    """And another chunksize makes other chunks."""
    runner, (name, dataset) = names["runner"], next(iter(names["fileset"].items()))
    names["fileset"] = {name: {**dataset, "files": dataset["files"][:1]}}
    apply(SNIPPETS["preprocessing"], names)
    out, before = runner(names["fileset"], processor_instance=nano.Plain())
    names["fileset"] = {name: dataset}
    runner.metadata_cache.clear()
    runner.chunksize //= 2
    apply(SNIPPETS["preprocessing"], names)
    again, after = runner(names["fileset"], processor_instance=nano.Plain())
    assert again[name]["events"] == len(dataset["files"]) * out[name]["events"]
    assert after["chunks"] > len(dataset["files"]) * before["chunks"]


def test_workers_are_all_there_after_the_wait_and_gone_after_the_scaling(names):
    exec(SNIPPETS["ramp_up"].format(workers=3), names)
    assert len(names["client"].run(lambda: None)) >= 3
    exec(SNIPPETS["too_many_workers"].format(workers=1), names)
    assert len(names["cluster"].worker_spec) == 1


def test_imports_are_done_when_the_snippet_is(names):
    exec(SNIPPETS["start_up"], names)
    imported = names["client"].run(lambda: "coffea.processor" in __import__("sys").modules)
    assert all(imported.values())


def test_clusters_are_read_whole_after_the_snippet(names, tmp_path):
    """Chunks end where clusters do."""
    import numpy
    import uproot

    path = tmp_path / "clusters.root"
    with uproot.recreate(path) as file:
        tree = file.mktree("Events", {"nJet": "i4", "MET_pt": "f4"})
        for _ in range(4):
            tree.extend({"nJet": numpy.zeros(90, "i4"), "MET_pt": numpy.ones(90, "f4")})
    names["fileset"] = {"data": {"files": [str(path)], "treename": "Events"}}
    apply(SNIPPETS["over_read"], names)
    edges = {(item.entrystart, item.entrystop) for item in names["runner"].preprocess(names["fileset"])}
    assert edges == {(0, 180), (180, 360)}, "the first ends of clusters from 100 events on"


SLOW_IMPORT = """
import sys, time

class Slow:
    def find_spec(self, name, path, target=None):
        if name == "coffea":
            time.sleep(3)

sys.meta_path.insert(0, Slow())
"""


def test_what_fresh_workers_import_is_not_promised_as_a_saving(fileset, tmp_path, monkeypatch):
    """Importing takes three seconds longer there; doing the preprocessing once would not save these."""
    import dask
    from coffea import processor
    from roastcoffea import MetricsCollector

    (tmp_path / "sitecustomize.py").write_text(SLOW_IMPORT)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ.PYTHONPATH": path}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        with MetricsCollector(client, processor_instance=nano.Plain()) as collector:
            nano.runner(processor.DaskExecutor(client=client, status=False))(fileset, nano.Plain())
    metrics = collector.run.metrics
    assert metrics["preprocess_time_seconds"] > 3, "workers import when they unpack their first task"
    assert 3 < metrics["preprocess_import_seconds"] <= metrics["preprocess_time_seconds"] + 0.1
    promised = [f["saving_seconds"] for f in collector.run.explain()["findings"] if f["id"] == "preprocessing"]
    assert sum(promised) < metrics["preprocess_time_seconds"] - 3


def test_the_advice_that_is_documented_is_what_is_said():
    """The page shows snippets; they are the ones that run."""
    page = (Path(ROOT) / "docs/explain.md").read_text()
    for finding in ("preprocessing", "start_up"):
        shown = "".join(f"    {line}\n" for line in SNIPPETS[finding].splitlines())
        assert shown in page, finding
