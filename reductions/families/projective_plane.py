"""Incidence of points and lines of projective planes over finite fields."""

from __future__ import annotations

from math import isqrt

import numpy as np

from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.reductions.families.finite_field import find_characteristic, make_field
from samapprox.reductions.families.parameters import require

__all__ = ["projective_plane"]

_MOST = 32
_FANO = ((3, "YES"), (2, "NO"))


def projective_plane(q: int = 2, sign_rank: bool = False) -> Instance:
    """Make the incidence matrix of PG(2, q): a row for each line, with ones at its q + 1 points.

    Any two lines meet in one point, and any two points are on one line.

    Parameters
    ----------
    q : int
        The order of the plane, a prime power up to 32.
    sign_rank : bool
        Complement the columns that are 0 in row 0, so that this row is all ones. The weak dimension
        is then the sign-rank of the incidence matrix less 1.

    Raises
    ------
    InputError

    Notes
    -----
    Points and lines are the vectors of GF(q)^3 up to a factor; point p is on line l if l . p = 0.
    YES for d = 2q + 2 by keys on the moment curve, since a row has q + 1 ones. The sign-rank is at
    least (q + 1) / sqrt(q), because incidence has the singular values q + 1 and sqrt(q) (Alon,
    Moran, Yehudayoff). For q = 2 it is 4. Complementing columns adds no dimension.

    References
    ----------
    Alon, Moran, Yehudayoff (2016), "Sign rank versus VC dimension", Theorem 5.

    Examples
    --------
    >>> print(projective_plane(2).pattern.to_text())
    0000111
    0101100
    0011001
    0110010
    1100001
    1001010
    1010100
    """
    known = 2 <= q <= _MOST and find_characteristic(q) is not None
    require(known, f"q must be a prime power in 2..{_MOST}, not {q}")
    field = make_field(q)
    vectors = np.array(
        [(1, a, b) for a in range(q) for b in range(q)]
        + [(0, 1, a) for a in range(q)]
        + [(0, 0, 1)]
    )
    products = field.products[vectors[:, None], vectors]
    total = field.sums[field.sums[products[..., 0], products[..., 1]], products[..., 2]]
    incident = total == 0
    if sign_rank:
        incident ^= ~incident[0]
    n = len(vectors)
    facts = [Fact(min(2 * q + 2, n - 1), None, "YES", "lines of q + 1 points, on the moment curve")]
    if q == 2:
        facts = [Fact(d, None, answer, "exactly 3, and sign-rank 4") for d, answer in _FANO]
    excluded = isqrt(q + 2) - 1  # the largest d with (d + 1)^2 < (q + 1)^2 / q = q + 2 + 1 / q
    if excluded >= 1 and q > 2:
        facts.append(Fact(excluded, None, "NO", "spectral gap (Alon, Moran, Yehudayoff)"))
    return Instance(
        Pattern.from_array(incident),
        tuple(facts),
        {"family": "projective-plane", "q": q, "sign_rank": sign_rank},
    )
