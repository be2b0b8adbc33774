"""Writes the ROOT files in tests/fuzz/root: small ones of each kind, from which the fuzzer starts.

The unit tests read them too and know what is in them (tests/unit/test_root.c), so that they need no Python.
"""

import struct
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


# ---- A description of TTree in the file that says other than what ROOT writes. Type codes: see streamerinfo.c. ----

INT, LONG, CHARS, LONGS, OBJECT, UNKNOWN = 3, 16, 21, 56, 61, 999
TOBJECT = struct.pack(">HII", 1, 0, 0)


def text(value):
    return bytes([len(value)]) + value.encode()


def counted(content):
    return struct.pack(">I", 0x40000000 | len(content)) + content


def named(name):
    return counted(struct.pack(">H", 1) + TOBJECT + text(name) + text(""))


def pointer(class_name, content):
    return counted(b"\xff\xff\xff\xff" + class_name.encode() + b"\0" + content)


def member(name, code, length=0, counter=None):
    common = struct.pack(">H", 4) + named(name) + struct.pack(">iiii", code, 0, length, 0) + bytes(20) + text("")
    count = struct.pack(">i", 1) + text(counter) + text("TTree") if counter else b""
    kind = "TStreamerBasicPointer" if counter else "TStreamerBasicType"
    return pointer(kind, counted(struct.pack(">H", 2) + counted(common) + count))


def base(name):
    common = struct.pack(">H", 4) + named(name) + bytes(16 + 20) + text("BASE")
    return pointer("TStreamerBase", counted(struct.pack(">H", 3) + counted(common) + struct.pack(">i", 1)))


def array_of(pointers):
    return counted(struct.pack(">H", 3) + TOBJECT + text("") + struct.pack(">ii", len(pointers), 0) + b"".join(pointers))


def streamer_info(class_name, version, members):
    head = struct.pack(">H", 9) + named(class_name) + struct.pack(">Ii", 0, version)
    return pointer("TStreamerInfo", counted(head + pointer("TObjArray", array_of(members)))) + text("")


def replace_description(data, infos):
    """Appends a list of TStreamerInfo and makes the header point to it."""
    content = counted(struct.pack(">H", 5) + TOBJECT + text("") + struct.pack(">i", len(infos)) + b"".join(infos))
    names = text("TList") + text("StreamerInfo") + text("")
    keylen, seek = 26 + len(names), len(data)
    data += struct.pack(">iHiIHHII", keylen + len(content), 4, len(content), 0, keylen, 1, seek, 100) + names + content
    struct.pack_into(">I", data, 12, len(data))
    struct.pack_into(">II", data, 37, seek, keylen + len(content))


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


def write_lying_descriptions(folder, known):
    """What counts the clusters is described as a number that is none: the byte count of fIOFeatures."""
    lie = [member("fNClusterRange", INT), member("skipped", CHARS, 7)]
    truth = [member("fIOFeatures", OBJECT)]
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
