"""Lemma 7: attention layers that give every token of every input an id of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from samapprox.attention.blocks import AttentionLayer
from samapprox.attention.blocks.columns import Matrix
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.reach import layers_needed
from samapprox.attention.maps import Hardmax
from samapprox.attention.universality.encoding import Encoding
from samapprox.attention.universality.selective_shift import all_max_shift, selective_shift
from samapprox.attention.universality.walk_shifts import Shift, ShiftPlan

__all__ = ["ContextualMapping", "build_contextual"]


@dataclass(frozen=True, slots=True)
class ContextualMapping:
    """A stack of attention layers after which u^T X holds the ids, in units of delta.

    Attributes
    ----------
    encoding : Encoding
    layers : tuple of AttentionLayer
        Selective shifts along the walk, then all-max-shifts. Layers without heads are the identity:
        they wait for the pattern of the next step.
    all_max_layers : int
        s, the number of all-max-shifts at the end.
    factor : int
        The factor of the all-max-shifts.
    magnitudes : tuple of int
        For every layer a bound on all numbers that it computes with.
    least_id, greatest_id : int
        Bounds on the ids after the last layer.
    """

    encoding: Encoding
    layers: tuple[AttentionLayer, ...]
    all_max_layers: int
    factor: int
    magnitudes: tuple[int, ...]
    least_id: int
    greatest_id: int

    def apply(self, columns: Matrix, attention: SparseAttention) -> Matrix:
        """Run the layers with hardmax on columns of shape (d, inputs, n), in units of delta.

        Layers whose numbers all fit run in int64, and the others in Python's integers.
        """
        for t, (layer, magnitude) in enumerate(zip(self.layers, self.magnitudes, strict=True)):
            columns = columns.astype(np.int64 if magnitude < 1 << 62 else object, copy=False)
            columns = layer.apply(columns, attention.layer(t), Hardmax())
        return columns

    def ids(self, columns: Matrix) -> Matrix:
        """Compute u^T X for columns of shape (d, inputs, n)."""
        return np.asarray(np.tensordot(self.encoding.column_weights, columns, axes=1))


def build_contextual(
    attention: SparseAttention,
    plan: ShiftPlan,
    *,
    window_per_value: bool = False,
    padded: bool = True,
    bound: int | None = None,
    beyond: int = 0,
) -> ContextualMapping:
    """Build the layers of a plan of shifts, and the all-max-shifts after them.

    Parameters
    ----------
    attention : SparseAttention
    plan : ShiftPlan
    window_per_value : bool
        One layer for each of the 1/delta^d values of a token, as in the paper, instead of one layer
        whose window holds them all.
    padded : bool
        Whether every selective shift takes the layers of a whole period, as in the paper. Otherwise
        only as many identity layers stand between two shifts as the patterns require.
    bound : int, optional
        A number above all ids before the all-max-shifts; by default the greatest id plus 1.
    beyond : int
        All ids after the last layer are greater than this: the factor of the all-max-shifts grows
        until they are.

    Notes
    -----
    All-max-shifts have the factor c = 2 s bound: each id is then c^s F_T plus less than c^s, where
    F_T determines the input, and equals its id before modulo c.
    """
    weights, shared = plan.encoding.column_weights, len(attention.layer(0)) > 1
    layers: list[AttentionLayer] = []
    magnitudes: list[int] = []
    top = plan.encoding.least_id(int(np.argmax(plan.encoding.blocks)))
    top += plan.encoding.largest_digit
    for shift in plan.shifts:
        for window in _windows(shift, window_per_value):
            layer = selective_shift(weights, shift.factor, window, shift.pattern if shared else 0)
            turn = 0 if attention.period == 1 else shift.pattern
            waiting = (turn - len(layers)) % attention.period
            after = attention.period - 1 - turn if padded else 0
            stack = [*_idle(waiting), layer, *_idle(after)]
            layers += stack
            magnitudes += [_magnitude(top, shift.factor, shift.highest)] * len(stack)
        top = max(top, shift.highest)
    bound = top + 1 if bound is None else bound
    order = attention.selectable
    start = 0 if shared else len(layers) % len(order)
    count = layers_needed(order[start:] + order[:start]).upper
    factor = 2 * count * bound
    factor = max(factor, _root_above(beyond // plan.last.low, count))
    for t in range(count):
        layers.append(all_max_shift(weights, factor, t % len(order) if shared else 0))
        magnitudes.append(_magnitude(top, factor, top * (1 + factor)))
        top *= 1 + factor
    least = factor**count * plan.last.low
    return ContextualMapping(
        plan.encoding, tuple(layers), count, factor, tuple(magnitudes), least, top
    )


def _windows(shift: Shift, window_per_value: bool) -> Iterator[tuple[int, int]]:
    """Return the windows of a shift's layers: one, or one for each value of the token's id."""
    low, high = shift.window
    if window_per_value:
        yield from ((value, value) for value in range(low, high + 1))
    else:
        yield low, high


def _idle(layers: int) -> list[AttentionLayer]:
    """Return identity layers."""
    return [AttentionLayer()] * layers


def _magnitude(top: int, factor: int, after: int) -> int:
    """Bound scores (a doubled query times a key), what heads write, and what comes out."""
    return max((4 * top + 1) * top, 2 * factor * top + after)


def _root_above(number: int, degree: int) -> int:
    """Return an integer whose power of this degree is above a number."""
    root = 1 << (max(0, number).bit_length() // degree + 1)
    assert root**degree > number
    return root
