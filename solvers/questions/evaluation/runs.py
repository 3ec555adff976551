"""Evaluation of runs: the queries whose relevant documents come first, as trec_eval orders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.formats.runs import Run
from samapprox.grading import Grading
from samapprox.results.run_evaluation import NOT_RETRIEVED, RunEvaluation
from samapprox.solvers.questions.evaluation.retrieval_measures import compute_measures
from samapprox.support.text import plural

__all__ = ["evaluate_run", "order_documents"]

_MOST_NAMED = 3
"""Queries that a message names."""


def evaluate_run(
    judgements: Judgements,
    run: Run,
    grading: Grading | None = None,
    measures: Sequence[Any] | None = None,
    *,
    skip_missing: bool = False,
) -> RunEvaluation:
    """Find the queries of a run whose relevant documents all come before the others.

    Documents are ordered as trec_eval does: by score, compared in float32, then by id, both
    descending. `measures` of `retrieval_measures.parse_measures` are computed, too. Raises
    InputError: queries without judgements, which are named and counted unless `skip_missing` leaves
    them out, or judgements without a relevant document.
    """
    grading = grading or Grading()
    qrels = judgements.by_query()
    unknown = [query for query in run.scores if query not in qrels]
    if unknown and not skip_missing:
        first = ", ".join(map(repr, unknown[:_MOST_NAMED]))
        more = ", .." if len(unknown) > _MOST_NAMED else ""
        raise InputError(
            f"{run.source}: {len(unknown)} of {plural(len(run.scores), 'query')} have no "
            f"judgement: {first}{more}; leave them out by --skip-missing"
        )
    queries, relevant, depths = [], [], []
    for query, grades in qrels.items():
        ones = {document for document, grade in grades.items() if grade >= grading.relevant}
        if ones:
            scores = run.scores.get(query, {})
            if grading.unjudged == "unspecified":
                scores = {document: scores[document] for document in scores if document in grades}
            queries.append(query)
            relevant.append(len(ones))
            depths.append(_find_depth(scores, ones))
    if not queries:
        raise InputError(
            f"no query has a relevant document (a grade of {grading.relevant} or more)"
        )
    return RunEvaluation(
        run.source,
        tuple(queries),
        np.array(relevant, dtype=np.int64),
        np.array(depths, dtype=np.int64),
        unasked=len(unknown),
        unanswered=sum(query not in run.scores for query in queries),
        measures=None if measures is None else compute_measures(measures, qrels, run.scores),
    )


def order_documents(scores: Mapping[str, float]) -> list[str]:
    """Return documents as trec_eval orders them: by score in float32, then by id, descending.

    >>> order_documents({"a": 1.0, "b": 1.0, "c": 2.0, "d": 1.0 + 1e-12})
    ['c', 'd', 'b', 'a']
    """
    with np.errstate(over="ignore"):  # trec_eval makes infinities of them, too
        single = np.array(list(scores.values()), dtype=np.float64).astype(np.float32)
    pairs = sorted(zip(single.tolist(), scores, strict=True), reverse=True)
    return [document for _, document in pairs]


def _find_depth(scores: Mapping[str, float], ones: set[str]) -> int:
    """Return the rank of the last relevant document, from 1."""
    if not ones <= scores.keys():
        return NOT_RETRIEVED
    ordered = order_documents(scores)
    return max(rank for rank, document in enumerate(ordered, start=1) if document in ones)
