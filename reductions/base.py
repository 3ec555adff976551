"""Reductions: a map between problems, and the map of answers back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

__all__ = ["Reduced", "Reduction"]

Source = TypeVar("Source", contravariant=True)
Target = TypeVar("Target", covariant=True)
Answer = TypeVar("Answer", contravariant=True)
Lifted = TypeVar("Lifted", covariant=True)


@dataclass(frozen=True, slots=True)
class Reduced(Generic[Target, Answer, Lifted]):
    """An instance of the target problem, and what its answer says about the source.

    Attributes
    ----------
    target : Target
    lift : callable
        From an answer about the target to one about the source.

    Examples
    --------
    >>> halved = Reduced(3, lambda answer: 2 * answer)
    >>> halved.lift(halved.target)
    6
    """

    target: Target
    lift: Callable[[Answer], Lifted]


class Reduction(Protocol[Source, Target, Answer, Lifted]):
    """A map from one problem to another: a frozen dataclass whose fields are its parameters.

    `samapprox.reductions.known_reductions` lists them; `samapprox reduce` runs them on files.

    Attributes
    ----------
    name : str
        The name in the table.
    preserves : str
        The correspondence of answers, in a sentence.
    """

    name: ClassVar[str]
    preserves: ClassVar[str]

    def apply(self, instance: Source) -> Reduced[Target, Answer, Lifted]:
        """Map an instance.

        Raises
        ------
        InputError
            Not an instance of the source problem.
        """
