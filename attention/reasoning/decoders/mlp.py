"""Networks with one hidden layer, Lemma A.2 (GeLU in place of ReLU), and what they compute
exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import pi, sqrt
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from samapprox.attention.transformers.feed_forward import Activation, gelu, relu
from samapprox.support.arrays import Floats

GELU_GAP = 0.17
"""A bound on |gelu(x) - relu(x)|: the largest difference is 0.16998, at |x| = 0.7518."""


@dataclass(frozen=True, slots=True, eq=False)
class Mlp:
    """A network x -> W_2 phi(W_1 x + b_1) + b_2 with p inputs, r hidden units and q outputs.

    The lemmas are such networks; `Assembly.feed` puts them into the feed-forward layers of a
    transformer.

    Reference: Yang et al. (2024), appendix A.1.
    """

    w_1: Floats  # shape (r, p)
    b_1: Floats  # shape (r,)
    w_2: Floats  # shape (q, r)
    b_2: Floats  # shape (q,)
    # `relu` or `gelu` of `samapprox.attention.transformers.feed_forward`.
    activation: Activation = relu

    @classmethod
    def from_lists(
        cls,
        w_1: ArrayLike,
        b_1: ArrayLike,
        w_2: ArrayLike,
        b_2: ArrayLike = 0.0,
        activation: Activation = relu,
    ) -> Mlp:
        """Make a network from anything like arrays; a single number b_2 holds for all outputs."""
        second = np.array(w_2, dtype=np.float64)
        constant = np.zeros(len(second)) + np.asarray(b_2, dtype=np.float64)
        first = np.array(w_1, dtype=np.float64)
        return cls(first, np.array(b_1, dtype=np.float64), second, constant, activation)

    @property
    def inputs(self) -> int:
        """The number of inputs, p."""
        return int(self.w_1.shape[1])

    @property
    def hidden(self) -> int:
        """The number of hidden units, r."""
        return len(self.w_1)

    @property
    def outputs(self) -> int:
        """The number of outputs, q."""
        return len(self.w_2)

    def __call__(self, x: ArrayLike) -> Floats:
        """Compute the outputs, shape (q, ..), for inputs of shape (p, ..)."""
        given = np.asarray(x, dtype=np.float64)
        hidden = self.activation(self.w_1 @ given.reshape(self.inputs, -1) + self.b_1[:, None])
        found = self.w_2 @ hidden + self.b_2[:, None]
        return found.reshape(self.outputs, *given.shape[1:])

    def __add__(self, other: Mlp) -> Mlp:
        """Return the network of x -> self(x) + other(x), for networks of one activation."""
        return Mlp(
            np.vstack([self.w_1, other.w_1]),
            np.hstack([self.b_1, other.b_1]),
            np.hstack([self.w_2, other.w_2]),
            self.b_2 + other.b_2,
            self.activation,
        )

    def read(self, matrix: ArrayLike, constant: ArrayLike = 0.0) -> Mlp:
        """Return the network of x -> self(W x + c)."""
        w_1 = self.w_1 @ np.asarray(matrix, dtype=np.float64)
        shift = np.zeros(self.inputs) + np.asarray(constant, dtype=np.float64)
        return Mlp(w_1, self.b_1 + self.w_1 @ shift, self.w_2, self.b_2, self.activation)

    def write(self, matrix: ArrayLike, constant: ArrayLike = 0.0) -> Mlp:
        """Return the network of x -> W self(x) + c."""
        rows = np.asarray(matrix, dtype=np.float64)
        b_2 = rows @ self.b_2 + np.asarray(constant, dtype=np.float64)
        return Mlp(self.w_1, self.b_1, rows @ self.w_2, b_2, self.activation)

    def with_gelu(self, scale: float) -> Mlp:
        """Return the network with gelu(scale x)/scale in place of relu(x) (Lemma A.2).

        A network that has GeLU already stays as it is.

        No output changes by more than `GELU_GAP`/scale times the sum of |W_2| in its row. Where all
        arguments of hidden units are 0 or further than 9/scale from 0, the outputs agree up to
        rounding.
        """
        if self.activation is gelu:
            return self
        return Mlp(self.w_1 * scale, self.b_1 * scale, self.w_2 / scale, self.b_2, gelu)


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of coordinates with coefficients, and a constant."""

    terms: Mapping[int, float] = field(default_factory=dict)  # Coordinate -> coefficient
    constant: float = 0.0

    def __add__(self, other: Affine | float) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.terms, self.constant + other)
        terms = {
            place: self.terms.get(place, 0.0) + other.terms.get(place, 0.0)
            for place in {**self.terms, **other.terms}
        }
        return Affine(terms, self.constant + other.constant)

    def __rmul__(self, factor: float) -> Affine:
        terms = {place: factor * coefficient for place, coefficient in self.terms.items()}
        return Affine(terms, factor * self.constant)

    def __sub__(self, other: Affine | float) -> Affine:
        return self + -1.0 * other


def as_matrix(functions: Sequence[Affine], d: int) -> tuple[Floats, Floats]:
    """Return the matrix and the constants of affine functions of d coordinates."""
    matrix = np.zeros((len(functions), d))
    for row, function in zip(matrix, functions, strict=True):
        row[list(function.terms)] = list(function.terms.values())
    return matrix, np.array([function.constant for function in functions], dtype=np.float64)


def product(most: float, error: float) -> Mlp:
    """Make the product of two numbers a, b: four hidden units with GeLU (Lemma A.1).

    `most` bounds |a| + |b|, and `error` the difference from a b, apart from rounding.

    gelu(x) + gelu(-x) = x erf(x/sqrt(2)) lies between sqrt(2/pi) (x^2 - x^4/6) and sqrt(2/pi) x^2.
    The difference of its values at (a + b)/s and (a - b)/s, times s^2 sqrt(pi/32), is thus a b up
    to most^4/(24 s^2), which s = most^2/sqrt(24 error) makes `error`. The largest weight is 0.013
    most^4/error.

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

    >>> linear([[1, -2]])([3.0, 5.0]).tolist()
    [-7.0]
    """
    rows = np.array(matrix, dtype=np.float64)
    identity = np.eye(len(rows))
    biases = np.zeros(2 * len(rows))
    return Mlp.from_lists(np.vstack([rows, -rows]), biases, np.hstack([identity, -identity]))


def gate(d: int, bound: float, margin: float) -> Mlp:
    """Make the map of (x, t) to x where t >= margin and to 0 where t <= -margin: half of Lemma A.4.

    `bound` bounds the absolute values of the d entries of x, and no t is closer to 0 than `margin`:
    relu(x + K t) - relu(K t) with K = 2 bound/margin. No argument is closer to 0 than `bound`.

    >>> gate(2, bound=5, margin=1)([[3.0, 3.0], [-4.0, -4.0], [1.0, -1.0]]).tolist()
    [[3.0, 0.0], [-4.0, 0.0]]
    """
    w_1 = np.column_stack([np.eye(d + 1)[:, :d], np.full(d + 1, 2 * bound / margin)])
    w_2 = np.column_stack([np.eye(d), -np.ones(d)])
    return Mlp.from_lists(w_1, np.zeros(d + 1), w_2)


def selection(d: int, bound: float, margin: float) -> Mlp:
    """Make the map of (x, y, t) to x where t >= margin and to y where t <= -margin (Lemma A.4).

    >>> selection(1, bound=5, margin=0.5)([[3.0, 3.0], [-4.0, -4.0], [0.5, -0.5]]).tolist()
    [[3.0, -4.0]]
    """
    entries, network = np.eye(2 * d + 1), gate(d, bound, margin)
    x, y, t = entries[:d], entries[d:-1], entries[-1:]
    return network.read(np.vstack([x, t])) + network.read(np.vstack([y, -t]))


def spread(n: int, bound: float) -> Mlp:
    """Make the map of (x, e_1, .., e_n) to (x e_1, .., x e_n), where e is a unit vector or 0.

    2 n hidden units; |x| <= bound. Layer 1 of Lemma A.12 does this with relu(relu(x + bound) - ..),
    which loses negative x.

    >>> spread(3, bound=9)([-6.0, 0.0, 1.0, 0.0]).tolist()
    [0.0, -6.0, 0.0]
    """
    entries = np.eye(n + 1)
    return _gate_entries(n, bound).read(np.vstack([np.tile(entries[0], (n, 1)), entries[1:]]))


def pick(n: int, bound: float) -> Mlp:
    """Make the map of (x_1, .., x_n, e_1, .., e_n) to x_i, where e is the i-th unit vector.

    Where e is 0, so is the output. The network has 2 n hidden units; all |x_i| <= bound.

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

    >>> minimum()([[3.0, -7.0], [5.0, -9.0]]).tolist()
    [[3.0, -9.0]]
    """
    return linear([[1, 0]]) + Mlp.from_lists([[1, -1]], [0], [[-1]])


def maximum() -> Mlp:
    """Make the maximum of two numbers: three hidden units.

    >>> maximum()([[3.0, -7.0], [5.0, -9.0]]).tolist()
    [[5.0, -7.0]]
    """
    return minimum().read(-np.eye(2)).write([[-1]])


TOLERANCE = 1 / 3
"""The networks are exact where an input is this close to a whole number."""


def at_least(*thresholds: int) -> Mlp:
    """Make the indicators of x >= k, for whole numbers k: two hidden units for each k.

    relu(3 (x - k) + 2) - relu(3 (x - k) + 1) rises from 0 at k - 2/3 to 1 at k - 1/3. The slope 2
    of the paper rises from k - 3/4 to k - 1/4, so it is exact up to a tolerance of 1/4 only.

    >>> at_least(2, 3)([[1.0, 2.0, 2.3]]).tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """
    k = np.array(thresholds, dtype=np.float64)
    identity = np.eye(len(k))
    return Mlp.from_lists(
        np.full((2 * len(k), 1), 3.0),
        np.hstack([2 - 3 * k, 1 - 3 * k]),
        np.hstack([identity, -identity]),
    )


def one_hot(n: int) -> Mlp:
    """Make the map of i = 1 .. n to the i-th unit vector; other whole numbers go to 0.

    The paper multiplies m_i, whose first i entries are 1, by n_i, whose first i - 1 entries are 0
    (Lemmas A.5 and A.6), entry by entry. They overlap in entry i alone, so m_i minus m_(i+1) moved
    by one place gives the same with 2 n + 2 hidden units and no products.

    >>> one_hot(3)([[2.0, 0.0, 4.0]]).T.tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    steps = np.eye(n, n + 1) - np.eye(n, n + 1, 1)
    return at_least(*range(1, n + 2)).write(steps)


def lookup(table: ArrayLike, first: int = 0) -> Mlp:
    """Make the map of the whole numbers first, first + 1, .. to the rows of a table.

    Two hidden units for each row that differs from the one before it. Other numbers go to the first
    or the last row, or between two successive rows.

    >>> lookup([[3, 0], [3, 1], [5, 0]], first=-1)([[-1.0, 0.3, 9.0]]).tolist()
    [[3.0, 3.0, 5.0], [0.0, 1.0, 0.0]]
    """
    rows = np.array(table, dtype=np.float64)
    steps = np.diff(rows, axis=0)
    changes = np.flatnonzero(steps.any(axis=1))
    return at_least(*(first + 1 + changes).tolist()).write(steps[changes].T, rows[0])


def is_zero() -> Mlp:
    """Make the indicator of x = 0 among whole numbers x, with a tolerance of 1/3.

    >>> is_zero()([[-2.0, -1.0, 0.0, 1.0]]).tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    """
    return at_least(0, 1).write([[1, -1]])


def block_and_offset(n: int) -> Mlp:
    """Make the map of i = 1 .. n^2 to ceil(i/n), ceil(i/n) - 1 and i's place 1 .. n in its block.

    Lemma A.7, corrected.

    ceil(i/n) = 1 + the number of j in 1 .. n - 1 with i > j n; the sum that the paper prints as
    (14) counts the j <= n with i <= j n and is n + 1 - ceil(i/n). An error of the input of at most
    1/3 leaves the first two outputs exact. It passes unchanged into the third: a network of r units
    has at most r kinks, and exact plateaus at n^2 whole numbers need n^2 - 1 slopes between them.

    >>> block_and_offset(4)([[1.0, 4.0, 5.0, 16.0]]).tolist()
    [[1.0, 1.0, 2.0, 4.0], [0.0, 0.0, 1.0, 3.0], [1.0, 4.0, 1.0, 4.0]]
    """
    before = at_least(*range(n + 1, n * n, n)).write(np.ones((1, n - 1)))
    same = linear([[1]]).write([[0], [0], [1]])
    return before.write([[1], [1], [-n]], [1, 0, 0]) + same
