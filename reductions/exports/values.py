"""The refutation in a proof of kind few-values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.values.clauses import Formula, Steps, query_values
from samapprox.proofs.values.cut_clauses import CutClauses
from samapprox.proofs.values.few_values import FewValues
from samapprox.reductions.exports.refutation import Axioms, Refutation

_REASON = "Theorem {} (clauses) or Theorem 5 (symmetries) of docs/theory/values.md."


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
            _REASON.format(4 if proof.clauses is None else 6),
            np.array([formula.clauses[number] for number in numbers]),
            partial(origin, numbers),
        )
        for numbers in widths.values()
    ]
    of_queries = query_values(formula.similarity, proof.d)
    notes = (
        f"Entries of keys are {', '.join(map(str, formula.values))}, those of queries "
        f"{', '.join(map(str, of_queries))}. Rows and columns are numbered as in the core.",
        _note(formula, of_queries),
    )
    details = {
        "excludes": {"d": proof.d, "similarity": proof.similarity},
        "core": {"rows": list(proof.rows), "columns": list(proof.columns)},
    }
    return Refutation(
        notes, formula.variables, _names(formula, of_queries), axioms, proof.lemmas, details
    )


def _note(formula: Formula, of_queries: tuple[int, ...]) -> str:
    """Return what steps are steps of."""
    if isinstance(formula, CutClauses):
        values = formula.values
        return (
            f"Entry b of a key has (b - {values[0]}) / {formula.scale.unit} steps, and |a| times "
            "as many levels for the entry a of a query, or as it lacks to the largest if a < 0."
        )
    steps = Steps.of(of_queries, formula.values)
    return (
        f"A product p has (p - {steps.least}) / {steps.unit} steps; a threshold counts the steps "
        "that the ones of a row have at least."
    )


def _names(formula: Formula, of_queries: tuple[int, ...]) -> Callable[[int], str]:
    """Return the meanings of the variables: a number of a group is one step more, or a value."""
    firsts = [first for first, _ in formula.names]

    def name(variable: int) -> str:
        first, meaning = formula.names[bisect_right(firsts, variable) - 1]
        place = variable - first
        if meaning.startswith(("key ", "query ")):
            values = of_queries if meaning.startswith("query ") else formula.values
            return f"{meaning} is {values[1 if len(values) == 2 else place]}"
        if isinstance(formula, CutClauses) and meaning.startswith("cut of row "):
            cut = formula.cuts[place]
            sign = ">=" if cut.is_above else "<"
            return f"{meaning}: levels for {cut.query} {sign} {cut.level}"
        if meaning.startswith("levels "):
            return f"{meaning} >= {place + 1}"
        is_complete = " are equal " in meaning or " beginning with " in meaning
        return meaning if is_complete else f"{meaning}: steps >= {place + 1}"

    return name
