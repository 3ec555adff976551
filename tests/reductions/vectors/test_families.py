"""Families of vectors: what they plant is there, seeds and parameters are kept."""

from __future__ import annotations

import hashlib
import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.attention.vectors.orthogonal_vectors import (
    count_orthogonal,
    least_inner_product,
    orthogonal_pair,
)
from samapprox.reductions.vectors import FAMILIES, family, generate
from samapprox.reductions.vectors.orthogonal import threshold_density

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=60)
@given(st.integers(2, 30), st.integers(2, 12), st.floats(0, 1), st.booleans(), seeds)
def test_one_planted_pair(n: int, d: int, density: float, two: bool, seed: int) -> None:
    made = generate("orthogonal-planted", n=n, d=d, density=density, two_sets=two, seed=seed)
    assert list(orthogonal_pair(made.first, made.second) or ()) == made.known["pair"]
    assert count_orthogonal(made.first, made.second) == made.known["pairs"] == 1
    assert least_inner_product(made.first, made.second).value == made.known["least"] == 0


@settings(max_examples=60)
@given(st.integers(2, 30), st.integers(1, 12), st.floats(0, 1), st.booleans(), seeds)
def test_no_pair(n: int, d: int, density: float, two: bool, seed: int) -> None:
    made = generate("orthogonal-none", n=n, d=d, density=density, two_sets=two, seed=seed)
    assert count_orthogonal(made.first, made.second) == made.known["pairs"] == 0


def test_threshold_density() -> None:
    """One pair on average, over many instances."""
    counts = [
        count_orthogonal(generate("orthogonal-random", n=40, d=10, seed=seed).first)
        for seed in range(400)
    ]
    assert 0.7 < np.mean(counts) < 1.4
    assert abs(780 * (1 - threshold_density(780, 10) ** 2) ** 10 - 1) < 1e-9


def test_dimensions_by_the_logarithm() -> None:
    assert generate("orthogonal-none", n=64, c=3.0).shape == (64, 18)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(2, 9), st.floats(0.001, 0.2), st.booleans(), seeds)
def test_known_furthest_vectors(half: int, d: int, gap: float, double: bool, seed: int) -> None:
    try:
        made = generate("furthest-planted", n=2 * half, d=d, gap=gap, double=double, seed=seed)
    except InputError as error:
        assert "lower the gap" in str(error)  # noqa: PT017
        return
    assert made.first.dtype == (np.float64 if double else np.float32)
    assert made.furthest is not None
    assert furthest(made.first).indices.tolist() == made.furthest.tolist()
    gram = made.first.astype(np.float64) @ made.first.T
    ordered = np.sort(gram, axis=1)
    assert (ordered[:, 1] - ordered[:, 0] >= gap - 1e-6).all()
    assert np.allclose(np.diag(gram), 1)


@settings(max_examples=30)
@given(st.integers(3, 60), st.integers(2, 60), st.booleans(), seeds)
def test_simplex(n: int, m: int, double: bool, seed: int) -> None:
    made = generate("furthest-simplex", n=n, m=m, double=double, seed=seed)
    assert made.furthest is not None
    found = furthest(made.first)
    assert found.indices.tolist() == made.furthest.tolist()
    i, j = made.known["pair"]
    squares = (made.first.astype(np.int64) ** 2).sum(axis=1)
    assert set(squares.tolist()) == {(m * m + 1) ** 2}
    assert abs(-(made.first[i] @ made.first[j]) / (m * m + 1) ** 2 - made.known["gap"]) < 1e-6


@settings(max_examples=20)
@given(st.integers(2, 80), st.integers(1, 9), st.floats(0, 2), seeds)
def test_clusters(n: int, d: int, spread: float, seed: int) -> None:
    made = generate("furthest-clustered", n=n, d=d, clusters=2, spread=spread, seed=seed)
    assert np.allclose(np.linalg.norm(made.first, axis=1), 1)
    tiles, plain = (furthest(made.first, kernel=kernel) for kernel in ("tiles", "numpy"))
    assert tiles.indices.tolist() == plain.indices.tolist()


FROZEN = {
    "orthogonal-planted": "556d7504965ce720",
    "orthogonal-none": "5f9a99d389e1d278",
    "orthogonal-random": "c85c3563460349ce",
    "furthest-planted": "20d092bb56b751da",
    "furthest-clustered": "23b2d9e9a245693e",
    "furthest-simplex": "b3402e73a24dd851",
}


"""The bytes of seed 7 for ever, on every machine."""


@pytest.mark.parametrize("name", FAMILIES)
def test_seeds_are_kept(name: str) -> None:
    made = generate(name, n=20, seed=7)
    content = b"".join(part.tobytes() for part in (made.first, made.second) if part is not None)
    assert hashlib.sha256(content).hexdigest()[:16] == FROZEN[name]
    assert made.origin["family"] == name
    assert made.origin["seed"] == 7
    assert generate(name, n=20).origin["seed"] == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_parameters_are_checked(name: str) -> None:
    bad: dict[str, list[Any]] = {
        "n": [0, 1, 2**40],
        "d": [-1, 2**40],
        "c": [0.0, 1e9],
        "density": [-0.1, 1.1],
        "gap": [0.0, 1.5],
        "m": [1, 10**6],
        "clusters": [0, 10**6],
        "spread": [-1.0],
        "seed": [-1, 2**32],
    }
    for parameter in inspect.signature(family(name)).parameters:
        for value in bad.get(parameter, []):
            if name == "orthogonal-none" and (parameter, value) == ("n", 1):
                continue  # no pair is not orthogonal either
            arguments: dict[str, Any] = {parameter: value}
            if parameter in ("c",):
                arguments["d"] = 0
            try:
                generate(name, **arguments)
            except InputError:
                continue
            assert (name, parameter, value) in {("orthogonal-random", "n", 1)}
