"""Keys on the moment curve, on the line or on the circle: rank 2k for every n.

Both curves have for every column t a function f_t >= 0 of degree 2 (of degree 1 in cosine and sine)
that vanishes at t alone. The query of a row with nonzeros T and logarithms b_s >= 0 is

    sum_s b_s / w_s prod_(t != s) f_t  -  c prod_t f_t,    w_s = prod_(t != s) f_t(s),

which is b_s at every s of T; c large enough makes it less than log(eps1) at all other columns. An
order of the columns that keeps those of one row far apart keeps logits small.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.approximation.request import Construction, Request, make_layer
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.arrays import Floats, flags_at

Places = NDArray[np.int64]

_CANDIDATES = 64  # swaps that are tried for one column at a time
_PATIENCE = 4  # failures in a row before the order counts as good
_MOST_NONZEROS = 16  # nonzeros of a row or column; longer rows are close in any order


def spread_out(target: Target, seed: int = 0) -> Places:
    r"""Order the columns so that no two of one row are close.

    Two columns of the row with the least `room` change places as long as that helps; each try costs
    O(k^3) for k nonzeros a row and column, and mostly less than n are needed. With n > 2 (2m - 1)
    k (k - 1) there is always a swap that takes a column out of a conflict of distance below m and
    makes no new one: so distances of n / (4 k (k - 1)) are within reach, and logits of O(n^2)
    (`docs/theory/constructions.md`). Rows or columns of more than 16 nonzeros stay as they are.
    """
    if target.row_k == 1 or target.k > _MOST_NONZEROS:
        return np.arange(target.n)
    search = _Search(target, seed)
    failures = 0
    for _ in range(8 * target.n):
        failures = 0 if search.improve() else failures + 1
        if failures > _PATIENCE:
            break
    return search.places


def room(target: Target, places: Places) -> Floats:
    """Return, for every row, the least product of 1 - cos of the angles to its other columns.

    The query's polynomial is that much steeper at s than a single factor: the scale of a row's
    logits is n^2 divided by it.
    """
    columns, present = _padded(target.columns, target.indptr)
    return _room(places[columns], present, target.n)


class _Search:
    """Places, and the room of every row."""

    def __init__(self, target: Target, seed: int) -> None:
        self.n = target.n
        self.rng = np.random.default_rng(seed)
        self.places: Places = self.rng.permutation(self.n)
        self.columns, self.present = _padded(target.columns, target.indptr)
        by_column = np.argsort(target.columns, kind="stable")
        ends = np.searchsorted(target.columns[by_column], np.arange(self.n + 1))
        self.rows, self.held = _padded(target.rows[by_column], ends)
        self.room = _room(self.places[self.columns], self.present, self.n)

    def improve(self) -> bool:
        """Improve the worst row by the best of some swaps; return whether it improved."""
        worst = int(self.room.argmin())
        for s in self.columns[worst][self.present[worst]].tolist():
            others = self.rng.integers(self.n, size=_CANDIDATES)
            touched, counts = self._touched(s, others)
            after = self._after(s, others, touched)
            least = np.where(counts, after, np.inf).min(axis=1)
            best = int(least.argmax())
            if least[best] > self.room[worst]:
                u = int(others[best])
                self.places[[s, u]] = self.places[[u, s]]
                rows = touched[best][counts[best]]
                self.room[rows] = after[best][counts[best]]
                return True
        return False

    def _touched(self, s: int, others: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Return the rows with s or the other column, for every candidate."""
        shape = (len(others), self.rows.shape[1])
        rows = np.hstack([np.broadcast_to(self.rows[s], shape), self.rows[others]])
        return rows, np.hstack([np.broadcast_to(self.held[s], shape), self.held[others]])

    def _after(self, s: int, others: Places, touched: Places) -> Floats:
        """Return the room that these rows have after each swap."""
        columns, other = self.columns[touched], others[:, None, None]
        places = self.places[columns]
        places = np.where(columns == other, self.places[s], places)
        places = np.where(columns == s, self.places[other], places)
        return _room(places, self.present[touched], self.n)


def _padded(values: Places, indptr: Places) -> tuple[Places, NDArray[np.bool_]]:
    """Return the consecutive parts as rows of a matrix, and where it holds something."""
    counts = np.diff(indptr)
    present = np.arange(counts.max()) < counts[:, None]
    padded = np.zeros(present.shape, dtype=np.int64)
    padded[present] = values
    return padded, present


def _room(places: Places, present: NDArray[np.bool_], n: int) -> Floats:
    """Return least product of 1 - cos along the last axis."""
    angles = (2 * np.pi / n) * places
    factors = 1 - np.cos(angles[..., :, None] - angles[..., None, :])
    k = places.shape[-1]
    counts = present[..., None, :] & ~np.eye(k, dtype=np.bool_)
    products = np.where(counts, factors, 1.0).prod(axis=-1)
    return np.asarray(np.where(present, products, np.inf).min(axis=-1))


def depth(factors: Floats, logarithms: Floats, columns: NDArray[np.int64], limit: float) -> float:
    """Find the c at which the greatest value off T is just ``-limit``.

    `factors` are f_t at all columns that count, with shape (|T|, n), and `logarithms` are b_s >= 0.
    Off T the value is sum_s b_s P / (w_s f_s) - c P for P = prod_t f_t > 0. The result is 0 if T is
    all there is, and infinite where floats cannot distinguish f_t from 0. O(n |T|).
    """
    off = ~flags_at(columns, factors.shape[1])
    if not off.any():
        return 0.0
    own = factors[:, columns].copy()
    np.fill_diagonal(own, 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        weights = logarithms / own.prod(axis=0)
        wanted = (weights[:, None] / factors[:, off]).sum(axis=0)
        wanted += limit / factors[:, off].prod(axis=0)
    return float(np.nan_to_num(wanted, nan=np.inf).max())


_LOG_BITS = 40  # bits of logarithms of ratios: the loss is below 2^-40
_DEPTH_BITS = 8  # bits of a rounded depth: few, so that numbers stay short
_ROUNDING = 1 + 1e-6  # a factor that covers the rounding of the depth in floats


def build_on_line(request: Request) -> Construction:
    """Build keys (t_j, .., t_j^2k) for whole t_j, and queries that touch them in a row's columns.

    The layer is exact, and the keys depend on A only by the order of its columns. d is 2k, or 4k in
    the theorem's form, for rows of at most k nonzeros. O(n^2 k) floating point operations for the
    depths, O(n k^3) with whole numbers of O(k log n) bits. Proofs: `docs/theory/constructions.md`.
    """
    target, degree = request.target, request.target.row_k
    if request.eps2 <= 2.0 ** (2 - _LOG_BITS):
        raise InputError(f"the line keeps ratios to 2^-38, not to eps2 = {request.eps2:g}")
    order = spread_out(target, request.seed)
    places = [place - target.n // 2 for place in order.tolist()]
    keys = np.array([[t**m for m in range(1, 2 * degree + 1)] for t in places], dtype=object)
    line = np.array(places, dtype=np.float64)
    queries = np.zeros_like(keys)
    for i in range(target.n):
        columns, values = target.row(i)
        counted = line[: i + 1] if request.causal else line
        factors = (counted - line[columns][:, None]) ** 2
        logarithms = np.log(values / values.min())
        # finite, as the factors of different whole places are at least 1
        height = depth(factors, logarithms, columns, -math.log(request.eps1))
        roots = [places[column] for column in columns.tolist()]
        exact = [_rounded(value) for value in logarithms.tolist()]
        queries[i] = _coefficients(roots, exact, _rounded_up(height), degree)
    facts = {"curve": "line", "places": order.tolist()}
    return Construction(make_layer(request, queries, keys), facts)


def _coefficients(
    roots: list[int], logarithms: list[Fraction], height: Fraction, degree: int
) -> list[Fraction]:
    """Return coefficients of the row's polynomial at t, .., t^(2 degree)."""
    total = [Fraction(0)] * (2 * degree + 1)
    for power, coefficient in enumerate(_squares(roots)):
        total[power] -= height * coefficient
    for s, value in enumerate(logarithms):
        if value:
            others = roots[:s] + roots[s + 1 :]
            times = value / math.prod((roots[s] - t) ** 2 for t in others)
            for power, coefficient in enumerate(_squares(others)):
                total[power] += times * coefficient
    return total[1:]


def _squares(roots: list[int]) -> list[int]:
    """Return coefficients of prod (x - t)^2, constant term first."""
    coefficients = [1]
    for root in [*roots, *roots]:
        shifted = [0, *coefficients]
        coefficients = [a - root * b for a, b in zip(shifted, [*coefficients, 0], strict=True)]
    return coefficients


def _rounded(value: float) -> Fraction:
    return Fraction(round(value * (1 << _LOG_BITS)), 1 << _LOG_BITS)


def _rounded_up(value: float) -> Fraction:
    """Round a finite number up slightly, to few bits."""
    if not value:
        return Fraction(0)
    exact = Fraction(value * _ROUNDING)
    unit = Fraction(2) ** (math.frexp(value)[1] - _DEPTH_BITS)
    return math.ceil(exact / unit) * unit


_SAFETY = 1.25  # a factor of log(1 / eps1): room for the rounding of logits
_SAFETY_ALONE = 4.0  # for an arithmetic that is asked for, where there are no ratios to spoil


def build_on_circle(request: Request) -> Construction:
    """Build keys (cos m theta_j, sin m theta_j), m = 1..k, and touching polynomials as queries.

    The layer is in float64, and the keys depend on A only by the order of its columns. d is 2k, or
    4k in the theorem's form, for rows of at most k nonzeros. With the columns in the right order
    logits are O(n^2) for every fixed k, whatever gamma, eps1 and eps2; ratios are exact up to
    rounding. O(n^2 k). Proofs: `docs/theory/constructions.md`.
    """
    target, degree = request.target, request.target.row_k
    places = spread_out(target, request.seed)
    angles: Floats = np.asarray((2 * np.pi / target.n) * places, dtype=np.float64)
    turns = np.arange(1, degree + 1) * angles[:, None]
    keys = np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(target.n, -1)
    alone = request.arithmetic is not None and degree == 1
    limit = -(_SAFETY_ALONE if alone else _SAFETY) * np.log(request.eps1)
    queries = np.zeros((target.n, 2 * degree))
    for i in range(target.n):
        columns, values = target.row(i)
        counted = angles[: i + 1] if request.causal else angles
        factors = 1 - np.cos(counted - angles[columns][:, None])
        logarithms = np.log(values / values.min())
        height = depth(factors, logarithms, columns, limit)
        if not np.isfinite(height):
            raise InputError(
                f"row {i} has {len(columns)} nonzeros: too many for the circle in float64 at "
                f"n = {target.n}; the line is exact"
            )
        queries[i] = _wave_coefficients(angles[columns], logarithms, height, degree)
    facts = {"curve": "circle", "places": places.tolist()}
    return Construction(make_layer(request, queries, keys), facts)


def _wave_coefficients(angles: Floats, logarithms: Floats, height: float, degree: int) -> Floats:
    """Return coefficients of the row's polynomial at cos and sin of theta, .., degree theta."""
    factors = [_touching(angle) for angle in angles.tolist()]
    total = np.zeros(2 * degree + 1, dtype=np.complex128)
    _add(total, _product(factors), -height)
    for s in np.flatnonzero(logarithms).tolist():
        others = _product(factors[:s] + factors[s + 1 :])
        gaps = 1 - np.cos(angles[s] - np.delete(angles, s))
        _add(total, others, logarithms[s] / gaps.prod())
    return np.asarray(np.stack([2 * total.real, -2 * total.imag], axis=1)[degree + 1 :].ravel())


def _touching(angle: float) -> NDArray[np.complex128]:
    """Return 1 - cos(theta - angle) as coefficients of e^(-i theta), 1, e^(i theta)."""
    turn = np.exp(1j * angle) / 2
    return np.array([-turn, 1, -turn.conjugate()])


def _product(factors: list[NDArray[np.complex128]]) -> NDArray[np.complex128]:
    product = np.ones(1, dtype=np.complex128)
    for factor in factors:
        product = np.convolve(product, factor)
    return product


def _add(total: NDArray[np.complex128], part: NDArray[np.complex128], times: float) -> None:
    """Add a polynomial of lower degree, its constant term in the middle."""
    edge = (len(total) - len(part)) // 2
    total[edge : len(total) - edge] += times * part
