"""Two rows that split four keys in every way: NO for d = 1, for any values of don't-cares."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof
from samapprox.proofs.refutations.shattering import Shattering
from samapprox.solvers.engine.search import Search
from samapprox.storage import PackedMatrix, block_height
from samapprox.support.text import plural

NAME = "crossing-rows"

_BASES = 64  # rows that are compared with all others: the time grows with their number


def applies(problem: Problem) -> str | None:
    """Return None: patterns without don't-cares, which the line test decides, never get here."""
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    """Compare some rows with all others, 64 keys at a time.

    O(m n / 64) word operations for each of at most 64 rows, spread evenly.
    """
    pattern = problem.pattern
    ones, stars = pattern.ones, pattern.unspecified
    assert isinstance(ones, PackedMatrix)
    assert stars is not None
    rows, width = ones.words.shape
    inside = np.full(width, ~np.uint64(0))
    inside[-1] >>= np.uint64(-pattern.shape[1] % 64)
    ahead = ones.words, inside & ~(ones.words | stars.words)  # where rows are 1, and where 0
    step = block_height(16 * width)
    for base in np.unique(np.linspace(0, rows - 1, _BASES).astype(np.int64)).tolist():
        for start in range(0, rows, step):
            if search.out_of_time:
                return "no time left"
            crossing = np.ones(len(ones.words[start : start + step]), dtype=np.bool_)
            for own in ahead:
                for other in ahead:
                    crossing &= (own[base] & other[start : start + step]).any(axis=1)
            if crossing.any():
                pair = base, start + int(crossing.argmax())
                return Shattering(sorted(pair), _find_four_keys(pattern, pair))
    return f"no row crosses any of the {plural(min(rows, _BASES), 'row')} that were tried"


def _find_four_keys(pattern: Pattern, pair: tuple[int, int]) -> list[int]:
    """Return four keys on which the two rows are 11, 10, 01 and 00."""
    first, second = (pattern.block(row, row + 1)[0] for row in pair)
    return sorted(
        int(np.flatnonzero((first == one) & (second == other))[0])
        for one in (1, 0)
        for other in (1, 0)
    )
