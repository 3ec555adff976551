"""Grading: the judgements that become a 1, and the treatment of unjudged pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from samapprox.errors import InputError
from samapprox.instance import Fact
from samapprox.support.lookup import unknown_name

__all__ = ["UNJUDGED", "Grading", "Unjudged"]

Unjudged = Literal["zero", "unspecified"]
UNJUDGED: tuple[str, ...] = get_args(Unjudged)


@dataclass(frozen=True, slots=True)
class Grading:
    """The rule that turns graded judgements into entries 1, 0 and *.

    Attributes
    ----------
    relevant : int
        Least grade that makes a 1; judgements of lower grades make zeros. At least 1, because 0 and
        negative grades mean not relevant, as TREC has it.
    unjudged : {"zero", "unspecified"}
        The entries of unjudged pairs: 0 or *.

    Raises
    ------
    InputError
        Another value.

    Examples
    --------
    >>> Grading(relevant=2, unjudged="unspecified").origin
    {'relevant': 2, 'unjudged': 'unspecified'}
    """

    relevant: int = 1
    unjudged: Unjudged = "zero"

    def __post_init__(self) -> None:
        if type(self.relevant) is not int or self.relevant < 1:
            raise InputError(
                "the least relevant grade must be a whole number of at least 1 (grades of 0 and "
                f"below mean not relevant), not {self.relevant!r}"
            )
        if self.unjudged not in UNJUDGED:
            raise unknown_name("value of unjudged", str(self.unjudged), UNJUDGED)

    @classmethod
    def of_origin(cls, origin: Mapping[str, int | float | str]) -> Grading | None:
        """Return the rule that an instance's origin states; None if it has no judgements.

        Examples
        --------
        >>> Grading.of_origin({"relevant": 2, "unjudged": "zero"})
        Grading(relevant=2, unjudged='zero')
        >>> Grading.of_origin({"family": "mask"})
        """
        try:
            given: dict[str, Any] = {name: origin[name] for name in ("relevant", "unjudged")}
            return cls(**given)
        except (KeyError, InputError):
            return None

    @property
    def is_default(self) -> bool:
        """Whether all positive grades are relevant, and unjudged pairs are zeros."""
        return self == Grading()

    @property
    def origin(self) -> dict[str, int | float | str]:
        """The rule as part of an instance's origin."""
        return {"relevant": self.relevant, "unjudged": self.unjudged}

    def __str__(self) -> str:
        return f"relevant >= {self.relevant}, unjudged {self.unjudged}"

    def require_default(self, what: str) -> None:
        """Refuse a rule for entries that have no grades.

        Parameters
        ----------
        what : str
            The source of the entries, in the plural.

        Raises
        ------
        InputError

        Examples
        --------
        >>> Grading(relevant=2).require_default("npz files")
        Traceback (most recent call last):
        ...
        samapprox.errors.InputError: npz files have no grades; drop relevant and unjudged, ...
        """
        if not self.is_default:
            raise InputError(
                f"{what} have no grades; drop relevant and unjudged, which are for retrieval "
                "judgements (qrels, tsv, jsonl)"
            )

    def known(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts about judgements under the default rule that hold under this one too.

        Unspecified pairs ask for less, so YES remains; another threshold gives another pattern.

        Examples
        --------
        >>> facts = Fact(2, None, "YES", "planted"), Fact(1, None, "NO", "Radon")
        >>> [fact.answer for fact in Grading(unjudged="unspecified").known(facts)]
        ['YES']
        >>> Grading(relevant=2).known(facts)
        ()
        """
        if self.is_default:
            return tuple(facts)
        if self.relevant != Grading().relevant:
            return ()
        return tuple(fact for fact in facts if fact.answer == "YES")
