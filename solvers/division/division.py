"""The division of a pattern into smaller ones, if it is large."""

from __future__ import annotations

from samapprox.pattern import Pattern
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.solvers.division.base import Division

_FEW_ENTRIES = 1_000
"""Entries of the largest merged pattern that is decided as a whole: glued numbers are larger."""

_ENTRIES_A_SECOND = 1e8
"""Entries of patterns stored densely that are merged and divided in a second."""

_ONES_A_SECOND, _FEW_ONES_A_SECOND = 2e6, 2e5
"""Ones among which cut columns are sought in a second, if these are many, and else."""


def divide(pattern: Pattern) -> Division:
    r"""Merge equal rows and columns, then divide the rest at its components and cut columns.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Dense or sparse.

    Returns
    -------
    Division

    Notes
    -----
    O(ones log ones) after merging; with don't-cares O(m n) for each component.

    References
    ----------
    docs/theory/components.md has the proofs.

    Examples
    --------
    >>> divide(Pattern.from_text("1100\n0011\n1111\n1010")).leaves
    (<Pattern 2 x 4, 4 ones>,)
    >>> divide(Pattern.from_text("110000\n011000\n101000\n000110\n000011\n000101")).leaves
    (<Pattern 4 x 4, 7 ones>,)
    """
    return _divide(simplify(pattern))


def divide_large(pattern: Pattern) -> Division:
    """Merge a pattern as decisions do, and divide the result if it is large.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Dense or sparse.

    Returns
    -------
    Division

    Examples
    --------
    >>> import numpy as np
    >>> divide_large(Pattern(np.eye(20))).leaves
    (<Pattern 20 x 20, 20 ones>,)
    >>> divide_large(Pattern(np.kron(np.eye(20), np.ones((2, 3)) - np.eye(2, 3)))).leaves
    (<Pattern 3 x 4, 5 ones>,)
    """
    merged = simplify(pattern)
    whole = merged.pattern
    is_large = whole is not None and whole.size > _FEW_ENTRIES
    return _divide(merged) if is_large else Division(merged)


def estimate_seconds(pattern: Pattern) -> float:
    """Estimate how long `divide_large` takes for a pattern with few equal rows and columns.

    Parameters
    ----------
    pattern : Pattern
        Dense or sparse.

    Returns
    -------
    float
        Seconds; 0 where it takes little more than a look at each one of a sparse pattern.

    Examples
    --------
    >>> import numpy as np
    >>> estimate_seconds(Pattern(np.eye(1_000)))
    0.015
    """
    from samapprox.solvers.division.cuts import MANY_ONES
    from samapprox.solvers.division.leaf import may_be_cut

    seconds = 0.0 if pattern.ones.is_sparse else pattern.size / _ENTRIES_A_SECOND
    if not may_be_cut(pattern):
        return seconds
    is_compiled = pattern.count > MANY_ONES
    return seconds + pattern.count / (_ONES_A_SECOND if is_compiled else _FEW_ONES_A_SECOND)


def _divide(merged: Simplification) -> Division:
    from samapprox.solvers.division.leaf import DividedPattern  # small patterns are not divided

    return DividedPattern.of(merged) or Division(merged)
