"""Patterns padded by rows and a column, for one dimension more.

Deciding d dimensions reduces to deciding d + 1, so every d >= 2 is as hard as the plane. The proof
is in docs/theory/stretchability.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samapprox.errors import InputError, require_type, require_whole
from samapprox.instance import Fact, Instance
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Reduction
from samapprox.proofs.checker import check
from samapprox.proofs.embeddings.embedding import Embedding
from samapprox.proofs.exact import exact_matmul
from samapprox.proofs.parts.gluing import Picture, round_halfspaces
from samapprox.proofs.parts.simplify import Simplification, simplify
from samapprox.support.text import plural

_MOST_ENTRIES = 1 << 26


@dataclass(frozen=True, slots=True)
class OneMoreDimension(Reduction[Pattern, Pattern, list[Pattern]]):
    r"""A pattern whose weak dimension is larger by one, with one more key.

    Attributes
    ----------
    times : int
        Dimensions to add. Each doubles the number of rows.

    Examples
    --------
    >>> reduction = OneMoreDimension()
    >>> target, back = reduction.apply(Pattern.from_text("100\n010\n001"))
    >>> target.shape
    (7, 4)
    >>> import samapprox
    >>> samapprox.weak_dimension(target).upper
    3
    >>> reduction.lift(samapprox.decide(target, 3).proof, back).dimension
    2
    """

    name: ClassVar[str] = "one-more-dimension"
    preserves: ClassVar[str] = (
        "dimension d represents the pattern if and only if dimension d + 1 (with --times t: d + t) "
        "represents the new one, for every d >= 1"
    )

    times: int = 1

    def __post_init__(self) -> None:
        require_whole("times", self.times, 1)

    def apply(self, instance: Pattern) -> tuple[Pattern, list[Pattern]]:
        """Pad the pattern; the way back is the list of all patterns, the padded one last.

        Parameters
        ----------
        instance : Pattern
            With few enough rows that the padded pattern has at most 2^26 entries.

        Raises
        ------
        InputError
            More than 2^26 entries.
        """
        _require_size(instance, self.times)
        patterns = [instance]
        for _ in range(self.times):
            patterns.append(pad_pattern(patterns[-1]))
        return patterns[-1], patterns

    def carry_facts(self, facts: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return the facts about the padded pattern that follow from facts about the pattern.

        Parameters
        ----------
        facts : sequence of Fact
            A NO where queries and keys share X says nothing about the padded pattern.
        """
        words = f"padded by {plural(self.times, 'dimension')}"
        return tuple(
            Fact(fact.d + self.times, None, fact.answer, f"{fact.reason}; {words}")
            for fact in facts
            if fact.answer == "YES" or fact.d_hid is None or fact.d_hid >= 2 * fact.d
        )

    def lift(self, proof: Embedding, back: list[Pattern]) -> Embedding:
        """Project an embedding in d + 1 dimensions to d.

        Parameters
        ----------
        proof : Embedding
            Of the padded pattern.
        back : list of Pattern
            The second result of `apply`.

        Raises
        ------
        InputError
            The embedding does not represent the padded pattern.
        """
        *sources, target = back
        require_embedding(target, proof)
        for source in reversed(sources):
            proof = _project_embedding(source, proof)
        require_embedding(back[0], proof)
        return proof


def pad_instance(instance: Instance, times: int) -> Instance:
    r"""Pad a pattern for more dimensions, with all facts that remain known.

    Parameters
    ----------
    instance : Instance
        The pattern and its facts.
    times : int
        Dimensions to add; with 0, the instance itself is returned.

    Raises
    ------
    InputError
        More than 2^26 entries.

    Examples
    --------
    >>> fact = Fact(1, None, "NO", "Radon's theorem")
    >>> padded = pad_instance(Instance(Pattern.from_text("100\n010\n001"), (fact,)), 2)
    >>> padded.pattern.shape, [(fact.d, fact.answer) for fact in padded.facts]
    ((15, 5), [(3, 'NO')])
    """
    if times == 0:
        return instance
    reduction = OneMoreDimension(times)
    pattern, _ = reduction.apply(instance.pattern)
    return Instance(pattern, reduction.carry_facts(instance.facts), instance.origin)


def pad_pattern(pattern: Pattern) -> Pattern:
    r"""Return [S 1; S 0; 1 0], where S has the distinct rows and columns of a pattern.

    Entries * stay unspecified in both copies. The weak dimension is larger by exactly 1, unless S
    has no rows; then both are 1. O(m n). Where S loses a dimension without row i, both copies of
    row i are needed; the last row is needed where the sign-rank of S equals its weak dimension.
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
        The pattern that is padded.
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


def _project_embedding(pattern: Pattern, embedding: Embedding) -> Embedding:
    r"""Embed a pattern in one dimension less than its padded form, exactly.

    The embedding is not checked again. The two copies of a row have opposite signs on the new key
    z, so some positive combination of both functionals vanishes there, and has the signs of the row
    on all other keys. The last row and the constant functional give one that is positive on all
    other keys. What vanishes at z is a functional on the space without z's direction. The result is
    rounded to few bits: `samapprox.proofs.parts.gluing` keeps every sign. O(m n d) for each
    precision.
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


def require_embedding(pattern: Pattern, embedding: Embedding) -> None:
    """Check that an embedding represents a pattern, exactly."""
    require_type("the embedding", embedding, Embedding, "an Embedding")
    fault = check(Problem(pattern, embedding.dimension), embedding)
    if fault is not None:
        raise InputError(f"the embedding does not represent the pattern: {fault}")


def merge_embedding(embedding: Embedding, simplified: Simplification) -> Embedding:
    """Restrict an embedding of a pattern to its merged rows and columns."""
    turned = simplified.turned
    sign = np.where(turned, -1, 1)
    return Embedding(
        embedding.queries[simplified.rows] * sign[:, None],
        embedding.keys[simplified.columns],
        embedding.thresholds[simplified.rows] * sign - turned,
    )
