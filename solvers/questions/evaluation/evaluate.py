"""Evaluation of given embeddings: the rows that they get right, and by how much others fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, Interrupted, require_callback
from samapprox.formats import PatternLike, as_pattern
from samapprox.instance import Unjudged
from samapprox.results.evaluation import Evaluation
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike, find_similarity
from samapprox.solvers.engine.backends import one_blas_thread
from samapprox.solvers.questions.evaluation.joining import (
    Joined,
    VectorsLike,
    join_by_ids,
    name_vectors,
)
from samapprox.solvers.questions.evaluation.measures import load_measure
from samapprox.solvers.questions.evaluation.passes import SingleKeys, ZerosAbove, stream_chunks
from samapprox.solvers.questions.evaluation.scores import (
    ExactComparisons,
    ExactScores,
    QueryBlock,
    ScaledVectors,
    make_formula,
)
from samapprox.storage.entries import label
from samapprox.storage.matrices import coordinates
from samapprox.support.arrays import Indices
from samapprox.support.parallel import cores, run_tasks
from samapprox.support.progress import OnProgress

_HEIGHT = 256
"""Queries in a block: more share the conversion of keys, fewer keep their scores in the cache."""

_HELD = 1 << 20
"""Ones and don't-cares of a block, on average: larger blocks are faster and take more memory."""

_ROW = np.dtype([("count", np.int64), ("one", np.int64), ("zero", np.int64), ("gap", np.float64)])
"""Results for a row: the zeros above its lowest one, that one, the highest zero, the gap."""


def evaluate(
    entries: PatternLike,
    queries: VectorsLike,
    keys: VectorsLike,
    *,
    similarity: SimilarityLike = ATTENTION,
    query_ids: Sequence[object] | None = None,
    document_ids: Sequence[object] | None = None,
    by_position: bool = False,
    skip_missing: bool = False,
    unjudged: Unjudged = "zero",
    progress: OnProgress | None = None,
) -> Evaluation:
    """Find the rows of a pattern that given embeddings get right, exactly for the given floats.

    A row is right if each of its ones scores strictly higher than each of its zeros, in exact
    arithmetic of the given floats.

    Parameters
    ----------
    entries : path, array_like, scipy sparse matrix, DataFrame, Pattern or Instance, shape (m, n)
        Rows are queries, columns are keys. Where they have names, as those of retrieval judgements
        do, vectors are joined to them by their ids.
    queries : array_like, shape (m, d), dict from ids to vectors, or DataFrame with ids as its index
        float16, bfloat16, float32, float64, or whole numbers up to 2^53.
    keys : array_like, shape (n, d), dict from ids to vectors, or DataFrame with ids as its index
        As the queries.
    similarity : {"dot", "cosine", "l2"}
        The score of a query and a key: their dot product, their cosine, or minus their distance.
    query_ids, document_ids : sequence of str, optional
        The ids of queries and keys in arrays, one a vector.
    by_position : bool
        Vectors without ids stand in the order of the pattern's rows and columns, although these
        have names. Without it, such vectors are refused.
    skip_missing : bool
        Leave out the rows and columns that no vector is given for, which are otherwise refused,
        and then the rows without a one.
    unjudged : {"zero", "unspecified"}
        Keys that are no column of the pattern are zeros in every row, or are left out.
    progress : callable, optional
        Called with a `Progress` between blocks of queries; what it raises stops the evaluation.

    Returns
    -------
    Evaluation
        Counts and gaps of the rows that come out wrong. Where vectors have ids, the columns of its
        pattern stand in the order of the keys.

    Raises
    ------
    InputError
        Shapes or ids that do not fit, NaN or infinite entries, other types, zero vectors under
        "cosine".
    Interrupted
        Ctrl-C; a KeyboardInterrupt that holds the evaluation of the rows that are done.

    Notes
    -----
    2 m n d operations in float32 for products, and some passes over blocks of scores. Where
    bounds on rounding errors leave a comparison open it is made in float64, then in fractions.
    Ones take O(d) each in float64. Memory: O(ones) and a copy of the keys in float32 of at most
    256 MB. The proofs of the bounds are in docs/theory/evaluation.md.

    Examples
    --------
    >>> found = evaluate([[1, 0, 0], [0, 1, 1]], [[1.0], [2.0]], [[3.0], [1.0], [2.0]])
    >>> found.right.tolist(), found.gaps.tolist()
    ([True, False], [4.0])

    >>> from samapprox import Pattern
    >>> judged = Pattern.from_text("10", row_names=["q"], column_names=["a", "b"])
    >>> evaluate(judged, {"q": [1.0]}, {"b": [2.0], "new": [1.0], "a": [3.0]}).share
    1.0
    """
    require_callback("progress", progress)
    chosen = find_similarity(similarity)
    try:
        evaluations = evaluate_all(
            entries,
            queries,
            keys,
            [chosen],
            query_ids=query_ids,
            document_ids=document_ids,
            by_position=by_position,
            skip_missing=skip_missing,
            unjudged=unjudged,
            progress=progress,
        )
    except Interrupted as interrupt:
        raise Interrupted(interrupt.so_far[chosen.name]) from None
    return evaluations[chosen.name]


def evaluate_all(
    entries: PatternLike,
    queries: VectorsLike,
    keys: VectorsLike,
    similarities: Sequence[SimilarityLike],
    *,
    query_ids: Sequence[object] | None = None,
    document_ids: Sequence[object] | None = None,
    progress: OnProgress | None = None,
    **joining: Any,
) -> dict[str, Evaluation]:
    """Evaluate embeddings under several similarities: similarity -> what `evaluate` returns.

    Dot products are computed once for all of them. `joining`: options of `join_by_ids`.
    """
    pattern = as_pattern(entries)
    left = name_vectors(queries, query_ids, "queries")
    right = name_vectors(keys, document_ids, "keys")
    return evaluate_joined(join_by_ids(pattern, left, right, **joining), similarities, progress)


def evaluate_joined(
    joined: Joined, similarities: Sequence[SimilarityLike], progress: OnProgress | None = None
) -> dict[str, Evaluation]:
    """Evaluate vectors that are joined with their pattern, under several similarities."""
    records = tuple(dict.fromkeys(map(find_similarity, similarities)))
    measures = [load_measure(record) for record in records]
    left, right = joined.queries, joined.keys
    if left.shape[1] != right.shape[1]:
        raise InputError(
            f"queries have dimension {left.shape[1]} and keys {right.shape[1]}; they must be the "
            "same"
        )
    if any(measure.NEEDS_DIRECTIONS for measure in measures):
        _require_directions(left, "query", joined.pattern.row_names)
        _require_directions(right, "key", joined.pattern.column_names)
    return _Evaluator(joined, records).run(progress)


class _Evaluator:
    """The evaluation of one pair of embeddings, block by block."""

    def __init__(self, joined: Joined, similarities: tuple[Similarity, ...]) -> None:
        pattern, queries, keys = joined.pattern, joined.queries, joined.keys
        self._pattern, self._similarities = pattern, similarities
        self._coverage = joined.coverage
        self._queries, self._keys = ScaledVectors(queries), ScaledVectors(keys)
        self._exact = {one: ExactScores(queries, keys, one) for one in similarities}
        rows, columns = pattern.shape
        held = pattern.row_ones + (columns - pattern.row_ones - pattern.row_zeros)
        self._height = max(1, min(_HEIGHT, _HELD * rows // int(held.sum())))
        self._single = SingleKeys(self._keys, uses=-(-rows // self._height))
        self._done: list[NDArray[np.int64]] = []
        self._rows = {one: np.zeros(rows, dtype=_ROW) for one in similarities}

    def run(self, progress: OnProgress | None) -> dict[str, Evaluation]:
        """Evaluate all blocks, one a core at a time; an interrupt has the rows that are done."""
        count = self._pattern.shape[0]
        try:
            with one_blas_thread():
                run_tasks(
                    -(-count // self._height),
                    lambda _, task: self._evaluate_block(task * self._height),
                    threads=cores(),
                    progress=progress,
                )
        except KeyboardInterrupt:
            if not self._done:
                raise
            raise Interrupted(self._collect_all(np.sort(np.concatenate(self._done)))) from None
        return self._collect_all(None)

    def _collect_all(self, done: NDArray[np.int64] | None) -> dict[str, Evaluation]:
        """Return the evaluations of some rows; None means all."""
        if done is not None:
            self._pattern = self._pattern.take(done, np.arange(self._pattern.shape[1]))
            self._rows = {record: rows[done] for record, rows in self._rows.items()}
        return {record.name: self._collect(record) for record in self._similarities}

    def _collect(self, similarity: Similarity) -> Evaluation:
        """Return the evaluation, which keeps the pairs of wrong rows alone."""
        rows = self._rows[similarity]
        wrong = np.flatnonzero(rows["count"])
        ones, zeros, gaps = (rows[name][wrong] for name in ("one", "zero", "gap"))
        d, counts = self._keys.array.shape[1], rows["count"].copy()
        return Evaluation(
            self._pattern, d, similarity, counts, wrong, ones, zeros, gaps, self._coverage
        )

    def _evaluate_block(self, start: int) -> None:
        """Evaluate the rows of a block under all similarities."""
        stop = min(start + self._height, self._pattern.shape[0])
        chosen = np.arange(start, stop)
        rows, columns = coordinates(self._pattern.ones.take(chosen))
        block = QueryBlock(self._queries, self._keys, start, stop)
        passes = []
        for similarity in self._similarities:
            formula = make_formula(similarity, self._keys, block.exponent)
            exact = ExactComparisons(block, formula, self._exact[similarity])
            passes.append(ZerosAbove(exact, exact.choose(rows, columns, "lowest")[1]))
        hidden = _sort_by_column(rows, columns, self._stars(chosen))
        formulas = [zeros.exact.formula for zeros in passes]
        for place, chunk in stream_chunks(block, self._single, formulas, hidden):
            passes[place].take(chunk)
        for similarity, zeros in zip(self._similarities, passes, strict=True):
            found, wrong = self._rows[similarity][start:stop], np.flatnonzero(zeros.counts)
            found["count"], found["one"], found["zero"] = zeros.counts, zeros.ones, zeros.keys
            found["gap"][wrong] = zeros.exact.gaps(wrong, zeros.ones[wrong], zeros.keys[wrong])
        self._done.append(chosen)

    def _stars(self, chosen: Indices) -> tuple[Indices, Indices]:
        if self._pattern.unspecified is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return coordinates(self._pattern.unspecified.take(chosen))


def _sort_by_column(
    rows: Indices, columns: Indices, others: tuple[Indices, Indices]
) -> tuple[Indices, Indices]:
    rows, columns = np.append(rows, others[0]), np.append(columns, others[1])
    order = np.argsort(columns, kind="stable")
    return rows[order], columns[order]


def _require_directions(vectors: NDArray[Any], what: str, names: tuple[str, ...] | None) -> None:
    """Refuse vectors of zeros."""
    zeros = np.flatnonzero(~vectors.any(axis=1))
    if zeros.size:
        raise InputError(
            f"{label(what, int(zeros[0]), names)} is zero and has no cosine; leave it out, or use "
            "the similarity dot or l2"
        )
