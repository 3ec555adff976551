"""A refutation of clauses, with the reason for each clause, and the pattern that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, abridge
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.questions import Rank
from samapprox.proofs.ranks.refutation import RankRefutation
from samapprox.solvers.orientations.trim import Hinted
from samapprox.support.arrays import Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Axioms:
    """Clauses that follow from the pattern for one reason."""

    reason: str  # A lemma of docs/theory/certificates.md, and what it says
    # shape (count, length): DIMACS literals, no variable twice in a clause.
    clauses: NDArray[np.integer]
    # From the number of a clause to the part of the pattern that it follows from.
    origin: Callable[[int], str]
    # Whether the clauses follow from data of the certificate that the comments repeat, and from
    # no part of the pattern alone: final polynomials and automorphisms.
    is_stated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """Clauses that some embedding satisfies if there is any, and lemmas that contradict them."""

    notes: Sequence[str]  # The meaning of the variables, in lines
    variables: int  # The largest variable
    name: Callable[[int], str]  # From a variable to its meaning
    axioms: Sequence[Axioms]
    # Each follows by unit propagation; the empty clause at the end is understood.
    lemmas: Sequence[Sequence[int]]
    details: dict[str, Any]  # The core and what else identifies the clauses, as JSON


FORMAT = "samapprox-export"
VERSION = 1

PROOF_FORMATS = ("drat", "lrat")
"""The formats of proofs: lemmas alone, or each with the clauses that it follows from."""


def write_formula(subject: Subject, refutation: Refutation, used: Sequence[Numbers]) -> str:
    """Write the used clauses of a refutation in DIMACS."""
    written = [
        (axioms.reason, axioms.clauses[clause].tolist(), axioms.origin(clause))
        for axioms, chosen in zip(refutation.axioms, used, strict=True)
        for clause in chosen.tolist()
    ]
    clauses = [clause for _, clause, _ in written]
    mentioned = sorted({abs(literal) for clause in clauses for literal in clause})
    comments = [
        *subject.about,
        *_title(subject.pattern, subject.certificate, refutation),
        *refutation.notes,
        *(f"{variable}: {refutation.name(variable)}" for variable in mentioned),
        *_reasons([(reason, origin) for reason, _, origin in written]),
    ]
    lines = [f"c {' '.join(comment.split())}" for comment in comments]
    lines.append(f"p cnf {refutation.variables} {len(clauses)}")
    lines += [" ".join(map(str, clause)) + " 0" for clause in clauses]
    return "\n".join([*lines, ""])


def _title(pattern: Pattern, certificate: Certificate, refutation: Refutation) -> Iterator[str]:
    """Yield the claim, the document, and the names of the core's rows and columns."""
    rows, columns = pattern.shape
    yield (
        f"samapprox: no attention with {certificate.ask(pattern)} represents this "
        f"{rows} x {columns} pattern, "
        f"because these clauses contradict each other ({certificate.proof.KIND})."
    )
    yield json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "kind": certificate.proof.KIND,
            "pattern": {"rows": rows, "columns": columns, "sha256": pattern.sha256},
            "problem": {"d": certificate.d, "d_hid": certificate.d_hid},
            **refutation.details,
        }
    )
    yield "Lemmas are those of docs/theory/certificates.md, and only they are about geometry."
    core = refutation.details["core"]
    if pattern.row_names is not None:
        yield from (pattern.row_label(row) for row in core["rows"])
    if pattern.column_names is not None:
        yield from (pattern.column_label(column) for column in core["columns"])


def _reasons(origins: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each reason before the clauses that have it, with the origin of each clause."""
    number = 0
    for reason, group in groupby(origins, key=lambda pair: pair[0]):
        yield reason
        for _, origin in group:
            number += 1
            yield f"clause {number}: {origin}"


def write_proof(hinted: Hinted, proof_format: str) -> str:
    r"""Write the lemmas of a refutation, the empty clause last.

    >>> hinted = Hinted([np.array([0, 1])], [()], [np.array([1, 2])])
    >>> write_proof(hinted, "drat"), write_proof(hinted, "lrat")
    ('0\n', '3 0 1 2 0\n')
    """
    if proof_format not in PROOF_FORMATS:
        formats = " or ".join(map(repr, PROOF_FORMATS))
        raise InputError(f"proof_format must be {formats}, not {abridge(proof_format)}")
    without_hints = ([*lemma, 0] for lemma in hinted.lemmas)
    steps = without_hints if proof_format == "drat" else _hinted_lemmas(hinted)
    return "".join(" ".join(map(str, step)) + "\n" for step in steps)


def _hinted_lemmas(hinted: Hinted) -> Iterator[list[int]]:
    """Yield the lemmas as LRAT has them: number, literals, 0, hints, 0."""
    first = 1 + sum(map(len, hinted.used))
    for number, (lemma, hints) in enumerate(zip(hinted.lemmas, hinted.hints, strict=True), first):
        yield [number, *lemma, 0, *hints.tolist(), 0]


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
