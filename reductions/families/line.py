"""Patterns for a line: YES for d = 1."""

from __future__ import annotations

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import ends, random_stream, require_shape

__all__ = ["line"]


def line(rows: int = 20, columns: int = 20, seed: int = 0) -> Instance:
    """Make random prefixes and suffixes of one hidden order of the keys: YES for d = 1.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> print(line(3, 5, seed=1).pattern.to_text())
    00101
    11011
    00100
    """
    require_shape(rows, columns)
    rng = random_stream(seed)
    entries = ends(rng, rng.permutation(columns), rows)
    return Instance(
        Pattern.from_array(entries),
        (Fact(1, None, "YES", "every row is an end of one planted order of the keys"),),
        {"family": "line", "rows": rows, "columns": columns, "seed": seed},
    )
