"""The ROOT reader in C against uproot, on files that uproot writes here, over files, HTTP and XRootD."""

import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import range_server

ak = pytest.importorskip("awkward")
np = pytest.importorskip("numpy")
uproot = pytest.importorskip("uproot")

ROOT = Path(__file__).resolve().parent.parent.parent
DUMP = Path(os.environ.get("ROAST_BUILD_DIR", ROOT / "build")) / "tests" / "root_dump"
DATA = os.environ.get("ROAST_TEST_DATA")

pytestmark = pytest.mark.skipif(not DUMP.exists(), reason=f"{DUMP} is not built")


def read(*addresses, options=()):
    """What the reader says of each address."""
    done = subprocess.run([DUMP, *options, *map(str, addresses)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def read_one(address, **settings):
    (answer,) = read(address, options=[f"--{name.replace('_', '-')}={value}" for name, value in settings.items()])
    return answer


# ---- What uproot says -------------------------------------------------------------------------------------------


def expected_branches(tree):
    return [
        {
            "name": branch.name,
            "compressed": branch.compressed_bytes,
            "uncompressed": branch.uncompressed_bytes,
            "baskets": branch.num_baskets,
            "entries": branch.num_entries,
        }
        for branch in tree.itervalues(recursive=True)
    ]


def expected_ntuple(ntuple):
    columns = ntuple.column_records
    pages = [
        (page, columns[i].nbits)
        for envelope in ntuple.page_list_envelopes
        for cluster in envelope.pagelinklist
        for i, column in enumerate(cluster)
        for page in column.pages
    ]
    return {
        "entries": ntuple.num_entries,
        "fields": len(ntuple.field_records),
        "columns": len(columns),
        "clusters": len(ntuple.cluster_summaries),
        "pages": len(pages),
        "page_bytes": sum(page.locator.num_bytes for page, _ in pages),
        "uncompressed": sum((page.num_elements * bits + 7) // 8 for page, bits in pages),
    }


def assert_agrees_with_uproot(path, answer):
    assert "error" not in answer, answer
    trees = {f"{tree['path']};{tree['cycle']}": tree for tree in answer["trees"]}
    with uproot.open(path) as file:
        classes = {name: kind for name, kind in file.classnames().items() if kind in ("TTree", "TNtuple", "ROOT::RNTuple")}
        assert classes and set(trees) == set(classes)
        assert answer["uuid"] == str(file.file.uuid)
        for name, kind in classes.items():
            ours = trees[name]
            assert ours["problem"] is None
            if kind == "ROOT::RNTuple":
                theirs = expected_ntuple(file[name])
                assert theirs == {
                    "entries": ours["entries"],
                    "fields": len(ours["branches"]),
                    "columns": ours["columns"],
                    "clusters": ours["clusters"],
                    "pages": ours["baskets"],
                    "page_bytes": ours["compressed"],
                    "uncompressed": ours["uncompressed"],
                }
                continue
            theirs = expected_branches(file[name])
            assert [{key: branch[key] for key in theirs[0]} for branch in ours["branches"]] == theirs
            assert ours["entries"] == file[name].num_entries
            # Entries at which a basket begins in every branch, and the end.
            assert ours["clusters"] == max(len(file[name].common_entry_offsets()) - 1, 0)
            assert (ours["compressed"], ours["uncompressed"]) == (
                file[name].compressed_bytes,
                file[name].uncompressed_bytes,
            )


# ---- Files ------------------------------------------------------------------------------------------------------

COMPRESSIONS = {
    "none": None,
    "ZLIB": uproot.ZLIB(4),
    "LZMA": uproot.LZMA(3),
    "LZ4": uproot.LZ4(4),
    "ZSTD": uproot.ZSTD(5),
}


def numbers(count, seed=1):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(0, 5, count)
    total = int(lengths.sum())
    return {
        "run": np.full(count, 7, dtype="u4"),
        "event": np.arange(count, dtype="u8"),
        "flag": generator.integers(0, 2, count).astype(bool),
        "MET_pt": generator.exponential(20, count).astype("f4"),
        "position": generator.normal(size=(count, 3)),
        "Jet_pt": ak.unflatten(np.round(generator.exponential(30, total), 1).astype("f4"), lengths),
        "Muon": ak.zip(
            {
                "pt": ak.unflatten(generator.exponential(30, total), lengths),
                "charge": ak.unflatten(generator.integers(-1, 2, total).astype("i4"), lengths),
            }
        ),
    }


def write_tree(path, compression=uproot.ZLIB(1), baskets=3, name="Events"):
    with uproot.recreate(path, compression=compression) as file:
        file.mktree(name, numbers(500, 0))
        for i in range(1, baskets):
            file[name].extend(numbers(500, i))
    return path


def write_ntuple(path, compression=uproot.ZSTD(5), clusters=3):
    with uproot.recreate(path, compression=compression) as file:
        columns = {key: value for key, value in numbers(500).items() if key != "position"}
        file.mkrntuple("Events", columns)
        for _ in range(1, clusters):
            file["Events"].extend(columns)
    return path


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_a_tree_of_flat_jagged_and_grouped_branches_has_the_sizes_that_uproot_says(tmp_path, name):
    path = write_tree(tmp_path / "a.root", COMPRESSIONS[name])
    answer = read_one(path)
    assert_agrees_with_uproot(path, answer)
    (tree,) = answer["trees"]
    assert tree["class"] == "TTree"
    assert tree["algorithm"] == name
    assert tree["clusters"] == 3 and tree["largest_cluster"] == 500


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_an_ntuple_has_the_fields_columns_and_pages_that_uproot_says(tmp_path, name):
    path = write_ntuple(tmp_path / "a.root", COMPRESSIONS[name])
    answer = read_one(path)
    assert_agrees_with_uproot(path, answer)
    assert answer["trees"][0]["algorithm"] == name


def test_the_counter_of_a_jagged_branch_is_named(tmp_path):
    (tree,) = read_one(write_tree(tmp_path / "a.root"))["trees"]
    counters = {branch["name"]: branch["counter"] for branch in tree["branches"]}
    assert counters["Jet_pt"] == "nJet_pt"
    assert counters["Muon_pt"] == counters["Muon_charge"] == "nMuon"
    assert counters["MET_pt"] is None


def test_trees_in_directories_and_other_objects_are_told_apart(tmp_path):
    path = tmp_path / "a.root"
    with uproot.recreate(path) as file:
        file["histogram"] = np.histogram(np.arange(10.0))
        file.mktree("one/two/three/tree", {"x": np.arange(5)})
        file.mktree("one/tree", {"x": np.arange(6)})
        file["note"] = "text"
        file.mkdir("empty")
    answer = read_one(path)
    assert_agrees_with_uproot(path, answer)
    assert [tree["path"] for tree in answer["trees"]] == ["one/two/three/tree", "one/tree"]


def test_of_several_cycles_of_a_tree_only_the_last_is_current(tmp_path):
    path = tmp_path / "a.root"
    with uproot.recreate(path) as file:
        file.mktree("tree", {"x": np.arange(5)})
        file.mktree("tree", {"x": np.arange(7)})
    answer = read_one(path)
    assert_agrees_with_uproot(path, answer)
    assert {tree["cycle"]: tree["superseded"] for tree in answer["trees"]} == {1: True, 2: False}
    current = next(tree for tree in answer["trees"] if not tree["superseded"])
    assert answer["data_bytes"] == current["compressed"]


def test_positions_beyond_2_gib_are_read(tmp_path):
    path = tmp_path / "large.root"
    with uproot.recreate(path) as file:
        # What follows is written behind a hole, which takes no room on disk.
        segments = file._cascading.freesegments
        segments.fileheader.end = segments._data.end = 3 << 30
        file.mktree("Events", numbers(100))
        file["Events"].extend(numbers(100))
    if path.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("the file system has no sparse files")
    answer = read_one(path)
    assert answer["large"] and answer["size"] > 3 << 30
    assert answer["bytes"] < 1 << 20
    assert_agrees_with_uproot(path, answer)


def test_a_tree_without_entries_and_one_without_branches_are_read(tmp_path):
    path = tmp_path / "a.root"
    with uproot.recreate(path) as file:
        file.mktree("empty", {"x": "float64", "y": "var * float32"})
    answer = read_one(path)
    assert_agrees_with_uproot(path, answer)
    assert answer["trees"][0]["clusters"] == 0


def test_a_version_of_a_class_that_is_not_built_in_is_read_by_the_description_in_the_file(tmp_path):
    path = write_tree(tmp_path / "known.root", None)
    known = read_one(path)
    data = path.read_bytes()
    # TBranch 13 becomes 41, in the branches and in the description.
    branch = data.index(b"TBranch\0\x40") + len(b"TBranch\0")
    length = data[branch : branch + 4]
    assert data[branch + 4 : branch + 6] == b"\x00\x0d"
    tnamed = data[branch + 6 : branch + 8]
    changed = bytearray(data)
    at = 0
    seen = 0
    while (at := data.find(b"\x00\x0d" + tnamed, at)) >= 0:  # a version, then the byte count of TNamed
        if data[at - 4 : at - 2] == length[:2]:
            changed[at : at + 2] = b"\x00\x29"
            seen += 1
        at += 1
    assert seen == len(known["trees"][0]["branches"])
    described = data.index(b"\x07TBranch\0") + 9 + 4
    assert data[described : described + 4] == b"\x00\x00\x00\x0d"
    changed[described : described + 4] = b"\x00\x00\x00\x29"
    unknown_path = tmp_path / "unknown.root"
    unknown_path.write_bytes(changed)
    unknown = read_one(unknown_path)
    assert unknown["trees"][0]["problem"] is None
    assert unknown["trees"][0]["branches"] == known["trees"][0]["branches"]
    assert unknown["requests"] > known["requests"]


def test_entries_that_are_stored_as_a_double_are_read_as_in_the_days_of_root_4(tmp_path):
    path = write_tree(tmp_path / "known.root", None)
    data = bytearray(path.read_bytes())
    # TTree 20 becomes 15, and its member fEntries a double: in the description ...
    described = data.index(b"\x05TTree\0") + 7 + 4
    assert data[described : described + 4] == b"\x00\x00\x00\x14"
    data[described + 3] = 15
    member = data.index(b"\x08fEntries\x11Number of entries", described) + len(b"\x08fEntries\x11Number of entries")
    assert data[member : member + 4] == b"\x00\x00\x00\x10"
    data[member + 3] = 8
    # ... and in the tree, where it follows the attributes of lines, areas and markers.
    entries = data.index((1500).to_bytes(8, "big"))
    data[entries : entries + 8] = struct.pack(">d", 1500)
    header = data.rindex(b"\x00\x14\x40\x00", 0, entries)
    data[header + 1] = 15
    changed = tmp_path / "doubles.root"
    changed.write_bytes(data)
    before, after = read_one(path)["trees"], read_one(changed)["trees"]
    assert before == after and before[0]["entries"] == 1500


@pytest.mark.skipif(not DATA, reason="ROAST_TEST_DATA is not set")
def test_the_collected_files_of_many_versions_of_root_agree_with_what_was_written_down():
    folder = Path(DATA) / "root"
    expected = json.loads((folder / "expected.json").read_text())
    assert len(expected) >= 23
    for name, answer in zip(expected, read(*(folder / name for name in expected))):
        assert "error" not in answer, (name, answer)
        trees = {f"{tree['path']};{tree['cycle']}": tree for tree in answer["trees"]}
        assert set(trees) == set(expected[name]["trees"]), name
        for key, theirs in expected[name]["trees"].items():
            ours = trees[key]
            assert ours["problem"] is None, (name, key, ours["problem"])
            assert ours["entries"] == theirs["entries"], (name, key)
            if theirs["class"] == "ROOT::RNTuple":
                assert (
                    len(ours["branches"]),
                    ours["columns"],
                    ours["clusters"],
                    ours["baskets"],
                    ours["compressed"],
                    ours["uncompressed"],
                ) == tuple(
                    theirs[k] for k in ("fields", "columns", "clusters", "pages", "page_bytes", "uncompressed_bytes")
                ), (name, key)
                continue
            assert len(ours["branches"]) == theirs["branches"], (name, key)
            for a, b in zip(ours["branches"], theirs["branch"]):
                assert (a["name"], a["compressed"], a["uncompressed"], a["baskets"], a["entries"]) == (
                    b["name"],
                    b["zip"],
                    b["tot"],
                    b["baskets"],
                    b["entries"],
                ), (name, key, b["name"])
                assert (b["fZipBytes"], b["fTotBytes"]) == (a["compressed"], a["uncompressed"])


# ---- Servers ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served_folder():
    folder = Path(tempfile.mkdtemp(prefix="roast-served-"))
    folder.chmod(0o755)
    write_tree(folder / "tree.root", baskets=40)
    write_ntuple(folder / "ntuple.root", clusters=20)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def http_server(served_folder):
    with range_server.serve(served_folder) as served:
        yield served.address


def same_but_for_the_way(a, b):
    return [{**answer, "url": 0, "requests": 0, "bytes": 0} for answer in (a, b)]


@pytest.mark.parametrize("name", ["tree.root", "ntuple.root"])
def test_over_http_the_answers_are_the_same_and_little_is_fetched(http_server, served_folder, name):
    local = read_one(served_folder / name)
    remote = read_one(f"{http_server}/files/{name}")
    ours, theirs = same_but_for_the_way(local, remote)
    assert ours == theirs
    assert remote["bytes"] < remote["size"] / 4
    assert remote["requests"] <= 4 + 3 * len(remote["trees"]) + 20


def test_a_redirect_is_followed(http_server, served_folder):
    assert len(read_one(f"{http_server}/moved/tree.root")["trees"]) == 1


def test_a_server_that_fails_now_and_then_is_asked_again(http_server):
    answer = read_one(f"{http_server}/flaky/tree.root")
    assert len(answer["trees"]) == 1
    assert answer["requests"] > read_one(f"{http_server}/files/tree.root")["requests"]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("404/tree.root", "no such file (HTTP 404)"),
        ("403/tree.root", "refuses access (HTTP 403)"),
        ("500/tree.root", "HTTP 500"),
        ("norange/tree.root", "range requests"),
        ("hang/tree.root", "no answer from the server within 1 s"),
        ("cut/tree.root", "cut the transfer off"),
    ],
)
def test_a_server_that_does_not_give_the_file_is_one_clear_line(http_server, path, says):
    url = f"{http_server}/{path}"
    answer = read_one(url, timeout_ms=300, retries=-1)
    assert answer["error"].startswith(url)
    assert says.lower() in answer["error"].lower()
    assert "\n" not in answer["error"]


def test_a_server_that_is_not_there_is_one_clear_line_and_the_rest_goes_on(served_folder):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    first, second = read(f"http://127.0.0.1:{port}/a.root", served_folder / "tree.root", options=["--retries=-1"])
    assert "cannot connect" in first["error"]
    assert len(second["trees"]) == 1


@contextmanager
def xrootd_server(folder):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    work = Path(tempfile.mkdtemp(prefix="roast-xrootd-"))
    work.chmod(0o777)
    config = work / "xrootd.cfg"
    config.write_text(
        f"xrd.port {port}\nall.export {folder}\noss.localroot /\nall.adminpath {work}\nall.pidpath {work}\n"
    )
    command = ["xrootd", "-c", str(config), "-l", str(work / "log"), "-n", "roast"]
    if os.geteuid() == 0:
        command += ["-R", "xrootd"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if server.poll() is not None:
                    pytest.skip("the XRootD server does not start here")
                time.sleep(0.05)
        yield f"root://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(work, ignore_errors=True)


@pytest.mark.skipif(not shutil.which("xrootd"), reason="there is no xrootd here")
def test_over_xrootd_the_answers_are_the_same_and_little_is_fetched(served_folder):
    with xrootd_server(served_folder) as address:
        for name in ("tree.root", "ntuple.root"):
            local = read_one(served_folder / name)
            remote = read_one(f"{address}{served_folder}/{name}")
            if "libXrdPosixPreload" in remote.get("error", ""):
                pytest.skip("the XRootD client library is not installed")
            ours, theirs = same_but_for_the_way(local, remote)
            assert ours == theirs
            assert remote["bytes"] < remote["size"] / 4
        missing = read_one(f"{address}{served_folder}/no.root")
        assert "no such file" in missing["error"].lower()


@pytest.mark.skipif(not shutil.which("xrootd"), reason="there is no xrootd here")
def test_an_xrootd_server_that_hangs_is_given_up_on():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        begin = time.monotonic()
        answer = read_one(f"root://127.0.0.1:{listener.getsockname()[1]}//a.root", timeout_ms=500, retries=-1)
    if "libXrdPosixPreload" in answer["error"]:
        pytest.skip("the XRootD client library is not installed")
    assert "no answer" in answer["error"]
    assert time.monotonic() - begin < 30
