"""Proofs of results, checked and timed."""

from __future__ import annotations

import time

from samapprox.errors import CertificateError
from samapprox.proofs.base import Proof
from samapprox.proofs.checks import check
from samapprox.question import Question

__all__ = ["require_proof"]


def require_proof(question: Question, proof: Proof) -> float:
    """Check that a proof answers a question.

    Parameters
    ----------
    question : Question
    proof : Proof

    Returns
    -------
    float
        Wall-clock time of the exact check, in seconds.

    Raises
    ------
    CertificateError
        The proof does not hold: a bug in the strategy that found it.

    Examples
    --------
    >>> from samapprox import Pattern, Problem, Radon
    >>> problem = Problem(Pattern([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), 2)
    >>> require_proof(problem, Radon([0, 1, 2], [0, 1, 2]))
    Traceback (most recent call last):
    ...
    samapprox.errors.CertificateError: the Radon for d = 2 fails the checker: ...
    """
    start = time.perf_counter()
    reason = check(question, proof)
    seconds = time.perf_counter() - start
    if reason is not None:
        raise CertificateError(
            f"the {type(proof).__name__} for {question} fails the checker: {reason}"
        )
    return seconds
