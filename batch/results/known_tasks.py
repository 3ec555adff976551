"""The tasks of a batch: what answers each, its verdicts, its parameters, and what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Literal, get_args

Task = Literal[
    "decide", "dim", "evaluate", "fit", "margin", "rank", "verify", "orthogonal", "furthest"
]
TASKS: tuple[Task, ...] = get_args(Task)
"""The tasks of a batch."""


@dataclass(frozen=True, slots=True)
class KnownTask:
    """All that a batch knows about one of its tasks."""

    solver: str  # the import string of the function that answers it
    verdicts: tuple[str, ...]  # besides ERROR; the last one: nothing is proven yet
    parameters: tuple[str, ...] = ()  # attributes of `Question` besides those of every task
    required: tuple[str, ...] = ()  # parameters that have no default
    measure: str = "the weak dimension"  # the number that the bounds of a result are about
    short: str = "least d"  # the same as the head of a column
    counts: bool = False  # whether a summary counts the instances with each value of this number
    is_whole: bool = True  # whether this number is a whole one
    about_vectors: bool = False  # whether instances are sets of vectors, not patterns


_TASKS = "samapprox.batch.workers.tasks"
_VECTORS = "samapprox.batch.workers.vectors"
_BOUNDED = ("EXACT", "INTERVAL")

KNOWN_TASKS: dict[Task, KnownTask] = {
    "decide": KnownTask(
        f"{_TASKS}:decide", ("YES", "NO", "UNKNOWN"), ("d", "d_hid", "similarity"), required=("d",)
    ),
    "dim": KnownTask(
        f"{_TASKS}:find_dimension", _BOUNDED, ("similarity", "arithmetic"), counts=True
    ),
    "evaluate": KnownTask(
        f"{_VECTORS}:evaluate",
        ("EXACT", "NONE"),
        ("embeddings", "runs", "similarity", "at"),
        measure="the number of wrong rows of given vectors or of a run",
        short="wrong",
        counts=True,
    ),
    "fit": KnownTask(
        f"{_TASKS}:find_fit",
        _BOUNDED,
        ("d", "unit", "similarity", "at"),
        required=("d",),
        measure="the least number of wrong rows or entries",
        short="wrong",
        counts=True,
    ),
    "margin": KnownTask(
        f"{_TASKS}:find_margin",
        ("EXACT", "UNBOUNDED", "INTERVAL"),
        ("d",),
        measure="the largest margin",
        short="margin",
        is_whole=False,
    ),
    "rank": KnownTask(
        f"{_TASKS}:find_rank",
        _BOUNDED,
        ("kind",),
        measure="the least rank",
        short="rank",
        counts=True,
    ),
    "verify": KnownTask(
        f"{_TASKS}:verify",
        ("VALID", "INVALID", "NONE"),
        ("certificates",),
        required=("certificates",),
    ),
    "orthogonal": KnownTask(
        f"{_VECTORS}:find_orthogonal",
        ("YES", "NO", "INVALID", "UNKNOWN"),
        measure="the number of orthogonal pairs",
        short="pairs",
        counts=True,
        about_vectors=True,
    ),
    "furthest": KnownTask(
        f"{_VECTORS}:find_furthest",
        ("EXACT", "INVALID", "INTERVAL"),
        ("graph", "layers", "relabel"),
        measure="the share of vectors whose furthest one is found",
        short="recall",
        is_whole=False,
        about_vectors=True,
    ),
}

VERDICTS = {task: known.verdicts for task, known in KNOWN_TASKS.items()}
"""The verdicts of each task; any task may end with ERROR.

UNBOUNDED: every margin can be reached. NONE: there is no certificate, or there are no vectors.
INVALID: a certificate, or what a set of vectors states about itself, is wrong.
"""

EVERY_VERDICT = (*dict.fromkeys(chain.from_iterable(VERDICTS.values())), "ERROR")
"""All verdicts, in the order in which tables show them."""

NOTHING_YET = {task: known.verdicts[-1] for task, known in KNOWN_TASKS.items()}
"""The verdict of each task before anything is proven."""
