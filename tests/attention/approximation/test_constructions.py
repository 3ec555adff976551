"""Constructions of low rank: the theorems of docs/theory/constructions.md, by the checker."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox import InputError
from samapprox.attention.approximation import (
    METHODS,
    Request,
    Target,
    approximate,
    check,
    sample,
)
from samapprox.attention.approximation.methods.moment_curves import depth, room, spread_out
from samapprox.attention.approximation.methods.rings import levels
from samapprox.attention.self_attention import csam, sam


@st.composite
def targets(draw: st.DrawFn, most_k: int = 3) -> Target:
    """Small matrices with 1..most_k nonzeros a row, columns as they come."""
    n = draw(st.integers(1, 9))
    rows = np.zeros((n, n))
    for row in rows:
        size = draw(st.integers(1, min(n, most_k)))
        columns = draw(st.permutations(range(n)))[:size]
        row[columns] = draw(
            st.lists(st.floats(0.1, 10), min_size=size, max_size=size).map(np.array)
        )
    return Target.from_weights(rows)


def shows(layer_matrix: np.ndarray, target: Target, eps1: float, eps2: float) -> bool:
    """Conditions (7) and (8) as the paper prints them, from M itself."""
    for m, a in zip(layer_matrix, target.to_array(), strict=True):
        ones, zeros = np.flatnonzero(a), np.flatnonzero(a == 0)
        if any(m[j] >= eps1 * m[s] for j in zeros for s in ones):
            return False
        for s, t in combinations(ones, 2):
            if abs(np.log(m[s] / m[t]) - np.log(a[s] / a[t])) >= eps2:
                return False
    return True


@settings(deadline=None, max_examples=60)
@given(targets(), st.sampled_from(["circle", "line"]), st.floats(0.01, 0.9))
def test_moment_curves_show_every_matrix_with_exact_ratios(
    target: Target, method: str, eps1: float
) -> None:
    found = approximate(Request(target=target, eps1=eps1, eps2=1e-6), method)
    assert found.report.is_proven
    assert found.layer.d == 2 * target.row_k == found.layer.d_hid // 2
    matrix = [getattr(found.layer, name).astype(float) for name in ("X", "W_Q", "W_K")]
    assert shows(sam(*matrix), target, eps1, 1e-5)


@settings(deadline=None, max_examples=40)
@given(targets(), st.sampled_from(["circle", "line"]))
def test_causal_ones_look_back_only(target: Target, method: str) -> None:
    lower = np.tril(target.to_array()) + np.eye(target.n) / 5
    causal = Target.from_weights(lower)
    found = approximate(Request(target=causal, eps1=0.1, eps2=0.01, causal=True), method)
    assert found.report.is_proven
    matrix = [getattr(found.layer, name).astype(float) for name in ("X", "W_Q", "W_K")]
    shown = csam(*matrix)
    for i in range(causal.n):
        part = Target.from_weights(np.tile(causal.to_array()[i, : i + 1], (i + 1, 1)))
        assert shows(np.tile(shown[i, : i + 1], (i + 1, 1)), part, 0.1, 0.02)


def test_rank_d_and_hidden_dimension() -> None:
    target = sample(30, 2, 2.0)
    for d, d_hid in ((None, 8), (4, 8), (8, 8), (4, 11), (8, 9)):
        asked = Request(target=target, eps1=0.1, eps2=1.0, d=d, d_hid=d_hid)
        found = approximate(asked, "circle")
        assert found.report.holds
        assert (found.layer.rank, found.layer.d) == (4, d or 4)
        assert found.layer.d_hid == d_hid
    form = "this construction has rank 4: give d = 4, or d = 8 for the theorem's form, not"
    for d, d_hid, message in (
        (3, None, f"{form} 3"),
        (6, None, f"{form} 6"),
        (4, 7, "d_hid = 7 is too small for rank 4"),
    ):
        with pytest.raises(InputError, match=message):
            approximate(Request(target=target, eps1=0.1, eps2=1.0, d=d, d_hid=d_hid), "circle")


@settings(deadline=None)
@given(st.integers(2, 20), st.integers(0, 19), st.floats(0.1, 5))
def test_the_depth_is_the_least_that_does(n: int, column: int, limit: float) -> None:
    column %= n
    factors = (np.arange(n) - float(column))[None] ** 2
    c = depth(factors, np.zeros(1), np.array([column]), limit)
    values = np.delete(-c * factors[0], column)
    assert values.max() == pytest.approx(-limit)


def test_an_order_keeps_columns_of_a_row_apart() -> None:
    for n, k in ((120, 2), (120, 3)):
        target = sample(n, k, 1.0)
        places = spread_out(target)
        assert sorted(places.tolist()) == list(range(n))
        least = n // (4 * k * (k - 1))  # the lemma's distance
        for i in range(n):
            for a, b in combinations(places[target.row(i)[0]].tolist(), 2):
                assert min((a - b) % n, (b - a) % n) >= least
        assert room(target, places).min() > 20 * room(target, np.arange(n)).min()


def test_the_order_makes_logits_quadratic() -> None:
    """Not of the order n^4, as in the given order."""
    spreads = [
        approximate(Request(target=sample(n, 2, 1.0), eps1=0.1, eps2=1.0), "circle").report.spread
        for n in (64, 256)
    ]
    assert spreads[1] < 30 * spreads[0]


def test_rings_serve_all_small_graphs() -> None:
    """Every way to split up to seven columns into cycles, which are the rows."""
    for n in range(1, 9):
        for sizes in partitions(n):
            rows = np.zeros((n, n))
            start = 0
            for size in sizes:
                for i in range(size):
                    rows[start + i, start + i] = 1.0
                    rows[start + i, start + (i + 1) % size] = 3.0
                start += size
            target = Target.from_weights(rows)
            report = approximate(Request(target=target, eps1=0.2, eps2=0.01), "rings").report
            assert report.is_proven, sizes


def partitions(n: int, most: int | None = None) -> list[list[int]]:
    most = n if most is None else most
    if n == 0:
        return [[]]
    return [[a, *rest] for a in range(1, min(n, most) + 1) for rest in partitions(n - a, a)]


@pytest.mark.parametrize("sizes", [[40], [21, 19], [3] * 13, [2] * 20, [1] * 40, [5, 7, 11, 17]])
def test_the_belt_alone_serves(sizes: list[int]) -> None:
    """The layout of the proof, without the spirals."""
    from samapprox.attention.approximation.methods.rings import _belt, nearness

    n = sum(sizes)
    rows = np.zeros((n, n))
    start = 0
    for size in sizes:
        for i in range(size):
            rows[start + i, [start + i, start + (i + 1) % size]] = 1.0
        start += size
    target = Target.from_weights(rows)
    strip = levels(target)
    assert sorted(column for level in strip for column in level) == list(range(n))
    assert nearness(target, _belt(strip, n)) > 0


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 80), st.integers(0, 1000), st.booleans())
def test_rings_and_hypercubes_serve_permutations(n: int, seed: int, causal: bool) -> None:
    double = sample(n, min(n, 2), 2.0, seed)
    single = sample(n, 1, 1.0, seed)
    for target, method in ((double, "rings"), (single, "rings"), (single, "hypercube")):
        assert approximate(Request(target=target, eps1=0.1, eps2=0.5), method).report.is_proven
    if causal:
        lower = np.tril(double.to_array())
        lower[np.diag_indices(n)] += lower.sum(axis=1) == 0
        back = Target.from_weights(lower)
        if back.k <= 2:
            found = approximate(Request(target=back, eps1=0.1, eps2=0.5, causal=True), "rings")
            assert found.report.is_proven


def test_the_hypercube_needs_one_bit_and_log_n_coordinates() -> None:
    for n, rank in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (64, 6), (65, 7)):
        layer = approximate(
            Request(target=sample(n, 1, 1.0), eps1=0.1, eps2=1.0), "hypercube"
        ).layer
        assert layer.d == rank
        assert len(np.unique(np.abs(layer.queries))) == len(np.unique(np.abs(layer.keys))) == 1


def test_random_keys_do_not_depend_on_the_matrix() -> None:
    layers = [
        approximate(
            Request(target=sample(60, 2, gamma, seed), eps1=0.1, eps2=0.01, d=50), "random-keys"
        ).layer
        for gamma, seed in ((1.0, 0), (5.0, 1))
    ]
    assert (layers[0].keys == layers[1].keys).all()
    assert (layers[0].queries != layers[1].queries).any()


def test_causal_random_keys_look_back_only() -> None:
    """Later keys may be as near as they like, so that less is asked than without a mask."""
    target = sample(60, 2, 3.0, seed=4, causal=True)
    free, causal = (
        approximate(Request(target=target, eps1=0.1, eps2=0.01, causal=flag), "random-keys")
        for flag in (False, True)
    )
    assert causal.report.is_proven
    assert causal.layer.causal
    matrix = [getattr(causal.layer, name).astype(float) for name in ("X", "W_Q", "W_K")]
    shown = csam(*matrix)
    assert (shown[np.triu_indices(60, 1)] == 0).all()
    for i in range(target.n):
        part = Target.from_weights(np.tile(target.to_array()[i, : i + 1], (i + 1, 1)))
        assert shows(np.tile(shown[i, : i + 1], (i + 1, 1)), part, 0.1, 0.02)
    assert causal.report.spread <= free.report.spread


@pytest.mark.parametrize(
    ("method", "k", "message"),
    [
        ("rings", 3, "rows and columns of at most 2 nonzeros, not 3"),
        ("hypercube", 2, "serves rows of one nonzero, not of 2"),
        ("random-keys", 20, "random keys of rank 3 do not serve"),
    ],
)
def test_methods_say_whom_they_serve(method: str, k: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        approximate(Request(target=sample(20, k, 1.0), eps1=0.1, eps2=1.0, d=3), method)


def test_the_line_keeps_ratios_to_its_own_precision_only() -> None:
    request = Request(target=sample(20, 2, 2.0), eps1=0.1, eps2=1e-12)
    with pytest.raises(InputError, match=r"the line keeps ratios to 2\^-38, not to eps2 = 1e-12"):
        approximate(request, "line")


def test_too_many_nonzeros_for_floats_are_not_claimed() -> None:
    target = Target.from_weights(np.tri(40))
    request = Request(target=target, eps1=0.1, eps2=1e-3)
    assert not approximate(request, "circle").report.holds


def test_a_spread_that_a_construction_breaks_is_an_error() -> None:
    with pytest.raises(InputError, match="optimised"):
        approximate(Request(target=sample(64, 1, 1.0), eps1=0.1, eps2=1.0, spread=9.0), "circle")


def test_every_method_is_listed_and_judged() -> None:
    """A wrong layer would not pass: a method's layer fails for another matrix."""
    first, second = sample(24, 1, 1.0, 0), sample(24, 1, 1.0, 1)
    for method in METHODS:
        if method in ("projection", "plain-projection", "optimised"):
            continue
        layer = approximate(Request(target=first, eps1=0.1, eps2=1.0), method).layer
        assert check(layer, first, 0.1, 1.0).holds
        assert not check(layer, second, 0.1, 1.0).holds


def test_fixed_keys_below_rank_2k_fail_for_some_row() -> None:
    """Radon's theorem: no five keys of rank 3 serve all rows of one and of two nonzeros."""
    from samapprox import decide
    from samapprox.attention.approximation.frontier import fixed_keys_rank

    pairs = np.array([[i in pair for i in range(5)] for pair in combinations(range(5), 2)])
    singles = np.eye(5, dtype=bool)
    rows = np.vstack([pairs, singles])
    assert fixed_keys_rank(5, 2) == 4
    assert decide(rows, 3).status.value == "NO"
    assert decide(rows, 4).status.value == "YES"


def test_product_of_settings() -> None:
    for k, gamma, eps1 in product((1, 2, 4), (1.0, 20.0), (0.01, 0.9)):
        target = sample(40, k, gamma)
        for method in ("circle", "line"):
            assert approximate(
                Request(target=target, eps1=eps1, eps2=1e-4), method
            ).report.is_proven


def test_matrices_that_no_attention_has_are_refused() -> None:
    with pytest.raises(InputError, match="A must be square, not 1 x 2: tokens attend to tokens"):
        Target.from_array([[0.5, 0.5]])
    target = Target.from_array([[0.5, 0.5], [0.0, 1.0]])
    target.require(k=2, gamma=1.0, causal=False)
    with pytest.raises(InputError, match="above the diagonal, in row 0, column 1: causal"):
        target.require(k=2, gamma=1.0, causal=True)
