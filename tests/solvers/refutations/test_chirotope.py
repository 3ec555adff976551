"""Clauses that hold for every configuration, refutations that are checked, and nothing more."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations import propagation
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
    relation_clauses,
    sign_matrix,
    subset_ranks,
)
from samapprox.proofs.refutations.propagation import first_unfounded, refutes
from samapprox.reductions.families import generate
from samapprox.solvers.engine.backends import refutation as sat_refutation
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, grow_core, refute
from samapprox.solvers.refutations import chirotope


def orientation(vectors: np.ndarray) -> dict[int, bool]:
    """Variable -> truth, from exact determinants of integer vectors in general position."""
    count, rank = vectors.shape
    truth = {}
    for subset in combinations(range(count), rank):
        value = round(float(np.linalg.det(vectors[list(subset)])))
        truth[1 + int(subset_ranks(np.array([subset]))[0])] = value > 0
        if value == 0:
            return {}
    return truth


def satisfied(clauses: np.ndarray, truth: dict[int, bool]) -> bool:
    return all(any(truth[abs(x)] == (x > 0) for x in clause) for clause in clauses.tolist())


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(0, 3), st.integers(0, 2**31))
def test_every_configuration_satisfies_the_clauses(rank: int, extra: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    elements = rng.randint(-9, 10, size=(rank + 1 + extra, rank))
    covectors = np.sign(rng.randint(-9, 10, size=(8, rank)) @ elements.T).astype(np.int8)
    truth = orientation(elements)
    if not truth:
        return
    assert satisfied(circuit_clauses(covectors, rank), truth)
    if len(elements) >= rank + 2:
        assert satisfied(relation_clauses(len(elements), rank), truth)


def test_a_covector_that_is_no_covector_is_forbidden() -> None:
    """Three points on a line; the middle one cut off from both others."""
    elements = np.array([[0, 1], [1, 1], [2, 1]])
    wrong = np.array([[1, -1, 1]], dtype=np.int8)
    assert not satisfied(circuit_clauses(wrong, 2), orientation(elements))


def test_the_relations_are_exactly_the_sign_condition() -> None:
    """Rank 2, four elements: satisfied iff the three products do not agree as they must not."""
    clauses = relation_clauses(4, 2)
    pairs = list(combinations(range(4), 2))
    variable = {pair: 1 + int(subset_ranks(np.array([pair]))[0]) for pair in pairs}
    for signs in product([1, -1], repeat=6):
        chi = dict(zip(pairs, signs, strict=True))
        terms = [
            chi[0, 1] * chi[2, 3],
            -chi[0, 2] * chi[1, 3],
            chi[0, 3] * chi[1, 2],
        ]
        truth = {variable[pair]: sign > 0 for pair, sign in chi.items()}
        assert satisfied(clauses, truth) == (len(set(terms)) == 2)


def brute_force(clauses: list[tuple[int, ...]], variables: int) -> bool:
    return any(
        all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        for values in product([False, True], repeat=variables)
    )


clause_lists = st.lists(
    st.lists(
        st.integers(1, 5).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1, max_size=3
    ).map(tuple),
    max_size=14,
)


@given(clause_lists, clause_lists)
def test_unit_propagation_never_refutes_what_can_be_satisfied(
    clauses: list[tuple[int, ...]], lemmas: list[tuple[int, ...]]
) -> None:
    if refutes(clauses, lemmas):
        assert not brute_force(clauses, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(propagation, "_compile", cache(propagation._compile.__wrapped__))
        bad = first_unfounded(clauses, lemmas)  # in Python, as if no long one had been checked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(propagation, "_MANY", -1)
        assert first_unfounded(clauses, lemmas) == bad
    for lemma in lemmas[:bad]:  # what it accepted follows
        assert not brute_force([*clauses, *((-x,) for x in lemma)], 5)


def test_long_refutations_are_followed_by_compiled_code() -> None:
    """Pigeons: five in four holes, one lemma too few."""
    holes, pigeons = range(4), range(5)
    clauses = [[1 + 4 * p + h for h in holes] for p in pigeons]
    clauses += [[-1 - 4 * p - h, -1 - 4 * q - h] for h in holes for p in pigeons for q in range(p)]
    lemmas = sat_refutation(clauses, Search())
    assert lemmas is not None
    padded = [*lemmas[:-1], *(lemmas[-2:-1] * 3000), *lemmas[-1:]]
    assert first_unfounded(clauses, padded) is None
    assert first_unfounded(clauses[1:], padded) is not None
    assert first_unfounded(clauses, [[-1]] * 3000) == 0


def refutation(seed: int = 0) -> tuple[Problem, Chirotope]:
    pattern = generate("random", rows=16, columns=11, seed=seed).pattern
    problem = Problem(pattern, 3)
    proof = chirotope.find_proof(problem, Search())
    assert isinstance(proof, Chirotope)
    return problem, proof


def test_a_solvers_refutation_passes_and_a_mutilated_one_does_not() -> None:
    problem, proof = refutation()
    assert check(problem, proof) is None
    parts = (proof.d, proof.rows, proof.columns, proof.elements, proof.relations)
    assert "no contradiction" in str(check(problem, Chirotope(*parts, [])))
    assert "beyond" in str(check(problem, Chirotope(*parts, [[10**6], *proof.lemmas])))
    # Without one row the clauses can be satisfied, so no lemmas whatever may pass.
    for lemmas in (proof.lemmas, [[2], [-2]], [[-1]]):
        fewer = Chirotope(proof.d, proof.rows[:-1], *parts[2:], lemmas)
        assert "does not follow" in str(check(problem, fewer))


def test_the_core_is_minimal() -> None:
    problem, proof = refutation()
    entries = problem.pattern.to_array()
    for line, axis in [(r, 0) for r in proof.rows] + [(c, 1) for c in proof.columns]:
        rows = [r for r in proof.rows if axis or r != line]
        columns = [c for c in proof.columns if not axis or c != line]
        core = Core(3, entries, proof.elements, rows, columns, proof.relations)
        assert refute(core, Search()) is None


def test_a_refutation_does_not_prove_more_than_it_says() -> None:
    problem, proof = refutation()
    assert "it excludes dimension 3, not d = 4" in str(check(Problem(problem.pattern, 4), proof))
    lower = Problem(problem.pattern, 2)
    assert check(lower, proof) is None  # NO for d = 3 is NO for d = 2


@pytest.mark.parametrize("d", [40, 70, 2_000])
@pytest.mark.parametrize("more", [2, 3])
def test_a_huge_rank_is_refused_before_anything_is_built(d: int, more: int) -> None:
    """Kinds of covectors are counted by 2^rank: a hostile file must not get that much memory."""
    pattern = Pattern.from_array(np.eye(2, d + more, dtype=np.int8))
    proof = Chirotope(d, [0, 1], range(d + more), "columns", False, [])
    assert "too large to check" in str(check(Problem(pattern, d), proof))


@pytest.mark.parametrize("side", ["columns", "rows"])
def test_realizable_patterns_are_never_refuted(side: str) -> None:
    for seed in range(10):
        rng = np.random.RandomState(seed)
        queries, keys = rng.randint(-20, 21, size=(9, 2)), rng.randint(-20, 21, size=(8, 2))
        entries = (queries @ keys.T > rng.randint(-50, 51, size=(9, 1))).astype(np.int8)
        core = Core(2, entries, side, list(range(9)), list(range(8)))
        assert refute(core, Search()) is None
        assert grow_core(core, Search()) is None


def test_dont_cares_forbid_nothing() -> None:
    entries = Pattern.from_text("10*\n*10\n0*1").to_array()
    assert len(circuit_clauses(sign_matrix(entries, "columns"), 2)) == 2  # the extra query alone
