"""Rank against bits against spread: every method on one matrix, beside lower bounds for all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from samapprox.attention.approximation.known_methods import METHODS, approximate
from samapprox.attention.approximation.methods.projection import theorem_d
from samapprox.attention.approximation.precision import least_bits_of, least_that, report_in
from samapprox.attention.approximation.request import Approximation, Request
from samapprox.errors import InputError, Interrupted
from samapprox.pictures.style import LINES, QUIET, put_heading, put_legend
from samapprox.precision import ARITHMETICS
from samapprox.support.documents import document_head
from samapprox.support.limits import search_clock

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def fixed_keys_rank(n: int, k: int) -> int:
    r"""Return the exact least rank of keys that serve every A with rows of at most k nonzeros.

    Radon: any r + 2 points in R^r fall into two parts whose hulls meet. For r < 2k one part has at
    most k points, and no query prefers it to all others. So the rank is at least min(2k, n - 1),
    and the moment curve (or a simplex) has it. If every row has exactly k nonzeros, the part is
    filled up to k first, which takes n >= 3k.
    """
    _require(n, k)
    return min(2 * k, n - 1)


def log2_supports(n: int, k: int) -> float:
    r"""Bound log2 of the number of 0/1 matrices with k ones per row and column from below.

    Permutation matrices P_1, .., P_k with disjoint ones: given j of them, the zeros left have n - j
    a row and column, and at least ((n - j) / n)^n n! permutations (van der Waerden's conjecture,
    proved by Egorychev and Falikman). A matrix with k ones a row and column is such a sum in at
    most prod_(j <= k) j!^(n / j) ways (Bregman's theorem). For k = 1 this is n!, exactly. Scaled
    rows of one such matrix are a right stochastic A with gamma = 1.
    """
    _require(n, k)
    natural = 0.0
    for j in range(k):
        natural += n * math.log((n - j) / n) + math.lgamma(n + 1)
        natural -= n / (j + 1) * math.lgamma(j + 2)
    return max(0.0, natural / math.log(2))


def least_bits(n: int, k: int, rank: int) -> float:
    r"""Return the bits each entry of X needs at this rank, for some A with k nonzeros a row.

    The k greatest logits of each row are the row's columns, so that the 2 n r entries of X1 and X2
    determine the matrix: 2 n r b >= log2 of the number of matrices, whatever scales the rows have.
    About rank * b >= k/2 log2 n.
    """
    if rank < 1:
        raise InputError(f"the rank must be at least 1, not {rank}")
    return log2_supports(n, k) / (2 * n * rank)


def matrices_rank(n: int, k: int) -> int:
    r"""Return a rank that some A with k nonzeros per row and column needs, even with its own keys.

    Warren: N polynomials of degree D in p variables have at most (4 e D N / p)^p sign patterns
    without a zero, for N >= p. Here they are the n^2 differences q_i.k_j - t_i, of degree 2 in
    p = n (2r + 1) variables, and every matrix needs a pattern of its own. For large n this tends to
    (k - 1) / 2; from below, slowly. Where every row is full, nothing is required: rank 0.

    Source: Warren (1968), "Lower bounds for approximation by nonlinear manifolds".
    """
    wanted = log2_supports(n, k)
    if k == n:
        return 0

    def enough(rank: int) -> bool:
        variables = 2 * rank + 1
        return variables >= n or n * variables * math.log2(8 * math.e * n / variables) >= wanted

    return least_that(enough, n)


def pattern_rank(request: Request) -> int:
    """Return the lower bound on the rank of this A from counting, over its sets of columns.

    Conditions (7) and (8) make the support of A a pattern that attention shows; its weak dimension
    is a lower bound on the rank. Here only its quick bounds are used (`samapprox.weak_dimension`
    knows more): that of lines, exactly, and counting. Without a zero there is nothing to show, and
    equal logits may do: 0.
    """
    from samapprox import Pattern, Status, decide

    pattern = Pattern.from_array(request.target.to_array() > 0)
    seen = pattern.causal() if request.causal else pattern
    if not seen.row_zeros.any():
        return 0
    rank = 1
    for strategies in ("line", "counting"):
        # The line decides d = 1; counting may refute some d more.
        while (
            decide(pattern, rank, causal=request.causal, only=(strategies,), time_limit=5.0).status
            is Status.NO
        ):
            rank += 1
    return rank


def _require(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise InputError(f"k must be in 1..n, not k = {k} for n = {n}")


RANKS = (3, 4, 6, 8, 16, 32)
"""At which the least spread is sought."""

_ONCE = tuple(name for name in METHODS if name not in ("plain-projection", "optimised"))


@dataclass(frozen=True, slots=True)
class Point:
    """A layer for which the checker found conditions (7) and (8) to hold."""

    method: str
    rank: int
    d: int
    d_hid: int
    spread: float  # the greatest logit of a row minus its least, at most
    bits: int | None  # the fewest in which whole numbers hold; None where 26 are too few
    arithmetics: tuple[str, ...]  # the floating-point types in which it holds, stored and computed
    checked_in: str  # the arithmetic of construction and check: ``exact`` or ``float64``
    proven: bool  # both conditions hold in real numbers for the numbers as they are stored
    seconds: float  # to build and check it


@dataclass(frozen=True, slots=True)
class LowerBounds:
    """Lower bounds, which hold for every layer."""

    pattern_rank: int  # the bound for every layer for this A
    # The bound for the worst A with as many nonzeros per row and column; 0 for causal layers.
    matrices_rank: int
    fixed_keys_rank: int  # the bound for keys that serve every A
    rank_times_bits: float  # rank times bits an entry, for the worst A; 0 for causal ones


@dataclass(frozen=True, slots=True)
class Frontier:
    """All points, why some methods have none, lower bounds, and the d of Equation (6)."""

    request: Request
    points: tuple[Point, ...]
    left_out: Mapping[str, str]
    bounds: LowerBounds
    theorem_d: int

    def to_json(self) -> dict[str, Any]:
        """The document of `approximate --frontier --json`: see `samapprox schema frontier`."""
        return {
            **document_head("frontier"),
            **self.request.to_json(),
            "points": [asdict(point) for point in self.points],
            "left_out": dict(self.left_out),
            "bounds": asdict(self.bounds),
            "theorem_d": self.theorem_d,
        }


def frontier(
    request: Request,
    *,
    methods: Sequence[str] = _ONCE,
    ranks: Sequence[int] = RANKS,
    time_limit: float | None = None,
) -> Frontier:
    """Return the frontier of rank, bits and spread that methods reach for a request.

    The request comes without d, spread and arithmetic, which vary. Each method (a key of `METHODS`)
    runs once, and for each rank an optimisation searches for the least spread. When the time limit
    has passed, later methods are left out, and a search ends with what it has found; Ctrl-C raises
    `samapprox.Interrupted` with the frontier so far.
    """
    request = request.within(time_limit)
    plain = replace(request, d=None, d_hid=None, spread=None, arithmetic=None)
    points: list[Point] = []
    left_out: dict[str, str] = {}
    for name, method, asked in _runs(plain, methods, ranks, points):
        try:
            point, missing = _run(name, method, asked, plain)
        except KeyboardInterrupt:
            left_out[name] = "interrupted"
            raise Interrupted(_with_bounds(request, points, left_out)) from None
        points += [point] if point is not None else []
        if missing is not None:
            left_out[name] = missing
    return _with_bounds(request, points, left_out)


def _run(name: str, method: str, asked: Request, plain: Request) -> tuple[Point | None, str | None]:
    """Return a layer's place, and why there is none or no better one."""
    if asked.out_of_time:
        return None, "out of time"
    plain.report_progress(name)
    start = search_clock.now()
    try:
        found = approximate(asked, method)
    except InputError as error:
        return None, str(error)
    seconds = search_clock.now() - start
    if not found.report.holds:
        return None, found.facts.get("stopped", f"breaks a condition in {found.report.arithmetic}")
    better = "better ones, out of time" if "stopped" in found.facts else None
    return _measured(name, plain, found, seconds), better


def _with_bounds(
    request: Request, points: Sequence[Point], left_out: Mapping[str, str]
) -> Frontier:
    """Return the layers found, beside the lower bounds."""
    target = request.target
    k = min(target.k, target.n)
    return Frontier(
        request,
        tuple(points),
        dict(left_out),
        LowerBounds(
            pattern_rank(request),
            # The count is of all matrices, not of the causal ones.
            0 if request.causal else matrices_rank(target.n, k),
            fixed_keys_rank(target.n, k),
            0.0 if request.causal else least_bits(target.n, k, 1),
        ),
        theorem_d(target.n, target.k, target.gamma, request.eps1, request.eps2),
    )


def _runs(
    plain: Request, methods: Sequence[str], ranks: Sequence[int], points: list[Point]
) -> Iterator[tuple[str, str, Request]]:
    """Yield name, method and request of each run; earlier points give the projection's spread."""
    for method in methods:
        yield method, method, plain
    if not ranks:
        return
    spread = next((point.spread for point in points if point.method == "projection"), None)
    yield "optimised, spread", "optimised", replace(plain, spread=spread)
    for rank in ranks:
        yield "optimised, rank", "optimised", replace(plain, d=rank)


def _measured(name: str, request: Request, found: Approximation, seconds: float) -> Point:
    """Return a layer's place on the frontier."""
    layer, target, eps = found.layer, request.target, (request.eps1, request.eps2)
    reports = {kind: report_in(kind, layer, target, *eps) for kind in ARITHMETICS}
    return Point(
        name,
        layer.rank,
        layer.d,
        layer.d_hid,
        found.report.spread,
        least_bits_of(layer, target, *eps),
        tuple(kind for kind, report in reports.items() if report is not None and report.holds),
        found.report.arithmetic,
        found.report.is_proven,
        seconds,
    )


_MARKERS = "osD^vP*X"
_RANK: dict[str, Any] = {"color": QUIET, "lw": 1.2, "ls": ":"}
_BITS: dict[str, Any] = {"color": QUIET, "lw": 1.2}


def draw_frontier(found: Frontier, *, title: str | None = None) -> Figure:
    """Draw every point twice, by its rank: the spread of its logits, and the bits of its entries.

    Two lines show lower bounds: on the rank of every layer for this A, and on the bits of an entry
    for the worst A of this size. The legend names both.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.4, 4.2), layout="constrained")
    spreads, bits = figure.subplots(1, 2)
    families = list(dict.fromkeys(_family(point) for point in found.points))
    named: list[tuple[Artist, str]] = []
    for number, family in enumerate(families):
        points = [point for point in found.points if _family(point) == family]
        style = {"color": LINES[number % len(LINES)], "marker": _MARKERS[number % len(_MARKERS)]}
        ranks = [point.rank for point in points]
        named += [
            (line, family)
            for line in spreads.plot(ranks, [point.spread for point in points], ls="", **style)
        ]
        whole = [point for point in points if point.bits is not None]
        bits.plot([p.rank for p in whole], [p.bits for p in whole], ls="", **style)
    least = found.bounds.pattern_rank
    if least:  # the scale has no 0
        named.append((spreads.axvline(least, **_RANK), f"least rank for this A: {least}"))
        bits.axvline(least, **_RANK)
    _frame(spreads, "spread of logits (logarithmic)")
    _frame(bits, "bits per entry")
    if found.bounds.rank_times_bits:
        low, high = bits.get_xlim()
        along = np.geomspace(max(low, 1), high, 100)
        (curve,) = bits.plot(along, found.bounds.rank_times_bits / along, **_BITS)
        named.append((curve, "least bits for the worst A of this size"))
    spreads.set_yscale("log")
    if named:
        put_legend(figure, named, fontsize="small", loc="outside right upper")
    put_heading(figure, title)
    return figure


def _family(point: Point) -> str:
    return point.method.partition(",")[0]


def _frame(axes: Axes, what: str) -> None:
    """Set titles and scales."""
    from matplotlib.ticker import ScalarFormatter

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("rank (logarithmic)")
    axes.set_ylabel(what)
