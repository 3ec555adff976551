"""Results of the evaluation of given embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samapprox.pattern import Pattern
from samapprox.problem import require_dimension
from samapprox.results import Answer
from samapprox.results.comparisons import CHANCE, COVERAGE, Allowance, Chance, Coverage
from samapprox.results.documents import SIMILARITY, describe_matrix, write_matrix
from samapprox.similarities import Similarity
from samapprox.support.arrays import Indices
from samapprox.support.documents import (
    Document,
    listed,
    nullable,
    number,
    record,
    text,
    whole,
    write,
)
from samapprox.support.text import percent, plural

_MOST_EXPLAINED = 10
_DEPTHS = (1, 2, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True, eq=False)
class Evaluation(Answer):
    """The rows of a pattern that given embeddings get right, in exact arithmetic of their floats.

    A row is right if each of its ones scores strictly higher than each of its zeros.

    Attributes
    ----------
    pattern : Pattern
        The pattern that the embeddings are compared with.
    d : int
        The dimension of the embeddings.
    similarity : Similarity
        How queries and keys are compared.
    zeros_above : ndarray of int64, shape (m,)
        The number of zeros of each row that score at least as high as its lowest one.
    wrong : ndarray of int64, shape (w,)
        The rows that are wrong.
    ones, zeros : ndarray of int64, shape (w,)
        Of each wrong row the one with the lowest score and the zero with the highest; of equal
        scores the first.
    gaps : ndarray of float64, shape (w,)
        The similarity of that zero minus that of that one (for "l2" the distance of the one minus
        that of the zero): 0 if and only if they are equal, else positive. Rounded, with a
        relative error below 10^-6.
    coverage : Coverage or None
        What vectors and pattern do not share, where they are joined by ids.

    Examples
    --------
    >>> from samapprox import evaluate
    >>> found = evaluate([[1, 0, 0], [0, 1, 1]], [[1.0], [2.0]], [[3.0], [1.0], [2.0]])
    >>> found.count, found.share, found.wrong.tolist()
    (1, 0.5, [1])
    """

    NO_TRUTH_VALUE = "an Evaluation is neither true nor false; look at its right, count or share"

    pattern: Pattern
    d: int
    similarity: Similarity
    zeros_above: Indices
    wrong: Indices
    ones: Indices
    zeros: Indices
    gaps: NDArray[np.float64]
    coverage: Coverage | None = None

    # ---------------------------------------------------------------- numbers

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each row is right, shape (m,)."""
        return np.asarray(self.zeros_above == 0)

    @property
    def count(self) -> int:
        """The number of right rows."""
        return self.pattern.shape[0] - len(self.wrong)

    @property
    def share(self) -> float:
        """The share of right rows: in retrieval, of queries with all relevant documents first."""
        return self.count / self.pattern.shape[0]

    @property
    def depths(self) -> Indices:
        """The rank of the lowest one of each row, shape (m,); zeros with an equal score come first.

        In retrieval: the number of documents to fetch until all relevant ones are among them.
        """
        return np.asarray(self.pattern.row_ones + self.zeros_above)

    @property
    def chance(self) -> Chance:
        """The number of right rows if each row ranked its keys in a random order."""
        return Chance.of(self.pattern)

    @property
    def is_chance(self) -> bool:
        """Whether rows are wrong and no more are right than `chance` explains."""
        return bool(len(self.wrong)) and self.chance.explains(self.count)

    def share_within(self, depth: int) -> float:
        """Return the share of rows whose ones are all among the `depth` keys of highest score.

        In retrieval: the share of queries with recall 1 at this depth.

        Parameters
        ----------
        depth : int
            The number of keys of highest score that count, at least 1.

        Examples
        --------
        >>> from samapprox import evaluate
        >>> found = evaluate([[1, 0, 0], [0, 1, 1]], [[1.0], [2.0]], [[3.0], [1.0], [2.0]])
        >>> found.share_within(1), found.share_within(3)
        (0.5, 1.0)
        """
        return self.count_within(depth) / self.pattern.shape[0]

    def count_within(self, depth: int) -> int:
        """Count the rows whose ones are all among the `depth` keys of highest score.

        Parameters
        ----------
        depth : int
            The number of keys of highest score that count, at least 1.

        Examples
        --------
        >>> from samapprox import evaluate
        >>> evaluate([[1, 0], [0, 1]], [[1.0], [2.0]], [[3.0], [1.0]]).count_within(1)
        1
        """
        require_dimension("depth", depth)
        return int(np.count_nonzero(self.depths <= depth))

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """The number of right rows, in one sentence."""
        rows = self.pattern.shape[0]
        return (
            f"These embeddings (d = {self.d}) get {self.count} of {plural(rows, 'row')} right "
            f"({percent(self.share)}) {self.similarity.ranking}."
        )

    def explain(self) -> list[str]:
        """Explain which rows are wrong and by how much, those with the largest gaps first.

        Returns
        -------
        list of str

        Examples
        --------
        >>> from samapprox import evaluate
        >>> found = evaluate([[1, 0, 0], [0, 1, 1]], [[1.0], [2.0]], [[3.0], [1.0], [2.0]])
        >>> print(found.explain()[-1])
        row 1: column 0 (a zero) beats column 1 (a one) by 4; 1 zero above
        """
        coverage = [] if self.coverage is None else self.coverage.explain()
        return [*self._explain_chance(), *coverage, *self._explain_depths(), *self._explain_wrong()]

    def __repr__(self) -> str:
        rows = self.pattern.shape[0]
        return f"<Evaluation: {self.count} of {rows} rows right, {self.similarity}, d = {self.d}>"

    def _explain_chance(self) -> Iterator[str]:
        if self.is_chance:
            chance = self.chance
            yield (
                f"This is no better than chance: random orders of the keys get {chance.mean:.3g} "
                f"rows right on average (standard deviation {chance.deviation:.2g}). Do the "
                "vectors belong to these queries and documents?"
            )

    def _explain_depths(self) -> Iterator[str]:
        depths = [depth for depth in _DEPTHS if depth <= self.pattern.shape[1]]
        shares = ", ".join(f"{percent(self.share_within(depth))} at {depth}" for depth in depths)
        yield f"Rows with all ones among the first k keys: {shares}."
        middle, most = int(np.median(self.depths)), int(self.depths.max())
        yield f"The lowest one of a row has rank {middle} in the median and {most} at most."

    def _explain_wrong(self) -> Iterator[str]:
        if not len(self.wrong):
            return
        ties = int(np.count_nonzero(self.gaps == 0))
        yield f"Wrong rows, the largest gaps first ({plural(ties, 'tie')} among them):"
        order = np.lexsort((self.wrong, -self.gaps))
        for place in order[:_MOST_EXPLAINED].tolist():
            yield self._explain_row(place)
        if len(order) > _MOST_EXPLAINED:
            yield f".. and {len(order) - _MOST_EXPLAINED} more"

    def _explain_row(self, place: int) -> str:
        row, gap = int(self.wrong[place]), float(self.gaps[place])
        one = self.pattern.column_label(int(self.ones[place]))
        zero = self.pattern.column_label(int(self.zeros[place]))
        verb, by = ("beats", f" by {gap:.3g}") if gap else ("ties with", "")
        above = plural(int(self.zeros_above[row]), "zero")
        label = self.pattern.row_label(row)
        return f"{label}: {zero} (a zero) {verb} {one} (a one){by}; {above} above"

    # ---------------------------------------------------------------- documents

    def to_json(
        self,
        *,
        allowance: Allowance | None = None,
        at: tuple[int, Allowance] | None = None,
        source: str | None = None,
    ) -> dict[str, Any]:
        """Return the document whose schema is `samapprox schema evaluation`.

        Parameters
        ----------
        allowance : Allowance, optional
            What the best embeddings of this dimension get right.
        at : tuple of int and Allowance, optional
            K, and what the best embeddings of this dimension get right at K.
        source : str, optional
            The origin of the pattern.

        Returns
        -------
        dict

        Examples
        --------
        >>> from samapprox import evaluate
        >>> document = evaluate([[1, 0]], [[1.0]], [[3.0], [4.0]]).to_json()
        >>> [document["wrong"][0][name] for name in ("row", "one", "zero", "gap", "row_id")]
        [0, 0, 1, 1.0, None]
        """
        above = self.zeros_above[self.wrong]
        table = (self.wrong, self.ones, self.zeros, self.gaps, above)
        return DOCUMENT.write(
            self,
            chance=write(CHANCE, self.chance),
            coverage=None if self.coverage is None else write(COVERAGE, self.coverage),
            pattern=write_matrix(self.pattern.shape, source),
            similarity=self.similarity.name,
            right=self.count,
            possible=None if allowance is None else write(_POSSIBLE, allowance),
            at=None
            if at is None
            else {
                "depth": at[0],
                "right": self.count_within(at[0]),
                "possible": write(_POSSIBLE, at[1]),
            },
            within=[
                {"depth": depth, "share": self.share_within(depth)}
                for depth in _DEPTHS
                if depth <= self.pattern.shape[1]
            ],
            wrong=[
                dict(
                    zip(_WRONG, (*values, *self._ids(values[0], values[1], values[2])), strict=True)
                )
                for values in zip(*(part.tolist() for part in table), strict=True)
            ],
        )

    def _ids(self, row: int, *columns: int) -> list[str | None]:
        """Return the names of a row and of columns, None where there are none."""
        names = self.pattern.column_names
        return [
            None if self.pattern.row_names is None else self.pattern.row_names[row],
            *(None if names is None else names[column] for column in columns),
        ]


_POSSIBLE = {
    "least": whole(0, "Some embedding gets this many rows right; 0 where none is known."),
    "most": whole(0, "No embedding gets more rows right."),
}

_WRONG = {
    "row": whole(0),
    "one": whole(0, "The one with the lowest score; of equal ones the first."),
    "zero": whole(0, "The zero with the highest score; of equal ones the first."),
    "gap": number(
        0,
        "The similarity of the zero minus that of the one; for l2 the distance of the one minus "
        "that of the zero. 0 if and only if they are equal; else rounded, with a relative error "
        "below 1e-6.",
    ),
    "zeros_above": whole(1, "Zeros that score at least as high as the lowest one."),
    "row_id": nullable(text("The id of the row; null where the pattern has none.")),
    "one_id": nullable(text()),
    "zero_id": nullable(text()),
}

DOCUMENT = Document(
    "evaluation",
    "The rows of a pattern that given embeddings get right under a similarity, in exact arithmetic "
    "of their floats. Indices are 0-based; where vectors have ids, columns are in the order of the "
    "keys.",
    {
        "pattern": describe_matrix(),
        "d": whole(1, "The dimension of the embeddings."),
        "similarity": SIMILARITY,
        "right": whole(0, "Rows whose ones all score strictly higher than each of their zeros."),
        "share": number(0, "Share of these among all rows.", most=1),
        "chance": record("", **CHANCE),
        "coverage": nullable(
            record("What vectors and pattern, joined by ids, do not share; else null.", **COVERAGE)
        ),
        "possible": nullable(
            record(
                "Proven bounds on the rows that the best embedding of this dimension gets right; "
                "null if they were not asked for.",
                **_POSSIBLE,
            )
        ),
        "at": nullable(
            record(
                "Rows that are right at K; null if they were not asked for.",
                depth=whole(1, "K."),
                right=whole(0, "Rows whose ones are all among the first K keys."),
                possible=record("The same for the best embedding of this dimension.", **_POSSIBLE),
            )
        ),
        "within": listed(
            record(depth=whole(1, "The number of keys."), share=number(most=1)),
            "Shares of rows whose ones are all among the keys of highest score; of equal scores "
            "zeros come first.",
        ),
        "wrong": listed(record(**_WRONG), "The other rows, ascending."),
    },
)
