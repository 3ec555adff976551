"""The order of first turns."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Pattern, Problem
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
