"""The least scores of every query, tile by tile.

Vectors stand in blocks of `BLOCK`, in panels: coordinate by coordinate, side by side. The last
block is filled up with vectors whose half is infinite, and so is every score of theirs.

The innermost loops are emitted as LLVM's own vectors: numba's vectoriser keeps to half the width of
the registers and reaches a quarter of the speed of what is emitted here, running sums of R x V
vectors that never leave the registers. Everything stands at the level of the module; numba could
not find its machine code on disk again otherwise. One tile of inner products serves its rows and
its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config
from numpy.typing import NDArray

from samapprox.support.jit import compiled, emit_loop, emitted

Value = Any
"""A value, pointer or type of llvmlite."""

Numbers = NDArray[Any]
"""float32 or float64."""

Places = NDArray[np.int32]
Indices = NDArray[np.int64]

BLOCK = 48
"""Vectors of which only the least score is kept."""

_LINE = 16  # numbers of a vector that are laid out at a time: a cache line of float32
_INDEX = ir.IntType(64)


@dataclass(frozen=True, slots=True)
class Tile:
    """The part of a score matrix that the registers of a processor hold."""

    bytes: int  # width of a vector
    rows: int  # R: how many vectors of the one side enter, a number at a time
    vectors: int  # V: how many registers of the other side
    fused: bool  # whether products are added with one rounding, by one instruction


def _tile_for(features: set[str]) -> Tile:
    """Return the tile of a processor: its rows divide the width of a panel, for both numbers."""
    if "avx512f" in features:
        return Tile(64, 8, 3, True)  # 24 sums, 3 vectors and a number: 28 of 32 registers
    if {"avx2", "fma"} <= features:
        return Tile(32, 4, 3, True)  # 12 + 3 + 1: all 16
    return Tile(16, 4, 2, False)  # 8 + 2 + 1: any processor has 16 registers of 16 bytes


def _features() -> set[str]:
    """Return the features of the target processor; by default of the running one."""
    chosen = getattr(config, "CPU_FEATURES", None)
    if chosen is not None:
        return {name[1:] for name in chosen.split(",") if name.startswith("+")}
    return {name for name, present in binding.get_host_cpu_features().items() if present}


TILE = _tile_for(_features())
"""The tile of this processor."""


def panel_width(itemsize: int) -> int:
    """Return the number of vectors stored side by side, coordinate by coordinate: V registers."""
    return TILE.vectors * TILE.bytes // itemsize


class _Emitter:
    """Vector instructions on one kind of number."""

    def __init__(self, context: Any, builder: Any, number: types.Float) -> None:
        self.tile = TILE
        self.context, self.builder = context, builder
        self.itemsize = number.bitwidth // 8
        self.lanes = TILE.bytes // self.itemsize
        self.width = panel_width(self.itemsize)
        self.vector = ir.VectorType(context.get_value_type(number), self.lanes)
        self.fused = f"llvm.fma.v{self.lanes}f{number.bitwidth}"

    def pointers(self, arguments: Sequence[Value], kinds: Sequence[Any]) -> list[Value]:
        """Return the arguments, arrays as pointers to their first items."""
        return [
            self.context.make_array(kind)(self.context, self.builder, argument).data
            if isinstance(kind, types.Array)
            else argument
            for argument, kind in zip(arguments, kinds, strict=True)
        ]

    def skip(self, pointer: Value, count: Value | int) -> Value:
        """Return the pointer so many items further."""
        return self.builder.gep(pointer, [_INDEX(count) if isinstance(count, int) else count])

    def load(self, pointer: Value, place: int) -> Value:
        """Load a vector; `place` counts vectors."""
        return self.builder.load(self._vector_at(pointer, place), align=self.itemsize)

    def store(self, value: Value, pointer: Value, place: int) -> None:
        """Store a vector: the inverse of `load`."""
        self.builder.store(value, self._vector_at(pointer, place), align=self.itemsize)

    def _vector_at(self, pointer: Value, place: int) -> Value:
        here = self.skip(pointer, place * self.lanes)
        return self.builder.bitcast(here, self.vector.as_pointer())

    def spread(self, pointer: Value, place: int) -> Value:
        """Copy one number to every lane."""
        number = self.builder.load(self.skip(pointer, place))
        alone = self.builder.insert_element(self.vector(ir.Undefined), number, ir.IntType(32)(0))
        return self.shuffle(alone, alone, [0] * self.lanes)

    def shuffle(self, first: Value, second: Value, lanes: Sequence[int]) -> Value:
        """Return the chosen lanes of two vectors, those of the second counted on."""
        chosen = ir.VectorType(ir.IntType(32), self.lanes)(list(lanes))
        return self.builder.shuffle_vector(first, second, chosen)

    def multiply_add(self, left: Value, right: Value, total: Value) -> Value:
        """Return the product added to the total, rounded once where the processor can."""
        if not self.tile.fused:
            return self.builder.fadd(self.builder.fmul(left, right), total)
        signature = ir.FunctionType(self.vector, [self.vector] * 3)
        insert: Any = cgutils.get_or_insert_function
        fused = insert(self.builder.module, signature, self.fused)
        return self.builder.call(fused, [left, right, total])

    def least(self, values: Sequence[Value]) -> Value:
        """Take the lane-wise minimum; there are no NaN."""
        least = values[0]
        for value in values[1:]:
            smaller = self.builder.fcmp_ordered("<", value, least)
            least = self.builder.select(smaller, value, least)
        return least

    def scores(
        self,
        left: Value,
        strides: tuple[Value, Value],
        left_half: Value,
        right: Value,
        right_half: Value,
        depth: Value,
    ) -> list[Sequence[Value]]:
        """Score R rows of V vectors: the halves and the products of `left` with the panel `right`.

        `strides` lead from a vector of the left to the next, and from a coordinate to the next.
        """
        builder, rows, vectors = self.builder, range(self.tile.rows), range(self.tile.vectors)
        starts = [self.load(right_half, v) for v in vectors]
        halves = [self.spread(left_half, r) for r in rows]
        first = [builder.fadd(half, start) for half in halves for start in starts]
        left_at = [self.skip(left, builder.mul(_INDEX(r), strides[0])) for r in rows]

        def step(k: Value, sums: list[Value]) -> list[Value]:
            panel = self.skip(right, builder.mul(k, _INDEX(self.width)))
            columns = [self.load(panel, v) for v in vectors]
            spread = [
                self.spread(self.skip(start, builder.mul(k, strides[1])), 0) for start in left_at
            ]
            factors = zip(*product(spread, columns), strict=True)
            return list(map(self.multiply_add, *factors, sums))

        flat = emit_loop(builder, _INDEX(0), depth, 1, first, step)
        return [flat[r * len(vectors) : (r + 1) * len(vectors)] for r in rows]


@emitted
def tile_minima(
    _typing: Any,
    left: Any,
    left_half: Any,
    right: Any,
    right_half: Any,
    depth: Any,
    left_least: Any,
    right_least: Any,
) -> Any:
    """Score R vectors against a panel; the least enter `left_least` and `right_least`.

    score(i, j) = left_half[i] + right_half[j] + the inner product, summed in the order of the
    coordinates. `left` begins within a panel, `right` at one. `left_least` has a whole vector for
    each i, whose lanes `lane_minima` brings together.
    """
    signature = types.void(left, left_half, right, right_half, types.int64, left_least, right_least)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        emit = _Emitter(context, builder, left.dtype)
        left_at, left_start, right_at, right_start, depth, left_out, right_out = emit.pointers(
            arguments, signature.args
        )
        strides = _INDEX(1), _INDEX(emit.width)
        rows = emit.scores(left_at, strides, left_start, right_at, right_start, depth)
        for r, row in enumerate(rows):
            emit.store(emit.least([emit.load(left_out, r), *row]), left_out, r)
        for v, column in enumerate(zip(*rows, strict=True)):
            emit.store(emit.least([emit.load(right_out, v), *column]), right_out, v)
        return context.get_dummy_value()

    return signature, generate


@emitted
def tile_scores(
    _typing: Any,
    left: Any,
    left_half: Any,
    right: Any,
    right_half: Any,
    depth: Any,
    out: Any,
    stride: Any,
) -> Any:
    """Score R vectors, one after the other in `left`, against a panel.

    They are those of `tile_minima`; row r of them begins at place r `stride` of `out`.
    """
    signature = types.void(left, left_half, right, right_half, types.int64, out, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        emit = _Emitter(context, builder, left.dtype)
        left_at, left_start, right_at, right_start, depth, target, stride = emit.pointers(
            arguments, signature.args
        )
        strides = depth, _INDEX(1)
        rows = emit.scores(left_at, strides, left_start, right_at, right_start, depth)
        for r, row in enumerate(rows):
            line = emit.skip(target, builder.mul(stride, _INDEX(r)))
            for v, score in enumerate(row):
                emit.store(score, line, v)
        return context.get_dummy_value()

    return signature, generate


@emitted
def lane_minima(_typing: Any, spread: Any, out: Any) -> Any:
    """Return the least lane of each of as many vectors as a vector has lanes, in order."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        emit = _Emitter(context, builder, spread.dtype)
        source, target = emit.pointers(arguments, signature.args)
        vectors = [emit.load(source, place) for place in range(emit.lanes)]
        even, odd = range(0, 2 * emit.lanes, 2), range(1, 2 * emit.lanes, 2)
        while len(vectors) > 1:  # each step halves the vectors and the lanes of each
            vectors = [
                emit.least([emit.shuffle(a, b, even), emit.shuffle(a, b, odd)])
                for a, b in zip(vectors[::2], vectors[1::2], strict=True)
            ]
        emit.store(vectors[0], target, 0)
        return context.get_dummy_value()

    return types.void(spread, out), generate


_ROWS, _VECTORS = TILE.rows, TILE.vectors
_WIDTHS = panel_width(4), panel_width(8)


@compiled
def sweep(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    own: bool,
    first: int,
    last: int,
    best: Numbers,
    second: Numbers,
    where: Places,
) -> None:
    """Take the blocks first .. last - 1 of the keys into account.

    score(i, j) = query_half[i] + key_half[j] + the inner product of query i and key j. `best` and
    `where` are the least of all block minima so far and its block, `second` is the least of the
    other block minima. With `own`, pairs of blocks are met once, and serve both.

    O((last - first) b n d) time for blocks of b keys and n queries, half of it for `own`. A pair of
    blocks takes b^2 d multiplications and 2 b^2 comparisons, b^2 / (2 R V) of them loads.
    """
    depth = len(keys) // len(key_half)
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    lanes = width // _VECTORS
    spread = np.empty(BLOCK * lanes, dtype=keys.dtype)
    key_least = np.empty(BLOCK, dtype=keys.dtype)
    query_least = np.empty(BLOCK, dtype=keys.dtype)
    for other in range(first if own else 0, len(query_half) // BLOCK):
        right, right_half = queries[other * BLOCK * depth :], query_half[other * BLOCK :]
        for block in range(first, min(last, other + 1) if own else last):
            left, left_half = keys[block * BLOCK * depth :], key_half[block * BLOCK :]
            spread[:] = np.inf
            query_least[:] = np.inf
            for j in range(0, BLOCK, width):
                # Within a block each pair is met once, or twice in the tiles on the diagonal.
                for i in range(0, j + width if own and other == block else BLOCK, _ROWS):
                    tile_minima(
                        left[i // width * width * depth + i % width :],
                        left_half[i:],
                        right[j * depth :],
                        right_half[j:],
                        depth,
                        spread[i * lanes :],
                        query_least[j:],
                    )
            if own:
                for i in range(0, BLOCK, lanes):
                    lane_minima(spread[i * lanes :], key_least[i:])
                if other != block:
                    _keep_all(key_least, other, block, best, second, where)
                else:
                    for i in range(BLOCK):
                        query_least[i] = min(query_least[i], key_least[i])
            _keep_all(query_least, block, other, best, second, where)


@compiled
def _keep_all(
    least: Numbers, block: int, queries: int, best: Numbers, second: Numbers, where: Places
) -> None:
    """Enter the least scores of a block of queries."""
    start, stop = queries * BLOCK, (queries + 1) * BLOCK
    for place in range(BLOCK):
        _keep(least[place], block, best[start:stop], second[start:stop], where[start:stop], place)


@compiled
def candidates(
    queries: Numbers,
    query_half: Numbers,
    keys: Numbers,
    key_half: Numbers,
    own: bool,
    rows: Indices,
    first: Places,
    last: Places,
    limits: Numbers,
    counts: Indices,
    found: Indices,
) -> None:
    """Find the keys with a score within the limit, in the blocks first .. last - 1 of each query.

    `counts` is how many there are, zeros at first; `found` takes the first of them. Neighbouring
    queries with the same first block, and so the same last one, are taken R at a time.
    """
    numbers = np.zeros((_ROWS, queries.shape[1]), dtype=keys.dtype)
    half = np.zeros(_ROWS, dtype=keys.dtype)
    scores = np.empty((_ROWS, BLOCK), dtype=keys.dtype)
    start = 0
    while start < len(rows):
        stop = start
        while stop < min(start + _ROWS, len(rows)) and first[stop] == first[start]:
            for k in range(queries.shape[1]):
                numbers[stop - start, k] = queries[rows[stop], k]
            half[stop - start] = query_half[rows[stop]]
            stop += 1
        for block in range(first[start], last[start]):
            _block_scores(numbers, half, keys, key_half, block, scores)
            for place in range(start, stop):
                query = rows[place]
                counts[place] = _collect(
                    scores[place - start],
                    block * BLOCK,
                    limits[query],
                    query if own else -1,
                    counts[place],
                    found[place],
                )
        start = stop


@compiled
def _block_scores(
    numbers: Numbers, half: Numbers, keys: Numbers, key_half: Numbers, block: int, scores: Numbers
) -> None:
    """Compute the scores of queries with the keys of a block."""
    depth = numbers.shape[1]
    width = _WIDTHS[0] if keys.itemsize == 4 else _WIDTHS[1]
    for j in range(0, BLOCK, width):
        first = block * BLOCK + j
        panel, panel_half = keys[first * depth :], key_half[first:]
        tile_scores(numbers.ravel(), half, panel, panel_half, depth, scores.ravel()[j:], BLOCK)


@compiled
def pack(vectors: Numbers, width: int, panels: Numbers, squares: NDArray[np.float64]) -> None:
    """Lay vectors out in panels, and sum the squares of their coordinates in float64."""
    count, depth = vectors.shape
    for first in range(0, len(panels) // depth, width):
        panel = panels[first * depth : (first + width) * depth]
        there = max(0, min(width, count - first))
        if there < width:
            panel[:] = 0
        for start in range(0, depth, _LINE):  # a cache line of each vector at a time
            stop = min(start + _LINE, depth)
            for place in range(there):
                for k in range(start, stop):
                    panel[k * width + place] = vectors[first + place, k]
        sums = squares[first : first + there]
        sums[:] = 0
        for k in range(depth):
            for place in range(there):
                number = np.float64(panel[k * width + place])
                sums[place] += number * number


@compiled
def _keep(
    least: float, block: int, best: Numbers, second: Numbers, where: Places, query: int
) -> None:
    """Enter the least score of one more block."""
    smaller = least < best[query]
    beaten = best[query] if smaller else least
    second[query] = min(second[query], beaten)
    where[query] = block if smaller else where[query]
    best[query] = least if smaller else best[query]


@compiled
def _collect(
    scores: Numbers, first: int, limit: float, but: int, count: int, found: Indices
) -> int:
    """Enter the keys with a score within the limit, other than `but`; how many there are now."""
    within = 0
    for place in range(len(scores)):
        within += scores[place] <= limit
    place = 0
    while within:
        if scores[place] <= limit:
            within -= 1
            if first + place != but:
                if count < len(found):
                    found[count] = first + place
                count += 1
        place += 1
    return count
