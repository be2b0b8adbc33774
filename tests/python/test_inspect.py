"""roast inspect: what it says of files that uproot writes here."""

import json
import re

import pytest

ak = pytest.importorskip("awkward")
np = pytest.importorskip("numpy")
uproot = pytest.importorskip("uproot")


def columns(count, seed=1):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(0, 5, count)

    def jagged():
        return ak.unflatten(generator.exponential(30, int(lengths.sum())).astype("f4"), lengths)

    return {
        "run": np.full(count, 7, dtype="u4"),
        "event": np.arange(count),
        "Jet": ak.zip({"pt": jagged(), "eta": jagged(), "phi": jagged()}),
        "MET_pt": generator.exponential(20, count).astype("f4"),
        "MET_phi": generator.normal(size=count).astype("f4"),
    }


def write(path, count=2000, clusters=1, compression=uproot.ZLIB(1), data=None):
    with uproot.recreate(path, compression=compression) as file:
        file.mktree("Events", data or columns(count))
        for i in range(1, clusters):
            file["Events"].extend(data or columns(count, i))
    return path


@pytest.fixture
def inspect(roast):
    def run(*arguments, status=0):
        done = roast("inspect", *arguments, "--json")
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    return run


def test_collections_are_made_of_names_and_counters(inspect, tmp_path):
    path = write(tmp_path / "a.root")
    (tree,) = inspect(path)["trees"]
    members = {}
    for branch in tree["branches"]:
        members.setdefault(branch["collection"], set()).add(branch["name"])
    assert members == {
        "Jet": {"nJet", "Jet_pt", "Jet_eta", "Jet_phi"},
        "MET": {"MET_pt", "MET_phi"},
        "": {"run", "event"},
    }
    with uproot.open(path) as file:
        branches = file["Events"]
        for collection in tree["collections"]:
            names = members[collection["name"]]
            assert collection["branches"] == len(names)
            assert collection["compressed"] == sum(branches[name].compressed_bytes for name in names)
            assert collection["uncompressed"] == sum(branches[name].uncompressed_bytes for name in names)
            assert collection["baskets"] == sum(branches[name].num_baskets for name in names)
    sizes = [collection["compressed"] for collection in tree["collections"]]
    assert sizes == sorted(sizes, reverse=True)


def test_several_files_are_added_up(inspect, tmp_path):
    paths = [write(tmp_path / f"{i}.root", 1000 * (i + 1)) for i in range(3)]
    answer = inspect(*paths)
    (tree,) = answer["trees"]
    assert len(answer["files"]) == 3
    assert tree["entries"] == 6000
    expected = 0
    for path in paths:
        with uproot.open(path) as file:
            expected += file["Events/Jet_pt"].compressed_bytes
    (branch,) = [branch for branch in tree["branches"] if branch["name"] == "Jet_pt"]
    assert branch["compressed"] == expected
    assert branch["files"] == 3
    assert [part["entries"] for part in tree["files"]] == [1000, 2000, 3000]
    assert inspect(tmp_path / "*.root")["trees"] == answer["trees"]


def test_a_branch_that_some_files_lack_is_counted_where_it_is(inspect, tmp_path):
    some = {"x": np.arange(100), "y": np.arange(100.0)}
    more = {"w": np.arange(50), "y": np.arange(50.0), "x": np.arange(50)}
    (tree,) = inspect(write(tmp_path / "a.root", data=some), write(tmp_path / "b.root", data=more))["trees"]
    assert {branch["name"]: branch["files"] for branch in tree["branches"]} == {"x": 2, "y": 2, "w": 1}


def test_the_file_that_differs_from_the_others_is_named(roast, inspect, tmp_path):
    paths = [write(tmp_path / f"{i}.root", 2000) for i in range(6)]
    paths.append(write(tmp_path / "odd.root", 2000, compression=None, data=columns(2000) | {"extra": np.zeros(2000)}))
    (tree,) = inspect(*paths)["trees"]
    odd = {part["url"].rsplit("/")[-1]: part["odd"] for part in tree["files"] if part["odd"]}
    assert list(odd) == ["odd.root"]
    assert "none, not ZLIB" in odd["odd.root"]
    assert "branches, not" in odd["odd.root"]
    assert "odd.root" in roast("inspect", *paths).stdout.split("unlike the others")[1].splitlines()[1]


def test_picked_branches_make_up_the_share_and_have_their_counters(inspect, tmp_path):
    path = write(tmp_path / "a.root", clusters=3)
    for share in (0.1, 0.35, 0.8):
        (tree,) = inspect(path, "--pick", str(share))["trees"]
        picked = set(tree["picked"]["branches"])
        sizes = {branch["name"]: branch["compressed"] for branch in tree["branches"]}
        counters = {branch["name"]: branch["counter"] for branch in tree["branches"]}
        assert sum(sizes[name] for name in picked) == tree["picked"]["compressed"] <= share * tree["compressed"]
        assert all(counters[name] is None or counters[name] in picked for name in picked)
        # Nothing that was left out would still fit, alone or with its counter.
        for name in set(sizes) - picked:
            with_counter = sizes[name] + (sizes[counters[name]] if counters[name] and counters[name] not in picked else 0)
            assert tree["picked"]["compressed"] + with_counter > share * tree["compressed"]
        # A whole percentage is the same share.
        assert inspect(path, "--pick", f"{100 * share:g}%")["trees"][0]["picked"] == tree["picked"]


def test_small_baskets_and_split_clusters_are_hinted_at_with_numbers(inspect, tmp_path):
    data = {f"HLT_{i}": np.zeros(50, dtype=bool) for i in range(20)}
    path = write(tmp_path / "a.root", clusters=60, data=data)
    texts = [hint["text"] for hint in inspect(path, "--chunk", "130")["hints"]]
    small = next(text for text in texts if "baskets of" in text)
    assert small.startswith("20 of 20 branches") and "1200 of them for 100.0 % of the data" in small
    # 3000 events in 23 chunks of 131: every boundary but those at multiples of 50 splits a cluster.
    boundaries = sum(k * 131 % 50 != 0 for k in range(1, 23))
    split = next(text for text in texts if "read by two chunks" in text)
    assert f"{boundaries} of 60 clusters" in split
    assert not any("two chunks" in hint["text"] for hint in inspect(path, "--chunk", "100")["hints"])


def clusters_split_by_coffea(events, cluster, chunk):
    """By the chunks that coffea itself makes."""
    executor = pytest.importorskip("coffea.processor.executor")
    meta = executor.FileMeta("d", "f", "t", {"numentries": events, "uuid": b"", "clusters": None})
    stops = [item.entrystop for item in meta.chunks(chunk, align_clusters=False)]
    return sum(stop % cluster != 0 for stop in stops[:-1])


@pytest.mark.parametrize(
    ("cluster", "clusters", "chunk"),
    [(10, 100, 30), (50, 60, 130), (10, 40, 25), (7, 64, 25), (10, 97, 45), (30, 10, 50), (64, 31, 200)],
)
def test_the_chunk_size_hinted_at_splits_as_many_clusters_as_is_said(inspect, tmp_path, cluster, clusters, chunk):
    events = cluster * clusters
    path = write(tmp_path / "a.root", clusters=clusters, data={"x": np.zeros(cluster)})
    now = clusters_split_by_coffea(events, cluster, chunk)
    (text,) = [h["text"] for h in inspect(path, "--chunk", str(chunk))["hints"] if "two chunks" in h["text"]]
    assert f"{now} of {clusters} clusters" in text
    better = re.search(r"with chunks of about (\d+) events (none|\d+) are$", text)
    if better:
        left = 0 if better[2] == "none" else int(better[2])
        assert clusters_split_by_coffea(events, cluster, int(better[1])) == left < now
        assert chunk / 3 <= int(better[1]) <= 3 * chunk
        assert not any("two chunks" in h["text"] for h in inspect(path, "--chunk", better[1])["hints"])
    else:
        # No size between a third and three times as large is worth saying.
        sizes = range(-(-chunk // 3), 3 * chunk + 1)
        assert text.endswith("Runner(align_clusters=True) avoids it")
        assert min(clusters_split_by_coffea(events, cluster, size) for size in sizes) >= 0.05 * clusters


def test_json_has_the_branches_in_the_order_that_was_asked_for(inspect, tmp_path):
    path = write(tmp_path / "a.root")
    with uproot.open(path) as file:
        branches = {branch.name: branch for branch in file["Events"].branches}
    keys = {
        "size": lambda b: -b.compressed_bytes,
        "ratio": lambda b: -b.uncompressed_bytes / b.compressed_bytes,
        "basket": lambda b: -b.compressed_bytes / b.num_baskets,
        "name": lambda b: b.name,
        "file": lambda b: 0,
    }
    for by, key in keys.items():
        names = [branch["name"] for branch in inspect(path, "--sort", by)["trees"][0]["branches"]]
        assert names == [b.name for b in sorted(branches.values(), key=key)], by


def test_json_names_the_parent_of_a_branch_whatever_is_left_out(inspect, tmp_path):
    path = tmp_path / "a.root"
    with uproot.recreate(path) as file:
        file.mkrntuple("events", {"a": np.arange(15), "Jet_pt": ak.Array([[1.5], [], [2.5, 3.5]] * 5)})
    branches = inspect(path)["trees"][0]["branches"]
    parents = {branch["name"]: branch["parent"] for branch in branches}
    assert parents["a"] is None and parents["Jet_pt"] is None
    (part,) = [name for name, parent in parents.items() if parent is not None]
    assert parents[part] == "Jet_pt"
    filtered = inspect(path, "--filter", part)["trees"][0]["branches"]
    assert [(branch["name"], branch["parent"]) for branch in filtered] == [(part, "Jet_pt")]


def test_one_branch_that_is_most_of_the_file_is_hinted_at(inspect, tmp_path):
    noise = np.random.default_rng(1).normal(size=(5000, 20))
    data = {"large": noise} | {f"small{i}": np.zeros(5000) for i in range(6)}
    hints = inspect(write(tmp_path / "a.root", data=data))["hints"]
    assert any(re.match(r"large alone is (9\d|100) % of the bytes", hint["text"]) for hint in hints)


def test_the_page_needs_nothing_else_and_shows_names_as_they_are(roast, tmp_path):
    path = write(tmp_path / "<b>&.root", data={"x<script>": np.arange(10), "y&z": np.arange(10)})
    page = tmp_path / "page.html"
    assert roast("inspect", path, "--branches", "--html", page).returncode == 0
    text = page.read_text()
    assert "x&lt;script&gt;" in text and "y&amp;z" in text and "<b>&" not in text
    assert "Content-Security-Policy" in text and "default-src 'none'" in text
    assert not re.search(r"\bsrc=|href=\"(?!#|data:)|@import|url\(", text)


def test_a_page_is_never_written_over_a_file_that_is_read(roast, tmp_path):
    path = write(tmp_path / "a.root")
    names = tmp_path / "names.txt"
    names.write_text(f"{path}\n")
    link = tmp_path / "link.html"
    link.symlink_to(path)
    before = path.read_bytes(), names.read_text()
    for target in (path, link, names):
        done = roast("inspect", "--list", names, "--html", target)
        assert (done.returncode, done.stderr) == (
            2,
            f"roast: {target}: is what is being read; choose another name for the output\n",
        )
    assert (path.read_bytes(), names.read_text()) == before


def test_files_that_cannot_be_read_do_not_keep_the_others_from_being_read(inspect, tmp_path):
    good = write(tmp_path / "good.root")
    bad = tmp_path / "bad.root"
    bad.write_bytes(good.read_bytes()[:-100])
    answer = inspect(bad, tmp_path / "missing.root", good, status=2)
    errors = [file["error"] for file in answer["files"]]
    assert "cut off" in errors[0] and "No such file" in errors[1] and errors[2] is None
    assert answer["trees"][0]["entries"] == 2000


def test_many_files_give_the_same_answer_in_any_number_of_threads(inspect, tmp_path):
    paths = [write(tmp_path / f"{i}.root", 50 + i) for i in range(40)]
    one, many = inspect(*paths, "--jobs", "1"), inspect(*paths, "--jobs", "8")
    assert one == many
    assert one["trees"][0]["entries"] == sum(50 + i for i in range(40))
