"""Ranks of sign matrices, against searches that share nothing with the library."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from helpers.durations import ended_within, processor_time
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import (
    Certificate,
    InputError,
    MatrixRank,
    Pattern,
    SignMatrix,
    Status,
    rank,
    sign_rank,
    weak_dimension,
)
from samapprox.errors import Interrupted
from samapprox.proofs import Factors, Radon, RankRefutation
from samapprox.proofs.questions import RANK_KINDS, RankKind
from samapprox.reductions.families import generate
from samapprox.solvers.questions.ranks.reduced_bounds import Limits

Random = np.random.RandomState
Rows = list[list[int]]
"""Entries 1, 0, and -1 for don't care."""


def as_matrix(rows: Rows) -> SignMatrix:
    entries = np.array(rows)
    return SignMatrix.from_array(entries == 1, entries != -1)


def draw(random: Random, most: int, stars: float = 0.0) -> Rows:
    shape = random.randint(1, most + 1, size=2)
    entries = (random.rand(*shape) < random.choice([0.3, 0.5])).astype(int)
    entries[random.rand(*shape) < stars] = -1
    drawn: Rows = entries.tolist()
    return drawn


def changes(row: list[int], order: tuple[int, ...], flips: tuple[int, ...]) -> int:
    """How often the specified entries of a row change along an order, some of them flipped."""
    signs = [row[j] ^ flips[j] for j in order if row[j] >= 0]
    return sum(a != b for a, b in pairwise(signs))


def plain_sign_rank(rows: Rows) -> int:
    """1, 2, or 3 for all above: columns as directions of a line or of the plane, in all orders."""
    n = len(rows[0])
    for flips in product((0, 1), repeat=n):
        if all(changes(row, tuple(range(n)), flips) == 0 for row in rows):
            return 1
    for flips in product((0, 1), repeat=n):
        for order in permutations(range(n)):
            if order[0] <= order[-1] and all(changes(row, order, flips) <= 1 for row in rows):
                return 2
    return 3


def is_global_rank_one(rows: Rows) -> bool:
    """Keys and 0 on a line: the ones are an end without 0 in all rows, or with 0 in all rows."""
    n = len(rows[0])
    for side in (0, 1):
        extended = [[*row, side] for row in rows]
        for order in permutations(range(n + 1)):
            if all(changes(row, order, (0,) * (n + 1)) <= 1 for row in extended):
                return True
    return False


def is_row_rank_one(rows: Rows) -> bool:
    n = len(rows[0])
    return any(
        all(changes(row, order, (0,) * n) <= 1 for row in rows) for order in permutations(range(n))
    )


def represents(rows: Rows, kind: RankKind, factors: Factors) -> bool:
    """Whether B = L R^T and thresholds represent the rows, in fractions, by the definition."""
    left, right, bounds = (
        part.tolist() for part in (factors.left, factors.right, factors.thresholds)
    )
    if kind == "global":  # one threshold
        scales = [abs(bound) or 1 for bound in bounds]
        left = [[Fraction(x, s) for x in row] for row, s in zip(left, scales, strict=True)]
        bounds = [Fraction(bound, s) for bound, s in zip(bounds, scales, strict=True)]
        if len(set(bounds)) > 1:
            return False
    if kind == "sign" and any(bounds):
        return False
    for row, own, bound in zip(rows, left, bounds, strict=True):
        for entry, key in zip(row, right, strict=True):
            value = sum(x * y for x, y in zip(own, key, strict=True)) - bound
            if (entry == 1 and value <= 0) or (entry == 0 and value >= 0):
                return False
    return True


def confirm(rows: Rows, found: MatrixRank) -> None:
    """Both certificates survive a round trip, and the factors represent by the definition."""
    for bound in (found.yes, found.no):
        if bound is not None:
            again = Certificate.from_bytes(bound.certificate.to_bytes())
            assert again.verify(as_matrix(rows))
    assert found.yes is not None
    assert isinstance(found.yes.proof, Factors)
    assert represents(rows, found.kind, found.yes.proof)


@pytest.mark.parametrize("seed", range(120))
def test_small_ranks_are_those_of_all_orders(seed: int) -> None:
    random = Random(seed)
    rows = draw(random, 5 if seed % 4 else 4, stars=0.2 * (seed % 3 == 0))
    found = rank(as_matrix(rows), time_limit=20, threads=1)
    assert found.exact
    confirm(rows, found)
    assert min(found.upper, 3) == plain_sign_rank(rows)
    if len(rows[0]) < 5:
        for kind, truth in (("global", is_global_rank_one), ("row", is_row_rank_one)):
            one = rank(as_matrix(rows), kind=kind, at_most=1, threads=1)  # type: ignore[arg-type]
            confirm(rows, one)
            assert one.at_most(1) is (Status.YES if truth(rows) else Status.NO)


def z3_answer(rows: Rows, kind: RankKind, r: int) -> bool | None:
    """Whether real factors exist, by nonlinear arithmetic; None if z3 gives up."""
    z3 = pytest.importorskip("z3")
    left = [[z3.Real(f"l{i}_{k}") for k in range(r)] for i in range(len(rows))]
    right = [[z3.Real(f"r{j}_{k}") for k in range(r)] for j in range(len(rows[0]))]
    shared = z3.Real("t")
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", 4000)
    for i, row in enumerate(rows):
        bound = {"sign": 0, "global": shared, "row": z3.Real(f"t{i}")}[kind]
        for j, entry in enumerate(row):
            value = sum(x * y for x, y in zip(left[i], right[j], strict=True)) - bound
            if entry >= 0:
                solver.add(value > 0 if entry else value < 0)
    return {"sat": True, "unsat": False}.get(str(solver.check()))


@pytest.mark.parametrize("kind", RANK_KINDS)
def test_ranks_are_those_of_real_arithmetic(kind: RankKind) -> None:
    compared = 0
    for seed in range(30):
        rows = draw(Random(1000 + seed), 4, stars=0.15 * (seed % 2))
        found = rank(as_matrix(rows), kind=kind, time_limit=20, threads=1)
        assert found.exact
        confirm(rows, found)
        for r in {found.upper, found.upper - 1} - {0}:
            truth = z3_answer(rows, kind, r) if r <= 2 else None
            if truth is not None:
                assert truth == (found.upper <= r), (rows, r)
                compared += 1
    assert compared > 20


def exact_ranks(rows: Rows) -> tuple[int, int, int]:
    found = [rank(as_matrix(rows), kind=kind, time_limit=20, threads=1) for kind in RANK_KINDS]
    assert all(one.exact for one in found)
    sign, one, row = (each.lower for each in found)
    return sign, one, row


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_the_chain_transposition_and_flips(seed: int) -> None:
    random = Random(seed)
    rows = draw(random, 5, stars=0.15 * (seed % 2))
    sign, one, row = exact_ranks(rows)
    assert sign - 1 <= row <= one <= sign
    entries = np.array(rows)
    assert exact_ranks(entries.T.tolist())[:2] == (sign, one)
    opposite = np.where(entries < 0, entries, 1 - entries)
    assert exact_ranks(opposite.tolist()) == (sign, one, row)
    chosen = random.rand(len(rows)) < 0.5
    flipped = np.where(chosen[:, None], opposite, entries)
    assert rank(as_matrix(flipped.tolist()), threads=1).lower == sign
    assert rank(as_matrix(flipped.tolist()), kind="row", threads=1).lower == row
    if (entries == 1).any(axis=1).all():
        assert weak_dimension(np.where(entries < 0, "*", entries.astype(str))).lower == row


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from(RANK_KINDS))
def test_decisions_agree_with_the_least_rank(seed: int, at_most: int, kind: RankKind) -> None:
    rows = draw(Random(seed), 5, stars=0.15 * (seed % 2))
    least = rank(as_matrix(rows), kind=kind, threads=1)
    decided = rank(as_matrix(rows), kind=kind, at_most=at_most, threads=1)
    confirm(rows, decided)
    assert least.exact
    assert decided.at_most(at_most) is (Status.YES if least.lower <= at_most else Status.NO)
    assert decided.lower <= least.lower <= decided.upper


@pytest.mark.parametrize("kind", RANK_KINDS)
@pytest.mark.parametrize(
    "rows", [[[0]], [[-1, -1]], [[0, 0], [0, 0]], [[1, 1], [-1, -1]], [[0, -1], [-1, 0]]]
)
def test_constant_and_empty_rows(rows: Rows, kind: RankKind) -> None:
    found = rank(as_matrix(rows), kind=kind)
    confirm(rows, found)
    assert (found.lower, found.upper) == (1, 1)


def test_a_row_of_minus_alone_counts_for_one_threshold() -> None:
    """With keys on both sides of 0, a constant row needs a positive threshold."""
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0]]
    found = rank(as_matrix(rows), kind="global")
    confirm(rows, found)
    assert found.exact


def test_a_refutation_names_few_lines() -> None:
    """Six more rows and columns of a triangular matrix do not appear in the core."""
    entries = np.tri(10, dtype=int)
    entries[:4, :4] = np.eye(4, dtype=int)
    found = rank(entries, only=["line", "rank", "orders", "chirotope"])
    assert found.no is not None
    assert isinstance(found.no.proof, RankRefutation)
    assert len(found.no.proof.rows) < 10


def test_time_limits_hold_and_bounds_stay_proven() -> None:
    found = rank(generate("hadamard", n=12).pattern, time_limit=2.0)
    assert 4 <= found.lower <= found.upper <= 12
    assert found.seconds < 12


@pytest.mark.parametrize("kind", RANK_KINDS)
def test_the_shortest_limit_has_better_factors_than_trivial_ones(kind: RankKind) -> None:
    """Half of the rank takes three steps, which are made although the time is up."""
    matrix = np.random.RandomState(0).rand(100, 100) < 0.5
    with processor_time():
        found = rank(matrix, kind=kind, time_limit=1e-3)
    assert found.upper <= 60
    assert found.yes_certificate is not None
    assert found.yes_certificate.verify(found.matrix)


@pytest.mark.parametrize("kind", ["global", "row"])
def test_sparse_matrices_stay_sparse(kind: RankKind) -> None:
    """2.5 * 10^8 entries, whose reduced patterns would take seconds to write, divide and check."""
    ones = np.sort(np.random.RandomState(0).randint(2_500, size=(100_000, 2)), axis=1)
    ones[:, 1] += ones[:, 0] == ones[:, 1]
    matrix = Pattern.from_csr(np.arange(0, 200_001, 2), ones.ravel(), None, (100_000, 2_501))
    asked = partial(rank, matrix, kind=kind, time_limit=0.1)
    found = ended_within(2, asked)
    assert found.lower >= 2


@pytest.mark.parametrize(
    ("matrix", "least", "forms"),
    [(np.eye(4), 3, ["relative"]), (np.tri(2), 2, ["relative", "doubled"])],
)
def test_rank_1_is_excluded_last_if_it_is_late(
    matrix: NDArray[np.float64], least: int, forms: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the reduced pattern for it is made only if it is needed."""
    monkeypatch.setattr(Limits, "remaining", property(lambda _: 0.0))
    monkeypatch.setattr("samapprox.solvers.questions.ranks.rank._LEAST_SECONDS", 60.0)
    found = rank(matrix)
    assert found.exact
    assert found.lower == least
    assert list(dict.fromkeys(form for form, _, _ in found.trail)) == forms


@pytest.mark.parametrize("options", [{}, {"threads": 1}, {"at_most": 4}, {"kind": "global"}])
def test_an_interrupt_keeps_the_bounds(options: dict[str, Any]) -> None:
    """Ctrl-C while the second dimension is tried: what was proven by then stays."""
    calls = 0

    def interrupt(_progress: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 12:
            raise KeyboardInterrupt

    matrix = generate("hadamard", n=12).pattern
    with pytest.raises(Interrupted) as caught:
        rank(matrix, progress=interrupt, **options)
    found = caught.value.so_far
    assert 1 <= found.lower <= found.upper <= 12
    confirm(matrix.to_array().tolist(), found)


def test_a_wrong_proof_costs_its_strategy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strategies are checked on reduced patterns, before their proofs are carried over."""
    monkeypatch.delenv("SAMAPPROX_TRACEBACK", raising=False)
    wrong = Radon([0, 1, 2], [0, 1, 2])
    monkeypatch.setattr("samapprox.solvers.embeddings.rank.find_proof", lambda *_: wrong)
    found = rank(generate("sign-vectors", n=3).pattern)
    assert (found.lower, found.upper) == (3, 3)


def test_options_are_checked() -> None:
    for options, message in (
        ({"kind": "signs"}, "unknown kind of rank 'signs'"),
        ({"at_most": 0}, "the rank must be a whole number of at least 1"),
        ({"threads": 3}, "threads must be 1 or 2"),
        ({"time_limit": 0}, "time limit"),
        ({"only": ["nothing"]}, "nothing"),
    ):
        with pytest.raises(InputError, match=message):
            rank([[1, 0]], **options)  # type: ignore[arg-type]


def test_results_say_what_is_proven() -> None:
    found = sign_rank(np.eye(4))
    assert repr(found) == "<MatrixRank: sign-rank 3 of this 4 x 4 matrix>"
    assert str(found).startswith("The sign-rank of this 4 x 4 matrix is 3.\nNO for sign-rank at")
    assert found.answer(2) == "NO: the sign-rank of this 4 x 4 matrix is more than 2."
    assert found.answer(3) == "YES: the sign-rank of this 4 x 4 matrix is at most 3."
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)
    open_ = rank(np.eye(4), only=["line"])
    assert "lies in 3..4" in open_.headline
    assert open_.answer(3).startswith("UNKNOWN: whether the sign-rank")
