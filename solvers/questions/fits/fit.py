"""The least number of wrong rows or entries: bounds from both sides until they meet.

One dimension, or d = 1, 2, .. up to the least dimension.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from samapprox.errors import Interrupted, interrupts_hold, require_callback
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import require_dimension, trivial_dimension
from samapprox.proofs.base import Witness
from samapprox.proofs.checker import check
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.proofs.questions import Fit, Unit
from samapprox.results import Status
from samapprox.results.best_fit import BestFit
from samapprox.results.fit_curve import FitCurve
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike
from samapprox.solvers.engine.portfolio import name_missing_solvers
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.decide import decide
from samapprox.support.progress import OnProgress, Progress, Reporter

if TYPE_CHECKING:
    from samapprox.results.comparisons import Allowance
    from samapprox.solvers.questions.fits.first_keys_search import FirstKeysSearch
    from samapprox.solvers.questions.fits.hitting_search import HittingSearch


# Seconds after Ctrl-C in which the lower bound is still proven, while the user waits.
_AFTER_INTERRUPT = 2.0

# Part of the time for the dimension in which the curve ends; the others share the rest.
_SHARE_OF_LAST = 0.25
# Part of the time that is left for each dimension, if rows are to be right at K.
_SHARE_AT = 0.25
# Seconds for a dimension, also if none are left: the least in which a fit has a bound.
_SHORTEST = 0.05


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
    (3, True, [2, 3, 4])
    >>> fit(np.eye(5), 1, similarity="l2").upper
    0
    >>> fit(np.eye(5), 1, at=2).upper
    1
    """
    question = Fit(as_pattern(entries, causal=causal), d, 0, unit, similarity, at)
    search = Search.within(time_limit, seed)
    fitting = _choose_search(question)(question, progress)
    so_far = partial(fitting.result, _AFTER_INTERRUPT)
    with interrupts_hold(so_far), name_missing_solvers(f"the best fit in d = {d}"):
        fitting.run(search)
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


def fit_curve(
    entries: PatternLike,
    *,
    unit: Unit = "rows",
    similarity: SimilarityLike = ATTENTION,
    at: int | None = None,
    largest_d: int | None = None,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> FitCurve:
    """Find the best fits for d = 1, 2, .. until nothing is wrong.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys.
    unit : {"rows", "entries"}
        The items that are counted. A row is wrong if one of its specified entries is.
    similarity : {"dot", "cosine", "l2"}
        As for `fit`.
    at : int, optional
        As for `fit`. The curve then ends where only rows with more than K ones are wrong, and no
        more recall is possible; under cosine similarity and Euclidean distance perhaps earlier, if
        the time is up.
    largest_d : int, optional
        Stop after this dimension.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds for the whole curve.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with a `Progress` that says the dimension, its bounds and what is tried next; its
        `so_far` is the curve of the dimensions before.

    Returns
    -------
    FitCurve
        The fits for d = 1, 2, .., each with bounds and their certificates.

    Raises
    ------
    InputError
        The pattern or an option is unusable.
    MissingPackageError
        A package that the search needs is not installed.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the dimensions so far.

    Notes
    -----
    At most a quarter of the time goes to a small dimension in which nothing is wrong, where the
    curve ends. The smaller dimensions share the rest equally; each leaves what it does not need to
    the next ones. At K, each dimension gets a quarter of the time that is left.

    Examples
    --------
    >>> print(fit_curve([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    d = 1: 2 of 3 rows right (66.7 %) with d = 1: no embedding gets more of them right.
    d = 2: 3 of 3 rows right (100.0 %) with d = 2: an embedding has no fault.
    """
    require_callback("progress", progress)
    pattern = as_pattern(entries, causal=causal)
    compared = Fit(pattern, 1, 0, unit, similarity, at).similarity
    if largest_d is not None:
        require_dimension("largest_d", largest_d)
    search = Search.within(time_limit, seed)
    found: list[BestFit] = []

    def run(d: int, seconds: float) -> BestFit:
        report = None if progress is None else _report_in(d, found, progress)
        return fit(
            pattern,
            d,
            unit=unit,
            similarity=compared,
            at=at,
            time_limit=seconds,
            seed=seed,
            progress=report,
        )

    try:
        if at is not None:
            most = largest_d or trivial_dimension(pattern.shape) + compared.above
            _list_fits_at(pattern, at, compared, most, search, run, found)
            return FitCurve.of(found)
        last = None
        if largest_d is None:
            last = _reach(pattern, unit, compared, search, progress)
            largest_d = trivial_dimension(pattern.shape) + compared.above
        if last is None:
            last = run(largest_d, max(_SHORTEST, search.remaining / (largest_d + 1)))
        for d in range(1, last.d):
            if found and search.out_of_time:  # embeddings count for larger d, too
                found.append(_carry(found[-1], d))
            else:
                found.append(run(d, max(_SHORTEST, search.remaining / (last.d - d))))
            if not found[-1].upper:
                return FitCurve.of(found)
    except Interrupted as interrupted:
        last_one, so_far = interrupted.so_far, found
        if isinstance(last_one, BestFit) and len(found) + 1 == last_one.d:
            so_far = [*found, last_one]
        if not so_far:  # a curve begins with d = 1
            raise KeyboardInterrupt from None
        raise Interrupted(FitCurve.of(so_far)) from None
    return FitCurve.of([*found, last])


def _list_fits_at(
    pattern: Pattern,
    at: int,
    similarity: Similarity,
    most: int,
    search: Search,
    run: Callable[[int, float], BestFit],
    found: list[BestFit],
) -> None:
    """Add the fits at K for d = 1, 2, .. until more dimensions help no more.

    When the time is up, the last fit is in twice as many dimensions as rows have ones: for dot
    products, nothing is wrong in it, and no search is needed. Large patterns take longer than they
    are given, so the last fit comes next if there is no time for it and for another one before it.
    """
    possible = pattern.row_ones[pattern.row_ones <= at]
    late = pattern.shape[0] - len(possible)
    enough = min(most, 2 * int(possible.max(initial=1)))
    kept = 2 if similarity.is_attention else 1  # fits for which there must be time
    excess = 0.0  # the most seconds that a fit took beyond those it was given
    while len(found) < most and (not found or found[-1].upper > late or _misses(found[-1], search)):
        if found and search.remaining <= kept * excess:
            if similarity.is_attention and len(found) < enough:
                found += [_carry(found[-1], d) for d in range(len(found) + 1, enough)]
                found.append(run(enough, _SHORTEST))
            return
        seconds = max(_SHORTEST, _SHARE_AT * search.remaining)
        found.append(run(len(found) + 1, seconds))
        excess = max(excess, found[-1].seconds - seconds)


def _carry(found: BestFit, d: int) -> BestFit:
    """Return a fit for a larger d, in which its embedding counts, but not its limits."""
    recall = found.recall
    if recall is not None:
        recall = replace(recall, question=replace(recall.question, d=d), no=None, most=Fraction(1))
    return replace(found, d=d, no=None, lower=0, seconds=0.0, recall=recall)


def _misses(found: BestFit, search: Search) -> bool:
    """Whether more recall at K may be possible, and there is time to search for it."""
    return found.recall is not None and not found.recall.exact and not search.out_of_time


def _report_in(d: int, found: list[BestFit], progress: OnProgress) -> OnProgress:
    """Report the bounds of one dimension in words, with the dimensions before it as the result."""
    bounds = ""

    def report(moment: Progress) -> None:
        nonlocal bounds
        if moment.so_far is not None:
            bounds = f"{moment.so_far.lower}..{moment.so_far.upper} | "
        so_far = FitCurve.of(found) if found else None
        progress(Progress(f"d = {d}: {bounds}{moment.what}", so_far))

    return report


def _reach(
    pattern: Pattern,
    unit: Unit,
    similarity: Similarity,
    search: Search,
    progress: OnProgress | None,
) -> BestFit | None:
    """Return the fit in a small dimension in which nothing is wrong; None for the trivial one."""
    from samapprox.solvers.questions.dimension import weak_dimension  # one fit needs no other d

    if progress is not None:
        progress(Progress("searching for the dimension in which nothing is wrong"))
    found = weak_dimension(
        pattern,
        similarity=similarity,
        time_limit=max(_SHORTEST, _SHARE_OF_LAST * search.remaining),
        seed=search.seed,
    )
    if found.yes is None or not isinstance(found.yes.proof, Witness):
        return None
    proof = PartialEmbedding(unit, [], found.yes.proof)
    question = Fit(pattern, found.upper, 0, unit, similarity)
    if check(question, proof) is not None:
        return None
    return BestFit(pattern, question.d, unit, similarity, proof, None, 0, 0, found.seconds)
