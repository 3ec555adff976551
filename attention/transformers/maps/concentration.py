"""Assumption 2 of Yun et al. (2020) in numbers: the scale by which scores choose a key."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.transformers.maps.base import ProbabilityMap
from samapprox.support.parameters import require

MOST_RUN = 1 << 16
"""Keys of the longest rows on which a map is run."""

_ABOVE = 1e-9
"""The relative distance above and below the closed form at which a scale is checked."""

Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Concentration:
    """The scale t of Assumption 2, for rows of at most so many keys.

    If the greatest score of a row is zeta above all others, the map gives its key at least 1 - eta
    once the row is multiplied by t.
    """

    keys: int
    zeta: float
    eta: float
    least: float  # the closed form, which none below satisfies; 0 where every t > 0 does
    published: float  # by the formula of appendix B of Yun et al
    # The least t by bisection on the worst row; None where rows are too long to run.
    searched: float | None
    rows: int  # on how many adversarial rows the map was run, scaled by a t just above `least`
    greatest_rest: float | None  # the most that all keys but the first got together in any of these
    # The same for the worst row and a t just below `least`; None where that is 0.
    rest_below: float | None

    @property
    def confirmed(self) -> bool | None:
        """Whether the map confirms that `least` suffices and nothing less does; None: not run.

        In floating point: a map as steep as entmax of alpha = 50 cannot resolve gaps of 1e-10.
        """
        if self.greatest_rest is None:
            return None
        enough = self.greatest_rest <= self.eta
        return enough and (self.rest_below is None or self.rest_below > self.eta)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-check`."""
        return {**asdict(self), "confirmed": self.confirmed}


def concentration(rho: ProbabilityMap, keys: int, zeta: float, eta: float) -> Concentration:
    """Find the least t of Assumption 2: closed form, published value, and numeric check.

    Some 50 rows; that less than `least` fails is seen in the row of equal other scores.

    Source: Yun et al. (2020), Assumption 2 and appendix B.
    """
    require(0 < zeta < math.inf, f"zeta must be above 0 and finite, not {zeta}")
    gap = rho.least_gap(keys, eta)
    least, published = gap / zeta, rho.published_gap(keys, eta) / zeta
    if keys > MOST_RUN:
        return Concentration(keys, zeta, eta, least, published, None, 0, None, None)
    above = gap * (1 + _ABOVE) if gap else 2.0**-30
    rests = [_rest(rho, row) for row in adversarial_rows(keys, above)]
    return Concentration(
        keys=keys,
        zeta=zeta,
        eta=eta,
        least=least,
        published=published,
        searched=searched_gap(rho, keys, eta) / zeta,
        rows=len(rests),
        greatest_rest=max(rests),
        rest_below=_rest(rho, worst_row(keys, gap * (1 - _ABOVE))) if gap else None,
    )


def worst_row(keys: int, gap: float) -> Row:
    """Return the row with one score above all others, which are equal, by the gap."""
    row = np.full(keys, -gap)
    row[0] = 0
    return row


def adversarial_rows(keys: int, gap: float) -> Iterator[Row]:
    """Make rows whose first score leads by at least the gap: nearly worst, mixed and extreme."""
    worst = worst_row(keys, gap)
    yield worst
    if keys == 1:
        return
    rng = np.random.RandomState(0)
    for close in {1, 2, keys // 2, keys - 2} - {0}:  # so many others close, the rest far off
        for far in (2 * gap, 1e300, np.inf):
            row = worst.copy()
            row[1 + close :] = -far
            yield row
    yield -gap * np.arange(keys, dtype=np.float64)
    for spread in (1e-12, 1e-3, 1, 1e3):
        row = worst - gap * spread * rng.rand(keys)
        row[0] = 0
        yield row


def searched_gap(rho: ProbabilityMap, keys: int, eta: float) -> float:
    """Find the least gap by bisection on the worst row; 0 if any gap suffices."""
    high = 1.0
    while _rest(rho, worst_row(keys, high)) > eta:
        high *= 2
    low = 0.0
    while high - low > 1e-10 * high and high > 2.0**-40:
        middle = (low + high) / 2
        if _rest(rho, worst_row(keys, middle)) > eta:
            low = middle
        else:
            high = middle
    return high if high > 2.0**-40 else 0.0


def _rest(rho: ProbabilityMap, row: Row) -> float:
    """Return the total weight of all keys but the first."""
    return float(rho(row[None], threads=1)[0, 1:].sum())
