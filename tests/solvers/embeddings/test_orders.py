"""Orders: the circular-ones test, signed orders on the moment curve, the best order by CP-SAT."""

from __future__ import annotations

from itertools import permutations, product
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from samapprox import Pattern, Problem
from samapprox.proofs import MomentCurve
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.covectors import Covectors
from samapprox.reductions.families import generate
from samapprox.solvers.embeddings import best_order, orders
from samapprox.solvers.embeddings.circular_ones import circular_order
from samapprox.solvers.embeddings.orders import candidate_orders, is_small
from samapprox.solvers.engine.search import Search
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.limits import search_clock
from samapprox.support.text import plural

Signs = NDArray[np.int8]
seeds = st.integers(0, 2**32 - 1)


def around(ones: NDArray[np.bool_]) -> int:
    """The most changes of a row of a circle."""
    return int((ones != np.roll(ones, 1, axis=1)).sum(axis=1).max(initial=0))


def shown(strategy: ModuleType, entries: NDArray[np.bool_], d: int) -> bool:
    """Whether the strategy, given all the time it wants, finds an embedding."""
    problem = Problem(Pattern.from_array(entries), d)
    return check(problem, strategy.find_proof(problem, Search())) is None


def nearly_arcs(rng: np.random.RandomState, rows: int, columns: int) -> NDArray[np.bool_]:
    """Arcs of a random circle, in half of the cases with a flipped entry."""
    ones = generate("arcs", rows=rows, columns=columns, seed=rng.randint(1 << 30)).pattern
    entries = ones.to_array() == 1
    if rng.randint(2):
        entries[rng.randint(rows), rng.randint(columns)] ^= True
    return entries


# ---------------------------------------------------------------- the circular-ones property


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 8), st.integers(1, 7), seeds)
def test_circular_ones_equals_enumeration(rows: int, columns: int, seed: int) -> None:
    rng = np.random.RandomState(seed)
    ones = nearly_arcs(rng, rows, columns)
    order = circular_order(ones)
    if order is not None:
        assert sorted(order) == list(range(columns))
        assert around(ones[:, order]) <= 2
    else:
        rest = permutations(range(1, columns))
        assert all(around(ones[:, [0, *places]]) > 2 for places in rest)


@pytest.mark.parametrize(("rows", "columns"), [(300, 300), (40, 200), (400, 30)])
def test_large_circles(rows: int, columns: int) -> None:
    ones = generate("arcs", rows=rows, columns=columns, seed=3).pattern.to_array() == 1
    order = circular_order(ones)
    assert order is not None
    assert around(ones[:, order]) == 2


def test_nested_sets_make_deep_trees() -> None:
    order = circular_order(np.tri(1500, dtype=np.bool_)[::7])
    assert order is not None
    assert around(np.tri(1500, dtype=np.bool_)[::7, order]) <= 2
    other = np.tri(40, dtype=np.bool_)[:, np.random.RandomState(0).permutation(40)]
    assert circular_order(other) is not None
    assert circular_order(np.vstack([np.tri(40, dtype=np.bool_), other])) is None


@pytest.mark.parametrize("twin", [False, True])
def test_arcs_of_many_tokens_are_decided(twin: bool) -> None:
    """An order of columns or of rows, with the extra row in its place on the circle."""
    ones = generate("arcs", rows=100, columns=150, seed=4).pattern.to_array() == 1
    if twin:  # the extra row is the first element: complements, in which it has a 1
        ones = (ones ^ ~ones[:, :1]).T[1:]
    problem = Problem(Pattern.from_array(ones[ones.any(axis=1)]), 2)
    proof = orders.find_proof(problem, Search())
    assert check(problem, proof) is None
    embedding = proof.embedding(problem.pattern)
    assert int(np.abs(embedding.keys).max()).bit_length() < 20


def test_a_shuffled_window_is_a_circle() -> None:
    n, width = 64, 9
    rng = np.random.RandomState(0)
    offsets = (np.arange(n) - np.arange(n)[:, None]) % n
    mask = (offsets < width)[:, rng.permutation(n)]
    assert shown(orders, mask, 2)
    # Every eighth token besides: at most two changes more.
    strided = (offsets < width) | ((np.arange(n) % n) < 8)
    assert shown(best_order, strided[:, rng.permutation(n)], 4)


# ---------------------------------------------------------------- exact embeddings


@given(st.integers(1, 8), st.sampled_from(["columns", "rows"]), seeds)
def test_every_degree(d: int, side: str, seed: int) -> None:
    """Covectors of exactly d changes; the extra row is one of them, or one of the elements."""
    rng = np.random.RandomState(seed)
    size, covectors = d + 2 + rng.randint(8), 2 + rng.randint(8)
    order, flips = rng.permutation(size), rng.choice([1, -1], size).astype(np.int8)
    steps = np.ones((covectors, size), dtype=np.int8)
    for row in steps:
        row[1 + rng.permutation(size - 1)[:d]] = -1
    signs = np.empty_like(steps)
    signs[:, order] = np.cumprod(steps, axis=1)
    signs *= flips
    if side == "rows":
        signs *= signs[:, :1]
    else:
        flips, signs = flips * signs[0], signs * signs[0]
    # A row of the pattern without a 1 is turned round; that is free.
    if side == "rows":
        turned = np.where((signs > 0).any(axis=0), 1, -1).astype(np.int8)
        flips, signs, entries = flips * turned, signs * turned, (signs * turned).T[1:]
    else:
        signs = signs * np.where((signs > 0).any(axis=1), 1, -1).astype(np.int8)[:, None]
        entries = signs[1:]
    pattern = Pattern.from_array(entries > 0)
    proof = MomentCurve(d, side, order, np.flatnonzero(flips < 0))
    embedding = proof.embedding(pattern)
    assert embedding.dimension == d
    assert check(Problem(pattern, d), proof) is None
    assert check(Problem(pattern, d), embedding) is None


# ---------------------------------------------------------------- the best order


def has_order(covectors: Covectors, d: int) -> bool:
    """By trying every order and all signs."""
    size = covectors.size
    return any(
        (covectors.count_changes(np.array(order), np.array((1, *flips), np.int8)) <= d).all()
        for order in ((0, *rest) for rest in permutations(range(1, size)))
        for flips in product((1, -1), repeat=size - 1)
    )


@st.composite
def small_patterns(draw: st.DrawFn, letters: str) -> Pattern:
    """Up to 5 x 6: more takes enumeration too long."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(2, 6))
    size = rows * columns
    cells = draw(st.lists(st.sampled_from(letters), min_size=size, max_size=size))
    text = ["".join(cells[i * columns : (i + 1) * columns]) for i in range(rows)]
    return Pattern.from_text("\n".join(row if "1" in row else "1" + row[1:] for row in text))


@pytest.mark.parametrize("letters", ["01", "01*"])
def test_the_best_order_equals_enumeration(letters: str) -> None:
    @settings(max_examples=25, deadline=None)
    @given(small_patterns(letters), st.integers(1, 3))
    def compare(pattern: Pattern, d: int) -> None:
        problem = Problem(pattern, d)
        found = best_order.find_proof(problem, Search())
        sides = [Covectors(pattern, side) for side in ("columns", "rows")]
        if isinstance(found, str):
            assert found == f"in every order, some line changes value more than {plural(d, 'time')}"
            assert not any(has_order(covectors, d) for covectors in sides)
        else:
            assert check(problem, found) is None

    compare()


def test_what_is_refuted_is_exhausted() -> None:
    """Once both sides have no order, there is nothing more to try."""
    search = Search()
    pattern = generate("shattered", n=5).pattern
    assert isinstance(best_order.find_proof(Problem(pattern, 2), search), str)
    assert search.exhausted == {"best-order"}


@pytest.mark.parametrize("d", [3, 4])
@pytest.mark.parametrize("twin", [False, True])
def test_hidden_orders_with_signs_are_found(d: int, twin: bool) -> None:
    """Queries turned at random hide an order of the rows; a hyperbola's branches one of columns."""
    rng = np.random.RandomState(d)
    steps = np.ones((40, 25), dtype=np.int8)
    for row in steps:
        row[1 + rng.permutation(24)[:d]] = -1
    signs = np.cumprod(steps, axis=1)
    signs = (signs * rng.choice([1, -1], 25))[:, rng.permutation(25)]
    entries = (signs * signs[:, :1]).T[1:] if twin else (signs * signs[0])[1:]
    entries = entries[(entries > 0).any(axis=1)] > 0
    problem = Problem(Pattern.from_array(entries), d)
    found = orders.find_proof(problem, Search())
    assert isinstance(found, str) or found.dimension > d
    assert check(problem, best_order.find_proof(problem, Search())) is None


# ---------------------------------------------------------------- bounds at any size


@given(small_patterns("0011*"), st.integers(1, 3))
def test_the_least_degree_found_is_a_bound(pattern: Pattern, d: int) -> None:
    found = orders.find_proof(Problem(pattern, d), Search())
    rows, columns = pattern.shape
    if isinstance(found, str):
        assert "in the best order found" in found
        return
    assert found.dimension <= d or found.dimension < min(rows, columns - 1)
    assert check(Problem(pattern, found.dimension), found) is None


def shuffled(pattern: Pattern, seed: int) -> Pattern:
    """The same with rows and columns in random order."""
    rng = np.random.RandomState(seed)
    return pattern.take(rng.permutation(pattern.shape[0]), rng.permutation(pattern.shape[1]))


@pytest.mark.parametrize(
    ("graph", "n", "most"),
    [("window:w=5", 65_536, 2), ("star", 16_384, 3), ("bigbird:w=3,g=2,r=3", 4_096, 9)],
)
def test_large_masks(graph: str, n: int, most: int) -> None:
    pattern = generate("mask", graph=graph, n=n).pattern
    assert isinstance(pattern.ones, SparseMatrix)
    found = orders.find_proof(Problem(pattern, 2), Search.within(30, 0))
    assert found.dimension <= most
    assert check(Problem(pattern, most), found) is None


def test_a_shuffled_band_is_put_in_order() -> None:
    """By Cuthill-McKee, where nothing else would do."""
    band = shuffled(generate("mask", graph="window:w=3", n=3000).pattern, 0)
    found = orders.find_proof(Problem(band, 2), Search.within(30, 0))
    assert found.dimension <= 4


def test_few_ones_a_row_are_a_bound_at_once() -> None:
    rng = np.random.RandomState(0)
    columns = np.sort(rng.randint(0, 3000, (30_000, 4)), axis=1) * 4 + np.arange(4)
    pattern = Pattern.from_csr(np.arange(30_001) * 4, columns.ravel(), None, (30_000, 12_000))
    found = orders.find_proof(Problem(pattern, 8), Search.within(0.5, 0))
    assert found.elements == "columns"
    assert check(Problem(pattern, 8), found) is None


def test_no_time_for_a_single_order() -> None:
    pattern = Pattern.from_array(np.random.RandomState(0).random_sample((3000, 3000)) < 0.5)
    found = orders.find_proof(Problem(pattern, 2), Search.within(0.01, 0))
    assert found == "one order of 3000 x 3000 would take 0.4 s"


def test_a_turn_that_is_too_short_is_extended_to_one_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 600 keys, a row of random entries changes sides about 300 times."""
    monkeypatch.setattr(orders, "_build_ones", None)  # further orders would need it
    pattern = Pattern.from_array(np.random.RandomState(0).random_sample((600, 600)) < 0.5)
    found = orders.find_proof(Problem(pattern, 2), Search.within(30, 0).slice(1e-3, 0))
    assert isinstance(found, MomentCurve)
    assert found.d < 360
    assert check(Problem(pattern, found.d), found) is None


@given(seeds, st.booleans())
def test_where_there_is_no_time_any_order_is_a_bound(seed: int, transposed: bool) -> None:
    rng = np.random.RandomState(seed)
    ones = rng.rand(20, 30).argsort(axis=1) < rng.randint(1, 4)
    ones = ones[:, ones.any(axis=0)]
    care = ones | (rng.rand(*ones.shape) < 0.9)
    if transposed:
        ones, care = ones.T, care.T
    for pattern in (Pattern.from_array(ones), Pattern.from_array(ones, care)):
        problem = Problem(pattern, 2)
        found = orders.find_proof(problem, Search.within(1e-9, 0))
        assert isinstance(found, MomentCurve)
        assert found.d <= 2 * min(ones.sum(axis=0).max(), ones.sum(axis=1).max())
        assert check(Problem(pattern, found.d), found) is None


def shuffled_band(rows: int, columns: int, width: int, seed: int) -> Pattern:
    """Intervals of equal width, whose rows and columns have lost their order."""
    random = np.random.RandomState(seed)
    starts = np.arange(rows) * (columns - width) // max(1, rows - 1)
    column = np.arange(columns)
    entries = (column >= starts[:, None]) & (column < starts[:, None] + width)
    return Pattern(entries[random.permutation(rows)][:, random.permutation(columns)].astype(int))


def least_changes(covectors: Covectors, orders: list[np.ndarray]) -> int:
    """The most changes of a covector along the best of some orders."""
    upright = np.ones(covectors.size, dtype=np.int8)
    return min(int(covectors.count_changes(order, upright).max()) for order in orders)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(1, 7),
    st.integers(0, 2**31),
    st.sampled_from(["columns", "rows"]),
)
def test_all_are_permutations(rows: int, columns: int, seed: int, elements: str) -> None:
    random = np.random.RandomState(seed)
    entries = (random.rand(rows, columns) < 0.5).astype(np.int8)
    entries[~entries.any(axis=1), 0] = 1
    covectors = Covectors(Pattern(entries), elements)
    orders = list(candidate_orders(covectors, Search()))
    assert orders
    for order in orders:
        assert np.sort(order).tolist() == list(range(covectors.size))


# A pattern that is small, one with singular vectors of all signs, one with power iteration.
@pytest.mark.parametrize("size", [40, 300, 1500])
@pytest.mark.parametrize("elements", ["columns", "rows"])
def test_a_shuffled_band_is_a_candidate(size: int, elements: str) -> None:
    covectors = Covectors(shuffled_band(size, size, 7, seed=size), elements)
    orders = list(candidate_orders(covectors, Search()))
    assert is_small(covectors) == (size == 40)
    most = 4 if covectors.has_extra_element else 2  # row 0 is a one of every column
    assert least_changes(covectors, orders[:1]) > most >= least_changes(covectors, orders)
    assert all(np.array_equal(np.sort(order), np.arange(covectors.size)) for order in orders)


def test_without_time_only_cheap_orders_are_tried() -> None:
    covectors = Covectors(shuffled_band(300, 300, 7, seed=0), "columns")
    late = Search(deadline=search_clock.now() - 1)
    assert len(list(candidate_orders(covectors, late))) == 4
