"""Numbers with nouns."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from samapprox import Pattern, decide
from samapprox.support.text import fit_tables, lay_out, plural, shorten, table_width, text_width


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "instance", "0 instances"),
        (1, "instance", "1 instance"),
        (2, "instance", "2 instances"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (2, "key", "2 keys"),
        (2, "match", "2 matches"),
        (2, "class", "2 classes"),
        (-1, "step", "-1 steps"),
        (3, "don't-care entry", "3 don't-care entries"),
    ],
)
def test_only_one_is_singular(count: int, noun: str, text: str) -> None:
    assert plural(count, noun) == text


CELLS = st.text(st.sampled_from("ab0-猫ｱがé\u0301한"), min_size=1, max_size=6).map(
    lambda text: "x" + text  # a mark needs a letter to stand on
)
TABLES = st.integers(1, 6).flatmap(
    lambda columns: st.lists(
        st.lists(CELLS, min_size=columns, max_size=columns), min_size=1, max_size=5
    )
)


@given(CELLS)
def test_the_width_is_that_of_terminals(text: str) -> None:
    assert text_width(text) == cell_len(text)


def test_full_width_letters_are_wide_and_joiners_invisible() -> None:
    assert text_width("\uff21\uff22") == 4
    assert text_width("a\u200db\u200e") == 2


@given(TABLES, st.integers(0, 60))
def test_blocks_fit_and_hold_every_cell(rows: list[list[str]], width: int) -> None:
    columns = len(rows[0])
    lines = lay_out(rows, [False] + [True] * (columns - 1), width=width)
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        else:
            blocks.append([])
    found: list[list[str]] = [[row[0]] for row in rows]
    for block in blocks:
        assert len(block) == len(rows)
        cells = [line.split() for line in block]
        if columns > 1:  # aligned to the right: all lines end together
            assert len({text_width(line) for line in block}) == 1
        assert len(cells[0]) <= 2 or max(map(text_width, block)) <= width
        for own, (name, *others) in zip(found, cells, strict=True):
            assert name == own[0]
            own += others
    assert found == rows


@given(TABLES)
def test_without_a_width_the_columns_of_one_block_begin_together(rows: list[list[str]]) -> None:
    lines = lay_out(rows, [False] * len(rows[0]))
    assert [line.split() for line in lines] == rows
    for column in range(1, len(rows[0])):
        begins = {
            text_width(line[: re.match(rf"(\S+ +){{{column}}}", line).end()])  # type: ignore[union-attr]
            for line in lines
        }
        assert len(begins) == 1


@given(TABLES)
def test_a_table_as_wide_as_the_screen_is_one_block(rows: list[list[str]]) -> None:
    right = [False] + [True] * (len(rows[0]) - 1)
    lines = lay_out(rows, right)
    assert lay_out(rows, right, width=text_width(lines[0])) == lines


def test_the_table_of_a_proof_follows_the_screen() -> None:
    names = [f"document {column}, 猫" for column in range(3)]
    verdict = decide(Pattern([[1, 0, 0], [0, 1, 0], [0, 0, 1]], column_names=names), 1)
    wide = str(verdict)
    with fit_tables(50):
        narrow = str(verdict)
    assert max(map(text_width, wide.splitlines()[2:])) > 50
    assert max(map(text_width, narrow.splitlines()[2:])) <= 50
    assert [line for line in narrow.splitlines() if not line.strip()]
    assert all(narrow.count(name) == 1 for name in names)
    assert str(verdict) == wide
    assert table_width() is None


@pytest.mark.parametrize("width", range(1, 40))
def test_shortened_text_keeps_its_number_and_fits(width: int) -> None:
    for text in (
        "column 123456 ('猫の頭の本の名前')",
        "猫の頭の本の名前の頭の本の名前の頭",
        "0.123456",
    ):
        number = re.match(r"\D*[\d.]+", text)
        shown = shorten(text, width)
        least = number[0] if number else ""
        assert shown.startswith(least)
        assert text_width(shown) <= max(width, text_width(least) + 1)
        assert shown == text or shown.endswith("…")
