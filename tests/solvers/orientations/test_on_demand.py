"""Relations on demand: the same answers as with all relations at once, with checked refutations."""

from __future__ import annotations

import itertools
import time
from math import comb

import numpy as np
import pytest
from helpers.durations import ended_within
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.proofs.refutations.orientation_clauses import (
    circuit_clauses,
    relation_clauses,
    subset_ranks,
    subsets_of,
)
from samapprox.proofs.refutations.propagation import refutes
from samapprox.solvers.backends.sat import Clauses, Sat
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations import on_demand
from samapprox.solvers.orientations.on_demand import Contradiction, OnDemand, orient

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

    ended_within(2, search, time.process_time)


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
