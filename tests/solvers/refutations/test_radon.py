"""Shattered columns and rows: found whenever they are there."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samapprox import Pattern, Problem
from samapprox.proofs import Radon, Shattering
from samapprox.proofs.checker import check
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import radon


def shattered(entries: np.ndarray, d: int) -> bool:
    """By trying all sets."""
    for columns in combinations(range(entries.shape[1]), d + 2):
        part = entries[:, columns]
        part = part[(part >= 0).all(axis=1)]
        if len({tuple(row ^ row[0]) for row in part if (row != row[0]).any()}) == 2 ** (d + 1) - 1:
            return True
    for rows in combinations(range(entries.shape[0]), d + 1):
        part = entries[list(rows)].T
        part = part[(part >= 0).all(axis=1)]
        if len({tuple(column) for column in part}) == 2 ** (d + 1):
            return True
    return False


@settings(max_examples=150, deadline=None)
@given(
    hnp.arrays(
        np.int8, st.tuples(st.integers(3, 9), st.integers(3, 9)), elements=st.integers(0, 1)
    ),
    st.integers(1, 2),
    st.integers(0, 2**20),
)
def test_it_finds_what_is_there(entries: np.ndarray, d: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    entries[rng.random_sample(entries.shape) < 0.05] = -1
    entries[:, 0] = 1
    problem = Problem(Pattern.from_text("\n".join(map(line, entries))), d)
    found = radon.find_proof(problem, Search())
    assert isinstance(found, Radon | Shattering) == shattered(entries, d)
    if not isinstance(found, str):
        assert check(problem, found) is None


def line(row: np.ndarray) -> str:
    return "".join("*" if x < 0 else str(x) for x in row)


def test_it_says_when_it_has_nothing_to_say() -> None:
    few = Problem(Pattern.from_array(np.eye(5)), 3)
    assert "cannot make 15 splits" in str(radon.applies(few))
    large = Problem(Pattern.from_array(np.eye(500)), 2)
    assert "too many sets" in str(radon.applies(large))
    absurd = Problem(Pattern.from_array(np.eye(5)), 10**7)
    assert "too many ways" in str(radon.applies(absurd))
    none = Search()
    assert isinstance(radon.find_proof(Problem(Pattern.from_array(np.eye(9)), 2), none), str)
    assert none.exhausted == {"radon"}
