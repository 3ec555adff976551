"""Report pages in a real browser: by mouse, by keyboard, on a phone, in the dark."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.batch.result_files import HOSTILE, many, outcome, solved, stored
from helpers.programs.browser import chromium, seen_as

from samapprox import Pattern
from samapprox.batch.report import Report, write_report

WAIT = 60.0


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    path = folder / "r.sqlite"
    many(path, 120)
    extra = [
        solved("plane", Pattern.from_text("1000\n0100\n0011"), family="real", layer=9, head=9),
        outcome("clash", family=HOSTILE, verdict="ERROR", lower=None, upper=None, error=HOSTILE),
    ]
    stored(path, extra)
    write_report(path, folder / "r.html", Report(listed=122, pictures=6))
    return (folder / "r.html").as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def driver(browser: Any, page: str) -> Any:
    seen_as(browser, 1200, "light")
    browser.get("about:blank")
    browser.get(page)
    return browser


def one(driver: Any, selector: str) -> Any:
    from selenium.webdriver.common.by import By

    return driver.find_element(By.CSS_SELECTOR, selector)


def texts(driver: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
    return [str(text) for text in driver.execute_script(script, selector)]


def until(driver: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, WAIT).until(lambda d: d.execute_script(f"return {script}"))


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


def column(driver: Any, number: int) -> list[str]:
    return texts(driver, f"#list tbody tr > :nth-child({number})")


def test_it_opens_without_complaint(driver: Any) -> None:
    from PIL import Image

    assert driver.get_log("browser") == []
    assert driver.title == "Results in r.sqlite"
    assert texts(driver, "#shown") == ["1 to 50 of 122"]
    image = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    assert len(image.getcolors(image.width * image.height)) > 20
    asked = "return performance.getEntriesByType('resource').length"
    assert driver.execute_script(asked) == 0


def test_a_click_opens_the_proofs_and_escape_leads_back(driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    one(driver, "#by-name").send_keys("plane")
    link = one(driver, "#list tbody a")
    link.click()
    until(driver, "document.querySelector('#detail').open && document.querySelector('#detail img')")
    until(driver, "[...document.querySelectorAll('#detail img')].every((i) => i.naturalWidth > 99)")
    assert texts(driver, "#detail-head") == ["plane"]
    assert texts(driver, "#detail h3") == ["NO for d = 1", "YES for d = 2"]
    said, *_ = texts(driver, "#detail .sentence")
    assert said.startswith("On a line, one of any three keys lies between the other two")
    table = "\n".join(
        " ".join(line.split()) for line in texts(driver, "#detail pre")[0].split("\n")
    )
    assert table == "column 0 column 1 column 2\nrow 0 1 0 0\nrow 1 0 1 0\nrow 2 0 0 1"
    press(driver, Keys.ESCAPE)
    until(driver, "!document.querySelector('#detail').open")
    until(driver, "document.activeElement.textContent === 'plane'")
    until(driver, "!location.href.includes('#')")


def test_an_address_leads_to_a_result(driver: Any, page: str) -> None:
    driver.get("about:blank")
    driver.get(f"{page}#result-121")
    until(driver, "document.querySelector('#detail').open")
    assert texts(driver, "#detail-head") == ["plane"]


def test_the_next_result_opens_right_after_another_is_closed(driver: Any, page: str) -> None:
    """Browsers tell of a closed box later, when the address may be the next result's."""
    driver.get("about:blank")
    driver.get(f"{page}#result-1")
    until(driver, "document.querySelector('#detail').open")
    first = texts(driver, "#detail-head")
    driver.execute_script(
        "document.querySelector('#detail').close(); location.hash = 'result-121';"
    )
    until(driver, "document.querySelector('#detail').open")
    assert texts(driver, "#detail-head") == ["plane"] != first
    assert driver.execute_script("return location.hash") == "#result-121"


def test_patterns_are_drawn_where_there_is_no_picture(driver: Any, tmp_path: Path) -> None:
    stored(tmp_path / "x.sqlite", [solved("eye", Pattern.from_array(np.eye(3, dtype=int)))])
    write_report(tmp_path / "x.sqlite", tmp_path / "x.html", Report(pictures=0))
    driver.get((tmp_path / "x.html").as_uri() + "#result-1")
    until(driver, "document.querySelector('#detail canvas')")
    script = """
      const canvas = document.querySelector('#detail canvas');
      const side = canvas.width / 3, pen = canvas.getContext('2d');
      return [0, 1, 2].map((i) => [0, 1, 2].map((j) =>
        pen.getImageData((j + .5) * side, (i + .5) * side, 1, 1).data[3]));
    """
    assert np.array_equal(np.array(driver.execute_script(script)) == 255, np.eye(3, dtype=bool))


@pytest.mark.parametrize("table", [".families", "#list"])
def test_tables_are_sorted_by_the_keyboard(driver: Any, table: str) -> None:
    from selenium.webdriver.common.keys import Keys

    head = f"{table} thead th:last-child"
    driver.execute_script("document.querySelector(arguments[0]).focus()", f"{head} button")
    orders = []
    for key in (Keys.ENTER, Keys.SPACE):
        press(driver, key)
        values = [float(v) for v in texts(driver, f"{table} tbody tr > :last-child")]
        orders.append((one(driver, head).get_attribute("aria-sort"), values))
    (first, down), (second, up) = orders
    assert (first, second) == ("descending", "ascending")
    assert down == sorted(down, reverse=True)
    assert up == sorted(up)
    assert len(set(down)) > 2
    sorts = texts(driver, f"{table} th[aria-sort]:not([aria-sort=none]) button")
    assert len(sorts) == 1
    focused = driver.execute_script("return document.activeElement.closest('th').ariaSort")
    assert focused == "ascending"


def test_everything_is_reached_by_tab(driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    wanted = "return [...document.querySelectorAll('button, a, input, select, .scroll')]"
    count = len(
        driver.execute_script(f"{wanted}.filter((e) => e.checkVisibility() && !e.disabled)")
    )
    note = "addEventListener('focusin', (event) => reached.add(event.target))"
    driver.execute_script(f"reached = new Set(); {note}")
    press(driver, Keys.TAB * count)
    assert driver.execute_script("return reached.size") == count
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert driver.execute_script(outline) == "solid"


def test_families_are_filtered(driver: Any) -> None:
    one(driver, "input.filter-rows").send_keys("RE")
    assert texts(driver, "output.count") == ["1 of 6"]
    assert texts(driver, ".families tbody tr:not([hidden]) th") == ["real"]


def test_a_family_and_a_head_choose_what_is_listed(driver: Any) -> None:
    one(driver, ".families .pick[data-family='b']").click()
    assert set(column(driver, 2)) == {"b"}
    assert driver.execute_script("return document.activeElement.closest('#list') !== null")
    one(driver, ".heads .pick[data-family='real'][data-layer='9']").click()
    assert column(driver, 1) == ["plane"]
    assert texts(driver, "#shown") == ["1 to 1 of 1 in family real, layer 9, head 9"]
    one(driver, "#all").click()
    assert texts(driver, "#shown") == ["1 to 50 of 122"]


def test_choices_and_pages(driver: Any) -> None:
    from selenium.webdriver.support.ui import Select

    seen = column(driver, 1)
    for _ in range(2):
        one(driver, "#after").click()
        seen += column(driver, 1)
    assert len(set(seen)) == 122
    assert not one(driver, "#after").is_enabled()
    one(driver, "#before").click()
    assert texts(driver, "#shown") == ["51 to 100 of 122"]
    Select(one(driver, "#by-verdict")).select_by_visible_text("EXACT")
    until(driver, "document.querySelector('#shown').textContent.startsWith('1 to ')")
    assert set(column(driver, 3)) == {"EXACT"}
    Select(one(driver, "#by-family")).select_by_visible_text("none")
    until(driver, "document.querySelector('#list tbody td').textContent === '-'")
    assert set(column(driver, 2)) == {"-"}


CONTRAST = """
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return getComputedStyle(document.documentElement).backgroundColor;
  };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.disabled || e.closest('script, noscript')) continue;
    const style = getComputedStyle(e);
    const front = light(e instanceof SVGElement ? style.fill : style.color);
    const back = light(ground(e));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) poor.push([e.tagName, e.className, e.textContent.slice(0, 30), ratio]);
  }
  return poor;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_every_screen(driver: Any, width: int, scheme: str) -> None:
    seen_as(driver, width, scheme)
    back = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert driver.execute_script(CONTRAST) == []
    one(driver, "#by-name").send_keys("plane")
    driver.execute_script("document.querySelector('#list tbody a').click()")
    until(driver, "document.querySelector('#detail img')")
    until(driver, "[...document.querySelectorAll('#detail img')].every((i) => i.complete)")
    wide = "const d = document.querySelector('#detail'); return d.scrollWidth - d.clientWidth"
    assert driver.execute_script(wide) <= 0
    assert driver.execute_script(CONTRAST) == []


HINTS = """
  return [...document.querySelectorAll('.scroll')].map((box) => [
    box.scrollWidth > box.clientWidth + 1,
    box.previousElementSibling.matches('.hint') && box.previousElementSibling.checkVisibility(),
    box.classList.contains('more'),
  ]);
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_wide_tables_say_that_they_scroll(driver: Any, width: int) -> None:
    seen_as(driver, width, "light")
    until(
        driver,
        "[...document.querySelectorAll('.scroll')].every((box) => "
        "box.classList.contains('more') === box.scrollWidth > box.clientWidth + 1)",
    )
    boxes = driver.execute_script(HINTS)
    assert all(wide == hint == more for wide, hint, more in boxes)
    assert any(wide for wide, _, _ in boxes) == (width == 390)
    if width == 390:
        scroll = "document.querySelector('.scroll.more')"
        driver.execute_script(f"window.box = {scroll}; box.scrollLeft = box.scrollWidth")
        until(driver, "!box.classList.contains('more')")
        assert "Scroll sideways" in driver.execute_script("return box.previousSibling.textContent")


def test_maps_and_charts_have_axis_titles(driver: Any) -> None:
    assert set(texts(driver, ".heads .axis")) == {"layer", "head"}
    labels = texts(driver, ".chart text")
    assert {"time for each", "instances decided", "results", "dimension d"} <= set(labels)


def test_names_run_nothing(driver: Any) -> None:
    one(driver, "#by-name").send_keys("clash")
    one(driver, "#list tbody a").click()
    until(driver, "document.querySelector('#detail').open")
    assert HOSTILE in texts(driver, "#detail pre")
    assert texts(driver, "#detail img") == []
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
