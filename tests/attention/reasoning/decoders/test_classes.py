"""The greatest score of a class and the marks of classes, against a search through all tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.masks import block_sparse
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.classes import find_greatest, find_marks
from samapprox.attention.reasoning.decoders.decoder import Decoder
from samapprox.attention.reasoning.decoders.mlp import Affine, as_matrix
from samapprox.attention.transformers.maps import Softmax
from samapprox.support.arrays import Floats

LENGTH, CLASSES = 30, 5


def run(
    assembly: Assembly, columns: Floats, found: Sequence[Affine], graph: AttentionGraph | None
) -> Floats:
    """Return functions of all tokens after all blocks; coordinate 0 is 1."""
    d, length = assembly.d, columns.shape[1]
    projection, constants = as_matrix(found, d)
    states = np.zeros((1, d, length))
    states[0, 0] = 1
    states[0, 1 : len(columns) + 1] = columns
    blocks = tuple(assembly.build())
    decoder = Decoder(blocks, np.zeros((d, length)), slice(1, 2), projection, graph)
    mask = SparseAttention((block_sparse(length, 6) if graph is None else graph,))
    last = decoder.transformer().forward(states, mask, Softmax())[0]
    return np.asarray(projection @ last + constants[:, None])


@pytest.mark.parametrize("seed", range(5))
def test_the_content_of_the_greatest_score_of_the_wanted_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(1, 9, (CLASSES, LENGTH)) * (rng.random((CLASSES, LENGTH)) < 0.2)
    wanted = rng.integers(CLASSES, size=LENGTH)
    columns = np.vstack([scores, np.eye(CLASSES)[wanted].T]).astype(np.float64)
    assembly = Assembly(64.0)
    reserved = assembly.reserve(2 * CLASSES)
    own, asked = reserved[:CLASSES], reserved[CLASSES:]
    contents = [-2 * score for score in own]
    found = find_greatest(assembly, own, contents, asked, keys=LENGTH, bound=16, error=0.05)
    graph = block_sparse(LENGTH, 6)
    expected = [-2 * scores[wanted[k], : k + 1].max() for k in range(LENGTH)]
    np.testing.assert_allclose(run(assembly, columns, [found], graph)[0], expected, atol=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_marks_of_a_single_token_among_all_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own = rng.integers(CLASSES, size=LENGTH)
    wanted = rng.random((CLASSES, LENGTH)) < 0.5
    marks = rng.random((3, LENGTH)) < 0.1
    own[0], wanted[0], marks[:, 0] = 0, True, False  # class 0 has a token and is always wanted
    own[1:] = np.maximum(own[1:], 1) * (rng.random(LENGTH - 1) < 0.8)
    member = np.eye(CLASSES)[own].T
    member[:, 1:] *= own[1:] > 0  # other tokens may be of no class
    columns = np.vstack([member, wanted, marks]).astype(np.float64)
    assembly = Assembly(64.0)
    parts = assembly.reserve(2 * CLASSES + 3)
    found = find_marks(
        assembly,
        parts[:CLASSES],
        parts[CLASSES : 2 * CLASSES],
        parts[2 * CLASSES :],
        keys=LENGTH,
    )
    counted = member[:, None, :] * marks  # shape (classes, marks, tokens)
    there = np.cumsum(counted, axis=2) > 0
    expected = (there & wanted[:, None, :]).any(axis=0)
    np.testing.assert_allclose(run(assembly, columns, found, None), expected, atol=1e-9)
