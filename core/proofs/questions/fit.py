"""The question whether d dimensions represent all but a few rows or entries of a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Problem, Question, require_dimension
from samapprox.proofs.documents import Part
from samapprox.similarities import ATTENTION, Similarity, SimilarityLike, find_similarity
from samapprox.support.text import plural

__all__ = ["UNITS", "Fit", "Unit", "read_terms"]

Unit = Literal["rows", "entries"]
UNITS: tuple[Unit, ...] = get_args(Unit)
"""The items that an embedding may get wrong."""


@dataclass(frozen=True, slots=True, init=False)
class Fit(Question):
    r"""The question whether d dimensions represent a pattern except for some rows or entries.

    Parameters
    ----------
    pattern : Pattern
    d : int
    wrong : int
        The largest number of wrong rows or entries that is allowed, at least 0. A row is wrong if
        one of its specified entries is.
    unit : {"rows", "entries"}
    similarity : {"dot", "cosine", "l2"} or Similarity
        How queries and keys are compared.

    Raises
    ------
    InputError

    Examples
    --------
    >>> print(Fit(Pattern.from_text("100\n010\n001"), 1, wrong=1))
    at most 1 wrong row in d = 1
    """

    TASK: ClassVar[str] = "fit"

    pattern: Pattern
    d: int
    wrong: int
    unit: Unit = "rows"
    similarity: Similarity = ATTENTION

    def __init__(
        self,
        pattern: Pattern,
        d: int,
        wrong: int,
        unit: Unit = "rows",
        similarity: SimilarityLike = ATTENTION,
    ) -> None:
        for name, value in (
            ("pattern", pattern),
            ("d", d),
            ("wrong", wrong),
            ("unit", unit),
            ("similarity", find_similarity(similarity)),
        ):
            object.__setattr__(self, name, value)
        require_dimension("d", self.d)
        if type(self.wrong) is not int or self.wrong < 0:
            raise InputError(f"wrong must be a whole number of at least 0, not {self.wrong!r:.40}")
        if self.unit not in UNITS:
            raise InputError(f"the unit must be one of {', '.join(UNITS)}")

    @property
    def terms(self) -> dict[str, Any]:
        """The dimension, the number allowed and its unit, and the similarity."""
        terms = {"task": self.TASK, "d": self.d, "wrong": self.wrong, "unit": self.unit}
        return {**terms, **self.similarity.term}

    def __str__(self) -> str:
        singular = {"rows": "row", "entries": "entry"}[self.unit]
        counted = plural(self.wrong, f"wrong {singular}")
        return f"at most {counted} in {Problem(self.pattern, self.d, similarity=self.similarity)}"


def read_terms(part: Part) -> dict[str, Any]:
    """Read the dimension, the number allowed, its unit, and the similarity if it is stated.

    Raises
    ------
    InputError

    Examples
    --------
    >>> read_terms(Part({"task": "fit", "d": 1, "wrong": 0, "unit": "rows"}, "the problem"))
    {'d': 1, 'wrong': 0, 'unit': 'rows'}
    """
    part.refuse_others(("task", "d", "wrong", "unit", "similarity"))
    terms = {
        "d": part.get("d", int),
        "wrong": part.get("wrong", int),
        "unit": part.get("unit", str),
    }
    if part.has("similarity"):
        terms["similarity"] = part.get("similarity", str)
    return terms
