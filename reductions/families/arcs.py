"""Arcs of a hidden circle: YES for even d."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import random_stream, require, require_shape

__all__ = ["arcs"]


def arcs(rows: int = 20, columns: int = 20, d: int = 2, seed: int = 0) -> Instance:
    """Make rows that are unions of d/2 arcs of one hidden circular order of the keys: YES for d.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    d : int
        Twice the number of arcs in every row; less where there are too few keys.
    seed : int
        Chooses the instance.

    Notes
    -----
    YES for d by keys on the moment curve: a row changes d times around. For d = 2 the rows are
    those of a circular-ones matrix.

    Examples
    --------
    >>> print(arcs(3, 6, seed=1).pattern.to_text())
    100010
    001011
    001101
    """
    require_shape(rows, columns)
    require(d >= 2 and d % 2 == 0, f"d must be an even number of at least 2, not {d}")
    rng = random_stream(seed)
    position = rng.permutation(columns)
    entries = np.ones((rows, columns), dtype=np.bool_)
    if columns > 1:
        for row in entries:
            cuts = np.sort(rng.permutation(columns)[: min(d, columns // 2 * 2)])
            first = rng.randint(0, 2, dtype=np.int64)  # whether the arcs begin or end at cuts
            row[:] = np.searchsorted(cuts, position, side="right") % 2 == first
    return Instance(
        Pattern.from_array(entries),
        (Fact(d, None, "YES", "every row is a union of d/2 arcs of one planted circular order"),),
        {"family": "arcs", "rows": rows, "columns": columns, "d": d, "seed": seed},
    )
