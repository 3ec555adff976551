"""Conditions (7) and (8): the checker against the definition, in floats and in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.approximation import AttentionLayer, Target, check, sample
from samapprox.attention.approximation.checker import Report
from samapprox.attention.approximation.logits import less_than_log
from samapprox.attention.self_attention import csam, sam
from samapprox.support.progress import Progress


def truth(layer: AttentionLayer, A: Any, eps1: float, eps2: float) -> bool:
    """The paper's words, on M itself."""
    M = (csam if layer.causal else sam)(layer.X, layer.W_Q, layer.W_K)
    n = len(A)
    for i in range(n):
        columns = range(i + 1 if layer.causal else n)
        for a in columns:
            for b in columns:
                if A[i, b] == 0:
                    continue
                ratio = M[i, a] / M[i, b]
                if A[i, a] == 0 and not ratio < eps1:
                    return False
                off = A[i, a] / A[i, b]
                if A[i, a] != 0 and not off * math.exp(-eps2) < ratio < off * math.exp(eps2):
                    return False
    return True


@st.composite
def problems(draw: st.DrawFn) -> tuple[AttentionLayer, Target, float, float]:
    """Half of them near the truth, so that both answers are common."""
    n, causal = draw(st.integers(1, 6)), draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    target = sample(
        n, draw(st.integers(1, n)), 1 + 3 * rng.random(), rng.integers(2**32), causal=causal
    )
    goal = np.log(np.where(target.to_array() > 0, target.to_array(), 0.02))
    noise = draw(st.sampled_from([0.02, 0.2, 1.0])) * rng.standard_normal((n, n))
    shift = rng.standard_normal((n, 1))
    layer = AttentionLayer.from_factors(
        goal + noise + shift, np.eye(n), causal=causal, theorem=draw(st.booleans())
    )
    return layer, target, draw(st.floats(0.05, 0.9)), draw(st.floats(0.1, 3))


@settings(deadline=None, max_examples=150)
@given(problems())
def test_the_definition(problem: tuple[AttentionLayer, Target, float, float]) -> None:
    layer, target, eps1, eps2 = problem
    report = check(layer, target, eps1, eps2)
    assert report.holds == truth(layer, target.to_array(), eps1, eps2)
    assert report.holds == (report.slack > 0)


@settings(deadline=None, max_examples=100)
@given(problems())
def test_what_is_worst_is_there(problem: tuple[AttentionLayer, Target, float, float]) -> None:
    layer, target, eps1, eps2 = problem
    report = check(layer, target, eps1, eps2)
    A = target.to_array()
    M = (csam if layer.causal else sam)(layer.X, layer.W_Q, layer.W_K)
    worst = report.zeros
    if worst.row >= 0:
        assert A[worst.row, worst.first] == 0 < A[worst.row, worst.second]
        found = M[worst.row, worst.first] / M[worst.row, worst.second]
        assert found == pytest.approx(worst.ratio, rel=1e-9)
    worst = report.ones
    if worst.row >= 0:
        off = A[worst.row, worst.first] / A[worst.row, worst.second]
        found = M[worst.row, worst.first] / M[worst.row, worst.second] / off
        assert found == pytest.approx(worst.ratio, rel=1e-9)


def exactly(layer: AttentionLayer) -> AttentionLayer:
    """Floats as the fractions that they are."""
    parts = [np.vectorize(Fraction, otypes=[object])(W) for W in (layer.X, layer.W_Q, layer.W_K)]
    return AttentionLayer(*parts, layer.causal)


@settings(deadline=None, max_examples=100)
@given(problems())
def test_fractions_agree_where_floats_are_proven(
    problem: tuple[AttentionLayer, Target, float, float],
) -> None:
    layer, target, eps1, eps2 = problem
    report, exact = check(layer, target, eps1, eps2), check(exactly(layer), target, eps1, eps2)
    assert exact.arithmetic == "exact"
    assert exact.is_proven == exact.holds
    if report.is_proven:
        assert exact.holds
    assert abs(exact.zeros.log_ratio - report.zeros.log_ratio) <= 2 * report.rounding + 1e-12 or (
        exact.zeros.row == report.zeros.row == -1
    )
    assert exact.spread == pytest.approx(report.spread, abs=2 * report.rounding + 1e-12)
    single = check(layer.astype(np.float32), target, eps1, eps2)
    assert abs(single.spread - report.spread) <= 4 * single.rounding


def two_zeros(gap: Fraction | int) -> AttentionLayer:
    """A row whose nonzero is `gap` above its zero, and one without zeros."""
    return AttentionLayer.from_factors([[gap], [0]], [[1], [0]])


@pytest.mark.parametrize("digits", [20, 40, 200])
def test_closer_than_floats_can_tell(digits: int) -> None:
    """Logits on both sides of log 2, however near."""
    target = Target.from_array([[1, 0], [0.5, 0.5]])
    from decimal import Context, Decimal

    near = Fraction(Context(prec=digits).ln(Decimal(2)))
    step = Fraction(1, 10 ** (digits - 2))
    assert check(two_zeros(near + step), target, 0.5, 1.0).holds
    assert not check(two_zeros(near - step), target, 0.5, 1.0).holds


def test_equality_breaks_the_second_condition() -> None:
    target = Target.from_array([[0.5, 0.5], [0, 1]])
    layer = AttentionLayer.from_factors([[1], [-9]], [[1], [0]])
    assert not check(layer, target, 0.5, 1.0).holds
    assert check(layer, target, 0.5, math.nextafter(1.0, 2)).holds
    assert not less_than_log(Fraction(0), Fraction(1))


def test_blocks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from samapprox.attention.approximation import checker

    target = sample(40, 2, 2.0, seed=3, causal=True)
    rng = np.random.default_rng(0)
    layer = AttentionLayer.from_factors(
        rng.standard_normal((40, 7)), rng.standard_normal((40, 7)), causal=True
    )
    whole = check(layer, target, 0.5, 1.0)
    monkeypatch.setattr(checker, "_BLOCK_ENTRIES", 130)
    seen: list[Progress] = []
    parts: Report = check(layer, target, 0.5, 1.0, progress=seen.append)
    assert parts == whole
    shares = [report.share or 0 for report in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) == 14


def test_overflow_shows_nothing() -> None:
    """Logits that a float16 cannot hold are no attention."""
    target = Target.from_array(np.eye(3))
    layer = AttentionLayer.from_factors(300 * np.eye(3), 300 * np.eye(3))
    assert check(layer, target, 0.5, 1.0).holds
    report = check(layer.astype(np.float16), target, 0.5, 1.0)
    assert report.arithmetic == "float16"
    assert not report.is_proven
    negative = AttentionLayer.from_factors(-300 * np.eye(3), 300 * np.eye(3)).astype(np.float16)
    assert not check(negative, target, 0.5, 1.0).holds


def test_small_types_round_logits() -> None:
    """257 is no bfloat16: the two logits become one."""
    target = Target.from_array([[1, 0], [0, 1]])
    layer = AttentionLayer.from_factors([[257.0, 0], [0, 9.0]], [[1.0, 0], [0, 1.0]])
    near = AttentionLayer.from_factors([[1.0, 1], [0, 1]], [[256.0, 1.0], [256.0, 0]])
    assert check(near, target, 0.9, 1.0).zeros.row >= 0
    assert check(layer.astype(ml_dtypes.bfloat16), target, 0.9, 1.0).holds
    assert near.logits()[0].tolist() == [257, 256]
    assert near.astype(ml_dtypes.bfloat16).logits()[0].tolist() == [256, 256]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 0], [0.5, 0.4]], "row 1 sums to 0.9, off by -0.1"),
        ([[2, -1], [0, 1]], "row 0 has -1 in column 1"),
        ([[0, 0], [0, 1]], "row 0 sums to 0"),
        ([[1, 0, 0], [0, 1, 0]], "square, not 2 x 3"),
        ([[1, float("nan")], [0, 1]], "row 0, column 1 of A is nan"),
        ([[1], [0, 1]], "ragged"),
        ([["a"]], "matrix of numbers"),
        ([], "matrix of numbers"),
    ],
)
def test_not_right_stochastic(matrix: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Target.from_array(matrix)


def test_bounds_of_a() -> None:
    target = Target.from_array([[0.25, 0.75, 0], [0, 1, 0], [0, 1, 0]])
    assert (target.k, target.row_k, round(target.gamma, 9)) == (3, 2, 3)
    target.require(k=3, gamma=3.0)
    for limits, words in [({"k": 2}, "give k >= 3"), ({"gamma": 2.5}, "give gamma >= 3")]:
        with pytest.raises(InputError, match=words):
            target.require(**limits)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="row 0, column 1"):
        target.require(causal=True)


@pytest.mark.parametrize(("eps1", "eps2"), [(0, 1), (1, 1), (math.nan, 1), (0.5, 0), (0.5, 1e999)])
def test_precision_out_of_range(eps1: float, eps2: float) -> None:
    layer = AttentionLayer([[1.0]], [[1.0]], [[1.0]])
    with pytest.raises(InputError, match=r"eps[12] must be"):
        check(layer, Target.from_array([[1]]), eps1, eps2)


@pytest.mark.parametrize(("n", "k", "gamma"), [(50, 1, 2.0), (60, 3, 5.0), (9, 9, 1.0)])
def test_the_sampler_is_the_papers(n: int, k: int, gamma: float) -> None:
    target = sample(n, k, gamma, seed=n)
    A = target.to_array()
    assert np.allclose(A.sum(axis=1), 1)
    assert target.k <= k
    assert target.gamma <= gamma * (1 + 1e-12)
    assert (A > 0).sum(axis=0).min() >= 1
    assert np.array_equal(Target.from_array(A).columns, target.columns)
    assert sample(n, k, gamma, seed=n).values.tolist() == target.values.tolist()


def test_the_sampler_tosses_fair_coins() -> None:
    """All but about 100 of 20,000 entries fall where the two permutations differ."""
    target = sample(10_000, 2, 4.0, seed=5)
    A = target.values[np.repeat(np.diff(target.indptr) == 2, np.diff(target.indptr))]
    shares = [np.isclose(A, share).mean() for share in (0.2, 0.5, 0.8)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert 19_950 < len(target.values) <= 20_000


def test_a_causal_sample_is_causal() -> None:
    target = sample(30, 2, 2.0, seed=1, causal=True)
    assert target.is_causal
    assert np.allclose(target.to_array().sum(axis=1), 1)


def test_layers_of_another_size() -> None:
    with pytest.raises(InputError, match="1 token, A has 2"):
        check(AttentionLayer([[1.0]], [[1.0]], [[1.0]]), Target.from_array(np.eye(2)), 0.5, 1)
    with pytest.raises(InputError, match="d = 2 exceeds d_hid = 1"):
        AttentionLayer([[1.0]], [[1.0, 1.0]], [[1.0, 1.0]])
    with pytest.raises(InputError, match="finite"):
        AttentionLayer([[math.inf]], [[1.0]], [[1.0]])
    with pytest.raises(InputError, match="integers and fractions"):
        AttentionLayer([["x"]], [[1.0]], [[1.0]])
    with pytest.raises(InputError, match="d_hid = 3 is too small"):
        AttentionLayer.from_factors(np.ones((2, 2)), np.ones((2, 2)), d_hid=3)


def test_exact_layers_in_files(tmp_path: Any) -> None:
    layer = AttentionLayer.from_factors([[Fraction(1, 3)]], [[2**70]])
    layer.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as stored:
        assert [[Fraction(text) for text in row] for row in stored["X"]] == layer.X.tolist()
    with pytest.raises(InputError, match=r"written as \.npz"):
        layer.save(tmp_path / "a.txt")


@pytest.mark.parametrize("kind", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_a_nonzero_that_overflows_shows_nothing(kind: Any) -> None:
    """Infinity in a row, or infinity less infinity: softmax makes no numbers of it."""
    target = Target.from_array(np.eye(2))
    huge = float(ml_dtypes.finfo(kind).max) / 2
    for keys in ([huge, 0], [huge, -huge]):
        layer = AttentionLayer.from_factors([[huge, huge], [0, 1]], [keys, [0, 3]]).astype(kind)
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(layer.logits()[0, 0]):
                continue  # sums of float32 hold the squares of a float16
        report = check(layer, target, 0.5, 1.0)
        assert not report.holds
        assert not report.is_proven
        assert report.zeros.row == 0


@pytest.mark.parametrize("kind", [np.longdouble, np.complex128])
def test_numbers_that_the_checker_cannot_hold(kind: Any) -> None:
    """Logits of long doubles that float64 takes apart would be proven to differ by 256."""
    if np.dtype(kind).itemsize <= 8:
        pytest.skip("long doubles are doubles here")
    keys = np.array([2**60 + 128, 2**60 + 127]).astype(kind)[:, None]
    with pytest.raises(InputError, match="floats of 8 bytes at most"):
        AttentionLayer.from_factors(np.ones((2, 1), dtype=kind), keys)


def test_queries_that_underflow_are_not_proven() -> None:
    """A hundred products that vanish, a hundred times, multiplied by the greatest keys."""
    tiny, huge, size = 1e-23, 3e38, 100
    X = np.zeros((2, 2 * size), dtype=np.float32)
    X[:, :size] = tiny
    X[0, size:] = huge
    W_Q, W_K = np.zeros((2, 2 * size, size), dtype=np.float32)
    W_Q[:size] = 6.9e-23  # a product is 0.49 of the least number
    W_K[size:] = np.eye(size)
    layer = AttentionLayer(X, W_Q, W_K)
    assert (layer.logits() == 0).all()
    exact = [sum(Fraction(float(v)) for v in row) for row in layer.keys]
    query = size * Fraction(float(np.float32(tiny))) * Fraction(float(np.float32(6.9e-23)))
    from samapprox.attention.approximation.logits import FloatLogits

    assert FloatLogits(layer).rounding > query * max(exact) > 1e-4
