"""Universal transformers: built, verified on every grid point, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product

import numpy as np
from numpy.typing import NDArray
from shared.rows import Row

from samapprox.attention.graphs import AttentionGraph, SparseAttention, build
from samapprox.attention.graphs.universality import contextual_blocks
from samapprox.attention.transformers.universality import (
    Grid,
    Method,
    build_universal,
    choose_route,
    random_function,
    verify,
)
from samapprox.attention.transformers.universality.construction import build_mapping

MASKS = {
    "full": "full",
    "STAR": "star",
    "STRIDED": "strided:w=2",
    "FIXED": "fixed:w={w}",
    "BIGBIRD": "bigbird:w=3,g=1,r=0",
}


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    start = time.process_time()
    yield lambda: time.process_time() - start


def constructions() -> Iterator[Row]:
    """Build and verify whole transformers on known masks."""
    verify(build_universal(build("full", 2), random_function(Grid(2, 1, 2)), 1, 2))  # loads modules
    for n, d, steps, goal in ((4, 1, 4, 2), (3, 2, 2, 2), (6, 1, 4, 10)):
        grid = Grid(n, d, steps)
        function = random_function(grid)
        for (name, spec), method in product(MASKS.items(), (Method.WALK, Method.PRINTED)):
            attention = build(spec.format(w=2 if n == 4 else 3), n)
            with stopwatch() as seconds:
                built = build_universal(attention, function, d, steps, method=method)
                holds = verify(built).holds
                used = seconds()
            layers = len(built.quantization), len(built.contextual.layers), len(built.values)
            yield (
                f"g = f on {grid.size:,} inputs: n = {n}, d = {d}, delta = 1/{steps}, {name}, "
                f"{method.value}",
                f"{'yes' if holds else 'NO'}, {used:.2f} s; {layers[0]} + {layers[1]} + "
                f"{layers[2]:,} layers, ids of {built.id_bits} bits",
                f"under {goal} s",
            )


def contextual_mappings() -> Iterator[Row]:
    """Check Properties 7.1 and 7.2 on families of masks, and count layers."""
    small = list(connected_masks(4))
    with stopwatch() as seconds:
        good = sum(ids_are_distinct(attention) for attention in small)
        used = seconds()
    yield (
        "7.1 and 7.2, all strongly connected masks of n = 4, delta = 1/2",
        f"{good:,} of {len(small):,} in {used:.1f} s",
        "all 1,606 in 10 s",
    )
    with stopwatch() as seconds:
        pathless = list(masks_without_path(1000))
        good = sum(ids_are_distinct(attention) for attention in pathless)
        used = seconds()
    yield (
        "7.1 and 7.2, masks of n = 5..7 without Hamiltonian path",
        f"{good:,} of {len(pathless):,} in {used:.1f} s",
        "all 1,000",
    )
    stars = list(star_masks(3))
    good = sum(ids_are_distinct(attention, Method.STAR) for attention in stars)
    most = max(layers_of(attention, Method.STAR) for attention in stars)
    yield (
        "7.1 and 7.2, every graph that contains the star, n = 3",
        f"{good} of {len(stars)}, {most} contextual layers",
        "all, at most 7 layers",
    )
    strided = build("strided:w=8", 64)
    mapping = build_mapping(strided, choose_route(strided), d=2, steps=8)
    printed = contextual_blocks(64, 2, 8, 2, mapping.all_max_layers)
    yield (
        "contextual layers, STRIDED, n = 64, d = 2, delta = 1/8",
        f"{len(mapping.layers)} (printed: {printed:,})",
        "129 (printed: 8,067)",
    )


def ids_are_distinct(attention: SparseAttention, method: Method | None = None) -> bool:
    """Whether no id occurs twice among all tokens of all inputs, for d = 1 and delta = 1/2."""
    mapping = build_mapping(attention, choose_route(attention, method), d=1, steps=2)
    grid = Grid(attention.n, 1, 2)
    columns = (grid.points(0, grid.size) + mapping.encoding.positions).transpose(1, 0, 2)
    ids = mapping.ids(mapping.apply(columns, attention))
    return len(set(ids.flat)) == ids.size


def layers_of(attention: SparseAttention, method: Method) -> int:
    """The number of contextual layers."""
    return len(build_mapping(attention, choose_route(attention, method), d=1, steps=2).layers)


def from_matrix(rows: NDArray[np.bool_]) -> SparseAttention:
    """The mask of a boolean matrix."""
    starts = np.concatenate(([0], np.cumsum(rows.sum(axis=1))))
    return SparseAttention((AttentionGraph.from_csr(starts, np.flatnonzero(rows) % len(rows)),))


def is_connected(rows: NDArray[np.bool_]) -> bool:
    return bool((np.linalg.matrix_power(rows.astype(np.float64), len(rows)) > 0).all())


def connected_masks(n: int) -> Iterator[SparseAttention]:
    """Every strongly connected mask with all self-loops."""
    places = [(i, j) for i, j in product(range(n), repeat=2) if i != j]
    for entries in product((False, True), repeat=len(places)):
        rows = np.eye(n, dtype=np.bool_)
        for place, entry in zip(places, entries, strict=True):
            rows[place] = entry
        if is_connected(rows):
            yield from_matrix(rows)


def star_masks(leaves: int) -> Iterator[SparseAttention]:
    """Every mask that contains the star around token 0, which need not attend to itself."""
    others = range(1, leaves + 1)
    places = [(0, 0), *((i, j) for i, j in product(others, repeat=2) if i != j)]
    for entries in product((False, True), repeat=len(places)):
        rows = np.eye(leaves + 1, dtype=np.bool_)
        rows[0], rows[:, 0] = True, True
        for place, entry in zip(places, entries, strict=True):
            rows[place] = entry
        yield from_matrix(rows)


def masks_without_path(count: int) -> Iterator[SparseAttention]:
    """Random strongly connected masks with self-loops, n = 5..7, without Hamiltonian path."""
    generator = np.random.default_rng(0)
    while count:
        n = int(generator.integers(5, 8))
        rows = generator.random((n, n)) < generator.uniform(0.1, 0.4)
        rows |= np.eye(n, dtype=np.bool_)
        if is_connected(rows) and not has_path(rows):
            count -= 1
            yield from_matrix(rows)


def has_path(rows: NDArray[np.bool_]) -> bool:
    """Whether there is a Hamiltonian path, by dynamic programming over sets of tokens."""
    n = len(rows)
    ends = [0] * (1 << n)  # the tokens at which a path through a set can end, as bits
    keys = [sum(1 << j for j in range(n) if rows[i, j]) for i in range(n)]
    for visited in range(1, 1 << n):
        for token in range(n):
            rest = visited & ~(1 << token)
            if rest != visited and (not rest or ends[rest] & keys[token]):
                ends[visited] |= 1 << token
    return ends[-1] != 0
