"""Patterns for a line, broken by a planted core: NO for d = 1."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import (
    ends,
    fill_empty_rows,
    random_stream,
    require,
    require_shape,
)

__all__ = ["CORES", "line_broken"]

CORES = {
    "three-rows": (3, 3),
    "two-rows": (2, 4),
    "none": (0, 0),
}
"""Kind of core -> its numbers of rows and columns."""


def line_broken(
    rows: int = 20, columns: int = 20, core: str = "three-rows", flips: int = 0, seed: int = 0
) -> Instance:
    """Make random prefixes and suffixes of one order, with a planted core: NO for d = 1.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    core : str
        three-rows (each of three keys cut off from the other two), two-rows (four keys in all
        four ways), or none.
    flips : int
        Random entries to flip before the core is planted. Flips alone break most lines but not
        all: without a core nothing is claimed.
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        Too small for the core.

    Examples
    --------
    >>> line_broken(4, 4, core="two-rows", seed=1).facts[0].answer
    'NO'
    >>> line_broken(4, 4, core="none", flips=2, seed=1).facts
    ()
    """
    require_shape(rows, columns)
    require(core in CORES, f"the core must be one of {', '.join(CORES)}, not {core!r}")
    height, width = CORES[core]
    require(
        rows >= height and columns >= width,
        f"a core of {core} needs at least {height} rows and {width} columns",
    )
    require(0 <= flips <= rows * columns, f"flips must be in 0..{rows * columns}, not {flips}")
    rng = random_stream(seed)
    entries = ends(rng, rng.permutation(columns), rows)
    entries.flat[rng.permutation(rows * columns)[:flips]] ^= True
    chosen_rows = np.sort(rng.permutation(rows)[:height])
    chosen_columns = rng.permutation(columns)[:width]
    complemented = rng.randint(0, 2, size=(height, 1), dtype=np.int64) == 1
    planted = np.eye(3) > 0 if core == "three-rows" else np.array([[0, 0, 1, 1], [0, 1, 0, 1]]) > 0
    if core != "none":
        entries[np.ix_(chosen_rows, chosen_columns)] = planted ^ complemented
    fill_empty_rows(rng, entries)
    facts: tuple[Fact, ...] = ()
    if core != "none":
        places = f"rows {chosen_rows.tolist()}, columns {np.sort(chosen_columns).tolist()}"
        facts = (Fact(1, None, "NO", f"core planted at {places}"),)
    return Instance(
        Pattern.from_array(entries),
        facts,
        {
            "family": "line-broken",
            "rows": rows,
            "columns": columns,
            "core": core,
            "flips": flips,
            "seed": seed,
        },
    )
