"""Relations that a refutation used: where the refutation of a smaller core begins."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.orientation_clauses import count_relations, three_term_relations
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations import on_demand
from samapprox.solvers.orientations.contractions import keep_relations
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.minimal_cores import minimal

SIZES = [(5, 2), (7, 3), (8, 4)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SIZES), st.data())
def test_relations_keep_their_elements(size: tuple[int, int], data: st.DataObject) -> None:
    elements, rank = size
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, elements - 1)))), dtype=np.int64)
    places = st.sets(st.integers(0, count_relations(elements, rank) - 1), max_size=40)
    numbers = np.array(sorted(data.draw(places)), dtype=np.int64)
    fewer = keep_relations(numbers, kept, elements, rank)
    before = three_term_relations(elements, rank, numbers.tolist())
    expected = [
        (*fixed, *four)
        for fixed, four in zip(before.fixed.tolist(), before.fours.tolist(), strict=True)
        if {*fixed, *four} <= set(kept.tolist())
    ]
    found = []
    if len(kept) >= rank + 2:
        after = three_term_relations(len(kept), rank, fewer.tolist())
        found = [(*kept[f], *kept[e]) for f, e in zip(after.fixed, after.fours, strict=True)]
    assert found == expected
    assert len(fewer) == len(expected)


def test_the_last_refutation_begins_with_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[NDArray[np.int64]] = []
    added: list[NDArray[np.int64]] = []

    class Recorded(on_demand.OnDemand):
        def begin_with_some(self) -> None:
            super().begin_with_some()
            begun.append(self._known)
            added.append(self.added)

    monkeypatch.setattr(on_demand, "OnDemand", Recorded)
    pattern = generate("mask", graph="random", n=32).pattern
    rows = [2, 10, 12, 17, 19, 22, 24, 26, 28, 29]  # which resist embedding
    core = minimal(Core(3, pattern.to_array(), "rows", rows, list(range(32)), True), Search())
    assert core is not None
    assert check(Problem(pattern, 3), core.proof()) is None
    first, last = begun
    assert len(first) == 0 < len(last)
    assert np.isin(last, added[-1]).all()
    most = len(last) + 2 * comb(1 + len(core.rows), 4)
    assert len(added[-1]) <= most < len(added[0])
