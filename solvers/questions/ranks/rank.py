"""Ranks of sign matrices: exact, or a proven interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samapprox.errors import InputError, interrupts_hold, require_type
from samapprox.formats import PatternLike
from samapprox.formats.signs import as_sign_matrix
from samapprox.pattern import UNSPECIFIED
from samapprox.problem import require_dimension
from samapprox.proofs.exact import require_writable
from samapprox.proofs.questions import RANK_KINDS, Rank, RankKind
from samapprox.proofs.ranks.factors import Factors
from samapprox.proofs.ranks.refutation import RankRefutation
from samapprox.results.matrix_rank import MatrixRank, RankBound, trivial_rank
from samapprox.sign_matrix import SignMatrix
from samapprox.solvers.engine.portfolio import choose, name_missing_solvers
from samapprox.solvers.questions.dimension import require_threads
from samapprox.solvers.questions.ranks.reduced_bounds import Limits, ReducedBounds
from samapprox.solvers.questions.ranks.reduction import require_few_products
from samapprox.support.limits import deadline_in
from samapprox.support.packages import require_name
from samapprox.support.progress import OnProgress, Reporter

# Part of the time for the first of two reduced patterns.
_SHARE_OF_FIRST = 0.6
# Part of the time to exclude a sign-rank of 1.
_SHARE_OF_RANK_ONE = 0.1
# Seconds for a reduced pattern, also after the deadline: quick strategies answer in them.
_LEAST_SECONDS = 0.05


def rank(
    entries: PatternLike,
    *,
    kind: RankKind = "sign",
    at_most: int | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    threads: int = 2,
    progress: OnProgress | None = None,
) -> MatrixRank:
    r"""Find the least rank of a matrix with given signs, or a proven interval.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        With entries + and -, 1 and -1, or 1 and 0; "*" is don't care.
    kind : {"sign", "global", "row"}
        "sign": the sign-rank, the least rank of a matrix B with B_ij > 0 for + and B_ij < 0 for -.
        "global": the same for B - t, with one number t. "row": the same with B_ij - t_i.
    at_most : int, optional
        Only decide whether the rank is at most this number: `MatrixRank.at_most` of the result
        answers it. By default, the least rank is searched.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    only, without : sequence of str
        Strategies of `samapprox.solvers.engine.portfolio.STRATEGIES` to use alone, or to leave out.
    threads : int
        1 or 2, as for `samapprox.weak_dimension`.
    progress : callable, optional
        Called with a `Progress` that says what is tried next. Its `so_far` is the result so far
        when a search for the least rank improves a bound, as long as this takes little time.

    Returns
    -------
    MatrixRank
        With certificates for both bounds.

    Raises
    ------
    InputError
        The matrix or an option is unusable.
    MissingPackageError
        A package that a strategy needs is not installed.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    Ranks are dimensions of reduced patterns: see docs/theory/ranks.md. A rank of at most 1 is
    decided in linear time for matrices without don't-cares.

    References
    ----------
    Weller, Boratko, Naim, Lee (2025), "On the theoretical limitations of embedding-based
    retrieval".

    Examples
    --------
    >>> found = rank([[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, -1], [-1, -1, -1, 1]])
    >>> found.lower, found.upper
    (3, 3)
    >>> rank([[1, 0, 0], [0, 1, 0], [0, 0, 1]], kind="global").lower
    2
    """
    deadline = deadline_in(time_limit)
    require_type("kind", kind, str, f"one of {', '.join(RANK_KINDS)}")
    require_name("kind of rank", kind, RANK_KINDS)
    if at_most is not None:
        require_dimension("the rank", at_most)
    require_threads(threads)
    matrix = as_sign_matrix(entries)
    reporter = Reporter(progress)

    def report(what: str) -> None:
        reporter.report(what, (search.excluded, search.least), search.result)

    shown = None if progress is None else report
    limits = Limits(deadline, seed, choose(only, without), threads, shown)
    search: _RankSearch = _SEARCHES[kind](matrix, limits, at_most)
    if trivial_rank(matrix.shape, kind) > (at_most or 1):
        with interrupts_hold(search.result), name_missing_solvers("the rank"):
            search.run()
    return search.result()


def sign_rank(
    entries: PatternLike,
    *,
    at_most: int | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
) -> MatrixRank:
    """Find the sign-rank of a matrix, or a proven interval: see `rank`.

    Parameters
    ----------
    entries, at_most, time_limit, seed
        As for `rank`.

    Returns
    -------
    MatrixRank
        Bounds with certificates; `exact` says whether they meet.

    Raises
    ------
    InputError, MissingPackageError, Interrupted
        As from `rank`.

    Examples
    --------
    >>> sign_rank([["+", "+"], ["+", "-"]]).upper
    2
    """
    return rank(entries, kind="sign", at_most=at_most, time_limit=time_limit, seed=seed)


class _RankSearch:
    """Bounds on the rank with a threshold for each row; the base of the other searches.

    `asked` is the rank in question, or None to search the least.
    """

    KIND: RankKind = "row"

    def __init__(self, matrix: SignMatrix, limits: Limits, asked: int | None) -> None:
        self.matrix, self.limits, self.asked = matrix, limits, asked
        self.reduced: list[ReducedBounds] = []
        self.factors: Factors | None = None

    def run(self) -> None:
        """Improve the bounds until they meet, the question is answered, or time is up."""
        if self.matrix.row_ones.any():
            self.work(ReducedBounds(self.matrix, "plain"))
        else:
            self.factors = _write_zeros(self.matrix.shape, 1)

    def refutation(self) -> tuple[int, RankRefutation] | None:
        """Return the largest rank that is excluded, and the proof."""
        best = max(self.reduced, key=lambda one: one.excluded, default=None)
        if best is None or best.case is None:
            return None
        return best.excluded, RankRefutation([best.case])

    def result(self) -> MatrixRank:
        """Return the bounds with their proofs."""
        found = [one.factors for one in self.reduced] + [self.factors]
        known = [factors for factors in found if factors is not None]
        least = min(known, key=lambda factors: factors.dimension, default=None)
        trivial = trivial_rank(self.matrix.shape, self.KIND)
        if least is None or least.dimension > trivial:
            least = _write_trivial(self.matrix, self.KIND)
        refutation = self.refutation()
        yes = no = None
        if least is not None:
            yes = RankBound(Rank(self.matrix, max(1, least.dimension), self.KIND), least)
        if refutation is not None:
            no = RankBound(Rank(self.matrix, refutation[0], self.KIND), refutation[1])
        trail = tuple(step for one in self.reduced for step in one.trail)
        return MatrixRank(self.matrix, self.KIND, yes, no, trail)

    # ---------------------------------------------------------------- parts of a search

    @property
    def least(self) -> float:
        """The least rank that is proven to suffice."""
        own = float("inf") if self.factors is None else self.factors.dimension
        return min([own, *(one.least for one in self.reduced)])

    @property
    def excluded(self) -> int:
        """The largest rank that is excluded."""
        refutation = self.refutation()
        return 0 if refutation is None else refutation[0]

    @property
    def settled(self) -> bool:
        """Whether the question is answered, or the bounds meet."""
        if self.asked is not None and (self.excluded >= self.asked or self.least <= self.asked):
            return True
        return self.excluded + 1 >= self.least

    def work(self, reduced: ReducedBounds, share: float = 1.0) -> None:
        """Answer the question by a reduced pattern, or search the least rank that it gives."""
        self.reduced.append(reduced)
        if self.asked is None:
            reduced.bound(self.limits, self.seconds(share), self.is_enough)
        else:
            reduced.decide(self.asked, self.limits, self.seconds(share))

    def seconds(self, share: float) -> float:
        """Return a share of the time that is left."""
        return max(_LEAST_SECONDS, share * self.limits.remaining)

    def is_enough(self, _excluded: int, _proven: float) -> bool:
        """Return whether a search may end with these bounds, before they meet."""
        return False


class _GlobalRankSearch(_RankSearch):
    """Bounds on the rank with one threshold, which is positive or negative."""

    KIND: RankKind = "global"

    def run(self) -> None:
        """Bound the ranks with a positive and with a negative threshold; the least counts."""
        if not self.matrix.row_ones.any():
            self.factors = _write_zeros(self.matrix.shape, 1)
            return
        self.work(ReducedBounds(self.matrix, "zeros"), _SHARE_OF_FIRST)
        if self.least > (self.asked or 1):
            self.work(ReducedBounds(self.matrix, "ones"))

    def refutation(self) -> tuple[int, RankRefutation] | None:
        """Return the largest rank that both signs of the threshold exclude, and the proof."""
        cases = [one.case for one in self.reduced if one.case is not None]
        if len(cases) < 2:
            return None
        return min(one.excluded for one in self.reduced), RankRefutation(cases)

    def is_enough(self, excluded: int, proven: float) -> bool:
        """Return whether the second search can add nothing to the first."""
        first = self.reduced[0]
        if len(self.reduced) < 2:
            return False
        return excluded >= min(first.least - 1, proven) or proven <= 1


class _SignRankSearch(_RankSearch):
    """Bounds on the sign-rank."""

    KIND: RankKind = "sign"

    def run(self) -> None:
        """Use the form relative to a specified row; without one, the doubled form."""
        most = int((self.matrix.row_ones + self.matrix.row_zeros).max())
        if not most:
            self.factors = _write_zeros(self.matrix.shape, 0)
            return
        relative = ReducedBounds(self.matrix, "relative")
        if most == self.matrix.shape[1]:
            self._run_relative(relative)
        else:
            self._run_doubled(relative)

    def _run_relative(self, relative: ReducedBounds) -> None:
        """Bound the sign-rank by the form relative to a row that is specified everywhere."""
        if relative.pattern is None:
            self.factors = relative.back.lift_constant()
            return
        is_late = self.asked is None and self.limits.remaining <= 0
        if self.asked == 1 or (self.asked is None and not is_late):
            self._exclude_one()
        if self.asked != 1:
            self.work(relative)
        if is_late and not self.excluded:
            self._exclude_one()

    def _exclude_one(self) -> None:
        """Decide whether the sign-rank is 1, which the relative form leaves open for rank 2."""
        doubled = ReducedBounds(self.matrix, "doubled")
        self.reduced.append(doubled)
        doubled.decide(1, self.limits, self.seconds(_SHARE_OF_RANK_ONE))

    def _run_doubled(self, relative: ReducedBounds) -> None:
        """Bound it by the doubled form, then from below in the columns that a row specifies."""
        has_lower = relative.pattern is not None and self.asked != 1
        self.work(ReducedBounds(self.matrix, "doubled"), _SHARE_OF_FIRST if has_lower else 1.0)
        if has_lower and not self.settled:
            self.work(relative)


_SEARCHES: dict[RankKind, type[_RankSearch]] = {
    "sign": _SignRankSearch,
    "global": _GlobalRankSearch,
    "row": _RankSearch,
}


def _write_zeros(shape: tuple[int, int], threshold: int) -> Factors:
    """Return factors whose products are 0, and equal thresholds."""
    rows, columns = shape
    thresholds = np.full(rows, threshold, dtype=np.int64)
    return Factors(np.zeros((rows, 1), np.int64), np.zeros((columns, 1), np.int64), thresholds)


def _write_trivial(matrix: SignMatrix, kind: RankKind) -> Factors | None:
    """Return factors of the rank that suffices for every matrix, unless they are too large."""
    rows, columns = matrix.shape
    r = trivial_rank(matrix.shape, kind)
    try:
        require_writable((rows + columns) * r + rows)
        require_few_products(rows, columns, r)
    except InputError:
        return None
    entries = matrix.to_array().astype(np.int64)
    signs = np.where(entries == UNSPECIFIED, 0, 2 * entries - 1)
    thresholds = np.zeros(rows, dtype=np.int64)
    if r == rows:
        return Factors(np.eye(rows, dtype=np.int64), signs.T, thresholds)
    if r == columns:
        return Factors(signs, np.eye(columns, dtype=np.int64), thresholds)
    keys = np.eye(columns, dtype=np.int64)[:, 1:]  # of a simplex, with the first at 0
    return Factors(signs[:, 1:] - signs[:, :1], keys, -signs[:, 0])
