"""Bounds on small patterns against all orders of the keys, and against Z3 where it is installed.

Whether d = 1 represents a pattern, how many rows it must get wrong, and whether keys on a circle or
on a line with distances represent it: each depends on the order of the keys alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shared.rows import Row

from samapprox import BestFit, Pattern, Status, WeakDimension, decide, fit, weak_dimension

__all__ = ["comparisons"]

SAMPLES = 150
Z3_SAMPLES = 30
MOST_ROWS, MOST_KEYS = 6, 5
Entries = NDArray[np.int8]


def comparisons() -> Iterator[Row]:
    """Compare random patterns with what all orders, or Z3, give."""
    tests: dict[str, Callable[[Entries], bool]] = {
        "`fit -d 1`": lambda entries: _excludes(fit(entries, 1), fewest_wrong(entries)),
        "`dim`, whether d = 1": lambda entries: _contradicts(
            weak_dimension(entries), 1, fewest_wrong(entries) == 0
        ),
        "`dim --similarity cosine`, whether s <= 2": lambda entries: _contradicts(
            weak_dimension(entries, similarity="cosine"), 2, has_order(entries, circle=True)
        ),
        "`dim --similarity l2`, whether e = 1": lambda entries: _contradicts(
            weak_dimension(entries, similarity="l2"), 1, has_order(entries, circle=False)
        ),
    }
    for name, is_wrong in tests.items():
        wrong = sum(is_wrong(draw(seed)) for seed in range(SAMPLES))
        what = f"{name}, {SAMPLES} patterns of at most {MOST_ROWS} x {MOST_KEYS}, all orders"
        yield what, f"{wrong} wrong", "0 wrong"
    yield _with_z3()


def draw(seed: int) -> Entries:
    """Draw a pattern with a one in every row."""
    random = np.random.default_rng(seed)
    shape = random.integers(2, (MOST_ROWS + 1, MOST_KEYS + 1))
    entries: Entries = (random.random(shape) < random.choice([0.3, 0.5, 0.7])).astype(np.int8)
    entries[~entries.any(axis=1), 0] = 1
    return entries


def fewest_wrong(entries: Entries) -> int:
    """Return the least number of rows that are no end of an order of the keys."""
    return min(
        sum(_count_changes(row, circle=False) > 1 for row in entries[:, order])
        for order in _orders(entries)
    )


def has_order(entries: Entries, *, circle: bool) -> bool:
    """Whether some order makes all rows intervals, or arcs of a circle."""
    return any(
        all(
            _count_changes(row if circle else np.array([0, *row, 0]), circle=circle) <= 2
            for row in entries[:, order]
        )
        for order in _orders(entries)
    )


def _orders(entries: Entries) -> Iterator[Sequence[int]]:
    return (list(order) for order in permutations(range(entries.shape[1])))


def _count_changes(row: NDArray[np.generic], *, circle: bool) -> int:
    closed = np.append(row, row[:1]) if circle else row
    return int((closed[1:] != closed[:-1]).sum())


def _excludes(found: BestFit, truth: int) -> bool:
    return not found.lower <= truth <= found.upper


def _contradicts(found: WeakDimension, d: int, represented: bool) -> bool:
    """Whether bounds exclude that d represents the pattern, or that it does not."""
    return found.lower > d if represented else found.upper <= d


def _with_z3() -> Row:
    what = f"`decide -d 2`, {Z3_SAMPLES} patterns of at most {MOST_ROWS} x {MOST_KEYS}, Z3"
    try:
        import z3
    except ImportError:
        return what, "Z3 is not installed", "0 wrong"
    answers = {"sat": Status.YES, "unsat": Status.NO}
    wrong = compared = 0
    for seed in range(Z3_SAMPLES):
        entries = draw(seed)
        answer = answers.get(str(_solve(z3, Pattern(entries))))
        compared += answer is not None
        wrong += answer is not None and decide(entries, 2).status is not answer
    return what, f"{wrong} wrong of {compared} that Z3 decides", "0 wrong"


def _solve(z3: Any, pattern: Pattern) -> Any:
    """Let Z3 decide whether queries and keys of dimension 2 exist."""
    real, solver = z3.Real, z3.Solver()
    solver.set("timeout", 5000)
    rows, columns = pattern.shape
    keys = [(real(f"x{j}"), real(f"y{j}")) for j in range(columns)]
    for i in range(rows):
        a, b, c = real(f"a{i}"), real(f"b{i}"), real(f"c{i}")
        for j, entry in enumerate(pattern.to_array()[i]):
            logit = a * keys[j][0] + b * keys[j][1]
            solver.add(logit >= c + 1 if entry else logit <= c - 1)
    return solver.check()
