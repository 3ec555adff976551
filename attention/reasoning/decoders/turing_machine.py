"""Runs of Turing machines as networks: the last visit of a cell, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from samapprox.attention.reasoning.base import BAR, Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    gate,
    is_zero,
    lookup,
    product,
    selection,
)
from samapprox.attention.reasoning.decoders.program import Program, solve_again
from samapprox.attention.reasoning.decoders.recall import CopyRecall, Recall
from samapprox.attention.reasoning.turing_machine import TuringMachine, parse_machine

__all__ = ["TuringMachineProgram"]


@dataclass(frozen=True, slots=True)
class TuringMachineProgram(Program):
    """The run of a machine on tapes of n symbols.

    The symbol in a cell is that of its last visit, which no position tells; so tokens look for the
    latest one with this cell (COPY by content). Every given token stands for a cell, and the
    separator for the blank cell after them.
    """

    by_content: ClassVar[bool] = True

    task: TuringMachine
    n: int
    length: int
    reach: int

    @classmethod
    def for_chain(cls, task: Task, chain: Chain) -> TuringMachineProgram:
        """Return the programme for runs of at most this length."""
        n = len(task.read(chain.tokens)) - 1
        return cls(cast(TuringMachine, task), n, *solve_again(task, chain))

    @property
    def bound(self) -> int:
        """A bound on symbols and cells."""
        return max(10, self.length)

    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks, and return the parts of the next token; see `Program.build`."""
        assert isinstance(recall, CopyRecall)
        sign, cell, state, move, value, _ = token
        k = assembly.positions[0]
        [bar] = assembly.feed(is_zero(), [sign - BAR])
        [begins] = assembly.feed(is_zero(), [k - (self.n + 1)])
        [stops] = assembly.feed(is_zero(), [state])
        choose = selection(1, self.bound, 0.5)
        [own] = assembly.feed(choose, [k - 1, cell, Affine(constant=self.n + 1.5) - k])
        [last] = recall.build(assembly, value, [k - 1])
        symbol = self._read(assembly, recall, own, sign + value + bar, cell + move)
        table = parse_machine(self.task.machine).table
        width = len(table[0])
        rows = [[0, 0, 0]] * width + [[*entry] for row in table for entry in row]
        found = assembly.feed(lookup(rows), [width * (state + begins) + symbol])
        assembly.end_block()
        written, step, following = found
        [place] = assembly.feed(gate(1, self.bound, 0.5), [cell + move, begins - stops + 0.5])
        [answer] = assembly.feed(gate(1, self.bound, 0.5), [last, bar - begins - 0.5])
        return [BAR * (stops - bar), place, following, step, written, answer]

    def _read(
        self, assembly: Assembly, recall: CopyRecall, own: Affine, symbol: Affine, cell: Affine
    ) -> Affine:
        """Return the symbol in a cell: that of the latest token with this cell, or blank.

        With W = length + 1, a token at position k with cell c scores W (2 c cell - c^2) + k, which
        is a constant and k - W (c - cell)^2. Squares are off by at most 1/(4 W), so that the score
        of the token is ahead by 1/2. If there is none, the latest one with the cell nearest by
        scores best, and it has another cell.
        """
        weight = self.length + 1.0
        [square] = assembly.feed(product(2 * self.bound, 1 / (4 * weight)), [own, own])
        assembly.end_block()
        query = [4 * weight * cell, Affine(constant=-2 * weight), Affine(constant=2)]
        key = [own, square, assembly.positions[0]]
        found, visited = recall.copy(assembly, query, key, [symbol, own])
        [known] = assembly.feed(is_zero(), [visited - cell])
        assembly.end_block()
        [read] = assembly.feed(gate(1, self.bound, 0.5), [found, known - 0.5])
        assembly.end_block()
        return read
