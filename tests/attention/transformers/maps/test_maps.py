"""Probability maps: the problems that define them, invariances, limits, and the entmax package."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.optimize import minimize

from samapprox import InputError
from samapprox.attention.transformers.maps import (
    MAPS,
    Entmax,
    Hardmax,
    ProbabilityMap,
    Softmax,
    SparselinGen,
    TopKSoftmax,
    probability_map,
)

Row = NDArray[np.float64]
INF = math.inf

maps = st.one_of(
    st.just(Softmax()),
    st.builds(TopKSoftmax, st.integers(1, 9)),
    st.builds(SparselinGen, st.floats(0, 0.99)),
    st.builds(Entmax, st.sampled_from([1.0, 1.5, 2.0])),
    st.builds(Entmax, st.floats(1, 6)),
)
shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=8)
scores = hnp.arrays(np.float64, shapes, elements=st.floats(-4, 4))


def tsallis(p: Row, alpha: float) -> float:
    """H_alpha as Peters et al. (2019) and Yun et al. (2020), B.3, define it, of p."""
    if alpha == 1:
        return float(-np.sum(p[p > 0] * np.log(p[p > 0])))
    return float(np.sum(p - p**alpha) / (alpha * (alpha - 1)))


def objective(rho: ProbabilityMap, p: Row, v: Row) -> float:
    """The objective that the map of v maximises among all probabilities p."""
    if isinstance(rho, SparselinGen):
        return float(rho.lam * p @ p - (p - v) @ (p - v))
    return float(p @ v) + tsallis(p, rho.alpha if isinstance(rho, Entmax) else 1.0)


def slope(rho: ProbabilityMap, p: Row, v: Row) -> Row:
    """The derivative of the objective by each p_j."""
    if isinstance(rho, SparselinGen):
        return 2 * (v - (1 - rho.lam) * p)
    alpha = rho.alpha if isinstance(rho, Entmax) else 1.0
    if alpha == 1:
        return v - np.log(p)
    return v - p ** (alpha - 1) / (alpha - 1)


@given(maps, scores)
def test_probabilities_fulfil_the_conditions_of_their_problem(
    rho: ProbabilityMap, rows: Row
) -> None:
    """Karush, Kuhn and Tucker: equal slopes where p_j > 0, none greater elsewhere."""
    made = rho(rows)
    assert (made >= 0).all()
    assert made.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for p, v in zip(made, rows, strict=True):
        if isinstance(rho, TopKSoftmax):
            kept = np.sort(np.argsort(-v, kind="stable")[: rho.k])
            assert set(np.flatnonzero(p)) <= set(kept.tolist())
            p, v = p[kept], v[kept]
        steep = slope(rho, np.maximum(p, 1e-300), v)
        inside = p > 1e-9
        level = steep[inside]
        assert level == pytest.approx(level[0], abs=1e-6)
        assert (steep[~inside] <= level[0] + 1e-6).all() or isinstance(rho, TopKSoftmax | Softmax)


GRID = np.array([p for p in product(range(21), repeat=3) if sum(p) == 20]) / 20
SOLVED = [SparselinGen(0.0), SparselinGen(0.7), *map(Entmax, (1.0, 1.25, 1.5, 2.0, 3.0))]


@pytest.mark.parametrize("rho", SOLVED, ids=str)
def test_no_other_probabilities_are_better(rho: ProbabilityMap) -> None:
    rng = np.random.RandomState(0)
    for v in rng.randn(20, 3):
        p = rho(v[None])[0]
        best = objective(rho, p, v)
        assert all(objective(rho, q, v) <= best + 1e-12 for q in GRID)
        simplex = {"type": "eq", "fun": lambda q: q.sum() - 1}
        found = minimize(
            lambda q, v=v: -objective(rho, np.maximum(q, 0), v),
            np.full(3, 1 / 3),
            bounds=[(1e-12, 1)] * 3,
            constraints=[simplex],
            options={"ftol": 1e-12, "maxiter": 500},
        )
        assert -found.fun <= best + 1e-9
        assert p == pytest.approx(found.x, abs=2e-3)


# ---------------------------------------------------------------- invariances


@given(maps, scores, st.floats(-8, 8), st.randoms(use_true_random=False))
def test_invariances(rho: ProbabilityMap, rows: Row, shift: float, random: Any) -> None:
    made = rho(rows)
    if not isinstance(rho, TopKSoftmax):  # it must choose among equal ones
        order = list(range(rows.shape[1]))
        random.shuffle(order)
        assert rho(rows[:, order]) == pytest.approx(made[:, order], abs=1e-9)
        for p, v in zip(made, rows, strict=True):
            assert (np.diff(p[np.argsort(v)]) >= -1e-9).all()
            for value in np.unique(v):
                assert np.ptp(p[v == value]) == 0
        assert rho(rows + shift) == pytest.approx(made, abs=1e-4)  # sums round: steep maps show it
    more = np.concatenate((rows, np.full((len(rows), 2), -INF)), axis=1)
    assert rho(more)[:, : rows.shape[1]] == pytest.approx(made, abs=1e-12)
    assert (rho(more)[:, rows.shape[1] :] == 0).all()
    singly = np.concatenate([rho(row[None]) for row in rows])
    assert np.array_equal(singly, made)


@given(scores, st.floats(0, 0.9))
def test_maps_meet(rows: Row, lam: float) -> None:
    assert Entmax(1)(rows) == pytest.approx(Softmax()(rows))
    assert Entmax(1 + 1e-9)(rows) == pytest.approx(Softmax()(rows), abs=1e-6)
    assert np.array_equal(Entmax(2)(rows), SparselinGen(0)(rows))
    assert SparselinGen(lam)(rows) == pytest.approx(Entmax(2)(rows / (1 - lam)), abs=1e-12)
    assert Entmax(1.5 + 1e-12)(rows) == pytest.approx(Entmax(1.5)(rows), abs=1e-9)
    assert Entmax(2 - 1e-12)(rows) == pytest.approx(Entmax(2)(rows), abs=1e-9)
    assert TopKSoftmax(99)(rows) == pytest.approx(Softmax()(rows))


@given(maps, scores)
def test_float32_stays_and_comes_near(rho: ProbabilityMap, rows: Row) -> None:
    single = rho(rows.astype(np.float32))
    assert single.dtype == np.float32
    double = rho(rows.astype(np.float32).astype(np.float64))
    # For alpha > 2 the slope of p at 0 is infinite; that of p^(alpha - 1) is 1, as for alpha = 2.
    power = max(1.0, getattr(rho, "alpha", 1.0) - 1.0)
    assert single.astype(np.float64) ** power == pytest.approx(double**power, abs=1e-6)
    assert rho(np.zeros((2, 3), dtype=np.int8)).dtype == np.float64


def test_threads_change_nothing() -> None:
    rows = np.random.RandomState(0).randn(3000, 400)
    for rho in (Softmax(), TopKSoftmax(), Entmax(1.5), Entmax(2)):
        assert np.array_equal(rho(rows, threads=1), rho(rows, threads=3))


# ---------------------------------------------------------------- limits


ALL = [
    Softmax(),
    TopKSoftmax(2),
    SparselinGen(0.5),
    *map(Entmax, (1, 1.01, 1.5, 2, 2.5, 50, 1e300)),
]


@pytest.mark.parametrize("rho", ALL, ids=str)
def test_limits(rho: ProbabilityMap) -> None:
    for row, expected in (
        ([7.0], [1.0]),
        ([INF], [1.0]),
        ([INF, 1e308, -INF], [1, 0, 0]),
        ([INF, 0, INF], [0.5, 0, 0.5]),
        ([-INF, -1e308], [0, 1]),
        ([1e308, -1e308], [1, 0]),
        ([1e308, 1e308, -INF], [0.5, 0.5, 0]),
        ([5e-324, 5e-324], [0.5, 0.5]),
    ):
        assert rho([row])[0].tolist() == pytest.approx(expected, abs=1e-15), row
    many = rho(np.zeros((1, 10_000)))[0]
    if not isinstance(rho, TopKSoftmax):
        assert many == pytest.approx(1e-4)
    assert rho(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("alpha", [1.001, 1.3, 1.99, 2.5, 7.0, 50.0])
@pytest.mark.parametrize("spread", [1e-9, 1e-3, 1.0, 100.0])
def test_sums_are_1_at_every_alpha(alpha: float, spread: float) -> None:
    rows = spread * np.random.RandomState(0).randn(50, 300)
    rows[0, :150] = rows[0, 0]
    assert Entmax(alpha)(rows).sum(axis=1) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("given_scores", "message"),
    [
        ([1.0, 2.0], "scores must have 2 axes (rows, keys), not 1"),
        (np.zeros((2, 0)), "scores have no columns; a row needs at least one key"),
        ([[0, 1], [math.nan, 0]], "row 1 has NaN"),
        ([[0, 1], [-INF, -INF]], "row 1 has no key: all its scores are -inf"),
        ([[1j]], "scores must be real numbers, not complex128"),
        ([["a"]], "scores must be real numbers, not <U1"),
    ],
)
@pytest.mark.parametrize("name", MAPS)
def test_bad_scores(name: str, given_scores: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        probability_map(name)(given_scores)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("greedy", "unknown probability map 'greedy'; there are: hardmax, softmax, "),
        ("softmax:k=2", "softmax has no parameter 'k'; it has none"),
        ("entmax:beta=2", "entmax has no parameter 'beta'; there are: alpha"),
        ("entmax:alpha=x", "alpha must be a number, not 'x'"),
        ("entmax:alpha=0.5", "alpha must be at least 1 and finite, not 0.5"),
        ("topk-softmax:k=0", "k (scores kept) must be at least 1, not 0"),
        ("topk-softmax:k=1.5", "k must be a whole number, not '1.5'"),
        ("sparselin-gen:lam=1", "lam (sparseness) must be in 0..1, below 1, not 1.0"),
        ("sparselin-gen:lam=-0.5", "lam (sparseness) must be in 0..1, below 1, not -0.5"),
    ],
)
def test_bad_maps(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        probability_map(text)
    assert message in str(error.value)


# ---------------------------------------------------------------- exact forms


exact_maps = st.sampled_from(
    [
        Hardmax(),
        Softmax(),
        TopKSoftmax(2),
        SparselinGen(),
        SparselinGen(0.75),
        Entmax(1),
        Entmax(1.5),
        Entmax(2),
    ]
)
fractions = st.fractions(-4, 4, max_denominator=12)


@given(exact_maps, st.lists(fractions, min_size=1, max_size=7))
def test_exact_probabilities_are_those_in_floats(rho: ProbabilityMap, row: list[Any]) -> None:
    exact = rho.apply_exact([row])[0]
    assert exact.astype(float) == pytest.approx(rho([[float(v) for v in row]])[0], abs=1e-9)
    if isinstance(rho, Hardmax | SparselinGen) or rho == Entmax(2):
        assert sum(exact) == 1  # exactly
        assert all(isinstance(p, Fraction | int) for p in exact)
    else:
        assert abs(sum(exact) - 1) < 1e-14


@given(st.lists(fractions, min_size=1, max_size=7), st.sampled_from([0.0, 0.5, 0.75]))
def test_exact_projections_fulfil_the_conditions(row: list[Any], lam: float) -> None:
    """Karush, Kuhn and Tucker, exactly: equal slopes where p_j > 0, none greater elsewhere."""
    p = SparselinGen(lam).apply_exact([row])[0]
    slopes = [v - (1 - Fraction(lam)) * q for v, q in zip(row, p, strict=True)]
    assert all(s == max(slopes) or q == 0 for s, q in zip(slopes, p, strict=True))
    assert min(p) >= 0


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=7))
def test_hardmax_takes_the_first_of_the_greatest(row: list[int]) -> None:
    first = row.index(max(row))
    expected = [int(j == first) for j in range(len(row))]
    assert Hardmax()([row])[0].tolist() == Hardmax().apply_exact([row])[0].tolist() == expected


def test_mpmath_sees_what_floats_lose() -> None:
    """exp(-2000) is 0 in floats; entmax's sums are as exact as asked for."""
    with mpmath.workdps(50):
        far = Softmax().apply_exact([[0, -2000]])[0][1]
        assert abs(far / mpmath.exp(-2000) - 1) < mpmath.mpf(10) ** -45
        rows = Entmax(1.5).apply_exact([[0, Fraction(-1, 3), Fraction(-1, 7), -9]])[0]
        assert abs(sum(rows) - 1) < mpmath.mpf(10) ** -48
        assert rows[3] == 0


def test_maps_without_an_exact_form_say_so() -> None:
    with pytest.raises(InputError, match=r"Entmax\(alpha=3\) has no exact form; give floats"):
        Entmax(3).apply_exact([[1, 2]])
    with pytest.raises(InputError, match="scores must have 2 axes"):
        Hardmax().apply_exact([1, 2])
    for row in ([float("nan"), 1], [1, mpmath.nan], [mpmath.inf, 1]):
        for rho in (Hardmax(), Softmax(), SparselinGen()):
            with pytest.raises(InputError, match="row 1 has NaN or an infinite greatest score"):
                rho.apply_exact(np.array([[0, 1], row], dtype=object))


# ---------------------------------------------------------------- the entmax package


@pytest.mark.skipif(
    importlib.util.find_spec("entmax") is None, reason="the peers extra (entmax) is not installed"
)
def test_against_the_entmax_package() -> None:
    import entmax
    import torch

    peers: dict[ProbabilityMap, Callable[[Any], Any]] = {
        Softmax(): lambda x: torch.softmax(x, dim=1),
        Entmax(1.5): lambda x: entmax.entmax15(x, dim=1),
        Entmax(2): lambda x: entmax.sparsemax(x, dim=1),
        Entmax(1.2): lambda x: entmax.entmax_bisect(x, alpha=1.2, dim=1, n_iter=90),
        Entmax(3): lambda x: entmax.entmax_bisect(x, alpha=3, dim=1, n_iter=90),
    }
    for rho, peer in peers.items():
        for spread in (1e-3, 1.0, 30.0):
            rows = spread * np.random.RandomState(1).randn(40, 60)
            assert rho(rows) == pytest.approx(peer(torch.tensor(rows)).numpy(), abs=1e-9)
