"""Answers with their words, pictures and bounds: what all results of questions share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Generic, NoReturn, Protocol, TypeVar

from samapprox.errors import InputError
from samapprox.proofs.certificate import Certificate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Answer", "DrawnAnswer", "ProvenInterval", "Side", "Status"]


class Status(Enum):
    """The answer to a problem."""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


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


class Side(Protocol):
    """An answer YES or NO whose proof gives a bound."""

    @property
    def status(self) -> Status:
        """The answer."""

    @property
    def check_seconds(self) -> float:
        """Wall-clock time of the exact check."""

    @property
    def certificate(self) -> Certificate | None:
        """The proof, to save and verify."""


SideT = TypeVar("SideT", bound=Side)


class ProvenInterval(Answer, Generic[SideT]):
    """An interval of the least number that suffices, with a YES and a NO for its ends.

    Attributes
    ----------
    yes : Side or None
        YES for `upper`; None where nothing better than the trivial bound is written out.
    no : Side or None
        NO for `lower` - 1; None for `lower` = 1.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> found = weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> found.exact, found.yes_certificate.answer, found.no_certificate.answer
    (True, 'YES', 'NO')
    """

    yes: SideT | None
    no: SideT | None

    def __post_init__(self) -> None:
        assert self.yes is None or self.yes.status is Status.YES
        assert self.no is None or self.no.status is Status.NO

    @property
    @abstractmethod
    def lower(self) -> int:
        """A proven lower bound."""

    @property
    @abstractmethod
    def upper(self) -> int:
        """A proven upper bound."""

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def yes_certificate(self) -> Certificate | None:
        """The certificate of the upper bound; None where it is the trivial one."""
        return None if self.yes is None else self.yes.certificate

    @property
    def no_certificate(self) -> Certificate | None:
        """The certificate of the lower bound; None if it is 1."""
        return None if self.no is None else self.no.certificate

    @property
    def _sides(self) -> list[SideT]:
        """The existing proofs, the refutation first."""
        return [side for side in (self.no, self.yes) if side is not None]
