"""Saved embeddings: right in their format for exact, sequential, blocked and FAISS's sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samapprox import InputError, Pattern, decide, evaluate, fit, weak_dimension
from samapprox.proofs import Embedding
from samapprox.similarities import find_similarity
from samapprox.solvers.questions.evaluation.rounding import find_uncertain_rows, round_embedding

SIMILARITIES = ("dot", "cosine", "l2")


def draw_pattern(seed: int) -> Pattern:
    random = np.random.default_rng(seed)
    entries = (random.random((8, 10)) < 0.3).astype(int)
    entries[:, 0] |= ~entries.any(axis=1)
    names = [f"query {row}" for row in range(8)], [f"é{column}" for column in range(10)]
    return Pattern(entries, row_names=names[0], column_names=names[1])


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("seed", range(6))
def test_every_row_is_right(similarity: Any, seed: int) -> None:
    pattern = draw_pattern(seed)
    found = weak_dimension(pattern, similarity=similarity, time_limit=5)
    assert found.yes is not None
    vectors = round_embedding(pattern, found.yes.proof, similarity=similarity, arithmetic="float64")
    assert vectors.second is not None
    again = evaluate(
        pattern,
        vectors.first,
        vectors.second,
        query_ids=vectors.first_ids,
        document_ids=vectors.second_ids,
        similarity=similarity,
    )
    assert again.share == 1
    assert again.d == found.yes.proof.dimension


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_simple_kinds(similarity: Any) -> None:
    for entries in (np.eye(7, dtype=int), [[1, 1]], [[1, 0], [1, 0]], [[1, "*", 0], ["*", 1, 0]]):
        pattern = Pattern(entries)
        found = decide(pattern, 2, similarity=similarity)
        vectors = round_embedding(pattern, found.proof, similarity=similarity)
        assert vectors.first.dtype == np.float32
        assert vectors.second is not None
        assert evaluate(pattern, vectors.first, vectors.second, similarity=similarity).share == 1


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("unit", ["rows", "entries"])
def test_partial_embeddings(similarity: Any, unit: Any) -> None:
    pattern = draw_pattern(7)
    found = fit(pattern, 1, unit=unit, similarity=similarity, time_limit=0.5)
    vectors = round_embedding(pattern, found.yes, similarity=similarity, arithmetic="float64")
    assert vectors.second is not None
    again = evaluate(
        pattern,
        vectors.first,
        vectors.second,
        query_ids=vectors.first_ids,
        document_ids=vectors.second_ids,
        similarity=similarity,
    )
    if unit == "rows":
        assert again.count >= pattern.shape[0] - found.upper


def test_rows_that_may_come_out_wrong_are_refused() -> None:
    close = Embedding([[1 << 30, 1]], [[1, 0], [1, 1]], [1 << 30])
    pattern = Pattern([[0, 1]], row_names=["q"])
    with pytest.raises(InputError, match=r"in float32, 1 of 1 row may come out wrong: row 0 \('q'"):
        round_embedding(pattern, close)
    assert round_embedding(pattern, close, arithmetic="float64").first.dtype == np.float64
    with pytest.raises(InputError, match="int8"):
        round_embedding(pattern, close, arithmetic="int8")


@pytest.mark.parametrize("similarity", ["dot", "l2"])
@pytest.mark.parametrize("seed", range(30))
def test_certain_rows_are_right_in_any_order_of_sums(similarity: str, seed: int) -> None:
    """Near ties at the limit of float32, summed forwards, backwards and by the library."""
    random = np.random.default_rng(seed)
    d = int(random.integers(1, 30))
    queries, keys = (random.standard_normal((20, d)).astype(np.float32) for _ in range(2))
    keys[1:] = keys[0] + random.standard_normal((19, d)) * 2.0 ** -random.integers(10, 24)
    scores = exact_scores(queries, keys, similarity)
    pattern = Pattern((scores == scores.max(axis=1, keepdims=True)).astype(int))
    uncertain = find_uncertain_rows(pattern, queries, keys, find_similarity(similarity), "float32")
    certain = np.setdiff1d(np.arange(20), uncertain)
    entries = pattern.to_array()
    for found in computed_scores(queries, keys, similarity):
        ones = np.where(entries == 1, found, np.inf).min(axis=1)
        zeros = np.where(entries == 0, found, -np.inf).max(axis=1)
        assert (ones > zeros)[certain].all()


def exact_scores(queries: Any, keys: Any, similarity: str) -> Any:
    wide = queries.astype(np.longdouble), keys.astype(np.longdouble)
    products = wide[0] @ wide[1].T
    return products if similarity == "dot" else 2 * products - (wide[1] ** 2).sum(axis=1)


def test_scores_beyond_the_range_of_a_format_are_not_certain() -> None:
    """The square of 256 exceeds float16, so that a one and a zero have the same distance there."""
    pattern = Pattern([[1] * 513 + [0]])
    queries, keys = np.array([[-0.5]]), np.arange(514.0)[:, None] - 256.5
    scores = -((queries - keys.T) ** 2).astype(np.float32)
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float16)
    assert scores[0, 0] > scores[0, -1]
    assert rounded[0, 0] == rounded[0, -1] == -np.inf
    similarity = find_similarity("l2")
    for arithmetic, uncertain in (("float16", 1), ("float32", 0)):
        rows = find_uncertain_rows(pattern, queries, keys, similarity, arithmetic)
        assert len(rows) == uncertain


def computed_scores(queries: Any, keys: Any, similarity: str) -> list[Any]:
    products = [queries @ keys.T]
    for order in (1, -1):
        total = np.zeros((len(queries), len(keys)), dtype=np.float32)
        for coordinate in range(queries.shape[1])[::order]:
            total += np.outer(queries[:, coordinate], keys[:, coordinate])
        products.append(total)
    if similarity == "dot":
        return products
    left, right = (queries**2).sum(axis=1, keepdims=True), (keys**2).sum(axis=1)
    direct = ((queries[:, None] - keys[None]) ** 2).sum(axis=2)
    return [-direct, *(-(left + right - 2 * product) for product in products)]


@pytest.mark.parametrize("similarity", ["dot", "cosine", "l2"])
@pytest.mark.parametrize("copies", [1, 10])  # FAISS computes distances to 20 queries otherwise
def test_ranking_by_faiss(similarity: Any, copies: int) -> None:
    faiss = pytest.importorskip("faiss")
    pattern = draw_pattern(3)
    chosen = {"only": ["gradient"]} if similarity == "dot" else {}  # orders exceed float32
    proof = decide(pattern, 6, similarity=similarity, **chosen).proof
    vectors = round_embedding(pattern, proof, similarity=similarity)
    queries, keys = vectors.first, vectors.second
    index = (faiss.IndexFlatL2 if similarity == "l2" else faiss.IndexFlatIP)(keys.shape[1])
    index.add(np.ascontiguousarray(keys))
    _, ranked = index.search(np.ascontiguousarray(np.tile(queries, (copies, 1))), len(keys))
    for row, order in enumerate(ranked):
        ones = np.flatnonzero(pattern.to_array()[row % 8] == 1)
        assert set(order[: len(ones)].tolist()) == set(ones.tolist())
