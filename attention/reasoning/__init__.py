"""Reasoning tasks as chains of thought: one task per module, and one line in `TASKS`."""

from samapprox.attention.reasoning.base import Chain, Task
from samapprox.attention.reasoning.known_tasks import TASKS, make_task, parse_task
from samapprox.support.packages import lazy_modules

__all__ = ["TASKS", "Chain", "Task", "make_task", "parse_task"]

__getattr__, __dir__ = lazy_modules(__name__)
