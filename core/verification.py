"""Verification of a certificate for a pattern, either of them from memory or from a file."""

from __future__ import annotations

from pathlib import Path

from samapprox.formats import PatternLike, as_pattern
from samapprox.formats.signs import as_sign_matrix
from samapprox.proofs.certificate import Certificate, Check
from samapprox.proofs.questions import Rank


def verify(
    entries: PatternLike,
    certificate: Certificate | str | Path,
    *,
    causal: bool = False,
) -> Check:
    """Check in exact arithmetic that a certificate proves its answer for this pattern.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        The pattern, or the matrix of signs where the certificate is about a rank.
    certificate : Certificate, or path of one
        The proof to check, bound to the fingerprint of its pattern.
    causal : bool
        Take the causal view of the pattern first.

    Returns
    -------
    Check
        True in a boolean context when the certificate holds; `reason` says what or why not.

    Raises
    ------
    InputError
        The pattern is unusable, or the file is not a certificate.

    Examples
    --------
    >>> from samapprox import decide
    >>> certificate = decide([[1, 0], [0, 1]]).certificate
    >>> bool(verify([[1, 0], [0, 1]], certificate))
    True
    """
    if not isinstance(certificate, Certificate):
        certificate = Certificate.load(certificate)
    if certificate.task == Rank.TASK and not causal:
        return certificate.verify(as_sign_matrix(entries))
    return certificate.verify(as_pattern(entries, causal=causal))
