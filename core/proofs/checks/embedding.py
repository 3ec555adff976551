"""The check of queries, keys and thresholds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import UNSPECIFIED, Pattern
from samapprox.problem import Problem
from samapprox.proofs.checks.above import above_thresholds
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.embedding import Embedding

__all__ = ["find_fault", "find_fault_of_logits", "first_difference", "first_mismatch"]


def find_fault(problem: Problem, embedding: Embedding) -> str | None:
    r"""Return the reason why the embedding does not represent the pattern in d, or None.

    Parameters
    ----------
    problem : Problem
    embedding : Embedding

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 1)
    >>> find_fault(problem, Embedding([[1], [1]], [[1], [0]], [0, 0]))
    "row 1 and column 0: the entry is 0, but the logit is above the row's threshold"
    """
    if problem.coupled:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    if embedding.dimension > problem.d:
        return f"the embedding has dimension {embedding.dimension}, more than d = {problem.d}"
    return find_fault_of_logits(problem.pattern, embedding)


def find_fault_of_logits(pattern: Pattern, embedding: Embedding) -> str | None:
    """Name the first entry that the logits contradict; None if there is none."""
    shape = len(embedding.queries), len(embedding.keys)
    if shape != pattern.shape:
        return f"the embedding is for {shape[0]} x {shape[1]}, the pattern is " + " x ".join(
            map(str, pattern.shape)
        )
    mismatch = first_mismatch(pattern, embedding)
    if mismatch is None:
        return None
    row, column = mismatch
    wanted = int(pattern.submatrix([row], [column])[0, 0])
    return (
        f"{pattern.row_label(row)} and {pattern.column_label(column)}: the entry is {wanted}, but "
        f"the logit is {'not ' if wanted else ''}above the row's threshold"
    )


def first_mismatch(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """Return the first specified entry (i, j) where S_ij = 1 and q_i . k_j > t_i disagree.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    embedding : Embedding
        With m queries and n keys.
    """
    if embedding.dimension == 1:
        return _first_mismatch_on_line(pattern, embedding)
    return first_difference(pattern, above_thresholds(embedding))


def first_difference(
    pattern: Pattern, blocks: Iterable[tuple[int, NDArray[np.bool_]]]
) -> tuple[int, int] | None:
    r"""Return the first specified entry that differs from a matrix, given in blocks of rows.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    blocks : iterable of (first row, ndarray of bool)
        All m rows.

    Examples
    --------
    >>> first_difference(Pattern.from_text("11\n*1"), [(0, np.array([[True, True]] * 2))])
    >>> first_difference(Pattern.from_text("10\n*1"), [(0, np.array([[True, True]] * 2))])
    (0, 1)
    """
    for start, above in blocks:
        block = pattern.block(start, start + len(above))
        wrong = (above != (block == 1)) & (block != UNSPECIFIED)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            return start + int(row), int(column)
    return None


def _first_mismatch_on_line(pattern: Pattern, embedding: Embedding) -> tuple[int, int] | None:
    """Find the `first_mismatch` for d = 1, by counting.

    q k > t holds on an end of the sorted keys: the first `length` of them when q < 0, all but the
    first `length` when q > 0. The row agrees iff that end holds all its ones and nothing but ones
    and unspecified entries.
    """
    order, lengths, upper = _ends(embedding)
    size = np.where(upper, pattern.shape[1] - lengths, lengths)
    inside = []
    for matrix in (pattern.ones, pattern.unspecified):
        if matrix is not None:
            first = matrix.prefix_counts(order, lengths)
            inside.append(np.where(upper, matrix.row_counts - first, first))
    wrong = np.flatnonzero((inside[0] != pattern.row_ones) | (sum(inside) != size))
    if not wrong.size:
        return None
    row = int(wrong[0])
    expected = np.zeros(pattern.shape[1], dtype=np.bool_)
    expected[order[lengths[row] :] if upper[row] else order[: lengths[row]]] = True
    entries = pattern.block(row, row + 1)[0]
    return row, int(np.flatnonzero((entries != UNSPECIFIED) & (expected != (entries == 1)))[0])


def _ends(embedding: Embedding) -> tuple[ExactArray, ExactArray, ExactArray]:
    """Order columns by key; per row, count the first keys it splits off, and mark their side."""
    keys, queries = embedding.keys[:, 0], embedding.queries[:, 0]
    thresholds = embedding.thresholds
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    positive, negative = queries > 0, queries < 0
    lengths = np.zeros(len(queries), dtype=np.int64)
    # q k > t  <=>  k > floor(t / q) for q > 0, and k < -floor(t / -q) for q < 0 (k is whole).
    lengths[positive] = np.searchsorted(
        ascending, thresholds[positive] // queries[positive], side="right"
    )
    lengths[negative] = np.searchsorted(
        ascending, -(thresholds[negative] // -queries[negative]), side="left"
    )
    upper = positive | (~negative & (thresholds < 0))  # a zero query: all keys or none
    return order, lengths, upper
