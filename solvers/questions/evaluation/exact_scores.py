"""Scores of queries and keys in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.similarities import Similarity
from samapprox.solvers.questions.evaluation.float_scores import Formula, QueryBlock
from samapprox.solvers.questions.evaluation.measures import Measure

__all__ = ["ExactComparisons", "ExactScores"]

Integers = tuple[list[int], int]

# Vectors kept as whole numbers: more save conversions, fewer save memory.
_VECTORS = 1024


class ExactScores:
    """Scores of given floats as fractions.

    >>> from samapprox.similarities.cosine import COSINE
    >>> scores = ExactScores(np.array([[1.0, 2.0]]), np.array([[0.5, 1.0], [2.0, 0.0]]), COSINE)
    >>> scores.score(0, 0), scores.score(0, 1), round(scores.gap(0, 0, 1), 6)
    (Fraction(5, 1), Fraction(1, 1), -0.552786)
    """

    def __init__(self, queries: NDArray[Any], keys: NDArray[Any], similarity: Similarity) -> None:
        self._measure: Measure = similarity.load("measure")
        self._query = lru_cache(_VECTORS)(lambda i: _integers(queries[i]))
        self._key = lru_cache(_VECTORS)(lambda j: _integers(keys[j]))

    def score(self, query: int, key: int) -> Fraction:
        """Return a number that grows with the similarity, for one query and all keys."""
        left, right = self._query(query), self._key(key)
        return self._measure.score(_dot(left, right), lambda: _dot(right, right))

    def gap(self, query: int, one: int, zero: int) -> float:
        """Return the similarity of the zero minus that of the one, rounded, with the exact sign."""
        left = self._query(query)
        least, best = self.score(query, one), self.score(query, zero)
        return self._measure.gap(least, best, lambda: _dot(left, left))


def _integers(vector: NDArray[Any]) -> Integers:
    """Return whole numbers and an exponent e, so that the vector is 2^e times them."""
    mantissas, exponents = np.frexp(vector.astype(np.float64))
    held = mantissas != 0
    least = int(exponents[held].min(initial=1 << 20))
    whole = (mantissas * (1 << 53)).astype(np.int64).tolist()
    shifts = np.where(held, exponents - least, 0).tolist()
    return [number << shift for number, shift in zip(whole, shifts, strict=True)], least - 53


def _dot(left: Integers, right: Integers) -> Fraction:
    total = sum(a * b for a, b in zip(left[0], right[0], strict=True))
    exponent = left[1] + right[1]
    return (
        Fraction(total)
        if not total
        else (Fraction(total << exponent) if exponent >= 0 else Fraction(total, 1 << -exponent))
    )


Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class ExactComparisons:
    """Exact comparisons of the scores of a block of queries under one similarity.

    Scores in float64 decide where their bounds on errors allow it, and fractions elsewhere. The
    bounds count more roundings than there are, which covers those of sums of a score and a bound.
    Rows are counted from the first query of the block.
    """

    def __init__(self, block: QueryBlock, formula: Formula, exact: ExactScores) -> None:
        self.block, self.formula, self._exact = block, formula, exact

    def choose(
        self, rows: Indices, columns: Indices, which: Literal["highest", "lowest"]
    ) -> tuple[Indices, Indices]:
        """Choose among the keys of each query the one with the highest or the lowest score.

        Takes pairs whose rows ascend; returns each query once, with the first of its best keys.
        """
        sign = 1 if which == "highest" else -1
        scores, errors = self.block.scores(self.formula, rows, columns)
        scores *= sign
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        floors = np.maximum.reduceat(scores - errors, starts)
        counts = np.diff(starts, append=len(rows))
        kept = np.flatnonzero(scores + errors >= np.repeat(floors, counts))
        rows, columns = rows[kept], columns[kept]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        counts = np.diff(starts, append=len(rows))
        chosen = columns[starts]
        for place in np.flatnonzero(counts > 1).tolist():
            first = starts[place]
            rivals = self._distinct(columns[first : first + counts[place]])
            row = int(rows[first])
            ranked = [sign * self.score(row, key) for key in rivals]
            chosen[place] = rivals[ranked.index(max(ranked))]
        return rows[starts], chosen

    def reaches(self, rows: Indices, columns: Indices, marks: Indices) -> NDArray[np.bool_]:
        """Return whether the scores of some pairs are at least those of the queries' marks.

        `marks` holds one key of each query in the block.
        """
        scores, errors = self.block.scores(self.formula, rows, columns)
        others, other_errors = self.block.scores(self.formula, rows, marks[rows])
        difference, bound = scores - others, errors + other_errors
        found: NDArray[np.bool_] = difference > 0
        near = np.flatnonzero(np.abs(difference) <= bound)
        keys = self.block.keys.array
        are_equal = (keys[columns[near]] == keys[marks[rows[near]]]).all(axis=1)
        found[near[are_equal]] = True
        for place in near[~are_equal].tolist():
            row = int(rows[place])
            key, mark = int(columns[place]), int(marks[row])
            found[place] = self.score(row, key) >= self.score(row, mark)
        return found

    def gaps(self, rows: Indices, ones: Indices, zeros: Indices) -> Floats:
        """Return the similarities of zeros minus those of ones, with exact signs.

        Computed in float64 where the relative error is below 10^-6, else rounded from the exact
        value.
        """
        floats, are_good = self._approximate_gaps(rows, ones, zeros)
        for place in np.flatnonzero(~are_good).tolist():
            row = self.block.start + int(rows[place])
            floats[place] = self._exact.gap(row, int(ones[place]), int(zeros[place]))
        return floats

    def _approximate_gaps(
        self, rows: Indices, ones: Indices, zeros: Indices
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return computed gaps, and which of them are nearly exact."""
        low, low_errors = self.block.scores(self.formula, rows, ones)
        high, high_errors = self.block.scores(self.formula, rows, zeros)
        difference = high - low
        are_good = low_errors + high_errors < 1e-7 * np.abs(difference)
        measure: Measure = self.formula.similarity.load("measure")
        difference, exponent, are_far = measure.scale_gaps(
            self.block, self.formula.exponent, (rows, ones, zeros), difference
        )
        are_good &= are_far
        are_good &= (np.abs(exponent) < 500) & (np.abs(difference) > 2.0**-400)
        return np.ldexp(difference, exponent if abs(exponent) < 500 else 0), are_good

    def _distinct(self, keys: Indices) -> list[int]:
        """Return one of all equal keys, ascending: the one of the least index."""
        keys = np.sort(keys)
        _, first = np.unique(self.block.keys.array[keys], axis=0, return_index=True)
        chosen: list[int] = np.sort(keys[first]).tolist()
        return chosen

    def score(self, row: int, key: int) -> Fraction:
        """Return the exact score of a pair, whose row is counted in the block."""
        return self._exact.score(self.block.start + row, key)
