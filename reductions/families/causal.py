"""Instances under causal attention."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Instance
from samapprox.pattern import UNSPECIFIED, Pattern

__all__ = ["causal_view"]


def causal_view(instance: Instance) -> Instance:
    r"""Return the instance with every entry above the diagonal *, for any rows.

    A row that sees no 1 becomes a row of ones as far as it sees, which asks for nothing: so what
    was known to be possible remains so (`Instance.causal` refuses such rows instead).

    Parameters
    ----------
    instance : Instance
        With as many queries as keys.

    Raises
    ------
    InputError
        Not square.

    Examples
    --------
    >>> print(causal_view(Instance(Pattern.from_text("010\n001\n010"))).pattern.to_text())
    1**
    11*
    010
    """
    blind = _first_ones(instance.pattern) > np.arange(instance.pattern.shape[0])
    if not blind.any():
        return instance.causal()
    entries = instance.pattern.to_array()
    entries[blind[:, None] & np.tri(*instance.pattern.shape, dtype=np.bool_)] = 1
    pattern = Pattern.from_array(entries == 1, entries != UNSPECIFIED)
    return replace(instance, pattern=pattern).causal()


def _first_ones(pattern: Pattern) -> NDArray[np.int64]:
    """Return the column of each row's first 1, block by block."""
    starts = np.cumsum(pattern.row_ones) - pattern.row_ones
    first = np.empty(len(starts), dtype=np.int64)
    passed = 0
    for columns in pattern.ones.indices():
        here = slice(*np.searchsorted(starts, (passed, passed + len(columns))))
        first[here] = columns[starts[here] - passed]
        passed += len(columns)
    return first
