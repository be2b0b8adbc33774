"""A coffea analysis on Dask, measured: run it as it is.

    python examples/dask_nanoaod.py

It writes NanoAOD-like ROOT files (hundreds of branches, four datasets, one of them slow to read), starts a cluster of two
worker processes on this machine, selects muons and jets, fills histograms, and prints what the run was like.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import awkward as ak
import hist
import numpy as np
import uproot
from coffea import processor
from coffea.nanoevents import NanoAODSchema
from roastcoffea import MetricsCollector, track_memory, track_metrics, track_time

DATASETS = {"ttbar": 3, "wjets": 2, "zjets": 2, "qcd": 2}  # name: number of files
SLOW = "qcd"  # it has three times as many muons and jets, and files that take long to unpack


class Schema(NanoAODSchema):
    """NanoAOD, without a warning for each index that our small files have not got."""

    warn_missing_crossrefs = False


class DimuonAnalysis(processor.ProcessorABC):
    """Pairs of muons, and the jets beside them."""

    def __init__(self) -> None:
        dataset = hist.axis.StrCategory([], name="dataset", growth=True)
        self.mass = hist.Hist(dataset, hist.axis.Regular(60, 0, 180, name="mass", label="m(µµ) [GeV]"))
        self.ht = hist.Hist(dataset, hist.axis.Regular(50, 0, 2000, name="ht", label="H_T [GeV]"))

    @track_metrics
    def process(self, events):
        dataset = events.metadata["dataset"]
        mass, ht = self.mass.copy(), self.ht.copy()

        with track_time(self, "muons"):
            muons = events.Muon[(events.Muon.pt > 10) & (abs(events.Muon.eta) < 2.4)]
            pairs = ak.combinations(muons, 2, fields=["first", "second"])
            pairs = pairs[pairs.first.charge != pairs.second.charge]
            masses = ak.flatten((pairs.first + pairs.second).mass)

        with track_time(self, "jets"):
            jets = events.Jet[(events.Jet.pt > 30) & (abs(events.Jet.eta) < 2.5)]
            with track_time(self, "overlap"):
                far = ak.all(jets.metric_table(muons) > 0.4, axis=-1)
                jets = jets[far]

        with track_memory(self, "histograms"):
            mass.fill(dataset=dataset, mass=masses)
            ht.fill(dataset=dataset, ht=ak.sum(jets.pt, axis=1))

        if hasattr(self, "_roastcoffea_current_chunk"):  # while a collector is open
            self._roastcoffea_current_chunk["pairs"] = len(masses)
        return {"mass": mass, "ht": ht, "events": {dataset: len(events)}}

    def postprocess(self, accumulator):
        return accumulator


def write_file(path: Path, events: int, seed: int, slow: bool) -> None:
    """A file with muons, jets and about four hundred other branches."""
    random = np.random.default_rng(seed)

    def collection(most: int, scale: float, **more) -> ak.Array:
        counts = random.integers(0, (3 * most if slow else most) + 1, events)
        total = int(counts.sum())
        columns = {
            "pt": random.exponential(scale, total).astype("f4") + 5,
            "eta": random.normal(0, 1.6, total).astype("f4"),
            "phi": random.uniform(-np.pi, np.pi, total).astype("f4"),
            "mass": random.uniform(0.1, 10, total).astype("f4"),
        }
        columns |= {name: make(total) for name, make in more.items()}
        columns |= {f"var{i}": random.normal(size=total).astype("f4") for i in range(12)}
        return ak.zip({name: ak.unflatten(column, counts) for name, column in columns.items()})

    columns = {
        "Muon": collection(4, 30, charge=lambda n: random.choice([-1, 1], n).astype("i4")),
        "Jet": collection(9, 50),
        "Electron": collection(3, 25, charge=lambda n: random.choice([-1, 1], n).astype("i4")),
        "MET_pt": random.exponential(40, events).astype("f4"),
        "MET_phi": random.uniform(-np.pi, np.pi, events).astype("f4"),
        "run": np.ones(events, "u4"),
        "luminosityBlock": np.arange(events, dtype="u4") // 100,
        "event": np.arange(events, dtype="u8"),
    }
    columns |= {f"HLT_Path{i}": random.random(events) < 0.02 for i in range(350)}
    types = {name: c.dtype if isinstance(c, np.ndarray) else c.type.content for name, c in columns.items()}
    with uproot.recreate(path, compression=uproot.LZMA(9) if slow else uproot.ZSTD(5)) as file:
        file.mktree("Events", types)
        step = max(events // 5, 1)
        for start in range(0, events, step):
            file["Events"].extend({name: column[start : start + step] for name, column in columns.items()})


def write_dataset(folder: Path, events: int) -> dict:
    """All files, as a fileset for coffea. Files that are there already are kept."""
    fileset = {}
    for number, (dataset, files) in enumerate(DATASETS.items()):
        paths = [folder / f"{dataset}_{i}_{events}.root" for i in range(files)]
        for i, path in enumerate(paths):
            if not path.exists():
                write_file(path, events, seed=100 * number + i, slow=dataset == SLOW)
        fileset[dataset] = {"files": [str(path) for path in paths], "treename": "Events"}
    return fileset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=20_000, help="per file")
    parser.add_argument("--chunksize", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the ROOT files go, and stay (default: a temporary folder)")
    parser.add_argument("--run-file", type=Path, help="where the run is recorded (default: in the cache folder)")
    options = parser.parse_args()

    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print("writing ROOT files …")
        fileset = write_dataset(folder, options.events)

        with (
            LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            analysis = DimuonAnalysis()
            runner = processor.Runner(
                executor=processor.DaskExecutor(client=client, status=False),
                schema=Schema,
                chunksize=options.chunksize,
                savemetrics=True,
            )
            with MetricsCollector(
                client, processor_instance=analysis, name="dimuon_analysis", run_file=options.run_file
            ) as collector:
                output, report = runner(fileset, processor_instance=analysis)

    for dataset, events in output["events"].items():
        inside = output["mass"][{"dataset": dataset}].sum()
        print(f"{dataset:8} {events:8} events, {inside:8.0f} pairs of muons below 180 GeV")
    print()
    collector.print_summary()


if __name__ == "__main__":
    main()
