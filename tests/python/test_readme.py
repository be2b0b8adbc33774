"""The pages that are made from the code, and what they show, are what the code says today; links lead somewhere."""

import os
import re
import subprocess
import sys

import pytest
from built import BUILD, ROOT

PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def test_the_documentation_made_from_the_code_is_up_to_date():
    check = subprocess.run(
        [sys.executable, ROOT / "scripts" / "update-docs", "--check"],
        capture_output=True, text=True, check=False, env={**os.environ, "ROAST_BUILD_DIR": str(BUILD)},
    )  # fmt: skip
    assert check.returncode == 0, check.stdout + check.stderr


def anchors(page):
    """What GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_between_pages_lead_somewhere(page):
    for link in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", (ROOT / page).read_text()):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_page_installs_this_version_from_the_package_index(page):
    # It has 0.1.2.
    assert not re.search(r"pip install roastcoffea(?![-\w])", (ROOT / page).read_text())
