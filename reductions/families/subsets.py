"""Patterns with one query for every set of k keys, or for every split of the keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from math import comb

import numpy as np

from samapprox.errors import InputError
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.proofs.refutations.topological import Topological
from samapprox.reductions.families.parameters import MOST_ENTRIES, require_shape
from samapprox.support.parameters import require


def all_subsets(n: int = 6, k: int = 2) -> Instance:
    """Make a query for every k-subset of n keys.

    Parameters
    ----------
    n : int
        Number of keys.
    k : int
        Number of ones in each row.

    Raises
    ------
    InputError
        k outside 1..n, or too many subsets.

    Notes
    -----
    With s = min(k, n - k), the least d is min(2s, n - 2) for s >= 1 and n >= 4 (the theorem in
    docs/theory/topological.md), and min(2s, n - 1) for fewer keys. For n >= 3s, the refutation is
    Radon's: of 2s + 1 keys two parts of a and b keys have meeting hulls, a <= b, a + b <= 2s + 1,
    so a <= s, and since b <= 2s there are s keys that contain the one part and avoid the other.
    For n < 3s it is that of `subsets_refutation`.

    References
    ----------
    Weller, Boratko, Naim, Lee (2025), "On the Theoretical Limitations of Embedding-Based
    Retrieval": the LIMIT data set is k = 2, n = 46.

    Examples
    --------
    >>> print(all_subsets(4, 2).pattern.to_text())
    1100
    1010
    1001
    0110
    0101
    0011
    """
    require(1 <= k <= n, f"k must be in 1..n, not {k} of {n}")
    rows = _count(n, k)
    require_shape(rows, n)
    indices = np.fromiter(
        chain.from_iterable(combinations(range(n), k)), dtype=np.int64, count=rows * k
    )
    return Instance(
        Pattern.from_csr(np.arange(rows + 1) * k, indices, None, (rows, n)),
        _subset_facts(n, min(k, n - k)),
        {"family": "all-subsets", "n": n, "k": k},
    )


def _subset_facts(n: int, s: int) -> tuple[Fact, ...]:
    """Return the least dimension for all s-subsets of n keys, or for their complements."""
    if s == 0:  # one row, without a 0
        return (Fact(1, None, "YES", "keys on the moment curve, or affinely independent"),)
    least = min(2 * s, n - 2 if n >= 4 else n - 1)
    if least == n - 2 < 2 * s:
        possible = "keys with one affine dependence, whose signs no row has"
    else:
        possible = "keys on the moment curve, or affinely independent"
    facts = [Fact(least, None, "YES", possible)]
    if least > 1:
        by_radon = f"Radon's theorem on {2 * s + 1} keys"
        reason = by_radon if n >= 3 * s else "a topological refutation, written down for all n"
        facts.append(Fact(least - 1, None, "NO", reason))
    return tuple(facts)


def _count(n: int, k: int) -> int:
    """Return C(n, k), or some number beyond the limit."""
    count = 1
    for i in range(min(k, n - k)):
        count = count * (n - i) // (i + 1)
        if count > MOST_ENTRIES:
            break
    return count


def shattered(n: int = 4) -> Instance:
    """Make one query for every split of n keys into two parts: weak dimension exactly n - 1.

    Parameters
    ----------
    n : int
        Number of keys, 2 to 20.

    Examples
    --------
    >>> print(shattered(3).pattern.to_text())
    100
    101
    110
    """
    require(2 <= n <= 20, f"n must be in 2..20, not {n}")
    codes = np.arange((1 << (n - 1)) - 1)[:, None]
    entries = np.concatenate(
        [np.ones((len(codes), 1), dtype=np.int64), codes >> np.arange(n - 2, -1, -1) & 1], axis=1
    )
    return Instance(Pattern.from_array(entries), _split_facts(n), {"family": "shattered", "n": n})


def shattered_causal(n: int = 4) -> Instance:
    """Make causal attention that splits its first n keys in every way: weak dimension n - 1.

    All queries that split come after the n keys, so nothing that matters is masked. Later tokens
    repeat those keys in turn; the first n - 1 queries attend to key 0.

    Parameters
    ----------
    n : int
        Number of different keys, 2 to 12.

    Examples
    --------
    >>> print(shattered_causal(3).pattern.to_text())
    1****
    10***
    100**
    1011*
    11011
    """
    require(2 <= n <= 12, f"n must be in 2..12, not {n}")
    splits = shattered(n).pattern.to_array()
    first = np.zeros((n - 1, n), dtype=splits.dtype)
    first[:, 0] = 1
    rows = np.concatenate([first, splits])
    pattern = Pattern.from_array(rows[:, np.arange(len(rows)) % n]).causal()
    return Instance(pattern, _split_facts(n), {"family": "shattered-causal", "n": n})


def _split_facts(n: int) -> tuple[Fact, ...]:
    """State the facts that splitting n keys in every way implies."""
    possible = Fact(n - 1, None, "YES", "n affinely independent keys")
    if n == 2:
        return (possible,)
    return (possible, Fact(n - 2, None, "NO", f"Radon's theorem on {n} keys"))


_MOST_ONES = 8  # the check refuses larger proofs


def subsets_refutation(n: int, k: int) -> Topological:
    """Return a proof that all k-subsets of n keys need min(2k, 2n - 2k, n - 2) dimensions.

    The members are sign patterns on all of the keys but one, with half of them positive, rounded
    down. docs/theory/topological.md proves that they are a refutation, and that min(2s, n - 2)
    dimensions suffice.

    >>> from samapprox import Problem
    >>> from samapprox.proofs.checker import check
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
