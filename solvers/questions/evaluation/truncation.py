"""Evaluation of the leading coordinates of embeddings, as Matryoshka models are cut.

Measures of retrieval need the keys of highest score in order, which is exact for the given floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, errors_within
from samapprox.pattern import Pattern
from samapprox.results.comparisons import Allowance
from samapprox.results.truncation import Truncation, TruncationCurve
from samapprox.similarities import SimilarityLike, find_similarity
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.questions.evaluation.evaluate import evaluate_joined
from samapprox.solvers.questions.evaluation.joining import Joined
from samapprox.solvers.questions.evaluation.passes import (
    Chunk,
    SingleKeys,
    round_down,
    stream_chunks,
)
from samapprox.solvers.questions.evaluation.runs import Qrels, compute_measures
from samapprox.solvers.questions.evaluation.scores import (
    ExactComparisons,
    ExactScores,
    QueryBlock,
    ScaledVectors,
    make_formula,
)
from samapprox.support.arrays import Indices
from samapprox.support.parallel import cores, run_tasks
from samapprox.support.progress import OnProgress, Progress

_HEIGHT = 256
"""Queries in a block, as in evaluations."""

_MOST_RANKED = 1 << 22
"""Candidates of a block, about: deep rankings have fewer queries in a block, to save memory."""

_NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranking:
    """The first keys of a query, best first; keys with equal scores have equal `places`."""

    keys: Indices
    places: Indices


def rank_keys(joined: Joined, similarity: SimilarityLike, depth: int) -> list[_Ranking]:
    """Rank at least the `depth` keys of highest score for each query, ties included.

    Scores in float32 choose the candidates, those in float64 order them where the bounds on their
    errors allow it, and fractions order the rest.

    >>> from samapprox import Pattern
    >>> joined = Joined(Pattern([[1, 0, 0]]), np.array([[1.0]]), np.array([[2.0], [3.0], [2.0]]))
    >>> [(found.keys.tolist(), found.places.tolist()) for found in rank_keys(joined, "dot", 2)]
    [([1, 0, 2], [0, 1, 1])]
    """
    record = find_similarity(similarity)
    queries, keys = ScaledVectors(joined.queries), ScaledVectors(joined.keys)
    scores = ExactScores(joined.queries, joined.keys, record)
    count, depth = len(joined.queries), min(depth, len(joined.keys))
    height = max(1, min(_HEIGHT, _MOST_RANKED // depth))
    single = SingleKeys(keys, uses=-(-count // height))
    found: list[_Ranking] = [_Ranking(_NOTHING, _NOTHING)] * count

    def rank_block(start: int) -> None:
        stop = min(start + height, count)
        block = QueryBlock(queries, keys, start, stop)
        formula = make_formula(record, keys, block.exponent)
        exact = ExactComparisons(block, formula, scores)
        best = _Candidates(exact, depth)
        for _, chunk in stream_chunks(block, single, [formula], (_NOTHING, _NOTHING)):
            best.take(chunk)
        rows, columns = best.chosen()
        for row, (first, last) in enumerate(zip(*_bounds(rows, stop - start), strict=True)):
            found[start + row] = _order(exact, row, columns[first:last])

    with one_blas_thread():
        run_tasks(-(-count // height), lambda _, task: rank_block(task * height), threads=cores())
    return found


class _Candidates:
    """The keys that may be among the first ones of each query of a block."""

    def __init__(self, exact: ExactComparisons, depth: int) -> None:
        height = len(exact.block.scaled)
        self._errors = exact.block.error_in_single(exact.formula)
        self._best = np.full((height, depth), -np.inf, dtype=np.float32)
        self._parts: list[tuple[Indices, Indices, NDArray[np.float32]]] = []

    def take(self, chunk: Chunk) -> None:
        """Keep the keys whose scores may be among the highest so far."""
        depth = self._best.shape[1]
        both = np.concatenate([self._best, chunk.scores], axis=1)
        self._best = np.partition(both, -depth, axis=1)[:, -depth:]
        rows, columns = np.nonzero(chunk.scores >= self._floors()[:, None])
        self._parts.append((rows, columns + chunk.start, chunk.scores[rows, columns]))

    def chosen(self) -> tuple[Indices, Indices]:
        """Return rows and keys, by rows."""
        rows, columns, scores = map(np.concatenate, zip(*self._parts, strict=True))
        kept = scores >= self._floors()[rows]
        order = np.argsort(rows[kept], kind="stable")
        return rows[kept][order], columns[kept][order]

    def _floors(self) -> NDArray[np.float32]:
        """Return the scores below which keys are certainly beaten by enough others."""
        return round_down(self._best.min(axis=1).astype(np.float64) - 2 * self._errors)


def _bounds(rows: Indices, height: int) -> tuple[Indices, Indices]:
    places = np.arange(height)
    return np.searchsorted(rows, places), np.searchsorted(rows, places, side="right")


def _order(exact: ExactComparisons, row: int, columns: Indices) -> _Ranking:
    """Order the candidates of a query."""
    scores, errors = exact.block.scores(exact.formula, np.full(len(columns), row), columns)
    order = np.argsort(-scores, kind="stable")
    columns, scores, errors = columns[order], scores[order], errors[order]
    lowest = np.minimum.accumulate(scores - errors)
    highest = np.maximum.accumulate((scores + errors)[::-1])[::-1]
    starts = np.append(0, np.flatnonzero(lowest[:-1] > highest[1:]) + 1)
    keys, places = columns.copy(), np.empty(len(columns), dtype=np.int64)
    place = 0
    for start, stop in zip(starts, np.append(starts[1:], len(columns)), strict=True):
        ranked = _group(exact, row, columns[start:stop])
        filled = start
        for group in ranked:
            keys[filled : filled + len(group)] = group
            places[filled : filled + len(group)] = place
            filled, place = filled + len(group), place + 1
    return _Ranking(keys, places)


def _group(exact: ExactComparisons, row: int, columns: Indices) -> list[list[int]]:
    """Return keys of nearly equal scores in groups of equal ones, the best first."""
    if len(columns) == 1:
        return [columns.tolist()]
    groups: dict[Fraction, list[int]] = {}
    for key in np.sort(columns).tolist():
        groups.setdefault(exact.score(row, key), []).append(key)
    return [groups[score] for score in sorted(groups, reverse=True)]


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
        with errors_within(f"length {length}"):
            evaluation = evaluate_joined(cut, [record])[record.name]
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


def _write_scores(ranking: _Ranking, documents: Sequence[str]) -> dict[str, float]:
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
