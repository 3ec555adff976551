"""What a search for the least dimension returns."""

from __future__ import annotations

from dataclasses import dataclass

from samapprox.errors import InputError
from samapprox.pattern import Pattern
from samapprox.verdict import Attempt, Status, Verdict

__all__ = ["WeakDimension"]


@dataclass(frozen=True)
class WeakDimension:
    """Proven bounds on the least d in which attention can show a pattern (the free case).

    Attributes
    ----------
    pattern : Pattern
    yes : Verdict or None
        YES in dimension `upper`; None where nothing better than the trivial bound was found.
    no : Verdict or None
        NO in dimension `lower` - 1; None for `lower` = 1.
    trail : tuple of (int, Attempt)
        Dimension, and a strategy's part in deciding it.

    Examples
    --------
    >>> from samapprox import weak_dimension
    >>> found = weak_dimension([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> found.lower, found.upper, found.exact
    (2, 2, True)
    """

    pattern: Pattern
    yes: Verdict | None
    no: Verdict | None
    trail: tuple[tuple[int, Attempt], ...] = ()

    def __post_init__(self) -> None:
        assert self.yes is None or self.yes.status is Status.YES
        assert self.no is None or self.no.status is Status.NO

    @property
    def lower(self) -> int:
        """No smaller dimension shows the pattern."""
        return 1 if self.no is None else self.no.lower

    @property
    def upper(self) -> int:
        """A dimension that shows it; without a proof, min(m, n - 1), which always does."""
        if self.yes is not None:
            return self.yes.upper
        rows, columns = self.pattern.shape
        return max(1, min(rows, columns - 1))

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def seconds(self) -> float:
        """Wall-clock time of all strategies and checks."""
        checks = sum(side.check_seconds for side in (self.yes, self.no) if side is not None)
        return checks + sum(attempt.seconds for _, attempt in self.trail)

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show (see `samapprox.pictures.draw_dimension`), if any."""
        from samapprox.pictures import draw_dimension, svg

        try:
            return svg(draw_dimension(self))
        except InputError:
            return None

    def _repr_html_(self) -> str:
        """The bounds, their picture and both proofs in words, as notebooks show them."""
        from samapprox.pictures.notebook import dimension_html

        return dimension_html(self)
