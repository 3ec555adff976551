"""docs/theory/checks.md: its clauses are those of the checks, and its examples are right."""

from __future__ import annotations

import hashlib
import json
import re
import struct

import numpy as np
import pytest
from helpers.checkers.plain_clauses import orientation_clauses, relations, token_clauses, variable
from helpers.paths import ROOT
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Certificate, Pattern
from samapprox.proofs import KNOWN_KINDS, load_kinds
from samapprox.proofs.refutations import token_clauses as tokens
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
    count_relations,
    relation_clauses,
    sign_matrix,
)

PAGE = (ROOT / "docs" / "theory" / "checks.md").read_text(encoding="utf-8")


def entries_of(data: st.DataObject, most: int) -> np.ndarray:
    rows, columns = (data.draw(st.integers(2, most)) for _ in range(2))
    cells = data.draw(
        st.lists(
            st.sampled_from([0, 1, 0, 1, -1]), min_size=rows * columns, max_size=rows * columns
        )
    )
    return np.array(cells, dtype=np.int8).reshape(rows, columns)


@given(st.data())
def test_the_clauses_of_chirotopes_are_those_of_the_page(data: st.DataObject) -> None:
    entries, elements = entries_of(data, 5), data.draw(st.sampled_from(["rows", "columns"]))
    signs = sign_matrix(entries, elements)
    size = signs.shape[1]
    rank = data.draw(st.integers(2, min(4, size)))
    count = count_relations(size, rank)
    some = st.sets(st.integers(0, count - 1), max_size=4).map(sorted) if count else st.just([])
    chosen = data.draw(st.one_of(st.booleans(), some))
    lines = [[None if sign == 0 else sign for sign in line] for line in signs.tolist()]
    built = [[1], *circuit_clauses(signs, rank).tolist()] if size > rank else [[1]]
    if chosen and count:
        numbers = None if isinstance(chosen, bool) else chosen
        built += relation_clauses(size, rank, numbers).tolist()
    assert set(map(frozenset, built)) == orientation_clauses(lines, rank, chosen)


def assert_clauses_of_tokens(
    entries: np.ndarray, rows: list[int], columns: list[int], d: int, h: int, *, related: bool
) -> None:
    blocks = tokens.token_clauses(entries, rows, columns, d, h, relations=related)
    built = [[1], *(clause for block in blocks for clause in block.clauses.tolist())]
    plain = [[None if entry < 0 else entry for entry in row] for row in entries.tolist()]
    wanted, last = token_clauses(plain, rows, columns, (d, h), related)
    assert set(map(frozenset, built)) == wanted
    assert tokens.token_variables(rows, columns, d, h) == last


@given(st.data())
def test_the_clauses_of_tokens_are_those_of_the_page(data: st.DataObject) -> None:
    entries = entries_of(data, 3)
    d, h = data.draw(st.sampled_from([(1, 1), (2, 2), (2, 3), (3, 3), (3, 4), (3, 5)]))
    rows, columns = (sorted(data.draw(st.permutations(range(5)))[:size]) for size in entries.shape)
    assert_clauses_of_tokens(entries, rows, columns, d, h, related=data.draw(st.booleans()))


@pytest.mark.parametrize("rows", [3, 4])
def test_signs_keep_their_names_where_no_simplex_has_keys_alone(rows: int) -> None:
    """The first sign is then next to the last orientation of queries."""
    entries = np.arange(rows, dtype=np.int8)[:, None] % 2
    assert_clauses_of_tokens(entries, list(range(rows)), [4], 3, 4, related=False)


def test_the_table_of_relations_is_right() -> None:
    rows = re.findall(r"^\| (\d) \| ([\d ]+) \| (\d) \| ([\d ,]+) \|$", PAGE, flags=re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(5))
    for (_, four, fixed, numbers), (wanted_fixed, wanted_four) in zip(
        rows, relations(5, 3), strict=True
    ):
        b, c, d, e = map(int, four.split())
        assert ((b, c, d, e), (int(fixed),)) == (wanted_four, wanted_fixed)
        pairs = (b, c), (d, e), (b, d), (c, e), (b, e), (c, d)
        brackets = [variable((int(fixed), *pair)) for pair in pairs]
        assert list(map(int, re.findall(r"\d+", numbers))) == brackets


def test_the_fingerprints_are_right() -> None:
    example, identity = re.findall(r"^    ([0-9a-f]{64})$", PAGE, flags=re.MULTILINE)
    content = b"samapprox pattern 1" + struct.pack("<10q", 2, 3, 1, 2, 0, 1, 2, 1, 0, 1)
    assert hashlib.sha256(content).hexdigest() == example
    assert Pattern.from_text("# two queries, three keys\n1*0\n0,1,1").sha256 == example
    assert Pattern(np.eye(3)).sha256 == identity


@pytest.mark.parametrize("lemmas", [[[2]], []])
def test_the_example_of_a_chirotope_is_right(lemmas: list[list[int]]) -> None:
    text = PAGE[PAGE.index('    {"kind": "chirotope"') :]
    proof = json.loads(text[: text.index("}") + 1]) | {"lemmas": lemmas}
    pattern = Pattern(np.eye(3))
    document = {
        "format": "samapprox-certificate",
        "version": 1,
        "pattern": {"rows": 3, "columns": 3, "sha256": pattern.sha256},
        "problem": {"d": 1, "d_hid": None},
        "answer": "NO",
        "proof": proof,
    }
    assert Certificate.from_json(document).verify(pattern).valid == bool(lemmas)


def test_every_kind_has_a_section_with_all_its_members() -> None:
    sections = dict(re.findall(r"^## (?:YES|NO): `([\w-]+)`\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
    assert set(sections) == set(KNOWN_KINDS)
    for kind in load_kinds():
        for member in kind.MEMBERS:
            assert re.search(rf"^\|.*`{member.name}`.*\|", sections[kind.KIND], re.M), member.name
