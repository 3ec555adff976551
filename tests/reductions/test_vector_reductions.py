"""Reductions between problems of vectors, and from attention and judgements to patterns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from samapprox import InputError, data, decide, load
from samapprox.attention import TopK
from samapprox.attention.vectors.furthest_vectors import furthest
from samapprox.attention.vectors.orthogonal_vectors import (
    count_orthogonal,
)
from samapprox.attention.weights.binarization import binarize
from samapprox.attention.weights.rules import Mass, Rule, Threshold, Uniform, parse_rule
from samapprox.formats import load_judgements
from samapprox.reductions import REDUCTIONS, reduction
from samapprox.reductions.orthogonal_to_furthest import OrthogonalToFurthest
from samapprox.reductions.to_pattern import AttentionToPattern, JudgementsToPattern
from samapprox.reductions.vectors import generate
from samapprox.vectors import VectorSet


@st.composite
def boolean_sets(draw: st.DrawFn) -> VectorSet:
    d = draw(st.integers(1, 8))
    rows = st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d), min_size=2, max_size=12)
    first = np.array(draw(rows), dtype=np.uint8)
    return VectorSet(first, np.array(draw(rows), dtype=np.uint8) if draw(st.booleans()) else None)


@given(boolean_sets())
@example(VectorSet(np.zeros((3, 2), dtype=np.uint8)))
@example(VectorSet(np.array([[0, 0], [1, 1]], dtype=np.uint8)))
@example(VectorSet(np.zeros((1, 1), dtype=np.uint8), np.ones((1, 1), dtype=np.uint8)))
def test_furthest_vectors_tell_orthogonal_ones(vectors: VectorSet) -> None:
    reduction = OrthogonalToFurthest()
    target, back = reduction.apply(vectors)
    assert np.allclose(np.linalg.norm(target.first, axis=1), 1)
    pair = reduction.lift(furthest(target.first).indices, back)
    right = vectors.first if vectors.second is None else vectors.second
    if pair is None:
        assert count_orthogonal(vectors.first, vectors.second) == 0
    else:
        assert not (vectors.first[pair[0]] & right[pair[1]]).any()
        assert vectors.second is not None or pair[0] != pair[1]


@pytest.mark.parametrize("two", [False, True])
def test_planted_pairs_survive(two: bool) -> None:
    made = generate("orthogonal-planted", n=300, d=40, two_sets=two, seed=1)
    reduction = OrthogonalToFurthest()
    target, back = reduction.apply(made)
    pair = reduction.lift(furthest(target.first).indices, back)
    assert list(pair or ()) == made.known["pair"]
    assert target.origin["reduction"] == "orthogonal-to-furthest"


def test_the_reduction_checks_both_ends() -> None:
    with pytest.raises(InputError, match="row 0, column 0 is 2"):
        OrthogonalToFurthest().apply(VectorSet(np.full((2, 2), 2)))
    with pytest.raises(InputError, match="single vector"):
        OrthogonalToFurthest().apply(VectorSet(np.ones((1, 2), dtype=np.uint8)))
    reduction = OrthogonalToFurthest()
    _, back = reduction.apply(VectorSet(np.ones((3, 2), dtype=np.uint8)))
    for answer in ([0], [0, 1, 3], [0, 1, -1], [0.0, 1.0, 2.0]):
        with pytest.raises(InputError, match="the answer"):
            reduction.lift(answer, back)


def test_reductions_to_patterns_and_back() -> None:
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6], [0.2, 0.7, 0.1]])
    reduction = AttentionToPattern(TopK(2))
    target, back = reduction.apply(weights)
    assert target == binarize(weights, TopK(2))
    proof = decide(target, 2).proof
    logits = reduction.lift(proof, back)  # type: ignore[arg-type]
    assert np.array_equal(np.argsort(-logits, axis=1)[:, 2], [2, 0, 2])
    judgements = load_judgements(data.path("limit/limit.qrels.jsonl"))
    other = JudgementsToPattern()
    named_target, named_back = other.apply(judgements)
    assert named_target == load(data.path("limit/limit.qrels.jsonl"))
    named = other.lift(decide(named_target, 4).proof, named_back)  # type: ignore[arg-type]
    assert set(named["documents"]) == set(named_target.column_names or ())


def test_every_reduction_says_what_it_is() -> None:
    for name in REDUCTIONS:
        assert reduction(name).name == name
        assert len(reduction(name).preserves) > 20
    with pytest.raises(InputError, match="unknown reduction"):
        reduction("nothing")


@pytest.mark.parametrize("rule", [TopK(3), Threshold(0.25), Uniform(), Mass(0.9)])
def test_rules_by_their_names(rule: Rule) -> None:
    assert parse_rule(rule.name) == rule


@pytest.mark.parametrize("name", ["", "top", "top0", "topx", "min2", "mass0", "best"])
def test_names_of_no_rule(name: str) -> None:
    with pytest.raises(InputError):
        parse_rule(name)
