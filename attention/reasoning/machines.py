"""Turing machines in one line of text: ``1RB1LB_1LA1RZ``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from samapprox.errors import InputError
from samapprox.support.lookup import suggestion
from samapprox.support.parameters import random_stream

__all__ = ["HALT", "MACHINES", "Machine", "parse_machine", "random_machine", "state_name"]

HALT = 0
"""The state in which a machine has halted; the others are 1, 2, .. for A, B, .."""

MOST_STATES = 25
MOST_SYMBOLS = 10

_ENTRY = re.compile(r"([0-9])([LR])([A-Z])")

Entry = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Machine:
    """A deterministic machine with one tape that is infinite on both sides.

    Attributes
    ----------
    table : tuple of tuple of (int, int, int)
        ``table[state - 1][symbol]``: the symbol to write, the move (1 is right, -1 is left), and
        the next state. It starts in state 1, and symbol 0 is blank.
    letters : tuple of int
        The symbols of random inputs.
    """

    table: tuple[tuple[Entry, ...], ...]
    letters: tuple[int, ...]

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
    """Return the letter of a state; ? for what is none.

    Examples
    --------
    >>> state_name(1), state_name(HALT)
    ('A', 'Z')
    """
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
    """Draw a machine: each entry is uniform, and one of all entries halts for certain.

    Parameters
    ----------
    states, symbols, seed : int

    Raises
    ------
    InputError
        A number out of range.

    Examples
    --------
    >>> str(random_machine(2, 2, seed=0))
    '0LZ0LZ_1LZ1LA'
    """
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
