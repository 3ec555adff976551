"""Evaluation of the leading coordinates of embeddings, as Matryoshka models are cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.results.evaluation import Allowance
from samapprox.results.truncation import Truncation, TruncationCurve
from samapprox.similarities import SimilarityLike, find_similarity
from samapprox.solvers.questions.evaluation.evaluate import evaluate_joined
from samapprox.solvers.questions.evaluation.joining import Joined
from samapprox.solvers.questions.evaluation.rankings import Ranking, rank_keys
from samapprox.solvers.questions.evaluation.retrieval_measures import Qrels, compute_measures
from samapprox.support.progress import OnProgress, Progress

__all__ = ["evaluate_truncations"]


def evaluate_truncations(
    joined: Joined,
    lengths: Sequence[int],
    *,
    similarity: SimilarityLike,
    bound: Callable[[Pattern, int], Allowance],
    grades: Qrels | None = None,
    measures: Sequence[Any] | None = None,
    progress: OnProgress | None = None,
) -> TruncationCurve:
    """Evaluate vectors that are cut to each of some lengths, ascending.

    Cosines are those of the cut vectors, which is to renormalise them. `bound` bounds the right
    rows in a dimension. `measures` are computed by ir_measures on the exact ranking, whose ties it
    breaks by ids; `grades` of queries and documents are those of the pattern unless given. Raises
    InputError: a length below 1 or above the dimension, or the same twice.
    """
    record = find_similarity(similarity)
    d = joined.keys.shape[1]
    for length in lengths:
        if not 1 <= length <= d:
            raise InputError(f"vectors of dimension {d} cannot be cut to length {length}")
    if not lengths or len(set(lengths)) < len(lengths):
        raise InputError("give different lengths, at least one")
    found = []
    for place, length in enumerate(sorted(lengths)):
        if progress is not None:
            progress(Progress(f"length {length}", share=place / len(lengths)))
        cut = replace(joined, queries=joined.queries[:, :length], keys=joined.keys[:, :length])
        try:
            evaluation = evaluate_joined(cut, [record])[record.name]
        except InputError as error:
            raise error.within(f"length {length}") from None
        allowance = bound(cut.pattern, length)
        known = Allowance(max(allowance.least, evaluation.count), allowance.most)
        scores = None if measures is None else _measure(cut, record.name, measures, grades)
        found.append(Truncation(evaluation, known, scores))
    return TruncationCurve(tuple(found))


def _measure(
    joined: Joined, similarity: str, measures: Sequence[Any], grades: Qrels | None
) -> dict[str, float]:
    """Compute measures on the exact ranking."""
    pattern = joined.pattern
    queries = pattern.row_names or tuple(map(str, range(pattern.shape[0])))
    documents = pattern.column_names or tuple(map(str, range(pattern.shape[1])))
    cutoffs = [measure.params.get("cutoff") for measure in measures]
    depth = len(documents) if None in cutoffs else max(cutoffs)
    rankings = rank_keys(joined, similarity, depth)
    run = {
        query: _write_scores(ranking, documents)
        for query, ranking in zip(queries, rankings, strict=True)
    }
    if grades is None:
        return compute_measures(measures, _ones(pattern, queries, documents), run)
    return compute_measures(measures, {query: grades[query] for query in queries}, run)


def _write_scores(ranking: Ranking, documents: Sequence[str]) -> dict[str, float]:
    """Write a ranking as scores that float32 holds: equal for ties, and else descending."""
    pairs = zip(ranking.keys.tolist(), ranking.places.tolist(), strict=True)
    return {documents[key]: -float(place) for key, place in pairs}


def _ones(
    pattern: Pattern, queries: Sequence[str], documents: Sequence[str]
) -> Mapping[str, Mapping[str, int]]:
    """Return the ones of a pattern as grades."""
    every = range(pattern.shape[1])
    return {
        query: {documents[column]: 1 for column in every if entries[column] == 1}
        for query, entries in (
            (name, pattern.block(row, row + 1)[0]) for row, name in enumerate(queries)
        )
    }
