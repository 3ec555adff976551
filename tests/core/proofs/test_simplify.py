"""Merging and dropping lose nothing, and every proof lifts back."""

from __future__ import annotations

import numpy as np
from helpers.strategies import Entries, any_entries
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem, Radon, Shattering, Status, decide
from samapprox.proofs.checks import check
from samapprox.proofs.simplify import simplify


@st.composite
def repetitive_entries(draw: st.DrawFn) -> Entries:
    entries = draw(any_entries())
    m, n = entries.shape
    rows = draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=10))
    columns = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=12))
    repeated = entries[np.ix_(rows, [*range(n), *columns])]
    for row in range(len(repeated)):
        if draw(st.booleans()) and not repeated[row].all():
            repeated[row] ^= 1
    return repeated


@given(repetitive_entries())
def test_answers_agree_and_proofs_lift(entries: Entries) -> None:
    pattern = Pattern.from_array(entries)
    problem = Problem(pattern, 1)
    simplified = simplify(pattern)
    if simplified.pattern is None:
        assert entries.all()
        nothing = Embedding(np.zeros((0, 1), dtype=int), [[0]], [])
        assert check(problem, nothing.lift(simplified)) is None
        return
    verdict = decide(simplified.pattern)
    assert verdict.status is decide(pattern).status
    if isinstance(verdict.proof, Radon | Shattering):
        assert check(problem, verdict.proof.lift(simplified)) is None
    else:
        assert verdict.status is Status.YES
        assert check(problem, verdict.proof.lift(simplified)) is None


@given(repetitive_entries())
def test_nothing_is_left_to_merge(entries: Entries) -> None:
    smaller = simplify(Pattern.from_array(entries)).pattern
    if smaller is None:
        return
    core = smaller.to_array()
    assert not core.all(axis=1).any()
    assert len(np.unique(core ^ core[:, :1], axis=0)) == len(core)
    assert len(np.unique(core.T, axis=0)) == core.shape[1]
    again = simplify(smaller)
    assert again.pattern == smaller


@given(repetitive_entries(), st.data())
def test_maps_say_where_everything_went(entries: Entries, data: st.DataObject) -> None:
    rng = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    care = rng.randint(0, 4, size=entries.shape) > 0
    care[np.arange(len(entries)), entries.argmax(axis=1)] = True
    pattern = Pattern.from_array(entries, care)
    wanted = pattern.to_array()
    simplified = simplify(pattern)
    for row, (at, flipped) in enumerate(zip(simplified.row_of, simplified.flipped, strict=True)):
        if at < 0:
            assert not (wanted[row] == 0).any()
            continue
        shown = simplified.pattern.to_array()[at, simplified.column_of]
        specified = shown >= 0
        np.testing.assert_array_equal(specified, wanted[row] >= 0)
        np.testing.assert_array_equal((shown ^ flipped)[specified], wanted[row][specified])
    if simplified.pattern is not None:
        np.testing.assert_array_equal(
            simplified.pattern.to_array(), wanted[np.ix_(simplified.rows, simplified.columns)]
        )


def test_large_numbers_lift_exactly() -> None:
    simplified = simplify(Pattern.from_text("10\n01\n11"))
    big = 2**90
    lifted = Embedding([[big]], [[1], [0]], [big - 1]).lift(simplified)
    assert lifted.queries.ravel().tolist() == [big, -big, 0]
    assert check(Problem(Pattern.from_text("10\n01\n11"), 1), lifted) is None
