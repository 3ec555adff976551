"""Trimmed refutations: they still refute, from the clauses used alone, and drop what is idle."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.checkers.lrat import check_lrat
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from samapprox import Pattern, data, load
from samapprox.problem import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.proofs.refutations.propagation import refutes
from samapprox.reductions.families import generate
from samapprox.solvers.engine.backends import refutation
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, refute
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.orientations.trim import Hinted, find_hints, trim


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


Clause = tuple[int, ...]


def written(blocks: list[np.ndarray], hinted: Hinted) -> tuple[str, str]:
    """The used clauses and the steps as LRAT has them."""
    clauses = [
        block[used].tolist() for block, used in zip(blocks, hinted.used, strict=True) if used.size
    ]
    rows = [clause for part in clauses for clause in part]
    variables = max(abs(literal) for row in rows for literal in row)
    formula = [f"p cnf {variables} {len(rows)}", *(" ".join(map(str, [*row, 0])) for row in rows)]
    proof = [
        " ".join(map(str, [number, *lemma, 0, *hints.tolist(), 0]))
        for number, (lemma, hints) in enumerate(
            zip(hinted.lemmas, hinted.hints, strict=True), len(rows) + 1
        )
    ]
    return "\n".join(formula), "\n".join(proof)


def refuted(seed: int) -> tuple[list[np.ndarray], list[Clause]]:
    """A random formula without a model, in blocks of one length, and a solver's lemmas."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 30))
    while True:
        blocks = [
            np.array([rng.choice(count, size, replace=False) + 1 for _ in range(times)])
            for size, times in ((3, 5 * count), (4, 3 * count), (2, count // 4))
            if times
        ]
        blocks = [block * rng.choice([-1, 1], size=block.shape) for block in blocks]
        clauses = [clause for block in blocks for clause in block.tolist()]
        with Solver("glucose4", bootstrap_with=clauses, with_proof=True) as solver:
            if not solver.solve():
                proof = [line.split() for line in solver.get_proof() if not line.startswith("d")]
                return blocks, [tuple(map(int, words[:-1])) for words in proof][:-1]


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_the_steps_of_solvers_proofs_hold(seed: int) -> None:
    blocks, lemmas = refuted(seed)
    hinted = find_hints(blocks, lemmas)
    assert hinted is not None
    assert check_lrat(*written(blocks, hinted)) == len(hinted.lemmas)
    used, kept = trim(blocks, lemmas)
    assert [one.tolist() for one in used] == [one.tolist() for one in hinted.used]
    assert kept == hinted.lemmas[:-1]


def test_lemmas_that_do_not_follow_have_no_steps() -> None:
    clauses = [np.array([[1, 2], [-1, 2], [1, -2]])]
    assert find_hints(clauses, [(2,)]) is None
    assert find_hints(clauses, []) is None
    assert find_hints([*clauses, np.array([[-1, -2]])], []) is None


@pytest.mark.parametrize("lemmas", [[], [(1, 2, -1)], [(3,), (-3,)]])
def test_clauses_that_contradict_each_other_need_no_sensible_lemma(lemmas: list[Clause]) -> None:
    blocks = [np.array([[1, 2], [-1, 2]]), np.array([[-2]])]
    hinted = find_hints(blocks, lemmas)
    assert hinted is not None
    assert hinted.lemmas == [()] or lemmas == [(3,), (-3,)]
    check_lrat(*written(blocks, hinted))
