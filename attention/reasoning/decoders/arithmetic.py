"""Arithmetic as networks: five tokens of the expression before, a handle, and its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

from samapprox.attention.reasoning.arithmetic import SYMBOLS, Arithmetic, calculate
from samapprox.attention.reasoning.base import BAR, Chain, Task
from samapprox.attention.reasoning.decoders.assembly import Assembly
from samapprox.attention.reasoning.decoders.mlp import (
    Affine,
    Mlp,
    at_least,
    gate,
    is_zero,
    lookup,
    selection,
)
from samapprox.attention.reasoning.decoders.program import Program, solve_again
from samapprox.attention.reasoning.decoders.recall import Recall
from samapprox.support.parameters import require

MOST_PRIME = 31
"""The largest modulus: the table of all operations has 4 p^2 rows."""

_OPERATORS = SYMBOLS[:4]
_WINDOW = 5


@dataclass(frozen=True, slots=True)
class ArithmeticProgram(Program):
    """The evaluation of expressions modulo p, as `Arithmetic.steps` does it.

    Four blocks besides those of `Recall`: the kinds of the five symbols that are read; whether a
    handle begins there, and its operands; its value, from a table; the token.
    """

    task: Arithmetic
    length: int
    reach: int

    @classmethod
    def for_chain(cls, task: Task, chain: Chain) -> ArithmeticProgram:
        """Return the programme for chains of at most this length."""
        task = cast(Arithmetic, task)
        require(
            task.p <= MOST_PRIME, f"decoders are built for p of at most {MOST_PRIME}, not {task.p}"
        )
        return cls(task, *solve_again(task, chain))

    @property
    def zero(self) -> int:
        """The code of the number 0."""
        return len(SYMBOLS) + 1

    @property
    def bound(self) -> int:
        """A bound on the codes."""
        return self.zero + self.task.p

    def build(self, assembly: Assembly, token: Sequence[Affine], recall: Recall) -> list[Affine]:
        """Add the blocks, and return the parts of the next token; see `Program.build`."""
        sign, source, evaluated, value, _ = token
        codes = recall.build(assembly, sign + value, [source + 1 + i for i in range(_WINDOW)])
        kinds = self._kinds()
        window = [_Symbol(*assembly.feed(kinds, [code])) for code in codes]
        [begins] = assembly.feed(is_zero(), [sign - BAR])
        assembly.end_block()
        plain, bracketed = self._handles(assembly, window, evaluated)
        [ends] = assembly.feed(at_least(2), [evaluated + window[0].bar])
        assembly.end_block()
        [whole] = assembly.feed(at_least(3), [plain + begins + window[3].bar])
        result = self._evaluate(assembly, window, bracketed)
        handle = plain + bracketed
        choose = selection(1, self.bound, 0.5)
        [written] = assembly.feed(choose, [result + self.zero, window[0].code, handle - 0.5])
        [answer] = assembly.feed(gate(1, self.bound, 0.5), [result, whole - 0.5])
        following = source + 1 + 2 * plain + 4 * bracketed
        return [BAR * ends, following, evaluated + handle - ends, written, answer]

    def _kinds(self) -> Mlp:
        """Return the network from a code to the entries of its `_Symbol`."""
        rows = [[0, 1, *[0] * 7], [0] * 9]  # BAR, and 0, which is no code
        for code, symbol in enumerate(SYMBOLS, 1):
            operator = symbol in _OPERATORS
            place = _OPERATORS.index(symbol) if operator else 0
            rows.append(
                [code, 0, 0, 0, operator, place, symbol in "*/", symbol == "(", symbol == ")"]
            )
        rows += [[self.zero + value, 0, 1, value, 0, 0, 0, 0, 0] for value in range(self.task.p)]
        return lookup(rows, first=BAR)

    def _handles(
        self, assembly: Assembly, window: Sequence[_Symbol], evaluated: Affine
    ) -> tuple[Affine, Affine]:
        """Return indicators of a handle without and with brackets, where none was evaluated yet.

        After the end of an expression, symbols are arbitrary. The end has no other kind, which one
        of the conditions requires; so an indicator is 0 there whatever follows.
        """
        one, two, three, four, five = window
        # a op b, and not the case that op is + or -, and * or / follows
        parts = one.number + two.operator + three.number - evaluated
        [plain] = assembly.feed(at_least(6), [2 * parts + two.times - four.times])
        parts = one.opens + two.number + three.operator + four.number + five.closes
        [bracketed] = assembly.feed(at_least(5), [parts - evaluated])
        return plain, bracketed

    def _evaluate(self, assembly: Assembly, window: Sequence[_Symbol], bracketed: Affine) -> Affine:
        """Return the value of the handle: the row of a table of all operations."""
        p = self.task.p
        table = [
            calculate(one, sign, other, p) if sign != "/" or other else 0
            for sign, one, other in product(_OPERATORS, range(p), range(p))
        ]
        rows = [
            p * p * operator.place + p * one.value + other.value
            for one, operator, other in (window[:3], window[1:4])
        ]
        choose = selection(1, len(table), 0.5)
        [row] = assembly.feed(choose, [rows[1], rows[0], bracketed - 0.5])
        assembly.end_block()
        [result] = assembly.feed(lookup([[value] for value in table]), [row])
        assembly.end_block()
        return result


@dataclass(frozen=True, slots=True)
class _Symbol:
    """A symbol that was read: its code, 0 for the end of the expression, and its kind.

    Kinds are indicators. `value` is that of a number, and `place` that of an operator in `SYMBOLS`.
    """

    code: Affine
    bar: Affine
    number: Affine
    value: Affine
    operator: Affine
    place: Affine
    times: Affine
    opens: Affine
    closes: Affine
