"""Trimming of refutations to the clauses and lemmas that they need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.backends.sat import Lemmas

__all__ = ["trim"]

_MOST_STEPS = 1 << 62


def trim(
    blocks: Sequence[NDArray[np.integer]], lemmas: Lemmas, most_steps: int = _MOST_STEPS
) -> tuple[list[NDArray[np.int64]], Lemmas] | None:
    """Trim a refutation to the clauses and lemmas that it uses; None if that takes too long.

    Parameters
    ----------
    blocks : sequence of ndarray of int, shapes (clauses, literals)
        DIMACS literals, none twice in a clause.
    lemmas : list of clauses
        Each follows by unit propagation from all before it.
    most_steps : int
        Clauses that unit propagation may look at, some 10^8 a second.

    Returns
    -------
    used : list of ndarray of int64
        Of each block, which of its clauses, ascending.
    lemmas : list of clauses

    Notes
    -----
    Unit propagation for each lemma that is needed.

    References
    ----------
    Heule, Hunt, Wetzler (2013), "Trimming while checking clausal proofs".

    Examples
    --------
    >>> clauses = np.array([[1, 2], [3, 4], [-1, 2], [1, -2], [-1, -2]])
    >>> trim([clauses], [[3, 4, 1], [2]])
    ([array([0, 2, 3, 4])], [[2]])
    """
    from samapprox.solvers.orientations.needed_kernel import needed_clauses

    counts = [len(block) for block in blocks]
    widths = [np.full(len(block), block.shape[1], dtype=np.int64) for block in blocks]
    widths.append(np.array([len(lemma) for lemma in lemmas], dtype=np.int64))
    parts = [block.ravel().astype(np.int64) for block in blocks]
    parts.append(np.array([literal for lemma in lemmas for literal in lemma], dtype=np.int64))
    literals = np.concatenate(parts)
    starts = np.append(0, np.cumsum(np.concatenate(widths)))
    variables = int(np.abs(literals).max(initial=0))
    codes = 2 * np.abs(literals) + (literals < 0)
    kept, exceeded = needed_clauses(codes, starts, sum(counts), variables, most_steps)
    if exceeded:
        return None
    of_blocks = np.split(kept, np.cumsum(counts))
    used = [np.flatnonzero(mine) for mine in of_blocks[:-1]]
    return used, [lemma for lemma, mine in zip(lemmas, of_blocks[-1], strict=True) if mine]
