"""ROOT files with many branches, for the benchmark.

uproot takes minutes to write a tree of 20,000 branches. So it writes one of three, and this repeats the third in the
description of the tree as often as it takes; every branch then has the same basket, which nobody reads here.
"""

from __future__ import annotations

import pathlib
import struct
import zlib

TEMPLATE = (b"b00000", b"b00001", b"b00002")
BYTE_COUNT = 0x40000000
NEW_BRANCH = b"\xff\xff\xff\xffTBranch\0"


def small_tree(path: pathlib.Path) -> bytes:
    import numpy
    import uproot

    with uproot.recreate(path, compression=None) as file:
        file.mktree("Events", {name.decode(): numpy.arange(100, dtype="f4") for name in TEMPLATE})
    return path.read_bytes()


def u32(data: bytes, at: int) -> int:
    return struct.unpack_from(">I", data, at)[0]


def put_u32(data: bytearray, at: int, value: int) -> None:
    struct.pack_into(">I", data, at, value)


def object_end(data: bytes, at: int) -> int:
    return at + 4 + (u32(data, at) & ~BYTE_COUNT)


def with_branches(content: bytes, count: int) -> bytes:
    """The description of a tree with count branches, from one with three."""
    first = content.index(NEW_BRANCH) - 4
    third = object_end(content, object_end(content, first))
    end = object_end(content, third)
    third_branch = content[third:end]
    copies = b"".join(third_branch.replace(TEMPLATE[2], b"b%05d" % i) for i in range(3, count))
    larger = bytearray(content[:end] + copies + content[end:])
    array = first - 25  # byte count, version, TObject, an empty name, size, lower bound
    for at in (0, array):
        put_u32(larger, at, (u32(content, at) & ~BYTE_COUNT) + len(copies) | BYTE_COUNT)
    put_u32(larger, first - 8, count)
    return bytes(larger)


def compressed(content: bytes) -> bytes:
    """As ROOT does it: blocks of at most 16 MB, each with its two sizes in front."""
    blocks = []
    for start in range(0, len(content), 0xFFFFFF):
        piece = content[start : start + 0xFFFFFF]
        packed = zlib.compress(piece, 1)
        blocks.append(b"ZL\x08" + len(packed).to_bytes(3, "little") + len(piece).to_bytes(3, "little") + packed)
    return b"".join(blocks)


def write(path: pathlib.Path, count: int) -> None:
    """A file with a tree "Events" of count branches."""
    data = bytearray(small_tree(path))
    begin, name_length = u32(data, 8), u32(data, 28)
    keys = u32(data, begin + name_length + 26)
    entry = keys + struct.unpack_from(">h", data, keys + 14)[0] + 4  # the only key, behind the number of keys
    seek_at = 22 if struct.unpack_from(">h", data, entry + 4)[0] > 1000 else 18  # the lower half of 8 bytes, or 4
    nbytes, objlen, seek = u32(data, entry), u32(data, entry + 6), u32(data, entry + seek_at)
    key_length = struct.unpack_from(">h", data, entry + 14)[0]
    content = with_branches(bytes(data[seek + key_length : seek + nbytes]), count)
    assert objlen == nbytes - key_length
    packed = compressed(content)
    key = bytearray(data[seek : seek + key_length])
    for target, at in ((key, 0), (data, entry)):
        put_u32(target, at, key_length + len(packed))
        put_u32(target, at + 6, len(content))
        put_u32(target, at + seek_at, len(data))
    put_u32(data, 12, len(data) + len(key) + len(packed))
    path.write_bytes(data + key + packed)
