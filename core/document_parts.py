"""Parts that the JSON documents of several results share."""

from __future__ import annotations

from typing import Any

from samapprox.grading import Grading
from samapprox.proofs.certificate import Certificate

__all__ = ["write_certificate", "write_matrix"]


def write_matrix(
    shape: tuple[int, int],
    source: str | None,
    *,
    grading: Grading | None = None,
    **facts: int,
) -> dict[str, Any]:
    """Return the member that names the pattern or matrix of a document.

    Parameters
    ----------
    shape : (m, n)
    source : str or None
        The origin of the matrix.
    grading : Grading, optional
        The rule that made entries of retrieval judgements.
    **facts
        More members, which follow the shape.

    Examples
    --------
    >>> write_matrix((2, 3), "a.csv", causal=False)
    {'source': 'a.csv', 'rows': 2, 'columns': 3, 'causal': False}
    """
    rows, columns = shape
    judgements = {} if grading is None else {"judgements": grading.origin}
    return {"source": source, "rows": rows, "columns": columns, **facts, **judgements}


def write_certificate(certificate: Certificate | None) -> dict[str, Any] | None:
    """Return a certificate as a member of a document; None if there is none.

    Examples
    --------
    >>> from samapprox import decide
    >>> write_certificate(decide([[1, 0], [0, 1]]).certificate)["answer"]
    'YES'
    """
    return None if certificate is None else certificate.to_json()
