"""Bounds on the dimension of a reduced pattern, by a decision or a search for the least.

Large patterns without structure are first embedded in fewer and fewer dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samapprox.errors import InputError, Interrupted
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Obstruction, Witness
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.ranks.factors import Factors
from samapprox.proofs.ranks.refutation import Form, ReducedCase
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Attempt, Verdict
from samapprox.sign_matrix import SignMatrix
from samapprox.solvers.embeddings.descent import homogeneous
from samapprox.solvers.embeddings.projections import Approach
from samapprox.solvers.embeddings.whole_numbers import whole_numbers
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.least import LeastDimension
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search, too_slow
from samapprox.solvers.questions.ranks.reduction import (
    RankToDimension,
    require_quick_check,
    require_quick_numbers,
)
from samapprox.support.limits import search_clock
from samapprox.support.progress import Progress

# Entries up to which patterns are embedded: a step takes 6 r operations an entry.
_MOST_CELLS = 5_000_000
# Operations a second, by which attempts that cannot end in time are not begun.
_PACE = 1e10
# Steps of an attempt: three to begin with, and three that may succeed.
_LEAST_STEPS = 6
# Steps after which an attempt has failed: a solution takes a few tens, or is far away.
_MOST_STEPS = 300
# The first rank, as a part of the shorter side: most patterns take two or three steps in it.
_FIRST = 0.5
# Factor of the rank as long as attempts succeed: a smaller one saves attempts that succeed, and
# fails further below the last one.
_FALL = 0.8
# Part of the time that is left, for one attempt.
_SHARE = 0.4


def embed_in_falling_rank(
    pattern: Pattern, least: int, first: int, most: int, search: Search
) -> Iterator[Embedding]:
    """Embed a pattern in some dimension of a range, then in fewer, until the time is up.

    The first dimension is at most `first`. Embeddings have numbers with few bits, each in a
    smaller dimension than the one before.

    Alternating projections start from the signs themselves, with a row 0 of ones. For random signs
    they take 3 steps in rank min(m, n) / 2 and some 20 in half of it; a step takes 6 m n r
    operations. So the rank falls by a fifth while attempts succeed, and is bisected when one has
    failed.
    """
    if pattern.size > _MOST_CELLS:
        return
    signs = homogeneous(pattern)
    rng = np.random.RandomState(search.seed)
    failed, found = least, most + 2  # ranks, which exceed dimensions by one
    rank = max(least, min(first, int(_FIRST * min(pattern.shape)) - 1)) + 1
    with one_blas_thread():
        while failed < rank < found and not search.out_of_time:
            if too_slow(_LEAST_STEPS * 6 * signs.size * rank / _PACE, search):
                return
            approach = Approach(signs, rank, rng)
            seconds = _SHARE * (search.deadline - search_clock.now())
            turn = replace(search, deadline=search_clock.now() + seconds)
            embedding = None
            if approach.go(_MOST_STEPS, turn):
                embedding = whole_numbers(pattern, *approach.nearest, search)
            if embedding is None:
                failed = rank
            else:
                found = rank
                yield embedding
            is_falling = failed == least
            rank = max(failed + 1, int(_FALL * rank)) if is_falling else (failed + found) // 2


# Rows and columns from which embeddings may be sought in falling rank.
_LARGE = 64
# Part of the time that is kept for this search, taken from the search for bounds.
_SHARE_OF_FALL = 0.4
# Seconds for it, however long its check takes.
_LEAST_FALL = 0.1
# Products a second of that check.
_PACE_OF_CHECK = 5e8
# Dimensions between the bounds from which the search is worth while.
_FAR_APART = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """The options of a search for a rank.

    `report` takes what is tried next, in words; the bounds on the rank may be better by then.
    """

    deadline: float
    seed: int
    strategies: Sequence[StrategyRecord]
    threads: int
    report: Callable[[str], None] | None

    @property
    def remaining(self) -> float:
        """Seconds left."""
        return self.deadline - search_clock.now()


class ReducedBounds:
    """A reduced pattern, and what is proven about its dimension so far.

    `factors` are those of the least rank that is proven; `case` is the refutation of `excluded`,
    the largest rank that is excluded, or 0.
    """

    def __init__(self, matrix: SignMatrix, form: Form) -> None:
        self._to_dimension = RankToDimension(form)
        self.pattern, self.back = self._to_dimension.apply(matrix)
        self.factors: Factors | None = None
        self.case: ReducedCase | None = None
        self.excluded = 0
        self.trail: list[tuple[Form, int, Attempt]] = []

    @property
    def least(self) -> float:
        """The least rank that is proven to suffice."""
        return float("inf") if self.factors is None else self.factors.dimension

    def decide(self, rank: int, limits: Limits, seconds: float) -> None:
        """Decide whether the reduced pattern gives a rank of at most a number.

        An interrupt passes through; the bounds so far are kept.
        """
        problem = Problem(self.back.pattern, self.back.dimension_of(rank))

        def report(moment: Progress) -> None:
            if limits.report is not None and moment.outcome is None:
                limits.report(f"{self.back.form}, d = {problem.d}: {moment.what}")

        search = Search.within(seconds, limits.seed)
        try:
            verdict = decide_problem(problem, limits.strategies, search, report)
        except Interrupted as interrupt:
            self._take_verdict(interrupt.so_far)
            raise
        self._take_verdict(verdict)
        if self.excluded < rank < self.least:
            self._fall(limits, limits.remaining, problem.d, problem.d, problem.d)

    def bound(
        self, limits: Limits, seconds: float, enough: Callable[[int, float], bool] | None = None
    ) -> None:
        """Search the least rank that the reduced pattern gives.

        `enough` takes the largest rank that is excluded and the least that is proven, and returns
        whether the search may end with these bounds.
        """

        def report(moment: Progress) -> None:
            so_far: WeakDimension = moment.so_far
            if enough is not None:
                proven = float("inf") if so_far.yes is None else so_far.upper
                if enough(self.back.rank_of(so_far.lower - 1), self.back.rank_of(0) + proven):
                    engine.stop()
            late = end - search_clock.now() < _SHARE_OF_FALL * seconds
            if late and self._is_large and so_far.upper - so_far.lower >= _FAR_APART:
                engine.stop()
            if limits.report is not None:
                self._take_bounds(so_far)
                limits.report(f"{self.back.form}: {moment.what}")

        end = search_clock.now() + seconds
        search = Search.within(seconds, limits.seed)
        bounds = Bounds(self.back.pattern)
        engine = LeastDimension(bounds, limits.strategies, search, report)
        try:
            engine.run(limits.threads)
        finally:  # also if the search is interrupted
            engine.stop()
            engine.conclude()
            found = bounds.dimension
            self._take_bounds(found)
            self.trail += [(self.back.form, d, step) for d, step in found.trail]
        least = self.back.dimension_of(self.excluded + 1)
        known = min(self.least, *self.back.matrix.shape)
        most = self.back.dimension_of(int(known) - 1)
        if most - least >= _FAR_APART - 1:
            first = min(most, found.upper)  # of a proof that may be too long to be written out
            self._fall(limits, end - search_clock.now(), least, first, most)

    @property
    def _is_large(self) -> bool:
        return self.back.is_whole and min(self.back.pattern.shape) >= _LARGE

    def _fall(self, limits: Limits, seconds: float, least: int, first: int, most: int) -> None:
        """Embed a large pattern in falling rank, within a range of dimensions.

        If the time is up and there are no factors, the first rank of all takes a moment more.
        """
        if not self._is_large or (seconds <= 0 and self.factors is not None):
            return
        pattern, form = self.back.pattern, self.back.form
        if limits.report is not None:
            limits.report(f"{form}: falling rank")
        start = search_clock.now()
        check = pattern.size * first / _PACE_OF_CHECK
        search = Search.within(max(_LEAST_FALL, seconds - check), limits.seed)
        for embedding in embed_in_falling_rank(pattern, least, first, most, search):
            self._take_witness(embedding)
            passed = search_clock.now() - start
            outcome = f"YES for d = {embedding.dimension}"
            self.trail.append((form, embedding.dimension, Attempt("falling-rank", passed, outcome)))
            start += passed

    def _take_bounds(self, found: WeakDimension) -> None:
        """Take the proofs of both bounds."""
        for verdict in (found.yes, found.no):
            if verdict is not None:
                self._take_proof(verdict)

    def _take_verdict(self, verdict: Verdict) -> None:
        """Take a decision's proof, its bounds and its trail."""
        for one in (verdict, verdict.below, verdict.above):
            if one is not None:
                self._take_proof(one)
        form, d = self.back.form, verdict.problem.d
        self.trail += [(form, d, step) for step in verdict.trail]

    def _take_proof(self, verdict: Verdict) -> None:
        """Carry a proof over to the matrix, if it improves a bound."""
        proof = verdict.proof
        if isinstance(proof, Witness):
            self._take_witness(proof)
        elif isinstance(proof, Obstruction):
            excluded = self.back.rank_of(verdict.problem.d)
            if excluded > self.excluded:
                case = self._to_dimension.lift(proof, self.back)
                assert isinstance(case, ReducedCase)
                self.case, self.excluded = case, excluded

    def _take_witness(self, witness: Witness) -> None:
        """Carry an embedding over to the matrix, if it improves the upper bound."""
        back = self.back
        if not back.is_whole or back.rank_of(witness.dimension) >= self.least:
            return
        try:
            require_quick_numbers(witness, back.pattern.shape)
            factors = self._to_dimension.lift(witness, back)
            assert isinstance(factors, Factors)
            require_quick_check(factors)
            self.factors = factors
        except InputError as error:  # too many or too long numbers
            step = Attempt("factors", 0.0, str(error))
            self.trail.append((back.form, witness.dimension, step))
