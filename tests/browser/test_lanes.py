"""The lanes of the report in a real browser: colours, pinning, lighting, hosts, heights, and the view in the address."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
import statistics
import subprocess

import embedded
import pytest
from built import program
from chromium import Page
from reports import SCREENSHOTS, write_report

RIGHT, AXIS = 10, 24  # margins of the plot, in time.js and lanes.js
PIN = "document.querySelector('.pinned-chunk')"


class Lanes:
    """The lanes of a page, and the data that they are drawn from, read another way."""

    def __init__(self, report, page):
        self.report, self.page = report, page
        self.data, self.about = embedded.columns(report, "chunks"), embedded.about(report)
        self.names = embedded.packed_json(report, "data-names")
        self.count = self.about["chunks"]

    def column(self, name):
        return self.data[name] or [None] * self.count

    def number(self, i):
        return self.data["number"][i]

    def length(self, i):
        return sum(self.data[part][i] or 0 for part in ("open_time", "events_time", "process_time", "return_time"))

    def seconds(self, ticks):
        return (ticks - self.about["run_start"]) * self.about["tick"]

    def address(self, i):
        return self.names["workers"][self.data["lane_worker"][self.data["lane"][i]]][-1]

    def host(self, i):
        return self.names["workers"][self.data["lane_worker"][self.data["lane"][i]]][1]

    def place(self, i):
        """Where the middle of process() of a chunk is on the screen, while all of the run and all lanes are shown."""
        box = self.page.box("#lanes .plot")
        left = int(self.page.run("document.documentElement.dataset.left"))
        start = self.data["begin"][i] + (self.data["open_time"][i] or 0) + (self.data["events_time"][i] or 0)
        share = (start + self.data["process_time"][i] / 2) / self.about["length"]
        height = (box["height"] - AXIS) / self.about["lanes"]
        return box["x"] + left + share * (box["width"] - left - RIGHT), box["y"] + (self.data["lane"][i] + 0.4) * height

    def press(self, x, y):
        self.page.mouse("mouseMoved", x, y)
        self.page.mouse("mousePressed", x, y, 1)
        self.page.mouse("mouseReleased", x, y, 1)
        self.page.settle()

    def longest(self, which=lambda i: True):
        return max(filter(which, range(self.count)), key=lambda i: self.data["process_time"][i] or 0)

    def pixel(self, x, y):
        return tuple(
            self.page.run(
                "(canvas => { const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;"
                f" return [...canvas.getContext('2d').getImageData(({x} - box.x) * ratio, ({y} - box.y) * ratio, 1, 1).data.slice(0, 3)];"
                " })(document.querySelector('#lanes canvas'))"
            )
        )

    def pinned(self):
        return self.page.run(f"{PIN}.hidden ? null : {PIN}.innerText")

    def choose(self, colouring):
        self.page.run(f"(s => {{ s.value = '{colouring}'; s.dispatchEvent(new Event('change')); }})(document.querySelector('#lanes select'))")
        self.page.settle()

    def highlight(self, **wanted):
        self.page.run(f"document.dispatchEvent(new CustomEvent('highlight', {{ detail: {json.dumps(wanted or None)} }}))")
        self.page.settle()

    def lit(self):
        """How many attempts are lit, as the page says it."""
        text = self.page.run("document.querySelector('.lit-status').hidden ? '' : document.querySelector('.lit-status b').textContent")
        return int(re.match(r"([\d ]+) of", text)[1].replace(" ", "")) if text else None

    def picture(self):
        return self.page.run("document.querySelector('#lanes canvas').toDataURL()")

    def fragment(self):
        return self.page.run("location.hash")


@pytest.fixture
def lanes(synthetic, open_page):
    def start(report=None, **options):
        report = report or synthetic()[1]
        return Lanes(report, open_page(report, **options))

    return start


@pytest.fixture(scope="module")
def slow_host(folder):
    run = folder / "slow-host.roast"
    subprocess.run([program("roast-synth"), "--scenario", "slow_host", "--seed", "5", "--no-truth", "-o", run], check=True)
    return run, write_report(run)


# ---- Pinning -------------------------------------------------------------------------------------------------------


def test_a_click_pins_a_chunk_whose_facts_stay_and_escape_lets_it_go(lanes):
    page = (here := lanes()).page
    chunk = here.longest()
    x, y = here.place(chunk)
    here.press(x, y)
    page.move(5, 5)
    text = here.pinned()
    for fact in (here.names["files"][here.data["file"][chunk]], here.address(chunk), here.host(chunk), f"chunk {here.number(chunk)}"):
        assert fact in text
    assert page.run("document.getElementById('tip').hidden") is True
    selected = f"(s => {{ s.selectAllChildren({PIN}); return s.toString(); }})(getSelection())"
    assert here.address(chunk) in page.run(selected), "its text can be selected"
    page.screenshot(SCREENSHOTS / "pinned.png", whole=False)
    page.run("document.querySelector('#lanes .plot').focus()")
    page.key("Escape")
    assert here.pinned() is None
    assert page.console == []


def test_a_double_click_shows_the_whole_run_and_pins_nothing(lanes):
    here = lanes()
    x, y = here.place(here.longest())
    here.page.double_click(x, y)
    assert here.pinned() is None


def test_enter_pins_the_chunk_that_the_keyboard_is_at(lanes):
    page = (here := lanes()).page
    page.run("document.querySelector('#lanes .plot').focus()")
    page.key("ArrowRight")
    page.key("ArrowRight")
    page.key("Enter")
    first_lane = [i for i in range(here.count) if here.data["lane"][i] == 0]
    assert f"chunk {here.number(first_lane[1])}\n" in here.pinned()
    assert page.run("document.getElementById('live').textContent").startswith(f"Pinned: chunk {here.number(first_lane[1])},")
    page.run(f"{PIN}.querySelector('button').focus()")
    page.key("Escape")
    assert here.pinned() is None
    assert page.run("document.activeElement.className") == "plot", "the keyboard is where it was"


def test_a_pinned_chunk_is_copied_as_text_with_full_names(lanes):
    page = (here := lanes()).page
    chunk = here.longest()
    here.highlight(chunk=here.number(chunk))
    page.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.call("Page.bringToFront")
    page.click(".pinned-chunk button")
    page.wait(f"{PIN}.querySelector('button').textContent === 'Copied'")
    facts = dict(line.split(": ", 1) for line in page.run("navigator.clipboard.readText()").splitlines())
    assert facts["chunk"] == str(here.number(chunk))
    assert facts["file"] == here.names["files"][here.data["file"][chunk]]
    assert facts["address"] == here.address(chunk)
    assert facts["dataset"] == here.names["datasets"][here.data["dataset"][chunk]][0]


def test_a_tap_pins_on_a_small_screen_and_nothing_is_wider_than_it(lanes):
    page = (here := lanes(width=390)).page
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    x, y = here.place(here.longest())
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.wait(f"!{PIN}.hidden")
    assert page.run("document.scrollingElement.scrollWidth") <= 390
    assert page.run("document.getElementById('tip').hidden") is True
    box = page.run(f"(b => [b.top, b.bottom])({PIN}.getBoundingClientRect())")
    assert 0 < box[0] < box[1] <= 900, "the panel is on the screen"
    page.screenshot(SCREENSHOTS / "pinned-390.png", whole=False)


# ---- Rows ----------------------------------------------------------------------------------------------------------


def test_a_row_of_the_slowest_chunks_goes_to_its_chunk_and_back(lanes, synthetic):
    page = (here := lanes()).page
    ((number,),) = sqlite3.connect(synthetic()[0]).execute("SELECT id FROM chunk ORDER BY duration_ns DESC LIMIT 1")
    assert page.run("document.querySelector('#table-slowest tbody tr').cells[0].textContent") == str(number), "as it is exported"
    page.click("#table-slowest tbody .to-lanes")
    assert f"chunk {number}\n" in here.pinned()
    page.wait("(b => b.left > 0 && b.right < 1200 && b.top > 0 && b.bottom < 900 && b.width >= 12)"
              "(document.querySelector('.frame.pinned').getBoundingClientRect())")  # fmt: skip
    page.run("[...document.querySelectorAll('.lit-status button')].find(b => b.textContent === 'Back to the row').click()")
    page.settle()
    assert page.run("document.activeElement.closest('.table').id") == "table-slowest"
    page.wait("(b => b.top > 0 && b.bottom < 900)(document.activeElement.getBoundingClientRect())")


@pytest.mark.parametrize("table, of", [("workers", "address"), ("datasets", "dataset"), ("files", "file"), ("failures", "error")])
def test_a_row_of_a_table_lights_the_chunks_that_it_is_about(lanes, synthetic, table, of):
    run, _ = synthetic()
    page = (here := lanes()).page
    page.run(f"document.querySelector('#table-{table} tbody .to-lanes').click()")
    page.settle()
    row = page.run(f"[...document.querySelectorAll('#table-{table} th')].map((h, i) => [h.textContent, "
                   f"document.querySelector('#table-{table} tbody tr').cells[i].title || "
                   f"document.querySelector('#table-{table} tbody tr').cells[i].textContent])")  # fmt: skip
    cells = dict(row)
    where, values = {
        "address": ("address = ?", [cells.get("worker")]),
        "dataset": ("dataset.name = ?", [cells.get("dataset")]),
        "file": ("url = ?", [cells.get("file")]),
        "error": ("error_type = ?", [cells.get("error")]),
    }[of]
    counted = sqlite3.connect(run).execute(
        "SELECT count(*) FROM chunk JOIN worker ON worker.id = chunk.worker JOIN file ON file.id = chunk.file"
        f" JOIN dataset ON dataset.id = chunk.dataset WHERE {where}", values).fetchone()[0]  # fmt: skip
    assert here.lit() == counted > 0


def test_rows_that_the_script_makes_have_their_way_to_the_lanes(lanes):
    page = lanes().page
    page.click("#table-files .tools button")
    page.wait("document.querySelectorAll('#table-files tbody tr').length > 12")
    assert page.run("[...document.querySelectorAll('#table-files tbody tr')].every(row => row.querySelector('.to-lanes'))")


# ---- Lighting ------------------------------------------------------------------------------------------------------


def test_what_is_lit_is_what_was_asked_for(lanes):
    here = lanes()
    failed = [bool(error) for error in here.column("error")]
    threshold, middle, steps = (here.about[key] for key in ("slow_from", "slowness_middle", "slowness_steps"))
    slow = [code is not None and 2 ** ((code - middle) / steps) >= threshold for code in here.column("slowness")]
    address, host, file = here.address(7), here.host(7), here.names["files"][here.data["file"][7]]
    begin = [here.seconds(t) for t in here.data["begin"]]
    end = [here.seconds(t + here.length(i)) for i, t in enumerate(here.data["begin"])]
    low, high = begin[50] + 0.01, begin[120] + 0.01
    expected = {
        "failed": ({"failed": True}, failed),
        "slow": ({"slow": True}, slow),
        "worker by address": ({"worker": address}, [here.address(i) == address for i in range(here.count)]),
        "worker by name": ({"worker": address.split("//")[1]}, [here.address(i) == address for i in range(here.count)]),
        "host": ({"host": host}, [here.host(i) == host for i in range(here.count)]),
        "file": ({"file": file}, [here.names["files"][f] == file for f in here.data["file"]]),
        "times": ({"from": low, "to": high}, [e >= low and b <= high for b, e in zip(begin, end, strict=True)]),
        "two things": ({"host": host, "failed": True}, [here.host(i) == host and failed[i] for i in range(here.count)]),
    }
    for what, (wanted, right) in expected.items():
        here.highlight(**wanted)
        assert here.lit() == sum(right) > 0, what
        assert f"{sum(right)} of {here.count}" in here.page.run("document.getElementById('live').textContent"), what
    here.highlight()
    assert here.lit() is None


def test_the_first_chunks_are_those_that_a_worker_began_before_it_had_done_one(lanes, synthetic):
    here = lanes(synthetic(seed=5, chunks=3000, workers=80, cores=8)[1])

    def first(share):
        """Chunks that began before so much of the one that their worker ended first had passed."""
        ends: dict[str, float] = {}
        for i in range(here.count):
            if not here.column("error")[i]:
                end = here.data["begin"][i] + here.length(i) * share
                ends[here.address(i)] = min(ends.get(here.address(i), end), end)
        return sum(here.data["begin"][i] < ends.get(here.address(i), float("inf")) for i in range(here.count))

    here.highlight(first=True)
    assert here.lit() == first(0.98) < first(1), "what begins in its last moments follows it"


def test_others_are_dimmed_and_what_is_lit_is_not(lanes):
    here = lanes()
    one, other = here.longest(), here.longest(lambda i: here.address(i) != here.address(here.longest()))
    at_one, at_other = here.place(one), here.place(other)
    before = here.pixel(*at_one), here.pixel(*at_other)
    here.highlight(worker=here.address(one))
    at_one, at_other = here.place(one), here.place(other)
    after = here.pixel(*at_one), here.pixel(*at_other)
    assert after[0] == before[0]
    assert min(after[1]) > min(before[1]) + 60, "nearer to the white ground"


def test_a_name_that_would_be_code_in_a_highlight_or_the_address_stays_text(lanes):
    here = lanes()
    here.highlight(worker='"><img src=x onerror="window.harmed = 1">')
    assert here.lit() == 0
    here.page.run("location.hash = '#worker=' + encodeURIComponent('<script>window.harmed = 1</script>') + '&by=__proto__&t=NaN-x&c=-4&rows=1e99'")
    here.page.wait("document.querySelector('.lit-status b').textContent.includes('<script>')")
    assert here.page.run("window.harmed") is None and here.page.console == []


# ---- Colours -------------------------------------------------------------------------------------------------------


def ramp(page, name):
    """The stops of a scale in the style, or a single colour, as numbers."""
    stops = page.run(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')").split(",")
    return [tuple(int(stop.strip()[at : at + 2], 16) for at in (1, 3, 5)) for stop in stops]


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_share_of_the_cpu_is_where_the_scale_has_it(lanes, dark):
    here = lanes(dark=dark)
    here.choose("cpu")
    shares = [c / p if c is not None and p else None for c, p in zip(here.data["cpu_time"], here.data["process_time"], strict=True)]
    wide = here.about["length"] / 150
    known = [i for i in range(here.count) if shares[i] is not None and here.data["process_time"][i] > wide and not here.column("error")[i]]
    stops = ramp(here.page, "ramp")
    for i in (min(known, key=lambda i: shares[i]), max(known, key=lambda i: shares[i])):
        at = shares[i] * (len(stops) - 1)
        low = min(int(at), len(stops) - 2)
        right = [a + (b - a) * (at - low) for a, b in zip(stops[low], stops[low + 1], strict=True)]
        assert distance(here.pixel(*here.place(i)), right) < 3 * 30**2, (shares[i], right)
    assert here.page.run("[...document.querySelectorAll('.legend .scale span')].map(s => s.textContent).join(' to ')") == "0 to 100 % on the CPU"


def test_every_colouring_has_its_legend_and_its_picture(lanes):
    here = lanes()
    pictures, legends = set(), set()
    options = here.page.run("[...document.querySelectorAll('#lanes select option')].map(o => o.value)")
    assert options == ["dataset", "slow", "cpu", "rate", "site", "failed"]
    for option in options:
        here.choose(option)
        pictures.add(here.picture())
        legends.add(here.page.run("document.querySelector('.legend').innerText"))
        here.page.screenshot(SCREENSHOTS / f"lanes-{option}.png", whole=False)
    assert len(pictures) >= 5 and len(legends) == 6


def test_a_failed_attempt_is_hatched_whatever_the_colours_say(lanes):
    here = lanes()
    failed = here.longest(lambda i: bool(here.column("error")[i]))
    here.highlight(chunk=here.number(failed))
    here.page.run(f"{PIN}.querySelectorAll('button')[1].click()")  # zoom to it
    here.page.settle()
    here.page.box("#lanes .plot")
    x, y = here.page.run("(b => [b.x + b.width / 3, b.y + b.height / 2])(document.querySelector('.frame.pinned').getBoundingClientRect())")
    assert " to " in here.page.run("document.querySelector('.range .span').textContent")
    for colouring in ("dataset", "slow", "cpu", "rate", "site", "failed"):
        here.choose(colouring)
        stripes = [here.pixel(x + step, y) for step in range(24)]
        assert set(stripes) == {*ramp(here.page, "bad"), *ramp(here.page, "ink")}, f"{colouring}: the colour of failures, and ink"
        assert sum(a != b for a, b in itertools.pairwise(stripes)) >= 6


def test_how_much_slower_than_expected_is_what_explain_says(slow_host, lanes):
    run, report = slow_host
    here = lanes(report)
    explained = subprocess.run([program("roast"), "explain", run, "--json"], check=True, capture_output=True, text=True).stdout
    finding = next(finding for finding in json.loads(explained)["findings"] if finding["id"] == "slow_host")
    name, times = finding["evidence"][0]["name"], finding["evidence"][0]["value"]
    ratios: dict[str, list[float]] = {}
    for i, code in enumerate(here.data["slowness"]):
        if code is not None:
            ratios.setdefault(here.host(i), []).append(2 ** ((code - here.about["slowness_middle"]) / here.about["slowness_steps"]))
    for host, of_host in ratios.items():
        assert statistics.median(of_host) == pytest.approx(times if host == name else 1, rel=0.15), host
    failed = sum(bool(error) for error in here.column("error"))
    assert here.data["slowness"].count(None) == failed > 0, "what failed took as long as it took"
    slowest = max(range(here.count), key=lambda i: here.data["slowness"][i] or 0)
    here.highlight(chunk=here.number(slowest))
    said = float(re.search(r"([\d.]+) × as long as expected", here.pinned())[1])
    assert said == pytest.approx(2 ** ((here.data["slowness"][slowest] - here.about["slowness_middle"]) / here.about["slowness_steps"]), rel=0.06)


def test_the_legend_brings_out_what_it_names(lanes, synthetic):
    run, _ = synthetic()
    here = lanes()
    name = here.page.run("document.querySelector('.legend button').title")
    here.page.click(".legend button")
    counted = sqlite3.connect(run).execute(
        "SELECT count(*) FROM chunk JOIN dataset ON dataset.id = chunk.dataset WHERE dataset.name = ?", [name]).fetchone()[0]  # fmt: skip
    assert here.lit() == counted
    assert here.page.run("document.activeElement.getAttribute('aria-pressed')") == "true"


# ---- Hosts, heights, names -----------------------------------------------------------------------------------------


def test_lanes_are_sorted_by_host_when_asked(lanes):
    here = lanes()
    chunk = max(range(here.count), key=lambda i: (here.host(i), here.data["process_time"][i] or 0))
    here.page.click("#lanes input[type=checkbox]")
    hosts = sorted({here.host(i) for i in range(here.count)})
    lane_hosts = [here.names["workers"][worker][1] for worker in here.data["lane_worker"]]
    order = sorted(range(here.about["lanes"]), key=lambda lane: (hosts.index(lane_hosts[lane]), lane))
    here.highlight(chunk=here.number(chunk))
    top = here.page.run("document.querySelector('.frame.pinned').getBoundingClientRect().top - document.querySelector('#lanes .roll').getBoundingClientRect().top"
                        " + document.querySelector('#lanes .roll').scrollTop")  # fmt: skip
    row, before = order.index(here.data["lane"][chunk]), hosts.index(here.host(chunk)) + 1
    rows_height = here.page.run("document.querySelector('#lanes .roll > div').clientHeight") - AXIS
    assert row > 0
    heading = 20 if rows_height > 13 * len(order) + 19 * len(hosts) else 4
    headings = heading * (before if heading == 20 else before - 1)
    each = (rows_height - heading * (len(hosts) if heading == 20 else len(hosts) - 1)) / len(order)
    assert top == pytest.approx(headings + row * each, abs=3)


def test_lanes_can_be_made_high_enough_to_read_and_all_fitted_again(synthetic, lanes):
    here = lanes(synthetic(chunks=2000, workers=60)[1])
    page = here.page
    height = "document.querySelector('#lanes .roll > div').clientHeight"
    fitted = page.run(height)
    page.run("document.querySelector('#lanes .plot').focus()")
    page.key("]")
    assert page.run(height) > fitted
    assert page.run("document.querySelector('#lanes .plot').clientHeight") <= 0.7 * 900 + AXIS + 1, "a part is shown, and scrolls"
    before = here.picture()
    page.run("document.querySelector('#lanes .roll').scrollTop = 400")
    page.settle()
    assert here.picture() != before
    first_lane = here.data["lane"].index(0)
    here.highlight(chunk=here.number(first_lane))
    frame = "document.querySelector('.frame.pinned').hidden"
    assert page.run(frame) is False and page.run("document.querySelector('#lanes .roll').scrollTop") < 400, "it is scrolled to"
    page.run("document.querySelector('#lanes .roll').scrollTop = 400")
    page.settle()
    assert page.run(frame) is True, "its frame is not drawn over others"
    page.run("document.querySelector('#lanes .plot').focus()")
    page.key("f")
    assert page.run(height) == fitted


def test_a_worker_has_one_name_in_lanes_tables_charts_and_tips(lanes, synthetic):
    run, _ = synthetic()
    here = lanes()
    workers = [address for (address,) in sqlite3.connect(run).execute("SELECT address FROM worker")]
    names = {address.split("://")[1] for address in workers}
    shown = set(here.page.run("[...document.querySelectorAll('#table-workers tbody tr')].map(r => r.cells[0].textContent)"))
    assert shown and shown <= names
    titles = set(here.page.run("[...document.querySelectorAll('#table-workers tbody tr')].map(r => r.cells[0].title)"))
    assert titles <= set(workers), "the full address is in the tip"
    here.page.click("#table-workers th button")
    here.page.wait("document.querySelector('#table-workers th').getAttribute('aria-sort')")
    assert set(here.page.run("[...document.querySelectorAll('#table-workers tbody tr')].map(r => r.cells[0].title)")) <= set(workers)
    assert {name for name, *_ in here.names["workers"]} == names
    chart = subprocess.run([program("roast"), "plot", run, "chunk_lanes", "-o", "-"], check=True, capture_output=True, text=True).stdout
    assert sum(f">{name}<" in chart for name in names) > 3 and "tcp://" not in chart
    terminal = subprocess.run([program("roast"), "show", run, "--only", "workers"], check=True, capture_output=True, text=True).stdout
    assert "tcp://" not in terminal  # which says once what all names have in common


# ---- The address ---------------------------------------------------------------------------------------------------


def test_the_view_is_in_the_address_and_comes_back_from_it(lanes, open_page):
    here = lanes()
    page = here.page
    entries = page.run("history.length")
    chunk = here.longest()
    here.choose("cpu")
    here.highlight(host=here.host(chunk))
    here.press(*here.place(chunk))
    page.click("#lanes input[type=checkbox]")
    page.run("document.querySelector('#timeline .plot').focus()")
    page.key("+")
    wanted = re.escape(f"&c={here.number(chunk)}&by=cpu&group=host&host={here.host(chunk)}")
    page.wait(f"/^#t=[-0-9.]+{wanted}$/.test(location.hash)")
    assert page.run("history.length") == entries, "no entry for each step"
    seen = {what: page.run(f"document.querySelector('{what}').textContent") for what in (".range .span", ".lit-status b", ".pinned-chunk dl")}
    again = open_page(here.report)
    again.run(f"location.hash = {json.dumps(here.fragment())}")
    again.wait("document.querySelector('#lanes select').value === 'cpu'")
    assert {what: again.run(f"document.querySelector('{what}').textContent") for what in seen} == seen
    assert again.console == []


def test_an_address_that_was_sent_opens_as_it_was(browser, synthetic):
    _, report = synthetic()
    page = Page(browser, report.resolve().as_uri() + "#t=2-5&c=12&by=slow&group=host&failed=1")
    assert page.run("document.querySelector('#lanes select').value") == "slow"
    assert page.run("document.querySelector('#lanes input[type=checkbox]').checked") is True
    assert re.match(r"0:02\.\d+ to 0:05\.\d+", page.run("document.querySelector('.range .span').textContent"))
    assert "chunk 12" in page.run(f"{PIN}.innerText")
    assert "lit: failed" in page.run("document.querySelector('.lit-status b').textContent")
    assert page.console == []
    page.close()


def test_links_to_sections_work_and_stay_in_the_address(lanes):
    page = lanes().page
    page.click("nav a[href='#files']")
    page.wait("location.hash === '#files'")
    page.wait("Math.abs(document.getElementById('files').getBoundingClientRect().top) < 120")
    page.run("new Promise(done => setTimeout(done, 400))")
    assert page.run("location.hash") == "#files"
