"""Many instances: a runner with hard limits, result files, expectations."""

from samapprox.batch.outcome import VERDICTS, Outcome
from samapprox.batch.question import TASKS, Question
from samapprox.batch.store import Evidence, Store

__all__ = ["TASKS", "VERDICTS", "Evidence", "Outcome", "Question", "Store"]
