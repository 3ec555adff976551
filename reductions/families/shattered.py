"""All splits of some keys, with attention to all tokens or to earlier ones."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require

__all__ = ["shattered", "shattered_causal"]


def shattered(n: int = 4) -> Instance:
    """Make one query for every split of n keys into two parts: weak dimension exactly n - 1.

    Parameters
    ----------
    n : int
        Number of keys, 2 to 20.

    Examples
    --------
    >>> print(shattered(3).pattern.to_text())
    100
    101
    110
    """
    require(2 <= n <= 20, f"n must be in 2..20, not {n}")
    codes = np.arange((1 << (n - 1)) - 1)[:, None]
    entries = np.concatenate(
        [np.ones((len(codes), 1), dtype=np.int64), codes >> np.arange(n - 2, -1, -1) & 1], axis=1
    )
    return Instance(Pattern.from_array(entries), _facts(n), {"family": "shattered", "n": n})


def shattered_causal(n: int = 4) -> Instance:
    """Make causal attention that splits its first n keys in every way: weak dimension n - 1.

    All queries that split come after the n keys, so nothing that matters is masked. Later tokens
    repeat those keys in turn; the first n - 1 queries attend to key 0.

    Parameters
    ----------
    n : int
        Number of different keys, 2 to 12.

    Examples
    --------
    >>> print(shattered_causal(3).pattern.to_text())
    1****
    10***
    100**
    1011*
    11011
    """
    require(2 <= n <= 12, f"n must be in 2..12, not {n}")
    splits = shattered(n).pattern.to_array()
    first = np.zeros((n - 1, n), dtype=splits.dtype)
    first[:, 0] = 1
    rows = np.concatenate([first, splits])
    pattern = Pattern.from_array(rows[:, np.arange(len(rows)) % n]).causal()
    return Instance(pattern, _facts(n), {"family": "shattered-causal", "n": n})


def _facts(n: int) -> tuple[Fact, ...]:
    """State the facts that splitting n keys in every way implies."""
    possible = Fact(n - 1, None, "YES", "n affinely independent keys")
    if n == 2:
        return (possible,)
    return (possible, Fact(n - 2, None, "NO", f"Radon's theorem on {n} keys"))
