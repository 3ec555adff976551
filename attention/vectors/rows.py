"""Vectors as rows of whole cache lines, and error bounds on their squared distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows", "aligned_empty", "near_limit", "squared_distances"]

Numbers = NDArray[Any]
Floats = NDArray[np.float64]

_LINE = 64  # bytes of a cache line
_ENTRIES = 1 << 19  # differences in memory at once: 4 MiB
_MOST_BITS = {4: 20, 8: 200}  # bits of entries: beyond, sums of squares are not normal


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A copy of vectors that kernels read row by row."""

    # shape (n, w): Rows begin at cache lines; w is the dimension rounded up to whole lines,
    # filled by zeros.
    values: Numbers
    d: int  # The dimension
    # The vectors are `values` times 2^exponent; not 0 only where squares might leave the range,
    # and then the smallest entries lose what lies below the smallest of all numbers.
    exponent: int

    @classmethod
    def of(cls, vectors: Numbers) -> Rows:
        """Return the rows of some vectors, shape (n, d), of finite float32 or float64."""
        n, d = vectors.shape
        per_line = _LINE // vectors.itemsize
        width = -(-d // per_line) * per_line
        values = aligned_empty(n * width, vectors.dtype).reshape(n, width)
        values[:, d:] = 0
        largest = max(float(vectors.max()), -float(vectors.min()))
        most = _MOST_BITS[vectors.itemsize]
        if largest == 0 or 2.0**-most <= largest <= 2.0**most:
            values[:, :d] = vectors
            return cls(values, d, 0)
        exponent = int(np.frexp(largest)[1])
        with np.errstate(under="ignore"):
            np.ldexp(vectors, -exponent, out=values[:, :d])
        return cls(values, d, exponent)

    @property
    def kind(self) -> type[np.floating[Any]]:
        """np.float32 or np.float64."""
        kind: type[np.floating[Any]] = self.values.dtype.type
        return kind

    def squares(self, left: NDArray[Any], right: NDArray[Any]) -> Floats:
        """Compute squared distances in float64 between the rows `left` and the rows `right`."""
        return squared_distances(self.values, left, right, np.float64)


def squared_distances(
    values: Numbers, left: NDArray[Any], right: NDArray[Any], kind: Any
) -> NDArray[Any]:
    """Compute squared distances between the rows `left` and the rows `right`, in this precision.

    O(d) a pair.
    """
    apart = np.empty(len(left), dtype=kind)
    step = max(1, _ENTRIES // values.shape[1])
    with np.errstate(under="ignore"):
        for start in range(0, len(left), step):
            part = slice(start, start + step)
            difference = values[left[part]].astype(kind, copy=False) - values[right[part]]
            apart[part] = np.einsum("nd,nd->n", difference, difference)
    return apart


def near_limit(squares: Floats, rows: Rows, kind: type[np.floating[Any]] | None = None) -> Floats:
    """Return a bound below which computed squared distances are certainly smaller.

    A difference, its square and at most d - 1 sums round d + 2 times: a computed square is (1 + g)
    times the true one, |g| <= (d + 2) u / (1 - (d + 2) u), but for numbers so small that they are
    not normal: squares, and entries that scaling made small, are off by 8 (d + 4) of the smallest
    number at most, all together.

    Reference: N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.
    """
    roundings = (rows.d + 2) * float(np.finfo(kind or rows.kind).eps) / 2
    share = 2.002 * roundings / (1 - roundings)
    smallest = float(np.finfo(rows.kind).smallest_subnormal)
    return np.asarray(squares * (1 - share) - 17 * (rows.d + 4) * smallest)


def aligned_empty(size: int, kind: np.dtype[Any]) -> Numbers:
    """Return a new flat array that begins at a cache line."""
    raw = np.empty(size * kind.itemsize + _LINE, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size * kind.itemsize].view(kind)
