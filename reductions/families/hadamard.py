"""Hadamard matrices: the patterns of largest weak dimension that are known by construction."""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.finite_field import (
    MOST_ELEMENTS,
    find_characteristic,
    make_field,
)
from samapprox.reductions.families.parameters import require

__all__ = ["hadamard"]

_MOST = 4096
_Signs = NDArray[np.int64]


def hadamard(n: int = 16) -> Instance:
    """Make a Hadamard matrix of order n: any two rows agree in half of the columns.

    Sylvester's matrix if n is a power of 2: entry (i, j) is 1 if i and j share an even number of
    bits. Other orders, such as 12, 20, 24 and 28, are Paley's, or [H H; H -H] of half the order.

    Parameters
    ----------
    n : int
        Number of queries and of keys, up to 4096.

    Raises
    ------
    InputError
        An order that none of these constructions has.

    Notes
    -----
    Row 0 is all ones, so it is the extra query that is positive on all keys: weak dimension d
    means sign-rank d + 1, and that is at least n / ||H|| = sqrt(n) (Forster): NO for every
    d < sqrt(n) - 1. YES for d = n - 1, as for every pattern. For n = 4 the sign-rank is 3.

    References
    ----------
    Forster (2002), "A linear lower bound on the unbounded error probabilistic communication
    complexity"; Paley (1933), "On orthogonal matrices".

    Examples
    --------
    >>> print(hadamard(4).pattern.to_text())
    1111
    1010
    1100
    1001
    """
    require(1 < n <= _MOST and _constructible(n), _refusal(n))
    signs = _matrix(n)
    signs = signs * signs[0]  # every column starts with +
    facts = [Fact(n - 1, None, "YES", "n affinely independent keys")]
    if n == 4:
        facts = [Fact(d, None, answer, "sign-rank 3") for d, answer in ((2, "YES"), (1, "NO"))]
    excluded = isqrt(n - 1) - 1  # the largest d with d + 1 < sqrt(n)
    if excluded >= 1:
        facts.append(Fact(excluded, None, "NO", "Forster's theorem: norm sqrt(n)"))
    return Instance(Pattern.from_array(signs == 1), tuple(facts), {"family": "hadamard", "n": n})


def _refusal(n: int) -> str:
    return (
        f"n must be the order of a Sylvester or Paley matrix, up to {_MOST}: 2, 4, 8, 12, 16, .., "
        f"not {n}"
    )


def _constructible(n: int) -> bool:
    return _is_sylvester(n) or _is_paley(n) or _is_double_paley(n) or _is_doubled(n)


def _is_sylvester(n: int) -> bool:
    return n & (n - 1) == 0


def _is_paley(n: int) -> bool:
    return n % 4 == 0 and _is_field(n - 1)


def _is_double_paley(n: int) -> bool:
    return n % 8 == 4 and _is_field(n // 2 - 1)


def _is_doubled(n: int) -> bool:
    return n % 8 == 0 and _constructible(n // 2)


def _is_field(q: int) -> bool:
    return q <= MOST_ELEMENTS and find_characteristic(q) is not None


def _matrix(n: int) -> _Signs:
    """A matrix of signs with orthogonal rows."""
    if _is_sylvester(n):
        codes = np.arange(n)
        shared: _Signs = np.bitwise_count(codes[:, None] & codes).astype(np.int64)
        return 1 - shared % 2 * 2
    if _is_paley(n):
        skew: _Signs = np.eye(n, dtype=np.int64) + _bordered(n - 1)
        return skew
    if _is_double_paley(n):
        symmetric, one = _bordered(n // 2 - 1), np.eye(n // 2, dtype=np.int64)
        return _blocks(symmetric + one, symmetric - one, -symmetric - one)
    half = _matrix(n // 2)
    return _blocks(half, half, -half)


def _blocks(a: _Signs, b: _Signs, c: _Signs) -> _Signs:
    """The matrix [a b; b c]."""
    blocks: _Signs = np.block([[a, b], [b, c]])
    return blocks


def _bordered(q: int) -> _Signs:
    """Paley's conference matrix: the quadratic characters of a - b, bordered.

    Its rows are orthogonal. It is skew for q = 3 (mod 4) and symmetric for q = 1 (mod 4).
    """
    field = make_field(q)
    differences = field.sums[:, field.negatives]
    bordered = np.zeros((q + 1, q + 1), dtype=np.int64)
    bordered[1:, 1:] = field.quadratic_characters[differences]
    bordered[0, 1:] = 1
    bordered[1:, 0] = 1 if q % 4 == 1 else -1
    return bordered
