"""Results of all questions: their bounds, words, pictures and documents, and what all share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Generic, NoReturn, TypeVar

from samapprox.errors import CertificateError, InputError
from samapprox.problem import Question
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.support.packages import lazy_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.proofs.certificate import Certificate
    from samapprox.results.arithmetic_dimension import ArithmeticDimension as ArithmeticDimension
    from samapprox.results.best_fit import BestFit as BestFit
    from samapprox.results.best_recall import BestRecall as BestRecall
    from samapprox.results.comparisons import Allowance as Allowance
    from samapprox.results.dimension import WeakDimension as WeakDimension
    from samapprox.results.evaluation import Evaluation as Evaluation
    from samapprox.results.fit_curve import FitCurve as FitCurve
    from samapprox.results.margins import DimensionMargin as DimensionMargin
    from samapprox.results.margins import MarginBounds as MarginBounds
    from samapprox.results.matrix_rank import MatrixRank as MatrixRank
    from samapprox.results.matrix_rank import RankBound as RankBound
    from samapprox.results.verdict import Attempt as Attempt
    from samapprox.results.verdict import Verdict as Verdict

_HOMES = {
    "arithmetic_dimension": ("ArithmeticDimension",),
    "best_fit": ("BestFit",),
    "best_recall": ("BestRecall",),
    "comparisons": ("Allowance",),
    "dimension": ("WeakDimension",),
    "evaluation": ("Evaluation",),
    "fit_curve": ("FitCurve",),
    "margins": ("DimensionMargin", "MarginBounds"),
    "matrix_rank": ("MatrixRank", "RankBound"),
    "verdict": ("Attempt", "Verdict"),
}
"""Module -> the names that it offers here."""

__all__ = sorted(["Status", *(name for names in _HOMES.values() for name in names)])


class Status(StrEnum):
    """The answer to a problem: a string, so that `verdict.status == "NO"` works."""

    YES = "YES"
    NO = "NO"
    UNKNOWN = "UNKNOWN"


class Answer(ABC):
    """A result that consists of a sentence and its reasons."""

    NO_TRUTH_VALUE: ClassVar[str]
    """The message for ``if answer``, which names the attributes to look at."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The answer in one sentence."""

    @abstractmethod
    def explain(self) -> list[str]:
        """Explain the answer in lines of text."""

    def text(self) -> str:
        """Return the lines of `explain` as one text."""
        return "\n".join(self.explain())

    def __str__(self) -> str:
        return "\n".join([self.headline, *self.explain()])

    def __bool__(self) -> NoReturn:
        raise TypeError(self.NO_TRUTH_VALUE)


class DrawnAnswer(Answer):
    """An answer with a picture, which notebooks show.

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
        from samapprox.pictures.drawing import answer_html

        return answer_html(self.headline, self._repr_svg_(), self.explain())


SideT = TypeVar("SideT", bound="Verdict | RankBound")


class ProvenInterval(Answer, Generic[SideT]):
    """An interval of the least number that suffices, with a YES and a NO for its ends.

    `yes`: YES for `upper`; None where nothing better than the trivial bound is written out. `no`:
    NO for `lower` - 1; None for `lower` = 1.

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


def require_proof(question: Question, proof: Proof) -> float:
    """Check that a proof answers a question.

    Returned: wall-clock time of the exact check, in seconds. Raises CertificateError: the proof
    does not hold: a bug in the strategy that found it.
    """
    start = time.perf_counter()
    reason = check(question, proof)
    seconds = time.perf_counter() - start
    if reason is not None:
        raise CertificateError(
            f"the {type(proof).__name__} for {question} fails the checker: {reason}"
        )
    return seconds


def name_matrix(shape: tuple[int, int], what: str = "pattern") -> str:
    """Name the pattern or matrix of an answer in a sentence."""
    rows, columns = shape
    return f"this {rows} x {columns} {what}"


def name_interval(lower: int, upper: int) -> str:
    """Write an interval of whole numbers, or the number that it is."""
    return f"{lower}" if lower == upper else f"{lower}..{upper}"


if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, **_HOMES)
