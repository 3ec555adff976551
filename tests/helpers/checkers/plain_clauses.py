"""Clauses of orientations by their definitions in docs/theory/checks.md, in plain Python.

Nothing is shared with the checks of the library, which build the same clauses in arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from math import comb

__all__ = ["Clauses", "circuit", "orientation_clauses", "relations", "token_clauses", "variable"]

Clauses = set[frozenset[int]]
Subset = tuple[int, ...]
Sign = int | None
"""+1, -1, 0, or None for undefined; an unknown sign is 2 plus the number of its variable."""


def variable(subset: Iterable[int]) -> int:
    """1 plus the colexicographic rank."""
    return 1 + sum(comb(element, place) for place, element in enumerate(sorted(subset), 1))


def circuit(
    signs: Sequence[int], subset: Subset, number: Callable[[Subset], int]
) -> tuple[list[int], list[int]]:
    """The two clauses against signs on r + 1 elements."""
    literals = [
        -((-1) ** t) * sign * number(subset[:t] + subset[t + 1 :]) for t, sign in enumerate(signs)
    ]
    return literals, [-literal for literal in literals]


def relations(size: int, rank: int) -> list[tuple[Subset, Subset]]:
    """All relations, A and b < c < d < e, in the order of their numbers."""
    return [
        (
            tuple(u for at, u in enumerate(union) if at not in four),
            tuple(union[at] for at in four),
        )
        for union in combinations(range(size), rank + 2)
        for four in combinations(range(rank + 2), 4)
    ]


def relation(fixed: Subset, four: Subset, number: Callable[[Subset], int]) -> Iterator[list[int]]:
    """The 16 clauses of a relation."""
    b, c, d, e = four
    pairs = (b, c), (d, e), (b, d), (c, e), (b, e), (c, d)
    x1, x2, x3, x4, x5, x6 = (number((*fixed, *pair)) for pair in pairs)
    for s, f, g, h in product((1, -1), repeat=4):
        yield [-f * x1, -f * s * x2, -g * x3, g * s * x4, -h * x5, -h * s * x6]


def orientation_clauses(
    lines: Sequence[Sequence[Sign]], rank: int, chosen: bool | Sequence[int]
) -> Clauses:
    """The clauses of a chirotope proof without polynomials, from the covectors of its core."""
    size = len(lines[0])
    found = [[1]]
    for subset in combinations(range(size), rank + 1):
        for line in lines:
            signs = [line[element] for element in subset]
            known = [sign for sign in signs if sign is not None]
            if len(known) == len(signs):
                found += circuit(known, subset, variable)
    every = relations(size, rank)
    for number in range(len(every)) if chosen is True else chosen or ():
        found += relation(*every[number], variable)
    return set(map(frozenset, found))


def token_clauses(
    entries: Sequence[Sequence[int | None]],
    rows: Sequence[int],
    columns: Sequence[int],
    dimensions: tuple[int, int],
    related: bool,
) -> tuple[Clauses, int]:
    """The clauses of a shared-chirotope proof, and the number of its last variable."""
    (d, h), m, n = dimensions, len(rows), len(columns)
    rank, x = d + 1, h - d
    keys, queries = 1 + x + n, 1 + x + m
    first = comb(keys, rank) + comb(queries, rank) + 1

    def tied(subset: Subset) -> int:
        own = comb(keys, rank) + variable(subset)
        if not set(range(x + 1)) <= set(subset):
            return own
        tokens = [rows[element - 1 - x] for element in subset if element > x]
        if not set(tokens) <= set(columns):
            return own
        return variable([*range(x + 1), *(1 + x + columns.index(token) for token in tokens)])

    signs = {1: 1, 0: -1, None: None}
    known = [[signs[entry] for entry in row] for row in entries]
    s = [2 + first + a for a in range(m)]
    y = [[2 + first + m + a * x + k for k in range(x)] for a in range(m)]
    z = [[2 + first + m + m * x + b * x + k for k in range(x)] for b in range(n)]
    w = [[2 + first + m + (m + n) * x + one * x + k for k in range(x)] for one in range(x)]
    of_keys: list[list[Sign]] = [[1, *[0] * x, *[1] * n]]
    of_keys += [[s[a], *y[a], *known[a]] for a in range(m)]
    of_keys += [[0, *w[one], *(z[b][one] for b in range(n))] for one in range(x)]
    of_queries: list[list[Sign]] = [[1, *z[b], *(row[b] for row in known)] for b in range(n)]
    of_queries.append([1, *[0] * x, *s])
    of_queries += [
        [0, *(w[one][k] for one in range(x)), *(y[a][k] for a in range(m))] for k in range(x)
    ]
    found = [[1]]
    for lines, size, number in ((of_keys, keys, variable), (of_queries, queries, tied)):
        for line in lines:
            for subset in combinations(range(size), rank + 1):
                found += _guarded([line[element] for element in subset], subset, number)
        if related and size >= rank + 2:
            for one in relations(size, rank):
                found += relation(*one, number)
    return set(map(frozenset, found)), first - 1 + m + (m + n) * x + x * x


def _guarded(
    signs: Sequence[Sign], subset: Subset, number: Callable[[Subset], int]
) -> Iterator[list[int]]:
    """The clauses of a covector on r + 1 elements, for every choice of its unknown signs."""
    known = [sign for sign in signs if sign is not None]
    if len(known) < len(signs):
        return
    unknown = [t for t, sign in enumerate(known) if sign > 1]
    for choice in product((1, -1), repeat=len(unknown)):
        guess = list(known)
        for t, sign in zip(unknown, choice, strict=True):
            guess[t] = sign
        guards = [-sign * (known[t] - 2) for t, sign in zip(unknown, choice, strict=True)]
        for clause in circuit([sign or 1 for sign in guess], subset, number):
            kept = [literal for literal, sign in zip(clause, guess, strict=True) if sign]
            yield kept + guards
