"""Refutations for other people's checkers: clauses in DIMACS, and their proof in DRAT or LRAT.

A new kind of proof is one module beside these, and one line in `EXPORTS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.base import Proof, proves_yes
from samapprox.proofs.certificate import Certificate
from samapprox.reductions.exports.refutation import (
    PROOF_FORMATS,
    Refutation,
    Subject,
    write_formula,
    write_proof,
)
from samapprox.solvers.orientations.trim import find_hints
from samapprox.support.packages import lazy_modules

__all__ = ["EXPORTS", "PROOF_FORMATS", "Export", "export"]

_HERE = __name__

EXPORTS = {
    "chirotope": f"{_HERE}.orientations",
    "shared-chirotope": f"{_HERE}.tokens",
    "radon": f"{_HERE}.few_elements",
    "shattering": f"{_HERE}.few_elements",
    "counting": f"{_HERE}.few_elements",
    "sign-clash": f"{_HERE}.sign_clash",
    "few-values": f"{_HERE}.values",
}
"""Kind of proof -> the module with its `refutation_of(proof, pattern)`, imported when used."""

SUBJECTS = {"rank-refutation": f"{_HERE}.refutation"}
"""Kind of proof that contains one about another pattern -> the module with its `subject_of`."""

_NO_CLAUSES = {
    "forster": "its argument compares the norm of a matrix with real numbers, not clauses",
    "k-sets": "its argument counts the splits of points, not clauses",
    "recall-sets": "its argument counts the splits of points, not clauses",
    "extended": "it contains a refutation of another pattern; export that one",
    "real-vectors": "it contains a refutation of the dimension with dot products; export that one",
    "padded": "it contains a refutation of another pattern; export that one",
    "hitting-set": "its argument is about several cores and their hitting sets",
    "inscription": "its argument compares dihedral angles of a polytope, not clauses",
    "odd-cycle": "its argument is about the order of the keys under another similarity",
    "opposite-keys": "its argument is a cycle of odd length, under another similarity",
    "distinct-lines": "its argument counts vectors, not clauses",
    "topological": "its argument counts parities along a motion of the keys, not clauses",
    "margin-dual": "its argument is a sum of squares, not clauses",
    "key-form": "its argument is a sum of squares, not clauses",
    "spherical-code": "its argument compares areas on a sphere, not clauses",
    "sphere-packing": "its argument compares volumes, not clauses",
}
"""Kinds of NO without a refutation of clauses, and why."""


@dataclass(frozen=True, slots=True)
class Export:
    """A refutation as the files of SAT solvers.

    Attributes
    ----------
    formula : str
        The clauses that the refutation uses, in DIMACS. Comments state the meaning of each
        variable, and the reason for each clause.
    proof : str
        The lemmas that lead to the empty clause, in DRAT or LRAT.
    clauses, lemmas : int
        How many there are; the empty clause counts as a lemma.
    axioms : int
        How many of the clauses follow from final polynomials or automorphisms, which comments
        repeat but the proof cannot confirm.
    """

    formula: str
    proof: str
    clauses: int
    lemmas: int
    axioms: int


def export(pattern: Pattern, certificate: Certificate, proof_format: str = "drat") -> Export:
    r"""Write a proof of NO as a CNF and a proof of its unsatisfiability.

    Parameters
    ----------
    pattern : Pattern
        The pattern that the certificate is about.
    certificate : Certificate
        One of NO for this pattern.
    proof_format : {"drat", "lrat"}
        DRAT has the lemmas alone, LRAT the clauses that each follows from.

    Returns
    -------
    Export
        The two texts, and how many clauses and lemmas they have.

    Raises
    ------
    InputError
        The certificate does not hold, or its argument is not one of clauses.

    Notes
    -----
    Only the clauses and lemmas that the refutation uses are written. The lemmas of
    docs/theory/certificates.md connect the clauses with the pattern; the rest is propositional.

    References
    ----------
    Wetzler, Heule, Hunt (2014), "DRAT-trim: Efficient checking and trimming using expressive
    clausal proofs"; Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp (2017), "Efficient
    certified RAT verification".

    Examples
    --------
    >>> from samapprox import decide
    >>> pattern = Pattern.from_text("100\n010\n001")
    >>> written = export(pattern, decide(pattern, 1).certificate, "lrat")
    >>> print(written.formula[written.formula.index("p cnf"):])
    p cnf 3 5
    1 0
    -3 2 -1 0
    -3 -2 -1 0
    3 -2 -1 0
    3 2 -1 0
    <BLANKLINE>
    >>> print(written.proof)
    6 -1 -2 0 4 3 0
    7 -1 2 0 5 2 0
    8 -1 0 7 6 0
    9 0 1 8 0
    <BLANKLINE>
    """
    subject = _subject_of(pattern, certificate)
    proof = subject.certificate.proof
    kind = proof.KIND
    refutation: Refutation = import_module(EXPORTS[kind]).refutation_of(proof, subject.pattern)
    hinted = find_hints([part.clauses for part in refutation.axioms], refutation.lemmas)
    if hinted is None:  # cannot be: the checker has verified the same refutation
        raise AssertionError(f"the clauses of a {kind} differ from those of its check")
    return Export(
        write_formula(subject, refutation, hinted.used),
        write_proof(hinted, proof_format),
        sum(map(len, hinted.used)),
        len(hinted.lemmas),
        sum(
            len(used)
            for part, used in zip(refutation.axioms, hinted.used, strict=True)
            if part.is_stated
        ),
    )


def _subject_of(pattern: Pattern, certificate: Certificate) -> Subject:
    """Check a certificate, and return the pattern and the certificate that are exported for it."""
    kind = certificate.proof.KIND
    reason = None if kind in SUBJECTS else why_not(certificate.proof)
    if reason is None:
        check = certificate.verify(pattern)
        if not check:
            raise InputError(f"the certificate is not valid: {check.reason}")
        if kind not in SUBJECTS:
            return Subject(pattern, certificate)
        subject: Subject = import_module(SUBJECTS[kind]).subject_of(pattern, certificate)
        reason = why_not(subject.certificate.proof)
        if reason is None:
            return subject
    raise InputError(f"there is nothing to export for a proof of kind {reason}")


def why_not(proof: Proof) -> str | None:
    """Return the kind of a proof and why it has no refutation of clauses, or None if it has one."""
    if proves_yes(proof):
        return (
            f"{proof.KIND}: a YES is proven by numbers, which samapprox verify --embedding writes"
        )
    if proof.KIND in EXPORTS:
        return None
    return f"{proof.KIND}: {_NO_CLAUSES.get(proof.KIND, 'its argument is not one of clauses')}"


__getattr__, __dir__ = lazy_modules(__name__)
