"""Retrieval judgements as patterns: queries are rows, documents columns, relevance makes a 1."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samapprox.errors import InputError, InputWarning
from samapprox.instance import Grading, Instance
from samapprox.pattern import Pattern
from samapprox.storage import PackedMatrix
from samapprox.storage.entries import MAX_ENTRIES
from samapprox.storage.sparse import SparseMatrix
from samapprox.support.arrays import flags_at

_MOST_NAMED = 3
"""Queries that a warning names."""

_MOST_LISTED = 100
"""Queries that an instance's origin lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    r"""Graded pairs of queries and documents, each pair once.

    Rows and columns stand in the order of first mention. Every document that is mentioned is a
    column, relevant to some query or not: a key that no query may prefer still takes its place.

    Attributes
    ----------
    queries, documents : tuple of str
        The names, in the order of their first judgement.
    rows, columns : ndarray of int64, shape (pairs,)
        Query and document of every pair, by their numbers; sorted by row, then by column.
    grades : ndarray of int64, shape (pairs,)
        The grade of each judged pair.
    source : str
        The file, as warnings name it; may be empty.
    notes : tuple of str
        Remarks about the file, which become warnings.

    Examples
    --------
    >>> import io
    >>> from samapprox.formats import load_judgements
    >>> judgements = load_judgements(io.BytesIO(b"q1 0 doc3 2\nq1 0 doc5 1\nq2 0 doc5 2\n"))
    >>> print(judgements.instance().pattern.to_text())
    11
    01
    >>> print(judgements.instance(Grading(relevant=2, unjudged="unspecified")).pattern.to_text())
    10
    *1
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    grades: NDArray[np.int64]
    source: str = ""
    notes: tuple[str, ...] = ()

    def instance(self, grading: Grading | None = None) -> Instance:
        """Return the pattern under a rule; warns (`InputWarning`) of what is left out.

        A query without a relevant document asks for nothing and is left out. The origin states the
        rule and these queries.

        Parameters
        ----------
        grading : Grading, optional
            The rule that turns grades into entries.

        Raises
        ------
        InputError
            No document is relevant to any query, or the pattern has more * entries than a dense
            pattern may have entries.

        Notes
        -----
        O(pairs) time and memory where unjudged pairs are zeros; where they are unspecified, the
        pattern is stored densely, in two bits an entry.
        """
        grading = grading or Grading()
        relevant = self.grades >= grading.relevant
        kept = flags_at(self.rows[relevant], len(self.queries))
        if not kept.any():
            highest = f"; the highest grade is {self.grades.max()}" if self.grades.size else ""
            raise InputError(
                f"no query has a relevant document (a grade of {grading.relevant} or more){highest}"
            )
        left_out = [self.queries[row] for row in np.flatnonzero(~kept)]
        for note in (*self.notes, *_note(left_out, len(self.queries))):
            message = f"{self.source}: {note}" if self.source else note
            warnings.warn(message, InputWarning, stacklevel=2)
        origin = {**grading.origin, **_listed(left_out)}
        return Instance(self._pattern(grading, relevant, kept), origin=origin)

    def by_query(self) -> dict[str, dict[str, int]]:
        r"""Return the grades by query and document, as programs that compute measures take them.

        Examples
        --------
        >>> import io
        >>> from samapprox.formats import load_judgements
        >>> load_judgements(io.BytesIO(b"q1 0 doc3 2\nq1 0 doc5 0\n")).by_query()
        {'q1': {'doc3': 2, 'doc5': 0}}
        """
        grades: dict[str, dict[str, int]] = {query: {} for query in self.queries}
        pairs = (part.tolist() for part in (self.rows, self.columns, self.grades))
        for row, column, grade in zip(*pairs, strict=True):
            grades[self.queries[row]][self.documents[column]] = grade
        return grades

    def _pattern(
        self, grading: Grading, relevant: NDArray[np.bool_], kept: NDArray[np.bool_]
    ) -> Pattern:
        names = [self.queries[row] for row in np.flatnonzero(kept)]
        if grading.unjudged == "zero":
            indptr, indices = self._compress(relevant, kept)
            shape = len(names), len(self.documents)
            return Pattern.from_csr(
                indptr, indices, None, shape, row_names=names, column_names=self.documents
            )
        size = f"{len(names)} x {len(self.documents)}"
        if len(names) * len(self.documents) > MAX_ENTRIES:
            raise InputError(
                f"unjudged pairs of {size} entries cannot be unspecified: they are stored one by "
                f"one, up to {MAX_ENTRIES}; read unjudged pairs as zero, or take fewer queries"
            )
        ones, judged = (
            SparseMatrix(*self._compress(chosen, kept), len(self.documents))
            for chosen in (relevant, kept[self.rows])
        )
        unspecified = _packed(judged, complement=True)
        has_stars = bool(unspecified.row_counts.any())
        return Pattern.from_storage(
            _packed(ones), unspecified if has_stars else None, names, self.documents
        )

    def _compress(
        self, chosen: NDArray[np.bool_], kept: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compress the rows of some pairs, all of them in rows that are kept."""
        counts = np.bincount(self.rows[chosen], minlength=len(self.queries))[kept]
        return np.concatenate(([0], np.cumsum(counts))), self.columns[chosen]


def _packed(matrix: SparseMatrix, *, complement: bool = False) -> PackedMatrix:
    """Return the matrix in packed words, or that of its zeros."""

    def read(start: int, stop: int) -> NDArray[np.uint8]:
        block = matrix.dense(start, stop)
        return (~block if complement else block).view(np.uint8)

    return PackedMatrix.from_blocks(*matrix.shape, read, in_any_order=True)


def _note(left_out: Sequence[str], queries: int) -> list[str]:
    """Return a line about queries that are left out, if there are any."""
    if not left_out:
        return []
    is_one = len(left_out) == 1
    verbs = "has no relevant document and is" if is_one else "have no relevant document and are"
    names = [repr(name) for name in left_out[:_MOST_NAMED]]
    more = [".."] * (len(left_out) > _MOST_NAMED)
    named = ", ".join([*names, *more])
    return [f"{len(left_out)} of {queries} queries {verbs} left out: {named}"]


def _listed(left_out: Sequence[str]) -> dict[str, int | float | str]:
    """Return the queries left out, as part of an origin."""
    if not left_out:
        return {}
    more = [".."] if len(left_out) > _MOST_LISTED else []
    return {
        "queries left out": len(left_out),
        "left out": " ".join([*left_out[:_MOST_LISTED], *more]),
    }
