"""Runs over sets without worker processes, for tests that are about answers alone."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TypeVar

from samapprox.batch import Outcome, Question
from samapprox.batch.results.outcome import OnOutcome
from samapprox.batch.workers.groups import answers
from samapprox.batch.workers.pool import Work

__all__ = ["InProcess"]

T = TypeVar("T")


class InProcess:
    """Stands in for a pool of one worker; a run has no other limits than those of its searches.

    A worker imports for longer than most tests search. Messages are pickled, as in pipes.
    """

    def __init__(self, question: Question, _jobs: int, progress: OnOutcome) -> None:
        self._question = question
        self._progress = progress

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_exception: object) -> None: ...

    def run(self, work: Work) -> Iterator[list[Outcome]]:
        """Answer one group after another."""

        def progress(outcome: Outcome) -> None:
            self._progress(_send(outcome))

        while (group := work.take()) is not None:
            question, group = _send((self._question, group))
            for found in answers(group, question, progress, work.expand):
                yield _send(found)


def _send(message: T) -> T:
    return pickle.loads(pickle.dumps(message))  # type: ignore[no-any-return]
