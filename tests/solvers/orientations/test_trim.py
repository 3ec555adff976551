"""Trimmed refutations: they still refute, from the clauses used alone, and drop what is idle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Pattern, data, load
from samapprox.problem import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.propagation import refutes
from samapprox.reductions.families import generate
from samapprox.solvers.backends.sat import refutation
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, refute
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.orientations.trim import trim


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_what_is_kept_refutes_alone(seed: int, width: int) -> None:
    rng = np.random.RandomState(seed)
    variables = rng.randint(width, 9)
    block = np.array(
        [
            (1 + rng.permutation(variables)[:width]) * rng.choice([-1, 1], size=width)
            for _ in range(rng.randint(1, 120))
        ]
    )
    other = np.array([[1 + rng.randint(variables)]])
    lemmas = refutation([*block.tolist(), *other.tolist()], Search())
    if lemmas is None:
        return
    (used, units), kept = trim([block, other], lemmas)
    clauses = [*block[used].tolist(), *other[units].tolist()]
    assert refutes(clauses, kept)
    assert refutation(clauses, Search()) is not None
    assert all(lemma in lemmas for lemma in kept)


def test_idle_clauses_and_lemmas_go() -> None:
    """All signs of three variables, beside clauses about others and lemmas from those."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    contradiction, idle = signs * [1, 2, 3], signs[:4] * [4, 5, 6]
    lemmas = [[4, 5, 6, 1], [1, 2], [-4, 5, 6, 2], [1], [2]]
    (used, unused), kept = trim([contradiction, idle], lemmas)
    assert used.tolist() == list(range(8))
    assert not len(unused)
    assert kept == [[1, 2], [1], [2]]


def test_what_is_no_refutation_stays_as_it_is() -> None:
    block = np.array([[1, 2], [-1, 2]])
    (used,), kept = trim([block], [[-2]])
    assert used.tolist() == [0, 1]
    assert kept == [[-2]]


@pytest.mark.parametrize(("n", "k", "d"), [(6, 2, 3), (7, 3, 4)])
def test_cores_name_the_relations_that_they_need(n: int, k: int, d: int) -> None:
    pattern = generate("all-subsets", n=n, k=k).pattern
    entries = pattern.to_array()
    lines = [list(range(size)) for size in entries.shape]
    core = refute(Core(d, entries, "columns", *lines, relations=True), Search())
    assert core is not None
    proof = core.proof()
    assert check(Problem(pattern, d), proof) is None
    assert len(proof.rows) < len(entries) or not proof.relations
    smaller = minimal(core, Search.within(20.0, 0))
    assert smaller is not None
    assert check(Problem(pattern, d), smaller.proof()) is None


def test_relations_by_number_are_checked() -> None:
    """Ten keys of a real head, which circuits alone do not refute."""
    pattern = load(data.path("minilm/s20_L4_H04_mass90_n45.npz"))
    keys = [6, 7, 10, 15, 17, 19, 27, 38, 40, 42]
    entries = np.unique(pattern.to_array()[:, keys], axis=0)
    entries = entries[entries.any(axis=1)]
    core = Core(4, entries, "columns", list(range(len(entries))), list(range(10)), relations=True)
    proven = refute(core, Search())
    assert proven is not None
    proof, problem = proven.proof(), Problem(Pattern.from_array(entries), 4)
    assert isinstance(proof.relations, tuple)
    assert proof.relations
    parts = (proof.d, proof.rows, proof.columns, proof.elements)
    assert check(problem, proof) is None
    assert check(problem, Chirotope(*parts, True, proof.lemmas)) is None
    assert check(problem, Chirotope(*parts, False, proof.lemmas)) is not None
    assert check(problem, Chirotope(*parts, proof.relations[:1], proof.lemmas)) is not None
    beyond = Chirotope(*parts, [*proof.relations, 10**9], proof.lemmas)
    assert "no relation 1000000000" in str(check(problem, beyond))
