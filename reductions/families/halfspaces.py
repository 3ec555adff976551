"""Patterns that dimension d represents, cut from random vectors or from logits of shared tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import (
    Bits,
    Origin,
    fill_empty_rows,
    require_shape,
    require_side,
)
from samapprox.support.parameters import random_stream, require

_RANGE = 1 << 12  # coordinates are whole numbers up to this


def halfspaces(
    rows: int = 20, columns: int = 20, d: int = 2, margin: float = 0.0, seed: int = 0
) -> Instance:
    """Cut random integer points by halfspaces in d dimensions: YES for d.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    d : int
        Dimension of the planted embedding.
    margin : float
        Least distance of a key's logit from the threshold, as a share of the row's spread of
        logits; if no threshold of a row is so far from all logits, the furthest one is used.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> instance = halfspaces(30, 20, d=3)
    >>> [(fact.d, fact.answer) for fact in instance.facts]
    [(3, 'YES')]
    """
    entries = _planted(rows, columns, d, margin, random_stream(seed))
    origin: Origin = {"family": "halfspaces", "rows": rows, "columns": columns, "d": d}
    return Instance(
        Pattern.from_array(entries),
        (Fact(d, None, "YES", "halfspaces of whole numbers cut whole points"),),
        {**origin, "margin": margin, "seed": seed},
    )


def halfspaces_flipped(
    rows: int = 20, columns: int = 20, d: int = 2, flips: int = 1, seed: int = 0
) -> Instance:
    """Flip some random entries of `halfspaces`: mostly NO for d, but nothing is claimed.

    Parameters
    ----------
    rows : int
        Number of queries.
    columns : int
        Number of keys.
    d : int
        Dimension of the planted embedding.
    flips : int
        Entries to flip.
    seed : int
        Chooses the instance.

    Examples
    --------
    >>> halfspaces_flipped(8, 8).facts
    ()
    """
    rng = random_stream(seed)
    entries = _planted(rows, columns, d, 0.0, rng)
    require(0 <= flips <= rows * columns, f"flips must be in 0..{rows * columns}, not {flips}")
    entries.flat[rng.permutation(rows * columns)[:flips]] ^= True
    fill_empty_rows(rng, entries)
    origin: Origin = {"family": "halfspaces-flipped", "rows": rows, "columns": columns, "d": d}
    return Instance(Pattern.from_array(entries), (), {**origin, "flips": flips, "seed": seed})


def _planted(rows: int, columns: int, d: int, margin: float, rng: np.random.RandomState) -> Bits:
    """Cut logits of integer vectors above one of their own values, row by row: exact."""
    require_shape(rows, columns)
    require(1 <= d <= 1000, f"d must be in 1..1000, not {d}")
    require(0 <= margin <= 1, f"the margin must be in 0..1, not {margin}")
    queries = rng.randint(-_RANGE, _RANGE + 1, size=(rows, d), dtype=np.int64)
    keys = rng.randint(-_RANGE, _RANGE + 1, size=(columns, d), dtype=np.int64)
    logits = queries @ keys.T
    return np.stack([row > _threshold(row, margin, rng) for row in logits])


def _threshold(logits: NDArray[np.int64], margin: float, rng: np.random.RandomState) -> int:
    """Choose a logit, or less than all of them, below the greatest and with a wide enough gap."""
    ascending = np.unique(logits)
    levels = np.concatenate([[ascending[0] - 1], ascending[:-1]])
    gaps = ascending - levels
    wide = np.flatnonzero(gaps >= 2 * margin * (ascending[-1] - ascending[0]))
    wide = wide if wide.size else np.array([int(gaps.argmax())])
    return int(levels[wide[rng.randint(wide.size, dtype=np.int64)]])


_FACTOR_RANGE = 1 << 7  # entries of X, W_Q and W_K are whole numbers up to this


def coupled(n: int = 20, d: int = 2, d_hid: int = 2, seed: int = 0) -> Instance:
    """Cut each row of integer logits X W_Q W_K^T X^T at one of its values: YES for (d, d_hid).

    Parameters
    ----------
    n : int
        Number of tokens.
    d : int
        Query/key dimension.
    d_hid : int
        Columns of X, at least d; from 2d on, queries and keys are independent.
    seed : int
        Chooses the instance.

    Raises
    ------
    InputError
        d_hid < d, or numbers out of range.

    Examples
    --------
    >>> [(fact.d, fact.d_hid, fact.answer) for fact in coupled(10, d=3, d_hid=4).facts]
    [(3, 4, 'YES')]
    """
    require_side(n)
    require(1 <= d <= d_hid <= 1000, f"1 <= d <= d_hid <= 1000, not d = {d}, d_hid = {d_hid}")
    rng = random_stream(seed)
    X, W_Q, W_K = (
        rng.randint(-_FACTOR_RANGE, _FACTOR_RANGE + 1, size=shape, dtype=np.int64)
        for shape in ((n, d_hid), (d_hid, d), (d_hid, d))
    )
    logits = (X @ W_Q) @ (X @ W_K).T  # below 2^58
    least = np.take_along_axis(logits, rng.randint(0, n, size=(n, 1), dtype=np.int64), axis=1)
    return Instance(
        Pattern.from_array(logits >= least),
        (Fact(d, d_hid, "YES", "logits of whole X, W_Q and W_K, cut at one of each row's own"),),
        {"family": "coupled", "n": n, "d": d, "d_hid": d_hid, "seed": seed},
    )
