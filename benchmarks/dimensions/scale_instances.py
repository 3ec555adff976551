"""Instances of real sizes, the same on every machine: attention heads, judgements, masks, cuts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from samapprox import Pattern
from samapprox.reductions.families import generate

__all__ = [
    "few_ones",
    "halfspaces",
    "head",
    "judged",
    "mask",
    "random_dense",
    "scattered",
]

LOCALITY = 0.05  # what a head's logits lose for each token between query and key
SINK = 2.0  # what they gain at token 0


def head(n: int, top: int, seed: int = 0) -> Pattern:
    """A causal head: random logits with locality and a sink; ones are the `top` largest of a row.

    Examples
    --------
    >>> head(8, 3).row_ones.tolist()
    [1, 2, 3, 3, 3, 3, 3, 3]
    """
    rng = np.random.RandomState(seed)
    ones = np.zeros((n, n), dtype=np.bool_)
    for i in range(n):
        logits = rng.normal(size=i + 1) - LOCALITY * np.arange(i, -1, -1)
        logits[0] += SINK
        ones[i, np.argsort(-logits, kind="stable")[:top]] = True
    return Pattern.from_array(ones)


def mask(graph: str, n: int) -> Pattern:
    """A sparse attention mask by its name and parameters."""
    return generate("mask", graph=graph, n=n).pattern


def halfspaces(n: int, d: int, seed: int = 0) -> Pattern:
    """Planted halfspaces: n queries and n keys in d dimensions."""
    return generate("halfspaces", rows=n, columns=n, d=d, seed=seed).pattern


def random_dense(rows: int, columns: int, seed: int = 0) -> Pattern:
    """Every entry a fair coin.

    Examples
    --------
    >>> random_dense(4, 9).shape
    (4, 9)
    """
    ones = np.random.RandomState(seed).randint(0, 2, size=(rows, columns), dtype=np.uint8)
    ones[~ones.any(axis=1), 0] = 1
    return Pattern.from_array(ones)


def few_ones(n: int, k: int, seed: int = 0) -> Pattern:
    """Rows of k ones at random places: representable in d = 2k."""
    return generate("sparse-rows", rows=n, columns=n, k=k, seed=seed).pattern


def scattered(rows: int, columns: int, most: int, least: int = 1, seed: int = 0) -> Pattern:
    """`least` to `most` draws of a column for every row, repetitions merged; never dense.

    Examples
    --------
    >>> scattered(1000, 200, most=4).row_ones.max()
    4
    """
    rng = np.random.RandomState(seed)
    counts = rng.randint(least, most + 1, size=rows)
    row_of = np.repeat(np.arange(rows), counts)
    column_of = rng.randint(0, columns, size=len(row_of))
    matrix = scipy.sparse.coo_array(
        (np.ones(len(row_of), dtype=np.int8), (row_of, column_of)), shape=(rows, columns)
    ).tocsr()
    matrix.data[:] = 1
    return Pattern.from_sparse(matrix)


def judged(queries: int, documents: int, *, largest: int = 20, seed: int = 0) -> Pattern:
    """Queries with one to four relevant documents each; components of `largest` a side at most.

    A relevant document is one that an earlier query has too, with probability 1/4, as long as no
    component grows too large; else it is new.

    Examples
    --------
    >>> judged(40, 1000).shape
    (40, 1000)
    """
    rng = np.random.RandomState(seed)
    names = rng.permutation(documents)
    rows = [
        np.sort(names[sorted(relevant)]) for relevant in _relevant(rng, queries, documents, largest)
    ]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return Pattern.from_csr(indptr, np.concatenate(rows), None, (queries, documents))


def _relevant(
    rng: np.random.RandomState, queries: int, documents: int, largest: int
) -> Iterator[set[int]]:
    """The documents of each query, numbered as they come."""
    home: NDArray[np.int64] = np.full(documents, -1)  # of a document: its component
    members: dict[int, tuple[set[int], set[int]]] = {}  # of a component: queries and documents
    used = 0
    for query in range(queries):
        inside, keys = {query}, set[int]()
        chosen: set[int] = set()
        for _ in range(rng.randint(1, 5)):
            shared, draw = rng.random_sample() < 0.25, int(rng.randint(max(used, 1)))
            if shared and used and draw not in chosen:
                component = int(home[draw])
                more, others = members.get(component, (set[int](), set[int]()))
                if max(len(inside | more), len(keys | others) + 4) <= largest:
                    inside, keys = inside | more, keys | others
                    members.pop(component, None)
                    chosen.add(draw)
                    continue
            chosen.add(used)
            keys.add(used)
            used += 1
        home[sorted(keys)] = query
        members[query] = inside, keys
        yield chosen
