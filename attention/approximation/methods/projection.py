"""The construction of Theorem 0.4: random projections, Equations (9) to (17)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from samapprox.attention.approximation.checker import check
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.methods.lazy_frames import LazyDraws, LazyFrame, bias, haar
from samapprox.attention.approximation.request import Construction, Request
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.arrays import Floats

_SPARSE = 64  # nonzeros in a row; with more, lazy draws take longer than whole ones
_FEWEST = 32  # rows of Y that every draw reveals first
_PACE = 32  # draws after which the number of first rows is chosen anew
_SHARE = 0.7  # the share of the mean number of rows of these draws: most end at the first look


def theorem_d(n: int, k: int, gamma: float, eps1: float, eps2: float) -> int:
    """Return the d that suffices by Theorem 0.4, Equation (6)."""
    # Fractions, since a small eps2 leaves what floats can hold.
    precision = Fraction(math.log(gamma) - math.log(eps1)) / Fraction(eps2) + 1
    tokens = 2 * math.log(n) + math.log(n - 1) + math.log(2) if n > 1 else 0.0
    return 2 * math.ceil(16 * k * k * precision**2 * Fraction(tokens))


def layer_of(
    target: Target,
    eps1: float,
    eps2: float,
    Y: Floats,
    *,
    d_hid: int | None = None,
    causal: bool = False,
) -> AttentionLayer:
    """Return X, W_Q and W_K of Equations (15) to (17) for a Stiefel matrix, with D = B and V = I.

    O(nonzeros d). `docs/theory/approximate.md` says why B and I may stand for the paper's SVD.
    """
    n, r = Y.shape
    weighted = bias(target, eps1, eps2)[:, None] * Y[target.columns]
    scale = np.sqrt(n / r)
    queries = scale * np.add.reduceat(weighted, target.indptr[:-1], axis=0)
    return AttentionLayer.from_factors(queries, scale * Y, theorem=True, d_hid=d_hid, causal=causal)


@dataclass(frozen=True, slots=True)
class Draw:
    """A frame, its number among the draws for its d, and the verdict on (7) and (8)."""

    number: int
    Y: Floats
    holds: bool


class Search:
    """Draws of Y for one request, lazily or plainly.

    Draws of different d are independent, and so are those of one d: each d has a generator of
    its own, random_stream by the request's seed and d.
    """

    def __init__(self, request: Request, *, plain: bool = False) -> None:
        self._request = request
        self._plain = plain or request.target.row_k > _SPARSE
        self.first_look = _FEWEST
        """Rows of Y that the next draw is first looked at by."""
        self._lazy = (
            None
            if self._plain
            else LazyDraws(request.target, request.eps1, request.eps2, causal=request.causal)
        )

    def at(self, d: int) -> Draw:
        """Return the first of up to Qn draws that satisfies (7) and (8), else the last one in time.

        Raises InputError if d is odd or above 2n.
        """
        request, n = self._request, self._request.target.n
        if d % 2 or not 2 <= d <= 2 * n:
            raise InputError(
                f"a random projection needs an even d of at most 2n = {2 * n}, not {d}: its rank "
                "is d / 2"
            )
        rng = np.random.Generator(np.random.SFC64([request.seed, d]))
        draws = self._whole(d // 2, rng) if self._plain else self._promising(d // 2, rng)
        for draw in draws:
            if draw.holds or self._is_last(draw.number):
                break
        return draw

    def _is_last(self, number: int) -> bool:
        """Return whether no draw of this d comes after it."""
        return number == self._request.draws or self._request.out_of_time

    def _holds(self, Y: Floats) -> bool:
        """Return the checker's verdict."""
        request = self._request
        layer = layer_of(request.target, request.eps1, request.eps2, Y, causal=request.causal)
        return check(layer, request.target, request.eps1, request.eps2).holds

    def _whole(self, r: int, rng: np.random.Generator) -> Iterator[Draw]:
        """Yield every draw."""
        for number in range(1, self._request.draws + 1):
            Y = haar(self._request.target.n, r, rng)
            yield Draw(number, Y, self._holds(Y))

    def _promising(self, r: int, rng: np.random.Generator) -> Iterator[Draw]:
        """Yield the draws that do not surely fail, and the last one.

        The number of rows that are read first follows that of earlier draws.
        """
        lazy, looked = self._lazy, 0
        assert lazy is not None
        for number in range(1, self._request.draws + 1):
            frame = LazyFrame(lazy.n, r, rng)
            fails = lazy.fails(frame, self.first_look)
            looked += frame.revealed
            if not fails or self._is_last(number):
                Y = np.empty((lazy.n, r))
                Y[lazy.order] = frame.complete()
                yield Draw(number, Y, not fails and self._holds(Y))
            if number % _PACE == 0:
                self.first_look, looked = max(_FEWEST, int(_SHARE * looked / _PACE)), 0
                self._request.report_progress(
                    f"d = {2 * r}: draw {number} of {self._request.draws}"
                )


def build(request: Request) -> Construction:
    """Build the theorem's layer: random projections of rank d/2, up to Qn draws for each d.

    If no draw of a given d holds, or none in time, the last one is returned. The facts are the
    seed, the number of draws for every d that was tried, and Equation (6).
    """
    return _build(request, plain=False)


def build_plainly(request: Request) -> Construction:
    """Draw every Y whole and check every layer; for comparison with `build`."""
    return _build(request, plain=True)


def _build(request: Request, *, plain: bool) -> Construction:
    import scipy.linalg  # noqa: F401  # its BLAS must be there to be limited
    from threadpoolctl import threadpool_limits

    draws: dict[str, int] = {}
    with threadpool_limits(1):  # the products are small
        search = Search(request, plain=plain)
        for d in _dimensions(request):
            request.report_progress(f"d = {d}")
            draw = search.at(d)
            draws[str(d)] = draw.number
            if draw.holds or request.out_of_time:
                break
    target = request.target
    enough = theorem_d(
        target.n,
        request.k or target.k,
        request.gamma or target.gamma,
        request.eps1,
        request.eps2,
    )
    facts = {"seed": request.seed, "draws": draws, "d_by_equation_6": enough}
    if enough > 2 * target.n:
        facts["equation_6"] = "does not apply: its d is more than 2n"
    if not draw.holds and (request.d is None or draw.number < request.draws):
        facts |= request.cut_short
    layer = layer_of(
        target, request.eps1, request.eps2, draw.Y, d_hid=request.d_hid, causal=request.causal
    )
    return Construction(layer, facts)


def _dimensions(request: Request) -> Iterator[int]:
    """Yield the d to try, in this order; 2n always succeeds."""
    n, d = request.target.n, request.d
    if d is not None:
        yield d
        return
    d = min(request.step, 2 * n)
    while d < 2 * n:
        yield d
        d = d + request.step if request.least else 2 * d
    yield 2 * n
