"""The refutation in a proof of kind few-values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.values.clauses import ValueClauses
from samapprox.proofs.values.few_values import FewValues
from samapprox.reductions.exports.refutation import Axioms, Refutation

__all__ = ["refutation_of"]

_REASON = "Theorem 4 (clauses) or Theorem 5 (symmetries) of docs/theory/values.md."


def refutation_of(proof: FewValues, pattern: Pattern) -> Refutation:
    """Build the clauses of the check, each with its reason."""
    formula = proof.build_clauses(pattern)
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
    steps, (of_keys, of_queries) = formula.steps, formula.values
    notes = (
        f"Entries of keys are {', '.join(map(str, of_keys))}, those of queries "
        f"{', '.join(map(str, of_queries))}. Rows and columns are numbered as in the core.",
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
            values = formula.values[meaning.startswith("query ")]
            return f"{meaning} is {values[1 if len(values) == 2 else place]}"
        return meaning if " are equal " in meaning else f"{meaning}: steps >= {place + 1}"

    return name
