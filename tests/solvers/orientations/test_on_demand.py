"""Relations on demand: the same answers as with all relations at once, with checked refutations."""

from __future__ import annotations

import itertools
from itertools import combinations
from math import comb

import numpy as np
import pytest
from helpers.durations import ended_within
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
    count_relations,
    relation_clauses,
    subset_ranks,
    subsets_of,
    three_term_relations,
)
from samapprox.proofs.refutations.propagation import first_unfounded, refutes
from samapprox.reductions.families import generate
from samapprox.solvers.engine.backends import Clauses, Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations import on_demand
from samapprox.solvers.orientations.contractions import keep_relations
from samapprox.solvers.orientations.cores import Core
from samapprox.solvers.orientations.minimal_cores import minimal
from samapprox.solvers.orientations.on_demand import (
    Contradiction,
    OnDemand,
    PrimeImplicates,
    derive,
    orient,
)

SIZES = [(5, 2, 6), (6, 3, 8), (7, 3, 10), (7, 4, 14), (8, 4, 18)]


def covectors(seed: int, elements: int, rank: int, count: int) -> NDArray[np.int8]:
    """Signs of vectors on others, of which a few are wrong: nearly consistent."""
    rng = np.random.RandomState(seed)
    products = rng.standard_normal((count, rank)) @ rng.standard_normal((rank, elements))
    wrong = rng.random_sample(products.shape) < rng.choice([0, 0.02, 0.1])
    return np.where((products > 0) != wrong, 1, -1).astype(np.int8)


def satisfies(chi: NDArray[np.int8], clauses: NDArray[np.int32]) -> bool:
    return bool((chi[np.abs(clauses)] == np.sign(clauses)).any(axis=1).all())


@pytest.mark.parametrize("few", [0, 5_000])
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(SIZES))
def test_answers_are_those_with_all_relations(
    few: int, seed: int, size: tuple[int, int, int]
) -> None:
    elements, rank, count = size
    circuits = circuit_clauses(covectors(seed, elements, rank, count), rank)
    relations = relation_clauses(elements, rank)
    with Sat(Search()) as sat:
        sat.add([[1], *circuits.tolist(), *relations.tolist()])
        expected = sat.solve()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_demand, "_FEW", few)
        patch.setattr(on_demand, "_FEW_WITH_RELATIONS", few)
        patch.setattr(on_demand, "_FOR_EACH_ORIENTATION", 1)
        found = orient(circuits, [np.array([[1]])], elements, rank, Search())
    if not isinstance(found, Contradiction):
        assert found is not None
        assert expected
        assert satisfies(found, circuits)
        assert satisfies(found, relations)
        return
    assert not expected
    used = [[1], *circuits[found.circuits].tolist()]
    if len(found.relations):
        used += relation_clauses(elements, rank, found.relations.tolist()).tolist()
    assert refutes(used, found.lemmas)


def test_vectors_are_never_refuted() -> None:
    rng = np.random.RandomState(3)
    keys, queries = rng.standard_normal((10, 5)), rng.standard_normal((60, 5))
    signs = np.sign(queries @ keys.T).astype(np.int8)
    found = orient(circuit_clauses(signs, 5), [], 10, 5, Search.within(60.0, 0))
    assert not isinstance(found, Contradiction)
    subsets = subsets_of(10, 5)
    chi = np.zeros(1 + comb(10, 5), dtype=np.int8)
    chi[1 + subset_ranks(subsets)] = np.sign(np.linalg.det(keys[subsets]))
    assert satisfies(chi, circuit_clauses(signs, 5))
    assert found is None or satisfies(found, relation_clauses(10, 5))


def test_it_ends_in_time() -> None:
    rng = np.random.RandomState(0)
    signs = rng.choice([-1, 1], size=(40, 11)).astype(np.int8)
    circuits = circuit_clauses(signs, 6)

    def search() -> None:
        orient(circuits, [np.array([[1]])], 11, 6, Search.within(0.5, 0))

    ended_within(2, search)


def test_without_relations_circuits_alone_count() -> None:
    signs = covectors(0, 7, 3, 10)
    circuits = circuit_clauses(signs, 3)
    found = orient(circuits, [], 7, 3, Search(), relations=False)
    if isinstance(found, Contradiction):
        assert not len(found.relations)
    else:
        assert found is not None
        assert satisfies(found, circuits)


def test_relations_that_were_added_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refutation may use any of them, so the certificate must know them all."""
    monkeypatch.setattr(on_demand, "_FOR_EACH_ORIENTATION", 0)
    rng = np.random.RandomState(0)
    rounds: list[list[int]] = []
    with Sat(Search()) as sat:
        solver = OnDemand(sat, 9, 3, Search())
        add = sat.add

        def record(clauses: Clauses) -> None:
            rounds.append(solver.added.tolist())
            add(clauses)

        monkeypatch.setattr(sat, "add", record)
        for variable in rng.permutation(comb(9, 3))[:20] + 1:
            add([[int(rng.choice([-1, 1]) * variable)]])
        solver.solve()
    assert len(rounds) > 2
    for before, after in itertools.pairwise([*rounds, solver.added.tolist()]):
        assert set(before) <= set(after)


@st.composite
def clauses_of_one_circuit(draw: st.DrawFn) -> NDArray[np.int32]:
    width = draw(st.integers(2, 5))
    codes = draw(st.sets(st.integers(0, 2**width - 1), min_size=1))
    signs = np.array([[1 - 2 * (code >> at & 1) for at in range(width)] for code in sorted(codes)])
    return (signs * (1 + np.arange(width))).astype(np.int32)


def satisfied(clauses: list[list[int]], assignment: tuple[int, ...]) -> bool:
    return all(any(assignment[abs(x) - 1] == np.sign(x) for x in clause) for clause in clauses)


@given(clauses_of_one_circuit())
def test_they_have_the_same_models_and_none_can_be_shorter(clauses: NDArray[np.int32]) -> None:
    width = clauses.shape[1]
    implicates = [[x for x in row if x] for row in PrimeImplicates.of(clauses).literals.tolist()]
    models = [
        tuple(1 - 2 * bit for bit in bits)
        for bits in np.ndindex(*[2] * width)
        if satisfied(clauses.tolist(), tuple(1 - 2 * bit for bit in bits))
    ]
    for bits in np.ndindex(*[2] * width):
        assignment = tuple(1 - 2 * bit for bit in bits)
        assert satisfied(implicates, assignment) == (assignment in models)
    for clause in implicates:
        for shorter in combinations(clause, len(clause) - 1):
            assert not shorter or not all(satisfied([list(shorter)], model) for model in models)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 4), st.integers(2, 40))
def test_derivations_follow_from_the_circuits(seed: int, rank: int, covectors: int) -> None:
    rng = np.random.RandomState(seed)
    signs = rng.choice([-1, 1], size=(covectors, rank + 3)).astype(np.int8)
    clauses = circuit_clauses(signs, rank)
    implicates = PrimeImplicates.of(clauses)
    chosen = np.flatnonzero(rng.random_sample(len(implicates.literals)) < 0.5)
    lemmas = derive(implicates, chosen)
    number = first_unfounded(clauses.tolist(), lemmas)
    assert number is None or number == len(lemmas)  # each lemma follows
    derived = {frozenset(clause) for clause in [*lemmas, *clauses.tolist()]}
    for row in implicates.literals[chosen].tolist():
        assert frozenset(x for x in row if x) in derived


def test_blocks_hold_all_by_their_length() -> None:
    clauses = circuit_clauses(np.random.RandomState(0).choice([-1, 1], size=(9, 7)), 3)
    implicates = PrimeImplicates.of(clauses)
    assert sum(map(len, implicates.blocks)) == len(implicates.literals)
    assert all((block != 0).all() for block in implicates.blocks)


SIZES_OF_KNOWN = [(5, 2), (7, 3), (8, 4)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SIZES_OF_KNOWN), st.data())
def test_relations_keep_their_elements(size: tuple[int, int], data: st.DataObject) -> None:
    elements, rank = size
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, elements - 1)))), dtype=np.int64)
    places = st.sets(st.integers(0, count_relations(elements, rank) - 1), max_size=40)
    numbers = np.array(sorted(data.draw(places)), dtype=np.int64)
    fewer = keep_relations(numbers, kept, elements, rank)
    before = three_term_relations(elements, rank, numbers.tolist())
    expected = [
        (*fixed, *four)
        for fixed, four in zip(before.fixed.tolist(), before.fours.tolist(), strict=True)
        if {*fixed, *four} <= set(kept.tolist())
    ]
    found = []
    if len(kept) >= rank + 2:
        after = three_term_relations(len(kept), rank, fewer.tolist())
        found = [(*kept[f], *kept[e]) for f, e in zip(after.fixed, after.fours, strict=True)]
    assert found == expected
    assert len(fewer) == len(expected)


def test_the_last_refutation_begins_with_those_of_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[NDArray[np.int64]] = []
    added: list[NDArray[np.int64]] = []

    class Recorded(on_demand.OnDemand):
        def begin_with_some(self) -> None:
            super().begin_with_some()
            begun.append(self._known)
            added.append(self.added)

    monkeypatch.setattr(on_demand, "OnDemand", Recorded)
    pattern = generate("mask", graph="random", n=32).pattern
    rows = [2, 10, 12, 17, 19, 22, 24, 26, 28, 29]  # which resist embedding
    core = minimal(Core(3, pattern.to_array(), "rows", rows, list(range(32)), True), Search())
    assert core is not None
    assert check(Problem(pattern, 3), core.proof()) is None
    first, last = begun
    assert len(first) == 0 < len(last)
    assert np.isin(last, added[-1]).all()
    most = len(last) + 2 * comb(1 + len(core.rows), 4)
    assert len(added[-1]) <= most < len(added[0])


def test_trimming_takes_no_more_steps_than_the_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    core = Core.of(2, generate("all-subsets", n=5, k=2).pattern.to_array())
    monkeypatch.setattr(on_demand, "_FEW", 0)
    assert minimal(core, Search.within(30.0, 0)) is not None
    monkeypatch.setattr("samapprox.solvers.orientations.trim._STEPS_A_SECOND", 0)
    assert minimal(core, Search.within(30.0, 0)) is None
