"""A NanoAOD-like file, for the benchmarks that need a real one: nano_file.py FILE EVENTS BRANCHES."""

from __future__ import annotations

import pathlib
import sys

import awkward
import numpy
import uproot
from coffea.nanoevents import NanoAODSchema


class Schema(NanoAODSchema):
    """NanoAOD, without a warning for each index that such files have not got."""

    warn_missing_crossrefs = False


def write(path: pathlib.Path, events: int, branches: int) -> pathlib.Path:
    """A tree with jets and as many trigger bits as make it so many branches."""
    random = numpy.random.default_rng(7)
    counts = random.integers(0, 6, events)
    names = ("pt", "eta", "phi", "mass")
    jets = {name: awkward.unflatten(random.random(counts.sum()).astype("f4"), counts) for name in names}
    columns = {"Jet": awkward.zip(jets), "event": numpy.arange(events, dtype="u8")}
    columns |= {"run": numpy.ones(events, "u4"), "luminosityBlock": numpy.ones(events, "u4")}
    columns |= {f"HLT_Path{i}": random.random(events) < 0.1 for i in range(branches - 8)}
    types = {name: c.dtype if isinstance(c, numpy.ndarray) else c.type.content for name, c in columns.items()}
    with uproot.recreate(path) as file:
        file.mktree("Events", types)
        file["Events"].extend(columns)
    return path


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    print("{}")
