"""The known dynamic programmes."""

from __future__ import annotations

from typing import cast

from samapprox.errors import InputError
from samapprox.reductions.reasoning.base import Task
from samapprox.reductions.reasoning.decoders.program import Program
from samapprox.support.lookup import look_up

__all__ = ["PROGRAMS", "make_program"]

_HERE = "samapprox.reductions.reasoning.decoders"

PROGRAMS = {
    "edit-distance": f"{_HERE}.edit_distance:EditDistanceProgram",
}
"""Task name -> module and class, imported when used."""


def make_program(task: Task, size: int) -> Program:
    """Return the programme of a task for random instances of a size.

    Raises
    ------
    InputError
        A task without one, or a size out of range.

    Examples
    --------
    >>> from samapprox.reductions.reasoning.edit_distance import EditDistance
    >>> make_program(EditDistance(), 20).length
    506
    """
    if task.name not in PROGRAMS:
        raise InputError(
            f"no decoder is built for the task {task.name}; there are: {', '.join(PROGRAMS)}"
        )
    task.check_size(size)
    kind = cast("type[Program]", look_up(task.name, PROGRAMS, "programme"))
    return kind.for_size(task, size)
