"""The check of a proof for a smaller pattern whose copies form the whole one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.checks import check
from samapprox.proofs.exact import ExactArray
from samapprox.proofs.kinds.merged import Merged
from samapprox.storage.coordinates import coordinates
from samapprox.storage.packed import PackedMatrix, block_height
from samapprox.storage.sparse import SparseMatrix

__all__ = ["find_fault"]


def find_fault(problem: Problem, merged: Merged) -> str | None:
    r"""Return the reason why the pattern is no copy or the smaller proof fails, or None.

    Parameters
    ----------
    problem : Problem
    merged : Merged

    Notes
    -----
    O(ones log ones) for sparse patterns, O(m n) for packed ones, and the proof's own check.

    Examples
    --------
    >>> from samapprox import Embedding, Pattern
    >>> proof = Merged([0], [0, 2], [0, 0], [1], [0, 0, 1], Embedding([[1]], [[1], [0]], [0]))
    >>> find_fault(Problem(Pattern.from_text("110\n001"), 1), proof) is None
    True
    >>> find_fault(Problem(Pattern.from_text("110\n101"), 1), proof)
    'row 1 is no complement of row 0'
    """
    if problem.coupled:
        return f"with {problem}, queries and keys share X: X, W_Q and W_K are needed"
    pattern = problem.pattern
    if fault := _find_fault_of_places(pattern, merged):
        return fault
    is_flipped = np.zeros(pattern.shape[0], dtype=np.bool_)
    is_flipped[merged.flipped] = True
    if fault := _find_fault_of_rows(pattern, merged, is_flipped):
        return fault
    if fault := _find_fault_of_columns(pattern, merged):
        return fault
    try:
        smaller = merged.smaller_pattern(pattern)
    except InputError as error:
        return f"the smaller pattern: {error}"
    return check(Problem(smaller, problem.d), merged.proof)


def _find_fault_of_places(pattern: Pattern, merged: Merged) -> str | None:
    """Check that all numbers name lines and each line of the smaller pattern is its own copy."""
    rows, columns = pattern.shape
    if len(merged.row_of) != rows or len(merged.column_of) != columns:
        return (
            f"it merges {len(merged.row_of)} x {len(merged.column_of)} rows and columns, the "
            f"pattern has {rows} x {columns}"
        )
    for name, size in (("rows", rows), ("flipped", rows), ("columns", columns)):
        if getattr(merged, name).max(initial=-1) >= size:
            return f"{name} names a line outside the {rows} x {columns} pattern"
    for chosen, place_of, line in (
        (merged.rows, merged.row_of, "row"),
        (merged.columns, merged.column_of, "column"),
    ):
        if place_of.max() >= len(chosen):
            return f"the smaller pattern has no {line} {place_of.max()}"
        if (astray := np.flatnonzero(place_of[chosen] != np.arange(len(chosen)))).size:
            return f"{line} {chosen[astray[0]]} does not represent itself"
    return None


def _find_fault_of_rows(
    pattern: Pattern, merged: Merged, is_flipped: NDArray[np.bool_]
) -> str | None:
    """Return the first row that does not equal its representative, up to complement as stated."""
    free = merged.row_of < 0
    if (held := np.flatnonzero(free & (pattern.row_zeros > 0))).size:
        return f"row {held[0]} has a zero, so it needs a row of the smaller pattern"
    copies = np.flatnonzero(~free)
    originals = merged.rows[merged.row_of[copies]].astype(np.int64)
    copies, originals = copies[copies != originals], originals[copies != originals]
    opposite = is_flipped[copies] != is_flipped[originals]
    compare = _differ_packed if isinstance(pattern.ones, PackedMatrix) else _differ_sparse
    wrong = np.flatnonzero(compare(pattern, copies, originals, opposite))
    if not wrong.size:
        return None
    row, other = copies[wrong[0]], originals[wrong[0]]
    return f"row {row} is no {'complement' if opposite[wrong[0]] else 'copy'} of row {other}"


def _differ_packed(
    pattern: Pattern,
    copies: NDArray[np.int64],
    originals: NDArray[np.int64],
    opposite: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark the rows that differ from their original, or its complement, in some word."""
    assert isinstance(pattern.ones, PackedMatrix)
    words, stars = pattern.ones.words, pattern.unspecified
    inside = np.full(words.shape[1], ~np.uint64(0))
    inside[-1] >>= np.uint64(-pattern.shape[1] % 64)
    differ = np.zeros(len(copies), dtype=np.bool_)
    step = block_height(8 * words.shape[1])
    for start in range(0, len(copies), step):
        part = slice(start, start + step)
        wanted = words[originals[part]]
        wanted[opposite[part]] ^= inside
        if stars is not None:
            wanted &= ~stars.words[originals[part]]
            differ[part] = (stars.words[copies[part]] != stars.words[originals[part]]).any(axis=1)
        differ[part] |= (words[copies[part]] != wanted).any(axis=1)
    return differ


def _differ_sparse(
    pattern: Pattern,
    copies: NDArray[np.int64],
    originals: NDArray[np.int64],
    opposite: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mark the rows that differ from their original, or its complement, by their ones."""
    assert isinstance(pattern.ones, SparseMatrix)
    matrix, columns = pattern.ones, pattern.shape[1]
    counts = matrix.row_counts
    wanted = np.where(opposite, columns - counts[originals], counts[originals])
    differ: NDArray[np.bool_] = counts[copies] != wanted
    same = np.flatnonzero(~differ & ~opposite)
    lines, own = coordinates(matrix.take(copies[same]))
    _, other = coordinates(matrix.take(originals[same]))
    differ[same[lines[own != other]]] = True
    for row in np.flatnonzero(~differ & opposite).tolist():
        shared = np.intersect1d(matrix.row(copies[row]), matrix.row(originals[row]))
        differ[row] = shared.size > 0
    return differ


def _find_fault_of_columns(pattern: Pattern, merged: Merged) -> str | None:
    """Name the first row of the smaller pattern that separates a column from its copy."""
    columns, column_of = merged.columns, merged.column_of
    if isinstance(pattern.ones, SparseMatrix):
        sizes = np.bincount(column_of, minlength=len(columns))
        lines, own = coordinates(pattern.ones.take(merged.rows.astype(np.int64)))
        keys, counts = np.unique(lines * len(columns) + column_of[own], return_counts=True)
        if (wrong := np.flatnonzero(counts != sizes[keys % len(columns)])).size:
            row = int(merged.rows[keys[wrong[0]] // len(columns)])
            return _name_fault(pattern, row, columns, column_of)
        return None
    step = block_height(pattern.shape[1])
    for start in range(0, len(merged.rows), step):
        rows = merged.rows[start : start + step]
        for matrix in (pattern.ones, pattern.unspecified):
            if matrix is not None:
                entries = PackedMatrix(matrix.words[rows], matrix.columns).dense()
                differ = (entries != entries[:, columns[column_of]]).any(axis=1)
                if differ.any():
                    return _name_fault(pattern, rows[differ.argmax()], columns, column_of)
    return None


def _name_fault(pattern: Pattern, row: int, columns: ExactArray, column_of: ExactArray) -> str:
    """Name the column of a row that is no copy."""
    entries = pattern.block(row, row + 1)[0]
    column = int(np.flatnonzero(entries != entries[columns[column_of]])[0])
    return f"column {column} is no copy of column {columns[column_of[column]]} in row {row}"
