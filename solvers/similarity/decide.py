"""Deciding a dimension, and finding the least one, with cosines or distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from samapprox.errors import Interrupted
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Verdict
from samapprox.similarities import Similarity
from samapprox.solvers.engine.interval import Bounds
from samapprox.solvers.engine.portfolio import StrategyRecord
from samapprox.solvers.engine.search import Search
from samapprox.solvers.engine.turns import Progress
from samapprox.solvers.similarity.bounds import Bracket

__all__ = ["decide_similarity", "least_dimension"]

BoundDotProducts = Callable[[Pattern, float, int], WeakDimension]

_SHARE_OF_DOT = 0.5  # of the time, for the least dimension with dot products


def decide_similarity(
    problem: Problem,
    search: Search,
    strategies: Sequence[StrategyRecord],
    progress: Progress | None = None,
) -> Verdict:
    r"""Decide a problem with another similarity than dot products.

    Parameters
    ----------
    problem : Problem
    search : Search
    strategies : sequence of StrategyRecord
    progress : callable, optional

    Returns
    -------
    Verdict

    Raises
    ------
    Interrupted
        Ctrl-C; it holds the trail and the bounds so far.

    Examples
    --------
    >>> from samapprox.solvers.engine.portfolio import choose
    >>> problem = Problem(Pattern.from_text("110\n011"), 1, similarity="cosine")
    >>> decide_similarity(problem, Search.within(9, 0), choose(similarity="cosine")).status.value
    'NO'
    """
    bracket = Bracket(problem.pattern, problem.similarity, search, strategies, progress)
    try:
        bracket.begin(problem.d)
        bracket.work_on(problem.d)
    except KeyboardInterrupt:
        search.stop()
        raise Interrupted(bracket.verdict(problem.d)) from None
    return bracket.verdict(problem.d)


def least_dimension(
    pattern: Pattern,
    similarity: Similarity,
    search: Search,
    strategies: Sequence[StrategyRecord],
    bound_dot_products: BoundDotProducts,
    progress: Bounds | None = None,
) -> WeakDimension:
    r"""Find the least dimension with another similarity than dot products, or bounds.

    Parameters
    ----------
    pattern : Pattern
    similarity : Similarity
    search : Search
    strategies : sequence of StrategyRecord
    bound_dot_products : callable
        Finds the least dimension of a pattern with dot products in some seconds, with a seed.
    progress : callable, optional
        Called with what is proven so far and what is tried next.

    Returns
    -------
    WeakDimension

    Raises
    ------
    Interrupted
        Ctrl-C; it holds the bounds so far.

    Notes
    -----
    The least dimension with dot products comes first: it determines the others up to one.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> from samapprox.solvers.engine.portfolio import choose
    >>> def bound(pattern, seconds, seed):
    ...     return weak_dimension(pattern, time_limit=seconds, seed=seed)
    >>> from samapprox.similarities import SIMILARITIES
    >>> pattern, cosine = Pattern.from_text("100\n010\n001"), SIMILARITIES["cosine"]
    >>> strategies = choose(similarity=cosine)
    >>> least_dimension(pattern, cosine, Search.within(9, 0), strategies, bound).lower
    2
    """
    bracket = Bracket(pattern, similarity, search, strategies)
    try:
        _begin(bracket, search, bound_dot_products)
        while not bracket.closed:
            # Halfspaces refute d - 1 at d, so that they may raise the lower bound from above it.
            near = {bracket.lower, bracket.upper - 1, min(bracket.lower + 1, bracket.upper - 1)}
            seconds = {d: bracket.next_seconds(d) for d in near}
            open_ends = {d: length for d, length in seconds.items() if length is not None}
            if not open_ends:
                break
            d = min(open_ends, key=open_ends.__getitem__)
            if progress is not None:
                progress(bracket.dimension, f"d = {d}")
            bracket.take_turn(d)
    except KeyboardInterrupt as interrupt:
        if isinstance(interrupt, Interrupted) and isinstance(interrupt.so_far, WeakDimension):
            bracket.take_neighbour(interrupt.so_far)
        search.stop()
        raise Interrupted(bracket.dimension) from None
    return bracket.dimension


def _begin(bracket: Bracket, search: Search, bound_dot_products: BoundDotProducts) -> None:
    """Decide what one call decides, then bound the dimension with dot products."""
    for d, _ in enumerate(bracket.similarity.curves, start=1):  # decided in linear time
        if bracket.lower == d:
            bracket.begin(d)
    if bracket.yes is None:
        bracket.take_trivial()
    merged = bracket.merged
    if merged is not None and not bracket.closed:
        seconds = max(0.1, _SHARE_OF_DOT * search.remaining)
        bracket.take_neighbour(bound_dot_products(merged, seconds, search.seed))
