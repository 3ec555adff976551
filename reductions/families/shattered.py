"""All splits of some keys."""

from __future__ import annotations

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.parameters import require

__all__ = ["shattered"]


def shattered(n: int = 4) -> Instance:
    """One query for every way to split n keys into two parts: weak dimension exactly n - 1.

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
    facts = [Fact(n - 1, None, "YES", "n affinely independent keys")]
    if n > 2:
        facts.append(Fact(n - 2, None, "NO", f"Radon's theorem on {n} keys"))
    return Instance(Pattern.from_array(entries), tuple(facts), {"family": "shattered", "n": n})
