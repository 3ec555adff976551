"""Answers in words and pictures: what all results of questions share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, NoReturn

from samapprox.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Answer", "DrawnAnswer"]


class Answer(ABC):
    r"""A result that consists of a sentence and its reasons.

    Examples
    --------
    >>> from samapprox import rank
    >>> found = rank([[1, 1], [1, 0]], kind="global")
    >>> str(found) == "\n".join([found.headline, *found.explain()])
    True
    >>> bool(found)
    Traceback (most recent call last):
    ...
    TypeError: a MatrixRank is neither true nor false; look at its exact or at_most
    """

    NO_TRUTH_VALUE: ClassVar[str]
    """The message for ``if answer``, which names the attributes to look at."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The answer in one sentence."""

    @abstractmethod
    def explain(self) -> list[str]:
        """Explain the answer in lines of text."""

    def __str__(self) -> str:
        return "\n".join([self.headline, *self.explain()])

    def __bool__(self) -> NoReturn:
        raise TypeError(self.NO_TRUTH_VALUE)


class DrawnAnswer(Answer):
    """An answer with a picture, which notebooks show.

    Examples
    --------
    >>> from samapprox import decide
    >>> decide([[1, 0], [0, 1]])._repr_svg_().startswith("<?xml")
    True
    """

    @abstractmethod
    def draw(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw the answer, and save the picture if there is a path."""

    def _repr_svg_(self) -> str | None:
        """Return the picture for notebooks, if possible."""
        from samapprox.pictures import svg

        try:
            return svg(self.draw())
        except InputError:
            return None

    def _repr_html_(self) -> str:
        """Return the answer, its picture and its reasons in words, for notebooks."""
        from samapprox.pictures.notebook import answer_html

        return answer_html(self.headline, self._repr_svg_(), self.explain())
