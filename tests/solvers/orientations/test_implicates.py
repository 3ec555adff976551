"""Prime implicates: the same models, no shorter clauses, and derivations that can be checked."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox.proofs.refutations.orientation_clauses import circuit_clauses
from samapprox.proofs.refutations.propagation import first_unfounded
from samapprox.solvers.orientations.on_demand import PrimeImplicates, derive


@st.composite
def clauses_of_one_circuit(draw: st.DrawFn) -> NDArray[np.int32]:
    width = draw(st.integers(2, 5))
    codes = draw(st.sets(st.integers(0, 2**width - 1), min_size=1))
    signs = np.array([[1 - 2 * (code >> at & 1) for at in range(width)] for code in sorted(codes)])
    return (signs * (1 + np.arange(width))).astype(np.int32)


def satisfied(clauses: list[list[int]], assignment: tuple[int, ...]) -> bool:
    return all(any(assignment[abs(x) - 1] == np.sign(x) for x in clause) for clause in clauses)


@settings(max_examples=80, deadline=None)
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
