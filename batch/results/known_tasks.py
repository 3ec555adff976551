"""The tasks of a batch: parameters, verdicts and bounds of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["KNOWN_TASKS", "NOTHING_YET", "TASKS", "VERDICTS", "KnownTask", "Task"]

Task = Literal["decide", "dim", "fit", "margin", "rank", "verify"]
TASKS: tuple[Task, ...] = get_args(Task)
"""The tasks of a batch."""


@dataclass(frozen=True, slots=True)
class KnownTask:
    """One task of a batch.

    Attributes
    ----------
    verdicts : tuple of str
        Any task may also end with ERROR. The last verdict is that of an instance about which
        nothing is proven yet.
    parameters : tuple of str
        Attributes of `samapprox.batch.Question` that belong to this task besides those of every
        task.
    required : tuple of str
        The parameters that have no default.
    measure : str
        The number that the bounds of a result are about.
    short : str
        The same as the head of a column.
    """

    verdicts: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    measure: str = "the weak dimension"
    short: str = "least d"


_BOUNDED = ("EXACT", "INTERVAL")

KNOWN_TASKS: dict[Task, KnownTask] = {
    "decide": KnownTask(("YES", "NO", "UNKNOWN"), ("d", "d_hid", "similarity"), ("d",)),
    "dim": KnownTask(_BOUNDED, ("similarity",)),
    "fit": KnownTask(
        _BOUNDED,
        ("d", "unit", "similarity"),
        ("d",),
        measure="the least number of wrong rows or entries",
        short="wrong",
    ),
    "margin": KnownTask(
        ("EXACT", "UNBOUNDED", "INTERVAL"),
        ("d",),
        measure="the largest margin",
        short="margin",
    ),
    "rank": KnownTask(_BOUNDED, ("kind",), measure="the least rank", short="rank"),
    "verify": KnownTask(("VALID", "INVALID", "NONE"), ("certificates",), ("certificates",)),
}

VERDICTS = {task: known.verdicts for task, known in KNOWN_TASKS.items()}
"""The verdicts of each task; any task may end with ERROR.

UNBOUNDED: every margin can be reached. NONE: there is no certificate."""

NOTHING_YET = {task: known.verdicts[-1] for task, known in KNOWN_TASKS.items()}
"""The verdict of each task before anything is proven."""
