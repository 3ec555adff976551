"""The order of first turns, and their lengths in many dimensions."""

from __future__ import annotations

from math import comb, isfinite

import numpy as np
import pytest

from samapprox import Pattern, Problem
from samapprox.solvers.engine.first_turns import _are_all_cells
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Turns


@pytest.mark.parametrize(("d", "first"), [(3, "chirotope"), (4, "topological"), (8, "topological")])
@pytest.mark.parametrize("size", [10, 45, 100])
def test_topological_comes_before_long_proofs(d: int, first: str, size: int) -> None:
    problem = Problem(Pattern(np.eye(size, dtype=np.int64)), d)
    records = choose(["chirotope", "topological"])
    turns = Turns(problem, records, Search(), lambda _proof: True)
    assert turns.next_name == first


@pytest.mark.parametrize("d", [2, 700, 1300])
def test_first_turns_have_a_length_in_every_dimension(d: int) -> None:
    """In many dimensions, the numbers of cells and relations have thousands of digits."""
    problem = Problem(Pattern(np.eye(1400, dtype=np.int64)), d)
    for record in choose():
        if record.in_turns:
            assert isfinite(record.first_seconds(problem))


def test_cells_are_counted_up_to_a_number() -> None:
    for vectors in range(1, 12):
        for d in range(1, 12):
            cells = sum(comb(vectors - 1, i) for i in range(min(d + 1, vectors)))
            found = [n for n in range(1, 2 * cells + 3) if _are_all_cells(n, vectors, d)]
            assert found == [cells]
