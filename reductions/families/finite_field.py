"""Finite fields as tables of sums and products, for designs that are built from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from samapprox.reductions.families.parameters import require

__all__ = ["MOST_ELEMENTS", "FiniteField", "find_characteristic", "make_field"]

MOST_ELEMENTS = 1024
"""Largest field whose tables are made."""

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FiniteField:
    """The field of q elements, 0 to q - 1; 0 and 1 are the neutral elements.

    Attributes
    ----------
    sums, products : ndarray of int64, shape (q, q)

    Examples
    --------
    >>> field = make_field(4)
    >>> field.products[2, 3], field.negatives.tolist()
    (np.int64(1), [0, 1, 2, 3])
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
    """Return the prime of which q is a power, or None.

    Examples
    --------
    >>> [find_characteristic(q) for q in (1, 2, 6, 9, 13)]
    [None, 2, None, 3, 13]
    """
    if q < 2:
        return None
    prime = next((p for p in range(2, q) if p * p <= q and q % p == 0), q)
    while q % prime == 0:
        q //= prime
    return prime if q == 1 else None


@cache
def make_field(q: int) -> FiniteField:
    """Make the tables of the field of q elements.

    Parameters
    ----------
    q : int
        A prime power up to `MOST_ELEMENTS`.

    Raises
    ------
    InputError

    Notes
    -----
    Element a stands for the polynomial whose coefficients are the digits of a to base p. Products
    are taken modulo the first irreducible polynomial of degree k, where q = p^k: O(q^2 k) steps.

    Examples
    --------
    >>> make_field(5).products[2].tolist()
    [0, 2, 4, 1, 3]
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
