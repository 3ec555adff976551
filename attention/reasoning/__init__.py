"""Reasoning tasks as chains of thought: one task per module, and one line in `TASKS`."""

from typing import TYPE_CHECKING

from samapprox.support.lazy import lazy_names

if TYPE_CHECKING:
    from samapprox.attention.reasoning.base import Chain, Task
    from samapprox.attention.reasoning.known_tasks import TASKS, make_task, parse_task

__all__ = [
    "TASKS",
    "Chain",
    "Task",
    "make_task",
    "parse_task",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        base=(
            "Chain",
            "Task",
        ),
        known_tasks=(
            "TASKS",
            "make_task",
            "parse_task",
        ),
    )
