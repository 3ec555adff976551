"""Results of the evaluation of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.results import Answer
from samapprox.support.documents import (
    Document,
    listed,
    mapping,
    nullable,
    number,
    record,
    text,
    whole,
)
from samapprox.support.text import percent, plural

NOT_RETRIEVED = 0
"""The depth of a query whose run lacks a relevant document."""

_MOST_EXPLAINED = 10
_DEPTHS = (1, 2, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True, eq=False)
class RunEvaluation(Answer):
    """The queries of a run whose relevant documents all come first, and measures of retrieval.

    Attributes
    ----------
    source : str
        The file of the run.
    queries : tuple of str
        All queries with a relevant document, in the order of the judgements.
    relevant : ndarray of int64, shape (queries,)
        The number of relevant documents of each.
    depths : ndarray of int64, shape (queries,)
        The rank of the last relevant document of each; 0 if the run lacks a relevant document.
    unasked : int
        Queries of the run without a judgement, which are left out.
    unanswered : int
        Queries that the run has no document for.
    without_relevant : int
        Judged queries without a relevant document, which count in the measures alone.
    measures : mapping of str to float, or None
        The means of measures, by the names of ir_measures; None if these are not computed.

    Examples
    --------
    >>> found = RunEvaluation("a.run", ("q1", "q2"), np.array([1, 2]), np.array([1, 3]))
    >>> found.count, found.share_within(3), found.wrong.tolist()
    (1, 1.0, [1])
    """

    NO_TRUTH_VALUE = "a RunEvaluation is neither true nor false; look at its count or share"

    source: str
    queries: tuple[str, ...]
    relevant: NDArray[np.int64]
    depths: NDArray[np.int64]
    unasked: int = 0
    unanswered: int = 0
    without_relevant: int = 0
    measures: Mapping[str, float] | None = None

    @property
    def wrong(self) -> NDArray[np.int64]:
        """The queries that are not right, by number."""
        return np.flatnonzero(self.depths != self.relevant)

    @property
    def count(self) -> int:
        """The number of queries whose relevant documents all come first."""
        return len(self.queries) - len(self.wrong)

    @property
    def share(self) -> float:
        """The share of these queries."""
        return self.count / len(self.queries)

    def count_within(self, depth: int) -> int:
        """Return the number of queries whose relevant documents are all among the first ones.

        Parameters
        ----------
        depth : int
            The number of documents that count, at least 1.

        Examples
        --------
        >>> found = RunEvaluation("a.run", ("q1", "q2"), np.array([1, 2]), np.array([1, 3]))
        >>> found.count_within(2), found.count_within(3)
        (1, 2)
        """
        return int(np.count_nonzero((self.depths != NOT_RETRIEVED) & (self.depths <= depth)))

    def share_within(self, depth: int) -> float:
        """Return the share of queries whose relevant documents are all among the first ones.

        Parameters
        ----------
        depth : int
            The number of documents that count, at least 1.
        """
        return self.count_within(depth) / len(self.queries)

    @property
    def headline(self) -> str:
        """The number of right queries, in one sentence."""
        return (
            f"{self.source} ranks all relevant documents first for {self.count} of "
            f"{plural(len(self.queries), 'query')} ({percent(self.share)})."
        )

    def explain(self) -> list[str]:
        """Explain how deep relevant documents are, and name queries that are wrong.

        Returns
        -------
        list of str
        """
        return [*self._explain_measures(), *self._explain_depths(), *self._explain_wrong()]

    def _explain_measures(self) -> Iterator[str]:
        for name, value in (self.measures or {}).items():
            yield f"{name}\t{value:.4f}"
        if self.measures and self.without_relevant:
            judged = plural(len(self.queries) + self.without_relevant, "judged query")
            few = f"{self.without_relevant} of them without a relevant document"
            yield f"The measures are means over {judged}, {few}."

    def _explain_depths(self) -> Iterator[str]:
        shares = ", ".join(f"{percent(self.share_within(depth))} at {depth}" for depth in _DEPTHS)
        yield f"Queries with all relevant documents among the first k: {shares}."
        lacking = int(np.count_nonzero(self.depths == NOT_RETRIEVED))
        if lacking:
            yield f"The run lacks a relevant document for {plural(lacking, 'query')}."
        if self.unasked:
            yield f"{plural(self.unasked, 'query')} of the run without judgements left out."
        if self.unanswered:
            yield f"The run has no document at all for {plural(self.unanswered, 'query')}."

    def _explain_wrong(self) -> Iterator[str]:
        for query in self.wrong[:_MOST_EXPLAINED].tolist():
            depth = int(self.depths[query])
            where = f"all by rank {depth}" if depth else "not all retrieved"
            relevant = plural(int(self.relevant[query]), "relevant document")
            yield f"query {self.queries[query]!r}: {relevant}, {where}"
        if len(self.wrong) > _MOST_EXPLAINED:
            yield f".. and {len(self.wrong) - _MOST_EXPLAINED} more"

    def to_json(self) -> dict[str, Any]:
        """Return the document whose schema is `samapprox schema run-evaluation`.

        Returns
        -------
        dict
        """
        return DOCUMENT.write(
            self,
            queries=len(self.queries),
            right=self.count,
            measures=None if self.measures is None else dict(self.measures),
            within=[{"depth": depth, "share": self.share_within(depth)} for depth in _DEPTHS],
            wrong=[
                {
                    "query_id": self.queries[query],
                    "relevant": int(self.relevant[query]),
                    "depth": int(self.depths[query]) or None,
                }
                for query in self.wrong.tolist()
            ],
        )


DOCUMENT = Document(
    "run-evaluation",
    "The queries of a run whose relevant documents all come first. Documents are ordered as "
    "trec_eval does: by score in float32, then by id, both descending.",
    {
        "source": text("The file of the run."),
        "queries": whole(1, "Queries with a relevant document."),
        "right": whole(0, "Queries whose relevant documents all come first."),
        "share": number(0, "Share of these.", most=1),
        "unasked": whole(0, "Queries without a judgement, which are left out."),
        "unanswered": whole(0, "Queries that the run has no document for."),
        "without_relevant": whole(
            0, "Judged queries without a relevant document, which count in the measures alone."
        ),
        "measures": nullable(
            mapping(number(None), "Means by ir_measures' names; null without ir_measures.")
        ),
        "within": listed(
            record(depth=whole(1), share=number(most=1)),
            "Shares of queries whose relevant documents are all among the first ones.",
        ),
        "wrong": listed(
            record(
                query_id=text(),
                relevant=whole(1, "Its relevant documents."),
                depth=nullable(whole(1, "The rank of the last one; null if one is not retrieved.")),
            ),
            "The other queries, in the order of the judgements.",
        ),
    },
)
