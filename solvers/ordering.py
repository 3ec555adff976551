"""d = 1 with don't-cares: the order of the keys, by SAT."""

from __future__ import annotations

from math import comb

import numpy as np

from samapprox.checker import Proof
from samapprox.chirotope import circuit_clauses, sign_matrix
from samapprox.problem import Problem
from samapprox.solvers.chirotope import Core, minimal, solve
from samapprox.solvers.moment_curve import embed
from samapprox.solvers.search import Search

__all__ = ["NAME", "applies", "find_proof"]

NAME = "ordering"

_MOST_CLAUSES = 4_000_000


def applies(problem: Problem) -> str | None:
    """Why this strategy has nothing to say about the problem; None when it applies."""
    if problem.d != 1:
        return "it is for d = 1"
    columns = problem.pattern.shape[1]
    if 8 * comb(columns, 3) > _MOST_CLAUSES:
        return f"{columns} columns have too many triples"
    return None


def find_proof(problem: Problem, search: Search) -> Proof | str:
    r"""Order the keys so that no row has an entry between two of the other kind.

    Parameters
    ----------
    problem : Problem
        d = 1.
    search : Search

    Returns
    -------
    Proof or str
        An embedding, or a `Chirotope` of rank 2: the orientation of two keys is their order, and
        the circuits of three keys say which of them lies between.

    Notes
    -----
    At most 8 C(n, 3) clauses of 3 literals. Complete: no more is asked of a row than that no triple
    of its entries alternates.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10*\n*10\n0*1"), 1)
    >>> find_proof(problem, Search()).keys.ravel().tolist()
    [0, 2, -2]
    """
    entries = problem.pattern.to_array()
    rows, columns = (list(range(size)) for size in entries.shape)
    signs = sign_matrix(entries, "columns")
    if len(columns) < 3:
        before = np.arange(len(columns))
    else:
        answer = solve(circuit_clauses(signs, 2).tolist(), search)
        if answer is None:
            return "no time left"
        if answer.lemmas is not None:
            core = Core(1, entries, "columns", rows, columns, lemmas=answer.lemmas)
            return minimal(core, search).proof()
        # chi(i, j) for i < j is variable 1 + i + C(j, 2): true when i comes before j.
        before = np.zeros(len(columns), dtype=np.int64)
        for j in columns:
            for i in range(j):
                later = j if (1 + i + comb(j, 2)) in answer.true else i
                before[later] += 1
    order = np.argsort(before, kind="stable")
    return embed(signs, "columns", order, np.ones(len(columns), dtype=np.int8))
