"""What notebooks show of answers, and the tutorial runs as it stands."""

from __future__ import annotations

import base64
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import scipy.sparse

from samapprox import Pattern, Problem, Verdict, decide, weak_dimension

TUTORIAL = Path(__file__).parent.parent / "docs" / "tutorial.ipynb"
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
    assert "2: attention with d = 2 can show this 3 x 4 pattern, no less can." in read.text
    assert "NO for d = 1:" in read.text
    assert "YES for d = 2:" in read.text
    assert picture(found._repr_html_()) == found._repr_svg_()


def test_no_picture_and_no_proof() -> None:
    eye = Pattern.from_sparse(scipy.sparse.eye_array(40_000, format="csr"))
    read = Reader(Verdict(Problem(eye, 1), None)._repr_html_())
    assert read.images == []
    assert "UNKNOWN" in read.text
