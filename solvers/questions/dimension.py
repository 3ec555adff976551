"""The least dimension of a pattern: bounds from both sides until they meet."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from samapprox.errors import InputError, Interrupted
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.results.dimension import WeakDimension
from samapprox.results.verdict import Status
from samapprox.similarities import ATTENTION, SimilarityLike, find_similarity
from samapprox.solvers.backends.blas import one_blas_thread
from samapprox.solvers.engine.interval import SIDES, Bounds, Interval
from samapprox.solvers.engine.portfolio import choose, name_missing_solvers
from samapprox.solvers.engine.search import Search
from samapprox.support.clock import search_clock

__all__ = ["close_interval", "require_threads", "weak_dimension"]


def weak_dimension(
    entries: PatternLike,
    *,
    similarity: SimilarityLike = ATTENTION,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    threads: int = 2,
    progress: Bounds | None = None,
) -> WeakDimension:
    """Find the least query/key dimension that represents a pattern, or a proven interval.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    similarity : {"dot", "cosine", "l2"}
        How queries and keys are compared: see `samapprox.Problem`.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    only, without : sequence of str
        Names of strategies to use alone, or to leave out; each similarity has its own
        (`samapprox.solvers.engine.portfolio`).
    threads : int
        2: embeddings and refutations are searched at the same time. 1: both take turns, for about
        as long each, which suits many searches that share the cores.
    progress : callable, optional
        Called with what is proven so far and what is tried next.

    Returns
    -------
    WeakDimension
        With certificates for both bounds.

    Raises
    ------
    InputError
        The pattern or an option is unusable.
    MissingPackageError
        A package that a strategy needs is not installed.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    The line decides d = 1. For larger d the pattern is divided (see `Division`): its dimension is
    the largest of its leaves'. Bounds that cost little come first, for all leaves. Then there are
    two sides, in a thread each or in turn. One searches embeddings of the leaf with the largest
    upper bound: dimensions from doubling and bisection, each for one turn, then longer turns, most
    of them just below the bound. The other refutes, preferably the least open dimension. Both sides
    leave a dimension as soon as it is settled.

    With another similarity, the least dimension with dot products comes first, which determines the
    others up to one.

    Examples
    --------
    >>> import numpy as np
    >>> weak_dimension(np.eye(6)).upper
    2
    >>> weak_dimension(np.eye(6), similarity="l2").upper
    1
    """
    pattern = as_pattern(entries, causal=causal)
    search = Search.within(time_limit, seed)
    require_threads(threads)
    compared = find_similarity(similarity)
    strategies = choose(only, without, compared)
    if not compared.divides:
        from samapprox.solvers.similarity.decide import least_dimension  # seldom needed

        def bound(pattern: Pattern, seconds: float, seed: int) -> WeakDimension:
            return weak_dimension(pattern, time_limit=seconds, seed=seed, threads=threads)

        with name_missing_solvers("the least dimension"):
            return least_dimension(pattern, compared, search, strategies, bound, progress)
    interval = Interval(pattern, search, strategies, progress)
    try:
        with name_missing_solvers("the least dimension"):
            close_interval(interval, threads)
    except KeyboardInterrupt:
        interval.stop()
        raise Interrupted(interval.result()) from None
    return interval.result()


def require_threads(threads: object) -> None:
    """Refuse a number of threads other than 1 and 2.

    Raises
    ------
    InputError

    Examples
    --------
    >>> require_threads(3)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: threads must be 1 or 2, not 3
    """
    if type(threads) is not int or threads not in (1, 2):
        raise InputError(f"threads must be 1 or 2, not {threads!r}")


def close_interval(interval: Interval, threads: int) -> None:
    """Improve the bounds until they meet, time is up, or nothing is left to try.

    Parameters
    ----------
    interval : Interval
        Its `stop` ends the work from any thread.
    threads : int
        1 or 2, as for `weak_dimension`.
    """
    interval.begin()
    if not interval.closed:
        # Threads that set and restore the number of BLAS threads would confuse each other.
        with one_blas_thread():
            if threads == 1 or not interval.suits_threads:
                _alternate(interval)
            else:
                _work_in_threads(interval)
    interval.end()


def _work_in_threads(interval: Interval) -> None:
    """Work on both sides at the same time."""
    with ThreadPoolExecutor(len(SIDES)) as pool:
        try:
            sides = [pool.submit(_work, interval, side) for side in SIDES]
            for ended in as_completed(sides):
                ended.result()
        finally:
            interval.stop()


def _work(interval: Interval, side: Status) -> None:
    """Take turns of one side while there are any."""
    while (turns := interval.next(side)) is not None:
        interval.take(turns)


def _alternate(interval: Interval) -> None:
    """Take turns of both sides in one thread: the side with less time so far is next."""
    spent = dict.fromkeys(SIDES, 0.0)
    while spent:
        side = min(spent, key=spent.__getitem__)
        turns = interval.next(side)
        if turns is None:  # nothing left to try there, nor later
            del spent[side]
            continue
        started = search_clock.now()
        interval.take(turns)
        spent[side] += search_clock.now() - started
