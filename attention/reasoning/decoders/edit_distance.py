"""Edit distance as networks: the next state, the positions that it needs, and its token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from samapprox.attention.reasoning.base import BAR, COMMA, Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    at_least,
    gate,
    is_zero,
    minimum,
    selection,
)
from samapprox.attention.reasoning.decoders.program import Program
from samapprox.attention.reasoning.decoders.recall import Recall
from samapprox.attention.reasoning.edit_distance import LETTERS, EditDistance, split_lengths


@dataclass(frozen=True, slots=True)
class EditDistanceProgram(Program):
    """The dynamic programme of edit distance for strings of a and b letters.

    Five blocks besides those of `Recall`: one for the next state, one to compare letters and to put
    in the borders dp(i, 0) and dp(0, j), two for the least of three sums, one to write the token.
    """

    task: EditDistance
    a: int
    b: int

    @classmethod
    def for_chain(cls, task: Task, chain: Chain) -> EditDistanceProgram:
        """Return the programme for strings of the lengths that the input of a chain has."""
        return cls(cast(EditDistance, task), *split_lengths(chain.tokens[: chain.given, 0]))

    @property
    def given(self) -> int:
        """The number of given tokens."""
        return self.a + self.b + 2

    @property
    def length(self) -> int:
        """The number of tokens of a chain."""
        return self.given + self.a * (self.b + 1) + 2

    @property
    def reach(self) -> int:
        """The distance from dp(a, b) to the last letter of the first string."""
        return (self.a + 1) * (self.b + 1)

    @property
    def bound(self) -> int:
        """A bound on the absolute values of letters, separators and dp(i, j)."""
        return max(LETTERS, self.a * self.task.delete + self.b * self.task.insert)

    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks, and return the parts of the next token; see `Program.build`."""
        sign, _, _, value, _ = token
        state = self._next_state(assembly, token)
        found = _Found(*recall.build(assembly, sign + value, self._addresses(state)))
        least = self._least(assembly, state, found, recall.largest)
        return self._write(assembly, state, found, least, recall.largest)

    def _next_state(self, assembly: Assembly, token: Sequence[Affine]) -> _State:
        """Follow (i, j) by (i, j + 1), or (i, b + 1) by (i + 1, 1); the input by (1, 1)."""
        _, i, j, _, _ = token
        position = assembly.positions[0]
        events = self.given, self.length - 2, self.length - 1
        start, bar, answer = (assembly.feed(is_zero(), [position - when])[0] for when in events)
        [wrap] = assembly.feed(at_least(self.b + 1), [j])
        assembly.end_block()
        i, j = i + wrap + start, j + 1 - (self.b + 1) * wrap
        [below] = assembly.feed(at_least(2), [i])
        right, comma = assembly.feed(at_least(2, self.b + 1), [j])
        return _State(i, j, below, right, comma, bar, answer)

    def _addresses(self, state: _State) -> list[Affine]:
        """Return the positions of both letters, dp(i - 1, j - 1), dp(i - 1, j) and dp(i, j - 1).

        The answer needs dp(a, b) in place of dp(i - 1, j - 1), where (i, j) is (0, 1).
        """
        width = self.b + 1
        here = width * state.i + state.j + (self.given - width)
        jump = (self.length - 3) - (self.given - 2 * width)
        diagonal = here - (width + 1) + jump * state.answer
        return [state.i, state.j + (self.a + 1), diagonal, here - width, here - 1]

    def _least(self, assembly: Assembly, state: _State, found: _Found, largest: float) -> Affine:
        """Compute dp(i, j) by two blocks of minima, after one for letters and borders."""
        delete, insert = float(self.task.delete), float(self.task.insert)
        choose = selection(1, largest, 0.5)
        border = delete * state.i + insert * state.j
        inner = state.below + state.right - 1.5
        [above] = assembly.feed(choose, [found.above, border - delete, state.below - 0.5])
        [left] = assembly.feed(choose, [found.left, border - insert, state.right - 0.5])
        [diagonal] = assembly.feed(choose, [found.diagonal, border - (delete + insert), inner])
        [equal] = assembly.feed(is_zero(), [found.first - found.second])
        assembly.end_block()
        [edge] = assembly.feed(minimum(), [above + delete, left + insert])
        assembly.end_block()
        replaced = diagonal - float(self.task.replace) * equal + self.task.replace
        [least] = assembly.feed(minimum(), [edge, replaced])
        assembly.end_block()
        return least

    def _write(
        self, assembly: Assembly, state: _State, found: _Found, least: Affine, largest: float
    ) -> list[Affine]:
        """Write the parts of the token: a value, a comma, the bar, or the answer."""
        table = Affine(constant=0.5) - state.bar - state.answer
        i, j = assembly.feed(gate(2, largest, 0.5), [state.i, state.j, table])
        [value] = assembly.feed(gate(1, largest, 0.5), [least, table - state.comma])
        [answer] = assembly.feed(gate(1, largest, 0.5), [found.diagonal, state.answer - 0.5])
        return [COMMA * state.comma + BAR * state.bar, i, j, value, answer]


@dataclass(frozen=True, slots=True)
class _State:
    """The state (i, j) of the next token, and indicators.

    They hold where i > 1, j > 1 and j > b (the next token is a comma), and where the next token is
    the last ``|`` or the answer.
    """

    i: Affine
    j: Affine
    below: Affine
    right: Affine
    comma: Affine
    bar: Affine
    answer: Affine


@dataclass(frozen=True, slots=True)
class _Found:
    """The letters and values that were read."""

    first: Affine
    second: Affine
    diagonal: Affine
    above: Affine
    left: Affine
