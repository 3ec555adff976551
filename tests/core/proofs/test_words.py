"""Tables within explanations leave room for the text that they are part of."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.stored import STORED

from samapprox import Certificate, Pattern, SignMatrix
from samapprox.proofs.words import tabulate
from samapprox.support.text import fit_tables, text_width

INDENTED_BY_EXPLANATIONS = 4


@pytest.mark.parametrize("width", range(30, 80))
def test_indented_tables_fit_the_screen(width: int) -> None:
    pattern = Pattern(np.eye(9, dtype=np.int8))
    with fit_tables(width):
        lines = tabulate(pattern, range(9), range(9))
    assert max(map(text_width, lines)) <= width - INDENTED_BY_EXPLANATIONS
    assert sum(line.count("column") for line in lines) == 9


@pytest.mark.parametrize("width", [40, 60, 61, 80])
def test_long_names_are_shortened_to_fit_the_screen(width: int) -> None:
    names = [f"document {number}: {'a long title, ' * 9}" for number in range(3)]
    pattern = Pattern(np.eye(3), row_names=names, column_names=names)
    with fit_tables(width):
        lines = tabulate(pattern, range(3), range(3))
    assert max(map(text_width, lines)) <= width - INDENTED_BY_EXPLANATIONS
    for kind in ("row", "column"):
        for number in range(3):
            assert any(f"{kind} {number} ('doc" in line for line in lines)
    assert sum(line.count("1") for line in lines if "row" in line and line.endswith("1")) >= 3
    wide = tabulate(pattern, range(3), range(3))
    assert all(repr(name) in wide[0] for name in names)


def test_long_cores_are_abbreviated() -> None:
    pattern = Pattern([[1, 0]])  # only numbers are listed
    rows, columns = tabulate(pattern, range(201), range(65_536))
    assert rows.endswith("199, .. and 1 more]")
    assert columns.endswith("199, .. and 65336 more]")
    assert len(columns) < 2_000
    rows, _ = tabulate(pattern, range(200), [0])
    assert rows.endswith(" 199]")


TERMS = (
    "orientation",
    "final polynomial",
    "Grassmann-Pluecker relation",
    "circuit",
    "moment curve",
    "cut column",
    "core",
)
"""Terms of the glossary that answers use."""


@pytest.mark.parametrize("name", STORED)
def test_terms_are_explained_where_they_first_occur(name: str) -> None:
    stored = STORED[name]
    certificate = Certificate.from_json(stored.document)
    kind = SignMatrix if certificate.task == "rank" else Pattern
    pattern = kind.from_text("\n".join(stored.rows))
    text = " ".join(certificate.proof.explain(certificate.ask(pattern)))
    for term in TERMS:
        first = re.search(rf"\b{term}s?\b", text)
        assert first is None or text[first.end() :].startswith(" ("), (term, text)
