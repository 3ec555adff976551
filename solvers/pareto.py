"""The least hidden dimension for each query/key dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from numpy.typing import ArrayLike

from samapprox.certificate import Certificate
from samapprox.embedding import Embedding
from samapprox.pattern import Pattern, as_pattern
from samapprox.problem import Problem
from samapprox.solvers.decide import decide
from samapprox.verdict import Status, Verdict

__all__ = ["HiddenDimension", "hidden_dimensions"]


@dataclass(frozen=True, slots=True)
class HiddenDimension:
    """What is proven about the least d_hid that shows a pattern with query/key dimension d.

    Attributes
    ----------
    d : int
    lower : int
        No d_hid below does; d where nothing better is known.
    upper : int or None
        This d_hid does, at most 2d; None where d itself may be too small.
    no : Certificate or None
        For d_hid = lower - 1; None where lower = d.
    yes : Certificate or None
        For d_hid = upper.
    """

    d: int
    lower: int
    upper: int | None
    no: Certificate | None
    yes: Certificate | None

    @property
    def exact(self) -> bool:
        """Whether both bounds agree."""
        return self.lower == self.upper


def hidden_dimensions(
    entries: ArrayLike | Pattern,
    dimensions: Sequence[int] | None = None,
    *,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
) -> list[HiddenDimension]:
    """The least d_hid for each d: the pairs from which the Pareto front is read.

    Parameters
    ----------
    entries : Pattern, array_like or scipy sparse matrix, shape (n, n)
    dimensions : sequence of int, optional
        Those d to ask about, ascending; by default from the first one that is not too small to the
        last one that could save hidden dimensions. What is proven too small is left out.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds for each pair (d, d_hid) that has to be decided.
    seed : int

    Returns
    -------
    list of HiddenDimension

    Raises
    ------
    InputError
        The pattern is unusable or not square.

    Notes
    -----
    At most d + 1 decisions for each d. More of either dimension never hurts; d_hid >= d always, so
    nothing is gained beyond the d that equals the least d_hid so far.

    Examples
    --------
    >>> for row in hidden_dimensions([[0, 1, 1], [1, 1, 0], [0, 0, 1]], time_limit=5):
    ...     print(row.d, row.lower, row.upper)
    1 2 2
    """
    pattern = as_pattern(entries, causal=causal)
    Problem(pattern, 1, 1)  # refuses rectangles
    rows: list[HiddenDimension] = []
    for d in count(1) if dimensions is None else dimensions:
        least = min((row.upper for row in rows if row.upper is not None), default=None)
        if dimensions is None and least is not None and d >= least:
            break
        row = _least(pattern, d, rows, time_limit, seed)
        if row is not None:
            rows.append(row)
    return rows


def _least(
    pattern: Pattern, d: int, before: list[HiddenDimension], time_limit: float, seed: int
) -> HiddenDimension | None:
    """Bounds for one d; None if it is too small for any d_hid."""
    row = HiddenDimension(d, d, None, None, None)
    for smaller in before:
        if smaller.upper is not None and smaller.yes is not None and smaller.upper >= d:
            again = Verdict(Problem(pattern, d, smaller.upper), smaller.yes.proof)
            row = replace(row, upper=smaller.upper, yes=again.certificate)
    if row.upper is None:
        free = decide(pattern, d, 2 * d, time_limit=time_limit, seed=seed)
        if free.status is Status.NO:
            return None
        if isinstance(free.proof, Embedding):  # as one X, so that it serves larger d too
            joined = Verdict(free.problem, free.proof.self_attention())
            row = replace(row, upper=2 * d, yes=joined.certificate)
    for d_hid in range(d, row.upper or 2 * d):
        verdict = decide(pattern, d, d_hid, time_limit=time_limit, seed=seed)
        if verdict.status is Status.YES:
            return replace(row, upper=d_hid, yes=verdict.certificate)
        if verdict.status is Status.NO:
            row = replace(row, lower=d_hid + 1, no=verdict.certificate)
    return row
