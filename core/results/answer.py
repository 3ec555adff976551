"""Answers with their words, pictures and bounds: what all results of questions share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar

from samapprox.errors import CertificateError, InputError
from samapprox.instance import Grading
from samapprox.problem import Question
from samapprox.proofs.base import Proof
from samapprox.proofs.checker import check
from samapprox.similarities import VALUE_SETS
from samapprox.support.documents import (
    Schema,
    choice,
    nullable,
    number,
    record,
    reference,
    text,
    whole,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.proofs.certificate import Certificate
    from samapprox.results.matrix_rank import RankBound
    from samapprox.results.verdict import Verdict


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


CERTIFICATE, SECONDS = reference("certificate"), number()
ANSWER = choice(*(answer.value for answer in Status))
SIMILARITY = choice("dot", "cosine", "l2")
OTHER_SIMILARITY = choice(
    "cosine",
    "l2",
    *VALUE_SETS,
    about="How queries and keys are compared; dot products if it is left out. A set of values: dot "
    "products of queries and keys with such entries.",
)
SIDES = {
    "yes": nullable(
        reference(
            "certificate", "The certificate for `upper`; null where that is the trivial bound."
        )
    ),
    "no": nullable(reference("certificate", "The certificate against `lower` - 1; null for 1.")),
}
"""Members of several documents."""

_JUDGEMENTS = record(
    "Of retrieval judgements: the rule that made the entries.",
    relevant=whole(1, "Least grade that makes a 1."),
    unjudged=choice("zero", "unspecified", about="Pairs that nobody judged are 0 or *."),
)


def describe_matrix(*, what: str = "pattern", judged: bool = False, **facts: Schema) -> Schema:
    """Return the schema of `write_matrix`: of which facts, and whether it may be judged."""
    judgements = {"judgements": _JUDGEMENTS} if judged else {}
    origin = f"Where the {what} comes from; null if it is not from a file."
    return record(
        "",
        tuple(judgements),
        source=nullable(text(origin)),
        rows=whole(1),
        columns=whole(1),
        **facts,
        **judgements,
    )


def write_matrix(
    shape: tuple[int, int], source: str | None, *, grading: Grading | None = None, **facts: int
) -> dict[str, Any]:
    """Return the member that names the pattern or matrix of a document.

    `source`: the origin of the matrix. `grading`: the rule that made entries of retrieval
    judgements. `facts`: more members, which follow the shape.

    >>> write_matrix((2, 3), "a.csv", causal=False)
    {'source': 'a.csv', 'rows': 2, 'columns': 3, 'causal': False}
    """
    rows, columns = shape
    judgements = {} if grading is None else {"judgements": grading.origin}
    return {"source": source, "rows": rows, "columns": columns, **facts, **judgements}
