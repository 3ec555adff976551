"""Parts that a numeric search fails to embed: planted cores, proofs that hold, no wrong NO."""

from __future__ import annotations

import numpy as np
import pytest

from samapprox import data, decide, load
from samapprox.problem import Problem
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.proofs.refutations.chirotope import Chirotope
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.refutations.hard_part import applies, choose_core, find_proof


@pytest.mark.parametrize(("n", "k", "d"), [(5, 2, 2), (6, 2, 3), (7, 3, 4)])
def test_subsets_are_refuted(n: int, k: int, d: int) -> None:
    problem = Problem(generate("all-subsets", n=n, k=k).pattern, d)
    found = find_proof(problem, Search.within(30.0, 0))
    assert isinstance(found, Chirotope)
    assert check(problem, found) is None


def test_few_elements_are_chosen_and_others_refute_them() -> None:
    """Five columns that no plane shows, hidden among fifteen that are easy."""
    rng = np.random.RandomState(2)
    hard = generate("all-subsets", n=5, k=2).pattern.to_array()
    easy = generate("halfspaces", rows=len(hard), columns=15, d=2, seed=1).pattern.to_array()
    entries = np.hstack([hard, easy])[:, rng.permutation(20)]
    core = None
    while core is None:
        core = choose_core(2, entries, "columns", 10, rng, Search.within(30.0, 0), (1_000, 8))
    assert len(core.columns) <= 10
    chosen = entries[:, core.columns]
    chosen = chosen[chosen.any(axis=1)]
    assert decide(chosen, 2, without=["hard-part"]).status.value == "NO"


def test_what_has_an_embedding_is_not_refuted() -> None:
    for seed in range(3):
        pattern = generate("halfspaces", rows=15, columns=15, d=2, seed=seed).pattern
        assert isinstance(find_proof(Problem(pattern, 2), Search.within(0.3, seed)), str)


def test_real_patterns_agree_with_the_other_refutations() -> None:
    pattern = simplify(load(data.path("minilm/s02_L2_H10_mass90_n11.npz"))).pattern
    assert pattern is not None
    assert decide(pattern, 2, only=["chirotope"]).status.value == "NO"
    problem = Problem(pattern, 2)
    found = find_proof(problem, Search.within(30.0, 0))
    assert isinstance(found, Chirotope)
    assert check(problem, found) is None


def test_where_it_does_not_apply() -> None:
    pattern = generate("random", rows=6, columns=6).pattern
    assert applies(Problem(pattern, 2, 2)) == "queries and keys share X"
    assert applies(Problem(pattern, 10)) == "rank 11 leads to too many clauses"
    assert applies(Problem(pattern, 3)) is None
