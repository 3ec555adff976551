"""The check of a refuted chirotope."""

from __future__ import annotations

from math import comb

from samapprox.problem import Problem
from samapprox.proofs.checks import final_polynomial, symmetry
from samapprox.proofs.checks.orientation_clauses import (
    CLAUSES_A_RELATION,
    circuit_clauses,
    count_relations,
    kinds_fit,
    most_clauses,
    relation_clauses,
    sign_matrix,
)
from samapprox.proofs.checks.refutation import (
    MOST_CLAUSES,
    ClauseBlocks,
    find_fault_of_lemmas,
    find_fault_of_names,
)
from samapprox.proofs.kinds.chirotope import Chirotope

__all__ = ["find_fault"]

_MOST_SIGNS = 1 << 30
"""Signs of covectors, over all circuits, of the largest core that is read: some ten seconds."""


def find_fault(problem: Problem, proof: Chirotope) -> str | None:
    r"""Return the reason why the core may have consistent orientations; None if it has none.

    Parameters
    ----------
    problem : Problem
    proof : Chirotope

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("100\n010\n001"), 1)
    >>> proof = Chirotope(1, range(3), range(3), "columns", False, [])
    >>> find_fault(problem, proof)
    'the lemmas lead to no contradiction'
    >>> find_fault(problem, Chirotope(1, range(3), range(3), "columns", False, [[2]])) is None
    True
    """
    rank = proof.d + 1
    signs = sign_matrix(problem.pattern.submatrix(proof.rows, proof.columns), proof.elements)
    covectors, elements = signs.shape
    if elements <= rank or not covectors:
        return f"{elements} elements of rank {rank} satisfy every clause"
    if not kinds_fit(elements, rank):
        return f"its core of {elements} elements of rank {rank} is too large to check"
    circuits = comb(elements, rank + 1)
    if circuits * covectors * (rank + 1) > _MOST_SIGNS:
        return f"its core is too large to check: {covectors} covectors on {circuits} circuits"
    chosen = None if isinstance(proof.relations, bool) else proof.relations
    most = most_clauses(elements, covectors, rank, relations=proof.relations is True)
    most += CLAUSES_A_RELATION * len(chosen or ())
    broken = proof.symmetry.clauses if proof.symmetry is not None else []
    most += len(broken)
    if most > MOST_CLAUSES:
        return f"its core is too large to check: {most} clauses"
    if chosen and (fault := _no_such_relation(chosen[-1], elements, rank)) is not None:
        return fault
    fault = find_fault_of_names(proof.lemmas, comb(elements, rank))
    if fault is not None:
        return fault
    for number, polynomial in enumerate(proof.polynomials):
        fault = final_polynomial.find_fault(polynomial, elements, rank)
        if fault is not None:
            return f"final polynomial {number}: {fault}"
    if proof.symmetry is not None:
        fault = symmetry.find_fault(proof.symmetry, signs, rank)
        if fault is not None:
            return fault
    blocks = [circuit_clauses(signs, rank)]
    if proof.relations and elements >= rank + 2:
        blocks.append(relation_clauses(elements, rank, chosen))
    # Mirroring space turns every orientation round, so the first may be taken as positive.
    others = [[1], *(polynomial.clause for polynomial in proof.polynomials), *broken]
    return find_fault_of_lemmas(ClauseBlocks(blocks, others), proof.lemmas)


def _no_such_relation(last: int, elements: int, rank: int) -> str | None:
    """Return the reason why no relation has that number or they are too many to count, or None."""
    count = count_relations(elements, rank)
    if count > MOST_CLAUSES:
        return f"its core is too large to check: {count} relations"
    return f"there is no relation {last}: there are {count}" if last >= count else None
