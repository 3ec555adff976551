"""The least dimension in which unit queries and keys have a given margin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from samapprox.errors import CertificateError, InputError, abridge
from samapprox.results import name_interval, name_matrix
from samapprox.results.documents import MARGIN
from samapprox.support.documents import write

if TYPE_CHECKING:
    from samapprox.pattern import Pattern
    from samapprox.proofs.certificate import Certificate


_MILLIONTHS = 1_000_000
"""The denominator of margins."""


@dataclass(frozen=True)
class MarginDimension:
    """Proven bounds on the least dimension whose unit queries and keys have a margin.

    Attributes
    ----------
    pattern : Pattern
        The pattern that was asked about.
    margin : Fraction
        The margin that is wanted.
    lower : int or None
        No smaller dimension has the margin; None if no dimension has it.
    upper : int or None
        This dimension has the margin; None if no dimension is known to have it.
    yes : Certificate or None
        Queries and keys with the margin in dimension `upper`.
    no : Certificate or None
        A proof that dimension `lower` - 1, or every dimension, does not have the margin; None if
        `lower` is 1.

    Raises
    ------
    CertificateError
        One of the certificates does not hold: a bug in the search.

    Examples
    --------
    >>> from samapprox import dimension_for_margin
    >>> print(dimension_for_margin([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 0.7))
    A margin of 0.7 needs d = 2: unit queries and keys reach it in this 3 x 3 pattern; no ...
    """

    MEMBER: ClassVar = "margin"

    pattern: Pattern
    margin: Fraction
    lower: int | None
    upper: int | None
    yes: Certificate | None
    no: Certificate | None

    def __post_init__(self) -> None:
        for certificate in (self.yes, self.no):
            if certificate is not None and not (check := certificate.verify(self.pattern)):
                raise CertificateError(f"a certificate of a margin fails: {check.reason}")

    @property
    def exact(self) -> bool:
        """Whether both bounds meet, or no dimension has the margin."""
        return self.lower == self.upper

    @property
    def headline(self) -> str:
        """The bounds in one sentence."""
        wanted = f"{float(self.margin):g}"
        this = name_matrix(self.pattern.shape)
        if self.lower is None:
            return f"No dimension has unit queries and keys with a margin of {wanted} for {this}."
        if self.upper is None:
            return (
                f"A margin of {wanted} was found in no dimension for {this}, and no "
                f"d < {self.lower} has it."
            )
        if self.exact:
            return (
                f"A margin of {wanted} needs d = {self.upper}: unit queries and keys reach it in "
                f"{this}; no smaller d does."
            )
        between = name_interval(self.lower, self.upper)
        return f"The least d with a margin of {wanted} for {this} lies in {between}."

    def __str__(self) -> str:
        return self.headline

    def to_json(self) -> dict[str, Any]:
        """Return the member "margin" of `samapprox schema dimension`."""
        return write(MARGIN, self, margin=float(self.margin))


def read_margin(margin: float | str | Fraction) -> Fraction:
    """Read a positive margin, rounded up to millionths.

    >>> read_margin(0.05), read_margin("1e-9")
    (Fraction(1, 20), Fraction(1, 1000000))
    """
    try:
        value = Fraction(margin if isinstance(margin, Fraction) else str(margin))
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"the margin must be a number such as 0.05, not {abridge(margin)}"
        ) from None
    if not 0 < value <= _MILLIONTHS:
        raise InputError(f"the margin must be above 0 and at most {_MILLIONTHS}, not {margin}")
    return Fraction(-(-value.numerator * _MILLIONTHS // value.denominator), _MILLIONTHS)
