"""The least dimension of a pattern: bounds from both sides until they meet."""

from __future__ import annotations

from collections.abc import Sequence

from samapprox.errors import InputError, Interrupted, abridge, require_callback
from samapprox.formats import PatternLike, as_pattern
from samapprox.problem import as_whole
from samapprox.results.dimension import WeakDimension
from samapprox.similarities import ATTENTION, SimilarityLike, find_comparison
from samapprox.solvers.engine.bounds import Bounds
from samapprox.solvers.engine.least import LeastDimension
from samapprox.solvers.engine.portfolio import choose, name_missing_solvers
from samapprox.solvers.engine.search import Search
from samapprox.support.progress import OnProgress


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
    progress: OnProgress | None = None,
) -> WeakDimension:
    """Find the least query/key dimension that represents a pattern, or a proven interval.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    similarity : {"dot", "cosine", "l2"}, or "binary", "ternary", "int2", "int3", "int4"
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
        Called with a `samapprox.support.progress.Progress`: the bounds so far, and what is tried
        next.

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
    require_callback("progress", progress)
    pattern = as_pattern(entries, causal=causal)
    search = Search.within(time_limit, seed)
    require_threads(threads)
    compared = find_comparison(similarity)
    strategies = choose(only, without, compared)
    engine = LeastDimension(Bounds(pattern, compared), strategies, search, progress)
    try:
        with name_missing_solvers("the least dimension"):
            engine.run(threads)
            engine.conclude()
    except KeyboardInterrupt:
        engine.stop()
        engine.conclude()
        raise Interrupted(engine.bounds.dimension) from None
    return engine.bounds.dimension


def require_threads(threads: object) -> None:
    """Refuse a number of threads other than 1 and 2.

    Raises
    ------
    InputError
        Another number, or no whole number.

    Examples
    --------
    >>> require_threads(3)
    Traceback (most recent call last):
    ...
    samapprox.errors.InputError: threads must be 1 or 2, not 3
    """
    if type(as_whole(threads)) is not int or threads not in (1, 2):
        raise InputError(f"threads must be 1 or 2, not {abridge(threads)}")
