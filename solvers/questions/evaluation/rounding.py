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
from samapprox.proofs.similarities.balls import Balls
from samapprox.proofs.similarities.caps import Caps
from samapprox.proofs.similarities.key_order import KeyOrder
from samapprox.proofs.values.embedding import ValueEmbedding
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike, find_similarity
from samapprox.solvers.questions.evaluation.measures import load_measure
from samapprox.solvers.questions.evaluation.scores import error_factor
from samapprox.storage import block_height
from samapprox.support.arrays import Floats
from samapprox.support.packages import require_name
from samapprox.support.text import plural
from samapprox.vectors import VectorSet

_MOST_NAMED = 3
"""Rows that a message names."""

Pair = tuple[Floats, Floats]


def _make_vectors(pattern: Pattern, proof: Witness, similarity: Similarity) -> Pair:
    """Return queries and keys that represent the pattern, up to rounding.

    Nothing here has to be exact: vectors that are not good enough fail the test. Rows that a
    partial embedding gets wrong have a unit vector. Raises InputError: the proof states no vectors
    of this similarity, or they are too many.
    """
    if isinstance(proof, PartialEmbedding):
        rows = proof.right_rows(pattern)
        right, keys = _make_vectors(proof.right_part(pattern), proof.proof, similarity)
        queries = np.zeros((pattern.shape[0], right.shape[1]))
        queries[:, 0] = 1
        queries[rows] = right
        return queries, keys
    if isinstance(proof, KeyOrder):
        return _on_line(pattern, proof) if proof.curve == "line" else _on_circle(pattern, proof)
    if isinstance(proof, ValueEmbedding):  # small numbers, which users expect as they are
        return proof.queries.astype(np.float64), proof.keys.astype(np.float64)
    if isinstance(proof, Balls):
        scale = _power_above(proof.keys)
        centers = proof.centers.astype(object) / proof.weights.astype(object)[:, None]
        return _divide(centers, scale), _divide(proof.keys, scale)
    if isinstance(proof, Caps):
        return _normalize(proof.queries), _normalize(proof.keys)
    if not similarity.is_attention:
        raise InputError(f"a proof of kind {proof.KIND} states no vectors for {similarity}")
    embedding = proof.embedding(pattern)
    keys = embedding.keys.astype(object)
    keys = 2 * keys - (keys.max(axis=0) + keys.min(axis=0))  # the middle of their range is 0
    scaled = [_divide(query, _power_above(query)) for query in embedding.queries]
    return np.array(scaled), _divide(keys, _power_above(keys))


def _power_above(numbers: NDArray[Any]) -> int:
    """Return a power of two above the absolute values of whole numbers."""
    return 1 << max(abs(int(number)).bit_length() for number in numbers.reshape(-1))


def _divide(numbers: NDArray[Any], scale: int) -> Floats:
    try:
        return np.asarray(numbers.astype(object) / scale, dtype=np.float64)
    except OverflowError:
        raise InputError("the numbers of the embedding exceed the range of floats") from None


def _normalize(vectors: NDArray[Any]) -> Floats:
    """Return unit vectors; one of zeros, which only a row without zeros has, becomes any."""
    scaled = np.array([_divide(vector, _power_above(vector)) for vector in vectors])
    scaled[~scaled.any(axis=1), 0] = 1
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def _on_line(pattern: Pattern, proof: KeyOrder) -> Pair:
    """Return keys at whole numbers, and queries in the middle of their ones."""
    points = proof.points - proof.points.max() / 2
    middles = []
    for row in range(pattern.shape[0]):
        ones = points[pattern.block(row, row + 1)[0] == 1]
        middles.append((ones.min() + ones.max()) / 2)
    return np.array(middles)[:, None], points[:, None].astype(np.float64)


def _on_circle(pattern: Pattern, proof: KeyOrder) -> Pair:
    """Return keys that divide the unit circle evenly, and queries in the middle of their ones."""
    points = proof.points
    count = int(points.max()) + 1
    middles = [
        _middle_of_arc(points[entries == 1], points[entries == 0], count)
        for entries in (pattern.block(row, row + 1)[0] for row in range(pattern.shape[0]))
    ]
    queries, keys = (
        np.column_stack([np.cos(angles), np.sin(angles)])
        for angles in (2 * np.pi / count * np.asarray(places) for places in (middles, points))
    )
    return queries[:, : proof.dimension], keys[:, : proof.dimension]


def _middle_of_arc(ones: NDArray[np.int64], zeros: NDArray[np.int64], count: int) -> float:
    """Return the middle of the arc of some points, which contains no zero."""
    if not zeros.size:
        return float(ones[0])
    after = np.sort((ones - zeros[0]) % count)  # from some zero, around the circle
    return float(zeros[0] + (after[0] + after[-1]) / 2)


def require_format(arithmetic: str) -> None:
    """Refuse a number format in which embeddings are not saved."""
    require_name("format of saved embeddings", arithmetic, ARITHMETICS)


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
    require_format(arithmetic)
    queries, keys = (_round(part, arithmetic) for part in _make_vectors(pattern, proof, record))
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
    scores in float64 whose own errors are added, and no score can overflow. See
    docs/theory/evaluation.md.
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
    range_ = np.finfo(np.float16 if arithmetic == "float16" else format_)
    bounds = 1.01 * (factor * terms + 8 * (d + 1) * float(range_.tiny))
    bounds[terms + bounds > float(range_.max)] = np.inf
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
