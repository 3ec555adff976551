"""The best fits for each dimension, as a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from samapprox.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.results.best_fit import BestFit
    from samapprox.results.best_recall import BestRecall


@dataclass(frozen=True)
class FitCurve:
    """The best fits for d = 1, 2, .., with bounds that never rise with d.

    Attributes
    ----------
    fits : tuple of BestFit
        For d = 1, 2, .., with the same pattern and unit. The last one has no wrong item, unless the
        search was interrupted or given a largest d.

    Examples
    --------
    >>> from samapprox import fit_curve
    >>> [(found.d, found.upper) for found in fit_curve([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).fits]
    [(1, 1), (2, 0)]
    """

    fits: tuple[BestFit, ...]

    @classmethod
    def of(cls, fits: Sequence[BestFit]) -> FitCurve:
        """Make a curve; an embedding counts for larger d too, and a refutation for smaller ones.

        Raises
        ------
        InputError
            There is no fit.
        """
        if not fits:
            raise InputError("a curve needs at least one dimension")
        found = list(fits)
        for place in range(1, len(found)):
            better, own = found[place - 1], found[place]
            if better.upper < own.upper:
                found[place] = replace(own, yes=better.yes, upper=better.upper)
        for place in reversed(range(len(found) - 1)):
            better, own = found[place + 1], found[place]
            if better.lower > own.lower and own.is_refuted_as(better):
                found[place] = replace(own, no=better.no, lower=better.lower)
        recalls = _join_recalls([one.recall for one in found if one.recall is not None])
        if recalls:
            found = [replace(one, recall=own) for one, own in zip(found, recalls, strict=True)]
        return cls(tuple(found))

    @property
    def exact(self) -> bool:
        """Whether the bounds meet for each d."""
        return all(found.exact for found in self.fits)

    def __str__(self) -> str:
        return "\n".join(f"d = {found.d}: {found.headline}" for found in self.fits)

    def draw(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw the share that is right against d: the embeddings', and the proven ceiling.

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

        Examples
        --------
        >>> from samapprox import fit_curve
        >>> figure = fit_curve([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).draw()
        >>> figure.get_axes()[0].get_ylabel()
        'rows right'
        """
        from samapprox.pictures import save_picture
        from samapprox.pictures.charts import draw_fit_curve

        unit = self.fits[0].unit
        figure = draw_fit_curve(
            [found.d for found in self.fits],
            [found.share_right for found in self.fits],
            [found.most_right for found in self.fits],
            unit,
        )
        return save_picture(figure, path)

    def to_json(self, *, source: str | None = None, causal: bool = False) -> dict[str, Any]:
        """Return the document of `fit --curve --json`: `samapprox schema fit-curve`."""
        from samapprox.results.documents import FIT_CURVE, write_matrix

        return FIT_CURVE.write(
            pattern=write_matrix(self.fits[0].pattern.shape, source, causal=causal),
            fits=[found.summary() for found in self.fits],
        )


def _join_recalls(recalls: list[BestRecall]) -> list[BestRecall]:
    """Use the bounds of each dimension for larger and for smaller ones."""
    for place in range(1, len(recalls)):
        recalls[place] = recalls[place].at_least(recalls[place - 1])
    for place in reversed(range(len(recalls) - 1)):
        recalls[place] = recalls[place].at_most(recalls[place + 1])
    return recalls
