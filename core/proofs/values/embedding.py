"""Proofs of YES for sets of values: queries and keys with these entries alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from samapprox.problem import Problem
from samapprox.proofs.embeddings.embedding import (
    Coordinates,
    Embedding,
    find_fault_of_logits,
)
from samapprox.proofs.exact import largest
from samapprox.similarities import VALUE_SETS, Similarity

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.parts.simplify import Simplification


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ValueEmbedding(Coordinates):
    r"""Queries and keys with few values, and integer thresholds, that represent a pattern.

    Entry S_ij is 1 if and only if the dot product of q_i and k_j exceeds t_i.

    Parameters
    ----------
    queries : array_like of int, shape (m, d)
        The queries q_i, whose entries lie in the set of values of the question.
    keys : array_like of int, shape (n, d)
        The keys k_j, with entries of the same set.
    thresholds : array_like of int, shape (m,)
        The thresholds t_i.

    Raises
    ------
    InputError
        Not integers, or shapes that do not fit together.

    Examples
    --------
    >>> from samapprox import Pattern
    >>> from samapprox.proofs import ValueEmbedding, check
    >>> problem = Problem(Pattern.from_text("10\n01"), 1, similarity="binary")
    >>> print(check(problem, ValueEmbedding([[1], [-1]], [[1], [-1]], [0, 0])))
    None
    >>> check(problem, ValueEmbedding([[1], [-1]], [[1], [0]], [0, -1]))
    'an entry is 0, which is none of the values -1, 1'
    """

    KIND = "value-embedding"
    TASK = "dimension"
    SIMILARITIES = VALUE_SETS
    CLAIM = (
        "YES for a set of values: all entries of queries and keys lie in it, and entry (i, j) is 1 "
        "exactly if queries[i] . keys[j] > thresholds[i]."
    )
    EXPLICIT = True

    def embedding(self, _pattern: Pattern | None = None, /) -> Embedding:
        """Return the same numbers as an embedding with real entries."""
        return Embedding(self.queries, self.keys, self.thresholds)

    def lift(self, simplification: Simplification, /) -> ValueEmbedding | str:
        """Carry the vectors for a simplified pattern over to the original.

        A row without a 0 gets the first query and a threshold below all logits.
        """
        if simplification.flipped.any():
            return "the negative of a value may be none of the values"
        queries = simplification.spread(self.queries, 0)
        queries[simplification.row_of < 0] = self.queries[0]
        below = -self.dimension * largest(self.queries) * largest(self.keys) - 1
        thresholds = simplification.spread(self.thresholds, below)
        return ValueEmbedding(queries, self.keys[simplification.column_of], thresholds)

    def find_fault(self, problem: Problem) -> str | None:
        """Return the reason why the vectors do not represent the pattern, or None."""
        values = _values(problem.similarity)
        free = problem.similarity.free_queries
        for vectors in (self.keys,) if free else (self.queries, self.keys):
            strange = vectors[~np.isin(vectors, values)]
            if strange.size:
                return f"an entry is {strange[0]}, which is none of the values {_list(values)}"
        return find_fault_of_logits(problem.pattern, self.embedding())

    def explain(self, problem: Problem) -> list[str]:
        whose = "entries of keys" if problem.similarity.free_queries else "their entries"
        return [
            f"Queries and keys in dimension {self.dimension} represent the pattern; {whose} are "
            f"{_list(_values(problem.similarity))}."
        ]


def _values(similarity: Similarity) -> tuple[int, ...]:
    """Return the values of a similarity that is a set of values, as the checker makes sure of."""
    assert similarity.values is not None
    return similarity.values


def _list(values: tuple[int, ...]) -> str:
    """List few values, and the ends of a long range."""
    if len(values) > 4:
        return f"{values[0]}..{values[-1]}"
    return ", ".join(map(str, values))
