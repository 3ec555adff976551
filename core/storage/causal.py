"""The causal view of stored entries: nothing above the diagonal is specified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.storage.packed import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

__all__ = ["drop_later"]


def drop_later(
    ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None
) -> tuple[PackedMatrix, PackedMatrix | None]:
    r"""Turn every entry above the diagonal into *.

    Parameters
    ----------
    ones : PackedMatrix or SparseMatrix
        Square.
    unspecified : PackedMatrix or None
        The * entries.

    Returns
    -------
    ones, unspecified : PackedMatrix
        `unspecified` is None if there are no * entries.

    Notes
    -----
    Cost O(m n), in blocks.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> ones, unspecified = drop_later(Pattern.from_text("11\n01").ones, None)
    >>> ones.row_counts.tolist(), unspecified.row_counts.tolist()
    ([1, 1], [1, 0])
    """
    rows, columns = ones.shape

    def later(start: int, stop: int) -> NDArray[np.bool_]:
        return np.arange(columns) > np.arange(start, min(stop, rows))[:, None]

    def read_ones(start: int, stop: int) -> NDArray[np.uint8]:
        return (ones.dense(start, stop) & ~later(start, stop)).view(np.uint8)

    def read_unspecified(start: int, stop: int) -> NDArray[np.uint8]:
        above = later(start, stop)
        if unspecified is not None:
            above |= unspecified.dense(start, stop)
        return above.view(np.uint8)

    kept = PackedMatrix.from_blocks(rows, columns, read_ones)
    return kept, PackedMatrix.from_blocks(rows, columns, read_unspecified).nonempty()
