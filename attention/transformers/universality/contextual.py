"""Lemma 7: attention layers that give every token of every input an id of its own.

Ids are affine functions of the input, whose least and greatest values are exact. Shifts along a
walk have factors for which the last id determines the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from samapprox.attention.graphs.distance import layers_needed
from samapprox.attention.graphs.graph import AttentionGraph
from samapprox.attention.graphs.heads import SparseAttention
from samapprox.attention.graphs.walks import Walk
from samapprox.attention.transformers import AttentionLayer, Head
from samapprox.attention.transformers.columns import Matrix
from samapprox.attention.transformers.maps import Hardmax
from samapprox.attention.transformers.universality.ids import AffineId, Encoding
from samapprox.errors import InputError
from samapprox.support.parameters import require

MOST_BITS = 1 << 20
"""The limit of factors: each visit to a token seen before can double their bits."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One step of a walk: a token's id o becomes F = o + factor (maximum - minimum)."""

    token: int
    pattern: int  # number among `SparseAttention.selectable`
    factor: int
    # The least and the greatest id that the token can have before the shift; no other token has
    # an id between them, for any input.
    window: tuple[int, int]
    highest: int  # the greatest id of any token after the shift, over all inputs


@dataclass(frozen=True, slots=True)
class ShiftPlan:
    """All shifts along a walk."""

    encoding: Encoding
    shifts: tuple[Shift, ...]  # one for each step of the walk
    # The id of the last token after all shifts: the greatest, and different for every input.
    last: AffineId


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a walk with the tokens that hold the maximum and minimum, without its factor."""

    token: int
    pattern: int
    lowest: int  # the token whose id is the minimum m_t
    fresh: bool  # whether that token is first visited at this step or later
    # The number of the step of the token's visit before; None at its first visit, and 0 for v_1.
    before: int | None


def plan_shifts(patterns: Sequence[AttentionGraph], walk: Walk, d: int, steps: int) -> ShiftPlan:
    """Choose the factors of all shifts along a walk.

    Step t shifts token v_t from o_t to F_t = o_t + c_t (F_(t-1) - m_t). Let r be the last step at
    which the token of m_t was visited before (0 if there is none). The factors c_t are small ones
    that satisfy the following bounds. A spread is the greatest difference of two values.

    - Order: F_t > F_(t-1) for every input.
    - Windows, if the walk visits a token twice: F_t > 2 F_(t-1) over all inputs, so that the ranges
      of ids of different tokens do not overlap.
    - Injectivity: c_t > spread(o_t) for t >= r; c_t > spread(o_t) + spread(m_(t+1)) for t < r.
      At a second visit with t > r, where o_t = F_b, c_t >= spread(F_(t-1) - A F_b) / A for any
      integer A >= 1 suffices.

    docs/theory/universality.md has the proof. O(T n) integer operations.
    """
    tokens = [int(token) for token in walk.tokens]
    encoding = Encoding.along(tokens, d, steps)
    route = _find_extremes(patterns, walk, encoding)
    revisits = len(set(tokens)) < len(tokens)
    settled_after = max((t for t, step in enumerate(route, 1) if not step.fresh), default=0)
    for step in route[:settled_after]:
        if step.before is None and step.lowest != step.token:
            raise _lacks_loop(step.token)
    ids = [
        AffineId.of_token(k, encoding.n, encoding.least_id(k), encoding.largest_digit)
        for k in range(encoding.n)
    ]
    top, shifts = ids[tokens[0]], []
    for t, step in enumerate(route, 1):
        old, gap = ids[step.token], top - ids[step.lowest]
        bounds = [_order_bound(old - ids[step.lowest], gap)]
        if revisits:
            bounds.append(_window_bound(old, gap, top))
        if t < settled_after:
            bounds.append(old.spread + ids[route[t].lowest].spread + 1)
        else:
            bounds.append(old.spread + 1)
            if t > settled_after and step.before is not None:
                bounds[-1] = min(bounds[-1], _return_bound(top, old, tokens[0]))
        factor = max(bounds)
        require(
            factor.bit_length() <= MOST_BITS,
            f"the ids along a walk of {len(tokens)} tokens have more than {MOST_BITS} bits; add "
            "edges to the mask, so that the walk visits fewer tokens twice",
        )
        top = ids[step.token] = old + factor * gap
        shifts.append(Shift(step.token, step.pattern, factor, (old.low, old.high), top.high))
    return ShiftPlan(encoding, tuple(shifts), top)


def _find_extremes(
    patterns: Sequence[AttentionGraph], walk: Walk, encoding: Encoding
) -> list[_Step]:
    """Find the token of every minimum, from the order of ids alone."""
    tokens = [int(token) for token in walk.tokens]
    first_visit = {token: t for t, token in reversed(list(enumerate(tokens)))}
    last_visit = {tokens[0]: 0}
    ascending = sorted(range(encoding.n), key=encoding.blocks.__getitem__)
    route = []
    for t, (token, pattern) in enumerate(
        zip(tokens[1:], walk.patterns[1:].tolist(), strict=True), 1
    ):
        seen = set(patterns[pattern].keys(token).tolist())
        lowest = next(k for k in ascending if k in seen)
        before, fresh = last_visit.get(token), first_visit[lowest] >= t
        if lowest == tokens[t - 1] or (before is None and not fresh):
            raise _lacks_loop(token)
        route.append(_Step(token, pattern, lowest, fresh, before))
        last_visit[token] = t
        ascending.remove(token)
        ascending.append(token)
    return route


def _lacks_loop(token: int) -> InputError:
    return InputError(f"token {token} must attend to itself in every pattern; add the self-loop")


def _order_bound(rise: AffineId, gap: AffineId) -> int:
    """Return a factor c for which o + c (F - m) > F: rise is o - m, gap is F - m."""
    return 2 + max(0, -rise.low) // gap.low


def _window_bound(old: AffineId, gap: AffineId, top: AffineId) -> int:
    """Return a factor c for which the least o + c (F - m) is above twice the greatest F."""
    return -(-(2 * top.high + 1 - old.low) // gap.low)


def _return_bound(top: AffineId, old: AffineId, start: int) -> int:
    """Return a factor for a second visit: spread(F - A o) / A, for A near F / o."""
    times = max(1, top.weights[start] // old.weights[start] if old.weights[start] else 1)
    return int(max(2, -(-(top - times * old).spread // times)))


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
