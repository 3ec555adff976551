"""The built site fits phones and wide windows, light and dark.

Runs where `SAMAPPROX_SITE` names a built site: `.ci/run` builds one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from helpers.programs.browser import chromium, seen_as

SITE = Path(os.environ.get("SAMAPPROX_SITE", "no site"))

pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="no built site: see .ci/run")

OVERFLOW = """
const width = document.documentElement.clientWidth;
const faults = [];
if (document.documentElement.scrollWidth > width) faults.push('the page scrolls sideways');
const scrolls = element => /auto|scroll/.test(getComputedStyle(element).overflowX);
const parts = 'article table, article pre, article img, article svg';
for (const part of document.querySelectorAll(parts)) {
  const box = part.getBoundingClientRect();
  if (box.width === 0 || box.right <= width + 1) continue;
  let around = part;
  while (around && !scrolls(around)) around = around.parentElement;
  if (!around || around === document.documentElement) {
    faults.push(`${part.tagName.toLowerCase()} ends at ${Math.round(box.right)} of ${width}`);
  }
}
return faults;
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


def pages() -> list[Path]:
    """All pages, but one of those that are made alike for every public name."""
    found = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)
    names = [path for path in found if path.parent.name == "names"]
    return [path for path in found if path not in names] + names[::10]


SEEN = [((390, "light"), (1280, "dark")), ((390, "dark"), (1280, "light"))]
"""Widths and schemes, in turn for one page after the other: schemes rarely change a layout."""

PARTS = 4
"""Parts of the pages, which several browsers show beside each other."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_overflows_and_no_table_is_clipped(driver: Any, part: int) -> None:
    faults = {}
    for page, seen in zip(pages()[part::PARTS], cycle(SEEN)):
        driver.get(page.resolve().as_uri())
        for width, scheme in seen:
            seen_as(driver, width, scheme)
            if found := driver.execute_script(OVERFLOW):
                faults[page.relative_to(SITE), width, scheme] = found
    assert faults == {}


def test_a_search_for_sign_rank_finds_the_guide_first(driver: Any) -> None:
    seen_as(driver, 1280, "light")
    driver.get((SITE / "search.html").resolve().as_uri() + "?q=sign-rank")
    driver.implicitly_wait(60)
    first = driver.find_element("css selector", "#search-results li a, ul.search li a")
    assert "howto/rank.html" in first.get_attribute("href")


def test_the_first_screen_shows_a_command_and_its_answer(driver: Any) -> None:
    seen_as(driver, 1280, "light")
    driver.get((SITE / "index.html").resolve().as_uri())
    block = driver.find_element("css selector", "article div.highlight-console pre")
    assert "samapprox decide" in block.text
    assert "NO: no attention" in block.text
    assert block.rect["y"] + block.rect["height"] < 900


def test_what_overflows_is_found(driver: Any, tmp_path: Path) -> None:
    page = tmp_path / "wide.html"
    page.write_text(
        "<meta name=viewport content='width=device-width'>"
        "<article style='overflow: hidden'><table style='width: 2000px'></table></article>"
    )
    seen_as(driver, 390, "light")
    driver.get(page.as_uri())
    assert driver.execute_script(OVERFLOW)
