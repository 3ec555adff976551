"""The result of one entry for a question, in any process."""

from __future__ import annotations

import time
from contextlib import suppress

from samapprox.batch.results.known_tasks import Task
from samapprox.batch.results.outcome import Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.entry import Entry, HoldsStacks
from samapprox.batch.workers.memory import forget_peak, peak
from samapprox.batch.workers.provisional import Progress, about, as_error, bare
from samapprox.batch.workers.tasks import solve
from samapprox.errors import InputError
from samapprox.instance import Instance

__all__ = ["answer", "load_entry"]


def answer(entry: Entry, question: Question, progress: Progress) -> Outcome:
    """Load an entry and answer the question about it.

    Parameters
    ----------
    entry : Entry
    question : Question
    progress : callable
        Receives a provisional result once the pattern is loaded; then whenever a bound improves,
        and for ``decide`` the trail every half second.

    Returns
    -------
    Outcome
        Any failure gives the verdict ERROR, so that the run continues.

    Raises
    ------
    HoldsStacks
        The entry is a file with stacks; its matrices are instances of their own.

    Examples
    --------
    >>> from samapprox.batch.sets.entry import Generated
    >>> entry = Entry("line", "", Generated("line", {"rows": 4, "columns": 5}))
    >>> found = answer(entry, Question("dim"), progress=lambda so_far: None)
    >>> found.verdict, found.lower, found.upper, found.known
    ('EXACT', 1, 1, None)
    """
    forget_peak()
    start = time.perf_counter()
    instance = load_entry(entry, question)
    if isinstance(instance, Outcome):
        return instance
    first = about(entry, question, instance)
    progress(first)
    try:
        found = solve(first, question, instance.pattern, progress)
    except Exception as error:
        found = as_error(first, error)
    return found._replace(seconds=time.perf_counter() - start, memory=peak())


def load_entry(entry: Entry, question: Question) -> Instance | Outcome:
    """Load an entry as the question sees it.

    Parameters
    ----------
    entry : Entry
    question : Question

    Returns
    -------
    Instance or Outcome
        A result with the verdict ERROR if the entry cannot be loaded.

    Raises
    ------
    HoldsStacks
        See `answer`.
    """
    start = time.perf_counter()
    try:
        instance = _load(entry.graded(question.grading), question.task)
        return instance.causal() if question.causal else instance
    except HoldsStacks:
        raise
    except Exception as error:
        outcome = as_error(bare(entry), error)
        return outcome._replace(seconds=time.perf_counter() - start)


def _load(entry: Entry, task: Task) -> Instance:
    """Load a pattern; for ranks a sign matrix, and to verify certificates what the file holds."""
    if task == "verify":
        with suppress(InputError):
            return entry.load()
    return entry.load(signs=task in ("rank", "verify"))
