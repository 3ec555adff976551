"""Results of tasks that bound a number from both sides."""

from __future__ import annotations

from typing import Protocol

from samapprox.batch.results.outcome import Outcome, packed_certificate
from samapprox.proofs.certificate import Certificate

__all__ = ["Bounded", "of_bounds"]


class Bounded(Protocol):
    """Bounds on a number, with a certificate for each that is not trivial."""

    @property
    def lower(self) -> int:
        """A proven lower bound."""

    @property
    def upper(self) -> int:
        """A proven upper bound."""

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""

    @property
    def yes_certificate(self) -> Certificate | None:
        """The certificate of the upper bound."""

    @property
    def no_certificate(self) -> Certificate | None:
        """The certificate of the lower bound."""


def of_bounds(first: Outcome, found: Bounded) -> Outcome:
    """Return the result of an instance, final or so far, from the bounds that were found.

    Parameters
    ----------
    first : Outcome
        The provisional result of the pattern.
    found : Bounded

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from samapprox import fit
    >>> of_bounds(Outcome("a", ""), fit([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1)).verdict
    'EXACT'
    """
    return first._replace(
        verdict="EXACT" if found.exact else "INTERVAL",
        lower=found.lower,
        upper=found.upper,
        yes=packed_certificate(found.yes_certificate),
        no=packed_certificate(found.no_certificate),
    )
