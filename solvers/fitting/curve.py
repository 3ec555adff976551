"""Best fits for d = 1, 2, .. up to the least dimension."""

from __future__ import annotations

from functools import partial

from samapprox.best_fit import BestFit, FitInterrupted
from samapprox.curve import FitCurve, FitCurveInterrupted
from samapprox.formats import PatternLike, as_pattern
from samapprox.problem import Similarity, require_similarity, trivial_dimension
from samapprox.proofs.questions.fit import Unit
from samapprox.solvers.fitting.fit import fit
from samapprox.solvers.fitting.implicit import Progress

__all__ = ["fit_curve"]


def fit_curve(
    entries: PatternLike,
    *,
    unit: Unit = "rows",
    similarity: Similarity = "dot",
    largest_d: int | None = None,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
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
    largest_d : int, optional
        Stop after this dimension.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds for each dimension.
    seed : int
        Same seed, same random choices.
    progress : callable, optional
        Called with d, the bounds so far and what is tried next, in words.

    Returns
    -------
    FitCurve

    Raises
    ------
    InputError
        The pattern or an option is unusable.
    MissingPackageError
        A package that the search needs is not installed.
    FitCurveInterrupted
        Ctrl-C; a KeyboardInterrupt that holds the dimensions so far.

    Examples
    --------
    >>> print(fit_curve([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    d = 1: 1 of 3 rows: the best embedding with d = 1 gets 66.7 % of the rows right.
    d = 2: 0 of 3 rows: the best embedding with d = 2 gets 100.0 % of the rows right.
    """
    pattern = as_pattern(entries, causal=causal)
    require_similarity(similarity)
    enough = trivial_dimension(pattern.shape) + (similarity == "cosine")
    last = enough if largest_d is None else largest_d
    found: list[BestFit] = []
    for d in range(1, last + 1):
        try:
            found.append(
                fit(
                    pattern,
                    d,
                    unit=unit,
                    similarity=similarity,
                    time_limit=time_limit,
                    seed=seed,
                    progress=None if progress is None else partial(_report, progress, d),
                )
            )
        except FitInterrupted as interrupted:
            found.append(interrupted.so_far)
            raise FitCurveInterrupted(FitCurve.of(found)) from None
        if found[-1].upper == 0:
            break
    return FitCurve.of(found)


def _report(progress: Progress, d: int, words: str) -> None:
    progress(f"d = {d}: {words}")
