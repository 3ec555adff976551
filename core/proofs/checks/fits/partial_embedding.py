"""The check of a proof of YES for all but some rows or entries."""

from __future__ import annotations

import numpy as np

from samapprox.errors import InputError
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.kinds.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions.fit import Fit

__all__ = ["find_fault"]


def find_fault(question: Fit, proof: PartialEmbedding) -> str | None:
    r"""Return the reason why there are too many wrong items or the proof for the rest fails.

    Parameters
    ----------
    question : Fit
    proof : PartialEmbedding

    Notes
    -----
    Linear in the stored entries (all entries where single ones are wrong), and the cost of the
    check of the proof for the rest.

    Examples
    --------
    >>> from samapprox import Embedding, Pattern
    >>> proof = PartialEmbedding("rows", [1], Embedding([[-1], [1]], [[0], [1], [2]], [-1, 1]))
    >>> find_fault(Fit(Pattern.from_text("100\n010\n001"), 1, wrong=1), proof) is None
    True
    >>> find_fault(Fit(Pattern.from_text("100\n010\n001"), 1, wrong=0), proof)
    'it has 1 wrong item, more than 0'
    """
    pattern = question.pattern
    rows, columns = pattern.shape
    if proof.unit != question.unit:
        return f"its wrong items are {proof.unit}, not {question.unit}"
    count = len(proof.wrong)
    if count > question.wrong:
        return f"it has {count} wrong item{'s' * (count > 1)}, more than {question.wrong}"
    items = rows if proof.unit == "rows" else rows * columns
    if count and proof.wrong.max() >= items:
        return f"it names item {proof.wrong.max()}, but there are only {items} {proof.unit}"
    if proof.unit == "entries" and pattern.unspecified is not None:
        places = np.divmod(proof.wrong, columns)
        if (stars := np.flatnonzero(pattern.unspecified.entries(*places))).size:
            return f"item {proof.wrong[stars[0]]} is a don't-care entry, which cannot be wrong"
    try:
        rest = proof.right_part(pattern)
    except InputError as error:
        return str(error)
    return check(Problem(rest, question.d, None, question.similarity), proof.proof)
