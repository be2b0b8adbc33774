"""Writes the ROOT files in tests/fuzz/root: small ones of each kind, from which the fuzzer starts.

The unit tests read them too and know what is in them (tests/unit/test_root.c), so that they need no Python.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import awkward as ak
import numpy as np
import uproot
from root_bytes import CHARS, INT, INTS, LONG, LONGS, OBJECT, STRING, UNKNOWN, base, class_list, key, member, streamer_info

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


# ---- A description of TTree in the file that says other than what ROOT writes ----


def replace_description(data, infos):
    """Appends a list of TStreamerInfo and makes the header point to it."""
    content, seek = class_list(infos), len(data)
    record = key("TList", "StreamerInfo", len(content), len(content), seek) + content
    data += record
    struct.pack_into(">I", data, 12, len(data))
    struct.pack_into(">II", data, 37, seek, len(record))


def tree_members(counter, after_arrays):
    """TTree up to its branches; after_arrays takes the place of fIOFeatures, of 4 + 7 bytes."""
    return [
        *map(base, ["TNamed", "TAttLine", "TAttFill", "TAttMarker"]),
        *(member(name, LONG) for name in ("fEntries", "fTotBytes", "fZipBytes")),
        member("skipped", CHARS, 40),
        member(counter, INT),
        member("skipped", CHARS, 32),
        member("fAutoFlush", LONG),
        member("skipped", CHARS, 8),
        member("fClusterRangeEnd", LONGS, counter=counter),
        member("fClusterSize", LONGS, counter=counter),
        *after_arrays,
        member("fBranches", OBJECT),
        member("rest", UNKNOWN),
    ]


def write_described(path, known, members):
    data = bytearray(known.read_bytes())
    tree = data.rindex(b"\x00\x14\x40\x00", 0, data.index(b"TBranch\0"))
    data[tree + 1] = 30
    replace_description(data, [streamer_info("TTree", 30, members)])
    path.write_bytes(data)


def branch_members(counter, io_features):
    """TBranch of version 13; io_features takes the place of fIOFeatures, of 4 + 7 bytes."""
    return [
        *map(base, ["TNamed", "TAttFill"]),
        member("fCompress", INT),
        member("skipped", CHARS, 8),
        member("fWriteBasket", INT),
        member("skipped", CHARS, 8),
        *io_features,
        member("skipped", CHARS, 4),
        member(counter, INT),
        member("skipped", CHARS, 4),
        member("fEntries", LONG),
        member("skipped", CHARS, 8),
        *(member(name, LONG) for name in ("fTotBytes", "fZipBytes")),
        *(member(name, OBJECT) for name in ("fBranches", "fLeaves", "fBaskets")),
        member("fBasketBytes", INTS, counter=counter),
        *(member(name, LONGS, counter=counter) for name in ("fBasketEntry", "fBasketSeek")),
        member("fFileName", STRING),
    ]


def write_described_branches(path, known, members):
    data = bytearray(known.read_bytes())
    begin = data.index(b"TBranch\0")
    end = data.index(b"TList", begin)
    content = data[begin:end]
    assert content.count(b"\x00\x0d\x40\x00") == 4
    data[begin:end] = content.replace(b"\x00\x0d\x40\x00", b"\x00\x1e\x40\x00")
    replace_description(data, [streamer_info("TBranch", 30, members)])
    path.write_bytes(data)


def write_lying_descriptions(folder, known):
    """What counts clusters or baskets is described as a number that is none: the byte count of fIOFeatures."""
    lie = [member("fNClusterRange", INT), member("skipped", CHARS, 7)]
    truth = [member("fIOFeatures", OBJECT)]
    lie_of_baskets = [member("fMaxBaskets", INT), member("skipped", CHARS, 7)]
    write_described_branches(folder / "tree-described-branches.root", known, branch_members("fMaxBaskets", truth))
    write_described_branches(folder / "tree-other-baskets.root", known, branch_members("fLen", lie_of_baskets))
    write_described(folder / "tree-described.root", known, tree_members("fNClusterRange", truth))
    write_described(folder / "tree-counter-twice.root", known, tree_members("fNClusterRange", lie))
    write_described(folder / "tree-other-counter.root", known, tree_members("fLen", lie))


def main(folder):
    for name, compression in COMPRESSIONS.items():
        write_tree(folder / f"tree-{name}.root", compression)
        write_ntuple(folder / f"ntuple-{name}.root", compression)
    write_other_version(folder / "tree-other-version.root", folder / "tree-none.root")
    write_lying_descriptions(folder, folder / "tree-none.root")


main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "root"))
