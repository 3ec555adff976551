"""Refutations for Z3, which checks steps by unit propagation, or else with its solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

Clauses = Iterable[Sequence[int]]


def is_accepted(clauses: Clauses, lemmas: Clauses) -> bool:
    """Return whether Z3 accepts each lemma, of which the last one is empty."""
    context = z3.Context()
    try:
        z3.Z3_eval_smtlib2_string(context.ref(), write_steps(list(clauses), list(lemmas)))
    except z3.Z3Exception as error:
        if "SMT proof verification failed" not in str(error):
            raise
        return False
    return True


def write_steps(clauses: Clauses, lemmas: Clauses) -> str:
    """Return the steps in the format of Z3's proof logs."""
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    return "\n".join(
        [
            "(declare-fun rup () Proof)",
            *(f"(declare-const x{variable} Bool)" for variable in variables),
            *(f"(assume {_write_clause(clause)})" for clause in clauses),
            *(f"(infer {_write_clause(lemma)} rup)" for lemma in lemmas),
        ]
    )


def _write_clause(clause: Sequence[int]) -> str:
    return " ".join(f"x{x}" if x > 0 else f"(not x{-x})" for x in clause)
