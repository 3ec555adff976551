"""Results of the evaluation of embeddings that are cut to their leading coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from samapprox.results import DrawnAnswer
from samapprox.results.comparisons import Allowance
from samapprox.results.documents import SIMILARITY, describe_matrix, write_matrix
from samapprox.results.evaluation import Evaluation
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Truncation:
    """The evaluation of vectors of one length.

    Attributes
    ----------
    evaluation : Evaluation
        The right rows.
    allowance : Allowance
        What the best vectors of this length get right.
    measures : mapping of str to float, or None
        The means of measures on the exact ranking; None if these are not computed.
    """

    evaluation: Evaluation
    allowance: Allowance
    measures: Mapping[str, float] | None = None


@dataclass(frozen=True, eq=False)
class TruncationCurve(DrawnAnswer):
    """Evaluations of the leading coordinates of the same vectors.

    Attributes
    ----------
    truncations : tuple of Truncation
        By length, ascending.
    """

    NO_TRUTH_VALUE = "a TruncationCurve is neither true nor false; look at its truncations"

    truncations: tuple[Truncation, ...]

    def broken(self, place: int) -> NDArray[np.int64]:
        """Return the rows that are right at all greater lengths, and wrong at this one.

        Parameters
        ----------
        place : int
            The place of the length in `truncations`.
        """
        longer = [one.evaluation.right for one in self.truncations[place + 1 :]]
        right = np.logical_and.reduce(longer) if longer else np.ones_like(self._right(place))
        return np.flatnonzero(right & ~self._right(place))

    def _right(self, place: int) -> NDArray[np.bool_]:
        return self.truncations[place].evaluation.right

    @property
    def headline(self) -> str:
        """The right rows at the least and at the greatest length, in one sentence."""
        first, last = (self.truncations[end].evaluation for end in (0, -1))
        rows = first.pattern.shape[0]
        return (
            f"Cut from {plural(last.d, 'coordinate')} to {first.d}, these embeddings get "
            f"{first.count} instead of {last.count} of {plural(rows, 'row')} right "
            f"{first.similarity.ranking}."
        )

    def explain(self) -> list[str]:
        """Explain which rows become wrong at which length.

        Returns
        -------
        list of str
        """
        coverage = self.truncations[0].evaluation.coverage
        return [*([] if coverage is None else coverage.explain()), *self._explain_broken()]

    def _explain_broken(self) -> Iterator[str]:
        for place in range(len(self.truncations) - 2, -1, -1):
            evaluation, rows = self.truncations[place].evaluation, self.broken(place)
            if rows.size:
                named = ", ".join(map(evaluation.pattern.row_label, rows[:_MOST_NAMED].tolist()))
                more = ", .." if rows.size > _MOST_NAMED else ""
                yield (
                    f"Right at all greater lengths, wrong at {evaluation.d}: "
                    f"{plural(rows.size, 'row')} ({named}{more})"
                )

    def draw(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw right rows, their proven ceiling and the measures against the length.

        Parameters
        ----------
        path : path, optional
            File to write: png, svg or pdf.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        InputError
            A file that cannot be written.
        """
        from samapprox.pictures import save_picture
        from samapprox.pictures.charts import draw_truncations

        names = self.truncations[0].measures or {}
        rows = self.truncations[0].evaluation.pattern.shape[0]
        figure = draw_truncations(
            [one.evaluation.d for one in self.truncations],
            [one.evaluation.share for one in self.truncations],
            [one.allowance.most / rows for one in self.truncations],
            {name: [(one.measures or {})[name] for one in self.truncations] for name in names},
        )
        return save_picture(figure, path)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the head and the lines of a table: a line for each length.

        Returns
        -------
        tuple
        """
        head = ("length", "right rows", "share", "possible")
        lines = [
            (
                *(str(one.evaluation.d), str(one.evaluation.count), percent(one.evaluation.share)),
                one.allowance.describe(one.evaluation.pattern.shape[0]),
                *(f"{value:.4f}" for value in (one.measures or {}).values()),
            )
            for one in self.truncations
        ]
        return (*head, *(self.truncations[0].measures or {})), lines

    def to_json(self, *, source: str | None = None) -> dict[str, Any]:
        """Return the document whose schema is `samapprox schema truncation`.

        Parameters
        ----------
        source : str, optional
            The origin of the pattern.

        Returns
        -------
        dict
        """
        first = self.truncations[0].evaluation
        names = first.pattern.row_names
        return DOCUMENT.write(
            self,
            pattern=write_matrix(first.pattern.shape, source),
            similarity=first.similarity.name,
            lengths=[
                {
                    "length": one.evaluation.d,
                    "right": one.evaluation.count,
                    "share": one.evaluation.share,
                    "possible": {"least": one.allowance.least, "most": one.allowance.most},
                    "measures": None if one.measures is None else dict(one.measures),
                    "broken": [
                        {"row": row, "row_id": None if names is None else names[row]}
                        for row in self.broken(place).tolist()
                    ],
                }
                for place, one in enumerate(self.truncations)
            ],
        )


DOCUMENT = Document(
    "truncation",
    "What `samapprox fit --embeddings --truncate --json` prints: evaluations of the leading "
    "coordinates of embeddings.",
    {
        "pattern": describe_matrix(),
        "similarity": SIMILARITY,
        "lengths": listed(
            record(
                length=whole(1, "The number of leading coordinates."),
                right=whole(0, "Rows whose ones all score strictly higher than their zeros."),
                share=number(0, "Share of these.", most=1),
                possible=record(
                    "Proven bounds on the rows that the best vectors of this length get right.",
                    least=whole(),
                    most=whole(),
                ),
                measures=nullable(
                    mapping(
                        number(None),
                        "Means by ir_measures' names on the exact ranking; null without "
                        "ir_measures.",
                    )
                ),
                broken=listed(
                    record(row=whole(), row_id=nullable(text())),
                    "Rows that are right at all greater lengths, and wrong at this one.",
                ),
            ),
            "By length, ascending.",
            least=1,
        ),
    },
)
