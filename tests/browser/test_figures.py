"""Figures of the page: what is pointed at, tapped or reached by keys says its values, at every width, light and dark."""

from __future__ import annotations

import base64
import io
import re
import sqlite3

import numpy
import pytest
from PIL import Image

HISTOGRAM = 'figure:has([data-chart="runtime_distribution"])'
HEAT = 'figure:has([data-chart="cpu_utilization_per_worker_timeline"])'
PLACES = """(figure => {
  const svg = [...figure.querySelectorAll('svg')].find(one => one.getClientRects().length);
  const box = svg.getBoundingClientRect(), panel = svg.querySelector('[data-plot]').dataset;
  return { x: box.x, y: box.y, scale: box.width / svg.viewBox.baseVal.width, plot: panel.plot, across: panel.x, down: panel.y };
})(document.querySelector(SELECTOR))"""


def text_of_tip(page):
    return page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText")


class Plot:
    """Where values of a figure are on the screen."""

    def __init__(self, page, selector):
        page.box(selector)
        found = page.run(PLACES.replace("SELECTOR", repr(selector)))
        self.origin, self.scale = (found["x"], found["y"]), found["scale"]
        self.plot, self.across, self.down = (tuple(map(float, found[name].split())) for name in ("plot", "across", "down"))

    def place(self, x, y, from_top=False):
        left, top, width, height = self.plot
        part_x = (x - self.across[0]) / (self.across[1] - self.across[0])
        part_y = (y - self.down[0]) / (self.down[1] - self.down[0])
        inside = left + part_x * width, top + (part_y if from_top else 1 - part_y) * height
        return tuple(start + self.scale * at for start, at in zip(self.origin, inside))


def durations_of(run):
    db = sqlite3.connect(f"file:{run}?mode=ro&immutable=1", uri=True)
    return [row[0] for row in db.execute("SELECT duration_s FROM attempts WHERE error_type IS NULL")]


def fullest_bin(run):
    counts, edges = numpy.histogram(durations_of(run), bins=30)
    most = int(numpy.argmax(counts))
    return int(counts[most]), edges[most], edges[most + 1]


@pytest.mark.parametrize("width", [1440, 390])
def test_pointing_at_a_bar_says_what_it_counts(synthetic, open_page, width):
    run, report = synthetic()
    page = open_page(report, width=width)
    count, low, high = fullest_bin(run)
    page.move(*Plot(page, HISTOGRAM).place((low + high) / 2, count / 2))
    page.wait("!document.getElementById('tip').hidden")
    said = re.search(r"Runtime\s+(.*) s to (.*) s\s+Number of Chunks\s+(\d+)", text_of_tip(page))
    assert int(said[3]) == count
    assert (float(said[1]), float(said[2])) == pytest.approx((low, high), rel=6e-3)  # three digits
    page.move(2, 2)
    assert text_of_tip(page) == "" and page.run("document.querySelectorAll('.marked').length") == 0
    assert not page.console


def test_a_cell_of_the_heat_map_says_worker_time_and_value(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report, width=1440)
    address, cores = sqlite3.connect(run).execute("SELECT address, cores FROM worker ORDER BY id LIMIT 1").fetchone()
    plot = Plot(page, HEAT)
    middle = sum(plot.across) / 2
    page.move(*plot.place(middle, 0, from_top=True))
    page.wait("!document.getElementById('tip').hidden")
    said = text_of_tip(page)
    assert said.splitlines()[0] in address
    first, last, value = re.search(r"Time\s+(\S+) to (\S+)\s+CPU Utilization\s+(\S+) %", said).groups()
    seconds = [sum(float(part) * 60**i for i, part in enumerate(reversed(text.split(":")))) for text in (first, last)]
    assert seconds[0] - 0.1 <= middle <= seconds[1] + 0.1
    db = sqlite3.connect(run)
    start = int(dict(db.execute("SELECT key, value FROM run"))["t_start_ns"])
    beats = db.execute(
        "SELECT cpu FROM sample JOIN worker ON worker.id = worker WHERE address = ? AND t_ns >= ? AND t_ns < ?",
        (address, start + seconds[0] * 1e9, start + seconds[1] * 1e9),
    ).fetchall()
    assert beats and float(value) == pytest.approx(numpy.mean([beat[0] for beat in beats]) / cores, abs=0.1)


def test_a_tap_says_it_too_and_stays_inside_the_screen(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report, width=390)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    count, low, high = fullest_bin(run)
    x, y = Plot(page, HISTOGRAM).place((low + high) / 2, count / 2)
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.wait("!document.getElementById('tip').hidden")
    box = page.run("(b => [b.left, b.right])(document.getElementById('tip').getBoundingClientRect())")
    assert box[0] >= 0 and box[1] <= 390
    assert str(count) in text_of_tip(page)


def test_arrow_keys_go_from_mark_to_mark_and_say_them(synthetic, open_page):
    run, report = synthetic()
    page = open_page(report, width=1440)
    counts, _ = numpy.histogram(durations_of(run), bins=30)
    page.box(HISTOGRAM)
    page.run(f"document.querySelector('{HISTOGRAM}').focus({{focusVisible: true}})")
    heard = []
    for key in [None] + ["ArrowRight"] * 29:
        if key:
            page.key(key)
        page.wait(f"document.getElementById('live').textContent !== {heard[-1] if heard else ''!r}")
        heard.append(page.run("document.getElementById('live').textContent"))
    assert [int(re.search(r"Number of Chunks (\d+)", text)[1]) for text in heard] == list(counts)
    page.key("Escape")
    assert text_of_tip(page) == ""


@pytest.mark.parametrize("width", [1440, 1024, 700, 390])
def test_words_in_figures_can_be_read_at_every_width(synthetic, open_page, width):
    _, report = synthetic()
    page = open_page(report, width=width)
    shown = page.run("""[...document.querySelectorAll('.figures figure')].map(figure => {
      const pictures = [...figure.querySelectorAll('svg')].filter(svg => svg.getClientRects().length);
      const svg = pictures[0], box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
      const texts = [...svg.querySelectorAll('text')];
      const outside = texts.filter(text => text.getBoundingClientRect().right > box.right + 1 || text.getBoundingClientRect().left < box.left - 1);
      return [pictures.length, Math.min(...texts.map(text => parseFloat(getComputedStyle(text).fontSize) * scale)), outside.map(text => text.textContent)];
    })""")
    assert len(shown) >= 8
    for pictures, least, outside in shown:
        assert pictures == 1 and least >= 9.5 and outside == []
    assert page.run("document.documentElement.scrollWidth") <= width


def colour_at(page, x, y):
    page.settle()
    data = page.call("Page.captureScreenshot", format="png")["data"]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB").getpixel((round(x), round(y)))


@pytest.mark.parametrize("dark", [False, True])
def test_marks_have_the_same_colours_in_both_sizes(synthetic, open_page, dark):
    run, report = synthetic()
    count, low, high = fullest_bin(run)
    seen = set()
    for width in (1440, 390):
        page = open_page(report, width=width, dark=dark)
        seen.add(colour_at(page, *Plot(page, HISTOGRAM).place(low + 0.3 * (high - low), count / 4)))
    (colour,) = seen
    assert colour[2] > 150 > colour[0]  # blue
