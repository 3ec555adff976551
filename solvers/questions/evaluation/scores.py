"""Scores of queries and keys: in floats with proven bounds on their errors, and exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.similarities import Similarity
from samapprox.solvers.questions.evaluation.measures import Measure
from samapprox.support.arrays import Floats, Indices

# Entries of gathered vectors that are converted at a time: fewer calls for more memory.
_ENTRIES_GATHERED = 1 << 21
# Exceeds all errors of computed norms and bounds together, as d is at most 2^20.
_UP = 1.01

Integers = tuple[list[int], int]

# Vectors kept as whole numbers: more save conversions, fewer save memory.
_VECTORS = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """Scores as alpha_j p + beta_j, where p is the dot product of scaled query and scaled key.

    Within a row, scores are in the order of the similarities: they are these times a positive
    number, plus one. alpha lies in [0, 2], beta in [-d / 2, 0]. For dot products and distances, a
    computed score is 2^exponent times smaller than q . k, and than q . k - |k|^2 / 2.
    """

    similarity: Similarity
    alpha: Floats
    beta: Floats
    exponent: int


def make_formula(similarity: Similarity, keys: ScaledVectors, query_exponent: int) -> Formula:
    """Return the formula of a similarity for queries that are scaled by 2^-query_exponent."""
    measure: Measure = similarity.load("measure")
    return Formula(similarity, *measure.coefficients(keys, query_exponent))


class QueryBlock:
    """Some queries, scaled by one power of two, and their scores with all keys.

    The queries from `start` to `stop` are 2^`exponent` times `scaled`, whose norms are at
    most `norms`.
    """

    def __init__(self, queries: ScaledVectors, keys: ScaledVectors, start: int, stop: int) -> None:
        self.start, self.keys = start, keys
        own = queries.exponents[start:stop]
        self.exponent = int(own.max())
        down = own - self.exponent
        self.scaled = np.ldexp(queries.take(slice(start, stop)), down[:, None])
        self.norms = _UP * np.ldexp(queries.norms[start:stop], down)

    def error_in_single(self, formula: Formula) -> Floats:
        """Bound the errors of scores of all keys that are computed in float32.

        Inputs and coefficients are rounded to float32 (4 roundings), the product has d, the
        formula 2. If keys are multiplied by alpha before the product, entries have its rounding
        instead of scores. Each of at most 4 d + 8 operations may also underflow, by 2^-126 at most
        even where subnormal numbers are flushed to zero, and is multiplied by alpha <= 2.
        """
        d = self.scaled.shape[1]
        sizes = float((formula.alpha * self.keys.norms).max())
        shift = float(-formula.beta.min())
        factor = error_factor(d + 8, np.float32) + error_factor(2 * d + 16, np.float64)
        sums = self.norms * sizes + 2 * shift
        return np.asarray(_UP * (factor * sums + 16 * (d + 1) * 2.0**-126))

    def scores(self, formula: Formula, rows: Indices, columns: Indices) -> tuple[Floats, Floats]:
        """Compute scores of pairs in float64, and bounds on their errors.

        Rows are counted from the first query of the block. The product has d roundings; its bound
        takes the sizes of its terms from the Cauchy-Schwarz inequality. Computed norms of keys have
        d / 2 + 2 roundings, their squares twice as many; the formula has 2.
        """
        found = np.empty(len(rows))
        d = self.scaled.shape[1]
        step = max(1, _ENTRIES_GATHERED // d)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            keys = self.keys.take(columns[part])
            found[part] = np.einsum("pd,pd->p", self.scaled[rows[part]], keys)
        alpha, beta = formula.alpha[columns], formula.beta[columns]
        sizes = alpha * self.keys.norms[columns] * self.norms[rows] - 2 * beta
        factor = error_factor(2 * d + 16, np.float64)
        errors = _UP * (factor * sizes + 16 * (d + 1) * 2.0**-1022)
        return alpha * found + beta, errors


# Entries that are converted at a time: more leave the cache, fewer make more calls.
_ENTRIES_SCALED = 1 << 18


_MOST_EXPONENT = 126
"""Up to it, a power of two and its inverse are normal numbers of float32."""


class ScaledVectors:
    """Vectors, each times a power of two that puts its largest entry into [1/2, 1).

    Vector j is 2^exponents[j] times its scaled one; vectors of zeros have the least exponent.
    `norms` are computed norms of the scaled vectors, off by a factor of at most
    1 +- error_factor(d + 4).

    >>> vectors = ScaledVectors(np.array([[3.0, 4.0], [0.0, 2.0**-1074]]))
    >>> vectors.exponents.tolist(), vectors.norms.tolist(), vectors.take(np.array([1])).tolist()
    ([3, -1073], [0.625, 0.5], [[0.0, 0.5]])
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.exponents = np.empty(len(array), dtype=np.int64)
        self.norms = np.empty(len(array))
        step = max(1, _ENTRIES_SCALED // array.shape[1])
        largest = np.empty(len(array))
        for start in range(0, len(array), step):
            part = slice(start, start + step)
            narrow = array[part]
            largest[part] = np.maximum(narrow.max(axis=1), -narrow.min(axis=1))
            self.exponents[part] = np.frexp(largest[part])[1]
            wide = narrow.astype(np.float64)
            if array.dtype == np.float32:
                # Neither squares of float32 nor their sums leave the range of float64, so that
                # roots can be scaled instead of entries, with the same roundings.
                roots = np.sqrt(np.einsum("nd,nd->n", wide, wide))
                self.norms[part] = np.ldexp(roots, -self.exponents[part])
            else:
                scaled = np.ldexp(wide, -self.exponents[part, None])
                self.norms[part] = np.sqrt(np.einsum("nd,nd->n", scaled, scaled))
        self.exponents[largest == 0] = self.exponents[largest > 0].min(initial=0)

    @property
    def greatest(self) -> int:
        """The greatest exponent."""
        return int(self.exponents.max())

    def take(self, chosen: Indices | slice) -> Floats:
        """Return some of the scaled vectors as float64.

        Entries below 2^-1022, where the vector's largest is about 1, may be off by 2^-1075.
        """
        wide = self.array[chosen].astype(np.float64)
        return np.asarray(np.ldexp(wide, -self.exponents[chosen, None], out=wide))

    def take_single(
        self,
        chosen: slice,
        out: NDArray[np.float32],
        factors: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Write some of the scaled vectors to an array of float32, and return it.

        Entries below 2^-126, where the vector's largest is about 1, may be off by 2^-126.
        `factors`: the vectors are multiplied by these, which is one more rounding.
        """
        exponents = self.exponents[chosen]
        if self.array.dtype != np.float32 or np.abs(exponents).max(initial=0) > _MOST_EXPONENT:
            out[...] = self.take(chosen)
        else:
            # A product with a power of two has no rounding, and takes one pass in float32.
            powers = np.ldexp(np.float32(1), -exponents).astype(np.float32)
            if factors is not None:
                both = powers * factors
                # Entries are as large as the inverse powers, so that these must not underflow.
                if (both[factors > 0] >= np.finfo(np.float32).tiny).all():
                    powers, factors = both, None
            np.multiply(self.array[chosen], powers[:, None], out=out)
        if factors is not None:
            out *= factors[:, None]
        return out


def error_factor(roundings: int, kind: type[np.floating[Any]]) -> float:
    """Return Higham's gamma: the relative error of so many roundings, in any order.

    References
    ----------
    N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1.
    """
    share = roundings * float(np.finfo(kind).eps) / 2
    return share / (1 - share)


class ExactScores:
    """Scores of given floats as fractions.

    >>> from samapprox.similarities import SIMILARITIES
    >>> keys, cosine = np.array([[0.5, 1.0], [2.0, 0.0]]), SIMILARITIES["cosine"]
    >>> scores = ExactScores(np.array([[1.0, 2.0]]), keys, cosine)
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
