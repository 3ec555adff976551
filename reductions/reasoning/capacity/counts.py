"""The known counts of different chains, one for each task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import cast

from samapprox.errors import InputError
from samapprox.reductions.reasoning.base import Task
from samapprox.reductions.reasoning.capacity.distinct_chains import (
    count_lis_tables,
    count_placements,
)
from samapprox.reductions.reasoning.edit_distance import LETTERS, EditDistance

__all__ = ["COUNTS", "ChainCount", "count_chains"]


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


def count_chains(task: Task, size: int) -> ChainCount:
    """Count the different chains of a task for inputs of a size.

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
    >>> from samapprox.reductions.reasoning import parse_task
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
        f"one for each partition of {size} elements, Bell({size})",
        is_exact=True,
    )


def _count_edit_distance(task: Task, size: int) -> ChainCount:
    task = cast(EditDistance, task)
    columns = task.second_length(size)
    rows = min(size, LETTERS - 1)
    given = size + columns + 2
    if not (task.replace and task.insert + task.delete):
        return ChainCount(1, given, "no bound: replacing a letter is free")
    return ChainCount(
        count_placements(rows, columns),
        given,
        f"one for each way to match some of {rows} different letters with some of {columns}",
    )


COUNTS: dict[str, Callable[[Task, int], ChainCount]] = {
    "lis": _count_lis,
    "edit-distance": _count_edit_distance,
}
"""Task name -> count."""
