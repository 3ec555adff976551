"""An answer in one sentence."""

from __future__ import annotations

from samapprox.verdict import Status, Verdict
from samapprox.weak_dimension import WeakDimension

__all__ = ["dimension_headline", "headline"]


def headline(verdict: Verdict) -> str:
    """What a verdict says about its pattern.

    Examples
    --------
    >>> from samapprox import decide
    >>> headline(decide([[1, 0], [0, 1]]))
    'YES: attention with d = 1 can show this 2 x 2 pattern.'
    """
    problem = verdict.problem
    rows, columns = problem.pattern.shape
    sentence = {
        Status.YES: f"attention with {problem} can show this {rows} x {columns} pattern.",
        Status.NO: f"no attention with {problem} shows this {rows} x {columns} pattern.",
        Status.UNKNOWN: f"{problem} is undecided for this {rows} x {columns} pattern; its weak "
        f"dimension is proven to be {verdict.lower}..{verdict.upper}.",
    }[verdict.status]
    return f"{verdict.status.value}: {sentence}"


def dimension_headline(found: WeakDimension) -> str:
    """What is proven about a pattern's weak dimension.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> dimension_headline(weak_dimension([[1, 0], [0, 1]]))
    '1: attention with d = 1 can show this 2 x 2 pattern.'
    """
    rows, columns = found.pattern.shape
    this = f"this {rows} x {columns} pattern"
    if found.exact and found.lower == 1:
        return f"1: attention with d = 1 can show {this}."
    if found.exact:
        return f"{found.lower}: attention with d = {found.lower} can show {this}, no less can."
    return f"{found.lower}..{found.upper}: the least d that can show {this} lies in between."
