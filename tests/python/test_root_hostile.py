"""Small ROOT files that are made to take much: an answer or an error, within bounds of memory and time."""

import json
import resource
import struct
import subprocess

import pytest
from built import program
from root_bytes import (
    CHARS,
    LONG,
    OBJECT,
    STRING,
    UNKNOWN,
    Writer,
    array_of,
    class_list,
    counted,
    field,
    key,
    member,
    pointer,
    streamer_info,
    text,
    write_ntuple,
)

MOST_MEMORY = 1 << 30
MOST_SECONDS = 20
VERSION = struct.pack(">H", 30)  # not built in: read by the description in the file
TREE = [member("fEntries", LONG), member("fBranches", OBJECT), member("rest", UNKNOWN)]
BRANCH = [member("fName", STRING), member("fBranches", OBJECT)]


def branch(name, *parts):
    return pointer("TBranch", counted(VERSION + text(name) + array_of(parts)))


def tree(branches):
    return counted(VERSION + struct.pack(">q", 5) + array_of(branches))


def save(writer, path, branch_members=BRANCH, pack=False):
    infos = [streamer_info("TTree", 30, TREE), streamer_info("TBranch", 30, branch_members)]
    return writer.save(path, writer.record("TList", "StreamerInfo", class_list(infos), pack=pack))


def inspect(path):
    """What roast inspect says, if it keeps within the bounds."""

    # The address sanitizer reserves terabytes and takes its time.
    sanitized = b"__asan_init" in program("roast").read_bytes()
    seconds = MOST_SECONDS * (5 if sanitized else 1)

    def bounds():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))

    done = subprocess.run(
        [program("roast"), "inspect", "--json", path], capture_output=True, text=True, preexec_fn=bounds, check=False
    )
    assert done.returncode in (0, 2), (done.returncode, done.stderr)
    assert "out of memory" not in done.stderr
    return json.loads(done.stdout)


def says(answer, words):
    texts = [hint["text"] for hint in answer["hints"]] + [file["error"] for file in answer["files"]]
    return any(words in text for text in texts if text)


def test_the_small_classes_of_these_tests_are_read(tmp_path):
    writer = Writer()
    writer.list_key(writer.record("TTree", "t", tree([branch("a", branch("b")), branch("c")]), pack=True))
    (found,) = inspect(save(writer, tmp_path / "a.root"))["trees"]
    assert found["entries"] == 5
    assert sorted((b["name"], b["parent"]) for b in found["branches"]) == [("a", None), ("a/b", "a"), ("c", None)]


def test_a_long_name_is_not_repeated_for_all_that_is_below_it(tmp_path):
    writer = Writer()
    parts = [branch(str(i)) for i in range(2000)]
    writer.list_key(writer.record("TTree", "t", tree([branch("x" * 5_000_000, *parts)]), pack=True))
    answer = inspect(save(writer, tmp_path / "a.root"))
    assert says(answer, "name of more than 4096 letters")


def test_a_long_directory_name_is_not_repeated_for_all_that_is_in_it(tmp_path):
    writer = Writer()
    inner = writer.record("TTree", "t", tree([]))
    listing = struct.pack(">i", 20_000) + inner * 20_000
    seek = len(writer.data)
    writer.data += key("TDirectory", "d", len(listing), len(listing), seek) + listing
    size = len(writer.data) - seek
    directory = struct.pack(">HIIiiIII", 5, 0, 0, size, 0, 0, 0, seek)
    writer.list_key(writer.record("TDirectory", "x" * 60_000, directory))
    answer = inspect(save(writer, tmp_path / "a.root"))
    assert says(answer, "more than 4096 letters")


def test_a_record_that_claims_a_terabyte_of_a_sparse_file_is_not_fetched(tmp_path):
    checksum = pytest.importorskip("xxhash").xxh3_64_intdigest
    path = write_ntuple(tmp_path / "a.root", [field(0, "f")], checksum, header_nbytes=1 << 40)
    with path.open("r+b") as file:
        file.truncate(1 << 41)
    assert says(inspect(path), "larger on disk than unpacked")


def test_many_keys_of_one_record_do_not_read_it_again_and_again(tmp_path):
    """Each key claims all of the file: what is read for one is not compressed blocks, and forgotten."""
    writer = Writer()
    writer.data += bytes(4_000_000)
    writer.list_key(key("TTree", "t", 5_000_000, 4_000_000, 130), times=40_000)
    answer = inspect(save(writer, tmp_path / "a.root"))
    assert says(answer, "together")


def test_many_keys_with_long_headers_do_not_take_memory_for_each(tmp_path):
    writer = Writer()
    writer.data += bytes(1_000_000)
    header = bytearray(key("TTree", "t", 0, 0, 130))
    struct.pack_into(">i", header, 0, 65_535)
    struct.pack_into(">H", header, 14, 65_535)
    writer.list_key(bytes(header), times=40_000)
    answer = inspect(save(writer, tmp_path / "a.root"))
    assert says(answer, "together")


@pytest.mark.parametrize("same", [True, False])
def test_the_work_for_many_trees_grows_with_their_number_only(tmp_path, same):
    writer = Writer()
    record = tree([])
    writer.data += bytes(10_000_000)  # honest trees would have a record each
    seek = len(writer.data)
    writer.record("TTree", "0" * 6, record)
    for i in range(120_000):
        header = bytearray(key("TTree", "0" * 6 if same else f"{i:06d}", len(record), len(record), seek, i % 30_000))
        writer.list_key(bytes(header))
    answer = inspect(save(writer, tmp_path / "a.root"))
    assert len(answer["trees"]) == (1 if same else 120_000)


def test_members_without_bytes_are_not_stepped_over_for_every_branch(tmp_path):
    nothing = [member(f"m{i % 10}", CHARS, 0) for i in range(50_000)]
    writer = Writer()
    writer.list_key(writer.record("TTree", "t", tree([branch(str(i)) for i in range(100_000)]), pack=True))
    answer = inspect(save(writer, tmp_path / "a.root", nothing + BRANCH, pack=True))
    assert says(answer, "cannot be read")


def test_fields_in_fields_are_not_called_by_names_without_end(tmp_path):
    checksum = pytest.importorskip("xxhash").xxh3_64_intdigest
    few = write_ntuple(tmp_path / "few.root", [field(max(i - 1, 0), "abc"[i]) for i in range(3)], checksum)
    (found,) = inspect(few)["trees"]
    assert sorted(b["name"] for b in found["branches"]) == ["a", "a.b", "a.b.c"]
    many = write_ntuple(tmp_path / "many.root", [field(max(i - 1, 0), "ab"[i % 2]) for i in range(100_000)], checksum)
    assert says(inspect(many), "name of more than 4096 letters")


def test_fields_are_refused_before_they_take_more_memory_than_a_file_is_given(tmp_path):
    checksum = pytest.importorskip("xxhash").xxh3_64_intdigest
    path = write_ntuple(tmp_path / "a.root", [field(0, "f")] * 1_500_000, checksum)
    assert says(inspect(path), "larger than is read of one file")
