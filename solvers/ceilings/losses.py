"""Bounded losses of queries and keys: an entry, or a row, that is hopeless stops to count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from samapprox.proofs.questions.fit import Unit
from samapprox.solvers.embeddings.lbfgs import Floats, minimise
from samapprox.solvers.search import Search

__all__ = ["Free", "Loss", "bounded", "descend", "logistic", "logits"]

Loss = Callable[[Floats], tuple[float, Floats]]
"""Margins -> the value, and its derivative by each margin."""

Free = Literal["both", "queries", "keys"]

_MOST = 60.0  # margins beyond which exp says nothing


def logits(queries: Floats, keys: Floats) -> Floats:
    """Return queries times keys, plus the queries' last coordinate: minus a threshold."""
    products: Floats = queries[:, :-1] @ keys.T
    products += queries[:, -1:]
    return products


def logistic(margins: Floats) -> tuple[float, Floats]:
    """Sum log(1 + exp(-margin)) over all entries.

    Examples
    --------
    >>> value, derivative = logistic(np.zeros((1, 1)))
    >>> round(value, 3), derivative.tolist()
    (0.693, [[-0.5]])
    """
    decay = np.exp(-np.clip(margins, -_MOST, _MOST))
    return float(np.log1p(decay).sum()), -decay / (1.0 + decay)


def bounded(unit: Unit) -> Loss:
    """Return a smooth version of the number of wrong entries or rows.

    Examples
    --------
    >>> margins = np.array([[-40.0, -40.0]])
    >>> [round(bounded(unit)(margins)[0], 3) for unit in ("entries", "rows")]
    [2.0, 0.988]
    """
    return _count_rows if unit == "rows" else _count_entries


def _count_entries(margins: Floats) -> tuple[float, Floats]:
    wrong = 1.0 / (1.0 + np.exp(np.clip(margins, -_MOST, _MOST)))
    return float(wrong.sum()), -wrong * (1.0 - wrong)


def _count_rows(margins: Floats) -> tuple[float, Floats]:
    decay = np.exp(-np.clip(margins, -_MOST, _MOST))
    depth = 1.0 + np.log1p(decay).sum(axis=1, keepdims=True)
    return float((1.0 - 1.0 / depth).sum()), -decay / (1.0 + decay) / depth**2


def descend(
    loss: Loss,
    signs: Floats,
    queries: Floats,
    keys: Floats,
    steps: int,
    search: Search,
    free: Free = "both",
) -> tuple[Floats, Floats]:
    """Minimise a loss of signs o logits by L-BFGS.

    Parameters
    ----------
    loss : Loss
    signs : ndarray of float64, shape (m, n)
        +1, -1, and 0 for *.
    queries, keys : ndarray of float64, shapes (m, d + 1) and (n, d)
    steps : int
    search : Search
    free : {"both", "queries", "keys"}
        The side that moves.

    Examples
    --------
    >>> signs = np.array([[1.0, -1.0]])
    >>> queries, keys = np.array([[0.1, 0.0]]), np.array([[1.0], [0.5]])
    >>> queries, keys = descend(logistic, signs, queries, keys, 20, Search())
    >>> (signs * logits(queries, keys) > 0).tolist()
    [[True, True]]
    """
    size = queries.size
    stars = signs == 0

    def split(x: Floats) -> tuple[Floats, Floats]:
        if free == "both":
            return x[:size].reshape(queries.shape), x[size:].reshape(keys.shape)
        if free == "queries":
            return x.reshape(queries.shape), keys
        return queries, x.reshape(keys.shape)

    def evaluate(x: Floats) -> tuple[float, Floats]:
        left, right = split(x)
        margins = logits(left, right)
        margins *= signs
        margins[stars] = _MOST
        value, slope = loss(margins)
        slope *= signs
        parts = []
        if free != "keys":
            parts.append(np.column_stack([slope @ right, slope.sum(axis=1)]).ravel())
        if free != "queries":
            parts.append((slope.T @ left[:, :-1]).ravel())
        return value, np.concatenate(parts)

    sides = {"both": (queries, keys), "queries": (queries,), "keys": (keys,)}[free]
    start = np.concatenate([side.ravel() for side in sides])
    return split(minimise(evaluate, start, steps, search, memory=10))
