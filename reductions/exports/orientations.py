"""The refutation in a proof of kind chirotope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.final_polynomial import FinalPolynomial, Step
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_kinds,
    kind_clauses,
    relation_clauses,
    sign_matrix,
    three_term_relations,
    unrank_subsets,
)
from samapprox.proofs.refutations.symmetry import Automorphism, Symmetry
from samapprox.reductions.exports.refutation import Axioms, Refutation

MIRROR = "Lemma 5 (mirror): one orientation can be chosen freely."
_RELATIONS = (
    "Lemma 4 (Grassmann-Pluecker relations): three terms with the sum 0 do not have one sign."
)
_CIRCUITS = "Lemma 3 (circuits): no line has the signs of a dependence of its elements."


def refutation_of(proof: Chirotope, pattern: Pattern) -> Refutation:
    r"""Build the clauses of the check, each with its reason."""
    names = _element_names(proof)
    size, rank = len(names), proof.d + 1
    signs = sign_matrix(pattern.submatrix(proof.rows, proof.columns), proof.elements)
    axioms = [
        Axioms(MIRROR, np.array([[1]]), lambda _: "the first orientation"),
        *polynomial_axioms(proof.polynomials, names),
        *symmetry_axioms(proof.symmetry, names),
        _circuits(proof, signs, names),
    ]
    if proof.relations and size >= rank + 2:
        chosen = None if isinstance(proof.relations, bool) else proof.relations
        axioms.append(_relations(chosen, rank, names))

    def name(variable: int) -> str:
        subset = unrank_subsets(np.array([variable - 1]), rank)[0]
        return f"{proof.elements} {' '.join(names[element] for element in subset)}"

    details: dict[str, object] = {
        "excludes": {"d": proof.d},
        "elements": proof.elements,
        "core": {"rows": list(proof.rows), "columns": list(proof.columns)},
    }
    if proof.symmetry is not None:
        details["order"] = list(proof.symmetry.order)
    notes = (
        f"A variable is true if the determinant of its {rank} elements is positive. Elements are "
        f"vectors of R^{rank}: (k, 1) for a column",
        "with the key k, (q, -t) for a row with the query q and the threshold t, and (0, .., 0, 1) "
        "for +.",
    )
    return Refutation(notes, comb(size, rank), name, axioms, proof.lemmas, details)


def _element_names(proof: Chirotope) -> list[str]:
    """Return the names of the elements: the pattern's numbers, and + for the extra query."""
    if proof.elements == "columns":
        return [str(column) for column in proof.columns]
    return ["+", *(str(row) for row in proof.rows)]


def _circuits(proof: Chirotope, signs: NDArray[np.int8], names: Sequence[str]) -> Axioms:
    """Return the clauses of all circuits, each with a line that has the signs."""
    subsets, codes = circuit_kinds(signs, proof.d + 1)
    line_name = _line_names(proof)
    weights = 1 << np.arange(proof.d + 1)

    @cache
    def lines_by_code(subset: tuple[int, ...]) -> dict[int, int]:
        """Return the first line that has each kind of signs on a subset."""
        values = signs[:, subset]
        known = np.flatnonzero(values.all(axis=1))
        found = (values[known, 1:] != values[known, :1]) @ weights
        first = np.unique(found, return_index=True)
        return dict(zip(first[0].tolist(), known[first[1]].tolist(), strict=True))

    def origin(clause: int) -> str:
        kind = clause % len(subsets)
        subset = tuple(subsets[kind].tolist())
        line = line_name(lines_by_code(subset)[int(codes[kind])])
        return f"{line} on {proof.elements} {' '.join(names[element] for element in subset)}"

    return Axioms(_CIRCUITS, kind_clauses(subsets, codes), origin)


def _relations(chosen: Sequence[int] | None, rank: int, names: Sequence[str]) -> Axioms:
    """Return the clauses of all relations or of the chosen ones."""
    relations = three_term_relations(len(names), rank, chosen)

    def origin(clause: int) -> str:
        at = clause % len(relations.fours)
        fixed, four = relations.fixed[at].tolist(), relations.fours[at].tolist()
        terms = write_terms([names[e] for e in fixed], [names[e] for e in four])
        return f"{terms[0]} - {terms[1]} + {terms[2]} = 0"

    return Axioms(_RELATIONS, relation_clauses(len(names), rank, chosen), origin)


def _line_names(proof: Chirotope) -> Callable[[int], str]:
    """Return the names of the covectors: columns, or row 0 of + and the rows."""
    if proof.elements == "rows":
        return lambda line: f"column {proof.columns[line]}"
    return lambda line: f"row {proof.rows[line - 1]}" if line else "the row of +"


_POLYNOMIALS = (
    "Lemma 6 (final polynomials): these signs contradict each other. An axiom for the proof: the "
    "inequalities have to be multiplied."
)
_SYMMETRY = (
    "Lemma 11 (symmetry): the least orientations satisfy it, in the order that the line of JSON "
    "states. An axiom for the proof: the automorphism has to be checked."
)


def polynomial_axioms(
    polynomials: Sequence[FinalPolynomial], names: Sequence[str]
) -> Iterator[Axioms]:
    """Yield the clause of each final polynomial."""
    for number, polynomial in enumerate(polynomials):
        steps = "; ".join(_write_step(step, names) for step in polynomial.steps)
        yield _stated(_POLYNOMIALS, polynomial.clause, f"final polynomial {number}: {steps}")


def symmetry_axioms(symmetry: Symmetry | None, names: Sequence[str]) -> Iterator[Axioms]:
    """Yield the clauses of each automorphism."""
    for number, automorphism in enumerate(symmetry.automorphisms if symmetry is not None else ()):
        origin = f"automorphism {number}: {_write_automorphism(automorphism, names)}"
        for clause in automorphism.clauses:
            yield _stated(_SYMMETRY, list(dict.fromkeys(clause)), origin)


def write_terms(fixed: Sequence[str], four: Sequence[str]) -> list[str]:
    """Write the products of brackets in a three-term relation, without their signs.

    >>> write_terms(["7"], ["0", "2", "3", "5"])
    ['[7 0 2][7 3 5]', '[7 0 3][7 2 5]', '[7 0 5][7 2 3]']
    """
    b, c, d, e = four
    pairs = ((b, c), (d, e)), ((b, d), (c, e)), ((b, e), (c, d))
    return ["".join(f"[{' '.join([*fixed, *pair])}]" for pair in term) for term in pairs]


def _stated(reason: str, clause: Sequence[int], origin: str) -> Axioms:
    return Axioms(reason, np.array([clause]), lambda _: origin, is_stated=True)


def _write_step(step: Step, names: Sequence[str]) -> str:
    terms = write_terms([names[e] for e in step.fixed], [names[e] for e in step.four])
    power = f" (power {step.power})" if step.power > 1 else ""
    return f"|{terms[step.larger]}| > |{terms[step.smaller]}|{power}"


def _write_automorphism(automorphism: Automorphism, names: Sequence[str]) -> str:
    """Write which element takes the place of which other one, a minus if with the other sign."""
    moves = [
        f"{names[image]} as {'-' if element in automorphism.flipped else ''}{names[element]}"
        for element, image in enumerate(automorphism.permutation)
        if element != image or element in automorphism.flipped
    ]
    return ", ".join(moves) or "the mirror"
