"""Notebooks show answers as HTML, and the tutorial runs as it stands."""

from __future__ import annotations

import ast
import base64
import json
from contextlib import redirect_stdout
from html.parser import HTMLParser
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
import scipy.sparse
from helpers.paths import ROOT

from samapprox import Pattern, Problem, Verdict, decide, weak_dimension

TUTORIAL = ROOT / "docs" / "tutorials" / "tour.ipynb"
HOSTILE = '<script>alert("x")</script> & "quotes"'


class Reader(HTMLParser):
    """Tags, text and images of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def picture(html: str) -> str:
    """The SVG within a piece of HTML."""
    (shown,) = Reader(html).images
    kind, _, content = str(shown["src"]).partition(",")
    assert kind == "data:image/svg+xml;base64"
    return base64.b64decode(content).decode()


@pytest.mark.parametrize("d", [1, 2])
def test_verdicts(d: int) -> None:
    names = [HOSTILE, "b", "c"]
    pattern = Pattern.from_array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], row_names=names)
    verdict = decide(pattern, d)
    html = verdict._repr_html_()
    read = Reader(html)
    assert "script" not in read.tags
    assert verdict.status.value in read.text
    if d == 1:
        assert repr(HOSTILE)[1:-1] in read.text.replace("\\", "")
    ElementTree.fromstring(picture(html))
    assert read.images[0]["alt"].startswith(f"{verdict.status.value}: ")
    assert picture(html) == verdict._repr_svg_()


def test_dimensions_tell_both_sides() -> None:
    found = weak_dimension([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    read = Reader(found._repr_html_())
    assert (
        "2: attention with d = 2 can represent this 3 x 4 pattern, and no smaller d can."
        in read.text
    )
    assert "NO for d = 1:" in read.text
    assert "YES for d = 2:" in read.text
    assert picture(found._repr_html_()) == found._repr_svg_()


def test_no_picture_and_no_proof() -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    read = Reader(Verdict(Problem(eye, 1), None)._repr_html_())
    assert read.images == []
    assert "UNKNOWN" in read.text


# ---------------------------------------------------------------- the tutorial


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Return what a cell prints, and the value of its last line, which notebooks show."""
    *before, last = ast.parse(source).body
    with redirect_stdout(StringIO()) as printed:
        if not isinstance(last, ast.Expr):
            exec(source, names)
            return printed.getvalue(), None
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


@pytest.mark.usefixtures("_in_process")
def test_the_tutorial_prints_what_stands_in_it() -> None:
    """In this process: the documentation's build runs it in a kernel, and stops at errors."""
    cells = json.loads(TUTORIAL.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 8
    names: dict[str, Any] = {}
    shown = []
    for cell in code:
        printed, value = run_cell("".join(cell["source"]), names)
        stored = [output for output in cell["outputs"] if output.get("name") == "stdout"]
        assert printed == "".join("".join(output["text"]) for output in stored)
        shown.append(value)
    answers = [Reader(value._repr_html_()) for value in shown if value is not None]
    assert [answer.text[:3] for answer in answers] == ["NO:", "YES", "2: ", "YES"]
    assert [len(answer.images) for answer in answers] == [1, 1, 1, 1]


def test_the_tutorial_is_stored_without_pictures() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    assert len(text) < 20_000
    assert "image/" not in text
