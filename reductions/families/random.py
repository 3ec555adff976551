"""Independent random entries."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import (
    fill_empty_rows,
    random_stream,
    require,
    require_shape,
)

__all__ = ["random"]


def random(rows: int = 20, columns: int = 20, density: float = 0.5, seed: int = 0) -> Instance:
    """Make independent entries with equal probability of 1; an empty row gets a single 1.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    density : float
        Probability of a 1.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> print(random(2, 6, density=0.3, seed=0).pattern.to_text())
    100000
    010000
    """
    require_shape(rows, columns)
    require(0 <= density <= 1, f"the density must be in 0..1, not {density}")
    rng = random_stream(seed)
    entries = np.empty((rows, columns), dtype=np.bool_)
    for row in entries:  # one row of floats at a time
        row[:] = rng.random_sample(columns) < density
    fill_empty_rows(rng, entries)
    return Instance(
        Pattern.from_array(entries),
        (),
        {"family": "random", "rows": rows, "columns": columns, "density": density, "seed": seed},
    )
