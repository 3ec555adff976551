"""The search `annealing`, on masks and others."""

from __future__ import annotations

import pytest
from helpers.strategies import Entries, any_entries
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Problem, decide
from samapprox.proofs.checker import check
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import annealing
from samapprox.solvers.engine.search import Search


def mask(graph: str, n: int, *, causal: bool = False) -> Pattern:
    return generate("mask", graph=graph, n=n, causal=causal).pattern


@settings(max_examples=30, deadline=None)
@given(any_entries(), st.integers(1, 4), st.integers(0, 2**31))
def test_it_agrees_with_all_strategies(entries: Entries, d: int, seed: int) -> None:
    problem = Problem(Pattern.from_array(entries), d)
    found = annealing.find_proof(problem, Search.within(0.3, seed))
    if not isinstance(found, str):
        assert check(problem, found) is None
        assert decide(entries, d).status.value == "YES"


@pytest.mark.parametrize(
    ("graph", "n", "causal", "d"),
    [
        ("star", 20, False, 3),
        ("strided:w=8", 32, True, 4),
        ("strided:w=4", 24, False, 4),
        ("bigbird:w=3,g=2,r=3", 48, True, 4),
    ],
)
def test_masks_are_shown(graph: str, n: int, causal: bool, d: int) -> None:
    problem = Problem(mask(graph, n, causal=causal), d)
    found = annealing.find_proof(problem, Search.within(20, 0))
    assert isinstance(found, Embedding)
    assert check(problem, found) is None


def test_a_planted_embedding_is_found() -> None:
    for seed in range(3):
        pattern = generate("halfspaces", rows=30, columns=30, d=3, seed=seed).pattern
        found = annealing.find_proof(Problem(pattern, 3), Search.within(20, seed))
        assert check(Problem(pattern, 3), found) is None


def test_near_misses_are_told_to_others() -> None:
    search = Search.within(0.2, 0)
    problem = Problem(generate("all-subsets", n=6, k=2).pattern, 2)
    assert "wrong" in annealing.find_proof(problem, search)
    assert all((places >= 0).all() for places in search.violations)
    assert max(len(places) for places in search.violations) > 0


def test_where_it_does_not_apply() -> None:
    square = mask("star", 9)
    assert annealing.applies(Problem(square, 2, 2)) == "queries and keys share X"
    assert annealing.applies(Problem(square, 2)) is None
