"""Theorem 1 from a continuous function: bounds that hold, and random inputs within them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from samapprox import InputError
from samapprox.attention.graphs import build
from samapprox.attention.transformers.maps import Entmax, ProbabilityMap, Softmax
from samapprox.attention.transformers.universality import (
    Approximation,
    Construction,
    Expression,
    Grid,
    build_universal,
    choose_steps,
    finish_approximation,
    sample_distance,
    soften_transformer,
    step_function,
    verify,
)

FUNCTIONS = [
    "sin(pi * X) * mean(X)",
    "abs(X - roll(X, 1))",
    "maximum(X, 0.5) ** 2",
    "exp(-X[0, 0])",
]


def approximated(
    text: str, mask: str, n: int, d: int, epsilon: float, rho: ProbabilityMap, p: float = 2.0
) -> tuple[Expression, Construction, Approximation]:
    function, attention = Expression(text), build(mask, n)
    steps = choose_steps(function, n, d, epsilon, p)
    built = build_universal(attention, steps.values, d, steps.grid.steps)
    return function, built, finish_approximation(built, steps, rho, epsilon, p)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 1.5])
@pytest.mark.parametrize("text", FUNCTIONS)
def test_the_bound_of_lemma_5_holds_for_random_inputs(text: str, p: float) -> None:
    grid = Grid(2, 2, 3)
    function = Expression(text)
    found = step_function(function, grid, p)
    inputs = np.random.default_rng(1).random((20_000, 2, 2))
    corners = np.floor(3 * inputs).astype(int).reshape(-1, 4) @ (3 ** np.arange(4)[::-1])
    away = np.abs(function.on_floats(inputs) - found.values.astype(float)[corners])
    assert away.max() <= found.modulus + 1e-9
    distance = (away**p).sum(axis=(1, 2)).mean() ** (1 / p)
    assert distance <= found.bound
    assert found.bound <= 4 ** (1 / p) * found.modulus * (1 + 1e-9)
    assert distance > found.bound / 5  # not much coarser than necessary


def test_values_are_those_at_the_centres_in_the_order_of_the_grid() -> None:
    grid = Grid(2, 1, 2)
    found = step_function(Expression("X + 2 * roll(X, 1)"), grid, 2.0)
    for point, value in zip(grid.points(0, 4), found.values, strict=True):
        centre = (point + 0.5) / 2
        assert value.tolist() == (centre + 2 * centre[:, ::-1]).tolist()
        assert all(isinstance(entry, Fraction) for entry in value.flat)


def test_linear_functions_have_the_bound_of_their_slope() -> None:
    for steps in (2, 4, 8):
        found = step_function(Expression("X"), Grid(1, 1, steps), 1.0)
        assert found.bound == found.modulus == 1 / (2 * steps)
    assert step_function(Expression("0.25"), Grid(1, 1, 2), 2.0).bound == 0


@pytest.mark.parametrize("epsilon", [1.0, 0.6, 0.1])
def test_delta_is_close_to_the_greatest_that_is_proven(epsilon: float) -> None:
    function = Expression("sin(3 * X)")
    found = choose_steps(function, 2, 1, epsilon)
    assert epsilon / 3 < found.bound <= epsilon / 2


def test_what_cannot_be_reached_is_told_with_the_last_bound() -> None:
    with pytest.raises(
        InputError, match=r"no delta is proven to give 5e-05: 1/4 gives 0\.\d+, and"
    ):
        choose_steps(Expression("X"), 3, 2, 1e-4)
    with pytest.raises(InputError, match="p must be at least 1"):
        choose_steps(Expression("X"), 2, 1, 0.5, p=0.5)
    with pytest.raises(InputError, match="must be below"):
        step_function(Expression("1e200 * X"), Grid(2, 1, 2), 2.0)


@pytest.mark.parametrize(
    ("text", "mask", "n", "d", "epsilon", "rho", "p"),
    [
        (FUNCTIONS[0], "window:w=3", 3, 1, 1.0, Softmax(), 2.0),
        (FUNCTIONS[1], "full", 2, 1, 0.5, Softmax(), 1.0),
        (FUNCTIONS[2], "full", 2, 2, 1.4, Entmax(1.5), 3.0),
    ],
)
def test_theorem_1(
    text: str, mask: str, n: int, d: int, epsilon: float, rho: ProbabilityMap, p: float
) -> None:
    function, built, found = approximated(text, mask, n, d, epsilon, rho, p)
    assert verify(built).holds
    assert found.lemma_5 <= epsilon / 2
    assert found.softened <= epsilon / 2
    assert found.bound <= epsilon
    assert found.id_error <= Fraction(1, 4)
    sampled = sample_distance(function, built, found, rho)
    assert sampled.agrees_with(found)
    assert 0 < sampled.distance <= found.lemma_5
    assert not sampled.agrees_with(replace(found, lemma_5=sampled.distance / 2))
    assert not replace(sampled, worst=0.26).agrees_with(found)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_ids_are_hardly_more_exact_than_their_share_of_the_distance_asks(p: float) -> None:
    """Half of (epsilon / 2)^p is n (error delta)^p; powers of two cost less than a factor of 4."""
    n, epsilon = 3, 0.1
    _, built, found = approximated("0.2 * X", "full", n, 1, epsilon, Softmax(), p)
    largest = epsilon / 2 * built.grid.steps / (2 * n) ** (1 / p)
    assert largest < 1 / 4  # else ids would be as exact as rounding needs them
    assert largest / 4 < found.id_error <= largest


def test_outputs_are_bounded_for_inputs_that_are_not_rounded() -> None:
    """F.4: with a large alpha, most inputs are not; their outputs are wrong, but bounded."""
    _, built, found = approximated(FUNCTIONS[0], "window:w=3", 3, 1, 1.2, Softmax())
    inputs = np.random.default_rng(3).random((20, 1, 3))
    with mpmath.workprec(400):
        soft = soften_transformer(built, mpmath.mpf(2) ** found.scale_bits, Fraction(9, 10))
        exact = np.frompyfunc(lambda x: mpmath.mpf(float(x)), 1, 1)(inputs * built.grid.steps)
        outputs = soft.forward(exact, built.attention, Softmax())
    assert np.abs(outputs).max() / built.grid.steps < 2**found.output_bits
    wanted = built.grid.steps * built.function.astype(float)
    assert np.abs(outputs.astype(float)).max() > 10 * np.abs(wanted).max()
    share = built.grid.n * built.grid.d * found.alpha
    assert float(share) * 2.0 ** (2 * found.output_bits) <= (1.2 / 2) ** 2 / 2


def test_too_coarse_steps_are_refused() -> None:
    function, attention = Expression("X"), build("full", 2)
    steps = step_function(function, Grid(2, 1, 2), 2.0)
    built = build_universal(attention, steps.values, 1, 2)
    with pytest.raises(InputError, match="proven to be within"):
        finish_approximation(built, steps, Softmax(), 0.1)
