"""The known reasoning tasks, by name and by a line of text."""

from __future__ import annotations

from dataclasses import fields
from typing import cast, get_type_hints

from samapprox.attention.reasoning.base import Task
from samapprox.errors import InputError, errors_within
from samapprox.support.packages import look_up
from samapprox.support.parameters import number, parse_spec, require_known

_HERE = "samapprox.attention.reasoning"

TASKS: dict[str, str] = {
    "lis": f"{_HERE}.lis:LongestIncreasingSubsequence",
    "edit-distance": f"{_HERE}.edit_distance:EditDistance",
    "banded-edit-distance": f"{_HERE}.edit_distance:BandedEditDistance",
    "arithmetic": f"{_HERE}.arithmetic:Arithmetic",
    "turing-machine": f"{_HERE}.turing_machine:TuringMachine",
}
"""Task name -> module and class, imported when used."""


def task_class(name: str) -> type[Task]:
    """Return the class of a task."""
    return cast(type[Task], look_up(name, TASKS, "task"))


def make_task(name: str, /, **parameters: int | str) -> Task:
    """Return the task of this name with these parameters.

    Parameters
    ----------
    name : str
        Name of a task, such as "lis" or "edit-distance".
    **parameters
        Those of the task; the others have their defaults.

    Returns
    -------
    Task
        The task, which generates and replays chains.

    Raises
    ------
    InputError
        No such task or parameter, or a value out of range.

    Examples
    --------
    >>> make_task("edit-distance", replace=1)
    EditDistance(insert=2, delete=2, replace=1, letters=8)
    """
    kind = task_class(name)
    known = [field.name for field in fields(kind)]
    require_known(name, name, dict.fromkeys(parameters, ""), known)
    types = get_type_hints(kind)
    for key, value in parameters.items():
        if type(value) is not types[key]:
            wanted = "a whole number" if types[key] is int else "text"
            raise InputError(f"{name}: {key} must be {wanted}, not {value!r}")
    with errors_within(name):
        return kind(**parameters)


def parse_task(text: str) -> Task:
    """Return the task that a line of text describes.

    Parameters
    ----------
    text : str
        ``name`` or ``name:key=value,key=value``.

    Returns
    -------
    Task
        The task, which generates and replays chains.

    Raises
    ------
    InputError
        An unknown name (with the list) or parameter, or a value out of range.

    Examples
    --------
    >>> parse_task("edit-distance:insert=1,delete=1").parameters
    {'insert': 1, 'delete': 1, 'replace': 3, 'letters': 8}
    """
    name, given = parse_spec(text)
    types = get_type_hints(task_class(name))
    return make_task(
        name,
        **{
            key: int(number(text, key, value, int)) if types.get(key) is int else value
            for key, value in given.items()
        },
    )
