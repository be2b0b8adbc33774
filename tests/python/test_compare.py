"""roast compare, gate and scale on runs with planted differences, judged by numpy and scipy from the rows in the files."""

from __future__ import annotations

import itertools
import json
import math
import re
import sqlite3
from xml.etree import ElementTree

import pytest

SMALL = {"datasets": 3, "files": 9, "chunks": 300, "workers": 8, "samples": 5, "duration": 200}
STEADY = SMALL | {"join": 0, "leave": 0, "die": 0, "retry_rate": 0, "failure_rate": 0}


def answer(done) -> dict:
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def compare(roast, *arguments) -> dict:
    return answer(roast("compare", *arguments, "--json"))


def timing(found: dict, name: str) -> dict:
    return next(row for row in found["timings"] if row["id"] == name)


def count(found: dict, name: str) -> dict:
    return next(row for row in found["counts"] if row["id"] == name)


def pairs_by_hand(a, b) -> list[tuple]:
    """Chunks of both runs by file, tree and entry range, straight from SQL: total, wait, and where they ran."""
    one = """SELECT file.url, coalesce(file.tree, ''), entry_start, entry_stop,
                    duration_ns + open_ns + events_ns + return_ns, duration_ns - cpu_ns - run_delay_ns, worker
               FROM chunk JOIN file ON file.id = chunk.file
              WHERE error_type IS NULL ORDER BY chunk.id DESC"""
    sides = [{row[:4]: row[4:] for row in sqlite3.connect(path).execute(one)} for path in (a, b)]
    return [(sides[0][key], sides[1][key]) for key in sides[0].keys() & sides[1].keys()]


def test_chunks_are_paired_and_estimated_as_scipy_would(roast, synthesize):
    np = pytest.importorskip("numpy")
    a, _ = synthesize(seed=2, luck=1, **SMALL)
    b, _ = synthesize(seed=2, luck=2, slow_wait=1.4, **SMALL)
    found = compare(roast, a, b)
    pairs = pairs_by_hand(a, b)
    assert found["chunks_paired"] == len(pairs)
    for name, column in (("chunk", 0), ("wait", 1)):
        ratios = np.log([right[column] / left[column] for left, right in pairs])
        rows, columns = np.triu_indices(len(ratios))
        middle = math.exp(np.median((ratios[rows] + ratios[columns]) / 2))
        row = timing(found, name)
        assert row["ratio"]["estimate"] == pytest.approx(middle, rel=1e-12)
        assert row["ratio"]["low"] < middle < row["ratio"]["high"]
        assert row["pairs"] == len(pairs) and row["basis"] == "pairs"


def test_a_planted_slow_down_is_in_the_interval_and_in_its_phase(roast, synthesize):
    a, _ = synthesize(seed=3, luck=1, **STEADY)
    b, _ = synthesize(seed=3, luck=2, slow_open=2, **STEADY)
    found = compare(roast, a, b)
    opening = timing(found, "open")["ratio"]
    assert opening["low"] < 2 < opening["high"]
    cpu = timing(found, "cpu")["ratio"]
    assert cpu["low"] < 1 < cpu["high"]
    phases = {part["id"]: part["difference"] for part in found["breakdowns"]["phases"]["parts"]}
    assert max((phase for phase in phases if phase != "outside"), key=phases.get) == "open"


@pytest.mark.parametrize("shape", [SMALL, STEADY, SMALL | {"die": 0.5, "failure_rate": 0.1, "retry_rate": 0.2}])
def test_parts_add_up_to_the_difference(roast, synthesize, shape):
    a, _ = synthesize(seed=4, luck=1, **shape)
    b, _ = synthesize(seed=4, luck=2, slow_cpu=1.2, **shape)
    found = compare(roast, a, b)
    assert set(found["breakdowns"]) == {"phases", "datasets", "sections", "hosts"}
    for breakdown in found["breakdowns"].values():
        for side in ("a", "b", "difference"):
            assert sum(part[side] for part in breakdown["parts"]) == pytest.approx(breakdown[side], rel=1e-9)
    busy = [sqlite3.connect(path).execute(
        "SELECT sum(ifnull(duration_ns, 0) + ifnull(open_ns, 0) + ifnull(events_ns, 0) + ifnull(return_ns, 0)) / 1e9 "
        "FROM chunk").fetchone()[0] for path in (a, b)]  # fmt: skip
    shown = [json.loads(roast("show", path, "--json").stdout) for path in (a, b)]
    for side, index in (("a", 0), ("b", 1)):
        for name in ("datasets", "sections", "hosts"):
            assert found["breakdowns"][name][side] == pytest.approx(busy[index], rel=1e-9)
        cores = shown[index]["total_cores"] * shown[index]["elapsed_time_seconds"]
        assert found["breakdowns"]["phases"][side] == pytest.approx(cores, rel=1e-9)


def test_sections_have_their_own_time_only(roast, synthesize):
    a, _ = synthesize(seed=5, **SMALL)
    b, _ = synthesize(seed=5, luck=3, **SMALL)
    parts = {part["name"]: part for part in compare(roast, a, b)["breakdowns"]["sections"]["parts"]}
    own = """SELECT sum(section.duration_ns) / 1e9 - coalesce((SELECT sum(inner.duration_ns) / 1e9 FROM section AS inner
               JOIN name AS outer_name ON outer_name.id = inner.parent WHERE outer_name.text = ?1), 0)
               FROM section JOIN name ON name.id = section.name WHERE name.text = ?1"""
    for section in ("selection", "corrections", "histograms"):
        by_hand = sqlite3.connect(a).execute(own, (section,)).fetchone()[0]
        assert parts[section]["a"] == pytest.approx(by_hand, rel=1e-9)


def test_a_run_compared_with_itself_does_not_differ(roast, synthesize):
    a, truth = synthesize(seed=6, **SMALL)
    found = compare(roast, a, a)
    assert found["settings"] == []
    assert all(row["verdict"] == "equal" for row in found["counts"])
    for name in ("chunk", "open", "cpu", "wait"):
        ratio = timing(found, name)["ratio"]
        assert (ratio["estimate"], ratio["low"], ratio["high"]) == (1, 1, 1)
    assert count(found, "events")["a"] == [truth["run"]["total_events"]] * 2
    assert count(found, "failed")["a"] == [truth["run"]["num_failed_chunks"]] * 2


def test_the_same_files_through_another_door_are_the_same(roast, synthesize):
    """A file is known by its UUID where its URL is another."""
    a, _ = synthesize(seed=7, luck=1, **SMALL)
    b, _ = synthesize(seed=7, luck=2, unfinished=True, **SMALL)
    before = compare(roast, a, b)
    with sqlite3.connect(b) as connection:
        connection.execute("UPDATE file SET url = replace(url, 'eos.example.org', 'xcache.example.org:1094')")
    connection.close()
    after = compare(roast, a, b)
    assert after["chunks_paired"] == before["chunks_paired"] > 0
    assert after["files_shared"] == before["files_shared"] == SMALL["files"]
    with sqlite3.connect(b) as connection:
        connection.execute("UPDATE file SET uuid = NULL")
    connection.close()
    without = compare(roast, a, b)
    assert (without["chunks_paired"], without["files_shared"]) == (0, 0)
    assert "no chunk of A is in B" in timing(without, "chunk")["why_absent"]
    assert timing(without, "per_event")["ratio"]["estimate"] == pytest.approx(
        timing(before, "per_event")["ratio"]["estimate"])  # fmt: skip


def test_what_differs_in_the_setup_is_told(roast, synthesize):
    a, _ = synthesize(seed=8, **STEADY)
    b, _ = synthesize(seed=8, **(STEADY | {"workers": 4, "cores": 2, "unfinished": True}))
    with sqlite3.connect(b) as connection:
        connection.execute("UPDATE run SET value = '2026.10.1' WHERE key = 'coffea'")
        connection.execute("INSERT INTO run VALUES ('uproot', '5.7.7')")
        connection.execute("UPDATE file SET algorithm = 'LZMA', level = 9 WHERE id = 1")
    connection.close()
    found = compare(roast, a, b)
    settings = {row["setting"]: (row["a"], row["b"]) for row in found["settings"]}
    assert settings["coffea"] == ("2026.9.0", "2026.10.1")
    assert settings["uproot"] == (None, "5.7.7")
    assert settings["workers"] == (8, 4)
    assert settings["cores per worker"] == (4, 2)
    assert settings["compression"] == ("ZSTD(5)", "LZMA(9), ZSTD(5)")
    assert found["b"]["unfinished"] == 1


def test_branches_that_only_one_run_read_are_named(roast, synthesize):
    a, _ = synthesize(seed=9, branches=20, **SMALL)
    b, _ = synthesize(seed=9, branches=22, **SMALL)
    found = compare(roast, a, b)
    names = [{row[0] for row in sqlite3.connect(path).execute("SELECT DISTINCT branch FROM branches_read")} for path in (a, b)]
    assert count(found, "branches")["a"][0] == len(names[0])
    assert count(found, "branches")["b"][0] == len(names[1])
    assert count(found, "branches")["verdict"] == "different"
    only = names[1] - names[0]
    assert found["b"]["branches_only_here"]["count"] == len(only) > 0
    assert set(found["b"]["branches_only_here"]["examples"].split(", ")) <= only
    marks = ",".join("?" * len(only))
    by_hand = sqlite3.connect(b).execute(f"SELECT sum(compressed) FROM branches WHERE branch IN ({marks})", sorted(only))
    assert found["b"]["branches_only_here"]["bytes"] == by_hand.fetchone()[0]


def test_groups_of_runs_are_compared_by_ranks(roast, synthesize):
    stats = pytest.importorskip("scipy.stats", reason="scipy is the judge here: pip install scipy")
    np = pytest.importorskip("numpy")
    sides = [[synthesize(seed=10, luck=luck + 10 * side, slow_wait=1 + 0.3 * side, **STEADY)[0] for luck in range(1, 6)]
             for side in (0, 1)]  # fmt: skip
    found = compare(roast, *sides[0], "--", *sides[1])
    values = [[json.loads(roast("show", path, "--json").stdout) for path in side] for side in sides]
    p = {}
    for row in found["timings"]:
        a, b = ([run[row["id"]] for run in side] for side in values)
        p[row["id"]] = stats.mannwhitneyu(a, b, method="exact").pvalue
        assert row["p"] == pytest.approx(p[row["id"]], rel=1e-9) and row["basis"] == "runs"
        assert row["a"]["estimate"] == pytest.approx(np.median(a))
        assert (row["b"]["low"], row["b"]["high"]) == (min(b), max(b))
        differences = np.subtract.outer(np.log(b), np.log(a))
        assert row["ratio"]["estimate"] == pytest.approx(math.exp(np.median(differences)))
    ordered = sorted(p.values())
    for row in found["timings"]:
        smaller = [value for value in ordered if value <= p[row["id"]] + 1e-12]
        holm = max(min(1, (len(ordered) - i) * value) for i, value in enumerate(smaller))
        assert row["p_holm"] == pytest.approx(holm)
    assert timing(found, "chunk_noncpu_seconds_total")["ratio"]["low"] > 1.15


def planted_runs(synthesize, seed, count, slow=1.0, **shape) -> list:
    options = STEADY | {"chunks": 60, "workers": 4, "samples": 1, "sections": 0, "duration": 100} | shape
    factors = {"slow_open": slow, "slow_cpu": slow, "slow_wait": slow}
    return [synthesize(seed=1, luck=seed * 100 + i, **options, **factors)[0] for i in range(count)]


def test_the_gate_has_three_answers(roast, synthesize):
    baseline, same, slow = (planted_runs(synthesize, seed, 6, factor) for seed, factor in ((1, 1), (2, 1), (3, 1.5)))
    regression = roast("gate", *baseline, "--", *slow)
    assert regression.returncode == 1 and "roast gate: regression: wall time" in regression.stdout.splitlines()[-1]
    fine = roast("gate", *baseline, "--", *same, "--noise", "25%")
    assert fine.returncode == 0 and "no regression" in fine.stdout.splitlines()[-1]
    assert roast("gate", *slow, "--", *baseline, "--noise", "25%").returncode == 0, "faster is not worse"
    undecided = roast("gate", *baseline[:2], "--", *slow[:2])
    assert undecided.returncode == 3 and "not enough runs; it takes at least 3" in undecided.stdout
    assert roast("gate", baseline[0], slow[0]).returncode == 3
    close = roast("gate", *baseline, "--", *same, "--noise", "0.1%")
    assert close.returncode == 3 and "would tell" in close.stdout
    for done in (fine, close, undecided, regression):
        assert "no change" not in done.stdout


def test_the_gate_knows_what_is_better(roast, synthesize):
    baseline, slow = planted_runs(synthesize, 1, 5), planted_runs(synthesize, 4, 5, 1.5)
    metrics = "event_rate_elapsed_khz,total_cpu_time,peak_memory_bytes"
    found = answer(roast("gate", *baseline, "--", *slow, "--metric", metrics, "--json"))
    verdicts = {row["metric"]: row["verdict"] for row in found["metrics"]}
    assert verdicts["event_rate_elapsed_khz"] == verdicts["total_cpu_time"] == "regression"
    assert found["verdict"] == "regression"
    faster = answer(roast("gate", *slow, "--", *baseline, "--metric", "event_rate_elapsed_khz", "--json"))
    assert faster["verdict"] == "fine" and faster["metrics"][0]["ratio"]["estimate"] > 1


def test_the_gate_refuses_what_it_cannot_judge(roast, synthesize):
    finished, other = planted_runs(synthesize, 5, 2)
    (unfinished,) = planted_runs(synthesize, 6, 1, unfinished=True)
    for arguments, message in (
        ((finished, "--", unfinished), "did not finish"),
        ((finished, "--", other, "--metric", "nonsense"), "there is no metric"),
        ((finished, "--", other, "--metric", "num_files"), "neither better nor worse"),
        ((finished, "--", other, "--noise", "much"), "--noise much"),
        ((finished, "--", other, "--alpha", "0"), "--alpha 0"),
        (("--", finished, other), "no baseline"),
        ((finished, "--", finished), "given twice"),
        ((finished, "--", other, "--noise", "3"), "--noise 3"),
        ((finished,), "something is missing"),
        ((finished, "--", "nowhere.roast"), "nowhere.roast"),
    ):
        done = roast("gate", *arguments)
        assert done.returncode == 2 and message in done.stderr, (arguments, done.stderr)


def test_the_gate_writes_markdown(roast, synthesize, tmp_path):
    runs = planted_runs(synthesize, 7, 4)
    done = roast("gate", *runs[:2], "--", *runs[2:], "--markdown", tmp_path / "gate.md")
    text = (tmp_path / "gate.md").read_text()
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert done.returncode == 3 and text.startswith("**cannot tell**") and len(table) == 3
    assert len({line.replace("\\|", "").count("|") for line in table}) == 1, "every row has all columns"


def usl(cores, contention, coherence) -> float:
    return cores / (1 + contention * (cores - 1) + coherence * cores * (cores - 1))


def test_scale_finds_a_planted_law(roast, synthesize):
    contention, coherence, runs = 0.02, 0.0004, []
    for luck, workers in enumerate((1, 2, 4, 8, 12, 16, 24)):
        seconds = 2000 / usl(4 * workers, contention, coherence)
        shape = {"workers": workers, "duration": seconds, "chunks": 2000, "sections": 0, "samples": 1}
        runs.append(synthesize(seed=11, luck=luck, **(STEADY | shape))[0])
    found = answer(roast("scale", *runs, "--json", "--cost-per-core-hour", "0.05", "--cost-per-hour", "30"))
    points = found["points"]
    assert [point["cores"] for point in points] == pytest.approx([4, 8, 16, 32, 48, 64, 96])
    for point in points:
        assert point["events_per_second"] == pytest.approx(point["events"] / point["elapsed_time_seconds"])
        assert point["speedup"] == pytest.approx(point["events_per_second"] / points[0]["events_per_second"])
        assert point["efficiency"] == pytest.approx(point["speedup"] * 4 / point["cores"])
    peak = math.sqrt((1 - contention) / coherence)
    assert found["usl"]["peak_cores"]["estimate"] == pytest.approx(peak, rel=0.15)
    knee = max(range(1, 200), key=lambda n: usl(n, contention, coherence) ** 2 / n)
    assert found["usl"]["knee_cores"]["estimate"] == pytest.approx(knee, rel=0.15)
    law = {name: found["usl"][name]["estimate"] for name in ("contention", "coherence")}
    cost = lambda n: (0.05 * n + 30) / usl(n, law["contention"], law["coherence"])  # noqa: E731
    assert found["cheapest"]["cores"] == pytest.approx(min(range(1, 500), key=cost), abs=1)


def test_scale_says_when_there_are_too_few_runs(roast, synthesize):
    runs = [synthesize(seed=12, luck=workers, **(STEADY | {"workers": workers}))[0] for workers in (2, 4)]
    done = roast("scale", *runs)
    assert done.returncode == 0 and "a law takes six runs or more; there are 2" in done.stdout
    again = [synthesize(seed=12, luck=n, **(STEADY | {"workers": 2 + 2 * (n % 2)}))[0] for n in range(4)]
    found = answer(roast("scale", *runs, *again, "--json"))
    assert found["why_no_law"] == "a law takes four or more different numbers of cores" and "usl" not in found


@pytest.mark.parametrize("left, right", list(itertools.product(["chunks=0", "workers=0", "plain", "no_report"], repeat=2)))
def test_runs_that_lack_something_are_compared_as_far_as_they_go(roast, synthesize, left, right):
    paths = []
    for what in (left, right):
        name, _, value = what.partition("=")
        paths.append(synthesize(seed=13, **(SMALL | {name: int(value) if value else True}))[0])
    found = compare(roast, *paths)
    for row in found["timings"]:
        assert (row["ratio"]["estimate"] is None) == (row["why_absent"] is not None)
    for breakdown in found["breakdowns"].values():
        assert sum(part["difference"] for part in breakdown["parts"]) == pytest.approx(breakdown["difference"], abs=1e-6)
    for command in (("compare", *paths), ("compare", paths[0], "--", *paths)):
        assert roast(*command).returncode == 0


def test_python_compares_as_the_command_does(roast, synthesize):
    roastcoffea = pytest.importorskip("roastcoffea", reason="needs the package")
    a, _ = synthesize(seed=2, luck=1, **SMALL)
    b, _ = synthesize(seed=2, luck=2, slow_wait=1.4, **SMALL)
    run = roastcoffea.open_run(a)
    said = compare(roast, a, b)
    assert run.compare(b) == said
    assert run.compare(roastcoffea.open_run(b)) == said
    assert all(row["verdict"] == "equal" for row in run.compare(run)["counts"])
    with pytest.raises(OSError, match="nowhere.roast"):
        run.compare("/nowhere.roast")


def drawn(roast, tmp_path, *arguments) -> dict:
    """A chart as numbers; and as SVG it is sound XML."""
    for ending in ("svg", "json"):
        done = roast(*arguments, "-o", tmp_path / f"chart.{ending}")
        assert done.returncode == 0, done.stderr
    assert ElementTree.parse(tmp_path / "chart.svg").getroot().tag.endswith("svg")
    return json.loads((tmp_path / "chart.json").read_text())


def test_the_bars_of_a_comparison_are_the_parts_of_the_difference(roast, synthesize, tmp_path):
    a, _ = synthesize(seed=2, luck=1, **STEADY)
    b, _ = synthesize(seed=2, luck=2, slow_wait=1.6, slow_open=0.5, **STEADY)
    by_phase = compare(roast, a, b)["breakdowns"]["phases"]
    chart = drawn(roast, tmp_path, "compare", a, b)
    names = chart["x"]["categories"]
    bars = {names[round(x)]: y for series in chart["series"] for x, y in zip(series["x"], series["y"], strict=True)}
    parts = {part["name"]: part["difference"] for part in by_phase["parts"]}
    assert bars == pytest.approx(parts)
    assert {series["name"] for series in chart["series"] if series["x"]} == {"B takes longer", "B takes less"}


def test_a_page_of_a_comparison_shows_its_charts(roast, synthesize, tmp_path):
    a, _ = synthesize(seed=2, luck=1, **STEADY)
    b, _ = synthesize(seed=2, luck=2, **STEADY)
    roast("compare", a, b, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert len(re.findall("<figure[ >]", page)) == len(compare(roast, a, b)["breakdowns"])
    assert not re.search(r"(src|href)=\"?https?:", page)


def test_the_chart_of_scaling_has_the_runs_the_ideal_and_the_laws(roast, synthesize, tmp_path):
    sizes = [STEADY | {"workers": n, "cores": 2, "duration": 600 / n} for n in (2, 3, 5, 8, 12, 18)]
    runs = [synthesize(seed=5, **size)[0] for size in sizes]
    said = answer(roast("scale", *runs, "--json"))
    chart = drawn(roast, tmp_path, "scale", *runs)
    series = {one["name"]: one for one in chart["series"]}
    assert series["runs"]["x"] == pytest.approx([point["cores"] for point in said["points"]])
    assert series["runs"]["y"] == pytest.approx([point["events_per_second"] / 1000 for point in said["points"]])
    first = said["points"][0]
    slope = first["events_per_second"] / first["cores"] / 1000
    assert series["ideal"]["y"] == pytest.approx([slope * cores for cores in series["ideal"]["x"]])
    law, curve = said["usl"], series["Universal Scalability Law"]
    of_one = law["events_per_second_and_core"]["estimate"] / 1000
    assert (chart["x"]["kind"], chart["panels"][0]["y"]["kind"]) == ("log", "log")
    shape = law["contention"]["estimate"], law["coherence"]["estimate"]
    assert curve["y"] == pytest.approx([of_one * usl(cores, *shape) for cores in curve["x"]])


def test_pictures_of_other_kinds_are_refused(roast, synthesize, tmp_path):
    a, _ = synthesize(seed=2, luck=1, **STEADY)
    done = roast("compare", a, a, "-o", tmp_path / "x.gif")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and ".svg, .png, .json" in done.stderr


# ---- One sentence, alternating runs, plateaus


def plant_run(path, *, start=0.0, wall=100.0, cpu=100.0, cores=4, events=120_000, chunks=24):
    """A run of equal chunks on one worker, without chance."""
    from roastcoffea import _core

    second, begun = 10**9, 1_794_751_331 * 10**9 + int(start * 10**9)
    with _core.Recorder(str(path), name="planted") as recorder:
        for key, value in {"t_start_ns": begun, "t_end_ns": begun + int(wall * second)}.items():
            recorder.fact(key, value)
        recorder.worker({"address": "tcp://a", "cores": cores, "joined_ns": begun})
        for i in range(chunks):
            recorder.chunk({"worker": "tcp://a", "file": "a.root", "dataset": "data", "num_events": events // chunks,
                            "entry_start": 5000 * i, "entry_stop": 5000 * i + 5000, "t_start_ns": begun + second,
                            "duration": wall / 2, "cpu_seconds": cpu / chunks})  # fmt: skip
    return path


BUSY_CLUSTER = ([100, 118, 91, 131, 104], [112, 103, 136, 97, 121])  # wall times of runs in which nothing changed much


def test_groups_of_runs_are_compared_in_one_sentence(roast, tmp_path):
    """What p is, scipy says; the sentence rests on wall time and CPU alone."""
    stats = pytest.importorskip("scipy.stats")
    sides = []
    for side, (walls, cpu) in enumerate(zip(BUSY_CLUSTER, (100, 113), strict=True)):
        sides.append([plant_run(tmp_path / f"{side}{i}.roast", wall=wall, cpu=cpu * (1 + i / 1000))
                      for i, wall in enumerate(walls)])  # fmt: skip
    found = compare(roast, *sides[0], "--", *sides[1])
    p = [stats.mannwhitneyu(*values, method="exact").pvalue for values in (BUSY_CLUSTER, (range(5), range(10, 15)))]
    p[1] = 2 * p[1]  # Holm, of two
    slower = timing(found, "elapsed_time_seconds")["ratio"]["estimate"]
    assert found["verdict"] == (
        f"B is {100 * (slower - 1):.1f} % slower in the median, but 5+5 runs cannot rule out chance (p {p[0]:.2g}); "
        f"CPU in process() rose by 13 %, that is not chance (p {p[1]:.2g})")  # fmt: skip
    assert found["verdict"] in " ".join(roast("compare", *sides[0], "--", *sides[1]).stdout.split())


def test_two_runs_lead_with_the_ratio_of_sums(roast, synthesize):
    a, _ = synthesize(seed=2, luck=1, **SMALL)
    b, _ = synthesize(seed=2, luck=2, slow_wait=1.4, **SMALL)
    found, pairs = compare(roast, a, b), pairs_by_hand(a, b)
    for name, column in (("chunk", 0), ("wait", 1)):
        by_hand = sum(right[column] for _, right in pairs) / sum(left[column] for left, _ in pairs)
        sums = timing(found, name)["ratio_of_sums"]
        assert sums["estimate"] == pytest.approx(by_hand, rel=1e-12) and sums["low"] < by_hand < sums["high"]
    shown = re.search(r"time per chunk +\S+ \S+ → \S+ \S+ +([+−][\d.]+) %", roast("compare", a, b, "--width", "120").stdout)[1]
    assert float(shown.replace("−", "-")) == pytest.approx(100 * (timing(found, "chunk")["ratio_of_sums"]["estimate"] - 1), abs=0.05)
    assert "one run each, which cannot rule out chance; the same chunks took" in found["verdict"]
    assert "most of it in process: I/O and locks" in found["verdict"]


def plant_chunks(path, seconds):
    """A run of chunks that take so long, each on a worker of its own."""
    from roastcoffea import _core

    with _core.Recorder(str(path), name="planted") as recorder:
        recorder.fact("t_start_ns", 10**18)
        recorder.fact("t_end_ns", 10**18 + 10**11)
        for i, duration in enumerate(seconds):
            recorder.worker({"address": f"tcp://{i}", "cores": 1, "joined_ns": 10**18})
            recorder.chunk({"worker": f"tcp://{i}", "file": "a.root", "dataset": "data", "num_events": 100, "duration": duration,
                            "entry_start": 100 * i, "entry_stop": 100 * i + 100, "t_start_ns": 10**18})  # fmt: skip
    return path


@pytest.mark.parametrize(("last", "told"), [(0.012, True), (0.05, False)])
def test_of_two_runs_an_interval_beyond_a_factor_of_ten_is_not_printed(roast, tmp_path, last, told):
    """Of two workers on either side, Student's distribution of one degree of freedom reaches far."""
    np, stats = pytest.importorskip("numpy"), pytest.importorskip("scipy.stats")
    sides = np.array([0.01, 0.01]), np.array([0.01, last])
    a, b = (plant_chunks(tmp_path / f"{name}.roast", side) for name, side in zip("ab", sides, strict=True))
    quotient = sides[1].sum() / sides[0].sum()
    scatter = 2 * 2 * ((sides[1] - quotient * sides[0]) ** 2).sum() / sides[1].sum() ** 2  # of either side the same
    reach = stats.t.ppf(0.975, 1) * math.sqrt(scatter)
    assert (reach < math.log(10)) == told
    found, shown = compare(roast, a, b), roast("compare", a, b, "--width", "150").stdout
    low, high = (timing(found, "chunk")["ratio_of_sums"][end] for end in ("low", "high"))
    assert (low, high) == pytest.approx((quotient * math.exp(-reach), quotient * math.exp(reach)), rel=1e-6), "JSON has it"
    row = next(line for line in shown.splitlines() if "time per chunk" in line)
    assert ("cannot be told" in row, "[" in row) == (not told, told)
    assert ("in sum, but how much of that is chance cannot be told" in found["verdict"]) == (not told)


@pytest.mark.parametrize(("longest", "told"), [(980, True), (1020, False)])
def test_of_groups_of_runs_an_interval_beyond_a_factor_of_ten_is_not_printed(roast, tmp_path, longest, told):
    """Of three runs on either side, the widest interval is from the least to the greatest quotient."""
    sides = [[plant_run(tmp_path / f"{side}{i}.roast", wall=wall) for i, wall in enumerate(walls)]
             for side, walls in (("a", (100, 100, 100)), ("b", (100, 100, longest)))]  # fmt: skip
    found = compare(roast, *sides[0], "--", *sides[1])
    ratio = timing(found, "elapsed_time_seconds")["ratio"]
    assert (ratio["low"], ratio["high"]) == pytest.approx((1, longest / 100))
    shown = roast("compare", *sides[0], "--", *sides[1], "--width", "150").stdout
    row = next(line for line in shown.splitlines() if "wall time" in line)
    assert ("cannot be told" in row, "[1.00, " in row) == (not told, told)
    gate = " ".join(roast("gate", *sides[0], "--", *sides[1], "--width", "150").stdout.split())
    assert ("cannot be told" in gate) == (not told)


def test_a_change_that_is_not_chance_may_be_of_unknown_size(roast, tmp_path):
    sides = [[plant_run(tmp_path / f"{side}{i}.roast", wall=wall) for i, wall in enumerate(walls)]
             for side, walls in (("a", (100, 101, 102, 103, 104)), ("b", (110, 111, 112, 4000, 5000)))]  # fmt: skip
    said = compare(roast, *sides[0], "--", *sides[1])["verdict"]
    assert "that is not chance" in said and "but these runs cannot tell how much" in said


def test_a_run_that_did_less_is_not_called_faster(roast, tmp_path):
    whole, part = plant_run(tmp_path / "a.roast"), plant_run(tmp_path / "b.roast", wall=80, events=108_000)
    said = compare(roast, whole, part)["verdict"]
    assert said == "A and B did not process the same number of events (120 000 and 108 000): their times do not compare"


def test_runs_that_did_the_same_work_are_compared_also_if_they_differ_among_themselves(roast, tmp_path):
    events = (120_000, 118_800, 120_000)
    sides = [[plant_run(tmp_path / f"{side}{i}.roast", events=n) for i, n in enumerate(events)] for side in "ab"]
    assert "did not process" not in compare(roast, *sides[0], "--", *sides[1])["verdict"]
    other = plant_run(tmp_path / "c.roast", events=117_600)
    assert compare(roast, *sides[0], "--", *sides[1], other)["verdict"] == (
        "A and B did not process the same number of events (118 800 to 120 000 and 117 600 to 120 000): their times do not compare")  # fmt: skip


@pytest.mark.parametrize("order, warned", [("AAABBB", True), ("ABABAB", False), ("AABBAB", False), ("BBBAAA", True), ("AABB", True)])
def test_the_gate_warns_of_runs_that_do_not_alternate(roast, tmp_path, order, warned):
    runs = [plant_run(tmp_path / f"{i}.roast", start=1000 * i, wall=100 + i % 2) for i in range(len(order))]
    sides = [[run for run, side in zip(runs, order, strict=True) if side == wanted] for wanted in "AB"]
    found = answer(roast("gate", *sides[0], "--", *sides[1], "--json"))
    assert found["alternate"] == ("no" if warned else "yes")
    done = roast("gate", *sides[0], "--", *sides[1], "--markdown", tmp_path / "gate.md")
    for text in (done.stdout, (tmp_path / "gate.md").read_text()):
        assert ("do not alternate in time" in " ".join(text.split())) == warned


def test_the_gate_names_the_steadier_metric(roast, tmp_path):
    np = pytest.importorskip("numpy")
    sides = [[plant_run(tmp_path / f"{side}{i}.roast", start=2000 * i + 1000 * side, wall=wall, cpu=100 + i / 10)
              for i, wall in enumerate(walls)] for side, walls in enumerate(BUSY_CLUSTER)]  # fmt: skip
    found = answer(roast("gate", *sides[0], "--", *sides[1], "--json"))
    logs = [np.log(walls) for walls in BUSY_CLUSTER]
    assert found["steadier"]["metric"] == "chunk_cpu_seconds_total"
    assert found["steadier"]["scatter_of_judged"] == pytest.approx(math.sqrt(sum(x.var() * 5 for x in logs) / 8))
    assert found["steadier"]["scatter"] < 0.01
    said = " ".join(roast("gate", *sides[0], "--", *sides[1]).stdout.split())
    assert "process: CPU is steadier" in said and "--metric chunk_cpu_seconds_total" in said
    judged = answer(roast("gate", *sides[0], "--", *sides[1], "--json", "--metric", "chunk_cpu_seconds_total"))
    assert judged["steadier"] == {} and judged["verdict"] == "fine"


def scaled_runs(tmp_path, rates) -> list:
    return [plant_run(tmp_path / f"{i}-{cores}.roast", cores=cores, wall=120_000 / rate)
            for i, (cores, rate) in enumerate(rates)]  # fmt: skip


def test_a_plateau_has_no_peak(roast, tmp_path):
    """Twice the cores do not help from 16 on, and do no harm."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(3)
    rates = [(cores, min(cores, 16) * 100 * rng.lognormal(0, 0.02)) for cores in (1, 2, 4, 8, 16, 32, 64, 128)]
    runs = scaled_runs(tmp_path, rates)
    found = answer(roast("scale", *runs, "--json"))
    assert found["usl"]["peak_cores"]["estimate"] is None and found["usl"]["highest_events_per_second"]["estimate"] is None
    assert "not seen" in roast("scale", *runs, "--width", "200").stdout


def test_a_rate_that_falls_has_a_peak(roast, tmp_path):
    rates = [(cores, 100 * usl(cores, 0.02, 0.0004)) for cores in (1, 2, 4, 8, 16, 32, 64, 128)]
    found = answer(roast("scale", *scaled_runs(tmp_path, rates), "--json"))
    assert found["usl"]["peak_cores"]["estimate"] == pytest.approx(math.sqrt(0.98 / 0.0004), rel=0.01)


def test_what_is_not_determined_is_not_claimed(roast, tmp_path):
    """Runs that scatter by half: an interval wider than its value is told as such."""
    np = pytest.importorskip("numpy")
    rng = np.random.default_rng(5)
    rates = [(cores, 100 * usl(cores, 0.01, 0.0001) * rng.lognormal(0, 0.6)) for cores in (2, 4, 8, 16, 32, 64)]
    runs = scaled_runs(tmp_path, rates)
    found = answer(roast("scale", *runs, "--json"))
    laws = [found[law] for law in ("amdahl", "usl") if law in found]
    assert laws or "wider than its value" in found["why_no_law"]
    for law in laws:
        for name in ("contention", "coherence", "knee_cores", "peak_cores", "highest_events_per_second"):
            number = law[name]
            claimed = law[f"{name}_determined"] == "yes" if f"{name}_determined" in law else number["estimate"] is not None
            if claimed and number["low"] is not None:
                assert number["high"] - number["low"] <= number["estimate"], name
    if found.get("usl") and found["usl"]["knee_cores"]["estimate"] is None:
        assert found["knee"]["cores"] is None


def test_what_cannot_be_told_from_chance_is_in_brackets_and_the_legend_says_so(roast, tmp_path):
    """CPU is worse in each run of B; the wall times are of a busy cluster."""
    sides = [[plant_run(tmp_path / f"{side}{i}.roast", wall=wall, cpu=cpu * (1 + i / 1000)) for i, wall in enumerate(walls)]
             for side, (walls, cpu) in enumerate(zip(BUSY_CLUSTER, (100, 113), strict=True))]  # fmt: skip
    found = compare(roast, *sides[0], "--", *sides[1])
    shown = roast("compare", *sides[0], "--", *sides[1], "--width", "160").stdout
    told = {timing["what"]: timing["p_holm"] for timing in found["timings"] if timing["p_holm"] is not None}
    assert min(told.values()) <= 0.05 < max(told.values())
    changes = shown[shown.index("What changed") :].splitlines()
    for what, p in told.items():
        line = next(line for line in changes if line.startswith(f"  {what} "))
        assert bool(re.search(r"\([+−±][\d.]+ %\)", line)) == (p > 0.05), line
    assert "grey, in brackets: cannot be told from chance" in shown
    coloured = roast("compare", *sides[0], "--", *sides[1], "--width", "160", "--color", "always").stdout
    assert "\x1b[2mwall time\x1b[0m" in coloured and "\x1b[2mprocess: CPU" not in coloured
