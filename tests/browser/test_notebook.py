"""A run in a notebook: executed by a kernel, made a page by nbconvert with JupyterLab's own styles, and seen by a browser."""

from __future__ import annotations

import html
import html.parser
import json
import re
import subprocess
import sys
import time

import pytest
from built import program
from reports import SCREENSHOTS
from roastcoffea import open_run

notebooks = pytest.importorskip("notebooks", reason="needs nbclient and nbconvert", exc_type=ImportError)

CARD = 260  # pixels, at most
#: What JupyterLab lets into a notebook that it does not trust (its sanitizer.ts), and what is dropped there.
TRUSTED_TAGS = {"b", "br", "code", "details", "div", "pre", "span", "summary", "table", "tbody", "td", "th", "tr"}
DROPPED_TAGS = {"style"}
PROPERTIES = {
    "background-color", "border", "border-collapse", "border-radius", "color", "cursor", "display", "float", "font-family",
    "font-size", "font-weight", "height", "line-height", "margin", "max-width", "min-width", "overflow", "overflow-x", "padding",
    "text-align", "text-overflow", "vertical-align", "white-space", "width",
}  # fmt: skip


class Tags(html.parser.HTMLParser):
    """The tags, attributes and texts of a piece of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.texts = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="session")
def runs(synthetic, folder):
    """Three that differ: one as usual, with events missing; one that is whole; one with markup in every name."""
    odd = folder / "markup-notebook.roast"
    subprocess.run([program("odd_run"), "markup", odd], check=True, timeout=60)
    return {"usual": synthetic(chunks=300)[0], "whole": synthetic(chunks=300, die=0, retry_rate=0, failure_rate=0)[0], "markup": odd}


@pytest.fixture(scope="session")
def executed(runs, folder):
    """The notebook of a person who looks at a run and compares it with another, with what the kernel gave for each cell."""
    cells = [
        f"import roastcoffea\nrun = roastcoffea.open_run({str(runs['usual'])!r})\nrun",
        f"other = roastcoffea.open_run({str(runs['whole'])!r})\nother",
        "run.explain()",
        "run.compare(other)",
        "run.show()",
        "roastcoffea.MetricsCollector()",
        "print(run.explain())",
        "import sys; 'IPython.display' in sys.modules and None",
    ]
    return notebooks.executed(cells, folder)


def shown(notebook, cell: int) -> str:
    (output,) = notebook.cells[cell].outputs
    return output["data"]["text/html"]


def heights(page) -> list[float]:
    return page.run("[...document.querySelectorAll('.roast')].map(card => card.getBoundingClientRect().height)")


def contrasts(page) -> dict[str, float]:
    """The contrast of each text of the cards with what it stands on, as WCAG computes it."""
    return page.run("""(() => {
      const channels = colour => colour.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
      const ground = e => { while (e) { const c = channels(getComputedStyle(e).backgroundColor);
        if (c.length < 4 || c[3] > 0) return c; e = e.parentElement } return [255, 255, 255] };
      const found = {};
      for (const e of document.querySelectorAll('.roast *')) {
        const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('');
        if (!text || e.tagName === 'STYLE') continue;
        const [a, b] = [light(channels(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
        found[text] = (a + .05) / (b + .05);
      }
      return found })()""")


def inside_frame(browser):
    """What runs an expression in the page of the one frame that there is, when its script is done."""
    limit, frames = time.monotonic() + 60, []
    while not frames:
        frames = [target for target in browser.call("Target.getTargets")["targetInfos"] if target["type"] == "iframe"]
        assert time.monotonic() < limit, "there is no frame"
    (frame,) = frames
    session = browser.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]

    def run(expression: str):
        answer = browser.call("Runtime.evaluate", session, expression=expression, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    while run("document.documentElement?.dataset.ready") != "yes":
        assert time.monotonic() < limit, "the report is never ready"
    return run


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("system_is_dark", [False, True])
def test_cards_are_small_and_readable_whatever_the_theme_of_page_and_system(executed, folder, open_page, theme, system_is_dark):
    page = open_page(notebooks.as_page(executed, folder / f"notebook-{theme}.html", theme), width=900, height=1400, dark=system_is_dark)
    assert page.run("document.body.dataset.jpThemeLight") == str(theme == "light").lower()
    page.screenshot(SCREENSHOTS / f"notebook-{theme}-in-{'dark' if system_is_dark else 'light'}.png")
    first, second, explained, compared = heights(page)
    assert 180 < second < CARD and 180 < first < CARD, (first, second)
    assert explained > CARD and compared > CARD
    faint = {text: contrast for text, contrast in contrasts(page).items() if contrast < 4.5}
    assert not faint
    ground = page.run("getComputedStyle(document.querySelector('.roast')).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (theme == "dark")
    assert page.requests[1:] == [] or all(url.startswith(("data:", "about:", "file:")) for url in page.requests)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_its_style_sheet_a_card_is_light_and_as_readable(executed, folder, open_page, theme):
    path = notebooks.as_page(executed, folder / f"cleaned-{theme}.html", theme)
    text = path.read_text()
    cleaned = re.sub(r"<style>\n\.roast\{.*?</style>", "", text, flags=re.DOTALL)
    assert cleaned.count("<style") == text.count("<style") - 4
    path.write_text(cleaned)
    page = open_page(path, width=900, height=1400, dark=theme == "dark")
    page.screenshot(SCREENSHOTS / f"notebook-cleaned-{theme}.png")
    assert all(180 < height < CARD for height in heights(page)[:2])
    assert page.run("getComputedStyle(document.querySelector('.roast')).backgroundColor") == "rgb(255, 255, 255)"
    assert not {text: contrast for text, contrast in contrasts(page).items() if contrast < 4.5}


def test_a_card_is_as_wide_as_there_is_room_and_nothing_sticks_out(executed, folder, open_page):
    path = folder / "card.html"
    path.write_text(f'<!DOCTYPE html><html data-ready="yes"><meta charset="utf-8"><body style="margin:0">{shown(executed, 0)}')
    page = open_page(path, width=900, height=600)
    (height,) = heights(page)
    assert 180 < height < CARD
    page.screenshot(SCREENSHOTS / "card.png", clip={"x": 0, "y": 0, "width": 900, "height": CARD})
    page.resize(390, 900)
    page.screenshot(SCREENSHOTS / "card-390.png", clip={"x": 0, "y": 0, "width": 390, "height": 500})
    assert page.run("document.documentElement.scrollWidth") == 390


def test_advice_unfolds_without_a_script(executed, folder, open_page):
    path = folder / "unfold.html"
    path.write_text(f'<!DOCTYPE html><html data-ready="yes"><meta charset="utf-8">{shown(executed, 1)}')
    page = open_page(path, width=900, height=900)
    (before,) = heights(page)
    page.run("document.querySelector('details summary').click()")
    (after,) = heights(page)
    assert after > before and page.run("document.querySelector('details').open")


def test_the_bar_and_its_legend_are_the_ledger(runs, folder, open_page):
    run = open_run(runs["usual"])
    path = folder / "bar.html"
    path.write_text(f'<!DOCTYPE html><html data-ready="yes"><meta charset="utf-8">{run._repr_html_()}')
    page = open_page(path, width=900, height=900)
    bar = page.run("""[...document.querySelectorAll('.roast [title]')].filter(e => e.tagName === 'SPAN' && !e.innerText)
      .map(e => [e.title, e.getBoundingClientRect().width])""")
    whole = sum(width for _, width in bar)
    ledger = {row["title"]: row["core_seconds"] for row in run.metrics["ledger"].values() if row["core_seconds"] > 0}
    assert {title for title, _ in bar} == set(ledger)
    for title, width in bar:
        assert width / whole == pytest.approx(ledger[title] / sum(ledger.values()), abs=0.004), title
    largest = max(run.metrics["ledger"].values(), key=lambda row: row["core_seconds"])
    said = " ".join(page.run("document.querySelector('.roast').innerText").split())
    assert f"{largest['title']} {largest['share_percent']:.1f} %" in said


@pytest.mark.parametrize("name", ["usual", "whole", "markup"])
def test_what_is_in_a_card_passes_where_notebooks_are_cleaned_and_names_are_text(runs, name):
    run = open_run(runs[name])
    for text in (run._repr_html_(), run.explain()._repr_html_(), run.compare(run)._repr_html_()):
        found = Tags(text)
        assert found.tags <= TRUSTED_TAGS | DROPPED_TAGS
        assert {name for name, _ in found.attributes} <= {"class", "open", "style", "title"}
        for style in (value for name, value in found.attributes if name == "style"):
            assert {declaration.partition(":")[0] for declaration in style.strip(";").split(";")} <= PROPERTIES, style
            assert not re.search(r"[(!]|;;", style), style  # no variables, functions, or what is important
    if name == "markup":
        assert "<script" not in run._repr_html_() and "<img" not in run._repr_html_()
        assert any("<" in text for text in Tags(run._repr_html_()).texts)


def test_the_verdict_comes_first_and_in_the_tone_of_an_error_if_events_are_missing(runs, executed):
    run = open_run(runs["usual"])
    missing = run.metrics["missing_events"]
    assert missing > 0
    card = shown(executed, 0)
    texts = [text for text in Tags(card).texts if text.strip()]
    first = next(text for text in texts if not text.lstrip().startswith(".roast"))
    assert first.startswith("INCOMPLETE: ") and 'class="ink-bad"' in card[: card.index("INCOMPLETE: ", card.index("</style>")) + 400]
    assert "INCOMPLETE" not in shown(executed, 1)


def test_findings_are_those_of_the_explanation_in_its_words(runs):
    run = open_run(runs["usual"])
    findings = {finding["title"]: finding for finding in run.explain()["findings"]}
    card = " ".join(html.unescape(" ".join(Tags(run._repr_html_()).texts)).split())
    named = [title for title in findings if title in card]
    assert 1 <= len(named) <= 3
    for title in named:
        advice = findings[title]["advice"]
        assert " ".join(advice.split()) in card, title


def test_explanations_and_comparisons_are_the_dicts_they_were(runs):
    run = open_run(runs["usual"])
    for found, command in ((run.explain(), ["explain", runs["usual"]]),
                           (run.compare(runs["whole"]), ["compare", runs["usual"], runs["whole"]])):  # fmt: skip
        printed = subprocess.run([program("roast"), *command, "--json"], check=True, capture_output=True, text=True).stdout
        assert isinstance(found, dict) and found == json.loads(printed) == json.loads(json.dumps(found))
        assert "\n" not in repr(found) and len(repr(found)) < 400 and str(found).count("\n") > 10


def test_the_report_is_in_a_frame_that_cannot_reach_the_notebook(runs, executed, folder, open_page, browser):
    frame = shown(executed, 4)
    attributes = dict(Tags(frame).attributes)
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == open_run(runs["usual"]).report(folder / "same.html").read_text()
    path = folder / "frame.html"
    path.write_text(f'<!DOCTYPE html><html data-ready="yes"><meta charset="utf-8">{frame}')
    page = open_page(path, width=1000, height=800)
    assert page.run("document.querySelector('iframe').getBoundingClientRect().height") == 720
    assert page.run("document.querySelector('iframe').contentDocument") is None
    inside = inside_frame(browser)
    assert inside("document.querySelector('h1').innerText") == open_run(runs["usual"]).name
    page.screenshot(SCREENSHOTS / "notebook-report.png", whole=False)
    assert page.console == []


def test_a_notebook_needs_nothing_of_ipython(runs):
    code = (
        "import sys, roastcoffea\n"
        f"run = roastcoffea.open_run({str(runs['usual'])!r})\n"
        "run._repr_html_(), run.explain()._repr_html_(), run.show()._repr_html_(), repr(run)\n"
        "assert 'IPython' not in sys.modules, 'imported'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_everything_says_in_a_line_what_it_is(runs, executed):
    run, whole = open_run(runs["usual"]), open_run(runs["whole"])
    metrics = run.metrics
    for text in (repr(run), repr(whole), repr(run.chunks), repr(run.chunks["duration"]), repr(run.show())):
        assert "\n" not in text and " object at 0x" not in text
    assert run.name in repr(run) and "INCOMPLETE" in repr(run) and "Hz" in repr(run)
    assert "finished in" in repr(whole) and "300 chunks" in repr(whole) and "INCOMPLETE" not in repr(whole)
    durations = [value for value in run.chunks["duration"] if value is not None]
    assert repr(run.chunks["duration"]) == (
        f"<column duration of chunks: {len(run.chunks)} rows, {min(durations):.6g} to {max(durations):.6g}"
        + (f", {absent} absent>" if (absent := len(run.chunks) - len(durations)) else ">")
    )
    assert repr(run.chunks).startswith(f"<chunks: {len(run.chunks)} rows, ")
    assert metrics["num_chunk_records"] == len(run.chunks)
    assert executed.cells[5].outputs[0]["data"]["text/plain"] == "<collector: not used yet>"
    assert "text/html" not in executed.cells[5].outputs[0]["data"]
