"""The margin of an embedding, as JSON documents state it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samapprox.pattern import Pattern
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.margin import logit_margin

__all__ = ["measure_precision"]

_MOST_LOGITS = 50_000_000  # measured without being asked for


def measure_precision(
    pattern: Pattern, proof: Proof | None, rows_lost: Mapping[str, Sequence[int]] | None = None
) -> dict[str, Any] | None:
    """Return the "precision" of `schemas/verdict.schema.json`.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
    proof : Proof or None
        One that holds for the pattern.
    rows_lost : mapping of str to sequence of int, optional
        For each number format that was tried, the rows that come out wrong.

    Returns
    -------
    dict or None
        None without an embedding; also, if no number format was tried, above 50 million logits and
        for proofs that do not state their numbers.

    Notes
    -----
    O(m n d) time for dimension d.

    Examples
    --------
    >>> from samapprox import decide
    >>> verdict = decide([[1, 0], [0, 1]])
    >>> measure_precision(verdict.problem.pattern, verdict.proof)["least"]
    1.0
    """
    rows, columns = pattern.shape
    if rows * columns > _MOST_LOGITS and not rows_lost:
        return None
    if not isinstance(proof, Witness) or not (proof.EXPLICIT or rows_lost):
        return None
    lost = {name: list(rows) for name, rows in (rows_lost or {}).items()}
    return {**logit_margin(pattern, proof.embedding(pattern)).to_json(), "rows_lost": lost}
