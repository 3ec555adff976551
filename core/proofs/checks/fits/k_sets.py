"""The check of a proof by the numbers of splits of each size."""

from __future__ import annotations

import numpy as np

from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.kinds.fits.k_sets import KSets
from samapprox.proofs.questions.fit import Fit
from samapprox.proofs.splits import count_right

__all__ = ["find_fault"]

_MOST_PARTS = 1 << 13
"""Each takes a tenth of a millisecond at least; honest proofs have some hundred."""


def find_fault(fit: Fit, proof: KSets) -> str | None:
    r"""Return the reason why so few rows or entries may be wrong after all, or None.

    Parameters
    ----------
    fit : Fit
    proof : KSets

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs.kinds.fits.k_sets import SplitColumns
    >>> fit = Fit(Pattern.from_text("1000\n0100\n0010\n0001"), 1, wrong=2)
    >>> find_fault(fit, KSets([SplitColumns(range(4), range(4))]))
    'it shows that at least 2 rows are wrong, not more than 2'
    """
    if fault := _find_fault_of_parts(fit, proof):
        return fault
    wrong = 0
    for part in proof.parts:
        entries = fit.pattern.submatrix(part.rows, part.columns)
        if (entries == UNSPECIFIED).any():
            return "it reads a don't-care entry"
        wrong += len(part.rows) - count_right(entries, fit.d, fit.similarity)
    if wrong <= fit.wrong:
        return f"it shows that at least {wrong} {fit.unit} are wrong, not more than {fit.wrong}"
    return None


def _find_fault_of_parts(fit: Fit, proof: KSets) -> str | None:
    """Check that the parts are few and share no row; no entry, if entries are counted."""
    if len(proof.parts) > _MOST_PARTS:
        return f"it has {len(proof.parts)} parts, more than {_MOST_PARTS}: too large to check"
    blocks = [np.zeros(0, dtype=np.int64)]
    for part in proof.parts:
        rows, columns = (np.array(lines, dtype=np.int64) for lines in (part.rows, part.columns))
        entries = np.add.outer(rows * fit.pattern.shape[1], columns).ravel()
        blocks.append(rows if fit.unit == "rows" else entries)
    items = np.sort(np.concatenate(blocks))  # much faster than np.unique for millions of entries
    if (items[1:] == items[:-1]).any():
        return f"its parts share {fit.unit}"
    return None
