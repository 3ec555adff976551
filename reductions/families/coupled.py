"""Square patterns for few hidden dimensions: queries and keys are images of one X."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import random_stream, require, require_side

__all__ = ["coupled"]

_RANGE = 1 << 7  # entries of X, W_Q and W_K are whole numbers up to this


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
        rng.randint(-_RANGE, _RANGE + 1, size=shape, dtype=np.int64)
        for shape in ((n, d_hid), (d_hid, d), (d_hid, d))
    )
    logits = (X @ W_Q) @ (X @ W_K).T  # below 2^58
    least = np.take_along_axis(logits, rng.randint(0, n, size=(n, 1), dtype=np.int64), axis=1)
    return Instance(
        Pattern.from_array(logits >= least),
        (Fact(d, d_hid, "YES", "logits of whole X, W_Q and W_K, cut at one of each row's own"),),
        {"family": "coupled", "n": n, "d": d, "d_hid": d_hid, "seed": seed},
    )
