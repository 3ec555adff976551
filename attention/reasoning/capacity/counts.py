"""The known counts of different chains, one for each task."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, floor, log2, perm
from typing import cast

from samapprox.attention.reasoning.arithmetic import Arithmetic
from samapprox.attention.reasoning.base import Task
from samapprox.attention.reasoning.edit_distance import LETTERS, BandedEditDistance, EditDistance
from samapprox.attention.reasoning.turing_machine import TuringMachine, parse_machine
from samapprox.errors import InputError
from samapprox.support.parameters import require

_MOST_NUMBERS = 2000
"""Bell numbers take quadratic time."""


def count_lis_tables(numbers: int) -> int:
    """Return the number of different tables of the longest increasing subsequence: Bell(n).

    O(n^2) additions of numbers of O(n log n) bits, in Bell's triangle.

    >>> [count_lis_tables(n) for n in range(1, 8)]
    [1, 2, 5, 15, 52, 203, 877]
    """
    require(1 <= numbers <= _MOST_NUMBERS, f"the size must be in 1..{_MOST_NUMBERS}, not {numbers}")
    row = [1]
    for _ in range(numbers - 1):
        following = [row[-1]]
        for above in row:
            following.append(following[-1] + above)
        row = following
    return row[-1]


def count_placements(rows: int, columns: int) -> int:
    """Return the number of ways to put rooks on a board, at most one in each row and column.

    >>> count_placements(2, 2)
    7
    """
    return sum(comb(rows, k) * perm(columns, k) for k in range(min(rows, columns) + 1))


def count_band_placements(rows: int, columns: int, width: int) -> int:
    """Return the number of ways to put rooks on cells (i, j), |i - j| <= width, none attacked.

    Column by column, with the set of rows near the diagonal that have a rook: O(columns 4^width).

    >>> count_band_placements(3, 3, 1), count_band_placements(3, 3, 2) == count_placements(3, 3)
    (22, True)
    """
    ways = {0: 1}  # taken rows j - width .. j + width, the first is bit 0 -> number of ways
    for column in range(columns):
        following: dict[int, int] = {}
        near = [
            1 << bit
            for bit, row in enumerate(range(column - width, column + width + 1))
            if 0 <= row < rows
        ]
        for taken, count in ways.items():
            for bit in (0, *near):
                if not taken & bit:
                    after = (taken | bit) >> 1
                    following[after] = following.get(after, 0) + count
        ways = following
    return sum(ways.values())


def count_combs(operators: int, modulus: int) -> int:
    """Return the number of different equations after the first step of nested expressions.

    >>> count_combs(1, 7), count_combs(2, 7)
    (7, 189)
    """
    return modulus * int((4 * modulus - 1) ** (operators - 1))


Table = Sequence[Sequence[tuple[int, int, int]]]
"""``table[state - 1][symbol]``: the symbol to write, the move, the next state (0: halt)."""

_MOST_RUNS = 512
"""Runs that are followed; a machine may have exponentially many."""

_MOST_WORK = 1 << 22
"""Steps that are followed and cells that are copied, in all, before the count is cut short."""


@dataclass(frozen=True, slots=True)
class RunCount:
    """A lower bound on the number of runs."""

    runs: int  # So many inputs have different runs, all of which halt
    is_exact: bool  # There are no more


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

    Follows the machine without choosing the input: on the first visit of a cell, the run divides,
    once for each different entry of the table. Runs that divided differ from then on. A beginning
    counts if some symbol makes it halt, repeated in all cells that it has not visited. O(min(most
    symbols limit, work + limit)) steps.

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


_MOST_ROWS = 1000
"""Longest first string of the banded edit distance: counting takes long."""

_WIDEST_BAND = 4
"""Matchings farther from the diagonal are not counted: their number takes long to compute."""


@dataclass(frozen=True, slots=True)
class ChainCount:
    """A proven lower bound on the number of different chains that a task has.

    Attributes
    ----------
    chains : int
        Inputs of the same length, so many, have generated tokens that differ from each other.
    given : int
        The length of these inputs, with their separators.
    reason : str
        The inputs, in words.
    is_exact : bool
        No more inputs of this length have different chains.
    """

    chains: int
    given: int
    reason: str
    is_exact: bool = False

    @property
    def bits(self) -> float:
        """The binary logarithm of `chains`."""
        return log2(self.chains)

    def round_bits(self, digits: int) -> float:
        """Return the binary logarithm with so many decimals: a lower bound is rounded down.

        Examples
        --------
        >>> ChainCount(1000, 5, "").bits, ChainCount(1000, 5, "").round_bits(1)
        (9.965784284662087, 9.9)
        >>> ChainCount(1000, 5, "", is_exact=True).round_bits(1)
        10.0
        """
        if self.is_exact:
            return round(self.bits, digits)
        unit = 10.0**digits
        return floor(self.bits * unit) / unit


def count_chains(task: Task, size: int) -> ChainCount:
    """Count the different chains of a task for all inputs of a size that it accepts.

    Parameters that only restrict random inputs, such as `letters` and `values`, do not matter.

    Parameters
    ----------
    task : Task
        The task whose chains are counted.
    size : int
        The size of the inputs, as the task counts it.

    Returns
    -------
    ChainCount
        A lower bound on the number of chains, which may be exact, and its reason.

    Raises
    ------
    InputError
        A size out of range, or a task without a known bound.

    Examples
    --------
    >>> from samapprox.attention.reasoning import parse_task
    >>> round(count_chains(parse_task("lis"), 250).bits, 1)
    1206.3
    >>> round(count_chains(parse_task("edit-distance"), 20).bits, 1)
    74.9
    """
    if size < 1:
        raise InputError(f"the size must be at least 1, not {size}")
    if task.name not in COUNTS:
        raise InputError(f"no bound is known for {task.name}; known: {', '.join(COUNTS)}")
    task.check_size(size)
    return COUNTS[task.name](task, size)


def _count_lis(_task: Task, size: int) -> ChainCount:
    return ChainCount(
        count_lis_tables(size),
        size + 1,
        f"one for each partition of {size} elements, Bell({size}); inputs are any numbers",
        is_exact=True,
    )


def _count_edit_distance(task: Task, size: int) -> ChainCount:
    task = cast(EditDistance, task)
    columns = task.second_length(size)
    rows = min(size, LETTERS - 1)
    words = (
        f"one for each way to match some of {rows} different letters with some of {columns}; "
        "inputs have the letters a to z"
    )
    return _count_matchings(task, size, count_placements(rows, columns), words)


def _count_banded_edit_distance(task: Task, size: int) -> ChainCount:
    task = cast(BandedEditDistance, task)
    require(size <= _MOST_ROWS, f"the size must be in 1..{_MOST_ROWS}, not {size}")
    columns, width = task.second_length(size), min(task.w, _WIDEST_BAND)
    rows = size if 2 * task.w < LETTERS - 1 else min(size, LETTERS - 1)
    words = (
        f"one for each way to match letters of {rows} and {columns}, {width} places apart at most; "
        "inputs have the letters a to z"
    )
    return _count_matchings(task, size, count_band_placements(rows, columns, width), words)


def _count_matchings(task: EditDistance, size: int, chains: int, words: str) -> ChainCount:
    """Return a count of matchings, or 1 if the letters do not matter because edits are free."""
    given = size + task.second_length(size) + 2
    # in a band of width 0, letters can only be replaced
    if not (task.replace and (task.insert + task.delete or not task.inside(0, 1))):
        words = "all inputs have the same table, because edits are free"
        return ChainCount(1, given, words, is_exact=True)
    return ChainCount(chains, given, words)


def _count_arithmetic(task: Task, size: int) -> ChainCount:
    p = cast(Arithmetic, task).p
    return ChainCount(
        count_combs(size, p),
        4 * size,
        "one for each second expression of those in which every operator but the first follows )",
    )


def _count_turing_machine(task: Task, size: int) -> ChainCount:
    task = cast(TuringMachine, task)
    count = count_runs(parse_machine(task.machine).table, size, task.limit)
    require(count.runs > 0, f"no input of {size} cells is known on which the machine halts")
    words = "runs that halt" if count.is_exact else "runs that halt, of those that were followed"
    return ChainCount(count.runs, size + 1, words, count.is_exact)


COUNTS: dict[str, Callable[[Task, int], ChainCount]] = {
    "lis": _count_lis,
    "edit-distance": _count_edit_distance,
    "banded-edit-distance": _count_banded_edit_distance,
    "arithmetic": _count_arithmetic,
    "turing-machine": _count_turing_machine,
}
"""Task name -> count."""
