"""The number of different runs of a Turing machine on inputs of one length."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["RunCount", "count_runs"]

Table = Sequence[Sequence[tuple[int, int, int]]]
"""``table[state - 1][symbol]``: the symbol to write, the move, the next state (0: halt)."""

_MOST_RUNS = 512
"""Runs that are followed; a machine may have exponentially many."""

_MOST_WORK = 1 << 22
"""Steps that are followed and cells that are copied, in all, before the count is cut short."""


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


def count_runs(
    table: Table, cells: int, limit: int, most: int = _MOST_RUNS, work: int = _MOST_WORK
) -> RunCount:
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
    work : int
        After so many steps and copied cells, no beginning is divided or tried further.

    Notes
    -----
    Follows the machine without choosing the input: on the first visit of a cell, the run divides,
    once for each different entry of the table. Runs that divided differ from then on. A beginning
    counts if some symbol makes it halt, repeated in all cells that it has not visited.
    O(min(most symbols limit, work + limit)) steps.

    Examples
    --------
    >>> flip = [[(1, 1, 1), (0, 1, 1), (0, 1, 0)]]  # to the right, until the symbol 2
    >>> count_runs(flip, cells=3, limit=10)
    RunCount(runs=7, is_exact=True)
    """
    finished = 0
    beginnings = deque([_Run({}, 1, 0, 0)])
    while beginnings and finished + len(beginnings) < most and work > 0:
        before = beginnings.popleft()
        run = _follow(table, before, cells, limit)
        work -= _work(before, run, limit)
        if run is None:
            continue
        if run.state == 0:
            finished += 1
            continue
        for entry in dict.fromkeys(table[run.state - 1]):
            symbol = table[run.state - 1].index(entry)
            beginnings.append(_Run({**run.tape, run.cell: symbol}, run.state, run.cell, run.steps))
            work -= len(run.tape)
    is_exact = not beginnings
    while beginnings and work > 0:
        before = beginnings.popleft()
        for symbol in range(len(table[0])):
            run = _follow(table, before, cells, limit, unread=symbol)
            work -= _work(before, run, limit)
            if run is not None:
                finished += 1
                break
            if work <= 0:
                break
    return RunCount(finished, is_exact)


def _follow(
    table: Table, run: _Run, cells: int, limit: int, unread: int | None = None
) -> _Run | None:
    """Follow a run until it halts, or divides at a new cell of the input; None beyond the limit.

    With a symbol for unread cells, it stops only when it halts.
    """
    tape, state, cell = dict(run.tape), run.state, run.cell
    for steps in range(run.steps, limit + 1):
        if state == 0:
            return _Run(tape, state, cell, steps)
        if 0 <= cell < cells and cell not in tape:
            row = table[state - 1]
            if unread is None and any(entry != row[0] for entry in row):
                return _Run(tape, state, cell, steps)
            tape[cell] = unread or 0
        tape[cell], move, state = table[state - 1][tape.get(cell, 0)]
        cell += move
    return None


def _work(before: _Run, after: _Run | None, limit: int) -> int:
    """Return the steps from one to the other, with the cells of the tape that were copied."""
    steps = limit if after is None else after.steps
    return steps - before.steps + len(before.tape) + 1
