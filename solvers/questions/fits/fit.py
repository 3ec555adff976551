"""The least number of wrong rows or entries: bounds from both sides until they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samapprox.errors import Interrupted
from samapprox.formats import PatternLike, as_pattern
from samapprox.proofs.questions import Fit, Unit
from samapprox.results.best_fit import BestFit
from samapprox.results.verdict import Status
from samapprox.similarities import ATTENTION, SimilarityLike
from samapprox.solvers.engine.portfolio import name_missing_solvers
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.decide import decide
from samapprox.support.progress import OnProgress, Reporter

if TYPE_CHECKING:
    from samapprox.results.comparisons import Allowance
    from samapprox.solvers.questions.fits.first_keys_search import FirstKeysSearch
    from samapprox.solvers.questions.fits.hitting_search import HittingSearch

__all__ = ["bound_right_rows", "fit"]

# Seconds after Ctrl-C in which the lower bound is still proven, while the user waits.
_AFTER_INTERRUPT = 2.0


def fit(
    entries: PatternLike,
    d: int = 1,
    *,
    unit: Unit = "rows",
    similarity: SimilarityLike = ATTENTION,
    at: int | None = None,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> BestFit:
    """Find the least number of rows or entries that an embedding in d gets wrong.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    d : int
        Query/key dimension.
    unit : {"rows", "entries"}
        The items that are counted. A row is wrong if one of its specified entries is.
    similarity : {"dot", "cosine", "l2"}
        The score of a query and a key: their dot product, their cosine, or minus their distance.
    at : int, optional
        K: a row is right if its ones are among the first K keys, where zeros stand before ones of
        the same score, and don't-cares do not count. Without it, all zeros must come later.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds after which the bounds are returned as they are.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a `Progress` that says what is tried next. Its `so_far` is the result so far
        when a bound is better than before, as long as this takes little time.

    Returns
    -------
    BestFit
        With certificates for both bounds.

    Raises
    ------
    InputError
        The pattern or an option is unusable.
    MissingPackageError
        A package that the search needs is not installed.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the bounds so far.

    Notes
    -----
    Implicit hitting sets: a least hitting set of the known cores is a lower bound, and the pattern
    without it is decided. An embedding of the rest closes the interval, a refutation is a new core.

    References
    ----------
    Davies, Bacchus (2011), "Solving MAXSAT by solving a sequence of simpler SAT instances".

    Examples
    --------
    >>> import numpy as np
    >>> found = fit(np.eye(5), 1)
    >>> found.upper, found.exact, found.wrong.tolist()
    (3, True, [0, 1, 2])
    >>> fit(np.eye(5), 1, similarity="l2").upper
    0
    >>> fit(np.eye(5), 1, at=2).upper
    1
    """
    question = Fit(as_pattern(entries, causal=causal), d, 0, unit, similarity, at)
    search = Search.within(time_limit, seed)
    fitting = _choose_search(question)(question, progress)
    try:
        with name_missing_solvers(f"the best fit in d = {d}"):
            fitting.run(search)
    except KeyboardInterrupt:
        raise Interrupted(fitting.result(_AFTER_INTERRUPT)) from None
    return fitting.result()


def _choose_search(question: Fit) -> type[HittingSearch | FirstKeysSearch]:
    """Load the search for wrong items, or for rows that are right at K; each has many modules."""
    if question.at is None:
        from samapprox.solvers.questions.fits.hitting_search import HittingSearch

        return HittingSearch
    from samapprox.solvers.questions.fits.first_keys_search import FirstKeysSearch

    return FirstKeysSearch


# Entries up to which wrong rows are counted; of larger patterns it is only decided whether any
# row is wrong.
_MOST_ENTRIES = 1 << 20


def bound_right_rows(
    entries: PatternLike,
    d: int,
    *,
    similarity: SimilarityLike = ATTENTION,
    at: int | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> Allowance:
    """Bound the number of rows that the best embedding of a dimension gets right, perhaps at K.

    The time limit holds for the decision whether all rows can be right, and again for the number
    of wrong rows if they cannot.
    """
    from samapprox.results.comparisons import Allowance  # only evaluations ask for it

    pattern = as_pattern(entries)
    rows = pattern.shape[0]
    reporter = Reporter(progress)
    limits: dict[str, Any] = {"similarity": similarity, "time_limit": time_limit, "seed": seed}
    if at is not None:
        reporter.report(f"searching for the most rows that are right at K = {at} with d = {d}")
        found = fit(pattern, d, at=at, **limits)
        return Allowance(rows - found.upper, rows - found.lower)
    reporter.report(f"deciding whether d = {d} suffices for all rows")
    verdict = decide(pattern, d, **limits)
    if verdict.status is Status.YES:
        return Allowance(rows, rows)
    most = rows - (verdict.status is Status.NO)
    if rows * pattern.shape[1] > _MOST_ENTRIES:
        return Allowance(0, most)
    reporter.report(f"searching for the least number of wrong rows with d = {d}")
    found = fit(pattern, d, **limits)
    return Allowance(rows - found.upper, min(most, rows - found.lower))
