"""The least hidden dimension for each query/key dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from samapprox.errors import interrupts_hold, require_list
from samapprox.formats import PatternLike, as_pattern
from samapprox.pattern import Pattern
from samapprox.problem import Problem, require_dimension
from samapprox.proofs.base import Proof
from samapprox.proofs.certificate import Certificate
from samapprox.proofs.embeddings.embedding import Embedding, SelfAttention
from samapprox.proofs.embeddings.moment_curve import MomentCurve
from samapprox.proofs.refutations.shared_chirotope import SharedChirotope
from samapprox.results import Status
from samapprox.results.documents import HIDDEN_DIMENSION
from samapprox.results.verdict import Verdict
from samapprox.solvers.engine.portfolio import choose
from samapprox.solvers.questions.decide import decide
from samapprox.support.documents import write


@dataclass(frozen=True, slots=True)
class HiddenDimension:
    """The proven bounds of the least d_hid for a pattern and a query/key dimension d.

    Attributes
    ----------
    d : int
        The query/key dimension.
    lower : int
        No smaller d_hid suffices; d where nothing better is known.
    upper : int or None
        This d_hid suffices; at most 2d. None where d itself may be too small.
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

    def to_json(self) -> dict[str, Any]:
        """Return its part of the document of `dim --json`: see `samapprox schema dimension`."""
        return write(HIDDEN_DIMENSION, self)


def hidden_dimensions(
    entries: PatternLike,
    dimensions: Sequence[int] | None = None,
    *,
    causal: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
) -> list[HiddenDimension]:
    """Find the least d_hid for each d: the pairs that form the Pareto front.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (n, n)
        A square pattern: rows are queries, columns are keys.
    dimensions : sequence of int, optional
        Those d to ask about, ascending; by default from the first one that is not too small to the
        last one that could save hidden dimensions. What is proven too small is left out.
    causal : bool
        Only entries on and below the diagonal count.
    time_limit : float
        Seconds for each pair (d, d_hid) that has to be decided.
    seed : int
        Same seed, same random choices.

    Returns
    -------
    list of HiddenDimension
        Proven bounds on d_hid for each d, with certificates.

    Raises
    ------
    InputError
        The pattern is unusable or not square.
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds what there is of those d that were done.

    Notes
    -----
    At most d + 1 decisions for each d. More of either dimension never hurts: pairs that follow from
    what smaller d have proven are not asked again. The largest open d_hid is asked first, as long
    as the answer is YES, then the least, as long as it is NO. d_hid >= d always, so nothing is
    gained beyond the d that equals the least d_hid so far, nor beyond d = n, where X = I shows
    everything: there it ends even if there was no time to prove anything. Where the free case is a
    YES, its refutations are left out.

    Examples
    --------
    >>> for row in hidden_dimensions([[0, 1, 1], [1, 1, 0], [0, 0, 1]], time_limit=5):
    ...     print(row.d, row.lower, row.upper)
    1 2 2
    """
    pattern = as_pattern(entries, causal=causal)
    Problem(pattern, 1, 1)  # refuses rectangles
    tokens = pattern.shape[0]
    if dimensions is not None:
        require_list("dimensions", dimensions, "whole numbers")
        for number in (dimensions := list(dimensions)):
            require_dimension("each of the dimensions", number)
    rows: list[HiddenDimension] = []
    for d in count(1) if dimensions is None else dimensions:
        least = min([tokens + 1, *(row.upper for row in rows if row.upper is not None)])
        if dimensions is None and d >= least:
            break
        with interrupts_hold(lambda: rows):
            row = _least(pattern, d, rows, time_limit, seed)
        if row is not None:
            rows.append(row)
    return rows


def _free_refuters() -> list[str]:
    """Return strategies that refute a coupled problem by refuting the free one.

    They see equal rows and columns merged, which the coupled problem does not allow.
    """
    chosen = choose()
    return [one.name for one in chosen if one.side is Status.NO and one.simplified]


def _least(
    pattern: Pattern, d: int, before: list[HiddenDimension], time_limit: float, seed: int
) -> HiddenDimension | None:
    """Bound d_hid for one d; None if no d_hid suffices."""
    row = _inherited(pattern, d, before)
    free_yes = any(smaller.upper is not None for smaller in before)
    if not free_yes:
        free = decide(pattern, d, 2 * d, time_limit=time_limit, seed=seed)
        if free.status is Status.NO:
            return None
        if isinstance(
            free.proof, Embedding | MomentCurve
        ):  # as one X, so that it serves larger d too
            free_yes = True
            joined = Verdict(free.problem, free.proof.embedding(pattern).self_attention())
            row = replace(row, upper=2 * d, yes=joined.certificate)

    def asked(d_hid: int) -> Verdict:
        without = _free_refuters() if free_yes else []
        return decide(pattern, d, d_hid, time_limit=time_limit, seed=seed, without=without)

    while row.upper is not None and row.upper > row.lower:  # downwards
        verdict = asked(row.upper - 1)
        if verdict.status is Status.NO:
            return replace(row, lower=row.upper, no=verdict.certificate)
        if verdict.status is Status.UNKNOWN:
            break
        assert isinstance(verdict.proof, SelfAttention)
        upper = max(d, verdict.proof.hidden_dimension)
        row = replace(row, upper=upper, yes=_again(pattern, d, upper, verdict.proof))
    last = 2 * d if row.upper is None else row.upper - 1
    for d_hid in range(row.lower, last):  # upwards
        verdict = asked(d_hid)
        if verdict.status is Status.YES:
            return replace(row, upper=d_hid, yes=verdict.certificate)
        if verdict.status is Status.UNKNOWN:
            break  # more hidden dimensions are still harder to refute
        row = replace(row, lower=d_hid + 1, no=verdict.certificate)
    return row


def _inherited(pattern: Pattern, d: int, before: list[HiddenDimension]) -> HiddenDimension:
    """Inherit what smaller d have proven: their d_hid suffice, and some refutations still hold."""
    row = HiddenDimension(d, d, None, None, None)
    for smaller in before:
        no, yes, least = smaller.no, smaller.yes, smaller.upper
        if no is not None and isinstance(no.proof, SharedChirotope) and no.proof.dimension >= d:
            d_hid = smaller.lower - 1
            row = replace(row, lower=d_hid + 1, no=_again(pattern, d, d_hid, no.proof))
        if yes is not None and least is not None and (row.upper is None or least < row.upper):
            upper = max(d, least)
            row = replace(row, upper=upper, yes=_again(pattern, d, upper, yes.proof))
    return row


def _again(pattern: Pattern, d: int, d_hid: int, proof: Proof) -> Certificate | None:
    """Return a proof for another pair, checked anew."""
    return Verdict(Problem(pattern, d, d_hid), proof).certificate
