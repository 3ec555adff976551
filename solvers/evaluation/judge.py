"""Exact comparisons of scores, in floating point where that suffices."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samapprox.solvers.evaluation.exact_scores import ExactScores
from samapprox.solvers.evaluation.float_scores import Formula, QueryBlock

__all__ = ["Judge"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Judge:
    """Exact comparisons of the scores of a block of queries under one similarity.

    Scores in float64 decide where their bounds on errors allow it, and fractions elsewhere. The
    bounds count more roundings than there are, which covers those of sums of a score and a bound.

    Parameters
    ----------
    block : QueryBlock
    formula : Formula
    exact : ExactScores
        Of all queries and keys.
    """

    def __init__(self, block: QueryBlock, formula: Formula, exact: ExactScores) -> None:
        self.block, self.formula, self._exact = block, formula, exact

    def choose(
        self, rows: Indices, columns: Indices, which: Literal["highest", "lowest"]
    ) -> tuple[Indices, Indices]:
        """Choose among the keys of each query the one with the highest or the lowest score.

        Parameters
        ----------
        rows, columns : ndarray of int64
            Pairs of a query, counted from the first of the block, and a key; rows ascend.
        which : {"highest", "lowest"}

        Returns
        -------
        rows, columns : ndarray of int64
            Each query once, with its key; of equal scores that of the least index.
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
            ranked = [sign * self._score(row, key) for key in rivals]
            chosen[place] = rivals[ranked.index(max(ranked))]
        return rows[starts], chosen

    def reaches(self, rows: Indices, columns: Indices, marks: Indices) -> NDArray[np.bool_]:
        """Return whether the scores of some pairs are at least those of the queries' marks.

        Parameters
        ----------
        rows, columns : ndarray of int64
            Queries, counted from the first of the block, and keys.
        marks : ndarray of int64, shape (h,)
            A key of each query in the block.
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
            found[place] = self._score(row, key) >= self._score(row, mark)
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
        exponent = self.formula.exponent
        if self.formula.similarity == "cosine":
            norms = np.sqrt(np.einsum("pd,pd->p", self.block.scaled[rows], self.block.scaled[rows]))
            are_good &= norms > 2.0**-400
            difference /= np.where(are_good, norms, 1)
        elif self.formula.similarity == "l2":
            both = self._distances(rows, ones) + self._distances(rows, zeros)
            are_good &= both > 2.0**-400
            difference *= 2 / np.where(are_good, both, 1)
            exponent //= 2
        are_good &= (np.abs(exponent) < 500) & (np.abs(difference) > 2.0**-400)
        return np.ldexp(difference, exponent if abs(exponent) < 500 else 0), are_good

    def _distances(self, rows: Indices, columns: Indices) -> Floats:
        """Return distances of pairs, 2^(exponent / 2) times smaller."""
        unit = self.formula.exponent // 2
        keys = self.block.keys
        right = np.ldexp(keys.take(columns), (keys.exponents[columns] - unit)[:, None])
        left = np.ldexp(self.block.scaled[rows], self.block.exponent - unit)
        return np.asarray(np.sqrt(np.einsum("pd,pd->p", left - right, left - right)))

    def _distinct(self, keys: Indices) -> list[int]:
        """Return one of all equal keys, ascending: the one of the least index."""
        keys = np.sort(keys)
        _, first = np.unique(self.block.keys.array[keys], axis=0, return_index=True)
        chosen: list[int] = np.sort(keys[first]).tolist()
        return chosen

    def _score(self, row: int, key: int) -> Fraction:
        return self._exact.score(self.block.start + row, key)
