"""Proofs of YES for merged patterns, lifted to the pattern that they come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.solvers.division.base import merge


@pytest.mark.parametrize("side", ["columns", "rows"])
@given(seed=st.integers(0, 10**6))
def test_an_order_is_lifted_as_an_order(seed: int, side: str) -> None:
    """Copies stand beside each other, complements too: the proof names each line once."""
    random = np.random.RandomState(seed)
    rows, columns = random.randint(0, 5, size=8), random.randint(0, 6, size=9)
    entries = (random.rand(5, 6) < 0.5)[np.ix_(rows, columns)]
    care = (random.rand(5, 6) < 0.9)[np.ix_(rows, columns)]
    entries ^= random.rand(8, 1) < 0.3
    entries[~(entries & care).any(axis=1), 0] = care[~(entries & care).any(axis=1), 0] = True
    pattern = Pattern.from_array(entries & care, care)
    merged = merge(pattern)
    if not merged.leaves:
        return
    size = merged.leaves[0].shape[1] if side == "columns" else merged.leaves[0].shape[0] + 1
    order = random.permutation(size)
    flips = np.where(random.rand(size) < 0.5, 1, -1).astype(np.int8)
    degree = max(1, int(Covectors(merged.leaves[0], side).count_changes(order, flips).max()))
    found = MomentCurve(degree, side, order, np.flatnonzero(flips < 0))
    lifted = merged.glue([found])
    assert isinstance(lifted, MomentCurve)
    assert check(Problem(pattern, degree), lifted) is None
