"""Steps of refutations: strictly checked on random formulas that solvers refute."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.checkers.lrat import check_lrat
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from samapprox.solvers.orientations.trim import Hinted, find_hints, trim

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
