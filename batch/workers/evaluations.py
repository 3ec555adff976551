"""The task ``evaluate``: the rows that given vectors, or the run of a retrieval system, get wrong.

For a run, `Outcome.answer` also holds shares of queries by depth, and measures of retrieval.
"""

from __future__ import annotations

import json
from typing import Any

from samapprox.batch.results.outcome import OnOutcome, Outcome
from samapprox.batch.results.question import Question
from samapprox.batch.sets.named_files import JudgedRun, load_vectors_of
from samapprox.errors import InputError
from samapprox.pattern import Pattern

__all__ = ["evaluate"]

_KEPT = ("queries", "right", "unasked", "unanswered", "measures", "within")
"""The members of the document of a run that a result keeps: all but the list of wrong queries."""


def evaluate(
    first: Outcome, question: Question, subject: Pattern | JudgedRun | None, _progress: OnOutcome
) -> Outcome:
    """Count wrong rows, perhaps at K; NONE if the folder has no vectors or no run of this name."""
    if subject is None:
        return first
    if isinstance(subject, Pattern):
        return _evaluate_vectors(first, question, subject)
    return _evaluate_run(first, question, subject)


def _evaluate_vectors(first: Outcome, question: Question, pattern: Pattern) -> Outcome:
    """Count the rows that given vectors get wrong."""
    from samapprox.solvers.questions.evaluation.evaluate import evaluate

    assert question.embeddings is not None
    vectors = load_vectors_of(first.name, question.embeddings)
    if vectors is None or vectors.second is None:
        return first
    found = evaluate(
        pattern,
        vectors.first,
        vectors.second,
        query_ids=vectors.first_ids,
        document_ids=vectors.second_ids,
        similarity=question.similarity,
        unjudged=question.unjudged,
    )
    right = found.count if question.at is None else found.count_within(question.at)
    wrong = pattern.shape[0] - right
    return first._replace(verdict="EXACT", lower=wrong, upper=wrong)


def _evaluate_run(first: Outcome, question: Question, given: JudgedRun) -> Outcome:
    """Count the queries that a run gets wrong; those without judgements are left out."""
    from samapprox.solvers.questions.evaluation.runs import evaluate_run

    judgements, run = given
    measures = _usual_measures(question.relevant)
    found = evaluate_run(judgements, run, question.grading, measures, skip_missing=True)
    if found.unasked == len(run.scores):
        raise InputError(f"{run.source}: no query of this run has judgements")
    right = found.count if question.at is None else found.count_within(question.at)
    wrong = len(found.queries) - right
    document = found.to_json()
    answer = json.dumps({member: document[member] for member in _KEPT})
    return first._replace(verdict="EXACT", lower=wrong, upper=wrong, answer=answer)


def _usual_measures(relevant: int) -> list[Any] | None:
    """Return the measures that `fit --run` computes, too; None without ir_measures."""
    from samapprox.solvers.questions.evaluation.runs import (
        DEFAULT_MEASURES,
        parse_measures,
    )

    try:
        return parse_measures(DEFAULT_MEASURES, relevant)
    except InputError:
        return None
