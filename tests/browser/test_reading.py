"""How a reader gets along with the page: what comes first, what is folded, what words mean, what a finding leads to."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
import subprocess
import urllib.parse

import embedded
import pytest
from built import program
from reports import SCREENSHOTS, write_report
from roastcoffea import _core, open_run

CATALOGUE = {f"{row['scope']}.{row['name']}": row for row in _core.catalogue()}
EXPLAINED_OTHERWISE = ("facts", "absent")  # facts of the run, and reasons: these are no numbers of ours


@pytest.fixture(scope="module")
def troubled(tmp_path_factory):
    """A run with a slow host, and its report."""
    run = tmp_path_factory.mktemp("troubled") / "slow.roast"
    subprocess.run([program("roast-synth"), "--scenario", "slow_host", "--seed", "4", "--no-truth", "-o", run], check=True)
    return run, write_report(run)


def texts(page, selector):
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")


def is_open(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector + ' details')}).open")


def in_view(selector):
    return f"(b => b.height > 0 && b.top >= 0 && b.top < innerHeight)(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"


# ---- Order and folds -----------------------------------------------------------------------------------------------


def test_the_verdict_comes_first_then_findings_core_time_the_timeline_and_the_lanes_and_the_rest_is_folded(
    synthetic, open_page
):
    _, report = synthetic()
    page = open_page(report)
    sections = page.run("[...document.querySelectorAll('main > header, main > section')].map(s => [s.id, s.matches('.folded')])")
    ids = [name for name, _ in sections]
    assert ids[:5] == ["top", "findings", "time", "over-time", "chunks"]
    assert [name for name, folded in sections if not folded] == ids[:5]
    assert page.run("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(1))") == ids
    assert not page.run("[...document.querySelectorAll('.folded details')].some(d => d.open)")


def test_a_folded_section_opens_by_its_link_and_by_a_link_to_what_is_in_it(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.click("nav a[href='#files']")
    page.wait("document.querySelector('#files details').open")
    page.run("location.hash = '#table-workers'")
    page.wait("document.querySelector('#workers details').open")
    page.wait(in_view("#table-workers"))
    assert not is_open(page, "#datasets")


def test_an_address_with_a_place_in_it_opens_at_that_place(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report, place="#table-datasets")
    assert is_open(page, "#datasets") and not is_open(page, "#files")
    page.wait(in_view("#table-datasets"))


def test_the_search_of_the_browser_finds_what_is_folded(synthetic, open_page):
    run, report = synthetic()
    (host,) = sqlite3.connect(run).execute("SELECT host FROM worker ORDER BY id LIMIT 1").fetchone()
    page = open_page(report, place="#:~:text=" + urllib.parse.quote(host, safe=""))
    page.wait("[...document.querySelectorAll('.folded details')].some(d => d.open)")


def test_paper_has_what_is_folded_and_the_screen_is_folded_again_after(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.run(
        "addEventListener('beforeprint', () => { window.stillFolded = document.querySelectorAll('details:not([open])').length })"
    )
    page.pdf()
    assert page.run("window.stillFolded") == 0
    assert not page.run("[...document.querySelectorAll('.folded details')].some(d => d.open)")


def test_all_can_be_opened_at_once_and_closed_again(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.click(".fold-all button")
    page.wait("[...document.querySelectorAll('.folded details')].every(d => d.open)")
    page.wait("document.querySelector('.fold-all button').textContent === 'Close all'")
    page.click(".fold-all button")
    page.wait("![...document.querySelectorAll('.folded details')].some(d => d.open)")


@pytest.mark.parametrize("width", [390, 700, 1024, 1440, 2000])
def test_a_line_that_belongs_to_another_stands_below_it_at_every_width(synthetic, open_page, width):
    _, report = synthetic()
    page = open_page(report, width=width)
    page.run("document.querySelector('#numbers details').open = true")
    page.settle()
    placed = page.run(
        "[...document.querySelectorAll('#numbers .pairs tr')].map(r => (b => [r.className, b.left, b.top, b.bottom])(r.getBoundingClientRect()))"
    )
    assert sum(kind == "sub" for kind, *_ in placed) > 20
    for (_, left, _, bottom), (kind, below_left, below_top, _) in itertools.pairwise(placed):
        if kind == "sub":
            assert (below_left, round(below_top)) == (left, round(bottom))


def test_a_number_of_the_head_stands_on_one_line(synthetic, open_page):
    _, report = synthetic(chunks=3000, seed=5, failure_rate=0.02)
    for width in (390, 1024, 1180, 1280, 1440):
        page = open_page(report, width=width)
        assert "of 3 000" in page.run("document.querySelector('.tiles > :last-child .main').textContent").replace("\u202f", " ")
        for height, line, inside in page.run(
            "[...document.querySelectorAll('.tiles .main')].map(d => [d.getBoundingClientRect().height,"
            " parseFloat(getComputedStyle(d).lineHeight), d.scrollWidth <= d.clientWidth])"
        ):
            assert height < 1.5 * line and inside, width


def test_a_panel_that_never_changes_and_says_what_another_says_is_left_out(synthetic, open_page):
    _, still = synthetic(seed=8, chunks=60, workers=3, join=0, leave=0, die=0)
    _, moving = synthetic()
    assert "Workers" not in texts(open_page(still), ".panel .title")
    assert "Workers" in texts(open_page(moving), ".panel .title")


# ---- What words mean -----------------------------------------------------------------------------------------------


def shown_meaning(page):
    page.wait("!document.getElementById('term').hidden")
    return page.run("document.getElementById('term').innerText")


def assert_tells_of(text, name):
    row = CATALOGUE[name]
    assert row["help"] in text and row["formula"] in text and row["name"] in text


def test_pointing_at_a_label_tells_what_it_means_and_leaving_closes_it(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    box = page.box("#time .parts [data-terms='worker_ledger.process_io']")
    page.move(box["x"] + 8, box["y"] + 8)
    assert_tells_of(shown_meaning(page), "worker_ledger.process_io")
    page.screenshot(SCREENSHOTS / "meaning.png", whole=False)
    page.move(4, 450)
    page.wait("document.getElementById('term').hidden")


def test_the_keyboard_reaches_what_a_label_means_and_escape_closes_it(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report)
    page.run("document.querySelector('.copy').focus()")
    page.key("Tab")
    assert page.run("document.activeElement.dataset.terms.split(' ')[0]") == "run.elapsed_time_seconds"
    assert_tells_of(shown_meaning(page), "run.elapsed_time_seconds")
    assert page.run("document.activeElement.getAttribute('aria-describedby')") == "term"
    page.key("Escape")
    assert page.run("document.getElementById('term').hidden")
    page.key("Enter")
    shown_meaning(page)
    page.key("Tab")
    assert_tells_of(shown_meaning(page), "run.total_events")


def test_a_finger_opens_a_meaning_that_fits_a_small_screen(synthetic, open_page):
    _, report = synthetic()
    page = open_page(report, width=390, height=800)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    for selector, name in (
        (".tiles > div:nth-child(2) [data-terms]", "run.total_events"),
        ("#table-files th:nth-child(4) button", "file.total_events"),
    ):
        box = page.box(selector)
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
        page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        page.wait(f"document.getElementById('term').innerText.includes({json.dumps(CATALOGUE[name]['name'])})")
        left, right = page.run("(b => [b.left, b.right])(document.getElementById('term').getBoundingClientRect())")
        assert left >= 0 and right <= 390
        assert page.run("document.scrollingElement.scrollWidth") <= 390


def test_every_label_says_what_it_means_as_the_catalogue_does(synthetic, open_page):
    _, report = synthetic(tasks=True)
    page = open_page(report)
    meanings = embedded.packed_json(report, "data-glossary")
    labels = page.run(
        "[...document.querySelectorAll('.tiles dt, .parts span:not([data-terms]), .list dt, .keys > span > span, .pairs th, .grid th')]"
        ".map(e => [e.closest('.table')?.id.slice(6), e.textContent, (e.querySelector('[data-terms]') || e).dataset.terms])"
    )
    unexplained = [label for table, label, terms in labels if label and not terms and table not in EXPLAINED_OTHERWISE]
    assert unexplained == [] and len(labels) > 150
    used = {term for _, _, terms in labels if terms for term in terms.split()}
    assert used <= set(meanings)
    assert {term for term in meanings if not term.startswith("word.")} <= set(CATALOGUE)
    for term, (name, meaning, formula, source) in meanings.items():
        assert meaning and (term.startswith("word.") or source), term
        if term in CATALOGUE:
            assert (name, meaning, formula) == tuple(CATALOGUE[term][key] for key in ("name", "help", "formula"))


# ---- What a finding leads to ---------------------------------------------------------------------------------------


def test_a_finding_lights_up_its_chunks_and_says_above_the_lanes_which(troubled, open_page):
    run, report = troubled
    explained = json.loads(subprocess.run([program("roast"), "explain", run, "--json"], check=True, capture_output=True).stdout)
    host = next(f for f in explained["findings"] if f["id"] == "slow_host")["evidence"][0]["name"]
    page = open_page(report)
    page.run("document.addEventListener('highlight', event => { window.lit = event.detail })")
    button = "#finding-slow_host .links button"
    assert host in texts(page, button)[0]
    page.click(button)
    assert page.run("window.lit") == {"host": host}
    assert page.run(f"document.querySelector('{button}').getAttribute('aria-pressed')") == "true"
    page.wait(in_view("#lanes"))
    assert f"host {host}" in texts(page, ".lit-status b")[0]
    page.click(".lit-status button")
    assert page.run("window.lit") is None
    assert page.run("document.querySelector('.lit-status').hidden")
    assert page.run(f"document.querySelector('{button}').getAttribute('aria-pressed')") == "false"


def test_links_of_findings_lead_to_tables_and_charts_of_the_page(synthetic, troubled, open_page):
    for report in (troubled[1], synthetic()[1]):
        page = open_page(report)
        links = page.run("[...document.querySelectorAll('.links a')].map(a => a.getAttribute('href'))")
        assert links and all(page.run(f"!!document.querySelector({json.dumps(link)})") for link in links)
    page.click(".links a[href^='#table-']")
    target = page.run("location.hash")
    assert page.run(f"document.querySelector({json.dumps(target)}).closest('details').open")


def test_filters_of_times_are_inside_of_the_run(folder, open_page):
    run = folder / "tail.roast"
    subprocess.run([program("roast-synth"), "--scenario", "tail", "--seed", "4", "--no-truth", "-o", run], check=True)
    filters = embedded.packed_json(write_report(run), "data-findings")
    start, end = (int(value) for (value,) in sqlite3.connect(run).execute(
        "SELECT value FROM run WHERE key IN ('t_start_ns', 't_end_ns') ORDER BY key DESC"))  # fmt: skip
    (last_start,) = (
        sqlite3.connect(run)
        .execute("SELECT max(t_start_ns - coalesce(open_ns, 0) - coalesce(events_ns, 0)) FROM chunk")
        .fetchone()
    )
    part = filters["tail"]
    assert part["to"] == pytest.approx((end - start) / 1e9)
    assert part["from"] == pytest.approx((last_start - start) / 1e9, abs=0.5)


# ---- Telling others ------------------------------------------------------------------------------------------------


def test_the_summary_is_copied_as_markdown(troubled, open_page):
    run, report = troubled
    page = open_page(report)
    page.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.call("Page.bringToFront")
    page.click(".copy")
    page.wait("document.querySelector('.copy').textContent === 'Copied'")
    text = page.run("navigator.clipboard.readText()")
    assert text.split("\n")[0].startswith(f"**{page.run('document.querySelector(`h1`).textContent')}".replace("_", "\\_"))
    for number in texts(
        page, ".tiles > div:nth-child(2) .main, .tiles > div:nth-child(3) .main, .tiles > div:nth-child(4) .main"
    ):
        assert number in text
    for row in page.run(
        "[...document.querySelectorAll('.parts li')].map(l => [l.querySelector('span').textContent, l.querySelector('b').textContent])"
    ):
        assert f"| {row[0]} | {row[1]} |" in text.replace("\\_", "_").replace("\\<", "<")
    shown = page.run("[...document.querySelectorAll('section > .findings > li')].map(l => [l.querySelector('h3').textContent,"
                     " [...l.querySelectorAll('.code')].map(c => c.textContent)])")  # fmt: skip
    assert shown
    for title, code in shown:
        rank, words = title.split("  ", 1)
        assert f"\n{rank}. **{words}**" in text
        assert all(f"\n   {line}\n" in text for line in code)


def test_a_run_that_is_not_whole_says_so_first_in_markdown(synthetic):
    _, report = synthetic(seed=3, chunks=200, failure_rate=0.05)
    assert embedded.packed_text(report, "data-summary").startswith("**INCOMPLETE: ")


def test_names_in_markdown_are_text(odd):
    lines = embedded.packed_text(odd("markup"), "data-summary").splitlines()
    assert any("\\<script>window.harmed = 1\\</script>" in line for line in lines)
    assert not any(re.search(r"(?<!\\)<", line) for line in lines)


def test_a_name_is_no_picture_from_elsewhere_in_markdown(tmp_path):
    recorder = _core.Recorder(str(tmp_path / "r.roast"), name="![x](https://example.org/seen)")
    recorder.close()
    report = open_run(tmp_path / "r.roast").report(tmp_path / "r.html")
    assert "![x]\\(https" in embedded.packed_text(report, "data-summary")
