"""The least number of wrong rows or entries by enumeration of orders, or of dropped rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from samapprox import Pattern, Status, decide

__all__ = [
    "best_recall_at",
    "fewest_wrong_at",
    "fewest_wrong_in_orders",
    "fewest_wrong_on_line",
    "fewest_wrong_rows",
    "random_pattern",
]


def fewest_wrong_on_line(entries: NDArray[np.int8], unit: str) -> int:
    """Over all orders of the keys: each row takes the best of all ends of the order.

    Parameters
    ----------
    entries : ndarray of 0, 1 and -1 for don't-cares
    unit : {"rows", "entries"}
    """
    columns = entries.shape[1]
    ends = [
        [one] * size + [1 - one] * (columns - size) for size in range(columns + 1) for one in (0, 1)
    ]
    best = entries.size
    for order in permutations(range(columns)):
        wrong = 0
        for row in entries[:, order]:
            errors = min(
                sum(int(entry not in (-1, end)) for entry, end in zip(row, guess, strict=True))
                for guess in ends
            )
            wrong += int(errors > 0) if unit == "rows" else errors
        best = min(best, wrong)
    return best


def fewest_wrong_at(entries: NDArray[np.int8], at: int) -> int:
    """Over all orders of the keys: rows whose ones are not among the first K from either end."""
    return min(
        sum(
            min(_rank_of_last(entries, order), _rank_of_last(entries, order[::-1])) > at
            for entries in lines
        )
        for order in permutations(range(entries.shape[1]))
        for lines in [entries.tolist()]
    )


def best_recall_at(entries: NDArray[np.int8], at: int) -> Fraction:
    """Over all orders of the keys: the greatest mean recall at K, each row from its better end."""
    lines = entries.tolist()
    best = max(
        sum(
            Fraction(max(_ones_first(row, order, at), _ones_first(row, order[::-1], at)), sum(ones))
            for row in lines
            for ones in [[entry == 1 for entry in row]]
        )
        for order in permutations(range(entries.shape[1]))
    )
    return Fraction(best) / len(lines)


def _ones_first(row: list[int], order: tuple[int, ...], at: int) -> int:
    """Count the ones among the first K specified entries."""
    return sum([row[key] for key in order if row[key] >= 0][:at])


def _rank_of_last(row: list[int], order: tuple[int, ...]) -> int:
    """Count the specified entries up to the last one."""
    ranked = [row[key] for key in order if row[key] >= 0]
    return max((place + 1 for place, entry in enumerate(ranked) if entry), default=0)


def fewest_wrong_in_orders(entries: NDArray[np.int8], unit: str, *, circular: bool) -> int:
    """Over all orders of the keys around a circle or along a line: each row takes the best run.

    Parameters
    ----------
    entries : ndarray of 0, 1 and -1 for don't-cares
    unit : {"rows", "entries"}
    circular : bool
        Arcs of a circle rather than intervals of a line.
    """
    n = entries.shape[1]
    guesses = {
        tuple(int((key - first) % n < size) for key in range(n))
        for first in range(n)
        for size in range(n + 1)
        if circular or first + size <= n
    }
    best = entries.size
    for order in permutations(range(n)):
        if circular and order[0]:
            break
        lines = entries[:, order]
        fewest = [
            min(int(((line >= 0) & (line != guess)).sum()) for guess in guesses) for line in lines
        ]
        best = min(best, sum(fewest) if unit == "entries" else sum(map(bool, fewest)))
    return best


def fewest_wrong_rows(pattern: Pattern, d: int) -> int:
    """Over all sets of rows, small ones first: the rest is decided."""
    rows, columns = pattern.shape
    for count in range(rows):
        for dropped in combinations(range(rows), count):
            kept = [row for row in range(rows) if row not in dropped]
            verdict = decide(pattern.take(kept, range(columns)), d)
            assert verdict.status is not Status.UNKNOWN
            if verdict.status is Status.YES:
                return count
    raise AssertionError("a single row has an embedding")


def random_pattern(random: np.random.RandomState, most_rows: int, most_columns: int) -> Pattern:
    """Any density, some rows and columns repeated, some don't-cares."""
    shape = random.randint(2, most_rows + 1), random.randint(2, most_columns + 1)
    entries = (random.rand(*shape) < random.choice([0.3, 0.5, 0.7])).astype(np.int8)
    if random.rand() < 0.3:
        entries = entries[random.randint(len(entries), size=len(entries))]
    if random.rand() < 0.3:
        entries = entries[:, random.randint(entries.shape[1], size=entries.shape[1])]
    entries[random.rand(*entries.shape) < random.choice([0, 0.15])] = -1
    entries[~(entries == 1).any(axis=1), 0] = 1
    return Pattern.from_array(entries == 1, entries >= 0)
