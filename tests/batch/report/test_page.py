"""Report pages say what the result file says, hold a bounded part of it, and nothing hostile."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.attention.head_tables import weights
from helpers.batch.result_files import DIM, HOSTILE, many, outcome, solved, stored

from samapprox import InputError, Pattern, __version__, decide, heads
from samapprox.batch import Question, Store
from samapprox.batch.report import Report, Selection, make_report, write_report
from samapprox.batch.report.section import section_of
from samapprox.batch.results.outcome import packed_certificate, packed_pattern
from samapprox.cli.main import cli
from samapprox.reductions.families import generate

pytestmark = pytest.mark.usefixtures("_in_process")


class Page(HTMLParser):
    """Return the text of a page without its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._script = str(dict(attrs).get("id", tag))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text += data
        else:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data

    @property
    def data(self) -> Any:
        return json.loads(self.scripts["data"])

    @property
    def details(self) -> Any:
        return json.loads(gzip.decompress(base64.b64decode(self.scripts["details"])))


def page_of(path: Path, **options: Any) -> Page:
    with Store(path) as store:
        return Page(make_report(store, Report(**options)))


# ---------------------------------------------------------------- the page


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    three = Pattern.from_array(np.eye(3, dtype=int))
    four = Pattern.from_text("1000\n0100\n0011")
    return stored(
        tmp_path_factory.mktemp("real") / "r.sqlite",
        [
            solved("eye", three, family="diagonal"),
            solved("plane", four, family="plane", layer=0, head=1),
            solved("line", Pattern.from_text("100\n110"), family="line", layer=0, head=0),
            outcome("bare", family="line", layer=1, head=0, lower=1, upper=3, verdict="INTERVAL"),
            outcome(
                HOSTILE, family=HOSTILE, verdict="ERROR", lower=None, upper=None, error=HOSTILE
            ),
        ],
    )


@pytest.fixture(scope="module")
def text(real: Path) -> str:
    """The page about these results: to draw its pictures takes most of the time of these tests."""
    with Store(real) as store:
        return make_report(store, Report())


def test_the_page_needs_nothing_else(text: str) -> None:
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "base")
        for name in ("src", "href", "action"):
            assert str(attributes.get(name) or "data:#")[:1] in ("d", "#")
    assert "http:" not in text
    assert "https:" not in text
    assert "default-src 'none'" in text


def test_counts_and_tables(text: str) -> None:
    page = Page(text)
    assert "5 results for one question." in page.text
    assert "dim, 2 s, seed 0" in page.text
    for name in ("diagonal", "plane", "line", HOSTILE):
        assert name in page.text
    buttons = [a for tag, a in page.tags if tag == "button" and "data-layer" in a]
    assert [a["aria-label"] for a in buttons] == [
        "layer 0, head 0: d = 1, 1 pattern",
        "layer 1, head 0: d = 1..3, 1 pattern",
        "layer 0, head 1: d = 2, 1 pattern",
    ]
    charts = [a["aria-label"] for tag, a in page.tags if tag == "svg" and a.get("role") == "img"]
    assert "all: 3 decided" in charts[0]
    assert "1 with trivial upper bound 3" in charts[1]


def test_the_page_begins_with_the_heads_and_ends_with_the_run(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", layer0=weights(1, 2, 4, 4), layer1=weights(1, 2, 4, 4))
    heads(tmp_path / "a.npz", results=tmp_path / "r.sqlite", jobs=1)
    with Store(tmp_path / "r.sqlite", write=True) as store:
        text = make_report(store, Report(head_size=32))
        parts = ["claim", '<table class="heads"', "<h3>Families", "Bounds on", "seconds in total"]
        body = text.partition("<main>")[2]
        places = [body.index(part) for part in parts]
        assert places == sorted(places)
        claim = "</strong> For this text and rule, every head fits into d = "
        assert claim in text
        assert "by some embedding; the model gives its heads 32 dimensions.</p>" in text
        store.connection.execute("UPDATE result SET upper = NULL WHERE id = 2")
        text = make_report(store, Report(pictures=0))
    assert "every measured head fits into d = " in text
    assert "(left out: 1 pattern without an answer), by some embedding.</p>" in text


def test_names_stay_names(text: str) -> None:
    page = Page(text)
    images = [a for tag, a in page.tags if tag == "img"]
    assert not images
    assert sum(tag == "script" for tag, _ in page.tags) == 4
    names = [row[page.data["columns"].index("name")] for row in page.data["results"]]
    assert HOSTILE in names


def test_proofs_in_words_and_pictures(text: str) -> None:
    page = Page(text)
    columns = page.data["columns"]
    told = {
        row[columns.index("name")]: page.details[str(row[columns.index("id")])]
        for row in page.data["results"]
    }
    assert told["eye"]["pattern"] == {"rows": 3, "columns": 3, "entries": "100010001"}
    no, yes = told["eye"]["proofs"]
    assert yes["title"] == "YES for d = 2"
    assert (no["title"], no["rows"], no["columns"]) == ("NO for d = 1", [0, 1, 2], [0, 1, 2])
    assert "On a line, one of any three keys lies between the other two" in no["words"]
    assert [proof["title"] for proof in told["plane"]["proofs"]] == [
        "NO for d = 1",
        "YES for d = 2",
    ]
    for proof in told["plane"]["proofs"]:
        kind, _, content = proof["picture"].partition(",")
        assert kind == "data:image/svg+xml;base64"
        assert base64.b64decode(content).startswith(b"<?xml")
    assert "order of the keys" in told["line"]["proofs"][0]["words"]
    assert told["bare"]["proofs"] == []


def test_a_proof_of_something_else_is_not_shown_as_one(tmp_path: Path) -> None:
    other = decide(Pattern.from_text("100\n010\n001")).certificate
    wrong = outcome(
        "wrong",
        pattern=packed_pattern(Pattern.from_text("10\n01")),
        no=packed_certificate(other),
        trail="{",
    )
    bad = wrong._replace(name="bad", no=b"x", trail=None)
    page = page_of(stored(tmp_path / "r.sqlite", [wrong._replace(trail=None), bad]))
    first, second = page.details.values()
    assert first["proofs"][0]["title"] == "NOT VALID"
    assert "another pattern" in first["proofs"][0]["words"]
    assert "damaged" in second["trail"][0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("{}", "the stored answer is damaged: 'pair'"),
        ('{"pair": [0, 1], "vectors": ["10", "1"]}', "two vectors have the same length"),
        ('{"furthest": null, "pair": [0], "distance": 1}', "the stored answer is damaged: "),
    ],
)
def test_a_damaged_answer_is_said_in_its_place(tmp_path: Path, answer: str, said: str) -> None:
    damaged = outcome("damaged")._replace(answer=answer)
    page = page_of(stored(tmp_path / "r.sqlite", [damaged]))
    (shown,) = page.details.values()
    assert said in shown["trail"][0]


def test_what_has_no_picture_of_its_own_has_none(tmp_path: Path) -> None:
    pattern = generate("all-subsets", n=6, k=2).pattern
    page = page_of(stored(tmp_path / "r.sqlite", [solved("four", pattern)]))
    (told,) = page.details.values()
    no, yes = told["proofs"]
    assert (no["title"], yes["title"]) == ("NO for d = 3", "YES for d = 4")
    assert no["picture"] is not None
    assert yes["picture"] is None


def test_large_patterns_are_not_drawn(tmp_path: Path) -> None:
    pattern = Pattern.from_array(np.tri(200, 200, dtype=int))
    page = page_of(stored(tmp_path / "r.sqlite", [solved("large", pattern)]), pictures=0)
    (told,) = page.details.values()
    assert told["pattern"] == {"rows": 200, "columns": 200, "entries": None}
    assert told["proofs"][0]["picture"] is None


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    many(tmp_path / "r.sqlite", 300)
    page = page_of(tmp_path / "r.sqlite", listed=40, pictures=0)
    assert "40 of 300 results" in page.text
    assert "--family" in page.text
    assert len(page.data["results"]) == 40
    every = page_of(tmp_path / "r.sqlite", listed=300, pictures=300)
    assert "This list has all results." in every.text
    assert "--family" not in every.text
    assert "room for the details" not in every.text
    wide = stored(tmp_path / "w.sqlite", [outcome(f"i{k}", family=f"f{k:04d}") for k in range(230)])
    assert "30 smaller ones are left out" in page_of(wide, listed=0).text


def test_details_beyond_the_room_for_them_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(tmp_path / "r.sqlite", 3)
    monkeypatch.setattr("samapprox.batch.report.page._MOST_BYTES", 1)
    page = page_of(tmp_path / "r.sqlite")
    assert len(page.data["results"]) == 3
    assert len(page.details) < 3
    assert f"There is room for the details of only {len(page.details)}." in page.text


def test_selections(tmp_path: Path) -> None:
    outcomes = many(tmp_path / "r.sqlite", 300)
    page = page_of(tmp_path / "r.sqlite", selection=Selection("a", "EXACT"), listed=1000)
    wanted = {o.name for o in outcomes if (o.family, o.verdict) == ("a", "EXACT")}
    assert {row[1] for row in page.data["results"]} == wanted
    assert f"{len(wanted)} results for one question; only family a, verdict EXACT." in page.text


def test_a_section_for_each_question(tmp_path: Path) -> None:
    path = many(tmp_path / "r.sqlite", 30) and tmp_path / "r.sqlite"
    stored(path, [outcome("x", verdict="YES")] * 1, Question("decide", d=2))
    page = page_of(path, listed=20)
    assert "31 results for 2 questions." in page.text
    assert "decide d = 2, 60 s, seed 0" in page.text
    assert {row[-1] for row in page.data["results"]} == {1, 2}


def test_a_section_of_what_nobody_could_decide(tmp_path: Path) -> None:
    unread = {"lower": None, "upper": None, "memory": None}
    outcomes = [
        outcome("a", verdict="ERROR", seconds=0.25, error="no pattern", **unread),
        outcome("b", verdict="ERROR", seconds=0.5, error="no pattern", **unread),
        outcome("c", verdict="INTERVAL", lower=None, upper=None, memory=None, seconds=2.0),
    ]
    with Store(stored(tmp_path / "r.sqlite", outcomes)) as store:
        assert section_of(store, 1, DIM, Selection(name="z*")) is None
        section = section_of(store, 1, DIM, Selection())
    assert section is not None
    assert (section.curves, section.bounds, section.maps) == ((), {}, ())
    html = section.html()
    tiles = re.findall(r"<li><b>([^<]*)</b>([^<]*)</li>", html)
    assert sorted((name, value) for value, name in tiles if name != "slowest, s") == [
        ("ERROR", "2"),
        ("INTERVAL", "1"),
        ("decided", "0.0 %"),
        ("machine", "here"),
        ("results", "3"),
        ("samapprox, which made this page", __version__),
        ("seconds in total", "2.8"),
    ]
    assert "<figure>" not in html
    assert "by layer and head" not in html
    assert html.count("<tr>") == 2  # a head and one family, of those without a name


def test_equal_files_give_equal_pages(real: Path, text: str) -> None:
    with Store(real) as store:
        assert make_report(store, Report()) == text


# ---------------------------------------------------------------- the command


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["report", *arguments])


def test_the_command(real: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    done = run(str(real), "-o", str(target), "--pictures", "1", "--family", "plane")
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{target}\n", "")
    assert "1 result for one question; only family plane." in Page(target.read_text()).text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--verdict", "MAYBE"], "unknown verdict 'MAYBE'"),
        (["--family", "nobody"], "no results with family nobody"),
        (["-o", "missing/page.html"], "missing/page.html"),
    ],
)
def test_bad_options(
    real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(str(real), *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "values that no result can have" not in done.stderr  # the file is sound
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(
    "column", ["seconds", "lower", "layer", "rows", "name", "verdict", "memory"]
)
@pytest.mark.parametrize("value", ["'<b>'", "x'ff00'", "1e999", "-1e300", "9223372036854775807"])
def test_columns_with_anything_in_them(tmp_path: Path, column: str, value: str) -> None:
    """One line that says so, or a page; never a traceback."""
    path = tmp_path / "r.sqlite"
    many(path, 12)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE result SET {column} = {value} WHERE id = 3")
    connection.close()
    done = run(str(path), "-o", str(tmp_path / "r.html"), "--pictures", "0")
    assert done.exit_code in (0, 2), done.exception
    if done.exit_code == 2:
        assert str(path) in done.stderr
        return
    text = (tmp_path / "r.html").read_text()
    assert text.count("<b>") == text.count("<li><b>")
    assert "Infinity" not in Page(text).scripts["data"]


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    many(path, 400)
    whole = path.read_bytes()
    for place in range(5000, len(whole) - 600, len(whole) // 7):
        path.write_bytes(whole[:place] + b"\xff" * 500 + whole[place + 500 :])
        done = run(str(path), "-o", str(tmp_path / "r.html"), "--pictures", "0", "--list", "30")
        assert done.exit_code in (0, 2), done.exception
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"r\.sqlite"):
        write_report(path, tmp_path / "r.html")


def test_files_that_are_no_results(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 100)
    with Store(tmp_path / "empty.sqlite", write=True):
        pass
    for name in ("text", "missing", "empty.sqlite"):
        with pytest.raises(InputError, match=name):
            write_report(tmp_path / name, tmp_path / "r.html")
    with pytest.raises(InputError, match="listed must be a whole number of at least 0, not -1"):
        Report(listed=-1)
