"""d = 1: invariants, storage, sizes, and the coupled case beyond enumeration of all patterns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse
from helpers.strategies import Entries, any_entries, line_entries
from helpers.truth.line import masks, shown_on_line
from hypothesis import given
from hypothesis import strategies as st

from samapprox import Embedding, Pattern, Status, decide
from samapprox.problem import Problem
from samapprox.proofs import Radon, SelfAttention, Shattering, SignClash
from samapprox.proofs.checker import check
from samapprox.solvers import line
from samapprox.storage.sparse import SparseMatrix


def sparse_pattern(entries: Entries) -> Pattern:
    """The same pattern in sparse storage, however small."""
    csr = scipy.sparse.csr_array(entries)
    indptr, indices = csr.indptr.astype(np.int64), csr.indices.astype(np.int32)
    return Pattern.from_storage(SparseMatrix(indptr, indices, entries.shape[1]))


@given(any_entries())
def test_equals_enumeration_on_rectangles(entries: Entries) -> None:
    truth = shown_on_line(masks(entries), entries.shape[1])
    assert (decide(entries).status is Status.YES) == truth


@given(line_entries())
def test_ends_of_an_order_are_yes(entries: Entries) -> None:
    assert decide(entries).status is Status.YES


@given(any_entries())
def test_sparse_storage_gives_the_same_answer(entries: Entries) -> None:
    pattern = sparse_pattern(entries)
    dense = decide(entries)
    sparse = decide(pattern)
    assert sparse.status is dense.status
    assert pattern.sha256 == dense.problem.pattern.sha256
    assert check(dense.problem, sparse.proof) is None
    assert check(sparse.problem, dense.proof) is None


@given(any_entries(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_does_not_matter(entries: Entries, random: object) -> None:
    m, n = entries.shape
    rows, columns = list(range(m)), list(range(n))
    random.shuffle(rows)
    random.shuffle(columns)
    assert decide(entries).status is decide(entries[np.ix_(rows, columns)]).status


@given(any_entries(), st.data())
def test_duplicates_do_not_matter(entries: Entries, data: st.DataObject) -> None:
    m, n = entries.shape
    rows = [*range(m), data.draw(st.integers(0, m - 1))]
    columns = [*range(n), data.draw(st.integers(0, n - 1))]
    assert decide(entries).status is decide(entries[np.ix_(rows, columns)]).status


@given(any_entries(), st.data())
def test_complementing_a_row_does_not_matter_in_the_free_case(
    entries: Entries, data: st.DataObject
) -> None:
    mixed = np.flatnonzero(entries.sum(axis=1) < entries.shape[1])
    if not mixed.size:
        return
    flipped = entries.copy()
    flipped[data.draw(st.sampled_from(mixed.tolist()))] ^= 1
    assert decide(entries).status is decide(flipped).status


@given(any_entries())
def test_a_submatrix_of_yes_is_yes(entries: Entries) -> None:
    if decide(entries).status is Status.YES:
        assert decide(entries[: (len(entries) + 1) // 2]).status is Status.YES
        half = entries[:, : (entries.shape[1] + 1) // 2]
        kept = half[half.any(axis=1)]
        assert not len(kept) or decide(kept).status is Status.YES


@given(
    any_entries().filter(lambda entries: entries.shape[0] == entries.shape[1]), st.integers(2, 4)
)
def test_self_attention_of_a_free_yes_shows_the_pattern(entries: Entries, d_hid: int) -> None:
    verdict = decide(entries, d=1, d_hid=d_hid)
    if isinstance(verdict.proof, Embedding):
        attention = verdict.proof.self_attention(d_hid)
        assert attention.X.shape == (len(entries), d_hid)
        assert check(verdict.problem, attention) is None


@given(any_entries().filter(lambda entries: entries.shape[0] == entries.shape[1]))
def test_coupled_yes_implies_free_yes(entries: Entries) -> None:
    coupled, free = decide(entries, 1, 1), decide(entries, 1)
    if coupled.status is Status.YES:
        assert free.status is Status.YES
        assert isinstance(coupled.proof, SelfAttention)
    if free.status is Status.NO:
        assert isinstance(coupled.proof, Radon | Shattering)


@given(line_entries())
def test_a_line_answers_larger_dimensions_too(entries: Entries) -> None:
    assert decide(entries, d=3).status is Status.YES
    if len(entries) == entries.shape[1]:
        verdict = decide(entries, d=3, d_hid=4)
        assert isinstance(verdict.proof, SelfAttention)


def test_no_on_a_line_leaves_larger_dimensions_open() -> None:
    verdict = decide(np.eye(3), d=2, only=["line"])
    assert verdict.status is Status.UNKNOWN
    assert (verdict.lower, verdict.upper) == (2, 2)  # d = 1 is refuted, and d = 2 is trivial
    assert verdict.below is not None
    assert verdict.below.problem.d == 1
    assert "d >= 2" in verdict.trail[0].outcome


def test_dont_cares_are_left_to_others() -> None:
    verdict = decide(np.tril(np.ones((3, 3))), causal=True, only=["line"])
    assert verdict.status is Status.UNKNOWN
    assert "don't-care" in verdict.trail[0].outcome


def test_coupled_case_with_five_tokens_equals_enumeration() -> None:
    """Ends of an order for rows of five tokens, against all order and sign types of x."""
    n = 5
    x = np.array(list(product(range(-n, n + 1), repeat=n)), dtype=np.int8)
    rng = np.random.RandomState(1)
    answers = set()
    for _ in range(40):
        position = rng.permutation(n)
        lengths = rng.randint(1, n + 1, size=n)
        rows = np.where(
            rng.randint(0, 2, size=(n, 1)),
            position[None, :] < lengths[:, None],
            position[None, :] >= n - lengths[:, None],
        ).astype(np.uint8)
        verdict = decide(rows, d=1, d_hid=1)
        assert (verdict.status is Status.YES) == _some_x_shows(rows, x)
        answers.add(type(verdict.proof))
    assert answers == {SelfAttention, SignClash}


def _some_x_shows(rows: Entries, x: np.ndarray) -> bool:
    for c in (1, -1):
        shown = np.ones(len(x), dtype=np.bool_)
        for i, row in enumerate(rows):
            if row.all():
                continue
            logits = c * x[:, [i]] * x
            shown &= logits[:, row == 1].min(axis=1) > logits[:, row == 0].max(axis=1)
        if shown.any():
            return True
    return False


@pytest.mark.parametrize(("rows", "columns"), [(300, 1000), (1000, 63), (64, 64), (1, 5), (7, 1)])
@pytest.mark.parametrize("broken", [False, True])
def test_larger_shapes(rows: int, columns: int, broken: bool) -> None:
    rng = np.random.RandomState(rows + columns)
    position = rng.permutation(columns)
    lengths = rng.randint(1, columns + 1, size=rows)
    entries = (position < lengths[:, None]) ^ (rng.randint(0, 2, size=(rows, 1)) > 0)
    entries[~entries.any(axis=1)] = True
    if broken:
        entries[rows // 2] = rng.randint(0, 2, size=columns)
        entries[rows // 2, 0] = True
    dense, sparse = decide(entries), decide(sparse_pattern(entries.astype(np.uint8)))
    assert dense.status is sparse.status
    if not broken:
        assert dense.status is Status.YES
    elif min(rows, columns) > 10:
        assert dense.status is Status.NO


def test_a_million_sparse_rows_are_not_densified() -> None:
    n = 100_000
    starts = scipy.sparse.csr_array(
        (np.ones(2 * n), np.tile([0, 1], n), np.arange(0, 2 * n + 1, 2)), shape=(n, n)
    )
    verdict = decide(starts)
    assert verdict.status is Status.YES
    assert isinstance(verdict.problem.pattern.ones, SparseMatrix)


def test_full_rows_only() -> None:
    verdict = decide(np.ones((3, 3)), 1, 1)
    assert verdict.status is Status.YES
    assert verdict.proof.X.shape == (3, 1)


def test_relation_labels() -> None:
    same, opposite = line.relation(np.array([1, 0, 1]), np.array([1, 1, 2]), 2, 4)
    # 1100 against 1000, 0010, 1010: contained, disjoint, all four kinds of column
    assert same.tolist() == [True, False, True]
    assert opposite.tolist() == [False, True, True]


def test_the_checker_sees_what_the_solver_returns() -> None:
    problem = Problem(Pattern.from_text("110\n011\n001"), 1, 1)
    proof = line.find_proof(problem)
    assert check(problem, proof) is None
