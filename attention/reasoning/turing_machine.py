"""Turing machines, by name, by table or at random, and their runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from samapprox.attention.reasoning.base import (
    BAR,
    MOST_TOKENS,
    Chain,
    Step,
    Task,
    Token,
    graph_of_lists,
)
from samapprox.errors import InputError
from samapprox.support.packages import suggestion
from samapprox.support.parameters import random_stream, require
from samapprox.support.text import plural

HALT = 0
"""The state in which a machine has halted; the others are 1, 2, .. for A, B, .."""

MOST_STATES = 25
MOST_SYMBOLS = 10

_ENTRY = re.compile(r"([0-9])([LR])([A-Z])")

Entry = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Machine:
    """A deterministic machine with one tape that is infinite on both sides."""

    # ``table[state - 1][symbol]``: the symbol to write, the move (1 is right, -1 is left), and
    # the next state. It starts in state 1, and symbol 0 is blank.
    table: tuple[tuple[Entry, ...], ...]
    letters: tuple[int, ...]  # The symbols of random inputs

    @property
    def symbols(self) -> int:
        """Number of symbols, the blank included."""
        return len(self.table[0])

    def __str__(self) -> str:
        return "_".join(
            "".join(
                f"{symbol}{'R' if move > 0 else 'L'}{state_name(state)}"
                for symbol, move, state in row
            )
            for row in self.table
        )


def state_name(state: int) -> str:
    """Return the letter of a state; ? for what is none."""
    if state == HALT:
        return "Z"
    return chr(ord("A") + state - 1) if 1 <= state <= MOST_STATES else "?"


MACHINES = {
    "palindrome": ("1RZ0RB0RC_0LD1RB2RB_0LE1RC2RC_1RZ0LF0RZ_1RZ0RZ0LF_0RA1LF2LF", (1, 2)),
    "busy-beaver-2": ("1RB1LB_1LA1RZ", (0,)),
    "busy-beaver-3": ("1RB1RZ_1LB0RC_1LC1LA", (0,)),
    "busy-beaver-4": ("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", (0,)),
}
"""Machine name -> table and letters.

`palindrome` reads 1 and 2, and writes 1 at the end if the input is a palindrome, else 0. The busy
beavers (Rado; Lin; Brady) halt on a blank tape after 6, 21 and 107 steps, the most for machines of
2, 3 and 4 states with 2 symbols.
"""


def parse_machine(text: str) -> Machine:
    """Return the machine that a line of text describes.

    Parameters
    ----------
    text : str
        A name of `MACHINES`; ``random-KxS-SEED`` for `random_machine`; or a table: for each state,
        after ``_``, an entry for each symbol 0, 1, ..: the symbol to write, L or R, and the next
        state A, B, ..; a state without a row halts, such as Z.

    Raises
    ------
    InputError
        The text is no name and no table of a machine.

    Examples
    --------
    >>> parse_machine("1RB1LB_1LA1RZ").table[1]
    ((1, -1, 1), (1, 1, 0))
    """
    if text in MACHINES:
        table, letters = MACHINES[text]
        return Machine(_parse_table(table).table, letters)
    drawn = re.fullmatch(r"random-(\d{1,3})x(\d{1,3})-(\d{1,10})", text)
    return random_machine(*map(int, drawn.groups())) if drawn else _parse_table(text)


def _parse_table(text: str) -> Machine:
    """Parse a table of entries."""
    rows = text.split("_")
    width = len(rows[0]) // 3
    if not _ENTRY.match(text):
        raise InputError(
            f"unknown machine {text[:40]!r}{suggestion(text, MACHINES)}; give a table such as "
            f"1RB1LB_1LA1RZ, random-3x2-0, or one of {', '.join(MACHINES)}"
        )
    if len(rows) > MOST_STATES or width > MOST_SYMBOLS:
        raise InputError(
            f"a machine has at most {MOST_STATES} states and {MOST_SYMBOLS} symbols, "
            f"not {len(rows)} and {width}"
        )
    table = []
    for state, row in enumerate(rows):
        name = chr(ord("A") + state)
        if len(row) != 3 * width:
            raise InputError(
                f"state {name} of the machine must have {width} entries of three characters, "
                f"not {row[:40]!r}"
            )
        entries = []
        for symbol in range(width):
            part = row[3 * symbol : 3 * symbol + 3]
            found = _ENTRY.fullmatch(part)
            if found is None or int(found[1]) >= width:
                raise InputError(
                    f"state {name} of the machine, symbol {symbol}: the entry must be a symbol in "
                    f"0..{width - 1}, L or R, and a state A to Z, not {part!r}"
                )
            following = ord(found[3]) - ord("A") + 1
            halts = following > len(rows)
            entries.append((int(found[1]), 1 if found[2] == "R" else -1, 0 if halts else following))
        table.append(tuple(entries))
    return Machine(tuple(table), tuple(range(width)))


def random_machine(states: int, symbols: int, seed: int) -> Machine:
    """Draw a machine: each entry is uniform, and one of all entries halts for certain."""
    if not (1 <= states <= MOST_STATES and 2 <= symbols <= MOST_SYMBOLS):
        raise InputError(
            f"a random machine has 1..{MOST_STATES} states and 2..{MOST_SYMBOLS} symbols, "
            f"not {states} and {symbols}"
        )
    rng = random_stream(seed)
    draws = rng.randint(0, 1 << 30, size=(states, symbols, 3))
    table = [
        [(int(w) % symbols, 1 - 2 * (int(m) % 2), int(s) % (states + 1)) for w, m, s in row]
        for row in draws
    ]
    place = int(rng.randint(0, states * symbols))
    written, move, _ = table[place // symbols][place % symbols]
    table[place // symbols][place % symbols] = (written, move, HALT)
    return Machine(tuple(map(tuple, table)), tuple(range(symbols)))


_TRIES = 100  # random tapes until one halts
_STEPS = 1 << 20  # steps of these tries; one of them at least

_machine = lru_cache(maxsize=64)(parse_machine)


@dataclass(frozen=True, slots=True)
class TuringMachine(Task):
    """The run of a machine on a tape; the answer is the symbol that it writes last.

    The tokens are the symbols on the tape, ``|``, the steps until the machine halts, ``|``, the
    answer. The head starts on the first symbol, which is cell 0, and all other cells are blank (0).
    The state of a step is the cell, the next state of the machine (A is 1; 0: it has halted) and
    the move (1 is right, -1 is left); its value is the symbol that it writes.

    Parameters
    ----------
    machine : str
        A name, a table or a random machine; see `parse_machine`.
    limit : int
        Most steps; an input on which the machine does not halt so early is refused.

    Notes
    -----
    A step needs the step before it, for the state and the cell, and the last visit of its cell or
    its symbol in the input, if there is one. The separator and the answer need the last step, which
    halts. In random inputs of n cells, the second half mirrors
    the first one with probability 1/2.

    Examples
    --------
    >>> task = TuringMachine()
    >>> chain = task.chain(task.parse("121"))
    >>> " ".join(task.words(chain.tokens)), chain.answer
    ('1 2 1 | 0RB 2RB 1RB 0LD 0LF 2LF 0RA 0RC 0LE 1RZ | 1', 1)
    >>> chain.needs.keys(9).tolist()  # the step that visits cell 1 for the second time
    [5, 8]
    """

    name: ClassVar[str] = "turing-machine"
    parts: ClassVar[tuple[str, ...]] = ("input", "cell", "state", "move", "value", "answer")

    machine: str = "palindrome"
    limit: int = 10_000

    def __post_init__(self) -> None:
        require(
            1 <= self.limit <= MOST_TOKENS, f"limit must be in 1..{MOST_TOKENS}, not {self.limit}"
        )
        _machine(self.machine)

    def longest(self, size: int) -> int:
        """Return n + 3 + limit: no run is longer."""
        return size + 3 + self.limit

    # ---------------------------------------------------------------- inputs

    def draw(self, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """Draw a tape on which the machine halts."""
        letters = np.array(_machine(self.machine).letters)
        tries = max(1, min(_TRIES, _STEPS // self.limit))
        for _ in range(tries):
            inputs = np.full(size + 1, BAR, dtype=np.int64)
            inputs[:size] = letters[rng.randint(0, len(letters), size=size, dtype=np.int64)]
            if rng.randint(0, 2, dtype=np.int64):
                inputs[size - size // 2 : size] = inputs[: size // 2][::-1]
            if self._run(inputs) is not None:
                return inputs
        raise InputError(
            f"{self.machine[:40]} does not halt within {self.limit} steps, tried on "
            f"{plural(tries, 'random tape')}; choose another machine, or a larger limit"
        )

    def parse(self, text: str) -> NDArray[np.int64]:
        """Read the symbols on the tape, one digit each."""
        text = text.strip()
        for place, symbol in enumerate(text):
            if not (symbol.isascii() and symbol.isdigit()):
                raise InputError(f"symbol {place} must be a digit, not {symbol!r}")
        inputs = np.array([*map(int, text), BAR], dtype=np.int64)
        self.check(inputs)
        return inputs

    def check(self, inputs: NDArray[np.int64]) -> None:
        """Refuse an empty tape, unknown symbols, and a run that does not halt within the limit."""
        symbols = _machine(self.machine).symbols
        if inputs[-1:].tolist() != [BAR]:
            raise InputError(f"the input must end with the separator {BAR}")
        if len(inputs) < 2:
            raise InputError("the tape is empty; give at least one symbol, such as 0 (blank)")
        wrong = np.flatnonzero((inputs[:-1] < 0) | (inputs[:-1] >= symbols))
        if wrong.size:
            raise InputError(
                f"symbol {wrong[0]} must be in 0..{symbols - 1}, not {inputs[wrong[0]]}"
            )
        self.check_size(len(inputs) - 1)
        if self._run(inputs) is None:
            raise InputError(
                f"the machine does not halt within {self.limit} steps; a larger limit may suffice"
            )

    # ---------------------------------------------------------------- chains

    def _run(self, inputs: NDArray[np.int64]) -> list[Token] | None:
        """Return the step tokens of a run; None if it does not halt within the limit."""
        tape = dict(enumerate(inputs[:-1].tolist()))
        table = _machine(self.machine).table
        state, cell = 1, 0
        run: list[Token] = []
        while state != HALT:
            if len(run) == self.limit:
                return None
            symbol, move, state = table[state - 1][tape.get(cell, 0)]
            tape[cell] = symbol
            run.append((0, cell, state, move, symbol, 0))
            cell += move
        return run

    def solve(self, inputs: Sequence[NDArray[np.int64]]) -> list[Chain]:
        """Write the chains, one after the other: O(steps) each."""
        return [self._solve_one(one) for one in inputs]

    def _solve_one(self, inputs: NDArray[np.int64]) -> Chain:
        given, run = len(inputs), self._run(inputs)
        assert run is not None  # valid inputs halt
        tokens = self.write_tokens(inputs[None], given + len(run) + 2, 1)[0]
        tokens[given:-2] = run
        tokens[-2, 0] = BAR
        answer = run[-1][4]
        tokens[-1, 5] = answer
        visited = {cell: cell for cell in range(given - 1)}
        needs: list[Sequence[int]] = [()] * given
        for position, (_, cell, *_rest) in enumerate(run, given):
            seen = (visited[cell],) if cell in visited else ()
            needs.append(seen if position == given else (*seen, position - 1))
            visited[cell] = position
        needs += [(given + len(run) - 1,)] * 2
        return Chain(tokens, given, graph_of_lists(needs), answer)

    def steps(self, tokens: Sequence[Token]) -> Iterator[Step]:
        """Yield the steps of the machine, the separator, and the answer."""
        table = _machine(self.machine).table
        last = next(position for position, token in enumerate(tokens) if token[0] == BAR)
        at = dict(zip(range(last), range(last), strict=True))  # cell -> its last visit
        yield Step((at[0],), partial(_begin, table))
        while True:
            last += 1
            _, cell, state, move, _, _ = tokens[last]
            at[cell] = last
            if state == HALT:
                break
            known = cell + move in at
            needs = (at[cell + move], last) if known else (last,)
            yield Step(needs, partial(_continue, table))
        yield Step((last,), lambda seen: (0 if seen[0][2] else BAR, 0, 0, 0, 0, 0))
        yield Step((last,), lambda seen: (0, 0, 0, 0, 0, seen[0][4]))

    def words(self, tokens: NDArray[np.int64]) -> list[str]:
        """Write symbols, and the steps as in a table of a machine: 1RB."""
        words = []
        for sign, _, state, move, value, answer in tokens.tolist():
            if sign == BAR:
                words.append("|")
            elif move:
                words.append(f"{value}{'R' if move > 0 else 'L'}{state_name(state)}")
            else:
                words.append(str(sign + answer))
        return words


def _begin(table: Sequence[Sequence[Token]], seen: Sequence[Token]) -> Token:
    """Return the first step, in state A on the first symbol."""
    symbol, move, state = table[0][seen[0][0]]
    return (0, 0, state, move, symbol, 0)


def _continue(table: Sequence[Sequence[Token]], seen: Sequence[Token]) -> Token:
    """Return a step from the one before it and, if there is one, the last visit of its cell."""
    before = seen[-1]
    symbol = seen[0][0] + seen[0][4] if len(seen) == 2 else 0  # one of both is 0
    written, move, state = table[before[2] - 1][symbol]
    return (0, before[1] + before[3], state, move, written, 0)
