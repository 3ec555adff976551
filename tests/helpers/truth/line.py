"""The truth about d = 1 by plain enumeration; shares nothing with the solvers."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Rows = tuple[int, ...]
"""A pattern as one bit mask of columns a row (bit j is column j)."""


def masks(entries: NDArray[np.generic]) -> Rows:
    return tuple(int(sum(1 << j for j in np.flatnonzero(row))) for row in np.asarray(entries))


def entries_of(rows: Rows, columns: int) -> NDArray[np.uint8]:
    return np.array([[mask >> j & 1 for j in range(columns)] for mask in rows], dtype=np.uint8)


def all_patterns(n: int) -> list[Rows]:
    """Every n x n pattern with a 1 in every row."""
    return list(product(range(1, 1 << n), repeat=n))


@cache
def token_classes(n: int) -> list[list[Rows]]:
    """All n x n patterns with a 1 in every row, by classes: equal but for the names of tokens."""
    patterns = np.array(all_patterns(n))
    entries = patterns[:, :, None] >> np.arange(n) & 1
    weights = (1 << np.arange(n * n)).reshape(n, n)
    orders = [np.array(order) for order in permutations(range(n))]
    codes = [(entries[:, order][:, :, order] * weights).sum(axis=(1, 2)) for order in orders]
    classes: dict[int, list[Rows]] = {}
    for code, rows in zip(np.min(codes, axis=0).tolist(), patterns.tolist(), strict=True):
        classes.setdefault(code, []).append(tuple(rows))
    return list(classes.values())


def one_of_each_class(n: int, seed: int = 0) -> list[Rows]:
    """A random member of each class of patterns: every case, under one of its names."""
    rng = np.random.RandomState(seed)
    return [members[rng.randint(len(members))] for members in token_classes(n)]


@cache
def _ends(columns: int) -> list[frozenset[int]]:
    """For each order of the columns, the sets that are one end of it (or all)."""
    everything = (1 << columns) - 1
    result = set()
    for order in permutations(range(columns)):
        prefixes = [sum(1 << j for j in order[:length]) for length in range(columns + 1)]
        result.add(frozenset(prefixes) | frozenset(everything - p for p in prefixes))
    return list(result)


def shown_on_line(rows: Rows, columns: int) -> bool:
    """Free case: some order of the columns has every row at one of its ends."""
    return any(ends.issuperset(rows) for ends in _ends(columns))


def _top_sets(logits: tuple[int, ...]) -> frozenset[int]:
    """The sets that logits separate strictly from the rest."""
    levels = sorted(set(logits))
    return frozenset(
        sum(1 << j for j, logit in enumerate(logits) if logit >= level) for level in levels
    )


@cache
def coupled_patterns(n: int) -> frozenset[Rows]:
    """Every n x n pattern that logits c x_i x_j show; x in -n..n has every order and sign type."""
    allowed = set()
    for x in product(range(-n, n + 1), repeat=n):
        for c in (1, -1):
            allowed.add(tuple(_top_sets(tuple(c * x_i * x_j for x_j in x)) for x_i in x))
    return frozenset(pattern for sets in allowed for pattern in product(*sets))
