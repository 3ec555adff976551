"""Certificates of sparse attention masks, written down for every number of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from samapprox.errors import InputError
from samapprox.proofs.kinds.topological import Topological

__all__ = ["star_refutation"]

_MOST_TOKENS = 1 << 20  # larger proofs take gigabytes


def star_refutation(n: int, w: int = 1) -> Topological:
    """Return a proof that the star mask has no embedding in the plane, for n >= 4w + 5.

    Parameters
    ----------
    n : int
        Number of tokens, the relay included.
    w : int
        Neighbours on either side, as for `samapprox.attention.graphs.masks.hubs`.

    Returns
    -------
    Topological
        3k + 5 members on k + 3 keys for k = ceil((n - 2w - 3) / (2w)).

    Raises
    ------
    InputError
        There are fewer than 4w + 5 tokens or more than 2^20, or w is below 1.

    Notes
    -----
    The keys are the relay r, token b = 0, and a path around the ring from a = w + 1 to
    c = n - 2 - w that avoids the window of b. On a, b, c and r the rows make all splits but one,
    {a, c, r}; the path is its detour. Any refutation needs ceil((n - 1) / (2w)) + 1 keys: for w = 1
    this one has no more. docs/theory/detours.md proves both.

    Examples
    --------
    >>> from samapprox import Problem
    >>> from samapprox.proofs.checks import check
    >>> from samapprox.reductions.families import generate
    >>> problem = Problem(generate("mask", graph="star", n=16).pattern, 2)
    >>> proof = star_refutation(16)
    >>> len(proof.members), len(proof.columns), check(problem, proof)
    (23, 9, None)
    """
    if w < 1 or n < 4 * w + 5:
        raise InputError(f"the proof needs w >= 1 and n >= 4w + 5, not w = {w} and n = {n}")
    if n > _MOST_TOKENS:
        raise InputError(f"the proof is written down for at most {_MOST_TOKENS} tokens, not {n}")
    numbers = chain.from_iterable(_star_members(n - 1, w))
    members = np.fromiter(numbers, dtype=np.int64).reshape(-1, 5)
    rows, columns = np.unique(np.append(-1, members[:, 0])), np.unique(members[:, 1:])
    members[:, 0] = np.searchsorted(rows, members[:, 0])
    members[:, 1:] = np.searchsorted(columns, members[:, 1:])
    return Topological(2, rows[1:], columns, "columns", members)


def _star_members(ring: int, w: int) -> Iterator[list[int]]:
    """Yield a row (-1 for row 0) and four ascending keys, for each member."""
    a, b, c, r = w + 1, 0, ring - w - 1, ring
    # The rows of r alone, with a, b, c, then with a and b, b and c; and row 0.
    for row in (2 * w + 2, w + 1, 0, ring - w - 1, 1, ring - 1, -1):
        yield [row, b, a, c, r]
    path = [*range(a, c, 2 * w), c]
    for x, y in pairwise(path):
        yield [max(y - w, w + 1), b, x, y, r]  # holds x, y and r, not b
        if y != c:
            yield [0, b, x, y, c]  # holds b, not x, y and c
            yield [-1, x, y, c, r]
