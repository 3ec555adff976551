"""Ranks against an exhaustive search over the topes of all arrangements of few vectors.

The rows of a matrix of sign-rank at most r are topes (sign vectors) of the arrangement of its n
columns in R^r, which may be in general position. These arrangements are written down in rank 1 and
2, and by duality in rank n - 1 and n - 2. So the search is complete for n <= 4 with one more column
and for n <= 5 without, don't-cares included, and shares nothing with the library.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations, product

import pytest

from samapprox import SignMatrix, rank
from samapprox.proofs.questions import RANK_KINDS, RankKind

Signs = tuple[int, ...]
"""1, -1, and 0 for don't care."""

Topes = frozenset[Signs]


@cache
def arrangements(n: int, r: int) -> frozenset[Topes]:
    """List the topes of every arrangement of n vectors in general position in R^r."""
    everything = list(product((1, -1), repeat=n))
    if r >= n:
        return frozenset([frozenset(everything)])
    if r == 1:
        return frozenset(frozenset([row, negative(row)]) for row in everything)
    if r == 2:
        return frozenset(
            around(order, signs) for order in permutations(range(n)) for signs in everything
        )
    return frozenset(
        frozenset(row for row in everything if not any(agree(row, one) for one in covectors(dual)))
        for dual in arrangements(n, n - r)
    )


def negative(row: Signs) -> Signs:
    return tuple(-sign for sign in row)


def around(order: tuple[int, ...], signs: Signs) -> Topes:
    """List the topes of vectors in the plane: one sign after the other changes along the order."""
    current, topes = list(signs), set()
    for j in order:
        topes |= {tuple(current), negative(tuple(current))}
        current[j] = -current[j]
    return frozenset(topes)


def covectors(topes: Topes) -> set[Signs]:
    """Add the covectors with one zero, between two topes: all others of the plane but 0."""
    between = {
        (*tope[:j], 0, *tope[j + 1 :])
        for tope in topes
        for j in range(len(tope))
        if (*tope[:j], -tope[j], *tope[j + 1 :]) in topes
    }
    return between | topes


def agree(row: Signs, covector: Signs) -> bool:
    """Whether a covector of the dual, a dependency of the columns, excludes the row."""
    return all(a * b >= 0 for a, b in zip(row, covector, strict=True))


def fits(rows: list[Signs], topes: Topes) -> bool:
    return all(
        any(all(a in (0, b) for a, b in zip(row, tope, strict=True)) for tope in topes)
        for row in rows
    )


def is_at_most(rows: list[Signs], r: int, kind: RankKind) -> bool:
    """Whether the rank is at most r, from its definition in homogeneous coordinates."""
    n = len(rows[0])
    if kind == "sign":
        return any(fits(rows, topes) for topes in arrangements(n, r))
    if kind == "global":  # the last column is the direction of the threshold
        return any(is_at_most([(*row, side) for row in rows], r, "row") for side in (1, -1))
    return any(fits([*rows, (1,) * n], topes) for topes in arrangements(n, r + 1))


def draw(seed: int, most: int) -> list[Signs]:
    """Draw rows; some matrices have constant, unspecified, equal or opposite rows and columns."""
    chance = random.Random(seed)
    m, n = chance.randint(1, 6), chance.randint(1, most)
    stars, ones = chance.choice([0, 0, 0.2, 0.5]), chance.choice([0.2, 0.5, 0.8])
    rows = [[1 if chance.random() < ones else -1 for _ in range(n)] for _ in range(m)]
    rows = [[0 if chance.random() < stars else sign for sign in row] for row in rows]
    special = chance.randrange(10)
    if special < 2:
        rows[0] = [-special] * n  # unspecified, or all -
    elif special == 2:
        rows[0] = [-sign for sign in rows[-1]]
    elif special < 6:
        for row in rows:
            row[0] = (-1, row[-1], -row[-1])[special - 3]
    return [tuple(row) for row in rows]


def compare(seed: int, most: int) -> None:
    rows = draw(seed, most)
    entries = [[sign == 1 for sign in row] for row in rows]
    matrix = SignMatrix.from_array(entries, [[sign != 0 for sign in row] for row in rows])
    for kind in RANK_KINDS:
        if kind == "global" and most > 4:
            continue
        found = rank(matrix, kind=kind, time_limit=20, threads=1)
        truth = next(r for r in range(1, len(rows[0]) + 1) if is_at_most(rows, r, kind))
        assert (found.lower, found.upper) == (truth, truth), (kind, rows)


@pytest.mark.parametrize("most", [4, 5])
def test_ranks_of_tiny_matrices(most: int) -> None:
    for seed in range(40):
        compare(seed, most)


@pytest.mark.slow
@pytest.mark.parametrize("most", [4, 5])
def test_ranks_of_many_tiny_matrices(most: int) -> None:
    for seed in range(40, 3000):
        compare(seed, most)


def test_arrangements_are_as_many_as_there_are() -> None:
    """Topes by Cover's count; 5 vectors of the plane have 4!/2 orders, each in 2^4 signs."""
    for n, r, regions in ((4, 2, 8), (4, 3, 14), (5, 3, 22), (5, 4, 30)):
        assert {len(topes) for topes in arrangements(n, r)} == {regions}
    assert len(arrangements(5, 2)) == len(arrangements(5, 3)) == 192
