"""Random projections: the law of lazy frames and of d_min, and that lazy draws decide rightly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import InputError
from samapprox.attention.approximation import Request, Target, approximate, check, sample
from samapprox.attention.approximation.methods.lazy_frames import LazyDraws, LazyFrame, bias, haar
from samapprox.attention.approximation.methods.projection import Search, layer_of, theorem_d

LEAST_P = 1e-3
"""The least p-value of a test of equal laws; seeds are fixed, so it passes always or never."""


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As while a layer is built: threads wait for each other in products as small as these."""
    import scipy.linalg  # noqa: F401  # its BLAS must be there to be limited
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def lazily(n: int, r: int, rng: np.random.Generator, first: int) -> NDArray[np.float64]:
    """A frame that was revealed in several parts."""
    frame = LazyFrame(n, r, rng)
    while frame.revealed < n:
        frame.reveal(first)
    return frame.complete()


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 30), st.data())
def test_frames_are_orthonormal(n: int, data: st.DataObject) -> None:
    r, first = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    Y = lazily(n, r, np.random.default_rng(data.draw(st.integers(0, 999))), first)
    assert Y.shape == (n, r)
    assert np.allclose(Y.T @ Y, np.eye(r), atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 40), st.data())
def test_parts_are_the_rows_of_the_frame(n: int, data: st.DataObject) -> None:
    """Rows revealed early stand unchanged in the completed matrix, as do sums of them."""
    r, first = data.draw(st.integers(1, max(1, n // 2))), data.draw(st.integers(1, n))
    frame = LazyFrame(n, r, np.random.default_rng(data.draw(st.integers(0, 999))))
    queries = np.random.default_rng(0).standard_normal((2, r))
    weights = np.array([[1.0, -2.0]])
    seen = []
    while frame.revealed < n:
        frame.reveal(first)
        places = np.array([[0, frame.revealed - 1]])
        seen.append((frame.revealed, frame.products(queries), frame.combine(places, weights)))
    Y = frame.complete()
    for revealed, products, combined in seen:
        assert np.allclose(products, queries @ Y[:revealed].T, atol=1e-4)
        assert np.allclose(combined, Y[0] - 2 * Y[revealed - 1], atol=1e-4)


@pytest.mark.parametrize(("n", "r", "first"), [(12, 3, 2), (12, 3, 5), (9, 4, 4), (8, 8, 3)])
def test_the_law_of_a_frame(n: int, r: int, first: int) -> None:
    """Quantities of a Haar matrix with known laws: entries, rows, minors, and rows of two parts."""
    from scipy import stats

    rng = np.random.default_rng(n * r)
    draws = np.array([lazily(n, r, rng, first) for _ in range(2000)])
    entry = stats.beta(0.5, (n - 1) / 2)
    for row in (0, first, n - 1):
        assert stats.kstest(draws[:, row, r - 1] ** 2, entry.cdf).pvalue > LEAST_P
        if r < n:
            norms = (draws[:, row] ** 2).sum(axis=1)
            assert stats.kstest(norms, stats.beta(r / 2, (n - r) / 2).cdf).pvalue > LEAST_P
    assert abs((draws[:, 0, 0] > 0).mean() - 0.5) < 0.04
    whole = np.array([haar(n, r, rng) for _ in range(2000)])
    for one, other in [(0, 1), (0, n - 1), (first - 1, first)]:
        products = [(Y[:, one] * Y[:, other]).sum(axis=1) for Y in (draws, whole)]
        if r < n:
            assert stats.ks_2samp(*products).pvalue > LEAST_P
        weights = [abs(Y[:, one, 0]) * abs(Y[:, other, -1]) for Y in (draws, whole)]
        assert stats.ks_2samp(*weights).pvalue > LEAST_P


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.data())
def test_a_lazy_no_is_a_no(seed: int, causal: bool, data: st.DataObject) -> None:
    """Against the checker on the completed frame, at d where both answers are common."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 60)), int(rng.integers(1, 4))
    target = sample(n, k, 1 + 2 * rng.random(), seed, causal=causal)
    eps1, eps2 = rng.uniform(0.2, 0.8), rng.uniform(0.5, 3)
    lazy = LazyDraws(target, eps1, eps2, causal=causal)
    r = data.draw(st.integers(1, n))
    frame = LazyFrame(n, r, rng)
    fails = lazy.fails(frame, data.draw(st.integers(1, n)))
    Y = np.empty((n, r))
    Y[lazy.order] = frame.complete()
    report = check(layer_of(target, eps1, eps2, Y, causal=causal), target, eps1, eps2)
    assert not (fails and report.slack > -0.9 * lazy.surely)
    assert fails or report.slack > -1.1 * lazy.surely


def test_both_answers_are_common() -> None:
    """So that the test above sees them."""
    target = sample(40, 2, 2.0, seed=0)
    lazy = LazyDraws(target, 0.5, 2.0, causal=False)
    rng = np.random.default_rng(0)
    answers = [lazy.fails(LazyFrame(40, 30, rng), 16) for _ in range(60)]
    assert 10 < sum(answers) < 50


def test_the_papers_svd_gives_the_same_law() -> None:
    """D = U Sigma and V of the SVD against D = B and V = I: shares of good draws."""
    n, r, eps1, eps2 = 24, 16, 0.5, 2.0
    target = sample(n, 2, 2.0, seed=3)
    B = np.zeros((n, n))
    B[target.rows, target.columns] = bias(target, eps1, eps2)
    U, sigma, V = np.linalg.svd(B)
    rng = np.random.default_rng(1)
    gaps: dict[str, list[float]] = {"svd": [], "plain": []}
    for _ in range(400):
        Y = haar(n, r, rng)
        for name, rotated in (("svd", V.T @ Y), ("plain", haar(n, r, rng))):
            slack = check(layer_of(target, eps1, eps2, rotated), target, eps1, eps2).slack
            gaps[name].append(slack)
        left = (n / r) * (U * sigma) @ Y @ (V.T @ Y).T
        right = layer_of(target, eps1, eps2, V.T @ Y).logits()
        assert np.allclose(left, right)
    from scipy import stats

    assert stats.ks_2samp(gaps["svd"], gaps["plain"]).pvalue > LEAST_P


def least_dimensions(method: str, n: int, k: int, seeds: range) -> list[int]:
    found = []
    for seed in seeds:
        request = Request(
            target=sample(n, k, 2.0, seed),
            eps1=0.5,
            eps2=3.0,
            least=True,
            step=2,
            redraws=8 / n,
            seed=seed,
        )
        approximation = approximate(request, method)
        assert approximation.report.is_proven
        found.append(approximation.layer.d)
    return found


@pytest.mark.parametrize(
    ("n", "k", "count"),
    [
        (12, 1, 25),
        (12, 2, 20),
        pytest.param(64, 1, 150, marks=pytest.mark.slow),
        pytest.param(48, 2, 150, marks=pytest.mark.slow),
    ],
)
def test_d_min_has_the_law_of_the_plain_search(n: int, k: int, count: int) -> None:
    """Two samples of d_min: of lazy draws, and of whole ones with other seeds."""
    from scipy import stats

    lazy = least_dimensions("projection", n, k, range(count))
    plain = least_dimensions("plain-projection", n, k, range(1000, 1000 + count))
    assert len(set(lazy)) > 2
    assert stats.mannwhitneyu(lazy, plain).pvalue > 0.01
    assert stats.ks_2samp(lazy, plain, method="asymp").pvalue > 0.01


@pytest.mark.parametrize("plain", [False, True])
def test_shares_of_good_draws_agree(plain: bool) -> None:
    """One d near the threshold: both kinds succeed as often as a third, independent simulation."""
    target, share = sample(48, 1, 1.0, seed=0), 0
    for seed in range(250):
        request = Request(target=target, eps1=0.5, eps2=1.0, seed=seed, redraws=1 / 48)
        share += Search(request, plain=plain).at(60).holds
    rng = np.random.default_rng(5)
    truth = [_projector_shows(48, 30, rng) for _ in range(2000)]
    p = np.mean(truth)
    assert 0.1 < p < 0.9
    assert abs(share / 250 - p) < 4 * math.sqrt(p * (1 - p) * (1 / 250 + 1 / 2000))


def _projector_shows(n: int, r: int, rng: np.random.Generator) -> bool:
    """k = 1 in one's own words: (n/r) b (P_cc - P_cj) > log 2 for a random projector P."""
    Y = np.linalg.svd(rng.standard_normal((n, r)), full_matrices=False)[0]
    P = (n / r) * (math.log(2) + 1) * Y @ Y.T
    off = P - np.diag(np.full(n, np.inf))
    return bool((np.diagonal(P) - off.max(axis=1) > math.log(2)).all())


def test_the_paper_s_search_in_steps() -> None:
    """The draws of every d are recorded: all of them for those that failed."""
    target = sample(40, 1, 1.0, seed=2)
    found = approximate(
        Request(target=target, eps1=0.5, eps2=1.0, least=True, step=6, redraws=0.5), "projection"
    )
    draws = found.facts["draws"]
    assert list(map(int, draws)) == list(range(6, found.layer.d + 1, 6))
    assert set(list(draws.values())[:-1]) == {20}
    assert found.facts["d_by_equation_6"] == theorem_d(40, 1, 1.0, 0.5, 1.0) > 80
    assert found.facts["equation_6"] == "does not apply: its d is more than 2n"
    again = Search(Request(target=target, eps1=0.5, eps2=1.0, redraws=0.5)).at(found.layer.d)
    assert again.holds


def test_all_of_2n_always_succeeds() -> None:
    for method in ("projection", "plain-projection"):
        target = sample(7, 3, 2.0, seed=1)
        found = approximate(Request(target=target, eps1=0.01, eps2=0.01, d=14), method)
        assert found.report.is_proven
        assert (found.layer.rank, found.layer.d_hid) == (7, 14)


def test_the_theorem_s_form() -> None:
    """Equations (15) to (17): W_Q and W_K do not depend on A, and take d columns of d_hid."""
    layers = [
        approximate(
            Request(target=sample(20, 1, 1.0, s), eps1=0.5, eps2=1.0, d=20, d_hid=25, seed=s),
            "projection",
        ).layer
        for s in (0, 1)
    ]
    assert np.array_equal(layers[0].W_Q, np.eye(25, 20))
    assert np.array_equal(layers[0].W_K, np.eye(25, 20, k=-10) * (np.arange(20) < 10))
    assert np.array_equal(layers[0].W_Q, layers[1].W_Q)
    assert np.array_equal(layers[0].W_K, layers[1].W_K)
    assert (layers[0].X[:, 20:] == 0).all()


@pytest.mark.parametrize("d", [7, 22, 0])
def test_impossible_d(d: int) -> None:
    with pytest.raises(InputError, match=r"even d of at most 2n = 20|d must be at least 1"):
        approximate(Request(target=sample(10, 1, 1.0), eps1=0.5, eps2=1.0, d=d), "projection")


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"k": 1}, "give k >= 2"),
        ({"gamma": 1.5}, "give gamma >= 2"),
        ({"causal": True}, "above the diagonal"),
        ({"redraws": 0.0}, "Q must be"),
        ({"step": 3}, "must be even"),
        ({"seed": -1}, "seed"),
        ({"d": 8, "d_hid": 4}, "d_hid must be at least d = 8"),
    ],
)
def test_requests_that_make_no_sense(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Request(target=sample(10, 2, 2.0), **{"eps1": 0.5, "eps2": 1.0, **choices})


def test_dense_rows() -> None:
    """More nonzeros than lazy draws are made for."""
    found = approximate(
        Request(target=Target.from_weights(1 + np.eye(70)), eps1=0.5, eps2=1.5, redraws=0.1),
        "projection",
    )
    assert found.report.is_proven
