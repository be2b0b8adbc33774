"""The report in a real browser: what a person does with it, and what it must never do."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import subprocess

import embedded
import pytest
from built import ROOT, program
from reports import SCREENSHOTS, write_report

RIGHT = 10  # margin of the plots, in time.js
ODD = ["nothing", "one_chunk", "no_chunks", "no_workers", "no_time", "instant", "one_sample", "clock_jump"]


def assert_quiet(page, path):
    assert page.console == []
    assert page.requests == [path.resolve().as_uri()]


def span(page):
    return page.run("document.querySelector('.range .span').textContent")


def left(page):
    """Pixels for names, left of all plots."""
    return int(page.run("document.documentElement.dataset.left"))


def readouts(page):
    return page.run("[...document.querySelectorAll('.keys b')].map(b => b.textContent)")


def column_texts(page, table, column):
    return page.run(
        f"[...document.querySelectorAll('#table-{table} tbody tr')].map(r => r.cells[{column}].textContent)"
    )


def exported(run, table):
    done = subprocess.run(
        [program("roast"), "export", run, "--to", "csv", "--only", table], check=True, capture_output=True, text=True
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


# ---- What it never does -------------------------------------------------------------------------------------------


def test_the_page_asks_nothing_of_the_network_and_has_nothing_to_complain_about(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    assert_quiet(page, report)


def test_nothing_but_its_own_code_may_run_in_the_page(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.run(
        "(() => { try { const s = document.createElement('script'); s.textContent = 'window.harmed = 1';"
        " document.body.append(s); } catch (e) { window.refused = String(e); } })()"
    )
    assert page.run("window.harmed") is None
    fetched = page.run("fetch('http://127.0.0.1:9/x').then(() => 'fetched', () => 'refused')")
    assert fetched == "refused"
    assert any("Content Security Policy" in text or "contentSecurityPolicy" in text for text in page.console)


@pytest.mark.parametrize("width", [400, 1200])
def test_names_that_would_be_code_are_shown_as_text(odd, open_page, width):
    report = odd("markup")
    page = open_page(report, width=width)
    assert_quiet(page, report)
    assert page.run("window.harmed") is None
    assert page.run("document.querySelectorAll('img, main script, iframe, [onload], [onerror]').length") == 0
    assert page.run("document.querySelector('h1').textContent") == "<script>window.harmed = 1</script>"
    texts = page.run("document.body.textContent")
    image = '"><img src=x onerror="window.harmed = 1">'
    for name in (image, "]]>--></style></title>", "${window.harmed = 1}`{{script}}&lt;b&gt;"):
        assert name in texts
    page.click("#table-datasets th button")  # rows made by the script now
    page.wait("document.querySelector('#table-datasets th').getAttribute('aria-sort')")
    shown = column_texts(page, "datasets", 0)
    assert "<script>window.harmed = 1</script>" in shown
    assert "emoji 🎉 日本語 é" in shown
    assert any("\\u202e" in name for name in shown), "a direction override is spelled out"
    assert any("\ufffd" in name for name in shown), "invalid bytes are replaced"
    assert max(map(len, shown)) <= 1000
    page.screenshot(SCREENSHOTS / f"markup-{width}.png")
    assert page.run("document.scrollingElement.scrollWidth") <= width
    assert_quiet(page, report)


def test_hovering_a_chunk_with_a_name_that_would_be_code_shows_text(odd, open_page):
    report = odd("markup")
    page = open_page(report)
    box = page.box("#lanes .plot")
    seen = set()
    for step in range(0, int(box["height"]) - 24, 6):
        for x in (100, 300, 500, 700, 900):
            page.mouse("mouseMoved", box["x"] + x, box["y"] + step)
            seen.add(page.run("document.getElementById('tip').hidden ? '' : document.querySelector('#tip bdi').textContent"))
    assert "<script>window.harmed = 1</script>" in seen
    assert page.run("window.harmed") is None
    assert_quiet(page, report)


# ---- Odd runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ODD)
def test_a_run_that_lacks_something_gives_a_page_that_says_so(odd, open_page, kind):
    report = odd(kind)
    page = open_page(report)
    assert_quiet(page, report)
    text = page.run("document.querySelector('main').innerText")
    expected = {
        "nothing": "no time axis",
        "one_chunk": "No worker was tracked",
        "no_chunks": "No chunk records",
        "no_workers": "No worker was tracked",
        "no_time": "Nothing in this run has a time",
        "instant": "no duration",
        "one_sample": "Concurrent chunks",
        "clock_jump": "as after a jump of a clock",
    }[kind]
    assert expected in text
    assert "NaN" not in text and "Infinity" not in text and "undefined" not in text
    page.screenshot(SCREENSHOTS / f"odd-{kind}.png")


def test_a_run_without_workers_has_its_chunks_in_lanes(odd, open_page):
    page = open_page(odd("no_workers"))
    box = page.box("#lanes .plot")
    page.move(box["x"] + left(page) + 40, box["y"] + 6)
    assert "worker not known" in page.run("document.getElementById('tip').textContent")


# ---- The data ------------------------------------------------------------------------------------------------------


def known(value, unit=1):
    """In whole units; what was not measured sorts before everything else."""
    return -1 if value is None else value // unit


def test_the_page_carries_every_chunk_of_the_run(synthetic):
    run, report = synthetic()
    data, about, names = embedded.columns(report, "chunks"), embedded.about(report), embedded.packed_json(report, "data-names")
    tick_ns = round(about["tick"] * 1e9)
    rows = sqlite3.connect(run).execute(
        "SELECT dataset.name, file.url, entry_start, events, chunk.bytes_read, duration_ns, cpu_ns, rss_peak, error_type"
        " FROM chunk JOIN dataset ON dataset.id = chunk.dataset JOIN file ON file.id = chunk.file"
    )
    expected = sorted(
        (dataset, url, start, *map(known, (events, read, ns, cpu, peak), (1, 1, tick_ns, tick_ns, 1024)), error or "")
        for dataset, url, start, events, read, ns, cpu, peak, error in rows
    )
    errors = [""] + names["errors"]
    carried = sorted(
        (names["datasets"][d][0], names["files"][f], start, *map(known, (events, read, process, cpu, kib)), errors[error])
        for d, f, start, events, read, process, cpu, kib, error in zip(
            data["dataset"], data["file"], data["entry_start"], data["events"], data["bytes"], data["process_time"],
            data["cpu_time"], data["memory_kib"], data["error"], strict=True,
        )
    )
    assert carried == expected
    assert data["begin"] == sorted(data["begin"])


def test_chunks_of_one_lane_do_not_overlap_and_ran_on_its_worker(synthetic):
    run, report = synthetic()
    data, names = embedded.columns(report, "chunks"), embedded.packed_json(report, "data-names")
    placed, ends = [], {}
    for i, lane in enumerate(data["lane"]):
        worker = names["workers"][data["lane_worker"][lane]][-1]
        file, start, attempt = names["files"][data["file"][i]], data["entry_start"][i], data["attempt"][i]
        placed.append((worker, file, start, known(data["events"][i]), attempt))
        assert data["begin"][i] >= ends.get(lane, 0) - 4  # each of the four parts is rounded down
        ends[lane] = data["begin"][i] + sum(data[part][i] or 0 for part in ("open_time", "events_time", "process_time", "return_time"))
    recorded = sqlite3.connect(run).execute(
        "SELECT address, url, entry_start, coalesce(events, -1), attempt"
        " FROM chunk JOIN file ON file.id = chunk.file JOIN worker ON worker.id = chunk.worker"
    )
    assert sorted(placed) == sorted(recorded)


def mean_rate(page):
    """What the panel of what chunks read says of the part that is shown, in bytes per second."""
    panels = page.run("[...document.querySelectorAll('.panel')].map(p => p.innerText)")
    text = next(text for text in panels if "Read by chunks" in text)
    shown, unit = re.search(r"mean ([\d.]+) (MB/s|GB/s|kB/s)", text).groups()
    return float(shown) * {"kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}[unit]


def test_the_mean_of_what_chunks_read_is_that_of_the_run_and_then_that_of_the_part_that_is_shown(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report)
    total, begin, end = sqlite3.connect(run).execute(
        "SELECT sum(bytes_read), (SELECT value FROM run WHERE key = 't_start_ns'), (SELECT value FROM run WHERE key = 't_end_ns')"
        " FROM chunk WHERE error_type IS NULL").fetchone()  # fmt: skip
    assert mean_rate(page) == pytest.approx(total / (int(end) - int(begin)) * 1e9, rel=0.006)
    page.run("document.querySelector('#timeline .plot').focus()")
    page.key("+")  # the middle half
    about, chunks = embedded.about(report), embedded.columns(report, "chunks")
    first, last, read = about["length"] / 4, about["length"] * 3 / 4, 0
    for i, bytes_read in enumerate(chunks["bytes"]):
        if bytes_read and not (chunks["error"] and chunks["error"][i]):
            start = chunks["begin"][i] + (chunks["open_time"][i] or 0) + (chunks["events_time"][i] or 0)
            inside = min(last, start + chunks["process_time"][i]) - max(first, start)
            read += max(0, inside) / chunks["process_time"][i] * bytes_read
    assert mean_rate(page) == pytest.approx(read / ((last - first) * about["tick"]), rel=0.006)


def test_the_page_says_what_held_the_run_back(folder, open_page):
    run = folder / "slow.roast"
    subprocess.run([program("roast-synth"), "--scenario", "slow_storage", "--seed", "4", "--no-truth", "-o", run], check=True)
    page = open_page(write_report(run))
    shown = page.run("document.querySelector('.findings').innerText")
    explained = subprocess.run([program("roast"), "explain", run], check=True, capture_output=True, text=True).stdout
    title = re.search(r"^1  (.*?) ─", explained, re.MULTILINE)[1]
    assert title in shown and "up to" in shown
    ledger = page.run("document.querySelector('.parts').innerText")
    waiting = next(row for row in exported(run, "ledger") if row["category"] == "process_io")
    assert f"{float(waiting['share_percent']):.1f} %" in ledger


# ---- What a person does --------------------------------------------------------------------------------------------


def test_hovering_shows_the_moment_in_every_panel(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    assert all(text.startswith(("mean ", "peak ")) for text in readouts(page))
    box = page.box("#timeline .plot")
    page.move(box["x"] + left(page) + (box["width"] - left(page) - RIGHT) / 2, box["y"] + 40)
    assert all(re.fullmatch(r"[\d  .]+( ?[a-zA-Z%/]+)?", text) for text in readouts(page)), readouts(page)
    hairs = page.run("[...document.querySelectorAll('.hair')].map(h => h.hidden ? null : h.getBoundingClientRect().x)")
    assert len(hairs) >= 5 and max(hairs) - min(hairs) < 1, "the line stands at the same place in all of them"
    assert "UTC" in page.run("document.querySelector('.range .moment').textContent")
    page.move(box["x"] + 200, 5)
    assert page.run("document.querySelector('.range .moment').textContent") == ""


def test_dragging_zooms_all_charts_and_double_click_shows_the_whole_run(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    whole, means = span(page), readouts(page)
    box = page.box("#timeline .plot")
    inner = box["width"] - left(page) - RIGHT
    page.drag(box["x"] + left(page) + inner * 0.25, box["x"] + left(page) + inner * 0.5, box["y"] + 40)
    assert " to " in span(page)
    page.move(box["x"] + 200, 5)
    assert readouts(page) != means
    assert page.run("new Set([...document.querySelectorAll('.range .span')].map(s => s.textContent)).size") == 1
    page.screenshot(SCREENSHOTS / "zoomed.png")
    page.double_click(box["x"] + 300, box["y"] + 40)
    page.move(box["x"] + 200, 5)
    page.wait(f"document.querySelector('.range .span').textContent === {json.dumps(whole)}")
    assert readouts(page) == means


def test_zooming_ends_where_it_was_dragged(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    about = embedded.about(report)
    length = about["length"] * about["tick"]
    box = page.box("#timeline .plot")
    inner = box["width"] - left(page) - RIGHT
    page.drag(box["x"] + left(page) + inner * 0.25, box["x"] + left(page) + inner * 0.75, box["y"] + 40)
    shown = re.findall(r"[\d:.]+", span(page))[:2]
    ends = [sum(float(part) * 60**i for i, part in enumerate(reversed(text.split(":")))) for text in shown]
    origin = about["run_start"] * about["tick"]
    assert ends[0] + origin == pytest.approx(length * 0.25, abs=length * 0.01)
    assert ends[1] + origin == pytest.approx(length * 0.75, abs=length * 0.01)


def test_hovering_a_chunk_names_it(synthetic, open_page):
    _, report = synthetic()
    data, about, names = embedded.columns(report, "chunks"), embedded.about(report), embedded.packed_json(report, "data-names")
    page = open_page(report)
    chunk = max(range(about["chunks"]), key=lambda i: data["process_time"][i])
    box = page.box("#lanes .plot")
    inner, height = box["width"] - left(page) - RIGHT, box["height"] - 24
    middle = (data["begin"][chunk] + data["process_time"][chunk] / 2) / about["length"]
    page.move(box["x"] + left(page) + middle * inner, box["y"] + (data["lane"][chunk] + 0.4) * height / about["lanes"])
    tip = page.run("document.getElementById('tip').innerText")
    worker = names["workers"][data["lane_worker"][data["lane"][chunk]]]
    start = data["entry_start"][chunk]
    for text in (
        names["datasets"][data["dataset"][chunk]][0], names["files"][data["file"][chunk]], f"{start:,}".replace(",", " "),
        f"{start + data['events'][chunk]:,}".replace(",", " "), *worker, "UTC", "in process()", "opening", "peak memory", "MiB",
        f"{100 * data['cpu_time'][chunk] / data['process_time'][chunk]:.1f} %",
    ):  # fmt: skip
        assert text in tip, tip
    assert page.run("!document.querySelector('.frame').hidden")
    page.screenshot(SCREENSHOTS / "chunk.png", whole=False)
    page.move(5, 5)
    assert page.run("document.getElementById('tip').hidden")


def test_a_dataset_can_be_brought_out_and_workers_filtered(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    picture = "document.querySelector('#lanes canvas').toDataURL()"
    before = page.run(picture)
    page.click(".legend button")
    assert page.run("document.querySelector('.legend button').getAttribute('aria-pressed')") == "true"
    assert page.run(picture) != before
    page.click(".legend button")
    assert page.run(picture) == before
    page.click("#lanes input")
    page.call("Input.insertText", text="10.0.0.1:40000")
    page.settle()
    assert re.match(r"[1-8] of \d+ lanes", page.run("document.querySelector('#lanes .count').textContent"))


def test_the_keyboard_is_enough(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    whole = span(page)
    page.run("document.querySelector('#timeline .plot').focus()")
    page.key("ArrowRight")
    page.key("ArrowRight")
    assert "cores there" in page.run("document.getElementById('live').textContent"), "a screen reader is told"
    page.key("+")
    zoomed = span(page)
    assert zoomed != whole
    page.key("ArrowRight", shift=True)
    assert span(page) not in (whole, zoomed)
    page.key("0")
    assert span(page) == whole
    page.run("document.querySelector('#lanes .plot').focus()")
    page.key("ArrowRight")
    first = page.run("document.getElementById('live').textContent")
    page.key("ArrowRight")
    assert "entries" in first and page.run("document.getElementById('live').textContent") != first
    page.run("document.querySelector('#files summary').focus()")
    page.key("Enter")
    assert page.run("document.querySelector('#files details').open")
    page.run("document.querySelector('#table-files th:nth-child(2) button').focus()")
    page.key("Enter")
    page.wait("document.querySelector('#table-files th:nth-child(2)').getAttribute('aria-sort') === 'descending'")


def test_everything_that_can_be_used_has_a_name(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "searchbox", "img", "image", "link", "figure")
    named = [n for n in nodes if not n["ignored"] and n["role"]["value"] in roles]
    assert len(named) > 30
    nameless = [n["role"]["value"] for n in named if n["role"]["value"] != "figure" and not n.get("name", {}).get("value")]
    assert nameless == []
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("document.documentElement.lang") == "en"


# ---- Tables --------------------------------------------------------------------------------------------------------


def test_tables_sort_by_value_not_by_text(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report)
    files = exported(run, "files")
    heads = page.run("[...document.querySelectorAll('#table-files th')].map(h => h.textContent)")
    events = heads.index("events") + 1
    expected = sorted(files, key=lambda row: -int(row["total_events"]))
    page.click(f"#table-files th:nth-child({events}) button")
    page.wait(f"document.querySelector('#table-files tbody').rows[0].textContent.includes({json.dumps(expected[0]['file'])})")
    assert column_texts(page, "files", 0) == [row["file"] for row in expected[:12]]
    page.click(f"#table-files th:nth-child({events}) button")
    page.wait(f"document.querySelector('#table-files tbody').rows[0].textContent.includes({json.dumps(expected[-1]['file'])})")
    assert page.run(f"document.querySelector('#table-files th:nth-child({events})').getAttribute('aria-sort')") == "ascending"


def test_tables_show_all_their_rows_when_asked(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report)
    files = exported(run, "files")
    assert len(column_texts(page, "files", 0)) == 12
    assert page.run("document.querySelector('#table-files .more').textContent") == f"and {len(files) - 12} more"
    page.click("#table-files .tools button")
    page.wait(f"document.querySelectorAll('#table-files tbody tr').length === {len(files)}")
    assert sorted(column_texts(page, "files", 0)) == sorted(row["file"] for row in files)


def test_tables_filter(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report)
    wanted = exported(run, "files")[3]["file"]
    page.click("#table-files input")
    page.call("Input.insertText", text=wanted[-12:].upper())
    page.wait("document.querySelector('#table-files .count').textContent")
    assert column_texts(page, "files", 0) == [wanted]
    page.call("Input.insertText", text="no such thing")
    page.wait("document.querySelector('#table-files .more').textContent === 'no row has this text'")


def test_tables_copy_as_csv_with_all_digits(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report)
    page.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.call("Page.bringToFront")
    page.click("#table-files .tools button:last-child")
    page.wait("document.querySelector('#table-files .tools button:last-child').textContent.startsWith('Copied')")
    rows = list(csv.DictReader(io.StringIO(page.run("navigator.clipboard.readText()"))))
    expected = {row["file"]: row for row in exported(run, "files")}
    assert len(rows) == len(expected)
    for row in rows:
        assert float(row["in process()"]) == float(expected[row["file"]]["total_duration"])
        assert int(row["events"]) == int(expected[row["file"]]["total_events"])


def test_a_cell_that_a_spreadsheet_would_run_is_defused_when_copied(folder, open_page):
    run = folder / "hostile.roast"
    subprocess.run([program("make_run"), "hostile", run], check=True)
    page = open_page(write_report(run))
    page.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.call("Page.bringToFront")
    page.click("#table-datasets .tools button:last-child")
    page.wait("document.querySelector('#table-datasets .tools button:last-child').textContent.startsWith('Copied')")
    assert "'=cmd|" in page.run("navigator.clipboard.readText()")


# ---- How it looks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200, 2000])
def test_it_fits_the_screen_in_light_and_dark(synthetic, open_page, width, dark):
    _, report = synthetic()
    page = open_page(report, width=width, dark=dark)
    assert page.run("document.scrollingElement.scrollWidth") <= width
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert brightness < 60 if dark else brightness > 200
    page.resize(width, page.height())
    page.settle()
    page.settle()
    page.screenshot(SCREENSHOTS / f"report-{width}-{'dark' if dark else 'light'}.png")
    assert_quiet(page, report)


def test_charts_follow_when_the_reader_turns_the_lights_off(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    picture = "document.querySelector('#timeline canvas').toDataURL()"
    light = page.run(picture)
    page.prefer(dark=True)
    page.settle()
    assert page.run(picture) != light
    page.prefer(dark=False)
    page.settle()
    assert page.run(picture) == light


def test_it_prints_in_light_colours(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report, dark=True)
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", pdf)) > 1
    (SCREENSHOTS / "report.pdf").write_bytes(pdf)
    assert page.run("document.documentElement.classList.contains('light')") is False, "the screen is dark again"
    assert_quiet(page, report)


def test_without_scripts_the_numbers_are_there(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report, scripts=False)
    page.screenshot(SCREENSHOTS / "without-scripts.png")
    html = page.call("DOM.getOuterHTML", nodeId=page.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
    assert "This chart is drawn by the page's own script" in html
    assert html.count("<tr>") > 40 and 'data-chart="runtime_distribution"' in html


def test_the_page_of_ten_thousand_chunks_is_under_a_megabyte(synthetic, open_page):
    _, report = synthetic(chunks=10000, workers=100, files=500, samples=100)
    assert report.stat().st_size < 1_000_000
    page = open_page(report)
    assert_quiet(page, report)


# ---- Other pages ---------------------------------------------------------------------------------------------------


def test_the_page_of_inspect_sorts_by_numbers_and_is_quiet(open_page, tmp_path):
    page_path, file = tmp_path / "inspect.html", ROOT / "tests" / "fuzz" / "root" / "tree-zlib.root"
    subprocess.run([program("roast"), "inspect", file, "--branches", "--html", page_path], check=True)
    page = open_page(page_path)
    assert_quiet(page, page_path)
    table = page.run("document.querySelector('table.grid').closest('.table').id").removeprefix("table-")
    sizes = page.run(f"[...document.querySelectorAll('#table-{table} th')].findIndex(h => h.textContent === 'per event')")
    shown = len(column_texts(page, table, 0))
    for order in ("descending", "ascending"):
        page.run(f"document.querySelectorAll('#table-{table} th')[{sizes}].querySelector('button').click()")
        page.wait(f"document.querySelectorAll('#table-{table} th')[{sizes}].getAttribute('aria-sort') === '{order}'")
        bytes_of = [float(text.replace("B", "").replace(" ", "")) for text in column_texts(page, table, sizes)]
        assert bytes_of == sorted(bytes_of, reverse=order == "descending") and len(bytes_of) == shown > 1


def test_the_page_of_compare_is_quiet_and_has_every_table(synthetic, open_page, tmp_path):
    run, _ = synthetic()
    page_path = tmp_path / "compare.html"
    subprocess.run([program("roast"), "compare", run, run, "--html", page_path], check=True, stdout=subprocess.DEVNULL)
    page = open_page(page_path, dark=True)
    assert_quiet(page, page_path)
    assert page.run("document.querySelectorAll('nav a[href^=\"#\"]').length") > 1
    assert page.run("document.querySelectorAll('main table tbody tr').length") > 1
    head = page.run("document.querySelector('header').textContent")
    assert head.count(str(run)) == 2 and page.run("document.querySelector('h1').textContent") == "What changed"


def test_a_chart_that_stands_alone_is_dark_where_the_reader_prefers_it(browser, synthetic, tmp_path):
    run, _ = synthetic()
    picture = tmp_path / "chart.svg"
    subprocess.run([program("roast"), "plot", run, "runtime_distribution", "-o", picture], check=True)
    page = tmp_path / "page.html"  # our way of opening pages waits for a script
    page.write_text("<!DOCTYPE html><html data-ready=yes><body>" + picture.read_text().split("?>", 1)[1], encoding="utf-8")
    fill = "getComputedStyle(document.querySelector('{}')).fill"
    for dark in (False, True):
        shown = browser.open(page, dark=dark)
        ground, title = (shown.run(fill.format(selector)) for selector in (".w", "text.h"))
        lightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ground, title)]
        assert (lightness[0] < lightness[1]) == dark and abs(lightness[0] - lightness[1]) > 400
        shown.close()
