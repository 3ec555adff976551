"""Points with given orientations, by numeric search."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Side
from samapprox.proofs.checks.orientation_clauses import subset_ranks
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.solvers.embeddings import gradient
from samapprox.solvers.search import Search

__all__ = ["realize"]

Signs = NDArray[np.int8]


def realize(
    problem: Problem, orientations: Signs, elements: Side, search: Search
) -> Embedding | str:
    r"""Look for an embedding near one whose elements have the given orientations.

    The orientations say on which side of the hyperplane through any d elements every other one
    lies. With these hyperplanes as rows (or, dually, columns) more, the pattern leaves the numeric
    search little choice; they are dropped from what it finds. (Little, not none: the d elements
    themselves may lie on either side.)

    Parameters
    ----------
    problem : Problem
        Pattern of shape (m, n).
    orientations : ndarray of int8, shape (C(N, d + 1),)
        +1 or -1 for the (d + 1)-subsets in colexicographic order of the N elements.
    elements : {"columns", "rows"}
        The n keys, or the extra query, positive on all keys, and the m queries.
    search : Search

    Returns
    -------
    Embedding or str
        One that the checker's own test accepts, or why there is none. The orientations may belong
        to no points at all.

    Notes
    -----
    C(N, d) lines more.

    Examples
    --------
    >>> problem = Problem(Pattern.from_text("100\n110"), 1)
    >>> realize(problem, np.array([1, 1, 1], dtype=np.int8), "columns", Search()).dimension
    1
    """
    entries = problem.pattern.to_array()
    rows, columns = entries.shape
    count = columns if elements == "columns" else rows + 1
    d = min(problem.d, count)  # with so many dimensions there are no hyperplanes, nor need of them
    sides = _sides(orientations, count, d)
    if elements == "columns":
        sides[~(sides > 0).any(axis=1)] *= -1  # a pattern's rows have a 1, halfspaces a complement
        more = np.where(sides == 0, UNSPECIFIED, sides > 0)
        entries = np.vstack([entries, more[(more == 1).any(axis=1)]])
    else:
        sides = sides[sides[:, 0] != 0]  # points at infinity are no keys
        sides *= sides[:, :1]
        more = np.where(sides == 0, UNSPECIFIED, sides > 0)[:, 1:]
        entries = np.hstack([entries, more.T])
    guided = Problem(Pattern.from_array(entries == 1, entries != UNSPECIFIED), d)
    reason = gradient.applies(guided)
    found = gradient.find_proof(guided, search) if reason is None else reason
    if not isinstance(found, Embedding):
        return str(found)
    return Embedding(found.queries[:rows], found.keys[:columns], found.thresholds[:rows])


def _sides(orientations: Signs, count: int, d: int) -> Signs:
    """Mark, for each d elements, the side of their hyperplane on which the others lie."""
    if count <= d:
        return np.zeros((0, count), dtype=np.int8)
    through = np.array(list(combinations(range(count), d)), dtype=np.int64).reshape(-1, d)
    sides = np.zeros((len(through), count), dtype=np.int8)
    for element in range(count):
        apart = (through != element).all(axis=1)
        others = through[apart]
        subsets = np.sort(np.column_stack([others, np.full(len(others), element)]), axis=1)
        # The element comes last in the determinant, and moves past those that are greater.
        swaps = np.where((others > element).sum(axis=1) % 2, -1, 1)
        sides[apart, element] = orientations[subset_ranks(subsets)] * swaps
    return sides
