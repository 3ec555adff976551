"""How many different runs a Turing machine has on inputs of one length."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["RunCount", "count_runs"]

Table = Sequence[Sequence[tuple[int, int, int]]]
"""``table[state - 1][symbol]``: the symbol to write, the move, the next state (0: halt)."""

_MOST_RUNS = 512
"""Runs that are followed; a machine may have exponentially many."""


@dataclass(frozen=True, slots=True)
class RunCount:
    """A lower bound on the number of runs.

    Attributes
    ----------
    runs : int
        So many inputs have different runs, all of which halt.
    is_exact : bool
        There are no more.
    """

    runs: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """The beginning of a run, up to the first visit of a cell of the input."""

    tape: dict[int, int]
    state: int
    cell: int
    steps: int


def count_runs(table: Table, cells: int, limit: int, most: int = _MOST_RUNS) -> RunCount:
    """Count the different runs of a machine on inputs of so many cells.

    Parameters
    ----------
    table : sequence of sequence of (int, int, int)
    cells : int
        Cells 0 .. cells - 1 hold the input, all others are blank. The head starts on cell 0, in
        state 1.
    limit : int
        Most steps of a run that halts.
    most : int
        Once there are so many beginnings of runs, they are not divided further.

    Notes
    -----
    Follows the machine without choosing the input: on the first visit of a cell, the run divides,
    once for each different entry of the table. Runs that divided differ from then on. A beginning
    counts if some symbol makes it halt, repeated in all cells that it has not visited.
    O(most symbols limit) steps.

    Examples
    --------
    >>> flip = [[(1, 1, 1), (0, 1, 1), (0, 1, 0)]]  # to the right, until the symbol 2
    >>> count_runs(flip, cells=3, limit=10)
    RunCount(runs=7, is_exact=True)
    """
    finished = 0
    beginnings = deque([_Run({}, 1, 0, 0)])
    while beginnings and finished + len(beginnings) < most:
        run = _follow(table, beginnings.popleft(), cells, limit)
        if run is None:
            continue
        if run.state == 0:
            finished += 1
            continue
        for entry in dict.fromkeys(table[run.state - 1]):
            symbol = table[run.state - 1].index(entry)
            beginnings.append(_Run({**run.tape, run.cell: symbol}, run.state, run.cell, run.steps))
    halting = sum(_can_halt(table, run, cells, limit) for run in beginnings)
    return RunCount(finished + halting, is_exact=not beginnings)


def _follow(
    table: Table, run: _Run, cells: int, limit: int, unread: int | None = None
) -> _Run | None:
    """Follow a run until it halts or visits a new cell of the input; None beyond the limit.

    With a symbol for unread cells, it stops only when it halts.
    """
    tape, state, cell = dict(run.tape), run.state, run.cell
    for steps in range(run.steps, limit + 1):
        if state == 0:
            return _Run(tape, state, cell, steps)
        if 0 <= cell < cells and cell not in tape:
            if unread is None:
                return _Run(tape, state, cell, steps)
            tape[cell] = unread
        tape[cell], move, state = table[state - 1][tape.get(cell, 0)]
        cell += move
    return None


def _can_halt(table: Table, run: _Run, cells: int, limit: int) -> bool:
    return any(
        _follow(table, run, cells, limit, unread=symbol) is not None
        for symbol in range(len(table[0]))
    )
