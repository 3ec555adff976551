"""Theorem 1 from a continuous function: a step function, and the errors of all steps.

Let f be continuous on D = [0, 1]^(d x n), and d_p(f, g) the p-th root of the integral of
|f(X) - g(X)|_p^p over D. Lemma 5: f is close to a function that is constant on every cube of side
delta, if delta is small. Step 3: the transformer with a probability map and ReLUs is close to the
one with hardmax, if alpha and the error of the ids are small. All bounds are rounded upwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.transformers import AttentionLayer
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.universality.construction import Construction
from samapprox.attention.transformers.universality.expressions import Expression, Intervals
from samapprox.attention.transformers.universality.grid import Grid
from samapprox.attention.transformers.universality.least_scale import (
    find_sufficient_eta,
)
from samapprox.attention.transformers.universality.softening_report import (
    most_keys,
    required_gap,
)
from samapprox.errors import InputError
from samapprox.support.parameters import require
from samapprox.support.progress import OnProgress, Progress

_MOST_ENTRIES = 1 << 16
"""Most entries of all cubes together; each operation on one takes some ten microseconds."""

_AT_ONCE = 1 << 13  # cubes
_DIGITS = 24  # bits after the point of the values of a step function
_MOST_VALUE = 2.0**100


@dataclass(frozen=True, slots=True, eq=False)
class StepFunction:
    """A function that is constant on every cube of a grid, and how close it is to f.

    Attributes
    ----------
    grid : Grid
        The cubes, by their corners of least entries.
    values : ndarray of object, shape (grid points, d, n)
        Fractions near the values of f at the centres of the cubes.
    bound : float
        A proven upper bound on d_p(f, step function).
    modulus : float
        A proven upper bound on how far an entry of f lies from its step.

    Examples
    --------
    >>> found = step_function(Expression("X"), Grid(2, 1, 4), 1.0)
    >>> found.values[0].tolist(), found.bound, found.modulus
    ([[Fraction(1, 8), Fraction(1, 8)]], 0.25, 0.125)
    """

    grid: Grid
    values: Matrix
    bound: float
    modulus: float


def step_function(
    function: Expression, grid: Grid, p: float, progress: OnProgress | None = None
) -> StepFunction:
    """Evaluate f at the centres of all cubes, and bound its distance from these steps.

    Parameters
    ----------
    function : Expression
        f.
    grid : Grid
        The cubes.
    p : float
        Of the distance d_p, at least 1.
    progress : callable, optional
        Called with a `Progress` for some cubes at a time.

    Returns
    -------
    StepFunction
        The values, and a proven bound on the distance d_p from f.

    Raises
    ------
    InputError
        Too many cubes, or a function that is not defined or bounded.

    Notes
    -----
    An interval encloses all values of an entry of f on the closed cube, so it bounds how far they
    lie from the step; the integral over a cube is at most its volume times the p-th power.

    References
    ----------
    Yun et al. (2020), Lemma 5.

    Examples
    --------
    >>> step_function(Expression("X/2"), Grid(2, 1, 2), p=2.0).values[0].tolist()
    [[Fraction(1, 8), Fraction(1, 8)]]
    """
    from mpmath import iv

    _require_few(grid)
    require(1 <= p < math.inf, f"p must be at least 1, not {p}")
    values: list[NDArray[np.float64]] = []
    total, modulus = iv.mpf(0), 0.0
    sides = np.empty(grid.steps, dtype=object)
    sides[:] = [iv.mpf([k, k + 1]) / grid.steps for k in range(grid.steps)]
    for start, stop in _batches(grid):
        points = grid.points(start, stop)
        centres = function.on_floats((points + 0.5) / grid.steps)
        require(
            float(np.abs(centres).max()) < _MOST_VALUE,
            f"{function.text}: its values must be below {_MOST_VALUE:g}",
        )
        rounded = np.ldexp(np.rint(np.ldexp(centres, _DIGITS)), -_DIGITS)
        enclosed = function.on_boxes(sides[points])
        away = np.abs(enclosed - rounded.astype(object))
        total += _exact_power(away, p).sum()
        modulus = max(modulus, *(Intervals.ends(one)[1] for one in away.flat))
        values.append(rounded)
        if progress is not None:
            progress(Progress(f"delta = 1/{grid.steps}", share=stop / grid.size))
    distance = (total / grid.size) ** (iv.mpf(1) / iv.mpf(p))
    exact = np.frompyfunc(Fraction, 1, 1)(np.concatenate(values).astype(object))
    return StepFunction(grid, np.asarray(exact), Intervals.ends(distance)[1], modulus)


def _exact_power(away: Matrix, p: float) -> Matrix:
    """Return intervals to a power: whole ones by products, others by logarithms."""
    from mpmath import iv

    return np.asarray(away ** (int(p) if p == int(p) else iv.mpf(p)), dtype=object)


def _batches(grid: Grid) -> Iterator[tuple[int, int]]:
    for start in range(0, grid.size, _AT_ONCE):
        yield start, min(grid.size, start + _AT_ONCE)


def _require_few(grid: Grid) -> None:
    grid.require_enumerable()
    entries = grid.size * grid.d * grid.n
    require(
        entries <= _MOST_ENTRIES,
        f"delta = 1/{grid.steps} has {entries} entries in all cubes; at most {_MOST_ENTRIES} are "
        "bounded: reduce n or d, or give a greater epsilon",
    )


def choose_steps(
    function: Expression,
    n: int,
    d: int,
    epsilon: float,
    p: float = 2.0,
    progress: OnProgress | None = None,
) -> StepFunction:
    """Find a delta = 1/2, 1/3, .. whose step function is proven to be close enough.

    Parameters
    ----------
    function : Expression
        f.
    n, d : int
        Tokens, and the embedding dimension.
    epsilon : float
        Twice the distance that the step function may have, as in Lemma 5.
    p : float
        Of the distance d_p, at least 1.
    progress : callable, optional
        Called with a `Progress` for some cubes at a time.

    Returns
    -------
    StepFunction
        Its distance from f is at most epsilon / 2.

    Raises
    ------
    InputError
        No delta with few enough cubes suffices; the message has the last bound.

    Notes
    -----
    Bounds fall about as delta does. So the next delta is a little greater than the one at which
    this bound would suffice, at most the greatest that has few enough cubes.

    Examples
    --------
    >>> choose_steps(Expression("X"), n=2, d=1, epsilon=0.5).grid.steps
    3
    """
    require(0 < epsilon < math.inf, f"epsilon must be above 0 and finite, not {epsilon}")
    steps, most = 2, max(2, math.floor((_MOST_ENTRIES / (n * d)) ** (1 / (n * d))))
    while True:
        found = step_function(function, Grid(n, d, steps), p, progress)
        if found.bound <= epsilon / 2:
            return found
        if steps == most:
            raise InputError(
                f"no delta is proven to give {epsilon / 2:g}: 1/{steps} gives {found.bound:.3g}, "
                f"and others have more than {_MOST_ENTRIES} entries in all cubes"
            )
        wanted = math.floor(min(0.9 * steps * found.bound / (epsilon / 2), float(most)))
        steps = min(most, max(steps + 1, wanted))


@dataclass(frozen=True, slots=True)
class Approximation:
    """The scale and alpha that Step 3 needs for an epsilon, and the sum of all errors.

    Attributes
    ----------
    epsilon, p : float
        The distance d_p that the theorem allows.
    lemma_5 : float
        The bound on d_p between f and the step function, which hardmax computes exactly.
    scale_bits : float
        The logarithm to base 2 of a scale t of scores that suffices for the map.
    id_error : Fraction
        A bound on the error of all ids and outputs at this t, in units of delta.
    alpha_bits : int
        alpha is 2 to the power of minus this number.
    output_bits : int
        All outputs of the transformer, for all inputs in D, are below 2 to this power.
    softened : float
        A proven upper bound on d_p between the step function and the transformer.
    """

    epsilon: float
    p: float
    lemma_5: float
    scale_bits: float
    id_error: Fraction
    alpha_bits: int
    output_bits: int
    softened: float

    @property
    def bound(self) -> float:
        """A proven upper bound on d_p between f and the transformer with its map and ReLUs."""
        return math.nextafter(self.lemma_5 + self.softened, math.inf)

    @property
    def alpha(self) -> Fraction:
        """The share of every interval of length delta that is not rounded down exactly."""
        return Fraction(1, 1 << self.alpha_bits)

    def to_json(self) -> dict[str, Any]:
        """Return its part of `samapprox schema graph-build`."""
        return {
            "epsilon": self.epsilon,
            "p": self.p,
            "lemma_5": self.lemma_5,
            "scale_log2": self.scale_bits,
            "id_error": float(self.id_error),
            "alpha_log2": -self.alpha_bits,
            "outputs_log2": self.output_bits,
            "softened": self.softened,
            "bound": self.bound,
        }


def finish_approximation(
    built: Construction, steps: StepFunction, rho: ProbabilityMap, epsilon: float, p: float = 2.0
) -> Approximation:
    """Choose t and alpha so that the transformer with a map and ReLUs is within epsilon of f.

    Parameters
    ----------
    built : Construction
        The transformer with hardmax that computes the step function.
    steps : StepFunction
        The step function; its distance from f must be at most epsilon / 2.
    rho : ProbabilityMap
        The map that replaces hardmax.
    epsilon : float
        The distance that is allowed.
    p : float
        Of the distance d_p, at least 1.

    Returns
    -------
    Approximation
        t, alpha, and the bound on the distance that they give.

    Raises
    ------
    InputError
        The step function is too far from f, or the map has no scale for so small an eta.

    Notes
    -----
    On inputs that are rounded down exactly, the outputs are wrong by the error of the ids, in one
    row (F.3). All other inputs have measure at most n d alpha, and there outputs are bounded: a
    head adds a convex combination of values, whatever the map, and a value layer adds at most its
    shift. So d_p^p is at most n (error delta)^p + n d alpha B^p, each half of (epsilon / 2)^p.

    References
    ----------
    Yun et al. (2020), Lemma 4, F.2 and F.4; F.4 says that alpha tends to 1, where 0 is meant.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Softmax
    >>> from samapprox.attention.transformers.universality import build_universal
    >>> steps, full = choose_steps(Expression("X/2"), n=2, d=1, epsilon=0.5), build("full", 2)
    >>> built = build_universal(full, steps.values, d=1, steps=steps.grid.steps)
    >>> finish_approximation(built, steps, Softmax(), epsilon=0.5).bound < 0.5
    True
    """
    import mpmath

    require(
        steps.bound <= epsilon / 2,
        f"the step function is proven to be within {steps.bound:.3g} only, not {epsilon / 2:g}",
    )
    grid = built.grid
    n, entries = grid.n, grid.n * grid.d
    half = Fraction(epsilon) / 2
    allowed = _power_of_two_below(float(half) * grid.steps * (1 - 1e-9) / (2 * n) ** (1 / p))
    eta = find_sufficient_eta(built.contextual, built.attention, min(allowed, Fraction(1, 4)))
    exponent = 1 - eta.eta.denominator.bit_length()
    require(exponent > -1000, f"eta = 2^{exponent} is too small for floats: use a smaller mask")
    with mpmath.workprec(200):
        gap = required_gap(rho, most_keys(built.attention), mpmath.mpf(2) ** exponent)
        zeta = mpmath.mpf(eta.zeta.numerator) / eta.zeta.denominator
        scale_bits = float(mpmath.log(max(mpmath.mpf(2) ** -20, gap / zeta), 2)) + 2.0**-20
        bits = _output_bits(built)
        # n d alpha (2^bits)^p <= (epsilon / 2)^p / 2, with some room for rounding
        least = mpmath.log(2 * entries, 2) + p * (bits - mpmath.log(mpmath.mpf(float(half)), 2))
        alpha_bits = int(mpmath.ceil(least)) + 1
        rows = n * (mpmath.mpf(eta.error.numerator) / eta.error.denominator / grid.steps) ** p
        outside = entries * mpmath.mpf(2) ** (p * bits - alpha_bits)
        softened = float((rows + outside) ** (mpmath.mpf(1) / p)) * (1 + 2.0**-40)
    assert softened <= epsilon / 2, "both halves are chosen so"
    return Approximation(epsilon, p, steps.bound, scale_bits, eta.error, alpha_bits, bits, softened)


def _power_of_two_below(number: float) -> Fraction:
    """Return the greatest power of two that is at most a number."""
    return Fraction(2) ** (math.frexp(number)[1] - 1)


def _output_bits(built: Construction) -> int:
    """Bound all outputs and steps for inputs in [0, 1]: below 2 to the power of this, together.

    Rounding moves no entry beyond the multiples of delta around it. A head adds at most |W_O| |W_V|
    times the greatest entries of its keys; value layer i adds at most |shift i|.
    """
    grid = built.grid
    rounded = int(built.contextual.encoding.positions.max()) + grid.steps
    most = np.full(grid.d, rounded, dtype=object)
    for layer in built.contextual.layers:
        most = most + _greatest_addition(layer, most)
    most = most + np.abs(built.values.shifts).sum(axis=1)
    steps = max(abs(value) for value in built.function.flat)
    column = Fraction(sum(most)) / grid.steps + grid.d * steps  # bounds its p-norm for every p
    most_of_all: int = math.ceil(grid.n * column)
    return most_of_all.bit_length()


def _greatest_addition(layer: AttentionLayer, most: Matrix) -> Matrix:
    """Bound what the heads of a layer add to each row, whatever their weights."""
    added = np.zeros(len(most), dtype=object)
    for head in layer.heads:
        output, value = (np.abs(part.astype(object)) for part in (head.output, head.value))
        added = added + output @ (value @ most)
    return added
