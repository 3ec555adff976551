"""The refutation in a proof of kind few-values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.values.clauses import Steps, ValueClauses
from samapprox.proofs.values.few_values import FewValues
from samapprox.reductions.exports.refutation import Axioms, Refutation

__all__ = ["refutation_of"]

_REASON = "Theorem 3 (clauses) or Theorem 4 (symmetries) of docs/theory/values.md."


def refutation_of(proof: FewValues, pattern: Pattern) -> Refutation:
    """Build the clauses of the check, each with its reason."""
    values, formula = proof.values, proof.build_clauses(pattern)
    widths: dict[int, list[int]] = {}
    for number, clause in enumerate(formula.clauses):
        widths.setdefault(len(clause), []).append(number)
    starts = [start for start, _ in formula.starts]

    def origin(numbers: list[int], clause: int) -> str:
        return formula.starts[bisect_right(starts, numbers[clause]) - 1][1]

    axioms = [
        Axioms(
            _REASON,
            np.array([formula.clauses[number] for number in numbers]),
            partial(origin, numbers),
        )
        for numbers in widths.values()
    ]
    steps = Steps.of(values)
    notes = (
        f"Entries of queries and keys are {', '.join(map(str, values))}. Rows and columns are "
        "numbered as in the core.",
        f"A product p has (p - {steps.least}) / {steps.unit} steps; a threshold counts the steps "
        "that the ones of a row have at least.",
    )
    details = {
        "excludes": {"d": proof.d, "similarity": proof.similarity},
        "core": {"rows": list(proof.rows), "columns": list(proof.columns)},
    }
    return Refutation(notes, formula.variables, _names(formula), axioms, proof.lemmas, details)


def _names(formula: ValueClauses) -> Callable[[int], str]:
    """Return the meanings of the variables: a number of a group is one step more, or a value."""
    firsts = [first for first, _ in formula.names]

    def name(variable: int) -> str:
        first, meaning = formula.names[bisect_right(firsts, variable) - 1]
        place = variable - first
        if meaning.startswith(("key ", "query ")):
            few = len(formula.values) == 2
            return f"{meaning} is {formula.values[1 if few else place]}"
        return meaning if " are equal " in meaning else f"{meaning}: steps >= {place + 1}"

    return name
