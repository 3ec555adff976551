"""One layer of relay tokens on a graph: the furthest vector among those of the neighbours.

Keys are collected for some tokens at a time, so that the rows they name can be asked for before
they are read. The innermost loops are emitted as LLVM's own vectors: rows are read where they lie,
whole registers and four keys at a time, so that a row of random memory costs its cache lines and
little more. They stand at the level of the module, where numba finds their machine code again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from samapprox.support.arrays import Reals, Tokens
from samapprox.support.jit import compiled, emit_loop, emitted

Value = Any
"""A value, pointer or type of llvmlite."""

GROUP = 4
"""Keys that are met at a time."""

AHEAD = 32
"""Keys between one that is met and the one whose row is asked for."""

_LINE = 64  # bytes of a cache line; rows begin at one and fill the last
_REGISTER = 64 if binding.get_host_cpu_features().get("avx512f", False) else 32
_INDEX = ir.IntType(64)
_WORD = ir.IntType(32)
_LANES = ir.VectorType(_WORD, GROUP)
_FUSED = ("contract",)
_INTO_SECOND_CACHE = _WORD(2)


@emitted
def meet_keys(
    _typing: Any,
    rows: Any,
    row: Any,
    keys: Any,
    start: Any,
    stop: Any,
    ask: Any,
    greatest: Any,
    second: Any,
    best: Any,
) -> Any:
    """Enter the squared distances of a row from the rows `keys[start..stop-1]`, itself left out.

    At place `row`, `greatest` is the greatest square so far as computed, `best` its key (-1: none
    yet), `second` the greatest of another key. `ask` says whether to ask for the rows of later
    keys, which may lie anywhere; `keys` goes on for `AHEAD` + 4 valid keys.

    There is no branch on what is found: guessing it would cost more than the comparisons.
    """
    signature = types.void(
        rows, types.int64, keys, types.int64, types.int64, types.boolean, greatest, second, best
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        emit = _Emitter(context, builder, rows)
        matrix, row, key_array, start, stop, ask, *state = arguments
        matrix, key_at = emit.matrix(matrix), emit.items(keys, key_array)
        lanes = _LANES(list(range(GROUP)))
        own = emit.spread(builder.trunc(row, _WORD), _LANES)

        def meet(place: Value, running: list[Value]) -> list[Value]:
            most, next_most, furthest = running
            with builder.if_then(ask):
                for step in range(GROUP):
                    emit.prefetch(matrix, emit.key(key_at, place, AHEAD + step))
            four = emit.four(matrix, row, [emit.key(key_at, place, s) for s in range(GROUP)])
            here = builder.bitcast(builder.gep(key_at, [place]), _LANES.as_pointer())
            key = builder.load(here, align=4)
            left = emit.spread(builder.trunc(builder.sub(stop, place), _WORD), _LANES)
            counts = builder.and_(
                builder.icmp_signed("<", lanes, left), builder.icmp_signed("!=", key, own)
            )
            four = builder.select(counts, four, emit.lowest)
            further = builder.fcmp_ordered(">", four, most)
            loser = builder.select(further, most, four)
            other = builder.and_(
                builder.icmp_signed("!=", key, furthest),
                builder.fcmp_ordered(">", loser, next_most),
            )
            return [
                builder.select(further, four, most),
                builder.select(other, loser, next_most),
                builder.select(further, key, furthest),
            ]

        places = [
            builder.gep(emit.items(kind, array), [row])
            for kind, array in zip(signature.args[6:], state, strict=True)
        ]
        nothing = [emit.lowest, emit.lowest, _LANES([-1] * GROUP)]
        first = [
            builder.insert_element(empty, builder.load(place), _WORD(0))
            for empty, place in zip(nothing, places, strict=True)
        ]
        lanes_found = emit_loop(builder, start, stop, GROUP, first, meet)
        for value, place in zip(emit.together(*lanes_found), places, strict=True):
            builder.store(value, place)
        return context.get_dummy_value()

    return signature, generate


@emitted
def ask_for(_typing: Any, rows: Any, row: Any) -> Any:
    """Ask for the cache lines of a row that is read later."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        emit = _Emitter(context, builder, rows)
        matrix, row = arguments
        emit.prefetch(emit.matrix(matrix), row)
        return context.get_dummy_value()

    return types.void(rows, types.int64), generate


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The start of the rows, and the number of entries of each."""

    start: Value
    width: Value


class _Emitter:
    """Instructions on rows of one kind of number."""

    def __init__(self, context: Any, builder: Any, rows: Any) -> None:
        self.context, self.builder, self.rows = context, builder, rows
        self.number = context.get_value_type(rows.dtype)
        self.itemsize = rows.dtype.bitwidth // 8

    def items(self, kind: Any, array: Value) -> Value:
        """Return the pointer to an array's first item."""
        return self.context.make_array(kind)(self.context, self.builder, array).data

    def matrix(self, array: Value) -> _Matrix:
        """Return the rows."""
        struct = self.context.make_array(self.rows)(self.context, self.builder, array)
        return _Matrix(struct.data, self.builder.extract_value(struct.shape, 1))

    def key(self, keys: Value, place: Value, further: int) -> Value:
        """Return a key as a row's index."""
        where = self.builder.gep(self.builder.gep(keys, [place]), [_INDEX(further)])
        return self.builder.sext(self.builder.load(where), _INDEX)

    def row(self, matrix: _Matrix, index: Value) -> Value:
        """Return the pointer to a row."""
        return self.builder.gep(matrix.start, [self.builder.mul(index, matrix.width)])

    @property
    def lowest(self) -> Value:
        """Minus infinity in four lanes."""
        return ir.VectorType(self.number, GROUP)([float("-inf")] * GROUP)

    def spread(self, number: Value, vector: Value) -> Value:
        """Copy one number to every lane."""
        alone = self.builder.insert_element(vector(ir.Undefined), number, _WORD(0))
        return self.builder.shuffle_vector(alone, alone, _LANES([0] * GROUP))

    def together(self, most: Value, next_most: Value, furthest: Value) -> list[Value]:
        """Join the lanes into one; a key that several found is no second to itself."""
        builder = self.builder
        greatest = self.over_lanes(most, self.larger)
        at = builder.fcmp_ordered("==", most, greatest)
        key = self.over_lanes(
            builder.select(at, furthest, _LANES([-1] * GROUP)),
            lambda a, b: builder.select(builder.icmp_signed(">", a, b), a, b),
        )
        same = builder.icmp_signed("==", furthest, key)
        second = self.over_lanes(builder.select(same, next_most, most), self.larger)
        return [builder.extract_element(part, _WORD(0)) for part in (greatest, second, key)]

    def larger(self, left: Value, right: Value) -> Value:
        """Take the lane-wise maximum; there are no NaN."""
        return self.builder.select(self.builder.fcmp_ordered(">", left, right), left, right)

    def over_lanes(self, vector: Value, join: Callable[[Value, Value], Value]) -> Value:
        """Join all four lanes, in every lane."""
        for turned in ([1, 0, 3, 2], [2, 3, 0, 1]):
            vector = join(vector, self.builder.shuffle_vector(vector, vector, _LANES(turned)))
        return vector

    def prefetch(self, matrix: _Matrix, index: Value) -> None:
        """Ask for the cache lines of a row."""
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _WORD, _WORD, _WORD])
        insert: Any = cgutils.get_or_insert_function
        ask = insert(self.builder.module, kind, "llvm.prefetch.p0")
        row = self.row(matrix, index)

        def line(k: Value, _running: list[Value]) -> list[Value]:
            where = self.builder.bitcast(self.builder.gep(row, [k]), byte)
            self.builder.call(ask, [where, _WORD(0), _INTO_SECOND_CACHE, _WORD(1)])
            return []

        emit_loop(self.builder, _INDEX(0), matrix.width, _LINE // self.itemsize, [], line)

    def four(self, matrix: _Matrix, row: Value, keys: list[Value]) -> Value:
        """Return the squared distances of a row from four others."""
        builder, lanes = self.builder, _REGISTER // self.itemsize
        vector = ir.VectorType(self.number, lanes)
        bases = [self.row(matrix, index) for index in [row, *keys]]

        def add(k: Value, sums: list[Value]) -> list[Value]:
            places = [builder.bitcast(builder.gep(b, [k]), vector.as_pointer()) for b in bases]
            query, *others = (builder.load(place, align=self.itemsize) for place in places)
            apart = [builder.fsub(query, other) for other in others]
            squares = [builder.fmul(one, one, flags=_FUSED) for one in apart]
            return [builder.fadd(*two, flags=_FUSED) for two in zip(sums, squares, strict=True)]

        zero = vector([0.0] * lanes)
        first, second, third, fourth = emit_loop(
            self.builder, _INDEX(0), matrix.width, lanes, [zero] * GROUP, add
        )
        left, right = self.pairs(first, second, lanes), self.pairs(third, fourth, lanes)
        total = self.pairs(left, right, lanes)
        while lanes > GROUP:
            lanes //= 2
            total = self.pairs(total, total, lanes)
        return total

    def pairs(self, left: Value, right: Value, lanes: int) -> Value:
        """The first `lanes` sums of two neighbours each, in the left vector and then the right."""
        even, odd = (
            self.builder.shuffle_vector(
                left, right, ir.VectorType(_WORD, lanes)([2 * lane + side for lane in range(lanes)])
            )
            for side in (0, 1)
        )
        return self.builder.fadd(even, odd)


Starts = NDArray[np.int64]
Bits = NDArray[np.uint64]

_PAIRS = 1024  # pairs that are collected at a time, so that reads of their bits overlap
_ROOM = 1024  # keys that are collected at a time, at most
_TOKENS = 64  # tokens whose keys are collected at a time, at most
_TOKENS_AHEAD = 16  # tokens ahead whose new key is prefetched, where tokens share most keys
_CACHED = 1 << 18  # bytes of neighbouring rows that are in the cache: no prefetch


@compiled
def meet(
    rows: Reals,
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Reals,
    second: Reals,
    best: Tokens,
) -> None:
    """Let the tokens first .. last - 1 compare themselves with what their neighbours offer.

    `shown` is the vector that each token shows, -1 for none; of length 0: its own. `greatest` is
    the greatest squared distance as computed, `best` its key, `second` the greatest to any other
    key.

    O(d) an edge. The same key may be met several times; it is no second to itself.
    """
    if len(shown) or indptr[last] + AHEAD + GROUP > len(indices):
        _meet_shown(rows, indptr, indices, shown, first, last, greatest, second, best)
        return
    most_apart = _CACHED // (rows.shape[1] * rows.itemsize)
    for token in range(first, last):
        start, stop = indptr[token], indptr[token + 1]
        if start < stop:
            ask = indices[stop - 1] - indices[start] > most_apart
            if not ask:  # in a window one key is new, the last
                ask_for(rows, indices[indptr[min(token + _TOKENS_AHEAD, last)] - 1])
            meet_keys(rows, token, indices, start, stop, ask, greatest, second, best)


@compiled
def _meet_shown(
    rows: Reals,
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    first: int,
    last: int,
    greatest: Reals,
    second: Reals,
    best: Tokens,
) -> None:
    """Meet with the keys collected for some tokens at a time, to prefetch them."""
    keys = np.zeros(_ROOM + AHEAD + GROUP, dtype=np.int32)
    ends = np.empty(_TOKENS, dtype=np.int64)
    token, edge = first, indptr[first]
    while token < last:
        start, tokens, count = token, 0, 0
        while token < last and tokens < _TOKENS and count < _ROOM:
            stop = min(indptr[token + 1], edge + _ROOM - count)
            while edge < stop:
                key = shown[indices[edge]] if len(shown) else indices[edge]
                keys[count] = key
                count += 0 <= key != token
                edge += 1
            ends[tokens] = count
            tokens += 1
            if stop < indptr[token + 1]:
                break  # no more room; the token comes again
            token += 1
        keys[count : count + GROUP] = 0
        for ahead in range(min(AHEAD, count)):
            ask_for(rows, keys[ahead])
        place = 0
        for turn in range(tokens):
            if place < ends[turn]:
                query = start + turn
                meet_keys(rows, query, keys, place, ends[turn], True, greatest, second, best)
                place = ends[turn]


@compiled
def count_pairs(
    indptr: Starts,
    indices: Tokens,
    shown: Tokens,
    exact: bool,
    mask: int,
    bits: Bits,
) -> int:
    """Set the bits of the unordered pairs that `meet` compares; return how many were new.

    With `exact` each pair has a bit of its own, else one chosen by a hash, of `mask` + 1.
    """
    places = np.empty(_PAIRS, dtype=np.uint64)
    new = count = 0
    for token in range(len(indptr) - 1):
        for edge in range(indptr[token], indptr[token + 1]):
            key = int(shown[indices[edge]] if len(shown) else indices[edge])
            more, less = max(token, key), min(token, key)
            places[count] = more * (more - 1) // 2 + less
            count += 0 <= key != token
            if count == _PAIRS:
                new += _enter(places, exact, mask, bits)
                count = 0
    return new + _enter(places[:count], exact, mask, bits)


@compiled
def _enter(places: Bits, exact: bool, mask: int, bits: Bits) -> int:
    """Set bits, at these places or where a hash of them says; return how many were new."""
    new = 0
    for pair in range(len(places)):
        place = places[pair]
        if not exact:
            # as `samapprox.support.arrays.hash_numbers`
            place += np.uint64(0x9E3779B97F4A7C15)
            place = (place ^ (place >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            place = (place ^ (place >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            place = (place ^ (place >> np.uint64(31))) & np.uint64(mask)
        word, bit = place >> np.uint64(6), np.uint64(1) << (place & np.uint64(63))
        new += (bits[word] & bit) == 0
        bits[word] |= bit
    return new
