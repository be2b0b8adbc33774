"""ROOT files byte by byte, for those that no honest writer would make."""

from __future__ import annotations

import struct
import zlib

# Type codes of members: see src/source/root/streamerinfo.c.
INT, LONG, CHARS, INTS, LONGS, OBJECT, STRING, UNKNOWN = 3, 16, 21, 43, 56, 61, 65, 999
TOBJECT = struct.pack(">HII", 1, 0, 0)
BEGIN = 100


def text(value):
    short = len(value) < 255
    return (bytes([len(value)]) if short else b"\xff" + struct.pack(">I", len(value))) + value.encode()


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
    head = struct.pack(">H", 3) + TOBJECT + text("") + struct.pack(">ii", len(pointers), 0)
    return counted(head + b"".join(pointers))


def streamer_info(class_name, version, members):
    head = struct.pack(">H", 9) + named(class_name) + struct.pack(">Ii", 0, version)
    return pointer("TStreamerInfo", counted(head + pointer("TObjArray", array_of(members)))) + text("")


def class_list(infos):
    return counted(struct.pack(">H", 5) + TOBJECT + text("") + struct.pack(">i", len(infos)) + b"".join(infos))


def packed(content):
    """In blocks of zlib, as many as it takes."""
    blocks = []
    for at in range(0, len(content), 0xFFFFFF):
        piece = content[at : at + 0xFFFFFF]
        small = zlib.compress(piece, 9)
        sizes = struct.pack("<I", len(small))[:3] + struct.pack("<I", len(piece))[:3]
        blocks.append(b"ZL\x08" + sizes + small)
    return b"".join(blocks)


def key(class_name, name, objlen, nbytes, seek, cycle=1):
    """The key of a record whose content takes nbytes."""
    names = text(class_name) + text(name) + text("")
    keylen = 26 + len(names)
    return struct.pack(">iHiIHHII", keylen + nbytes, 4, objlen, 0, keylen, cycle, seek, BEGIN) + names


class Writer:
    """A file with one directory. Records are added with record(), listed with list_key()."""

    def __init__(self):
        self.data = bytearray(BEGIN + 30)
        self.keys = []

    def record(self, class_name, name, content, pack=False):
        stored = packed(content) if pack else content
        header = key(class_name, name, len(content), len(stored), len(self.data))
        self.data += header + stored
        return header

    def list_key(self, header, times=1):
        self.keys += [header] * times

    def save(self, path, info=None):
        """info: the key of the record with the descriptions of classes."""
        seek_keys = len(self.data)
        body = struct.pack(">i", len(self.keys)) + b"".join(self.keys)
        listing = key("TFile", "f", len(body), len(body), seek_keys) + body
        self.data += listing
        info_seek, info_nbytes = (info[18:22], info[:4]) if info else (bytes(4), bytes(4))
        head = b"root" + struct.pack(">IIIIIIIBI", 62400, BEGIN, len(self.data), 0, 0, 0, 0, 4, 0) + info_seek + info_nbytes
        self.data[: len(head)] = head
        self.data[BEGIN : BEGIN + 30] = struct.pack(">HIIiiIII", 5, 0, 0, len(listing), 0, BEGIN, 0, seek_keys)
        path.write_bytes(self.data)
        return path


# ---- RNTuple: frames and envelopes ----


def record_frame(content):
    return struct.pack("<q", 8 + len(content)) + content


def list_frame(items):
    content = struct.pack("<I", len(items)) + b"".join(items)
    return struct.pack("<q", -(8 + len(content))) + content


def field(parent, name):
    texts = b"".join(struct.pack("<I", len(part)) + part.encode() for part in (name, "int", "", ""))
    return record_frame(struct.pack("<IIIHH", 0, 0, parent, 0, 0) + texts)


def envelope(kind, content, checksum):
    content = struct.pack("<Q", kind | (len(content) + 16) << 16) + content
    return content + struct.pack("<Q", checksum(content))


def write_ntuple(path, fields, checksum, header_nbytes=None):
    """An RNTuple of these fields and nothing in it. checksum: XXH3 of 64 bits. header_nbytes: what is claimed."""
    nothing = list_frame([])
    header = struct.pack("<QIII", 0, 0, 0, 0) + list_frame(fields) + 3 * nothing
    footer = struct.pack("<QQ", 0, 0) + record_frame(4 * nothing) + nothing
    writer = Writer()
    anchor = struct.pack(">HHHH", 1, 0, 0, 0)
    for kind, content in ((1, header), (2, footer)):
        content = envelope(kind, content, checksum)
        small = packed(content)
        stored = small if len(small) < len(content) else content
        nbytes = header_nbytes if kind == 1 and header_nbytes else len(stored)
        anchor += struct.pack(">QQQ", len(writer.data), nbytes, len(content))
        writer.data += stored
    anchor += struct.pack(">Q", 1 << 30)
    anchor += struct.pack(">Q", checksum(anchor))
    writer.list_key(writer.record("ROOT::RNTuple", "n", counted(struct.pack(">H", 2) + anchor)))
    return writer.save(path)
