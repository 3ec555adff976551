"""Batches: stacks decided at once against single decisions, and how batches are refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samapprox import CertificateError, InputError, Pattern, Status, decide, decide_many
from samapprox.proofs.checker import check_cores, check_embeddings
from samapprox.solvers.line.stack import MOST_SIDE, find_cores, find_embeddings, row_words

module = sys.modules["samapprox.solvers.questions.decide_many"]


def mixed_stack(seed: int, count: int, m: int, n: int) -> np.ndarray:
    """Ends of an order, some with a random row put in."""
    rng = np.random.RandomState(seed)
    position = np.argsort(rng.random_sample((count, 1, n)), axis=2)
    stack = position < rng.randint(1, n + 1, size=(count, m, 1))
    stack ^= rng.randint(0, 2, size=(count, m, 1)) > 0
    stack[rng.randint(0, 2, size=count) > 0, m - 1] = rng.randint(0, 2, size=n) > 0
    stack[~stack.any(axis=2)] = True
    return stack.astype(np.uint8)


SHAPES = [
    (1, 1),
    (2, 4),
    (3, 3),
    (8, 8),
    (5, 9),
    (4, 17),
    (5, 33),
    (5, MOST_SIDE - 1),
    (5, MOST_SIDE),
    (MOST_SIDE, 6),
    (6, MOST_SIDE + 1),
    (MOST_SIDE + 1, 6),
    (30, 200),
]


@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_stacks_agree_with_single_decisions(m: int, n: int) -> None:
    stack = mixed_stack(m * n, 60, m, n)
    verdicts = decide_many(stack)
    single = [decide(pattern).status is Status.YES for pattern in stack]
    assert verdicts.yes.tolist() == single
    assert (verdicts.no == ~verdicts.yes).all()
    assert [verdict.status is Status.YES for verdict in verdicts] == single
    assert len(verdicts[3:6]) == 3
    with pytest.raises(IndexError):
        verdicts[60]
    for at in range(0, 60, 7):
        certificate = verdicts.certificate(at)
        assert certificate is not None
        assert certificate.verify(Pattern.from_array(stack[at]))


@given(st.integers(1, 9), st.integers(1, 18), st.integers(0, 2**32 - 1), st.floats(0.05, 0.95))
def test_each_pattern_has_an_embedding_or_a_core(m: int, n: int, seed: int, share: float) -> None:
    rng = np.random.RandomState(seed)
    stack = (rng.random_sample((20, m, n)) < share).astype(np.uint8)
    stack[~stack.any(axis=2)] = 1
    embedded = check_embeddings(stack, *find_embeddings(stack))
    if not embedded.all():
        assert check_cores(stack[~embedded], *find_cores(stack[~embedded])).all()


def test_words_hold_the_columns_as_bits() -> None:
    for n in (1, 7, 8, 9, 31, 33, 64):
        stack = mixed_stack(n, 3, 2, n)
        expected = [[int("".join(map(str, row[::-1])), 2) for row in one] for one in stack]
        assert row_words(stack).T.tolist() == expected


def test_several_chunks_make_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = mixed_stack(5, 103, 6, 6)
    whole = decide_many(stack)
    monkeypatch.setattr(module, "_AT_ONCE", 36 * 10)
    parts = decide_many(stack)
    assert parts.yes.tolist() == whole.yes.tolist()
    assert [one.proof for one in parts if one.status is Status.NO] == [
        one.proof for one in whole if one.status is Status.NO
    ]
    assert [parts.certificate(at).to_json() for at in range(103)] == [  # type: ignore[union-attr]
        whole.certificate(at).to_json()  # type: ignore[union-attr]
        for at in range(103)
    ]


def test_batches_do_without_numba() -> None:
    code = (
        "import sys, numpy, samapprox; samapprox.decide_many(numpy.ones((30_000, 2, 2)));"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_iterables_of_any_shapes_and_kinds() -> None:
    patterns = [
        np.eye(3),
        [[1, 0]],
        Pattern.from_text("1*\n01"),
        [[1, 1, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]],
        np.eye(3)[::-1],
        np.eye(MOST_SIDE + 1),
    ]
    verdicts = decide_many(iter(patterns))
    answers = ["NO", "YES", "YES", "NO", "NO", "NO"]
    assert [verdict.status.value for verdict in verdicts] == answers
    assert verdicts.yes.tolist() == [answer == "YES" for answer in answers]
    assert verdicts.no.tolist() == [answer == "NO" for answer in answers]
    for at, pattern in enumerate(patterns):
        certificate = verdicts.certificate(at)
        assert certificate is not None
        same = pattern if isinstance(pattern, Pattern) else Pattern.from_array(np.array(pattern))
        assert certificate.verify(same)


def test_coupled_and_causal_batches() -> None:
    stack = mixed_stack(2, 40, 4, 4)
    coupled = decide_many(stack, 1, 1)
    assert coupled.yes.tolist() == [decide(p, 1, 1).status is Status.YES for p in stack]
    assert decide_many(stack, 1, 2).certificate(0).d_hid == 2  # type: ignore[union-attr]
    lower = np.tril(np.ones((2, 4, 4)))
    assert not decide_many(lower, causal=True).no.any()


@pytest.mark.parametrize("n", [4, MOST_SIDE + 1])
def test_masked_stacks_are_taken_as_single_patterns_are(n: int) -> None:
    """A mask that hides something has no agreed meaning here; one that hides nothing is none."""
    stack = mixed_stack(3, 50, 3, n)
    plain = np.ma.masked_array(stack, np.zeros(stack.shape, dtype=bool))
    assert decide_many(plain).yes.tolist() == decide_many(stack).yes.tolist()
    masked = np.ma.masked_array(stack, np.indices(stack.shape).sum(axis=0) % 3 == 0)
    for action in (lambda: decide_many(masked), lambda: decide(masked[0])):
        with pytest.raises(InputError, match="masked entries"):
            action()


def test_empty_batches() -> None:
    assert len(decide_many([])) == 0
    assert len(decide_many(np.zeros((0, 3, 3)))) == 0


@pytest.mark.parametrize("n", [3, MOST_SIDE + 1])
def test_bad_patterns_are_named(n: int) -> None:
    stack = mixed_stack(0, 6, 3, n)
    stack[4, 1] = 0
    with pytest.raises(InputError, match="pattern 4: row 1 has no 1"):
        decide_many(stack)
    with pytest.raises(InputError, match="pattern 4: row 1 has no 1"):
        decide_many(list(stack))
    stack[2, 0, 1] = 7
    with pytest.raises(InputError, match="pattern 2: entry at row 0, column 1 is 7"):
        decide_many(stack)
    broken = stack.astype(float)
    broken[1, 2, 0] = np.nan
    with pytest.raises(InputError, match="pattern 1: entry at row 2, column 0 is nan"):
        decide_many(broken)
    with pytest.raises(InputError, match=r"\(N, m, n\)"):
        decide_many(np.eye(3))
    with pytest.raises(InputError, match="pattern 0"):
        decide_many(np.array([[["a"]]]))
    with pytest.raises(InputError, match="pattern 0"):
        decide_many(np.zeros((2, 0, 3)))


def test_a_wrong_proof_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(stack: np.ndarray) -> tuple[np.ndarray, ...]:
        rows, columns = find_cores(stack)
        columns[2:] = columns[2:, ::-1] * 0
        return rows, columns

    monkeypatch.setattr(module, "find_cores", lie)
    batch = np.array([np.eye(3), np.ones((3, 3)), np.eye(3), np.ones((3, 3)), np.eye(3)])
    with pytest.raises(CertificateError, match="pattern 4 of the batch"):
        decide_many(batch)
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    for patterns in (batch, [Pattern.from_array(entries) for entries in batch]):
        verdicts = decide_many(patterns)
        assert verdicts.no.tolist() == [True, False, True, False, True]
        assert (verdicts.yes == ~verdicts.no).all()
        for verdict, entries in zip(verdicts, batch, strict=True):
            assert verdict.problem.pattern == Pattern.from_array(entries)
            assert verdict.status is not Status.UNKNOWN
        assert "pattern 4 of the batch fails" in verdicts[4].trail[0].outcome
        assert len(verdicts[0].trail) == 1


def test_a_wrong_embedding_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(stack: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(0 * part for part in find_embeddings(stack))

    monkeypatch.setattr(module, "find_embeddings", lie)
    with pytest.raises(CertificateError, match="pattern 0 of the batch"):
        decide_many(np.array([np.eye(2), np.eye(2)]))
    monkeypatch.delenv("SAMAPPROX_TRACEBACK")
    assert decide_many(np.array([np.eye(2), np.eye(2)])).yes.all()
