"""Checks of a built transformer: on every grid point, and on random inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.universality.construction import Construction, batches
from samapprox.attention.transformers.universality.expressions import Expression
from samapprox.attention.transformers.universality.least_scale import soften_transformer
from samapprox.attention.transformers.universality.step_functions import Approximation
from samapprox.support.parameters import random_stream
from samapprox.support.progress import OnProgress, Progress

_SAMPLES = 1 << 16
_MOST_RUN = 1 << 18  # value layers times tokens that the samples run through


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of running every grid point; tokens are pairs (grid point, token).

    Attributes
    ----------
    points : int
        Grid points that ran.
    same_within : (int, int, int) or None
        A grid point and two of its tokens with the same id: Property 7.1 fails.
    same_between : ((int, int), (int, int)) or None
        Tokens of two grid points with the same id: Property 7.2 fails.
    wrong : (int, int) or None
        A token whose output is not the value of the function.
    """

    points: int
    same_within: tuple[int, int, int] | None
    same_between: tuple[tuple[int, int], tuple[int, int]] | None
    wrong: tuple[int, int] | None

    @property
    def holds(self) -> bool:
        """Whether 7.1 and 7.2 hold, and the transformer equals the function."""
        return self.same_within is None and self.same_between is None and self.wrong is None


def verify(construction: Construction, progress: OnProgress | None = None) -> Verification:
    """Run every grid point through all layers, and compare ids and outputs.

    The check uses the layers, the grid and the function, but no part of the plan behind the ids.

    Parameters
    ----------
    construction : Construction
        The transformer, which is run on every grid point.
    progress : callable, optional
        Called with a `Progress` that has the share of the grid points that have run.

    Returns
    -------
    Verification
        Whether the ids are distinct and the outputs equal the function.

    Notes
    -----
    O(points d n (layers + log(points))) operations on integers of `Construction.id_bits` bits.
    Attention layers run with hardmax. `ValueLayers.apply` leaves out the value layers that do not
    change a token.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.universality.construction import build_universal
    >>> swap = [[[b, a]] for a in range(2) for b in range(2)]
    >>> verify(build_universal(build("full", 2), swap, d=1, steps=2)).holds
    True
    """
    grid, mapping = construction.grid, construction.contextual
    seen: dict[Any, tuple[int, int]] = {}
    within = between = wrong = None
    for start, stop in batches(grid):
        columns = grid.points(start, stop).transpose(1, 0, 2)
        columns = columns + mapping.encoding.positions[:, None, :]
        for layer in construction.quantization:
            columns = layer.apply(columns)
        columns = mapping.apply(columns, construction.attention)
        for place, number in np.ndenumerate(_ids(columns, grid.steps)):
            here = (start + place[0], place[1])
            there = seen.setdefault(number, here)
            if there[0] == here[0] and there != here:
                within = within or (here[0], there[1], here[1])
            elif there != here:
                between = between or (there, here)
        wanted = grid.steps * construction.function[start:stop].transpose(1, 0, 2)
        differs = np.argwhere((construction.values.apply(columns) != wanted).any(axis=0))
        if wrong is None and len(differs):
            wrong = (start + int(differs[0, 0]), int(differs[0, 1]))
        if progress is not None:
            progress(Progress("running the grid points", share=stop / grid.size))
    return Verification(grid.size, within, between, wrong)


def _ids(columns: Matrix, steps: int) -> Matrix:
    """Compute u^T X with u = (1, 1/delta, ..) as Python's integers, shape (inputs, n)."""
    total = columns[-1].astype(object)
    for row in columns[-2::-1]:
        total = steps * total + row
    return np.asarray(total)


@dataclass(frozen=True, slots=True)
class Sampled:
    """Distances measured on random inputs.

    Attributes
    ----------
    inputs : int
        Random inputs of which f is compared with the step function.
    distance, deviation : float
        An estimate of d_p(f, step function), and its standard error.
    ran : int
        Random inputs that ran through all layers, with the map and ReLUs.
    worst : float
        The greatest difference of their outputs from the step function, in units of delta.
    """

    inputs: int
    distance: float
    deviation: float
    ran: int
    worst: float

    def agrees_with(self, found: Approximation) -> bool:
        """Return whether the bounds hold for these inputs, up to six standard errors."""
        within = self.distance <= found.lemma_5 + 6 * self.deviation
        return within and self.worst <= float(found.id_error) * (1 + 1e-9)


def sample_distance(
    function: Expression,
    built: Construction,
    found: Approximation,
    rho: ProbabilityMap,
    seed: int = 0,
) -> Sampled:
    """Measure d_p by random inputs, and run some of them through all softened layers.

    Parameters
    ----------
    function : Expression
        f.
    built : Construction
        The transformer with hardmax.
    found : Approximation
        Its t and alpha.
    rho : ProbabilityMap
        The map that replaces hardmax.
    seed : int
        Of the random inputs.

    Returns
    -------
    Sampled
        An estimate of d_p, and the worst output of the inputs that ran through all layers.

    Notes
    -----
    65,536 inputs in float64; and 1 to 16 inputs through all layers in mpmath, as many as take some
    seconds.

    Examples
    --------
    >>> from samapprox.attention.graphs import build
    >>> from samapprox.attention.transformers.maps import Softmax
    >>> from samapprox.attention.transformers.universality import build_universal
    >>> from samapprox.attention.transformers.universality import choose_steps, finish_approximation
    >>> half, full = Expression("X/2"), build("full", 2)
    >>> steps = choose_steps(half, n=2, d=1, epsilon=0.5)
    >>> built = build_universal(full, steps.values, d=1, steps=steps.grid.steps)
    >>> found = finish_approximation(built, steps, Softmax(), epsilon=0.5)
    >>> sample_distance(half, built, found, Softmax()).agrees_with(found)
    True
    """
    import mpmath

    grid = built.grid
    rng = random_stream(seed)
    inputs = rng.random_sample((_SAMPLES, grid.d, grid.n))
    corners = np.floor(inputs * grid.steps).astype(np.int64).reshape(_SAMPLES, -1)
    numbers = corners @ (grid.steps ** np.arange(grid.d * grid.n)[::-1])
    values = built.function.astype(np.float64)
    powers = (np.abs(function.on_floats(inputs) - values[numbers]) ** found.p).sum(axis=(1, 2))
    mean, error = float(powers.mean()), float(powers.std() / math.sqrt(_SAMPLES))
    distance = mean ** (1 / found.p)
    deviation = error * distance / (found.p * mean) if mean else 0.0
    ran = max(1, min(16, _MOST_RUN // (len(built.values) * grid.n)))
    with mpmath.workprec(2 * built.id_bits + 2 * found.alpha_bits + 200):
        exact = np.frompyfunc(lambda x: mpmath.mpf(float(x)), 1, 1)
        scale = mpmath.mpf(2) ** found.scale_bits
        soft = soften_transformer(built, scale, found.alpha)
        outputs = soft.forward(exact(inputs[:ran]) * grid.steps, built.attention, rho)
        wanted = np.frompyfunc(mpmath.mpmathify, 1, 1)(grid.steps * built.function[numbers[:ran]])
        worst = float(np.abs(outputs - wanted).max())
    return Sampled(_SAMPLES, distance, deviation, ran, worst)
