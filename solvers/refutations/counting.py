"""Columns that the rows split in too many ways, or rows with all kinds of columns.

Points of R^d can be split by halfspaces in fewer ways than there are subsets: see `room`. So d + 2
columns that are split in every way refute d (Radon's theorem), and so do more columns with more
splits than R^d allows. By duality, d + 1 rows with columns of all 2^(d + 1) kinds do, too: with the
extra query, which is positive on all keys, they are d + 2 elements that the columns split in every
way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.refutations.orientation_clauses import sign_matrix
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.dense_blocks import on_excerpt
from samapprox.support.arrays import Signs

NAME = "counting"

Codes = NDArray[np.int64]

_STARTS = 12  # sets that grow on each side, from different elements
_WIDEST = 6  # columns beyond d + 2 that one attempt may take
_MOST_DIMENSIONS = 24  # in more dimensions there are too many splits to count
_MOST_ENTRIES = 1_000_000  # larger patterns are not looked at as a whole


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    if problem.d > _MOST_DIMENSIONS:
        return f"there are too many ways to split {problem.d + 2} columns"
    return None


@on_excerpt(_MOST_ENTRIES)
def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Grow sets of columns, then of rows, with more splits than dimension d allows.

    Greedy: each step adds the element that raises the number of splits most, O(m n log m). A
    covector with a don't-care on the chosen elements does not count.
    """
    entries, d = problem.pattern.to_array(), problem.d
    rng = np.random.RandomState(search.seed)
    sides: tuple[Side, ...] = ("columns", "rows")
    signs = {side: sign_matrix(entries, side) for side in sides}
    for start in range(_STARTS):
        for side in sides:
            # Only with the extra query, element 0, are rows a proof, and only d + 1 of them.
            chosen, more = ([], _WIDEST) if side == "columns" else ([0], 0)
            options = np.arange(len(chosen), signs[side].shape[1])
            ones = (signs[side][:, options] > 0).sum(axis=0)
            chosen.append(int(options[ones.argmax()] if start == 0 else rng.choice(options)))
            if _grow(signs[side], chosen, d, more, rng, search):
                return build_proof(signs[side], chosen, d, side)
            if search.out_of_time:
                return "no time left"
    return "no set of columns or rows that it tried is split in too many ways"


def room(count: int, d: int) -> int:
    """Return the most ways to split `count` points of R^d, the trivial split included."""
    return sum(comb(count - 1, i) for i in range(d + 1))


def splits(size: int) -> Iterator[tuple[int, ...]]:
    """Yield all signs on so many elements up to a global flip: the first one is +."""
    for code in range(1 << (size - 1)):
        yield 1, *(-1 if code >> at & 1 else 1 for at in range(size - 1))


def split_codes(signs: Signs, elements: Sequence[int]) -> Codes:
    """Return the number, in `splits`, of the way in which each covector splits some elements.

    A covector with a don't-care on these elements has -1.
    """
    head = signs[:, elements]
    codes = (head[:, 1:] != head[:, :1]) @ (1 << np.arange(len(elements) - 1))
    return np.where((head == 0).any(axis=1), -1, codes)


def count_splits(signs: Signs, chosen: Sequence[int]) -> Codes:
    """Count, for every element, the splits of the chosen ones and it; -1 for the chosen ones."""
    codes = split_codes(signs, chosen)[:, None]
    options = np.where((codes < 0) | (signs == 0), -1, 2 * codes + (signs != signs[:, chosen[:1]]))
    options.sort(axis=0)
    counts: Codes = (options[1:] != options[:-1]).sum(axis=0) + (options[0] >= 0)
    counts[list(chosen)] = -1
    return counts


def _grow(
    signs: Signs, chosen: list[int], d: int, more: int, rng: np.random.RandomState, search: Search
) -> bool:
    """Grow a set of up to d + 2 elements and so many more; return whether it has too many splits.

    Of equally good elements any one is taken.
    """
    shuffled = rng.permutation(signs.shape[1])
    while len(chosen) < min(d + 2 + more, len(shuffled)) and not search.out_of_time:
        counts = count_splits(signs, chosen)
        best = int(shuffled[counts[shuffled].argmax()])
        chosen.append(best)
        if len(chosen) >= d + 2 and counts[best] > room(len(chosen), d):
            return True
    return False


def build_proof(signs: Signs, chosen: Sequence[int], d: int, side: Side) -> Proof:
    """Return a proof from elements with too many splits: on the fewest of them, a covector each."""
    for element in chosen:
        fewer = [other for other in chosen if other != element]
        if len(fewer) >= d + 2 and len(_find_kinds(signs, fewer)) > room(len(fewer), d):
            chosen = fewer
    # The first split is the trivial one; of columns, the extra query makes it.
    others = sorted(_find_kinds(signs, chosen)[: room(len(chosen), d) + 1])
    elements = sorted(chosen)
    # Most patterns have no such elements, so kinds of proof are imported when they are found.
    if side == "rows":
        from samapprox.proofs.refutations.shattering import Shattering

        return Shattering([row - 1 for row in elements[1:]], others)
    rows = [row - 1 for row in others[1:]]
    if len(elements) == d + 2:
        from samapprox.proofs.refutations.radon import Radon

        return Radon(rows, elements)
    from samapprox.proofs.refutations.counting import Counting

    return Counting(d, rows, elements)


def _find_kinds(signs: Signs, elements: Sequence[int]) -> list[int]:
    """Return a covector for each way in which the elements are split."""
    codes, covectors = np.unique(split_codes(signs, elements), return_index=True)
    found: list[int] = covectors[codes >= 0].tolist()
    return found
