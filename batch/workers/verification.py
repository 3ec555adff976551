"""The task that checks given certificates."""

from __future__ import annotations

from samapprox.batch.results.outcome import Outcome, packed_certificate
from samapprox.batch.results.question import Question
from samapprox.batch.sets.certificates import certificates_of
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate

__all__ = ["verify"]


def verify(first: Outcome, question: Question, pattern: Pattern, _progress: object) -> Outcome:
    """Check every certificate of the pattern, of whatever task.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    question : Question
    pattern : Pattern

    Returns
    -------
    Outcome
        With the bounds on the weak dimension that the certificates prove, and the certificate of
        each; or else one certificate of YES and one of NO for other questions.
    """
    assert question.certificates is not None
    given = certificates_of(first.name, question.certificates, question.grading)
    checks = [(certificate, certificate.verify(pattern)) for certificate in given]
    wrong = [check.reason for _, check in checks if not check]
    if wrong:
        return first._replace(verdict="INVALID", error="; ".join(wrong))
    if not given:
        return first
    yes, no = ([one for one in given if one.answer == side] for side in ("YES", "NO"))
    least = min((c for c in yes if c.is_about_dot_products), key=lambda c: c.d, default=None)
    most = max((c for c in no if _is_free(c)), key=lambda c: c.d, default=None)
    return first._replace(
        verdict="VALID",
        lower=1 if most is None else most.d + 1,
        upper=first.upper if least is None else least.d,
        yes=packed_certificate(least or next(iter(yes), None)),
        no=packed_certificate(most or next(iter(no), None)),
    )


def _is_free(certificate: Certificate) -> bool:
    """Whether a NO is about independent queries and keys, so that it bounds the weak dimension."""
    if not certificate.is_about_dot_products:
        return False
    return certificate.d_hid is None or certificate.d_hid >= 2 * certificate.d
