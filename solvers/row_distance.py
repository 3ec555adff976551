"""Squared distances from one vector to four others, emitted as LLVM's own vectors.

Rows are read where they lie, whole registers at a time, so that a row of random memory costs its
cache lines and little more. Everything stands at the level of the module; numba could not find its
machine code on disk again otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils

from samapprox.jit import emitted

__all__ = ["GROUP", "LINE", "four_distances", "prefetch"]

LINE = 64
"""Bytes of a cache line; rows begin at one and fill the last."""

GROUP = 4
"""Vectors that one is compared with at a time."""

_REGISTER = 64 if binding.get_host_cpu_features().get("avx512f", False) else 32
_INDEX = ir.IntType(64)
_WORD = ir.IntType(32)
_FUSED = ("contract",)
_INTO_SECOND_CACHE = _WORD(2)


@emitted
def four_distances(_typing: Any, rows: Any, row: Any, keys: Any, place: Any, out: Any) -> Any:  # noqa: ARG001
    """Write |rows[row] - rows[k]|^2 to out[0..3], for k = keys[place..place + 3].

    `rows` has whole cache lines, what is beyond the coordinates is 0. The squares are added in an
    order that depends on the processor.
    """
    signature = types.void(rows, types.int64, keys, types.int64, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        matrix, row, key_array, place, out = arguments
        number = context.get_value_type(rows.dtype)
        itemsize = rows.dtype.bitwidth // 8
        lanes = _REGISTER // itemsize
        vector = ir.VectorType(number, lanes)
        start, depth = _start_and_depth(context, builder, rows, matrix)
        first_key = builder.gep(_items(context, builder, keys, key_array), [place])
        indices = [row]
        for step in range(GROUP):
            key = builder.load(builder.gep(first_key, [_INDEX(step)]))
            indices.append(builder.sext(key, _INDEX))
        bases = [builder.gep(start, [builder.mul(index, depth)]) for index in indices]

        def part(base: Any, k: Any) -> Any:
            where = builder.bitcast(builder.gep(base, [k]), vector.as_pointer())
            return builder.load(where, align=itemsize)

        def step_(k: Any, sums: list[Any]) -> list[Any]:
            query, *others = (part(base, k) for base in bases)
            apart = [builder.fsub(query, other) for other in others]
            squares = [builder.fmul(one, one, flags=_FUSED) for one in apart]
            return [builder.fadd(*pair, flags=_FUSED) for pair in zip(sums, squares, strict=True)]

        sums = _steps(builder, depth, lanes, [vector([0.0] * lanes)] * GROUP, step_)
        four = _four_sums(builder, sums, lanes)
        target = _items(context, builder, signature.args[4], out)
        builder.store(four, builder.bitcast(target, four.type.as_pointer()), align=itemsize)
        return context.get_dummy_value()

    return signature, generate


@emitted
def prefetch(_typing: Any, rows: Any, row: Any) -> Any:  # noqa: ARG001
    """Ask for the cache lines of a row that is read a little later."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        matrix, row = arguments
        start, depth = _start_and_depth(context, builder, rows, matrix)
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _WORD, _WORD, _WORD])
        insert: Any = cgutils.get_or_insert_function
        ask = insert(builder.module, kind, "llvm.prefetch.p0")
        base = builder.gep(start, [builder.mul(row, depth)])

        def line(k: Any, _running: list[Any]) -> list[Any]:
            where = builder.bitcast(builder.gep(base, [k]), byte)
            builder.call(ask, [where, _WORD(0), _INTO_SECOND_CACHE, _WORD(1)])
            return []

        _steps(builder, depth, LINE * 8 // rows.dtype.bitwidth, [], line)
        return context.get_dummy_value()

    return types.void(rows, types.int64), generate


def _items(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The pointer to an array's first item."""
    return context.make_array(kind)(context, builder, array).data


def _start_and_depth(context: Any, builder: Any, kind: Any, matrix: Any) -> tuple[Any, Any]:
    """The pointer to a matrix's first item, and the length of its rows."""
    struct = context.make_array(kind)(context, builder, matrix)
    return struct.data, builder.extract_value(struct.shape, 1)


def _steps(
    builder: Any,
    stop: Any,
    step: int,
    first: list[Any],
    body: Callable[[Any, list[Any]], list[Any]],
) -> list[Any]:
    """The values after ``body(k, values)`` for k = 0, step, .. below `stop`, which is positive."""
    before = builder.block
    loop, done = builder.append_basic_block("loop"), builder.append_basic_block("done")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(_INDEX)
    running = [builder.phi(value.type) for value in first]
    after = body(k, running)
    following = builder.add(k, _INDEX(step))
    for phi, start, end in zip(
        [k, *running], [_INDEX(0), *first], [following, *after], strict=True
    ):
        phi.add_incoming(start, before)
        phi.add_incoming(end, loop)
    builder.cbranch(builder.icmp_signed("<", following, stop), loop, done)
    builder.position_at_end(done)
    return after


def _four_sums(builder: Any, vectors: list[Any], lanes: int) -> Any:
    """The sum of the lanes of each of four vectors, side by side."""
    first, second, third, fourth = vectors
    total = _neighbours(
        builder,
        _neighbours(builder, first, second, lanes),
        _neighbours(builder, third, fourth, lanes),
        lanes,
    )
    while lanes > GROUP:
        lanes //= 2
        total = _neighbours(builder, total, total, lanes)
    return total


def _neighbours(builder: Any, left: Any, right: Any, lanes: int) -> Any:
    """The first `lanes` sums of two neighbours each, in the left vector and then the right."""
    even, odd = (
        builder.shuffle_vector(
            left, right, ir.VectorType(_WORD, lanes)([2 * lane + side for lane in range(lanes)])
        )
        for side in (0, 1)
    )
    return builder.fadd(even, odd)
