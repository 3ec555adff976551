"""The known counts of different chains, one for each task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, log2
from typing import cast

from samapprox.attention.reasoning.arithmetic import Arithmetic
from samapprox.attention.reasoning.banded_edit_distance import BandedEditDistance
from samapprox.attention.reasoning.base import Task
from samapprox.attention.reasoning.capacity.distinct_chains import (
    count_band_placements,
    count_combs,
    count_lis_tables,
    count_placements,
)
from samapprox.attention.reasoning.capacity.runs import count_runs
from samapprox.attention.reasoning.edit_distance import LETTERS, EditDistance
from samapprox.attention.reasoning.machines import parse_machine
from samapprox.attention.reasoning.turing_machine import TuringMachine
from samapprox.errors import InputError
from samapprox.support.parameters import require

__all__ = ["COUNTS", "ChainCount", "count_chains"]

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
    size : int

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
