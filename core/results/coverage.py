"""The ids that only vectors or only a pattern have, where both are joined."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.support.documents import flag, whole
from samapprox.support.text import plural

__all__ = ["COVERAGE", "Coverage"]


@dataclass(frozen=True, slots=True)
class Coverage:
    r"""How far vectors and a pattern, joined by ids, are about the same queries and documents.

    Attributes
    ----------
    unjudged : int
        Documents that have a vector and are no column of the pattern.
    left_out : bool
        Whether these are left out, as unspecified pairs; else they are zeros in every row.
    unasked : int
        Queries that have a vector and are no row of the pattern; they are left out.
    missing_queries, missing_documents : int
        Rows and columns of the pattern that have no vector; they are left out.
    emptied : int
        Rows whose ones are all among these columns; they are left out.

    Examples
    --------
    >>> print(*Coverage(unjudged=2, unasked=1).explain(), sep="\n")
    2 documents that nobody judged count as zeros.
    1 query without relevant documents is left out.
    """

    unjudged: int = 0
    left_out: bool = False
    unasked: int = 0
    missing_queries: int = 0
    missing_documents: int = 0
    emptied: int = 0

    def explain(self) -> list[str]:
        """Describe what is added or left out, a line each.

        Returns
        -------
        list of str
        """
        gone = "is left out", "are left out"
        unjudged = gone if self.left_out else ("counts as zeros", "count as zeros")
        counts = (
            (self.unjudged, "document", "that nobody judged", unjudged),
            (self.unasked, "query", "without relevant documents", gone),
            (self.missing_documents, "document", "without a vector", gone),
            (self.missing_queries, "query", "without a vector", gone),
            (self.emptied, "query", "whose relevant documents have no vectors", gone),
        )
        return [
            f"{plural(count, noun)} {which} {verbs[count != 1]}."
            for count, noun, which, verbs in counts
            if count
        ]


COVERAGE = {
    "unjudged": whole(0, "Documents with a vector that are no column of the pattern."),
    "left_out": flag("Whether these are left out; else they are zeros in every row."),
    "unasked": whole(0, "Queries with a vector that are no row of the pattern, and left out."),
    "missing_queries": whole(0, "Rows without a vector, which are left out."),
    "missing_documents": whole(0, "Columns without a vector, which are left out."),
    "emptied": whole(0, "Rows whose ones are all among these, which are left out."),
}
"""The members of a document that states a coverage."""
