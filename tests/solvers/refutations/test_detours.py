"""The strategy on patterns whose least dimension is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, Problem, decide
from samapprox.proofs import Topological
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import detours


def mask(graph: str, n: int) -> Pattern:
    return simplify(generate("mask", graph=graph, n=n).pattern).pattern


def refute(pattern: Pattern, d: int, seconds: float = 30.0) -> Topological:
    """Return the strategy's proof, checked."""
    problem = Problem(pattern, d)
    found = detours.find_proof(problem, Search.within(seconds, 0))
    assert isinstance(found, Topological), found
    assert check(problem, found) is None
    return found


def shuffle(pattern: Pattern, seed: int) -> Pattern:
    rng = np.random.RandomState(seed)
    rows, columns = (rng.permutation(size) for size in pattern.shape)
    return pattern.take(rows.tolist(), columns.tolist())


@pytest.mark.parametrize(("n", "w"), [(9, 1), (10, 1), (16, 1), (13, 2), (64, 1), (97, 5)])
def test_star_masks_need_three_dimensions(n: int, w: int) -> None:
    refute(mask(f"star:w={w}", n), 2)


@pytest.mark.parametrize(("n", "w"), [(1024, 1), (1025, 2), (4096, 3)])
@pytest.mark.parametrize("seed", [None, 5])
def test_long_star_masks_in_any_order(n: int, w: int, seed: int | None) -> None:
    """The path goes all around the ring: it has at least n / 2w keys.

    A quarter of the time goes to one dense block, though it rarely holds such a path.
    """
    pattern = mask(f"star:w={w}", n)
    proof = refute(pattern if seed is None else shuffle(pattern, seed), 2, 8.0)
    assert n / (2 * w) <= len(proof.columns) <= n / (2 * w) + 10


@pytest.mark.parametrize(
    ("graph", "n", "d"),
    [
        ("strided", 32, 2),
        ("strided", 128, 4),
        ("bigbird:w=3,g=2,r=3", 64, 3),
        ("random", 64, 3),
        ("window", 64, 1),
        ("strided:w=32", 1024, 4),
    ],
)
def test_other_masks(graph: str, n: int, d: int) -> None:
    refute(mask(graph, n), d)


@pytest.mark.parametrize(
    ("graph", "n", "d"),
    [("star", 16, 3), ("star", 4096, 3), ("window:w=5", 64, 2), ("longformer", 2048, 2)],
)
def test_it_finds_nothing_where_there_is_an_embedding(graph: str, n: int, d: int) -> None:
    found = detours.find_proof(Problem(mask(graph, n), d), Search.within(1.0, 0))
    assert "detours for all missing splits" in str(found)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**20))
def test_it_finds_nothing_for_halfspaces(d: int, seed: int) -> None:
    pattern = generate("halfspaces", rows=14, columns=12, d=d, seed=seed).pattern
    problem = Problem(pattern, d)
    if detours.applies(problem) is None:
        assert isinstance(detours.find_proof(problem, Search.within(0.1, seed)), str)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**20), st.integers(1, 3))
def test_its_refutations_hold_with_unspecified_entries(seed: int, d: int) -> None:
    rng = np.random.RandomState(seed)
    entries, known = rng.random_sample((16, 9)) < 0.4, rng.random_sample((16, 9)) < 0.9
    entries[:, 0] = known[:, 0] = True
    problem = Problem(Pattern.from_array(entries, known), d)
    found = detours.find_proof(problem, Search.within(0.2, seed))
    if not isinstance(found, str):
        assert check(problem, found) is None


def test_it_refutes_in_a_part_of_a_large_dense_pattern() -> None:
    pattern = generate("random", rows=900, columns=900, density=0.3).pattern
    proof = refute(pattern, 3)
    assert len(proof.columns) < 100


def test_a_sparse_pattern_of_a_million_ones_takes_a_longer_turn() -> None:
    problem = Problem(mask("window:w=9", 120_000), 2)
    short = detours.find_proof(problem, Search.within(0.5, 0))
    assert "more than its turn lasts" in str(short)
    assert detours.first_turn(problem) > 4


def test_it_gives_up_when_it_has_seen_all_sets() -> None:
    search = Search()
    found = detours.find_proof(Problem(Pattern(np.eye(5)), 2), search)
    assert isinstance(found, str)
    assert search.exhausted == {"detours"}


def test_where_it_does_not_apply() -> None:
    pattern = Pattern(np.eye(5))
    assert "more than d rows" in str(detours.applies(Problem(pattern, 4)))
    assert "too many ways" in str(detours.applies(Problem(pattern, 11)))
    assert detours.applies(Problem(pattern, 2)) is None


def test_a_decision_lifts_its_proof_to_the_original_rows_and_columns() -> None:
    """Equal columns and complementary rows are merged, and come back in the certificate."""
    entries = generate("mask", graph="star", n=20).pattern.to_array()
    doubled = np.repeat(np.vstack([1 - entries[:7], entries[7:]]), 2, axis=1)
    pattern = Pattern(doubled)
    verdict = decide(pattern, 2, only=["detours"], time_limit=30)
    assert verdict.status.value == "NO"
    assert verdict.certificate is not None
    assert verdict.certificate.verify(pattern)
