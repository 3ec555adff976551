"""The subject of an export: a pattern, a refutation of its dimension, and its sense for a rank."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.questions import Rank
from samapprox.proofs.ranks.refutation import RankRefutation

__all__ = ["Subject", "subject_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A pattern, and a certificate of NO for a dimension of it."""

    pattern: Pattern
    certificate: Certificate
    about: tuple[str, ...] = ()  # what it means for the question that was asked, in lines


def subject_of(matrix: Pattern, certificate: Certificate) -> Subject:
    r"""Return the reduced pattern, the refutation of its dimension, and why it excludes the rank.

    `certificate`: a valid one.

    >>> from samapprox import rank
    >>> found = rank([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]], kind="row")
    >>> subject = subject_of(found.matrix, found.no_certificate)
    >>> subject.certificate.d, subject.about[0][:69]
    (1, 'samapprox: rank at most 1 with a threshold for each row is impossible')
    """
    question, proof = certificate.ask(matrix), certificate.proof
    assert isinstance(question, Rank)
    assert isinstance(proof, RankRefutation)
    if len(proof.cases) > 1:
        raise InputError(
            "its argument has one case for positive and one for negative thresholds, with clauses "
            "of their own; refutations of a sign-rank or of --kind row have one"
        )
    case = proof.cases[0]
    reduced = case.reduced_pattern(matrix)
    inner = Certificate.of(Problem(reduced, case.excluded_dimension(question.rank)), case.proof)
    rows, columns = matrix.shape
    labels = [
        *(f"row {row} below: {reduced.row_label(row)}" for row in range(reduced.shape[0])),
        *(f"column {one} below: {reduced.column_label(one)}" for one in range(reduced.shape[1])),
    ]
    return Subject(
        reduced,
        inner,
        (
            f"samapprox: {question} is impossible for this {rows} x {columns} matrix of signs "
            f"(sha256 {matrix.sha256}).",
            *case.reason(question).splitlines(),
            "docs/theory/ranks.md has the proof. What follows is about the reduced pattern.",
            *labels,
        ),
    )
