"""Clauses that follow from data of a certificate: final polynomials and automorphisms.

A checker of SAT proofs takes them as they are, so the comments repeat these data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from samapprox.proofs.kinds.final_polynomial import FinalPolynomial, Step
from samapprox.proofs.kinds.symmetry import Automorphism, Symmetry
from samapprox.reductions.exports.refutation import Axioms

__all__ = ["polynomial_axioms", "symmetry_axioms", "write_terms"]

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
    """Yield the clause of each final polynomial.

    Parameters
    ----------
    polynomials : sequence of FinalPolynomial
    names : sequence of str
        The names of the elements.
    """
    for number, polynomial in enumerate(polynomials):
        steps = "; ".join(_write_step(step, names) for step in polynomial.steps)
        yield _stated(_POLYNOMIALS, polynomial.clause, f"final polynomial {number}: {steps}")


def symmetry_axioms(symmetry: Symmetry | None, names: Sequence[str]) -> Iterator[Axioms]:
    """Yield the clauses of each automorphism.

    Parameters
    ----------
    symmetry : Symmetry or None
    names : sequence of str
        The names of the elements.
    """
    for number, automorphism in enumerate(symmetry.automorphisms if symmetry is not None else ()):
        origin = f"automorphism {number}: {_write_automorphism(automorphism, names)}"
        for clause in automorphism.clauses:
            yield _stated(_SYMMETRY, list(dict.fromkeys(clause)), origin)


def write_terms(fixed: Sequence[str], four: Sequence[str]) -> list[str]:
    """Write the products of brackets in a three-term relation, without their signs.

    Examples
    --------
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
