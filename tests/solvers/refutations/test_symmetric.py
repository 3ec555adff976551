"""The least orientations of symmetric patterns: refuted where no embedding exists."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import Pattern, Problem, Status, decide
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations import symmetric


def test_the_sign_rank_of_the_hadamard_matrix_of_order_8_is_5() -> None:
    """Four dimensions are too few, by broken symmetries; five are enough."""
    pattern = generate("hadamard", n=8).pattern
    no = decide(pattern, 3, only=["symmetric"], time_limit=600)
    assert no.status is Status.NO
    assert isinstance(no.proof, Chirotope)
    assert no.proof.symmetry is not None
    assert len(no.proof.polynomials) < 30
    assert "the symmetry of these entries" in " ".join(no.proof.explain(Problem(pattern, 3)))
    yes = decide(pattern, 4, only=["projections"], time_limit=600)
    assert yes.status is Status.YES


def test_permuted_and_complemented_rows_and_columns_change_nothing() -> None:
    rng = np.random.RandomState(1)
    entries = generate("hadamard", n=8).pattern.to_array()[rng.permutation(8)]
    entries = entries[:, rng.permutation(8)] ^ (rng.rand(8, 1) < 0.5)
    entries = entries[entries.any(axis=1)]
    verdict = decide(Pattern.from_array(entries), 3, only=["symmetric"], time_limit=600)
    assert verdict.status is Status.NO


def test_cores_that_are_refuted_without_symmetry_are_minimal() -> None:
    """Of the 37 keys of Ringel's arrangement, 9 suffice with a final polynomial."""
    verdict = decide(generate("stretch").pattern, 2, only=["symmetric"], time_limit=600)
    assert isinstance(verdict.proof, Chirotope)
    assert verdict.proof.symmetry is None
    assert len(verdict.proof.columns) < 20


@pytest.mark.parametrize(
    ("text", "d", "reason"),
    [
        (
            "1" * 70 + "\n" + "\n".join("0" * i + "1" * (70 - i) for i in range(1, 70)),
            2,
            "too many",
        ),
    ],
)
def test_it_says_why_it_does_not_apply(text: str, d: int, reason: str) -> None:
    assert reason in str(symmetric.applies(Problem(Pattern.from_text(text), d)))


def test_it_gives_up_where_nothing_moves() -> None:
    problem = Problem(generate("random", rows=9, columns=8, seed=1).pattern, 3)
    search = Search()
    assert symmetric.find_proof(problem, search) == "the pattern has no symmetries"
    assert symmetric.NAME in search.exhausted


def test_realizable_patterns_are_never_refuted() -> None:
    """Arcs of a circle: d = 2, and the dihedral group."""
    for width in (2, 3, 4):
        row = np.arange(9) < width
        problem = Problem(Pattern.from_array([np.roll(row, shift) for shift in range(9)]), 2)
        search = Search()
        assert isinstance(symmetric.find_proof(problem, search), str)
        assert symmetric.NAME in search.exhausted


def test_where_clauses_alone_refute_there_is_no_symmetry_in_the_proof() -> None:
    problem = Problem(generate("all-subsets", n=7, k=2).pattern, 3)
    found = symmetric.find_proof(problem, Search())
    assert isinstance(found, Chirotope)
    assert found.symmetry is None
    assert check(problem, found) is None


def test_trimming_takes_no_more_steps_than_the_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samapprox.solvers.orientations.trim._STEPS_A_SECOND", 0)
    problem = Problem(generate("hadamard", n=8).pattern, 3)
    found = symmetric.find_proof(problem, Search.within(60.0, 0))
    assert found == "no time left for the refutation"
