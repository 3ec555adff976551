"""Vectors from which climbs to large margins start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem
from samapprox.proofs.base import Proof, Witness
from samapprox.proofs.similarities.caps import Caps
from samapprox.solvers.engine.search import Search
from samapprox.solvers.questions.margins.ascent import (
    Vectors,
    lift,
    normalize,
    project,
    random_vectors,
)
from samapprox.solvers.similarity import trigonometric

# The most coordinates of the curve whose order of the keys is used.
_MOST_WAVES = 64


class CircleOfKeys:
    """Keys on the trigonometric curve, in an order around a circle where rows change rarely."""

    def __init__(self, entries: NDArray[np.int8], angles: NDArray[np.float64]) -> None:
        self._entries, self._angles = entries, angles

    @classmethod
    def of(
        cls, pattern: Pattern, entries: NDArray[np.int8], d: int, search: Search
    ) -> tuple[CircleOfKeys, Caps] | None:
        """Look for an order for which the curve in some dimension up to d gives an embedding."""
        problem = Problem(pattern, min(d, _MOST_WAVES), similarity="cosine")
        if trigonometric.applies(problem) is not None:
            return None
        proof = trigonometric.find_proof(problem, search)
        if not isinstance(proof, Caps) or proof.dimension < 2:
            return None
        rounded = np.arctan2(*proof.keys[:, 1::-1].T.astype(np.float64))
        order = np.argsort(rounded, kind="stable")
        angles = np.empty(len(order))
        angles[order] = 2 * np.pi * np.arange(len(order)) / len(order)
        return cls(entries, angles), proof

    def vectors(self, d: int, random: np.random.Generator, *, scattered: bool = False) -> Vectors:
        """Return the curve in d dimensions, with queries from the ones' mean to the zeros' mean.

        Its frequencies are 1, 2, .., or scattered at random up to half the number of keys, with
        which keys near each other on the circle need not be near in space. An odd last coordinate
        is random.
        """
        frequencies = np.arange(1, d // 2 + 1)
        most = len(self._angles) // 2
        if scattered and len(frequencies) < most:
            frequencies = 1 + random.choice(most, len(frequencies), replace=False)
        waves = self._angles[:, None] * frequencies
        keys = np.stack([np.cos(waves), np.sin(waves)], axis=2).reshape(len(waves), -1)
        keys /= np.sqrt(max(1, d // 2))
        if d % 2:
            keys = np.hstack([keys, random.normal(0, 0.3, (len(keys), 1))])
        means = [
            part @ keys / part.sum(axis=1, keepdims=True)
            for part in ((self._entries == value).astype(np.float64) for value in (1, 0))
        ]
        return project(Vectors(means[0] - means[1], keys), d)


def vectors_of(proof: Proof | None, pattern: Pattern, d: int) -> Vectors | None:
    """Return the vectors of an embedding as it is; None without one that floats can hold."""
    if isinstance(proof, Caps):
        keys = proof.keys.astype(np.float64)
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
        queries = proof.queries.astype(np.float64)
        lengths = np.linalg.norm(queries, axis=1, keepdims=True)
        queries = np.where(lengths > 0, queries, np.eye(1, queries.shape[1]))
        return lift(Vectors(queries / np.where(lengths > 0, lengths, 1), keys), d)
    if not isinstance(proof, Witness):
        return None
    try:
        return normalize(proof.embedding(pattern), d)
    except InputError:  # too many numbers, or too long ones
        return None


def list_starts(
    d: int,
    shape: tuple[int, int],
    known: dict[int, Vectors],
    circle: CircleOfKeys | None,
    whole: Vectors | None,
    random: np.random.Generator,
) -> Iterator[Vectors]:
    """Yield vectors in d dimensions: from structure, from other dimensions, then at random.

    `known` are the best vectors of the dimensions that are searched, as they are when a start is
    needed; `whole` those of any dimension.
    """
    if circle is not None:
        yield from [circle.vectors(d, random)] * 2  # fast, then slowly
    if whole is not None:
        yield project(whole, d)
    while True:
        if circle is not None:
            yield circle.vectors(d, random, scattered=True)
        if d + 1 in known:
            yield project(known[d + 1], d)
        if d - 1 in known:
            above = lift(known[d - 1], d)
            keys = above.keys + random.normal(0, 0.1, above.keys.shape)
            lengths = np.linalg.norm(keys, axis=1, keepdims=True)
            yield Vectors(above.queries, keys / np.maximum(1, lengths))
        yield random_vectors(shape, d, random)
