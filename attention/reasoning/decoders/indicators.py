"""Networks that recognise whole numbers: Lemmas A.5 to A.7, corrected."""

from __future__ import annotations

import numpy as np

from samapprox.attention.reasoning.decoders.mlp import Mlp
from samapprox.attention.reasoning.decoders.operations import linear

__all__ = ["TOLERANCE", "at_least", "block_and_offset", "is_zero", "one_hot", "prefix", "suffix"]

TOLERANCE = 1 / 3
"""The networks are exact where an input is this close to a whole number."""


def at_least(*thresholds: int) -> Mlp:
    """Make the indicators of x >= k, for whole numbers k: two hidden units for each k.

    Notes
    -----
    relu(3 (x - k) + 2) - relu(3 (x - k) + 1) rises from 0 at k - 2/3 to 1 at k - 1/3. The slope 2
    of the paper rises from k - 3/4 to k - 1/4, so it is exact up to a tolerance of 1/4 only.

    Examples
    --------
    >>> at_least(2, 3)([[1.0, 2.0, 2.3]]).tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """
    k = np.array(thresholds, dtype=np.float64)
    identity = np.eye(len(k))
    return Mlp.from_lists(
        np.full((2 * len(k), 1), 3.0),
        np.hstack([2 - 3 * k, 1 - 3 * k]),
        np.hstack([identity, -identity]),
    )


def prefix(n: int) -> Mlp:
    """Make the map of i = 0 .. n to m_i, whose first i entries of n are 1 (Lemma A.5).

    Notes
    -----
    2 n hidden units. The input may be off by `TOLERANCE`.

    Examples
    --------
    >>> prefix(4)([2.0]).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    return at_least(*range(1, n + 1))


def suffix(n: int) -> Mlp:
    """Make the map of i = 0 .. n to n_i, whose first i - 1 entries of n are 0, the others 1.

    Lemma A.6; see `prefix`.

    Examples
    --------
    >>> suffix(4)([2.0]).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    return at_least(*range(-1, -n - 1, -1)).read([[-1]])


def one_hot(n: int) -> Mlp:
    """Make the map of i = 1 .. n to the i-th unit vector; other whole numbers go to 0.

    Notes
    -----
    The paper multiplies m_i by n_i entry by entry. They overlap in entry i alone, so m_i minus
    m_(i+1) moved by one place gives the same with 2 n + 2 hidden units and no products.

    Examples
    --------
    >>> one_hot(3)([[2.0, 0.0, 4.0]]).T.tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    steps = np.eye(n, n + 1) - np.eye(n, n + 1, 1)
    return at_least(*range(1, n + 2)).write(steps)


def is_zero() -> Mlp:
    """Make the indicator of x = 0 among whole numbers x, with a tolerance of 1/3.

    Examples
    --------
    >>> is_zero()([[-2.0, -1.0, 0.0, 1.0]]).tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    """
    return at_least(0, 1).write([[1, -1]])


def block_and_offset(n: int) -> Mlp:
    """Make the map of i = 1 .. n^2 to ceil(i/n), ceil(i/n) - 1 and i's place 1 .. n in its block.

    Lemma A.7, corrected.

    Notes
    -----
    ceil(i/n) = 1 + the number of j in 1 .. n - 1 with i > j n; the sum that the paper prints as
    (14) counts the j <= n with i <= j n and is n + 1 - ceil(i/n). An error of the input of at most
    1/3 leaves the first two outputs exact. It passes unchanged into the third: a network of r units
    has at most r kinks, and exact plateaus at n^2 whole numbers need n^2 - 1 slopes between them.

    Examples
    --------
    >>> block_and_offset(4)([[1.0, 4.0, 5.0, 16.0]]).tolist()
    [[1.0, 1.0, 2.0, 4.0], [0.0, 0.0, 1.0, 3.0], [1.0, 4.0, 1.0, 4.0]]
    """
    before = at_least(*range(n + 1, n * n, n)).write(np.ones((1, n - 1)))
    same = linear([[1]]).write([[0], [0], [1]])
    return before.write([[1], [1], [-n]], [1, 0, 0]) + same
