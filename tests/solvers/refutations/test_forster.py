"""Forster's bound: exact where numpy is not, never a NO for what halfspaces show."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import Certificate, InputError, Pattern, Problem, decide
from samapprox.proofs import Forster
from samapprox.proofs.checker import check
from samapprox.proofs.parts.simplify import simplify
from samapprox.reductions.families import generate
from samapprox.solvers.engine.search import Search
from samapprox.solvers.orientations.cores import Core, refute
from samapprox.solvers.refutations import forster


def signs(pattern: Pattern) -> np.ndarray:
    entries = pattern.to_array()
    below = np.where(entries < 0, 0, 2 * (entries == 1) - 1)
    return np.vstack([np.ones((1, entries.shape[1]), dtype=np.int64), below])


def hadamard(n: int) -> tuple[Pattern, Forster]:
    """The pattern, and the proof for the largest d: the extra query has no weight."""
    pattern = generate("hadamard", n=n).pattern
    x = [0] + [1] * n
    return pattern, Forster(
        round(n**0.5) - 2, range(n), range(n), x, [1] * n, signs(pattern) * np.transpose([x])
    )


def bound(proof: Forster, stars: np.ndarray) -> float:
    """The bound on d + 1 from the norm by numpy; infinite where don't-cares outweigh."""
    x, y = (w.astype(np.float64) ** 2 for w in (proof.row_weights, proof.column_weights))
    total, free = x.sum() * y.sum(), x @ stars @ y
    # X Y <= (d + 1) (S + sqrt(X Y) ||A||)
    return total / (free + total**0.5 * np.linalg.norm(proof.matrix.astype(np.float64), 2))


@given(st.data())
def test_what_is_accepted_has_a_small_norm(data: st.DataObject) -> None:
    rng = np.random.RandomState(data.draw(st.integers(0, 2**31)))
    n = data.draw(st.sampled_from([4, 8, 16]))
    entries = signs(generate("hadamard", n=n).pattern)[1:]
    entries[rng.random_sample((n, n)) < data.draw(st.sampled_from([0, 0.02, 0.1]))] = 0
    entries = entries[rng.permutation(n)[: rng.randint(2, n + 1)]]
    entries[:, 0] = 1
    stars = np.vstack([np.zeros((1, n)), entries == 0])
    pattern = Pattern.from_array(entries == 1, entries != 0)
    x, y = rng.randint(0, 4, size=len(entries) + 1), rng.randint(1, 4, size=n)
    matrix = signs(pattern) * (np.outer(x, y) + rng.randint(0, 2, size=stars.shape))
    width = min(matrix.shape)
    padding = rng.randint(-2, 3, size=(rng.randint(3), width))
    for d in (1, 2, 3):
        proof = Forster(d, range(len(entries)), range(n), x, y, matrix, padding)
        accepted = check(Problem(pattern, d), proof) is None
        if accepted:
            assert bound(proof, stars) > (d + 1) * (1 - 1e-9)


@pytest.mark.parametrize("n", [16, 64, 256])
def test_hadamard_matrices_meet_the_bound_exactly(n: int) -> None:
    pattern, proof = hadamard(n)
    assert check(Problem(pattern, proof.d), proof) is None
    parts = (proof.rows, proof.columns, proof.row_weights, proof.column_weights, proof.matrix)
    more = Forster(proof.d + 1, *parts)  # (d + 1) ||A|| = sqrt(X Y): not smaller
    assert "not shown" in str(check(Problem(pattern, proof.d + 1), more))
    assert check(Problem(pattern, 1), proof) is None
    assert "excludes dimension" in str(check(Problem(pattern, proof.d + 1), proof))


def test_one_unit_decides() -> None:
    """Scaled by 1000, the norm may grow by almost 1/3 in d = 2, and no more."""
    pattern, _ = hadamard(16)
    exact = 1000 * signs(pattern)[1:]
    for grown, holds in ((1333, True), (1334, False)):
        matrix = np.vstack([np.zeros((1, 16), dtype=np.int64), exact // 1000 * grown])
        proof = Forster(2, range(16), range(16), [0] + [1000] * 16, [1] * 16, matrix)
        assert (check(Problem(pattern, 2), proof) is None) == holds


def found(pattern: Pattern, d: int) -> Forster:
    proof = forster.find_proof(Problem(pattern, d), Search())
    assert isinstance(proof, Forster)
    return proof


@pytest.fixture(scope="module")
def optimised() -> tuple[Problem, Forster]:
    pattern = generate("random", rows=24, columns=24, seed=1).pattern
    return Problem(pattern, 2), found(pattern, 2)


def changed(proof: Forster, **parts: Any) -> Forster:
    names = ("d", "rows", "columns", "row_weights", "column_weights", "matrix", "padding")
    return Forster(**{name: getattr(proof, name) for name in names} | parts)


def test_mutated_proofs_are_refused(optimised: tuple[Problem, Forster]) -> None:
    problem, proof = optimised
    matrix, x, y = proof.matrix, proof.row_weights, proof.column_weights
    assert check(problem, proof) is None
    for name, value in (
        ("matrix", -matrix),
        ("matrix", matrix // 2),
        ("matrix", np.roll(matrix, 1, axis=1)),
        ("row_weights", x * 2),
        ("column_weights", y * 2),
        ("rows", np.roll(proof.rows, 1)),
        ("columns", np.roll(proof.columns, 1)),
        ("rows", (*proof.rows[:-1], 10**6)),
    ):
        assert check(problem, changed(proof, **{name: value})) is not None, name
    for name in ("matrix", "padding"):
        grown = getattr(proof, name).copy()
        grown += np.sign(grown) * (np.abs(grown).max() // 2)
        assert "not shown" in str(check(problem, changed(proof, **{name: grown})))
    assert "not shown" in str(check(problem, changed(proof, padding=[])))
    for name in ("row_weights", "column_weights"):
        less = getattr(proof, name) // 2
        assert "not shown" in str(check(problem, changed(proof, **{name: less})))
    assert "not shown" in str(check(Problem(problem.pattern, 3), changed(proof, d=3)))


def test_fewer_rows_refuse_the_padding_or_the_norm(optimised: tuple[Problem, Forster]) -> None:
    _, proof = optimised
    keep = [0, *range(2, len(proof.rows) + 1)]
    with pytest.raises(InputError, match="row_weights must be"):
        changed(proof, rows=proof.rows[1:])
    with pytest.raises(InputError, match="matrix must be"):
        changed(proof, rows=proof.rows[1:], row_weights=proof.row_weights[keep])
    wide = np.zeros((1, min(proof.matrix.shape) + 1), dtype=np.int64)
    with pytest.raises(InputError, match="padding must have"):
        changed(proof, padding=wide)


def test_other_strategies_agree(optimised: tuple[Problem, Forster]) -> None:
    problem, proof = optimised
    core = problem.pattern.to_array()[np.ix_(proof.rows, proof.columns)]
    side, rows, columns = "columns", list(range(len(core))), list(range(min(10, core.shape[1])))
    assert refute(Core(2, core, side, rows, columns), Search()) is not None
    without = decide(problem.pattern, 2, without=["forster"], time_limit=20)
    assert without.status.value == "NO"


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 3), st.sampled_from([0.0, 0.05, 0.3]), st.integers(0, 2**31))
def test_what_halfspaces_show_is_never_refuted(d: int, stars: float, seed: int) -> None:
    rng = np.random.RandomState(seed)
    rows, columns = rng.randint((d + 1) ** 2, 40, size=2)
    queries, keys = (rng.randint(-99, 100, size=(size, d)) for size in (rows, columns))
    entries = (queries @ keys.T > rng.randint(-2000, 2001, size=(rows, 1))).astype(np.int8)
    entries[rng.random_sample(entries.shape) < stars] = -1
    entries[~(entries == 1).any(axis=1)] = 1
    pattern = Pattern.from_array(entries == 1, entries >= 0)
    assert isinstance(forster.find_proof(Problem(pattern, d), Search()), str)


def test_dont_cares_cost_their_weight() -> None:
    entries = signs(generate("hadamard", n=64).pattern)[1:]
    entries[:, 0] = 1
    entries[np.random.RandomState(0).random_sample(entries.shape) < 0.02] = 0
    entries[:, 0] = 1
    pattern = Pattern.from_array(entries == 1, entries != 0)
    proof = forster.find_proof(Problem(pattern, 4), Search(whole=0.0))  # not made smaller
    assert isinstance(proof, Forster)
    core = entries[np.ix_(proof.rows, proof.columns)]
    assert (core == 0).any()
    stars = np.vstack([np.zeros((1, core.shape[1])), core == 0])
    assert bound(proof, stars) > 5
    filled = proof.matrix.copy()
    filled[np.where(stars)[0][0], np.where(stars)[1][0]] = 1
    reason = check(Problem(pattern, 4), changed(proof, matrix=filled))
    assert "the matrix must have 0" in str(reason)
    ones = Pattern.from_array(np.ones((16, 16)), np.tri(16) > 0)
    row = [1] + [0] * 16
    alone = Forster(1, range(16), range(16), row, [1] * 16, np.vstack([[1] * 16] + [[0] * 16] * 16))
    assert "not shown" in str(check(Problem(ones, 1), alone))


def test_merged_rows_and_columns_lift() -> None:
    entries = generate("hadamard", n=16).pattern.to_array()
    copies = np.vstack([entries, 1 - entries[1:], entries])[:, np.repeat(np.arange(16), 2)]
    verdict = decide(copies, 2, only=["forster"])
    assert isinstance(verdict.proof, Forster)
    assert max(verdict.proof.rows) < 16
    assert verdict.certificate is not None
    again = Certificate.from_json(json.loads(json.dumps(verdict.certificate.to_json())))
    assert again.verify(Pattern.from_array(copies))


def test_complements_leave_the_padding_of_a_square_matrix() -> None:
    """The padding is the row that makes all columns orthogonal, whatever signs the others have."""
    whole = generate("hadamard", n=16).pattern.to_array()
    whole[1::2] = 1 - whole[1::2]
    pattern = Pattern.from_array(whole)
    smaller = simplify(pattern)
    assert smaller.pattern is not None
    assert smaller.pattern.shape == (15, 16)
    assert smaller.turned.any()
    x = [0] + [1] * 15
    matrix = signs(smaller.pattern) * np.transpose([x])
    proof = Forster(2, range(15), range(16), x, [1] * 16, matrix, [[1] * 16])
    assert check(Problem(smaller.pattern, 2), proof) is None
    assert check(Problem(pattern, 2), proof.lift(smaller)) is None


def test_it_steps_aside() -> None:
    small = generate("random", rows=8, columns=9, seed=0).pattern
    assert "more than 8 rows and 9 columns" in str(forster.applies(Problem(small, 2)))
    merged = Pattern.from_array(np.tile(np.eye(4), 5))
    search = Search()
    assert isinstance(decide(merged, 2, only=["forster"]).proof, type(None))
    assert isinstance(forster.find_proof(Problem(small, 2), search), str)
    assert search.exhausted == {"forster"}


HOSTILE = {
    "d": [0, -1, True, 2**50, 1.5, "2", None],
    "rows": [[0, 0], [-1], ["a"], [True], 3, None],
    "row_weights": [[-1, 1, 1], [1, 1], [1.5, 1, 1], [[1], [1], [1]], "11", {}],
    "column_weights": [[-1, 1], [1], [None, 1], [], 7],
    "matrix": [[[1, 1], [1, -1]], [[1, 1], [1], [1, 1]], [1, 1, 1], [], [[True, 1]] * 3],
    "padding": [[[1]], [1, 1], [[1.5, 2]], [[1, 2], [3]], [[[1, 2]]], "", None],
}


@pytest.mark.parametrize("member", HOSTILE)
def test_hostile_documents_are_input_errors(member: str) -> None:
    pattern = Pattern.from_array([[1, 0], [0, 1]])
    proof = Forster(1, [0, 1], [0, 1], [1, 1, 1], [1, 1], [[1, 1], [1, -1], [-1, 1]])
    document = Certificate.of(Problem(pattern, 1), proof).to_json()
    assert not Certificate.from_json(document).verify(pattern)
    for value in HOSTILE[member]:
        broken = {**document, "proof": {**document["proof"], member: value}}
        with pytest.raises(InputError):
            Certificate.from_json(broken)


def test_absurd_numbers_and_sizes_are_refused_at_once() -> None:
    pattern, proof = hadamard(16)
    problem = Problem(pattern, 2)
    for power in (31, 62, 64, 4000):
        huge = proof.matrix.astype(object) * 2**power
        assert "too large to check" in str(check(problem, changed(proof, matrix=huge)))
        heavy = proof.row_weights.astype(object) * 2**power
        assert "too large to check" in str(check(problem, changed(proof, row_weights=heavy)))
    padding = np.zeros((2**21, 16), dtype=np.int64)
    assert "too large to check" in str(check(problem, changed(proof, padding=padding)))
    vast = Forster(2**40, [], [], [2**70], [], [[]])
    assert "too large to check" in str(check(problem, vast))
    no_rows = Forster(2, [], range(16), [1], [1] * 16, [[1] * 16])
    assert "not shown" in str(check(problem, no_rows))
