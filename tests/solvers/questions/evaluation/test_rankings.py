"""Exact rankings against fractions, and the measures that are computed on them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from samapprox import Pattern
from samapprox.similarities import SIMILARITIES
from samapprox.solvers.questions.evaluation.joining import Joined
from samapprox.solvers.questions.evaluation.truncation import rank_keys


def exact_score(query: list[Fraction], key: list[Fraction], similarity: str) -> Fraction:
    product = sum((a * b for a, b in zip(query, key, strict=True)), Fraction(0))
    square = sum((a * a for a in key), Fraction(0))
    if similarity == "dot":
        return product
    return product * abs(product) / square if similarity == "cosine" else 2 * product - square


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("seed", range(40))
def test_exact_order(similarity: str, seed: int) -> None:
    """Small whole numbers give ties, keys close to each other give near ties."""
    random = np.random.default_rng(seed)
    n, d, depth = (
        int(random.integers(1, 60)),
        int(random.integers(1, 4)),
        int(random.integers(1, 9)),
    )
    queries = random.integers(-2, 3, (5, d)).astype(np.float32)
    keys = random.integers(-2, 3, (n, d)).astype(np.float32)
    keys[random.random(n) < 0.5] *= np.float32(1 + 2.0**-22)
    keys[~keys.any(axis=1)] = 1
    queries[~queries.any(axis=1)] = 1
    pattern = Pattern(np.ones((5, n), dtype=int))
    found = rank_keys(Joined(pattern, queries, keys), similarity, depth)
    exact = [[Fraction(float(entry)) for entry in row] for row in keys]
    for ranking, query in zip(found, queries, strict=True):
        point = [Fraction(float(entry)) for entry in query]
        scores = [exact_score(point, key, similarity) for key in exact]
        levels = sorted(set(scores), reverse=True)
        wanted = sorted(range(n), key=lambda key: (levels.index(scores[key]), key))
        count = len(ranking.keys)
        assert count >= min(depth, n)
        places = [levels.index(scores[key]) for key in wanted[:count]]
        assert ranking.places.tolist() == places
        assert [levels.index(scores[key]) for key in ranking.keys.tolist()] == places
        last = levels.index(scores[wanted[min(depth, n) - 1]])
        ties = {key for key in range(n) if levels.index(scores[key]) <= last}
        assert ties <= set(ranking.keys.tolist())


def test_many_keys_in_several_chunks() -> None:
    random = np.random.default_rng(0)
    keys = random.standard_normal((5000, 8)).astype(np.float32)
    queries = random.standard_normal((300, 8)).astype(np.float32)
    joined = Joined(Pattern(np.ones((300, 5000), dtype=int)), queries, keys)
    scores: Any = queries.astype(np.float64) @ keys.T.astype(np.float64)
    wanted = np.argsort(-scores, axis=1)[:, :10]
    found = rank_keys(joined, "dot", 10)
    assert np.array_equal(wanted, [ranking.keys[:10] for ranking in found])
