"""The question whether a margin can be reached by unit queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, ClassVar

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.problem import Question, require_dimension
from samapprox.proofs.documents import Part

__all__ = ["Margin", "read_terms"]


@dataclass(frozen=True, slots=True)
class Margin(Question):
    r"""The question whether queries and keys of norm at most 1 separate a pattern by a margin.

    The margin of queries q_i, keys k_j and thresholds t_i is the least s_ij (q_i . k_j - t_i) over
    all specified entries, with s_ij = 1 for ones and -1 for zeros. The dimension is arbitrary
    unless d is given.

    A proof of YES gives vectors with a margin of at least ``numerator / denominator``. A proof of
    NO shows that no vectors have a larger one.

    Parameters
    ----------
    pattern : Pattern
    numerator, denominator : int
        Of the margin, at least 0 and 1, without a common factor.
    d : int or None
        A dimension to which the vectors are restricted; None for any.

    Raises
    ------
    InputError

    Examples
    --------
    >>> question = Margin(Pattern.from_text("100\n010\n001"), 3, 4)
    >>> question.value, question.claim("NO")
    (Fraction(3, 4), 'no margin above 0.75')
    """

    TASK: ClassVar[str] = "margin"

    pattern: Pattern
    numerator: int
    denominator: int
    d: int | None = None

    def __post_init__(self) -> None:
        if type(self.numerator) is not int or type(self.denominator) is not int:
            raise InputError("numerator and denominator must be whole numbers")
        if self.numerator < 0 or self.denominator < 1:
            raise InputError("a margin is a fraction of at least 0 with a positive denominator")
        if gcd(self.numerator, self.denominator) != 1:
            raise InputError("numerator and denominator of a margin must have no common factor")
        if self.d is not None:
            require_dimension("d", self.d)

    @property
    def value(self) -> Fraction:
        """The margin."""
        return Fraction(self.numerator, self.denominator)

    @property
    def terms(self) -> dict[str, Any]:
        """The margin as a fraction, and the dimension if there is one."""
        restriction = {} if self.d is None else {"d": self.d}
        fraction = {"numerator": self.numerator, "denominator": self.denominator}
        return {"task": self.TASK, **fraction, **restriction}

    def claim(self, answer: str) -> str:
        """Return the statement that a valid certificate with this answer proves."""
        where = "" if self.d is None else f" in d = {self.d}"
        words = "a margin of at least" if answer == "YES" else "no margin above"
        return f"{words} {self._words}{where}"

    def __str__(self) -> str:
        where = "" if self.d is None else f" in d = {self.d}"
        return f"margin {self._words}{where}"

    @property
    def _words(self) -> str:
        """The margin as a decimal number if that is exact in millionths, else as a fraction."""
        if 10**6 % self.denominator:
            return str(self.value)
        whole, millionths = divmod(self.numerator * (10**6 // self.denominator), 10**6)
        return f"{whole}.{millionths:06}".rstrip("0").rstrip(".")


def read_terms(part: Part) -> dict[str, Any]:
    """Read the fraction, and the dimension if it is stated.

    Raises
    ------
    InputError

    Examples
    --------
    >>> part = Part({"task": "margin", "numerator": 3, "denominator": 4}, "the problem")
    >>> read_terms(part)
    {'numerator': 3, 'denominator': 4}
    """
    part.refuse_others(("task", "numerator", "denominator", "d"))
    names = ("numerator", "denominator", *(("d",) if part.has("d") else ()))
    return {name: part.get(name, int) for name in names}
