"""Batches of instances: a runner with hard limits, result files, reports, expectations."""

from samapprox.batch.expectations import (
    KINDS,
    Failure,
    failures_of,
    judge,
    require_match,
    with_earlier,
)
from samapprox.batch.results.export import export, require_exportable
from samapprox.batch.results.known_tasks import TASKS, VERDICTS, Task
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.results.store import Evidence, Store
from samapprox.batch.runner import Listener, Run, run
from samapprox.batch.sets.sets import InstanceSet, open_set, spool
from samapprox.batch.summary import Junit, Recall, Summary, markdown, summarize
from samapprox.support.packages import lazy_modules

__all__ = [
    "KINDS",
    "TASKS",
    "VERDICTS",
    "Evidence",
    "Failure",
    "InstanceSet",
    "Junit",
    "Listener",
    "Outcome",
    "Question",
    "Recall",
    "Run",
    "Store",
    "Summary",
    "Task",
    "export",
    "failures_of",
    "judge",
    "markdown",
    "open_set",
    "require_exportable",
    "require_match",
    "run",
    "spool",
    "summarize",
    "with_earlier",
]

__getattr__, __dir__ = lazy_modules(__name__)
