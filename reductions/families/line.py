"""Ends of a hidden order of the keys, with and without a planted core, and arcs of a circle."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import (
    Bits,
    Origin,
    ends,
    fill_empty_rows,
    require_shape,
    require_side,
)
from samapprox.support.parameters import random_stream, require


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
    places = f"rows {chosen_rows.tolist()}, columns {np.sort(chosen_columns).tolist()}"
    fact = Fact(1, None, "NO", f"core planted at {places}")
    origin: Origin = {"family": "line-broken", "rows": rows, "columns": columns, "core": core}
    return Instance(
        Pattern.from_array(entries),
        () if core == "none" else (fact,),
        {**origin, "flips": flips, "seed": seed},
    )


def line_coupled(n: int = 20, feasible: bool = True, seed: int = 0) -> Instance:
    """Make a pattern on a line, from logits c x_i x_j, or one that no such logits represent.

    Parameters
    ----------
    n : int
        Number of tokens.
    feasible : bool
        Whether d = d_hid = 1 suffices (the free case, d = 1, always does).
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        An infeasible pattern of fewer than 3 tokens.

    Examples
    --------
    >>> for fact in line_coupled(4, feasible=False).facts:
    ...     print(fact.d, fact.d_hid, fact.answer)
    1 None YES
    1 1 NO
    """
    require_side(n)
    rng = random_stream(seed)
    if feasible:
        entries = _shared_logits(rng, n)
        facts = [Fact(1, 1, "YES", "each row is cut at a level of logits c x_i x_j")]
    else:
        require(n >= 3, f"an infeasible pattern needs at least 3 tokens, not {n}")
        entries, tokens = _interleaved(rng, n)
        facts = [
            Fact(1, None, "YES", "every row is an end of one planted order of the keys"),
            Fact(1, 1, "NO", f"tokens {tokens} ask for 011, 110 and 001 among themselves"),
        ]
    return Instance(
        Pattern.from_array(entries),
        tuple(facts),
        {"family": "line-coupled", "n": n, "feasible": int(feasible), "seed": seed},
    )


def _shared_logits(rng: np.random.RandomState, n: int) -> Bits:
    """Draw tokens x of both signs, c = 1 or -1, and a logit as the least 1 of every row."""
    x = rng.randint(-2 * n, 2 * n + 1, size=n, dtype=np.int64)
    c = 1 - 2 * rng.randint(0, 2, dtype=np.int64)
    logits = c * np.outer(x, x)
    least = np.take_along_axis(logits, rng.randint(0, n, size=(n, 1), dtype=np.int64), axis=1)
    return np.asarray(logits >= least)


def _interleaved(rng: np.random.RandomState, n: int) -> tuple[Bits, list[int]]:
    """Make ends of an order in which tokens a < b < c attend to {b, c}, {a, b} and {c}.

    On the line only a < b < c or its mirror image fits; then rows a and c prefer the far end and b
    the near one, so x_a and x_c have one sign and x_b, between them, the other.
    """
    order = rng.permutation(n)
    position = np.argsort(order)
    a, b, c = np.sort(rng.permutation(n)[:3])  # places in the order
    entries = ends(rng, position, n)
    for token, kept in (
        (order[a], position > rng.randint(a, b, dtype=np.int64)),
        (order[b], position <= rng.randint(b, c, dtype=np.int64)),
        (order[c], position > rng.randint(b, c, dtype=np.int64)),
    ):
        entries[token] = kept
    return entries, [int(order[place]) for place in (a, b, c)]


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
