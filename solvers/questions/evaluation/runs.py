"""Evaluation of runs: measures of retrieval, and queries whose relevant documents come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from samapprox.errors import InputError
from samapprox.formats.judgements import Judgements
from samapprox.formats.runs import Run
from samapprox.instance import Grading
from samapprox.results.run_evaluation import NOT_RETRIEVED, RunEvaluation
from samapprox.support.packages import require_package
from samapprox.support.text import plural

_MOST_NAMED = 3
"""Queries that a message names."""

DEFAULT_MEASURES = ("R@10", "R@100", "nDCG@10", "RR")
"""Recall, normalised discounted cumulative gain, and the mean reciprocal rank."""

Qrels = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]


def parse_measures(names: Sequence[str], relevant: int = 1) -> list[Any]:
    """Return measures by the names that ir_measures gives them.

    Measures with a least relevant grade of their own, such as recall, take `relevant` for it unless
    the name states another. Raises InputError: ir_measures is missing, or knows no such measure.
    """
    ir_measures = require_package("ir_measures", "retrieval", "computing recall, nDCG and MRR")
    return [_parse_measure(ir_measures, name, relevant) for name in names]


def _parse_measure(ir_measures: Any, name: str, relevant: int) -> Any:
    try:
        measure = ir_measures.parse_measure(name)
        supported = getattr(measure, "SUPPORTED_PARAMS", {})
        if relevant > 1 and "rel" in supported and "rel" not in measure.params:
            measure = measure(rel=relevant)
        measure.validate_params()
    except (NameError, ValueError, AssertionError, SyntaxError, TypeError) as error:
        raise InputError(f"{name!r} is no measure of ir_measures: {error}") from None
    return measure


def compute_measures(measures: Sequence[Any], qrels: Qrels, run: Scores) -> dict[str, float]:
    """Return the means over all judged queries, by name, exactly as ir_measures computes them."""
    ir_measures = require_package("ir_measures", "retrieval", "computing recall, nDCG and MRR")
    try:
        found = ir_measures.calc_aggregate(measures, qrels, run)
    except (ValueError, RuntimeError) as error:
        raise InputError(f"ir_measures cannot compute this: {error}") from None
    return {str(measure): float(found[measure]) for measure in measures}


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
        without_relevant=len(qrels) - len(queries),
        measures=None if measures is None else compute_measures(measures, qrels, run.scores),
    )


def _order_documents(scores: Mapping[str, float]) -> list[str]:
    """Return documents as trec_eval orders them: by score in float32, then by id, descending.

    >>> _order_documents({"a": 1.0, "b": 1.0, "c": 2.0, "d": 1.0 + 1e-12})
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
    ordered = _order_documents(scores)
    return max(rank for rank, document in enumerate(ordered, start=1) if document in ones)
