"""Reasoning tasks as chains of thought: one task per module, and one line in `TASKS`."""

from samapprox.reductions.reasoning.base import Chain
from samapprox.reductions.reasoning.known_tasks import TASKS
from samapprox.support.lazy import lazy_modules

__all__ = ["TASKS", "Chain"]

__getattr__, __dir__ = lazy_modules(__name__)
