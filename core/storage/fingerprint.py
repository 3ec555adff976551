"""Fingerprints of stored entries, the same for every storage."""

from __future__ import annotations

import hashlib

import numpy as np

from samapprox.storage.packed import PackedMatrix
from samapprox.storage.sparse import SparseMatrix

__all__ = ["fingerprint"]


def fingerprint(ones: PackedMatrix | SparseMatrix, unspecified: PackedMatrix | None) -> str:
    r"""Return the SHA-256 of shape and entries, in hexadecimal digits.

    Parameters
    ----------
    ones : PackedMatrix or SparseMatrix
    unspecified : PackedMatrix or None
        The * entries.

    Notes
    -----
    `samapprox.Pattern.sha256` says what is hashed, and at which cost.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> pattern = Pattern.from_text("1*\n01")
    >>> fingerprint(pattern.ones, pattern.unspecified) == pattern.sha256
    True
    """
    digest = hashlib.sha256(b"samapprox pattern 1")
    digest.update(np.array(ones.shape, dtype="<i8").tobytes())
    for matrix in (ones, unspecified):
        if matrix is None:
            digest.update(bytes(8 * ones.shape[0]))
            continue
        digest.update(matrix.row_counts.astype("<i8").tobytes())
        for indices in matrix.indices():
            digest.update(indices.astype("<i8").tobytes())
    return digest.hexdigest()
