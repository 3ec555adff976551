"""Questions about a pattern that certificates answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from samapprox.pattern import Pattern

__all__ = ["Question"]


class Question(ABC):
    """A question about a pattern, to which the answer is YES or NO.

    Subclasses are frozen dataclasses whose first field is the pattern. Each is listed in
    `samapprox.proofs.known_questions`.

    Attributes
    ----------
    TASK : str
        The name of the task in certificates.
    pattern : Pattern

    Examples
    --------
    >>> from samapprox import Pattern, Problem
    >>> Problem(Pattern.from_text("10"), 1).claim("YES")
    'YES for d = 1'
    """

    __slots__ = ()

    TASK: ClassVar[str]

    if TYPE_CHECKING:  # at run time a field's default would be looked for here

        @property
        def pattern(self) -> Pattern:
            """The pattern that the question is about."""

    @property
    @abstractmethod
    def terms(self) -> dict[str, Any]:
        """The question without its pattern: the member "problem" of certificates."""

    def claim(self, answer: str) -> str:
        """Return the statement that a valid certificate with this answer proves.

        Parameters
        ----------
        answer : {"YES", "NO"}
        """
        return f"{answer} for {self}"
