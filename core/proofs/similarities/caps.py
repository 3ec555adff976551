"""Proofs of YES for cosine similarity: caps of the sphere of keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import isqrt
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.embeddings.embedding import (
    Coordinates,
    Embedding,
    find_fault_of_shape,
    first_difference,
    name_mismatch,
)
from samapprox.proofs.embeddings.logits import (
    Rounded,
    Settle,
    Settling,
    as_integers,
    gaps,
    positive_products,
    round_rows,
    to_words,
)
from samapprox.proofs.exact import (
    ExactArray,
    exact_matmul,
    largest,
    require_writable,
    squared_norms,
)
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.words import order_keys

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.parts.simplify import Simplification


_FIRST_BITS, _MOST_BITS = 32, 1 << 13
"""Bits of the coordinates of rounded keys: at first, and at most."""

_BLOCK = 1 << 20
"""Logits that are compared at once."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Caps(Coordinates):
    """Integer queries, keys and thresholds of caps that represent a pattern.

    Entry S_ij is 1 if and only if q_i . k_j exceeds t_i |k_j|. The keys stand for the points
    k_j / |k_j| of the unit sphere, which need not be rational.

    Parameters
    ----------
    queries : array_like of int, shape (m, d)
        The queries q_i.
    keys : array_like of int, shape (n, d)
        None of them zero.
    thresholds : array_like of int, shape (m,)
        The thresholds t_i.

    Raises
    ------
    InputError
        Not integers, a key that is zero, or shapes that do not fit together.

    Examples
    --------
    >>> arc = Caps(queries=[[3, 3]], keys=[[1, 0], [1, 1], [-5, 0]], thresholds=[4])
    >>> arc.dimension
    2
    >>> Caps([[1]], [[0]], [0])
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: key 0 is zero, so it has no direction
    """

    KIND = "caps"
    TASK = "dimension"
    SIMILARITIES = ("cosine",)
    CLAIM = (
        "YES for cosine similarity: entry (i, j) is 1 exactly if queries[i] . keys[j] > "
        "thresholds[i] |keys[j]|."
    )

    def __init__(self, queries: ArrayLike, keys: ArrayLike, thresholds: ArrayLike) -> None:
        Coordinates.__init__(self, queries, keys, thresholds)
        if (zero := np.flatnonzero(~(self.keys != 0).any(axis=1))).size:
            raise InputError(f"key {zero[0]} is zero, so it has no direction")

    @classmethod
    def of(cls, balls: Balls) -> Self:
        r"""Project balls of R^d stereographically: caps of the sphere in R^(d + 1).

        Parameters
        ----------
        balls : Balls
            Balls that represent a pattern.

        Notes
        -----
        The key k becomes (2 k, |k|^2 - 1), of length |k|^2 + 1. With the query (2 c, t - w) and the
        threshold t + w, the product minus the threshold times the length is
        2 (2 c . k - w |k|^2 - t).

        Examples
        --------
        >>> caps = Caps.of(Balls([[1]], [1], [[0], [1], [3]], [-1]))
        >>> caps.queries.tolist(), caps.keys.tolist(), caps.thresholds.tolist()
        ([[2, -2]], [[0, -1], [2, 0], [6, 8]], [0])
        """
        weights = balls.weights.astype(object)
        return cls(
            np.column_stack([balls.centers.astype(object) * 2, balls.thresholds - weights]),
            np.column_stack([balls.keys.astype(object) * 2, squared_norms(balls.keys) - 1]),
            balls.thresholds + weights,
        )

    def embedding(self, pattern: Pattern, /) -> Embedding:
        """Round the points of the sphere to integers such that dot products need no norms.

        Parameters
        ----------
        pattern : Pattern
            One that the caps represent.

        Raises
        ------
        InputError
            The numbers are too many, or 8,192 bits do not suffice.

        Notes
        -----
        Each row's ones have larger products with the points than its zeros, so that fine enough
        rounding keeps them apart. The bits are doubled until it does.
        """
        require_writable((len(self.queries) + len(self.keys)) * self.dimension)
        bits = _FIRST_BITS
        while bits <= _MOST_BITS:
            keys = _round_to_sphere(self.keys, bits)
            thresholds = _separate(pattern, self.queries, keys)
            if thresholds is not None:
                return Embedding(self.queries, keys, thresholds)
            bits *= 2
        raise InputError(f"dot products need keys of more than {_MOST_BITS} bits")

    def lift(self, simplification: Simplification, /) -> Caps | str:
        """Carry caps for a simplified pattern over to the original, if no row was complemented."""
        if simplification.flipped.any():
            return "the complement of an open cap is a closed one"
        return Caps(
            simplification.spread(self.queries, 0),
            self.keys[simplification.column_of],
            simplification.spread(self.thresholds, -1),
        )

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the caps do not represent the pattern, or None.

        2 m n (d + 1) operations in float64, and exact ones for the entries that are too near to a
        boundary.
        """
        pattern = problem.pattern
        if fault := find_fault_of_shape(pattern, self.queries, self.keys):
            return fault
        mismatch = first_difference(pattern, above_caps(self))
        if mismatch is None:
            return None
        return name_mismatch(pattern, mismatch, "the key lies {} the cap", "outside", "inside")

    def explain(self, problem: Problem) -> list[str]:
        if self.dimension == 1:
            order = order_keys(problem.pattern, np.sign(self.keys[:, 0]).astype(np.int64))
            return [f"The keys lie at two points: {order}"]
        if self.dimension == 2:
            x, y = self.keys.astype(np.float64).T
            angles = np.unique(np.arctan2(y, x), return_inverse=True)[1].reshape(-1)
            order = order_keys(problem.pattern, angles)
            return [f"In this order around the circle, the ones of each row are an arc: {order}"]
        return [
            f"Integer queries and keys in dimension {self.dimension} represent the pattern: each "
            "row's ones lie in a cap of the sphere that misses its zeros."
        ]


def _round_to_sphere(keys: ExactArray, bits: int) -> ExactArray:
    """Round 2^bits k / |k| towards zero."""
    norms = squared_norms(keys)
    rounded = [
        [(1 if entry > 0 else -1) * isqrt((entry * entry << 2 * bits) // norm) for entry in key]
        for key, norm in zip(keys.tolist(), norms.tolist(), strict=True)
    ]
    return np.array(rounded, dtype=object)


def _separate(pattern: Pattern, queries: ExactArray, keys: ExactArray) -> ExactArray | None:
    """Return thresholds between the products of each row's zeros and ones; None if they overlap."""
    thresholds: list[int] = []
    step = max(1, _BLOCK // len(keys))
    for start in range(0, len(queries), step):
        products = exact_matmul(queries[start : start + step], keys.T)
        zeros, ones = gaps(pattern.block(start, start + len(products)), products)
        if (zeros >= ones).any():
            return None
        thresholds += (ones - 1).tolist()
    return np.array(thresholds, dtype=object)


def above_caps(caps: Caps) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Say of each key whether it lies inside each cap, exactly, block by block.

    Entry (i, j) says whether q_i . k_j > t_i |k_j|. A block comes with its first row.

    The signs are those of a . b with a = (q_i, -t_i) and b = (k_j, |k_j|), of D = d + 1 numbers.
    In float64 every entry has a relative error of at most u = 2^-53, the norm (two roundings, the
    first one halved by the root) of at most 2 u. The bound of `above_thresholds` grows by u: the
    sign is right beyond (D + 4) u / (1 - (D + 4) u) sum_l |a_l| |b_l|, and E_i =
    (D + 4) 2^-52 sum_l |a_l| B_l is more than this.

    The other signs: q . k - t |k| has the sign of q . k and -t where these agree, else that of
    (q . k)^2 - t^2 |k|^2 times the sign of q . k. The latter is (q . k - t |k|) (q . k + t |k|),
    where the first factor is small: mostly, it can be found modulo 2^64 or a higher power of two.
    """
    norms = squared_norms(caps.keys)
    left = round_rows(np.concatenate([caps.queries, -caps.thresholds[:, None]], axis=1))
    right = _append_lengths(round_rows(caps.keys), norms)
    yield from positive_products(left, right, 4, lambda bits: _settle(caps, norms, bits))


def _append_lengths(keys: Rounded, norms: ExactArray) -> Rounded:
    """Return the keys with one more column, their lengths."""
    shifts = keys.shifts
    if shifts.any():
        norms = norms / np.array([1 << 2 * shift for shift in shifts.tolist()], dtype=object)
    lengths = np.sqrt(norms.astype(np.float64))
    return Rounded(np.column_stack([keys.floats, lengths]), shifts)


def _settle(caps: Caps, norms: ExactArray, bits: int) -> Settle:
    """Return the exact answers for entries with |q . k - t |k|| of at most 2^bits."""
    queries, keys, thresholds = caps.queries, caps.keys, caps.thresholds
    most = (queries.shape[1] * largest(queries) * largest(keys)).bit_length()
    # The difference of the squares is that of the numbers times their sum.
    bits += max(bits, most + 1) + 1

    own, other, limits, squares = as_integers(bits, queries, keys, thresholds, norms)
    choice = Settling(bits)

    @cache
    def write() -> tuple[NDArray[Any], ...]:
        numbers = (to_words(each, bits) for each in (queries, keys, -(limits**2), norms))
        return (*numbers, np.asarray(thresholds < 0, dtype=np.bool_))

    def settle(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        if own.dtype == object and (kernel := choice.load_kernel(len(rows) * keys.shape[1])):
            return np.asarray(kernel.are_in_caps(*write(), keys.shape[1], rows, columns))
        products = (own[rows] * other[columns]).sum(axis=1)
        return _exceeds(products, limits[rows], squares[columns])

    return settle


def _exceeds(products: ExactArray, thresholds: ExactArray, norms: ExactArray) -> NDArray[np.bool_]:
    """Compare integers p with t sqrt(n), where n > 0: p > t sqrt(n)."""
    squares = products * products - thresholds * thresholds * norms
    inside = np.where(
        products > 0, (thresholds < 0) | (squares > 0), (thresholds < 0) & (squares < 0)
    )
    return np.asarray(inside, dtype=np.bool_)
