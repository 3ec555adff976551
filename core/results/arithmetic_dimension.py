"""A dimension in which an embedding represents a pattern in a number format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from samapprox.errors import CertificateError
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.results import name_interval, name_matrix
from samapprox.results.dimension import WeakDimension
from samapprox.results.documents import ARITHMETIC
from samapprox.support.documents import write


@dataclass(frozen=True)
class ArithmeticDimension:
    """A dimension whose embedding represents a pattern in a number format.

    The dimension is found, not proven to be the least: in the format, a smaller d may do as well.
    Sums of floats are rounded, which can even represent a pattern in fewer dimensions than exact
    arithmetic; embeddings that are right by rounding alone do not count here.

    Attributes
    ----------
    pattern : Pattern
        The pattern that was asked about.
    arithmetic : str
        The number format.
    weak : WeakDimension
        The proven bounds in exact arithmetic.
    yes : Certificate
        The embedding that represents the pattern, exactly and in the format.

    Raises
    ------
    CertificateError
        The embedding does not represent the pattern in exact arithmetic: a bug in the search.

    Examples
    --------
    >>> from samapprox import dimension_in_arithmetic
    >>> print(dimension_in_arithmetic([[1, 0, 0], [0, 1, 0], [0, 0, 1]], "float16"))
    In float16, an embedding with d = 2 represents every row of this 3 x 3 pattern; no smaller ...
    """

    MEMBER: ClassVar = "arithmetic"

    pattern: Pattern
    arithmetic: str
    weak: WeakDimension
    yes: Certificate

    def __post_init__(self) -> None:
        if not (check := self.yes.verify(self.pattern)):
            raise CertificateError(f"the embedding for {self.arithmetic} fails: {check.reason}")

    @property
    def d(self) -> int:
        """The dimension of the embedding."""
        return self.yes.d

    @property
    def lower(self) -> int:
        """A proven lower bound: no smaller d represents the pattern in exact arithmetic."""
        return self.weak.lower

    @property
    def headline(self) -> str:
        """The dimension found and the proven bound, in one sentence."""
        found = (
            f"In {self.arithmetic}, an embedding with d = {self.d} represents every row of "
            f"{name_matrix(self.pattern.shape)}"
        )
        if self.d == self.lower:
            return f"{found}; no smaller d can in exact arithmetic."
        below = "" if self.lower == 1 else f" No d < {self.lower} can in exact arithmetic."
        between = name_interval(self.lower, self.d - 1)
        return f"{found}.{below} For d = {between}, none was found."

    def __str__(self) -> str:
        return self.headline

    def to_json(self) -> dict[str, Any]:
        """Return the member "arithmetic" of `samapprox schema dimension`."""
        return write(ARITHMETIC, self, format=self.arithmetic)
