"""Distances of strings of bits: entries by their definition, and embeddings that are stated."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from samapprox import Embedding, Problem, rank
from samapprox.pattern import UNSPECIFIED
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate


@pytest.mark.parametrize(("n", "k"), [(1, 0), (3, 0), (3, 1), (4, 1), (5, 2)])
def test_entries_are_distances(n: int, k: int) -> None:
    strings = list(product((0, 1), repeat=n))
    exact = generate("hamming", n=n, k=k).pattern.to_array()
    gap = generate("gap-hamming", n=n, k=k).pattern.to_array()
    for i, j in np.ndindex(exact.shape):
        distance = sum(a != b for a, b in zip(strings[i], strings[j], strict=True))
        assert exact[i, j] == (distance == k)
        far = 0 if distance >= n - k else UNSPECIFIED
        assert gap[i, j] == (1 if distance <= k else far)


@pytest.mark.parametrize(("n", "k"), [(1, 0), (4, 1), (6, 1), (7, 3)])
def test_the_first_bits_are_an_embedding(n: int, k: int) -> None:
    instance = generate("gap-hamming", n=n, k=k)
    bits = 1 - 2 * np.array(list(product((0, 1), repeat=n)))[:, : 2 * k + 1]
    (fact,) = instance.facts
    problem = Problem(instance.pattern, fact.d)
    assert check(problem, Embedding(bits, bits, np.zeros(len(bits), dtype=np.int64))) is None


@pytest.mark.parametrize(
    ("family", "n", "k", "least"),
    [("gap-hamming", 4, 1, 3), ("gap-hamming", 5, 2, 5), ("hamming", 3, 1, 3)],
)
def test_sign_ranks(family: str, n: int, k: int, least: int) -> None:
    found = rank(generate(family, n=n, k=k).pattern)
    assert (found.lower, found.upper) == (least, least)
