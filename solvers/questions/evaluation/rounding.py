"""Embeddings in a number format that are right whatever the order in which products are summed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.precision import ARITHMETICS, dtype_of
from samapprox.proofs.base import Witness
from samapprox.proofs.fits.partial_embedding import PartialEmbedding
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike, find_similarity
from samapprox.solvers.questions.evaluation.float_scores import error_factor
from samapprox.solvers.questions.evaluation.float_vectors import make_vectors
from samapprox.solvers.questions.evaluation.measures import load_measure
from samapprox.storage.packed import block_height
from samapprox.support.lookup import unknown_name
from samapprox.support.text import plural
from samapprox.vectors import VectorSet

__all__ = ["find_uncertain_rows", "round_embedding"]

_MOST_NAMED = 3
"""Rows that a message names."""


def round_embedding(
    pattern: Pattern,
    proof: Witness,
    *,
    similarity: SimilarityLike = ATTENTION,
    arithmetic: str = "float32",
) -> VectorSet:
    r"""Return the queries and keys of a proof of YES in a number format, with the pattern's names.

    Each row that the proof gets right is right in the format: see `find_uncertain_rows`. bfloat16
    is stored as float32, since npz files have no such type. Raises InputError: the format is
    unknown, or rows may come out wrong in it, which are counted and named.

    >>> from samapprox import decide
    >>> pattern = Pattern.from_text("10\n01")
    >>> round_embedding(pattern, decide(pattern).proof).first.dtype
    dtype('float32')
    """
    record = find_similarity(similarity)
    if arithmetic not in ARITHMETICS:
        raise unknown_name("format of saved embeddings", arithmetic, ARITHMETICS)
    queries, keys = (_round(part, arithmetic) for part in make_vectors(pattern, proof, record))
    right, rows = pattern, np.arange(pattern.shape[0])
    if isinstance(proof, PartialEmbedding):
        right, rows = proof.right_part(pattern), proof.right_rows(pattern)
    uncertain = find_uncertain_rows(right, queries[rows], keys, record, arithmetic)
    if uncertain.size:
        named = ", ".join(pattern.row_label(row) for row in rows[uncertain[:_MOST_NAMED]].tolist())
        more = ", .." if uncertain.size > _MOST_NAMED else ""
        raise InputError(
            f"in {arithmetic}, {uncertain.size} of {plural(pattern.shape[0], 'row')} may come out "
            f"wrong: {named}{more}; take a format with more bits, or another d"
        )
    return VectorSet(queries, keys, first_ids=pattern.row_names, second_ids=pattern.column_names)


def _round(vectors: NDArray[np.float64], arithmetic: str) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        rounded = vectors.astype(dtype_of(arithmetic))
    wide = rounded.astype(np.float32) if arithmetic == "bfloat16" else rounded
    if not np.isfinite(wide).all():
        raise InputError(f"the numbers of the embedding exceed the range of {arithmetic}")
    return np.asarray(wide)


def find_uncertain_rows(
    pattern: Pattern,
    queries: NDArray[Any],
    keys: NDArray[Any],
    similarity: Similarity,
    arithmetic: str,
) -> NDArray[np.int64]:
    """Return the rows that may come out wrong in an arithmetic; all others certainly do not.

    Products are summed in float32 (in float64 for float64), in any order, and scores are rounded to
    the format. Scores are q . k; or (q / |q|) . (k / |k|) for the cosine; or |q|^2 - 2 q . k +
    |k|^2, or the sum of squared differences, for the distance. By Higham's bound, each of these is
    off by at most gamma_(2 d + 16) times the sum of the sizes of its terms, and then by a rounding
    of the format. A row is certain if its ones exceed its zeros by more than twice this bound, with
    scores in float64 whose own errors are added. See docs/theory/evaluation.md.
    """
    measure = load_measure(similarity)
    wide, format_ = np.float64, np.float64 if arithmetic == "float64" else np.float32
    q, k = queries.astype(wide), keys.astype(wide)
    if measure.NEEDS_DIRECTIONS:
        q, k = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in (q, k))
    lengths, sizes = np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1)
    d = q.shape[1]
    factor = error_factor(2 * d + 16, np.float64) + error_factor(2 * d + 16, format_)
    factor += {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(arithmetic, 0)
    largest = sizes.max()
    terms = (lengths + largest) ** 2 if measure.TAKES_SQUARES else lengths * largest
    least = float(np.finfo(np.float16 if arithmetic == "float16" else format_).tiny)
    bounds = 1.01 * (factor * terms + 8 * (d + 1) * least)
    uncertain = []
    step = block_height(8 * len(k))
    for start in range(0, len(q), step):
        entries = pattern.block(start, start + step)
        scores = q[start : start + step] @ k.T
        if measure.TAKES_SQUARES:
            scores = 2 * scores - sizes**2
        ones = np.where(entries == 1, scores, np.inf).min(axis=1)
        zeros = np.where(entries == 0, scores, -np.inf).max(axis=1)
        close = ~(ones - zeros > 2 * bounds[start : start + step])
        uncertain.append(start + np.flatnonzero(close))
    return np.concatenate(uncertain)
