"""Certificates of all subsets by formula: the exact check accepts them, and nothing smaller."""

from __future__ import annotations

from math import comb

import pytest

from samapprox import InputError, Pattern, Problem
from samapprox.proofs import Topological
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.reductions.families.subsets import subsets_refutation


def refutes(n: int, k: int) -> None:
    """Check the proof, its dimension and its length."""
    pattern = generate("all-subsets", n=n, k=k).pattern
    s = min(k, n - k)
    d = min(2 * s, n - 2) - 1
    proof = subsets_refutation(n, k)
    assert proof.d == d
    assert check(Problem(pattern, d), proof) is None
    assert check(Problem(pattern, d + 1), proof) is not None
    shapes = {
        2 * s: (2 * s - 1) * comb(2 * s - 2, s - 1),
        2 * s + 1: (2 * s + 1) * comb(2 * s, s) // 2,
    }
    assert len(proof.members) == shapes.get(n, (2 * s + 1) * comb(2 * s, s))


@pytest.mark.parametrize("n", range(4, 13))
def test_all_subsets_of_few_keys(n: int) -> None:
    for k in range(1, n):
        refutes(n, k)


@pytest.mark.parametrize(("n", "k"), [(200, 1), (60, 2), (40, 3), (25, 4), (25, 21)])
def test_subsets_of_many_keys(n: int, k: int) -> None:
    refutes(n, k)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(16, 8), (17, 8), (18, 8), (18, 10), (19, 7)])
def test_the_largest(n: int, k: int) -> None:
    refutes(n, k)


def test_every_row_and_member_is_needed() -> None:
    pattern = generate("all-subsets", n=6, k=3).pattern
    proof = subsets_refutation(6, 3)
    problem = Problem(pattern, 3)
    for i in range(len(proof.members)):
        members = [member for j, member in enumerate(proof.members.tolist()) if j != i]
        shorter = Topological(3, proof.rows, proof.columns, "columns", members)
        assert check(problem, shorter) is not None
    for row in proof.rows:
        entries = pattern.to_array()
        entries[row] = 1
        assert check(Problem(Pattern(entries), 3), proof) is not None


@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 0), (5, 5), (18, 9), (-4, -2), (10**12, 10**11)])
def test_other_subsets_are_refused(n: int, k: int) -> None:
    with pytest.raises(InputError, match=r"n >= 4 and 1 <= min\(k, n - k\) <= 8"):
        subsets_refutation(n, k)


def test_too_many_subsets_are_refused() -> None:
    with pytest.raises(InputError, match="is more than"):
        subsets_refutation(10**12, 8)
