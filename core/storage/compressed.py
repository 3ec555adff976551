"""Compressed sparse rows from users: checked, cleaned, sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import EntryError, InputError, SignsError

__all__ = [
    "ENTRY_RULE",
    "SIGNS_RULE",
    "WEIGHTS_RULE",
    "check_csr",
    "sort_rows",
    "without_stored_zeros",
]

ENTRY_RULE = "entries must be 0 or 1 (don't-care entries: '*' in text, or a care mask)"
"""The rule in messages about a wrong entry."""

SIGNS_RULE = (
    "patterns hold 0, 1 and * (don't care); signs, + and - or 1 and -1, are for `samapprox rank`, "
    "`show` and `plot`"
)
"""The mend in messages about entries that are signs: + and -, or 1 and -1."""

WEIGHTS_RULE = (
    "for attention weights, `samapprox heads FILE` measures all heads, and "
    "`samapprox binarize FILE --uniform` makes patterns"
)
"""The mend in messages about numbers that look like attention weights and not like a pattern."""


def check_csr(
    indptr: NDArray[np.int64],
    indices: NDArray[np.integer],
    data: NDArray[Any] | None,
    rows: int,
    columns: int,
) -> None:
    """Refuse compressed sparse rows that contradict themselves.

    Parameters
    ----------
    indptr, indices, data, rows, columns
        As in `Pattern.from_csr`.

    Raises
    ------
    InputError
    """
    if (
        indptr.shape != (rows + 1,)
        or indptr[0] != 0
        or indptr[-1] != len(indices)
        or (np.diff(indptr) < 0).any()
    ):
        raise InputError("the sparse matrix is damaged: its row pointers do not fit its indices")
    if len(indices) and (indices.min() < 0 or indices.max() >= columns):
        raise InputError(
            f"the sparse matrix is damaged: a column index is outside 0..{columns - 1}"
        )
    if data is None:
        return
    if data.dtype.kind not in "biuf" or data.shape != indices.shape:
        raise EntryError(f"the sparse matrix holds {data.dtype} values", f"; {ENTRY_RULE}")
    wrong = np.flatnonzero((data != 0) & (data != 1))
    if wrong.size:
        row = int(np.searchsorted(indptr, wrong[0], side="right")) - 1
        found = f"entry at row {row}, column {indices[wrong[0]]} is {data[wrong[0]]}"
        if (data[wrong] == -1).all():
            raise SignsError(found, f": {SIGNS_RULE}")
        raise EntryError(found, f"; {ENTRY_RULE}")


def without_stored_zeros(
    indptr: NDArray[np.int64], indices: NDArray[np.integer], data: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """Return row pointers and column indices of the entries that are not 0."""
    kept = data != 0
    running = np.concatenate(([0], np.cumsum(kept)))
    return running[indptr], indices[kept]


def sort_rows(indptr: NDArray[np.int64], indices: NDArray[np.integer]) -> None:
    """Sort the column indices of every row in place; a repeated one is an error."""
    starts = np.zeros(len(indices) + 1, dtype=np.bool_)
    starts[indptr] = True
    step_up = (np.diff(indices) > 0) | starts[1:-1]
    if step_up.all():
        return
    row_of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    pairs = row_of.astype(np.uint64) << np.uint64(32)  # no side exceeds 32 bits
    pairs |= indices.astype(np.uint64)
    pairs.sort()
    indices[:] = pairs & np.uint64(0xFFFFFFFF)
    repeated = np.flatnonzero((np.diff(indices) == 0) & ~starts[1:-1])
    if repeated.size:
        at = repeated[0]
        raise InputError(
            f"entry at row {row_of[at]}, column {indices[at]} is given twice; merge duplicates "
            "first (sum_duplicates)"
        )
