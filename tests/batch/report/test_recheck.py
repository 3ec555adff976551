"""Report pages check their proofs once more, by the second checker: in node and in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.batch.result_files import outcome, solved, stored
from helpers.checkers.second_checker import Case, answers, evaluate
from helpers.paths import ROOT
from helpers.programs.browser import chromium

from samapprox import Pattern, decide
from samapprox.batch import Question, Store, open_set
from samapprox.batch.report import Report, page, write_report
from samapprox.batch.report.evidence import certificate_source, pattern_source
from samapprox.batch.results.outcome import packed_certificate, packed_pattern
from samapprox.batch.workers.answer import answer as work_out
from samapprox.second_checker import script

pytestmark = pytest.mark.usefixtures("_in_process")

WAIT = 60.0


def wrong() -> Any:
    """A stored result whose certificate is about another pattern."""
    other = decide(Pattern.from_text("100\n010\n001")).certificate
    about = packed_pattern(Pattern.from_text("10\n01"))
    return outcome("wrong", pattern=about, no=packed_certificate(other))


def large() -> Any:
    return solved("large", Pattern.from_array(np.tri(200, 200, dtype=int)))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    plane = solved("plane", Pattern.from_text("1000\n0100\n0010\n*111"))
    stored(folder / "r.sqlite", [plane, wrong(), large()])
    write_report(folder / "r.sqlite", folder / "r.html", Report(pictures=0))
    return folder / "r.html"


def details(path: Path) -> dict[str, Any]:
    """Return what the page embeds, by the numbers of results."""
    packed = re.search(r'id="details">([^<]*)<', path.read_text())
    assert packed is not None
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return found


def cases(detail: dict[str, Any]) -> list[Case]:
    """Return what the page gives to the second checker."""
    shape, text = detail["pattern"], detail["source"]
    if shape["entries"] is not None:
        width = shape["columns"]
        text = "\n".join(re.findall(f".{{{width}}}", shape["entries"]))
    return [Case(text, proof["certificate"]) for proof in detail["proofs"]]


def test_embedded_proofs_are_valid_or_refused(made: Path) -> None:
    plane, bad, wide = (answers(cases(detail)) for detail in details(made).values())
    assert [answer.words for answer in plane] == ["VALID: NO for d = 1", "VALID: YES for d = 2"]
    assert [answer.status for answer in bad] == [1]
    assert "another pattern" in bad[0].words
    assert [answer.words for answer in wide] == ["VALID: YES for d = 1"]


TASKS = {
    Question("dim", similarity="l2"): [
        "VALID: NO for d = 1 with Euclidean distance",
        "VALID: YES for d = 2 with Euclidean distance",
    ],
    Question("rank"): ["VALID: NO for sign-rank at most 1", "VALID: YES for sign-rank at most 2"],
    Question("fit", d=1): [
        "VALID: NO for at most 1 wrong row in d = 1",
        "VALID: YES for at most 2 wrong rows in d = 1",
    ],
    Question("margin"): ["VALID: no margin above 0.", "VALID: a margin of at least 0."],
}


def test_proofs_of_every_task_are_valid(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("1100\n0110\n0011\n1001\n")
    (entry,) = (entry for some in open_set([str(tmp_path / "p.txt")]) for entry in some)
    with Store(tmp_path / "r.sqlite", write=True) as store:
        for question in TASKS:
            found = work_out(entry, question, lambda _so_far: None)
            store.save(store.question(question), [found])
    write_report(tmp_path / "r.sqlite", tmp_path / "r.html", Report(pictures=0))
    shown = details(tmp_path / "r.html").values()
    assert len(shown) == len(TASKS)
    for detail, wanted in zip(shown, TASKS.values(), strict=True):
        words = [answer.words for answer in answers(cases(detail))]
        assert len(words) == len(wanted)
        assert all(map(str.startswith, words, wanted)), words


def test_the_page_contains_the_checker_and_no_more_than_it_may() -> None:
    text = script()
    assert not re.search(r"</script|<!--", text, re.IGNORECASE)
    assert not re.search(r"\b(?:import|require|eval|fetch|XMLHttpRequest|importScripts)\b", text)


def test_large_proofs_are_shown_without_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "_MOST_SOURCES", 0)
    stored(tmp_path / "r.sqlite", [large()])
    write_report(tmp_path / "r.sqlite", tmp_path / "r.html", Report(pictures=0))
    (detail,) = details(tmp_path / "r.html").values()
    assert detail["source"] is None
    assert [proof["certificate"] for proof in detail["proofs"]] == [None]
    assert detail["proofs"][0]["title"] == "YES for d = 1"


def test_patterns_are_embedded_as_long_as_they_are_small() -> None:
    assert pattern_source(Pattern.from_text("1*0\n011")) == (
        '{"rows":2,"columns":3,"ones":[[0],[1,2]],"unspecified":[[1],[]]}'
    )
    sparse = Pattern.from_text("01\n10")
    assert pattern_source(sparse) == '{"rows":2,"columns":2,"ones":[[1],[0]]}'
    assert pattern_source(Pattern.from_array(np.ones((800, 800), dtype=int))) is None


@pytest.mark.parametrize("shape", [(5, 7), (70, 30)])
def test_both_forms_of_a_pattern_have_its_fingerprint(shape: tuple[int, int]) -> None:
    random = np.random.RandomState(0)
    ones = random.rand(*shape) < 0.5
    ones[:, 0] = True
    pattern = Pattern.from_array(ones, ones | (random.rand(*shape) < 0.7))
    forms = [pattern.to_text(), pattern_source(pattern)]
    expressions = [f"readPattern({json.dumps(form)}).fingerprint()" for form in forms]
    assert evaluate(expressions) == [pattern.sha256] * 2


STUBS = """
globalThis.made = 0;
URL.createObjectURL = () => "blob:";
URL.revokeObjectURL = () => {};
globalThis.Worker = class {
  constructor() { made++; if (made > 2) throw new Error("forbidden"); }
  terminate() {}
  postMessage({ pattern }) {
    if (pattern === "slow") return;
    const data = pattern === "wide"
      ? { status: 1, words: "NOT VALID: too large", large: true }
      : { status: 0, words: pattern, large: false };
    setTimeout(() => this.onmessage({ data }), 5);
  }
};
globalThis.check = makeRecheck("", 0.2);
undefined
"""


def test_slow_checks_are_stopped_and_others_wait_for_their_turn() -> None:
    recheck = (ROOT / "batch" / "report" / "recheck.js").read_text()
    ask = "Promise.all([{}].map(([pattern, certificate]) => check(pattern, certificate)))"
    named = ["one", "wide", "slow", "two", None, "slow", "three"]
    texts = json.dumps([[name, ""] for name in named])[1:-1]
    _, _, found, count = evaluate([recheck, STUBS, ask.format(texts), "made"])
    assert [answer["status"] for answer in found] == [0, None, None, 0, None, None, None]
    assert [answer["words"] for answer in found] == [
        "one",
        "too large to check here",  # which does not mean that it is wrong
        "no answer in 0.2 s: too large to check here",
        "two",
        "too large to check here",
        "no answer in 0.2 s: too large to check here",
        "this browser does not let the page check proofs",
    ]
    assert count == 3  # a new worker only after one was stopped


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def until(driver: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, WAIT).until(lambda d: d.execute_script(f"return {script}"))


def lines(driver: Any, number: int) -> list[str]:
    """Return what the page says about each proof of a result, once it knows."""
    driver.execute_script("location.hash = arguments[0]", f"result-{number}")
    until(driver, "document.querySelector('#detail').open")
    until(driver, "[...document.querySelectorAll('.recheck')].every((line) => line.dataset.status)")
    found = "return [...document.querySelectorAll('.recheck')].map((line) => line.textContent)"
    told: list[str] = driver.execute_script(found)
    driver.execute_script("document.querySelector('#detail').close()")
    return told


def test_a_browser_checks_what_it_shows(browser: Any, made: Path) -> None:
    browser.get(made.as_uri())
    ids = list(details(made))
    assert lines(browser, int(ids[0])) == [
        "Checked again in this browser: VALID: NO for d = 1",
        "Checked again in this browser: VALID: YES for d = 2",
    ]
    (refused,) = lines(browser, int(ids[1]))
    assert refused.startswith("Checked again in this browser: NOT VALID: it is about another")
    assert lines(browser, int(ids[2])) == ["Checked again in this browser: VALID: YES for d = 1"]
    browser.execute_script("document.querySelector('#recheck-all').click()")
    output = "document.querySelector('#recheck output').textContent"
    until(browser, f"{output} === '4 of 4 proofs: 3 valid, 1 NOT VALID'")
    assert browser.get_log("browser") == []


def test_a_browser_says_what_is_too_large(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "_MOST_SOURCES", 0)
    stored(tmp_path / "r.sqlite", [large()])
    write_report(tmp_path / "r.sqlite", tmp_path / "r.html", Report(pictures=0))
    browser.get((tmp_path / "r.html").as_uri())
    assert lines(browser, 1) == ["Not checked again: too large to check here."]


def test_certificates_are_embedded_as_they_are() -> None:
    certificate = decide(Pattern.from_text("100\n010\n001")).certificate
    assert certificate is not None
    text = certificate_source(certificate)
    assert text is not None
    assert json.loads(text) == certificate.to_json()
