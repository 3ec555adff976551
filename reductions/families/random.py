"""Random entries, rows of k ones, and unions of permutation matrices."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import fill_empty_rows, require_shape, require_side
from samapprox.support.parameters import random_stream, require


def random(rows: int = 20, columns: int = 20, density: float = 0.5, seed: int = 0) -> Instance:
    """Make independent entries with equal probability of 1; an empty row gets a single 1.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    density : float
        Probability of a 1.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> print(random(2, 6, density=0.3, seed=0).pattern.to_text())
    100000
    010000
    """
    require_shape(rows, columns)
    require(0 <= density <= 1, f"the density must be in 0..1, not {density}")
    rng = random_stream(seed)
    entries = np.empty((rows, columns), dtype=np.bool_)
    for row in entries:  # one row of floats at a time
        row[:] = rng.random_sample(columns) < density
    fill_empty_rows(rng, entries)
    return Instance(
        Pattern.from_array(entries),
        (),
        {"family": "random", "rows": rows, "columns": columns, "density": density, "seed": seed},
    )


def sparse_rows(rows: int = 20, columns: int = 20, k: int = 2, seed: int = 0) -> Instance:
    """Make rows of k ones at random keys: YES for d = 2k.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    k : int
        Ones in every row.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> sparse_rows(5, 9, k=2).pattern.row_ones.tolist()
    [2, 2, 2, 2, 2]
    """
    require_shape(rows, columns)
    require(1 <= k <= columns, f"k must be in 1..{columns} (the columns), not {k}")
    rng = random_stream(seed)
    indices = np.concatenate([np.sort(rng.permutation(columns)[:k]) for _ in range(rows)])
    indptr = np.arange(rows + 1) * k
    return Instance(
        Pattern.from_csr(indptr, indices, None, (rows, columns)),
        (few_ones(k),),
        {"family": "sparse-rows", "rows": rows, "columns": columns, "k": k, "seed": seed},
    )


def few_ones(k: int) -> Fact:
    """State the fact about rows of at most k ones: YES for d = 2k (cyclic polytopes)."""
    return Fact(2 * k, None, "YES", f"at most {k} ones a row: keys on the moment curve")


def permutations(n: int = 20, k: int = 1, seed: int = 0) -> Instance:
    """Make a union of k random permutation matrices: at most k ones in every row and column.

    Parameters
    ----------
    n : int
        Number of queries and of keys.
    k : int
        Number of permutations.
    seed : int
        Chooses the instance.

    Notes
    -----
    YES for d = 2k. A single permutation of three or more tokens is NO for d = 1: each of three keys
    is cut off from the other two.

    Examples
    --------
    >>> [(fact.d, fact.answer) for fact in permutations(5).facts]
    [(2, 'YES'), (1, 'NO')]
    """
    require_side(n)
    require(1 <= k <= n, f"k must be in 1..{n}, not {k}")
    rng = random_stream(seed)
    columns = np.stack([rng.permutation(n) for _ in range(k)], axis=1)
    distinct = [np.unique(row) for row in columns]
    indptr = np.cumsum([0, *map(len, distinct)])
    pattern = Pattern.from_csr(indptr, np.concatenate(distinct), None, (n, n))
    facts = [few_ones(k)]
    if k == 1 and n >= 3:
        facts.append(Fact(1, None, "NO", "rows cut off each of three keys from the other two"))
    return Instance(pattern, tuple(facts), {"family": "permutations", "n": n, "k": k, "seed": seed})
