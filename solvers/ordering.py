"""d = 1 with don't-cares: the order of the keys, by SAT."""

from __future__ import annotations

from math import comb

import numpy as np

from samapprox.checker import Proof
from samapprox.chirotope import circuit_clauses, sign_matrix
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import Problem
from samapprox.solvers.cores import Core, grown, minimal
from samapprox.solvers.orders import embed_columns
from samapprox.solvers.sat import Sat
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
    before = np.zeros(len(columns), dtype=np.int64)
    with Sat(search) as sat:
        sat.add([[1]])
        sat.add(circuit_clauses(signs, 2).tolist())
        answer = sat.satisfied()
        true = sat.true if answer else frozenset()
        # chi(i, j) for i < j is variable 1 + i + C(j, 2): true when i comes before j.
        for j in columns if answer else ():
            for i in range(j):
                before[j if (1 + i + comb(j, 2)) in true else i] += 1
    if not answer:
        core = grown(Core(1, entries, "columns", rows, columns), search)
        core = core and minimal(core, search)
        return "no time left" if core is None else core.proof()
    order = np.argsort(before, kind="stable")
    plain = np.where(entries == UNSPECIFIED, 0, 2 * (entries == 1) - 1).astype(np.int8)
    return embed_columns(plain, order, 1)
