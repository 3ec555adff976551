"""Certificates of all k-subsets of n keys, written down for every n and k."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from math import comb

import numpy as np

from samapprox.errors import InputError
from samapprox.proofs.kinds.topological import Topological
from samapprox.reductions.families.parameters import require_shape

__all__ = ["subsets_refutation"]

_MOST_ONES = 8  # the check refuses larger proofs


def subsets_refutation(n: int, k: int) -> Topological:
    """Return a proof that all k-subsets of n keys need min(2k, 2n - 2k, n - 2) dimensions.

    Parameters
    ----------
    n : int
        Number of keys.
    k : int
        Number of ones in each row, as for `samapprox.reductions.families.all_subsets`.

    Returns
    -------
    Topological
        With s = min(k, n - k), it has (2s + 1) C(2s, s) members on 2s + 2 keys for n >= 2s + 2,
        half as many on all keys for n = 2s + 1, or (2s - 1) C(2s - 2, s - 1) for n = 2s.

    Raises
    ------
    InputError
        There are fewer than 4 keys, min(k, n - k) is outside 1..8, or there are too many subsets.

    Notes
    -----
    The members are sign patterns on all of the keys but one, with half of them positive, rounded
    down. docs/theory/topological.md proves that they are a refutation, and that min(2s, n - 2)
    dimensions suffice.

    Examples
    --------
    >>> from samapprox import Problem
    >>> from samapprox.proofs.checks import check
    >>> from samapprox.reductions.families import generate
    >>> problem = Problem(generate("all-subsets", n=7, k=3).pattern, 4)
    >>> proof = subsets_refutation(7, 3)
    >>> len(proof.members), len(proof.columns), check(problem, proof)
    (70, 7, None)
    """
    ones = min(k, n - k)
    if n < 4 or not 1 <= ones <= _MOST_ONES:
        raise InputError(
            f"the proof needs n >= 4 and 1 <= min(k, n - k) <= {_MOST_ONES},"
            f" not n = {n} and k = {k}"
        )
    require_shape(comb(n, k), n)
    keys = min(n, 2 * ones + 2)
    numbers = chain.from_iterable(_members(n, k, keys))
    members = np.fromiter(numbers, dtype=np.int64).reshape(-1, keys)
    rows, members[:, 0] = np.unique(members[:, 0], return_inverse=True)
    members[:, 0] += 1  # covector 0 is the row of +
    return Topological(keys - 3, rows, range(keys), "columns", members)


def _members(n: int, k: int, keys: int) -> Iterator[list[int]]:
    """Yield a row and all of the keys but one, for each member."""
    ones = min(k, n - k)
    numbers = {chosen: _row(chosen, n, k) for chosen in combinations(range(keys), ones)}
    positive = (keys - 1) // 2
    for omitted in range(1 - keys % 2, keys):
        first, *others = (key for key in range(keys) if key != omitted)
        for chosen in combinations(others, positive):  # the first key is negative
            held = chosen if positive == ones else tuple(sorted((*chosen, omitted)))
            yield [numbers[held], first, *others]


def _row(chosen: tuple[int, ...], n: int, k: int) -> int:
    """Return the row that holds these keys, or all but these, among all k-subsets in order."""
    size = len(chosen)
    later = sum(comb(n - 1 - key, size - i) for i, key in enumerate(chosen))
    return comb(n, size) - 1 - later if size == k else later
