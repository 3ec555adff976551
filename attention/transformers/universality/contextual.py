"""Lemma 7: attention layers that give every token of every input an id of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samapprox.attention.graphs.distance import layers_needed
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.transformers import AttentionLayer, Head
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.maps import Hardmax
from samapprox.attention.transformers.universality.walk_shifts import Encoding, Shift, ShiftPlan


def selective_shift(
    column_weights: Matrix, factor: int, window: tuple[int, int], pattern: int = 0
) -> AttentionLayer:
    """Return the layer that adds c (max - min) to the ids u^T X within a window.

    The window holds the least and the greatest id that is shifted: b_Q and b_Q' lie delta/2
    outside. `pattern` is the one of both heads, where heads of a layer differ.
    """
    low, high = window
    return AttentionLayer(
        (
            _extreme(column_weights, 2, 1 - 2 * low, factor, pattern),
            _extreme(column_weights, 2, -1 - 2 * high, -factor, pattern),
        )
    )


def all_max_shift(column_weights: Matrix, factor: int, pattern: int = 0) -> AttentionLayer:
    """Build Omega: every token rises by factor times the greatest id that it sees.

    All ids must be positive.

    Source: Yun et al. (2020), E.2.1.
    """
    return AttentionLayer((_extreme(column_weights, 1, 0, factor, pattern),))


def _extreme(weights: Matrix, scale: int, bias: int, factor: int, pattern: int) -> Head:
    """Build psi: the head that reads the greatest id, or the least where its query is negative."""
    row = weights[None, :]
    to_first_entry = np.zeros((len(weights), 1), dtype=object)
    to_first_entry[0, 0] = factor
    return Head(
        scale * row, row, row, _narrow(to_first_entry), _narrow(np.array([bias], object)), pattern
    )


def _narrow(entries: Matrix) -> Matrix:
    """Return integers as int64 where they fit."""
    fits = all(abs(entry) < 1 << 62 for entry in entries.flat)
    return entries.astype(np.int64) if fits else entries


@dataclass(frozen=True, slots=True)
class ContextualMapping:
    """A stack of attention layers after which u^T X holds the ids, in units of delta."""

    encoding: Encoding
    # Selective shifts along the walk, then all-max-shifts. Layers without heads are the identity:
    # they wait for the pattern of the next step.
    layers: tuple[AttentionLayer, ...]
    all_max_layers: int  # s, the number of all-max-shifts at the end
    factor: int  # the factor of the all-max-shifts
    least_id: int
    greatest_id: int

    def apply(self, columns: Matrix, attention: SparseAttention) -> Matrix:
        """Run the layers with hardmax on columns of shape (d, inputs, n), in units of delta.

        Layers run in int64 as long as all their numbers provably fit, then in Python's integers.
        """
        for t, layer in enumerate(self.layers):
            if columns.dtype != object and not fits_int64(layer, int(abs(columns).max())):
                columns = columns.astype(object)
            columns = layer.apply(columns, attention.layer(t), Hardmax())
        return columns

    def ids(self, columns: Matrix) -> Matrix:
        """Compute u^T X as Python's integers, for columns of shape (d, inputs, n)."""
        exact = columns.astype(object)
        return np.asarray(np.tensordot(self.encoding.column_weights, exact, axes=1))


def fits_int64(layer: AttentionLayer, magnitude: int) -> bool:
    """Return whether a layer of integers can run in int64 on entries of at most this magnitude."""
    greatest = magnitude
    for head in layer.heads:
        bias = 0 if head.query_bias is None else _row_sum(np.abs(head.query_bias)[:, None])
        query = _row_sum(head.query) * magnitude + bias
        key, value = _row_sum(head.key) * magnitude, _row_sum(head.value) * magnitude
        scores = len(head.query) * query * key
        written = _row_sum(head.output) * value
        greatest = max(greatest + written, scores)
    return greatest < 1 << 62


def _row_sum(matrix: Matrix) -> int:
    """Return the greatest sum of absolute values in a row."""
    return max(sum(abs(int(entry)) for entry in row) for row in matrix)


def build_contextual(
    attention: SparseAttention,
    plan: ShiftPlan,
    *,
    window_per_value: bool = False,
    padded: bool = True,
    bound: int | None = None,
    beyond: int = 0,
) -> ContextualMapping:
    """Build the contextual mapping of a plan of selective shifts, and compute its bounds on ids.

    With `window_per_value`, a token has one layer for each of its 1/delta^d values, as in the
    paper, instead of one layer whose window holds them all. If `padded`, every selective shift
    takes the layers of a whole period, as in the paper; otherwise only as many identity layers
    stand between two shifts as the patterns require. `bound` is a number above all ids before the
    all-max-shifts, whose factor grows until all ids after the last layer are greater than `beyond`.
    """
    layers = list(_shift_layers(attention, plan, window_per_value, padded))
    order = attention.selectable
    start = len(layers) % len(order) if attention.period > 1 else 0
    count = layers_needed(order[start:] + order[:start]).upper
    top = max(shift.highest for shift in plan.shifts)
    factor = 2 * count * (top + 1 if bound is None else bound)
    factor = max(factor, _root_above(beyond // plan.last.low, count))
    layers += (
        all_max_shift(plan.encoding.column_weights, factor, _head_pattern(attention, t))
        for t in range(count)
    )
    least, greatest = factor**count * plan.last.low, (1 + factor) ** count * top
    return ContextualMapping(plan.encoding, tuple(layers), count, factor, least, greatest)


def _shift_layers(
    attention: SparseAttention, plan: ShiftPlan, window_per_value: bool, padded: bool
) -> Iterator[AttentionLayer]:
    """Yield the selective shifts, with identity layers while the cycle is at other patterns."""
    period, place = attention.period, 0
    for shift in plan.shifts:
        turn = shift.pattern if period > 1 else 0
        pattern = _head_pattern(attention, shift.pattern)
        for window in _windows(shift, window_per_value):
            waiting = (turn - place) % period
            after = period - 1 - turn if padded else 0
            yield from [AttentionLayer()] * waiting
            yield selective_shift(plan.encoding.column_weights, shift.factor, window, pattern)
            yield from [AttentionLayer()] * after
            place += waiting + 1 + after


def _head_pattern(attention: SparseAttention, number: int) -> int:
    """Return the pattern of heads that follow a selectable pattern: 0 where heads share one."""
    return number % len(attention.layer(0))


def _windows(shift: Shift, window_per_value: bool) -> Iterator[tuple[int, int]]:
    """Return the windows of a shift's layers: one, or one for each value of the token's id."""
    low, high = shift.window
    if window_per_value:
        yield from ((value, value) for value in range(low, high + 1))
    else:
        yield low, high


def _root_above(number: int, degree: int) -> int:
    """Return an integer whose power of this degree is above a number."""
    root = 1 << (max(0, number).bit_length() // degree + 1)
    assert root**degree > number
    return root
