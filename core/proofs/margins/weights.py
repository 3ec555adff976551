"""Weights of the entries of a core for which the thresholds cancel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samapprox.pattern import Pattern
from samapprox.proofs.exact import ExactArray

__all__ = ["find_fault_of_weights"]


def find_fault_of_weights(
    pattern: Pattern, rows: Sequence[int], columns: Sequence[int], weights: ExactArray
) -> str | None:
    """Return why weights are no weights of a core, or why the thresholds remain, or None.

    No weight is negative, don't-cares have the weight 0, and the ones of each row have the same
    total weight as its zeros.
    """
    entries = pattern.submatrix(rows, columns)
    wrong = (weights < 0) | ((weights != 0) & (entries != 0) & (entries != 1))
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        labels = pattern.row_label(rows[row]), pattern.column_label(columns[column])
        return f"{' and '.join(labels)}: the weight must be at least 0, and 0 at a don't-care"
    sums = np.where(entries == 1, weights, -weights).astype(object).sum(axis=1)
    if sums.any():
        row = int(np.flatnonzero(sums)[0])
        return f"{pattern.row_label(rows[row])}: ones and zeros have different total weights"
    return None
