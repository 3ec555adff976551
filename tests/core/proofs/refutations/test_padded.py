"""Padded patterns: what the check accepts is a NO, also with complements and don't-cares."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samapprox import InputError, Pattern, Problem, Status, decide
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs import Obstruction, Padded, Radon, check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.padding import pad_pattern

RADON = Radon([0, 1, 2], [0, 1, 2])
TEXT = "1001\n0101\n0011\n1000\n0100\n0010\n1110"
ROWS, COLUMNS = [6, 0, 3, 1, 4, 2, 5], [3, 0, 1, 2]


def pattern_of(entries: np.ndarray) -> Pattern:
    return Pattern.from_array(entries == 1, entries != UNSPECIFIED)


def test_it_excludes_one_dimension_more() -> None:
    proof, pattern = Padded(ROWS, COLUMNS, RADON), Pattern.from_text(TEXT)
    assert proof.dimension == 2
    assert check(Problem(pattern, 1), proof) is None
    assert check(Problem(pattern, 2), proof) is None
    assert "not d = 3" in str(check(Problem(pattern, 3), proof))
    assert "about the similarity dot" in str(check(Problem(pattern, 2, similarity="l2"), proof))
    assert any("There is none" in line for line in proof.explain(Problem(pattern, 2)))


@pytest.mark.parametrize("turned", [*product([False, True], repeat=3)])
def test_complements_are_read_by_their_entry_at_z(turned: tuple[bool, ...]) -> None:
    entries = Pattern.from_text(TEXT).to_array()
    for row, turn in zip((0, 3, 6), turned, strict=True):
        entries[row] ^= turn
    assert check(Problem(pattern_of(entries), 2), Padded(ROWS, COLUMNS, RADON)) is None


def test_it_is_lifted_to_patterns_with_complements_and_copies() -> None:
    random = np.random.RandomState(0)
    merged = 0
    for _ in range(30):
        entries = Pattern.from_text(TEXT).to_array()
        entries = entries[np.concatenate([random.permutation(7), random.randint(7, size=3)])]
        entries = entries[:, np.concatenate([random.permutation(4), random.randint(4, size=2)])]
        turned = (random.rand(10) < 0.5) & (entries == 0).any(axis=1)
        entries[turned] ^= 1
        pattern = pattern_of(entries)
        simplified = simplify(pattern)
        assert simplified.pattern is not None
        verdict = decide(simplified.pattern, 2, only=["padded"], time_limit=20)
        assert isinstance(verdict.proof, Padded)
        assert check(Problem(pattern, 2), verdict.proof.lift(simplified)) is None
        merged += bool(simplified.flipped.any())
    assert merged > 5


@pytest.mark.parametrize(
    ("rows", "columns", "reason"),
    [
        (ROWS, [3, 0, 1, 4], "outside the 7 x 4 pattern"),
        ([5, 0, 3, 1, 4, 2, 6], COLUMNS, "does not separate"),
        ([6, 0, 1, 3, 4, 2, 5], COLUMNS, "does not refute"),
        (ROWS, [2, 0, 1, 3], "does not separate"),
    ],
)
def test_other_paddings_are_refused(rows: list[int], columns: list[int], reason: str) -> None:
    fault = check(Problem(Pattern.from_text(TEXT), 2), Padded(rows, columns, RADON))
    assert reason in str(fault)


def test_sizes_of_other_forms_are_refused() -> None:
    for rows, columns in (([6], COLUMNS), ([6, 0, 3, 1], COLUMNS), (ROWS, [3])):
        with pytest.raises(InputError, match="pairs of rows"):
            Padded(rows, columns, RADON)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_an_accepted_padding_is_a_no(data: st.DataObject) -> None:
    """Random changes of padded patterns: where the check accepts, no search finds an embedding."""
    core = data.draw(
        st.lists(st.tuples(*[st.sampled_from([0, 1])] * 3), min_size=3, max_size=4, unique=True)
    )
    assume(all(sum(row) > 0 for row in core))
    entries = pad_pattern(Pattern(np.array(core))).to_array()
    height, width = entries.shape
    for _ in range(data.draw(st.integers(0, 3))):
        row, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
        entries[row, column] = data.draw(st.sampled_from([0, 1, UNSPECIFIED]))
    assume((entries == 1).any(axis=1).all())
    pattern = pattern_of(entries)
    pairs = (height - 1) // 2
    rows = [height - 1, *(row for i in range(pairs) for row in (i, pairs + i))]
    proof = Padded(rows, [width - 1, *range(width - 1)], RADON)
    for d in (1, 2):
        try:
            smaller = proof.smaller_pattern(pattern)
        except InputError:
            return
        inner = decide(smaller, d, time_limit=10).proof
        if isinstance(inner, Obstruction):
            padded = Padded(proof.rows, proof.columns, inner)
            assert check(Problem(pattern, d + 1), padded) is None
            without = decide(pattern, d + 1, without=["padded"], time_limit=2)
            assert without.status is not Status.YES
