"""Whole numbers for what numeric searches find: exact margins and exact bounds.

Entries that symmetries may map to each other share their weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.exact import exact_matmul, largest
from samapprox.proofs.margins.key_form import KeyForm
from samapprox.proofs.margins.margin_dual import MarginDual
from samapprox.proofs.margins.unit_embedding import UnitEmbedding
from samapprox.solvers.questions.margins.ascent import Vectors
from samapprox.support.arrays import Floats

# Colours are hashed to numbers below this, so that sums of them do not overflow.
_HASHES = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Numbers of classes: of each row, of each column and of each entry."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    entries: NDArray[np.int64]

    def average(
        self, weights: Floats, rows: Floats, columns: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Replace each weight, and each number of a row or a column, by the mean of its class."""
        return (
            _average(weights, self.entries),
            _average(rows, self.rows),
            _average(columns, self.columns),
        )


def _average(values: Floats, classes: NDArray[np.int64]) -> Floats:
    counts = np.bincount(classes.ravel())
    sums = np.bincount(classes.ravel(), weights=values.ravel())
    return np.asarray((sums / np.maximum(counts, 1))[classes])


def find_cells(entries: NDArray[np.int8]) -> Cells | None:
    """Find cells by refinement of colours, or by the rotations of a circulant pattern.

    Rows of one colour have equally many entries of each value in the columns of each colour, and
    the reverse. None if no two rows and no two columns have the same colour.

    >>> find_cells(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.int8)).entries.tolist()
    [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    >>> find_cells(np.array([[1, 1, 0], [0, 1, 0]], dtype=np.int8)) is None
    True
    """
    height, width = entries.shape
    if height == width and (np.roll(entries, 1, axis=(0, 1)) == entries).all():
        lines = np.arange(height)
        same = np.zeros(height, dtype=np.int64)
        return Cells(same, same, (lines - lines[:, None]) % height)
    rows, columns = _refine(entries)
    if len(np.unique(rows)) == height and len(np.unique(columns)) == width:
        return None
    names = (rows[:, None] * width + columns) * 3 + entries + 1
    numbers = np.unique(names, return_inverse=True)[1]
    return Cells(rows, columns, numbers.reshape(entries.shape))


def _refine(entries: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the colours of rows and columns that no further refinement divides."""
    random = np.random.default_rng(0)
    parts = [(entries == value).astype(np.int64) for value in (1, 0)]
    colours = [np.zeros(size, dtype=np.int64) for size in entries.shape]
    counts = (1, 1)
    while True:
        for side in (0, 1):
            hashes = random.integers(_HASHES, size=(len(parts), max(entries.shape)))
            seen = [colours[side]] + [
                (part if side == 0 else part.T) @ names[colours[1 - side]]
                for part, names in zip(parts, hashes, strict=True)
            ]
            colours[side] = np.unique(np.array(seen), axis=1, return_inverse=True)[1].ravel()
        after = int(colours[0].max()), int(colours[1].max())
        if after == counts:
            return colours[0], colours[1]
        counts = after


MILLIONTHS = 1_000_000
"""Margins, and bounds on them, are stated with this denominator."""

# Margins of fewer millionths are stated with this denominator.
_FEW, _FINEST = 100, 10**12
# The most bits of the number that vectors are scaled by: more round better, fewer make shorter
# proofs.
_SCALE_BITS = 30
# Products of two vectors stay below 2 to this power, so that many of them are checked quickly.
_SAFE_BITS, _QUICK_BITS = 62, 53
# Products of single numbers; for more, float64 has to hold them, which is faster still.
_MANY = 1 << 26
# The size of a factor's entries: larger ones leave smaller rounding errors to be covered.
_FACTOR = 1 << 24
# The largest weight of a form in the keys, and the largest entry of its Gram matrix times its
# width: larger weights are closer to those that were found, and make longer proofs.
_KEY_WEIGHT, _KEY_PRODUCTS = 1 << 18, float(1 << 52)
# The least entry of a diagonal, as a part of its mean: smaller ones blow up its inverse.
_LEAST = 1e-3
# Room for rounding errors of the factor, tried in turn: a share of the diagonal's mean.
# Every line gets the same room: errors of a line depend little on its own diagonal entry.
_SLACKS = (1e-5, 1e-4, 1e-3, 1e-2)


def round_vectors(entries: NDArray[np.int8], vectors: Vectors) -> tuple[Fraction, UnitEmbedding]:
    """Round vectors to whole numbers within the unit ball, and compute their margin exactly.

    The margin is rounded down to millionths, and to finer parts if it is a few of them or less. The
    embedding proves it unless it is negative, which means that some row is wrong.
    """
    bits = _QUICK_BITS if entries.size * vectors.dimension > _MANY else _SAFE_BITS
    scale = 1 << min(_SCALE_BITS, (bits - vectors.dimension.bit_length()) // 2)
    queries, keys = (
        np.trunc(part * scale).astype(np.int64) for part in (vectors.queries, vectors.keys)
    )
    queries, keys = (_shorten(part, scale) for part in (queries, keys))
    zeros, ones = gaps(entries, exact_matmul(queries, keys.T))
    thresholds = (zeros + ones) // 2
    distance = int(np.minimum(ones - thresholds, thresholds - zeros).min())
    digits = MILLIONTHS if abs(distance) * MILLIONTHS >= _FEW * scale**2 else _FINEST
    margin = Fraction(distance * digits // scale**2, digits)
    return margin, UnitEmbedding(scale, scale, queries, keys, thresholds)


def _shorten(vectors: NDArray[np.int64], scale: int) -> NDArray[np.int64]:
    """Move the vectors that are longer than the scale towards 0."""
    long = (vectors**2).sum(axis=1) > scale**2  # the scale keeps all squares in 64 bits
    shorter = np.trunc(vectors * (1 - 4 * vectors.shape[1] / scale)).astype(np.int64)
    return np.asarray(np.where(long[:, None], shorter, vectors))


def bound_by_gradient(
    vectors: Vectors, weights: Floats, cells: Cells | None = None
) -> tuple[float, Floats, Floats]:
    """Return the bound on all margins that some weights give, in floats.

    `weights` are the gradient of the smoothed margin at some vectors: signed, with absolute values
    of the sum 1. With the bound come its weights and a diagonal of m + n numbers. The closer the
    vectors are to the best ones, the better is the bound. With `cells`, everything is averaged over
    them, which is better where symmetries map the entries of a cell to each other.

    At a maximum, the weighted sum of a query's keys is parallel to it; its length belongs on the
    diagonal. Elsewhere the diagonal is multiplied by the norm that makes the form semidefinite.
    O(m n min(m, n)).
    """
    rows = np.linalg.norm(weights @ vectors.keys, axis=1)
    columns = np.linalg.norm(weights.T @ vectors.queries, axis=1)
    if cells is not None:
        weights, rows, columns = cells.average(weights, rows, columns)
    rows, columns = _floor(rows), _floor(columns)
    scaled = weights / np.sqrt(rows)[:, None] / np.sqrt(columns)
    diagonal = np.concatenate([rows, columns]) * np.linalg.norm(scaled, 2)
    return float(diagonal.sum() / 2), weights, diagonal


def _floor(diagonal: Floats) -> Floats:
    """Raise the entries that are nearly 0."""
    return np.asarray(np.maximum(diagonal, _LEAST * diagonal.mean()))


def make_dual(
    entries: NDArray[np.int8], weights: Floats, diagonal: Floats
) -> tuple[Fraction, MarginDual] | None:
    """Round the weights and the diagonal of `bound_by_gradient` to a proof of the bound.

    The bound is rounded up to millionths; None if rounding errors are too large. O((m + n)^3) for
    a Cholesky decomposition.
    """
    height, width = entries.shape
    unit = float(_FACTOR) ** 2 / diagonal.max()
    signed = _balance(entries, np.rint(np.abs(weights) * unit).astype(np.int64))
    square = np.zeros((height + width, height + width), dtype=np.int64)
    square[:height, height:], square[height:, :height] = signed, signed.T
    if (found := factorize(square, diagonal * unit)) is None:
        return None
    whole, factor = found
    bound = Fraction(int(whole.sum()), 2 * int(np.abs(signed).sum()))
    proof = MarginDual(
        range(height), range(width), np.abs(signed), whole[:height], whole[height:], factor
    )
    return _round_up(bound), proof


def make_key_form(
    entries: NDArray[np.int8], weights: Floats, diagonal: Floats
) -> tuple[Fraction, KeyForm] | None:
    """Round the weights and the columns' part of the diagonal to a proof about the keys alone.

    The bound is rounded up to millionths; None if rounding errors are too large, or if all weights
    are 0. O(m n^2).
    """
    totals = np.abs(weights).sum(axis=1)
    rows = np.flatnonzero(totals > _LEAST / len(totals) * totals.sum())
    scaled = np.abs(weights[rows]) / np.sqrt(totals[rows])[:, None]
    most = min(_KEY_WEIGHT, (_KEY_PRODUCTS / scaled.size) ** 0.5)
    whole = np.rint(scaled * (most / scaled.max())).astype(np.int64)
    signed = _balance(entries[rows], whole)
    gram = exact_matmul(signed.T, signed)
    root = np.sqrt(diagonal[len(entries) :])
    least = np.linalg.norm(signed / root, 2) ** 2  # that makes the form semidefinite
    if (found := factorize(gram, root**2 * least)) is None:
        return None
    spread, factor = found
    total = sum(int(row) ** 2 for row in np.abs(signed).sum(axis=1))
    square = Fraction(int(spread.sum()), total)
    bound = Fraction(1 + isqrt(square.numerator * MILLIONTHS**2 // square.denominator), MILLIONTHS)
    return bound, KeyForm(rows, range(entries.shape[1]), np.abs(signed), spread, factor)


def factorize(
    matrix: NDArray[np.int64], diagonal: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return a slightly larger whole diagonal, and a factor of this diagonal less the matrix.

    The rest that the rounded factor misses is diagonally dominant. None if rounding errors are too
    large.
    """
    for slack in _SLACKS:
        # The diagonal gets some room for what is missed, and the factor takes only half of it.
        room = slack * diagonal.mean()
        whole = np.ceil(diagonal + room).astype(np.int64)
        form = np.diag(whole - room / 2) - matrix
        try:
            factor = np.rint(np.linalg.cholesky(form).T).astype(np.int64)
        except np.linalg.LinAlgError:
            continue
        rest = np.diag(whole) - matrix - exact_matmul(factor.T, factor)
        if (2 * rest.diagonal() >= np.abs(rest).sum(axis=1)).all():
            return whole, factor
    return None


def _round_up(bound: Fraction) -> Fraction:
    """Round a bound up to millionths."""
    return Fraction(-(-bound.numerator * MILLIONTHS // bound.denominator), MILLIONTHS)


def _balance(entries: NDArray[np.int8], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return signed weights whose rows have the sum 0: the lighter side's largest grows."""
    signed = np.where(entries == 1, weights, np.where(entries == 0, -weights, 0))
    sums = signed.sum(axis=1)
    lighter = np.where(entries == np.where(sums < 0, 1, 0)[:, None], weights, -1)
    signed[np.arange(len(signed)), lighter.argmax(axis=1)] -= sums
    return signed


# Bits a coordinate up to which roundings are tried, each of which takes O(m n d).
_MOST_BITS = 40
# Bits of embeddings close to some vectors, which formats then round to their own.
_FINE = 30


def find_few_bits(pattern: Pattern, vectors: Sequence[Vectors]) -> tuple[int, Embedding] | None:
    """Round vectors to an integer embedding with as few bits a coordinate as possible.

    Returns the bits, without the sign, and the embedding; None if 40 bits are too few. O(m n d) for
    each number of bits and each candidate.
    """
    entries = pattern.to_array()
    for bits in range(1, _MOST_BITS):
        for candidate in vectors:
            for view in _views(candidate):
                if (found := round_to_bits(entries, view, bits)) is not None:
                    return bits, found
    return None


def round_to_bits(entries: NDArray[np.int8], vectors: Vectors, bits: int) -> Embedding | None:
    """Round vectors to whole numbers of at most so many bits without the sign.

    None if a row comes out wrong.
    """
    top = 2**bits - 1
    tops = np.abs(vectors.queries).max(axis=1, keepdims=True)
    queries = np.rint(vectors.queries / np.where(tops > 0, tops, 1) * top).astype(np.int64)
    keys = np.rint(vectors.keys / max(np.abs(vectors.keys).max(), 1e-300) * top).astype(np.int64)
    return embed(entries, queries, keys)


def embed(
    entries: NDArray[np.int8], queries: NDArray[np.int64], keys: NDArray[np.int64]
) -> Embedding | None:
    """Return whole queries and keys with thresholds in the middle; None if a row is wrong."""
    zeros, ones = gaps(entries, exact_matmul(queries, keys.T))
    if (zeros >= ones).any():
        return None
    return Embedding(queries, keys, (zeros + ones) // 2)


def represents(pattern: Pattern, embedding: Embedding, arithmetic: str) -> bool:
    """Return whether an embedding represents the pattern in a number format."""
    from samapprox.precision import rows_lost

    return not rows_lost(pattern, embedding, arithmetic)


def surviving_formats(
    pattern: Pattern, candidates: Sequence[Embedding], formats: Sequence[str]
) -> dict[str, bool]:
    """Return, for each format, whether one of the embeddings represents the pattern in it."""
    return {
        name: any(represents(pattern, candidate, name) for candidate in candidates)
        for name in formats
    }


def round_finely(pattern: Pattern, vectors: Vectors) -> Iterator[Embedding]:
    """Yield integer embeddings close to some vectors, if they represent the pattern."""
    entries = pattern.to_array()
    for view in _views(vectors):
        if (found := round_to_bits(entries, view, _FINE)) is not None and largest(found.keys):
            yield found


def _views(vectors: Vectors) -> Iterator[Vectors]:
    """Yield the vectors, then the same with each coordinate of the keys of the same size.

    A diagonal map of the keys, and its inverse on the queries, changes no logit.
    """
    yield vectors
    sizes = np.abs(vectors.keys).max(axis=0)
    sizes = np.where(sizes > 0, sizes, 1)
    yield Vectors(vectors.queries * sizes, vectors.keys / sizes)
