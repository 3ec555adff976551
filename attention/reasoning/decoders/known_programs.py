"""The known dynamic programmes."""

from __future__ import annotations

from typing import cast

from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.decoders.program import Program
from samapprox.errors import InputError
from samapprox.support.lookup import look_up

__all__ = ["PROGRAMS", "make_program"]

_HERE = "samapprox.attention.reasoning.decoders"

PROGRAMS = {
    "edit-distance": f"{_HERE}.edit_distance:EditDistanceProgram",
}
"""Task name -> module and class, imported when used."""


def make_program(task: Task, chain: Chain) -> Program:
    """Return the programme of a task for inputs of the lengths that the input of a chain has.

    Raises
    ------
    InputError
        No programme for this task.

    Examples
    --------
    >>> from samapprox.attention.reasoning.edit_distance import EditDistance
    >>> task = EditDistance()
    >>> make_program(task, task.chain(task.parse("kitten sitting"))).length
    65
    """
    if task.name not in PROGRAMS:
        raise InputError(
            f"no decoder is known for the task {task.name}; there are: {', '.join(PROGRAMS)}"
        )
    kind = cast("type[Program]", look_up(task.name, PROGRAMS, "programme"))
    return kind.for_chain(task, chain)
