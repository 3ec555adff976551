"""Sets of d + 2 elements that the covectors split in nearly every way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["grow", "missing_splits", "splits"]

Signs = NDArray[np.int8]
Codes = NDArray[np.int64]


def grow(
    signs: Signs, size: int, rng: np.random.RandomState, first: int | None = None
) -> list[int]:
    """Grow a set of elements, each time one that raises the number of splits most.

    O(size m n log m). Half of the steps also accept elements that are one split short of the best,
    for variety.
    """
    chosen = [int(rng.randint(signs.shape[1])) if first is None else first]
    while len(chosen) < size:
        counts = _count_extensions(signs, chosen)
        best = np.flatnonzero(counts >= max(0, counts.max() - rng.randint(2)))
        chosen.append(int(best[rng.randint(len(best))]))
    for at in rng.permutation(size).tolist():
        others = chosen[:at] + chosen[at + 1 :]
        counts = _count_extensions(signs, others)
        if counts.max() > counts[chosen[at]]:
            best = np.flatnonzero(counts == counts.max())
            chosen = [*others, int(best[rng.randint(len(best))])]
    return chosen


def splits(size: int) -> Iterator[tuple[int, ...]]:
    """Yield all signs on so many elements up to a global flip: the first one is +."""
    for code in range(1 << (size - 1)):
        yield 1, *(-1 if code >> at & 1 else 1 for at in range(size - 1))


def missing_splits(signs: Signs) -> list[tuple[int, ...]]:
    """Return the splits of all elements, up to a global flip, that no covector makes."""
    known = signs[(signs != 0).all(axis=1)]
    opposite = known[:, 1:] != known[:, :1]
    made = set(np.unique(opposite @ (1 << np.arange(signs.shape[1] - 1))).tolist())
    return [split for code, split in enumerate(splits(signs.shape[1])) if code not in made]


def _count_extensions(signs: Signs, chosen: Sequence[int]) -> Codes:
    """Count, for every element, the splits of the chosen ones and it; -1 for the chosen ones."""
    head = signs[:, chosen]
    opposite = head[:, 1:] != head[:, :1]
    codes = np.where((head == 0).any(axis=1), -1, opposite @ (1 << np.arange(len(chosen) - 1)))
    unknown = (codes[:, None] < 0) | (signs == 0)
    options = np.where(unknown, -1, 2 * codes[:, None] + (signs != head[:, :1]))
    ordered = np.sort(options, axis=0)
    counts: Codes = (ordered[1:] != ordered[:-1]).sum(axis=0) + (ordered[0] >= 0)
    counts[list(chosen)] = -1
    return counts
