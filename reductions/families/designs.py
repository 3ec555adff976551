"""Hadamard matrices and projective planes, built from tables of finite fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.support.parameters import require

MOST_ELEMENTS = 1024
"""Largest field whose tables are made."""

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FiniteField:
    """The field of q elements, 0 to q - 1; 0 and 1 are the neutral elements.

    `sums, products`: shape (q, q)
    """

    sums: Table
    products: Table

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.sums)

    @property
    def negatives(self) -> Table:
        """The element -a for each a."""
        negatives: Table = np.argmax(self.sums == 0, axis=1)
        return negatives

    @property
    def quadratic_characters(self) -> Table:
        """For each element 1 if it is a nonzero square, -1 if it is none, 0 for 0."""
        characters = np.full(self.order, -1, dtype=np.int64)
        characters[np.diagonal(self.products)] = 1
        characters[0] = 0
        return characters


def find_characteristic(q: int) -> int | None:
    """Return the prime of which q is a power, or None."""
    if q < 2:
        return None
    prime = next((p for p in range(2, q) if p * p <= q and q % p == 0), q)
    while q % prime == 0:
        q //= prime
    return prime if q == 1 else None


@cache
def make_field(q: int) -> FiniteField:
    """Make the tables of the field of q elements.

    Element a stands for the polynomial whose coefficients are the digits of a to base p. Products
    are taken modulo the first irreducible polynomial of degree k, where q = p^k: O(q^2 k) steps.
    """
    prime = find_characteristic(q) if q <= MOST_ELEMENTS else None
    require(prime is not None, f"q must be a prime power in 2..{MOST_ELEMENTS}, not {q}")
    assert prime is not None
    degree = next(k for k in range(1, q) if prime**k == q)
    weights = prime ** np.arange(degree)
    digits = np.arange(q)[:, None] // weights % prime
    sums = ((digits[:, None] + digits) % prime) @ weights
    # Horner's rule: shift by x, reduce x^degree, and add the next digit times the other factor.
    reduced = -np.array(_irreducible(prime, degree)[:-1])
    products = np.zeros((q, q, degree), dtype=np.int64)
    for place in reversed(range(degree)):
        top = products[:, :, -1:]
        products = np.concatenate([np.zeros_like(top), products[:, :, :-1]], axis=2)
        products += top * reduced + digits[:, None, place, None] * digits
        products %= prime
    return FiniteField(sums, products @ weights)


def _irreducible(prime: int, degree: int) -> tuple[int, ...]:
    """The first monic polynomial of a degree without factors; ascending coefficients."""
    reducible = {
        tuple((np.convolve(first, second) % prime).tolist())
        for low in range(1, degree // 2 + 1)
        for first in _monic(prime, low)
        for second in _monic(prime, degree - low)
    }
    return next(one for one in _monic(prime, degree) if one not in reducible)


def _monic(prime: int, degree: int) -> list[tuple[int, ...]]:
    """All monic polynomials of a degree."""
    return [(*low, 1) for low in product(range(prime), repeat=degree)]


_MOST_ROWS = 4096  # rows of the largest Hadamard matrix
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
    signs = _matrix(n) if 1 < n <= _MOST_ROWS else None
    if signs is None:
        raise InputError(
            f"n must be the order of a Sylvester or Paley matrix, up to {_MOST_ROWS}: 2, 4, 8, 12, "
            f"16, .., not {n}"
        )
    signs = signs * signs[0]  # every column starts with +
    facts = [Fact(n - 1, None, "YES", "n affinely independent keys")]
    if n == 4:
        facts = [Fact(d, None, answer, "sign-rank 3") for d, answer in ((2, "YES"), (1, "NO"))]
    excluded = isqrt(n - 1) - 1  # the largest d with d + 1 < sqrt(n)
    if excluded >= 1:
        facts.append(Fact(excluded, None, "NO", "Forster's theorem: norm sqrt(n)"))
    return Instance(Pattern.from_array(signs == 1), tuple(facts), {"family": "hadamard", "n": n})


def _is_field(q: int) -> bool:
    return q <= MOST_ELEMENTS and find_characteristic(q) is not None


def _matrix(n: int) -> _Signs | None:
    """A matrix of signs with orthogonal rows: Sylvester's, one of Paley's, or doubled; or None."""
    if n & (n - 1) == 0:
        codes = np.arange(n)
        shared: _Signs = np.bitwise_count(codes[:, None] & codes).astype(np.int64)
        return 1 - shared % 2 * 2
    if n % 4 == 0 and _is_field(n - 1):
        skew: _Signs = np.eye(n, dtype=np.int64) + _bordered(n - 1)
        return skew
    if n % 8 == 4 and _is_field(n // 2 - 1):
        symmetric, one = _bordered(n // 2 - 1), np.eye(n // 2, dtype=np.int64)
        return _blocks(symmetric + one, symmetric - one, -symmetric - one)
    half = _matrix(n // 2) if n % 8 == 0 else None
    return None if half is None else _blocks(half, half, -half)


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


_MOST_ORDER = 32  # order q of the largest projective plane, which has q^2 + q + 1 points
_FANO = ((3, "YES"), (2, "NO"))


def projective_plane(q: int = 2, sign_rank: bool = False) -> Instance:
    """Make the incidence matrix of PG(2, q): a row for each line, with ones at its q + 1 points.

    Any two lines meet in one point, and any two points are on one line.

    Parameters
    ----------
    q : int
        The order of the plane, a prime power up to 32.
    sign_rank : bool
        Complement the columns that are 0 in row 0, so that this row is all ones. The weak dimension
        is then the sign-rank of the incidence matrix less 1.

    Raises
    ------
    InputError
        The order is no prime power, or above 32.

    Notes
    -----
    Points and lines are the vectors of GF(q)^3 up to a factor; point p is on line l if l . p = 0.
    YES for d = 2q + 2 by keys on the moment curve, since a row has q + 1 ones. The sign-rank is at
    least (q + 1) / sqrt(q), because incidence has the singular values q + 1 and sqrt(q) (Alon,
    Moran, Yehudayoff). For q = 2 it is 4. Complementing columns adds no dimension.

    References
    ----------
    Alon, Moran, Yehudayoff (2016), "Sign rank versus VC dimension", Theorem 5.

    Examples
    --------
    >>> print(projective_plane(2).pattern.to_text())
    0000111
    0101100
    0011001
    0110010
    1100001
    1001010
    1010100
    """
    known = 2 <= q <= _MOST_ORDER and find_characteristic(q) is not None
    require(known, f"q must be a prime power in 2..{_MOST_ORDER}, not {q}")
    field = make_field(q)
    vectors = np.array(
        [(1, a, b) for a in range(q) for b in range(q)]
        + [(0, 1, a) for a in range(q)]
        + [(0, 0, 1)]
    )
    products = field.products[vectors[:, None], vectors]
    total = field.sums[field.sums[products[..., 0], products[..., 1]], products[..., 2]]
    incident = total == 0
    if sign_rank:
        incident ^= ~incident[0]
    n = len(vectors)
    facts = [Fact(min(2 * q + 2, n - 1), None, "YES", "lines of q + 1 points, on the moment curve")]
    if q == 2:
        facts = [Fact(d, None, answer, "exactly 3, and sign-rank 4") for d, answer in _FANO]
    excluded = isqrt(q + 2) - 1  # the largest d with (d + 1)^2 < (q + 1)^2 / q = q + 2 + 1 / q
    if excluded >= 1 and q > 2:
        facts.append(Fact(excluded, None, "NO", "spectral gap (Alon, Moran, Yehudayoff)"))
    return Instance(
        Pattern.from_array(incident),
        tuple(facts),
        {"family": "projective-plane", "q": q, "sign_rank": sign_rank},
    )
