"""Kernels in numpy: what the compiled ones say, word for word."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samapprox.attention.vectors import (
    furthest_vectors,
    layers,
    near_ties,
    orthogonal_kernel,
    orthogonal_numpy,
    orthogonal_vectors,
    relay,
    relay_kernel,
    relay_numpy,
)
from samapprox.attention.vectors.kernels import load_kernel
from samapprox.attention.vectors.near_ties import Rows
from samapprox.support import plain

pytestmark = pytest.mark.usefixtures("_nothing_done")


@pytest.fixture
def _nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    monkeypatch.setattr(plain, "_work", Counter())


seeds = st.integers(0, 2**32 - 1)


OF_SETS = (
    "ABSENT NONE close_upwards count_pairs count_subsets first_with_marked_complement "
    "least_overlaps least_product mark sum_at_complements tally"
)


@pytest.mark.parametrize(
    ("name", "offered"),
    [("orthogonal", OF_SETS), ("pair_count", "count_pairs meet"), ("relay", "count_pairs meet")],
)
def test_both_offer_the_same(name: str, offered: str) -> None:
    plain, compiled = load_kernel(name, 1), load_kernel(name, 1 << 40)
    assert compiled.__name__.endswith("_kernel")
    assert plain.__name__.endswith("_numpy")
    for one in offered.split():
        assert hasattr(plain, one), one
        assert hasattr(compiled, one), one


@given(seeds, st.sampled_from([1, 19, 20, 30, 53]), st.integers(0, 6), st.integers(1, 70))
def test_pairs_of_whole_numbers(seed: int, bits: int, zeros: int, d: int) -> None:
    """Up to the largest numbers that floats hold, with equal distances among them."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(-(2**bits) + 1, 2**bits, (2, 12, d)) << zeros
    whole[1, rng.integers(12, size=4)] = whole[1, 0]
    row = np.sort(np.concatenate((np.arange(12), rng.integers(12, size=40))))
    column = rng.integers(12, size=52)
    queries, keys = whole.astype(np.float64)
    found = near_ties._by_whole_numbers(queries, keys, row, column)
    for query, candidates in ((i, column[row == i]) for i in range(12)):
        numbers = whole.astype(object)
        apart = [sum((numbers[0, query] - numbers[1, key]) ** 2) for key in candidates]
        assert found[query] == candidates[apart.index(max(apart))]


def test_whole_numbers_of_the_greatest_dimension() -> None:
    """No sum leaves 64 bits: 2^20 differences just below 2^60, of which one is the greater."""
    most = (1 << 60) - 2
    differences = np.full((3, 1 << 20), most)
    differences[[0, 2], 7] -= 1
    squares = near_ties._squares(differences)
    totals = [sum(int(digit) << 20 * i for i, digit in enumerate(one)) for one in squares.T]
    less = ((1 << 20) - 1) * most**2 + (most - 1) ** 2
    assert totals == [less, most**2 << 20, less]


@settings(max_examples=100)
@given(seeds, st.booleans())
def test_bits_of_pairs(seed: int, exact: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    size = n * (n - 1) // 2 if exact else 1 << int(rng.integers(6, 12))
    bits = np.zeros((2, -(-size // 64)), dtype=np.uint64)
    for _ in range(3):
        graph = _graph(rng, n)
        shown = rng.integers(-1, n, n if rng.random() < 0.7 else 0).astype(np.int32)
        new = [
            kernel.count_pairs(graph.indptr, graph.indices, shown, exact, size - 1, part)
            for kernel, part in zip((relay_kernel, relay_numpy), bits, strict=True)
        ]
        assert new[0] == new[1]
        assert np.array_equal(*bits)
    if exact:
        assert int(np.bitwise_count(bits[0]).sum()) <= size


@settings(max_examples=100)
@given(seeds, st.integers(1, 130), st.booleans())
def test_pairs_of_words(seed: int, d: int, own: bool) -> None:
    rng = np.random.default_rng(seed)
    m, n = (int(size) for size in rng.integers(1, 40, size=2))
    density = rng.random()
    left, right = (
        orthogonal_vectors._packed((rng.random((size, d)) < density).astype(np.uint8))
        for size in (m, m if own else n)
    )
    right = left if own else right
    first, last = sorted(int(end) for end in rng.integers(0, m + 1, size=2))
    for name in ("count_pairs", "least_product"):
        compiled, plain = (
            getattr(kernel, name)(left, right, first, last, own)
            for kernel in (orthogonal_kernel, orthogonal_numpy)
        )
        assert int(compiled) == plain


@settings(max_examples=50)
@given(seeds, st.integers(1, 14))
def test_tables_of_subsets(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 1 << d, size=int(rng.integers(1, 60))).astype(np.uint64)
    found: list[list[Any]] = []
    for kernel in (orthogonal_kernel, orthogonal_numpy):
        counts = np.zeros(1 << d, dtype=np.int32)
        kernel.tally(codes, counts)
        kernel.count_subsets(counts)
        bits = np.zeros(1 << max(0, d - 6), dtype=np.uint64)
        kernel.mark(codes, bits)
        kernel.close_upwards(bits)
        overlaps = np.full(1 << d, kernel.ABSENT, dtype=np.uint8)
        overlaps[codes] = 0
        kernel.least_overlaps(overlaps)
        found.append(
            [
                counts.tolist(),
                int(kernel.sum_at_complements(codes, counts)),
                bits.tolist(),
                int(kernel.first_with_marked_complement(codes, bits, d)),
                overlaps.tolist(),
            ]
        )
    assert found[0] == found[1]


@given(seeds, st.sampled_from([np.float32, np.float64]), st.booleans())
def test_relay_layers(seed: int, kind: type, whole: bool) -> None:
    """Candidates and the tokens that changed, layer by layer, with ties or without."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 30)), int(rng.integers(1, 6))
    vectors = (rng.integers(-2, 3, (n, d)) if whole else rng.standard_normal((n, d))).astype(kind)
    graphs = [_graph(rng, n) for _ in range(int(rng.integers(1, 3)))]
    runs = [relay.Relay(vectors, graphs, threads=1) for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(5):
            done = []
            for run, kernel in zip(runs, (relay_kernel, relay_numpy), strict=True):
                patch.setattr(relay, "load_kernel", lambda *_, kernel=kernel, **__: kernel)
                done.append(run.step())
            assert runs[0].held.tolist() == runs[1].held.tolist()
            assert done[0].replaced.tolist() == done[1].replaced.tolist()


@settings(max_examples=100)
@given(seeds, st.sampled_from([relay_kernel, relay_numpy]))
def test_the_second_is_the_greatest_distance_to_any_other_key(seed: int, kernel: Any) -> None:
    """Met again, the best key is no second to itself; whole numbers leave no rounding."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    vectors = rng.integers(-4, 5, (n, d)).astype(np.float64)
    rows, graph = Rows.of(vectors).values, _graph(rng, n)
    greatest, second = np.full((2, n), -np.inf)
    best = np.full(n, -1, dtype=np.int32)
    met: list[set[int]] = [set() for _ in range(n)]
    for _ in range(3):
        shown = rng.integers(-1, n, n if rng.random() < 0.7 else 0).astype(np.int32)
        kernel.meet(rows, graph.indptr, graph.indices, shown, 0, n, greatest, second, best)
        for token in range(n):
            for neighbour in graph.indices[graph.indptr[token] : graph.indptr[token + 1]]:
                met[token].add(int(shown[neighbour]) if len(shown) else int(neighbour))
            met[token] -= {-1, token}
            squares = {key: ((vectors[token] - vectors[key]) ** 2).sum() for key in met[token]}
            assert greatest[token] == max(squares.values(), default=-np.inf)
            assert squares.pop(int(best[token]), -np.inf) == greatest[token]
            assert second[token] == max(squares.values(), default=-np.inf)


class _Csr:
    def __init__(self, indptr: Any, indices: Any) -> None:
        self.indptr, self.indices = indptr, indices


def _graph(rng: np.random.Generator, n: int, density: float | None = None) -> _Csr:
    """Some neighbours of every token, one other than itself among them."""
    attends = rng.random((n, n)) < (rng.random() if density is None else density)
    attends[np.arange(n), (np.arange(n) + 1) % n] = True
    query, key = np.nonzero(attends)
    indptr, indices = np.searchsorted(query, np.arange(n + 1)), key.astype(np.int32)
    for array in (indptr, indices):  # as masks have them
        array.flags.writeable = False
    return _Csr(indptr, indices)


# ---------------------------------------------------------------- which one runs


def test_small_inputs_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        assert not name.endswith("_kernel"), name
        return import_module(name)

    monkeypatch.setattr("samapprox.attention.vectors.kernels.import_module", refuse)
    monkeypatch.setattr("samapprox.attention.vectors.furthest_vectors.import_module", refuse)
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((1000, 64))
    assert furthest_vectors.furthest(vectors).kernel == "numpy"
    near_ties.furthest_exactly(np.eye(50), np.eye(50), np.arange(50), own=True)
    bits = rng.random((1000, 60)) < 0.5
    orthogonal_vectors.count_orthogonal(bits)
    orthogonal_vectors.count_orthogonal(bits[:, :12], method="subsets")
    tokens = relay.Relay(vectors, [_graph(rng, 1000, 0.02)] * 2)
    for _ in range(10):
        tokens.step()
    layers.PairCount(1000).add(_graph(rng, 1000, 0.02), np.empty(0, dtype=np.int32))


def test_large_inputs_are_compiled() -> None:
    assert furthest_vectors.choose_kernel(10_000, 10_000, 64) == "tiles"
    assert furthest_vectors.choose_kernel(10, 10, 2, "tiles") == "tiles"
    words = orthogonal_vectors._Sets(np.ones((10_000, 3), dtype=np.uint8), None)
    assert words.kernel("pairs") is orthogonal_kernel


def test_many_small_inputs_are_compiled_in_the_end() -> None:
    chosen = [furthest_vectors.choose_kernel(1000, 1000, 64) for _ in range(20)]
    assert chosen[0] == "numpy"
    assert chosen[-1] != "numpy"
    assert chosen == sorted(chosen, key="numpy".__ne__)
    assert furthest_vectors.choose_kernel(10, 10, 2, "numpy") == "numpy"
