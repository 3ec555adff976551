"""The tile of scores that the registers of a processor hold, emitted as LLVM's own vectors.

numba's vectoriser keeps to half the width of the registers and reaches a quarter of the speed of
what is emitted here, running sums of R x V vectors that never leave the registers. All functions
stand at the level of the module; numba could not find its machine code on disk again otherwise. One
tile of inner products serves its rows and its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config

from samapprox.support.jit import emit_loop, emitted

Value = Any
"""A value, pointer or type of llvmlite."""

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
