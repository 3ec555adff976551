"""Candidates: realized or refuted, and neither without a proof."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samapprox
from samapprox import Pattern, Problem, data, load
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations import candidates

RINGEL = Problem(load(data.path("oriented-matroids/rank3_n9_2173.npz")), 2)


def settle(problem: Problem) -> object:
    found = candidates.find_proof(problem, Search.within(30.0, 0))
    if not isinstance(found, str):
        assert check(problem, found) is None
    return found


@pytest.mark.parametrize("path", data.files("oriented-matroids"), ids=lambda path: path.stem)
def test_topes_of_oriented_matroids_are_decided_either_way(path: object) -> None:
    instance = samapprox.load_instance(path)
    fact = instance.facts[0]
    kind = Embedding if fact.answer == "YES" else Chirotope
    assert isinstance(settle(Problem(instance.pattern, fact.d)), kind)


@pytest.mark.parametrize("lines", [8, 9])
def test_the_certificate_has_the_polynomials_that_it_needs(lines: int) -> None:
    problem = Problem(generate("stretch", lines=lines).pattern, 2)
    found = settle(problem)
    assert isinstance(found, Chirotope)
    assert len(found.polynomials) == 1


@settings(max_examples=30)
@given(st.integers(2, 3), st.integers(4, 7), st.integers(4, 7), st.integers(0, 2**31))
def test_small_patterns_get_the_answer_of_the_others(
    d: int, rows: int, columns: int, seed: int
) -> None:
    pattern = generate("random", rows=rows, columns=columns, seed=seed).pattern
    others = samapprox.decide(pattern, d, time_limit=20.0, without=["candidates"])
    found = settle(Problem(pattern, d))
    if isinstance(found, str):
        assert "have no circuits" in found
    else:
        assert isinstance(found, Embedding) == (others.status.value == "YES")


def test_entries_may_be_unspecified() -> None:
    pattern = generate("halfspaces", rows=8, columns=9, d=3, seed=1).pattern
    known = np.random.RandomState(0).random_sample((8, 9)) < 0.8
    known[:, 0] = True
    starred = Pattern.from_array((pattern.to_array() == 1) & known, known)
    assert isinstance(settle(Problem(starred, 3)), Embedding)


def test_candidates_without_points_and_without_a_polynomial_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "final_polynomial_of_part", lambda *_: None)
    found = settle(RINGEL)
    assert isinstance(found, str)
    assert "without points and without a final polynomial" in found


def test_polynomials_that_prove_nothing_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clause of a polynomial that does not add up is refused by the check, not believed."""
    find = candidates.final_polynomial_of_part

    def forge(*arguments: object) -> object:
        found = find(*arguments)
        return None if found is None else type(found)(found.signs, found.steps[:1])

    monkeypatch.setattr(candidates, "final_polynomial_of_part", forge)
    forged = candidates.find_proof(RINGEL, Search.within(30.0, 0))
    assert isinstance(forged, Chirotope)
    assert check(RINGEL, forged) is not None


def test_time_is_kept() -> None:
    search = Search.within(0.05, 0)
    assert isinstance(candidates.find_proof(RINGEL, search), str | Chirotope)
