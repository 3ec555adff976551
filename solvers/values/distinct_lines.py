"""Refutations by the number of different rows or columns."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Side
from samapprox.proofs.values.distinct_lines import MOST_LINES, DistinctLines, most_distinct
from samapprox.solvers.engine.search import Search, too_large
from samapprox.support.arrays import Entries

NAME = "distinct-lines"


_MOST_CELLS = 1 << 26  # a larger pattern is not made dense


def applies(problem: Problem) -> str | None:
    """Return the reason why the strategy does not apply, or None."""
    return too_large(problem, _MOST_CELLS)


def find_proof(problem: Problem, _search: Search) -> Proof | str:
    """Count lines that differ from each other: all of them without don't-cares, or greedily.

    The largest dimension that the numbers of columns or rows exclude. O(m n) without don't-cares,
    else as many operations for each line that is kept.
    """
    values = problem.similarity.values
    assert values is not None
    entries = problem.pattern.to_array()
    best: DistinctLines | None = None
    sides: tuple[Side, Side] = ("columns", "rows")
    for elements in sides[:1] if problem.similarity.free_queries else sides:
        chosen = _choose(entries.T if elements == "columns" else entries)
        d = 0
        while most_distinct(values, d + 1, elements, MOST_LINES) < len(chosen):
            d += 1
        if d <= (0 if best is None else best.d):
            continue
        kept = chosen[: most_distinct(values, d, elements, MOST_LINES) + 1]
        all_rows, all_columns = map(range, entries.shape)
        rows, columns = (all_rows, kept) if elements == "columns" else (kept, all_columns)
        best = DistinctLines(d, elements, rows, columns)
    if best is None:
        return "there are no more different rows or columns than one coordinate tells apart"
    return best


def _choose(lines: Entries) -> list[int]:
    """Choose lines that differ from each other, one of which has a 1 where the other has a 0."""
    if not (lines == UNSPECIFIED).any():
        first = np.unique(lines, axis=0, return_index=True)[1]
        return [int(number) for number in np.sort(first)[:MOST_LINES]]
    chosen: list[int] = []
    for number, line in enumerate(lines):
        others = lines[chosen]
        if (((others == 1) & (line == 0)) | ((others == 0) & (line == 1))).any(axis=1).all():
            chosen.append(number)
        if len(chosen) == MOST_LINES:
            break
    return chosen
