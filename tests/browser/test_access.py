"""The page is for everyone: axe-core finds nothing, colours are told apart, and a phone needs no sideways scrolling."""

from __future__ import annotations

import importlib.util
import pathlib

import pytest
from reports import SCREENSHOTS

FOUND = """axe.run(document).then(result => result.violations.map(
    rule => [rule.id, rule.help, rule.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]))"""
# The shadows of tables that scroll are gradients, before which axe gives no verdict on contrast.
DECIDABLE = "for (const table of document.querySelectorAll('.scroll')) table.style.background = 'none'"
OPEN_ALL = "for (const folded of document.querySelectorAll('details')) folded.open = true"


@pytest.fixture(scope="module")
def axe():
    package = importlib.util.find_spec("axe_core_python") or pytest.skip("axe-core is not installed: scripts/venv test")
    return (pathlib.Path(package.submodule_search_locations[0]) / "axe.min.js").read_text()


def findings(page, axe):
    page.run(OPEN_ALL)
    page.run(DECIDABLE)
    page.settle()
    page.run(axe + "; 0")
    return page.run(FOUND)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing(synthetic, open_page, axe, width, dark):
    _, report = synthetic(tasks=True, failure_rate=0.02)
    page = open_page(report, width=width, dark=dark)
    assert findings(page, axe) == []


@pytest.mark.parametrize("kind", ["nothing", "no_chunks", "markup"])
def test_axe_finds_nothing_in_an_odd_run(odd, open_page, axe, kind):
    assert findings(open_page(odd(kind)), axe) == []


def test_axe_would_find_what_is_too_faint_and_what_has_no_name(synthetic, open_page, axe):
    _, report = synthetic()
    page = open_page(report)
    page.run("document.querySelector('.ending').style.color = '#ccc'")
    page.run("document.querySelector('.copy').textContent = ''")
    assert {"color-contrast", "button-name"} <= {rule for rule, *_ in findings(page, axe)}


def test_axe_finds_nothing_while_a_meaning_is_shown(synthetic, open_page, axe):
    _, report = synthetic()
    page = open_page(report)
    page.click(".tiles [data-terms]")
    page.wait("!document.getElementById('term').hidden")
    page.run(axe + "; 0")
    assert page.run(FOUND) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling_with_everything_open(synthetic, open_page, dark):
    _, report = synthetic(tasks=True, failure_rate=0.02)
    page = open_page(report, width=390, height=844, dark=dark)
    page.run(OPEN_ALL)
    page.settle()
    assert page.run("document.scrollingElement.scrollWidth") <= 390
    page.run("for (const table of document.querySelectorAll('.scroll')) table.scrollLeft = 1e4")
    page.settle()
    names = page.run(
        "[...document.querySelectorAll('.grid td:first-child')].map(c => Math.round(c.getBoundingClientRect().left))"
    )
    assert len(names) > 50 and min(names) >= 0, "the column that names a row stays"
    page.resize(390, page.height())
    page.settle()
    page.screenshot(SCREENSHOTS / f"phone-{'dark' if dark else 'light'}.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_is_said_by_colour_alone(synthetic, open_page, dark):
    """A deuteranope, and who prints without colours, finds the same: parts of the bar stand in the order of the list, apart
    from each other; what failed is said in words."""
    _, report = synthetic()
    page = open_page(report, dark=dark)
    page.call("Emulation.setEmulatedVisionDeficiency", type="deuteranopia")
    parts = page.run("[...document.querySelectorAll('.stack rect')].map(r => [r.textContent, getComputedStyle(r).stroke])")
    listed = page.run("[...document.querySelectorAll('.parts li > span')].map(s => s.textContent)")
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    assert [title for title, _ in parts if title in listed] == listed and len(listed) > 4
    assert {stroke for _, stroke in parts} == {ground}
    for text in page.run("[...document.querySelectorAll('.ending .bad, .alarm .bad')].map(s => s.textContent)"):
        assert any(word in text for word in ("failed", "missing", "never", "lost", "of its events", ":")), text
    page.screenshot(SCREENSHOTS / f"deuteranope-{'dark' if dark else 'light'}.png", whole=False)
