"""Writes the ROOT files in tests/fuzz/root: small ones of each kind, from which the fuzzer starts.

The unit tests read them too and know what is in them (tests/unit/test_root.c), so that they need no Python.
"""

import sys
from pathlib import Path

import awkward as ak
import numpy as np
import uproot

JAGGED = ak.Array([[1.5, 2.5], [], [3.5]] * 10)
COMPRESSIONS = {
    "none": None,
    "zlib": uproot.ZLIB(6),
    "lzma": uproot.LZMA(1),
    "lz4": uproot.LZ4(4),
    "zstd": uproot.ZSTD(3),
}


def write_tree(path, compression):
    with uproot.recreate(path, compression=compression) as file:
        tree = file.mktree("dir/events", {"x": "f4", "Jet_pt": "var * float64", "flag": "bool"})
        for _ in range(2):
            tree.extend({"x": np.arange(30, dtype="f4"), "Jet_pt": JAGGED, "flag": np.arange(30) % 2 == 0})


def write_ntuple(path, compression):
    with uproot.recreate(path, compression=compression) as file:
        ntuple = file.mkrntuple("events", {"x": np.arange(30, dtype="f4"), "Jet_pt": JAGGED})
        ntuple.extend({"x": np.arange(30, dtype="f4"), "Jet_pt": JAGGED})


def write_other_version(path, known):
    """A version of TTree that is not built in: then the description in the file is read."""
    data = bytearray(known.read_bytes())
    described = data.index(b"\x05TTree\0") + 7 + 4
    tree = data.rindex(b"\x00\x14\x40\x00", 0, data.index(b"TBranch\0"))
    assert data[described : described + 4] == b"\x00\x00\x00\x14"
    data[described + 3] = data[tree + 1] = 30
    path.write_bytes(data)


def main(folder):
    for name, compression in COMPRESSIONS.items():
        write_tree(folder / f"tree-{name}.root", compression)
        write_ntuple(folder / f"ntuple-{name}.root", compression)
    write_other_version(folder / "tree-other-version.root", folder / "tree-none.root")


main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "root"))
