"""Padding: patterns that need exactly one dimension more.

Deciding d dimensions reduces to deciding d + 1, so every d >= 2 is as hard as the plane;
docs/theory/stretchability.md has the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.gluing import Picture
from samapprox.proofs.kinds.embedding import Embedding
from samapprox.proofs.rounding import round_halfspaces
from samapprox.proofs.simplify import simplify
from samapprox.reductions.base import Reduced
from samapprox.reductions.merging import merge_embedding, require_embedding
from samapprox.support.plural import plural

__all__ = ["OneMoreDimension", "pad_embedding", "pad_pattern", "project_embedding"]

_MOST_ENTRIES = 1 << 26


@dataclass(frozen=True, slots=True)
class OneMoreDimension:
    r"""A pattern whose weak dimension is larger by one, with one more key.

    Attributes
    ----------
    times : int
        Dimensions to add. Each doubles the number of rows.

    Examples
    --------
    >>> reduced = OneMoreDimension().apply(Pattern.from_text("100\n010\n001"))
    >>> reduced.target.shape
    (7, 4)
    >>> import samapprox
    >>> samapprox.weak_dimension(reduced.target).upper
    3
    >>> reduced.lift(samapprox.decide(reduced.target, 3).proof).dimension
    2
    """

    name: ClassVar[str] = "one-more-dimension"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if dimension d + 1 (with --times t: d + t) "
        "represents the new one, for every d >= 1"
    )

    times: int = 1

    def __post_init__(self) -> None:
        if self.times < 1:
            raise InputError(f"times must be at least 1, not {self.times}")

    def apply(self, instance: Pattern) -> Reduced[Pattern, Embedding, Embedding]:
        """Pad the pattern; the lift projects embeddings in d + 1 dimensions to d.

        Raises
        ------
        InputError
            More than 2^26 entries; from the lift, an embedding that does not represent the target.
        """
        _require_size(instance, self.times)
        sources = [instance]
        for _ in range(self.times):
            sources.append(pad_pattern(sources[-1]))
        *sources, target = sources

        def lift(proof: Embedding) -> Embedding:
            require_embedding(target, proof)
            for source in reversed(sources):
                proof = project_embedding(source, proof)
            require_embedding(instance, proof)
            return proof

        return Reduced(target, lift)


def pad_pattern(pattern: Pattern) -> Pattern:
    r"""Return [S 1; S 0; 1 0], where S has the distinct rows and columns of a pattern.

    Parameters
    ----------
    pattern : Pattern, shape (m, n)
        Entries * stay unspecified in both copies.

    Returns
    -------
    Pattern
        2 r + 1 rows for r distinct rows (up to complement) with both values, and one more column
        than there are distinct ones. Its weak dimension is larger by exactly 1, unless S has no
        rows; then both are 1.

    Notes
    -----
    O(m n). Where S loses a dimension without row i, both copies of row i are needed; the last row
    is needed where the sign-rank of S equals its weak dimension.

    Examples
    --------
    >>> print(pad_pattern(Pattern.from_text("10\n01\n11")).to_text())
    101
    100
    110
    """
    source = simplify(pattern).pattern
    if source is None:
        return Pattern.from_text("10")
    rows, columns = source.shape
    entries = np.ones((2 * rows + 1, columns + 1), dtype=np.int8)
    entries[:rows, :-1] = entries[rows:-1, :-1] = source.to_array()
    entries[rows:, -1] = 0
    return Pattern.from_array(entries, entries >= 0)


def pad_embedding(pattern: Pattern, embedding: Embedding) -> Embedding:
    r"""Embed the padded pattern in one more dimension.

    Parameters
    ----------
    pattern : Pattern
    embedding : Embedding
        Of the pattern, of dimension d.

    Returns
    -------
    Embedding
        Of `pad_pattern(pattern)`, of dimension d + 1: the new key lies above all others.

    Raises
    ------
    InputError
        The embedding does not represent the pattern.

    Notes
    -----
    O((m + n) d), after the check.

    Examples
    --------
    >>> pad_embedding(Pattern.from_text("10"), Embedding([[1]], [[1], [0]], [0])).keys.tolist()
    [[1, 0], [0, 0], [0, 1]]
    """
    require_embedding(pattern, embedding)
    simplified = simplify(pattern)
    d = embedding.dimension
    if simplified.pattern is None:
        zeros = [0] * d
        return Embedding([[*zeros, -1]], [[*zeros, 0], [*zeros, 1]], [-1])
    merged = merge_embedding(embedding, simplified)
    rows, columns = simplified.pattern.shape
    queries = np.zeros((2 * rows + 1, d + 1), dtype=object)
    queries[:rows, :d] = queries[rows:-1, :d] = merged.queries
    steep = np.abs(merged.thresholds.astype(object)).max() + 1
    queries[:, d] = [*[steep] * rows, *[-steep] * rows, -1]
    keys = np.zeros((columns + 1, d + 1), dtype=object)
    keys[:-1, :d] = merged.keys
    keys[-1, d] = 1
    return Embedding(queries, keys, [*merged.thresholds, *merged.thresholds, -1])


def project_embedding(pattern: Pattern, embedding: Embedding) -> Embedding:
    r"""Embed a pattern in one dimension less than its padded form, exactly.

    Parameters
    ----------
    pattern : Pattern
    embedding : Embedding
        Of `pad_pattern(pattern)`, of dimension d + 1; it is not checked again.

    Returns
    -------
    Embedding
        Of the pattern, of dimension d, but at least 1.

    Notes
    -----
    The two copies of a row have opposite signs on the new key z, so some positive combination of
    both functionals vanishes there, and has the signs of the row on all other keys. The last row
    and the constant functional give one that is positive on all other keys. What vanishes at z is
    a functional on the space without z's direction. The result is rounded to few bits:
    `samapprox.proofs.rounding` keeps every sign. O(m n d) for each precision.

    Examples
    --------
    >>> pattern, embedding = Pattern.from_text("10"), Embedding([[1]], [[1], [0]], [0])
    >>> project_embedding(pattern, pad_embedding(pattern, embedding)).dimension
    1
    """
    simplified = simplify(pattern)
    d = max(1, embedding.dimension - 1)
    if simplified.pattern is None:
        return Embedding(np.zeros((0, d), np.int64), [[0] * d], []).lift(simplified)
    picture = Picture.of(embedding.queries, embedding.keys, embedding.thresholds).pad(d + 1)
    keys, z = picture.keys[:-1], picture.keys[-1]
    upper, lower = np.split(picture.rows[:-1], 2)
    level = picture.rows[-1]

    at_upper, at_lower = upper @ z, lower @ z
    rows = at_upper[:, None] * lower - at_lower[:, None] * upper
    shifted = keys[:, :-1] - z[:-1]  # what vanishes at z depends on this difference alone
    scales = shifted @ level[:-1]

    drop = max(range(d + 1), key=lambda place: abs(level[place]))
    keep = np.delete(np.arange(d + 1), drop)
    sign = 1 if level[drop] > 0 else -1
    normals = abs(level[drop]) * rows[:, keep] - sign * rows[:, drop : drop + 1] * level[keep]
    flat = round_halfspaces(
        shifted[:, keep], scales, normals, exact_matmul(rows[:, :-1], shifted.T) > 0
    )
    return Embedding(flat.normals, flat.points, flat.bounds).lift(simplified)


def _require_size(pattern: Pattern, times: int) -> None:
    """Refuse what would not fit in memory, before any of it is there."""
    rows, columns = pattern.shape
    height, width = (rows + 1 << min(times, 64)) - 1, columns + times
    if height * width > _MOST_ENTRIES:
        raise InputError(
            f"{rows} x {columns} entries padded {plural(times, 'time')} are more than "
            f"{_MOST_ENTRIES}; add fewer dimensions"
        )
