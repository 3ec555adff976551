"""The check of a refuted chirotope of queries and keys that share X."""

from __future__ import annotations

from samapprox.problem import Problem
from samapprox.proofs.checks.orientation_clauses import MOST_RANK
from samapprox.proofs.checks.refutation import (
    MOST_CLAUSES,
    ClauseBlocks,
    find_fault_of_lemmas,
    find_fault_of_names,
)
from samapprox.proofs.checks.token_clauses import (
    most_token_clauses,
    token_clauses,
    token_variables,
)
from samapprox.proofs.kinds.shared_chirotope import SharedChirotope

__all__ = ["find_fault"]


def find_fault(problem: Problem, proof: SharedChirotope) -> str | None:
    r"""Return the reason why the core may have consistent orientations; None if it has none.

    Parameters
    ----------
    problem : Problem
    proof : SharedChirotope

    Examples
    --------
    >>> from samapprox import Pattern
    >>> problem = Problem(Pattern.from_text("10\n01"), 1, 1)
    >>> find_fault(problem, SharedChirotope(1, [0, 1], [0, 1], False, []))
    'the lemmas lead to no contradiction'
    """
    if not problem.coupled or problem.d_hid is None:
        return f"a shared chirotope is about queries and keys of one X, not {problem}"
    if problem.d_hid > proof.d_hid:
        return f"it excludes d_hid = {proof.d_hid}, not {problem.d_hid}"
    if proof.d_hid >= MOST_RANK:  # the clauses of the smallest cores are too many even to count
        return f"d_hid = {proof.d_hid} is too large to check"
    dimensions, sizes = (proof.d, proof.d_hid), (len(proof.rows), len(proof.columns))
    if max(sizes) + proof.d_hid - proof.d <= proof.d:
        return f"a core of {sizes[0]} x {sizes[1]} satisfies every clause of rank {proof.d + 1}"
    most = most_token_clauses(*sizes, *dimensions, relations=proof.relations)
    if most > MOST_CLAUSES:
        return f"its core is too large to check: {most} clauses"
    fault = find_fault_of_names(
        proof.lemmas, token_variables(proof.rows, proof.columns, *dimensions)
    )
    if fault is not None:
        return fault
    entries = problem.pattern.submatrix(proof.rows, proof.columns)
    blocks = token_clauses(
        entries, proof.rows, proof.columns, *dimensions, relations=proof.relations
    )
    # Reflecting X turns every orientation round, so the first may be taken as positive.
    clauses = ClauseBlocks([block.clauses for block in blocks], [[1]])
    return find_fault_of_lemmas(clauses, proof.lemmas)
