"""Kinds of circuits that covectors exclude, whatever the number of covectors taken at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from samapprox.proofs.refutations import orientation_clauses
from samapprox.proofs.refutations.orientation_clauses import circuit_kinds
from samapprox.support.arrays import Signs


def plain_kinds(signs: Signs, rank: int) -> set[tuple[tuple[int, ...], int]]:
    """The definition: subsets where a covector has no 0, and where it differs from its first."""
    return {
        (subset, sum(1 << i for i, k in enumerate(subset[1:]) if row[k] != row[subset[0]]))
        for row in signs.tolist()
        for subset in combinations(range(signs.shape[1]), rank + 1)
        if all(row[k] for k in subset)
    }


@pytest.mark.parametrize("at_once", [1, 20, 200, 1 << 18])
def test_kinds_are_those_of_the_definition(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orientation_clauses, "_SIGNS_AT_ONCE", at_once)
    random = np.random.RandomState(at_once)
    for _ in range(40):
        rank, shape = random.randint(1, 5), (random.randint(9), random.randint(8))
        signs = random.randint(-1, 2, size=shape).astype(np.int8)
        subsets, codes = circuit_kinds(signs, rank)
        found = list(zip(map(tuple, subsets.tolist()), codes.tolist(), strict=True))
        assert len(found) == len(set(found))
        assert set(found) == plain_kinds(signs, rank)
