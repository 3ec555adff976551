"""Counts of classes of small patterns by Burnside's lemma, without making any class.

A reduced pattern of m rows and n columns is a set of m splits of n points that separates all of
them. Its classes are the orbits of the symmetric group: on average over all permutations, that many
sets are fixed. A set that a permutation fixes merges the points into the blocks of a partition that
the permutation fixes as well; the sets that merge nothing are what remains of all fixed sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from math import factorial

__all__ = ["count_classes", "count_patterns"]

Order = tuple[int, ...]


def count_classes(m: int, n: int) -> int:
    """The number of classes of reduced m x n patterns."""
    conjugates = Counter(map(_arrange_cycles, permutations(range(n))))  # they fix as many
    total = sum(size * _fixed_and_separating(order, m) for order, size in conjugates.items())
    assert total % factorial(n) == 0
    return total // factorial(n)


def count_patterns(m: int, n: int, *, complements: bool) -> int:
    """The number of m x n patterns up to the order of rows and columns, and complements of rows.

    Rows may be equal or all ones; a pattern is a multiset of m rows.
    """
    full, total = (1 << n) - 1, 0
    for order in permutations(range(n)):
        images = {}
        for row in range(1, full + 1):
            moved = sum(1 << order[j] for j in range(n) if row >> j & 1)
            if not complements:
                images[row] = moved
            elif row == full or not row >> (n - 1) & 1:
                images[row] = full - moved if moved != full and moved >> (n - 1) & 1 else moved
        counts = [1] + [0] * m  # multisets of each size that the order fixes
        left = set(images)
        while left:
            row, length = min(left), 0
            while row in left:
                left.remove(row)
                row, length = images[row], length + 1
            for size in range(length, m + 1):
                counts[size] += counts[size - length]
        total += counts[m]
    assert total % factorial(n) == 0
    return total // factorial(n)


def _arrange_cycles(order: Order) -> Order:
    """The conjugate whose cycles are runs of neighbours, the longest first."""
    left, lengths = set(range(len(order))), []
    while left:
        point, length = min(left), 0
        while point in left:
            left.remove(point)
            point, length = order[point], length + 1
        lengths.append(length)
    arranged: list[int] = []
    for length in sorted(lengths, reverse=True):
        first = len(arranged)
        arranged += [*range(first + 1, first + length), first]
    return tuple(arranged)


@cache
def _fixed_and_separating(order: Order, m: int) -> int:
    """Sets of m splits that a permutation fixes and that separate all points."""
    merged = sum(
        _fixed_and_separating(_on_blocks(order, blocks), m)
        for blocks in _partitions(len(order))
        if len(blocks) < len(order) and _maps(order, blocks)
    )
    return _fixed(order, m) - merged


@cache
def _fixed(order: Order, m: int) -> int:
    """Sets of m splits that a permutation fixes: unions of its cycles on splits."""
    n, left, counts = len(order), set(range(1, 1 << (len(order) - 1))), [1] + [0] * m
    while left:
        start = split = min(left)
        length = 0
        while length == 0 or split != start:
            left.discard(split)
            length += 1
            moved = sum(1 << order[j] for j in range(n) if split >> j & 1)
            split = (1 << n) - 1 - moved if moved >> (n - 1) & 1 else moved
        counts = [counts[k] + (counts[k - length] if k >= length else 0) for k in range(m + 1)]
    return counts[m]


def _maps(order: Order, blocks: tuple[frozenset[int], ...]) -> bool:
    """Whether a permutation maps every block to a block."""
    return all(frozenset(order[j] for j in block) in blocks for block in blocks)


def _on_blocks(order: Order, blocks: tuple[frozenset[int], ...]) -> Order:
    """The permutation of the blocks."""
    return tuple(blocks.index(frozenset(order[j] for j in block)) for block in blocks)


@cache
def _partitions(n: int) -> tuple[tuple[frozenset[int], ...], ...]:
    """All partitions of n points into blocks."""
    return tuple(tuple(map(frozenset, blocks)) for blocks in _blocks(n))


def _blocks(n: int) -> Iterator[list[list[int]]]:
    if n == 0:
        yield []
        return
    for blocks in _blocks(n - 1):
        yield [*blocks, [n - 1]]
        for at in range(len(blocks)):
            yield [*blocks[:at], [*blocks[at], n - 1], *blocks[at + 1 :]]
