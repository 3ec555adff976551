"""Networks that compute with numbers: Lemmas A.1, A.3 and A.4, and minima."""

from __future__ import annotations

from functools import reduce
from math import pi, sqrt
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.reasoning.decoders.mlp import Mlp
from samapprox.attention.transformers.feed_forward import gelu

__all__ = ["gate", "linear", "minimum", "pick", "product", "selection", "spread"]


def product(most: float, error: float) -> Mlp:
    """Make the product of two numbers a, b: four hidden units with GeLU (Lemma A.1).

    Parameters
    ----------
    most : float
        A bound on |a| + |b|.
    error : float
        A bound on the difference from a b, apart from rounding.

    Notes
    -----
    gelu(x) + gelu(-x) = x erf(x/sqrt(2)) lies between sqrt(2/pi) (x^2 - x^4/6) and
    sqrt(2/pi) x^2. The difference of its values at (a + b)/s and (a - b)/s, times
    s^2 sqrt(pi/32), is thus a b up to most^4/(24 s^2), which s = most^2/sqrt(24 error) makes
    `error`. The largest weight is 0.013 most^4/error.

    Examples
    --------
    >>> network = product(most=10, error=1e-4)
    >>> network.hidden, network([3.0, 7.0]).round(3).tolist()
    (4, [21.0])
    """
    scale = most**2 / sqrt(24 * error)
    signs = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    weight = scale**2 * sqrt(pi / 32)
    w_2 = weight * np.array([[1, 1, -1, -1]])
    return Mlp.from_lists(signs / scale, np.zeros(4), w_2, activation=gelu)


def linear(matrix: ArrayLike) -> Mlp:
    """Make the map x -> W x, with two hidden units for each output (Lemma A.3).

    Examples
    --------
    >>> linear([[1, -2]])([3.0, 5.0]).tolist()
    [-7.0]
    """
    rows = np.array(matrix, dtype=np.float64)
    identity = np.eye(len(rows))
    biases = np.zeros(2 * len(rows))
    return Mlp.from_lists(np.vstack([rows, -rows]), biases, np.hstack([identity, -identity]))


def gate(d: int, bound: float, margin: float) -> Mlp:
    """Make the map of (x, t) to x where t >= margin and to 0 where t <= -margin: half of Lemma A.4.

    Parameters
    ----------
    d : int
        Entries of x.
    bound : float
        A bound on the absolute values of the entries of x.
    margin : float
        No t is closer to 0.

    Returns
    -------
    Mlp
        With d + 1 inputs and d + 1 hidden units.

    Notes
    -----
    relu(x + K t) - relu(K t) with K = 2 bound/margin. No argument is closer to 0 than `bound`.

    Examples
    --------
    >>> gate(2, bound=5, margin=1)([[3.0, 3.0], [-4.0, -4.0], [1.0, -1.0]]).tolist()
    [[3.0, 0.0], [-4.0, 0.0]]
    """
    w_1 = np.column_stack([np.eye(d + 1)[:, :d], np.full(d + 1, 2 * bound / margin)])
    w_2 = np.column_stack([np.eye(d), -np.ones(d)])
    return Mlp.from_lists(w_1, np.zeros(d + 1), w_2)


def selection(d: int, bound: float, margin: float) -> Mlp:
    """Make the map of (x, y, t) to x where t >= margin and to y where t <= -margin (Lemma A.4).

    Returns
    -------
    Mlp
        With 2 d + 1 inputs and 2 d + 2 hidden units. See `gate` for the parameters.

    Examples
    --------
    >>> selection(1, bound=5, margin=0.5)([[3.0, 3.0], [-4.0, -4.0], [0.5, -0.5]]).tolist()
    [[3.0, -4.0]]
    """
    entries, network = np.eye(2 * d + 1), gate(d, bound, margin)
    x, y, t = entries[:d], entries[d:-1], entries[-1:]
    return network.read(np.vstack([x, t])) + network.read(np.vstack([y, -t]))


def spread(n: int, bound: float) -> Mlp:
    """Make the map of (x, e_1, .., e_n) to (x e_1, .., x e_n), where e is a unit vector or 0.

    Notes
    -----
    2 n hidden units; |x| <= bound. Layer 1 of Lemma A.12 does this with relu(relu(x + bound) - ..),
    which loses negative x.

    Examples
    --------
    >>> spread(3, bound=9)([-6.0, 0.0, 1.0, 0.0]).tolist()
    [0.0, -6.0, 0.0]
    """
    entries = np.eye(n + 1)
    return _gate_entries(n, bound).read(np.vstack([np.tile(entries[0], (n, 1)), entries[1:]]))


def pick(n: int, bound: float) -> Mlp:
    """Make the map of (x_1, .., x_n, e_1, .., e_n) to x_i, where e is the i-th unit vector.

    Where e is 0, so is the output. The network has 2 n hidden units; all |x_i| <= bound.

    Examples
    --------
    >>> pick(3, bound=9)([4.0, 5.0, -6.0, 0.0, 0.0, 1.0]).tolist()
    [-6.0]
    """
    return _gate_entries(n, bound).write(np.ones((1, n)))


def _gate_entries(n: int, bound: float) -> Mlp:
    """Make the map of (x_1, .., x_n, e_1, .., e_n) to (x_1 e_1, .., x_n e_n), all e_i 0 or 1."""
    entries, outputs, one = np.eye(2 * n), np.eye(n), gate(1, bound, 0.5)
    gates = (one.read(entries[[i, n + i]], [0, -0.5]).write(outputs[:, [i]]) for i in range(n))
    return reduce(add, gates)


def minimum() -> Mlp:
    """Make the minimum of two numbers, a - relu(a - b): three hidden units.

    Examples
    --------
    >>> minimum()([[3.0, -7.0], [5.0, -9.0]]).tolist()
    [[3.0, -9.0]]
    """
    return linear([[1, 0]]) + Mlp.from_lists([[1, -1]], [0], [[-1]])
