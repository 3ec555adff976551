"""Distances of a transformer from the function that it approximates, measured on random inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from samapprox.attention.transformers.maps import ProbabilityMap
from samapprox.attention.transformers.universality.construction import Construction
from samapprox.attention.transformers.universality.expressions import Expression
from samapprox.attention.transformers.universality.least_scale import soften_transformer
from samapprox.attention.transformers.universality.step_functions import Approximation
from samapprox.support.parameters import random_stream

_SAMPLES = 1 << 16
_MOST_RUN = 1 << 18  # value layers times tokens that the samples run through


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
