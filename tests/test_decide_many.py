"""Batches: the compiled kernel against single decisions, and how batches are refused."""

from __future__ import annotations

import sys

import numba
import numpy as np
import pytest

from samapprox import CertificateError, InputError, Pattern, Status, decide, decide_many, jit
from samapprox.solvers import decide_many as module


def mixed_stack(seed: int, count: int, m: int, n: int) -> np.ndarray:
    """Ends of an order, some with a random row put in."""
    rng = np.random.RandomState(seed)
    position = np.argsort(rng.random_sample((count, 1, n)), axis=2)
    stack = position < rng.randint(1, n + 1, size=(count, m, 1))
    stack ^= rng.randint(0, 2, size=(count, m, 1)) > 0
    stack[rng.randint(0, 2, size=count) > 0, m - 1] = rng.randint(0, 2, size=n) > 0
    stack[~stack.any(axis=2)] = True
    return stack.astype(np.uint8)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 4), (8, 8), (5, 63), (5, 64), (6, 65), (30, 200)])
def test_the_kernel_agrees_with_single_decisions(m: int, n: int) -> None:
    pytest.importorskip("numba")
    import samapprox.solvers.line_kernel  # noqa: F401  # makes the batch path take the kernel

    stack = mixed_stack(m * n, 200, m, n)
    verdicts = decide_many(stack)
    single = [decide(pattern).status is Status.YES for pattern in stack]
    assert verdicts.yes.tolist() == single
    assert (verdicts.no == ~verdicts.yes).all()
    assert [verdict.status is Status.YES for verdict in verdicts] == single
    assert len(verdicts[3:6]) == 3
    with pytest.raises(IndexError):
        verdicts[200]


def test_small_batches_do_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "samapprox.solvers.line_kernel", raising=False)
    verdicts = decide_many(mixed_stack(1, 30, 5, 5))
    assert "samapprox.solvers.line_kernel" not in sys.modules
    assert len(verdicts) == 30
    assert repr(verdicts).endswith("0 UNKNOWN>")


def test_iterables_of_any_shapes_and_kinds() -> None:
    patterns = [np.eye(3), [[1, 0]], Pattern.from_text("1*\n01")]
    verdicts = decide_many(iter(patterns))
    assert [verdict.status.value for verdict in verdicts] == ["NO", "YES", "YES"]
    assert verdicts.yes.tolist() == [False, True, True]
    assert verdicts.no.tolist() == [True, False, False]


def test_iterables_of_one_shape_use_the_kernel_too() -> None:
    import samapprox.solvers.line_kernel  # noqa: F401

    patterns = [Pattern.from_array(entries) for entries in mixed_stack(4, 50, 6, 6)]
    assert decide_many(patterns).yes.tolist() == [
        decide(pattern).status is Status.YES for pattern in patterns
    ]


def test_coupled_and_causal_batches() -> None:
    stack = mixed_stack(2, 40, 4, 4)
    coupled = decide_many(stack, 1, 1)
    assert coupled.yes.tolist() == [decide(p, 1, 1).status is Status.YES for p in stack]
    lower = np.tril(np.ones((2, 4, 4)))
    assert not decide_many(lower, causal=True).no.any()


def test_empty_batches() -> None:
    assert len(decide_many([])) == 0
    assert len(decide_many(np.zeros((0, 3, 3)))) == 0


@pytest.mark.parametrize("loaded", [True, False])
def test_bad_patterns_are_named(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if loaded:
        import samapprox.solvers.line_kernel  # noqa: F401
    else:
        monkeypatch.delitem(sys.modules, "samapprox.solvers.line_kernel", raising=False)
    stack = mixed_stack(0, 6, 3, 3)
    stack[4, 1] = 0
    with pytest.raises(InputError, match="pattern 4: row 1 has no 1"):
        decide_many(stack)
    with pytest.raises(InputError, match="pattern 4: row 1 has no 1"):
        decide_many(list(stack))
    stack[2, 0, 1] = 7
    with pytest.raises(InputError, match="pattern 2: entry at row 0, column 1 is 7"):
        decide_many(stack)
    with pytest.raises(InputError, match=r"\(N, m, n\)"):
        decide_many(np.eye(3))
    with pytest.raises(InputError, match="pattern 0"):
        decide_many(np.array([[["a"]]]))


def test_a_wrong_proof_stops_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    import samapprox.solvers.line_kernel as kernel

    def lie(stack: np.ndarray, keys: np.ndarray, *rest: np.ndarray) -> None:
        for part in (keys, *rest):
            part[:] = 0
        rest[2][:] = -1

    monkeypatch.setattr(kernel, "find_proofs", lie)
    with pytest.raises(CertificateError, match="pattern 0 of the batch"):
        decide_many(np.array([np.eye(2), np.ones((2, 2))]))


def test_threshold_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "samapprox.solvers.line_kernel", raising=False)
    monkeypatch.setattr(module, "_WORTH_COMPILING", 10)
    decide_many(mixed_stack(9, 12, 3, 3))
    assert "samapprox.solvers.line_kernel" in sys.modules


def test_kernels_compile_where_nothing_can_be_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def refuse(**options: object) -> object:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(**options)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit.compiled(lambda a: a + 1)(2) == 3
