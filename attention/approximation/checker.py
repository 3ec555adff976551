"""The check of conditions (7) and (8) of Theorem 0.4, block by block, for any method."""

from __future__ import annotations

import math
from collections.abc import Callable

from samapprox.attention.approximation.exact_logits import ExactLogits
from samapprox.attention.approximation.layer import AttentionLayer
from samapprox.attention.approximation.report import Report, Worst, require_precision
from samapprox.attention.approximation.rounding import FloatLogits
from samapprox.attention.approximation.rows import Block
from samapprox.attention.approximation.target import Target
from samapprox.errors import InputError
from samapprox.support.plural import plural

__all__ = ["Report", "check"]

Progress = Callable[[int, int], None]

_BLOCK_ENTRIES = 1 << 21


def check(
    layer: AttentionLayer,
    target: Target,
    eps1: float,
    eps2: float,
    *,
    progress: Progress | None = None,
) -> Report:
    """Check whether SAM (CSAM for a causal layer) satisfies (7) and (8) for A.

    Parameters
    ----------
    layer : AttentionLayer, n tokens
        Its type says the arithmetic: see there.
    target : Target, shape (n, n)
        A; its floats are taken as they are.
    eps1 : float
        In (0, 1): zeros of A get less than eps1 times what any nonzero of the row gets.
    eps2 : float
        Positive, at most a million: ratios of two nonzeros of a row are off by a factor below
        exp(eps2).
    progress : callable, optional
        Told the number of rows done and of all rows.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        eps1 or eps2 out of range, a layer of another number of tokens, or a causal layer for a
        matrix that is not lower triangular.

    Notes
    -----
    O(n^2 d) time, memory O(n d) and blocks of some 2 million logits. M is never computed: ratios
    of a row are exponentials of differences of logits. An exact layer is decided exactly:
    differences are fractions, compared with logarithms enclosed as tightly as it takes.

    References
    ----------
    Likhosherstov, Choromanski, Weller (2023), Equations (7), (8), (23), (24).

    Examples
    --------
    >>> import numpy as np
    >>> A = Target.from_array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    >>> layer = AttentionLayer.from_factors(4 * A.to_array(), np.eye(3))
    >>> report = check(layer, A, eps1=0.2, eps2=0.1)
    >>> report.holds, report.is_proven, report.zeros.row, round(report.zeros.ratio, 4)
    (True, True, 0, 0.1353)
    """
    require_precision(eps1, eps2)
    if layer.n != target.n:
        raise InputError(f"the layer has {plural(layer.n, 'token')}, A has {target.n}")
    if layer.causal:
        target.require(causal=True)
    source = ExactLogits(layer) if layer.is_exact else FloatLogits(layer)
    zeros, ones = Worst(-1, -1, -1, -math.inf), Worst(-1, -1, -1, 0.0)
    holds, spread = True, 0.0
    step = max(1, _BLOCK_ENTRIES // layer.n)
    for start in range(0, layer.n, step):
        block = Block(source, target, start, min(start + step, layer.n), layer.causal)
        zeros = max(zeros, block.worst_zero(), key=_severity)
        ones = max(ones, block.worst_one(), key=_severity)
        holds = holds and block.holds(eps1, eps2)
        spread = max(spread, block.spread())
        if progress is not None:
            progress(block.stop, layer.n)
    return Report(
        holds, zeros, ones, spread, source.rounding, layer.arithmetic, float(eps1), float(eps2)
    )


def _severity(worst: Worst) -> float:
    return worst.log_ratio
