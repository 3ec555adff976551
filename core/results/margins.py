"""Results of a search for the largest margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

from samapprox.errors import CertificateError, InputError
from samapprox.pattern import Pattern
from samapprox.proofs.certificate import Certificate
from samapprox.results import Answer, name_matrix
from samapprox.results.documents import SECONDS, describe_matrix, write_matrix
from samapprox.support.documents import (
    Document,
    flag,
    listed,
    mapping,
    nullable,
    number,
    record,
    reference,
    whole,
    write,
)
from samapprox.support.text import plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from samapprox.instance import Grading


@dataclass(frozen=True)
class DimensionMargin:
    """Results for one dimension: bounds on the margin, a number of bits, number formats.

    The bits and the formats are only found: fewer bits and other formats may be possible.

    Attributes
    ----------
    d : int
        The dimension that was searched.
    yes : Certificate or None
        Of the largest margin found in d; None if no embedding with a margin was found.
    no : Certificate or None
        A proof that d does not represent the pattern at all, if one was found.
    ceiling : Certificate or None
        A proof that no margin in d is larger than `upper`: the one for all dimensions, unless a
        better one for d was found. None if there is no bound.
    embedding : Certificate or None
        Of the integer embedding with the fewest bits that was found. If bits were not asked for,
        of an embedding that was found by a decision, or None.
    bits : int or None
        The bits of its largest coordinate, without the sign.
    formats : mapping of str to bool
        For each number format that was tried, whether an embedding was found that represents the
        pattern when queries and keys are rounded to it.

    Examples
    --------
    >>> from samapprox import margin
    >>> line, plane = margin([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dimensions=2).dimensions
    >>> line.found, plane.found, round(float(plane.lower), 3)
    (False, True, 0.75)
    """

    d: int
    yes: Certificate | None = None
    no: Certificate | None = None
    ceiling: Certificate | None = None
    embedding: Certificate | None = None
    bits: int | None = None
    formats: Mapping[str, bool] = field(default_factory=dict, hash=False)

    @property
    def found(self) -> bool:
        """Whether an embedding was found; its margin may be too small to be stated."""
        return self.yes is not None or self.embedding is not None

    @property
    def lower(self) -> Fraction:
        """The proven margin; 0 without an embedding."""
        return _value(self.yes) or Fraction(0)

    @property
    def upper(self) -> Fraction | None:
        """A proven upper bound on the margin in d; None if every margin can be reached."""
        return Fraction(0) if self.no is not None else _value(self.ceiling)

    def to_json(self) -> dict[str, Any]:
        """Return the member "dimensions" of `samapprox schema margin`, for this d."""
        own = self.ceiling is not None and "d" in self.ceiling.terms
        return write(
            _DIMENSION,
            self,
            margin=float(self.lower) if self.found else None,
            upper=None if self.upper is None else float(self.upper),
            ceiling=self.ceiling if own else None,
            formats=dict(self.formats),
        )


@dataclass(frozen=True)
class MarginBounds(Answer):
    """Proven bounds on the margin of unit queries and keys, in any dimension.

    Attributes
    ----------
    pattern : Pattern
        The pattern that was asked about.
    yes : Certificate or None
        Queries and keys with the margin `lower`; None if `lower` is 0, or if there is no bound.
    no : Certificate or None
        A proof that no margin exceeds `upper`; None if there is no bound.
    dimensions : tuple of DimensionMargin
        What was found for d = 1, 2, .., if that was asked for.
    seconds : float
        Wall-clock time.

    Raises
    ------
    CertificateError
        One of the certificates does not hold: a bug in the search.

    Examples
    --------
    >>> from samapprox import margin
    >>> found = margin([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> float(found.lower) <= 0.75 <= float(found.upper) < 0.76
    True
    """

    NO_TRUTH_VALUE = "MarginBounds are neither true nor false; look at lower or upper"

    pattern: Pattern
    yes: Certificate | None
    no: Certificate | None
    dimensions: tuple[DimensionMargin, ...] = ()
    seconds: float = 0.0

    def __post_init__(self) -> None:
        sides = [self.yes, self.no]
        found = [
            part
            for each in self.dimensions
            for part in (each.yes, each.no, each.ceiling, each.embedding)
        ]
        checked = {id(part): part for part in (*sides, *found) if part is not None}
        for certificate in checked.values():  # one may bound the margin in many dimensions
            if not (check := certificate.verify(self.pattern)):
                raise CertificateError(f"a certificate of a margin fails: {check.reason}")

    @property
    def bounded(self) -> bool:
        """Whether some row has both a one and a zero; else every margin can be reached."""
        return self.no is not None

    @property
    def lower(self) -> Fraction:
        """A proven lower bound: some unit queries and keys have this margin."""
        return _value(self.yes) or Fraction(0)

    @property
    def upper(self) -> Fraction | None:
        """A proven upper bound; None if every margin can be reached."""
        return _value(self.no)

    @property
    def formats(self) -> dict[str, tuple[int, int | None]]:
        """The interval of the least dimension in each number format that was tried.

        The lower bound is proven for exact arithmetic, by the dimensions that were searched; the
        upper one is the least of them with an embedding that is right in the format, None without
        any.

        Examples
        --------
        >>> from samapprox import margin
        >>> margin([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dimensions=3, bits=True).formats["int8"]
        (2, 2)
        """
        lower = 1 + max((each.d for each in self.dimensions if each.no is not None), default=0)
        found: dict[str, int | None] = {}
        for each in self.dimensions:
            for name, right in each.formats.items():
                if found.get(name) is None:
                    found[name] = each.d if right else None
        return {name: (lower, upper) for name, upper in found.items()}

    # ---------------------------------------------------------------- words

    @property
    def headline(self) -> str:
        """The proven bounds, in one sentence.

        Examples
        --------
        >>> from samapprox import margin
        >>> margin([[1, 1], [1, 1]]).headline
        'unbounded: no row of this 2 x 2 pattern has both a one and a zero.'
        >>> margin([[1, 0], [0, 1]]).headline
        '1: the largest margin of unit queries and keys in any dimension for this 2 x 2 pattern.'
        """
        this = name_matrix(self.pattern.shape)
        if self.upper is None:
            return f"unbounded: no row of {this} has both a one and a zero."
        subject = f"the largest margin of unit queries and keys in any dimension for {this}"
        if self.lower == self.upper:
            return f"{_decimal(self.lower)}: {subject}."
        return f"{_decimal(self.lower)}..{_decimal(self.upper)}: {subject} lies in this range."

    def explain(self) -> list[str]:
        """Explain both bounds in words.

        Examples
        --------
        >>> from samapprox import margin
        >>> print(margin([[1, 0], [0, 1]]).explain()[-1])
        No unit queries and keys keep all of them more than 2 above.
        """
        if self.upper is None:
            return []
        low, high = (_decimal(2 * bound) for bound in (self.lower, self.upper))
        lines = [
            f"At temperature 1, some unit queries and keys keep each one's logit at least {low} "
            "above each zero's of its row.",
            f"No unit queries and keys keep all of them more than {high} above.",
        ]
        return lines[self.yes is None :]

    # ---------------------------------------------------------------- pictures

    def draw(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw the margin and the bits that were found against d.

        Parameters
        ----------
        path : path, optional
            File to write: png, svg or pdf.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        InputError
            No dimension was searched, or the file cannot be written.

        Examples
        --------
        >>> from samapprox import margin
        >>> figure = margin([[1, 0], [0, 1]], dimensions=1, bits=True).draw()
        >>> [axes.get_ylabel() for axes in figure.get_axes()]
        ['margin found', 'bits found']
        """
        from samapprox.pictures import save_picture
        from samapprox.pictures.charts import draw_margins

        if not self.dimensions:
            raise InputError("there is no dimension to draw; search some (dimensions)")
        figure = draw_margins(self)
        if path is not None:
            save_picture(figure, path)
        return figure

    # ---------------------------------------------------------------- documents

    def to_json(
        self, *, source: str | None = None, causal: bool = False, grading: Grading | None = None
    ) -> dict[str, Any]:
        """Return the document of `margin --json`, whose schema is `samapprox schema margin`.

        Parameters
        ----------
        source : str, optional
            The origin of the pattern.
        causal : bool
            Whether the pattern is the causal view of that source.
        grading : Grading, optional
            The rule that made entries of retrieval judgements.

        Examples
        --------
        >>> from samapprox import margin
        >>> margin([[1, 1]]).to_json()["upper"] is None
        True
        """
        return DOCUMENT.write(
            self,
            pattern=write_matrix(self.pattern.shape, source, causal=causal, grading=grading),
            lower=float(self.lower) if self.bounded else None,
            upper=None if self.upper is None else float(self.upper),
            formats={
                name: {"lower": lower, "upper": upper}
                for name, (lower, upper) in self.formats.items()
            },
        )

    def __repr__(self) -> str:
        searched = plural(len(self.dimensions), "dimension")
        bounds = "unbounded" if self.upper is None else f"{self.lower}..{self.upper}"
        return f"<MarginBounds: {bounds}, {searched}>"


def _decimal(value: Fraction) -> str:
    """Write a margin in millionths, as margins are stated."""
    return f"{float(value):.6f}".rstrip("0").rstrip(".")


def _value(certificate: Certificate | None) -> Fraction | None:
    """Return the margin that a certificate is about."""
    if certificate is None:
        return None
    return Fraction(certificate.terms["numerator"], certificate.terms["denominator"])


_DIMENSION = {
    "d": whole(1),
    "margin": nullable(
        number(0, "The largest margin that was found; null if no embedding was found.")
    ),
    "upper": nullable(
        number(0, "No unit queries and keys in d have a larger margin; null if there is no bound.")
    ),
    "yes": nullable(reference("certificate", "The certificate for `margin`.")),
    "no": nullable(
        reference(
            "certificate",
            "A proof that d does not represent the pattern at all; null if none was found.",
        )
    ),
    "ceiling": nullable(
        reference(
            "certificate",
            "The certificate for `upper`; null if that is `no`, here or of all dimensions.",
        )
    ),
    "bits": nullable(
        whole(0, "The bits of the largest coordinate of `embedding`, without the sign.")
    ),
    "embedding": nullable(
        reference(
            "certificate",
            "The integer embedding with the fewest bits that was found, or one of a decision if "
            "bits were not asked for; null if there is none.",
        )
    ),
    "formats": mapping(
        flag(),
        "For each number format that was tried, whether an embedding was found that represents "
        "the pattern when queries and keys are rounded to it.",
    ),
}

DOCUMENT = Document(
    "margin",
    "What `samapprox margin --json` prints. Times in seconds.",
    {
        "pattern": describe_matrix(judged=True, causal=flag()),
        "bounded": flag(
            "Whether some row has both a one and a zero; else every margin can be reached."
        ),
        "lower": nullable(
            number(0, "Some unit queries and keys have this margin; null if there is no bound.")
        ),
        "upper": nullable(
            number(0, "No unit queries and keys have a larger margin; null if there is no bound.")
        ),
        "yes": nullable(
            reference(
                "certificate", "The certificate for `lower`; null for 0, or if there is no bound."
            )
        ),
        "no": nullable(
            reference("certificate", "The certificate for `upper`; null if there is no bound.")
        ),
        "dimensions": listed(
            record(**_DIMENSION),
            "What was found in each dimension that was searched; larger margins and fewer bits may "
            "be possible.",
        ),
        "formats": mapping(
            record(
                lower=whole(1, "No smaller d represents the pattern, in exact arithmetic."),
                upper=nullable(
                    whole(1, "The least d searched with an embedding that is right; null if none.")
                ),
            ),
            "For each number format that was tried, the interval of the least d.",
        ),
        "seconds": SECONDS,
    },
)
