"""Runs of Turing machines as networks: the last visit of a cell, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from samapprox.attention.reasoning.base import BAR, Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.classes import (
    find_greatest,
    read_latest,
    require_classes,
)
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    gate,
    is_zero,
    lookup,
    one_hot,
    product,
    selection,
    spread,
)
from samapprox.attention.reasoning.decoders.program import Program, solve_again
from samapprox.attention.reasoning.decoders.recall import (
    MOST_LENGTH,
    CopyRecall,
    LinearRecall,
    Recall,
)
from samapprox.attention.reasoning.turing_machine import MOST_SYMBOLS, TuringMachine, parse_machine


@dataclass(frozen=True, slots=True)
class TuringMachineProgram(Program):
    """The run of a machine on tapes of n symbols.

    The symbol in a cell is that of its last visit, which no position tells. Standard decoders look
    for the latest token with this cell (COPY by content). Sparse and linear ones have a coordinate
    for each cell from `first` to `last`. Every given token stands for a cell, and the separator for
    the blank cell after them.
    """

    task: TuringMachine
    n: int
    first: int
    last: int
    length: int
    reach: int

    @classmethod
    def for_chain(cls, task: Task, chain: Chain) -> TuringMachineProgram:
        """Return the programme for runs of at most this length that stay within these cells."""
        inputs = task.read(chain.tokens)
        n = len(inputs) - 1
        cells = task.chain(inputs).tokens[:, 1]
        bounds = min(0, int(cells.min())), max(n, int(cells.max()))
        return cls(cast(TuringMachine, task), n, *bounds, *solve_again(task, chain))

    @property
    def bound(self) -> int:
        """A bound on symbols and cells."""
        return max(MOST_SYMBOLS, self.length)

    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks, and return the parts of the next token; see `Program.build`."""
        sign, cell, state, move, value, _ = token
        k = assembly.positions[0]
        [bar] = assembly.feed(is_zero(), [sign - BAR])
        [begins] = assembly.feed(is_zero(), [k - (self.n + 1)])
        [stops] = assembly.feed(is_zero(), [state])
        choose = selection(1, self.bound, 0.5)
        [own] = assembly.feed(choose, [k - 1, cell, Affine(constant=self.n + 1.5) - k])
        [last] = recall.build(assembly, value, [k - 1])
        symbol = sign + value + bar
        if isinstance(recall, CopyRecall):
            symbol = self._read(assembly, recall, own, symbol, cell + move)
        else:
            symbol = self._read_class(assembly, recall, own, symbol, cell + move, bar)
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

    def _read_class(
        self,
        assembly: Assembly,
        recall: Recall,
        own: Affine,
        symbol: Affine,
        cell: Affine,
        bar: Affine,
    ) -> Affine:
        """Return the symbol in a cell, where every cell has a coordinate."""
        count = self.last - self.first + 1
        require_classes(count, "cells")
        own, cell = own - (self.first - 1), cell - (self.first - 1)
        assembly.end_block()
        if isinstance(recall, LinearRecall):
            return read_latest(
                assembly,
                recall,
                own,
                cell,
                symbol,
                bar,
                classes=count,
                keys=self.length,
                bound=MOST_SYMBOLS,
            )
        visited, wanted = (assembly.feed(one_hot(count), [one]) for one in (own, cell))
        assembly.end_block()
        positions = assembly.feed(spread(count, self.length), [assembly.positions[0], *visited])
        symbols = assembly.feed(spread(count, MOST_SYMBOLS), [symbol, *visited])
        assembly.end_block()
        return find_greatest(
            assembly,
            positions,
            symbols,
            wanted,
            keys=MOST_LENGTH,
            bound=self.length,
            error=recall.error,
        )
