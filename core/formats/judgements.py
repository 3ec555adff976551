"""Retrieval judgements as patterns: queries are rows, documents columns, relevance makes a 1."""

from __future__ import annotations

import math
import warnings

import numpy as np

from samapprox.errors import InputError, InputWarning
from samapprox.instance import Instance
from samapprox.pattern import Pattern

__all__ = ["Judgements"]


class Judgements:
    """Judgements of documents, collected line by line.

    Rows and columns stand in the order of first mention. Every document that is mentioned is a
    column, relevant to some query or not: a key that no query may prefer still takes its place.

    Examples
    --------
    >>> judgements = Judgements()
    >>> judgements.add("q1", "doc3", 1, line=1)
    >>> judgements.add("q1", "doc5", 0, line=2)
    >>> pattern = judgements.instance().pattern
    >>> pattern.shape, pattern.column_names
    ((1, 2), ('doc3', 'doc5'))
    """

    def __init__(self) -> None:
        self._queries: dict[str, dict[int, bool]] = {}
        self._documents: dict[str, int] = {}

    def add(self, query: str, document: str, score: float, line: int) -> None:
        """One judgement; a score above 0 means relevant.

        Raises
        ------
        InputError
            The score is not a number, or contradicts an earlier line.
        """
        if math.isnan(score):
            raise InputError(f"line {line}: the score is not a number")
        column = self._documents.setdefault(document, len(self._documents))
        row = self._queries.setdefault(query, {})
        relevant = score > 0
        if row.setdefault(column, relevant) is not relevant:
            raise InputError(
                f"line {line}: document {document!r} is both relevant and not for query {query!r}"
            )

    def instance(self) -> Instance:
        """The pattern of all judgements; warns (`InputWarning`) of queries that are left out.

        A query without a relevant document asks for nothing.

        Raises
        ------
        InputError
            No document is relevant to any query.
        """
        rows = {
            query: sorted(column for column, relevant in row.items() if relevant)
            for query, row in self._queries.items()
        }
        kept = {query: columns for query, columns in rows.items() if columns}
        if not kept:
            raise InputError("no query has a relevant document (a score above 0)")
        if len(kept) < len(rows):
            first = next(query for query in rows if query not in kept)
            warnings.warn(
                f"{len(rows) - len(kept)} of {len(rows)} queries have no relevant document and "
                f"are left out ({first!r} first)",
                InputWarning,
                stacklevel=2,
            )
        indptr = np.cumsum([0, *map(len, kept.values())])
        indices = np.concatenate([np.array(columns) for columns in kept.values()])
        pattern = Pattern.from_csr(
            indptr,
            indices,
            None,
            (len(kept), len(self._documents)),
            row_names=list(kept),
            column_names=list(self._documents),
        )
        return Instance(pattern)
