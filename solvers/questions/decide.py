"""Deciding one problem: strategies in order of cost, until one finds a proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from samapprox.errors import require_callback
from samapprox.formats import PatternLike, as_pattern
from samapprox.problem import Problem
from samapprox.results.verdict import Verdict
from samapprox.similarities import ATTENTION, SimilarityLike
from samapprox.solvers.engine.decision import decide_problem
from samapprox.solvers.engine.portfolio import choose, name_missing_solvers
from samapprox.solvers.engine.search import Search

if TYPE_CHECKING:
    from samapprox.support.progress import OnProgress


def decide(
    entries: PatternLike,
    d: int = 1,
    d_hid: int | None = None,
    *,
    similarity: SimilarityLike = ATTENTION,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
    memory_limit: int | None = None,
    progress: OnProgress | None = None,
) -> Verdict:
    """Decide whether attention with query/key dimension d represents a pattern, with a proof.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    d : int
        Query/key dimension.
    d_hid : int, optional
        Hidden dimension of X; below 2d, queries and keys share X (square patterns only).
    similarity : {"dot", "cosine", "l2"}, or "binary", "ternary", "int2", "int3", "int4"
        How queries and keys are compared: see `samapprox.Problem`.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the answer is UNKNOWN; the line test for d = 1 does not look at it.
    seed : int
        Same seed, same random choices.
    only, without : sequence of str
        Names of strategies to use alone, or to leave out; each similarity has its own
        (`samapprox.solvers.engine.portfolio`).
    memory_limit : int, optional
        Bytes after which the answer is UNKNOWN. The search then runs in a separate process, which
        is also stopped two seconds after the time limit, at any point.
    progress : callable, optional
        Called with a `samapprox.support.progress.Progress` when a strategy begins, and with its
        outcome when it ends.

    Returns
    -------
    Verdict
        YES with an embedding, NO with an obstruction, or UNKNOWN; the trail says what was tried.
        `below` and `above` hold the proofs of the best other bounds that came up, if there are any.

    Raises
    ------
    InputError
        The pattern or the question is unusable.
    MissingPackageError
        A package that a strategy needs is not installed; numpy alone decides d = 1 of patterns
        without don't-cares.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the trail so far.

    Notes
    -----
    For d = 1 and fully specified patterns the cost is linear in the input and the answer never
    UNKNOWN. For d >= 2 the question is NP-hard, and as hard as the existential theory of the reals.

    If a strategy fails, the others continue: the trail names its exception, or says that the exact
    checker refused its proof. Set the environment variable SAMAPPROX_TRACEBACK to see such an
    exception instead. Up to a quarter of the time goes into bounds in other dimensions, which an
    UNKNOWN states.

    References
    ----------
    Likhosherstov et al. (2023), Definition 0.1 and Theorem 0.3.

    Examples
    --------
    >>> verdict = decide([[1, 0, 0], [1, 1, 0], [0, 1, 1]], d=1)
    >>> verdict.status.value
    'YES'
    >>> verdict.proof.keys.ravel()
    array([2, 1, 0])
    >>> decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=2).status.value
    'YES'
    >>> decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], d=1, similarity="l2").status.value
    'YES'
    """
    require_callback("progress", progress)
    search = Search.within(time_limit, seed)
    problem = Problem(as_pattern(entries, causal=causal), d, d_hid, similarity)
    strategies = choose(only, without, similarity)
    with name_missing_solvers(f"deciding d = {d}"):
        if memory_limit is not None:
            from samapprox.solvers.engine.confined import (
                run_confined,  # processes are slow to import
            )

            return run_confined(problem, strategies, time_limit, seed, memory_limit, progress)
        return decide_problem(problem, strategies, search, progress)
