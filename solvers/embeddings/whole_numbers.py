"""Embeddings in whole numbers: the trivial one of every pattern, and roundings of others.

The trivial one has a dimension for each row, or n - 1 for n keys. Rounding keeps signs and margin
with few bits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import trivial_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.embeddings.logits import gaps
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.exact import EXACT_IN_FLOAT
from samapprox.solvers.engine.search import Search
from samapprox.support.arrays import Floats
from samapprox.support.limits import search_clock

# Entries times dimension of the largest embedding that is written down and multiplied out.
_MOST_PRODUCTS = 10_000_000


# Bits that are tried, the fewest first, since short certificates are quick to check.
_BITS = (6, 8, 10, 12, 16, 20, 26, 32, 40)
_BLOCK = 1 << 17  # logits that are in memory at the same time
_AT_LEAST = 0.5  # seconds for rounding an embedding once it is found, even if no time is left


def trivial_witness(pattern: Pattern) -> Witness:
    """Prove the trivial dimension: by an embedding, or for large patterns by any order.

    Along any order of n keys, no row changes its sign more than n - 1 times; along one of row 0 and
    m queries, no column more than m times. The order costs O(m + n).
    """
    rows, columns = pattern.shape
    dimension = trivial_dimension(pattern.shape)
    if rows * columns * dimension <= _MOST_PRODUCTS:
        return trivial_embedding(pattern)
    if rows < columns:
        return MomentCurve(dimension, "rows", np.arange(rows + 1))
    return MomentCurve(dimension, "columns", np.arange(columns))


def trivial_embedding(pattern: Pattern) -> Embedding:
    """Embed a pattern in the trivial dimension.

    O(m n). With m rows, key j is column j of the pattern, and query i asks for coordinate i. With n
    keys, these are the origin and the axes of n - 1 dimensions, which halfspaces cut in every way.
    """
    entries = (pattern.to_array() == 1).astype(np.int64)
    rows, columns = entries.shape
    if rows <= columns - 1 or columns == 1:
        size = trivial_dimension(entries.shape)
        chosen = np.zeros((rows, size), dtype=np.int64)
        np.fill_diagonal(chosen, 1)
        if columns == 1:  # every row holds the only key
            return Embedding(0 * chosen, np.zeros((1, size), dtype=np.int64), [-1] * rows)
        return Embedding(chosen, entries.T, np.zeros(rows, dtype=np.int64))
    signs = 2 * entries - 1
    keys = np.vstack([np.zeros(columns - 1, dtype=np.int64), np.eye(columns - 1, dtype=np.int64)])
    # 2 q . k > t: t is odd, -1 where key 0 is a one and 1 where it is not.
    return Embedding(2 * signs[:, 1:], keys, -signs[:, 0])


def whole_numbers(
    pattern: Pattern, U: Floats, V: Floats, search: Search | None = None
) -> Embedding | None:
    """Round an embedding in homogeneous form to few bits that keep its signs and half its margin.

    U has a first row that is positive on all keys. It takes 2 m n d operations to find the margins
    of the rows, and as many for the number of bits that is taken: a smaller number mostly fails in
    the first block, which holds the narrowest row. That is some 20 ns an entry.
    """
    # Coordinates in which row 0 is the last axis; then scale every key to have a 1 there.
    basis, _ = np.linalg.qr(np.column_stack([U[0], np.eye(U.shape[1])]))
    basis = np.roll(basis, -1, axis=1)
    queries, keys = U[1:] @ basis, V @ basis
    height = keys[:, -1:]
    if not ((height > 0).all() or (height < 0).all()):
        return None
    keys = keys[:, :-1] / height
    # The axis may have come out the other way round: then queries change sides.
    queries = queries[:, :-1] * np.sign(height[0])
    queries /= np.maximum(1e-300, np.abs(queries).max(axis=1))[:, None]
    keys = keys - (keys.max(axis=0) + keys.min(axis=0)) / 2
    keys /= max(1e-300, float(np.abs(keys).max()))
    return _round(pattern, queries, keys, search or Search())


def _round(pattern: Pattern, queries: Floats, keys: Floats, search: Search) -> Embedding | None:
    """Round queries and keys in -1..1 to the first of `_BITS` that keeps half of the margin."""
    step = max(1, _BLOCK // pattern.shape[1])
    blocks = [slice(start, start + step) for start in range(0, len(queries), step)]
    limits = replace(search, deadline=max(search.whole, search_clock.now() + _AT_LEAST))
    widths = []
    for block in blocks:
        if limits.out_of_time:
            return None
        widths.append(_thresholds(pattern, block, queries, keys)[1])
    narrowest_first = [blocks[place] for place in np.argsort(widths, kind="stable")]
    for bits in _BITS:
        wanted = 0.5 * min(widths) if bits < _BITS[-1] else 0.0
        whole_queries, whole_keys = (np.rint(side * (1 << bits)) for side in (queries, keys))
        thresholds = np.zeros(len(queries))
        for block in narrowest_first:
            if limits.out_of_time:
                return None
            thresholds[block], width = _thresholds(pattern, block, whole_queries, whole_keys)
            if width <= 0 or width < wanted:
                break
        else:
            return Embedding(*map(_integers, (whole_queries, whole_keys, thresholds)))
    return None


def _thresholds(
    pattern: Pattern, block: slice, queries: Floats, keys: Floats
) -> tuple[Floats, float]:
    """Compute thresholds of some rows, and the least share of a gap in its row's logit range.

    Whole numbers below 2^53 are exact, and the threshold is the greatest logit of a zero. Where
    greater ones are rounded, it lies halfway to the least logit of a one, and a gap within reach of
    the rounding counts as none.
    """
    logits = queries[block] @ keys.T
    entries = pattern.block(block.start, block.stop)
    zeros, ones = gaps(entries, logits)
    shares = (ones - zeros) / np.maximum(1e-300, logits.max(axis=1) - logits.min(axis=1))
    free = ~(entries == 0).any(axis=1)  # all of the row lies above its threshold
    shares[free] = 1.0
    bound = keys.shape[1] * float(np.abs(queries).max()) * float(np.abs(keys).max())
    if bound < EXACT_IN_FLOAT:
        return zeros, float(shares.min())
    rounding = 2.0**-50 * (keys.shape[1] + 3) * bound
    zeros[free] -= 2 * rounding
    safe = (ones - zeros > rounding).all()
    return np.rint((zeros + ones) / 2), float(shares.min()) if safe else 0.0


def _integers(numbers: Floats) -> NDArray[np.object_] | NDArray[np.int64]:
    """Convert whole float64 numbers to integers, of Python if int64 is too small."""
    if float(np.abs(numbers).max(initial=0.0)) < 2.0**62:
        return numbers.astype(np.int64)
    return np.array([int(number) for number in numbers.flat], dtype=object).reshape(numbers.shape)
